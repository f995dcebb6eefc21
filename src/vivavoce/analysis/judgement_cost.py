"""Cost of a judgement: time, people and money of comparing, reading, voting and live dialogues.

Source  Guerini et al. 2018, section 4.5: a live session took 30 minutes and two people, one of them the
        wizard; the comparison of transcripts took 3 minutes and one
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.dataset.reader import Dataset
from vivavoce.study.presets import effective

Row = Mapping[str, Any]
WIZARD: Final = "wizard"
ARMS: Final = ("compared", "read", "voted", "live", "live_wizard")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementEffort:
    """Cost of one way of judging.

    arm                 compared, read (transcripts), voted (arena), live, live_wizard (dialogues with a form)
    judgements          answered questions
    people              at work at once
    cost_per_judgement  seconds times people at the hourly rate, in its currency; None without a rate
    Empty               no times: None
    """

    arm: str
    judgements: int
    participants: int
    people: int
    seconds_per_judgement: float | None
    minutes_per_participant: float | None
    cost_per_judgement: float | None


def effort(datasets: Sequence[Dataset], hourly: float | None = None) -> list[JudgementEffort]:
    """One row a way of judging that these datasets hold.

    Input   hourly: what an hour of one person costs, in any currency
    Empty   an arm without times has none
    Note    a live judgement carries its share of the whole dialogue, from its start to its last answer; a
            system with `connect: wizard` takes a second person. What rules exclude from measures took its
            time, too, and is counted
    """
    spent: dict[str, _Spent] = defaultdict(_Spent)
    for dataset in (opened.everything for opened in datasets):
        _choices(dataset, "preferences", "compared", spent, ("visit_id", "comparison_number"))
        _choices(dataset, "readings", "read", spent, ("visit_id", "reading_number"))
        _choices(dataset, "votes", "voted", spent, ("bout_id", "exchange"))
        _live(dataset, spent)
    return [_row(arm, spent[arm], hourly) for arm in ARMS if arm in spent and spent[arm].judgements]


class _Spent:
    """Judgements, people and seconds of one arm."""

    def __init__(self) -> None:
        self.judgements, self.timed, self.seconds = 0, 0, 0.0
        self.people: set[str] = set()

    def add(self, judgements: int, seconds: float | None, person: str) -> None:
        self.judgements += judgements
        self.people.add(person)
        if seconds is not None:
            self.timed += judgements
            self.seconds += seconds


def _row(arm: str, spent: _Spent, hourly: float | None) -> JudgementEffort:
    people = 2 if arm == "live_wizard" else 1
    seconds = spent.seconds / spent.timed if spent.timed else None
    is_timed = seconds is not None
    return JudgementEffort(
        arm=arm,
        judgements=spent.judgements,
        participants=len(spent.people),
        people=people,
        seconds_per_judgement=seconds,
        minutes_per_participant=spent.seconds / 60 / len(spent.people) if is_timed else None,
        cost_per_judgement=seconds * people / 3600 * hourly if is_timed and hourly is not None else None,
    )


def _choices(dataset: Dataset, table: str, arm: str, spent: dict[str, _Spent], key: tuple[str, str]) -> None:
    """Answers given together share the time that they took together."""
    together: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in dataset.read(table).to_pylist():
        together[tuple(row[name] for name in key)].append(row)
    for rows in together.values():
        spent[arm].add(len(rows), rows[0]["response_s"], rows[0]["participant_id"] or rows[0]["visit_id"])


def _live(dataset: Dataset, spent: dict[str, _Spent]) -> None:
    """Dialogues with answers about them; those of an arena are no judgements of their own."""
    answers: dict[str, list[Row]] = defaultdict(list)
    for row in dataset.read("ratings").to_pylist():
        if row["dialogue_id"] is not None and (row["value"] is not None or row["answer"]):
            answers[row["dialogue_id"]].append(row)
    wizards = wizard_systems(dataset)
    for dialogue in dataset.read("dialogues").to_pylist():
        times = answers.get(dialogue["dialogue_id"])
        if times:
            arm = "live_wizard" if dialogue["system"] in wizards else "live"
            person = dialogue["participant_id"] or dialogue["visit_id"] or dialogue["dialogue_id"]
            spent[arm].add(len(times), _lasted(dialogue, times), person)


def _lasted(dialogue: Row, answers: Sequence[Row]) -> float | None:
    """From the start to the last answer; without these instants, the dialogue alone."""
    ends = [row["answered_at"] for row in answers if row["answered_at"] is not None]
    if dialogue["started_at"] is not None and ends:
        return (max(ends) - dialogue["started_at"]).total_seconds()
    return dialogue["duration_s"]


def wizard_systems(dataset: Dataset) -> set[str]:
    """The systems behind which a person sat, as the study file says."""
    systems = effective(dataset.manifest["study"].get("file") or "").get("systems")
    if not isinstance(systems, dict):
        return set()
    return {
        str(name)
        for name, settings in systems.items()
        if isinstance(settings, dict) and settings.get("connect") == WIZARD
    }
