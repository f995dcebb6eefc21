"""Any bot with an HTTP interface: templates make the request, JMESPath reads the answer.

Wire    one request a turn, JSON in and JSON out (see docs/how-to/connect-a-bot.md)
Memory  in the system, under the conversation's key; cookies that it sets belong to their conversation
Retry   when the connection was never made; otherwise only with `idempotent: true`
"""

from collections.abc import AsyncIterator
from typing import Any, ClassVar, Final

import httpx
from pydantic import Field

from vivavoce.connectors import answers, system_connector
from vivavoce.connectors.answer_paths import AnswerPaths, AnswerReader
from vivavoce.connectors.answers import clean_text
from vivavoce.connectors.base import Capabilities, ConnectorSettings, Conversation, SystemOutput, UserTurn
from vivavoce.connectors.expressions import Expression, Path
from vivavoce.connectors.json_client import Asking
from vivavoce.connectors.messages import MessageShape, asks_for_history
from vivavoce.connectors.request import Method, Prepared, Request
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.signing import Signature, Signer
from vivavoce.connectors.system_connector import SystemConnector, name_of
from vivavoce.connectors.transport import reported
from vivavoce.connectors.urls import WebAddress
from vivavoce.core.clock import SystemClock
from vivavoce.core.errors import SystemUnderTestError

VARIABLES: Final = system_connector.VARIABLES | {"hypotheses", "history", "messages", "state"}
_COOKIES: Final = "_cookies"  # those of one conversation; what begins so is not logged
_BODY: Final[dict[str, Any]] = {
    "conversation": "{{ conversation }}",
    "turn": "{{ key }}",
    "number": "{{ number }}",
    "text": "{{ text }}",
    "language": "{{ language }}",
    "hypotheses": "{{ hypotheses or omit }}",
}


class Opening(Request):
    """The request that opens a conversation."""

    response: AnswerPaths | None = Field(
        None, description="paths in its answer (default: as in the answers to turns)"
    )


class HttpSettings(ConnectorSettings):
    """Settings of a system with `connect: http`."""

    url: WebAddress = Field(description="address for turns; may contain {{ conversation }}")
    method: Method = Field("POST", description="HTTP method of a turn")
    headers: dict[str, str] = Field(default_factory=dict, description="may contain ${SECRET}")
    sign: Signature | None = Field(None, description="sign every request with a shared key")
    query: dict[str, str] = Field(default_factory=dict, description="query parameters")
    body: Any = Field(
        default_factory=lambda: dict(_BODY), description="template of the JSON body; null: no body"
    )
    response: AnswerPaths = Field(default=AnswerPaths(), description="paths in the answer")
    messages: MessageShape = Field(
        default=MessageShape(),
        description=("format of {{ messages }}: the conversation so far, including this turn"),
    )
    keep: dict[str, Path] = Field(default_factory=dict, description="values to remember as state.NAME")
    open: Opening | bool = Field(False, description="greeting: true for a turn with empty text, or a request")
    reset: Request | None = Field(None, description="request that makes the system forget a conversation")
    close: Request | None = Field(None, description="request that ends a conversation")
    idempotent: bool = Field(False, description="the system answers a repeated turn key only once")
    longest_answer_bytes: int = Field(
        1_000_000, gt=0, le=50_000_000, description="longer answers are rejected"
    )


