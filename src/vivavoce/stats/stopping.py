"""The declared stopping rule of a trial, applied to what has come so far: go on, or stop and why."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from vivavoce.core.errors import UnknownName
from vivavoce.log.dataset import Dataset
from vivavoce.measures import MEASURES
from vivavoce.stats.equivalence import margin_of, possible_margins
from vivavoce.stats.interim_analyses import NEAR, monitor, parts_of
from vivavoce.study.analysis_file import Analysis, Primary, Stopping

Facts = dict[str, Any]
Pair = tuple[str, str]
UNBOUNDED: Final = 1_000_000
DECIDED: Final = ("effect", "equal", "futility")


def pairs_to_watch(primary: Primary) -> list[Pair]:
    return list(combinations(primary.compare, 2))


def share_of_alpha(analysis: Analysis) -> float:
    """The alpha of one pair: the primary's, shared by its pairs unless the study asks for no correction."""
    assert analysis.primary is not None
    pairs = 1 if analysis.correction == "none" else len(pairs_to_watch(analysis.primary))
    return analysis.primary.alpha / pairs


def next_look(stopping: Stopping, before: Sequence[float]) -> int | None:
    """Participants at which the next planned look is due; None where there is none, or looks need no plan."""
    if stopping.rule in (None, "anytime") or stopping.participants is None:
        return None
    taken = max(before, default=0.0)
    ahead = [place for place in range(1, stopping.looks + 1) if place / stopping.looks > taken + NEAR]
    return -(-ahead[0] * stopping.participants // stopping.looks) if ahead else None


def watch(
    dataset: Dataset,
    analysis: Analysis,
    visits: Sequence[str],
    *,
    before: Sequence[float] = (),
    decided: Mapping[Pair, str] | None = None,
) -> Facts:
    """The primary comparison of a running trial under its stopping rule.

    Input   visits that have ended, in that order; information at the looks `before`; pairs that earlier looks
            have `decided`, with how
    Output  rule, measure, alpha (of one pair), participants, planned, information, due (a planned look is due
            now; always with `anytime`), number and of (the look's), pairs: a, b, difference, low, high (valid
            under the rule), statistic and bar (|z| and its boundary, or e-value and 1 / alpha), stop, why;
            stop (effect, equal, futility, mixed, end or None) and why over all pairs
    Note    the trial stops once every pair is decided, or at the planned number of participants
    Raises  UnknownName: no such measure, or a system that has no dialogue yet
    """
    primary, stopping = analysis.primary, analysis.stopping
    assert primary is not None and stopping is not None and stopping.rule is not None
    if primary.measure not in MEASURES:
        raise UnknownName("measure", primary.measure, MEASURES.names(), place="analysis.primary")
    alpha, people = share_of_alpha(analysis), _participants(dataset, primary, visits)
    found = [
        _anytime(dataset, analysis, pair, visits, alpha)
        if stopping.rule == "anytime"
        else _planned(dataset, analysis, pair, visits, before, alpha, people)
        for pair in pairs_to_watch(primary)
    ]
    for facts in found:
        earlier = (decided or {}).get((facts["a"], facts["b"]))
        if earlier is not None:
            facts |= {"stop": earlier, "why": "An earlier look has decided this pair."}
    stop, why = _whole(found)
    due = [facts for facts in found if facts["due"]]
    return {
        "rule": stopping.rule,
        "measure": primary.measure,
        "alpha": alpha,
        "participants": max(facts["participants"] for facts in found),
        "planned": stopping.participants,
        "information": max(facts["information"] for facts in found),
        "due": bool(due),
        "number": due[-1]["number"] if due else None,
        "of": stopping.looks if stopping.rule != "anytime" else None,
        "pairs": found,
        "stop": stop if due else None,
        "why": why,
    }


def _participants(dataset: Dataset, primary: Primary, visits: Sequence[str]) -> int:
    """Participants whose finished visits have a case of the measure with any of the systems."""
    parts, wanted = parts_of(dataset, primary.measure), set(visits)
    cases = zip(parts.dialogue_ids, parts.denominators[0].tolist(), strict=True)
    counted = {dialogue for dialogue, denominator in cases if denominator > 0}
    columns = ["dialogue_id", "visit_id", "participant_id", "system"]
    return len({
        row["participant_id"] or row["visit_id"]
        for row in dataset.read("dialogues").select(columns).to_pylist()
        if row["visit_id"] in wanted and row["system"] in primary.compare and row["dialogue_id"] in counted
    })  # fmt: skip


def _planned(
    dataset: Dataset, analysis: Analysis, pair: Pair, visits: Sequence[str], before: Sequence[float],
    alpha: float, people: int,
) -> Facts:  # fmt: skip
    primary, stopping = analysis.primary, analysis.stopping
    assert primary is not None and stopping is not None and stopping.participants is not None
    spending = "pocock" if stopping.rule == "pocock" else "obrien_fleming"
    found = monitor(
        dataset, primary.measure, pair, planned=stopping.participants, looks=stopping.looks, before=before,
        visits=visits, spending=spending, alpha=alpha, power=stopping.power, participants=people,
    )  # fmt: skip
    look = found["look"] or {}
    stop = look.get("stop")
    if stop == "futility" and not stopping.futility:
        stop = None
    return {
        "a": pair[0], "b": pair[1], "participants": found["participants"],
        "information": found["information"], "due": bool(look), "number": look.get("number"),
        "difference": found["test"].difference,
        "low": look.get("low"), "high": look.get("high"),
        "statistic": None if look.get("z") is None else abs(look["z"]), "bar": look.get("boundary"),
        "stop": stop, "why": look.get("why", ""),
    }  # fmt: skip


def _anytime(dataset: Dataset, analysis: Analysis, pair: Pair, visits: Sequence[str], alpha: float) -> Facts:
    primary, stopping = analysis.primary, analysis.stopping
    assert primary is not None and stopping is not None
    planned = stopping.participants or UNBOUNDED
    found = monitor(dataset, primary.measure, pair, planned=planned, visits=visits, alpha=alpha)["anytime"]
    people = found["n"] if found else 0
    facts: Facts = {
        "a": pair[0], "b": pair[1], "participants": people, "information": min(1.0, people / planned),
        "due": found is not None, "number": people, "difference": None, "low": None, "high": None,
        "statistic": None, "bar": 1 / alpha, "stop": None,
        "why": "No participant with a finished visit has met both, or the measure is no rate.",
    }  # fmt: skip
    if found is None:
        return facts
    low, high = found["interval"]
    facts |= {"difference": found["estimate"], "low": low, "high": high, "statistic": 1 / found["p"]}
    margin = margin_of(primary.measure, possible_margins(analysis.margins))
    if found["stop"]:
        return {
            **facts,
            "stop": "effect",
            "why": f"The evidence of {1 / found['p']:.3g} reaches {1 / alpha:.3g}.",
        }
    if stopping.futility and margin is not None and -margin < low and high < margin:
        why = f"The interval lies within the margin of {margin:g}: the difference is too small to count."
        return {**facts, "stop": "equal", "why": why}
    if stopping.participants is not None and people >= stopping.participants:
        return {**facts, "stop": "end", "why": "The planned number is reached without enough evidence."}
    return {**facts, "why": f"The evidence of {1 / found['p']:.3g} is below {1 / alpha:.3g}; go on."}


def _whole(pairs: list[Facts]) -> tuple[str | None, str]:
    """What the pairs mean for the trial: it stops when all are decided, or at its planned end."""
    stops = {facts["stop"] for facts in pairs}
    why = " ".join(f"{facts['a']} and {facts['b']}: {facts['why']}" for facts in pairs)
    if None in stops:
        return None, why
    if len(stops) == 1:
        return next(iter(stops)), why
    return ("end" if "end" in stops else "mixed"), why
