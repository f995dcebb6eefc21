"""User turns of the corpora on which the stress operators are judged, by identifier."""

import json
import tarfile
from collections import defaultdict
from pathlib import Path
from typing import Any


def utterances(language: str, shared: Path) -> dict[str, tuple[str, str]]:
    """(user turn, system turn before it) by identifier."""
    if language == "it":
        dialogues = json.loads((shared / "data/woz2_it/woz_test_it.json").read_text(encoding="utf-8"))
        return {
            f"{one['dialogue_idx']}/{turn['turn_idx']}": (turn["transcript"], turn["system_transcript"])
            for one in dialogues
            for turn in one["dialogue"]
        }
    lines = (shared / "data/cambridge_restaurants/CamRest676.json").read_text(encoding="utf-8").splitlines()
    found: dict[str, tuple[str, str]] = {}
    for one in json.loads("\n".join(line for line in lines if not line.startswith("#"))):
        before = ""
        for turn in one["dial"]:
            found[f"{one['dialogue_id']}/{turn['turn']}"] = (turn["usr"]["transcript"], before)
            before = turn["sys"]["sent"]
    return found


def telephone_and_chat(shared: Path) -> dict[str, tuple[str, str]]:
    """The same of DSTC2 and STAR, English, where systems offer alternatives: corpus/dialogue/turn."""
    found: dict[str, tuple[str, str]] = {}
    for archive in sorted((shared / "data/dstc2").glob("*.tar.gz")):
        calls = defaultdict[str, dict[str, Any]](dict)
        for path, file in _files(archive):
            calls[str(path.parent)][path.stem] = file
        for name, call in calls.items():
            for told, said in zip(call["log"]["turns"], call["label"]["turns"], strict=True):
                turn = said.get("transcription") or "", told["output"]["transcript"]
                found[f"dstc2/{name}/{told['turn-index']}"] = turn
    for path, dialogue in _files(shared / "data/star/dialogues_sample.tar.gz"):
        before = ""
        for place, event in enumerate(dialogue["Events"]):
            if event.get("Text") is not None and event["Agent"] == "Wizard":
                before = event["Text"]
            elif event.get("Text") is not None and event["Agent"] == "User":
                found[f"star/{path.stem}/{place}"] = (event["Text"], before)
    return found


def _files(archive: Path) -> list[tuple[Path, Any]]:
    with tarfile.open(archive) as opened:
        members = [one for one in opened if one.name.endswith(".json")]
        return [(Path(one.name), json.load(file)) for one in members if (file := opened.extractfile(one))]
