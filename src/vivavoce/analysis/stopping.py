"""The declared stopping rule of a trial: planned looks, evidence valid at any time, and the decision."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from vivavoce.analysis.clustered_summary import ClusteredSummary
from vivavoce.analysis.declared import margin_of, possible_margins
from vivavoce.analysis.summary import LEVEL
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.dataset.columns import Level
from vivavoce.dataset.reader import Dataset
from vivavoce.log.events import LoggedVerdict
from vivavoce.measures import MEASURES
from vivavoce.measures.compute import Group, groups, sums
from vivavoce.measures.compute import sums as sums_of
from vivavoce.stats.anytime import Look, watch_differences
from vivavoce.stats.difference import Comparison
from vivavoce.stats.interval import Interval
from vivavoce.stats.sandwich import ALIKE
from vivavoce.stats.summary_results import ClusteredDifference
from vivavoce.study.analysis_file import Analysis, Primary, Stopping

Spending = Literal["obrien_fleming", "pocock"]
Floats = np.ndarray[Any, np.dtype[np.float64]]
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)
WIDEST: Final = 10.0


class Boundary(NamedTuple):
    """One planned look: share of the information, |z| to exceed, alpha spent up to and with it."""

    information: float
    z: float
    spent: float


class LookVerdict(NamedTuple):
    """Verdict of a look: go on where `stop` is None; `why` gives the reason.

    z, boundary, conditional_power  None where nothing varied; the boundary also where it is too early
    """

    stop: Literal["effect", "futility", "end"] | None
    z: float | None
    boundary: float | None
    conditional_power: float | None
    why: str


def obrien_fleming(information: float, alpha: float) -> float:
    """Alpha spent by an O'Brien-Fleming type boundary, one-sided halves: little at first."""
    return 4 * float(norm.sf(norm.isf(alpha / 4) / math.sqrt(information)))


def pocock(information: float, alpha: float) -> float:
    """Alpha spent by a Pocock type boundary: about the same bar at every look."""
    return alpha * math.log(1 + (math.e - 1) * information)


SPENDING: Final[dict[str, Callable[[float, float], float]]] = {
    "obrien_fleming": obrien_fleming,
    "pocock": pocock,
}


class _State(NamedTuple):
    """Density of z where no look has stopped yet, on nodes of a quadrature."""

    nodes: Floats
    mass: Floats
    information: float


def boundaries(
    looks: int | Sequence[float], spending: Spending = "obrien_fleming", alpha: float = 0.05
) -> list[Boundary]:
    """Two-sided boundaries for planned looks.

    Input   a number of equally spaced looks, or their rising shares of the information, up to 1
    Output  one boundary a look
    Note    information is a share of the effective sample: participants, not dialogues, where those cluster
    Raises  UnknownName, InputError
    Source  Lan and DeMets 1983, by recursive integration (Armitage, McPherson and Rowe 1969);
            golden case 24 in tests/golden/statistics-sequential.json
    """
    if spending not in SPENDING:
        raise UnknownName("spending function", spending, list(SPENDING))
    shares, spend = _shares(looks), SPENDING[spending]
    bounds: list[Boundary] = []
    state: _State | None = None
    before = 0.0
    for share in shares:
        spent = spend(share, alpha)
        increment = spent - before
        z: Any = math.inf
        if increment > _exit(state, share, WIDEST):
            z = brentq(lambda z, s=state, t=share, i=increment: _exit(s, t, z) - i, 0.01, WIDEST)
        bounds.append(Boundary(share, float(z), spent))
        state, before = _advance(state, share, min(z, WIDEST)), spent
    return bounds


def judge(
    z: float, look: Boundary, *, expected: float, final: float, futility: float = 0.1, last: bool = False
) -> LookVerdict:
    """Decide if a trial may stop at a look.

    Input   `expected` is the z that the planned effect would give at full information (2.80 for 80 %
            power); `final` the boundary of the last look; `futility` the conditional power below which
            going on is idle
    Note    stopping for futility is not binding: going on all the same keeps alpha
    """
    power = conditional_power(z, look.information, expected=expected, final=final)
    if abs(z) >= look.z:
        return LookVerdict("effect", z, look.z, power, f"|z| {abs(z):.2f} reaches the boundary {look.z:.2f}.")
    if not last and power < futility:
        why = f"Conditional power with the planned effect is only {power:.0%}."
        return LookVerdict("futility", z, look.z, power, why)
    return LookVerdict(
        None, z, look.z, power, f"|z| {abs(z):.2f} is below the boundary {look.z:.2f}; continue."
    )


