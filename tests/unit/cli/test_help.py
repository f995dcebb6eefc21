"""Help is whole: every verb has its place and an example that is accepted, and no sentence is cut off."""

import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from vivavoce.cli.main import app
from vivavoce.core.verb import VERBS, verbs_below

ALL: Any = get_command(app)
SHOWN = [name for name in VERBS.names() if not VERBS.get(name).hidden]
GROUPS = [name for name in SHOWN if hasattr(ALL.commands[name], "commands")]


def below(name: str, example: str = "") -> tuple[str, list[str]]:
    """The verb of an example with its group, and what follows it there."""
    words = shlex.split(example)
    if name not in GROUPS:
        return name, words
    known = list(ALL.commands[name].commands)
    return (f"{name} {words[0]}", words[1:]) if words[0] in known else (f"{name} {known[0]}", words)


def leaves() -> Iterator[str]:
    for name in SHOWN:
        yield from (f"{name} {one}" for one in ALL.commands[name].commands) if name in GROUPS else (name,)


EXAMPLES = [(name, one) for name in SHOWN for one in VERBS.get(name).examples]
BELOW = [(name, one, verb) for name in GROUPS for one, verb in verbs_below(name)]
EXAMPLES += [(name, f"{one} {example}") for name, one, verb in BELOW for example in verb.examples]


def test_every_verb_but_a_plain_list_has_an_example() -> None:
    assert sorted({below(*one)[0] for one in EXAMPLES}) == sorted(set(leaves()) - {"bots list"})


def test_every_example_is_accepted_and_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for file in ("said.csv", "trial.yaml"):  # which one verb wants to be there
        (tmp_path / file).touch()
    monkeypatch.chdir(tmp_path)
    shown: dict[str, str] = {}
    for name, example in EXAMPLES:
        verb, words = below(name, example)
        command = ALL
        for part in verb.split():
            command = command.commands[part]
        with command.make_context(verb, words):
            pass
        if verb not in shown:
            shown[verb] = CliRunner().invoke(app, [*verb.split(), "--help"]).output
        assert f"vivavoce {name} {example}".rstrip() in shown[verb].split("Examples:")[1]


def test_every_verb_stands_once_under_what_one_does_with_it() -> None:
    shown = CliRunner().invoke(app, ["--help"]).output
    assert "More:" not in shown
    assert {name: shown.count(f"\n  {name} ") for name in SHOWN} == dict.fromkeys(SHOWN, 1)
    assert [name for name in VERBS.names() if name not in SHOWN and f"\n  {name} " in shown] == []


@pytest.mark.parametrize("group", ["", *GROUPS])
def test_no_line_of_a_list_breaks_off(group: str) -> None:
    assert "..." not in CliRunner().invoke(app, [*group.split(), "--help"]).output.replace("[ARGS]...", "")


def test_a_verb_imports_no_other_verb() -> None:
    code = (
        "import sys; from vivavoce.cli.main import app; app(['check', '--help'], standalone_mode=False);"
        "print([name for name in sys.modules if name.startswith('vivavoce.cli.')])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = run.stdout.splitlines()[-1]
    assert "vivavoce.cli.trial" in imported
    assert "measure" not in imported and "stress" not in imported


def test_a_package_that_cannot_be_loaded_leaves_the_other_verbs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = tmp_path / "broken-1.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (facts / "entry_points.txt").write_text("[vivavoce.verbs]\nloans = no_such_module:LOANS\n")
    monkeypatch.syspath_prepend(tmp_path)
    shown = " ".join(CliRunner().invoke(app, ["--help"]).output.split())
    assert "loans verb 'loans' of the package broken cannot be loaded" in shown
    assert "measure Compute the measures" in shown


def helped(*verb: str) -> str:
    return " ".join(CliRunner().invoke(app, [*verb, "--help"]).output.split())


def test_help_lists_what_packages_offer() -> None:
    assert "Preset to start from: cambridge-2011, guerini-2018," in helped("init")
    assert "Log format: chatbot-arena, convlab," in helped("import")
    assert "Export format of another tool: convokit, csv, huggingface, otel." in helped("export")
    assert "Bot: boris, callsteering," in helped("bots", "run")
    assert [verb for verb in leaves() if "{vivavoce." in helped(*verb.split())] == []


def test_help_folds_by_words_on_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    for verb in ("", "import", "export"):
        told = CliRunner().invoke(app, [*verb.split(), "--help"]).output.split("Examples:")[0]
        assert max(map(len, told.splitlines())) <= 40
        assert " ".join(told.split()).count("Show this message and exit.") == 1


def proposed(*words: str) -> list[str]:
    """What bash is told where the last of these words is being written."""
    asked = {"_VIVAVOCE_COMPLETE": "complete_bash", "COMP_CWORD": str(len(words))}
    asked["COMP_WORDS"] = (
        shlex.join(["vivavoce", *words]) if words[-1] else f"vivavoce {shlex.join(words[:-1])} "
    )
    return CliRunner().invoke(app, [], env=asked, prog_name="vivavoce").output.split()


def test_completion_proposes_presets_formats_bots_studies_and_their_systems(tmp_path: Path) -> None:
    for name in ("study", "stock", "storage"):
        (tmp_path / name).mkdir()
    (tmp_path / "stock" / "dataset.json").touch()
    (tmp_path / "study" / "study.yaml").write_text(
        "study: city\nlanguages: [en]\nvisit:\n  - arena: {battles: 1, turns: 1}\n"
        "systems:\n  amber: {connect: scripted}\n  agate: {connect: scripted}\n  topaz: {connect: scripted}\n"
    )
    assert proposed("init", "mine", "--protocol", "gu") == ["guerini-2018"]
    assert proposed("import", "ta") == ["table", "tau-bench"]
    assert proposed("export", "mine", "--format", "") == ["convokit", "csv", "huggingface", "otel"]
    assert proposed("bots", "run", "ca") == ["callsteering", "carbs"]
    assert proposed("report", "mine", "--language", "i") == ["it"]
    assert proposed("check", f"{tmp_path}/st") == [f"{tmp_path}/study"]
    assert proposed("report", f"{tmp_path}/st") == [f"{tmp_path}/stock"]
    assert proposed("talk", f"{tmp_path}/study", "a") == ["amber", "agate"]
    assert proposed("talk", f"{tmp_path}/storage", "a") == []
