"""`vivavoce connect` with programs of others' kinds: what it proposes is a connector that works."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
from starlette.responses import HTMLResponse, PlainTextResponse

from scenes.command_line import vivavoce
from scenes.processes import free_port

from .conftest import COUNTERPARTS, start


class Asked(BaseModel):
    """What a bot of the kind that tutorials write is asked."""

    prompt: str
    session_id: str = ""


def described_bot(stored: list[str] | None = None) -> FastAPI:
    """Three operations that take a text; only one of them talks."""
    app = FastAPI()

    @app.post("/notes")
    @app.post("/tasks")
    def note(asked: Asked) -> dict[str, str]:
        (stored if stored is not None else []).append(asked.prompt)
        return {"stored": asked.prompt}

    @app.post("/api/ask")
    def ask(asked: Asked) -> dict[str, str]:
        return {"id": "7", "answer": f"You said {asked.prompt}, did you?"}

    @app.get("/", response_class=HTMLResponse)
    def page() -> str:
        return "<h1>Welcome</h1>"

    return app


@contextmanager
def served(app: FastAPI) -> Iterator[str]:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        thread.join()


def proposed(url: str) -> tuple[dict[str, Any], str]:
    found = json.loads(vivavoce("connect", url, "--json").stdout)
    return found["systems"]["mine"], found["said"]


def test_a_described_interface_is_asked_as_its_description_says() -> None:
    with served(described_bot()) as url:
        settings, said = proposed(url)
        assert settings["url"] == f"{url}/api/ask" and settings["response"] == {"text": "answer"}
        assert settings["body"] == {"prompt": "{{ text }}", "session_id": "{{ conversation }}"}
        assert said.startswith("You said") and settings["allow_private"] is True


def test_nothing_is_said_to_operations_that_store_or_do_something() -> None:
    stored: list[str] = []
    with served(described_bot(stored)) as url:
        proposed(url)
    assert stored == []


def test_the_proposal_is_a_block_of_a_study_that_talks(tmp_path: Path) -> None:
    with served(described_bot()) as url:
        block = vivavoce("connect", url, "--name", "asker").stdout
        assert block.startswith("# it says: You said")
        rest = "study: s\nvisit:\n  - consent: consent.md\n  - dialogue: {repeat: 1, gate: none}\n"
        (tmp_path / "study.yaml").write_text(rest + block, encoding="utf-8")
        (tmp_path / "consent.md").write_text("Is this all right?", encoding="utf-8")
        assert "< You said tea, did you?" in vivavoce("talk", tmp_path, "asker", typed="tea\n").stdout


@pytest.mark.parametrize(
    ("program", "path", "connector"),
    [
        ("agent_server.py", "", "openai"),
        pytest.param("agent_server.py", "/v1", "openai", marks=pytest.mark.long),
        pytest.param("a2a_agent.py", "", "a2a", marks=pytest.mark.long),
        pytest.param("mcp_server.py", "/mcp", "mcp", marks=pytest.mark.long),
    ],
)
def test_models_agents_and_tools_tell_what_they_are(program: str, path: str, connector: str) -> None:
    port = free_port()
    server = start([str(COUNTERPARTS / program), str(port)], port)
    try:
        settings, said = proposed(f"http://127.0.0.1:{port}{path}")
    finally:
        server.kill()
        server.wait()
    assert settings["connect"] == connector and said


def test_a_page_for_people_is_told_from_a_bot() -> None:
    app = FastAPI(openapi_url=None)
    app.get("/", response_class=HTMLResponse)(lambda: "<h1>Welcome</h1>")
    with served(app) as url:
        told = vivavoce("connect", url, code=2).stderr
    assert "web page for people" in told and "connect: browser" in told


def test_litserve_is_known_by_its_root() -> None:
    app = FastAPI()
    app.get("/")(lambda: PlainTextResponse("litserve running"))

    @app.post("/v1/chat/completions")
    def complete(asked: dict[str, Any]) -> dict[str, Any]:
        return {"choices": [{"message": {"role": "assistant", "content": asked["messages"][-1]["content"]}}]}

    with served(app) as url:
        settings, said = proposed(url)
    assert said and (settings["connect"], settings["url"]) == ("openai", f"{url}/v1")


def test_what_no_hello_reaches_is_told_by_what_it_looks_like() -> None:
    sessions, graph = FastAPI(), FastAPI()
    sessions.post("/sessions/{name}/turns")(lambda name: {})
    graph.get("/ok")(lambda: {"ok": True})
    graph.get("/info")(lambda: {"version": "0.16.7"})
    with served(sessions) as url:
        told = vivavoce("connect", url, code=2).stderr
        assert f"{url}/openapi.json" in told and "POST /sessions/{name}/turns. Give the full address" in told
        assert "connect: teams" in vivavoce("connect", f"{url}/api/messages", code=2).stderr
    with served(graph) as url:
        assert "format: langgraph" in vivavoce("connect", url, code=2).stderr


def test_nobody_there_and_no_address_are_one_line() -> None:
    assert "Start the bot" in vivavoce("connect", f"http://127.0.0.1:{free_port()}", code=2).stderr
    assert "not a bot's address" in vivavoce("connect", "my-bot", code=2).stderr
