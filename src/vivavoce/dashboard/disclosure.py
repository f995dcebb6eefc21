"""Disclosure of the declared comparison before the trial ends: one rule for pages, files and programs.

Repeated looks at a result, with stopping when it pleases, produce false positives. The declared comparison
of people's dialogues is therefore hidden until the sample size is reached or the stopping rule has ended
the trial. Planned interim analyses are shown. Rates over all systems, single dialogues and the dataset stay
available, because they do not compare systems by themselves. An early view is possible on request and is
logged.
"""

from dataclasses import dataclass
from typing import Final

from fastapi import HTTPException, Request

from vivavoce.core.i18n import N_
from vivavoce.dashboard.app_shell import Desk
from vivavoce.dashboard.board import Board
from vivavoce.dashboard.language import Later, worded
from vivavoce.dashboard.security import tell
from vivavoce.dashboard.study_size import is_reached
from vivavoce.log.models import SIMULATED
from vivavoce.study.model import Study

EARLY: Final = "early"  # in an address: view results early
NO_LOOKS: Final = N_(
    "Results are hidden until data collection ends, because stopping when they look good produces "
    "false positives."
)
OTHER_LOOKS: Final = N_(
    "Results are hidden until data collection ends. The overview shows the planned interim analyses."
)
NO_SIZE: Final = N_("Set a sample size or interim analyses.")


@dataclass(frozen=True, slots=True)
class Disclosure:
    """Disclosure of the comparison for one request.

    reasons  for hiding it, as messages; none: it may be shown
    early    requested all the same
    """

    reasons: tuple[str, ...] = ()
    early: bool = False

    @property
    def withheld(self) -> bool:
        return bool(self.reasons) and not self.early

    @property
    def why(self) -> str:
        """Reasons in the reader's language."""
        return " ".join(map(worded, self.reasons))

    @property
    def address(self) -> str:
        """Query string that keeps the early view."""
        return f"{EARLY}=1" if self.early and self.reasons else ""


def declares_comparison(study: Study) -> bool:
    return study.analysis.primary is not None or study.analysis.preferences is not None


def reasons_to_wait(board: Board, *, looks: bool) -> tuple[str, ...]:
    """Reasons to hide the declared comparison of a board's visits; empty if it may be shown.

    looks  True if the study plans interim analyses
    """
    study = board.study
    stopped = bool(board.looks) and getattr(board.looks[-1].event, "stop", None) is not None
    if board.scope == SIMULATED or not declares_comparison(study) or stopped:
        return ()
    reached = is_reached(board)
    if reached:
        return ()
    return (OTHER_LOOKS if looks else NO_LOOKS, *([NO_SIZE] if reached is None and not looks else []))


def disclosure(request: Request, desk: Desk) -> Disclosure:
    """Disclosure for a request; an early view is logged."""
    looks = desk.watch.rule is not None
    reasons = desk.board.see(lambda board: reasons_to_wait(board, looks=looks))
    early = bool(request.query_params.get(EARLY))
    if reasons and early:
        tell(request, looked="before the end")
    return Disclosure(reasons, early)


def refuse_withheld(request: Request, desk: Desk) -> None:
    """Refuse files with the comparison while it is hidden.

    Raises  HTTPException: hidden, and no early view requested
    """
    policy = disclosure(request, desk)
    if policy.withheld:
        raise HTTPException(
            409,
            str(Later(N_("%(why)s To view them early, add early=1; this is logged."), {"why": policy.why})),
        )
