"""The page on how the bots converse says what the judged conversations say; every judgement has its turn."""

import sys
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from benchmarks.bot_conversations import (
    FOLDER,
    LABELS,
    PAGE,
    PERSONS,
    held,
    judged,
    read_judgements,
    read_transcripts,
    written,
)

from vivavoce_bots.catalogue import BOTS


def test_the_page_says_what_was_judged() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert written(page) == page
    assert page.count("| IA |") == sum(row["label"] == "IA" for row in judged()) > 0


def test_every_judgement_is_of_a_turn_that_was_held_and_says_why() -> None:
    turns = {(one["id"], at) for one in read_transcripts() for at in range(1, len(one["turns"]))}
    for place, row in read_judgements().items():
        assert place in turns
        assert row["label"] in LABELS and row["why"]


def test_four_kinds_of_people_talked_to_every_bot_in_both_languages_as_was_written_before() -> None:
    said = yaml.safe_load((FOLDER / "callers.yaml").read_text("utf-8"))
    held_ids = {one["id"]: [text for text, _ in one["turns"][1:]] for one in read_transcripts()}
    expected = {f"{bot}-{by}-{person}" for bot in BOTS for by in ("en", "it") for person in PERSONS}
    assert held_ids.keys() == expected
    for name, texts in held_ids.items():
        bot, language, person = name.split("-")
        assert texts == said[bot][language][person][: len(texts)]


def test_the_conversations_can_be_held_again() -> None:
    assert {one["id"] for one in held()} == {one["id"] for one in read_transcripts()}
