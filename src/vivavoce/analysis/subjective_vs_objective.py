"""What participants said of their success against what the log shows: who is over-optimistic."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from vivavoce.analysis.groups import Group
from vivavoce.dataset.reader import Dataset
from vivavoce.measures.compute import components
from vivavoce.stats.agreement import DRAWS, cohen
from vivavoce.stats.bootstrap import ends
from vivavoce.stats.clusters import ALIKE, FEW, clustered_rate, sum_by_participant
from vivavoce.stats.contingency import mcnemar
from vivavoce.stats.difference import compare_clusters, interval_facts

SAID: Final = "subjective_success"
SHOWN: Final = ("objective_success_assigned", "objective_success_inferred_call_all")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpinionExcess:
    """How much more often people said yes than the log shows; `p_mcnemar` takes dialogues as independent."""

    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_mcnemar: float | None = None


class OpinionKappa(NamedTuple):
    """Agreement beyond chance; no limits for fewer than 10 participants, or where all agreed."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupOpinion:
    """Dialogues of a group by both answers; optimism: the share of the failed of which people said yes."""

    key: str | None
    both: int
    only_said: int
    only_shown: int
    neither: int
    n: int
    optimism: float | None
    low: float | None
    high: float | None
    excess: OpinionExcess
    kappa: OpinionKappa


class RecordedOpinion(NamedTuple):
    """Subjective success against `measure`, the objective one that was used."""

    measure: str
    by: Sequence[GroupOpinion]


def opinion_against_record(dataset: Dataset, found: list[Group]) -> RecordedOpinion | None:
    """Cross-table of subjective and objective success, group by group; intervals are over participants.

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
        dialogues = [dialogue_id for group in found for dialogue_id in group.dialogue_ids]
        rows.append(
            _row(
                "all", dialogues, [participant for group in found for participant in group.participants], both
            )
        )
    return RecordedOpinion(measure, rows)


def _both(parts: Any, measure: str) -> dict[str, tuple[bool, bool]]:
    """Dialogues with a plain yes or no on both sides: (said, shown)."""
    sides = []
    for name in (SAID, measure):
        rows = parts[(parts["measure"] == name) & (parts["denominator"] == 1)]
        values = dict(zip(rows["dialogue_id"], rows["numerator"], strict=True))
        sides.append({key: value == 1 for key, value in values.items() if value in (0.0, 1.0)})
    said, shown = sides
    return {key: (said[key], shown[key]) for key in said if key in shown}


Known = list[tuple[tuple[bool, bool], str]]


def _excess(known: Known, cells: dict[str, int]) -> OpinionExcess:
    if not known:
        return OpinionExcess()
    paired = mcnemar(cells["both"], cells["only_said"], cells["only_shown"], cells["neither"])
    _, codes = np.unique([person for _, person in known], return_inverse=True)
    said, shown = (np.array([float(pair[side]) for pair, _ in known]) for side in (0, 1))
    ones = np.ones(len(known))
    found = interval_facts(compare_clusters(codes, codes, (said, ones), (shown, ones)))
    return OpinionExcess(
        difference=float((said - shown).mean()), p_mcnemar=paired.p if paired else None, **found
    )


def _kappa(known: Known, draws: int = DRAWS, seed: int = 1) -> OpinionKappa:
    """Cohen's kappa of what was said and what the log shows, with participants drawn for its interval."""
    people, codes = np.unique([person for _, person in known], return_inverse=True)
    tables = np.zeros((len(people), 2, 2))
    for ((said, shown), _), code in zip(known, codes, strict=True):
        tables[code, int(said), int(shown)] += 1
    value = cohen(tables.sum(axis=0).astype(int).tolist()).value if known else None
    if value is None or len(people) < FEW:
        return OpinionKappa(value)
    weights = np.random.default_rng(seed).multinomial(
        len(people), np.full(len(people), 1 / len(people)), size=draws
    )
    shares = np.tensordot(weights, tables, axes=1) / len(known)
    shares /= shares.sum(axis=(1, 2), keepdims=True)
    agreed = shares[:, 0, 0] + shares[:, 1, 1]
    chance = (shares.sum(axis=2) * shares.sum(axis=1)).sum(axis=1)
    drawn = (agreed - chance)[chance < 1] / (1 - chance[chance < 1])
    if np.ptp(drawn) < ALIKE:
        return OpinionKappa(value)
    low, high = np.quantile(drawn, ends(0.95, len(people)))
    return OpinionKappa(value, float(low), float(high))


def _row(
    key: str | None, dialogues: list[str], people: list[str | None], both: dict[str, tuple[bool, bool]]
) -> GroupOpinion:
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
    optimism = low = high = None
    if failed:
        _, codes = np.unique([person for _, person in failed], return_inverse=True)
        tops = np.array([float(said) for said, _ in failed])
        interval = clustered_rate(sum_by_participant(codes, tops, np.ones(len(failed))))
        optimism, low, high = float(tops.mean()), interval.low, interval.high
    return GroupOpinion(
        key=key,
        **cells,
        n=len(known),
        optimism=optimism,
        low=low,
        high=high,
        excess=_excess(known, cells),
        kappa=_kappa(known),
    )
