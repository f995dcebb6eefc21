"""Rules whose variants people refuse propose nothing unasked; what somebody's own means make is theirs."""

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from benchmarks import stress_acceptance  # noqa: E402

from vivavoce_stress.acceptance import Acceptance, Votes, read_votes  # noqa: E402
from vivavoce_stress.base import Edit, LanguagePack, Substitution, Utterance  # noqa: E402
from vivavoce_stress.propose import UNCERTAIN, propose  # noqa: E402


class RareWord:
    """A rule of somebody's own."""

    test, language = "ST-5", "en"
    needs: tuple[str, ...] = ()

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        yield Substitution((Edit(0, 6, "Cancel", "Rescind"),), "rescind for cancel", 0.9)

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return ""


class Liking:
    """A ranker that likes everything, or says nothing."""

    tests = ("ST-7",)
    resources: tuple[str, ...] = ()

    def __init__(self, says: float | None) -> None:
        self.says = says

    def rank(self, utterance: Utterance, variants: list[object]) -> list[float | None]:
        return [self.says] * len(variants)


def test_a_day_told_by_its_neighbour_waits_until_somebody_asks_for_it() -> None:
    said = Utterance(text="Are you open on Friday?", language="en")
    found = propose(said, ["ST-7"])
    assert found.variants == () and [one.reason for one in found.not_applicable] == [UNCERTAIN]
    assert "Are you open on the day before Saturday?" in [
        one.text for one in propose(said, ["ST-7"], certainty=0.8).variants
    ]


def test_what_nearly_all_accepted_is_proposed() -> None:
    said = Utterance(text="Cancel my booking", language="en")
    assert [one.text for one in propose(said, ["ST-6"], limit=1).variants] == ["Kindly cancel my booking"]


def test_a_rule_of_ones_own_is_asked_for_no_votes() -> None:
    found = propose(Utterance(text="Cancel my booking", language="en"), ["ST-5"], operators=[RareWord()])
    assert [one.text for one in found.variants] == ["Rescind my booking"]


@pytest.mark.parametrize(("says", "proposed"), [(0.99, True), (None, False)])
def test_what_a_ranker_looked_at_is_its_own_to_decide(says: float | None, proposed: bool) -> None:
    said = Utterance(text="Are you open on Friday?", language="en")
    assert bool(propose(said, ["ST-7"], rankers=[Liking(says)]).variants) is proposed


def test_strangers_count_twice_and_few_votes_move_little() -> None:
    def expected(*votes: tuple[bool, int, int]) -> float:
        rows = [Votes("ST-8", "it", "a rule", True, own, yes, no) for own, yes, no in votes]
        found = Acceptance(rows).expected("ST-8", "it", "a rule")
        assert found is not None
        return found

    # by hand: (0.8 * 4 + 1) / 5 for the test, then the same from there
    assert expected((False, 1, 0)) == pytest.approx((0.84 * 4 + 1) / 5)
    assert expected((True, 2, 0)) == pytest.approx(expected((False, 1, 0)))
    assert expected((False, 0, 1)) < expected((True, 0, 1)) < 0.8 < expected((True, 1, 0))
    assert Acceptance([]).is_enough("ST-8", "it", "a rule")


@pytest.mark.long
def test_votes_are_those_of_the_judged_files() -> None:
    assert read_votes() == stress_acceptance.count_votes()
