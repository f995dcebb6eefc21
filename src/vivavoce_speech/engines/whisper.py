"""Recognition of a hundred languages on this machine: a Whisper model that the user has, by faster-whisper.

Nothing is downloaded: the settings name a folder with a model in CTranslate2's format and the hash of its
`model.bin`, so that a study always hears with the same ears.
"""

import asyncio
import math
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
from pydantic import Field

from vivavoce.audio.files import as_float
from vivavoce.audio.recognition import Hypothesis, Recogniser, RecogniserSettings, RecognitionError
from vivavoce.audio.sound import Sound
from vivavoce.core.errors import InputError
from vivavoce.core.extras import require
from vivavoce.core.text import normalise_value
from vivavoce_speech.engines.checksum import check_pin

RATE_HZ: Final = 16_000
WINDOW_S: Final = 30  # what the model takes in at once
MODEL: Final = "model.bin"
LONGEST: Final = 220  # pieces of words in a window
NO_SPEECH: Final = 0.6
UNSURE: Final = math.exp(-1)  # what is less sure, and likelier than that to be no speech, is not heard
_SEARCHED_S: Final = 10  # a longer sound is parted at the quietest place of a window's last seconds
_FRAME: Final = 1600


class WhisperSettings(RecogniserSettings):
    """Settings of the recogniser `whisper`."""

    files: ClassVar[tuple[str, ...]] = ("model",)

    model: str = Field(description="folder of a Whisper model in CTranslate2's format")
    sha256: str = Field(description="hexadecimal SHA-256 of `model.bin`")
    prompt: str | None = Field(
        None, max_length=800, description="words and names of the domain, to improve recognition"
    )
    beam: int = Field(5, ge=1, le=20, description="beam size; at least `hypotheses`")
    threads: int = Field(2, ge=1, le=64, description="processor cores per utterance")


class Whisper:
    """Recogniser of one model in memory; utterances are heard one after the other."""

    name: ClassVar[str] = "whisper"
    summary: ClassVar[str] = "about a hundred languages, with your own model; extra `whisper`"
    languages: tuple[str, ...] | None = None  # whatever the model hears
    settings: ClassVar[type[RecogniserSettings]] = WhisperSettings

    def __init__(self, settings: WhisperSettings) -> None:
        require("faster_whisper")
        check_pin(Path(settings.model) / MODEL, settings.sha256)
        self._settings, self._lock = settings, threading.Lock()
        self._model = _loaded(settings)
        self.languages = tuple(self._model.supported_languages)

    @classmethod
    def make(cls, settings: Any, secrets: Mapping[str, str]) -> Recogniser:
        return cls(settings)

    async def recognise(self, sound: Sound, *, language: str) -> tuple[Hypothesis, ...]:
        return await asyncio.to_thread(self._recognise, sound, language.split("-")[0])

    async def close(self) -> None:
        with self._lock:
            self._model = None

    def _recognise(self, sound: Sound, language: str) -> tuple[Hypothesis, ...]:
        if not len(sound.samples):
            return ()
        with self._lock:
            if self._model is None:
                raise RecognitionError("whisper: the recogniser is closed")
            if language not in self._model.supported_languages:
                raise RecognitionError(
                    f"this Whisper model does not support {language!r}; choose another model"
                )
            transcripts = [
                self._window(values, language) for values in windows(as_float(sound.at(RATE_HZ).samples))
            ]
        transcripts = [window for window in transcripts if window]
        return transcripts[0] if len(transcripts) == 1 else _joined(transcripts)

    def _window(self, values: np.ndarray, language: str) -> tuple[Hypothesis, ...]:
        """Hypotheses for at most 30 s, best first, each text once."""
        from faster_whisper.audio import pad_or_trim  # pyright: ignore[reportMissingImports]
        from faster_whisper.tokenizer import Tokenizer  # pyright: ignore[reportMissingImports]

        model: Any = self._model
        tokenizer = Tokenizer(
            model.hf_tokenizer, model.model.is_multilingual, task="transcribe", language=language
        )
        before = tokenizer.encode(" " + self._settings.prompt.strip()) if self._settings.prompt else []
        prompt = model.get_prompt(tokenizer, before, without_timestamps=True)
        count = self._settings.hypotheses
        try:
            encoded = model.encode(pad_or_trim(model.feature_extractor(values)))
            generated = model.model.generate(
                encoded,
                [prompt],
                beam_size=max(count, self._settings.beam),
                num_hypotheses=count,
                return_scores=True,
                return_no_speech_prob=True,
                max_length=min(model.max_length, len(prompt) + LONGEST),
            )[0]
        except (RuntimeError, ValueError) as error:
            raise RecognitionError(f"whisper: {error}") from error
        best: dict[str, Hypothesis] = {}
        for tokens, score in zip(generated.sequences_ids, generated.scores, strict=True):
            text = " ".join(tokenizer.decode(tokens).split())
            if key := normalise_value(text):
                best.setdefault(key, Hypothesis(text, _probability(score, len(tokens))))
        hypotheses = tuple(best.values())
        unsure = bool(hypotheses) and (hypotheses[0].confidence or 0.0) < UNSURE
        return () if unsure and generated.no_speech_prob > NO_SPEECH else hypotheses


def windows(values: np.ndarray) -> list[np.ndarray]:
    """Pieces of at most 30 s, cut where 0.1 s is quietest in the last 10 s of a piece."""
    pieces, longest = [], WINDOW_S * RATE_HZ
    while len(values) > longest:
        first = longest - _SEARCHED_S * RATE_HZ
        power = (values[first:longest].reshape(-1, _FRAME) ** 2).mean(axis=1)
        cut = first + int(power.argmin()) * _FRAME + _FRAME // 2
        pieces.append(values[:cut])
        values = values[cut:]
    return [*pieces, values]


def _probability(score: float, tokens: int) -> float:
    """The geometric mean of the pieces' probabilities, the end of the text included.

    Note    the score is a sum of logarithms over the number of pieces, the end left out of that number
    """
    return min(1.0, math.exp(score * max(tokens, 1) / (tokens + 1)))


def _joined(windows: list[tuple[Hypothesis, ...]]) -> tuple[Hypothesis, ...]:
    """One hypothesis of the best of each piece: of pieces together, others are not ranked."""
    if not windows:
        return ()
    confidences = [window[0].confidence or 0.0 for window in windows]
    return (
        Hypothesis(
            " ".join(window[0].text for window in windows), math.prod(confidences) ** (1 / len(windows))
        ),
    )


def _loaded(settings: WhisperSettings) -> Any:
    from faster_whisper import WhisperModel  # pyright: ignore[reportMissingImports]

    try:
        return WhisperModel(
            settings.model,
            device="cpu",
            compute_type="int8",
            cpu_threads=settings.threads,
            local_files_only=True,
        )
    except (RuntimeError, ValueError, OSError) as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(
            f"cannot load a Whisper model ({reason})",
            place=settings.model,
            hint=("set a folder with model.bin, config.json, tokenizer.json and vocabulary.txt or .json"),
        ) from None
