"""The stopping rule as the dashboard shows it: what is watched, what each look found, and what it means."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from vivavoce.desk.board import Board
from vivavoce.desk.stopping_worker import FINAL, REASONS, Watch
from vivavoce.log.events import LookTaken
from vivavoce.measures import MEASURES
from vivavoce.report.numbers import MISSING, between, difference, listed, plural
from vivavoce.study.model import Study

RULES: Final = {
    "obrien_fleming": "O'Brien-Fleming boundaries: early looks stop only on very strong evidence",
    "pocock": "Pocock boundaries: about the same bar at every look",
    "anytime": "evidence that may be watched after every visit",
}
MEANINGS: Final[dict[str | None, str]] = {
    None: "Not enough evidence yet.",
    "effect": "They differ.",
    "equal": "The difference is too small to count.",
    "end": "The planned number is reached; no difference shown.",
}
SCALES: Final = {
    "planned": "|z| is the difference in standard errors; the trial stops for a difference when it reaches "
    "the boundary of a look.",
    "anytime": "The e-value says how much better the data fit a difference than none; the trial stops for a "
    "difference when it reaches the boundary.",
}
GOES_ON: Final = "Not decided yet; the trial goes on."


@dataclass(frozen=True, slots=True)
class PairRow:
    """One pair at a look; the interval holds at all looks, `reached` is the share of the evidence needed."""

    pair: str
    difference: str
    interval: str
    statistic: str
    bar: str
    reached: float
    meaning: str


@dataclass(frozen=True, slots=True)
class LookRow:
    """One look, or where the watch stands now."""

    name: str
    at: datetime | None
    participants: int
    rows: list[PairRow]
    meaning: str


@dataclass(frozen=True, slots=True)
class WatchView:
    """What the page of the trial shows of its stopping rule."""

    question: str
    plan: str
    now: str
    meaning: str
    statistic: str
    looks: list[LookRow]
    problem: str


def make_watch_view(study: Study, watch: Watch) -> WatchView | None:
    """None where the study declares no rule that is watched."""
    rule, primary = watch.rule, study.analysis.primary
    if rule is None or primary is None:
        return None
    from vivavoce.report.content import title

    people, looks = watch.board.see(_people_and_looks)
    rows = [_logged(at, look) for at, look in looks]
    if rule.rule == "anytime" and watch.state is not None and not rows:
        rows = [_current(watch.state)]
    ended = looks[-1][1].stop if looks else None
    plan = RULES[str(rule.rule)]
    if rule.rule != "anytime" and rule.participants is not None:
        due = [-(-place * rule.participants // rule.looks) for place in range(1, rule.looks + 1)]
        plan = f"{plural(rule.looks, 'look')}, at {listed([str(one) for one in due])} participants; {plan}"
    elif rule.participants is not None:
        plan = f"{plan}; the trial ends at {plural(rule.participants, 'participant')} at the latest"
    scale = SCALES["anytime" if rule.rule == "anytime" else "planned"]
    return WatchView(
        question=f"Do {listed(list(primary.compare))} differ in {title(primary.measure).lower()}?",
        plan=f"{plan}. Alpha {primary.alpha:g}, two-sided. {scale}",
        now=_now(people, watch, looks, ended),
        meaning=rows[-1].meaning if rows else "Nothing can be said before the first look.",
        statistic="Evidence (e-value)" if rule.rule == "anytime" else "|z|",
        looks=list(reversed(rows)),
        problem=watch.problem,
    )


def _people_and_looks(board: Board) -> tuple[int, list[tuple[datetime, LookTaken]]]:
    people = {board.visits[visit].participant_id for visit in board.ended}
    return len(people), [(one.at, one.event) for one in board.looks if isinstance(one.event, LookTaken)]


def _now(people: int, watch: Watch, looks: list[tuple[datetime, LookTaken]], ended: str | None) -> str:
    from vivavoce.stats.stopping import next_look

    rule = watch.rule
    assert rule is not None
    said = f"{plural(people, 'participant')} with a finished visit so far."
    due = next_look(rule, [look.information for _, look in looks])
    if ended in FINAL:
        return said + " No further look will be taken."
    if due is not None:
        return said + f" The next look is due at {due}."
    return said


def _logged(at: datetime, look: LookTaken) -> LookRow:
    name = f"Look {look.number} of {look.of}" if look.of else f"Decided at participant {look.number}"
    rows = [_pair(one.model_dump(), look.measure) for one in look.verdicts]
    return LookRow(name, at, look.participants, rows, REASONS[look.stop] if look.stop else GOES_ON)


def _current(state: dict[str, Any]) -> LookRow:
    rows = [_pair(pair, state["measure"]) for pair in state["pairs"]]
    return LookRow("Now", None, state["participants"], rows, GOES_ON)


def _pair(facts: dict[str, Any], measure: str) -> PairRow:
    unit = MEASURES.get(measure).unit if measure in MEASURES else ""
    evidence, bar = facts["statistic"], facts["bar"]

    def write(value: float) -> str:
        return difference(value, unit)

    return PairRow(
        pair=f"{facts['a']} minus {facts['b']}",
        difference=difference(facts["difference"], unit),
        interval=between(_within(facts["low"], unit), _within(facts["high"], unit), write),
        statistic=_evidence(evidence),
        bar=_evidence(bar),
        reached=min(1.0, evidence / bar) if evidence is not None and bar else 0.0,
        meaning=MEANINGS.get(facts["stop"]) or str(facts["why"]),
    )


def _within(limit: float | None, unit: str) -> float | None:
    """Two rates are never more than 100 points apart, whatever an interval made of standard errors says."""
    return limit if limit is None or unit != "ratio" else max(-1.0, min(1.0, limit))


def _evidence(value: float | None) -> str:
    """A z, or an e-value, with as many digits as one reads."""
    if value is None:
        return MISSING
    return f"{value:.2f}" if value < 100 else f"{value:.3g}"
