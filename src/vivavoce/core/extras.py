"""Packages that only some studies need: which extra brings one, and modules that wait until they are used."""

import json
import re
import shlex
from collections import Counter
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution, metadata, requires
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

from vivavoce.core.errors import MissingExtra

_REQUIREMENT: Final = re.compile(r"^([A-Za-z0-9._-]+).*extra == ['\"]([^'\"]+)['\"]")
_NO_EXTRAS: Final = {"all", "dev", "docs", "build"}
_MODULES: Final = {
    "docx": "python-docx",
    "google": "google-auth",
    "jwt": "pyjwt",
    "pympi": "pympi-ling",
    "sklearn": "scikit-learn",
    "socketio": "python-socketio",
    "upath": "universal-pathlib",
    "vl_convert": "vl-convert-python",
}  # those not called as their package is


def missing(module: str, extra: str | None = None, *, place: str = "") -> MissingExtra | None:
    """Hint for a missing module; None if no extra of ours provides it.

    extra  the one that brings the module along with others; default: the one that names its package
    """
    package = _normal(_MODULES.get(name := module.partition(".")[0], name))
    extra = extra or _extras().get(package) or _packages().get(package)
    if extra is None:
        return None
    return MissingExtra(f"this needs the package {package}", place=place, hint=install_command(extra))


@cache
def install_command(extra: str) -> str:
    """The command that adds an extra to this installation, from the checkout or wheel it came from.

    Note  never by the bare name, which nobody owns on the package index
    """
    try:
        installed = distribution("vivavoce")
    except PackageNotFoundError:
        return f"install Vivavoce with the extra {extra}"
    origin = json.loads(installed.read_text("direct_url.json") or "{}")
    address = urlsplit(origin.get("url", ""))
    if address.scheme.startswith("http"):
        return f"pip install 'vivavoce[{extra}] @ {address.geturl()}'"
    path = url2pathname(address.path)
    if not path or not Path(path).exists():
        path = f"./vivavoce-{installed.version}-py3-none-any.whl"
    editable = "-e " if origin.get("dir_info", {}).get("editable") else ""
    return f"pip install {editable}{shlex.quote(f'{path}[{extra}]')}"


def require(*modules: str, extra: str | None = None, place: str = "") -> None:
    """Raises  MissingExtra: one of them is not installed; the line says which extra to install"""
    for module in modules:
        if find_spec(module) is None and (error := missing(module, extra, place=place)) is not None:
            raise error


class _Later:
    def __init__(self, module: str, extra: str | None) -> None:
        self._module, self._extra = module, extra
        self._loaded: ModuleType | None = None

    def __getattr__(self, name: str) -> Any:
        self._loaded = self._loaded or _imported(self._module, self._extra)
        return getattr(self._loaded, name)


def later(module: str, extra: str | None = None) -> Any:
    """A module that is imported when something of it is used; MissingExtra then, where it is missing.

    extra  see `missing`
    """
    return _Later(module, extra)


def _imported(module: str, extra: str | None) -> ModuleType:
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        missing_extra = missing(error.name or module, extra)
        if missing_extra is None:
            raise
        raise missing_extra from None


@cache
def _extras() -> dict[str, str]:
    """The extra that brings a package: where several do, the one that brings the fewest."""
    try:
        lines = requires("vivavoce") or []
    except PackageNotFoundError:
        return {}
    matches = [match for match in map(_REQUIREMENT.match, lines) if match and match[2] not in _NO_EXTRAS]
    sizes = Counter(match[2] for match in matches)
    matches.sort(key=lambda match: sizes[match[2]], reverse=True)
    return {_normal(match[1]): match[2] for match in matches}


@cache
def _packages() -> dict[str, str]:
    """The extra that is called as a package beside this one: stress, of vivavoce-stress."""
    try:
        return {f"vivavoce-{extra}": extra for extra in metadata("vivavoce").get_all("Provides-Extra", [])}
    except PackageNotFoundError:
        return {}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
