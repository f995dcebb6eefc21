"""Discovery of a bot's request format from its address: test messages, then a proposal to check.

Known endpoints (Rasa's REST channel, chat completions, WebSockets) are recognised by address, others by
their self-description (`interfaces`). Any other address gets HTTP requests with common bodies, until a
reply depends on the message: a server that ignores the message field always replies the same. Field names
from error messages are tried last, and reported if that fails too.
"""

import json
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlsplit

from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.input_dependence import (
    Discovery,
    Settings,
    asked,
    heeds,
    mapping,
    text_at,
    text_path,
    texts_of,
    with_end,
)
from vivavoce.connectors.interfaces import SESSIONS, TEXTS, offered, recognised, web_page
from vivavoce.connectors.probe import NONSENSE, hello
from vivavoce.core.errors import InputError, SystemUnderTestError
from vivavoce.core.i18n import N_
from vivavoce.languages.data import greeting

REASON: Final = re.compile(r"HTTP 4(?!0[45])\d\d")  # a bot that says what it misses in a request
MANY_NAMES: Final = N_(
    "The bot also replies without a conversation ID, so all usual ID fields are sent. If it remembers "
    "earlier messages, keep the field that it uses."
)
TOLD_NAMES: Final = N_("We inferred the field names from the bot's error messages. Please check them.")
NOT_FOUND: Final = N_("none of our test requests got a text reply: %(problem)s")
ALIKE: Final = N_("%(number)s test requests got a text reply, but always the same one")
UNREACHED: Final = N_("the bot is not reachable (%(problem)s)")
START_IT: Final = N_("start the bot, and check its address")
LOCKED: Final = N_("the bot requires authentication (HTTP %(status)s)")
ADD_KEY: Final = N_("add its API key")
BY_HAND: Final = N_("set the message field of the request")
MOST_NAMES: Final = 4  # of a refusal; with more it is no list of what is missing
MOST_WORDS: Final = 8  # of a refusal that names a field without quotes
_LACKS: Final = re.compile(
    r"(?i)missing|required|requires|needed|must|lacks|absent|not given|manca|richiest[oa]|obbligatori"
    r"|necessari|assente|vuot[oa]|fehlt|erforderlich|benötigt"
)
_QUOTED: Final = re.compile(r"""(?<![\w'"`])['"`‘’“”«]([A-Za-z_][\w.-]{0,80})['"`‘’“”»](?!\w)""")
_PATH: Final = re.compile(r"(?<![\w./@-])[A-Za-z_]\w{0,40}(?:\.[A-Za-z_]\w{0,40})+(?![\w/(:-])")
_NAMES: Final = r"([A-Za-z_][\w.-]{0,80}(?:\s*(?:,|\band\b|\be\b)\s*[A-Za-z_][\w.-]{0,80}){0,3})"
_LISTED: Final = re.compile(  # names that stand bare: `missing: customer, line`
    rf"(?i)\b(?:missing|requires?|required|expects?|expected|needs?|lacks?|manca|mancano|richiest[aeio])\b"
    rf"(?:\s+\w+){{0,2}}\s*:\s*{_NAMES}\s*\.?$|(?:^|: ){_NAMES}\s+(?:is|are)\s+(?:missing|required)\b"
)
_TYPES: Final = {
    "str",
    "int",
    "float",
    "bool",
    "dict",
    "list",
    "tuple",
    "set",
    "bytes",
    "object",
    "null",
    "None",
    "NoneType",
    "string",
    "integer",
    "number",
    "boolean",
    "array",
}
_WHO: Final = re.compile(
    r"(?i)(^|_)id$|Id$|sess|conv|dialog|thread|user|sender|client|custom|caller|chat|utent|mittent"
    r"|ticket|case|^ref|uuid|token|room|channel|number|pratica|caso|codice|numero|riferim|stanza|canale|chiave"
    r"|vorgang|nummer|sitzung"
)
_WORDS: Final = re.compile(
    r"(?i)^(?!.*id$)(.*(phrase|fras|text|testo|messag|msg|utter|prompt|question|domand|parol|nachricht|frage)"
    r"|(.*[_-])?(words?|query|said|input)($|[_-]))"
)
_RASA: Final = "/webhooks/rest/webhook"
_CHAT: Final = "/chat/completions"


