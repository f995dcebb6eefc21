"""The new version against the last one: is it no worse, the same, better?"""

from typing import Final

from vivavoce.analysis.releases import MARGIN, RATES, MarginTest, ReleaseComparison, ReleaseRow, against
from vivavoce.measures import MEASURES
from vivavoce.reports.blocks import Block, Bullets, Cell, Paragraph, Row, TableOfText
from vivavoce.reports.language import (
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
    say,
    stated,
)
from vivavoce.reports.rate_tables import heads, title
from vivavoce.reports.section import AnalysisContext, LeadingSection, ReportSummary

SIGNIFICANT: Final = 0.05


def against_blocks(comparison: ReleaseComparison) -> list[Block]:
    """The new version minus the last one: a sentence on each rate, then the table."""
    overall = [row for row in comparison.rows if row.key is None]
    margin = points(comparison.margin).lstrip("+")
    sentences = [verdict for row in overall if (verdict := release_verdict(row, margin))]
    tested = max((row.tested for row in overall), default=0)
    if tested > 1:
        sentences.append(
            say(
                "Based on adjusted p (Holm) over {n} rates, separately for difference, non-inferiority and "
                "equivalence.",
                n=tested,
            )
        )
    return [
        Paragraph(
            say(
                "This dataset ({new}, {new_dialogues}) minus dataset {old} ({old_study}, {old_dialogues}).",
                new=comparison.new.data,
                new_dialogues=plural(comparison.new.dialogues, "dialogue"),
                old=comparison.old.data,
                old_study=comparison.old.study,
                old_dialogues=plural(comparison.old.dialogues, "dialogue"),
            )
        ),
        Bullets(tuple(sentences)),
        _table(comparison, margin),
    ]


def _table(comparison: ReleaseComparison, margin: str) -> TableOfText:
    return TableOfText(
        "against",
        say("Differences from the previous version"),
        (
            *heads(say("Measure"), say("Current"), say("Previous")),
            Cell(say("Difference"), (say("95% CI"),)),
            *heads("p (Holm)"),
            Cell(say("90% CI")),
            Cell(say("Non-inferior within {margin} points", margin=margin), ("p (Holm)",)),
            Cell(say("Equivalent within {margin} points", margin=margin), ("p (Holm)",)),
        ),
        tuple(_release_row(row) for row in comparison.rows),
        say(
            "Rates: score tests with people as clusters (Farrington and Manning; pairs: Tango). Other "
            "measures: permutation or t tests over people. {pairing} Non-inferior: the 90% CI lies above "
            "the negative margin (one one-sided test). Equivalent: the 90% CI lies within the margin on both "
            "sides (two one-sided tests). p is adjusted (Holm) over the rates of all dialogues and "
            "separately over those of all groups; below it, unadjusted p. A margin is valid only if it was "
            "chosen before the data.",
            pairing=_pairing(comparison),
        ),
        tuple((title(row.measure), row.signature) for row in comparison.rows if row.key is None),
    )


def _pairing(comparison: ReleaseComparison) -> str:
    """Sentence on who is compared with whom."""
    pairs = max((row.pairs or 0 for row in comparison.rows), default=0)
    if pairs:
        return say("{n} dialogues of the same simulated callers are compared in pairs.", n=count(pairs))
    return say("The participants of the two datasets are different people.")


def release_verdict(row: ReleaseRow, margin: str) -> str:
    """One sentence on a rate, with the interval that decides it; empty for measures that are none."""
    if row.p_holm is None:
        return _untested(row) if row.measure in RATES else ""
    facts = {"measure": title(row.measure), "points": points(row.difference), "margin": margin}
    narrow = between(row.low_90, row.high_90, points)
    if row.p_holm < SIGNIFICANT:
        facts["interval"] = between(row.low, row.high, points)
        if (row.difference > 0) == (MEASURES.get(row.measure).direction != "lower"):
            return say("{measure} improved: {points} points (95% CI {interval}).", **facts)
        if row.no_worse.shown:
            return say(
                "{measure} got worse, but is non-inferior within {margin} points: {points} (95% CI "
                "{interval}).",
                **facts,
            )
        return say("{measure} got worse: {points} points (95% CI {interval}).", **facts)
    facts["interval"] = narrow
    if row.equivalent.shown:
        return say("{measure} is equivalent within {margin} points: {points} (90% CI {interval}).", **facts)
    if row.no_worse.shown:
        return say("{measure} is non-inferior within {margin} points: {points} (90% CI {interval}).", **facts)
    if row.too_few:
        return say(
            "{measure}: too few people ({n}) to show non-inferiority within {margin} points: {points} "
            "(90% CI {interval}).",
            n=count(row.clusters),
            **facts,
        )
    return say(
        "{measure}: no significant difference, and non-inferiority within {margin} points is not shown: "
        "{points} (90% CI {interval}).",
        **facts,
    )


def _untested(row: ReleaseRow) -> str:
    return say(
        "{measure}: {new} now, {old} before; a single participant allows no test.",
        measure=title(row.measure),
        new=percent(row.new),
        old=percent(row.old),
    )


def _release_row(row: ReleaseRow) -> Row:
    unit = row.unit
    return Row(
        title(row.measure),
        (
            Cell(amount(row.new, unit), (say("n = {n}", n=count(row.new_n)),)),
            Cell(amount(row.old, unit), (say("n = {n}", n=count(row.old_n)),)),
            Cell(difference(row.difference, unit), (differences(row.low, row.high, unit),)),
            Cell(
                p_value(row.p_holm),
                (p_value(row.p),),
                strong=row.p_holm is not None and row.p_holm < SIGNIFICANT,
            ),
            Cell(between(row.low_90, row.high_90, points)),
            *map(_decided, (row.no_worse, row.equivalent)),
        ),
        group=say("all") if row.key is None else label(row.key),
    )


def _decided(test: MarginTest) -> Cell:
    if test.p is None:
        return Cell(MISSING)
    return Cell(p_value(test.p_holm), (p_value(test.p),), strong=bool(test.shown))


class AgainstSection(LeadingSection[ReleaseComparison]):
    """Only where a dataset of the last version is given."""

    name = "against"
    order = 900
    title = "Comparison with the previous version"
    needs = ("dialogues",)

    def results(self, material: AnalysisContext) -> ReleaseComparison | None:
        options, declared = material.options, material.declared
        if options.against is None:
            return None
        margin = options.margin
        if margin is None:
            margin = (declared.analysis.margin if declared else None) or MARGIN
        return against(material.dataset, options.against, by=material.by, margin=margin)

    def blocks(self, results: ReleaseComparison) -> list[Block]:
        return against_blocks(results)

    def front(self, results: ReleaseComparison) -> ReportSummary:
        return ReportSummary(before=tuple(map(stated, results.doubts)))
