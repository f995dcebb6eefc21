"""What of the declared comparison may be shown before the trial ends: one answer for pages, files, programs.

Whoever looks at a result as often as they please, and stops when it pleases, finds differences that are not
there. So a declared comparison of people's dialogues is kept back until the declared size is reached, or the
stopping rule has ended the trial; declared looks are shown as they were declared. Rates over all systems
together, single dialogues and the dataset say nothing of the kind by themselves and stay open. Somebody may
look before the end: then they ask for it, and it is noted who did.
"""

from dataclasses import dataclass
from typing import Final

from fastapi import HTTPException, Request

from vivavoce.core.i18n import N_
from vivavoce.desk.app_shell import Desk
from vivavoce.desk.board import Board
from vivavoce.desk.language import Later, worded
from vivavoce.desk.security import tell
from vivavoce.desk.study_size import is_reached
from vivavoce.log.scope import SIMULATED
from vivavoce.study.model import Study

EARLY: Final = "early"  # in an address: look before the end
NO_LOOKS: Final = N_(
    "The study declares no looks at its result, so none is shown while the trial goes on: whoever stops when "
    "it pleases finds differences that are not there."
)
OTHER_LOOKS: Final = N_(
    "The study declares when its result is looked at: those looks stand on the overview, and nothing else of "
    "it is shown while the trial goes on."
)
NO_SIZE: Final = N_("It declares no size either, so nobody knows when it ends.")


@dataclass(frozen=True, slots=True)
class Disclosure:
    """Whether the comparison may be shown.

    reasons  why it is kept back, as messages; none: it may be shown
    early    somebody asked for it nevertheless
    """

    reasons: tuple[str, ...] = ()
    early: bool = False

    @property
    def withheld(self) -> bool:
        return bool(self.reasons) and not self.early

    @property
    def why(self) -> str:
        """The reasons in the reader's language."""
        return " ".join(map(worded, self.reasons))

    @property
    def address(self) -> str:
        """What goes with the address of everything that shows more."""
        return f"{EARLY}=1" if self.early and self.reasons else ""


def declares_comparison(study: Study) -> bool:
    return study.analysis.primary is not None or study.analysis.preferences is not None


def reasons_to_wait(board: Board, *, looks: bool) -> tuple[str, ...]:
    """Why the declared comparison of a board's visits is kept back; nothing: it is not.

    looks  whether the study declares looks at its result
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
    """What a request may be shown; that somebody looks before the end is noted."""
    looks = desk.watch.rule is not None
    reasons = desk.board.see(lambda board: reasons_to_wait(board, looks=looks))
    early = bool(request.query_params.get(EARLY))
    if reasons and early:
        tell(request, looked="before the end")
    return Disclosure(reasons, early)


def refuse_withheld(request: Request, desk: Desk) -> None:
    """For files that hold the comparison.

    Raises  HTTPException: it is kept back, and nobody asked for it nevertheless
    """
    found = disclosure(request, desk)
    if found.withheld:
        raise HTTPException(409, str(Later(N_("%(why)s Ask with early=1: it is noted."), {"why": found.why})))
