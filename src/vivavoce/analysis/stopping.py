"""The declared stopping rule of a trial, applied to what has come so far: go on, or stop and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

from vivavoce.analysis.declared import margin_of, possible_margins
from vivavoce.analysis.interim_analyses import NEAR, monitor
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.dataset.reader import Dataset
from vivavoce.log.events import LoggedVerdict
from vivavoce.measures import MEASURES
from vivavoce.measures.compute import sums
from vivavoce.stats.anytime import Look
from vivavoce.study.analysis_file import Analysis, Primary, Stopping

Pair = tuple[str, str]
UNBOUNDED: Final = 1_000_000
DECIDED: Final = ("effect", "equal", "futility")


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedTrial:
    """The primary comparison of a running trial under its stopping rule.

    participants  with a finished visit; `planned`: at most; `information`: their share of those (0 to 1)
    number        of the look that is due now, `of` so many; with `anytime`, participants who met both; None:
                  no look is due
    verdicts      pair by pair; limits are valid under the rule
    stop          effect, equal, futility, mixed, end, over all pairs; None: go on
    """

    rule: str
    measure: str
    participants: int
    planned: int | None
    information: float
    number: int | None
    of: int | None
    verdicts: list[LoggedVerdict]
    stop: str | None
    why: str


class _Pair(NamedTuple):
    participants: int
    information: float
    number: int | None
    verdict: LoggedVerdict


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
    last_information = max(before, default=0.0)
    ahead = [
        place
        for place in range(1, stopping.interim_analyses + 1)
        if place / stopping.interim_analyses > last_information + NEAR
    ]
    return -(-ahead[0] * stopping.participants // stopping.interim_analyses) if ahead else None


def watch(
    dataset: Dataset,
    analysis: Analysis,
    visits: Sequence[str],
    *,
    before: Sequence[float] = (),
    decided: Mapping[Pair, str] | None = None,
) -> WatchedTrial:
    """The primary comparison of a running trial under its stopping rule.

    Input   visits that have ended, in that order; information at the looks `before`; pairs that earlier looks
            have `decided`, with how
    Note    the trial stops once every pair is decided, or at the planned number of participants
    Raises  UnknownName: no such measure, or a system that has no dialogue yet; InputError: `anytime` on
            labels of dialogues that were chosen
    """
    primary, stopping = _declared(analysis)
    assert stopping.rule is not None
    if primary.measure not in MEASURES:
        raise UnknownName("measure", primary.measure, MEASURES.names(), place="analysis.primary")
    alpha, people = share_of_alpha(analysis), _participants(dataset, primary, visits)
    pairs = [
        _anytime(dataset, analysis, pair, visits, alpha)
        if stopping.rule == "anytime"
        else _planned(dataset, analysis, pair, visits, before, alpha, people)
        for pair in pairs_to_watch(primary)
    ]
    verdicts = [pair.verdict for pair in pairs]
    for place, verdict in enumerate(verdicts):
        earlier = (decided or {}).get((verdict.a, verdict.b))
        if earlier is not None:
            why = "An earlier look has decided this pair."
            verdicts[place] = verdict.model_copy(update={"stop": earlier, "why": why})
    stop, why = _whole(verdicts)
    number = next((pair.number for pair in reversed(pairs) if pair.number is not None), None)
    return WatchedTrial(
        rule=stopping.rule,
        measure=primary.measure,
        participants=max(pair.participants for pair in pairs),
        planned=stopping.participants,
        information=max(pair.information for pair in pairs),
        number=number,
        of=stopping.interim_analyses if stopping.rule != "anytime" else None,
        verdicts=verdicts,
        stop=stop if number is not None else None,
        why=why,
    )


def _declared(analysis: Analysis) -> tuple[Primary, Stopping]:
    """Declared question and stopping rule; the caller has checked that a study declares both."""
    assert analysis.primary is not None
    assert analysis.stopping is not None
    return analysis.primary, analysis.stopping


def _participants(dataset: Dataset, primary: Primary, visits: Sequence[str]) -> int:
    """Participants whose finished visits have a case of the measure with any of the systems."""
    parts, visit_set = sums(dataset, [primary.measure]), set(visits)
    cases = zip(parts.dialogue_ids, parts.denominators[0].tolist(), strict=True)
    counted = {dialogue for dialogue, denominator in cases if denominator > 0}
    columns = ["dialogue_id", "visit_id", "participant_id", "system"]
    return len(
        {
            row["participant_id"] or row["visit_id"]
            for row in dataset.read("dialogues").select(columns).to_pylist()
            if row["visit_id"] in visit_set
            and row["system"] in primary.compare
            and row["dialogue_id"] in counted
        }
    )


def _planned(
    dataset: Dataset,
    analysis: Analysis,
    pair: Pair,
    visits: Sequence[str],
    before: Sequence[float],
    alpha: float,
    people: int,
) -> _Pair:
    primary, stopping = _declared(analysis)
    assert stopping.participants is not None
    spending = "pocock" if stopping.rule == "pocock" else "obrien_fleming"
    monitored = monitor(
        dataset,
        primary.measure,
        pair,
        planned=stopping.participants,
        looks=stopping.interim_analyses,
        before=before,
        visits=visits,
        spending=spending,
        alpha=alpha,
        power=stopping.power,
        participants=people,
    )
    verdict = LoggedVerdict(a=pair[0], b=pair[1], difference=monitored.test.difference)
    if monitored.look is None:
        return _Pair(monitored.participants, monitored.information, None, verdict)
    number, _, interval, look_verdict = monitored.look
    low, high = interval or (None, None)
    verdict = verdict.model_copy(
        update={
            "low": low,
            "high": high,
            "statistic": None if look_verdict.z is None else abs(look_verdict.z),
            "bar": look_verdict.boundary,
            "stop": look_verdict.stop if look_verdict.stop != "futility" or stopping.futility else None,
            "why": look_verdict.why,
        }
    )
    return _Pair(monitored.participants, monitored.information, number, verdict)


def _anytime(dataset: Dataset, analysis: Analysis, pair: Pair, visits: Sequence[str], alpha: float) -> _Pair:
    primary, stopping = _declared(analysis)
    planned = stopping.participants or UNBOUNDED
    if primary.measure in sums(dataset, [primary.measure]).weights:
        raise InputError(
            f"{primary.measure} rests on dialogues that were chosen by their chances, and evidence at any "
            "time weighs everybody alike",
            place="analysis.stopping.rule",
            hint="take obrien_fleming or pocock",
        )
    anytime = monitor(dataset, primary.measure, pair, planned=planned, visits=visits, alpha=alpha).anytime
    if anytime is None:
        why = "No participant with a finished visit has met both, or the measure is no rate."
        return _Pair(0, 0.0, None, LoggedVerdict(a=pair[0], b=pair[1], bar=1 / alpha, why=why))
    low, high = anytime.interval or (None, None)
    stop, why = _stop_at_any_time(anytime, analysis, alpha)
    verdict = LoggedVerdict(
        a=pair[0],
        b=pair[1],
        difference=anytime.estimate,
        low=low,
        high=high,
        statistic=1 / anytime.p,
        bar=1 / alpha,
        stop=stop,
        why=why,
    )
    return _Pair(anytime.n, min(1.0, anytime.n / planned), anytime.n, verdict)


def _stop_at_any_time(look: Look, analysis: Analysis, alpha: float) -> tuple[str | None, str]:
    """Verdict on a pair by evidence that is valid at every moment, and the reason."""
    primary, stopping = _declared(analysis)
    margin = margin_of(primary.measure, possible_margins(analysis.margins))
    evidence = f"The evidence of {1 / look.p:.3g}"
    if look.p <= alpha:
        return "effect", f"{evidence} reaches {1 / alpha:.3g}."
    within = margin is not None and look.interval is not None and max(map(abs, look.interval)) < margin
    if stopping.futility and within:
        return (
            "equal",
            f"The interval lies within the margin of {margin:g}: the difference is too small to count.",
        )
    if stopping.participants is not None and look.n >= stopping.participants:
        return "end", "The planned number is reached without enough evidence."
    return None, f"{evidence} is below {1 / alpha:.3g}; go on."


def _whole(pairs: Sequence[LoggedVerdict]) -> tuple[str | None, str]:
    """Verdict on the trial: it stops when all pairs are decided, or at its planned end."""
    stops = {pair.stop for pair in pairs}
    why = " ".join(f"{pair.a} and {pair.b}: {pair.why}" for pair in pairs)
    if None in stops:
        return None, why
    if len(stops) == 1:
        return next(iter(stops)), why
    return ("end" if "end" in stops else "mixed"), why
