"""Pictures that systems show, fetched for a participant's browser without revealing their addresses."""

import base64
import binascii
from dataclasses import dataclass
from typing import Final

import httpx

from vivavoce.connectors.transport import GuardedTransport
from vivavoce.core.errors import SystemUnderTestError

KINDS: Final = ((b"\x89PNG", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))
LONGEST_BYTES: Final = 10_000_000
_DATA: Final = "data:image/"
_REDIRECTS: Final = 3
_SECONDS: Final = 20.0


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a kind that every browser shows and that holds no program, as its first bytes tell."""

    media_type: str
    data: bytes


def can_be_shown(address: str) -> bool:
    """True for the address of a picture, or the picture itself."""
    return address.lower().startswith(("http://", "https://", _DATA))


async def picture_at(address: str, *, allow_private: bool) -> Picture | None:
    """The picture at an address that a system gave; None where there is none that may be shown.

    Every address on the way, redirects included, is checked like a system's own.
    """
    if address.lower().startswith(_DATA):
        return _recognised(_decoded(address))
    transport = GuardedTransport(allow_private=allow_private, longest_bytes=LONGEST_BYTES)
    client = httpx.AsyncClient(
        transport=transport,
        timeout=_SECONDS,
        trust_env=False,
        follow_redirects=True,
        max_redirects=_REDIRECTS,
        headers={"user-agent": "vivavoce", "accept": "image/*"},
    )
    try:
        async with client:
            answer = await client.get(address)
    except (httpx.HTTPError, httpx.InvalidURL, SystemUnderTestError):
        return None
    return _recognised(answer.content) if answer.is_success else None


def _decoded(address: str) -> bytes:
    head, _, body = address.partition(",")
    try:
        return base64.b64decode(body, validate=True) if head.lower().endswith(";base64") else b""
    except (binascii.Error, ValueError):
        return b""


def _recognised(data: bytes) -> Picture | None:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return Picture("image/webp", data)
    return next((Picture(kind, data) for begin, kind in KINDS if data.startswith(begin)), None)
