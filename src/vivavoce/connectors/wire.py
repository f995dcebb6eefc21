"""Raw exchanges on the wire, without secrets, for listeners: the log, `vivavoce talk`.

A connector records requests and answers while it handles a turn. Records are dropped unless somebody
listens, and not made if the system's settings say `log_wire: false`.
"""

from typing import Any, Final

from vivavoce.connectors.base import WIRE_LISTENER, ConnectorSettings
from vivavoce.connectors.secrets import Vault

LONGEST: Final = 20_000


class Wire:
    """One system's wire: notes what passes, with its secrets replaced by their names."""

    def __init__(self, settings: ConnectorSettings, vault: Vault) -> None:
        self._on, self._vault = settings.log_wire, vault

    @property
    def listened_to(self) -> bool:
        return self._on and WIRE_LISTENER.get() is not None

    def sent(self, what: str, body: str | bytes = "") -> None:
        self._note("sent", what, body)

    def received(self, what: str, body: str | bytes = "") -> None:
        self._note("received", what, body)

    def _note(self, direction: str, what: str, body: str | bytes) -> None:
        frames = WIRE_LISTENER.get()
        if frames is None or not self._on:
            return
        text = body if isinstance(body, str) else body.decode("utf-8", "backslashreplace")
        text = text.replace("\x00", "\\x00").encode("utf-8", "backslashreplace").decode("utf-8")
        frame: dict[str, Any] = {
            direction: self._vault.redact(what),
            "body": self._vault.redact(text)[:LONGEST],
        }
        if len(text) > LONGEST:
            frame["characters"] = len(text)
        frames.append(frame)
