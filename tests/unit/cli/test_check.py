"""The preflight of systems: a hello to each program, none to a person."""

import asyncio
import socket
from pathlib import Path
from types import SimpleNamespace

import pytest

from scenes.command_line import vivavoce
from scenes.processes import free_port
from scenes.strange_bots import service_desk
from vivavoce.api.studies import make_connectors
from vivavoce.cli.arguments import complete_systems
from vivavoce.cli.check import PLAYED, SILENT, _hello, check_bots, check_evidence, check_file, told
from vivavoce.cli.servers import bots_awaited
from vivavoce.cli.trial import UNCOUNTED
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


def test_words_in_the_field_of_the_conversation_are_told(tmp_path: Path) -> None:
    def checked(words: str, name: str) -> str:
        body = f"{{{words}: '{{{{ text }}}}', {name}: '{{{{ conversation }}}}'}}"
        asked = f"url: {url}, allow_private: true, body: {body}, response: {{text: banco.risposta_banco}}"
        (tmp_path / "study.yaml").write_text(DESK % asked, "utf-8")
        (tmp_path / "consent.en.md").write_text("Do you agree?", "utf-8")
        return vivavoce("check", str(tmp_path)).stdout

    with service_desk() as url:
        right, wrong = checked("parole", "pratica"), checked("pratica", "parole")
    assert right.endswith("ready\n") and "WRONG FIELD" not in right
    assert "WRONG FIELD" in wrong and not wrong.endswith("ready\n")


def test_a_person_is_not_asked_and_nobody_waits_for_one() -> None:
    assert facts({"connect": "wizard"}) == [f"it: ok: {PLAYED}"]


def test_a_program_is_asked() -> None:
    assert facts({"connect": "scripted", "replies": [{"say": "Good day"}]})[1] == "    Good day"


def test_a_program_that_says_nothing_is_told_apart_from_one_that_answers(tmp_path: Path) -> None:
    (tmp_path / "mute.py").write_text("def answer(text, session):\n    return {'messages': []}\n", "utf-8")
    first, second = facts({"connect": "python", "call": "mute:answer", "path": str(tmp_path)})
    assert first.startswith("it: ok: reachable, says nothing, resets")
    assert second == f"    {SILENT}"


DESK = """
study: desk
systems:
  desk: {connect: http, %s}
visit:
  - consent: consent.md
  - dialogue: {repeat: 2, gate: none}
"""
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


TEXT_ONLY = "def answer(text, session):\n    return {'messages': ['The Bull is in the north.']}\n"
ACTS = "[{'act': 'inform', 'slot': 'area', 'value': 'north'}]"
TELLING = TEXT_ONLY.replace("]}", f"], 'understood': [{{'acts': {ACTS}}}]}}")


def uncounted(folder: Path, analysis: str) -> list[str]:
    """What check finds not to be countable of two systems, of which one gives words alone."""
    (folder / "short.py").write_text(TEXT_ONLY, "utf-8")
    (folder / "telling.py").write_text(TELLING, "utf-8")
    asked, instead = "connect: scripted, replies: [{say: Good day}]", 'connect: python, call: "short:answer"'
    study = STUDY.replace(asked, instead)
    study = study.replace("short", "telling", 1).replace("analysis:\n", "parser: own:parse\nanalysis:\n")
    (folder / "study.yaml").write_text(study + analysis, "utf-8")
    (folder / "consent.en.md").write_text("Do you agree?", "utf-8")
    read, problems = check_file(folder)
    assert problems == [] and read is not None
    return check_evidence(read, check_bots(read))


def test_a_declared_measure_that_a_system_gives_nothing_for_is_named_with_the_reason(tmp_path: Path) -> None:
    declared = "  primary: {measure: query_density}\n  secondary: [{measure: user_turns}]\n"
    (told,) = uncounted(tmp_path, declared)
    assert told.startswith("study.yaml:11 analysis.primary.measure: query_density could not be counted for b")
    assert "what the system understood" in told and "layer `avp`" in told
    assert "the answers carry `understood`" in told
    assert "\n" not in told


