"""The section `populations` of a study file: populations and their costs.

A recruiter's participants form its own population unless the section says otherwise.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import Field, ValidationError

from vivavoce.core.errors import nearest
from vivavoce.core.validation import Fits
from vivavoce.core.yaml_source import Source
from vivavoce.study.settings import Number, Settings

LINK: Final = "link"
"""Source of participants in a study without recruiters."""
PopulationName = Annotated[
    str,
    Fits(
        "[A-Za-z0-9][A-Za-z0-9._ -]{0,63}",
        "{value} is not a valid population name",
        "use letters, digits, space, dot, dash, underscore; start with a letter or digit",
    ),
]
Currency = Annotated[
    str, Fits("[A-Z]{3}", "{value} is not a currency", "write its three-letter code, such as GBP")
]


class PopulationCost(Settings):
    """Costs of a population in one currency (default: 0)."""

    currency: Currency = Field(description="ISO 4217 code, such as GBP")
    participant: Number = Field(0.0, ge=0, le=1e6, description="cost of each participant with a dialogue")
    dialogue: Number = Field(0.0, ge=0, le=1e6, description="cost of each dialogue")
    minute: Number = Field(
        0.0, ge=0, le=1e6, description=("cost of each minute of dialogue, for example on the telephone")
    )
    fixed: Number = Field(
        0.0, ge=0, le=1e9, description="fixed cost: advertising, a room, a telephone number"
    )


class PopulationPlan(Settings):
    """A population: its recruiters and costs."""

    recruiters: list[str] = Field(
        [], description="recruiters of this population (default: those with its name, or a simulated one)"
    )
    cost: PopulationCost | None = Field(
        None, description="costs of its participants (default: the recruiters' rates, if known)"
    )


def check_populations(
    populations: Mapping[str, PopulationPlan], recruitment: Mapping[str, Any], source: Source
) -> None:
    """Report recruiters that the study lacks, or that belong to two populations."""
    known, taken = sorted(recruitment) or [LINK], dict[str, str]()
    for name, plan in populations.items():
        for index, recruiter in enumerate(plan.recruiters):
            at = ("populations", name, "recruiters", index)
            if recruiter not in known:
                source.report(at, f"unknown recruiter {recruiter!r}", nearest(recruiter, known))
            elif recruiter in taken:
                problem = f"{recruiter!r} also belongs to population {taken[recruiter]!r}"
                source.report(at, problem, "name each recruiter once")
            taken.setdefault(recruiter, name)


def read_populations(written: Any) -> dict[str, PopulationPlan]:
    """Populations of a served study file, without those unknown to this version."""
    found = {}
    for name, plan in written.items() if isinstance(written, dict) else ():
        try:
            found[str(name)] = PopulationPlan.model_validate({} if plan is None else plan)
        except ValidationError:
            continue
    return found
