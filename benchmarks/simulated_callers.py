"""How near simulated callers come to real ones whom nothing was fitted to: calls of DSTC2, halved by caller.

    python benchmarks/simulated_callers.py dstc2/*.tar.gz [--dialogues 600] [--seed 1] [--keep FOLDER]

Habits are fitted to the calls of one half of the callers. A study with two of the bundled restaurant bots is
held with the usual population, at the same mean word error rate, and with the fitted one; both are compared
with the calls of the other half, as `vivavoce simulate compare` does. `floor` compares the two halves.

What simulated callers are to ask is what task sheets of the half say that habits are fitted to.
"""

import argparse
import json
import os
from dataclasses import asdict
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from ruamel.yaml import YAML

import vivavoce as vv
import vivavoce.study
from vivavoce.analysis.calibration import FEATURES, compare, fit, kullback_leibler, observations
from vivavoce.analysis.classifier_two_sample import tell_apart
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.schema import TABLES
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.importers.base import IMPORTERS
from vivavoce.study.load import load_study

DOMAIN = Path(vivavoce.study.__file__).parent / "domains" / "restaurants.yaml"
STUDY = """
study: callers
languages: [en]
systems:
  nbest: {{connect: python, call: "vivavoce_bots.calling:restaurant_nbest", in_process: true, greeting: true}}
  onebest:
    {{connect: python, call: "vivavoce_bots.calling:restaurant_onebest", in_process: true, greeting: true}}
ontology: restaurants.yaml
tasks: {tasks}
visit:
  - consent: consent.md
  - dialogue: {{repeat: 1..60, gate: none}}
"""
DRAWN = "{generate: 300, seed: 7, unsatisfiable: 0.4, types: [restaurant], constraints: 2..2, dontcare: 0}"
NAMES = {"addr": "address"}  # what the town of the study calls a slot of these calls


def half(dataset: Dataset, folder: Path, remainder: int) -> Dataset:
    """The calls of every other caller, in the order of their names."""
    dialogues = dataset.read("dialogues").to_pylist()
    callers = sorted({row["participant_id"] for row in dialogues})[remainder::2]
    kept = {row["dialogue_id"] for row in dialogues if row["participant_id"] in callers}
    factors = [name.removeprefix("factor_") for name in dialogues[0] if name.startswith("factor_")]
    study = {"name": f"half-{remainder}"}
    with DatasetWriter(folder, study=study, source={"kind": "half"}, factors=factors) as writer:
        for table in TABLES:
            rows = [_renamed(row) for row in dataset.read(table).to_pylist()]
            if rows and "dialogue_id" in rows[0]:
                writer.add(table, [row for row in rows if row["dialogue_id"] in kept])
        return writer.close()


def _renamed(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"slot": NAMES[row["slot"]]} if row.get("slot") in NAMES else row


def sheets(dataset: Dataset) -> list[list[str]]:
    """What each call was to ask for."""
    found: dict[str, list[str]] = {}
    for row in dataset.read("goals").to_pylist():
        if row["origin"] == "assigned" and row["kind"] == "request":
            found.setdefault(row["dialogue_id"], []).append(row["slot"])
    return list(found.values())


def write_study(folder: Path, questions: list[list[str]]) -> None:
    """A study whose tasks ask what some sheet does."""
    yaml, draw = YAML(), Random(7)
    town = yaml.load(DOMAIN)
    for name in {slot for one in questions for slot in one}:
        slot = town["slots"][name]
        slot["request"] = True
        slot.setdefault("asked_as", {"en": f"the {slot['names']['en']}"})
    folder.mkdir(parents=True)
    with (folder / "restaurants.yaml").open("w", encoding="utf-8") as file:
        yaml.dump(town, file)
    (folder / "consent.en.md").write_text("Simulated.", encoding="utf-8")
    (folder / "study.yaml").write_text(STUDY.format(tasks=DRAWN), encoding="utf-8")
    tasks = []
    for task in load_study(folder).tasks:
        fitting = [one for one in questions if not {*one} & {*task.constraints}]
        written = task.model_dump(include={"type", "constraints", "text"})
        written |= {"id": task.task_id, "requests": draw.choice(fitting)}
        if task.alternative is not None:
            written["alternative"] = {"constraints": task.alternative.constraints}
        tasks.append(written)
    with (folder / "tasks.yaml").open("w", encoding="utf-8") as file:
        yaml.dump({"tasks": tasks}, file)
    (folder / "study.yaml").write_text(STUDY.format(tasks="{file: tasks.yaml}"), encoding="utf-8")


def simulated(
    folder: Path, population: dict[str, Any], questions: list[list[str]], dialogues: int, seed: int
) -> Dataset:
    """Calls of a population, in a study of their own."""
    write_study(folder, questions)
    with (folder / "people.yaml").open("w", encoding="utf-8") as file:
        YAML().dump(population, file)
    vv.simulate(folder, dialogues=dialogues, seed=seed, population=folder / "people.yaml")
    return vv.export_log(folder, folder / "dataset")


def told(real: Dataset, programs: Dataset) -> dict[str, Any]:
    features = {
        one.feature: [one.mean_simulated, one.kullback_leibler_bits, one.cramer]
        for one in compare(real, programs)
    }
    return {"mean_kl_cramer": features, "told_apart": [asdict(one) for one in tell_apart(real, programs)]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archives", type=Path, nargs="+")
    parser.add_argument("--dialogues", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="folder for what is made")
    options = parser.parse_args()
    os.environ.setdefault("VIVAVOCE_BOT_DOMAIN", str(DOMAIN))
    with TemporaryDirectory() as temporary:
        into = options.keep or Path(temporary)
        IMPORTERS.get("dstc2", place="benchmark").read(options.archives, into / "all")
        whole = Dataset(into / "all")
        fitted_to, held_out = half(whole, into / "fitted-to", 0), half(whole, into / "held-out", 1)
        fitted = asdict(
            fit(fitted_to, "fitted"), dict_factory=lambda rows: {k: v for k, v in rows if v is not None}
        )
        rates = observations(fitted_to)["word_error_rate"]
        usual = {"population": "usual", "word_error_rate": round(sum(rates) / len(rates), 3)}
        one, other = observations(fitted_to), observations(held_out)
        results: dict[str, Any] = {
            "held_out_calls": len(other["user_turns"]),
            "floor": {name: kullback_leibler(other[name], one[name]) for name in FEATURES},
            "fitted_habits": fitted["habits"],
        }
        for population in (usual, fitted):
            name = population["population"]
            made = simulated(into / name, population, sheets(fitted_to), options.dialogues, options.seed)
            results[name] = told(held_out, made)
        print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
