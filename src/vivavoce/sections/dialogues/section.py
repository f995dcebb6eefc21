"""The course of dialogues: all measures except success rates, durations, correlations."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from vivavoce.analysis.correlations import RankCorrelation, correlations
from vivavoce.analysis.description import DialogueDurations
from vivavoce.measures import MEASURES
from vivavoce.measures.compute import sums
from vivavoce.reports.blocks import Block, Cell, Fold, Row, TableOfText
from vivavoce.reports.drawing import MOST_DRAWN_GROUPS
from vivavoce.reports.intervals import DrawnValue, drawn_measure
from vivavoce.reports.language import Shown, amount, count, measured, noun, plural, say
from vivavoce.reports.links import cases_of
from vivavoce.reports.rate_tables import abandoned, family_title, group_name, signatures, title, with_all
from vivavoce.reports.section import AnalysisContext, Section
from vivavoce.sections.dialogues.figures import (
    MOST_COLOURS,
    correlations_figure,
    delays_figure,
    durations_figure,
    parameters_figures,
)
from vivavoce.stats.declared_results import is_rate
from vivavoce.stats.summary_results import GroupSummary, MeasuredTotal, Summary

FEWEST_CORRELATED: Final = 3
DELAYS: Final = ("system_response_delay", "system_completion_delay", "user_response_delay")
SHARES: Final = (0.1, 0.25, 0.5, 0.75, 0.9)


@dataclass(frozen=True, slots=True)
class DialoguesFound:
    """The summary, durations by group, delays by measure and group, and rank correlations of measures."""

    summary: Summary
    durations: Sequence[DialogueDurations]
    delays: Mapping[str, Sequence[DialogueDurations]]
    correlations: Sequence[RankCorrelation]


class DialoguesSection(Section[DialoguesFound]):
    """Interaction parameters of each group."""

    name = "dialogues"
    order = 1300
    title = "Course of dialogues"
    menu = "Dialogues"
    needs = ("dialogues",)
    dashboard = True

    def results(self, material: AnalysisContext) -> DialoguesFound:
        durations = material.description.durations
        measure_correlations = correlations(material.dataset)
        return DialoguesFound(material.summary, durations, delays(material), measure_correlations)

    def blocks(self, results: DialoguesFound) -> list[Block]:
        table = measures_table(results.summary)
        if table is None:
            return []
        is_drawn = results.durations and len(results.durations) <= MOST_DRAWN_GROUPS
        blocks: list[Block] = [durations_figure(results.durations)] if is_drawn else []
        if results.delays and is_drawn:
            blocks.append(delays_figure({title(name): rows for name, rows in results.delays.items()}))
        parameters = drawn_parameters(results.summary)
        if parameters and len(results.summary.by) <= MOST_COLOURS:
            blocks.append(
                Fold(say("Charts of interaction parameters"), tuple(parameters_figures(parameters)))
            )
        blocks.append(table)
        if len(results.correlations) >= FEWEST_CORRELATED:
            names = dict.fromkeys(name for pair in results.correlations for name in (pair.a, pair.b))
            blocks.append(correlations_figure(results.correlations, {name: title(name) for name in names}))
        return blocks


def delays(material: AnalysisContext) -> dict[str, list[DialogueDurations]]:
    """Quantiles of the mean delay of a dialogue (s) over the dialogues of a group, by measure.

    Empty   a measure without a case is left out, and so is a group without one
    """
    counted = [name for name in DELAYS if material.summary.all.counted(name)]
    if not counted:
        return {}
    sums_of = sums(material.dataset)
    keys = {dialogue_id: group.key for group in material.groups for dialogue_id in group.dialogue_ids}
    by_name: dict[str, list[DialogueDurations]] = {}
    for name in counted:
        place = sums_of.measures.index(name)
        means = defaultdict[str | None, list[float]](list)
        pairs = zip(sums_of.numerators[place], sums_of.denominators[place], strict=True)
        for dialogue, (total, cases) in zip(sums_of.dialogue_ids, pairs, strict=True):
            if cases:
                means[keys.get(dialogue)].append(total / cases)
        by_name[name] = [
            DialogueDurations(group.key, len(group_means), *map(float, np.quantile(group_means, SHARES)))
            for group in material.groups
            if (group_means := means.get(group.key))
        ]
    return by_name


def measures_table(summary: Summary) -> TableOfText | None:
    """Everything that is no success rate, one row a measure."""
    groups = with_all(summary)
    names = [name for name, measure in MEASURES if not is_rate(name) and summary.all.counted(name)]
    if not names:
        return None
    rows = [
        Row(
            title(name),
            tuple(
                replace(
                    _measure_cell(row.measures[name], MEASURES.get(name).analysis_unit),
                    counts=cases_of(summary, row, name) if row.counted(name) else None,
                )
                for row in groups
            ),
            group=family_title(name),
        )
        for name in sorted(names, key=_place)
    ]
    return TableOfText(
        "measures",
        say("Interaction parameters"),
        (Cell(say("Measure")), *(_head(row, summary) for row in groups)),
        tuple(rows),
        _under_measures(summary, names),
        signatures(groups, names),
    )


def _head(row: GroupSummary, summary: Summary) -> Cell:
    dialogues = plural(row.dialogues, "dialogue")
    return Cell(group_name(row, summary), (dialogues, *abandoned(row.abandoned)))


def drawn_parameters(summary: Summary) -> dict[str, dict[str, list[DrawnValue]]]:
    """By family and title the groups' values of each parameter that differ and have limits."""
    by_family: dict[str, dict[str, list[DrawnValue]]] = {}
    for name, measure in sorted(MEASURES, key=lambda item: _place(item[0])):
        if is_rate(name) or not summary.all.counted(name):
            continue
        values = drawn_measure(summary, name)
        if len({value.value for value in values}) > 1 and all(value.low is not None for value in values):
            by_family.setdefault(family_title(measure.name), {})[title(name)] = values
    return by_family


def _place(name: str) -> tuple[str, list[tuple[str, int]]]:
    """Order of a measure: by family and name, with numbers in it as numbers (2, 5, 10)."""
    parts = re.findall(r"(\D*)(\d*)", name)
    return MEASURES.get(name).family, [(words, int(number or 0)) for words, number in parts]


def _under_measures(summary: Summary, names: list[str]) -> str:
    under = say(
        "Pooled over all cases. Under each number: 95% CI clustered by participant, if available, and "
        "number of cases."
    )
    if any(summary.all.measures[name].open for name in names):
        under += " " + say(
            "Open: annotators disagree without adjudication. The number is the mean over annotators; the "
            "range shows the lowest and highest possible values."
        )
    return under


def _measure_cell(total: MeasuredTotal, unit: str) -> Cell:
    if total.value is None:
        return Cell(amount(None, ""), (say("no case"),))
    cases = round(total.denominator)
    counted = unit.replace("_", " ")
    under: list[str] = [Shown(f"{count(cases)} {noun(counted, counted + 's', cases)}", n=cases)]
    clustered, measure_unit = total.clustered, total.unit
    value, interval = measured(total.value, clustered.low, clustered.high, measure_unit)
    if interval:
        under.insert(0, interval)
    if total.open:
        low, high = (amount(end, measure_unit) for end in (total.lowest, total.highest))
        under.append(say("{low} to {high}: {n} open", low=low, high=high, n=count(total.open)))
    return Cell(value, tuple(under))
