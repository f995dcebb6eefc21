"""A system as a form has it: the request that somebody describes field by field, or its block as text."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from starlette.datastructures import FormData

from vivavoce.connectors.discovery import Discovery, Exchange, NotFound, exchange
from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.secrets import names_in
from vivavoce.connectors.urls import is_private
from vivavoce.core.errors import InputError
from vivavoce.core.i18n import N_
from vivavoce.core.yaml_source import parse_yaml
from vivavoce.desk.language import language, worded
from vivavoce.desk.security import field
from vivavoce.desk.study_editor.study_text import Written

BESIDE: Final = ("title", "factors", "flags")  # of a system, not of its connector
NO_WORDS_FIELD: Final = N_("no field is named that carries the words")
NO_OBJECT: Final = N_('further fields are written as JSON, such as {"version": 2}')


@dataclass
class RequestForm:
    """A request of `connect: http`, as people fill it in who write no file.

    text, conversation  names of the fields; between dots, that of a field within another
    more                further fields as a JSON object; answer: where the words stand in it, as a path
    exchange            what came of it, once it was tried
    """

    text: str = ""
    conversation: str = ""
    more: str = ""
    answer: str = ""
    exchange: Exchange | None = None

    @classmethod
    def typed(cls, form: FormData) -> "RequestForm":
        text, conversation, more, answer = (
            field(form, f"ask-{name}", most=4000) for name in ("text", "conversation", "more", "answer")
        )
        return cls(text, conversation, more, answer)

    @classmethod
    def of_refusal(cls, error: NotFound) -> "RequestForm":
        """With the names that a bot told when it refused others."""
        text, *others = [*error.names, "", ""]
        fixed = {name: "" for name in others[1:] if name}
        return cls(text, others[0], json.dumps(fixed) if fixed else "")

    def settings(self, url: str) -> Written:
        """As under the system's name in the study file.

        Raises  InputError: no field carries the words, or the further ones are no JSON object
        """
        if not self.text:
            raise InputError(worded(NO_WORDS_FIELD))
        return self.draft(url)

    def draft(self, url: str) -> Written:
        """The same, also where what carries the words is not known yet. Raises InputError."""
        try:
            body = json.loads(self.more or "{}")
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise InputError(worded(NO_OBJECT))
        _put(body, self.text or "text", "{{ text }}")
        if self.conversation:
            _put(body, self.conversation, "{{ conversation }}")
        found: Written = {"connect": "http", "url": url}
        if is_private(url):
            found["allow_private"] = True
        return {**found, "body": body, **({"response": {"text": self.answer}} if self.answer else {})}

    def greet(self, url: str) -> Discovery:
        """Say hello so; the exchange is kept to be shown. Raises InputError: no words came of it."""
        self.exchange = asyncio.run(exchange(self.settings(url), language=language()))
        if self.exchange.found is None:
            raise InputError(worded(self.exchange.problem))
        return self.exchange.found


def _put(body: Any, name: str, value: str) -> None:
    *way, last = name.split(".")
    for key in way:
        body[key] = body.get(key) if isinstance(body.get(key), dict) else {}
        body = body[key]
    body[last] = value


def check_system(name: str, settings: Mapping[str, Any], folder: Path) -> None:
    """Whether a system could be served as it is written; secrets may be set later. Nothing is contacted.

    Raises  InputError: at its place in the study file
    """
    own = {key: value for key, value in settings.items() if key not in BESIDE}
    try:
        make_connector(own, dict.fromkeys(names_in(own), "not yet set"), folder=folder)
    except InputError as error:
        place = f"systems.{name}{'.' if error.place else ''}{error.place.strip()}"
        raise InputError(error.problem, place=place, hint=error.hint) from None


def with_private(settings: Mapping[str, Any]) -> Written:
    """The settings with an address on this machine or in a private network permitted, where it is one."""
    url = settings.get("url")
    needs = isinstance(url, str) and is_private(url) and not settings.get("allow_private")
    return {**settings, **({"allow_private": True} if needs else {})}


def read_block(text: str, name: str) -> Written:
    """The settings of one system from its block as text, also where its name stands above.

    Raises  InputError: it is no mapping
    """
    source = parse_yaml(text, name)
    if source.problems:
        raise source.problems[0].error()
    found = source.data
    if isinstance(found, dict) and list(found) == [name] and isinstance(found[name], dict):
        found = found[name]
    if not isinstance(found, dict) or not found:
        raise InputError("a system is a mapping of settings", place=name, hint="begin with connect: http")
    return found
