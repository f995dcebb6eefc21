"""What is heard of an utterance: its words, the phrases in it, what it does, and what nothing explains."""

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from vivavoce_bots.dialogue.clauses import clauses_of, threatens
from vivavoce_bots.dialogue.speech import COURTESIES, is_question, speech, without_tag
from vivavoce_bots.dialogue.spotting import LONGEST_TEXT, Entry, Span, Spotter, Wholes, breaks, tokens

_FEWEST_REST: Final = 2
_MOST_BEHIND: Final = 4
_REACH: Final = 4  # words that a `not` reaches over
_ARTICLES: Final = (
    "a",
    "an",
    "the",
    "my",
    "his",
    "her",
    "our",
    "their",
    "un",
    "una",
    "uno",
    "di",
    "d'",
    "il",
    "la",
)
_LEAVES: Final = re.compile(r"hang|leav|off$|attacc|chiud|vado|here$")
"""Words of who leaves without a greeting, which may be a threat."""
UNSURE: Final = ("help", "dontknow", "suggest", "options", "dontcare")
ASIDES: Final = frozenset(
    (
        "hello",
        "ciao",
        "praise",
        "howareyou",
        "whoareyou",
        "insult",
        "complaint",
        "dear",
        "sorry",
        "chat",
        "service",
        "thankyou",
        "options",
        "not",
    )
)
"""What sentences do that stand beside the matter."""
QUIET: Final = ("hello", "ciao", "chat", "praise", "thankyou", "service", "sorry", "options", "not")
"""Asides that want no answer beside the matter."""
_MOVES: Final = (
    *COURTESIES,
    *UNSURE,
    "bye",
    "done",
    "cancel",
    "affirm",
    "negate",
    "repeat",
    "reqalts",
    "restart",
    "undo",
    "ciao",
    "wrong",
)


class Heard(NamedTuple):
    """An utterance: its words, the phrases in it, what it does, and the words that none of these explains."""

    text: str
    said: list[str]
    spans: list[Span]
    kinds: tuple[str, ...]
    rest: list[str]

    def did(self, *kinds: str) -> bool:
        return any(kind in self.kinds for kind in kinds)

    def all(self, kind: str) -> list[Entry]:
        """The phrases of a kind in their order."""
        return [span.entry for span in self.spans if span.entry.kind == kind]

    def all_spans(self, kind: str) -> list[Span]:
        """The places of a kind of phrases in their order."""
        return [span for span in self.spans if span.entry.kind == kind]

    def refused(self, kind: str) -> list[Span]:
        """The phrases of a kind that are not wanted: each `not` reaches the next one, a few words on."""
        found: list[Span] = []
        begins = breaks(self.text)
        for denial in (span for span in self.spans if span.entry.kind == "not"):
            ends = min((at for at in begins if at >= denial.end), default=denial.end + _REACH)
            near = range(denial.end, min(ends, denial.end + _REACH))
            found += [span for span in self.spans if span.entry.kind == kind and span.start in near][:1]
        return found


