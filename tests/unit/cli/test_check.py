"""The preflight of systems: a hello to each program, none to a person."""

import asyncio
from pathlib import Path

from vivavoce.cli.check import PLAYED, SILENT, _hello, check_file, told
from vivavoce.connectors.factory import make_connector


def facts(settings: dict[str, object]) -> list[str]:
    async def run() -> list[str]:
        connector = make_connector(settings, {})
        try:
            found = await _hello(connector, "en")
        finally:
            await connector.shut_down()
        names = ("ok", "answers", "text", "problem", "seconds", "resets", "streams", "first_output_s")
        return told({"system": "it"} | {name: getattr(found, name) for name in names})

    return asyncio.run(run())


def test_a_person_is_not_asked_and_nobody_waits_for_one() -> None:
    assert facts({"connect": "wizard"}) == [f"it: ok: {PLAYED}"]


def test_a_program_is_asked() -> None:
    assert facts({"connect": "scripted", "replies": [{"say": "Good day"}]})[1] == "    Good day"


def test_a_program_that_says_nothing_is_told_apart_from_one_that_answers(tmp_path: Path) -> None:
    (tmp_path / "mute.py").write_text("def answer(text, session):\n    return {'messages': []}\n", "utf-8")
    first, second = facts({"connect": "python", "call": "mute:answer", "path": str(tmp_path)})
    assert first.startswith("it: ok: reachable, says nothing, resets")
    assert second == f"    {SILENT}"


STUDY = """
study: margins
systems:
  a: {connect: scripted, replies: [{say: Good day}]}
  b: {connect: scripted, replies: [{say: Good day}]}
visit:
  - consent: consent.md
  - dialogue: {repeat: 2, gate: none}
analysis:
"""


def problems(folder: Path, analysis: str) -> list[str]:
    (folder / "study.yaml").write_text(STUDY + analysis, "utf-8")
    (folder / "consent.en.md").write_text("Do you agree?", "utf-8")
    return check_file(folder)[1]


def test_a_margin_that_no_difference_could_reach_is_a_problem_of_the_study(tmp_path: Path) -> None:
    primary = "  primary: {measure: objective_success_inferred, margin: %s}\n"
    assert problems(tmp_path, "  margin: 0.1\n" + primary % 0.1) == []
    (whole,) = problems(tmp_path, "  margin: 10\n")
    assert "study.yaml:10" in whole and "margin" in whole
    (own,) = problems(tmp_path, primary % 2)
    assert "study.yaml:10" in own and "margin 2 of objective_success_inferred" in own
    assert problems(tmp_path, "  primary: {measure: turns, margin: 2}\n") == []


def test_a_rule_of_exclusion_that_can_never_hold_is_a_problem_of_the_study(tmp_path: Path) -> None:
    rules = "  exclude: [{system: aa}, {factor: {noise: high}}, {language: de}, {answer: {attention: 4}}]\n"
    found = problems(tmp_path, rules)
    for said in ("unknown system 'aa'", "unknown factor 'noise'", "unknown language 'de'", "no question 'at"):
        assert sum(said in one for one in found) == 1, found
    assert len(found) == 4 and all("study.yaml:10" in one for one in found)
    assert problems(tmp_path, "  exclude: [trivial, {system: a, language: en}]\n") == []
