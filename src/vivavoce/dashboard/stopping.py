"""The stopping rule on the dashboard: comparison, interim analyses and their results."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from vivavoce.core.i18n import N_, SOURCE_LANGUAGE
from vivavoce.dashboard.board import Board, Pause, VisitCard
from vivavoce.dashboard.language import gettext, language, ngettext, worded
from vivavoce.dashboard.stopping_worker import BY, FINAL, REASONS, Watch
from vivavoce.log.events import InterimAnalysisRun, LoggedVerdict, TrialPaused, TrialResumed
from vivavoce.log.store import StoredEvent
from vivavoce.measures import MEASURES
from vivavoce.reports.language import MISSING, between, count, difference, listed, localised, plural
from vivavoce.study.model import Study

if TYPE_CHECKING:
    from vivavoce.analysis.stopping import WatchedTrial

RULES: Final = {
    "obrien_fleming": N_("O'Brien-Fleming boundaries (early stopping needs very strong evidence)"),
    "pocock": N_("Pocock boundaries (nearly the same at each analysis)"),
    "anytime": N_("e-values, checked after each visit"),
}
MEANINGS: Final[dict[str | None, str]] = {
    None: N_("Not enough evidence yet."),
    "effect": N_("Significant difference."),
    "equal": N_("Equivalent: no relevant difference."),
    "end": N_("Sample size reached; no significant difference."),
}
SCALES: Final = {
    "planned": N_(
        "|z| is the difference in standard errors. The trial stops when |z| reaches the boundary of an "
        "interim analysis."
    ),
    "anytime": N_(
        "The e-value measures evidence for a difference. The trial stops when it reaches the boundary."
    ),
}
GOES_ON: Final = N_("Not decided yet. Data collection continues.")


@dataclass(frozen=True, slots=True)
class PairRow:
    """One pair at an interim analysis, with an adjusted interval; `reached`: share of the evidence.

    verdict  what is written here, as the log has it
    """

    pair: str
    difference: str
    interval: str
    statistic: str
    bar: str
    reached: float
    meaning: str
    verdict: LoggedVerdict


@dataclass(frozen=True, slots=True)
class LookRow:
    """One interim analysis, or the current state."""

    name: str
    at: datetime | None
    participants: int
    rows: list[PairRow]
    meaning: str


@dataclass(frozen=True, slots=True)
class WatchView:
    """Stopping rule on the trial page."""

    question: str
    plan: str
    now: str
    meaning: str
    statistic: str
    looks: list[LookRow]
    problem: str


@dataclass(frozen=True, slots=True)
class Switch:
    """Pause or resumption of the trial: time, author and reason."""

    at: datetime
    what: str
    by: str
    reason: str


def make_watch_view(study: Study, watch: Watch) -> WatchView | None:
    """View of the stopping rule; None if the study has none."""
    rule, primary = watch.rule, study.analysis.primary
    if rule is None or primary is None:
        return None
    from vivavoce.reports.rate_tables import title

    people, looks = watch.board.see(_people_and_looks)
    rows = [_logged(at, look) for at, look in looks]
    if rule.rule == "anytime" and watch.state is not None and not rows:
        rows = [_current(watch.state)]
    stop = looks[-1][1].stop if looks else None
    plan = worded(RULES[str(rule.rule)])
    if rule.rule != "anytime" and rule.participants is not None:
        due = [
            -(-place * rule.participants // rule.interim_analyses)
            for place in range(1, rule.interim_analyses + 1)
        ]
        plan = ngettext(
            "%(num)s interim analysis, at %(due)s participants; %(plan)s",
            "%(num)s interim analyses, at %(due)s participants; %(plan)s",
            rule.interim_analyses,
            due=listed([str(part) for part in due]),
            plan=plan,
        )
    elif rule.participants is not None:
        plan = gettext(
            "%(plan)s; at most %(participants)s participants",
            plan=plan,
            participants=plural(rule.participants, "participant"),
        )
    scale = worded(SCALES["anytime" if rule.rule == "anytime" else "planned"])
    return WatchView(
        question=gettext(
            "%(systems)s: difference in %(measure)s",
            systems=listed(list(primary.compare)),
            measure=title(primary.measure).lower(),
        ),
        plan=gettext(
            "%(plan)s. Alpha %(alpha)s, two-sided. %(scale)s",
            plan=plan,
            alpha=localised(f"{primary.alpha:g}"),
            scale=scale,
        ),
        now=_now(people, watch, looks, stop),
        meaning=rows[-1].meaning if rows else gettext("No interim analysis yet."),
        statistic=gettext("Evidence (e-value)") if rule.rule == "anytime" else "|z|",
        looks=list(reversed(rows)),
        problem=worded(watch.problem),
    )


def compared_visits(board: Board) -> list[VisitCard]:
    """Finished visits with a dialogue that the declared comparison counts."""
    primary = board.study.analysis.primary
    compared = set(primary.compare) if primary is not None else set[str]()
    finished = (
        dialogue
        for dialogue in board.dialogues.values()
        if dialogue.status != "running" and not dialogue.excluded
    )
    with_case = {dialogue.visit_id for dialogue in finished if dialogue.system in compared}
    return [visit for key, visit in board.visits.items() if visit.outcome is not None and key in with_case]


def _people_and_looks(board: Board) -> tuple[int, list[tuple[datetime, InterimAnalysisRun]]]:
    people = {compared_visit.participant_id for compared_visit in compared_visits(board)}
    return len(people), [
        (look.at, look.event) for look in board.looks if isinstance(look.event, InterimAnalysisRun)
    ]


def _now(
    people: int, watch: Watch, looks: list[tuple[datetime, InterimAnalysisRun]], ended: str | None
) -> str:
    from vivavoce.analysis.stopping import next_look

    rule = watch.rule
    assert rule is not None
    sentence = ngettext(
        "%(participants)s participant with a finished visit.",
        "%(participants)s participants with a finished visit.",
        people,
        participants=count(people),
    )
    due = next_look(rule, [look.information for _, look in looks])
    if ended in FINAL:
        none = gettext("No further interim analyses.")
        return f"{sentence} {none}"
    if due is not None:
        following = gettext("Next interim analysis at %(participants)s participants.", participants=due)
        return f"{sentence} {following}"
    return sentence


def _logged(at: datetime, look: InterimAnalysisRun) -> LookRow:
    name = gettext("Decided at participant %(number)s", number=look.number)
    if look.of:
        name = gettext("Analysis %(number)s of %(all)s", number=look.number, all=look.of)
    rows = [_pair(verdict, look.measure) for verdict in look.verdicts]
    return LookRow(name, at, look.participants, rows, worded(REASONS[look.stop] if look.stop else GOES_ON))


def _current(state: "WatchedTrial") -> LookRow:
    rows = [_pair(verdict, state.measure) for verdict in state.verdicts]
    return LookRow(gettext("Now"), None, state.participants, rows, worded(GOES_ON))


def _pair(verdict: LoggedVerdict, measure: str) -> PairRow:
    unit = MEASURES.get(measure).unit if measure in MEASURES else ""
    evidence, bar = verdict.statistic, verdict.bar

    def write(value: float) -> str:
        return difference(value, unit)

    return PairRow(
        pair=gettext("%(a)s minus %(b)s", a=verdict.a, b=verdict.b),
        difference=difference(verdict.difference, unit),
        interval=between(_within(verdict.low, unit), _within(verdict.high, unit), write),
        statistic=_evidence(evidence),
        bar=_evidence(bar),
        reached=min(1.0, evidence / bar) if evidence is not None and bar else 0.0,
        meaning=_meaning(verdict.stop, verdict.why),
        verdict=verdict,
    )


def _within(limit: float | None, unit: str) -> float | None:
    """Interval limited to ±100 points, which standard errors may exceed."""
    return limit if limit is None or unit != "ratio" else max(-1.0, min(1.0, limit))


def _evidence(value: float | None) -> str:
    """z or e-value in readable precision."""
    if value is None:
        return MISSING
    return localised(f"{value:.2f}" if value < 100 else f"{value:.3g}")


def pause_told(board: Board) -> Pause | None:
    """Reason for a pause, translated if given by the stopping rule."""
    stored = board.pauses[-1] if board.pause else None
    if stored is None or not isinstance(stored.event, TrialPaused):
        return board.pause
    return Pause(stored.at, *_told(board, stored, stored.event))


def pauses_told(board: Board) -> list[Switch]:
    """Pauses and resumptions, latest first."""
    switches = []
    for stored in reversed(board.pauses):
        event = stored.event
        if isinstance(event, TrialPaused):
            reason, by = _told(board, stored, event)
            switches.append(Switch(stored.at, gettext("paused"), by, reason))
        elif isinstance(event, TrialResumed):
            switches.append(Switch(stored.at, gettext("resumed"), event.by, ""))
    return switches


def _told(board: Board, stored: StoredEvent, pause: TrialPaused) -> tuple[str, str]:
    """Reason and author; people's words stay as they are, logged English is translated."""
    if pause.by == BY and language() != SOURCE_LANGUAGE:
        for look in (
            stored_look.event for stored_look in board.looks if stored_look.seq + 1 == stored.seq
        ):  # logged with the pause
            if isinstance(look, InterimAnalysisRun) and look.stop:
                return f"{worded(REASONS[look.stop])} {_evidence_told(look)}", worded(BY)
    return pause.reason, pause.by


def _evidence_told(look: InterimAnalysisRun) -> str:
    return " ".join(
        gettext(
            "%(a)s and %(b)s: evidence %(evidence)s, boundary %(boundary)s.",
            a=verdict.a,
            b=verdict.b,
            evidence=_evidence(verdict.statistic),
            boundary=_evidence(verdict.bar),
        )
        for verdict in look.verdicts
    )


def _meaning(stop: str | None, why: str) -> str:
    """Meaning of a pair's result; if unknown, the logged English reason."""
    if stop in MEANINGS:
        return worded(MEANINGS[stop])
    return why if language() == SOURCE_LANGUAGE or stop not in REASONS else worded(REASONS[stop])
