"""A simulated caller: pursues a task, answers the system's acts, forgets, corrects, relaxes, gives up.

What it does other than answer stands in `conduct`.

It knows nothing of the system but what the system says, and never says more than its task, what the task
offers as alternative, that it does not care, and, where it is fickle, one other value that some venue has.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from vivavoce.connectors.base import Act
from vivavoce.languages.data import Aside, Manner, SimulatedSpeech
from vivavoce.log.events import LoggedAct
from vivavoce.simulation.conduct import ASIDE_ACTS, Conduct, Matter
from vivavoce.simulation.phrases import Phrases, other_languages
from vivavoce.simulation.system_acts import Heeded, acts_in_text, heed
from vivavoce.simulation.user_profile import UserProfile
from vivavoce.study.ontology import Ontology, meets
from vivavoce.study.task import DONTCARE, Task

TYPE = "type"


@dataclass(frozen=True, slots=True)
class UserUtterance:
    """The caller's utterance and its true meaning; `hangs_up`: these are the last words."""

    text: str
    acts: tuple[LoggedAct, ...]
    hangs_up: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """The caller's rating of the dialogue, and whether the goal it really pursued was met.

    rated  the answer to the question whether all information was found
    met    the last venue offered fits all that was said to be wanted, and all that was asked was answered; a
           venue that was turned down counts only where there is no other, or after another was seen
    unhelpful  system turns that tried the caller's patience
    """

    rated: bool
    met: bool
    unhelpful: int = 0


class AgendaUser(ABC):
    """A user with an agenda, whatever is on it: listens, loses patience, rates, takes leave."""

    def __init__(
        self, traits: UserProfile, speech: SimulatedSpeech, random: Random, languages: Sequence[str]
    ) -> None:
        self._traits, self._speech, self._random = traits, speech, random
        self._own, self._others = languages[0], tuple(languages[1:])
        self._conduct = Conduct(traits, random)
        self._unanswered: Any = None
        self._broke_off = False
        self._unhelpful = 0
        self._thanks_first, self._thanked = self._does(traits.thanks_first), False

    @abstractmethod
    def reply(self, acts: Sequence[Act | LoggedAct] | None, text: str = "") -> UserUtterance:
        """The next utterance, after a system turn; `acts` is null for a system that tells none."""

    def _respond(self, turn: Any) -> UserUtterance:
        """A departure, or the answer: after a departure to what it left unanswered, unless there is news."""
        if self._others:
            self._speak(self._conduct.language(self._own, self._others))
        before, self._unanswered = self._unanswered, None
        matter = self._matter(turn)
        if before is not None and matter.empty:
            turn, matter = before, self._matter(before)
        aside = self._conduct.departure(matter) if before is None else None
        if before is not None and self._broke_off and self._conduct.breaks_off_again():
            aside = "break_off"
        self._broke_off = aside == "break_off"
        if aside is not None:
            self._unanswered = turn
            utterance = self._depart(aside, turn)
        else:
            utterance = self._answer(turn)
            if not utterance.hangs_up and self._conduct.speaks_of_two_things():
                utterance = self._with_another(utterance)
        return replace(utterance, text=self._conduct.misspelt(utterance.text))

    def misspelt(self, text: str) -> str:
        """Other words for what is said, with this caller's slips."""
        return self._conduct.misspelt(text)

    def _depart(self, aside: Aside, turn: Any) -> UserUtterance:
        if aside == "disagree":
            self._unhelpful += 1
        return UserUtterance(self._conduct.say(aside, self._speech), (ASIDE_ACTS[aside],))

    def _denies(self) -> bool:
        return self._traits.denies >= 1 or self._does(self._traits.denies)

    def _does(self, share: float) -> bool:
        return share > 0 and self._random.random() < share

    def _with_another(self, first: UserUtterance) -> UserUtterance:
        second = self._another_thing(first)
        if second is None:
            return first
        text = f"{first.text} {self._speech.conjunction} {second.text}"
        return UserUtterance(text, (*first.acts, *second.acts))

    def after_failure(self) -> UserUtterance:
        """The next utterance after a turn that the system failed to answer."""
        self._unhelpful += 1
        return self._leave("despair") if self._unhelpful > self._traits.patience else self._once_more()

    def feed_audio(self, acts: Sequence[Act | LoggedAct] | None, text: str = "") -> None:
        """Take in the system's speech after the user's last words."""
        self._take_in(acts, text)

    def judge(self) -> Judgement:
        """The rating at the end: honest, but a failed dialogue is rated a success by optimists."""
        satisfied, served, met = self._outcome()
        return Judgement(
            satisfied or (served and self._random.random() < self._traits.optimism), met, self._unhelpful
        )

    @abstractmethod
    def _take_in(self, acts: Sequence[Act | LoggedAct] | None, text: str) -> Any:
        """Content of a system turn in the agenda's form; the goal as it stands after it."""

    @abstractmethod
    def _matter(self, turn: Any) -> Matter:
        """Subject of such a turn."""

    @abstractmethod
    def _answer(self, turn: Any) -> UserUtterance:
        """The agenda's answer to such a turn."""

    @abstractmethod
    def _another_thing(self, first: UserUtterance) -> UserUtterance | None:
        """Another thing to say in the same turn, where the agenda has one left."""

    @abstractmethod
    def _speak(self, language: str) -> None:
        """Say what comes next in this language."""

    @abstractmethod
    def _once_more(self) -> UserUtterance:
        """The last utterance, which was not answered."""

    @abstractmethod
    def _outcome(self) -> tuple[bool, bool, bool]:
        """Outcome: all seems found, anything was, and the goal was truly met."""

    def _take_leave(self) -> UserUtterance:
        """The farewell of who has what they wanted; from some, thanks before it."""
        if not self._thanks_first:
            return self._leave("bye")
        self._thanks_first, self._thanked = False, True
        return UserUtterance(self._conduct.say("thanks", self._speech), (ASIDE_ACTS["thanks"],))

    def _leave(self, manner: Manner) -> UserUtterance:
        ways = self._speech.say[manner]
        if self._thanked:  # nobody need thank twice
            ways = [way for way in ways if not self._speech.thanks_in(way)] or ways
        text = self._random.choice(ways)
        bye = LoggedAct(act="bye")
        acts = (LoggedAct(act="thankyou"), bye) if self._speech.thanks_in(text) else (bye,)
        return UserUtterance(text, acts, hangs_up=True)


