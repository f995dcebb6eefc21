"""A conversation in the terminal, in a pipe and on a real pseudo-terminal."""

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from scenes.patience import PATIENCE_S
from scenes.processes import free_port, process, wait_for_port
from vivavoce.audio.files import read_sound
from vivavoce.study.scaffold import write_study

COUNTERPARTS = Path(__file__).resolve().parents[2] / "plugins" / "counterparts"
TALK = [sys.executable, "-m", "vivavoce", "talk"]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("talk")
    write_study(folder, "cambridge-2011", name="city")
    port, hears = free_port(), free_port()
    file = folder / "study.yaml"
    text = file.read_text("utf-8")
    start = text.index("systems:")
    end = text.index("\n\n", start)
    systems = f"""systems:
  nbest:
    connect: http
    url: "http://127.0.0.1:{port}/sessions/{{{{ state.id }}}}/messages"
    allow_private: true
    body: {{q: "{{{{ text }}}}"}}
    response: {{text: "replies[].say", choices: "buttons", end: "over"}}
    keep: {{id: id}}
    open: {{url: "http://127.0.0.1:{port}/sessions"}}
  spoken:
    connect: websocket-audio
    url: "ws://127.0.0.1:{hears}/talk"
    allow_private: true
    turn_done: {{type: done}}
    turn_end: "done"
    response: {{text: "say"}}
    heard: "understood"
  onebest: {{connect: http, url: "http://127.0.0.1:1/chat", allow_private: true}}"""
    file.write_text(text[:start] + systems + text[end:], encoding="utf-8")
    with (
        process(str(COUNTERPARTS / "chat_server.py"), str(port)),
        process(str(COUNTERPARTS / "audio_server.py"), str(hears)),
    ):
        wait_for_port(port)
        wait_for_port(hears)
        yield file


def in_a_pipe(study: Path, system: str, lines: str, *more: str) -> subprocess.CompletedProcess[str]:
    command = [*TALK, str(study), system, *more]
    return subprocess.run(
        command, input=lines, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )


def test_a_conversation_in_a_pipe_shows_answers_times_choices_and_the_wire(
    study: Path, tmp_path: Path
) -> None:
    save = tmp_path / "talk.jsonl"
    run = in_a_pipe(study, "nbest", "one\n1\n/raw\n/reset\ntwo\nbye\nunread\n", "--save", str(save))
    assert run.returncode == 0, run.stderr
    said = run.stdout
    assert said.startswith("< hi\n")
    assert re.search(r"< so far:\n< one\n  1\. again\n\(first output \d+\.\d", said)
    assert "< one, again\n" in said
    assert '/messages\n    {"q":"again"}\n< HTTP 200\n' in said
    assert "(the system has been reset)\n< hi\n" in said and "< two\n" in said
    assert said.endswith("(the system ended the conversation)\n") and "unread" not in said
    records = [json.loads(line) for line in save.read_text("utf-8").splitlines()]
    assert [record["text"] for record in records if record["party"] == "user" and "text" in record] == [
        "one",
        "again",
        "two",
        "bye",
    ]
    assert all(record["complete_s"] > 0 for record in records if "complete_s" in record)


def test_a_system_that_only_hears_is_spoken_to_and_its_speech_is_kept(study: Path, tmp_path: Path) -> None:
    run = in_a_pipe(study, "spoken", "one two three\n", "--sound", str(tmp_path / "said"))
    assert run.returncode == 0, run.stderr
    assert "(the system listens continuously; your lines go to it spoken by the synthesiser)" in run.stdout
    assert "< that was it" in run.stdout
    assert re.search(r"\(spoke \d+\.\d\d s, in .*turn-001\.wav\)", run.stdout)
    assert re.search(r"\(heard: \d+ bytes, first ", run.stdout)
    spoken = read_sound(tmp_path / "said" / "turn-001.wav")  # the system says again what it heard
    assert spoken.duration_s > 0.5 and abs(spoken.samples).max() > 3000


def test_check_says_what_a_system_does_with_sound(study: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "vivavoce", "check", str(study)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    (line,) = [one for one in run.stdout.splitlines() if one.startswith("spoken:")]
    assert re.match(
        r"spoken: ok: reachable, answers, resets, streams, listens, spoke \d\.\d s; first output ", line
    )


def test_a_system_that_fails_is_told_and_ends_with_one(study: Path) -> None:
    run = in_a_pipe(study, "onebest", "hello\n/quit\n")
    assert run.returncode == 1
    assert "(failed: unreachable: " in run.stdout


def test_an_unknown_system_is_answered_with_the_nearest(study: Path) -> None:
    run = in_a_pipe(study, "nbst", "")
    assert run.returncode == 2
    assert "Did you mean 'nbest'" in run.stderr


def test_a_conversation_on_a_terminal_has_a_prompt(study: Path) -> None:
    ours, theirs = pty.openpty()
    running = subprocess.Popen([*TALK, str(study), "nbest"], stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    try:
        assert "/quit ends" in until(ours, "> ")
        os.write(ours, b"one\n")
        assert "1. again" in until(ours, "complete")
        os.write(ours, b"/quit\n")
        assert running.wait(timeout=PATIENCE_S) == 0
    finally:
        running.kill()
        running.wait()
        os.close(ours)


def until(terminal: int, wanted: str) -> str:
    """What the terminal shows until a text appears."""
    shown, deadline = "", time.monotonic() + PATIENCE_S
    while wanted not in shown and time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.2)[0]:
            shown += os.read(terminal, 4096).decode("utf-8", "replace")
    assert wanted in shown, shown
    return shown
