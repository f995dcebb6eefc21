"""How well recognisers hear a person: recorded prompts of a telephone exchange, at several qualities.

The prompts come from Debian (`apt install asterisk-core-sounds-en-g722 asterisk-core-sounds-en`, the same
with `it`): one professional speaker a language, in a studio, 16 kHz, with the texts that were read. A
laboratory's participants speak less clearly; what is not understood here is understood nowhere.

Environment: VIVAVOCE_PROMPTS, a folder in place of /usr/share; VIVAVOCE_WHISPER, a folder with a Whisper
model; VIVAVOCE_PROMPTS_MOST, how many prompts a language; VIVAVOCE_RECOGNISERS, names of recognisers with
semicolons between them, else all. What is not installed is left out, and told.
"""

import asyncio
import gzip
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from hashlib import file_digest
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import av
import numpy as np

from vivavoce.audio.degradation import Degradation, damaged
from vivavoce.audio.recognition import Recogniser
from vivavoce.audio.sound import Sound
from vivavoce.audio.speech import make_recogniser
from vivavoce.core.alignment import align
from vivavoce.core.errors import InputError
from vivavoce.core.text import spoken_words
from vivavoce.stats.bootstrap import bootstrap_ratio
from vivavoce.stats.proportions import wilson

SHARE: Final = Path(os.environ.get("VIVAVOCE_PROMPTS", "/usr/share"))
MOST: Final = int(os.environ.get("VIVAVOCE_PROMPTS_MOST", "60"))
ONLY: Final = [name for name in os.environ.get("VIVAVOCE_RECOGNISERS", "").split(";") if name]
FEWEST_WORDS, MOST_WORDS = 3, 14
VOICES: Final = {"en": "en_US_f_Allison", "it": "it_IT_m_Carlo"}
QUALITIES: Final = {
    name: Degradation.model_validate(settings)
    for name, settings in (
        ("16 kHz", {}),
        ("telephone", {"telephone": True}),
        ("telephone, babble 15 dB", {"telephone": True, "snr_db": 15, "noise": "babble"}),
    )
}
SEED: Final = 16


class Prompt(NamedTuple):
    """What was read, and how it sounds."""

    name: str
    text: str
    sound: Sound


def prompts(language: str) -> list[Prompt]:
    """A sample of the prompts that are a few plain words, in the order of their names."""
    texts = SHARE / "doc" / f"asterisk-core-sounds-{language}" / f"core-sounds-{language}.txt.gz"
    folder = SHARE / "asterisk" / "sounds" / VOICES[language]
    if not texts.is_file():
        return []
    with gzip.open(texts, "rt", encoding="utf-8") as file:
        found = list(_plain(file.read(), folder))
    return [
        Prompt(name, text, _sound(folder / f"{name}.g722"))
        for name, text in sorted(Random(SEED).sample(found, min(MOST, len(found))))
    ]


def _plain(listed: str, folder: Path) -> Iterator[tuple[str, str]]:
    said: set[str] = set()
    for line in listed.splitlines():
        name, colon, text = line.partition(":")
        words = spoken_words(text)
        plain = colon and not re.search(r"[\d\[\](;)*#<>&]", text) and (folder / f"{name}.g722").is_file()
        if plain and FEWEST_WORDS <= len(words) <= MOST_WORDS and text not in said:
            said.add(text)
            yield name, text.strip()


def _sound(path: Path) -> Sound:
    with av.open(str(path), format="g722") as opened:
        frames = [frame.to_ndarray().ravel() for frame in opened.decode(audio=0)]
        return Sound(np.concatenate(frames).astype(np.int16), opened.streams.audio[0].rate)


def recognisers(language: str, read: list[Prompt], folder: Path) -> Iterator[tuple[str, Any]]:
    """Names and settings of those that hear a language."""
    if language == "en":
        sentences = folder / "sentences.txt"
        sentences.write_text("\n".join(one.text for one in read))
        yield "pocketsphinx", {"use": "pocketsphinx"}
        yield "pocketsphinx, sentences", {"use": "pocketsphinx", "sentences": str(sentences)}
        yield "moonshine", {"use": "moonshine"}
    if model := os.environ.get("VIVAVOCE_WHISPER"):
        with (Path(model) / "model.bin").open("rb") as file:
            pin = file_digest(file, "sha256").hexdigest()
        yield "whisper", {"use": "whisper", "model": model, "sha256": pin}


async def measured(
    recogniser: Recogniser, read: list[Prompt], damage: Degradation, language: str
) -> dict[str, Any]:
    errors, lengths, right = [], [], 0
    for one in read:
        sound = damaged(one.sound, damage, one.name).sound
        heard = await recogniser.recognise(sound, language=language)
        counts = align(spoken_words(one.text), spoken_words(heard[0].text if heard else ""))
        errors.append(float(counts.errors))
        lengths.append(float(len(spoken_words(one.text))))
        right += counts.errors == 0
    rate = sum(errors) / sum(lengths)
    interval = bootstrap_ratio(np.array(errors), np.array(lengths), seed=SEED)
    return {
        "prompts": len(read),
        "words": int(sum(lengths)),
        "word_error_rate": round(rate, 3),
        "word_error_rate_95": _rounded(interval),
        "all_words_right": right,
        "all_words_right_95": _rounded(wilson(right, len(read))),
    }


def _rounded(interval: Any) -> list[float] | None:
    return None if interval is None else [round(float(interval.low), 3), round(float(interval.high), 3)]


async def main() -> None:
    rows: list[dict[str, Any]] = []
    for language in VOICES:
        if not (read := prompts(language)):
            print(
                f"no prompts in {language!r}: apt install asterisk-core-sounds-{language}-g722 "
                f"asterisk-core-sounds-{language}",
                file=sys.stderr,
            )
            continue
        with tempfile.TemporaryDirectory() as folder:
            listed = list(recognisers(language, read, Path(folder)))
            if not listed:
                print(f"nobody to measure in {language!r}: name a model in VIVAVOCE_WHISPER", file=sys.stderr)
            for name, raw in listed:
                if ONLY and name not in ONLY:
                    continue
                try:
                    recogniser = make_recogniser(raw, folder=Path(folder), place=name)
                except InputError as error:
                    print(f"{name} left out: {error}", file=sys.stderr)
                    continue
                for quality, damage in QUALITIES.items():
                    figures = await measured(recogniser, read, damage, language)
                    row = {"language": language, "recogniser": name, "quality": quality, **figures}
                    rows.append(row)
                    print(json.dumps(row), file=sys.stderr, flush=True)
                await recogniser.close()
    print(json.dumps({"benchmark": "recognition", "seed": SEED, "rows": rows}, indent=2))


if __name__ == "__main__":
    asyncio.run(main())
