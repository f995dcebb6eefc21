"""Shelves: named objects of one kind that installed packages offer by entry points, ours like anybody's."""

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec
from threading import RLock
from typing import Any, TypeVar, cast

from vivavoce.core.entry_points import EntryPoint, read_entry_points
from vivavoce.core.errors import InputError, MissingExtra, UnknownName
from vivavoce.core.registry import Registry

Entry = TypeVar("Entry")
Offer = tuple[str, Callable[[], Entry]]


def offers(group: str) -> tuple[EntryPoint, ...]:
    """The entry points of a group, in the order of their names, looked up once for each `sys.path`."""
    return _offers(group, tuple(sys.path))


@lru_cache
def _offers(group: str, path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    found = _installed(path).get(group, ())
    return tuple(sorted(found, key=lambda point: (point.name, point.value)))


@lru_cache
def _installed(path: tuple[str, ...]) -> dict[str, list[EntryPoint]]:
    """Of all groups at once: to look through what is installed takes as long for one as for all."""
    return read_entry_points(path)


class Shelf(Registry[Entry]):
    """Objects by name, as packages offer them in the group `vivavoce.<kind>s`: one object an entry point.

    A package is imported when its object is first asked for. The attribute `name` of what an entry point
    names is the entry point's own; of a subclass of `base` one object is made, without parameters. A program
    may `add` objects of its own.

    fits    whether a loaded object is one of the kind; None: it is a `base`
    needs   what `fits` looks at, in words
    group   of entry points, where it is not named after the kind
    """

    def __init__(
        self,
        kind: str,
        base: type[Entry] | None = None,
        *,
        fits: Callable[[Any], bool] | None = None,
        needs: str = "",
        group: str = "",
    ) -> None:
        super().__init__(kind)
        self.base, self.fits, self.group = base, fits, group or f"vivavoce.{kind.replace(' ', '_')}s"
        self.needs = needs or f"to be a {base.__name__ if base is not None else kind}"

    def names(self) -> list[str]:
        return sorted({*self._entries, *(point.name for point in offers(self.group))})

    def __contains__(self, name: object) -> bool:
        return name in self._entries or any(point.name == name for point in offers(self.group))

    def __iter__(self) -> Iterator[tuple[str, Entry]]:
        """All of them by name, but those of an extra whose package is not there: `get` says which it is."""
        for name in self.names():
            try:
                yield name, self.get(name)
            except MissingExtra:
                if _is_there(self.group, name):
                    raise

    def get(self, name: str, *, place: str = "") -> Entry:
        """The object of this name, made once.

        Raises  UnknownName: names the nearest known one
                MissingExtra: the package that offers it is not there; the line says what to install
                InputError: it cannot be loaded, lacks something, or is offered by two packages
        """
        if name in self._entries:
            return self._entries[name]
        found = [point for point in offers(self.group) if point.name == name]
        if not found:
            raise _unknown(self, name, place)
        if len(found) > 1:
            raise _twice(self.kind, name, (point.package for point in found), place)
        return self._entries.setdefault(name, self._loaded(found[0], place))

    def _loaded(self, point: EntryPoint, place: str) -> Entry:
        with _loading(self.kind, point, place):
            made = point.load()
            lacking = sorted(getattr(made, "__abstractmethods__", ()))
            if (
                self.base is not None
                and inspect.isclass(made)
                and issubclass(made, self.base)
                and not lacking
            ):
                made = made()
        if lacking:
            hint = f"add {', '.join(lacking)}, as in the guide"
            problem = f"{_told(self.kind, point)} lacks its {' and '.join(lacking)}"
            raise InputError(problem, place=place, hint=hint)
        fits = self.fits(made) if self.fits is not None else isinstance(made, self.base or object)
        if not fits or getattr(made, "name", None) != point.name:
            hint = f"it needs {self.needs} and name = {point.name!r}, as in the guide"
            raise InputError(f"{_told(self.kind, point)} is no {self.kind}", place=place, hint=hint)
        return cast(Entry, made)


class FamilyShelf(Registry[Entry]):
    """Objects by name of which an entry point of the group `vivavoce.<kind>s` offers several at once.

    All packages that offer some are imported when the shelf is first looked at; the objects are made when
    they are first asked for.

    unpack  the objects in what an entry point names: each one's name and maker. Raises TypeError, in words
    """

    def __init__(self, kind: str, unpack: Callable[[Any], Iterable[Offer[Entry]]]) -> None:
        super().__init__(kind)
        self.unpack, self.group = unpack, f"vivavoce.{kind}s"
        self._makers: dict[str, Callable[[], Entry]] = {}
        self._owners: dict[str, EntryPoint] = {}
        self._taken: dict[tuple[str, str], Any] = {}
        self._lock = RLock()

    def names(self) -> list[str]:
        self._fill()
        return sorted({*self._entries, *self._makers})

    def __contains__(self, name: object) -> bool:
        self._fill()
        return name in self._entries or name in self._makers

    def get(self, name: str, *, place: str = "") -> Entry:
        """The object of this name, made once.

        Raises  UnknownName: names the nearest known one
                InputError: a package cannot be loaded, or two packages offer one name
        """
        if name not in self:
            raise _unknown(self, name, place)
        if name not in self._entries:
            self._entries[name] = self._makers[name]()
        return self._entries[name]

    def offered(self) -> list[Any]:
        """Values of the entry points, in the order of their names."""
        self._fill()
        return [self._taken[point.name, point.value] for point in offers(self.group)]

    def _fill(self) -> None:
        with self._lock:
            for point in offers(self.group):
                if (point.name, point.value) not in self._taken:
                    self._take(point)

    def _take(self, point: EntryPoint) -> None:
        key = (point.name, point.value)
        self._taken[key] = None  # before it is imported: it may look at the shelf
        try:
            with _loading(f"{self.kind}s", point):
                self._taken[key] = point.load()
                found = list(self.unpack(self._taken[key]))
            for name, _ in found:
                if name in self._owners:
                    raise _twice(self.kind, name, (self._owners[name].package, point.package))
        except InputError:
            del self._taken[key]
            raise
        for name, make in found:
            self._owners[name] = point
            self._makers[name] = make


def _is_there(group: str, name: str) -> bool:
    points = (point for point in offers(group) if point.name == name)
    return any(find_spec(point.module.partition(".")[0]) is not None for point in points)


@contextmanager
def _loading(kind: str, point: EntryPoint, place: str = "") -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        from vivavoce.core.extras import missing

        raise missing(error.name or "") or _broken(_told(kind, point), error, place) from None
    except Exception as error:  # whatever the package does when it is imported
        raise _broken(_told(kind, point), error, place) from None


def _told(kind: str, point: EntryPoint) -> str:
    return f"{kind} {point.name!r} of the package {point.package}"


def _broken(what: str, error: Exception, place: str) -> InputError:
    problem = f"{what} cannot be loaded: {type(error).__name__}: {error}"
    return InputError(problem, place=place, hint="repair or uninstall the package")


def _unknown(shelf: Registry[Any], name: str, place: str) -> InputError:
    if shelf.names():
        return UnknownName(shelf.kind, name, shelf.names(), place=place)
    hint = "install Vivavoce again: the installed version is older than this program"
    return InputError(f"no {shelf.kind} is known, not even a built-in one", place=place, hint=hint)


def _twice(kind: str, name: str, packages: Iterable[str], place: str = "") -> InputError:
    offered = " and ".join(sorted(packages))
    return InputError(f"{kind} {name!r} is offered by {offered}", place=place, hint="uninstall one")
