"""What every step says of itself: its minutes, what participants are told, its course, its simulation."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from gettext import NullTranslations
from inspect import getfile
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, NamedTuple, Protocol, TypeVar

from vivavoce.core.i18n import SOURCE_LANGUAGE
from vivavoce.core.shelf import Shelf
from vivavoce.languages.base import words
from vivavoce.study.settings import Settings
from vivavoce.study.step_files import StepFiles
from vivavoce.study.steps import QuestionnaireStep, Step

if TYPE_CHECKING:
    from vivavoce.study.model import Study

SHARED: Final = "steps"  # of each language: sentences of several steps, and of those that lack the language

Written = TypeVar("Written", bound=Step)


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
    def study(self) -> "Study": ...

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

    name      as it stands in the study file, and as `kind` of the checked step
    settings  of a step of another package: what may be written in the study file; none as it stands here
    reading   template of the page on which a step's document is read
    """

    name: str
    settings: ClassVar[type[Settings]] = Settings
    reading: ClassVar[str] = "text"

    def materials(self, settings: Any, files: StepFiles) -> Any:
        """What the step of another package reads of its files, kept as `material`; most read none."""
        return None

    @abstractmethod
    def minutes(self, step: Written, study: "Study") -> float:
        """About how long the step takes a participant at least, in minutes."""

    @abstractmethod
    def told(self, step: Written, study: "Study") -> Information:
        """What participants are told about the step on the page on which they decide to take part."""

    @abstractmethod
    def course(self, step: Written, study: "Study") -> str:
        """The step in one line of the preregistration: `10 pairs of transcripts, ...`."""

    @abstractmethod
    async def simulate(self, step: Written, participant: SimulatedParticipant) -> None:
        """The next move of a simulated participant in the step.

        Raises  InputError: nobody can be simulated here; one line says why, and what to do instead
        """

    def admits(self, step: Written, answers: Mapping[str, float | None]) -> bool:
        """Whether somebody whose form was answered so goes on; codes by item, null: left open."""
        return True

    def check_simulation(self, step: Written, study: "Study", language: str) -> None:
        """Look, before anybody is simulated, whether the step has what it takes; most need nothing.

        Raises  InputError
        """

    @cached_property
    def folder(self) -> Path:
        """Where the step stands: its page, and its catalogues in `locale`."""
        return Path(getfile(type(self))).parent

    @property
    def _locale(self) -> Path:
        return self.folder / "locale"

    def languages(self) -> list[str]:
        """The languages that the step speaks, the source language first."""
        return [SOURCE_LANGUAGE, *sorted(path.stem for path in self._locale.glob("*.po"))]

    def words(self, language: str, *others: str) -> NullTranslations:
        """The step's words in a language, and for what it lacks the language's: `steps`, then others."""
        return words(language, SHARED, *others, own=self._locale)

    def say(self, message: Message, language: str) -> str:
        """A sentence of the step in a language of the pages; in English where the step lacks it."""
        words = self.words(language)
        values = {"num": message.number, **dict(message.values)}
        if not message.many:
            return words.gettext(message.one) % values
        return words.ngettext(message.one, message.many, message.number) % values


STEPS: Final[Shelf[StepKind[Any]]] = Shelf("step", StepKind)


def words_of_steps() -> list[Path]:
    """The folders in which steps bring words of their own."""
    return [kind.folder / "locale" for _, kind in STEPS]


def kind_of(step: Step) -> StepKind[Any]:
    """What a step of a study says of itself. Raises UnknownName: no package offers it any more."""
    return STEPS.get(step.kind)