class NotFound(InputError):
    """An address answers, but no test request got a text reply that depends on the message.

    names  of fields in its error messages, likely message fields first
    alike  number of requests from these names that got a text reply, but always the same
    """

    def __init__(self, problem: str, *, place: str, names: Iterable[str], alike: int = 0) -> None:
        self.names, self.values = likeliest(_innermost(names)), {"problem": problem, "number": alike}
        self.template, self.hint_template = ALIKE if alike else NOT_FOUND, BY_HAND
        hint = "write the request by hand: docs/how-to/connect-a-bot.md"
        if locked := re.match(r"HTTP (401|403)\b", problem):
            self.template, self.hint_template, self.values["status"] = LOCKED, ADD_KEY, locked[1]
            hint = "add its API key, for example headers: {Authorization: Bearer ${NAME}}"
        super().__init__(self.template % self.values, place=place, hint=hint)


async def discover(
    url: str, *, language: str = "en", private: bool = False, like: Iterable[Settings] = ()
) -> Discovery:
    """Send test messages in common request formats until one is answered.

    Input   private: allow addresses on this machine or a private network; like: known systems, whose requests
            are tried first: versions of one bot share a format
    Raises  InputError: not an address, not reachable, or no test request is answered
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https", "ws", "wss") or not parts.netloc:
        raise InputError(
            f"{url!r} is not a bot's address", hint="write a full address: https://bot.example/chat"
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
    for body in [
        settings["body"] for settings in like if settings.get("connect") == "http" and settings.get("body")
    ]:
        with suppress(InputError, SystemUnderTestError):
            discovery = await _searched(base, language, [{"body": body}])
            if await heeds(discovery.settings, discovery.said, language):
                return discovery
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
    except InputError as error:
        if not getattr(error, "names", None) and (problem_and_hint := await recognised(url, more)):
            raise InputError(problem_and_hint[0], place=url, hint=problem_and_hint[1]) from None
        if await web_page(url, more):
            raise InputError(
                "this is a web page for people; its chat elements are unknown",
                place=url,
                hint=(
                    "use connect: browser with click, input and message (Gradio: input: "
                    "textarea, message: .message.bot): docs/how-to/connect-by-kind.md"
                ),
            ) from None
        raise


def _nobody(error: SystemUnderTestError, url: str) -> InputError:
    return InputError(UNREACHED, place=url, hint=START_IT, values={"problem": error})


async def _guessed(settings: Settings, language: str) -> Discovery:
    """Discovery from the address's self-description. Raises InputError, SystemUnderTestError."""
    if settings["connect"] != "http":
        return await _known(settings, language)
    base = {key: value for key, value in settings.items() if key != "body"}
    return await _searched(base, language, [{"body": settings["body"]}])


async def _known(settings: Settings, language: str) -> Discovery:
    connector = make_connector(settings, place="system")
    try:
        reply = await hello(connector, language=language)
    finally:
        await connector.shut_down()
    if not reply.ok:
        raise InputError(
            f"connection as {settings['connect']!r} failed: {reply.problem}",
            place=settings["url"],
            hint="see docs/how-to/connect-a-bot.md",
        )
    return Discovery(settings, reply.text)


async def _searched(base: Settings, language: str, shapes: Iterable[Settings] | None = None) -> Discovery:
    """The request that is found, with the end of the dialogue where a goodbye shows it."""
    return await with_end(await _request(base, language, shapes), language)


