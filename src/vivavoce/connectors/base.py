"""The protocol between a session and any bot.

A connector opens a conversation, sends a user turn and yields what the system answers, resets and closes.
It knows neither study nor log, keeps no transcript, and measures no time: whoever consumes the outputs
stamps them on arrival. Failures are `SystemUnderTestError`; `reached=False` only when the bot provably
never saw the turn, for only then may the caller send it again.
"""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field


@dataclass(frozen=True, slots=True)
class Choice:
    """A button: what the participant reads, and what is sent when it is pressed."""

    title: str
    payload: str


@dataclass(frozen=True, slots=True)
class Act:
    """One dialogue act item, such as inform(food=chinese); op is = or !=."""

    act: str
    slot: str | None = None
    value: str | None = None
    op: str | None = None


@dataclass(frozen=True, slots=True)
class Understood:
    """One hypothesis of what the user meant, with the system's score for it."""

    acts: tuple[Act, ...]
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Heard:
    """One hypothesis of what the user said (recognition or channel noise), best first."""

    text: str
    score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call of a tool by the system, or later facts about it under the same key.

    arguments  as JSON, or as the model wrote them; with `more` they go on what came before under this key
    failed     the tool or its caller reported an error; None: unknown
    live       told as it happened, so that the moment of arrival is when it began or ended
    """

    key: str | None = None
    name: str | None = None
    arguments: str | None = None
    more: bool = False
    result: str | None = None
    failed: bool | None = None
    error: str | None = None
    duration_s: float | None = None
    live: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUsage:
    """Tokens of one model call: cached ones are included in the input, reasoning in the output."""

    model: str | None = None
    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """One document that the system looked up for its answer; rank: 0-based, best first."""

    rank: int
    document: str | None = None
    source: str | None = None
    query: str | None = None
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Audio:
    """Speech: 16-bit little-endian samples of one channel."""

    samples: bytes
    rate_hz: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTurn:
    """The participant's turn; `key` is the same when the turn is repeated.

    audio  the sound of the turn, for systems that listen by themselves
    overheard  the system already received the sound live (`AudioStreaming`); do not send it again
    """

    key: str
    number: int
    text: str
    payload: str | None = None
    heard: tuple[Heard, ...] = ()
    audio: Audio | None = None
    overheard: bool = False

    @property
    def message(self) -> str:
        """Input of a bot with one text field: a button's payload, else the text."""
        return self.payload if self.payload is not None else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemOutput:
    """Something that the system under test gave out.

    kind  delta    a piece of text that belongs to the current message
          audio    a piece of speech that belongs to the current message
          message  a whole message; after deltas it repeats and closes them
          extras   structured facts about the turn: acts, understood, raw
          end      the system ended the dialogue
          sent     the turn has been handed over whole; for systems that take sound no faster than it is heard

    ssml    a message's text as it was marked up for a synthesiser; "" where it was not
    held_s  seconds for which the connector kept this back to see whether more would come
    heard   what the system says that it heard of the turn it answers, where it listens by itself
    tools   calls of tools; () says that all are told and there was none; None: nothing is said of them
    """

    kind: Literal["delta", "audio", "message", "extras", "end", "sent"]
    text: str = ""
    ssml: str = ""
    choices: tuple[Choice, ...] = ()
    images: tuple[str, ...] = ()
    acts: tuple[Act, ...] = ()
    understood: tuple[Understood, ...] = ()
    raw: Any = None
    held_s: float = 0.0
    audio: Audio | None = None
    heard: tuple[Heard, ...] = ()
    tools: tuple[ToolCall, ...] | None = None
    usage: tuple[ModelUsage, ...] = ()
    retrievals: tuple[Retrieval, ...] = ()


@dataclass(frozen=True, slots=True)
class PastTurn:
    """One turn of the conversation so far, for systems that keep no memory."""

    party: Literal["user", "system"]
    text: str


@dataclass(slots=True)
class Conversation:
    """One conversation with the system under test; `key` is random and does not identify the participant.

    state is the connector's own memory of it. What JSON can hold of it is logged with each system turn
    and given back after a restart, except names that begin with an underscore: secrets and handles go there.
    """

    key: str
    language: str = "en"
    history: tuple[PastTurn, ...] = ()
    state: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """Capabilities of a connector.

    audio       spoken turns are sent as sound, and it may answer in sound
    attentive   it takes live sound where nobody pushes a button to talk
    writing     it takes typed turns
    audio_rate_hz  required sample rate; sound is resampled
    idempotent  repeating a turn with the same key gives one answer
    memory      location of the conversation: caller (we resend history), system (its own server),
        process (lost when our process dies)
    """

    streaming: bool = False
    choices: bool = False
    audio: bool = False
    attentive: bool = False
    writing: bool = True
    audio_rate_hz: int = 16_000
    idempotent: bool = False
    memory: Literal["caller", "system", "process"] = "system"
    greets: bool = True
    longest_message: int | None = None


