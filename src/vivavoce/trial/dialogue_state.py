"""Where a dialogue of a visit stands: what was said, what is owed, how it ended."""

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from vivavoce.log import events as log_events
from vivavoce.log.store import StoredEvent
from vivavoce.study.model import DialogueStep


@dataclass(slots=True)
class TurnState:
    """One turn of a dialogue as the participant may see it."""

    seq: int
    turn_index: int
    party: Literal["user", "system"]
    event: log_events.UserTurnSent | log_events.SystemTurnReceived
    key: str | None = None


@dataclass(slots=True)
class DialogueState:
    """One dialogue of the visit."""

    dialogue_id: str
    step: int
    round: int
    system: str
    task_id: str | None
    task: dict[str, Any] | None
    channel: str
    language: str
    conversation: str
    notes: dict[str, Any] = field(default_factory=dict)
    opened: StoredEvent | None = None
    turns: list[TurnState] = field(default_factory=list)
    failures: list[StoredEvent] = field(default_factory=list)
    unanswered: TurnState | None = None
    answered_turns: int = 0
    failures_in_a_row: int = 0
    silent_opening: bool = False
    end_reason: str | None = None
    limit: log_events.ReachedLimit | None = None
    code: str | None = None
    pin: str | None = None
    called: bool = False
    heard_turns: int = 0
    heard_last: Literal["user", "system"] | None = None
    code_accepted: bool = False

    @property
    def awaits_call(self) -> bool:
        """Held by telephone, and nobody has called yet."""
        return self.channel == "phone" and not self.called

    @property
    def running(self) -> bool:
        return self.end_reason is None

    @property
    def user_turns(self) -> int:
        return sum(turn.party == "user" for turn in self.turns) + self.heard_turns

    def hear(self, party: Literal["user", "system"]) -> None:
        """Count a stretch of speech in a dialogue that is only listened to; one party's are one turn."""
        if party == self.heard_last:
            return
        self.heard_turns += party == "user"
        self.answered_turns += self.heard_last == "user"
        self.heard_last = party

    @property
    def greeted(self) -> bool:
        """The opening is over: the system has spoken, failed or chosen to wait."""
        return bool(self.turns or self.failures or self.silent_opening)

    def fill_in(self, answer: log_events.SystemTurnReceived) -> None:
        """Give a turn that went over as sound the words that the system says it heard."""
        for place, turn in enumerate(self.turns):
            asked = turn.turn_index == answer.reply_to and isinstance(turn.event, log_events.UserTurnSent)
            if asked and not turn.event.text:
                said = turn.event.model_copy(update={"text": answer.heard[0].text or ""})
                self.turns[place] = replace(turn, event=said)

    def nontrivial(self, step: DialogueStep) -> bool:
        """Enough user turns that the system answered."""
        return self.answered_turns >= step.nontrivial.user_turns