def conditional_power(z: float, information: float, *, expected: float, final: float) -> float:
    """Chance that the last look exceeds its boundary, given z now and the planned effect from here on.

    Source  Lan and Wittes 1988
    """
    if information >= 1:
        return float(abs(z) >= final)
    remaining = 1 - information
    drift = math.copysign(expected, z) * remaining
    middle, spread = z * math.sqrt(information) + drift, math.sqrt(remaining)
    return float(norm.sf((final - middle) / spread) + norm.cdf((-final - middle) / spread))


def _shares(looks: int | Sequence[float]) -> list[float]:
    shares = [place / looks for place in range(1, looks + 1)] if isinstance(looks, int) else list(looks)
    rising = all(a < b for a, b in zip([0.0, *shares], shares, strict=False))
    if not shares or not rising or shares[-1] > 1 + 1e-12:
        raise InputError(
            f"looks at {looks!r}", hint="give a number of looks, or rising shares above 0 and up to 1"
        )
    return shares


def _exit(state: _State | None, share: float, z: float) -> float:
    """Chance to exceed the bar at this look and not before, nothing being different."""
    if state is None:
        return float(2 * norm.sf(z))
    carried, spread = _step(state, share)
    return float(((norm.sf((z - carried) / spread) + norm.cdf((-z - carried) / spread)) * state.mass).sum())


def _advance(state: _State | None, share: float, z: float) -> _State:
    nodes = np.asarray(_NODES, dtype=float) * z
    if state is None:
        density = np.asarray(norm.pdf(nodes), dtype=float)
    else:
        carried, spread = _step(state, share)
        density = (norm.pdf((nodes[:, None] - carried[None, :]) / spread) / spread * state.mass).sum(axis=1)
    return _State(nodes, density * np.asarray(_WEIGHTS, dtype=float) * z, share)


def _step(state: _State, share: float) -> tuple[Floats, float]:
    """Earlier z values on the scale of this look, and the spread of what came since."""
    ratio = state.information / share
    return state.nodes * math.sqrt(ratio), math.sqrt(1 - ratio)


NEAR: Final = 1e-9
LARGEST_Z: Final = 40.0
FEWEST_AGREED: Final = 4


class PlannedLook(NamedTuple):
    """A look that is due, `number` `of` so many; the interval holds at all looks (None: no boundary)."""

    number: int
    of: int
    interval: Interval | None
    verdict: LookVerdict


class InterimAnalysis(NamedTuple):
    """A trial as far as it has come.

    participants  so far; `information`: their share of those planned (0 to 1)
    test          the difference of the pair, clustered
    look          None: no look is due
    anytime       evidence on the mean difference of participants who met both, in order of arrival, valid at
                  every moment; None where nobody met both, or values leave 0 to 1
    """

    participants: int
    information: float
    test: ClusteredDifference
    look: PlannedLook | None
    anytime: Look | None


