"""Worker for the stopping rule: runs interim analyses on snapshots and pauses the trial."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from vivavoce.core.i18n import N_
from vivavoce.core.result import widened
from vivavoce.dashboard.background_check import BackgroundCheck
from vivavoce.dashboard.board import Board
from vivavoce.dashboard.snapshot import Snapshot, Snapshots
from vivavoce.log.events import TRIAL, InterimAnalysisRun, TrialPaused, TrialResumed
from vivavoce.log.store import Transaction
from vivavoce.study.model import Stopping

if TYPE_CHECKING:
    from vivavoce.analysis.stopping import WatchedTrial

EVERY_S: Final = 3.0
BY: Final = N_("the stopping rule")
FINAL: Final = ("effect", "equal", "mixed", "end")
REASONS: Final = {
    "effect": N_("Result: the systems differ."),
    "equal": N_("Result: no relevant difference (equivalent)."),
    "futility": N_("Futile: the planned sample is unlikely to show a difference."),
    "mixed": N_("All declared comparisons are decided."),
    "end": N_("Sample size reached."),
}


@dataclass(frozen=True, slots=True)
class _Seen:
    """State of the board before any computation."""

    visits: list[str]
    people: int
    looks: list[InterimAnalysisRun]


class Watch(BackgroundCheck):
    """Run each planned interim analysis once, even across restarts: analysis and pause are one transaction.

    Only finished visits count, in the order of their end, so that an analysis does not depend on when it
    runs. `state` is the latest computation and `problem` the reason for a failed one.
    """

    thread = "desk-watch"
    event = "watch_failed"
    failure = N_("The stopping rule could not be computed. See the terminal output for the reason.")

    def __init__(self, board: Board, snapshots: Snapshots, *, every_s: float = EVERY_S) -> None:
        super().__init__(every_s)
        self.board, self.snapshots = board, snapshots
        self.state: WatchedTrial | None = None
        self._checked = 0

    @property
    def rule(self) -> Stopping | None:
        """Stopping rule of the study; None without one."""
        analysis = self.board.study.analysis
        stopping = analysis.stopping
        return stopping if stopping is not None and stopping.rule and analysis.primary else None

    @property
    def wanted(self) -> bool:
        return self.rule is not None

    def check(self) -> InterimAnalysisRun | None:
        """Run an interim analysis if due; returns the one logged by this call."""
        rule, seen = self.rule, self.board.see(_seen)
        if rule is None or self.up_to_date():
            return None
        computed = self.snapshots.make(lambda snapshot: _computed(self.board, snapshot, seen))
        look = None
        if computed.number is not None and (rule.rule != "anytime" or computed.stop):
            event = widened(InterimAnalysisRun, computed, study=self.board.study.name)
            look = event if self.board.log.transact_now(lambda tx: _take(tx, event)) else None
        self.state, self._checked = computed, len(seen.visits)
        return look

    def up_to_date(self) -> bool:
        """True if all finished visits were analysed as far as due."""
        rule, seen = self.rule, self.board.see(_seen)
        if rule is None or (seen.looks and seen.looks[-1].stop in FINAL):
            return True
        return len(seen.visits) <= self._checked or not self._may_be_due(rule, seen)

    def _may_be_due(self, rule: Stopping, seen: _Seen) -> bool:
        """True if enough participants have finished for the next analysis; avoids useless computation."""
        from vivavoce.analysis.stopping import next_look

        due = next_look(rule, [look.information for look in seen.looks])
        return rule.rule == "anytime" or (due is not None and seen.people >= due)


def _seen(board: Board) -> _Seen:
    people = {board.visits[visit].participant_id for visit in board.ended}
    looks = [stored.event for stored in board.looks if isinstance(stored.event, InterimAnalysisRun)]
    return _Seen(list(board.ended), len(people), looks)


def _computed(board: Board, snapshot: Snapshot, seen: _Seen) -> "WatchedTrial":
    from vivavoce.analysis.stopping import DECIDED, watch

    decided = {
        (verdict.a, verdict.b): verdict.stop
        for look in seen.looks
        for verdict in look.verdicts
        if verdict.stop in DECIDED and (verdict.stop != "futility" or look.stop is None)
    }
    before = [look.information for look in seen.looks]
    return watch(snapshot.dataset, board.study.analysis, seen.visits, before=before, decided=decided)


def _take(tx: Transaction, look: InterimAnalysisRun) -> bool:
    """Log the analysis unless it, or a later one, is logged already; pause the trial if it stops."""
    events = [stored.event for stored in tx.events(TRIAL)]
    earlier = [
        event for event in events if isinstance(event, InterimAnalysisRun) and event.study == look.study
    ]
    if any(event.number >= look.number or event.stop in FINAL for event in earlier):
        return False
    tx.append(TRIAL, look)
    switches = [event for event in events if isinstance(event, TrialPaused | TrialResumed)]
    if look.stop is not None and not (switches and isinstance(switches[-1], TrialPaused)):
        tx.append(TRIAL, TrialPaused(reason=f"{REASONS[look.stop]} {look.why}", by=BY))
    return True
