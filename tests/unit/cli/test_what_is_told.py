"""What no number may be read without: programs beside people, other studies, changed tables, exclusions."""

import json
import os
import pty
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import Result
from typer.testing import CliRunner

from scenes.processes import free_port
from vivavoce.api.reporting import composed
from vivavoce.cli.arguments import note
from vivavoce.cli.main import app
from vivavoce.core.errors import InputError
from vivavoce.core.verb import VERBS
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter


def run(*words: str | Path) -> Result:
    result = CliRunner().invoke(app, list(map(str, words)), catch_exceptions=False, env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.output
    return result


def dataset(folder: Path, name: str, *, programs: bool = False, study: str = "toy", found: int = 3) -> Path:
    with DatasetWriter(folder / name, study={"name": study}, source={"kind": "log"}) as writer:
        for place, (person, system) in enumerate((p, s) for p in range(6) for s in "abab"):
            key = {"dialogue_id": f"d{place}", "participant_id": f"p{person}"}
            writer.add(
                "dialogues",
                [
                    {
                        **key,
                        "study": study,
                        "system": system,
                        "condition": system,
                        "channel": "text",
                        "language": "en",
                        "simulated": programs,
                        "duration_s": 30.0 + place % 7,
                    }
                ],
            )
            writer.add(
                "turns", [{"dialogue_id": f"d{place}", "turn_index": 0, "party": "user", "text": "hello"}]
            )
            writer.add(
                "ratings",
                [
                    {
                        **key,
                        "instrument": "cambridge",
                        "item_id": "found_all",
                        "role": "subjective_success",
                        "value": float((person + place) % found > 0),
                    }
                ],
            )
    return folder / name


@pytest.mark.parametrize("verb", ["analyse", "report"])
def test_people_and_programs_are_not_compared_unless_told_and_then_marked(verb: str, tmp_path: Path) -> None:
    real, made = dataset(tmp_path, "real"), dataset(tmp_path, "made", programs=True, found=4)
    page = tmp_path / "report.html"
    end = ["--out", page] if verb == "report" else []
    with pytest.raises(InputError, match=r"real contains people and .*made simulated users") as refused:
        run(verb, real, "--against", made, *end)
    assert "--mixed" in refused.value.hint
    told = run("--mixed", verb, real, "--against", made, *end).stderr
    assert "SIMULATED against real" in told
    if verb == "report":
        assert page.read_text("utf-8").count("SIMULATED against real") == 1


@pytest.mark.parametrize(
    "words", [("analyse",), ("analyse", "--measure", "turns"), ("predict", "correlate"), ("measure",)]
)
def test_a_verb_of_analysis_marks_programs_in_words_and_in_json(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    verb = list(words[:2] if words[0] == "predict" else words[:1])
    rest = list(words[len(verb) :])
    for programs in (True, False):
        folder = dataset(tmp_path, f"programs {programs}", programs=programs)
        assert ("SIMULATED: programs took part" in run(*verb, folder, *rest).stderr) == programs
        assert json.loads(run(*verb, folder, *rest, "--json").stdout)["simulated"] is programs


def test_a_pilot_of_programs_is_no_pilot_of_people(tmp_path: Path) -> None:
    made = dataset(tmp_path, "made", programs=True)
    told = run("power", "one-rate", ".6", ".5", "--pilot", made)
    assert "SIMULATED" in told.stderr and "participants were programs" in told.stdout
    facts = json.loads(run("power", "one-rate", ".6", ".5", "--pilot", made, "--json").stdout)
    assert facts["pilot_simulated"] is True


def test_what_makes_a_comparison_doubtful_is_said(tmp_path: Path) -> None:
    one, other = dataset(tmp_path, "one"), dataset(tmp_path, "other", study="kitchen", found=4)
    page = tmp_path / "report.html"
    assert "Both datasets have the same rows" in run("analyse", one, "--against", one).stderr
    assert "different studies: toy and kitchen" in run("analyse", one, "--against", other).stderr
    run("report", one, "--against", other, "--out", page, "--language", "it")
    assert "studi diversi: toy e kitchen" in page.read_text("utf-8")


def test_every_changed_table_is_told_by_every_verb(tmp_path: Path) -> None:
    with DatasetWriter(tmp_path / "data", study={"name": "toy"}, source={"kind": "test"}) as writer:
        for number in range(12):
            writer.add(
                "preferences",
                [
                    {
                        "participant_id": f"p{number}",
                        "pair_id": "one",
                        "variable": "alignment",
                        "change": "add",
                        "question": "ease",
                        "role": "main",
                        "choice": "control" if number % 3 else "experimental",
                        "visit_id": f"v{number}",
                        "comparison_number": 1,
                        "experimental_side": "left",
                        "language": "en",
                        "simulated": False,
                        "control_level": "none",
                        "control_tokens": 9,
                        "experimental_level": "some",
                        "experimental_tokens": 12,
                        "presentation": "once",
                        "side": "left",
                        "answered_at": datetime(2026, 3, 1, tzinfo=UTC),
                        "accepted": True,
                    }
                ],
            )
    path = tmp_path / "data" / "preferences.parquet"
    pq.write_table(pq.read_table(path).slice(1), path)
    page = tmp_path / "report.html"
    for words in (["analyse"], ["measure"], ["report", "--out", page]):
        told = run(words[0], tmp_path / "data", *words[1:]).stderr
        assert told.count("Changed after export: preferences") == 1
    assert "Changed after export: preferences" in page.read_text("utf-8")
    assert "has no dialogues" not in page.read_text("utf-8")


def test_where_all_is_excluded_that_alone_is_said(tmp_path: Path) -> None:
    folder, page = dataset(tmp_path, "data"), tmp_path / "report.html"
    for verb in ("analyse", "measure"):
        told = run(verb, folder, "--exclude", "user_turns < 9")
        assert told.stderr == (
            "All 24 dialogues are excluded (user_turns < 9: 24). Use `--exclude none` to include them.\n"
        )
        assert "Participants are unknown" not in told.stdout and "has no dialogues" not in told.stdout
    run("report", folder, "--exclude", "user_turns < 9", "--out", page)
    shown = page.read_text("utf-8")
    assert "All 24 dialogues are excluded" in shown
    assert "Participants are unknown" not in shown and "has no dialogues" not in shown


def test_an_italian_report_says_in_italian_what_is_left_out(tmp_path: Path) -> None:
    folder, page = dataset(tmp_path, "data"), tmp_path / "report.html"
    run("report", folder, "--exclude", "duration_s < 33", "--out", page, "--language", "it")
    shown = page.read_text("utf-8")
    assert "Excluded from all figures" not in shown and "Esclusi da tutte le cifre" in shown


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("system = bb", "unknown system 'bb'. Did you mean 'b'"),
        ("language = de", "unknown language 'de'. Known: en"),
        ("factor.noise = high", "unknown factor 'noise'"),
        ("answer.found_al != 1", "there is no question 'found_al'. Did you mean 'found_all'"),
    ],
)
def test_a_rule_about_what_the_dataset_lacks_is_refused(rule: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--exclude") as refused:
        run("measure", dataset(tmp_path, "data"), "--exclude", rule)
    assert said in str(refused.value)


def test_a_report_says_which_section_it_works_on(tmp_path: Path) -> None:
    told: list[tuple[int, int, str]] = []
    made = composed(
        Dataset(dataset(tmp_path, "calls")),
        None,
        sections=["results", "flow"],
        progress=lambda *one: told.append(one),
    )
    assert [number for number, _, _ in told] == list(range(told[0][1]))
    assert {one.title for one in made.document.sections} <= {title for _, _, title in told}


def test_a_note_folds_by_words_on_a_terminal_and_stays_whole_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    line = "drafted /a/long/path/that/stays/whole/mapping.yaml: read it, mend it, then import"
    note(line)
    assert capsys.readouterr().err == f"{line}\n"
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    note(line)
    folded = capsys.readouterr().err.splitlines()
    assert len(folded) == 3 and " ".join(part.strip() for part in folded) == line


def test_a_bot_tells_a_person_at_a_terminal_where_it_is_and_how_to_end_it() -> None:
    port, (terminal, inside) = free_port(), pty.openpty()
    command = [sys.executable, "-m", "vivavoce_bots", "restaurant", "--port", str(port)]
    with subprocess.Popen(command, stdin=inside, stdout=inside, stderr=inside) as bot:
        told = b""
        while b"Ctrl-C" not in told:
            told += os.read(terminal, 1024)
        bot.terminate()
    os.close(inside)
    os.close(terminal)
    assert f"http://127.0.0.1:{port}/chat" in told.decode()


LASTING = {
    "simulate": ("run", "train"),
    "talk": (),
    "judge": ("run",),
    "import": (),
    "export": (),
    "serve": (),
    "up": (),
    "stress": ("run",),
    "measure": (),
    "analyse": (),
    "report": (),
    "demo": (),
}


def test_what_is_kept_after_ctrl_c_is_known_of_every_verb_that_lasts() -> None:
    for name, parts in LASTING.items():
        verb = VERBS.get(name)
        for below in parts or ("",):
            kept = verb.kept if isinstance(verb.kept, str) else verb.kept[below]
            leaf = verb.command().commands[below] if below else verb.command()
            assert kept and "\n" not in kept and callable(leaf.callback.__wrapped__), (name, below)


def test_ctrl_c_says_what_is_kept_and_how_to_go_on(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(
        "study: toy\nsystems:\n  a: {connect: scripted, greeting: Good day, replies: [{say: Yes}]}\n"
        "visit:\n  - dialogue: {repeat: 1, gate: none}\n",
        "utf-8",
    )
    words = [sys.executable, "-m", "vivavoce", "talk", str(tmp_path), "a"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as talking:
        assert talking.stdout is not None and talking.stdin is not None and talking.stderr is not None
        assert talking.stdout.readline() == "< Good day\n"
        talking.send_signal(signal.SIGINT)
        said = talking.stderr.readline()
        talking.stdin.close()
        assert talking.wait() == 130
    assert said.startswith("vivavoce: stopped. The --save file")
