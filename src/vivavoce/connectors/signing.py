"""Requests signed with a shared key (HMAC), so that a system can tell that they come from us."""

import base64
import hmac
from collections.abc import Callable
from typing import Literal

import httpx
from pydantic import BaseModel, ConfigDict, Field

from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.templates import compile_template


class Signature(BaseModel):
    """Signature of requests."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    key: str = Field(description="${NAME} of the environment variable with the shared key")
    header: str = Field("X-Signature", description="header for the signature")
    hash: Literal["sha256", "sha1", "sha512"] = Field("sha256", description="hash function of the HMAC")
    encoding: Literal["hex", "base64"] = Field("hex", description="encoding of the signature")
    prefix: str = Field("", description="prefix of the signature, such as sha256=")
    text: str = Field("{{ body }}", description="signed text: template of body, timestamp, method and path")
    timestamp: str | None = Field(None, description="header for the timestamp, in seconds")


class Signer:
    """Signs requests by one system's settings."""

    def __init__(self, settings: Signature, vault: Vault, now_s: Callable[[], float], place: str) -> None:
        self._settings, self._now_s = settings, now_s
        self._key = vault.expand(settings.key).encode()
        variables = {"body", "timestamp", "method", "path"}
        self._text = compile_template(settings.text, variables, place=f"{place}.text")

    def sign(self, request: httpx.Request) -> None:
        """Put the signature of a request, and its timestamp, into its headers; the body must be UTF-8."""
        settings, timestamp = self._settings, str(int(self._now_s()))
        text = self._text(
            {
                "body": request.content.decode(),
                "timestamp": timestamp,
                "method": request.method,
                "path": request.url.raw_path.decode("ascii"),
                "secrets": {},
            }
        )
        digest = hmac.new(self._key, str(text).encode(), settings.hash).digest()
        signature = digest.hex() if settings.encoding == "hex" else base64.b64encode(digest).decode()
        request.headers[settings.header] = settings.prefix + signature
        if settings.timestamp is not None:
            request.headers[settings.timestamp] = timestamp
