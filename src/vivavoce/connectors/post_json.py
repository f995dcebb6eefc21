"""One JSON request to an endpoint that is not a system under test, such as a user's parser."""

from collections.abc import Callable
from typing import Any, Final

import httpx

from vivavoce.core.errors import InputError

SECONDS: Final = 20.0


def poster(address: str, *, seconds: float = SECONDS) -> Callable[[dict[str, Any]], Any]:
    """A function that posts a JSON object to this address and gives back the JSON of its answer.

    Raises  InputError: no answer in time, an answer that is an error, or no JSON; the connection stays open
            between questions
    """
    client = httpx.Client(timeout=seconds)

    def post(content: dict[str, Any]) -> Any:
        try:
            return client.post(address, json=content).raise_for_status().json()
        except (httpx.HTTPError, ValueError) as error:
            hint = "make the endpoint answer JSON"
            raise InputError(f"{type(error).__name__}: {error}", place=address, hint=hint) from None

    return post
