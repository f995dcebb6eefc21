"""What reports on stress tests share: names of tests, and two transcripts side by side."""

import json
import re
from typing import Any, Final

from vivavoce.core.i18n import N_
from vivavoce.report.blocks import Cell, Row, TableOfText
from vivavoce.report.content import heads
from vivavoce.report.language import say
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
REASONS: Final = (
    N_("{k} of {n} replays passed; {reason}"),
    N_("the task's goal was reached with the original, not with the variant"),
    N_("the system asked again before the goal was reached"),
    N_("the user needed {more} more turn to reach the goal"),
    N_("the user needed {more} more turns to reach the goal"),
    N_("the system understood or did something else: {difference}"),
    N_("the system asked again, then went on alike: {difference}"),
    N_("the system asked again, and the end was another: {difference}"),
    N_("the system gave no answer: {failure}"),
)


def title_of(one: Facts) -> str:
    """What a test, or a family of tests, is called; its name where nobody says more."""
    name = one["name"]
    return say(one.get("title") or EARLIER.get(name) or FAMILIES.get(name) or name)


def side_by_side(number: int, one: Facts) -> TableOfText:
    """The two transcripts beside each other, turn by turn."""
    clean, variant = _turns(one["clean_transcript"]), _turns(one["transcript"])
    rows = []
    for place in range(max(len(clean), len(variant))):
        pair = [side[place] if place < len(side) else None for side in (clean, variant)]
        party = next((turn["party"] for turn in pair if turn), "system")
        rows.append(Row(say("User") if party == "user" else say("System"), tuple(map(_said, pair))))
    caption = f"{number}. {one['test']}, {say(one['verdict'])}: {reason_told(one['reason'])}"
    columns = heads(say("Turn"), say("With the original"), say("With the variant"))
    note = say(
        "Substitution: {rule}. Decided by: {rung}.", rule=one["rule"] or MISSING, rung=_rung(one["rung"])
    )
    return TableOfText(f"stress_{number}", caption, columns, tuple(rows), note, numeric=False)


def reason_told(reason: str) -> str:
    """Why a variant did not pass; datasets keep it as an English sentence, of which `REASONS` are known."""
    for template in REASONS:
        expression = re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(template))
        if match := re.fullmatch(expression, reason, re.DOTALL):
            return say(template, **{name: reason_told(text) for name, text in match.groupdict().items()})
    return say(reason)


def _rung(rung: str | None) -> str:
    return say((rung or MISSING).replace("_", " "))


def _said(turn: Facts | None) -> Cell:
    return Cell(MISSING if turn is None else turn["text"], strong=bool(turn and turn["injected"]), words=True)


def _turns(written: str | None) -> list[Facts]:
    return json.loads(written) if written else []
