"""The page on how the bots converse says what the judged conversations say; every judgement has its turn."""

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from benchmarks.bot_conversations import (
    LABELS,
    PAGE,
    PERSONS,
    ROUNDS,
    hold,
    judged,
    read_judgements,
    read_transcripts,
    written,
)

from vivavoce_bots.catalogue import BOTS


def test_the_page_says_what_was_judged() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert written(page) == page
    for round_ in ROUNDS:
        assert f"<!-- appropriate-{round_}:" in page and f"<!-- failed-{round_}:" in page
    failed = sum(not row["all"] for round_ in ROUNDS for row in judged(round_))
    rows = re.findall(rf"\| (?:(?:{'|'.join(LABELS)})(?:; )?)+ \|", page)
    assert len(rows) == failed > 0


@pytest.mark.parametrize("round_", ROUNDS)
def test_every_judgement_is_of_a_turn_that_was_held_and_says_why(round_: str) -> None:
    turns = {(one["id"], at) for one in read_transcripts(round_) for at in range(1, len(one["turns"]))}
    judges = read_judgements(round_)
    assert judges
    for faults in judges.values():
        for place, row in faults.items():
            assert place in turns
            assert row["label"] in LABELS and row["why"]


@pytest.mark.parametrize("round_", ROUNDS)
def test_four_kinds_of_people_talked_to_every_bot_in_both_languages(round_: str) -> None:
    expected = {f"{bot}-{by}-{person}" for bot in BOTS for by in ("en", "it") for person in PERSONS}
    assert {one["id"].rstrip("0123456789") for one in read_transcripts(round_)} == expected


@pytest.mark.parametrize(
    "round_", [pytest.param(one, marks=() if one == "tenth" else pytest.mark.long) for one in ROUNDS]
)
def test_the_conversations_can_be_held_again(round_: str) -> None:
    assert {one["id"] for one in hold(round_)} == {one["id"] for one in read_transcripts(round_)}
