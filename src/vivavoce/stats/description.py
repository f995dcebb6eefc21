"""What was run, in counts: the plain facts of a dataset that are no measures."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from statistics import mean, quantiles, stdev
from typing import Any

from vivavoce.log.dataset import Dataset
from vivavoce.stats.groups import groups

Facts = dict[str, Any]
QUANTILE_NAMES = ("p10", "p25", "p50", "p75", "p90")


def describe(dataset: Dataset, by: str = "system") -> Facts:
    """Who talked to what, when and how; how dialogues ended, lasted and failed; what was answered.

    Output  plain values only; instants as datetime, missing as None, groups in the summary's order
    """
    table = dataset.read("dialogues")
    keys = {one: group.key for group in groups(dataset, by) for one in group.dialogue_ids}
    started = [at for at in table.column("started_at").to_pylist() if at]
    ended = [at for at in table.column("ended_at").to_pylist() if at]
    people = dataset.read("participants")
    return {
        "study": dataset.study,
        "source": dataset.manifest.get("source", {}),
        "created_at": dataset.manifest.get("created_at"),
        "notes": dataset.notes,
        "tables": {name: facts["rows"] for name, facts in dataset.manifest.get("tables", {}).items()},
        "simulated_dialogues": sum(bool(flag) for flag in table.column("simulated").to_pylist()),
        "started_at": min(started, default=None),
        "ended_at": max([*started, *ended], default=None),
        "tasks": len(_known(table.column("task_id").to_pylist())),
        **{
            name + "s": dict(sorted(Counter(table.column(name).to_pylist()).items()))
            for name in ("system", "condition", "channel", "language")
        },
        "factors": {
            name: sorted(_known(table.column("factor_" + name).to_pylist())) for name in dataset.factors
        },
        "pools": dict(Counter(_known_list(people.column("pool").to_pylist())).most_common()),
        "outcomes": dict(Counter(_known_list(people.column("outcome").to_pylist())).most_common()),
        "end_reasons": _end_reasons(table.to_pylist(), keys),
        "durations": _durations(table.select(["dialogue_id", "duration_s"]).to_pylist(), keys),
        "incidents": _incidents(dataset, keys),
        "questionnaires": _questionnaires(dataset, keys),
    }


def _known(values: Iterable[Any]) -> set[Any]:
    return {value for value in values if value is not None}


def _known_list(values: Iterable[Any]) -> list[Any]:
    return [value for value in values if value is not None]


def _end_reasons(rows: list[Facts], keys: dict[str, str | None]) -> list[Facts]:
    """Dialogues by group and by how they ended, most frequent reason first."""
    counts = Counter((keys[row["dialogue_id"]], row["end_reason"] or "unknown") for row in rows)
    reasons = Counter(row["end_reason"] or "unknown" for row in rows)
    return [
        {
            "reason": reason,
            "total": total,
            "by": {key: counts[key, reason] for key in dict.fromkeys(keys.values())},
        }
        for reason, total in reasons.most_common()
    ]


def _durations(rows: list[Facts], keys: dict[str, str | None]) -> list[Facts]:
    """Quantiles of the dialogue duration in seconds, group by group; groups without any are left out."""
    found: defaultdict[str | None, list[float]] = defaultdict(list)
    for row in rows:
        if row["duration_s"] is not None:
            found[keys[row["dialogue_id"]]].append(row["duration_s"])
    return [
        {"key": key, "n": len(found[key]), **_quantiles(found[key])}
        for key in dict.fromkeys(keys.values())
        if key in found
    ]


def _quantiles(values: list[float]) -> dict[str, float]:
    if len(values) == 1:
        return dict.fromkeys(QUANTILE_NAMES, values[0])
    cuts = quantiles(values, n=20, method="inclusive")
    return dict(zip(QUANTILE_NAMES, (cuts[1], cuts[4], cuts[9], cuts[14], cuts[17]), strict=True))


def _incidents(dataset: Dataset, keys: dict[str, str | None]) -> list[Facts]:
    """What went wrong with the systems: one entry a group and kind of failure, with the commonest detail."""
    found: defaultdict[tuple[str | None, str], list[Facts]] = defaultdict(list)
    for row in dataset.read("incidents").to_pylist():
        found[keys.get(row["dialogue_id"]), row["failure"]].append(row)
    return [
        {
            "key": key,
            "failure": failure,
            "incidents": len(rows),
            "dialogues": len({row["dialogue_id"] for row in rows}),
            "detail": next(iter(Counter(_known_list(row["detail"] for row in rows)).most_common(1)), (None,))[
                0
            ],
        }
        for (key, failure), rows in sorted(
            found.items(), key=lambda entry: (str(entry[0][0]), -len(entry[1]))
        )
    ]


def _questionnaires(dataset: Dataset, keys: dict[str, str | None]) -> list[Facts]:
    """One entry a questionnaire and wording, its items with n, mean and answers chosen."""
    sheets: defaultdict[tuple[str, str | None, str | None], dict[str, list[Facts]]] = defaultdict(dict)
    for row in dataset.read("ratings").to_pylist():
        sheet = sheets[row["instrument"], row["wording"], row["language"]]
        sheet.setdefault(row["item_id"], []).append(row)
    return [
        {
            "instrument": instrument,
            "wording": wording,
            "language": language,
            "answered": len(
                {
                    (row["dialogue_id"], row["visit_id"], row["participant_id"])
                    for rows in items.values()
                    for row in rows
                }
            ),
            "items": [_item(item_id, rows, keys) for item_id, rows in items.items()],
        }
        for (instrument, wording, language), items in sorted(
            sheets.items(), key=lambda entry: tuple(part or "" for part in entry[0])
        )
    ]


def _item(item_id: str, rows: list[Facts], keys: dict[str, str | None]) -> Facts:
    values = _known_list(row["value"] for row in rows)
    by: defaultdict[str | None, list[float]] = defaultdict(list)
    for row in rows:
        if row["value"] is not None and row["dialogue_id"] in keys:
            by[keys[row["dialogue_id"]]].append(row["value"])
    chosen = Counter(
        (row["value"], row["answer"]) for row in rows if row["answer"] and row["value"] is not None
    )
    labels = {answer: chosen[value, answer] for value, answer in sorted(chosen)}
    return {
        "item_id": item_id,
        "role": next((row["role"] for row in rows if row["role"]), None),
        "n": len(values),
        "mean": mean(values) if values else None,
        "deviation": stdev(values) if len(values) > 1 else None,
        "least": min(values, default=None),
        "most": max(values, default=None),
        "free_text": sum(1 for row in rows if row["value"] is None and row["answer"]),
        "by": {
            key: {"n": len(by[key]), "mean": mean(by[key])} for key in dict.fromkeys(keys.values()) if by[key]
        },
        "answers": labels if len(labels) <= 12 else {},
    }
