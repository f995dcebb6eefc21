"""English speech recognition on this machine by pocketsphinx, with the words of the domain.

Of a domain's sentences a trigram model is made; without them the general model is used, which hears much
less well. Speech of telephone quality is brought to the 16 kHz of the acoustic model.
"""

import io
import math
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final

from pydantic import Field, model_validator

from vivavoce.audio.recognition import (
    Hypothesis,
    Recogniser,
    RecogniserSettings,
    RecognitionError,
)
from vivavoce.audio.sound import Sound, joined, silence
from vivavoce.core.errors import InputError
from vivavoce.core.extras import install_command, require
from vivavoce.core.validation import mistake
from vivavoce_speech.engines.process_worker import ProcessWorker, WorkerEnded

_OTHER_NAMES: Final[dict[str, str]] = {
    "ax": "ah",
    "axr": "er",
    "ix": "ih",
    "el": "l",
    "em": "m",
    "en": "n",
    "dx": "t",
}
_LONGEST_S: Final = 60


def guessed_pronunciations(words: list[str], *, place: str = "") -> dict[str, str]:
    """Word by word its phones in the alphabet of the CMU dictionary; none asked, none needed.

    Raises  InputError: flite is not installed, or has no phones for a word
    """
    if not words:
        return {}
    if shutil.which("flite") is None:
        raise InputError(
            f"no pronunciation of {words[0]!r}" + (f" and {len(words) - 1} more words" if words[1:] else ""),
            place=place,
            hint="add it to `pronunciations`, or install flite to guess pronunciations",
        )
    return {word: _guess(word, place) for word in words}


def _guess(word: str, place: str) -> str:
    ran = subprocess.run(
        ["flite", "-ps", "-t", word, "none"], capture_output=True, text=True, timeout=_LONGEST_S, check=False
    )
    phones = [phone for phone in ran.stdout.split() if phone.isalpha() and phone != "pau"]
    if ran.returncode or not phones:
        hint = "add it to `pronunciations`"
        raise InputError(f"flite has no pronunciation of {word!r}", place=place, hint=hint)
    return " ".join(_OTHER_NAMES.get(phone, phone).upper() for phone in phones)


RATE_HZ: Final = 16_000
PADDING_S: Final = 0.2
SCORE_SHIFT: Final = 1024  # pocketsphinx keeps logarithms of scores divided by this
SEARCHED: Final = 200  # paths through the lattice that are looked at for different hypotheses
_WORD: Final = re.compile(r"[a-z']+")
_GRAMMAR_NOTATION: Final = re.compile(
    r"#JSGF[^;]*;|\bgrammar\s[^;]*;|\bimport\s[^;]*;|<[^>]*>|\{[^}]*\}|/[\d.]+/|\bpublic\b"
)
_FILLER: Final = re.compile(r"<[^>]*>|\[[^\]]*\]|\+\+[^+]*\+\+|\(\d+\)")


class PocketsphinxSettings(RecogniserSettings):
    """Settings of the recogniser `pocketsphinx`."""

    files: ClassVar[tuple[str, ...]] = ("sentences", "grammar", "model")

    sentences: str | None = Field(
        None, description="text file with one expected utterance per line, for a trigram language model"
    )
    grammar: str | None = Field(None, description="JSGF grammar of all expected utterances")
    model: str | None = Field(None, description="ARPA language model")
    pronunciations: dict[str, str] = Field(
        {}, description="phones of words missing in the dictionary, such as {pho: F OW}"
    )
    language_weight: float = Field(6.5, gt=0, le=30, description="weight of the domain language model")

    @model_validator(mode="after")
    def _one_source(self) -> "PocketsphinxSettings":
        sources = [name for name in ("sentences", "grammar", "model") if getattr(self, name) is not None]
        if len(sources) > 1:
            raise mistake(f"{sources[0]} and {sources[1]} cannot be combined", "remove one of these settings")
        return self


