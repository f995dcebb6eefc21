"""Addresses of systems under test, as written in a study file."""

import ipaddress
import re
from typing import Annotated
from urllib.parse import urlsplit

import httpx
from pydantic import AfterValidator

from vivavoce.connectors.transport import address_problem, permitted
from vivavoce.core.errors import InputError
from vivavoce.core.validation import mistake

_PLACEHOLDER = re.compile(r"\{\{.*?\}\}|\$\{\w+\}")


def _address(url: str, schemes: tuple[str, str], example: str) -> str:
    try:
        parts = urlsplit(_PLACEHOLDER.sub("x", url))
        parsed, _ = urlsplit(url), parts.port
        httpx.URL(
            _PLACEHOLDER.sub("x", url)
        )  # what the connectors could not even ask for, such as 0177.0.0.1
    except (ValueError, httpx.InvalidURL) as error:
        raise mistake(f"{url!r} is not a web address ({error})", f"write {example}") from None
    if parts.scheme not in schemes or not parts.hostname:
        raise mistake(f"{url!r} is not a web address", f"write {example}")
    if _PLACEHOLDER.search(parsed.netloc):
        raise mistake(f"the host of {url!r} is a template", "write the host itself")
    if parts.username is not None or parts.password is not None:
        raise mistake("the address contains a password", "use headers with ${SECRET}")
    return url


def _web_address(url: str) -> str:
    return _address(url, ("http", "https"), "http://HOST:PORT/PATH or https://HOST/PATH")


def _socket_address(url: str) -> str:
    return _address(url, ("ws", "wss"), "ws://HOST:PORT/PATH or wss://HOST/PATH")


WebAddress = Annotated[str, AfterValidator(_web_address)]
SocketAddress = Annotated[str, AfterValidator(_socket_address)]


def check_address(url: str, *, allow_private: bool, place: str) -> None:
    """Refuse early what the transport would refuse at each turn.

    Raises  InputError: the host is written as an address, or as localhost, that needs allow_private
    """
    host = urlsplit(_PLACEHOLDER.sub("x", url)).hostname or ""
    try:
        address = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:
        return
    if not permitted(address, allow_private=allow_private):
        hint = "bots at such addresses are blocked" if allow_private else "set allow_private: true"
        raise InputError(address_problem(host, host).partition(";")[0], place=place, hint=hint)


def is_private(url: str) -> bool:
    """True if the host is an address of this machine or of a private network."""
    try:
        check_address(url, allow_private=False, place="")
    except InputError:
        return True
    return False
