"""`power`: how many dialogues and participants a question needs."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from vivavoce.api.opening import open_dataset
from vivavoce.api.results import Result
from vivavoce.api.rows import SampleSize
from vivavoce.api.wording import errors_in_python, in_python
from vivavoce.core.executor import working_on

if TYPE_CHECKING:
    import altair as alt
    from rich.console import RenderableType

    from vivavoce.dataset.reader import Dataset
    from vivavoce.stats.power import RequiredSample, TrialSize
    from vivavoce.study.model import Study

Question = Literal["two-rates", "one-rate", "preference", "likert", "study"]
Design = Literal["between", "within"]


@dataclass(frozen=True, eq=False, repr=False)
class PowerAnalysis(Result[SampleSize, "RequiredSample"]):
    """Sample sizes of one question, with their `assumptions`."""

    row: ClassVar[type] = SampleSize

    @property
    def assumptions(self) -> tuple[str, ...]:
        return tuple(map(in_python, self.facts.assumptions))

    def shown(self) -> "Iterator[RenderableType]":
        from vivavoce.api.analysis_tables import power as tables

        return tables(replace(self.facts, assumptions=self.assumptions))

    def plot(self, *, width: int = 420) -> "alt.TopLevelMixin":
        """The cases of each group that each way of counting takes, as bars.

        Input   width: of the picture, in pixels
        """
        from vivavoce.api.charts import sizes_chart

        return sizes_chart(self.rows, width)


def power(
    question: Question = "study",
    *values: float,
    study: "Study | Path | str | None" = None,
    power: float = 0.8,
    alpha: float | None = None,
    calls_per_participant: float | None = None,
    icc: float | None = None,
    interaction: float = 0.0,
    design: Design | None = None,
    ties: float = 0.0,
    half_width: float | None = None,
    pilot: "Dataset | Path | str | None" = None,
    participants: int | None = None,
    judge_agreement: float | None = None,
    seed: int = 1,
    mixed: bool = False,
    engine: str | None = None,
) -> PowerAnalysis:
    """Say how many dialogues and participants a question needs, as `vivavoce power` does.

    Input   question and values: ("two-rates", .45, .50), ("one-rate", .6, .5), ("preference", .6),
            ("likert", 0.5, 1.2); or study: its primary comparison. power: chance to find the
            difference. calls_per_participant: dialogues of one. icc: how alike they are. interaction: share
            of variance that is a person's own liking of one system. design: between or within participants.
            ties: share in preferences. half_width: of the interval, for one-rate. pilot: dataset whose
            participants are those to come. participants: give the power of this number instead.
            judge_agreement: correlation of a judge with people, for labels saved. mixed, engine: as in
            `measure`
    Raises  InputError: too few or many values, or participants of whom no result could be significant
    """
    with errors_in_python(), working_on(engine):
        return power_analysis(
            question,
            values,
            study=study,
            pilot=None if pilot is None else open_dataset(pilot, mixed=mixed),
            power=power,
            alpha=alpha,
            calls=calls_per_participant,
            icc=icc,
            interaction=interaction,
            design=design,
            ties=ties,
            half_width=half_width,
            participants=participants,
            seed=seed,
            agreement=judge_agreement,
        )


def power_analysis(
    question: str,
    values: "tuple[float, ...] | list[float]",
    *,
    study: "Study | Path | str | None",
    pilot: "Dataset | None",
    **options: object,
) -> PowerAnalysis:
    """Power analysis with an opened pilot. `options`: see `analysis.planning.answer`."""
    from vivavoce.analysis.planning import answer, plan_of_study, read_pilot
    from vivavoce.api.studies import loaded_study

    plan = None if study is None else plan_of_study(loaded_study(study))
    pilot_data = None if pilot is None else read_pilot(pilot, plan.measure if plan else None)
    facts = answer(question, values, plan=plan, pilot=pilot_data, **options)  # type: ignore[arg-type]
    if pilot_data is not None:
        facts = replace(facts, pilot_simulated=pilot_data.simulated)
    return PowerAnalysis(rows=tuple(_sizes(facts)), facts=facts)


def _sizes(sample: "RequiredSample") -> Iterator[SampleSize]:
    alpha, nested, simulated = sample.alpha, sample.clustered, sample.simulated
    yield SampleSize(
        by="independent", n=sample.per_group, analysis_unit="case", power=sample.power, alpha=alpha
    )
    counted: list[tuple[str, TrialSize, float | None, float | None]] = [
        ("design_effect", nested.formula or nested.size, sample.power, None)
    ]
    if simulated:
        counted.append(("simulation", nested.size, simulated.power, simulated.power_error))
    for by, size, power, error in counted if nested.calls > 1 or simulated else ():
        yield SampleSize(
            by=by,
            n=size.per_group,
            participants=size.participants,
            dialogues=size.dialogues,
            power=power,
            power_error=error,
            analysis_unit="participant",
            alpha=alpha,
        )
