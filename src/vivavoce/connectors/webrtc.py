"""A bot that is spoken to over WebRTC: an offer is posted, the answer connects, sound goes both ways.

Wire    POST of our offer, as JSON (`{sdp, type}`) or as plain SDP; one audio track each way; a data channel
        with messages in JSON. A turn is said at its own speed; the bot's is over when a message says so
        (`turn_end`), or after `idle_s` of silence in its sound
Memory  in the system, as long as the connection lives
Retry   when the connection was never made
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, ClassVar, Final, Literal

import numpy as np
from pydantic import Field

from vivavoce.audio.sound import Samples
from vivavoce.connectors.answer_paths import AnswerPaths, AnswerReader
from vivavoce.connectors.answers import bad_answer, read_json
from vivavoce.connectors.base import (
    Audio,
    Capabilities,
    ConnectorSettings,
    Conversation,
    SystemOutput,
    UserTurn,
)
from vivavoce.connectors.expressions import Expression, Path
from vivavoce.connectors.idle_timeout import Item, until_idle
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.system_connector import VARIABLES, HoldingConnector
from vivavoce.connectors.templates import compile_template
from vivavoce.connectors.transport import check_status, make_client, reported
from vivavoce.connectors.urls import WebAddress
from vivavoce.connectors.webrtc_peer import FRAME, HEARD_HZ, RATE_HZ, Peer, aiortc
from vivavoce.core.errors import SystemUnderTestError

_VARIABLES: Final = VARIABLES - {"title", "payload"} | {"played_ms"}
_QUIET: Final = 300  # of 32768: what is less is silence of a codec
_PIECE: Final = 2_400  # samples that are handed on at once, 0.1 s
_BEFORE: Final = 10  # frames of silence before its first sound that are kept
_PAUSE: Final = 5  # frames of silence after which what was heard is handed on
_ON_ITS_WAY: Final = 7_200  # samples, 0.3 s, that may follow the message that ends a turn
_NONE_COMES_S: Final = 1.5  # after that message, where no sound comes at all


class WebRTCSettings(ConnectorSettings):
    """Settings of a system with `connect: webrtc`."""

    url: WebAddress = Field(description="address for the offer; may contain {{ conversation }}")
    headers: dict[str, str] = Field(default_factory=dict, description="may contain ${SECRET}")
    offer: Literal["json", "sdp"] = Field(
        "json", description="format of the offer: {sdp, type}, or plain SDP"
    )
    channel: str = Field("data", description="name of the data channel")
    begin: Any = Field(None, description="template of the message that starts the conversation")
    turn_done: Any = Field(None, description="template of the message after the participant's turn")
    interrupt: Any = Field(None, description="template of the message at a barge-in; {{ played_ms }}")
    send: Any = Field(None, description="template of the message for a typed turn (default: speech only)")
    response: AnswerPaths = Field(default=AnswerPaths(), description="paths in a message")
    delta: Path | None = Field(None, description="path to a piece of its reply in a message")
    heard: Path | None = Field(
        None, description=("path to the transcript of the participant's speech in a message")
    )
    turn_end: Path | None = Field(None, description="path that is true in the message that ends the turn")
    while_spoken: bool = Field(
        False, description="send speech live, by telephone and with an open microphone"
    )
    greets: bool = Field(False, description="the system speaks first")
    idle_s: float = Field(1.5, gt=0, le=60, description="silence that ends its turn")
    longest_answer_bytes: int = Field(
        200_000, gt=0, le=5_000_000, description="maximum length of the answer to the offer"
    )


class WebRTCConnector(HoldingConnector[WebRTCSettings, "_Line"]):
    """A system under test that is spoken to over WebRTC."""

    name: ClassVar[str] = "webrtc"
    summary: ClassVar[str] = "sound over WebRTC, with data channel messages by templates"
    settings: ClassVar[type[ConnectorSettings]] = WebRTCSettings
    check_installed = staticmethod(aiortc)

    def __init__(self, settings: WebRTCSettings, vault: Vault) -> None:
        super().__init__(settings, vault)
        self._url = compile_template(settings.url, {"conversation", "language"}, place="url")
        self._headers = compile_template(settings.headers, {"conversation"}, place="headers")
        self._templates = {
            name: compile_template(getattr(settings, name), _VARIABLES, place=name)
            for name in ("begin", "turn_done", "interrupt", "send")
        }
        self._reader = AnswerReader(settings.response)
        self._found = {
            name: Expression(path) if (path := getattr(settings, name)) else None
            for name in ("delta", "heard", "turn_end")
        }
        self._client = make_client(settings, settings.longest_answer_bytes, vault)

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(
            streaming=True,
            audio=True,
            audio_rate_hz=RATE_HZ,
            writing=self._settings.send is not None,
            memory="process",
            greets=self._settings.greets,
            attentive=self._settings.while_spoken,
        )

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        line = await self._line(conversation)
        if self._settings.greets:
            async for output in self._listen(conversation, line):
                yield output

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        settings = self._settings
        if turn.audio is None and settings.send is None:
            problem = "this system accepts only speech, not typed turns"
            raise SystemUnderTestError("refused", problem, reached=False)
        line = await self._line(conversation)
        overheard = line.overheard_all() and turn.overheard
        if not overheard:
            line.begin_turn()
        if turn.audio is None:
            self._tell(line, "send", conversation, turn)
        else:
            if not overheard:
                line.peer.say(samples_of(turn.audio))
            how = ", while it was spoken" if overheard else ""
            self._wire.sent("sound", f"{len(turn.audio.samples)} bytes of sound{how}")
            await line.peer.said()
            if settings.turn_done is not None:
                self._tell(line, "turn_done", conversation, turn)
            yield SystemOutput(kind="sent")
        async for output in self._listen(conversation, line):
            yield output

    def feed_audio(self, conversation: Conversation, piece: Audio, *, begins: bool) -> bool:
        """Say a piece of a turn that is being spoken."""
        line = self._held.get(conversation.key)
        if line is None or not line.peer.connected:
            return False
        if begins:
            line.begin_turn()
        line.feed_audio(samples_of(piece))
        return True

    async def interrupt(self, conversation: Conversation, played_s: float) -> None:
        """Send the message that stops the answer, where there is one."""
        line = self._held.get(conversation.key)
        if line is not None and line.peer.connected and self._settings.interrupt is not None:
            self._tell(line, "interrupt", conversation, played_ms=round(played_s * 1000))

    async def _line(self, conversation: Conversation) -> "_Line":
        """The conversation's connection, made where there is none. Raises SystemUnderTestError."""
        current = self._held.get(conversation.key)
        if current is not None and current.peer.connected:
            return current
        line = self._held[conversation.key] = _Line(self._settings, self._read)
        try:
            offer, settings = await line.peer.offer(), self._settings
            async with asyncio.timeout(settings.first_output_timeout_s):
                answer = await self._answer(conversation, offer)
            async with asyncio.timeout(settings.connect_timeout_s):
                await line.peer.accept(answer, allow_private=settings.allow_private)
        except TimeoutError:
            await self.close(conversation)
            raise SystemUnderTestError("timeout", "the connection was not established in time") from None
        except ValueError as error:
            await self.close(conversation)
            raise bad_answer(f"its answer to the offer: {error}") from None
        except BaseException:
            await self.close(conversation)
            raise
        if self._settings.begin is not None:
            self._tell(line, "begin", conversation)
        return line

    async def _answer(self, conversation: Conversation, offer: str) -> str:
        variables = self._variables(conversation)
        in_json = self._settings.offer == "json"
        body = json.dumps({"sdp": offer, "type": "offer"}) if in_json else offer
        headers = {"content-type": "application/json" if in_json else "application/sdp"}
        with reported(self._vault):
            response = await self._client.post(
                str(self._url(variables)), content=body, headers=headers | self._headers(variables)
            )
        check_status(response, response.content)
        if not in_json:
            return response.text
        answer = read_json(response.content)
        if not isinstance(answer, dict) or not isinstance(answer.get("sdp"), str):
            raise bad_answer("its answer to the offer has no `sdp`")
        return answer["sdp"]

    def _tell(
        self, line: "_Line", name: str, conversation: Conversation, turn: UserTurn | None = None, **more: Any
    ) -> None:
        variables = self._variables(conversation, turn) | {"played_ms": 0, **more}
        message = self._templates[name](variables)
        text = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)
        self._wire.sent("message", text)
        line.peer.tell(text)

    async def _listen(self, conversation: Conversation, line: "_Line") -> AsyncIterator[SystemOutput]:
        settings, has_ended = self._settings, False
        idle_s = settings.idle_s if settings.turn_end is None else settings.turn_timeout_s
        try:
            async with aclosing(until_idle(line.arriving, settings, idle_s)) as outputs:
                async for output in outputs:
                    yield output
            has_ended = True
        finally:
            for message in line.messages:
                self._wire.received("message", message)
            line.messages.clear()
            if not has_ended:
                await self.close(conversation)

    def _read(self, message: str) -> tuple[list[SystemOutput], bool]:
        """Outputs of a message, and True if it ends the turn."""
        answer = self._vault.redact(read_json(message))
        outputs = self._reader.read_beside(answer, heard=self._found["heard"], delta=self._found["delta"])
        end = self._found["turn_end"]
        return outputs, end is not None and end.search(answer) is True

    async def shut_down(self) -> None:
        await super().shut_down()
        await self._client.aclose()


