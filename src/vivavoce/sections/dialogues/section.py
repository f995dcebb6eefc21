"""The course of dialogues: every measure that is no success rate, durations, correlations."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from vivavoce.measures import MEASURES
from vivavoce.report.blocks import Block, Cell, Row, TableOfText
from vivavoce.report.content import family_title, group_name, heads, limits, signatures, title, with_all
from vivavoce.report.drawing import MOST_DRAWN_GROUPS
from vivavoce.report.language import Shown, noun, say
from vivavoce.report.material import Material
from vivavoce.report.numbers import amount, count
from vivavoce.report.section import Section
from vivavoce.sections.dialogues.figures import correlations_figure, durations_figure
from vivavoce.stats.correlations import RankCorrelation, correlations
from vivavoce.stats.description import DialogueDurations
from vivavoce.stats.rates import is_rate
from vivavoce.stats.summary_results import MeasuredTotal, Summary

FEWEST_CORRELATED: Final = 3


@dataclass(frozen=True, slots=True)
class DialoguesFound:
    """The summary, durations by group, and rank correlations of measures."""

    summary: Summary
    durations: Sequence[DialogueDurations]
    correlations: Sequence[RankCorrelation]


class DialoguesSection(Section[DialoguesFound]):
    """Interaction parameters of each group."""

    name = "dialogues"
    order = 1300
    title = "Course of dialogues"
    menu = "Dialogues"
    needs = ("dialogues",)
    dashboard = True

    def results(self, material: Material) -> DialoguesFound:
        durations = material.description.durations
        return DialoguesFound(material.summary, durations, correlations(material.dataset))

    def blocks(self, results: DialoguesFound) -> list[Block]:
        table = measures_table(results.summary)
        if table is None:
            return []
        drawn = results.durations and len(results.durations) <= MOST_DRAWN_GROUPS
        blocks: list[Block] = [durations_figure(results.durations)] if drawn else []
        blocks.append(table)
        if len(results.correlations) >= FEWEST_CORRELATED:
            names = dict.fromkeys(name for pair in results.correlations for name in (pair.a, pair.b))
            blocks.append(correlations_figure(results.correlations, {name: title(name) for name in names}))
        return blocks


def measures_table(summary: Summary) -> TableOfText | None:
    """Everything that is no success rate, one row a measure."""
    groups = with_all(summary)
    names = [name for name, measure in MEASURES if not is_rate(name) and summary.all.counted(name)]
    if not names:
        return None
    rows = [
        Row(
            title(name),
            tuple(_measure_cell(row.measures[name], MEASURES.get(name).analysis_unit) for row in groups),
            group=family_title(name),
        )
        for name in sorted(names, key=lambda name: MEASURES.get(name).family)
    ]
    return TableOfText(
        "measures",
        say("Interaction parameters"),
        heads(say("Measure"), *(group_name(row, summary) for row in groups)),
        tuple(rows),
        _under_measures(summary, names),
        signatures(groups, names),
    )


def _under_measures(summary: Summary, names: list[str]) -> str:
    under = say(
        "Pooled over all cases; under each number, its 95% interval with participants as the unit where "
        "it has one, and how many cases it rests on."
    )
    if any(summary.all.measures[name].open for name in names):
        under += " " + say(
            "Open: annotators differ and nobody decided; the number is the mean over annotators, and the two "
            "are the lowest and highest that decisions could give."
        )
    return under


def _measure_cell(measured: MeasuredTotal, unit: str) -> Cell:
    if measured.value is None:
        return Cell(amount(None, ""), (say("no case"),))
    cases = round(measured.denominator)
    counted = unit.replace("_", " ")
    under: list[str] = [Shown(f"{count(cases)} {noun(counted, counted + 's', cases)}", n=cases)]
    clustered, shown = measured.clustered, measured.unit
    if interval := limits(clustered.low, clustered.high, shown):
        under.insert(0, interval)
    if measured.open:
        low, high = (amount(end, shown) for end in (measured.lowest, measured.highest))
        under.append(say("{low} to {high}: {n} open", low=low, high=high, n=count(measured.open)))
    return Cell(amount(measured.value, shown), tuple(under))