@dataclass(slots=True)
class _Goal:
    """The goal as it stands: what is wanted, what of it was said, what was asked and answered."""

    wanted: dict[str, str]
    forgotten: set[str]
    requests: list[str]
    said: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    answered: dict[str, str] = field(default_factory=dict)
    relaxed: int = 0

    def unsaid(self) -> list[str]:
        return [slot for slot in self.wanted if slot not in self.said and slot not in self.forgotten]

    def missing(self) -> list[str]:
        return [slot for slot in self.requests if slot not in self.answered]


class Caller(AgendaUser):
    """One simulated caller in one dialogue; `reply` is called with each system turn."""

    def __init__(
        self, task: Task, ontology: Ontology, traits: UserProfile, language: str, random: Random
    ) -> None:
        self._phrases = Phrases(ontology, language)
        base_language = self._phrases.language
        super().__init__(
            traits, self._phrases.speech, random, [base_language, *other_languages(ontology, base_language)]
        )
        self._task, self._ontology = task, ontology
        limits = list(task.constraints.items())
        random.shuffle(limits)
        forgotten = {
            slot for slot, value in limits if random.random() < traits.forgetfulness or value == DONTCARE
        }
        self._goal = _Goal({TYPE: task.type, **dict(limits)}, forgotten, list(task.requests))
        self._venue: str | None = None
        self._claims: dict[str, str] = {}
        self._curious = random.random() < traits.curiosity
        self._last: tuple[Manner, tuple[LoggedAct, ...]] | None = None
        self._noticed_misfit = False
        self._restated: set[str] = set()
        self._turned_down: set[str] = set()
        self._fickle = random.random() < traits.fickleness
        self._asks_whether = bool(self._speech.say.get("whether")) and self._does(traits.asks_whether)

    def reply(self, acts: Sequence[Act | LoggedAct] | None, text: str = "") -> UserUtterance:
        turn = self._take_in(acts, text)
        if self._unhelpful > self._traits.patience:
            return self._leave("despair")
        return self._answer(turn) if turn.ends else self._respond(turn)

    def _speak(self, language: str) -> None:
        if language != self._phrases.language:
            self._phrases = Phrases(self._ontology, language)
            self._speech = self._phrases.speech

    def _matter(self, turn: Heeded) -> Matter:
        stated = turn.venue if turn.offered else turn.confirm and "=".join(turn.confirm)
        return Matter(turn.request, stated, empty=turn.empty or turn.not_understood)

    def _depart(self, aside: Aside, turn: Heeded) -> UserUtterance:
        departed = super()._depart(aside, turn)
        if aside != "disagree" or turn.venue is None or not turn.offered:
            return departed
        self._turned_down.add(turn.venue)
        alternative = self._phrases.say("reqalts", (), self._random)
        return UserUtterance(f"{departed.text} {alternative}", (*departed.acts, LoggedAct(act="reqalts")))

    def _another_thing(self, first: UserUtterance) -> UserUtterance | None:
        goal, last = self._goal, self._last
        slots = [slot for slot in goal.missing() if slot not in goal.asked][:1]
        unsaid = [slot for slot in goal.unsaid() if slot != TYPE][:1]
        if slots and not any(act.act == "request" for act in first.acts):
            goal.asked += slots
            second = self._say("request", (LoggedAct(act="request", slot=slots[0]),))
        elif unsaid and not any(act.act == "inform" for act in first.acts):
            second = self._say("inform", self._informing(unsaid))
        else:
            return None
        self._last = last
        return second

    def _outcome(self) -> tuple[bool, bool, bool]:
        served = self._venue is not None
        return served and not self._goal.missing() and not self._noticed_misfit, served, self._met()

    def _met(self) -> bool:
        venue = next(
            (candidate for candidate in self._ontology.venues if candidate.name == self._venue), None
        )
        if venue is None or venue.type != self._goal.said.get(TYPE, venue.type):
            return False
        limits = {slot: value for slot, value in self._goal.said.items() if slot != TYPE}
        fits = all(meets(venue.slots.get(slot), value) for slot, value in limits.items())
        if venue.name in self._turned_down:
            fits &= len(self._ontology.matching(venue.type, limits)) == 1
        answered = self._goal.answered
        return fits and all(
            slot in answered and self._ontology.gives(venue, slot, answered[slot])
            for slot in self._goal.asked
        )

    def _take_in(self, acts: Sequence[Act | LoggedAct] | None, text: str) -> Heeded:
        heeded = heed(acts if acts is not None else acts_in_text(text, self._ontology, self._task.requests))
        if heeded.venue is not None and heeded.venue != self._venue:
            self._venue, self._claims = heeded.venue, {}
            self._goal.answered = {}
            self._turned_down.clear()  # another was seen: the earlier one may be taken after all
        for slot, value in heeded.told.items():
            self._claims[slot] = value
            if slot in self._goal.requests and self._venue is not None:
                self._goal.answered[slot] = value
        progress = heeded.venue is not None or any(slot in self._goal.requests for slot in heeded.told)
        progress |= self._unanswered is not None  # it was the caller who said nothing
        if not progress and (heeded.not_understood or heeded.cannot is not None or heeded.empty):
            self._unhelpful += 1
        return heeded

    def _answer(self, turn: Heeded) -> UserUtterance:
        if turn.ends:
            return self._leave("bye")
        misfit = self._misfit(turn)
        if misfit is not None:
            return self._correct(misfit)
        if turn.confirm is not None:
            return self._confirm(*turn.confirm)
        if turn.cannot is not None and not turn.no_other:
            return self._relax()
        if turn.not_understood and self._last is not None and turn.request is None:
            return self._once_more()
        if turn.request is not None:
            return self._tell(turn.request)
        return self._carry_on()

    def _misfit(self, turn: Heeded) -> str | None:
        """A slot that the system states other than it is wanted, if the caller notices."""
        stated = {**turn.told, **(turn.cannot or {})}
        wrong = [
            slot
            for slot, value in stated.items()
            if self._goal.wanted.get(slot, DONTCARE) not in (DONTCARE, value) and slot in self._goal.wanted
        ]
        wrong = [slot for slot in wrong if slot not in self._goal.forgotten] or self._unheeded(turn)
        if wrong and self._random.random() < self._traits.carefulness:
            self._noticed_misfit = True
            self._unhelpful += 1
            return wrong[0]
        if turn.venue is not None:
            self._noticed_misfit = False
        return None

    def _unheeded(self, turn: Heeded) -> list[str]:
        """Slots stated by the caller that an offer with its kind does not mention; restated once.

        A place that is named is taken for one of the kind that was asked for.
        """
        if not turn.offered or not turn.told:
            return []
        implied = {TYPE} if turn.venue is not None else set()
        stated = [
            slot
            for slot, value in self._goal.said.items()
            if value != DONTCARE and slot not in {*turn.told, *implied}
        ]
        unheeded = [slot for slot in stated if slot not in self._restated]
        self._restated.update(unheeded)
        return unheeded

    def _correct(self, slot: str) -> UserUtterance:
        if not self._denies():
            return self._say("inform", self._informing([slot]))
        return self._say("correct", self._informing([slot]), extra=LoggedAct(act="negate"))

    def _confirm(self, slot: str, value: str) -> UserUtterance:
        goal_value = self._goal.wanted.get(slot, DONTCARE)
        if value == goal_value:
            self._goal.forgotten.discard(slot)
            self._goal.said[slot] = goal_value
            return self._say("affirm", (LoggedAct(act="affirm"),))
        self._unhelpful += 1
        if goal_value == DONTCARE:
            return self._indifferent(slot, LoggedAct(act="negate"))
        self._goal.forgotten.discard(slot)
        if self._does(self._traits.only_denies):
            self._goal.said.pop(slot, None)
            return self._say("negate", (LoggedAct(act="negate"),))
        return self._correct(slot)

    def _relax(self) -> UserUtterance:
        """Relax without a match: take the task's alternative, else give up a constraint, else hang up."""
        goal, alternative = self._goal, self._task.alternative
        goal.relaxed += 1
        if alternative is not None and goal.relaxed == 1:
            changed = [
                slot for slot, value in alternative.constraints.items() if goal.wanted.get(slot) != value
            ]
            goal.wanted = {TYPE: self._task.type, **alternative.constraints}
            goal.said = {slot: value for slot, value in goal.said.items() if goal.wanted.get(slot) == value}
            goal.forgotten -= set(changed)
            if changed:
                return self._say("change", self._informing(changed))
        strict = [slot for slot, value in goal.wanted.items() if slot != TYPE and value != DONTCARE]
        if self._traits.gives_up < 1 and not self._does(self._traits.gives_up):
            return self._say("change", self._informing(self._wished_last() or strict[:1]))
        if not strict or goal.relaxed > 3:
            return self._leave("despair")
        slot = self._random.choice(strict)
        goal.wanted[slot] = DONTCARE
        return self._indifferent(slot)

    def _tell(self, slot: str) -> UserUtterance:
        """Answer a question; what the task does not mention does not matter."""
        self._goal.forgotten.discard(slot)
        if self._goal.said.get(slot) == self._goal.wanted.get(slot, DONTCARE):
            self._unhelpful += 1
        if self._goal.wanted.get(slot, DONTCARE) == DONTCARE:
            return self._indifferent(slot)
        more = self._goal.unsaid() if self._random.random() < self._traits.over_informing else []
        slots = [slot, *(slot_name for slot_name in more if slot_name != slot)]
        return self._say("search" if slot == TYPE else "inform", self._informing(slots[:2]))

    def _carry_on(self) -> UserUtterance:
        """The next thing on the caller's own agenda."""
        goal = self._goal
        unsaid = goal.unsaid()
        if unsaid:
            traits, opens = self._traits, not goal.said
            full = traits.opens_in_full if opens else None
            many = self._random.random() < (traits.over_informing if full is None else full)
            slots = (
                unsaid[: 3 if many else 1] if TYPE not in unsaid else [TYPE, *unsaid[1 : 3 if many else 2]]
            )
            return self._say("search" if TYPE in slots else "inform", self._informing(slots))
        if self._venue is None:
            self._unhelpful += 1
            return self._say(
                "search", self._informing([slot for slot in goal.wanted if slot in goal.said][:3])
            )
        if self._fickle and (changed := self._another_wish()) is not None:
            return changed
        if self._curious:
            self._curious = False
            self._turned_down.add(self._venue)
            return self._say("reqalts", (LoggedAct(act="reqalts"),))
        if self._asks_whether and (wished := self._wished()):
            return self._ask_whether(self._random.choice(wished))
        missing = goal.missing()
        if missing:
            again = [slot for slot in missing if slot in goal.asked]
            self._unhelpful += bool(again)
            slots = missing[: 2 if self._random.random() < self._traits.over_informing else 1]
            goal.asked += [slot for slot in slots if slot not in goal.asked]
            return self._say("request", tuple(LoggedAct(act="request", slot=slot) for slot in slots))
        self._last = None
        return self._take_leave()

    def _wished_last(self) -> list[str]:
        acts = self._last[1] if self._last is not None else ()
        return [act.slot for act in acts if act.act == "inform" and act.slot in self._goal.wanted]

    def _wished(self) -> list[str]:
        """Wishes about a venue; where the system did not tell all of it, the rest."""
        wished = [slot for slot, value in self._goal.said.items() if slot != TYPE and value != DONTCARE]
        return [slot for slot in wished if slot not in self._claims] or wished

    def _ask_whether(self, slot: str) -> UserUtterance:
        self._asks_whether = False
        acts = (LoggedAct(act="confirm", slot=slot, value=self._goal.said[slot], op="="),)
        return self._say("whether", acts)

    def _another_wish(self) -> UserUtterance | None:
        """A change of mind, once a venue is on the table: another value that some venue has, too."""
        goal, ontology = self._goal, self._ontology
        self._fickle = False
        kind = goal.said.get(TYPE, self._task.type)
        limits = {slot: value for slot, value in goal.said.items() if slot != TYPE}
        changes = [
            (slot, slot_value)
            for slot, value in limits.items()
            if value != DONTCARE
            for slot_value in ontology.slots[slot].values
            if slot_value not in (value, *ontology.slots[slot].unasked)
            and ontology.matching(kind, {**limits, slot: slot_value})
        ]
        if not changes:
            return None
        slot, value = self._random.choice(changes)
        goal.wanted[slot] = value
        goal.asked, goal.answered, self._venue = [], {}, None
        return self._say("change", self._informing([slot]))

    def _informing(self, slots: Sequence[str]) -> tuple[LoggedAct, ...]:
        self._goal.said.update({slot: self._goal.wanted[slot] for slot in slots})
        return tuple(
            LoggedAct(act="inform", slot=slot, value=self._goal.wanted[slot], op="=") for slot in slots
        )

    def _indifferent(self, slot: str, *before: LoggedAct) -> UserUtterance:
        acts = (LoggedAct(act="inform", slot=slot, value=DONTCARE, op="="),)
        self._goal.said[slot] = DONTCARE
        self._last = ("inform", acts)
        text = self._phrases.indifference(slot, self._random)
        no = self._phrases.say("negate", before, self._random) + " " if before else ""
        return UserUtterance(no + text, (*before, *acts))

    def _once_more(self) -> UserUtterance:
        if self._last is None:
            return self._carry_on()
        return self._say(*self._last)

    def _say(
        self, manner: Manner, acts: tuple[LoggedAct, ...], extra: LoggedAct | None = None
    ) -> UserUtterance:
        self._last = (manner, acts) if extra is None else ("inform", acts)
        all_acts = acts if extra is None else (extra, *acts)
        terse = self._traits.terseness > 0 and self._random.random() < self._traits.terseness
        return UserUtterance(self._phrases.say(manner, acts, self._random, terse=terse), all_acts)
