"""Help is whole: every verb has its place and an example that is accepted, and no sentence is cut off."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from vivavoce.cli.help import EXAMPLES, SECTIONS
from vivavoce.cli.main import app

ALL = get_command(app)


def leaves(group: Any, above: str = "") -> Iterator[tuple[str, Any]]:
    for name, verb in group.commands.items():
        if hasattr(verb, "commands"):
            yield from leaves(verb, f"{above} {name}".strip())
        elif not verb.hidden:
            yield f"{above} {name}".strip(), verb


VERBS = dict(leaves(ALL))


def test_every_verb_but_a_plain_list_has_an_example() -> None:
    assert sorted(VERBS) == sorted([*EXAMPLES, "bots list"])


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_the_examples_of_a_verb_are_accepted_and_shown(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in ("said.csv", "trial.yaml"):  # which one verb wants to be there
        (tmp_path / file).touch()
    monkeypatch.chdir(tmp_path)
    verb = VERBS[name]
    for example in EXAMPLES[name]:
        with verb.make_context(name, shlex.split(example)):
            pass
    shown = CliRunner().invoke(app, [*name.split(), "--help"]).output
    assert "Examples:" in shown
    assert EXAMPLES[name][0] in shown


def test_every_verb_stands_once_under_what_one_does_with_it() -> None:
    shown = CliRunner().invoke(app, ["--help"]).output
    assert "More:" not in shown
    listed = [name for names in SECTIONS.values() for name in names]
    assert sorted(listed) == sorted(name for name, verb in ALL.commands.items() if not verb.hidden)  # type: ignore[attr-defined]


@pytest.mark.parametrize("group", ["", "simulate", "stress", "campaign", "predict", "annotate", "understand"])
def test_no_line_of_a_list_breaks_off(group: str) -> None:
    assert "..." not in CliRunner().invoke(app, [*group.split(), "--help"]).output.replace("[ARGS]...", "")
