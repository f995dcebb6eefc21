"""Summary of one dialogue, kept by the board and its index."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from vivavoce.log.models import TEAM, DialogueStatus, Scope, scope_of

TURN_END: Final = "\x1e"  # separates turns of one side, so that phrases do not match across them


@dataclass(slots=True)
class DialogueCard:
    """Summary of one dialogue.

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
        """Status of the dialogue; `excluded` if completed but counted in no measure."""
        return "excluded" if self.excluded and self.status == "completed" else self.status

    def says(self, wanted: str) -> bool:
        """True if any turn contains this text; `wanted` is casefolded."""
        return wanted in self.user_words or wanted in self.system_words
