"""Digest authentication: proof of a password to an exchange without sending it.

Source  RFC 7616 (digest; MD5, SHA-256, their session variants, quality of protection), RFC 8760 (in SIP),
        RFC 2617 section 3.2.2 (what exchanges of old ask)
"""

import hashlib
import re
import secrets
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

_SCHEME: Final = re.compile(r"\s*digest\s+(.*)", re.IGNORECASE | re.DOTALL)
_PARAMETER: Final = re.compile(r'([A-Za-z][A-Za-z0-9_-]*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))')
_HASHES: Final[dict[str, Callable[[bytes], "hashlib._Hash"]]] = {
    "md5": hashlib.md5,
    "sha-256": hashlib.sha256,
}


class Credentials(NamedTuple):
    """Credentials for an exchange."""

    username: str
    password: str


def authorization(
    challenges: Iterable[str],
    credentials: Credentials,
    method: str,
    uri: str,
    *,
    client_nonce: str | None = None,
) -> str | None:
    """The header that answers the first of the challenges that we can answer; None where we can none.

    Input   challenges: header values as they came, best first (RFC 8760, 2.4)
    """
    for challenge in challenges:
        parameters = _parameters(challenge)
        if parameters is None or "realm" not in parameters or "nonce" not in parameters:
            continue
        name = parameters.get("algorithm", "MD5")
        has_hash = name.lower().removesuffix("-sess") in _HASHES
        offered = [
            option.strip().lower() for option in parameters.get("qop", "").split(",") if option.strip()
        ]
        if has_hash and (not offered or "auth" in offered):
            nonce = client_nonce or secrets.token_hex(16)
            return _answer(parameters, credentials, method, uri, nonce, protected=bool(offered))
    return None


def _answer(
    challenge: dict[str, str], who: Credentials, method: str, uri: str, client_nonce: str, *, protected: bool
) -> str:
    name = challenge.get("algorithm", "MD5")
    make = _HASHES[name.lower().removesuffix("-sess")]

    def digest(*parts: str) -> str:
        return make(":".join(parts).encode()).hexdigest()

    secret = digest(who.username, challenge["realm"], who.password)
    if name.lower().endswith("-sess"):
        secret = digest(secret, challenge["nonce"], client_nonce)
    request = digest(method, uri)
    count = "00000001"
    response = (
        digest(secret, challenge["nonce"], count, client_nonce, "auth", request)
        if protected
        else digest(secret, challenge["nonce"], request)
    )
    quoted = {
        "username": who.username,
        "realm": challenge["realm"],
        "nonce": challenge["nonce"],
        "uri": uri,
        "response": response,
    }
    if "opaque" in challenge:
        quoted["opaque"] = challenge["opaque"]
    if protected or name.lower().endswith("-sess"):
        quoted["cnonce"] = client_nonce
    fields = [f'{key}="{_escaped(value)}"' for key, value in quoted.items()]
    fields += [f"algorithm={name}"] if "algorithm" in challenge else []
    fields += ["qop=auth", f"nc={count}"] if protected else []
    return "Digest " + ", ".join(fields)


def _parameters(challenge: str) -> dict[str, str] | None:
    """Parameters of a challenge; None unless it is about a digest."""
    match = _SCHEME.fullmatch(challenge)
    if match is None:
        return None
    return {
        pair[1].lower(): re.sub(r"\\(.)", r"\1", pair[2]) if pair[2] is not None else pair[3]
        for pair in _PARAMETER.finditer(match[1])
    }


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\r", "").replace("\n", "")
