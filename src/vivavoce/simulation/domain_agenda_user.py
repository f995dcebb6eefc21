"""A simulated user of a system that does things: it pursues a goal of a domain with an agenda of its own.

It answers what it is asked, says more than it was asked when that is its habit, corrects what was misheard,
changes its mind, gives up a value that cannot be had, repeats itself in other words, and leaves when its
patience ends. It knows the system only by what it says: by the acts that it tells, else by its words.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from vivavoce.connectors.base import Act
from vivavoce.core.errors import UnknownName
from vivavoce.languages.data import Aside, Manner
from vivavoce.log.events import LoggedAct
from vivavoce.simulation.agenda_user import AgendaUser, UserUtterance
from vivavoce.simulation.conduct import Matter
from vivavoce.simulation.domain import SimulatedDomain
from vivavoce.simulation.goal_progress import Pursuit
from vivavoce.simulation.phrases import other_languages
from vivavoce.simulation.triggers import acts_by_cues, stands_in
from vivavoce.simulation.user_profile import UserProfile
from vivavoce.simulation.wordings import DomainPhrases
from vivavoce.study.task import Task

_PERSONAL: Final = ("name", "surname", "birth")


@dataclass(slots=True)
class _Turn:
    """A system turn as the user takes it."""

    text: str
    requests: list[str] = field(default_factory=list)
    confirms: list[tuple[str, str]] = field(default_factory=list)
    selects: list[tuple[str, str]] = field(default_factory=list)
    told: list[tuple[str, str]] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)


class DomainUser(AgendaUser):
    """One simulated user in one dialogue; `reply` is called with each system turn.

    Raises  InputError: the task is no goal of the domain; UnknownName: nobody simulated speaks the language
    """

    def __init__(
        self, task: Task, domain: SimulatedDomain, traits: UserProfile, language: str, random: Random
    ) -> None:
        self._language = language[:2].lower()
        if self._language not in domain.languages:
            raise UnknownName("language of simulated users", language, list(domain.languages))
        self._words = DomainPhrases(domain, self._language)
        languages = [self._language, *other_languages(domain, self._language)]
        super().__init__(traits, self._words.speech, random, languages)
        self._domain = domain
        self._goal = Pursuit.of(task, domain)
        self._goal.forget(traits.forgetfulness, random)
        self._fickle = random.random() < traits.fickleness
        self._given_up = 0
        self._last: UserUtterance | None = None
        self._opened = False

    def reply(self, acts: Sequence[Act | LoggedAct] | None, text: str = "") -> UserUtterance:
        turn = self._take_in(acts, text)
        if "bye" in turn.kinds:
            return self._leave("bye")
        if self._unhelpful > self._traits.patience:
            return self._leave("despair")
        utterance = self._respond(turn)
        if self._unanswered is None:
            self._last = utterance
        return utterance

    def _speak(self, language: str) -> None:
        self._words = DomainPhrases(self._domain, language)
        self._speech = self._words.speech

    def _matter(self, turn: _Turn) -> Matter:
        stated = [*turn.confirms, *turn.told]
        requested = next(iter(turn.requests), None)
        empty = not turn.kinds or bool(turn.kinds & {"repeat", "null"})
        return Matter(requested, "=".join(stated[0]) if stated else None, empty=empty and not requested)

    def _depart(self, aside: Aside, turn: _Turn) -> UserUtterance:
        if aside == "disagree":
            self._goal.start_over()  # a system that believes it undoes what it did
        return super()._depart(aside, turn)

    def _another_thing(self, first: UserUtterance) -> UserUtterance | None:
        goal = self._goal
        things = [key for key in goal.items if key not in goal.mentioned]
        missing_slots = [slot for slot in goal.missing() if slot not in goal.said]
        unsaid = [slot for slot in goal.unsaid() if slot not in _PERSONAL]
        if things:
            return self._list(things[:1], detailed=True)
        if missing_slots:
            return self._ask(missing_slots[0])
        return self._state(unsaid[:1]) if unsaid else None

    def _once_more(self) -> UserUtterance:
        """The last utterance; without one, the system waits for the user, who opens."""
        if self._last is None:
            self._last = self._answer(_Turn(""))
        return self._last

    def _outcome(self) -> tuple[bool, bool, bool]:
        return self._goal.seems_reached, self._goal.anything_told, self._goal.reached

    def _take_in(self, acts: Sequence[Act | LoggedAct] | None, text: str) -> _Turn:
        known_acts = acts if acts is not None else acts_by_cues(text, self._domain, self._language)
        turn = _Turn(text)
        for act in known_acts:
            turn.kinds.add(act.act)
            if act.act == "request" and act.slot:
                turn.requests.append(act.slot)
            elif act.act == "confirm" and act.slot and act.value:
                turn.confirms.append((act.slot, act.value))
            elif act.act == "select" and act.slot and act.value:
                turn.selects.append((act.slot, act.value))
            elif act.act in ("inform", "offer") and act.slot and act.value:
                turn.told.append((act.slot, act.value))
        greeted = acts is None and self._last is None  # words of a greeting answer nothing
        progress = self._goal.hear([] if greeted else turn.told)
        useless = not known_acts or turn.kinds & {"repeat", "canthelp", "null"}
        if useless and not progress and self._last is not None and self._unanswered is None:
            self._unhelpful += 1
        return turn

    # --- answering ----------------------------------------------------------------------------------

    def _answer(self, turn: _Turn) -> UserUtterance:
        goal = self._goal
        if turn.confirms:
            return self._confirm(turn.confirms)
        if "canthelp" in turn.kinds and goal.slots and not goal.seems_reached:
            return self._relax()
        if goal.seems_reached:
            return self._take_leave()
        if turn.selects:
            return self._select(turn)
        for slot in turn.requests:
            reply = self._tell(slot, turn)
            if reply is not None:
                return reply
        return self._carry_on(turn)

    def _confirm(self, confirms: list[tuple[str, str]]) -> UserUtterance:
        """Yes, no with the right value, or another wish altogether."""
        goal = self._goal
        wrong = [slot for slot, value in confirms if goal.slots.get(slot, value) != value]
        if wrong and self._random.random() < self._traits.carefulness:
            self._unhelpful += 1
            if self._does(self._traits.only_denies):
                return self._small("negate", LoggedAct(act="negate"))
            return self._state(wrong[:1], denied=self._denies())
        changed = self._change_of_mind([slot for slot, _ in confirms])
        if changed is not None:
            return changed
        return self._small("affirm", LoggedAct(act="affirm"))

    def _change_of_mind(self, slots: list[str]) -> UserUtterance | None:
        """Once in a dialogue, another value than the one that was said."""
        slot = next(
            (
                slot_name
                for slot_name in slots
                if slot_name in self._goal.slots and self._domain.slots[slot_name].changeable
            ),
            None,
        )
        if not self._fickle or slot is None or not self._goal.change(slot, self._random):
            return None
        self._fickle = False
        return self._state([slot], denied=True)

    def _relax(self) -> UserUtterance:
        """It cannot be had: another value where one may be changed, else leave."""
        self._given_up += 1
        slot = next(
            (slot_name for slot_name in self._goal.slots if self._domain.slots[slot_name].changeable), None
        )
        if slot is None or self._given_up > 2 or not self._goal.change(slot, self._random, smaller=True):
            return self._leave("despair")
        return self._open(detailed=True)

    def _select(self, turn: _Turn) -> UserUtterance:
        """The offered choice that is meant; a thing of a list by its name; else none of them."""
        goal, group = self._goal, self._goal.group
        for slot, value in turn.selects:
            if value in (goal.slots.get(slot), goal.kind.matter) and slot in self._domain.slots:
                act = LoggedAct(act="inform", slot=slot, value=value, op="=")
                return UserUtterance(self._words.value(slot, value, self._random), (act,))
        offered = [value for slot, value in turn.selects if group is not None and slot == group.slot]
        if group is None or not offered:
            return self._carry_on(turn)
        names = " , ".join(offered) + " , " + turn.text
        item = next((key for key in goal.items if self._is_named(key, names, offered)), None)
        if item is None:
            return self._small("negate", LoggedAct(act="negate"))
        return self._list([item], detailed=False, bare=True)

    def _is_named(self, key: str, text: str, offered: list[str]) -> bool:
        group = self._goal.group
        names = group.items[key].names.get(self._language, ()) if group else ()
        return key in offered or any(stands_in(text, name) for name in names)

    def _tell(self, slot: str, turn: _Turn) -> UserUtterance | None:
        """The answer to a question; None where it is no question that this goal has an answer to."""
        goal, group = self._goal, self._goal.group
        if slot in goal.slots:
            if slot in goal.said:
                self._unhelpful += 1
            more = goal.unsaid() if self._random.random() < self._traits.over_informing else []
            beside = [slot_name for slot_name in more if slot_name != slot and slot_name not in _PERSONAL]
            return self._state([slot, *filter(self._words.tells_beside, beside)][:2])
        if group is not None and slot == group.amount_slot:
            return self._amount(turn)
        return None

    def _amount(self, turn: _Turn) -> UserUtterance:
        """Amount of the requested item: the one that is named, else the one last mentioned."""
        goal = self._goal
        named_items = [key for key in goal.items if self._is_named(key, turn.text, [])]
        keys = [key for key in named_items if key in goal.mentioned] or named_items or goal.mentioned[-1:]
        key = keys[0] if keys else next(iter(goal.items))
        amount = self._words.amount(goal.kind, key, goal.items[key])
        group = goal.group
        slot = group.amount_slot if group else None
        return UserUtterance(amount, (LoggedAct(act="inform", slot=slot, value=goal.items[key], op="="),))

    def _carry_on(self, turn: _Turn) -> UserUtterance:
        """The next thing on the user's own agenda."""
        goal = self._goal
        if goal.items:
            return self._next_items(turn)
        if goal.kind.wants is not None:
            return self._ask(goal.missing()[0])
        if self._opened and turn.kinds & {"repeat", "reqmore", "request", "hello"}:
            self._unhelpful += "repeat" not in turn.kinds
        return self._open(detailed=self._random.random() < self._traits.over_informing)

    def _next_items(self, turn: _Turn) -> UserUtterance:
        goal = self._goal
        if goal.total is None and goal.kind.total is None:
            return self._next_step()
        if "repeat" in turn.kinds and goal.mentioned:
            return self._list(goal.mentioned[-1:], detailed=True)
        remaining = [key for key in goal.items if key not in goal.mentioned]
        if not remaining and goal.total is not None:
            remaining = [key for key in goal.items if key not in goal.acknowledged]
            if remaining and self._random.random() >= self._traits.carefulness:
                return self._leave("bye")
            self._unhelpful += bool(remaining)
            remaining = remaining[:1]
        if remaining:
            many = self._random.random() < self._traits.over_informing
            return self._list(remaining if many else remaining[:1], detailed=many)
        return self._small("nothing_more", LoggedAct(act="negate"))

    def _next_step(self) -> UserUtterance:
        """The first thing that was not done yet, again where it was said in vain; at times with the next."""
        open_ = [key for key in self._goal.items if key not in self._goal.acknowledged]
        self._unhelpful += open_[0] in self._goal.mentioned
        several = self._random.random() < self._traits.over_informing / 2
        return self._list(open_[: 2 if several else 1], detailed=True)

    def _ask(self, slot: str) -> UserUtterance:
        goal = self._goal
        self._unhelpful += slot in goal.said
        goal.said.add(slot)
        act = LoggedAct(act="request", slot=slot)
        return UserUtterance(self._words.asking(slot, self._random), (act,))

    # --- saying -------------------------------------------------------------------------------------

    def _open(self, *, detailed: bool) -> UserUtterance:
        goal = self._goal
        self._opened = True
        text, slots = self._words.opening(goal.kind, goal.slots, self._random, detailed=detailed)
        goal.said.update(slots)
        matter = LoggedAct(act="inform", slot="task", value=goal.kind.matter or goal.type, op="=")
        return UserUtterance(text, (matter, *(self._inform(slot) for slot in slots)))

    def _state(self, slots: Sequence[str], *, denied: bool = False) -> UserUtterance:
        goal = self._goal
        goal.said.update(slots)
        word = self._words.correction if denied else self._words.value
        ways = [word, *[self._words.beside] * (len(slots) - 1)]
        statements = [
            way(slot, goal.slots[slot], self._random) for way, slot in zip(ways, slots, strict=False)
        ]
        before = (LoggedAct(act="negate"),) if denied else ()
        words = [self._random.choice(self._speech.say["wrong"])] if denied else []
        return UserUtterance(
            " ".join([*words, *statements]), (*before, *(self._inform(slot) for slot in slots))
        )

    def _list(self, keys: Sequence[str], *, detailed: bool, bare: bool = False) -> UserUtterance:
        goal, group = self._goal, self._goal.group
        goal.mentioned += [key for key in keys if key not in goal.mentioned]
        amounts = goal.items if detailed else {}
        text = self._words.listing(goal.kind, keys, amounts, self._random, bare=bare)
        slot = group.slot if group else None
        return UserUtterance(
            text, tuple(LoggedAct(act="inform", slot=slot, value=key, op="=") for key in keys)
        )

    def _small(self, manner: Manner, act: LoggedAct) -> UserUtterance:
        return UserUtterance(self._random.choice(self._speech.say[manner]), (act,))

    def _inform(self, slot: str) -> LoggedAct:
        return LoggedAct(act="inform", slot=slot, value=self._goal.slots[slot], op="=")
