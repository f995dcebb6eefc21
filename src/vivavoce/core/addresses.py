"""Where data lie that may lie elsewhere than on this machine: an address of fsspec, or a path."""

import re
from pathlib import Path
from typing import Any, Final

from vivavoce.core.errors import InputError
from vivavoce.core.extras import require

_ADDRESS: Final = re.compile(r"([a-z][a-z0-9+.-]+):/{1,2}(?=[^/])(.*)", re.DOTALL)


def placed(where: Path | str) -> Path:
    """A path as it is; an address such as s3://bucket/calls as a path of its file system.

    Note    an address that was read as a path has lost a slash (s3:/bucket/calls): it is one all the same,
            unless there is such a folder here
    Raises  MissingExtra, InputError: what reads such addresses is not installed, or there is no such kind
    """
    if not isinstance(where, Path | str):
        return where  # of another file system already
    parts = address_parts(where)
    if parts is None:
        return Path(where)
    require("upath")
    import upath

    try:
        found: Any = upath.UPath(f"{parts[0]}://{parts[1]}")
        _ = found.fs  # the file system is loaded here
    except (ImportError, ValueError, OSError) as error:
        said = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
        hint = "install what fsspec needs for it, such as `pip install s3fs`, and check what it is told"
        raise InputError(said, place=f"{parts[0]}://{parts[1]}", hint=hint) from None
    return found


def address_parts(where: Path | str) -> tuple[str, str] | None:
    """Kind of file system and what is behind the slashes; None for a path of this machine."""
    found = _ADDRESS.fullmatch(str(where))
    return None if found is None or Path(where).exists() else (found[1], found[2])


def is_elsewhere(where: Path) -> bool:
    """Whether a path is of another file system than this machine's."""
    return not isinstance(where, Path)