def monitor(
    dataset: Dataset,
    measure: str,
    pair: tuple[str, str],
    *,
    planned: int,
    looks: int | Sequence[float] = 5,
    before: Sequence[float] = (),
    visits: Sequence[str] | None = None,
    spending: Spending = "obrien_fleming",
    alpha: float = 0.05,
    power: float = 0.8,
    by: str = "system",
    participants: int | None = None,
) -> InterimAnalysis:
    """Check if a trial may stop now.

    Input   the declared measure and pair; `planned` participants; planned looks, and the information at
            the looks `before` this one; `visits`: only the dialogues of these, in the order in which they
            ended (None: all dialogues); `participants` so far where the trial has more than this pair's
    Empty   no look is due, or nothing varied before the last: look is None
    Note    z is that with the p of the clustered t-test; boundaries spend alpha at the information that the
            looks really had (Lan and DeMets); effect stops are binding, futility is advice
    """
    if planned < 2:
        raise InputError(f"{planned} planned participants", hint="plan at least 2")
    all_groups = groups(dataset, by)
    keys = [group.key for group in all_groups]
    for key in pair:
        if key not in keys:
            raise UnknownName(by, key, [str(group_key) for group_key in keys])
    visit_of = _visit_of(dataset)
    chosen = [_within(all_groups[keys.index(key)], visit_of, visits) for key in pair]
    parts = sums_of(dataset, [measure])
    nested = ClusteredSummary(
        parts.among({dialogue_id for group in chosen for dialogue_id in group.dialogue_ids}), chosen
    )
    test = nested.test(measure, 0, 1, level=LEVEL)
    compared = nested.compare(measure, 0, 1, level=LEVEL) if nested.known else None
    people = test.clusters if participants is None else participants
    information = min(1.0, people / planned)
    order = visits if visits is not None else _visits_by_arrival(dataset)
    differences = _differences(dataset, measure, chosen, visit_of, order)
    return InterimAnalysis(
        people,
        information,
        test,
        look=_look(test, compared, information, list(before), looks, spending, alpha, power),
        anytime=watch_differences(differences, alpha) if differences else None,
    )


def _visit_of(dataset: Dataset) -> dict[str, str]:
    """The visit of each dialogue; where none is recorded, the participant or the dialogue stands for it."""
    table = dataset.read("dialogues").select(["dialogue_id", "visit_id", "participant_id"]).to_pylist()
    return {
        row["dialogue_id"]: row["visit_id"] or row["participant_id"] or row["dialogue_id"] for row in table
    }


def _visits_by_arrival(dataset: Dataset) -> list[str]:
    """Visits in the order of their first dialogue; those without an instant are left out.

    Raises  InputError: the dataset is public, so that it does not say who came first
    """
    if dataset.level is Level.public:
        raise InputError(
            "interim analyses need the order of participants, which a public dataset lacks",
            place=str(dataset.folder),
            hint="use the internal or a shareable dataset",
        )
    table = dataset.read("dialogues").select(["dialogue_id", "started_at"]).to_pylist()
    started = sorted(
        (row for row in table if row["started_at"] is not None), key=lambda row: row["started_at"]
    )
    visit_of = _visit_of(dataset)
    return list(dict.fromkeys(visit_of[row["dialogue_id"]] for row in started))


def _within(group: Group, visit_of: dict[str, str], visits: Sequence[str] | None) -> Group:
    if visits is None:
        return group
    visit_set = set(visits)
    members = [
        (dialogue, person)
        for dialogue, person in zip(group.dialogue_ids, group.participants, strict=True)
        if visit_of[dialogue] in visit_set
    ]
    return Group(group.key, [dialogue for dialogue, _ in members], [person for _, person in members])


def _look(
    test: ClusteredDifference,
    compared: Comparison | None,
    information: float,
    before: list[float],
    looks: int | Sequence[float],
    spending: Spending,
    alpha: float,
    power: float,
) -> PlannedLook | None:
    """The verdict at the planned look that is due by now."""
    planned = [bar.information for bar in boundaries(looks, spending, alpha)]
    last_information = max(before, default=0.0)
    due = [
        place for place, share in enumerate(planned) if last_information + NEAR < share <= information + NEAR
    ]
    if not due or information <= last_information + NEAR:
        return None
    place, last = due[-1], due[-1] == len(planned) - 1
    z = _z(test)
    if z is None:
        why = "The sample size is reached; participants do not vary, so no test is possible."
        end_verdict = LookVerdict("end", None, None, None, why)
        return PlannedLook(place + 1, len(planned), None, end_verdict) if last else None
    shares = [*before, information, *(share for share in planned if share > information + NEAR)]
    bars = boundaries(shares, spending, alpha)
    bar = bars[len(before)]
    expected = float(norm.isf(alpha / 2) + norm.ppf(power))
    verdict = judge(z, bar, expected=expected, final=bars[-1].z, last=last)
    if last and verdict.stop is None:
        why = f"The sample size is reached; |z| {abs(z):.2f} is below {bar.z:.2f}."
        verdict = verdict._replace(stop="end", why=why)
    if not np.isfinite(bar.z):
        verdict = verdict._replace(boundary=None, why="No decision is possible this early; continue.")
    return PlannedLook(place + 1, len(planned), _repeated(compared, bar.z), verdict)


