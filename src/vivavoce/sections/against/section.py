"""The new version against the last one: is it no worse, the same, better?"""

from typing import Final

from vivavoce.measures import MEASURES
from vivavoce.report.blocks import Block, Bullets, Cell, Paragraph, Row, TableOfText
from vivavoce.report.content import heads, title
from vivavoce.report.language import say, stated
from vivavoce.report.material import Material
from vivavoce.report.numbers import (
    MISSING,
    amount,
    between,
    count,
    difference,
    differences,
    label,
    p_value,
    percent,
    plural,
    points,
)
from vivavoce.report.section import Front, LeadingSection
from vivavoce.stats.releases import MARGIN, RATES, MarginTest, ReleaseComparison, ReleaseRow, against

SIGNIFICANT: Final = 0.05


def against_blocks(found: ReleaseComparison) -> list[Block]:
    """The new version minus the last one: a sentence on each rate, then the table."""
    whole = [row for row in found.rows if row.key is None]
    margin = points(found.margin).lstrip("+")
    said = [verdict for row in whole if (verdict := release_verdict(row, margin))]
    tested = max((row.tested for row in whole), default=0)
    if tested > 1:
        said.append(
            say(
                "These statements rest on p adjusted after Holm over {n} rates, for differences, for no "
                "worse and for the same each by itself.", n=tested,
            )
        )  # fmt: skip
    return [
        Paragraph(
            say(
                "This dataset ({new}, {new_dialogues}) minus dataset {old} ({old_study}, {old_dialogues}).",
                new=found.new.data, new_dialogues=plural(found.new.dialogues, "dialogue"),
                old=found.old.data, old_study=found.old.study,
                old_dialogues=plural(found.old.dialogues, "dialogue"),
            )
        ),
        Bullets(tuple(said)),
        _table(found, margin),
    ]  # fmt: skip


def _table(found: ReleaseComparison, margin: str) -> TableOfText:
    return TableOfText(
        "against",
        say("Differences from the last version"),
        (
            *heads(say("Measure"), say("This one"), say("The last one")),
            Cell(say("Difference"), (say("95% interval"),)), *heads("p (Holm)"),
            Cell(say("90% interval")),
            Cell(say("No worse by {margin} points", margin=margin), ("p (Holm)",)),
            Cell(say("The same within {margin} points", margin=margin), ("p (Holm)",)),
        ),
        tuple(_release_row(row) for row in found.rows),
        say(
            "Participants are the unit (t), those of the two datasets taken as different people. No worse: "
            "one test that the rate did not get worse by the margin or more. The same: two such tests, one a "
            "side. The 90% interval shows both: it lies above the margin's loss, or within the margin on "
            "both sides. Each p is adjusted after Holm over the rates of all dialogues, and apart from them "
            "over those of all groups; under it the p before. A margin counts only if it was named before "
            "the data."
        ),
        tuple((title(row.measure), row.signature) for row in found.rows if row.key is None),
    )  # fmt: skip


def release_verdict(row: ReleaseRow, margin: str) -> str:
    """One sentence on a rate, with the interval that decides it; empty for measures that are none."""
    if row.p_holm is None:
        return _unvaried(row) if row.measure in RATES else ""
    facts = {"measure": title(row.measure), "points": points(row.difference), "margin": margin}
    narrow = between(row.low_90, row.high_90, points)
    if row.p_holm < SIGNIFICANT:
        facts["interval"] = between(row.low, row.high, points)
        if (row.difference > 0) == (MEASURES.get(row.measure).direction != "lower"):
            return say("{measure} got better: {points} points (95% interval {interval}).", **facts)
        if row.no_worse.shown:
            return say(
                "{measure} got worse, by less than {margin} points: {points} (95% interval {interval}).",
                **facts,
            )
        return say("{measure} got worse: {points} points (95% interval {interval}).", **facts)
    facts["interval"] = narrow
    if row.equivalent.shown:
        return say(
            "{measure} stayed the same within {margin} points: {points} (90% interval {interval}).", **facts
        )
    if row.no_worse.shown:
        return say(
            "{measure} is no worse by {margin} points or more: {points} (90% interval {interval}).", **facts
        )
    return say(
        "{measure}: neither a difference nor that it is no worse by {margin} points can be shown: {points} "
        "(90% interval {interval}).",
        **facts,
    )  # fmt: skip


def _unvaried(row: ReleaseRow) -> str:
    return say(
        "{measure}: {new} now and {old} before; no participant differs from another, so nothing can be "
        "tested.", measure=title(row.measure), new=percent(row.new), old=percent(row.old),
    )  # fmt: skip


def _release_row(row: ReleaseRow) -> Row:
    unit = row.unit
    return Row(
        title(row.measure),
        (
            Cell(amount(row.new, unit), (say("n = {n}", n=count(row.new_n)),)),
            Cell(amount(row.old, unit), (say("n = {n}", n=count(row.old_n)),)),
            Cell(difference(row.difference, unit),
                 (differences(row.low, row.high, unit),)),
            Cell(p_value(row.p_holm), (p_value(row.p),),
                 strong=row.p_holm is not None and row.p_holm < SIGNIFICANT),
            Cell(between(row.low_90, row.high_90, points)),
            *map(_decided, (row.no_worse, row.equivalent)),
        ),
        group=say("all") if row.key is None else label(row.key),
    )  # fmt: skip


def _decided(one: MarginTest) -> Cell:
    if one.p is None:
        return Cell(MISSING)
    return Cell(p_value(one.p_holm), (p_value(one.p),), strong=bool(one.shown))


class AgainstSection(LeadingSection[ReleaseComparison]):
    """Only where a dataset of the last version is given."""

    name = "against"
    order = 900
    title = "Against the last version"
    needs = ("dialogues",)

    def results(self, material: Material) -> ReleaseComparison | None:
        options, declared = material.options, material.declared
        if options.against is None:
            return None
        margin = options.margin
        if margin is None:
            margin = (declared.analysis.margin if declared else None) or MARGIN
        return against(material.dataset, options.against, by=material.by, margin=margin)

    def blocks(self, results: ReleaseComparison) -> list[Block]:
        return against_blocks(results)

    def front(self, results: ReleaseComparison) -> Front:
        return Front(before=tuple(map(stated, results.doubts)))
