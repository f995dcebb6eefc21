"""How near simulated callers come to real ones whom nothing was fitted to: calls of DSTC2, halved by caller.

    python benchmarks/simulated_callers.py dstc2/*.tar.gz [--dialogues 600] [--seed 1] [--keep FOLDER]

Habits are fitted to the calls of one half of the callers. A study with two of the bundled restaurant bots is
held with the usual population, at the same mean word error rate, and with the fitted one; both are compared
with the calls of the other half, as `vivavoce simulate compare` does. `floor` compares the two halves.
"""

import argparse
import json
import os
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ruamel.yaml import YAML

import vivavoce as vv
import vivavoce.study
from vivavoce.importers.shelf import IMPORTERS
from vivavoce.log.dataset import Dataset, DatasetWriter
from vivavoce.log.schema import TABLES
from vivavoce.stats.calibration import FEATURES, compare, fit, observations
from vivavoce.stats.distances import kullback_leibler
from vivavoce.stats.telling_apart import tell_apart

DOMAIN = Path(vivavoce.study.__file__).parent / "domains" / "restaurants.yaml"
STUDY = """
study: callers
languages: [en]
systems:
  nbest: {connect: python, call: "vivavoce_bots.calling:restaurant_nbest", in_process: true, greeting: true}
  onebest:
    {connect: python, call: "vivavoce_bots.calling:restaurant_onebest", in_process: true, greeting: true}
ontology: restaurants.yaml
tasks:  # as the task sheets of these calls
  {generate: 300, seed: 7, unsatisfiable: 0.4, types: [restaurant],
   constraints: 2..2, requests: 1..3, dontcare: 0}
visit:
  - consent: consent.md
  - dialogue: {repeat: 1..60, gate: none}
"""


def half(dataset: Dataset, folder: Path, remainder: int) -> Dataset:
    """The calls of every other caller, in the order of their names."""
    dialogues = dataset.read("dialogues").to_pylist()
    callers = sorted({row["participant_id"] for row in dialogues})[remainder::2]
    kept = {row["dialogue_id"] for row in dialogues if row["participant_id"] in callers}
    factors = [name.removeprefix("factor_") for name in dialogues[0] if name.startswith("factor_")]
    study = {"name": f"half-{remainder}"}
    with DatasetWriter(folder, study=study, source={"kind": "half"}, factors=factors) as writer:
        for table in TABLES:
            rows = dataset.read(table).to_pylist()
            if rows and "dialogue_id" in rows[0]:
                writer.add(table, [row for row in rows if row["dialogue_id"] in kept])
        return writer.close()


def simulated(folder: Path, population: dict[str, Any], dialogues: int, seed: int) -> Dataset:
    """Calls of a population, in a study of their own."""
    folder.mkdir(parents=True)
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    (folder / "consent.en.md").write_text("Simulated.", encoding="utf-8")
    (folder / "restaurants.yaml").write_bytes(DOMAIN.read_bytes())
    with (folder / "people.yaml").open("w", encoding="utf-8") as file:
        YAML().dump(population, file)
    vv.simulate(folder, dialogues=dialogues, seed=seed, population=folder / "people.yaml")
    return vv.export_log(folder, folder / "dataset")


def told(real: Dataset, programs: Dataset) -> dict[str, Any]:
    features = {one.feature: [one.mean_simulated, one.kullback_leibler_bits, one.cramer]
                for one in compare(real, programs)}  # fmt: skip
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
            made = simulated(into / name, population, options.dialogues, options.seed)
            results[name] = told(held_out, made)
        print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
