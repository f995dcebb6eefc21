"""Registries: named objects of one kind that installed packages, ours included, offer by entry points.

`importlib.metadata` parses all metadata with the e-mail modules. This module opens only files that name entry
points, and parses only those with a group of ours. If packages lie elsewhere than in folders, it falls back
to `importlib.metadata`.
"""

import inspect
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from typing import Any, Final, Generic, NamedTuple, TypeVar, cast

from vivavoce.core.errors import DuplicateName, InputError, MissingExtra, UnknownName
from vivavoce.core.extensions import OBJECTS

OURS: Final = "[vivavoce"
_VALUE: Final = re.compile(r"([\w.]+)\s*(?::\s*([\w.]+)\s*)?(?:\[.*\]\s*)?$")


class EntryPoint(NamedTuple):
    """An object that a package offers in a group: `module:attribute`.

    facts  the folder in which the package's metadata lie; "" where only its name is known
    """

    name: str
    value: str
    group: str
    facts: str = ""
    named: str = ""

    @property
    def module(self) -> str:
        return self._parts[0]

    @property
    def package(self) -> str:
        """Name as its authors write it, which the folder's name may not give exactly."""
        if self.named:
            return self.named
        lines = (Path(self.facts) / "METADATA").read_text(encoding="utf-8", errors="replace").splitlines()
        name_line = next((line for line in lines if line.startswith("Name:")), f"Name: {self.module}")
        return name_line.removeprefix("Name:").strip()

    def load(self) -> Any:
        """Imported value.

        Raises  errors of the import; AttributeError: the module lacks it; ValueError: no such value
        """
        module, attributes = self._parts
        loaded: Any = import_module(module)
        for name in attributes.split(".") if attributes else ():
            loaded = getattr(loaded, name)
        return loaded

    @property
    def _parts(self) -> tuple[str, str]:
        matched = _VALUE.match(self.value)
        if matched is None:
            raise ValueError(f"{self.value!r} is not of the form module:attribute")
        return matched[1], matched[2] or ""


def installed_points(group: str) -> tuple[EntryPoint, ...]:
    """The entry points of a group, in the order of their names, looked up once for each `sys.path`."""
    return _points_of_group(group, tuple(sys.path))


@lru_cache
def _points_of_group(group: str, path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    points = _all_points(path).get(group, ())
    return tuple(sorted(points, key=lambda point: (point.name, point.value)))


@lru_cache
def _all_points(path: tuple[str, ...]) -> dict[str, list[EntryPoint]]:
    """Entry points of all groups at once: reading one group takes as long as reading all."""
    return read_entry_points(path)


def read_entry_points(path: tuple[str, ...]) -> dict[str, list[EntryPoint]]:
    """The entry points of our groups, by group, of all packages on this path; of one name the first."""
    groups: dict[str, list[EntryPoint]] = {}
    for point in _in_folders(path) if _only_folders(path) else _by_the_library(path):
        groups.setdefault(point.group, []).append(point)
    return groups


def _only_folders(path: tuple[str, ...]) -> bool:
    """True if all packages lie in folders: no archives, no other finders."""
    finders = (finder for finder in sys.meta_path if hasattr(finder, "find_distributions"))
    return all(map(_reads_the_path, finders)) and not any(map(os.path.isfile, path))


def _reads_the_path(finder: object) -> bool:
    """True for the standard library's finder, or the package that replaces it."""
    return finder is PathFinder or type(finder).__module__.partition(".")[0] == "importlib_metadata"


def _in_folders(path: tuple[str, ...]) -> Iterator[EntryPoint]:
    seen: set[str] = set()
    for folder in path:
        try:
            names = os.listdir(folder or ".")  # noqa: PTH208  a hundredfold: paths are made of few
        except OSError:
            continue
        for name in names:
            stem, _, end = name.rpartition(".")
            package = re.sub(r"[-_.]+", "_", stem.partition("-")[0]).lower()
            if end in ("dist-info", "egg-info") and package not in seen:
                seen.add(package)
                yield from _of_package(os.path.join(folder, name))  # noqa: PTH118


def _of_package(facts: str) -> Iterator[EntryPoint]:
    try:
        with open(os.path.join(facts, "entry_points.txt"), encoding="utf-8") as file:  # noqa: PTH118, PTH123
            text = file.read()
    except OSError:
        return
    group = ""
    for line in map(str.strip, text.splitlines() if OURS in text else ()):
        if line.startswith("["):
            group = line.strip("[]")
        elif "=" in line and not line.startswith("#") and group.startswith(OURS[1:]):
            name, _, value = line.partition("=")
            yield EntryPoint(name.strip(), value.strip(), group, facts)


def _by_the_library(path: tuple[str, ...]) -> Iterator[EntryPoint]:
    from importlib.metadata import distributions

    seen: set[str] = set()
    for package in distributions(path=list(path)):
        name = re.sub(r"[-_.]+", "_", package.name).lower()
        if name not in seen:
            seen.add(name)
            ours = (
                entry_point for entry_point in package.entry_points if entry_point.group.startswith(OURS[1:])
            )
            yield from (
                EntryPoint(point.name, point.value, point.group, named=package.name) for point in ours
            )


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
            hint = f"add {', '.join(lacking)}; see docs/how-to/extend.md"
            raise InputError(f"{what} has no {' and '.join(lacking)}", place=place, hint=hint)
        if not self._is_kind(entry) or getattr(entry, "name", None) != point.name:
            hint = f"it needs {self.needs}, and name = {point.name!r}; see docs/how-to/extend.md"
            raise InputError(f"{what} is not a {self.kind}", place=place, hint=hint)
        return cast(Entry, entry)

    def _unknown(self, name: str, place: str) -> InputError:
        if self.names():
            return UnknownName(self.kind, name, self.names(), place=place)
        hint = "reinstall Vivavoce; the installed version is older than this program"
        return InputError(f"no {self.kind} is available, not even a built-in one", place=place, hint=hint)


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
