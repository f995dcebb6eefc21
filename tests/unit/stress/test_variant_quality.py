"""Utterances of domains never seen, what two passes said of their variants, and the page that tells it."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from benchmarks._stress_variants import (  # noqa: E402
    HALVES,
    TESTS,
    figures,
    read_labels,
    read_missed,
    read_utterances,
)
from benchmarks.stress_quality import VARIANTS_PAGE, variant_tables, written  # noqa: E402

from vivavoce_stress.base import Utterance  # noqa: E402
from vivavoce_stress.propose import propose  # noqa: E402


def test_no_domain_is_in_two_halves_and_each_language_has_ten() -> None:
    halves = (*HALVES, "development")
    domains = {half: {one["domain"] for one in read_utterances(half).values()} for half in halves}
    counts = {half: len(found) for half, found in domains.items()}
    assert counts == {half: {"blind-fourth": 20, "blind-fifth": 16}.get(half, 10) for half in halves}
    # others wrote the fourth and the fifth, who knew no other half
    shared = {"ferry", "tailor", "blood_donation", "florist", "plumber", "hairdresser"}
    assert len(set().union(*domains.values())) == sum(counts.values()) - len(shared)


def test_every_utterance_was_judged_in_every_test_once() -> None:
    for half in HALVES:
        judged = [(one.utterance["id"], one.test) for one in read_labels(half)]
        judged += [(said["id"], test) for said, test, _ in read_missed(half)]
        expected = [
            (key, test)
            for key, said in read_utterances(half).items()
            for test in TESTS
            if test != "ST-10" or "previous_system_turn" in said
        ]
        assert sorted(judged) == sorted(expected)


def test_what_a_pass_rejected_has_its_reason_and_nothing_else_has_one() -> None:
    for half in HALVES:
        assert [one for one in read_labels(half) if one.valid == bool(one.reason)] == []


def test_the_page_tells_the_judged_files() -> None:
    page = VARIANTS_PAGE.read_text(encoding="utf-8")
    assert written(page, variant_tables()) == page
    assert all(table in page for table in variant_tables().values())


def test_a_share_below_its_goal_is_told_as_missed() -> None:
    for half in HALVES:
        for cell in figures(half)["cells"]:
            for name, goal in (("valid", 0.95), ("applied", 0.8)):
                share = cell[name]["share"]
                assert cell[name]["reached"] == (None if share is None else share >= goal)


@pytest.mark.long
@pytest.mark.parametrize("half", HALVES)
def test_what_both_passes_accepted_is_still_proposed(half: str) -> None:
    lost = []
    for one in read_labels(half):
        said = one.utterance
        utterance = Utterance(
            text=said["utterance"], language=said["language"], previous=said.get("previous_system_turn")
        )
        made = [found.text for found in propose(utterance, [one.test], certainty=0).variants]
        if one.valid and one.variant not in made:
            lost.append((said["id"], one.test, one.variant))
    assert lost == []
