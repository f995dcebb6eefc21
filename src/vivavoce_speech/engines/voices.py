"""Synthesisers on this machine: flite, festival, espeak-ng as separate programs, and recordings of a person.

The text is handed over in a file, never on a command line.
"""

import asyncio
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
from pydantic import Field

from vivavoce.audio.factory import make_kind
from vivavoce.audio.files import read_sound
from vivavoce.audio.sound import Sound
from vivavoce.audio.ssml import is_ssml
from vivavoce.audio.synthesis import SYNTHESISERS, Synthesiser, SynthesisError, SynthesiserSettings
from vivavoce.core.errors import InputError
from vivavoce.core.text import normalise_value
from vivavoce.languages.data import Spoken

LONGEST_S: Final = 60.0
_SUFFIXES: Final = (".wav", ".flac")
_SCHEME_NAME: Final = re.compile(r"[A-Za-z0-9_]+")


class ProgramSettings(SynthesiserSettings):
    """Settings of a synthesiser that is a program."""

    voice: str | None = Field(None, description="voice name (default: the program's)")
    speed: float = Field(1.0, ge=0.3, le=3.0, description="speech rate; 1: normal, 0.8: slower")


class _Program:
    """A program that reads a text from a file and writes a WAV file."""

    name: ClassVar[str]
    settings: ClassVar[type[SynthesiserSettings]] = ProgramSettings
    package: ClassVar[str]

    def __init__(self, settings: ProgramSettings) -> None:
        self._settings = settings
        if shutil.which(self.name) is None:
            raise InputError(f"program {self.name} is not installed", hint=f"apt install {self.package}")

    @classmethod
    def make(cls, settings: Any, secrets: Mapping[str, str]) -> Synthesiser:
        return cls(settings)

    def command(self, text_file: Path, sound_file: Path, language: str) -> list[str]:
        raise NotImplementedError

    async def speak(self, text: str, *, language: str) -> Sound:
        flat_text = " ".join(text.split())
        if not flat_text:
            return Sound(np.zeros(0, np.int16), 16_000)
        with tempfile.TemporaryDirectory(prefix="vivavoce-speech-") as folder:
            text_file, sound_file = Path(folder, "text"), Path(folder, "speech.wav")
            text_file.write_text(flat_text, encoding="utf-8")
            await self._run(self.command(text_file, sound_file, language))
            return read_speech(sound_file.read_bytes(), self.name)

    async def _run(self, command: list[str]) -> None:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            _, stderr = await asyncio.wait_for(process.communicate(), LONGEST_S)
        except (TimeoutError, asyncio.CancelledError) as error:
            process.kill()
            await process.wait()
            if isinstance(error, TimeoutError):
                raise SynthesisError(f"{self.name} exceeded the limit of {LONGEST_S:.0f} s") from None
            raise
        if process.returncode:
            words = " ".join(stderr.decode("utf-8", "replace").split())[:200]
            raise SynthesisError(f"{self.name} failed: {words or f'exit code {process.returncode}'}")

    async def close(self) -> None:
        """Close nothing."""


class Flite(_Program):
    """flite: English, small and quick."""

    name: ClassVar[str] = "flite"
    summary: ClassVar[str] = "English, with the program flite"
    languages: ClassVar[tuple[str, ...]] = ("en",)
    package = "flite"

    def command(self, text_file: Path, sound_file: Path, language: str) -> list[str]:
        if language.split("-")[0] != "en":
            raise SynthesisError(f"flite supports English, not {language!r}; choose another synthesiser")
        voice = self._settings.voice or "slt"
        stretch = f"duration_stretch={1 / self._settings.speed:.3f}"
        return ["flite", "-voice", voice, "--setf", stretch, "-f", str(text_file), "-o", str(sound_file)]


class EspeakNG(_Program):
    """espeak-ng: more than a hundred languages, in a voice that recognisers understand least."""

    name: ClassVar[str] = "espeak-ng"
    summary: ClassVar[str] = "many languages, with the program espeak-ng"
    reads_ssml: ClassVar[bool] = True
    package = "espeak-ng"

    def command(self, text_file: Path, sound_file: Path, language: str) -> list[str]:
        voice = self._settings.voice or language.lower()
        words_per_minute = str(round(160 * self._settings.speed))
        markup = ["-m"] if is_ssml(text_file.read_text(encoding="utf-8")) else []
        return [
            "espeak-ng",
            *markup,
            "-v",
            voice,
            "-s",
            words_per_minute,
            "-f",
            str(text_file),
            "-w",
            str(sound_file),
        ]


