"""The laws of all connectors, and whole studies, against real counterparts: Rasa and the Bot Framework.

`make counterparts` installs them and runs these tests; they are no part of `make test`.
"""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from journey.test_six_systems import hold_and_check
from plugins.test_every_connector import (  # noqa: F401  (the laws, collected here once more)
    test_a_conversation_goes_on_from_turn_to_turn,
    test_a_logged_interaction_is_replayed_through_it_in_a_conversation_an_arm,
    test_a_reset_makes_the_system_forget,
    test_a_turn_that_is_given_up_leaves_the_connector_usable,
    test_many_conversations_at_once_do_not_mix,
    test_one_hello_tells_whether_the_system_answers,
    test_the_exchange_is_noted_beside_the_turn_unless_the_study_says_no,
    test_what_a_participant_writes_arrives_as_it_is,
)
from scenes.installed import RealLine, RealRasa, token
from vivavoce.log.store import Log
from vivavoce.study.scaffold import write_study

pytestmark = [pytest.mark.counterpart, pytest.mark.long]

NAMES = ("rasa", "rasa-socketio", "rasa-socketio-persistent", "directline")
PARTICIPANTS = 20
# Rasa works on one turn after the other. Where many keep it from its connections for 20 s, as on a busy
# machine, its Socket.IO server takes the other end for gone and hangs up
AT_ONCE = 4


@pytest.fixture(scope="module")
def systems(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, dict[str, Any]]]:
    """How each real system is reached."""
    rasa = RealRasa(tmp_path_factory.mktemp("rasa"))
    line = None
    try:
        line = RealLine(welcomes=False)
        socket = {
            "connect": "rasa-socketio",
            "allow_private": True,
            "idle_s": 5.0,
            "max_concurrency": AT_ONCE,
        }
        yield {
            "rasa": {"connect": "rasa", "url": rasa.plain, "allow_private": True, "max_concurrency": AT_ONCE},
            "rasa-socketio": {**socket, "url": rasa.plain},
            "rasa-socketio-persistent": {
                **socket,
                "url": rasa.persistent,
                "session_persistence": True,
                "token": token(),
            },
            "directline": {
                "connect": "directline",
                "url": line.url,
                "allow_private": True,
                "greeting_s": 0,
                "idle_s": 0.3,
                "poll_s": 0.05,
            },
        }
    finally:
        rasa.stop()
        if line is not None:
            line.stop()


@pytest.fixture(params=NAMES)
def settings(request: pytest.FixtureRequest, systems: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return systems[request.param]


@pytest.fixture
def name(settings: dict[str, Any]) -> str:
    return settings["connect"]


def test_simulated_participants_of_one_study_complete_it_on_all_of_them_unmixed(
    systems: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    hold_and_check(tmp_path, systems, participants=PARTICIPANTS, turns=3)


@pytest.fixture
def study(systems: dict[str, dict[str, Any]], tmp_path: Path) -> Path:
    """A study whose systems are the real ones, as a researcher writes it."""
    write_study(tmp_path, "cambridge-2011", name="trattoria")
    file = tmp_path / "study.yaml"
    text = file.read_text("utf-8")
    start = text.index("systems:")
    end = text.index("\n\n", start)
    lines = [f"  {name}: {json.dumps(settings)}" for name, settings in systems.items()]
    text = text[:start] + "\n".join(["systems:", *lines]) + text[end:]
    file.write_text(text.replace("compare: [nbest, onebest]", "compare: [rasa, directline]"), "utf-8")
    return file


def vivavoce(*arguments: str | Path, told: str | None = None) -> str:
    command = [sys.executable, "-m", "vivavoce", *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, text=True, input=told, timeout=900, check=False)
    assert run.returncode == 0, f"{run.returncode}\n{run.stdout}\n{run.stderr}"
    return run.stdout


def test_check_finds_them_reachable_answering_and_reset(study: Path) -> None:
    lines = vivavoce("check", study).splitlines()
    for name in NAMES:
        (line,) = [one for one in lines if one.startswith(f"{name}:")]
        assert line.startswith(f"{name}: ok: reachable, answers, resets"), line


@pytest.mark.parametrize("system", NAMES)
def test_one_orders_a_pizza_in_the_terminal(system: str, study: Path) -> None:
    """The second line presses the button `large`; after a reset the bot knows of no pizza."""
    told = "pizza please\n2\nwhat did I order\n/reset\nwhat did I order\n/quit\n"
    shown = vivavoce("talk", study, system, told=told)
    assert "< Which size?" in shown and "  2. " in shown
    assert shown.count("< Your pizza is large.") == 2
    assert shown.count("< Your pizza is") == 3


def test_simulated_callers_hold_dialogues_with_each_of_them_and_no_turn_fails(study: Path) -> None:
    vivavoce("simulate", "run", study, "--dialogues", "16", "--seed", "1")
    with Log.open(f"sqlite:///{study.parent / 'log.sqlite'}") as log:
        events = [stored.event for stored in log.all_events()]
    kinds = Counter(event.kind for event in events)
    assert kinds["dialogue_ended"] == kinds["dialogue_assigned"] == 16
    assert kinds["system_turn_failed"] == 0 and kinds["system_turn_received"] > 16
    assigned = Counter(event.system for event in events if event.kind == "dialogue_assigned")  # type: ignore[attr-defined]
    assert set(assigned) == set(NAMES)
