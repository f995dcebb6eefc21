"""Description of a dataset in counts: plain facts that are no measures."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import mean, quantiles, stdev
from typing import Any, Final, NamedTuple

from vivavoce.core.statement import LocalizedText
from vivavoce.dataset.columns import Level
from vivavoce.dataset.reader import Dataset
from vivavoce.measures.compute import groups
from vivavoce.questionnaires.instrument import INSTRUMENTS

Row = Mapping[str, Any]
Rows = Sequence[Row]
Keys = Mapping[str, str | None]  # the group of each dialogue
ANSWERED: Final = "answer."  # before a questionnaire and an item of it


class EndReason(NamedTuple):
    """Dialogues that ended so: in all, and by group."""

    reason: str
    total: int
    by: Mapping[str | None, int]


class DialogueDurations(NamedTuple):
    """Quantiles of the duration of a group's dialogues (s), over the n that are known."""

    key: str | None
    n: int
    p10: float
    p25: float
    p50: float
    p75: float
    p90: float


class IncidentKind(NamedTuple):
    """Incidents of one kind in a group, the dialogues they hit, and the commonest detail."""

    key: str | None
    failure: str
    incidents: int
    dialogues: int
    detail: str | None


class GroupMean(NamedTuple):
    """Mean answer of a group."""

    n: int
    mean: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredItem:
    """Codes of an item as they were given.

    free_text  answers without a code
    answers    label -> how often; empty where there are more than 12
    Empty      no code, or codes that are names: mean, deviation, least and most are None, and there is no
               group; deviation also of a single one
    """

    item_id: str
    role: str | None
    n: int
    mean: float | None
    deviation: float | None
    least: float | None
    most: float | None
    free_text: int
    by: Mapping[str | None, GroupMean]
    answers: Mapping[str, int]


class AnsweredSheet(NamedTuple):
    """A questionnaire in one wording; `answered`: forms."""

    instrument: str
    wording: str | None
    language: str | None
    answered: int
    items: Sequence[AnsweredItem]


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetDescription:
    """People, systems and times of a dataset; how dialogues ended, lasted and failed; answered items.

    systems, conditions, channels, languages   name -> dialogues; pools, outcomes: name -> participants
    tables                                     name -> rows; factors: name -> levels
    Empty                                      no dialogue with a time: started_at and ended_at None
    """

    study: str
    source: Mapping[str, Any]
    created_at: str | None
    notes: Sequence[LocalizedText]
    tables: Mapping[str, int]
    simulated_dialogues: int
    started_at: datetime | None
    ended_at: datetime | None
    tasks: int
    systems: Mapping[str, int]
    conditions: Mapping[str, int]
    channels: Mapping[str, int]
    languages: Mapping[str, int]
    factors: Mapping[str, Sequence[str]]
    pools: Mapping[str, int]
    outcomes: Mapping[str, int]
    end_reasons: Sequence[EndReason]
    durations: Sequence[DialogueDurations]
    incidents: Sequence[IncidentKind]
    questionnaires: Sequence[AnsweredSheet]


def describe(dataset: Dataset, by: str = "system") -> DatasetDescription:
    """The plain facts of a dataset; groups in the summary's order."""
    table = dataset.read("dialogues")
    keys = {dialogue_id: group.key for group in groups(dataset, by) for dialogue_id in group.dialogue_ids}
    dated = dataset.level is Level.internal
    started = [at for at in table.column("started_at").to_pylist() if at and dated]
    end_times = [at for at in table.column("ended_at").to_pylist() if at and dated]
    people = dataset.read("participants")
    return DatasetDescription(
        study=dataset.study,
        source=dataset.manifest.get("source", {}),
        created_at=dataset.manifest.get("created_at"),
        notes=dataset.notes,
        tables={name: facts["rows"] for name, facts in dataset.manifest.get("tables", {}).items()},
        simulated_dialogues=sum(bool(flag) for flag in table.column("simulated").to_pylist()),
        started_at=min(started, default=None),
        ended_at=max([*started, *end_times], default=None),
        tasks=len(_known(table.column("task_id").to_pylist())),
        **{
            name + "s": dict(sorted(Counter(table.column(name).to_pylist()).items()))
            for name in ("system", "condition", "channel", "language")
        },
        factors={
            name: sorted(_known(table.column("factor_" + name).to_pylist())) for name in dataset.factors
        },
        pools=dict(Counter(_known_list(people.column("pool").to_pylist())).most_common()),
        outcomes=dict(Counter(_known_list(people.column("outcome").to_pylist())).most_common()),
        end_reasons=_end_reasons(table.to_pylist(), keys),
        durations=_durations(table.select(["dialogue_id", "duration_s"]).to_pylist(), keys),
        incidents=_incidents(dataset, keys),
        questionnaires=_questionnaires(dataset, keys),
    )


def _known(values: Iterable[Any]) -> set[Any]:
    return {value for value in values if value is not None}


def _known_list(values: Iterable[Any]) -> list[Any]:
    return [value for value in values if value is not None]


