"""The parameters of a call to a message platform: in the address, as JSON or as a form, with files."""

import base64
import json
from dataclasses import dataclass
from typing import Any, Final

from starlette.datastructures import UploadFile
from starlette.requests import Request

from vivavoce.connectors.answers import clean

_PICTURES: Final = {
    b"\x89PNG": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
}


class UnreadableCall(Exception):
    """A call that cannot be read; `too_large`: because it is longer than is taken."""

    def __init__(self, *, too_large: bool = False) -> None:
        self.too_large = too_large
        super().__init__("too large" if too_large else "neither a JSON object nor a form")


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that a bot sent along."""

    name: str
    kind: str
    data: bytes

    @property
    def address(self) -> str:
        return f"data:{self.kind};base64,{base64.b64encode(self.data).decode()}"


async def parameters(request: Request, longest_bytes: int) -> dict[str, Any]:
    """The parameters of a call, however they were sent. Raises UnreadableCall."""
    params: dict[str, Any] = dict(request.query_params)
    if int(request.headers.get("content-length") or 0) > longest_bytes:
        raise UnreadableCall(too_large=True)
    kind = request.headers.get("content-type", "").partition(";")[0]
    try:
        if kind == "application/json":
            body = clean(json.loads(await request.body() or b"{}"))
            return {**params, **body} if isinstance(body, dict) else params
        if kind in ("multipart/form-data", "application/x-www-form-urlencoded"):
            async with request.form(max_part_size=longest_bytes) as form:
                for name, value in form.items():
                    params[name] = await _upload(value) if isinstance(value, UploadFile) else clean(value)
    except (ValueError, AssertionError, RecursionError):
        raise UnreadableCall from None
    return params


def text_of(params: dict[str, Any], *path: str) -> str:
    """A text within a call; "" where there is none."""
    value: Any = params
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def mappings(value: Any) -> list[dict[str, Any]]:
    """The mappings of a list within a call; what is no mapping, or no list, is passed over."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


async def _upload(file: UploadFile) -> Upload:
    data = await file.read()
    kind = next((kind for start, kind in _PICTURES.items() if data.startswith(start)), file.content_type)
    return Upload(file.filename or "file", kind or "application/octet-stream", data)
