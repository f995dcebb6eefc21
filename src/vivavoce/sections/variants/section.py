"""Variants of objective success: the same dialogues, counted otherwise."""

from dataclasses import replace

from vivavoce.measures import MEASURES
from vivavoce.reports.blocks import Block, Cell, Fold, Paragraph, Row, TableOfText
from vivavoce.reports.language import say
from vivavoce.reports.links import successes_of
from vivavoce.reports.rate_tables import (
    group_name,
    heads,
    is_clustered,
    is_variant,
    rate_cell,
    rate_note,
    settings,
    signatures,
    unit_name,
    with_all,
)
from vivavoce.reports.section import AnalysisContext, Section
from vivavoce.stats.summary_results import SuccessRate, Summary


class VariantsSection(Section[Summary]):
    """Only where the dataset has goals."""

    name = "variants"
    order = 1900
    title = "Variants of objective success"
    menu = "Variants"
    needs = ("dialogues",)
    dashboard = True

    def results(self, material: AnalysisContext) -> Summary | None:
        return material.summary if _counted_variants(material.summary) else None

    def blocks(self, results: Summary) -> list[Block]:
        table = variants_table(results)
        how = say(
            "The same dialogues under other definitions: unit (goal, dialogue, last goal), goals without a "
            "match (credit, drop, fail), and matching offer (last or any)."
        )
        return [Paragraph(how), Fold(say("Show all {n} variants", n=len(table.rows)), (table,))]


def _counted_variants(summary: Summary) -> list[str]:
    return [name for name, rate in summary.all.rates.items() if is_variant(name) and rate.n]


def variants_table(summary: Summary) -> TableOfText:
    """Every variant of objective success: unit, policy for goals without a match, offer rule."""
    groups, names = with_all(summary), _counted_variants(summary)
    rows = [
        Row(
            say(MEASURES.get(name).title),
            tuple(
                replace(_short_rate(row.rates[name]), counts=successes_of(summary, row, name))
                for row in groups
            ),
            (settings(name),),
            group=unit_name(summary.all.rates[name].unit).capitalize(),
        )
        for name in sorted(names, key=lambda name: (summary.all.rates[name].unit, name))
    ]
    note = (
        rate_note(summary)
        if summary.all.participants == 1
        else (
            say("Under each rate: 95% CI clustered by participant, then successes / cases.")
            if is_clustered(summary)
            else say("Under each rate: 95% CI (Wilson), then successes / cases.")
        )
    )
    return TableOfText(
        "variants",
        say("Objective success by variant"),
        heads(say("Variant"), *(group_name(row, summary) for row in groups)),
        tuple(rows),
        note,
        signatures(groups, names),
    )


def _short_rate(rate: SuccessRate) -> Cell:
    cell = rate_cell(rate)
    return Cell(cell.main, cell.under[:2])
