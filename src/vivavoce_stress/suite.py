"""A regression suite: approved variants frozen into a file that a team runs in its own checks."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field
from ruamel.yaml import YAML
from ruamel.yaml.representer import SafeRepresenter

from vivavoce.core.errors import InputError, UnknownName
from vivavoce.core.validation import read_model, shown_value
from vivavoce.core.yaml_source import read_yaml
from vivavoce.study.renamed_keys import RENAMED_KEYS
from vivavoce_stress.base import STRESS_TESTS
from vivavoce_stress.case import Case
from vivavoce_stress.spoken import Speech

FORMAT: Final = 1
_LINE: Final = 100


class Suite(BaseModel):
    """What a suite file holds.

    system    the connector's settings, as in a study file
    ontology  path of a domain file, relative to the suite; with it a task's goal decides first
    speech    who speaks and listens, and the damage; its cases are then spoken
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    suite: str = Field(min_length=1, description="name of the suite")
    version: int = Field(FORMAT, description="version of the file format")
    system: dict[str, Any] = Field(description="settings of the system's connector")
    ontology: str | None = None
    speech: Speech | None = None
    cases: tuple[Case, ...] = Field(min_length=1)


def read_suite(path: Path) -> Suite:
    """A suite file.

    Raises  InputError: names the first thing that is wrong, with its line
    """
    source = read_yaml(path, renamed=RENAMED_KEYS)
    suite = read_model(source, Suite)
    if suite is None:
        raise source.first_error()
    if suite.version > FORMAT:
        raise InputError(
            f"unsupported suite format {suite.version}",
            place=str(path),
            hint="use a newer version of Vivavoce",
        )
    keys = [case.case_id for case in suite.cases]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise InputError(f"duplicate case {twice!r}", place=str(path), hint="give each case its own case_id")
    for number, case in enumerate(suite.cases):
        _check(case, lambda key, at=number: source.place(("cases", at, key)))
    return suite


def _check(case: Case, place: Callable[[str], str]) -> None:
    """Check that each case has a stress test, and changes something."""
    try:
        test = STRESS_TESTS.get(case.test)
    except UnknownName as error:
        raise InputError(error.problem, place=place("test"), hint=error.hint) from None
    if case.family != test.family:
        problem = f"test {case.test} does not belong to {case.family!r}"
        raise InputError(problem, place=place("family"), hint=f"set {test.family}")
    if case.variant == case.original:
        problem = f"the variant {shown_value(case.variant)} equals the original"
        raise InputError(problem, place=place("variant"), hint="change it, or remove the case")


def write_suite(suite: Suite, path: Path) -> None:
    """Write a suite; user text stays data: it is quoted wherever YAML would take it for something else."""
    yaml = YAML(typ="safe", pure=True)
    yaml.Representer = _Exact
    yaml.default_flow_style, yaml.allow_unicode, yaml.width = False, True, _LINE
    setattr(yaml, "sort_base_mapping_type_on_output", False)  # noqa: B010 - the package types it as None
    out = StringIO()
    yaml.dump(suite.model_dump(mode="json", exclude_defaults=True) | {"version": FORMAT}, out)
    path.write_text(_HEAD + out.getvalue(), encoding="utf-8")


class _Exact(SafeRepresenter):
    """Writes text with lines of another kind than ours in double quotes, where they are escaped."""

    def represent_str(self, data: str) -> Any:
        style = '"' if any(sign in data for sign in "\x85\u2028\u2029") else None
        return self.represent_scalar("tag:yaml.org,2002:str", data, style=style)


_Exact.add_representer(str, _Exact.represent_str)


def is_suite(path: Path) -> bool:
    """True if a file is a suite rather than a study."""
    if not path.is_file():
        return False
    with path.open(encoding="utf-8", errors="replace") as lines:
        return any(line.startswith("suite:") for line in lines)


_HEAD: Final = "# Approved stress tests. Run them: vivavoce stress run THIS-FILE --fail-under 0.9\n"
