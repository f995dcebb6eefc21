"""What every step says of itself: its minutes, what participants are told, its course, its simulation."""

from abc import ABC, abstractmethod
from functools import cached_property
from inspect import getfile
from pathlib import Path
from random import Random
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

from vivavoce.core.i18n import SOURCE_LANGUAGE, read_words
from vivavoce.study.model import Study
from vivavoce.study.steps import QuestionnaireStep, Step

WORDS_A_MINUTE: Final = 200
ITEMS_A_MINUTE: Final = 7
SHARED: Final = Path(__file__).parent / "locale"  # of the sentences at the end of this file

Written = TypeVar("Written", bound="Step")


class Message(NamedTuple):
    """A sentence in English, which the step's own catalogues have in other languages.

    many    the same for other numbers than one, with %(num)s in it; "" where nothing is counted
    values  further values that the sentence names
    """

    one: str
    many: str = ""
    number: int = 1
    values: tuple[tuple[str, int], ...] = ()


class Information(NamedTuple):
    """What participants read about a step before they agree to take part; sentences in English.

    lead   what the study is about, shown where no other step takes longer; None: nothing of its own
    does   what the participant does; none where a step is only read or filled in
    needs  what it takes beside a browser
    keeps  what is kept of what the participant does
    """

    lead: Message | None = None
    does: tuple[Message, ...] = ()
    needs: tuple[Message, ...] = ()
    keeps: tuple[Message, ...] = ()


class SimulatedParticipant(Protocol):
    """Who goes through a visit in a simulation, marked as simulated.

    engine  the session engine that the pages of participants use
    state   where the visit stands
    """

    visit_id: str

    @property
    def engine(self) -> Any: ...
    @property
    def state(self) -> Any: ...
    @property
    def study(self) -> Study: ...

    def chance(self, purpose: str) -> Random:
        """Chance that is the same for the same seed, participant and purpose."""
        ...

    def ratings(
        self, form: str, purpose: str, step: QuestionnaireStep | None = None
    ) -> tuple[str, list[Any]]:
        """The origin of a form's wording, and one rating an item, as this participant would answer."""
        ...

    async def converse(self) -> None:
        """The next move in a dialogue step: hold a dialogue, show its code, answer about it, or go on."""
        ...


class StepKind(ABC, Generic[Written]):
    """One kind of step. What is abstract here has no default: a step that does not say it is refused.

    name  as it stands in the study file, and as `kind` of the checked step
    """

    name: str

    @abstractmethod
    def minutes(self, step: Written, study: Study) -> float:
        """About how long the step takes a participant at least, in minutes."""

    @abstractmethod
    def told(self, step: Written, study: Study) -> Information:
        """What participants are told about the step on the page on which they decide to take part."""

    @abstractmethod
    def course(self, step: Written, study: Study) -> str:
        """The step in one line of the preregistration: `10 pairs of transcripts, ...`."""

    @abstractmethod
    async def simulate(self, step: Written, participant: SimulatedParticipant) -> None:
        """The next move of a simulated participant in the step.

        Raises  InputError: nobody can be simulated here; one line says why, and what to do instead
        """

    def check_simulation(self, step: Written, study: Study, language: str) -> None:
        """Look, before anybody is simulated, whether the step has what it takes; most need nothing.

        Raises  InputError
        """

    @cached_property
    def _locale(self) -> Path:
        return Path(getfile(type(self))).parent / "locale"

    def languages(self) -> list[str]:
        """The languages that the step speaks, the source language first."""
        return [SOURCE_LANGUAGE, *sorted(path.stem for path in self._locale.glob("*.po"))]

    def say(self, message: Message, language: str) -> str:
        """A sentence of the step in a language of the pages; in English where the step lacks it."""
        words = read_words(self._locale / f"{language}.po", SHARED / f"{language}.po")
        values = {"num": message.number, **dict(message.values)}
        if not message.many:
            return words.gettext(message.one) % values
        return words.ngettext(message.one, message.many, message.number) % values


async def read_page(participant: SimulatedParticipant) -> None:
    """Go on from a page that is only read."""
    await participant.engine.read_page(participant.visit_id, participant.state.step)


def reading_minutes(step: Step, study: Study) -> float:
    """How long a step's text takes to read, in the default language."""
    return len(study.text(step, study.default_language).split()) / WORDS_A_MINUTE


def form_minutes(form: str, study: Study) -> float:
    """How long a questionnaire takes to fill in."""
    return len(study.instrument(form).asked()) / ITEMS_A_MINUTE


def listed(names: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else "".join(names)


ANSWERED: Final = Message("What you answer, and how long it takes you.")
TYPED: Final = Message("What you type. Please write no names, addresses or other personal details.")
SPOKEN: Final = Message("What you say: your voice is recorded.")
