"""The reference page of the Python functions and classes: `python -m vivavoce.api.reference`."""

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, Final

import vivavoce
from vivavoce.api.results import Result

_HEAD: Final = """# In Python

<!-- Made by `python -m vivavoce.api.reference`; edit the docstrings, not this page. -->

What `import vivavoce as vv` offers. How it is used: [analyse in Python](../how-to/analyse-in-python.md);
what packages build on: [extend Vivavoce](../how-to/extend.md).
"""
SECTIONS: Final = ("Functions", "Results", "Classes", "Errors")


def api_reference() -> str:
    """The whole page, Markdown."""
    parts: dict[str, list[str]] = {name: [] for name in SECTIONS}
    for name in sorted(vivavoce.__all__, key=str.lower):
        found = getattr(vivavoce, name)
        parts[_section(found)].append(_entry(name, found))
    made = (f"## {title}\n\n{''.join(entries)}" for title, entries in parts.items())
    return "\n".join([_HEAD, *made]).rstrip() + "\n"


def _section(found: Any) -> str:
    if not inspect.isclass(found):
        return "Functions"
    if issubclass(found, Exception):
        return "Errors"
    home = found.__module__
    return "Results" if issubclass(found, Result) or home.startswith("vivavoce.api.") else "Classes"


def _entry(name: str, found: Any) -> str:
    called = f"vv.{name}{_parameters(found)}" if not inspect.isclass(found) else f"vv.{name}"
    told = [f"### `{name}`", f"```text\n{called}\n```" if "(" in called else "", _text(found)]
    if inspect.isclass(found) and is_dataclass(found) and found.__module__ == "vivavoce.api.rows":
        told.append(f"Columns: {', '.join(f'`{one.name}`' for one in fields(found))}.")
    told += _methods(found) if inspect.isclass(found) and not issubclass(found, Exception) else []
    return "\n\n".join(filter(None, told)) + "\n\n"


def _parameters(found: Callable[..., Any]) -> str:
    """One parameter a line; types are those of the docstring."""
    listed = list(inspect.signature(found).parameters.values())
    lines, named = [], False
    for one in listed:
        if one.kind is one.KEYWORD_ONLY and not named:
            named = True
            lines += ["*"] if not any(each.kind is each.VAR_POSITIONAL for each in listed) else []
        star = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        default = "" if one.default is one.empty else f"={one.default!r}"
        lines.append(f"{star}{one.name}{default}")
    return f"({', '.join(lines)})"


def _text(found: Any) -> str:
    """The docstring; what stands in columns there stays as it is."""
    first, _, rest = (inspect.getdoc(found) or "").partition("\n\n")
    return f"{' '.join(first.split())}\n\n```\n{rest.rstrip()}\n```" if rest else " ".join(first.split())


def _methods(found: type) -> list[str]:
    """A line each, of what a class of ours has beside what every object has."""
    rows = []
    for name, one in inspect.getmembers(found):
        inside = one.fget if isinstance(one, property) else one
        if name.startswith("_") or not (inspect.isfunction(inside) or inspect.ismethod(inside)):
            continue
        if not inside.__module__.startswith("vivavoce") or not inside.__doc__:
            continue
        called = f".{name}" if isinstance(one, property) else f".{name}()"
        said = " ".join((inspect.getdoc(inside) or "").partition("\n\n")[0].split())
        rows.append(f"| `{called}` | {said} |")
    return ["\n".join(["| | |", "| --- | --- |", *rows])] if rows else []


if __name__ == "__main__":
    print(api_reference(), end="")
