"""Lessons of reviews: approved word replacements, with dictionary form and part of speech."""

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from vivavoce.core.errors import UnknownName
from vivavoce_stress.base import STRESS_TESTS, Edit, LanguagePack, Operator, Substitution, Utterance
from vivavoce_stress.case import digest
from vivavoce_stress.operators.synonyms import exchanged, reading_at
from vivavoce_stress.packs import pack_of
from vivavoce_stress.review import Reviews, word_edits
from vivavoce_stress.words import edit, in_case_of, words_of

_LONGEST: Final = 4  # words that may stand for one; more is another sentence


@dataclass(frozen=True, slots=True)
class ReviewLexicon:
    """Replacements that people approved in this domain, to propose again.

    version  how many approvals it was made of; key twelve digits over its entries
    entries  before and after in dictionary form where they are one word each, the part of speech, and the
             form that was met, for which alone a phrase stands
    """

    version: int
    key: str
    entries: tuple[dict[str, Any], ...]


def lexicon(reviews: Reviews) -> ReviewLexicon:
    """Words and what they were replaced by, with how often people approved it; the most approved first.

    Only tests that put one word for another teach words: pieces of a sentence that was turned round are none.
    """
    counts: dict[tuple[str, str, str, str, str, str], int] = {}
    approvals = 0
    for key, item in reviews.items.items():
        decision = reviews.decision(key)
        if decision is None or decision.text is None:
            continue
        approvals += 1
        learnt = _learnt(item.test, item.language, item.original, decision.text)
        if learnt:
            counts[learnt] = counts.get(learnt, 0) + 1
    entries = tuple(
        {
            "test": test,
            "language": language,
            "before": before,
            "after": after,
            "part": part,
            "form": form,
            "approved": count,
        }
        for (test, language, before, after, part, form), count in sorted(
            counts.items(), key=lambda one: (-one[1], one[0])
        )
    )
    return ReviewLexicon(approvals, digest(entries), entries)


def _learnt(test: str, language: str, original: str, text: str) -> tuple[str, str, str, str, str, str] | None:
    """(test, language, before, after, part, form) of the one word that gave way, or None.

    Articles and endings that only follow the new word are no replacement of their own.
    """
    if test not in STRESS_TESTS or STRESS_TESTS.get(test).family != "lexical":
        return None
    try:
        pack = pack_of(language)
    except UnknownName:
        return None
    small = set(pack.get("function_words"))
    edits = [word_edit for word_edit in word_edits(original, text) if not _follows(word_edit, small)]
    if len(edits) != 1:
        return None
    before, after = words_of(edits[0].before), words_of(edits[0].after)
    while before and after and before[0].lower in small and after[0].lower in small:
        before, after = before[1:], after[1:]  # l'indirizzo, il recapito
    if len(before) != 1 or not 0 < len(after) <= _LONGEST or before[0].lower in small:
        return None
    start = edits[0].start + before[0].start
    reading = reading_at(original, start, pack)
    word = edits[0].after[after[0].start : after[-1].end].lower()
    if reading is None or len(after) > 1:
        return test, language, before[0].lower, word, "", before[0].lower
    place = text.lower().find(word, max(0, start - len(before[0].text)))
    theirs = reading_at(text, place, pack) if place >= 0 else None
    if theirs is None or theirs[1] != reading[1]:
        return test, language, before[0].lower, word, "", before[0].lower
    return test, language, reading[0], theirs[0], reading[1], before[0].lower


def _follows(one: Edit, small: set[str]) -> bool:
    """True if an edit only changes articles and the like, or the ending of a word that agrees."""
    before, after = words_of(one.before), words_of(one.after)
    if len(before) != len(after):
        return False
    return all(
        {mine.lower, theirs.lower} <= small or (mine.lower[:-1] == theirs.lower[:-1] and len(mine.text) > 2)
        for mine, theirs in zip(before, after, strict=True)
    )


@dataclass
class FromLexicon:
    """An operator that proposes what people approved before, for one test and language, inflected."""

    test: str
    language: str
    entries: tuple[dict[str, Any], ...]
    needs: tuple[str, ...] = ()

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterable[Substitution]:
        for entry in self.entries:
            sure = min(0.99, 0.9 + entry["approved"] / 100)
            rule = f"approved before: {entry['before']} / {entry['after']}"
            for edits in self._edits(utterance.text, entry, pack):
                yield Substitution(edits, rule, sure)

    def _edits(self, text: str, entry: dict[str, Any], pack: LanguagePack) -> Iterable[tuple[Edit, ...]]:
        if entry.get("part"):
            yield from exchanged(text, entry["before"], entry["part"], entry["after"], pack)
            return
        mend = pack.get("agreement") if pack.has("agreement") else None
        for word in words_of(text):
            if word.lower == entry.get("form", entry["before"]):
                after = in_case_of(word.text, entry["after"])
                yield (
                    mend(text, word.start, word.end, after)
                    if mend
                    else (edit(text, word.start, word.end, after),)
                )

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no earlier approved replacement applies"


def lexicon_operators(known: ReviewLexicon) -> list[Operator]:
    """One operator for every test and language that the lexicon knows."""
    by: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for entry in known.entries:
        by.setdefault((entry["test"], entry["language"]), []).append(entry)
    operators: list[Operator] = []
    operators += [FromLexicon(test, language, tuple(entries)) for (test, language), entries in by.items()]
    return operators
