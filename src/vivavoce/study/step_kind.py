"""Interface of a step: its duration, information for participants, preregistration line, simulation."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from gettext import NullTranslations
from inspect import getfile
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, NamedTuple, Protocol, TypeVar

from vivavoce.core.i18n import SOURCE_LANGUAGE
from vivavoce.core.registry import Registry
from vivavoce.languages.base import words
from vivavoce.study.channel import Channel, channel_of, is_spoken
from vivavoce.study.information import Information, Message
from vivavoce.study.pairs_study import TranscriptPairs
from vivavoce.study.planted_preferences import PlantedPreferences
from vivavoce.study.settings import Settings
from vivavoce.study.step_files import StepFiles
from vivavoce.study.steps import BattlePlan, DialoguePlan, QuestionnaireStep, Step

if TYPE_CHECKING:
    from vivavoce.study.model import Study

SHARED: Final = "steps"  # of each language: sentences of several steps, and of those that lack the language

Written = TypeVar("Written", bound=Step)


class SimulatedParticipant(Protocol):
    """Simulated participant of a visit, marked as simulated.

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

    @property
    def planted(self) -> PlantedPreferences | None:
        """Preferences of simulated judges of transcripts; None: random choices."""
        ...

    def ratings(
        self, form: str, purpose: str, step: QuestionnaireStep | None = None
    ) -> tuple[str, list[Any]]:
        """The origin of a form's wording, and one rating an item, as this participant would answer."""
        ...

    async def converse(self) -> None:
        """The next move in a dialogue step: hold a dialogue, show its code, answer about it, or go on."""
        ...


class ConsentPlan(NamedTuple):
    """Participants must agree to the step's text; who does not takes no part.

    recording  the text says that what they say is recorded
    """

    recording: bool = False


class WrittenDown(NamedTuple):
    """Recordings whose words participants write down: their folder, and those of which no words are known."""

    folder: Path
    unknown: frozenset[str]


class StepKind(ABC, Generic[Written]):
    """One kind of step. What is abstract here has no default: a step that does not say it is refused.

    What participants do in it is said by `dialogues`, `battles`, `form` or `consent`, or the kind is a
    `StimulusStep`; a step that is none of them is a text to read (`document`). Nobody tells kinds apart
    otherwise.

    name         as it stands in the study file, and as `kind` of the checked step
    settings     of a step of another package: what may be written in the study file; none as it stands here
    file_models  of the files that the settings name, by what the reference of the study file calls them
    title        of the page of a text that has none itself, in English; "": as instructions have it
    once         what to do instead, where a visit can have one such step only; "": there may be several
    counted      one piece of what is done in it, as counts are said with it; "": nothing is counted
    item_label   what such a piece is about, in the plural; "" where that does not matter
    done         the kind of event by which a piece is logged
    """

    name: str
    settings: ClassVar[type[Settings]] = Settings
    file_models: ClassVar[Mapping[str, type[Settings]]] = {}
    title: ClassVar[str] = ""
    once: ClassVar[str] = ""
    counted: ClassVar[str] = ""
    item_label: ClassVar[str] = ""
    done: ClassVar[str] = ""

    def materials(self, settings: Any, files: StepFiles) -> Any:
        """Files of another package's step, kept as `material`; most read none."""
        return None

    def document(self, settings: Any) -> str | None:
        """The Markdown file that participants read in the step of another package, in each language."""
        return None

    def dialogues(self, step: Written) -> DialoguePlan | None:
        """The dialogues that are held in the step, one after another; None: none are.

        Note  by the settings alone: whoever reads no more than the study file asks, too. Questionnaires about
              a dialogue that follow the step there join it by themselves
        """
        return None

    def battles(self, step: Written) -> BattlePlan | None:
        """The battles in which two systems at once answer the same messages; None: there are none."""
        return None

    def form(self, step: Written) -> QuestionnaireStep | None:
        """The questionnaire that is filled in on the step's page; None: none is."""
        return None

    def consent(self, step: Written) -> ConsentPlan | None:
        """Consent text of the step; None without one."""
        return None

    def forms(self, step: Written) -> Sequence[str]:
        """Questionnaires that are asked in the step, beside those that stand after it in the study file."""
        plan, form = self.dialogues(step), self.form(step)
        asked = [*(plan.feedback if plan is not None else ()), *([form] if form is not None else ())]
        return [one.name for one in asked]

    def transcript_pairs(self, step: Written) -> TranscriptPairs | None:
        """The pairs of transcripts that the step presents, of one file for all steps; None: none."""
        return None

    def written_down(self, step: Written, study: "Study") -> WrittenDown | None:
        """The recordings whose words participants write down; None: they write none down."""
        return None

    def records(self, step: Written) -> bool:
        """True if the step records participants."""
        plan = self.dialogues(step)
        return plan is not None and is_spoken(plan.channel)

    @abstractmethod
    def minutes(self, step: Written, study: "Study") -> float:
        """About how long the step takes a participant at least, in minutes."""

    @abstractmethod
    def participant_info(self, step: Written, study: "Study") -> Information:
        """Information about the step on the page where participants decide to take part."""

    @abstractmethod
    def preregistration_line(self, step: Written, study: "Study") -> str:
        """The step in one line of the preregistration: `10 pairs of transcripts, ...`."""

    @abstractmethod
    async def simulate(self, step: Written, participant: SimulatedParticipant) -> None:
        """The next move of a simulated participant in the step.

        Raises  InputError: nobody can be simulated here; one line says why, and what to do instead
        """

    def quotas(self, step: Written) -> Mapping[str, Mapping[int, int]]:
        """Quotas by item of its questionnaire and code; none: no limit."""
        return {}

    def admits(self, step: Written, answers: Mapping[str, float | None]) -> bool:
        """Admit a participant by their answers; codes by item, null: left open."""
        return True

    def check_simulation(self, step: Written, study: "Study", language: str) -> None:
        """Look, before anybody is simulated, whether the step has what it takes; most need nothing.

        Raises  InputError
        """

    @cached_property
    def folder(self) -> Path:
        """Folder of the step: its page, and its catalogues in `locale`."""
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


