"""A stress test, a variant of an utterance, and what makes variants: operators over language packs."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, Literal, Protocol

from vivavoce.core.registry import Registry

Family = Literal["spelling", "lexical", "syntactic"]
Approval = Literal["none", "review", "choice"]
ANY_LANGUAGE: Final = "*"
NOT_PROPOSED: Final = "no variant was put before a person: vivavoce stress review"
NOT_REVIEWED: Final = "its variants wait for a person's review"
REJECTED: Final = "people rejected all variants"
UNCERTAIN: Final = "no candidate was certain"  # some were made, and withheld
NONE_PROPOSED: Final = "no variant of it was proposed"  # though the test fits others of the run
QUEUED: Final = "variants of it were proposed before"
ASKED: Final = "variants of the same words were proposed in another interaction"
TOLD_BEFORE: Final = "its requests only repeat what the system was told before"
TRIED: Final = "its variants are tried in other interactions"
ANOTHER: Final = "its interaction is tried with another variant"
AS_PROPOSED: Final = "its interaction is left to the tests that run as proposed"
NOT_DRAWN: Final = "its interaction was not drawn"
LEFT_OUT: Final = frozenset(
    {
        NOT_PROPOSED,
        NOT_REVIEWED,
        REJECTED,
        NONE_PROPOSED,
        QUEUED,
        ASKED,
        TRIED,
        ANOTHER,
        AS_PROPOSED,
        NOT_DRAWN,
    }
)  # a test has no case for these, but for no lack of a place for it
_DIGITS: Final = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class StressTest:
    """One linguistic phenomenon under which a system is observed.

    name      as its entry point says it, such as ST-1
    channels  in which it can be applied; character replacement is nothing that can be heard
    needs     beside the utterance itself: `previous_system_turn`
    keeps     what a good variant leaves as it was, so that the original's outcome is the yardstick
    approval  none: variants may run as proposed; review: a person looks at each; choice: picks one of several
    nonword   what a variant puts in is no word: a misspelling
    certainty below this confidence a proposal is no variant unless somebody asks for it
    operators what makes its variants, in any number of languages
    """

    name: str
    title: str
    family: Family
    meaning: str
    channels: tuple[str, ...] = ("text", "voice")
    needs: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ("goal", "values", "dialogue_act")
    approval: Approval = "review"
    nonword: bool = False
    certainty: float = 0.0
    source: str
    operators: "tuple[Operator, ...]" = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """A user's utterance and its context.

    previous   the system turn before it, where there was one
    protected  character spans (start, end) that no edit may touch: names, slot values
    """

    text: str
    language: str
    previous: str | None = None
    protected: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Edit:
    """Characters start to end of the original, `before`, become `after`; an insertion has start == end."""

    start: int
    end: int
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One utterance with one substitution.

    rule             what was done, in words that a reviewer understands: `double consonant written once`
    confidence       0 to 1: how likely a linguist accepts it; orders proposals, and decides whether they are
                     certain enough to be made
    edits            sorted and disjoint; applied to `original` they give `text` exactly
    resources        package and version of whatever had a say in it
    keeps_invariant  what it leaves as it was: the test's `keeps`, less where an operator knows better
    """

    test: str
    language: str
    original: str
    text: str
    rule: str
    confidence: float
    edits: tuple[Edit, ...]
    resources: Mapping[str, str] = field(default_factory=dict)
    keeps_invariant: tuple[str, ...] = ()

    def facts(self) -> dict[str, Any]:
        """Facts to show and store."""
        return {
            "test": self.test,
            "text": self.text,
            "rule": self.rule,
            "confidence": self.confidence,
            "edits": [
                {"start": edit.start, "end": edit.end, "before": edit.before, "after": edit.after}
                for edit in self.edits
            ],
            "resources": dict(self.resources),
            "keeps_invariant": list(self.keeps_invariant),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class NotApplicable:
    """Reason why a test has no variant of an utterance: `no word has an accent or an apostrophe`."""

    test: str
    language: str
    reason: str


@dataclass(frozen=True, slots=True)
class Substitution:
    """Edits that an operator proposes and their rule; filters and checks make them a Variant.

    resources  names of the packages that had a say in it
    nonword    every word that it puts in must be none: a misspelling
    """

    edits: tuple[Edit, ...]
    rule: str
    confidence: float
    resources: tuple[str, ...] = ()
    nonword: bool = False


class LanguagePack(Protocol):
    """Resources of one language.

    A pack offers a capability by having it; `lacks` says in words why it does not, so that the tests
    that need it are reported as not applicable instead of failing.
    """

    language: str

    def has(self, capability: str) -> bool:
        """True if operators may use this capability."""
        ...

    def lacks(self, capability: str) -> str:
        """Reason why it may not be used, and what to install."""
        ...

    def get(self, capability: str) -> Any:
        """The capability itself, made on first use."""
        ...


class Operator(Protocol):
    """Proposes substitutions of one test in one language; pure: same utterance, pack, seed: same proposals.

    language  `*` for one that works with whatever pack has its needs
    needs     capabilities of the language pack without which it says nothing
    """

    test: str
    language: str
    needs: tuple[str, ...]

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterable[Substitution]:
        """Substitutions in any order; nothing where the utterance offers no place for one."""
        ...

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        """Reason for no proposal: what an utterance needs."""
        ...


class Ranker(Protocol):
    """Says how likely a linguist accepts variants that every rule let through; it proposes nothing itself.

    A masked language model, a sentence encoder or a language model of the user's.

    tests      those whose variants it is asked about
    resources  names of the packages behind it, which the variants then name
    """

    tests: tuple[str, ...]
    resources: tuple[str, ...]

    def rank(self, utterance: Utterance, variants: Sequence[Variant]) -> Sequence[float | None]:
        """The confidence of each variant, 0 to 1, in their order; None leaves that of the rules."""
        ...


def apply(text: str, edits: Sequence[Edit]) -> str:
    """The text with these edits made; they are sorted and disjoint."""
    parts: list[str] = []
    done = 0
    for edit in edits:
        parts += [text[done : edit.start], edit.after]
        done = edit.end
    return "".join([*parts, text[done:]])


STRESS_TESTS: Final[Registry[StressTest]] = Registry("stress test", StressTest)
LANGUAGES: Final[Registry[LanguagePack]] = Registry("language pack")


def stress_tests() -> list[StressTest]:
    """All that are offered, ST-2 before ST-10."""
    names = sorted(STRESS_TESTS.names(), key=lambda name: [part.zfill(9) for part in _DIGITS.split(name)])
    return [STRESS_TESTS.get(name) for name in names]


TestState = Literal["tried", "waits", "rejected", "not_admitted", "withheld", "nothing_fits"]


def state_of(one: Mapping[str, Any]) -> TestState:
    """`tried`, or the reason why a test was not tried, by its figures.

    tried         a case of it was held behind an original that passed, or is still open
    waits         there are variants that a person must yet approve, or nobody had any proposed
    not_admitted  no original of its cases passed
    rejected      people rejected every variant that was proposed
    withheld      variants could be made, but people accepted too few of their like, or none was certain
    nothing_fits  no utterance offered a place for a variant
    """
    if one["applied"] or one["open"]:
        return "tried"
    if awaiting(one):
        return "waits"
    if one["not_admitted"]:
        return "not_admitted"
    if one["why_left_out"].get(REJECTED):
        return "rejected"
    return "withheld" if one["why_not_applicable"].get(UNCERTAIN) else "nothing_fits"


def awaiting(one: Mapping[str, Any]) -> int:
    """Interactions at which a test had no variant because none was proposed, or none reviewed, as yet."""
    why = one["why_left_out"]
    return why.get(NOT_PROPOSED, 0) + why.get(NOT_REVIEWED, 0)
