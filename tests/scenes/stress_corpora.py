"""User turns of the two corpora on which the stress operators are judged, by identifier."""

import json
from pathlib import Path


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
