"""Populations side by side, as crowd and laboratory: how they did, what they cost, what precision costs."""

from collections.abc import Sequence

from vivavoce.analysis.population_tests import CALLS, DURATION
from vivavoce.dataset.populations import SIMULATED
from vivavoce.reports.blocks import Block, Bullets, Cell, Paragraph, Row, TableOfText
from vivavoce.reports.language import (
    MISSING,
    Shown,
    amount,
    between,
    coefficient,
    count,
    difference,
    differences,
    measured,
    p_value,
    plural,
    points,
    say,
    stated,
)
from vivavoce.reports.rate_tables import adjusted_cell, heads, title
from vivavoce.reports.section import AnalysisContext, Section
from vivavoce.stats.precision import RequiredPeople
from vivavoce.stats.summary_results import GroupTest
from vivavoce_recruitment.populations.comparison import (
    COMPARED,
    HALF_WIDTH,
    POPULATION,
    PopulationFound,
    PopulationsCompared,
    side_by_side,
)
from vivavoce_recruitment.populations.costs import Spent


class PopulationsSection(Section[PopulationsCompared]):
    """Only where people, or programs, of two populations or more held dialogues."""

    name = "populations"
    order = 950
    title = "Comparison of populations"
    menu = "Populations"
    needs = ("dialogues", "participants")

    def results(self, material: AnalysisContext) -> PopulationsCompared | None:
        options = material.options
        return side_by_side(
            material.dataset,
            costs=options.population_costs or {},
            half_width=options.half_width or HALF_WIDTH,
            summary=material.summary if material.by == POPULATION else None,
        )

    def blocks(self, results: PopulationsCompared) -> list[Block]:
        section_blocks = [Bullets(tuple(_differences(results))), _figures(results)]
        return [*section_blocks, *_tests(results), *_precision(results), *_orders(results)]


def _named(name: str | None) -> str:
    """A population's name; that its people are programs is said in the reader's language."""
    real_name = (name or "").removesuffix(SIMULATED)
    return real_name if real_name == name else say("{population} (simulated)", population=real_name)


def _title(measure: str) -> str:
    return say("Dialogues per participant") if measure == CALLS else title(measure)


def _value(value: float | None, measure: str) -> str:
    return amount(value, COMPARED[measure])


def _differences(results: PopulationsCompared) -> list[str]:
    """Significant differences, one sentence each, and the meaning of a result without any."""
    significant = [test for test in results.tests if test.significant]
    values = {
        (population.name, name): figure.value
        for population in results.populations
        for name, figure in population.figures.items()
    }
    sentences = [
        say(
            "{measure}: {a} {first}, {b} {second} (difference {gap}, 95% CI {interval}; adjusted p {p}).",
            measure=_title(test.measure),
            a=_named(test.a),
            b=_named(test.b),
            first=_value(values[str(test.a), test.measure], test.measure),
            second=_value(values[str(test.b), test.measure], test.measure),
            gap=difference(test.decisive.difference, COMPARED[test.measure]),
            interval=_span(test),
            p=p_value(test.decisive.p_adjusted),
        )
        for test in significant
    ]
    if alike := [_title(name) for name in results.measures if _shows_nothing(results.tests, name)]:
        sentences.append(
            say(
                "Not significant: {measures}. This does not prove equality.",
                measures=", ".join(alike),
            )
        )
    if DURATION in results.measures and any(population.simulated for population in results.populations):
        sentences.append(say("Durations of simulated users depend on the computer and are not compared."))
    return sentences


def _shows_nothing(tests: Sequence[GroupTest], measure: str) -> bool:
    own_tests = [test for test in tests if test.measure == measure]
    return bool(own_tests) and not any(test.significant for test in own_tests)


def _span(test: GroupTest) -> str:
    unit = COMPARED[test.measure]
    return differences(test.decisive.low, test.decisive.high, unit)


def _figures(results: PopulationsCompared) -> TableOfText:
    people = results.populations
    rows = [
        Row(say("People"), tuple(Cell(count(person.participants)) for person in people)),
        Row(say("Dialogues"), tuple(Cell(count(person.dialogues)) for person in people)),
        *(Row(_title(name), tuple(_figure(person, name) for person in people)) for name in results.measures),
        Row(say("Total cost"), tuple(_total(person.cost) for person in people)),
        Row(say("Cost per participant"), tuple(_share(person.cost, "participants") for person in people)),
        Row(say("Cost per dialogue"), tuple(_share(person.cost, "dialogues") for person in people)),
    ]
    signed = tuple(
        (f"{_named(row.key)}, {_title(name).lower()}", signature)
        for row in results.summary.by
        if row.key is not None
        for name in results.measures
        if name != CALLS and (signature := row.measures[name].clustered.signature)
    )
    note = say(
        "Below each figure: 95% CI, clustered by participant. Costs include all participants and excluded "
        "dialogues. Dash: unknown."
    )
    columns = heads(say("Measure"), *(_named(person.name) for person in people))
    return TableOfText(
        "populations", say("Comparison of populations"), columns, tuple(rows), note, signed, numeric=True
    )