STEPS: Final[Registry[StepKind[Any]]] = Registry("step", StepKind)


def words_of_steps() -> list[Path]:
    """The folders in which steps bring words of their own."""
    return [kind.folder / "locale" for _, kind in STEPS]


def kind_of(step: Step) -> StepKind[Any]:
    """Kind of a study's step. Raises UnknownName: no package offers it now."""
    return STEPS.get(step.kind)


def dialogues_of(step: Step | None) -> DialoguePlan | None:
    """The dialogues that are held in a step, with the forms about each of them; None: none are."""
    plan = kind_of(step).dialogues(step) if step is not None else None
    if plan is None or plan is step:
        return plan
    return plan.model_copy(update={"feedback": (*plan.feedback, *getattr(step, "feedback", ()))})


def battles_of(step: Step | None) -> BattlePlan | None:
    """The battles of a step; None: there are none."""
    return kind_of(step).battles(step) if step is not None else None


def form_of(step: Step | None) -> QuestionnaireStep | None:
    """The questionnaire that is filled in on a step's page; None: none is."""
    return kind_of(step).form(step) if step is not None else None


def consent_of(step: Step | None) -> ConsentPlan | None:
    """Consent text of a step; None without one."""
    return kind_of(step).consent(step) if step is not None else None


def written_down_in(study: "Study") -> list[WrittenDown]:
    """The recordings whose words participants of a study write down, one entry for each such step."""
    found = (kind_of(step).written_down(step, study) for step in study.visit)
    return [one for one in found if one is not None]


def dialogues_in(visit: Iterable[Step]) -> list[DialoguePlan]:
    """The dialogues of a visit, one entry for each step that holds some."""
    return [plan for step in visit if (plan := dialogues_of(step)) is not None]


def channels_of(study: "Study") -> list[Channel]:
    """The channels that steps of a study name."""
    names = dict.fromkeys(plan.channel for plan in dialogues_in(study.visit))
    return [channel for channel in map(channel_of, names) if channel is not None]
