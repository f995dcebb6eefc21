"""Population of each participant: where people came from, and which programs played them."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from vivavoce.dataset.declaration import written_populations
from vivavoce.study.populations import PopulationPlan

if TYPE_CHECKING:
    from vivavoce.dataset.reader import Dataset

POPULATION: Final = "population"
SIMULATED: Final = " (simulated)"
"""How the name of a population of programs ends, wherever it is shown."""


def planned_populations(dataset: "Dataset") -> dict[str, PopulationPlan]:
    """The populations of the dataset's study file, by name. Empty: it has none."""
    return written_populations(dataset.manifest["study"].get("file") or "")


def populations(dataset: "Dataset") -> dict[str, str]:
    """The population of each participant, by participant_id; people and programs are never of one.

    Output  of people: what the study file calls those whom their recruiter sent, else the recruiter's name;
            of programs: the name of the population file with `SIMULATED` after it
    Empty   nobody knows where somebody came from: they are left out
    """
    names = {
        recruiter: name
        for name, plan in planned_populations(dataset).items()
        for recruiter in plan.recruiters
    }
    rows = dataset.read("participants").to_pylist()
    names_by_person = {row["participant_id"]: _population(row, names) for row in rows}
    return {participant: name for participant, name in names_by_person.items() if name is not None}


def _population(row: Mapping[str, Any], names: Mapping[str, str]) -> str | None:
    pool = row["pool"]
    if not row["simulated"]:
        return names.get(pool, pool)
    attributes = json.loads(row["attributes"]) if row["attributes"] else {}
    return f"{attributes.get(POPULATION) or pool or 'programs'}{SIMULATED}"
