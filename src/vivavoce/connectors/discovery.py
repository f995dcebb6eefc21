"""How a bot behind an address is to be asked and read, found by saying hello: a proposal, to be looked at.

Known endpoints (Rasa's REST channel, chat completions, WebSockets) are told by their address, others by what
they say of themselves (`interfaces`). Any other is asked by HTTP with bodies as such interfaces have them,
until an answer comes that depends on what was said: a server that overlooks the key of the text answers
everything alike.
"""

import json
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import urlsplit

from vivavoce.connectors.base import Connector, Conversation, UserTurn
from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.interfaces import SESSIONS, TEXTS, offered, web_page
from vivavoce.connectors.probe import hello
from vivavoce.core.errors import InputError, SystemUnderTestError
from vivavoce.core.i18n import N_
from vivavoce.languages.data import greeting

ANSWERS: Final = (
    "text", "reply", "answer", "response", "message", "output", "content", "say", "speech", "utterance",
)  # fmt: skip
ENDS: Final = ("end", "ended", "end_of_conversation", "finished", "done", "closed", "is_end")
NONSENSE: Final = "zxq vlomp 417"
REASON: Final = re.compile(r"HTTP 4(?!0[45])\d\d")  # a bot that says what it misses in a request
MANY_NAMES: Final = N_(
    "It answers without a name of the conversation, too, so all usual names are sent: if it remembers what "
    "was said before, keep the one that it reads."
)
_ANY: Final = {"text": "'-'"}  # the answer is taken whole, from what is logged of it
_RASA: Final = "/webhooks/rest/webhook"
_CHAT: Final = "/chat/completions"

Settings = dict[str, Any]


@dataclass(frozen=True)
class Discovery:
    """How a bot may be reached.

    settings  of the connector, as under `systems` in a study file
    said      what it answered to a hello
    doubts    what should be looked at, one sentence each
    """

    settings: Settings
    said: str
    doubts: list[str] = field(default_factory=list)


