"""Objective success beside the published evaluator of MultiWOZ (inform, success) on the same dialogues.

    python -m benchmarks published_evaluator --evaluator FOLDER --python PYTHON --dialogues FILE... \\
        [--venues FILE] [--write]

evaluator  a checkout of MultiWOZ_Evaluation (Nekvinda and Dušek 2021); PYTHON: with its requirements
dialogues  MultiWOZ 2.1 (`test.json`, `val.json`): those of one domain that has venues, with the evaluator's
           own venues; or ConvLab's unified format of one domain, `restaurant`, with --venues of that corpus

Its function `get_dialog_success` is called as it is, on its own database class. It is given what the corpus
says: goals, states of the user, the active domain, and of each system turn which slots it tells (no words).
References of bookings are asked by neither: our goals have no bookings.
"""

import argparse
import json
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from vivavoce.dataset.reader import Dataset
from vivavoce.importers.base import Importer
from vivavoce.measures.success.inferred import assigned_outcome
from vivavoce.measures.success.model import Venues
from vivavoce.measures.success.outcomes import outcomes, scored_turns
from vivavoce_corpora.convlab import CONVLAB
from vivavoce_corpora.multiwoz import MULTIWOZ

RESULTS = Path(__file__).parent / "results" / "published_evaluator.json"
TOLD = {
    "name": "NAME",
    "phone": "PHONE",
    "address": "ADDRESS",
    "addr": "ADDRESS",
    "postcode": "POST",
    "post": "POST",
}
FIVE = ("phone", "address", "postcode", "reference", "trainid")
WITH_VENUES = ("restaurant", "hotel", "attraction")
THEIRS = """
import json, sys
sys.path.insert(0, sys.argv[1])
from mwzeval.database import MultiWOZVenueDatabase
from mwzeval.metrics import get_dialog_success
given = json.load(open(sys.argv[2], encoding="utf-8"))
database = MultiWOZVenueDatabase()
kept = ("address", "area", "food", "id", "name", "phone", "postcode", "pricerange", "type")
if given["venues"]:
    database.data["restaurant"] = [{name: one.get(name, "?") for name in kept} for one in given["venues"]]
    database.data_keys["restaurant"] = set(kept)
found = {}
for key, one in given["dialogues"].items():
    parts = [one[name] for name in ("goal", "booked", "told", "states", "domains")]
    match, success = get_dialog_success(*parts, database)
    found[key] = [bool(match["total"]), bool(success.get("total", False))]
print(json.dumps(found))
"""


class Scored(NamedTuple):
    """One dialogue of one domain: what is wanted, asked, told turn by turn, and the user's state then."""

    key: str
    domain: str
    wanted: dict[str, str]
    asked: list[str]
    told: list[str]
    states: list[dict[str, str]]

    def as_they_take_it(self) -> dict[str, Any]:
        turns = len(self.told)
        return {
            "goal": {self.domain: {"informable": self.wanted, "requestable": self.asked}},
            "booked": [[]] * turns,
            "domains": [[self.domain]] * turns,
            "told": self.told,
            "states": [{self.domain: state} for state in self.states],
        }


def main() -> None:
    reader = argparse.ArgumentParser(prog="published_evaluator")
    for name in ("evaluator", "python"):
        reader.add_argument(f"--{name}", type=Path, required=True)
    reader.add_argument("--dialogues", type=Path, required=True, nargs="+")
    reader.add_argument("--venues", type=Path)
    reader.add_argument("--write", action="store_true", help=f"also write {RESULTS.name}")
    options = reader.parse_args()
    corpora = [json.loads(file.read_text("utf-8")) for file in options.dialogues]
    whole = isinstance(corpora[0], dict)
    with tempfile.TemporaryDirectory() as folder:
        found = (_multiwoz if whole else _unified)(options, corpora, Path(folder))
    result = {"dialogues": sum(map(len, corpora)), **found}
    print(json.dumps(result, indent=1))
    if options.write:
        known = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
        known["multiwoz" if whole else "camrest"] = result
        RESULTS.write_text(json.dumps(known, indent=1) + "\n", "utf-8")


def _unified(options: argparse.Namespace, corpora: list[Any], folder: Path) -> dict[str, Any]:
    scored = [_of_unified(one) for corpus in corpora for one in corpus]
    ours = _ours(CONVLAB, options.dialogues, folder / "dataset", options.venues)
    return _compared(_theirs(options, scored, folder), ours)


