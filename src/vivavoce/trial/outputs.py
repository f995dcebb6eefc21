"""Gathering what a system gives out until its turn is complete, with the times of arrival."""

from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from vivavoce.audio.ssml import apart_from_markup
from vivavoce.connectors.base import Act, ModelUsage, Retrieval, SystemOutput, ToolCall, heard_on_the_wire
from vivavoce.log.events import (
    AgentWork,
    LoggedAct,
    LoggedHypothesis,
    LoggedMessage,
    LoggedRetrieval,
    LoggedToolCall,
    LoggedUsage,
)

if TYPE_CHECKING:
    from vivavoce.trial.system_audio import SystemAudio


@dataclass(slots=True)
class SystemTurn:
    """One system turn as it grows.

    first_output_s and complete_s are on the clock given to `gather`; null while nothing has arrived.
    sound    where what it speaks goes; None: nobody listens
    heard    what it says that it heard of the turn before
    spoken_s seconds of speech that came, whether anybody listened or not
    sent_s   when the user's turn had been handed over whole, where that took its time
    tools    calls of tools by their keys; None while nothing is said of tools
    """

    messages: list[LoggedMessage] = field(default_factory=list)
    streamed: str = ""
    acts: list[LoggedAct] | None = None
    understood: list[LoggedHypothesis] = field(default_factory=list)
    ends_dialogue: bool = False
    raw: list[Any] = field(default_factory=list)
    wire: list[dict[str, Any]] = field(default_factory=list)
    first_output_s: float | None = None
    complete_s: float | None = None
    held_s: float = 0.0
    sound: "SystemAudio | None" = None
    heard: list[LoggedHypothesis] = field(default_factory=list)
    spoken_s: float = 0.0
    sent_s: float | None = None
    tools: dict[str, LoggedToolCall] | None = None
    usage: list[ModelUsage] = field(default_factory=list)
    retrievals: list[Retrieval] = field(default_factory=list)

    def take(self, output: SystemOutput, now_s: float) -> None:
        """Add one output. A message closes the deltas before it, and repeats them."""
        if output.kind in ("delta", "audio", "message") and self.first_output_s is None:
            self.first_output_s = now_s - output.held_s
        self.held_s = output.held_s
        if output.kind == "sent":
            self.sent_s = now_s
        if output.audio is not None:
            self.spoken_s += len(output.audio.samples) / 2 / output.audio.rate_hz
        if output.kind == "delta":
            self.streamed += output.text
        elif output.kind == "message":
            self.streamed = ""
            choices = [{"title": choice.title, "payload": choice.payload} for choice in output.choices]
            self.messages.append(
                _message(output.text, output.ssml, choices=choices, images=list(output.images))
            )
        elif output.kind == "end":
            self.ends_dialogue = True
        if output.acts:
            self.acts = [*(self.acts or []), *logged_acts(output.acts)]
        for hypothesis in output.understood:
            self.understood.append(
                LoggedHypothesis(acts=logged_acts(hypothesis.acts), score=hypothesis.score)
            )
        self.heard += [
            LoggedHypothesis(text=hypothesis.text, score=hypothesis.score) for hypothesis in output.heard
        ]
        if output.raw is not None:
            self.raw.append(output.raw)
        if output.tools is not None:
            self.tools = self.tools or {}
            for call in output.tools:
                self._take_tool(self.tools, call, now_s)
        self.usage += output.usage
        self.retrievals += output.retrievals

    def _take_tool(self, calls: dict[str, LoggedToolCall], call: ToolCall, now_s: float) -> None:
        """Add a call, or what is told of one later."""
        key = call.key if call.key is not None else f"#{len(calls)}"
        before = calls.get(key)
        if before is None:
            before = LoggedToolCall(name=call.name or key, started_s=now_s if call.live else None)
        fields = {
            name: value
            for name in ("name", "arguments", "result", "failed", "error", "duration_s")
            if (value := getattr(call, name)) is not None
        }
        if call.more:
            fields["arguments"] = (before.arguments or "") + (call.arguments or "")
        is_over = call.result is not None or call.error is not None
        if is_over and call.live and before.started_s is not None and key in calls:
            fields.setdefault("duration_s", now_s - before.started_s)
        calls[key] = before.model_copy(update=fields)

    @property
    def words(self) -> str:
        """Readable part of the answer so far."""
        texts = [message.text for message in self.messages if message.text]
        return "\n\n".join([*texts, self.streamed] if self.streamed.strip() else texts)

    @property
    def agent(self) -> AgentWork | None:
        """Agent activity besides talking; None without any."""
        if self.tools is None and not self.usage and not self.retrievals:
            return None
        return AgentWork(
            tools=None if self.tools is None else list(self.tools.values()),
            usage=[LoggedUsage(**asdict(call_usage)) for call_usage in self.usage],
            retrievals=[LoggedRetrieval(**asdict(retrieval)) for retrieval in self.retrievals],
        )

    def close(self, now_s: float) -> None:
        """The turn is complete, less what the connector waited for more; open deltas become a message.

        The connector counts its wait from its own look at the clock, which may be some milliseconds before
        ours: no turn is complete before its first output.
        """
        if self.streamed:
            self.messages.append(_message(self.streamed))
            self.streamed = ""
        heard_s = now_s - self.held_s
        self.complete_s = heard_s if self.first_output_s is None else max(heard_s, self.first_output_s)

    @property
    def silent(self) -> bool:
        if self.sound is not None and self.sound.heard:
            return False
        return not any(message.text or message.images or message.choices for message in self.messages)


def _message(text: str, ssml: str = "", **more: Any) -> LoggedMessage:
    """A message; what any kind of system marked up for a synthesiser is shown as words."""
    words, marked = (text, ssml) if ssml else apart_from_markup(text)
    return LoggedMessage(text=words, ssml=marked or None, **more)


async def gather(
    outputs: AsyncIterator[SystemOutput],
    now_s: Callable[[], float],
    turn: SystemTurn,
    grew: Callable[[], object] | None = None,
    *,
    since_s: float = 0.0,
) -> None:
    """Fill `turn` until the outputs end, and tell `grew` each time; what came before a failure stays.

    now_s, since_s  a clock, and its time at the opening of the dialogue
    """
    with heard_on_the_wire(turn.wire):
        async for output in outputs:
            turn.take(output, now_s() - since_s)
            if grew is not None:
                grew()
            if output.audio is not None and turn.sound is not None:
                await turn.sound.take(output.audio)
    turn.close(now_s() - since_s)


def logged_acts(acts: Iterable[Act]) -> list[LoggedAct]:
    return [LoggedAct(act=act.act, slot=act.slot, value=act.value, op=act.op) for act in acts]