class _LanguagesOfVoices:
    """The languages whose words name a voice of a program; of the class, too, for nobody makes one to ask."""

    def __get__(self, _: object, program: type[_Program]) -> tuple[str, ...]:
        all_spoken = {language: Spoken.of(language) for language in Spoken.languages()}
        return tuple(
            language for language, spoken in all_spoken.items() if spoken and program.name in spoken.voices
        )


class Festival(_Program):
    """festival: Italian and English, by diphones; recognisers understand it better than espeak-ng."""

    name: ClassVar[str] = "festival"
    summary: ClassVar[str] = "Italian and English, with the program festival"
    languages = _LanguagesOfVoices()
    package = "festival festvox-italp16k"

    async def speak(self, text: str, *, language: str) -> Sound:
        printable = "".join(ch if ch.isprintable() else " " for ch in text)
        return await super().speak(printable.encode("latin-1", "ignore").decode("latin-1"), language=language)

    def command(self, text_file: Path, sound_file: Path, language: str) -> list[str]:
        spoken = Spoken.of(language)
        voice = self._settings.voice or (spoken.voices.get(self.name) if spoken is not None else None)
        if voice is None:
            languages = ", ".join(self.languages)
            raise SynthesisError(
                f"festival supports {languages}, not {language!r}; set `voice` to a voice of this language"
            )
        if not _SCHEME_NAME.fullmatch(voice):
            raise SynthesisError(f"{voice!r} is not a voice name; use a name such as lp_diphone")
        text_file.write_bytes(text_file.read_text(encoding="utf-8").encode("latin-1"))
        stretch = f"(Parameter.set 'Duration_Stretch {1 / self._settings.speed:.3f})"
        return [
            "text2wave",
            "-eval",
            f"(begin (voice_{voice}) {stretch})",
            "-o",
            str(sound_file),
            str(text_file),
        ]


class PromptsSettings(SynthesiserSettings):
    """Settings of the synthesiser `prompts`."""

    files: ClassVar[tuple[str, ...]] = ("folder",)

    folder: str = Field(
        description="folder of recordings `LANGUAGE/TEXT.wav` or `.flac`, named after the spoken text"
    )
    otherwise: dict[str, Any] | str | None = Field(
        None, description="synthesiser for texts without a recording; none: a missing recording is an error"
    )


class Prompts:
    """Sentences that a person has spoken, found by their words; what lacks goes to another synthesiser."""

    name: ClassVar[str] = "prompts"
    summary: ClassVar[str] = "human recordings, selected by text"
    settings: ClassVar[type[SynthesiserSettings]] = PromptsSettings

    def __init__(self, settings: PromptsSettings, otherwise: Synthesiser | None) -> None:
        folder = Path(settings.folder)
        if not folder.is_dir():
            raise InputError(
                f"folder {settings.folder!r} not found", place="folder", hint="create it, or correct the path"
            )
        self._otherwise = otherwise
        self._files = {
            (path.parent.name, prompt_key(path.stem)): path
            for path in sorted(folder.glob("*/*"))
            if path.suffix.lower() in _SUFFIXES
        }

    @classmethod
    def make(cls, settings: Any, secrets: Mapping[str, str]) -> Synthesiser:
        if settings.otherwise is None:
            return cls(settings, None)
        kind = make_kind(SYNTHESISERS, settings.otherwise, secrets=secrets, place="otherwise")
        return cls(settings, kind)

    async def speak(self, text: str, *, language: str) -> Sound:
        path = self._files.get((language, prompt_key(text)))
        if path is not None:
            return read_speech(await asyncio.to_thread(path.read_bytes), str(path))
        if self._otherwise is None:
            raise SynthesisError(
                f"no recording of {prompt_key(text)!r} in {language!r}; record it, or set `otherwise`"
            )
        return await self._otherwise.speak(text, language=language)

    async def close(self) -> None:
        if self._otherwise is not None:
            await self._otherwise.close()


def prompt_key(text: str) -> str:
    """File name of a recording: the words in lower case, without punctuation, at most 120 characters."""
    return " ".join("".join(ch if ch.isalnum() else " " for ch in normalise_value(text)).split())[:120]


def read_speech(data: bytes, source: str) -> Sound:
    """The sound of a file's bytes, its channels mixed. Raises SynthesisError: it is no sound."""
    try:
        return read_sound(data, place=source)
    except InputError as error:
        raise SynthesisError(str(error)) from None
