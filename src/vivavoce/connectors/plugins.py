"""Connectors by name: ours, and those that installed packages offer as entry points `vivavoce.connectors`."""

from importlib.metadata import EntryPoint, entry_points
from typing import Final

from vivavoce.connectors import CONNECTORS
from vivavoce.connectors.base import ConnectorKind, ConnectorSettings
from vivavoce.core.errors import InputError, UnknownName

GROUP: Final = "vivavoce.connectors"


def kind_of(name: str, *, place: str = "") -> ConnectorKind:
    """The connector of this name; a package is imported only when a study asks for its connector.

    Raises  UnknownName: names the nearest known one
            InputError: a package's connector cannot be loaded, is none, or is offered by two packages
    """
    if name in CONNECTORS:
        return CONNECTORS.get(name)
    points = list(entry_points(group=GROUP))
    found = [point for point in points if point.name == name]
    if not found:
        known = sorted({*CONNECTORS.names(), *(point.name for point in points)})
        raise UnknownName("connector", name, known, place=place)
    if len(found) > 1:
        offered = " and ".join(sorted(_package(point) for point in found))
        raise InputError(f"connector {name!r} is offered by {offered}", place=place, hint="uninstall one")
    return CONNECTORS.add(name, _loaded(found[0], place))


def _loaded(point: EntryPoint, place: str) -> ConnectorKind:
    what = f"connector {point.name!r} of the package {_package(point)}"
    try:
        kind = point.load()
    except Exception as error:  # whatever the package does when it is imported
        problem = f"{what} cannot be loaded: {type(error).__name__}: {error}"
        raise InputError(problem, place=place, hint="mend or uninstall the package") from None
    settings = getattr(kind, "settings", None)
    sound = isinstance(settings, type) and issubclass(settings, ConnectorSettings)
    if not sound or getattr(kind, "name", None) != point.name or not callable(getattr(kind, "make", None)):
        hint = f"it needs name = {point.name!r}, settings (a ConnectorSettings) and make, as in the guide"
        raise InputError(f"{what} is no connector", place=place, hint=hint)
    return kind


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.module
