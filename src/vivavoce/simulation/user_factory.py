"""Simulated users of a study: a caller for tasks about venues, an agenda user for other domains' goals."""

import re
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from random import Random
from typing import Literal, Protocol

from vivavoce.connectors.base import Act
from vivavoce.core.errors import InputError
from vivavoce.languages.data import SimulatedSpeech
from vivavoce.log.events import LoggedAct
from vivavoce.simulation.agenda_user import AgendaUser, Caller, Judgement, UserUtterance
from vivavoce.simulation.asr_channel import ASRChannel
from vivavoce.simulation.confusable_words import Confusions
from vivavoce.simulation.domain import SimulatedDomain, domain_of
from vivavoce.simulation.domain_agenda_user import DomainUser
from vivavoce.simulation.phrases import other_languages
from vivavoce.simulation.sayings import Sayings, acts_of
from vivavoce.simulation.user_profile import UserProfile
from vivavoce.study.model import Study
from vivavoce.study.ontology import Ontology
from vivavoce.study.task import Task


class SimulatedUser(Protocol):
    """One simulated user in one dialogue."""

    def reply(
        self, acts: Sequence[LoggedAct] | None, text: str = ""
    ) -> UserUtterance | Awaitable[UserUtterance]: ...

    def after_failure(self) -> UserUtterance: ...

    def feed_audio(self, acts: Sequence[LoggedAct] | None, text: str = "") -> None: ...

    def judge(self) -> Judgement: ...


class CorpusPhrasing:
    """A simulated user who says what they mean in sentences of real callers, where there are such."""

    def __init__(
        self,
        user: AgendaUser,
        sayings: Sayings,
        ontology: Ontology,
        language: str,
        random: Random,
        steadiness: float = 0.0,
    ) -> None:
        self._user, self._sayings, self._ontology = user, sayings, ontology
        self._language, self._random = language.split("-")[0].lower(), random
        self._steadiness, self._length = steadiness, random.random()
        self._said: set[str] = set()

    def reply(self, acts: Sequence[Act | LoggedAct] | None, text: str = "") -> UserUtterance:
        return self._worded(self._user.reply(acts, text), {act.act for act in acts or ()})

    def after_failure(self) -> UserUtterance:
        return self._worded(self._user.after_failure(), set())

    def feed_audio(self, acts: Sequence[Act | LoggedAct] | None, text: str = "") -> None:
        self._user.feed_audio(acts, text)

    def judge(self) -> Judgement:
        return self._user.judge()

    def _worded(self, utterance: UserUtterance, before: set[str]) -> UserUtterance:
        steady = self._random.random() < self._steadiness
        thanked = self._said if self._said == {"thankyou"} else ()
        saying = self._sayings.chosen(
            utterance.acts,
            before,
            self._random,
            length=self._length if steady else None,
            unwanted=thanked,
        )
        self._said = {act.act for act in utterance.acts}
        if saying is None:
            return utterance
        values = {act.slot: act.value for act in utterance.acts if act.slot and act.value}
        words = {slot: self._word(slot, value) for slot, value in values.items()}
        text = re.sub(r"\{(\w+)\}", lambda match: words.get(match[1], ""), saying.say)
        return UserUtterance(self._user.misspelt(text), acts_of(saying, values), utterance.hangs_up)

    def _word(self, slot: str, value: str) -> str:
        if slot in self._ontology.slots:
            return self._ontology.rendering(slot, value, self._language).text
        return value


class UserSimulator:
    """Makes the users of one study, and the noise that they speak through."""

    kind: Literal["agenda", "model"] = "agenda"
    model: str | None = None
    confusions: Confusions = "spelling"
    sayings: Mapping[str, Sayings] = {}

    def __init__(self, ontology: Ontology | None, domain: SimulatedDomain | None) -> None:
        self._ontology, self._domain = ontology, domain

    @classmethod
    def of(cls, study: Study, domain: SimulatedDomain | None = None) -> "UserSimulator":
        """The casting of a study; its domain is named, or the one that its tasks are of.

        Raises  InputError: the study has no tasks, or tasks that no simulated user knows
        """
        place = f"study {study.name}"
        if not study.tasks:
            raise InputError(
                "simulated users need tasks",
                place=place,
                hint="add `tasks`; simulated users cannot do other steps, such as pairs",
            )
        ontology = study.ontology
        types = {task.type for task in study.tasks}
        if domain is None and ontology is not None and types <= set(ontology.types):
            return cls(ontology, None)
        casting = cls(ontology, domain or domain_of(types))
        for task in study.tasks:
            casting.user(task, _ANYBODY, study.default_language, Random(0))
        return casting

    def user(self, task: Task, traits: UserProfile, language: str, random: Random) -> SimulatedUser:
        """A simulated user who pursues a task.

        Raises  InputError: the task is no goal of the domain
        """
        if self._domain is not None:
            return DomainUser(task, self._domain, traits, language, random)
        if self._ontology is None:
            raise InputError("callers need an ontology or a domain", hint="add `ontology`, or use --domain")
        caller = Caller(task, self._ontology, traits, language, random)
        sayings = self.sayings.get(language.split("-")[0].lower())
        if sayings is None or traits.switches_language:
            return caller
        return CorpusPhrasing(caller, sayings, self._ontology, language, random, traits.steadiness)

    def prompt(self, user: SimulatedUser) -> str | None:
        """Prompt of a user that is a language model."""
        return None

    def check(self, traits: Iterable[UserProfile], language: str) -> None:
        """Look whether these people can be played in a language.

        Raises  InputError: somebody switches language, and there are words in no other
        """
        domain = self._domain or self._ontology
        base_language = language[:2].lower()
        if (
            domain is not None
            and not other_languages(domain, base_language)
            and any(trait.switches_language for trait in traits)
        ):
            raise InputError(
                (f"simulated users cannot switch language: the texts are only in {base_language!r}"),
                place="habits.switches_language",
                hint="add texts in another language to the ontology or domain, or remove this habit",
            )

    def speaks(self, language: str) -> bool:
        """True if there are simulated users of this language."""
        languages = self._domain.languages if self._domain else SimulatedSpeech.languages()
        return language[:2].lower() in languages

    async def shut_down(self) -> None:
        """Let go of what the users needed."""

    def channel(self, language: str, error_rate: float) -> ASRChannel:
        """The noise for one language."""
        domain = self._domain or self._ontology
        if domain is None:
            raise InputError("noise needs an ontology or a domain", hint="add `ontology`, or use --domain")
        return ASRChannel(domain, language, error_rate, confusions=self.confusions)


_ANYBODY = UserProfile(
    patience=3, forgetfulness=0, over_informing=0, carefulness=1, curiosity=0, optimism=0, dialogues=1
)