class Pocketsphinx:
    """Recogniser in processes of its own: pocketsphinx lets nothing else run while it listens."""

    name: ClassVar[str] = "pocketsphinx"
    summary: ClassVar[str] = "English, runs locally; extra `voice`"
    languages: ClassVar[tuple[str, ...]] = ("en",)
    settings: ClassVar[type[RecogniserSettings]] = PocketsphinxSettings

    def __init__(self, settings: PocketsphinxSettings) -> None:
        require("pocketsphinx")
        make = partial(_Listener, settings, _Domain(settings))
        make()  # what pocketsphinx does not take is told of now
        self._listening = ProcessWorker(make)

    @classmethod
    def make(cls, settings: Any, secrets: Mapping[str, str]) -> Recogniser:
        return cls(settings)

    @staticmethod
    def doubt(settings: Mapping[str, Any], telephone: bool) -> str | None:
        """Warning about these settings for recognising people; None without one.

        Source  benchmarks/recognition.py
        """
        if any(settings.get(name) for name in ("sentences", "grammar", "model")):
            return None
        wrong = "seven of ten words wrong by telephone" if telephone else "one of four words wrong"
        return (
            f"without a domain model, pocketsphinx gets {wrong}, even with trained speakers; "
            f"add `sentences` with expected utterances, or use moonshine ({install_command('moonshine')})"
        )

    async def recognise(self, sound: Sound, *, language: str) -> tuple[Hypothesis, ...]:
        if language.split("-")[0] != "en":
            raise RecognitionError(
                f"pocketsphinx recognises English, not {language!r}; choose another recogniser"
            )
        try:
            return await self._listening.call(sound)
        except WorkerEnded:
            raise RecognitionError("pocketsphinx stopped during recognition") from None

    async def close(self) -> None:
        await self._listening.close()


class _Listener:
    """A decoder with the domain's words and model.

    Raises  InputError: pocketsphinx does not take the grammar or the model
    """

    def __init__(self, settings: PocketsphinxSettings, domain: "_Domain") -> None:
        from pocketsphinx import Decoder

        self._settings = settings
        try:
            with tempfile.TemporaryDirectory(prefix="vivavoce-words-") as folder:
                self._decoder = Decoder(
                    samprate=RATE_HZ,
                    cmn="batch",
                    lw=settings.language_weight,
                    loglevel="FATAL",
                    **domain.files(Path(folder)),
                )
                if domain.grammar is not None:
                    self._decoder.add_jsgf_string("domain", domain.grammar)
                    self._decoder.activate_search("domain")
        except (RuntimeError, ValueError) as error:
            raise InputError(
                f"pocketsphinx rejects the file ({error})",
                place=domain.source,
                hint="correct the file",
            ) from None

    def __call__(self, sound: Sound) -> tuple[Hypothesis, ...]:
        """Hypotheses, best first. Raises RecognitionError: pocketsphinx gives up."""
        if not len(sound.samples):
            return ()
        quiet = silence(PADDING_S, RATE_HZ)
        padded = joined([quiet, sound, quiet], RATE_HZ)
        decoder = self._decoder
        try:
            decoder.reinit_feat()  # else what it learnt of the channel is taken over to the next caller
            decoder.start_utt()
            decoder.process_raw(padded.pcm, full_utt=True)
            decoder.end_utt()
            return self._hypotheses()
        except RuntimeError as error:
            raise RecognitionError(f"pocketsphinx: {error}") from error

    def _hypotheses(self) -> tuple[Hypothesis, ...]:
        best = self._decoder.hyp()
        if best is None or not _plain(best.hypstr):
            return ()
        scores: dict[str, float] = {}
        for place, hypothesis in enumerate(self._decoder.nbest()):
            if place >= SEARCHED:
                break
            if hypothesis is not None and (text := _plain(hypothesis.hypstr or "")):
                scores.setdefault(text, hypothesis.score)
        first = _plain(best.hypstr)
        scores[first] = max([scores.get(first, -math.inf), *scores.values(), best.score])
        ranked = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0] != first))
        shares = _shares([score for _, score in ranked], self._settings.language_weight)
        chosen = list(zip(ranked, shares, strict=True))[: self._settings.hypotheses]
        return tuple(Hypothesis(text, share) for (text, _), share in chosen)


