"""Events of telephone calls: which number leads to a dialogue, who called, what was missed, how it ended."""

from typing import Final, Literal

from vivavoce.log.event import Event

PIN_MARK: Final = "call-"  # before such a number where it stands among the earned codes

JoinedBy = Literal["number", "caller", "pin", "placed"]
NotTaken = Literal["no_visit", "second_call", "not_due", "paused"]
CallEnd = Literal["caller", "platform", "failure"]
NotAnsweredWhy = Literal[
    "busy", "no_answer", "declined", "unreachable", "refused", "not_confirmed", "unwanted", "failure"
]


class CallAwaited(Event):
    """A dialogue by telephone waits for a call; `pin` leads to it, dialled or keyed in. Unique in the log."""

    kind = "call_awaited"
    dialogue_id: str
    pin: str


class CallRouted(Event):
    """The system of a dialogue was drawn when its call came; it takes the place of the one first assigned.

    counted_by    whose calls the rule counted: those from the caller's number, or the participant's
    calls_before  how many of them each system has had
    """

    kind = "call_routed"
    dialogue_id: str
    system: str
    condition: str | None
    factors: dict[str, str]
    rule: str
    counted_by: Literal["caller", "participant"]
    calls_before: dict[str, int]


class CallConnected(Event):
    """A call was joined to a dialogue, which now begins.

    caller     pseudonym of the caller's number, the same in all calls from there; null where it was withheld
    joined_by  number: by the number that was dialled; caller: known from an earlier call; pin: keyed in;
               placed: we called, at the participant's wish
    """

    kind = "call_connected"
    dialogue_id: str
    call_id: str
    adapter: str
    caller: str | None
    joined_by: JoinedBy


class CallPlaced(Event):
    """We are about to call a participant who asked for it; callee: the pseudonym of the number."""

    kind = "call_placed"
    study: str
    dialogue_id: str
    call_id: str
    callee: str


class CallUnanswered(Event):
    """A call of ours carried no dialogue.

    outcome  busy, no_answer, declined, unreachable, refused (by the exchange); not_confirmed: somebody or
             something answered and did not press the key; unwanted: who answered wants no call ever;
             failure: ours
    """

    kind = "call_unanswered"
    dialogue_id: str
    call_id: str
    outcome: NotAnsweredWhy


class CallsUnwanted(Event):
    """A person who answered asked this study never to call the number again."""

    kind = "calls_unwanted"
    study: str
    callee: str


class SpeechMissed(Event):
    """Speech of which no word was recognised; seconds count from the opening of the dialogue."""

    kind = "speech_missed"
    dialogue_id: str
    onset_s: float
    offset_s: float
    reason: str = ""


class SpeechHeard(Event):
    """Speech in a dialogue that is only listened to: with a system that is a telephone number.

    Seconds count from the opening of the dialogue. Stretches of one party until the other's are one turn.
    They are told while the call goes on; the recording tells their edges more exactly.
    """

    kind = "speech_heard"
    dialogue_id: str
    party: Literal["user", "system"]
    onset_s: float
    offset_s: float


class SystemCalled(Event):
    """The system of a dialogue, a telephone number, has answered, so many seconds after it was called."""

    kind = "system_called"
    dialogue_id: str
    call_id: str
    rang_s: float


class SilencePrompted(Event):
    """The caller said nothing for long and was asked whether they were still there.

    at_s  seconds from the opening of the dialogue
    """

    kind = "silence_prompted"
    dialogue_id: str
    at_s: float


class CodeSpoken(Event):
    """The earned code was spoken to its end, so many times."""

    kind = "code_spoken"
    dialogue_id: str
    call_id: str
    times: int


class CallEnded(Event):
    """A call is over; keys: what was pressed in it; lost_s: sound that came too late to be heard."""

    kind = "call_ended"
    dialogue_id: str | None
    call_id: str
    by: CallEnd
    duration_s: float
    keys: str = ""
    lost_s: float = 0.0


class CallNotTaken(Event):
    """A call that carried no dialogue, and why; in the trial's own stream where no visit is known."""

    kind = "call_not_taken"
    study: str
    call_id: str
    caller: str | None
    reason: NotTaken


CALL_EVENTS: Final[tuple[type[Event], ...]] = (
    CallAwaited,
    CallPlaced,
    CallUnanswered,
    CallsUnwanted,
    CallRouted,
    CallConnected,
    SystemCalled,
    SpeechHeard,
    SpeechMissed,
    SilencePrompted,
    CodeSpoken,
    CallEnded,
    CallNotTaken,
)