class Hearing:
    """What people say in one language: what holds for every bot, and the phrases of this one."""

    def __init__(self, language: str, learn: Callable[[Spotter, str], None] | None = None) -> None:
        known = speech(language)
        self.language, self._spotter = language, Spotter()
        for kind in ("not", "options", "dontcare"):
            for phrase in known.cues[kind]:
                self._spotter.learn(phrase, Entry(kind))
        for kind, phrases in known.moves.items():
            for phrase in phrases:
                self._spotter.learn(phrase, Entry(kind))
        if learn is not None:
            learn(self._spotter, language)
        self._wholes = Wholes(known.alone, known.fillers)
        self.small = {word for phrase in (*known.small, *known.fillers) for word in tokens(phrase)}

    def learn(self, phrase: str, kind: str) -> None:
        """One more phrase, unless it means something already."""
        self._spotter.learn(phrase, Entry(kind), taken_by=("errand", "value"))

    def find(self, text: str) -> tuple[list[str], list[Span]]:
        """The words of a text and the phrases in it."""
        said = tokens(text)
        return said, self._spotter.find(text, said)

    def heard(self, text: str) -> Heard:
        text = without_tag(text[:LONGEST_TEXT], self.language)
        said, spans = self.find(text)
        whole = self._wholes.kind(said)
        if text.rstrip().endswith("?"):  # is that all?
            whole = None if whole == "done" else whole
            spans = [span for span in spans if span.entry.kind != "done"]
        covered = {at for span in spans for at in range(span.start, span.end)}
        rest = [word for at, word in enumerate(said) if at not in covered and word not in self.small]
        if rest:  # `which` and `have you` ask what there is only where nothing else is said
            spans = [span for span in spans if span.entry.kind != "options"]
        if text.rstrip().endswith("?"):  # what somebody asks is no small talk
            spans = [span for span in spans if span.entry.kind not in ("chat", "thankyou")]
        begins = breaks(text) if any(span.entry.kind in ("complaint", "insult") for span in spans) else ()
        scolds = [span for span in spans if span.entry.kind in ("complaint", "insult")]
        apart = [one for one in scolds if any(one.start < at < one.end for at in begins)]  # no, one is fine
        spans = [span for span in spans if span not in apart]
        spans = [span for span in spans if span.entry.kind != "bye" or not names_something(text, said, span)]
        spans = [_as_meant(text, said, span) for span in spans]
        kinds = [span.entry.kind for span in spans]
        ends = whole in ("done", "bye") and not text.rstrip().endswith("?")
        if whole is not None and (ends or all(kind in ("not", "dontcare", *_MOVES) for kind in kinds)):
            spans, kinds, rest = [Span(0, len(said), Entry(whole))], [whole, "whole"], []
        return Heard(text, said, spans, tuple(dict.fromkeys(kinds)), rest)


def names_something(text: str, said: Sequence[str], span: Span) -> bool:
    """Whether a phrase is the name of a thing, and does nothing: a farewell dinner, una festa d'addio."""
    words = r"\W+".join(map(re.escape, said[span.start : span.end]))
    return (
        re.search(rf"\b(?:{'|'.join(_ARTICLES)})(?:\s|(?<='))+(?:\w+\s+)?{words}\b", text, re.I) is not None
    )


def _as_meant(text: str, said: Sequence[str], span: Span) -> Span:
    """A goodbye that only threatens is a scolding: `a name now, or I hang up`."""
    if span.entry.kind != "bye" or not is_threat(text, said, span):
        return span
    return span._replace(entry=Entry("insult"))


def is_threat(text: str, said: Sequence[str], span: Span) -> bool:
    """Whether a phrase of goodbye only threatens."""
    words = r"\W*".join(map(re.escape, said[span.start : span.end]))
    found = re.search(rf"\b{words}\b", text, re.I)
    return found is not None and _LEAVES.search(words) is not None and threatens(text[: found.start()])


def leaves_behind(heard: Heard) -> bool:
    """Whether a goodbye ends the utterance."""
    last = heard.spans[-1] if heard.spans else None
    if last is None or last.entry.kind not in ("bye", "ciao"):
        return False
    behind = len(heard.said) - last.end  # hm, ciao, are you the cook?
    return last.entry.kind == "bye" or (last.start > 0 and behind <= _MOST_BEHIND)


def only_complains(heard: Heard, hearing: Hearing, about: Callable[[Heard], bool]) -> bool:
    """Whether an utterance complains, and no clause of it besides is about the matter."""
    if not heard.did("complaint") or is_question(heard.text, hearing.language):
        return False
    clauses = map(hearing.heard, clauses_of(heard.text))
    return not any(about(clause) for clause in clauses if not clause.did("complaint"))


def only_no(heard: Heard) -> bool:
    """Whether an utterance says no and hardly more: `no, I said my daughter` goes on."""
    return heard.did("negate") and len(heard.rest) < _FEWEST_REST
