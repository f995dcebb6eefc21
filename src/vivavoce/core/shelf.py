"""A shelf: named objects of one kind that installed packages offer by entry points, ours like anybody's."""

import inspect
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar

from vivavoce.core.errors import InputError, UnknownName

Entry = TypeVar("Entry")


class Shelf(Generic[Entry]):
    """Objects of a class `base` by name, as packages offer them in the group `vivavoce.<kind>s`.

    A package is imported when its object is first asked for. What an entry point names is a class without
    parameters, whose attribute `name` is the entry point's own.
    """

    def __init__(self, kind: str, base: type[Entry]) -> None:
        self.kind, self.base, self.group = kind, base, f"vivavoce.{kind}s"
        self._entries: dict[str, Entry] = {}

    def names(self) -> list[str]:
        return sorted({point.name for point in entry_points(group=self.group)})

    def get(self, name: str, *, place: str = "") -> Entry:
        """The object of this name, made once.

        Raises  UnknownName: names the nearest known one
                InputError: it cannot be loaded, lacks something, or is offered by two packages
        """
        if name in self._entries:
            return self._entries[name]
        found = [point for point in entry_points(group=self.group) if point.name == name]
        if not found:
            raise UnknownName(self.kind, name, self.names(), place=place)
        if len(found) > 1:
            offered = " and ".join(sorted(_package(point) for point in found))
            raise InputError(
                f"{self.kind} {name!r} is offered by {offered}", place=place, hint="uninstall one"
            )
        return self._entries.setdefault(name, self._loaded(found[0], place))

    def _loaded(self, point: EntryPoint, place: str) -> Entry:
        what = f"{self.kind} {point.name!r} of the package {_package(point)}"
        try:
            made = point.load()
            missing = sorted(getattr(made, "__abstractmethods__", ()))
            if inspect.isclass(made) and issubclass(made, self.base) and not missing:
                made = made()
        except Exception as error:  # whatever the package does when it is imported
            problem = f"{what} cannot be loaded: {type(error).__name__}: {error}"
            raise InputError(problem, place=place, hint="mend or uninstall the package") from None
        if missing:
            hint = f"add {', '.join(missing)}, as in the guide"
            raise InputError(f"{what} does not say its {' and '.join(missing)}", place=place, hint=hint)
        if not isinstance(made, self.base) or getattr(made, "name", None) != point.name:
            hint = f"it needs to be a {self.base.__name__} with name = {point.name!r}, as in the guide"
            raise InputError(f"{what} is no {self.kind}", place=place, hint=hint)
        return made


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.module
