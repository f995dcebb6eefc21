"""Tables that `analyse` and `power` print on a terminal."""

from collections.abc import Iterator, Sequence
from math import isfinite
from string import ascii_lowercase
from typing import TYPE_CHECKING, Final

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.text import Text

from vivavoce.core.rounding import half_up
from vivavoce.core.terminal import FittedTable as Table
from vivavoce.reports.language import p_value

if TYPE_CHECKING:
    from vivavoce.analysis.populations import PopulationComparison
    from vivavoce.analysis.repeated_trials import RepeatedTrials
    from vivavoce.core.statement import LocalizedText
    from vivavoce.stats.counts import CountedChoices, RatesCompared
    from vivavoce.stats.power import RequiredSample
    from vivavoce.stats.summary_results import (
        GroupValue,
        ItemComparison,
        NaiveInterval,
        SignedInterval,
        SystemsCompared,
        SystemTest,
    )

MODELS: Final = {"bootstrap": "bootstrap", "gee": "GEE", "mixed": "mixed model"}
WHOLE: Final = ("equivalent", "e-value")  # columns that no narrow terminal breaks


def rates(found: "RatesCompared") -> Iterator[RenderableType]:
    """Rates with three intervals, pairs with three tests, differences."""
    level = f"{found.level:.0%}"
    table = plain_table("", "k of n", "rate", f"Wald {level}", f"Wilson {level}", f"Clopper-Pearson {level}")
    for rate in found.rates:
        spans = (span_of_points(rate.intervals[name]) for name in ("wald", "wilson", "clopper_pearson"))
        table.add_row(rate.name, f"{rate.k} of {rate.n}", points(rate.ratio), *spans)
    yield table
    if found.tests:
        tests = plain_table("", "test", "z", "p", "(Holm)")
        for test in found.tests:
            tests.add_row(
                f"{test.a} - {test.b}", test.method, number(test.z, 3), chance(test.p), chance(test.p_holm)
            )
        yield tests
        differences = plain_table("", "difference", f"Newcombe {level}", "Cohen's h", "p (Fisher)", "(Holm)")
        for difference in found.differences:
            differences.add_row(
                f"{difference.a} - {difference.b}",
                points(difference.difference),
                span_of_points(difference.intervals["newcombe"]),
                number(difference.cohen_h, 3),
                chance(difference.p_fisher),
                chance(difference.p_fisher_holm),
            )
        yield differences
    yield Text("Cases are treated as independent, because counts do not identify participants.", style="dim")


def choices(found: "CountedChoices") -> Iterator[RenderableType]:
    """Share of choices for the first of two, against one half."""
    table = plain_table(
        "", "k of n", "share", "Wilson", "χ²", "p", "(Holm)", "p (exact)", "(Holm)", "e-value"
    )
    for choice in found.choices:
        table.add_row(
            choice.name,
            f"{choice.k} of {choice.n}",
            points(choice.ratio),
            span_of_points(choice.interval),
            number(choice.chi2, 2),
            chance(choice.p),
            chance(choice.p_holm),
            chance(choice.p_exact),
            chance(choice.p_exact_holm),
            f"{choice.e_value:.3g}",
        )
    yield table


