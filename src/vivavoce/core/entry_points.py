"""Entry points of installed packages, read faster than by the standard library.

`importlib.metadata` parses all metadata with the e-mail modules. This module opens only files that name entry
points, and parses only those with a group of ours. If packages lie elsewhere than in folders, it falls back
to `importlib.metadata`.
"""

import os
import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, Final, NamedTuple

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
