"""JSON requests to a system behind HTTP: deadlines, and a second try if the first was not received."""

import asyncio
from collections.abc import Callable, Collection
from typing import Any, Final

import httpx

from vivavoce.connectors.answers import read_json
from vivavoce.connectors.base import ConnectorSettings
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.transport import check_status, make_client, reported
from vivavoce.core.errors import FailureKind, SystemUnderTestError

_PAUSES_S: Final = (0.1, 0.4)


class Asking:
    """One system's HTTP interface; every failure is a SystemUnderTestError without secrets."""

    def __init__(self, settings: ConnectorSettings, vault: Vault, longest_bytes: int) -> None:
        self._settings, self._vault = settings, vault
        self.client = make_client(settings, longest_bytes, vault)

    async def ask(
        self, method: str, url: str, *, json: Any = None, idempotent: bool = False, **more: Any
    ) -> Any:
        """The JSON answer, secrets redacted; null for an empty one.

        Input   more: headers and params as httpx takes them; idempotent: asking twice does no harm
        """

        body = await self.fetch(
            lambda: self.client.build_request(method, url, json=json, **more),
            again=("closed",) if idempotent else (),
        )
        with reported(self._vault):
            return self._vault.redact(read_json(body)) if body.strip() else None

    async def fetch(
        self,
        build: Callable[[], httpx.Request],
        *,
        again: Collection[FailureKind] = (),
        answered: Callable[[httpx.Response], None] | None = None,
    ) -> bytes:
        """Body of the answer to a request, which is rebuilt for each try.

        Input   again: failures after which it is asked again beside `unreachable`; answered: is shown each
                answer, also one with a status that is refused
        """
        limit = self._settings.turn_timeout_s
        for pause_s in (*_PAUSES_S, None):
            try:
                async with asyncio.timeout(limit):
                    with reported(self._vault):
                        return await self._once(build(), answered)
            except TimeoutError:
                problem = SystemUnderTestError("timeout", f"the answer was not complete after {limit:g} s")
            except SystemUnderTestError as error:
                problem = error
            if pause_s is None or problem.failure not in ("unreachable", *again):
                raise problem
            await asyncio.sleep(pause_s)
        raise AssertionError("unreachable")

    async def close(self) -> None:
        await self.client.aclose()

    async def _once(self, request: httpx.Request, answered: Callable[[httpx.Response], None] | None) -> bytes:
        limit = self._settings.first_output_timeout_s
        try:
            async with asyncio.timeout(limit):
                response = await self.client.send(request, stream=True)
        except TimeoutError:
            raise SystemUnderTestError("timeout", f"no output after {limit:g} s") from None
        try:
            body = await response.aread()
        finally:
            await response.aclose()
        if answered is not None:
            answered(response)
        check_status(response, body)
        return body