def _multiwoz(options: argparse.Namespace, corpora: list[Any], folder: Path) -> dict[str, Any]:
    every = {name: one for corpus in corpora for name, one in corpus.items()}
    ours: dict[str, dict[str, bool]] = {}
    scored: list[Scored] = []
    for domain in WITH_VENUES:
        own = {name: one for name, one in every.items() if _domains(one) == [domain]}
        scored += [_of_multiwoz(name, domain, one) for name, one in own.items()]
        file = folder / domain / "data.json"
        file.parent.mkdir()
        file.write_text(json.dumps(own), "utf-8")
        venues = options.evaluator / "mwzeval" / "data" / "database" / f"{domain}_db.json"
        ours |= _ours(MULTIWOZ, [file], folder / domain / "dataset", venues)
    domains = dict(Counter(one.domain for one in scored))
    return {"domains": domains, **_compared(_theirs(options, scored, folder), ours)}


def _theirs(options: argparse.Namespace, scored: list[Scored], folder: Path) -> dict[str, list[bool]]:
    given = {
        "venues": json.loads(options.venues.read_text("utf-8")) if options.venues else None,
        "dialogues": {one.key: one.as_they_take_it() for one in scored},
    }
    file = folder / "given.json"
    file.write_text(json.dumps(given), "utf-8")
    command = [options.python, "-c", THEIRS, options.evaluator, file]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def _of_unified(dialogue: Any) -> Scored:
    goal = dialogue["goal"]
    wanted = {_plain(slot): value for slot, value in goal["inform"].get("restaurant", {}).items()}
    asked = goal["request"].get("restaurant", {})
    told, states, state = [], [], {}
    for turn in dialogue["turns"]:
        if turn["speaker"] == "user":
            state = {_plain(slot): value for slot, value in turn["state"]["restaurant"].items() if value}
            continue
        acts = [one for kind in turn["dialogue_acts"].values() for one in kind]
        told.append(_slots(one["slot"] for one in acts if one["intent"] == "inform"))
        states.append(state)
    return Scored(dialogue["dialogue_id"], "restaurant", wanted, _requests(asked), told, states)


def _of_multiwoz(name: str, domain: str, dialogue: Any) -> Scored:
    goal, told, states = dialogue["goal"][domain], [], []
    for turn in dialogue["log"][1::2]:
        acts = turn.get("dialog_act") or {}
        pairs = [pair for kind in acts for pair in acts[kind] if not kind.endswith("-Request")]
        told.append(_slots(slot.lower() for slot, value in pairs if value not in ("?", "none", "")))
        state = turn["metadata"].get(domain) or {"semi": {}}
        states.append(
            {slot: value for slot, value in state["semi"].items() if value not in ("", "not mentioned")}
        )
    return Scored(
        name.removesuffix(".json"),
        domain,
        dict(goal.get("info") or {}),
        _requests(goal.get("reqt") or []),
        told,
        states,
    )


def _domains(dialogue: Any) -> list[str]:
    return [name for name, told in dialogue["goal"].items() if name not in ("message", "topic") and told]


def _slots(slots: Iterable[str]) -> str:
    return " ".join(TOLD[slot] for slot in slots if slot in TOLD)


def _requests(asked: Iterable[str]) -> list[str]:
    return [TOLD[slot] for slot in asked if slot in TOLD and slot != "name"]


def _plain(slot: str) -> str:
    return slot.replace(" ", "")


def _ours(importer: Importer, dialogues: list[Path], into: Path, file: Path) -> dict[str, dict[str, bool]]:
    """By dialogue: whether what was offered meets the goal, whether the goal was served, by weaker rules."""
    importer.make_dataset(dialogues, into, venues=file)
    dataset = Dataset(into)
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
        found[key]["of a venue in the database"] = bool(outcome.offers and venues.named(outcome.offers[-1]))
    return found


def _compared(theirs: dict[str, list[bool]], ours: dict[str, dict[str, bool]]) -> dict[str, Any]:
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
    return {
        "scored by both": n,
        "shares": share,
        "agreement": agreed,
        "why success differs": dict(reasons.most_common()),
    }


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
        if not ours["of a venue in the database"]:
            return (
                "published only: no venue has the name that was told (misspelt, or words for it of their own)"
            )
        if ours["any venue, five slots, values not looked at"]:
            return "published only: an earlier venue met the goal, the last one does not"
        return "published only: the venue that was named does not meet the goal, the state of the user does"
    if theirs[0]:
        return "ours only: of its five slots one was told before, or without, a name"
    return "ours only: the state left venues that do not meet the goal, the one that was named does"


if __name__ == "__main__":
    main()
