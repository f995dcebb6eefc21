"""Systems that nobody here wrote, which `make counterparts` installs, and dialogues in the served pages."""

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import httpx
from ruamel.yaml import YAML

from scenes.browserless import into_chat, patiently
from scenes.counterparts import FOLDER
from scenes.installed import ROOT, STARTS_IN_S, installed
from scenes.patience import PATIENCE_S
from scenes.processes import free_port, wait_for_port
from vivavoce.connectors.factory import make_connector
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.study.load import load_study
from vivavoce.study.scaffold import write_study
from vivavoce.testing.pages import running
from vivavoce.trial.engine import SessionEngine

SCRIPTS: Final = FOLDER / "third_party"
GUIDES: Final = Path(__file__).resolve().parents[2] / "docs" / "how-to"
SYSTEMS: Final[dict[str, dict[str, Any]]] = YAML(typ="safe", pure=True).load(
    (SCRIPTS / "systems.yaml").read_text("utf-8")
)


def hold_dialogues(folder: Path, name: str, said: list[list[str]]) -> list[list[str]]:
    """People talk to a third party's system at once, a list of turns each; what the pages showed them."""
    placed = _placed(name, folder)
    settings = {"allow_private": True, "connect_timeout_s": PATIENCE_S, "first_output_timeout_s": PATIENCE_S}
    settings |= placed["system"]
    if settings["connect"] == "stdio":
        del settings["allow_private"]
    _write_study(folder, settings)
    study = load_study(folder)
    with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
        connector = make_connector(study.systems["theirs"], {})
        engine = SessionEngine(study, log, {"theirs": connector})
        with running(create_app(engine)) as pages, _started(placed, folder):
            try:
                return asyncio.run(_held(pages.url, said))
            finally:
                pages.call(connector.shut_down())


@contextmanager
def as_its_guide_says(folder: Path, name: str, guide: str, system: str) -> Iterator[dict[str, Any]]:
    """The entry that a page gives for a system, at the port where that system runs until the block ends."""
    placed = _placed(name, folder)
    blocks = re.findall(r"```yaml\n(.*?)```", (GUIDES / guide).read_text("utf-8"), re.S)
    (block,) = [block for block in blocks if f"  {system}:\n" in block]
    text = json.dumps(YAML(typ="safe", pure=True).load(block.removeprefix("systems:\n"))[system])
    with _started(placed, folder):
        yield json.loads(re.sub(r"127\.0\.0\.1:\d+", f"127.0.0.1:{placed['listens']}", text))


def _placed(name: str, folder: Path) -> dict[str, Any]:
    """The entry of a system with its ports and folders, its scripts copied beside what they import."""
    if SYSTEMS[name]["install"].startswith("npm"):
        (folder / "node_modules").symlink_to(installed("third-party", name, "node_modules"))
    else:
        installed("third-party", name, "bin", "python")
    shutil.copytree(SCRIPTS, folder, dirs_exist_ok=True)
    places = {
        "port": free_port(),
        "ours": free_port(),
        "folder": folder,
        "bin": ROOT / "third-party" / name / "bin",
    }
    text = json.dumps(SYSTEMS[name])
    for place, value in places.items():
        text = text.replace(f"{{{place}}}", str(value))
    entry = json.loads(text)
    entry["system"] |= {"port": places["ours"]} if "port" in entry["system"] else {}
    return {**entry, "listens": places["port"] if "{port}" in SYSTEMS[name].get("start", "") else None}


@contextmanager
def _started(placed: dict[str, Any], folder: Path) -> Iterator[None]:
    """Their program, started as it documents once our pages are served; gone when the block ends."""
    if "start" not in placed:
        yield
        return
    ours = ("proxy", "pytest_")  # NiceGUI takes itself for what is tested where it sees pytest
    environment = {
        key: value for key, value in os.environ.items() if not any(word in key.lower() for word in ours)
    }
    with (folder / "theirs.txt").open("wb") as said:
        theirs = subprocess.Popen(
            placed["start"].split(),
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
    try:
        if placed["listens"] is not None:
            wait_for_port(placed["listens"], theirs, patience_s=STARTS_IN_S)
        yield
    finally:
        with suppress(ProcessLookupError):
            os.killpg(theirs.pid, signal.SIGKILL)
        theirs.wait()


def _write_study(folder: Path, settings: dict[str, Any]) -> None:
    write_study(folder, "cambridge-2011", name="city")
    file = folder / "study.yaml"
    text = file.read_text("utf-8")
    start = text.index("systems:")
    end = text.index("\n\n", start)
    text = f"{text[:start]}systems:\n  theirs: {json.dumps(settings)}{text[end:]}"
    file.write_text(
        text.replace("compare: [nbest, onebest]", "compare: []").replace("gate: code", "gate: none"), "utf-8"
    )


async def _held(pages: str, said: list[list[str]]) -> list[list[str]]:
    return await asyncio.gather(*(_talked(pages, turns) for turns in said))


async def _talked(pages: str, turns: list[str]) -> list[str]:
    """One participant's way into a dialogue, and what the page shows after each of their turns."""
    async with httpx.AsyncClient(base_url=pages, follow_redirects=True, timeout=PATIENCE_S) as client:
        dialogue = await into_chat(client)
        seq, shown = 0, []
        for text in ["", *turns]:
            if text:
                turn = {"key": uuid.uuid4().hex, "dialogue_id": dialogue, "text": text}
                (await patiently(client.post, "/turns", json=turn)).raise_for_status()
            answers = []
            while True:
                asked = {"after": seq, "wait": 2, "dialogue_id": dialogue}
                news = (await patiently(client.get, "/events", params=asked)).json()
                answers += [one for one in news["events"] if one["kind"] in ("system", "failure")]
                seq = news["seq"]
                if not news["waiting"]:
                    break
            if text:
                shown.append("\n".join(map(_shown, answers)))
        return shown


def _shown(event: dict[str, Any]) -> str:
    """The words of an answer, or that none came."""
    return "\n".join(one["text"] for one in event["messages"]) if event["kind"] == "system" else "(failed)"