class ConnectorSettings(BaseModel):
    """Settings of every system in a study file; a connector's own settings extend it."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    folders: ClassVar[tuple[str, ...]] = ()  # settings that are folders, relative to the study's own
    starts: ClassVar[str] = ""  # setting that names a program that the study brings along
    family: ClassVar[str] = ""  # name, in the plural, of connectors that share the settings of this class

    connect: str = Field(description="connector name")
    connect_timeout_s: float = Field(
        5.0, gt=0, le=120, description="timeout for the connection to the bot, in seconds"
    )
    first_output_timeout_s: float = Field(
        30.0, gt=0, le=600, description="timeout for its first output, in seconds"
    )
    turn_timeout_s: float = Field(
        120.0, gt=0, le=3600, description="timeout for its complete turn, in seconds"
    )
    allow_private: bool = Field(False, description="allow addresses on this computer or a private network")
    max_concurrency: int | None = Field(None, gt=0, le=10_000, description="maximum concurrent turns")
    turns_per_minute: float | None = Field(None, gt=0, description="maximum turns started per minute")
    failure_threshold: int = Field(
        5, ge=0, description="consecutive failures after which it gets no new dialogues; 0: never"
    )
    reset_s: float = Field(60.0, gt=0, description="pause in seconds before it gets new dialogues again")
    price_per_turn: float | None = Field(None, ge=0, description="cost of a turn, in any currency")
    budget: float | None = Field(None, ge=0, description="budget for all its turns")
    log_wire: bool = Field(True, description="log raw requests and answers with each turn")


class Connector(Protocol):
    """A system under test. One object serves all conversations with that system at once."""

    @property
    def capabilities(self) -> Capabilities: ...

    def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        """Begin, or take up again after a restart (then `history` is not empty); yields the greeting."""
        ...

    def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        """Send one user turn; yields outputs until the system's turn is complete."""
        ...

    async def reset(self, conversation: Conversation) -> None:
        """Make the system forget this conversation."""
        ...

    async def close(self, conversation: Conversation) -> None:
        """End the conversation and free what it holds; never raises for a bot that is gone."""
        ...

    async def shut_down(self) -> None:
        """Free everything; no conversation may be used afterwards."""
        ...


@runtime_checkable
class Interruptible(Protocol):
    """Interface of connectors whose system accepts a barge-in signal."""

    async def interrupt(self, conversation: Conversation, played_s: float) -> None:
        """Let the system stop the answer that is being given or was given last; `played_s` of it were heard.

        The outputs of a `send` that is still going on then end soon, without an error. Never raises.
        """
        ...


@runtime_checkable
class AudioStreaming(Protocol):
    """Interface of connectors whose system can hear a turn live."""

    def feed_audio(self, conversation: Conversation, piece: Audio, *, begins: bool) -> bool:
        """Let the system hear a piece of the turn that is being spoken; `send` of the whole turn follows.

        begins  it is the first of this turn
        Output  whether it went; else the whole turn is sent afterwards. Never raises, and never waits
        """
        ...


@runtime_checkable
class CalledSystem(Protocol):
    """A system that is called: the participant talks to it themselves, and no turn passes through here."""

    async def call(self) -> Any:
        """The leg of a call to it. Raises SystemUnderTestError: not reached, or it did not answer."""
        ...

    async def ping(self) -> str:
        """Reply to an availability check, without ringing. Raises SystemUnderTestError."""
        ...


def called_system(connector: Any) -> CalledSystem | None:
    """Connector behind a wrapper and its limits; None for a system that takes turns."""
    inner = getattr(connector, "inner", connector)
    return inner if isinstance(inner, CalledSystem) else None


class ConnectorKind(Protocol):
    """Registry entry of one kind of connector: its settings model and its factory."""

    name: str
    summary: str
    settings: type[ConnectorSettings]

    def make(self, settings: Any, secrets: Mapping[str, str]) -> Connector: ...


Frames = list[dict[str, Any]]

WIRE_LISTENER: Final[ContextVar[Frames | None]] = ContextVar("vivavoce_wire", default=None)


@contextmanager
def heard_on_the_wire(frames: Frames) -> Iterator[Frames]:
    """While the block runs, everything that connectors note in this task is added to `frames`."""
    token = WIRE_LISTENER.set(frames)
    try:
        yield frames
    finally:
        WIRE_LISTENER.reset(token)