class HttpConnector(SystemConnector[HttpSettings]):
    """A system under test behind HTTP."""

    name: ClassVar[str] = "http"
    summary: ClassVar[str] = "any HTTP interface, with templates of request and answer"
    settings: ClassVar[type[ConnectorSettings]] = HttpSettings

    def __init__(self, settings: HttpSettings, vault: Vault) -> None:
        super().__init__(settings, vault)
        turn = Request(url=settings.url, method=settings.method, body=settings.body)
        self._turn = Prepared(turn, settings, VARIABLES)
        self._open = turn if settings.open is True else settings.open
        self._opening = (
            Prepared(self._open, settings, VARIABLES, "open.") if isinstance(self._open, Request) else None
        )
        self._resetting = Prepared(settings.reset, settings, VARIABLES, "reset.") if settings.reset else None
        self._closing = Prepared(settings.close, settings, VARIABLES, "close.") if settings.close else None
        self._keep = {name: Expression(path) for name, path in settings.keep.items()}
        self._reader = AnswerReader(settings.response)
        greeting = settings.open.response if isinstance(settings.open, Opening) else None
        self._greeting_reader = AnswerReader(greeting) if greeting is not None else self._reader
        self._asking = Asking(settings, vault, settings.longest_answer_bytes)
        now_s = SystemClock().now
        self._signer = (
            Signer(settings.sign, vault, lambda: now_s().timestamp(), "sign") if settings.sign else None
        )

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(
            choices=True,
            idempotent=self._settings.idempotent,
            memory="caller" if asks_for_history(self._settings.body) else "system",
            greets=self._opening is not None,
        )

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        resumed = bool(conversation.history)
        if self._opening is None or (resumed and self._keep.keys() <= conversation.state.keys()):
            return
        turn = UserTurn(key=f"{name_of(conversation)}-open", number=0, text="")
        answer = await self._exchange(self._opening, conversation, turn)
        if not resumed:
            for output in self._read(answer, self._greeting_reader, silent_ok=True):
                yield output

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        answer = await self._exchange(self._turn, conversation, turn)
        for output in self._read(answer, self._reader):
            yield output

    async def reset(self, conversation: Conversation) -> None:
        if self._resetting is not None:
            await self._exchange(self._resetting, conversation, None)
        generation = conversation.state.get("generation", 0)
        conversation.state.clear()
        conversation.state["generation"] = generation + (self._resetting is None)
        conversation.history = ()

    async def close(self, conversation: Conversation) -> None:
        if self._closing is not None:
            try:
                await self._exchange(self._closing, conversation, None)
            except SystemUnderTestError:
                pass

    async def shut_down(self) -> None:
        await self._asking.close()

    def _read(self, answer: Any, reader: AnswerReader, *, silent_ok: bool = False) -> list[SystemOutput]:
        with reported(self._vault):
            return reader.read(self._vault.redact(answer), silent_ok=silent_ok)

    async def _exchange(self, prepared: Prepared, conversation: Conversation, turn: UserTurn | None) -> Any:
        """JSON answer to one request; null for a request without a turn."""
        with reported(self._vault):
            variables = self._variables(conversation, turn)
            cookies = conversation.state.setdefault(_COOKIES, httpx.Cookies())

            def keep_cookies(response: httpx.Response) -> None:
                if "set-cookie" in response.headers:
                    cookies.extract_cookies(response)

            body = await self._asking.fetch(
                lambda: self._request(prepared, variables, cookies),
                again=("closed", "timeout") if self._settings.idempotent else (),
                answered=keep_cookies,
            )
            if turn is None:
                return None
            answer = answers.read_json(body)
            values = {name: path.search(answer) for name, path in self._keep.items()}
            conversation.state.update({name: value for name, value in values.items() if value is not None})
            return answer

    def _request(
        self, prepared: Prepared, variables: dict[str, Any], cookies: httpx.Cookies
    ) -> httpx.Request:
        request = prepared.request(self._asking.client, variables)
        if cookies:
            cookies.set_cookie_header(request)
        if self._signer is not None:
            self._signer.sign(request)
        return request

    def _variables(self, conversation: Conversation, turn: UserTurn | None = None) -> dict[str, Any]:
        return super()._variables(conversation, turn) | {
            "hypotheses": [
                {"text": clean_text(hypothesis.text), "score": hypothesis.score}
                for hypothesis in (turn.heard if turn else ())
            ],
            "state": {name: value for name, value in conversation.state.items() if name != _COOKIES},
        }
