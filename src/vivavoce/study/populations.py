"""The section `populations` of a study file: who is one population, and what its people cost.

Whoever a recruiter sends is of the recruiter's own population where the section says nothing else.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from pydantic import Field, ValidationError, field_validator

from vivavoce.core.errors import nearest
from vivavoce.core.validation import mistake
from vivavoce.core.yaml_source import Source
from vivavoce.study.settings import Number, Settings

LINK: Final = "link"
"""Where people come from of a study that names no recruiters."""
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._ -]{0,63}")
_CURRENCY: Final = re.compile(r"[A-Z]{3}")


class PopulationCost(Settings):
    """What people of a population cost, in one currency; what is left out costs nothing."""

    currency: str = Field(description="as ISO 4217 has it, such as GBP")
    participant: Number = Field(0.0, ge=0, le=1e6, description="for each who held a dialogue")
    dialogue: Number = Field(0.0, ge=0, le=1e6, description="for each dialogue")
    minute: Number = Field(0.0, ge=0, le=1e6, description="for each minute of dialogue, as on the telephone")
    once: Number = Field(
        0.0, ge=0, le=1e9, description="however many come: advertising, a room, a telephone number"
    )

    @field_validator("currency")
    @classmethod
    def _known(cls, currency: str) -> str:
        if _CURRENCY.fullmatch(currency) is None:
            raise mistake(f"{currency!r} is no currency", "write its three letters, such as GBP")
        return currency


class PopulationPlan(Settings):
    """A population: whose people it has, and what they cost."""

    recruiters: list[str] = Field(
        [], description="recruiters that send its people; none: those of its own name, or a simulated one"
    )
    cost: PopulationCost | None = Field(
        None, description="what its people cost; none: by the terms of its recruiters, where they say"
    )


def check_population_names(names: Mapping[str, PopulationPlan]) -> None:
    """Raises  PydanticCustomError: a population cannot be called so"""
    for name in names:
        if _NAME.fullmatch(name) is None:
            raise mistake(
                f"{name!r} cannot name a population",
                "use letters, digits, space, dot, dash, underscore; begin with a letter or digit",
            )


def check_populations(
    populations: Mapping[str, PopulationPlan], recruitment: Mapping[str, Any], source: Source
) -> None:
    """Every recruiter is one of the study, and of one population; what is not so is reported."""
    known, taken = sorted(recruitment) or [LINK], dict[str, str]()
    for name, plan in populations.items():
        for index, recruiter in enumerate(plan.recruiters):
            at = ("populations", name, "recruiters", index)
            if recruiter not in known:
                source.report(at, f"unknown recruiter {recruiter!r}", nearest(recruiter, known))
            elif recruiter in taken:
                problem = f"{recruiter!r} is of population {taken[recruiter]!r}, too"
                source.report(at, problem, "name each recruiter once")
            taken.setdefault(recruiter, name)


def read_populations(written: Any) -> dict[str, PopulationPlan]:
    """The populations of a study file that was served; those that this version does not read are left out."""
    found = {}
    for name, plan in written.items() if isinstance(written, dict) else ():
        try:
            found[str(name)] = PopulationPlan.model_validate({} if plan is None else plan)
        except ValidationError:
            continue
    return found
