"""An agent that runs tools, behind an OpenAI-compatible server: from `talk` to the report.

What was done is counted here from the raw exchange in the log, which knows nothing of the tables.
"""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from scenes.command_line import vivavoce
from scenes.processes import free_port, wait_for_port
from vivavoce.dashboard.transcript import make_transcript
from vivavoce.log.events import SystemTurnReceived, UserTurnSent
from vivavoce.log.history import fold
from vivavoce.log.store import Log
from vivavoce.study.load import load_study

SERVER = Path(__file__).resolve().parents[1] / "plugins" / "counterparts" / "agent_server.py"
STUDY = """
study: agents
protocol: cambridge-2011
systems:
  agent:
    connect: openai
    url: "http://127.0.0.1:{port}/v1"
    model: scripted-agent
    allow_private: true
    greeting: "Hello, how may I help you?"
    usage: true
    tells_tools: true
visit:
  - consent: consent.md
  - dialogue: {{repeat: 3, gate: none}}
  - questionnaire: {{use: cambridge, about: dialogue}}
prices:
  currency: EUR
  models: {{"scripted-agent*": {{input: 4, cached: 1, output: 20}}}}
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The study after twelve simulated dialogues with the agent."""
    folder, port = tmp_path_factory.mktemp("agents") / "study", free_port()
    vivavoce("init", folder, "--protocol", "cambridge-2011", "--name", "agents")
    server = subprocess.Popen([sys.executable, str(SERVER), str(port), str(folder / "restaurants.yaml")])
    try:
        wait_for_port(port, server)
        (folder / "study.yaml").write_text(STUDY.format(port=port), encoding="utf-8")
        vivavoce("simulate", folder, "--dialogues", "12", "--seed", "3")
        vivavoce("export", folder, "--into", folder / "dataset")
        yield folder
    finally:
        server.kill()
        server.wait()


def table(study: Path, name: str) -> list[dict[str, Any]]:
    return pq.read_table(study / "dataset" / f"{name}.parquet").to_pylist()


def received(study: Path) -> list[SystemTurnReceived]:
    with Log.open(f"sqlite:///{next(study.rglob('*.sqlite*'))}") as log:
        events = [one.event for one in log.all_events()]
    return [one for one in events if isinstance(one, SystemTurnReceived) and one.reply_to is not None]


def frames(turn: SystemTurnReceived) -> list[dict[str, Any]]:
    """The chunks that the server sent in a turn, as the log of the wire has them."""
    came = "".join(one["body"] for one in turn.wire or [] if "received" in one)
    lines = [line.removeprefix("data: ") for line in came.splitlines() if line.startswith("data: {")]
    return [json.loads(line) for line in lines]


def test_every_call_and_every_token_of_the_stream_is_in_the_tables(study: Path) -> None:
    turns = received(study)
    sent = [chunk for turn in turns for chunk in frames(turn)]
    results = [d for one in sent for c in one["choices"] if (d := c["delta"]).get("role") == "tool"]
    calls, usage = table(study, "tool_calls"), table(study, "usage")
    assert len(calls) == len(results) > 20
    assert Counter(one["result"] for one in calls) == Counter(one["content"] for one in results)
    assert all(json.loads(one["arguments"]).keys() == {"query"} for one in calls)
    assert all(one["started_s"] is not None and one["duration_s"] >= 0 for one in calls)
    told = [one["usage"] for one in sent if "usage" in one]
    assert len(told) == len(usage) == len(turns)
    assert sum(one["input_tokens"] for one in usage) == sum(one["prompt_tokens"] for one in told)
    assert {row["tools_logged"] for row in table(study, "dialogues")} == {True}


def test_the_cost_follows_the_price_list(study: Path) -> None:
    for row in table(study, "usage"):
        cached = row["cached_tokens"]
        micro = 4 * (row["input_tokens"] - cached) + cached + 20 * row["output_tokens"]
        assert row["cost"] == pytest.approx(micro / 1_000_000) and row["currency"] == "EUR"


def test_cost_per_success_counts_failed_dialogues_too(study: Path, tmp_path: Path) -> None:
    name = "cost_per_subjective_success"
    found = json.loads(vivavoce("measure", study / "dataset", "--only", name, "--json").stdout)
    (cell,) = [one["measures"][name] for one in found["by"]]
    rated = {
        r["dialogue_id"]: r["value"] for r in table(study, "ratings") if r["role"] == "subjective_success"
    }
    spent = sum(one["cost"] for one in table(study, "usage") if one["dialogue_id"] in rated)
    assert 0 < sum(rated.values()) < len(rated), "else it says nothing of dialogues that failed"
    assert cell["value"] == pytest.approx(spent / sum(rated.values()))
    assert cell["low"] < cell["value"] < cell["high"]
    assert cell["participants"] == 4
    vivavoce("report", study / "dataset", "--out", tmp_path / "report.html")
    assert "Cost for a subjective success" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_transcript_has_the_tools_folded_and_the_participant_sees_none(study: Path) -> None:
    plan = load_study(study)
    with Log.open(f"sqlite:///{next(study.rglob('*.sqlite*'))}") as log:
        stored = list(log.all_events())
    visit_id = next(one.visit_id for one in stored if isinstance(one.event, UserTurnSent))
    visit = fold(one for one in stored if one.visit_id == visit_id)
    lines = make_transcript(plan, visit.dialogues[0]).lines
    worked = next(line for line in lines if line.work)
    assert "find_venue" in worked.work[0].what
    assert [name for name, _ in worked.work[0].contents] == ["arguments", "result"]
    assert "input tokens" in worked.work[-1].what
    assert not any("find_venue" in line.text or "characters" in line.text for line in lines)


def test_talk_tells_what_the_agent_did(study: Path) -> None:
    said = vivavoce("talk", study, "agent", typed="a cheap pub in the centre\n").stdout
    assert '(called find_venue {"query": "a cheap pub in the centre"} -> ' in said
    assert "(scripted-agent-2: " in said
