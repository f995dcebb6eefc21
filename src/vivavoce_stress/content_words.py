"""Kind of word that a variant changes: content (the request itself) or frame (its wording).

Where `I would like` is misspelt instead of what somebody would like, most systems serve them as before, so
the kind of word decides how many spelling tests are passed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any, Final, Literal

from vivavoce_stress.base import LANGUAGES
from vivavoce_stress.heuristics import plain
from vivavoce_stress.language_file import FOLDER, load_language
from vivavoce_stress.words import words_of

WordKind = Literal["content", "small", "frame"]
SHORTEST: Final = 2


def changed_words(original: str, variant: str) -> tuple[str, ...]:
    """The words of an original that its variant has not, in small letters."""
    mine, theirs = ([word.lower for word in words_of(text)] for text in (original, variant))
    codes = SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes()
    return tuple(word for kind, start, end, *_ in codes if kind != "equal" for word in mine[start:end])


def kind_changed(original: str, variant: str, language: str) -> WordKind:
    """Kind of the changed words: content if any is content, else frame.

    Empty  none changed, or articles, prepositions and the like alone: small
    """
    words, (frame, _) = changed_words(original, variant), _small(language)
    if any(_carries(word, language) for word in words):
        return "content"
    return "frame" if any(plain(word) in frame for word in words) else "small"


def content_of(text: str, language: str) -> frozenset[str]:
    """The words of a text that carry what is asked for, numbers among them: the same in another frame.

    Empty  it has but words of the frame, and small ones
    """
    return frozenset(word for word in plain(text).split() if word.isdigit() or _carries(word, language))


def offers_both(original: str, language: str) -> bool:
    """True if an utterance has both content words and a frame."""
    words = {plain(word.text) for word in words_of(original)}
    frame, _ = _small(language)
    return bool(words & frame) and any(_carries(word, language) for word in words)


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsChanged:
    """Decided spelling tests of a language by the kind of word that they changed: (passed, cases).

    left  cases of utterances without words that carry what is asked for, or without a frame
    """

    language: str
    content: tuple[int, int]
    frame: tuple[int, int]
    small: tuple[int, int]
    left: int


def by_word(rows: Sequence[Mapping[str, Any]], language: str) -> WordsChanged:
    """Results of the spelling tests in a language by the kind of changed word.

    Input   decided cases of the family of spelling: original, text, verdict
    """
    kinds = [
        (kind_changed(row["original"], row["text"], language), row["verdict"] == "pass")
        for row in rows
        if offers_both(row["original"], language)
    ]

    def counted(kind: WordKind) -> tuple[int, int]:
        passed = [outcome for its, outcome in kinds if its == kind]
        return sum(passed), len(passed)

    return WordsChanged(
        language=language,
        content=counted("content"),
        frame=counted("frame"),
        small=counted("small"),
        left=len(rows) - len(kinds),
    )


def _carries(word: str, language: str) -> bool:
    frame, small = _small(language)
    return len(word) >= SHORTEST and plain(word) not in frame | small


@lru_cache
def _small(language: str) -> tuple[frozenset[str], frozenset[str]]:
    """Words of the frame, and the smallest; of a language without a file none."""
    spoken = language.split("-")[0]
    if spoken in LANGUAGES:
        pack = LANGUAGES.get(spoken)
        parts = [pack.get(name) if pack.has(name) else [] for name in ("request_frame", "function_words")]
    elif (path := FOLDER / f"{spoken}.yaml").is_file():
        facts = load_language(path)
        parts = [facts.request_frame, facts.function_words]
    else:
        parts = [[], []]
    frame, small = (frozenset(word for phrase in part for word in plain(phrase).split()) for part in parts)
    return frame - small, small
