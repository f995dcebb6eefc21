"""Signs of the quality of workers' work, beside what the study declared: told before money is decided.

Nobody is judged by them: a sign beyond what was declared is marked, and a person decides.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from vivavoce.core.i18n import N_
from vivavoce.dataset.exclusions import Sign, Success, WorkQuality, WorkSigns
from vivavoce.study.quality import SIGNS, Quality

if TYPE_CHECKING:
    from vivavoce.dataset.reader import Dataset
    from vivavoce.study.model import Study

OBJECTIVE: Final = ("objective_success_assigned", "objective_success_inferred")
SUBJECTIVE: Final = "subjective_success"
SAID: Final = {
    "gold": N_("correct checks: %(share)s of %(n)s"),
    "pace": N_("duration: %(share)s of the typical time (n = %(n)s)"),
    "fast_answers": N_("fast answers: %(share)s of %(n)s"),
    "goal_pursued": N_("task goals attempted: %(share)s of %(n)s"),
    "copies": N_("repeated long texts: %(value)s of %(n)s"),
    "disagreement": N_("success answers that contradict the log: %(share)s of %(n)s"),
}
MARKED: Final = N_("flagged: %(condition)s")
NOTHING: Final = N_("no signals")
CHANGED: Final = N_(
    "The `quality` settings changed after the first participant. Flags use the earlier settings."
)
Translate = Callable[..., str]


class ToldSign(NamedTuple):
    """A sign in words, and from where on it is marked: `< 0.8`; empty where it is not marked."""

    words: str
    marked: str = ""


class MarkedSign(NamedTuple):
    """A sign, and whether it is beyond what was declared."""

    value: float | None
    n: int
    marked: bool


@dataclass(frozen=True, slots=True)
class FoundSigns:
    """The signs of everybody who took part, people alone.

    declared  from where on they are marked, as it stood when the first participant came
    changed   the study file says otherwise now
    """

    by_person: Mapping[str, WorkSigns]
    declared: Quality
    changed: bool

    def marked(self, participant_id: str, name: str) -> str:
        """The condition beyond which a sign is; empty where it is not, or nothing is known or declared."""
        sign = self.of(participant_id).sign(name)
        return (
            getattr(self.declared.thresholds, name)
            if self.declared.thresholds.reached(name, sign.value)
            else ""
        )

    def of(self, participant_id: str) -> WorkSigns:
        return self.by_person.get(participant_id, WorkSigns(participant_id))

    def told(self, participant_id: str, gettext: Translate) -> list[ToldSign]:
        """Known facts of a participant's work, in words; gettext(message, **values) translates them.

        Empty  nothing is known: one entry says so
        """
        signs = self.of(participant_id)
        told_signs = [
            ToldSign(_words(name, sign, gettext), self.marked(participant_id, name))
            for name in SIGNS
            if (sign := signs.sign(name)).value is not None
        ]
        return told_signs or [ToldSign(gettext(NOTHING))]

    def judged(self, participant_id: str) -> dict[str, MarkedSign]:
        """Signs of a participant by name, unknown ones included."""
        signs = self.of(participant_id)
        return {
            name: MarkedSign(*signs.sign(name), bool(self.marked(participant_id, name))) for name in SIGNS
        }


def found_signs(dataset: "Dataset", study: "Study") -> FoundSigns:
    """The signs of the people of a dataset; nobody is left out of them, whatever the rules of exclusion."""
    declared = dataset.declaration.quality if dataset.declaration is not None else study.quality
    quality = WorkQuality(dataset.columns, declared, success=_successes(dataset))
    return FoundSigns(
        {signs_of_person.participant_id: signs_of_person for signs_of_person in quality.all()},
        declared,
        changed=declared != study.quality,
    )


def english(message: str, **values: Any) -> str:
    """A message as the terminal says it."""
    return message % values


def _words(name: str, sign: Sign, gettext: Translate) -> str:
    value = sign.value or 0.0
    return gettext(SAID[name], share=f"{value:.0%}", value=f"{value:.0f}", n=sign.n)


def _successes(dataset: "Dataset") -> dict[str, Success]:
    """Dialogues of which both are known: against the assigned goal, else every goal that was inferred."""
    from vivavoce.measures.compute import sums

    measured = sums(dataset.everything, [SUBJECTIVE, *OBJECTIVE])
    success_by_dialogue: dict[str, dict[str, float]] = {key: {} for key in measured.dialogue_ids}
    for number, measure in enumerate(measured.measures):
        for place, key in enumerate(measured.dialogue_ids):
            if measured.denominators[number, place] > 0:
                parts = measured.numerators[number, place], measured.denominators[number, place]
                success_by_dialogue[key][measure] = float(parts[0] / parts[1])
    return {
        key: Success(rates[SUBJECTIVE] > 0.5, rates[measure] > 0.999)
        for key, rates in success_by_dialogue.items()
        if SUBJECTIVE in rates and (measure := next((name for name in OBJECTIVE if name in rates), None))
    }
