"""The section `degradation` of a study file: degradation of speech on its way from one party to the other."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field, model_validator

from vivavoce.audio.degradation import Degradation
from vivavoce.core.errors import nearest
from vivavoce.core.validation import mistake
from vivavoce.core.yaml_source import Source
from vivavoce.study.settings import Settings


class DamagePlan(Settings):
    """Damage as a factor: dialogues by voice or telephone whose system has a level of it.

    Note    recordings of turns stay clean, and so does the sound that turns are cut by
    """

    factor: str = Field(description="factor of the systems that sets the degradation")
    levels: dict[str, Degradation] = Field(
        {},
        description=(
            "degradation of participants' speech before systems hear it, by level; a missing "
            "level stays clean"
        ),
    )
    answers: dict[str, Degradation] = Field(
        {},
        description=(
            "degradation of systems' speech before participants hear it, by level; a missing "
            "level stays clean"
        ),
    )

    @model_validator(mode="after")
    def _damages_something(self) -> "DamagePlan":
        if not self.levels and not self.answers:
            raise mistake("degrades nothing", "add levels or answers")
        return self

    def of(self, factors: Mapping[str, str]) -> Degradation | None:
        """Degradation of speech to a system with these levels; None: clean."""
        return _unless_nothing(self.levels.get(factors.get(self.factor, "")))

    def of_answers(self, factors: Mapping[str, str]) -> Degradation | None:
        """Degradation of speech from a system with these levels; None: clean."""
        return _unless_nothing(self.answers.get(factors.get(self.factor, "")))


def _unless_nothing(found: Degradation | None) -> Degradation | None:
    return None if found is None or found.nothing else found


def check_degradation(
    plan: DamagePlan,
    systems: Mapping[str, Any],
    levels: Mapping[str, list[str]],
    spoken: bool,
    source: Source,
) -> None:
    """Report degradation of unknown factors or levels, or in dialogues without speech.

    Input   levels: of each factor of the systems; spoken: the study has spoken dialogues
    """
    if plan.factor not in levels:
        hint = nearest(plan.factor, sorted(levels))
        source.report(("degradation", "factor"), f"no system has a factor {plan.factor!r}", hint)
        return
    for key, level in [
        *(("levels", one) for one in plan.levels),
        *(("answers", answer) for answer in plan.answers),
    ]:
        if level not in levels[plan.factor]:
            hint = nearest(level, levels[plan.factor])
            source.report(("degradation", key, level), f"no system has this level of {plan.factor!r}", hint)
    if not spoken:
        hint = "write channel: voice, or channel: phone, in a dialogue"
        source.report(("degradation",), "this study has no spoken dialogue", hint)
    for name, system in systems.items():
        damaged = plan.of(system.factors) or plan.of_answers(system.factors)
        if system.connect == "phone" and damaged is not None:
            hint = "give it a level without degradation"
            source.report(("systems", name), "is a telephone: its calls cannot be degraded", hint)