def test_what_only_the_study_lacks_is_told_of_the_study(tmp_path: Path) -> None:
    (told,) = uncounted(tmp_path, "  primary: {measure: help_requests}\n")
    assert "help_requests could not be counted: it needs annotation in the layer `help_request`" in told
    (told,) = uncounted(tmp_path, "  primary: {measure: subjective_success}\n")
    assert "a question about subjective success (no questionnaire asks it)" in told


def test_check_is_not_ready_where_a_declared_measure_cannot_be_counted(tmp_path: Path) -> None:
    uncounted(tmp_path, "  primary: {measure: word_error_rate}\n")
    told = vivavoce("check", tmp_path, "--programs")
    assert "all dialogues are typed" in told.stdout
    assert told.stdout.rstrip().endswith(UNCOUNTED) and ": ready" not in told.stdout
    uncounted(tmp_path, "  primary: {measure: user_turns}\n")
    assert vivavoce("check", tmp_path, "--programs").stdout.rstrip().endswith(": ready")


MANY_MISTAKES = """
study: many
systems:
  a: {connect: http, ulr: "http://127.0.0.1:9/chat", max_concurrency: 0}
  b: {connect: htp}
  c: {connect: scripted, title: 5, replies: [{sai: Good day}]}
limits: {max_chars: lots}
visit:
  - dialogue: {repeat: 2, gate: none}
analysis:
  primary: {measure: turnz}
  stopping: {rule: pocock}
"""


