"""What reports on stress tests share: names of tests, and two transcripts side by side."""

import json
from typing import Any, Final

from vivavoce.report.blocks import Cell, Row, TableOfText
from vivavoce.report.content import heads
from vivavoce.report.language import say, translated
from vivavoce.report.numbers import MISSING

Facts = dict[str, Any]
FAMILIES: Final = {"spelling": "Spelling", "lexical": "Words", "syntactic": "Syntax"}
EARLIER: Final = {  # of the tests of IDIAL, where a dataset was written without titles
    "ST-1": "Confused words",
    "ST-2": "Misspelled words",
    "ST-3": "Character replacement",
    "ST-4": "Character swapping",
    "ST-5": "Less frequent synonyms",
    "ST-6": "Synonyms of a register or region",
    "ST-7": "Coreference",
    "ST-8": "Active and passive",
    "ST-9": "Order of nouns and adjectives",
    "ST-10": "Anaphora",
    "ST-11": "Order of verbal modifiers",
}


def title_of(one: Facts) -> str:
    """What a test, or a family of tests, is called; its name where nobody says more."""
    name = one["name"]
    return translated(one.get("title") or EARLIER.get(name) or FAMILIES.get(name) or name)


def side_by_side(number: int, one: Facts) -> TableOfText:
    """The two transcripts beside each other, turn by turn."""
    clean, variant = _turns(one["clean_transcript"]), _turns(one["transcript"])
    rows = []
    for place in range(max(len(clean), len(variant))):
        pair = [side[place] if place < len(side) else None for side in (clean, variant)]
        party = next((turn["party"] for turn in pair if turn), "system")
        rows.append(Row(say("User") if party == "user" else say("System"), tuple(map(_said, pair))))
    caption = f"{number}. {one['test']}, {translated(one['verdict'])}: {translated(one['reason'])}"
    columns = heads(say("Turn"), say("With the original"), say("With the variant"))
    note = say(
        "Substitution: {rule}. Decided by: {rung}.", rule=one["rule"] or MISSING, rung=_rung(one["rung"])
    )
    return TableOfText(f"stress_{number}", caption, columns, tuple(rows), note, numeric=False)


def _rung(rung: str | None) -> str:
    return translated((rung or MISSING).replace("_", " "))


def _said(turn: Facts | None) -> Cell:
    return Cell(MISSING if turn is None else turn["text"], strong=bool(turn and turn["injected"]), words=True)


def _turns(written: str | None) -> list[Facts]:
    return json.loads(written) if written else []