def power(found: "RequiredSample") -> Iterator[RenderableType]:
    """One line a number, and what it means."""
    table = plain_table("", "n", "", words=2)
    critical = found.critical_difference
    if critical:
        table.add_row(
            "critical difference",
            str(critical.pooled),
            f"smallest significant difference (p < {found.alpha:g}); power {critical.power.pooled:.0%}",
        )
        table.add_row(
            "  with continuity correction",
            str(critical.continuity_corrected),
            f"with continuity correction ({critical.steps_of_ten} by steps of ten); power "
            f"{critical.power.continuity_corrected:.0%}",
        )
    power_note = "" if found.power is None else f"; power {found.power:.0%}"
    table.add_row("needed", str(found.per_group), found.unit + power_note)
    for name, n in (
        ("exact", found.exact),
        ("per group ranks", found.per_group_ranks),
        ("per group continuity corrected", found.per_group_continuity_corrected),
    ):
        if n is not None:
            table.add_row(f"  {name}", str(n), "")
    nested, simulated = found.clustered, found.simulated
    if nested.calls > 1 or simulated:
        how = "simulated, see below" if simulated else f"design effect {nested.design_effect:.2f}"
        table.add_row(
            "clustered",
            str(nested.size.per_group),
            f"{nested.size.participants} participants with {nested.calls:.3g} dialogues each; "
            f"ICC {nested.icc:.3g}, {nested.design} participants; {how}",
        )
    if nested.formula and nested.calls > 1:
        table.add_row(
            "  by formula",
            str(nested.formula.per_group),
            f"{nested.formula.participants} participants; design effect "
            f"{nested.design_effect:.2f}, without small-sample adjustment",
        )
    half = found.half_the_difference
    if half:
        table.add_row(
            "half the difference",
            f"x {half.pooled:.2f}",
            f"x {half.continuity_corrected:.2f} with continuity correction",
        )
    for saving in found.with_judge:
        table.add_row(
            f"with a judge, {saving.times} x as many held",
            str(saving.labels),
            f"human labels per system, {saving.saved:.0%} saved; the judge labels "
            f"{saving.held} dialogues (agreement {found.judge_agreement:g})",
        )
    yield table
    if simulated:
        yield Text(
            f"{simulated.draws} simulated trials of {simulated.participants} participants "
            f"with two systems, tested as in `analyse` ({', '.join(simulated.test)}): power "
            f"{simulated.power:.1%} (+- {1.96 * simulated.power_error:.1%}), type I error "
            f"{simulated.type_one_error:.1%} (+- {1.96 * simulated.type_one_error_error:.1%}); "
            f"seed {simulated.seed}."
        )
    for assumption in found.assumptions:
        yield Text(assumption, style="dim")


def comparison(facts: "SystemsCompared") -> Iterator[RenderableType]:
    """Group by group and pair by pair: one estimand a table, its family in words, other ways apart."""
    yield Text(str(facts.model.why))
    headings = ("n", "value", "naive", "clustered", "design effect", "n effective")
    table = plain_table("measure", facts.by_what, *headings)
    for rate in facts.rates:
        naive, clustered = rate.naive, rate.clustered
        table.add_row(
            in_words(rate.measure),
            str(rate.key),
            f"{rate.n:g}",
            number(rate.value, 3),
            span([naive.low, naive.high]),
            span([clustered.low, clustered.high]),
            number(clustered.design_effect, 2),
            number(clustered.n_effective, 0),
        )
    yield table
    yield from _narrower(facts.rates)
    if not facts.tests:
        return
    letters = dict(zip((family.why for family in facts.families), ascii_lowercase, strict=False))
    tests = plain_table("measure", "pair", "difference", "naive", "p", "clustered", "p", "p (adjusted)")
    for test in facts.tests:
        naive, clustered = test.naive, test.clustered
        side = test.side
        tests.add_row(
            f"{in_words(test.measure)}, {in_words(test.estimand)}",
            _pair(test),
            number(side.difference, 3),
            span([naive.low, naive.high]),
            chance(naive.p),
            span([clustered.low, clustered.high]),
            chance(clustered.p),
            f"{chance(test.adjusted)} {letters[test.why]}",
        )
    yield tests
    yield from _families(letters, [test.why for test in facts.tests])
    yield from _equivalences(facts)
    yield from _otherwise(facts)
    if facts.items:
        headings = (
            "n",
            "P(a > b)",
            "clustered",
            "p naive",
            "p clustered",
            "p (adjusted)",
            "odds ratio",
            "p (not adjusted)",
        )
        (why,) = (family.why for family in facts.families if family.name == "items")
        items = plain_table("item", "pair", *headings)
        for rate in facts.items:
            items.add_row(
                f"{rate.instrument} {rate.item_id}",
                _pair(rate),
                f"{rate.n_a}, {rate.n_b}",
                number(rate.superiority.share, 3),
                span([rate.superiority.low, rate.superiority.high]),
                chance(rate.mann_whitney.p),
                chance(rate.superiority.p),
                f"{chance(rate.superiority.p_adjusted)} {letters[why]}",
                number(rate.ordinal.odds_ratio, 2),
                chance(rate.ordinal.p),
            )
        yield items
        yield from _families(letters, [why])