async def _request(base: Settings, language: str, shapes: Iterable[Settings] | None) -> Discovery:
    """The first request whose answer depends on what is said; else the first that is answered in words."""
    alike: dict[str, Discovery] = {}  # by the key of the text
    problem, names = "", dict[str, None]()
    for shape in _shapes() if shapes is None else shapes:
        settings = {**base, **shape}
        try:
            greeted, nonsense_answer = [
                await asked(settings, text, language) for text in (greeting(language), NONSENSE)
            ]
        except SystemUnderTestError as error:
            if not error.reached:
                raise _nobody(error, base["url"]) from None
            problem = problem if REASON.search(problem) else error.detail
            names |= dict.fromkeys(names_told(str(error)))
            continue
        path, depends = text_path(greeted, nonsense_answer)
        if path is None:
            continue
        discovery = Discovery({**settings, **mapping(path, greeted)}, text_at(greeted, path))
        if depends:
            return await _narrowed(discovery, language)
        alike.setdefault(_text_key(shape), discovery)
    for discovery in alike.values() if len(alike) > 1 else ():
        if await heeds(discovery.settings, discovery.said, language):
            return await _narrowed(discovery, language)
    if alike:
        first = next(iter(alike.values()))
        doubt = (
            "The bot gave the same reply to two different messages. Check that the message reaches it "
            "in `body`."
        )
        doubted = len(alike) > 1
        return Discovery(first.settings, first.said, [doubt] if doubted else [], deaf=doubted)
    outcome = await _by_names(base, language, names)
    if isinstance(outcome, Discovery):
        return outcome
    raise NotFound(problem or "-", place=base["url"], names=names, alike=outcome)


async def _by_names(base: Settings, language: str, names: dict[str, None]) -> Discovery | int:
    """The request made of names that refusals tell: one carries the words, the others the conversation.

    Input   names: told so far; those that are told on the way are added
    Output  where no answer depends on what was said: how many requests were answered in words
    """
    tried, alike = set[tuple[str, ...]](), 0
    said_back: Discovery | None = None
    while 0 < len(names) <= MOST_NAMES:
        row = likeliest(_innermost(names))
        ways = [(text, *(name for name in row if name != text)) for text in row]
        way = next((way for way in ways if way not in tried), None)
        if way is None:
            break
        tried.add(way)
        body: dict[str, Any] = {}
        for number, name in enumerate(way):
            put_field(body, name, "{{ conversation }}" if number else "{{ text }}")
        settings = {**base, "body": body}
        try:
            greeted, nonsense_answer = [
                await asked(settings, text, language) for text in (greeting(language), NONSENSE)
            ]
        except SystemUnderTestError as error:
            names |= dict.fromkeys(names_told(str(error)))
            continue
        path, _ = text_path(greeted, nonsense_answer)
        if path is not None:
            discovery = Discovery(
                {**settings, **mapping(path, greeted)}, text_at(greeted, path), [TOLD_NAMES]
            )
            follows = await heeds(discovery.settings, discovery.said, language, (NONSENSE,))
            if follows:
                return discovery
            said_back = said_back or (discovery if follows is None else None)
        alike += path is not None
    return said_back or alike


def names_told(refusal: str) -> list[str]:
    """Names of fields that a refusal says are missing: what it quotes, or the places of FastAPI's errors."""
    if not REASON.search(refusal):
        return []
    _, brace, body = refusal.partition("{")
    try:
        parsed: Any = json.loads(brace + body)
    except ValueError:
        return _names_in(body or refusal)
    places = [entry["loc"] for entry in _mappings(parsed) if isinstance(entry.get("loc"), list)]
    located = [
        ".".join(place[1:])
        for place in places
        if place[0] == "body" and place[1:] and all(isinstance(step, str) for step in place)
    ]
    return _innermost(located or [name for _, text in texts_of(parsed) for name in _names_in(text)])