def _figure(one: PopulationFound, name: str) -> Cell:
    figure = one.figures[name]
    value_text, interval = measured(figure.value, figure.interval.low, figure.interval.high, COMPARED[name])
    under = [interval]
    if name == CALLS:
        under.append(say("median {n}", n=amount(one.median_dialogues, "")))
    return Cell(value_text, tuple(line for line in under if line))


def _money(value: float | None, currency: str) -> str:
    if value is None:
        return MISSING
    return Shown(f"{coefficient(value)} {currency}".strip(), cost=value)


def _total(cost: Spent | None) -> Cell:
    if cost is None:
        return Cell(MISSING)
    sources = {
        "told": say("from the report options"),
        "study_file": say("from the study file"),
        "terms": say("from the recruitment settings"),
    }
    lacking = {"fee": say("without the platform's fee"), "calls": say("without the calls")}
    under = [sources[cost.source], *(lacking[name] for name in cost.without)]
    if cost.once:
        under.append(say("fixed costs {amount}", amount=_money(cost.once, cost.currency)))
    return Cell(_money(cost.total, cost.currency), tuple(under))


def _share(cost: Spent | None, by: str) -> Cell:
    number = getattr(cost, by) if cost is not None else 0
    if cost is None or not number:
        return Cell(MISSING)
    return Cell(_money(cost.total / number, cost.currency), (plural(number, by.removesuffix("s")),))


def _tests(results: PopulationsCompared) -> list[Block]:
    """The differences of all pairs, with the one family to which they belong."""
    rows = [
        Row(
            f"{_named(test.a)} \u2013 {_named(test.b)}",
            (
                Cell(difference(test.decisive.difference, COMPARED[test.measure])),
                Cell(_span(test)),
                Cell(p_value(test.decisive.p)),
                adjusted_cell(test.decisive.p_adjusted),
            ),
            group=_title(test.measure),
        )
        for test in results.tests
    ]
    if not rows:
        return []
    family = " ".join(stated(test.why) for test in results.summary.families)
    note = say(
        "First minus second: rates and word errors in percentage points, durations in seconds. Clustered "
        "by participant; two-tailed p. Bold: significant after adjustment over all rows."
    )
    return [
        TableOfText(
            "population-tests",
            say("Differences between populations"),
            heads(say("Compared"), say("Difference"), say("95% CI"), "p", say("p (adjusted)")),
            tuple(rows),
            f"{note} {family}".strip(),
            tuple(
                (f"{_named(test.a)} \u2013 {_named(test.b)}, {_title(test.measure).lower()}", test.signature)
                for test in results.tests
            ),
        )
    ]


def _precision(results: PopulationsCompared) -> list[Block]:
    """Cost of a half-width in each population; [] if no rate has an interval."""
    rows = [
        Row(
            _named(population.name),
            (
                Cell(f"\u00b1{points(sample.now).lstrip('+')}"),
                Cell(count(sample.people), (between(sample.low, sample.high, count),)),
                Cell(count(sample.people * population.dialogues / population.participants)),
                _price(sample, population),
            ),
            group=_title(name),
        )
        for name in results.measures
        for population in results.populations
        if (sample := population.precision.get(name)) is not None
    ]
    if not rows:
        return []
    width = f"\u00b1{points(results.half_width).lstrip('+')}"
    note = say(
        "Sample size and cost for a 95% CI of {width} points, with the same dialogues per participant and "
        "the same variance. Costs combine fixed and per-participant costs. Below: 95% limits. Half the "
        "width needs four times as many people.",
        width=width,
    )
    columns = heads(
        say("Population"),
        say("Current CI width (points)"),
        say("People for {width}", width=width),
        say("Dialogues for {width}", width=width),
        say("Cost for {width}", width=width),
    )
    return [TableOfText("precision", say("Cost of precision"), columns, tuple(rows), note)]


def _price(known: RequiredPeople, one: PopulationFound) -> Cell:
    if one.cost is None:
        return Cell(MISSING)
    of = (one.cost.of_people(people, one.participants) for people in (known.people, known.low, known.high))
    needed, low, high = of
    return Cell(_money(needed, one.cost.currency), (between(low, high, coefficient),))


def _orders(results: PopulationsCompared) -> list[Block]:
    """Paragraph on whether both populations rank the systems in the same order."""
    if not results.ranks:
        return []
    same = say("{measure}: same order of {n} systems (Kendall's tau {tau}).")
    different = say("{measure}: different order of {n} systems (Kendall's tau {tau}).")
    lead = say("Order of systems in both populations:")
    orders = tuple(
        (same if ranks.same_order else different).format(
            measure=_title(name), n=count(ranks.systems), tau=coefficient(ranks.tau)
        )
        for name, ranks in results.ranks.items()
    )
    return [Paragraph(lead), Bullets(orders)]
