"""`preferences`: what people chose between, rated and voted on, instead of or besides holding dialogues."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from vivavoce.api.opening import Rules, data_warnings, open_dataset, open_two
from vivavoce.api.results import Result
from vivavoce.api.rows import PreferredVersion
from vivavoce.api.wording import errors_in_python
from vivavoce.core.errors import InputError
from vivavoce.core.result import unless_none

if TYPE_CHECKING:
    from rich.console import RenderableType

    from vivavoce.analysis.arena import ArenaResults
    from vivavoce.analysis.judgement_cost import JudgementEffort
    from vivavoce.analysis.listening import ListeningResults
    from vivavoce.analysis.transcript_ratings import TranscriptRatings
    from vivavoce.api.charts import Panels
    from vivavoce.dataset.reader import Dataset
    from vivavoce.stats.preferences import PreferenceResults


SAME: Final = (
    "variable",
    "question",
    "quality",
    "experimental",
    "control",
    "ties",
    "low",
    "high",
    "p",
    "p_adjusted",
    "alpha",
    "preferred",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedByPeople:
    """Comparisons, ratings and votes by people (None if absent), and the effort of a judgement.

    simulated  programs did some of it; None: whoever asks knows
    """

    simulated: bool | None = unless_none()
    preferences: "PreferenceResults | None" = unless_none()
    readings: "TranscriptRatings | None" = unless_none()
    listening: "ListeningResults | None" = unless_none()
    arena: "ArenaResults | None" = unless_none()
    effort: "Sequence[JudgementEffort]"

    def shown(self) -> "Iterator[RenderableType]":
        """Tables that the command line prints."""
        from vivavoce.api import pairs_tables as tables

        if self.preferences:
            yield from tables.preferences(self.preferences)
        if self.readings:
            yield from tables.readings(self.readings)
        if self.listening:
            yield from tables.listening(self.listening)
        if self.arena:
            yield from tables.arena(self.arena)
        sections = (self.preferences, self.readings, self.listening, self.arena)
        judges = next((tables.who(section) for section in sections if section is not None), "people")
        yield from tables.effort(self.effort, judges)


@dataclass(frozen=True, eq=False, repr=False)
class TranscriptPreferences(Result[PreferredVersion, ComparedByPeople]):
    """Choices between transcripts, a row a variable and question; `to_dict()` has ratings, clips, votes."""

    row: ClassVar[type] = PreferredVersion

    def shown(self) -> "Iterator[RenderableType]":
        return self.facts.shown()

    def plot(self, *, width: int = 420) -> "Panels":
        """Shares that prefer the experimental version as dots on their intervals, beside a line at one half.

        Input   width: of a panel, in pixels
        Raises  InputError: no transcripts were chosen between
        """
        from vivavoce.api.charts import shares_chart

        if not self.rows:
            hint = "see the table for the available results"
            raise InputError("no choices between transcripts to plot", place="plot()", hint=hint)
        return shares_chart(self.rows, width, simulated=bool(self.facts.simulated))


def preferences(
    dataset: "Dataset | Path | str",
    *,
    by: str | None = None,
    against: "Dataset | Path | str | None" = None,
    cost: float | None = None,
    hourly: float | None = None,
    exclude: Rules = None,
    mixed: bool = False,
) -> TranscriptPreferences:
    """Say what people preferred, as `vivavoce analyse` does for a dataset of choices, ratings or votes.

    Input   by: an attribute of people, by which choices are shown, too. against: dataset of live dialogues,
            to compare the effort with. cost: what the comparison cost; hourly: an hour of one person.
            exclude, mixed: as in `measure`
    Output  a row a variable and question of transcripts that were chosen between
    Raises  InputError: no dataset, one of people and programs, or one in which nobody compared anything
    """
    with errors_in_python():
        opened, *other_datasets = (
            [open_dataset(dataset, exclude, mixed=mixed)]
            if against is None
            else open_two(dataset, against, exclude, mixed=mixed)
        )
        facts = compared(opened, other_datasets, by=by, cost=cost, hourly=hourly)
        if facts is None:
            hint = "`compare` compares systems by their dialogues"
            raise InputError("no comparisons in the dataset", place=str(opened.folder), hint=hint)
        rows = tuple(_rows(facts.preferences))
        facts = replace(
            facts, simulated=opened.simulated or any(dataset.simulated for dataset in other_datasets)
        )
        return TranscriptPreferences(
            rows=rows, facts=facts, warnings=tuple(data_warnings(opened, *other_datasets))
        ).in_python()


def compared(
    dataset: "Dataset",
    others: "Sequence[Dataset]",
    *,
    by: str | None,
    cost: float | None,
    hourly: float | None,
) -> ComparedByPeople | None:
    """Preferences, readings, clips and arena as far as there are any, and effort; None: there are none."""
    from vivavoce.analysis.arena import has_votes, rank_systems
    from vivavoce.analysis.judgement_cost import effort
    from vivavoce.analysis.listening import has_listening, listening_results
    from vivavoce.analysis.preference_results import has_preferences, preference_results
    from vivavoce.analysis.transcript_ratings import has_readings, rated_transcripts

    if hourly is not None and hourly < 0:
        raise InputError(f"hourly {hourly:g}", place="--hourly", hint="set the hourly cost of one person")
    chosen = has_preferences(dataset), has_readings(dataset), has_listening(dataset), has_votes(dataset)
    if not any(chosen):
        return None
    return ComparedByPeople(
        preferences=preference_results(dataset, by=by, cost=cost) if chosen[0] else None,
        readings=rated_transcripts(dataset) if chosen[1] else None,
        listening=listening_results(dataset) if chosen[2] else None,
        arena=rank_systems(dataset) if chosen[3] else None,
        effort=effort([dataset, *others], hourly),
    )


def _rows(preferences: "PreferenceResults | None") -> Iterator[PreferredVersion]:
    if preferences is None:
        return
    why = next((str(family.why) for family in preferences.families if family.of == "cells"), "")
    unit = "participant" if preferences.responses.people_known else "judged pair"
    for cell in preferences.cells:
        yield PreferredVersion(
            **{name: getattr(cell, name) for name in SAME},
            share=cell.ratio,
            interval=cell.method,
            family=why,
            n=cell.participants,
            analysis_unit=unit,
            signature=preferences.signatures[f"{cell.variable}, {cell.question}"],
        )
