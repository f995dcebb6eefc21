"""A study in which clips are rated, or compared, by ear."""

from pathlib import Path

import numpy as np

from vivavoce.audio.files import pcm16, write_sound
from vivavoce.audio.sound import Sound
from vivavoce.study.load import load_study
from vivavoce.study.model import Study

CONDITIONS = ("clean", "noisy")


def clip(path: Path, hertz: float, seconds: float) -> None:
    """A tone; the condition of a clip is of no matter here, only its length."""
    path.parent.mkdir(parents=True, exist_ok=True)
    values = 0.2 * np.sin(2 * np.pi * hertz * np.arange(round(16000 * seconds)) / 16000)
    write_sound(Sound(pcm16(values), 16000), path)


def listening_study(folder: Path, *, sentences: int = 3, seconds: float = 0.5, **settings: object) -> Study:
    """Every sentence in two conditions; the two are a pair."""
    lines = ["audio,condition,pair"]
    for number in range(sentences):
        for place, condition in enumerate(CONDITIONS):
            name = f"{condition}-{number}.wav"
            clip(folder / "clips" / name, 300 + 100 * number + 50 * place, seconds)
            lines.append(f"{name},{condition},{number}")
    (folder / "clips.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    written = "".join(f"      {key}: {str(value).lower()}\n" for key, value in settings.items())
    (folder / "study.yaml").write_text(
        "study: clips\nlanguages: [en, it]\nvisit:\n  - listen:\n      clips: clips.csv\n      audio: clips\n"
        f"{written}",
        encoding="utf-8",
    )
    return load_study(folder)
