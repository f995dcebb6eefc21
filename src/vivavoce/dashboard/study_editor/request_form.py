"""Bot as a form: a request described field by field, or its configuration as text."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from starlette.datastructures import FormData

from vivavoce.connectors.discovery import NotFound, put_field
from vivavoce.connectors.exchange import SWAPPED, Exchange, exchange
from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.input_dependence import Discovery
from vivavoce.connectors.urls import is_private
from vivavoce.core.errors import InputError
from vivavoce.core.i18n import N_
from vivavoce.core.secrets import names_in
from vivavoce.core.yaml_source import parse_yaml
from vivavoce.dashboard.language import gettext, language, worded
from vivavoce.dashboard.security import field
from vivavoce.dashboard.study_editor.study_text import Written

BESIDE: Final = ("title", "factors", "flags")  # keys of a system, not of its connector
NO_WORDS_FIELD: Final = N_("Enter the message field.")
NO_HEADER: Final = N_("write each header as NAME: VALUE on its own line: %(line)s")
METHODS: Final = ("POST", "GET", "PUT")
FAILED: Final = {
    "unreachable": N_("The bot is not reachable: %(detail)s"),
    "timeout": N_("The bot did not reply in time: %(detail)s"),
    "bad_answer": N_("The bot replied, but the reply path contains no text: %(detail)s"),
    "refused": N_("The bot rejected the request: %(detail)s"),
    "closed": N_("The bot closed the conversation: %(detail)s"),
}
NO_OBJECT: Final = N_('Enter the extra fields as JSON, e.g. {"version": 2}')


@dataclass
class RequestForm:
    """Request of `connect: http`, as entered in the form.

    text, conversation  names of the fields; between dots, that of a field within another
    more                further fields as a JSON object
    answer              where the words stand in the answer, as a path; end: what is true when it is over
    method              of METHODS; with GET the fields are parameters of the address
    headers             NAME: VALUE, one a line
    exchange            what came of it, once it was tried
    """

    text: str = ""
    conversation: str = ""
    more: str = ""
    answer: str = ""
    method: str = METHODS[0]
    headers: str = ""
    end: str = ""
    exchange: Exchange | None = None

    @classmethod
    def typed(cls, form: FormData) -> "RequestForm":
        text, conversation, more, answer, method, headers, end = (
            field(form, f"ask-{name}", most=4000)
            for name in ("text", "conversation", "more", "answer", "method", "headers", "end")
        )
        return cls(
            text, conversation, more, answer, method if method in METHODS else METHODS[0], headers, end
        )

    @classmethod
    def of_refusal(cls, error: NotFound) -> "RequestForm":
        """Form with the field names from a bot's error message."""
        text, *remaining = [*error.names, "", ""]
        fixed = {name: "" for name in remaining[1:] if name}
        return cls(text, remaining[0], json.dumps(fixed) if fixed else "")

    def settings(self, url: str) -> Written:
        """Settings below the system's name in the study file.

        Raises  InputError: no field carries the words, or the further ones are no JSON object
        """
        if not self.text:
            raise InputError(worded(NO_WORDS_FIELD))
        return self.draft(url)

    def draft(self, url: str) -> Written:
        """Settings even without a message field. Raises InputError."""
        try:
            body = json.loads(self.more or "{}")
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise InputError(worded(NO_OBJECT))
        put_field(body, self.text or "text", "{{ text }}")
        if self.conversation:
            put_field(body, self.conversation, "{{ conversation }}")
        settings: Written = {"connect": "http", "url": url}
        if is_private(url):
            settings["allow_private"] = True
        if self.headers.strip():
            settings["headers"] = dict(map(_header, self.headers.strip().splitlines()))
        if self.method == "GET":
            settings |= {
                "method": "GET",
                "body": None,
                "query": {name: _plain(value) for name, value in body.items()},
            }
        else:
            settings |= {**({} if self.method == METHODS[0] else {"method": self.method}), "body": body}
        read = {key: path for key, path in (("text", self.answer), ("end", self.end)) if path}
        return {**settings, **({"response": read} if read else {})}

    def greet(self, url: str) -> Discovery:
        """Test the bot with this request and keep the exchange.

        Raises  InputError: no words came of it, or they stand in the wrong field; then fields are exchanged
        """
        self.exchange = asyncio.run(exchange(self.settings(url), language=language()))
        if self.exchange.swapped:
            problem = gettext(SWAPPED, text=self.text, conversation=self.conversation)
            self.text, self.conversation = self.conversation, self.text
            raise InputError(problem)
        if self.exchange.found is None:
            detail = worded(self.exchange.problem)
            failed = FAILED.get(self.exchange.failure)
            raise InputError(gettext(failed, detail=detail) if failed else detail)
        return self.exchange.found


def _header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not name.strip() or not value.strip():
        raise InputError(gettext(NO_HEADER, line=line.strip()))
    return name.strip(), value.strip()


def _plain(value: Any) -> str:
    """Extra field as a URL parameter."""
    return value if isinstance(value, str) else json.dumps(value)


def check_system(name: str, settings: Mapping[str, Any], folder: Path) -> None:
    """Check that a system could be served as written; secrets may be set later. Contacts nothing.

    Raises  InputError: at its place in the study file
    """
    connector_settings = {key: value for key, value in settings.items() if key not in BESIDE}
    try:
        make_connector(
            connector_settings, dict.fromkeys(names_in(connector_settings), "not yet set"), folder=folder
        )
    except InputError as error:
        place = f"systems.{name}{'.' if error.place else ''}{error.place.strip()}"
        raise InputError(error.problem, place=place, hint=error.hint) from None


def with_private(settings: Mapping[str, Any]) -> Written:
    """Settings with `allow_private` if the address is private."""
    url = settings.get("url")
    needs = isinstance(url, str) and is_private(url) and not settings.get("allow_private")
    return {**settings, **({"allow_private": True} if needs else {})}


def read_block(text: str, name: str) -> Written:
    """Settings of one system from its block as text, with or without its name above.

    Raises  InputError: it is no mapping
    """
    source = parse_yaml(text, name)
    if source.problems:
        raise source.problems[0].error()
    block = source.data
    if isinstance(block, dict) and list(block) == [name] and isinstance(block[name], dict):
        block = block[name]
    if not isinstance(block, dict) or not block:
        raise InputError("the configuration is not a mapping", place=name, hint="start with connect: http")
    return block
