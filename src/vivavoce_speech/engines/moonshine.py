"""English speech recognition on this machine by Moonshine: quick, one hypothesis, no confidence.

The package carries a small English model; another one may be named by its folder and its hash.
"""

import asyncio
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from pydantic import Field, model_validator

from vivavoce.audio.files import as_float
from vivavoce.audio.recognition import Hypothesis, Recogniser, RecogniserSettings, RecognitionError
from vivavoce.audio.sound import Sound
from vivavoce.core.errors import InputError
from vivavoce.core.extras import require
from vivavoce.core.validation import mistake
from vivavoce_speech.engines.checksum import check_pin

RATE_HZ: Final = 16_000
_CURE: Final = "apt install libportaudio2"
_WHOLE: Final = {"vad_threshold": "0.0", "identify_speakers": "false", "return_audio_data": "false"}


class MoonshineSettings(RecogniserSettings):
    """Settings of the recogniser `moonshine`."""

    files: ClassVar[tuple[str, ...]] = ("model",)

    model: str | None = Field(
        None, description="folder of a Moonshine model; none: the English model of the package"
    )
    sha256: str | None = Field(
        None, description="hexadecimal SHA-256 of `decoder_model_merged.ort` in that folder"
    )
    size: Literal["tiny", "base"] = Field("tiny", description="size of the model")
    language: str = Field("en", description="language of the model")

    @model_validator(mode="after")
    def _pinned(self) -> "MoonshineSettings":
        if (self.model is None) != (self.sha256 is None):
            raise mistake("model and sha256 must be set together", "set both or neither")
        return self


class Moonshine:
    """Recogniser of one model in memory; utterances are heard one after the other."""

    name: ClassVar[str] = "moonshine"
    summary: ClassVar[str] = "English, fast, runs locally; extra `moonshine`"
    languages: tuple[str, ...] = ("en",)  # of the model that the package carries
    settings: ClassVar[type[RecogniserSettings]] = MoonshineSettings

    def __init__(self, settings: MoonshineSettings) -> None:
        require("moonshine_voice")
        if settings.model is not None:
            check_pin(Path(settings.model) / "decoder_model_merged.ort", settings.sha256 or "")
        self._language, self._lock = settings.language.split("-")[0], threading.Lock()
        self.languages = (self._language,)
        self._model: Any = _loaded(settings)

    @classmethod
    def make(cls, settings: Any, secrets: Mapping[str, str]) -> Recogniser:
        return cls(settings)

    async def recognise(self, sound: Sound, *, language: str) -> tuple[Hypothesis, ...]:
        if language.split("-")[0] != self._language:
            raise RecognitionError(
                f"this Moonshine model recognises {self._language!r}, not {language!r}; "
                "choose another recogniser"
            )
        return await asyncio.to_thread(self._recognise, sound)

    async def close(self) -> None:
        with self._lock:
            if self._model is not None:
                self._model.close()
                self._model = None

    def _recognise(self, sound: Sound) -> tuple[Hypothesis, ...]:
        if not sound.samples.any():  # of silence it makes words
            return ()
        values = as_float(sound.at(RATE_HZ).samples).tolist()
        with self._lock:
            if self._model is None:
                raise RecognitionError("moonshine: the recogniser is closed")
            try:
                lines = self._model.transcribe_without_streaming(values, RATE_HZ).lines
            except Exception as error:  # the package's errors have no common base
                raise RecognitionError(f"moonshine: {error}") from error
        text = " ".join(" ".join(line.text for line in lines).split())
        return (Hypothesis(text),) if text else ()


def _loaded(settings: MoonshineSettings) -> Any:
    try:
        import moonshine_voice  # pyright: ignore[reportMissingImports]
    except OSError as error:
        raise InputError(f"cannot load moonshine ({error})", hint=_CURE) from None
    bundled = Path(str(moonshine_voice.__file__)).parent / "assets" / "tiny-en"
    folder = Path(settings.model) if settings.model is not None else bundled
    try:
        size = moonshine_voice.ModelArch[settings.size.upper()]
        return moonshine_voice.Transcriber(folder, size, options=_WHOLE)
    except moonshine_voice.MoonshineError as error:
        raise InputError(
            f"cannot load a Moonshine model ({error})",
            place=str(folder),
            hint="set a folder with encoder_model.ort, decoder_model_merged.ort and tokenizer.bin",
        ) from None