def _z(test: ClusteredDifference) -> float | None:
    """The z with the p of the clustered comparison.

    Empty   no difference and no variation, or too few participants: None
    """
    if test.p is None or ((test.se or 0.0) <= ALIKE and test.clusters < FEWEST_AGREED):
        return None
    z = norm.isf(test.p / 2) if test.p > 0 else LARGEST_Z
    return float(np.copysign(min(z, LARGEST_Z), test.difference or 0.0))


def _repeated(compared: Comparison | None, z: float) -> Interval | None:
    """The interval that covers at every look at once: at the level that the boundary asks for."""
    return compared.interval(1 - 2 * float(norm.sf(z))) if compared is not None and np.isfinite(z) else None


def _differences(
    dataset: Dataset, measure: str, chosen: list[Group], visit_of: dict[str, str], order: Sequence[str]
) -> list[float] | None:
    """One difference of rates a participant, fixed as soon as a finished visit has shown them both.

    Output  in the order in which participants came to be known; None where values leave 0 to 1
    """
    parts = sums_of(dataset, [measure])
    weights = parts.weights.get(measure, np.ones(len(parts.dialogue_ids)))
    tops, bottoms = (
        dict(zip(parts.dialogue_ids, (np.asarray(counts[0]) * weights).tolist(), strict=True))
        for counts in (parts.numerators, parts.denominators)
    )
    dialogues_of_visit: dict[str, list[tuple[str, int, str]]] = {}
    for side, group in enumerate(chosen):
        for dialogue, person in zip(group.dialogue_ids, group.participants, strict=True):
            if person is not None:
                dialogues_of_visit.setdefault(visit_of[dialogue], []).append((person, side, dialogue))
    sums: dict[str, list[list[float]]] = {}
    difference_of: dict[str, float] = {}
    for visit in order:
        for person, side, dialogue in dialogues_of_visit.get(visit, []):
            side_sums = sums.setdefault(person, [[0.0, 0.0], [0.0, 0.0]])[side]
            side_sums[0] += float(tops[dialogue])
            side_sums[1] += float(bottoms[dialogue])
        for person in dict.fromkeys(entry[0] for entry in dialogues_of_visit.get(visit, [])):
            (a, all_a), (b, all_b) = sums[person]
            if person not in difference_of and all_a and all_b:
                if not (0 <= a <= all_a and 0 <= b <= all_b):
                    return None
                difference_of[person] = a / all_a - b / all_b
    return list(difference_of.values())


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
            why = "This pair was decided at an earlier look."
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
            f"{primary.measure} has unequal selection probabilities, which this rule does not support",
            place="analysis.stopping.rule",
            hint="use obrien_fleming or pocock",
        )
    anytime = monitor(dataset, primary.measure, pair, planned=planned, visits=visits, alpha=alpha).anytime
    if anytime is None:
        why = "No participant with a finished visit has used both systems, or the measure is not a rate."
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
    evidence = f"Evidence {1 / look.p:.3g}"
    if look.p <= alpha:
        return "effect", f"{evidence} reaches {1 / alpha:.3g}."
    within = margin is not None and look.interval is not None and max(map(abs, look.interval)) < margin
    if stopping.futility and within:
        return (
            "equal",
            f"The interval lies within the margin of {margin:g}: no relevant difference.",
        )
    if stopping.participants is not None and look.n >= stopping.participants:
        return "end", "The sample size is reached without enough evidence."
    return None, f"{evidence} is below {1 / alpha:.3g}; continue."


def _whole(pairs: Sequence[LoggedVerdict]) -> tuple[str | None, str]:
    """Verdict on the trial: it stops when all pairs are decided, or at its planned end."""
    stops = {pair.stop for pair in pairs}
    why = " ".join(f"{pair.a} and {pair.b}: {pair.why}" for pair in pairs)
    if None in stops:
        return None, why
    if len(stops) == 1:
        return next(iter(stops)), why
    return ("end" if "end" in stops else "mixed"), why
