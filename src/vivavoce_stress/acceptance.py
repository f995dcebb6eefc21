"""Share of a rule's variants that people accepted, and the share from which it is proposed by default.

The counts stand in `languages/acceptance.csv`, which `python -m benchmarks stress_acceptance --write` makes
of the judged utterances; a rule that nobody judged is thought to be like its test.
"""

import csv
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from typing import Any, Final, NamedTuple

from vivavoce_stress.language_file import FOLDER

ENOUGH: Final = 0.92
"""Lowest confidence at which 95% of the remaining variants were accepted in held-out data."""
_OWN: Final = 0.5  # a vote of who made the rules: they accept 93 %, strangers 74 %
_UNSURE: Final = 0.5  # a vote on a place where the rule itself was not certain
_STRENGTH: Final = 4.0  # votes that what lies above is worth: a rule's test, a word's kind
_BEGINNING: Final = 0.8  # of a test that nobody judged


class Votes(NamedTuple):
    """Reviewers' decisions on the variants of one rule.

    rule      empty for variants that no rule makes any more
    sure      whether the rule itself was certain of these places
    own       said by who made the rules, not by strangers to them
    accepted  how many variants every pass accepted; refused: how many not
    """

    test: str
    language: str
    rule: str
    sure: bool
    own: bool
    accepted: int
    refused: int


class Acceptance:
    """The share that people are expected to accept, by test, language and rule, learnt from votes."""

    def __init__(self, votes: Iterable[Votes]) -> None:
        self._accepted: defaultdict[tuple[str, ...], float] = defaultdict(float)
        self._judged: defaultdict[tuple[str, ...], float] = defaultdict(float)
        for rated in votes:
            vote = _OWN if rated.own else 1.0
            for level in _levels(rated.test, rated.language, rated.rule):
                weight = vote if rated.sure or len(level) == 2 else vote * _UNSURE
                self._accepted[level] += weight * rated.accepted
                self._judged[level] += weight * (rated.accepted + rated.refused)

    def expected(self, test: str, language: str, rule: str) -> float | None:
        """The expected share, 0 to 1: of a beta distribution about that of the rule's test, or word's kind.

        None where no variant of the test was judged in the language.
        """
        if (test, language) not in self._judged:
            return None
        share = _BEGINNING
        for level in _levels(test, language, rule):
            accepted, judged = self._accepted.get(level, 0.0), self._judged.get(level, 0.0)
            share = (accepted + _STRENGTH * share) / (judged + _STRENGTH)
        return share

    def is_enough(self, test: str, language: str, rule: str, threshold: float = ENOUGH) -> bool:
        """True if a variant of this rule is proposed by default."""
        share = self.expected(test, language, rule)
        return share is None or share >= threshold


def _levels(test: str, language: str, rule: str) -> list[tuple[str, ...]]:
    """From the test down to the rule; words stand below their kind, of which a test has one."""
    if not rule:
        return [(test, language)]
    if test == "ST-5" or ": " in rule:
        return [(test, language), (test, language, ""), (test, language, rule)]
    return [(test, language), (test, language, rule)]


def read_votes() -> list[Votes]:
    with (FOLDER / "acceptance.csv").open(encoding="utf-8", newline="") as file:
        return [_votes(row) for row in csv.DictReader(file)]


def _votes(row: dict[str, Any]) -> Votes:
    return Votes(
        row["test"],
        row["language"],
        row["rule"],
        row["sure"] == "yes",
        row["own"] == "yes",
        int(row["accepted"]),
        int(row["refused"]),
    )


@cache
def acceptance() -> Acceptance:
    """As people judged up to now."""
    return Acceptance(read_votes())