def _narrower(rates: "Sequence[GroupValue]") -> Iterator[RenderableType]:
    """Reason for an interval over participants that is narrower than the naive one, if any."""
    narrower_rates = [
        rate for rate in rates if rate.naive.low is not None and _width(rate.clustered) < _width(rate.naive)
    ]
    if not narrower_rates:
        return
    listing = "; ".join(
        f"{in_words(rate.measure)}, {rate.key} ({rate.clustered.clusters} participants, "
        f"ICC {number(rate.clustered.icc, 2) or 'unknown'})"
        for rate in narrower_rates
    )
    yield Text(
        f"Clustered narrower than naive: {listing}. The naive interval (Wilson) assumes "
        "independent cases. The clustered interval is narrower if participants' rates vary "
        "less than expected by chance (negative ICC, design effect below 1). With few "
        "participants this is often chance: use the wider interval."
    )


def _width(interval: "NaiveInterval | SignedInterval") -> float:
    if interval.low is None or interval.high is None:
        return float("inf")
    return interval.high - interval.low


def _families(letters: "dict[LocalizedText, str]", whys: "list[LocalizedText]") -> Iterator[RenderableType]:
    """Families of the rows above, by their letters."""
    for why in dict.fromkeys(whys):
        yield Text(f"{letters[why]}  {why}", style="dim")


def _pair(test: "SystemTest | ItemComparison") -> str:
    return f"{test.a} - {test.b}"


def _equivalences(facts: "SystemsCompared") -> Iterator[RenderableType]:
    """Is the difference smaller than the margin of its measure, and is one no worse than the other by it?"""
    equivalences = [(test, test.equivalence) for test in facts.tests if test.equivalence]
    if not equivalences:
        return
    table = plain_table("measure", "pair", "margin", "90%", "p", "p (adjusted)", "equivalent")
    for test, equal in equivalences:
        table.add_row(
            in_words(test.measure),
            _pair(test),
            f"{equal.margin:g}",
            span(equal.interval),
            chance(equal.p),
            chance(equal.p_adjusted),
            "yes" if equal.equivalent else "no",
        )
    yield table
    worse = [(test, verdict) for test, _ in equivalences for verdict in test.no_worse]
    if not worse:
        return
    headings = ("margin", "difference", "90%", "p", "p (adjusted)", "shown")
    table = plain_table("measure", "non-inferior", *headings)
    for test, one_sided in worse:
        table.add_row(
            in_words(test.measure),
            f"{one_sided.system} than {one_sided.than}",
            f"{one_sided.margin:g}",
            number(one_sided.difference, 3),
            span(one_sided.interval),
            chance(one_sided.p),
            chance(one_sided.p_adjusted),
            "yes" if one_sided.shown else "no",
        )
    yield table


def _otherwise(facts: "SystemsCompared") -> Iterator[RenderableType]:
    """The differences with other weights and by other models, each row of one estimand."""
    table = plain_table("measure", "pair", "counted", "by", "difference", "95%", "p", words=2)
    for test in facts.tests:
        weighted = [("weights", estimate.estimand, estimate.found) for estimate in test.weighted]
        models = [(MODELS[name], estimate.estimand, estimate) for name, estimate in test.models.items()]
        for by, estimand, alternative in [*weighted, *models]:
            table.add_row(
                in_words(test.measure),
                _pair(test),
                in_words(estimand),
                by,
                number(alternative.difference, 3),
                span([alternative.low, alternative.high]),
                chance(alternative.p),
            )
    yield Text("The same differences with other counting rules, as a sensitivity check; p is not adjusted.")
    yield table


