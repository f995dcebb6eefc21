"""The shelf of connectors."""

import inspect
from typing import Any, Final

from vivavoce.connectors.base import ConnectorKind, ConnectorSettings
from vivavoce.core.shelf import Shelf


def _is_connector(kind: Any) -> bool:
    settings = getattr(kind, "settings", None)
    return (
        inspect.isclass(settings)
        and issubclass(settings, ConnectorSettings)
        and callable(getattr(kind, "make", None))
    )


CONNECTORS: Final[Shelf[ConnectorKind]] = Shelf(
    "connector", fits=_is_connector, needs="settings (a ConnectorSettings), make"
)
