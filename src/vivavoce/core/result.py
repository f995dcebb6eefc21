"""Results as frozen dataclasses: their JSON, and the signature line of a reported number.

A class lists its fields in the order of the JSON, with their units and the reason why they may be empty.
A missing value is None, and null in JSON; a field made by `unless_none()` is left out of the JSON instead.
A field made by `spread()` holds an object; JSON puts the object's entries among the other fields.
"""

from collections.abc import Mapping
from dataclasses import field, fields, is_dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final, TypeVar

from vivavoce.core.statement import LocalizedText

Result_ = TypeVar("Result_")
_LEFT_OUT: Final = "omitted if None"
_SPREAD: Final = "replaced by its entries"


def unless_none() -> Any:
    """A field that is None where nothing is given, and then left out of the JSON object."""
    return field(default=None, metadata={_LEFT_OUT: True})


def spread() -> Any:
    """A field, of a mapping or result, whose entries JSON has among the other fields, in its place."""
    return field(metadata={_SPREAD: True})


def as_json(found: object) -> Any:
    """A result, and all results within it, as objects and lists that `json.dumps` takes.

    Input   a dataclass, a mapping or sequence of some, or a plain value
    Output  of a dataclass its fields in their order, of a statement its English; of everything else the same,
            with results turned, and numbers that are keys as text, as JSON has them
    """
    if isinstance(found, LocalizedText):
        return str(found)
    if is_dataclass(found) and not isinstance(found, type):
        output: dict[str, Any] = {}
        for field in fields(found):
            value = getattr(found, field.name)
            if _SPREAD in field.metadata:
                output |= as_json(value)
            elif value is not None or _LEFT_OUT not in field.metadata:
                output[field.name] = as_json(value)
        return output
    if isinstance(found, Mapping):
        return {str(key) if isinstance(key, int) else key: as_json(value) for key, value in found.items()}
    if isinstance(found, list | tuple):
        return [as_json(value) for value in found]
    return found


def widened(kind: type[Result_], narrow: Any, **more: Any) -> Result_:
    """A result of a class that has the fields of `narrow` and more. Raises TypeError: a field lacks."""
    return kind(**{field.name: getattr(narrow, field.name) for field in fields(narrow)}, **more)


@cache
def installed_version() -> str:
    """The version of the installed package, `0+unknown` when run from a bare checkout."""
    try:
        return version("vivavoce")
    except PackageNotFoundError:
        return "0+unknown"


def signature(measure: str, *, unit: str, n: int, data: str, **parameters: object) -> str:
    """One line such as `objective_success_inferred|unit:goal|offer:last|n:1412|data:9f3a01bc|v:0.1.0`.

    unit is the unit of analysis (dialogue, goal, word, participant), n its count, data the dataset's hash.
    Parameters are sorted by name; None is left out.
    """
    facts = {"unit": unit, **dict(sorted(parameters.items())), "n": n, "data": data, "v": installed_version()}
    return "|".join([measure, *(f"{key}:{value}" for key, value in facts.items() if value is not None)])
