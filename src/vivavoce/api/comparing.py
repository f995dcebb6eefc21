"""`compare`: differences between systems, each with its interval, p and the family that the p rests on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from vivavoce.api.opening import Rules, accepted, data_warnings, open_dataset
from vivavoce.api.results import Result
from vivavoce.api.rows import MeasuredDifference
from vivavoce.api.wording import errors_in_python
from vivavoce.core.errors import InputError
from vivavoce.core.executor import working_on

if TYPE_CHECKING:
    import altair as alt
    from rich.console import RenderableType

    from vivavoce.dataset.reader import Dataset
    from vivavoce.measures import Measure
    from vivavoce.stats.summary_results import SystemsCompared, SystemTest  # noqa: F401

Margin = Mapping[str, float] | float | None


@dataclass(frozen=True, eq=False, repr=False)
class SystemComparison(Result[MeasuredDifference, "SystemsCompared"]):
    """Groups of dialogues compared pair by pair; `families` says in sentences over what p are adjusted."""

    row: ClassVar[type] = MeasuredDifference

    @property
    def families(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(row.family for row in self.rows))

    def shown(self) -> "Iterator[RenderableType]":
        from vivavoce.api.analysis_tables import comparison

        yield from comparison(self.facts)

    def plot(self, *, width: int = 420) -> "alt.TopLevelMixin":
        """Differences as dots on their 95 % intervals, a panel a measure, beside a line at zero.

        Input   width: of a panel, in pixels
        Raises  InputError: nothing was compared
        """
        from vivavoce.api.charts import differences_chart

        rows = [row for row in self.rows if row.difference is not None]
        if not rows:
            raise InputError(
                "no difference to plot", place="plot()", hint="compare needs two systems or groups"
            )
        return differences_chart(rows, width, simulated=self.facts.simulated)


def compare(
    dataset: "Dataset | Path | str",
    measure: "Sequence[str | Measure] | str | Measure | None" = None,
    *,
    by: str | None = None,
    pair: Sequence[tuple[str, str]] | tuple[str, str] | None = None,
    margin: Margin = None,
    correction: str | None = None,
    exclude: Rules = None,
    mixed: bool = False,
    engine: str | None = None,
) -> SystemComparison:
    """Compare systems, or other groups of dialogues, as `vivavoce analyse` does.

    Input   measure: measures or their names (default: the three success rates). by: system, condition or a
            factor; found out when left out. pair: ("A", "B"), or several; every pair when left out. margin:
            of success rates, or {measure: margin}: also test equivalence, and no worse; without it the
            declared ones count. correction: holm, benjamini_hochberg or bonferroni in place of the declared
            one. exclude, mixed, engine: as in `measure`
    Output  a row a measure and pair. Choosing measures and pairs changes no adjusted p
    Raises  InputError: no dataset, one of people and programs, or one without dialogues; UnknownName: a
            measure, group or correction that there is not
    """
    from vivavoce.measures import MEASURES

    with errors_in_python(), working_on(engine):
        opened = open_dataset(dataset, exclude, mixed=mixed)
        if not opened.read("dialogues").num_rows and not opened.excluded["dialogues"]:
            hint = "use `preferences` for choices, ratings and votes"
            raise InputError("the dataset has no dialogues to compare", place=str(opened.folder), hint=hint)
        pairs = (
            [pair] if isinstance(pair, tuple) and all(isinstance(system, str) for system in pair) else pair
        )
        return comparison(
            opened,
            by=by,
            measures=accepted(MEASURES, measure),
            pairs=pairs,  # type: ignore[arg-type]
            margin=margin,
            correction=correction,
        ).in_python()


def comparison(
    opened: "Dataset",
    *,
    by: str | None,
    measures: Sequence[str] | None,
    pairs: Sequence[tuple[str, str]] | None,
    margin: Margin,
    correction: str | None,
) -> SystemComparison:
    """Comparison in an opened dataset; the command line prints it."""
    from vivavoce.analysis.comparison import compare_systems

    facts = compare_systems(
        opened, by=by, measures=measures or None, pairs=pairs or None, margin=margin, correction=correction
    )
    rows = tuple(_difference(test) for test in facts.tests)
    warnings = tuple(dict.fromkeys([*data_warnings(opened), *map(str, facts.warnings)]))
    return SystemComparison(rows=rows, facts=facts, warnings=warnings)


def _difference(test: "SystemTest") -> MeasuredDifference:
    from vivavoce.measures import MEASURES

    side, equal = test.side, test.equivalence
    clusters = side.clusters if side.method != "none" else 0
    return MeasuredDifference(
        measure=test.measure,
        a=test.a,
        b=test.b,
        difference=side.difference,
        low=side.low,
        high=side.high,
        p=side.p,
        p_adjusted=test.adjusted,
        alpha=test.alpha,
        significant=test.significant,
        family=str(test.why),
        estimand=test.estimand,
        method=side.method,
        analysis_unit="participant" if clusters else MEASURES.get(test.measure).counted,
        n=clusters or test.n,
        cases=test.n,
        margin=equal and equal.margin,
        equivalent=equal and equal.equivalent,
        no_worse=_no_worse(test),
        signature=test.signature,
    )


def _no_worse(test: "SystemTest") -> str | None:
    non_inferior = [side for side, verdict in zip("ab", test.no_worse, strict=False) if verdict.shown]
    return (
        None if not test.no_worse else "both" if len(non_inferior) > 1 else "".join(non_inferior) or "neither"
    )
