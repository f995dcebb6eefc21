"""A running trial's declared comparison, looked at early: planned looks, and evidence valid at any time."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

from vivavoce.analysis.anytime import watch_differences
from vivavoce.analysis.groups import Group, groups
from vivavoce.analysis.nested import Nested
from vivavoce.analysis.sequential import Spending, boundaries, judge
from vivavoce.analysis.summary import LEVEL
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.log.dataset import Dataset
from vivavoce.measures.compute import components

Facts = dict[str, Any]


def monitor(
    dataset: Dataset,
    measure: str,
    pair: tuple[str, str],
    *,
    planned: int,
    looks: int | Sequence[float] = 5,
    spending: Spending = "obrien_fleming",
    alpha: float = 0.05,
    power: float = 0.8,
    by: str = "system",
) -> Facts:
    """Whether a trial may stop now.

    Input   the declared measure and pair; `planned` participants; planned looks
    Output  information (participants so far over planned); planned: the last look that was reached, its
            boundary and verdict (effect, futility or None) in words; anytime: e-value and interval of the
            mean difference of participants who met both, in order of arrival, valid at every moment
    Empty   before the first planned look, or without variation: no verdict
    Note    z is that with the p of the clustered t-test; effect stops are binding, futility is advice
    """
    if planned < 2:
        raise InputError(f"{planned} planned participants", cure="a trial plans at least 2")
    found = groups(dataset, by)
    keys = [group.key for group in found]
    for key in pair:
        if key not in keys:
            raise UnknownName(by, key, [str(one) for one in keys])
    chosen = [found[keys.index(key)] for key in pair]
    nested = Nested(components(dataset, [measure]), chosen)
    test = nested.test(measure, 0, 1, level=LEVEL)
    information = min(1.0, test["clusters"] / planned)
    return {
        "measure": measure,
        "a": pair[0],
        "b": pair[1],
        "participants": test["clusters"],
        "planned": planned,
        "information": information,
        "test": test,
        "look": _look(test, information, looks, spending, alpha, power),
        "anytime": _anytime(dataset, measure, chosen, alpha),
    }


def _look(
    test: Facts,
    information: float,
    looks: int | Sequence[float],
    spending: Spending,
    alpha: float,
    power: float,
) -> Facts | None:
    """The verdict at the last planned look that was reached."""
    bars = boundaries(looks, spending, alpha)
    reached = [place for place, bar in enumerate(bars) if bar.information <= information + 1e-9]
    if not reached or test["t"] is None:
        return None
    place = reached[-1]
    p = float(2 * student.sf(abs(test["t"]), test["df"]))
    z = float(np.copysign(norm.isf(p / 2), test["t"]))
    expected = float(norm.isf(alpha / 2) + norm.ppf(power))
    last = place == len(bars) - 1
    verdict = judge(z, bars[place], expected=expected, final=bars[-1].z, last=last)
    return {"number": place + 1, "of": len(bars), "spent": bars[place].spent, **verdict._asdict()}


def _anytime(dataset: Dataset, measure: str, chosen: list[Group], alpha: float) -> Facts | None:
    """Evidence from one difference a participant; None where nobody met both, or values leave 0 to 1."""
    parts = components(dataset, [measure]).set_index("dialogue_id")
    table = dataset.read("dialogues").select(["dialogue_id", "started_at"]).to_pylist()
    began = {row["dialogue_id"]: row["started_at"] for row in table}
    sums: dict[str, list[list[float]]] = {}
    arrival: dict[str, Any] = {}
    for side, group in enumerate(chosen):
        for dialogue, person in zip(group.dialogue_ids, group.participants, strict=True):
            if person is None or began[dialogue] is None:
                continue
            own = sums.setdefault(person, [[0.0, 0.0], [0.0, 0.0]])[side]
            own[0] += float(parts.at[dialogue, "numerator"])
            own[1] += float(parts.at[dialogue, "denominator"])
            arrival[person] = min(arrival.get(person, began[dialogue]), began[dialogue])
    both = [
        one for one in sorted(arrival, key=lambda one: arrival[one]) if sums[one][0][1] and sums[one][1][1]
    ]
    rates = [(sums[one][0][0] / sums[one][0][1], sums[one][1][0] / sums[one][1][1]) for one in both]
    if not rates or not all(0 <= rate <= 1 for pair in rates for rate in pair):
        return None
    last = watch_differences([a - b for a, b in rates], scale=1.0, alpha=alpha)[-1]
    return {**last._asdict(), "interval": list(last.interval or ()), "stop": last.p <= alpha}
