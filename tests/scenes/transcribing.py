"""A study in which recordings are written down, some with a known transcript."""

import csv
import wave
from pathlib import Path

from vivavoce.study.load import load_study
from vivavoce.study.model import Study
from vivavoce.trial.engine import SessionEngine

GOLD = {
    "gold-1.wav": "a cheap thai place",
    "gold-2.wav": "what is the phone number",
    "gold-3.wav": "good bye",
}


def silence(path: Path, seconds: float = 0.2) -> Path:
    """A small WAV file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", "not compressed"))
        file.writeframes(bytes(2 * round(8000 * seconds)))
    return path


def transcribing_study(folder: Path, unknown: int = 6, **settings: object) -> Study:
    """Three recordings with a known transcript, and others: turn 1 of `dialogue-000`, `dialogue-001`, ..."""
    rows: list[dict[str, object]] = [{"audio": name, "gold": text} for name, text in GOLD.items()]
    rows += [
        {
            "audio": f"call-{number}.wav",
            "dialogue_id": f"dialogue-{number:03}",
            "turn_index": 1,
            "hypothesis": f"recognised {number}",
        }
        for number in range(unknown)
    ]
    for row in rows:
        silence(folder / "audio" / str(row["audio"]))
    with (folder / "items.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ("audio", "dialogue_id", "turn_index", "gold", "hypothesis"))
        writer.writeheader()
        writer.writerows(rows)
    chosen = {"per_participant": 5, "gold": 0.4, "min_gold": 2, "accuracy": 0.75} | settings
    written = "\n".join(f"      {key}: {str(value).lower()}" for key, value in chosen.items())
    (folder / "study.yaml").write_text(
        "study: transcripts\nlanguages: [en, it]\nvisit:\n  - transcribe:\n      items: items.csv\n"
        f"      audio: audio\n{written}\n",
        encoding="utf-8",
    )
    return load_study(folder)


async def write_down(
    engine: SessionEngine, visit_id: str, text: str, *, step: int = 0, position: int | None = None
) -> None:
    """The recording that is due is written down as on the page."""
    state = await engine.state(visit_id)
    place = state.position if position is None else position
    response = state.asking.read(state.shown, {"text": text})
    await engine.forms.respond(visit_id, step=step, position=place, response=response)
