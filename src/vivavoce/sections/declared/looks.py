"""The looks that a declared stopping rule took at the results while the trial ran."""

from typing import Any, Final

from vivavoce.measures import MEASURES
from vivavoce.report.blocks import Block, Cell, Row, TableOfText
from vivavoce.report.content import heads
from vivavoce.report.language import say
from vivavoce.report.numbers import amount, count, difference, differences

Row_ = dict[str, Any]  # of the table `looks`
ANYTIME: Final = "anytime"


def looks_blocks(looks: list[Row_]) -> list[Block]:
    """One row for each look and pair, as they were seen then; nothing where no look was taken."""
    if not looks:
        return []
    name = say("Evidence (e-value)") if looks[0]["rule"] == ANYTIME else "|z|"
    return [
        TableOfText(
            "looks",
            say("Looks of the stopping rule"),
            heads(
                say("Compared"), say("Participants"), say("Difference"), say("Interval"), name, say("Needed"),
                say("Verdict"),
            ),
            tuple(map(_row, looks)),
            say(
                "What was seen at each look, with the data of that moment. The interval holds at all looks "
                "together; the rule pauses the trial when what is needed is reached, or when going on is "
                "idle."
            ),
        )
    ]  # fmt: skip


def _row(look: Row_) -> Row:
    unit = MEASURES.get(look["measure"]).unit if look["measure"] in MEASURES else ""
    number = count(look["look_number"])
    planned = look["looks_planned"]
    at = (
        say("Look {number} of {planned}", number=number, planned=count(planned))
        if planned
        else say("Decided at participant {number}", number=number)
    )
    verdicts = {
        None: say("go on"), "effect": say("they differ"), "equal": say("no relevant difference"),
        "futility": say("going on is idle"), "end": say("the planned end"),
    }  # fmt: skip
    verdict = look["verdict"]
    return Row(
        f"{look['a']} \u2013 {look['b']}",
        (
            Cell(count(look["participants"])),
            Cell(difference(look["difference"], unit)),
            Cell(differences(look["low"], look["high"], unit)),
            Cell(amount(look["statistic"], "")),
            Cell(amount(look["bar"], "")),
            Cell(verdicts.get(verdict) or str(verdict), words=True),
        ),
        group=at,
    )
