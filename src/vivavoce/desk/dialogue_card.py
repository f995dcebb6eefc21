"""One dialogue in short, as the board and its index keep it."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from vivavoce.log.models import DialogueStatus
from vivavoce.log.scope import TEAM, Scope, scope_of

TURN_END: Final = "\x1e"  # between the turns of one side: no phrase reaches over it


@dataclass(slots=True)
class DialogueCard:
    """One dialogue in short.

    user_words, system_words  all that each side said, folded for searching, turns apart by TURN_END
    errors    the kinds of failure of the system's turns; tools: names of those that it called
    excluded  the study's rules leave it out of every measure
    team      the team tried the study out by it
    """

    dialogue_id: str
    visit_id: str
    participant_id: str
    simulated: bool
    system: str
    condition: str | None
    task_id: str | None
    assigned_at: datetime
    status: DialogueStatus = "running"
    end_reason: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    duration_s: float | None = None
    user_turns: int = 0
    system_turns: int = 0
    failures: int = 0
    code: str | None = None
    code_accepted: bool = False
    success: float | None = None
    user_words: str = ""
    system_words: str = ""
    excluded: bool = False
    language: str = ""
    factors: dict[str, str] = field(default_factory=dict)
    errors: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    team: bool = False

    @property
    def scope(self) -> Scope:
        return TEAM if self.team else scope_of(simulated=self.simulated)

    @property
    def outcome(self) -> str:
        """How it ended; `excluded` where it was completed but counts in no measure."""
        return "excluded" if self.excluded and self.status == "completed" else self.status

    def says(self, wanted: str) -> bool:
        """Whether any turn holds this text; `wanted` is casefolded."""
        return wanted in self.user_words or wanted in self.system_words
