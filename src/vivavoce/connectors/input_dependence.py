"""Replies of an address to test messages in separate conversations, and the path to the reply text.

Two replies are compared to see whether they depend on the message. An echoed conversation ID or message
does not count as a difference.
"""

import secrets
from collections.abc import Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, Final

from vivavoce.connectors.base import Connector, Conversation, UserTurn
from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.probe import NONSENSE, without
from vivavoce.core.errors import SystemUnderTestError
from vivavoce.languages.data import greeting, things_to_say

ANSWERS: Final = (
    "text",
    "reply",
    "answer",
    "response",
    "message",
    "output",
    "content",
    "say",
    "speech",
    "utterance",
)
ENDS: Final = ("end", "ended", "end_of_conversation", "finished", "done", "closed", "is_end")
_ANY: Final = {"text": "'-'"}  # the answer is taken whole, from what is logged of it

Settings = dict[str, Any]


@dataclass(frozen=True)
class Discovery:
    """Way to reach a bot.

    settings  of the connector, as under `systems` in a study file
    said      reply to the greeting
    doubts    points to check, one sentence each
    flags     paths to true or false in its answer, while none of them is read as the end
    deaf      no sign that the message reaches the bot
    """

    settings: Settings
    said: str
    doubts: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    deaf: bool = False


async def asked(settings: Settings, text: str, language: str) -> Any:
    """Raw answer to one text in a new conversation, without the conversation's name.

    Raises  SystemUnderTestError: it fails
    """
    return _unnamed(*await asked_as(settings, text, language))


async def asked_as(settings: Settings, text: str, language: str) -> tuple[Any, str]:
    """The raw answer as it is, and the name of its conversation."""
    limits = {"turn_timeout_s": 30, "first_output_timeout_s": 20}
    connector = make_connector({**settings, **limits, "response": _ANY}, place="system")
    conversation = Conversation(key=secrets.token_hex(16), language=language)
    try:
        return await _raw(connector, conversation, text), conversation.key
    finally:
        await connector.shut_down()


def _unnamed(value: Any, key: str) -> Any:
    if isinstance(value, Mapping):
        return {name: _unnamed(item, key) for name, item in value.items()}
    if isinstance(value, list):
        return [_unnamed(item, key) for item in value]
    return without(value, key) if isinstance(value, str) else value


async def _raw(connector: Connector, conversation: Conversation, text: str) -> Any:
    raw = None
    turn = UserTurn(key=f"{conversation.key}-1", number=1, text=text)
    async with aclosing(connector.send(conversation, turn)) as answer:  # pyright: ignore[reportArgumentType]
        async for output in answer:
            raw = output.raw if output.raw is not None else raw
    return raw


async def heeds(settings: Settings, greeted: str, language: str, first: tuple[str, ...] = ()) -> bool | None:
    """Check that another message gets another reply than the greeting; None: the replies only echo the
    message.

    Input   greeted: reply to the greeting; first: messages to send before `things_to_say`
    """
    unsaid, echoes = without(greeted, greeting(language)), False
    for text in (*first, *things_to_say(language, greeted)):
        try:
            raw = await asked(settings, text, language)
        except SystemUnderTestError:
            continue
        path, _ = text_path(raw, None)
        at = settings.get("response", {}).get("text", path)
        if at is None or text_at(raw, at) == greeted:
            continue
        if without(text_at(raw, at), text) != unsaid:
            return True
        echoes = True
    return None if echoes else False


async def with_end(discovery: Discovery, language: str) -> Discovery:
    """Settings with the field that is false after a hello and true after a goodbye read as the end."""
    response = discovery.settings.get("response", {})
    if "end" in response:
        return discovery
    try:
        greeted = await asked(discovery.settings, greeting(language), language)
        no = [path for path in flags_of(greeted) if _at_flag(greeted, path) is False]
        if not no or "end" in no:
            return discovery
        bye = await asked(discovery.settings, things_to_say(language)[-1], language)
    except SystemUnderTestError:
        return discovery
    turned = [path for path in no if _at_flag(bye, path) is True]
    if len(turned) != 1:
        return discovery
    settings = {**discovery.settings, "response": {**response, "end": turned[0]}}
    return replace(discovery, settings=settings, flags=[])


def _at_flag(answer: Any, path: str) -> object:
    """Value at a path from `_flags`; None without one."""
    return dict(_flagged(answer)).get(path)


def text_path(answer: Any, second_answer: Any) -> tuple[str | None, bool]:
    """Path to the reply text as JMESPath, and whether it depends on the message.

    Input   replies to a greeting and to nonsense
    Empty   no text in them: null
    """
    first, second = dict(texts_of(answer)), dict(texts_of(second_answer))
    echoed = {path for path, text in second.items() if text.strip() == NONSENSE}
    words = {path: text for path, text in first.items() if path not in echoed and " " in text.strip()}
    words = words or {path: text for path, text in first.items() if path not in echoed}
    if not words:
        return None, False
    ranked = sorted(words, key=lambda path: (words[path] == second.get(path), _rank(path), -len(words[path])))
    return ranked[0], words[ranked[0]] != second.get(ranked[0])


def _rank(path: str) -> int:
    """Likelihood that the last key of a path holds the reply."""
    name = path.replace("[]", "").rsplit(".", 1)[-1].strip('"').lower()
    return ANSWERS.index(name) if name in ANSWERS else len(ANSWERS)


def texts_of(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text of an answer with its path; of a list all entries together."""
    if isinstance(value, str):
        if value.strip() and path:
            yield path, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            step = str(key) if str(key).isidentifier() else f'"{key}"'
            yield from texts_of(item, f"{path}.{step}" if path else step)
    elif isinstance(value, list):
        joined: dict[str, list[str]] = {}
        for item in value:
            for below, text in texts_of(item, f"{path}[]"):
                joined.setdefault(below, []).append(text)
        yield from ((below, "\n".join(texts)) for below, texts in joined.items())


def text_at(answer: Any, path: str) -> str:
    return dict(texts_of(answer))[path]


def mapping(path: str, answer: Any) -> Settings:
    """Settings of text and end paths that differ from the default."""
    ends = [key for key in ENDS if isinstance(answer, Mapping) and isinstance(answer.get(key), bool)]
    paths = {"text": path, **({"end": ends[0]} if ends else {})}
    differing = {key: path_of_key for key, path_of_key in paths.items() if path_of_key != key}
    return {"response": differing} if differing else {}


def flags_of(value: Any) -> Iterator[str]:
    """Paths to true or false in an answer, outside lists."""
    return (path for path, _ in _flagged(value))


def _flagged(value: Any, path: str = "") -> Iterator[tuple[str, bool]]:
    if isinstance(value, bool):
        yield path, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            step = str(key) if str(key).isidentifier() else f'"{key}"'
            yield from _flagged(item, f"{path}.{step}" if path else step)
