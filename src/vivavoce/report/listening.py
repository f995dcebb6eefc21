"""The section on listening tests: mean opinion scores, and preferences between conditions."""

from typing import Any

from vivavoce.report.blocks import Block, Bullets, Cell, Paragraph, Row, TableOfText
from vivavoce.report.content import heads
from vivavoce.report.language import say
from vivavoce.report.numbers import between, coefficient, count, plural

Facts = dict[str, Any]


def listening_blocks(facts: Facts | None) -> list[Block]:
    """Judgements of clips; [] where nobody gave any."""
    if facts is None:
        return []
    said = say(
        "{people} gave {judgements} of clips, each after it was heard to its end.",
        people=plural(facts["participants"], "participant"),
        judgements=plural(facts["judgements"], "judgement"),
    )
    blocks: list[Block] = [Paragraph(said)]
    if facts["opinions"]:
        blocks.append(_opinions(facts))
    if facts["pairs"]:
        blocks.append(_pairs(facts))
    if facts["left_out"]:
        out = say("{people} failed the hearing check and are left out.",
                  people=plural(facts["left_out"], "participant"))  # fmt: skip
        blocks.append(Bullets((out,)))
    return blocks


def _opinions(facts: Facts) -> TableOfText:
    rows = [
        Row(
            one["condition"],
            (
                Cell(coefficient(one["mean"]), (plural(one["participants"], "participant"),)),
                Cell(between(one["low"], one["high"], coefficient)), Cell(count(one["ratings"])),
                Cell(count(one["clips"])),
            ),
        )
        for one in facts["opinions"]
    ]  # fmt: skip
    columns = heads(
        say("Condition"), say("Mean opinion score"), say("95% interval"), say("Ratings"), say("Clips")
    )
    note = say("1 is bad, 5 is excellent. The interval is taken over participants, who rate many clips each.")
    signed = ((say("All ratings"), facts["signature"]),)
    return TableOfText("listening", say("Mean opinion scores"), columns, tuple(rows), note, signed)


def _pairs(facts: Facts) -> TableOfText:
    rows = [
        Row(
            f"{one['a']} – {one['b']}",
            (
                Cell(coefficient(one["share"]), (plural(one["participants"], "participant"),)),
                Cell(between(one["low"], one["high"], coefficient)), Cell(count(one["a_better"])),
                Cell(count(one["ties"])), Cell(count(one["b_better"])),
            ),
        )
        for one in facts["pairs"]
    ]  # fmt: skip
    columns = heads(
        say("Pair"), say("Share for the first"), say("95% interval"), say("First better"),
        say("No difference"), say("Second better"),
    )  # fmt: skip
    note = say("No difference counts half to each. The interval is taken over participants.")
    signed = ((say("All judgements"), facts["signature"]),)
    return TableOfText("clip-pairs", say("Which clip sounds better"), columns, tuple(rows), note, signed)
