"""How a bot behind an address is to be asked and read, found by saying hello: a proposal, to be looked at.

Known endpoints (Rasa's REST channel, chat completions, WebSockets) are told by their address, others by what
they say of themselves (`interfaces`). Any other is asked by HTTP with bodies as such interfaces have them,
until an answer comes that depends on what was said: a server that overlooks the key of the text answers
everything alike. Names of fields that a refusal tells are tried last, and handed on where that fails, too.
"""

import json
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import urlsplit

from vivavoce.connectors.answer_paths import AnswerPaths, AnswerReader
from vivavoce.connectors.base import Connector, Conversation, UserTurn
from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.http import VARIABLES
from vivavoce.connectors.interfaces import SESSIONS, TEXTS, offered, web_page
from vivavoce.connectors.probe import NONSENSE, hello, without
from vivavoce.connectors.templates import compile_template
from vivavoce.core.errors import InputError, SystemUnderTestError
from vivavoce.core.i18n import N_
from vivavoce.languages.data import greeting, things_to_say

ANSWERS: Final = (
    "text", "reply", "answer", "response", "message", "output", "content", "say", "speech", "utterance",
)  # fmt: skip
ENDS: Final = ("end", "ended", "end_of_conversation", "finished", "done", "closed", "is_end")
REASON: Final = re.compile(r"HTTP 4(?!0[45])\d\d")  # a bot that says what it misses in a request
MANY_NAMES: Final = N_(
    "It answers without a name of the conversation, too, so all usual names are sent: if it remembers what "
    "was said before, keep the one that it reads."
)
TOLD_NAMES: Final = N_(
    "The names of its fields were read from what it refused: look whether each has its part."
)
NOT_FOUND: Final = N_("no request that was tried is answered in words: %(problem)s")
ALIKE: Final = N_(
    "%(number)s of the requests that were tried were answered in words, but the same whatever was said"
)
DEAF: Final = N_(
    "It answered several quite different things alike, so perhaps the words do not reach it: look whether "
    "they stand in the right field, and say hello again once that is corrected."
)
SWAPPED: Final = N_(
    "It answered everything alike, but followed what was said once %(text)s and %(conversation)s were "
    "exchanged: it seems that %(conversation)s carries the words. The fields are exchanged below; say hello "
    "with these."
)
BY_HAND: Final = N_("say which field of a request carries the words")
NO_WORDS: Final = N_("no words were found in the answer")
MOST_NAMES: Final = 4  # of a refusal; with more it is no list of what is missing
_QUOTED: Final = re.compile(r"""(?<![\w'"`])['"`‘’“”«]([A-Za-z_][\w-]{0,40})['"`‘’“”»](?!\w)""")
_WHO: Final = re.compile(
    r"(?i)(^|_)id$|Id$|sess|conv|dialog|thread|user|sender|client|custom|caller|chat|utent|mittent"
    r"|ticket|case|^ref|uuid|token|room|channel|number|pratica|caso|codice|numero|riferim|stanza|canale|chiave"
    r"|vorgang|nummer|sitzung"
)
_WORDS: Final = re.compile(
    r"(?i)^(?!.*id$)(.*(phrase|fras|text|testo|messag|msg|utter|prompt|question|domand|parol|nachricht|frage)"
    r"|(.*[_-])?(words?|query|said|input)($|[_-]))"
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
    flags     where its answer says yes or no, as paths, while none of them is read as the end
    deaf      nothing shows that the words reach it
    """

    settings: Settings
    said: str
    doubts: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    deaf: bool = False


class NotFound(InputError):
    """An address answers, but none of the requests that were tried in words that depend on what was said.

    names  of fields that its refusals tell, what may carry the words first
    alike  how many requests made of these names were answered in words, but alike whatever was said
    """

    def __init__(self, problem: str, *, place: str, names: Iterable[str], alike: int = 0) -> None:
        self.names, self.values = likeliest(names), {"problem": problem, "number": alike}
        self.template, self.hint_template = ALIKE if alike else NOT_FOUND, BY_HAND
        hint = "write the request by hand: docs/how-to/connect-a-bot.md"
        super().__init__(self.template % self.values, place=place, hint=hint)


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
    """The request that is found, with the end of the dialogue where a goodbye shows it."""
    return await _with_end(await _request(base, language, shapes), language)


async def _with_end(found: Discovery, language: str) -> Discovery:
    """The same with the one field that says no after a hello and yes after a goodbye read as the end."""
    response = found.settings.get("response", {})
    if "end" in response:
        return found
    try:
        greeted = await _asked(found.settings, greeting(language), language)
        no = [one for one in _flags(greeted) if _at_flag(greeted, one) is False]
        if not no or "end" in no:
            return found
        bye = await _asked(found.settings, things_to_say(language)[-1], language)
    except SystemUnderTestError:
        return found
    turned = [one for one in no if _at_flag(bye, one) is True]
    if len(turned) != 1:
        return found
    settings = {**found.settings, "response": {**response, "end": turned[0]}}
    return replace(found, settings=settings, flags=[])


def _at_flag(found: Any, path: str) -> object:
    """What stands at a path that `_flags` gave; None: nothing."""
    return dict(_flagged(found)).get(path)


async def _request(base: Settings, language: str, shapes: Iterable[Settings] | None) -> Discovery:
    """The first request whose answer depends on what is said; else the first that is answered in words."""
    alike: dict[str, Discovery] = {}  # by the key of the text
    problem, names = "", dict[str, None]()
    for shape in _shapes() if shapes is None else shapes:
        settings = {**base, **shape}
        try:
            greeted, other = [
                await _asked(settings, said, language) for said in (greeting(language), NONSENSE)
            ]
        except SystemUnderTestError as error:
            if not error.reached:
                raise _nobody(error, base["url"]) from None
            problem = problem if REASON.search(problem) else error.detail
            names |= dict.fromkeys(names_told(str(error)))
            continue
        path, depends = text_path(greeted, other)
        if path is None:
            continue
        found = Discovery({**settings, **_mapping(path, greeted)}, _at(greeted, path))
        if depends:
            return await _narrowed(found, language)
        alike.setdefault(_text_key(shape), found)
    for found in alike.values() if len(alike) > 1 else ():
        if await _heeds(found.settings, found.said, language):
            return await _narrowed(found, language)
    if alike:
        first = next(iter(alike.values()))
        doubt = "It answered two quite different texts alike: look at `body`, whether the text gets there."
        doubted = len(alike) > 1
        return Discovery(first.settings, first.said, [doubt] if doubted else [], deaf=doubted)
    told = await _by_names(base, language, names)
    if isinstance(told, Discovery):
        return told
    raise NotFound(problem or "-", place=base["url"], names=names, alike=told)


async def _by_names(base: Settings, language: str, names: dict[str, None]) -> Discovery | int:
    """The request made of names that refusals tell: one carries the words, the others the conversation.

    Input   names: told so far; those that are told on the way are added
    Output  where no answer depends on what was said: how many requests were answered in words
    """
    tried, alike = set[tuple[str, ...]](), 0
    said_back: Discovery | None = None
    while 0 < len(names) <= MOST_NAMES:
        row = likeliest(names)
        ways = [(text, *(one for one in row if one != text)) for text in row]
        way = next((one for one in ways if one not in tried), None)
        if way is None:
            break
        tried.add(way)
        body = {way[0]: "{{ text }}", **dict.fromkeys(way[1:], "{{ conversation }}")}
        settings = {**base, "body": body}
        try:
            greeted, other = [
                await _asked(settings, said, language) for said in (greeting(language), NONSENSE)
            ]
        except SystemUnderTestError as error:
            names |= dict.fromkeys(names_told(str(error)))
            continue
        path, _ = text_path(greeted, other)
        if path is not None:
            found = Discovery({**settings, **_mapping(path, greeted)}, _at(greeted, path), [TOLD_NAMES])
            heeds = await _heeds(found.settings, found.said, language, (NONSENSE,))
            if heeds:
                return found
            said_back = said_back or (found if heeds is None else None)
        alike += path is not None
    return said_back or alike


async def _heeds(
    settings: Settings, greeted: str, language: str, first: tuple[str, ...] = ()
) -> bool | None:  # fmt: skip
    """Whether anything else is answered otherwise than the hello was; None: all that differs is said back.

    Input   greeted: what the hello was answered; first: what else to say beside `things_to_say`, before it
    """
    unsaid, echoes = without(greeted, greeting(language)), False
    for text in (*first, *things_to_say(language, greeted)):
        try:
            raw = await _asked(settings, text, language)
        except SystemUnderTestError:
            continue
        path, _ = text_path(raw, None)
        at = settings.get("response", {}).get("text", path)
        if at is None or _at(raw, at) == greeted:
            continue
        if without(_at(raw, at), text) != unsaid:
            return True
        echoes = True
    return None if echoes else False


def exchanged(settings: Mapping[str, Any]) -> Settings | None:
    """The request with the words where the conversation's name stands, and the other way round; None: it
    has not both, or is none of `connect: http`."""
    words, name = "{{ text }}", "{{ conversation }}"

    def turned(found: Any) -> Any:
        if isinstance(found, Mapping):
            return {key: turned(one) for key, one in found.items()}
        return {words: name, name: words}.get(found, found) if isinstance(found, str) else found

    part = "body" if settings.get("body") else "query"
    said = json.dumps(settings.get(part))
    has_both = settings.get("connect") == "http" and words in said and name in said
    return {**settings, part: turned(settings.get(part))} if has_both else None


def names_told(refusal: str) -> list[str]:
    """Names of fields that a refusal says are missing: what it quotes, or the places of FastAPI's errors."""
    if not REASON.search(refusal):
        return []
    _, brace, said = refusal.partition("{")
    try:
        found: Any = json.loads(brace + said)
    except ValueError:
        return list(dict.fromkeys(_QUOTED.findall(said or refusal)))
    places = [one["loc"] for one in _mappings(found) if isinstance(one.get("loc"), list)]
    located = [str(place[-1]) for place in places if place[0] == "body" and isinstance(place[-1], str)]
    told = [name for _, text in _texts(found) for name in _QUOTED.findall(text)]
    return list(dict.fromkeys(located or told))


def likeliest(names: Iterable[str]) -> list[str]:
    """Names of fields, those first that are more likely to carry words than to name the conversation."""

    def place(one: str) -> tuple[bool, bool, bool]:
        words = one in TEXTS or bool(_WORDS.search(one))  # `customer_message` is what they say, not who
        return one not in TEXTS, not words, one in SESSIONS or bool(_WHO.search(one))

    return sorted(names, key=place)


def _mappings(found: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(found, Mapping):
        yield found
    inner = found.values() if isinstance(found, Mapping) else found if isinstance(found, list) else ()
    for one in inner:
        yield from _mappings(one)


@dataclass(frozen=True)
class Exchange:
    """One request of somebody's own, and what came of it.

    sent      its body, with what was said
    answer    as JSON; "" where there was none
    found     None where the words were not found in the answer; problem: why, and failure: of what kind, ""
              where the answer came and was read
    swapped   answers follow what is said once the words stand where the conversation's name does, and only so
    """

    sent: str
    answer: str
    found: Discovery | None
    problem: str = ""
    failure: str = ""
    swapped: bool = False


async def exchange(settings: Settings, *, language: str = "en") -> Exchange:
    """Ask as the settings of `connect: http` say; where they do not say where the words stand, look.

    Then other things are said, to see whether answers follow them, or do once words and name are exchanged.

    Raises  InputError: a setting is wrong
    """
    made, key = await _once(settings, language)
    if made.found is None or not made.found.said:
        return made
    greeted, first = without(made.found.said, key), (NONSENSE,)
    heeds = await _heeds(made.found.settings, greeted, language, first)
    if heeds:
        return replace(made, found=await _with_end(made.found, language))
    other = exchanged(settings)
    if other is not None:
        turned, key = await _once(other, language)
        if turned.found is not None and turned.found.said:
            greeted = without(turned.found.said, key)
            if await _heeds(turned.found.settings, greeted, language, first):
                return replace(made, swapped=True)
    return made if heeds is None else replace(made, found=replace(made.found, doubts=[DEAF], deaf=True))


async def _once(settings: Settings, language: str) -> tuple[Exchange, str]:
    """What comes of one hello, and the name of its conversation."""
    make_connector(settings, place="system")
    text, body = greeting(language), settings.get("body") or settings.get("query")
    variables: Settings = dict.fromkeys(VARIABLES, "-") | {"text": text, "language": language, "number": 1}
    sent = _shown(compile_template(body, VARIABLES, place="body")(variables)) if body is not None else ""
    try:
        raw, key = await _asked_as(settings, text, language)
    except SystemUnderTestError as error:
        return Exchange(sent, "", None, error.detail, error.failure), ""
    response = settings.get("response", {})
    flags = list(_flags(raw))
    flags = [] if "end" in response or "end" in flags else flags  # it is read there unless told otherwise
    if "text" not in response:
        path, _ = text_path(raw, None)
        found = None
        if path is not None:
            read = {**_mapping(path, raw).get("response", {}), **response}
            more = {"response": read} if read else {}
            found = Discovery({**settings, **more}, _at(raw, path), flags=[] if "end" in read else flags)
        return Exchange(sent, _shown(raw), found, "" if found else NO_WORDS), key
    try:
        outputs = AnswerReader(AnswerPaths.model_validate(settings["response"])).read(raw)
    except SystemUnderTestError as error:
        return Exchange(sent, _shown(raw), None, error.detail, error.failure), key
    said = "\n".join(one.text for one in outputs if one.kind == "message")
    return Exchange(sent, _shown(raw), Discovery(settings, said, flags=flags)), key


def _flags(found: Any) -> Iterator[str]:
    """Where an answer says yes or no, as paths; not inside lists."""
    return (path for path, _ in _flagged(found))


def _flagged(found: Any, path: str = "") -> Iterator[tuple[str, bool]]:
    if isinstance(found, bool):
        yield path, found
    elif isinstance(found, Mapping):
        for key, one in found.items():
            step = str(key) if str(key).isidentifier() else f'"{key}"'
            yield from _flagged(one, f"{path}.{step}" if path else step)


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


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
    """The raw answer to one text in a conversation of its own, whose name does not stand in it.

    Raises  SystemUnderTestError: it fails
    """
    return _unnamed(*await _asked_as(settings, text, language))


async def _asked_as(settings: Settings, text: str, language: str) -> tuple[Any, str]:
    """The raw answer as it is, and the name of its conversation."""
    limits = {"turn_timeout_s": 30, "first_output_timeout_s": 20}
    connector = make_connector({**settings, **limits, "response": _ANY}, place="system")
    conversation = Conversation(key=secrets.token_hex(16), language=language)
    try:
        return await _raw(connector, conversation, text), conversation.key
    finally:
        await connector.shut_down()


def _unnamed(found: Any, key: str) -> Any:
    if isinstance(found, Mapping):
        return {name: _unnamed(one, key) for name, one in found.items()}
    if isinstance(found, list):
        return [_unnamed(one, key) for one in found]
    return without(found, key) if isinstance(found, str) else found


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
