"""Participants' view of their success against the log: where people are over-optimistic."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from vivavoce.dataset.reader import Dataset
from vivavoce.measures.compute import Group, components
from vivavoce.stats.agreement import DRAWS, cohen
from vivavoce.stats.bootstrap import ends
from vivavoce.stats.clusters import ALIKE, FEW, clustered_rate, sum_by_participant
from vivavoce.stats.contingency import mcnemar
from vivavoce.stats.difference import compare_clusters, interval_facts

SAID: Final = "subjective_success"
SHOWN: Final = ("objective_success_assigned", "objective_success_inferred_call_all")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpinionExcess:
    """Excess of yes by people over the log; `p_mcnemar` takes dialogues as independent."""

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


def opinion_against_record(dataset: Dataset, all_groups: list[Group]) -> RecordedOpinion | None:
    """Cross-table of subjective and objective success, group by group; intervals are over participants.

    Empty   no dialogue with both answers: None
    """
    parts = components(dataset)
    for measure in SHOWN:
        pairs = _both(parts, measure)
        if pairs:
            break
    else:
        return None
    rows = [_row(group.key, group.dialogue_ids, group.participants, pairs) for group in all_groups]
    if len(all_groups) > 1:
        dialogues = [dialogue_id for group in all_groups for dialogue_id in group.dialogue_ids]
        rows.append(
            _row(
                "all",
                dialogues,
                [participant for group in all_groups for participant in group.participants],
                pairs,
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
    subjective, objective = sides
    return {key: (subjective[key], objective[key]) for key in subjective if key in objective}


Known = list[tuple[tuple[bool, bool], str]]


def _excess(pairs: Known, cells: dict[str, int]) -> OpinionExcess:
    if not pairs:
        return OpinionExcess()
    paired = mcnemar(cells["both"], cells["only_said"], cells["only_shown"], cells["neither"])
    _, codes = np.unique([person for _, person in pairs], return_inverse=True)
    subjective, objective = (np.array([float(pair[side]) for pair, _ in pairs]) for side in (0, 1))
    unit_counts = np.ones(len(pairs))
    interval = interval_facts(
        compare_clusters(codes, codes, (subjective, unit_counts), (objective, unit_counts))
    )
    return OpinionExcess(
        difference=float((subjective - objective).mean()), p_mcnemar=paired.p if paired else None, **interval
    )


def _kappa(pairs: Known, draws: int = DRAWS, seed: int = 1) -> OpinionKappa:
    """Cohen's kappa of what was said and what the log shows, with participants drawn for its interval."""
    people, codes = np.unique([person for _, person in pairs], return_inverse=True)
    tables = np.zeros((len(people), 2, 2))
    for ((subjective, objective), _), code in zip(pairs, codes, strict=True):
        tables[code, int(subjective), int(objective)] += 1
    value = cohen(tables.sum(axis=0).astype(int).tolist()).value if pairs else None
    if value is None or len(people) < FEW:
        return OpinionKappa(value)
    weights = np.random.default_rng(seed).multinomial(
        len(people), np.full(len(people), 1 / len(people)), size=draws
    )
    shares = np.tensordot(weights, tables, axes=1) / len(pairs)
    shares /= shares.sum(axis=(1, 2), keepdims=True)
    agreed = shares[:, 0, 0] + shares[:, 1, 1]
    chance = (shares.sum(axis=2) * shares.sum(axis=1)).sum(axis=1)
    kappas = (agreed - chance)[chance < 1] / (1 - chance[chance < 1])
    if np.ptp(kappas) < ALIKE:
        return OpinionKappa(value)
    low, high = np.quantile(kappas, ends(0.95, len(people)))
    return OpinionKappa(value, float(low), float(high))


def _row(
    key: str | None,
    dialogues: list[str],
    people: list[str | None],
    verdict_pairs: dict[str, tuple[bool, bool]],
) -> GroupOpinion:
    verdicts = [
        (verdict_pairs[dialogue_id], person or f"\0{dialogue_id}")
        for dialogue_id, person in zip(dialogues, people, strict=True)
        if dialogue_id in verdict_pairs
    ]
    cells = {
        "both": sum(subjective and objective for (subjective, objective), _ in verdicts),
        "only_said": sum(subjective and not objective for (subjective, objective), _ in verdicts),
        "only_shown": sum(objective and not subjective for (subjective, objective), _ in verdicts),
        "neither": sum(not subjective and not objective for (subjective, objective), _ in verdicts),
    }
    failed = [(subjective, person) for (subjective, objective), person in verdicts if not objective]
    optimism = low = high = None
    if failed:
        _, codes = np.unique([person for _, person in failed], return_inverse=True)
        tops = np.array([float(subjective) for subjective, _ in failed])
        interval = clustered_rate(sum_by_participant(codes, tops, np.ones(len(failed))))
        optimism, low, high = float(tops.mean()), interval.low, interval.high
    return GroupOpinion(
        key=key,
        **cells,
        n=len(verdicts),
        optimism=optimism,
        low=low,
        high=high,
        excess=_excess(verdicts, cells),
        kappa=_kappa(verdicts),
    )