async def discover(url: str, *, language: str = "en", private: bool = False) -> Discovery:
    """Say hello in the ways that bots are commonly asked, until one is answered.

    Input   private: the address may be on this machine or in a private network
    Raises  InputError: it is no address, nobody listens there, or nothing that was tried is answered
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https", "ws", "wss") or not parts.netloc:
        raise InputError(
            f"{url!r} is no address of a bot", hint="write a whole one: https://bot.example/chat"
        )
    more: Settings = {"allow_private": True} if private else {}
    if parts.scheme in ("ws", "wss"):
        return await _known({"connect": "websocket", "url": url, **more}, language)
    if parts.path.endswith(_RASA):
        return await _known({"connect": "rasa", "url": url.removesuffix(_RASA), **more}, language)
    if parts.path.endswith(_CHAT):
        settings = {"connect": "openai", "url": url.removesuffix(_CHAT), "model": "default", **more}
        return await _known(settings, language)
    base: Settings = {"connect": "http", "url": url, **more}
    try:
        guesses = await offered(url, more)
    except SystemUnderTestError as error:
        raise _nobody(error, url) from None
    for settings in guesses:
        try:
            return await _guessed(settings, language)
        except (InputError, SystemUnderTestError):
            continue  # a wrong guess costs nothing
    try:
        return await _searched(base, language)
    except InputError:
        if await web_page(url, more):
            raise InputError(
                "a web page for people stands there, and which parts of it are the chat, it does not tell",
                place=url, hint="connect: browser takes click, input and message: "
                "docs/how-to/evaluate-your-web-widget.md",
            ) from None  # fmt: skip
        raise


def _nobody(error: SystemUnderTestError, url: str) -> InputError:
    return InputError(str(error), place=url, hint="start the system, and look at its address")


async def _guessed(settings: Settings, language: str) -> Discovery:
    """What comes of what the address says of itself. Raises InputError, SystemUnderTestError."""
    if settings["connect"] != "http":
        return await _known(settings, language)
    base = {key: value for key, value in settings.items() if key != "body"}
    return await _searched(base, language, [{"body": settings["body"]}])


async def _known(settings: Settings, language: str) -> Discovery:
    connector = make_connector(settings, place="system")
    try:
        came = await hello(connector, language=language)
    finally:
        await connector.shut_down()
    if not came.ok:
        raise InputError(
            f"it was reached as {settings['connect']!r}, but: {came.problem}", place=settings["url"],
            hint="see docs/how-to/connect-a-bot.md",
        )  # fmt: skip
    return Discovery(settings, came.text)


async def _searched(base: Settings, language: str, shapes: Iterable[Settings] | None = None) -> Discovery:
    """The first request whose answer depends on what is said; else the first that is answered in words."""
    alike: dict[str, Discovery] = {}  # by the key of the text
    problem = ""
    for shape in _shapes() if shapes is None else shapes:
        settings = {**base, **shape}
        try:
            greeted, other = [
                await _asked(settings, said, language) for said in (greeting(language), NONSENSE)
            ]
        except SystemUnderTestError as error:
            if not error.reached:
                raise _nobody(error, base["url"]) from None
            problem = problem if REASON.search(problem) else str(error)
            continue
        path, depends = text_path(greeted, other)
        if path is None:
            continue
        found = Discovery({**settings, **_mapping(path, greeted)}, _at(greeted, path))
        if depends:
            return await _narrowed(found, language)
        alike.setdefault(_text_key(shape), found)
    if alike:
        first = next(iter(alike.values()))
        doubt = "It answered two quite different texts alike: look at `body`, whether the text gets there."
        return Discovery(first.settings, first.said, [doubt] if len(alike) > 1 else [])
    tried = f"no request that was tried is answered in words{': ' if problem else ''}{problem}"
    raise InputError(tried, place=base["url"], hint="write the request by hand: docs/how-to/connect-a-bot.md")


async def _narrowed(found: Discovery, language: str) -> Discovery:
    """The same with the one name of the conversation that the system reads, as far as it tells.

    It tells by an answer that holds what stood under that name, or by refusing requests without it. Else all
    names stay: of two conversations without one, a system that remembers would make one.
    """
    body = found.settings.get("body") or {}
    names = [name for name in SESSIONS if name in body]
    if len(names) < 2:
        return found
    text = _text_key(found.settings)

    async def answer(named: Mapping[str, str]) -> str | None:
        """What is answered, as JSON; None where it is not in words."""
        asked = {**found.settings, "body": {text: "{{ text }}", **named}}
        try:
            raw = await _asked(asked, greeting(language), language)
        except SystemUnderTestError:
            return None
        return json.dumps(raw) if text_path(raw, None)[0] else None

    marks = {name: secrets.token_hex(8) for name in names}
    told = await answer(marks) or ""
    read = [name for name in names if marks[name] in told]
    bare = await answer({}) if len(read) != 1 else None
    for name in read if len(read) == 1 else names if bare is None else []:
        if await answer({name: marks[name]}) is not None:
            kept = {text: "{{ text }}", name: "{{ conversation }}"}
            return replace(found, settings={**found.settings, "body": kept})
    return replace(found, doubts=[*found.doubts, MANY_NAMES]) if bare is not None else found


def _shapes() -> Iterator[Settings]:
    """Requests, the likeliest first; all names of the conversation at once, as most servers overlook more."""
    sessions = dict.fromkeys(SESSIONS, "{{ conversation }}")
    yield {}
    for text in TEXTS:
        yield {"body": {text: "{{ text }}", **sessions, "language": "{{ language }}"}}
    for text in TEXTS[:6]:
        for session in SESSIONS:
            yield {"body": {text: "{{ text }}", session: "{{ conversation }}"}}
        yield {"body": {text: "{{ text }}"}}
    for text in (*TEXTS[:6], "q"):
        query = {text: "{{ text }}", "session_id": "{{ conversation }}"}
        yield {"method": "GET", "body": None, "query": query}


def _text_key(shape: Settings) -> str:
    """Which key a request has for the text; a server that takes one alone reads it."""
    named = shape.get("body") or shape.get("query") or {TEXTS[0]: "{{ text }}"}
    return next(key for key, value in named.items() if value == "{{ text }}")


async def _asked(settings: Settings, text: str, language: str) -> Any:
    """The raw answer to one text in a conversation of its own.

    Raises  SystemUnderTestError: it fails
    """
    limits = {"turn_timeout_s": 30, "first_output_timeout_s": 20}
    connector = make_connector({**settings, **limits, "response": _ANY}, place="system")
    conversation = Conversation(key=secrets.token_hex(16), language=language)
    try:
        return await _raw(connector, conversation, text)
    finally:
        await connector.shut_down()


async def _raw(connector: Connector, conversation: Conversation, text: str) -> Any:
    raw = None
    turn = UserTurn(key=f"{conversation.key}-1", number=1, text=text)
    async with aclosing(connector.send(conversation, turn)) as answer:  # pyright: ignore[reportArgumentType]
        async for output in answer:
            raw = output.raw if output.raw is not None else raw
    return raw


def text_path(answer: Any, other: Any) -> tuple[str | None, bool]:
    """Where the words of the system stand in an answer, as JMESPath; whether they depend on what was said.

    Input   answers to a hello and to nonsense
    Empty   no words in it: null
    """
    first, second = dict(_texts(answer)), dict(_texts(other))
    echoed = {path for path, text in second.items() if text.strip() == NONSENSE}
    words = {path: text for path, text in first.items() if path not in echoed and " " in text.strip()}
    words = words or {path: text for path, text in first.items() if path not in echoed}
    if not words:
        return None, False
    ranked = sorted(words, key=lambda path: (words[path] == second.get(path), _rank(path), -len(words[path])))
    return ranked[0], words[ranked[0]] != second.get(ranked[0])


def _rank(path: str) -> int:
    """How likely the last key of a path holds the answer."""
    name = path.replace("[]", "").rsplit(".", 1)[-1].strip('"').lower()
    return ANSWERS.index(name) if name in ANSWERS else len(ANSWERS)


def _texts(found: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text of an answer with its path; of a list all entries together."""
    if isinstance(found, str):
        if found.strip() and path:
            yield path, found
    elif isinstance(found, Mapping):
        for key, one in found.items():
            step = str(key) if str(key).isidentifier() else f'"{key}"'
            yield from _texts(one, f"{path}.{step}" if path else step)
    elif isinstance(found, list):
        joined: dict[str, list[str]] = {}
        for one in found:
            for below, text in _texts(one, f"{path}[]"):
                joined.setdefault(below, []).append(text)
        yield from ((below, "\n".join(texts)) for below, texts in joined.items())


def _at(answer: Any, path: str) -> str:
    return dict(_texts(answer))[path]


def _mapping(path: str, answer: Any) -> Settings:
    """Where text and end stand, as far as it is not where they are looked for anyway."""
    ends = [key for key in ENDS if isinstance(answer, Mapping) and isinstance(answer.get(key), bool)]
    found = {"text": path, **({"end": ends[0]} if ends else {})}
    differing = {key: one for key, one in found.items() if one != key}
    return {"response": differing} if differing else {}
