"""Registries: named objects of one kind that installed packages, ours included, offer by entry points."""

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from threading import RLock
from typing import Any, Generic, TypeVar, cast

from vivavoce.core.entry_points import EntryPoint, installed_points
from vivavoce.core.errors import DuplicateName, InputError, MissingExtra, UnknownName
from vivavoce.core.extensions import OBJECTS

Entry = TypeVar("Entry")
Member = tuple[str, Callable[[], Entry]]


class Registry(Generic[Entry]):
    """Objects by name, as packages offer them in the group of entry points `vivavoce.<kind>s`.

    An entry point usually offers one object: its package is imported when the object is first requested, its
    attribute `name` is the entry point's name, and of a subclass of `base` one object is made, without
    parameters. With `unpack` an entry point offers several: all their packages are imported when the registry
    is first read. A program can `add` its own objects.

    fits    true for a loaded object of the kind; None: it is a `base`
    needs   the condition that `fits` checks, for the error message
    group   of entry points, where it is not named after the kind
    unpack  name and factory of each object that an entry point offers. Raises TypeError
    extensible  objects of extension files are registered
    """

    def __init__(
        self,
        kind: str,
        base: type[Entry] | None = None,
        *,
        fits: Callable[[Any], bool] | None = None,
        needs: str = "",
        group: str = "",
        unpack: Callable[[Any], Iterable[Member[Entry]]] | None = None,
        extensible: bool = True,
    ) -> None:
        self.kind, self.base, self.fits, self.unpack = kind, base, fits, unpack
        self.group = group or f"vivavoce.{kind.replace(' ', '_')}s"
        self.needs = needs or f"to be a {base.__name__ if base is not None else kind}"
        self._entries: dict[str, Entry] = {}
        self._members: dict[str, tuple[EntryPoint, Callable[[], Entry]]] = {}
        self._unpacked: dict[EntryPoint, Any] = {}
        self._lock = RLock()
        self._own: set[str] = set()
        self._adopted = 0 if extensible else sys.maxsize

    def add(self, name: str, entry: Entry) -> Entry:
        """Add an object of this program. Raises DuplicateName"""
        if name in self:
            raise DuplicateName(self.kind, name, self.get(name))
        self._entries[name] = entry
        return entry

    def accept(self, item: str | Entry) -> str:
        """Register an object, unless a name is given; its name. A later object of the same name replaces it.

        Raises  InputError: the object is of another kind, or an installed package offers the name
        """
        if isinstance(item, str):
            return item
        entries = self._entries_of(item)
        if len(entries) != 1:
            hint = f"give a {self.kind} or its name"
            raise InputError(f"{type(item).__name__} is not a {self.kind}", hint=hint)
        self._replace(*entries[0])
        return entries[0][0]

    def names(self) -> list[str]:
        self._adopt()
        return sorted({*self._entries, *self._offered()})

    def __contains__(self, name: object) -> bool:
        self._adopt()
        return name in self._entries or name in self._offered()

    def __len__(self) -> int:
        return len(self.names())

    def __iter__(self) -> Iterator[tuple[str, Entry]]:
        """All objects by name, except those of an extra that is not installed; `get` names the extra."""
        for name in self.names():
            try:
                yield name, self.get(name)
            except MissingExtra:
                if _is_installed(self.group, name):
                    raise

    def get(self, name: str, *, place: str = "") -> Entry:
        """The object of this name, made once.

        Raises  UnknownName: names the nearest known one
                MissingExtra: the package that offers it is not installed; the line says what to install
                InputError: it cannot be loaded, lacks something, or is offered by two packages
        """
        self._adopt()
        if name in self._entries:
            return self._entries[name]
        offered = self._offered().get(name)
        if not offered:
            raise self._unknown(name, place)
        if len(offered) > 1:
            raise _twice(self.kind, name, (point.package for point in offered), place)
        entry = self._members[name][1]() if self.unpack else self._load(offered[0], place)
        return self._entries.setdefault(name, entry)

    def offered(self) -> list[Any]:
        """Values of the entry points that offer several objects, in the order of their names."""
        self._offered()
        return [self._unpacked[point] for point in installed_points(self.group)]

    def _offered(self) -> dict[str, list[EntryPoint]]:
        offered: dict[str, list[EntryPoint]] = {}
        if self.unpack is None:
            for point in installed_points(self.group):
                offered.setdefault(point.name, []).append(point)
            return offered
        with self._lock:
            for point in installed_points(self.group):
                if point not in self._unpacked:
                    self._unpack(point, self.unpack)
        return {name: [point] for name, (point, _) in self._members.items()}

    def _unpack(self, point: EntryPoint, unpack: Callable[[Any], Iterable[Member[Entry]]]) -> None:
        self._unpacked[point] = None  # before the import: the package may read this registry
        try:
            with _loading(f"{self.kind}s", point):
                self._unpacked[point] = point.load()
                members = list(unpack(self._unpacked[point]))
            for name, _ in members:
                if name in self._members:
                    raise _twice(self.kind, name, (self._members[name][0].package, point.package))
        except InputError:
            del self._unpacked[point]
            raise
        self._members.update((name, (point, factory)) for name, factory in members)

    def _adopt(self) -> None:
        """Register what extension files have defined since."""
        while self._adopted < len(OBJECTS):
            file, item = OBJECTS[self._adopted]
            self._adopted += 1
            try:
                for name, entry in self._entries_of(item):
                    self._replace(name, entry, str(file))
            except InputError:
                self._adopted -= 1  # refused until the file is corrected
                raise

    def _replace(self, name: str, entry: Entry, place: str = "") -> None:
        if name not in self._own and name in self:
            if self.get(name) is entry:
                return
            problem = f"{self.kind} {name!r} is already registered by an installed package"
            raise InputError(problem, place=place, hint="choose another name")
        self._own.add(name)
        self._entries[name] = entry

    def _entries_of(self, item: Any) -> list[tuple[str, Entry]]:
        """What an object offers, by name; [] if it is of another kind."""
        if self.unpack is not None:
            try:
                return [(name, factory()) for name, factory in self.unpack(item)]
            except TypeError:
                return []
        entry = self._made(item)
        fits = self.base is not None and isinstance(entry, self.base) and self._is_kind(entry)
        return [(cast(Any, entry).name, entry)] if fits else []

    def _made(self, offered: Any) -> Any:
        """An object of a class that can be made; anything else as it is."""
        is_kind = self.base is not None and inspect.isclass(offered) and issubclass(offered, self.base)
        return offered() if is_kind and not inspect.isabstract(offered) else offered

    def _is_kind(self, entry: Any) -> bool:
        return self.fits(entry) if self.fits is not None else isinstance(entry, self.base or object)

    def _load(self, point: EntryPoint, place: str) -> Entry:
        with _loading(self.kind, point, place):
            entry = self._made(point.load())
            lacking = sorted(getattr(entry, "__abstractmethods__", ()))
        what = _described(self.kind, point)
        if lacking:
            hint = f"add {', '.join(lacking)}, as in the guide"
            raise InputError(f"{what} lacks its {' and '.join(lacking)}", place=place, hint=hint)
        if not self._is_kind(entry) or getattr(entry, "name", None) != point.name:
            hint = f"it needs {self.needs} and name = {point.name!r}, as in the guide"
            raise InputError(f"{what} is not a {self.kind}", place=place, hint=hint)
        return cast(Entry, entry)

    def _unknown(self, name: str, place: str) -> InputError:
        if self.names():
            return UnknownName(self.kind, name, self.names(), place=place)
        hint = "install Vivavoce again: the installed version is older than this program"
        return InputError(f"no {self.kind} is known, not even a built-in one", place=place, hint=hint)


def _is_installed(group: str, name: str) -> bool:
    points = (point for point in installed_points(group) if point.name == name)
    return any(find_spec(point.module.partition(".")[0]) is not None for point in points)


@contextmanager
def _loading(kind: str, point: EntryPoint, place: str = "") -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        from vivavoce.core.extras import missing

        raise missing(error.name or "") or _broken(kind, point, error, place) from None
    except Exception as error:  # anything a package may do when it is imported
        raise _broken(kind, point, error, place) from None


def _described(kind: str, point: EntryPoint) -> str:
    return f"{kind} {point.name!r} of the package {point.package}"


def _broken(kind: str, point: EntryPoint, error: Exception, place: str) -> InputError:
    problem = f"{_described(kind, point)} cannot be loaded: {type(error).__name__}: {error}"
    return InputError(problem, place=place, hint="repair or uninstall the package")


def _twice(kind: str, name: str, packages: Iterable[str], place: str = "") -> InputError:
    offered = " and ".join(sorted(packages))
    return InputError(f"{kind} {name!r} is offered by {offered}", place=place, hint="uninstall one")
