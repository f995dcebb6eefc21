"""Test of a custom request: the bot's answer, and whether the message is in the right field."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from vivavoce.connectors.answer_paths import AnswerPaths, AnswerReader
from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.http import VARIABLES
from vivavoce.connectors.input_dependence import (
    Discovery,
    Settings,
    asked_as,
    flags_of,
    heeds,
    mapping,
    text_at,
    text_path,
    with_end,
)
from vivavoce.connectors.probe import NONSENSE, without
from vivavoce.connectors.templates import compile_template
from vivavoce.core.errors import SystemUnderTestError
from vivavoce.core.i18n import N_
from vivavoce.languages.data import greeting

DEAF: Final = N_(
    "The bot gave the same reply to different messages. Check the message field, then test again."
)
SWAPPED: Final = N_(
    "The bot replies to the message only with “%(text)s” and “%(conversation)s” exchanged: "
    "“%(conversation)s” seems to be the message field. The fields are exchanged below. Test again with "
    "these."
)
NO_WORDS: Final = N_("no text found in the reply")


@dataclass(frozen=True)
class Exchange:
    """One custom request and its outcome.

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
    first_exchange, key = await _once(settings, language)
    if first_exchange.found is None or not first_exchange.found.said:
        return first_exchange
    greeted, first = without(first_exchange.found.said, key), (NONSENSE,)
    follows = await heeds(first_exchange.found.settings, greeted, language, first)
    if follows:
        return replace(first_exchange, found=await with_end(first_exchange.found, language))
    swapped = exchanged(settings)
    if swapped is not None:
        turned, key = await _once(swapped, language)
        if turned.found is not None and turned.found.said:
            greeted = without(turned.found.said, key)
            if await heeds(turned.found.settings, greeted, language, first):
                return replace(first_exchange, swapped=True)
    return (
        first_exchange
        if follows is None
        else replace(first_exchange, found=replace(first_exchange.found, doubts=[DEAF], deaf=True))
    )


async def _once(settings: Settings, language: str) -> tuple[Exchange, str]:
    """Result of one test message, and its conversation ID."""
    make_connector(settings, place="system")
    text, body = greeting(language), settings.get("body") or settings.get("query")
    variables: Settings = dict.fromkeys(VARIABLES, "-") | {"text": text, "language": language, "number": 1}
    sent = _shown(compile_template(body, VARIABLES, place="body")(variables)) if body is not None else ""
    try:
        raw, key = await asked_as(settings, text, language)
    except SystemUnderTestError as error:
        return Exchange(sent, "", None, error.detail, error.failure), ""
    response = settings.get("response", {})
    flags = list(flags_of(raw))
    flags = [] if "end" in response or "end" in flags else flags  # it is read there unless told otherwise
    if "text" not in response:
        path, _ = text_path(raw, None)
        discovery = None
        if path is not None:
            read = {**mapping(path, raw).get("response", {}), **response}
            more = {"response": read} if read else {}
            discovery = Discovery(
                {**settings, **more}, text_at(raw, path), flags=[] if "end" in read else flags
            )
        return Exchange(sent, _shown(raw), discovery, "" if discovery else NO_WORDS), key
    try:
        outputs = AnswerReader(AnswerPaths.model_validate(settings["response"])).read(raw)
    except SystemUnderTestError as error:
        return Exchange(sent, _shown(raw), None, error.detail, error.failure), key
    reply = "\n".join(output.text for output in outputs if output.kind == "message")
    return Exchange(sent, _shown(raw), Discovery(settings, reply, flags=flags)), key


def exchanged(settings: Mapping[str, Any]) -> Settings | None:
    """The request with the words where the conversation's name stands, and the other way round; None: it
    has not both, or is none of `connect: http`."""
    words, name = "{{ text }}", "{{ conversation }}"

    def turned(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: turned(item) for key, item in value.items()}
        return {words: name, name: words}.get(value, value) if isinstance(value, str) else value

    part = "body" if settings.get("body") else "query"
    template = json.dumps(settings.get(part))
    has_both = settings.get("connect") == "http" and words in template and name in template
    return {**settings, part: turned(settings.get(part))} if has_both else None


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)