class _Domain:
    """The words and the model of the domain, read and checked once.

    The decoder gets a dictionary of these words alone; with the whole one a small model takes minutes.
    """

    def __init__(self, settings: PocketsphinxSettings) -> None:
        self.source = settings.sentences or settings.grammar or settings.model or ""
        text = _read(self.source) if self.source else ""
        self.grammar = text if settings.grammar else None
        self._arpa: str | None = None
        words: set[str] = set()
        if settings.sentences:
            self._arpa = trigram_model(text, place=self.source)
            words = set(_WORD.findall(text.lower()))
        elif settings.model:
            self._arpa = text
            words = set(re.findall(r"^-?\d[\d.eE+-]*\s+([a-z']+)(?:\s|$)", text, re.MULTILINE))
        elif settings.grammar:
            words = set(_WORD.findall(_GRAMMAR_NOTATION.sub(" ", text)))
        custom = {word.lower(): phones for word, phones in settings.pronunciations.items()}
        self._dictionary = pronunciations(words, custom, place=self.source) if words or custom else ()

    def files(self, folder: Path) -> dict[str, str | None]:
        """Write the decoder's files into a folder."""
        if not self.source:
            return {}
        dictionary, model = folder / "words.dict", folder / "model.arpa"
        dictionary.write_text("\n".join(self._dictionary) + "\n", encoding="utf-8")
        if self._arpa is None:
            return {"dict": str(dictionary), "lm": None}
        model.write_text(self._arpa, encoding="utf-8")
        return {"dict": str(dictionary), "lm": str(model)}


def pronunciations(words: set[str], custom: Mapping[str, str], *, place: str = "") -> tuple[str, ...]:
    """Lines of a dictionary with these words: as given, else as the CMU dictionary has them, else guessed."""
    import pocketsphinx

    path = Path(pocketsphinx.get_model_path("en-us/cmudict-en-us.dict"))
    missing = words - custom.keys()
    lines = [f"{word} {phones}" for word, phones in sorted(custom.items())]
    pronounced: set[str] = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        word = line.split(" ", 1)[0].partition("(")[0]
        if word in missing:
            pronounced.add(word)
            lines.append(line)
    guessed = guessed_pronunciations(sorted(missing - pronounced), place=place)
    return (*lines, *(f"{word} {phones}" for word, phones in guessed.items()))


def trigram_model(sentences: str, *, place: str = "") -> str:
    """An ARPA model of the sentences, one a line; only letters and apostrophes count, in small letters.

    Raises  InputError: no line holds a word
    """
    from pocketsphinx.lm import ArpaBoLM

    lines = [" ".join(_WORD.findall(line.lower())) for line in sentences.splitlines()]
    lines = [line for line in lines if line]
    if not lines:
        raise InputError("the file has no sentences", place=place, hint="write one sentence per line")
    model = ArpaBoLM(text="\n".join(f"<s> {line} </s>" for line in lines), add_start=False)
    model.compute()
    buffer = io.StringIO()
    model.write(buffer)
    text = buffer.getvalue()
    return text[text.index("\\data\\") :]


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"cannot read the file ({error})", place=path, hint="use a text file in UTF-8"
        ) from None


def _plain(hypothesis: str) -> str:
    return " ".join(_FILLER.sub(" ", hypothesis).split())


def _shares(scores: list[float], language_weight: float) -> list[float]:
    """Scores as shares of one, best first, with the language model counted once.

    pocketsphinx weighs the language model up; with its weight taken off, probabilities are left.
    """
    weights = [(score / scores[0]) ** (SCORE_SHIFT / language_weight) for score in scores]
    return [weight / sum(weights) for weight in weights]
