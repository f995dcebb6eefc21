"""What participants said of their success against what the log shows: who is over-optimistic."""

from typing import Any, Final

import numpy as np

from vivavoce.analysis.clusters import clustered_rate, sum_by_participant
from vivavoce.analysis.groups import Group
from vivavoce.log.dataset import Dataset
from vivavoce.measures.compute import components

Facts = dict[str, Any]
SAID: Final = "subjective_success"
SHOWN: Final = ("objective_success_assigned", "objective_success_inferred_call_all")


def opinion_against_record(dataset: Dataset, found: list[Group]) -> Facts | None:
    """Cross-table of subjective and objective success, group by group.

    Output  measure (the objective one that was used), by: [{key, both, only_said, only_shown, neither, n,
            optimism, low, high}]; optimism is the share of the objectively failed dialogues of which the
            participant said that all was found, with its interval over participants
    Empty   no dialogue with both answers: None
    """
    parts = components(dataset)
    for measure in SHOWN:
        both = _both(parts, measure)
        if both:
            break
    else:
        return None
    rows = [_row(group.key, group.dialogue_ids, group.participants, both) for group in found]
    if len(found) > 1:
        dialogues = [one for group in found for one in group.dialogue_ids]
        rows.append(_row("all", dialogues, [one for group in found for one in group.participants], both))
    return {"measure": measure, "by": rows}


def _both(parts: Any, measure: str) -> dict[str, tuple[bool, bool]]:
    """Dialogues with a plain yes or no on both sides: (said, shown)."""
    sides = []
    for name in (SAID, measure):
        rows = parts[(parts["measure"] == name) & (parts["denominator"] == 1)]
        values = dict(zip(rows["dialogue_id"], rows["numerator"], strict=True))
        sides.append({key: value == 1 for key, value in values.items() if value in (0.0, 1.0)})
    said, shown = sides
    return {key: (said[key], shown[key]) for key in said if key in shown}


def _row(
    key: str | None, dialogues: list[str], people: list[str | None], both: dict[str, tuple[bool, bool]]
) -> Facts:
    known = [
        (both[one], person or f"\0{one}")
        for one, person in zip(dialogues, people, strict=True)
        if one in both
    ]
    cells = {
        "both": sum(said and shown for (said, shown), _ in known),
        "only_said": sum(said and not shown for (said, shown), _ in known),
        "only_shown": sum(shown and not said for (said, shown), _ in known),
        "neither": sum(not said and not shown for (said, shown), _ in known),
    }
    failed = [(said, person) for (said, shown), person in known if not shown]
    facts: Facts = {"key": key, **cells, "n": len(known), "optimism": None, "low": None, "high": None}
    if failed:
        _, codes = np.unique([person for _, person in failed], return_inverse=True)
        tops = np.array([float(said) for said, _ in failed])
        interval = clustered_rate(sum_by_participant(codes, tops, np.ones(len(failed))))
        facts |= {"optimism": float(tops.mean()), "low": interval.low, "high": interval.high}
    return facts
