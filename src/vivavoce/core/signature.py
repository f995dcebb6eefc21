"""The line behind every reported number: what was computed, on what, by which version."""

from functools import cache
from importlib.metadata import PackageNotFoundError, version


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
