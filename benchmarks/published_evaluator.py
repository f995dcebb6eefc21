"""Objective success beside the published evaluator of MultiWOZ (inform, success) on the same dialogues.

    python -m benchmarks published_evaluator --evaluator FOLDER --python PYTHON --dialogues FILE \\
        --venues FILE [--write]

evaluator  a checkout of MultiWOZ_Evaluation (Nekvinda and Dušek 2021); PYTHON: with its requirements
dialogues  ConvLab's unified format, goals of the domain `restaurant`; venues: the same corpus's database

Its function `get_dialog_success` is called as it is, on its own database class with these venues. It is
given what the corpus says: goals, states of the user, active domains, and of each system turn which slots
it tells (no words).
"""

import argparse
import json
import subprocess
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from vivavoce.importers.convlab import CONVLAB
from vivavoce.log.dataset import Dataset
from vivavoce.measures.success.assigned import assigned_outcome
from vivavoce.measures.success.model import Venues
from vivavoce.measures.success.outcomes import outcomes, scored_turns

RESULTS = Path(__file__).parent / "results" / "published_evaluator.json"
TOLD = {"name": "NAME", "phone": "PHONE", "address": "ADDRESS", "postcode": "POST", "ref": "REFERENCE"}
FIVE = ("phone", "address", "postcode", "reference", "trainid")
THEIRS = """
import json, sys
sys.path.insert(0, sys.argv[1])
from mwzeval.database import MultiWOZVenueDatabase
from mwzeval.metrics import get_dialog_success
given = json.load(open(sys.argv[2], encoding="utf-8"))
database = MultiWOZVenueDatabase()
kept = ("address", "area", "food", "id", "name", "phone", "postcode", "pricerange", "type")
database.data["restaurant"] = [{name: one.get(name, "?") for name in kept} for one in given["venues"]]
database.data_keys["restaurant"] = set(kept)
found = {}
for key, one in given["dialogues"].items():
    parts = [one[name] for name in ("goal", "booked", "told", "states", "domains")]
    match, success = get_dialog_success(*parts, database)
    found[key] = [bool(match["total"]), bool(success.get("total", False))]
print(json.dumps(found))
"""


def main() -> None:
    reader = argparse.ArgumentParser(prog="published_evaluator")
    for name in ("evaluator", "python", "dialogues", "venues"):
        reader.add_argument(f"--{name}", type=Path, required=True)
    reader.add_argument("--write", action="store_true", help=f"also write {RESULTS.name}")
    options = reader.parse_args()
    corpus = json.loads(options.dialogues.read_text("utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        theirs = _theirs(options, corpus, Path(folder))
        CONVLAB.make_dataset([options.dialogues], Path(folder, "dataset"), venues=options.venues)
        ours = _ours(Dataset(Path(folder, "dataset")))
    result = _compared(theirs, ours, corpus)
    print(json.dumps(result, indent=1))
    if options.write:
        RESULTS.write_text(json.dumps(result, indent=1) + "\n", "utf-8")


def _theirs(options: argparse.Namespace, corpus: list[Any], folder: Path) -> dict[str, list[bool]]:
    given = {
        "venues": json.loads(options.venues.read_text("utf-8")),
        "dialogues": dict(map(_as_they_take_it, corpus)),
    }
    file = folder / "given.json"
    file.write_text(json.dumps(given), "utf-8")
    command = [options.python, "-c", THEIRS, options.evaluator, file]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def _as_they_take_it(dialogue: Any) -> tuple[str, dict[str, Any]]:
    goal = dialogue["goal"]
    wanted = {_plain(slot): value for slot, value in goal["inform"].get("restaurant", {}).items()}
    asked = [TOLD[slot] for slot in goal["request"].get("restaurant", {}) if slot in TOLD and slot != "name"]
    told, states, state = [], [], {}
    for turn in dialogue["turns"]:
        if turn["speaker"] == "user":
            state = {_plain(slot): value for slot, value in turn["state"]["restaurant"].items() if value}
            continue
        acts = [one for kind in turn["dialogue_acts"].values() for one in kind]
        told.append(
            " ".join(TOLD[one["slot"]] for one in acts if one["intent"] == "inform" and one["slot"] in TOLD)
        )
        states.append({"restaurant": state})
    every = {
        "booked": [[]] * len(told),
        "domains": [["restaurant"]] * len(told),
        "told": told,
        "states": states,
    }
    return dialogue["dialogue_id"], {
        "goal": {"restaurant": {"informable": wanted, "requestable": asked}},
        **every,
    }


def _plain(slot: str) -> str:
    return slot.replace(" ", "")


def _ours(dataset: Dataset) -> dict[str, dict[str, bool]]:
    """By dialogue: whether what was offered meets the goal, whether the goal was served, by weaker rules."""
    venues = Venues.from_rows(dataset.read("entities").to_pylist())
    found = {}
    for key, outcome in outcomes(dataset).assigned.items():
        turns, goal = scored_turns(dataset, key), outcome.goal
        five = replace(goal, requests=tuple(slot for slot in goal.requests if slot in FIVE))
        ways = {
            "inform": (replace(goal, requests=()), True),
            "success": (goal, True),
            "five slots": (five, True),
            "five slots, values not looked at": (five, False),
        }
        scored = {
            name: assigned_outcome(key, [own], turns, venues, verify_values=verified)
            for name, (own, verified) in ways.items()
        }
        found[key] = {name: bool(one.score("last")) for name, one in scored.items()}
        found[key]["any venue, five slots, values not looked at"] = bool(
            scored["five slots, values not looked at"].score("any")
        )
        found[key]["met by no venue"] = not venues.matching(goal)
        found[key]["offered"] = bool(outcome.offers)
    return found


def _compared(
    theirs: dict[str, list[bool]], ours: dict[str, dict[str, bool]], corpus: list[Any]
) -> dict[str, Any]:
    both = sorted(theirs.keys() & ours.keys())
    n = len(both)
    names = ("inform", "success")
    share = {
        "published": {name: sum(theirs[key][place] for key in both) / n for place, name in enumerate(names)},
        "ours": {name: sum(ours[key][name] for key in both) / n for name in next(iter(ours.values()))},
    }
    agreed = {
        name: Counter(f"published {int(theirs[key][place])}, ours {int(ours[key][name])}" for key in both)
        for place, name in enumerate(names)
    }
    reasons = Counter(
        _reason(theirs[key], ours[key]) for key in both if theirs[key][1] != ours[key]["success"]
    )
    return {"dialogues": len(corpus), "scored by both": n, "shares": share, "agreement": agreed,
            "why success differs": dict(reasons.most_common())}  # fmt: skip


def _reason(theirs: list[bool], ours: dict[str, bool]) -> str:
    """Why the two differ about success, the first of these that holds."""
    if theirs[1]:
        if ours["met by no venue"]:
            return "published only: no venue meets the goal, and the user's state did not say all of it"
        if ours["five slots"]:
            return "published only: a request beside its five slots was not answered"
        if ours["five slots, values not looked at"]:
            return "published only: a request was answered with another value than the venue has"
        if ours["inform"]:
            return "published only: what was asked was told before the venue that counts was offered"
        if not ours["offered"]:
            return "published only: no offer by name is among the acts"
        if ours["any venue, five slots, values not looked at"]:
            return "published only: an earlier venue met the goal, the last one does not"
        return "published only: the venue that was named does not meet the goal, the state of the user does"
    if theirs[0]:
        return "ours only: of its five slots one was told before, or without, a name"
    return "ours only: the state left venues that do not meet the goal, the one that was named does"


if __name__ == "__main__":
    main()