def test_independent_mistakes_of_file_systems_and_analysis_are_told_together(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(MANY_MISTAKES, "utf-8")
    read, told = check_file(tmp_path)
    assert read is None
    wanted = (
        "study.yaml:4 systems.a.ulr: unknown key 'ulr'",
        "study.yaml:4 systems.a.max_concurrency",
        "study.yaml:5 systems.b.connect: unknown connector 'htp'",
        "study.yaml:6 systems.c.title",
        "study.yaml:6 systems.c.replies[0].sai",
        "study.yaml:7 limits.max_chars",
        "study.yaml:11 analysis.primary.measure: unknown measure 'turnz'",
        "study.yaml:12 analysis.stopping",
    )
    assert [next((one for one in told if one.startswith(start)), start) for start in wanted] == told


BOTS = """
study: desk
systems:
  desk: {connect: scripted, replies: [{say: Good day}]}
  chat: {connect: telegram, port: %d, connect_timeout_s: 0.3, token: "${CHAT_TOKEN}"}
visit:
  - consent: consent.md
  - dialogue: {repeat: 2, gate: none}
"""


def bots(folder: Path, port: int) -> Path:
    (folder / "consent.en.md").write_text("Do you agree?", "utf-8")
    (folder / "study.yaml").write_text(BOTS % port, "utf-8")
    return folder


def test_a_secret_that_is_not_set_fails_its_system_alone(tmp_path: Path) -> None:
    folder = bots(tmp_path, 0)
    done = vivavoce("check", str(folder), code=1)
    assert "desk: ok: reachable, answers" in done.stdout
    assert "\nchat: FAILED: secret ${CHAT_TOKEN} is not set. Set the environment variable" in done.stdout
    assert "its address" not in done.stdout
    assert "secret ${CHAT_TOKEN}" in vivavoce("check", str(folder), "--no-bots", code=2).stdout
    talked = vivavoce("talk", str(folder), "desk", typed="hello\n")
    assert "< Good day" in talked.stdout


def test_a_bot_that_comes_to_us_is_awaited_aloud_and_its_time_is_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CHAT_TOKEN", "1:x")
    read, problems = check_file(bots(tmp_path, port := free_port()))
    assert read is not None and not problems
    _, chat = check_bots(read)
    assert f"chat: listening for the bot at http://127.0.0.1:{port}; start it now" in capsys.readouterr().err
    assert chat["seconds"] >= 0.3
    assert bots_awaited(make_connectors(read)) == [
        f"waiting       for the bot of chat at http://127.0.0.1:{port}"
    ]
    _, unasked = check_bots(read, wait=False)
    assert unasked["ok"] and not capsys.readouterr().err
    with socket.create_server(("127.0.0.1", port)):
        _, chat = check_bots(read)
    assert "listening for" not in capsys.readouterr().err
    (line,) = told(chat)
    assert "(Address already in use); another process uses the port" in line
    assert "its address" not in line


STRANGE = """
study: strange
systems:
  call: {connect: python, call: "own:answer"}
  line: {connect: stdio, plain: true, command: [sh, own.sh]}
  near: {connect: python, call: "own:answer", in_process: true}
visit:
  - consent: consent.md
  - dialogue: {repeat: 2, gate: none}
"""
RUNS = "from pathlib import Path\nPath(__file__).with_name('ran').touch()\n"
ANSWERS = "def answer(text, session):\n    return 'red \\x1b[31m \\x9b2J' + text\n"


def strange_study(folder: Path, more: str = "") -> Path:
    """Somebody else's study; `ran` appears beside it as soon as anything of it runs."""
    (folder / "study.yaml").write_text(STRANGE + more, "utf-8")
    (folder / "consent.en.md").write_text("Do you agree?", "utf-8")
    (folder / "own.py").write_text(RUNS + ANSWERS, "utf-8")
    (folder / "own.sh").write_text("touch ran\nread line; echo hello\n", "utf-8")
    (folder / "own_step.py").write_text(RUNS, "utf-8")
    return folder / "ran"


@pytest.mark.parametrize("more", ["", "extensions: [own_step.py]\n"])
def test_a_check_starts_no_program_of_a_study_unasked(tmp_path: Path, more: str) -> None:
    ran = strange_study(tmp_path, more)
    (refused,) = vivavoce("check", tmp_path, code=2).stderr.splitlines()
    assert "sh own.sh" in refused and "own:answer" in refused and "--programs" in refused
    assert "own_step.py" in refused or not more
    denied = vivavoce("check", tmp_path, typed="n\n", terminal=True, code=None)
    unrun = vivavoce("check", tmp_path, "--no-programs", code=None)
    assert "Run them? [y/N]" in denied.stderr and denied.stdout.lstrip() == unrun.stdout
    assert unrun.returncode == (2 if more else 0)
    assert ("own_step.py was not run" if more else "line: ok: not tested") in unrun.stdout
    assert not ran.exists()


def test_a_check_without_bots_loads_no_bot_into_this_process_unasked(tmp_path: Path) -> None:
    ran = strange_study(tmp_path)
    (refused,) = vivavoce("check", tmp_path, "--no-bots", code=2).stderr.splitlines()
    assert "own:answer" in refused and "own.sh" not in refused and not ran.exists()


@pytest.mark.parametrize("typed", ["", "y\n"])
def test_programs_that_were_agreed_to_run_and_command_no_terminal(tmp_path: Path, typed: str) -> None:
    ran = strange_study(tmp_path)
    words = ("check", tmp_path) if typed else ("check", tmp_path, "--programs")
    checked = vivavoce(*words, typed=typed, terminal=True, code=None)
    assert ran.exists() and "call: ok: reachable" in checked.stdout and "red " in checked.stdout
    assert "\x1b" not in checked.stdout and "\x9b" not in checked.stdout


def test_completion_runs_nothing_of_a_study(tmp_path: Path) -> None:
    ran = strange_study(tmp_path, "extensions: [own_step.py]\n")
    assert complete_systems(SimpleNamespace(params={"study": tmp_path}), "l") == ["line"]
    assert not ran.exists()


def test_a_secret_in_the_study_file_is_warned_of_with_its_line_and_the_fix(tmp_path: Path) -> None:
    headers = 'headers: {Authorization: "Bearer canary-77"}, replies: [{say: Good day}]'
    study = STUDY.replace("analysis:", "").replace("replies: [{say: Good day}]", headers, 1)
    (tmp_path / "study.yaml").write_text(study, "utf-8")
    warned = vivavoce("check", tmp_path, "--no-bots", code=None).stdout
    place = "study.yaml:4 systems.a.headers.Authorization: the file contains a secret"
    assert f"{place}. Write ${{A_AUTHORIZATION}} in its place and set" in warned
    assert "canary" not in warned
