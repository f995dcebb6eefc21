"""Addresses of bots and services in a study file, which a public dataset leaves out."""

import re
from collections.abc import Mapping
from typing import Final

from vivavoce.core.secrets import Replacements, replace_values
from vivavoce.core.yaml_source import KeyPath

_ADDRESS: Final = re.compile(
    r"\b(?:[a-z][a-z0-9+.-]*://|sips?:)(?:\{\{.*?\}\}|[^\s\"'<>])+"
    r"|(?<![\w.-])(?:localhost|\[[0-9a-f:.]+\]|[\w-]+(?:\.[\w-]+)+):\d{2,5}\b",
    re.IGNORECASE,
)
_HOST: Final = re.compile(r"^(?:[\w+.-]+://|sips?:)?(?:[^\s/@]*@)?([^\s/?#]+)")
_SHOWN: Final = "visit"  # the key whose addresses participants see


def without_addresses(text: str) -> str:
    """A study file's text with names such as `<address-2>` in place of addresses; all else stays."""
    return replace_values(text, _named)


def _named(texts: Mapping[KeyPath, str]) -> Replacements:
    addresses = {path: _ADDRESS.findall(text) for path, text in texts.items() if path[:1] != (_SHOWN,)}
    hosts = dict.fromkeys(_host(address) for listed in addresses.values() for address in listed)
    names = {host: f"<address-{number}>" for number, host in enumerate(hosts, 1)}
    return {
        path: {part: names[_host(address)] for address in listed for part in (address, _host(address))}
        for path, listed in addresses.items()
        if listed
    }


def _host(address: str) -> str:
    match = _HOST.match(address)
    return match[1] if match else address
