"""The reference page of the Python functions and classes: `python -m vivavoce.api.reference`."""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from textwrap import fill
from typing import Any, Final

import vivavoce
from vivavoce.api.results import Result
from vivavoce.core.reference import markdown_table

_HEAD: Final = """# In Python

<!-- Made by `python -m vivavoce.api.reference`; edit the docstrings, not this page. -->

Functions and classes of `import vivavoce as vv`. Guides: [analyse in Python](../how-to/analyse-in-python.md),
[extend Vivavoce](../how-to/extend.md).
"""
_CLASSES: Final = "For packages and scripts; `help(vv.NAME)` shows attributes and methods.\n"


def api_reference() -> str:
    """The whole page, Markdown."""
    parts: dict[str, dict[str, Any]] = {"Functions": {}, "Results": {}, "Classes": {}, "Errors": {}}
    for name in sorted(vivavoce.__all__, key=str.lower):
        value = getattr(vivavoce, name)
        parts[_section(value)][name] = value
    return "\n".join(
        [
            _HEAD,
            "## Functions\n",
            *(_entry(name, _call(name, value), value) for name, value in parts["Functions"].items()),
            "## Results\n",
            "All results with rows have these methods:\n",
            _methods(Result),
            *(_entry(name, _columns(value), value) for name, value in parts["Results"].items()),
            f"## Classes\n\n{_CLASSES}",
            _summaries(parts["Classes"]),
            "## Errors\n",
            _summaries(parts["Errors"]),
        ]
    )


def _section(value: Any) -> str:
    if not inspect.isclass(value):
        return "Functions"
    if issubclass(value, Exception):
        return "Errors"
    ours = issubclass(value, Result) or value.__module__.startswith("vivavoce.api.")
    return "Results" if ours else "Classes"


def _entry(name: str, details: str, value: Any) -> str:
    """A section with the docstring; its table of arguments or attributes becomes a list."""
    first, _, sections = (inspect.getdoc(value) or "").partition("\n\n")
    block = re.sub(r"^(\S.*?) {2,}", r"- **\1**: ", re.sub(r"\n +", " ", sections.rstrip()), flags=re.M)
    methods = _methods(value) if inspect.isclass(value) else ""
    parts = (f"### `{name}`", " ".join(first.split()), details, block, methods)
    return "\n\n".join(filter(None, parts)).rstrip() + "\n"


def _call(name: str, function: Callable[..., Any]) -> str:
    """The signature without types, which the docstring has."""
    signature = inspect.signature(function)
    untyped_parameters = [
        parameter.replace(annotation=parameter.empty) for parameter in signature.parameters.values()
    ]
    untyped = signature.replace(parameters=untyped_parameters, return_annotation=signature.empty)
    wrapped = fill(f"vv.{name}{untyped}", 80, subsequent_indent="    ", break_on_hyphens=False)
    return f"```python\n{wrapped}\n```"


def _columns(value: Any) -> str:
    if not is_dataclass(value) or value.__module__ != "vivavoce.api.rows":
        return ""
    return f"Columns: {', '.join(f'`{column.name}`' for column in fields(value))}."


def _methods(value: type) -> str:
    """A table of methods and properties that a class of ours has besides those of all results."""
    rows = []
    for name, member in inspect.getmembers(value):
        function = member.fget if isinstance(member, property) else member
        shared = value is not Result and hasattr(Result, name)
        if name.startswith("_") or shared or not inspect.isroutine(function) or not function.__doc__:
            continue
        rows.append((f"`.{name}{'' if isinstance(member, property) else '()'}`", _summary(function)))
    return markdown_table(("method", "description"), rows)


def _summaries(values: Mapping[str, Any]) -> str:
    rows = ((f"`{name}`", _summary(value)) for name, value in values.items())
    return markdown_table(("name", "description"), rows)


def _summary(value: Any) -> str:
    return " ".join((inspect.getdoc(value) or "").partition("\n\n")[0].split())


if __name__ == "__main__":
    print(api_reference(), end="")