def samples_of(audio: Audio) -> Samples:
    """The samples of a piece of speech."""
    return np.frombuffer(audio.samples, "<i2").astype(np.int16)


class _Line:
    """One conversation's connection, and what of the system's turn has come.

    Silence is kept back until sound follows it, so that a turn has none at its end.
    """

    def __init__(self, settings: WebRTCSettings, read: Any) -> None:
        self.arriving: asyncio.Queue[Item] = asyncio.Queue()
        self.messages: list[str] = []
        self._read = read
        self._silence: list[Samples] = []
        self._voiced: list[Samples] = []
        self._sounded = False
        self._overheard: Samples | None = None
        self._awaited: int | None = None  # samples until the turn ends
        self._end_at_last: asyncio.TimerHandle | None = None
        self.peer = Peer(settings.channel, self._take)

    async def close(self) -> None:
        await self.peer.close()

    def begin_turn(self) -> None:
        """Assign later sound to the next turn."""
        self._awaited = None
        while not self.arriving.empty():
            self.arriving.get_nowait()
        self._silence.clear()
        self._voiced.clear()
        self._sounded = False

    def feed_audio(self, samples: Samples) -> None:
        """Say a piece of a turn, in whole frames."""
        audio = samples if self._overheard is None else np.concatenate([self._overheard, samples])
        ready = len(audio) // FRAME * FRAME
        self._overheard = audio[ready:]
        self.peer.say(audio[:ready])

    def overheard_all(self) -> bool:
        """Say what is left of a turn that was said while it was spoken; whether there was one."""
        remainder, self._overheard = self._overheard, None
        if remainder is not None:
            self.peer.say(remainder)
        return remainder is not None

    def _take(self, came: Samples | str | None) -> None:
        if came is None:
            self.arriving.put_nowait(SystemUnderTestError("closed", "the connection is gone"))
        elif isinstance(came, str):
            self._message(came)
        else:
            self._sound(came)

    def _message(self, message: str) -> None:
        self.messages.append(message)
        try:
            outputs, ends = self._read(message)
        except SystemUnderTestError as error:
            self.arriving.put_nowait(error)
            return
        for output in outputs:
            self.arriving.put_nowait(output)
        if ends:  # its last sound may be on its way yet
            self._awaited = _ON_ITS_WAY
            if self._end_at_last is not None:
                self._end_at_last.cancel()
            self._end_at_last = asyncio.get_running_loop().call_later(_NONE_COMES_S, self._end)

    def _end(self) -> None:
        if self._awaited is not None:
            self._awaited = None
            self._flush()
            self.arriving.put_nowait(None)

    def _sound(self, samples: Samples) -> None:
        if not len(samples):
            return
        self._keep(samples)
        if self._awaited is not None:
            self._awaited -= len(samples)
            if self._awaited <= 0:
                self._end()

    def _keep(self, samples: Samples) -> None:
        if np.abs(samples.astype(np.int32)).max() <= _QUIET:
            self._silence.append(samples)
            if not self._sounded:
                del self._silence[:-_BEFORE]
            elif len(self._silence) == _PAUSE:
                self._flush()
            return
        self._voiced += [*self._silence, samples]
        self._silence.clear()
        self._sounded = True
        if sum(map(len, self._voiced)) >= _PIECE:
            self._flush()

    def _flush(self) -> None:
        """Pass on the audio heard since the last time."""
        if self._voiced:
            pcm = np.concatenate(self._voiced).astype("<i2").tobytes()
            self._voiced.clear()
            self.arriving.put_nowait(SystemOutput(kind="audio", audio=Audio(pcm, HEARD_HZ)))