def _end_reasons(rows: Rows, keys: Keys) -> list[EndReason]:
    """Dialogues by group and by how they ended, most frequent reason first."""
    counts = Counter((keys[row["dialogue_id"]], row["end_reason"] or "unknown") for row in rows)
    reasons = Counter(row["end_reason"] or "unknown" for row in rows)
    return [
        EndReason(reason, total, {key: counts[key, reason] for key in dict.fromkeys(keys.values())})
        for reason, total in reasons.most_common()
    ]


def _durations(rows: Rows, keys: Keys) -> list[DialogueDurations]:
    """Quantiles of the dialogue duration in seconds, group by group; groups without any are left out."""
    durations: defaultdict[str | None, list[float]] = defaultdict(list)
    for row in rows:
        if row["duration_s"] is not None:
            durations[keys[row["dialogue_id"]]].append(row["duration_s"])
    return [
        DialogueDurations(key, len(durations[key]), *_quantiles(durations[key]))
        for key in dict.fromkeys(keys.values())
        if key in durations
    ]


def _quantiles(values: list[float]) -> list[float]:
    if len(values) == 1:
        return values * 5
    cuts = quantiles(values, n=20, method="inclusive")
    return [cuts[place] for place in (1, 4, 9, 14, 17)]


def _incidents(dataset: Dataset, keys: Keys) -> list[IncidentKind]:
    """Incidents of the systems: one entry a group and kind of failure, with the commonest detail."""
    rows_of: defaultdict[tuple[str | None, str], list[Row]] = defaultdict(list)
    for row in dataset.read("incidents").to_pylist():
        rows_of[keys.get(row["dialogue_id"]), row["failure"]].append(row)
    return [
        IncidentKind(
            key,
            failure,
            len(rows),
            len({row["dialogue_id"] for row in rows}),
            next(
                (detail for detail, _ in Counter(_known_list(row["detail"] for row in rows)).most_common(1)),
                None,
            ),
        )
        for (key, failure), rows in sorted(
            rows_of.items(), key=lambda entry: (str(entry[0][0]), -len(entry[1]))
        )
    ]


def answered_dialogues(dataset: Dataset) -> dict[str, set[str]]:
    """The dialogues about which each item was answered with a code, by `answered_as`; none of visits."""
    dialogues_of: dict[str, set[str]] = {}
    table = dataset.read("ratings").select(["dialogue_id", "instrument", "item_id", "value"])
    for row in table.to_pylist():
        if row["dialogue_id"] is not None and row["value"] is not None:
            key = answered_as(row["instrument"], row["item_id"])
            dialogues_of.setdefault(key, set()).add(row["dialogue_id"])
    return dialogues_of


def answered_as(instrument: str, item_id: str) -> str:
    """The name by which lists find the dialogues about which an item was answered."""
    return f"{ANSWERED}{instrument}.{item_id}"


def _questionnaires(dataset: Dataset, keys: Keys) -> list[AnsweredSheet]:
    """One entry a questionnaire and wording, its items with n, mean and answers chosen."""
    sheets: defaultdict[tuple[str, str | None, str | None], dict[str, list[Row]]] = defaultdict(dict)
    for row in dataset.read("ratings").to_pylist():
        sheet = sheets[row["instrument"], row["wording"], row["language"]]
        sheet.setdefault(row["item_id"], []).append(row)
    return [
        AnsweredSheet(
            instrument=instrument,
            wording=wording,
            language=language,
            answered=len(
                {
                    (row["dialogue_id"], row["visit_id"], row["participant_id"])
                    for rows in items.values()
                    for row in rows
                }
            ),
            items=[
                _item(item_id, rows, keys, nominal=_is_nominal(instrument, item_id))
                for item_id, rows in items.items()
            ],
        )
        for (instrument, wording, language), items in sorted(
            sheets.items(), key=lambda entry: tuple(part or "" for part in entry[0])
        )
    ]


def _is_nominal(instrument: str, item_id: str) -> bool:
    return instrument in INSTRUMENTS and INSTRUMENTS.get(instrument).is_nominal(item_id)


def _item(item_id: str, rows: Rows, keys: Keys, *, nominal: bool) -> AnsweredItem:
    answered = _known_list(row["value"] for row in rows)
    values = [] if nominal else answered
    by: defaultdict[str | None, list[float]] = defaultdict(list)
    for row in rows:
        if not nominal and row["value"] is not None and row["dialogue_id"] in keys:
            by[keys[row["dialogue_id"]]].append(row["value"])
    chosen = Counter(
        (row["value"], row["answer"]) for row in rows if row["answer"] and row["value"] is not None
    )
    labels = {answer: chosen[value, answer] for value, answer in sorted(chosen)}
    return AnsweredItem(
        item_id=item_id,
        role=next((row["role"] for row in rows if row["role"]), None),
        n=len(answered),
        mean=mean(values) if values else None,
        deviation=stdev(values) if len(values) > 1 else None,
        least=min(values, default=None),
        most=max(values, default=None),
        free_text=sum(1 for row in rows if row["value"] is None and row["answer"]),
        by={key: GroupMean(len(by[key]), mean(by[key])) for key in dict.fromkeys(keys.values()) if by[key]},
        answers=labels if len(labels) <= 12 else {},
    )