def populations(facts: "PopulationComparison") -> Iterator[RenderableType]:
    """Two trials on the same systems: differences with equivalence, ranks, calls per user."""
    first, second = facts.trials
    table = plain_table("measure", "group", f"{first.study} - {second.study}", "90 %", "equivalent", "p")
    for group in facts.by:
        same = {True: "yes", False: "no", None: ""}[group.equivalent]
        table.add_row(
            in_words(group.measure),
            str(group.key),
            number(group.difference, 3),
            span(group.interval_90),
            same,
            chance(group.p_equivalent),
        )
    yield table
    for measure, rank in facts.ranks.items():
        if rank.tau is not None:
            order = "same order" if rank.same_order else "different order"
            yield Text(f"{measure}: {rank.systems} groups in {order}, Kendall's tau {rank.tau:.2f}")
    for trial in facts.trials:
        calls = f"{number(trial.calls_per_user, 2)} dialogues per participant"
        cost = "" if trial.cost_per_call is None else f", {trial.cost_per_call:.2f} per dialogue"
        yield Text(f"{trial.study}: {trial.dialogues} dialogues, {trial.participants} people, {calls}{cost}")
    margins = ", ".join(f"{in_words(name)} {margin:g}" for name, margin in facts.margins.items() if margin)
    yield Text(
        f"Equivalent: the difference is within the margin of its measure ({margins}), clustered by "
        "participant.",
        style="dim",
    )


def repeated_trials(found: "RepeatedTrials") -> Iterator[RenderableType]:
    """pass^k of each system, with intervals over tasks."""
    table = plain_table("", "trials", "passed", "k", "pass^k", "95%", "tasks")
    for system in found.systems:
        for power in system.powers:
            head = (system.system, str(system.trials), str(system.passed)) if power.k == 1 else ("", "", "")
            limits = span_of_points((power.low, power.high))
            table.add_row(*head, str(power.k), points(power.ratio), limits, str(power.tasks))
    yield table
    if found.untasked:
        yield Text(f"{found.untasked} dialogues have no task and are not counted", style="dim")


def plain_table(*headings: str, words: int = 0) -> Table:
    """Columns of numbers are aligned right; the first, and the one at `words`, left."""
    table = Table(header_style="bold", box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for place, heading in enumerate(headings):
        side = "left" if place in (0, words) else "right"
        table.add_column(heading, justify=side, overflow="fold", no_wrap=heading in WHOLE)
    return table


def in_words(name: str) -> str:
    """A measure's name in words, which a narrow column can break."""
    return name.replace("_", " ")


def points(value: float | None) -> str:
    """A share in per cent with one decimal."""
    return "" if value is None else f"{_rounded(100 * value, 1)}%"


def span(interval: Sequence[float | None] | None) -> str:
    """An interval with three decimals; empty where it is missing."""
    if not interval or interval[0] is None or interval[1] is None:
        return ""
    return f"{_rounded(interval[0], 3)} to {_rounded(interval[1], 3)}"


def span_of_points(interval: Sequence[float | None] | None) -> str:
    """An interval in per cent with one decimal; empty where it is missing."""
    if not interval or interval[0] is None or interval[1] is None:
        return ""
    return f"{_rounded(100 * interval[0], 1)} to {_rounded(100 * interval[1], 1)}"


def number(value: float | None, digits: int) -> str:
    """Number with this many decimals; empty if missing."""
    return "" if value is None else _rounded(value, digits)


def chance(p: float | None) -> str:
    """A p value, as the report writes it; empty where it is missing."""
    return "" if p is None else p_value(p)


def _rounded(value: float, digits: int) -> str:
    return f"{half_up(value, digits):f}" if isfinite(value) else f"{value}"