def _names_in(refusal: str) -> list[str]:
    """Quoted or listed names in a sentence, except types of Python or JSON; also paths (order.text).

    Note  a path alone may be a server's name: it counts only beside another name
    """
    quoted = [name for name in (_QUOTED.findall(refusal) or _listed(refusal)) if name not in _TYPES]
    paths = [
        path
        for path in _PATH.findall(refusal)
        if set(path.split(".")) & {*TEXTS, *quoted} or _WORDS.search(path)
    ]
    return _innermost([*quoted, *paths]) or _named_plainly(refusal)


def _named_plainly(refusal: str) -> list[str]:
    """Names without quotes in a short sentence on what is missing: manca messaggio, text is required."""
    if not _LACKS.search(refusal) or len(refusal.split()) > MOST_WORDS:
        return []
    words = (word for word in re.findall(r"[A-Za-z_]\w*", refusal) if not _LACKS.search(word))
    return [word for word in words if word in (*TEXTS, *SESSIONS) or _WORDS.search(word) or _WHO.search(word)]


def _listed(refusal: str) -> list[str]:
    match = _LISTED.search(refusal)
    names = re.split(r"\s*(?:,|\band\b|\be\b)\s*", match[1] or match[2]) if match else []
    return [name.rstrip(".") for name in names if name]


def _innermost(names: Iterable[str]) -> list[str]:
    """Each name once, without those within which another one lies."""
    unique = list(dict.fromkeys(names))
    return [name for name in unique if not any(longer.startswith(name + ".") for longer in unique)]


def put_field(body: dict[str, Any], name: str, value: str) -> None:
    """Set a field of a request; between dots, that of a field within another."""
    *way, last = name.split(".")
    for key in way:
        body[key] = body.get(key) if isinstance(body.get(key), dict) else {}
        body = body[key]
    body[last] = value


def likeliest(names: Iterable[str]) -> list[str]:
    """Names of fields, those first that are more likely to carry words than to name the conversation."""

    def place(name: str) -> tuple[bool, bool, bool]:
        name = name.rpartition(".")[2]
        words = name in TEXTS or bool(_WORDS.search(name))  # `customer_message` is what they say, not who
        return name not in TEXTS, not words, name in SESSIONS or bool(_WHO.search(name))

    return sorted(names, key=place)


def _mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        yield value
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for item in inner:
        yield from _mappings(item)


async def _narrowed(discovery: Discovery, language: str) -> Discovery:
    """Discovery with the one conversation name that the system reads, if its answers show it.

    It tells by an answer that holds what stood under that name, or by refusing requests without it. Else all
    names stay: of two conversations without one, a system that remembers would make one.
    """
    body = discovery.settings.get("body") or {}
    names = [name for name in SESSIONS if name in body]
    if len(names) < 2:
        return discovery
    text = _text_key(discovery.settings)

    async def answer(fields: Mapping[str, str]) -> str | None:
        """The answer as JSON; None without text."""
        settings = {**discovery.settings, "body": {text: "{{ text }}", **fields}}
        try:
            raw = await asked(settings, greeting(language), language)
        except SystemUnderTestError:
            return None
        return json.dumps(raw) if text_path(raw, None)[0] else None

    marks = {name: secrets.token_hex(8) for name in names}
    echo = await answer(marks) or ""
    read = [name for name in names if marks[name] in echo]
    bare = await answer({}) if len(read) != 1 else None
    for name in read if len(read) == 1 else names if bare is None else []:
        if await answer({name: marks[name]}) is not None:
            narrowed_body = {text: "{{ text }}", name: "{{ conversation }}"}
            return replace(discovery, settings={**discovery.settings, "body": narrowed_body})
    return replace(discovery, doubts=[*discovery.doubts, MANY_NAMES]) if bare is not None else discovery


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
    """Message field of a request; a server with a single field reads that one."""
    fields = shape.get("body") or shape.get("query") or {TEXTS[0]: "{{ text }}"}
    return next(key for key, value in fields.items() if value == "{{ text }}")
