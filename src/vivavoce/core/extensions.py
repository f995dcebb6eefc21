"""Extension files: Python files in a study's folder whose objects count like those of installed packages."""

import sys
from hashlib import sha256
from inspect import isclass
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any, Final

from vivavoce.core.errors import InputError

OBJECTS: Final[list[tuple[Path, Any]]] = []
"""Every loaded file with what it defines, in order; registries take what is of their kind."""
_LOADED: Final[dict[Path, str]] = {}


def load_extension(path: Path, content: bytes, shown: str) -> None:
    """Run a file once, and again when its content has changed.

    Input   shown: the file's name in messages
    Raises  InputError: the file fails; names the line
    """
    digest = sha256(content).hexdigest()
    if _LOADED.get(path) == digest:
        return
    module = ModuleType(f"vivavoce_extension_{sha256(f'{path} {digest}'.encode()).hexdigest()[:16]}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    try:
        exec(compile(content, str(path), "exec"), vars(module))  # noqa: S102
    except Exception as error:  # whatever the file does
        del sys.modules[module.__name__]
        problem = f"{type(error).__name__}: {error.msg if isinstance(error, SyntaxError) else error}"
        place = f"{shown}:{_line(error, str(path))}"
        raise InputError(problem, place=place, hint="correct the file") from None
    _LOADED[path] = digest
    OBJECTS[:] = [(file, None if file == path else value) for file, value in OBJECTS]
    for name, value in vars(module).items():
        imported = isinstance(value, ModuleType) or (isclass(value) and value.__module__ != module.__name__)
        if not name.startswith("_") and not imported:
            OBJECTS.append((path, value))


def _line(error: Exception, file: str) -> int:
    if isinstance(error, SyntaxError) and error.filename == file:
        return error.lineno or 1
    lines = [frame.lineno or 1 for frame in extract_tb(error.__traceback__) if frame.filename == file]
    return lines[-1] if lines else 1
