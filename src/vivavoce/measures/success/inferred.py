"""Goals of a dialogue, assigned or inferred from the user's requests: outcome, code and reasons for it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from vivavoce.core.text import normalise_value
from vivavoce.dataset.vocabulary import DONTCARE, NAME, THIS, TYPE
from vivavoce.measures.success.model import (
    Goal,
    OfferRule,
    Record,
    ScoredAct,
    ScoredTurn,
    ScoredVenue,
    Venues,
    offered_name,
    record,
    serves,
)

NoMatchPolicy = Literal["credit", "drop", "fail"]
NO_MATCH_POLICIES: Final[tuple[NoMatchPolicy, ...]] = ("credit", "drop", "fail")


@dataclass(frozen=True, slots=True)
class InferredOutcome:
    """One goal of one dialogue.

    void        neither constraint nor request: the user named nothing in the domain
    no_match    no venue meets the constraints
    said_none   by offer rule: the system's last word on the goal (`last`), or one of its words (`any`), was
                rightly that there is nothing
    served      by offer rule, for a goal that some venue meets
    relaxed_by  `user` when the goal came of giving up a constraint after the system rightly said none
    """

    dialogue_id: str
    goal_index: int
    goal: Goal
    first_turn: int
    last_turn: int
    relaxed_by: str | None
    void: bool
    no_match: bool
    said_none: dict[OfferRule, bool]
    served: dict[OfferRule, bool]
    offers: tuple[str, ...]

    @property
    def code(self) -> str:
        """`S` served, `SN` rightly said that there is nothing, `F` failed, `void`; by the last offer."""
        if self.void:
            return "void"
        if self.no_match:
            return "SN" if self.said_none["last"] else "F"
        return "S" if self.served["last"] else "F"

    def score(self, policy: NoMatchPolicy = "credit", offer_rule: OfferRule = "last") -> int | None:
        """1 or 0; None when the goal does not count.

        The policy says what rightly saying "there is nothing" is worth: a success, nothing at all, a failure.
        Offering some venue although nothing matches is a failure under every policy.
        """
        if self.void:
            return None
        if not self.no_match:
            return int(self.served[offer_rule])
        if not self.said_none[offer_rule]:
            return 0
        return {"credit": 1, "drop": None, "fail": 0}[policy]


@dataclass
class _Open:
    """A goal in the making, with what the system did in its span."""

    first_turn: int
    goal: Goal = field(default_factory=Goal)
    made: Record = field(default_factory=Record)
    answered: set[tuple[str, str]] = field(default_factory=set)
    nothing: list[bool] = field(default_factory=list)
    turned_down: dict[str, int] = field(default_factory=dict)
    relaxed_by: str | None = None
    last_turn: int = 0

    @property
    def rightly_none(self) -> bool:
        """The system's last word on this goal was rightly that there is nothing."""
        return bool(self.nothing) and self.nothing[-1]

    def set(self, slot: str, value: str) -> None:
        denied = frozenset(pair for pair in self.goal.denied if pair != (slot, normalise_value(value)))
        self.goal = replace(self.goal, constraints={**self.goal.constraints, slot: value}, denied=denied)


def inferred_outcomes(
    dialogue_id: str, turns: Sequence[ScoredTurn], venues: Venues, *, verify_values: bool = True
) -> list[InferredOutcome]:
    """The goals of one dialogue in order, each scored on the system's acts of its own span.

    Input   turns in order; user turns must carry what the user meant, never what was recognised
    Output  at least one goal; the first is void when the user named nothing in the domain
    Source  docs/explanation/objective-success.md; after Jurčíček et al. 2011, section 4
    """
    inference = _Inference(venues, verify_values)
    for turn in venues.as_named_here(turns):
        if turn.party == "system":
            inference.hear_system(turn)
        else:
            inference.hear_user(turn)
    return [inference.outcome(dialogue_id, number) for number in range(len(inference.goals))]


class _Inference:
    """Walks a dialogue; the last of `goals` is the one being pursued."""

    def __init__(self, venues: Venues, verify_values: bool) -> None:
        self.venues, self.verify_values = venues, verify_values
        self.goals = [_Open(0)]
        self.asked: tuple[ScoredAct, ...] = ()

    @property
    def current(self) -> _Open:
        return self.goals[-1]

    def hear_system(self, turn: ScoredTurn) -> None:
        """Note offers and statements of none, which of the user's values they answer, and what is asked."""
        current = self.current
        current.last_turn = turn.index
        current.made.add(turn.acts)
        self.asked = turn.acts
        contents = _told(turn.acts)
        if not (contents.none or contents.offered or contents.confirmed):
            return
        values = {_pair(slot, value) for slot, value in current.goal.constraints.items()}
        if contents.none:
            current.nothing.append(self._rightly_none(turn.acts, values))
        elif contents.offered:
            current.nothing.append(False)
        if contents.none or contents.offered:
            current.answered |= values
        current.answered |= values & contents.confirmed

    def _rightly_none(self, acts: Iterable[ScoredAct], values: set[tuple[str, str]]) -> bool:
        """Saying none is right when nothing meets the goal and only the user's constraints are named."""
        goal = self.current.goal
        failed_acts = (act for act in acts if act.act == "canthelp" and act.value not in (None, DONTCARE))
        but_one = any(act.act == "canthelp.exception" for act in acts)
        if but_one or goal.empty or self.venues.matching(goal):
            return False
        return all(_pair(act.slot, act.value) in values for act in failed_acts)

    def hear_user(self, turn: ScoredTurn) -> None:
        """One turn makes at most one new goal; what it asks for belongs to the goal as it then stands."""
        self.current.last_turn = turn.index
        changes = self._changes(turn.acts)
        fresh = self._needs_new_goal(changes)
        if fresh:
            self._open_goal(turn, changes)
        for slot, value in changes.items():
            self.current.set(slot, value)
        contents = _told(turn.acts)
        for slot, value in contents.denied:
            self._deny(slot, value)
        if not fresh and contents.alternatives:
            self._turn_down()
        for act, slot in contents.asking:
            if act == "request" or self._on_the_table():
                self._request(slot)

    def _on_the_table(self) -> bool:
        """The system's last turn was about a venue."""
        return _told(self.asked).offered

    def _changes(self, acts: tuple[ScoredAct, ...]) -> dict[str, str]:
        """Slots and the values that a turn gives them; `this` is what the system has just asked about.

        "Is there anything British?" states a constraint; of a venue on the table it is a question. A name
        beside a request only points at the venue.
        """
        contents = _told(acts)
        pointing = any(act == "request" for act, _ in contents.asking)
        changes: dict[str, str] = {}
        for act, slot, value in contents.stated:
            if act == "confirm" and self._on_the_table():
                continue
            if slot == THIS:
                for requested_slot in self._asked_slots():
                    changes.setdefault(requested_slot, value)
            elif not (slot == NAME and pointing):
                changes[slot] = value
        return self._affirmed() | changes if contents.affirms else changes

    def _affirmed(self) -> dict[str, str]:
        """Values that the user accepts by saying yes to a confirmation, for slots still free."""
        free = (act for act in self.asked if act.slot not in self.current.goal.constraints)
        return {act.slot: act.value for act in free if act.act == "confirm" and act.slot and act.value}

    def _asked_slots(self) -> list[str]:
        for kind in ("request", "select", "confirm"):
            slots = [act.slot for act in self.asked if act.act == kind and act.slot]
            if slots:
                return list(dict.fromkeys(slots))
        return []

    def _needs_new_goal(self, changes: dict[str, str]) -> bool:
        """A value the system had answered, rightly or not, is replaced; or a right none made one go."""
        current = self.current
        for slot, value in changes.items():
            earlier_value = current.goal.constraints.get(slot)
            if earlier_value is None or _pair(slot, earlier_value) == _pair(slot, value):
                continue
            if slot == TYPE or (value == DONTCARE and current.rightly_none):
                return True
            if value != DONTCARE and _pair(slot, earlier_value) in current.answered:
                return True
        return False

    def _open_goal(self, turn: ScoredTurn, changes: dict[str, str]) -> None:
        """A new goal keeps the other constraints, the requests still unanswered, and a venue that fits it."""
        before = self.current
        earlier = before.goal.constraints
        relaxed = before.rightly_none and any(
            value == DONTCARE and earlier.get(slot, DONTCARE) != DONTCARE for slot, value in changes.items()
        )
        constraints = dict(earlier)
        if TYPE in changes:
            constraints = {
                slot: value for slot, value in earlier.items() if self._has_slot(changes[TYPE], slot)
            }
        goal = Goal(constraints=constraints, requests=self._unanswered(), denied=before.goal.denied)
        opened = _Open(turn.index, goal, relaxed_by="user" if relaxed else None, last_turn=turn.index)
        before.last_turn = turn.index - 1
        changed_goal = replace(goal, constraints={**constraints, **changes})
        if any(self.venues.meets(venue, changed_goal) for venue in self._current_venues()):
            opened.made.carry(before.made)
        self.goals.append(opened)

    def _has_slot(self, kind: str, slot: str) -> bool:
        """True if venues of this type have the slot at all: a pub need not have a kind of food."""
        return any(slot in venue.slots for venue in self.venues.matching(Goal({TYPE: kind})))

    def _current_venues(self) -> tuple[ScoredVenue, ...]:
        name = self.current.made.current
        return self.venues.named(name) if name is not None else ()

    def _deny(self, slot: str, value: str) -> None:
        """Not this value: it is forbidden, and given up where the user had asked for it."""
        goal = self.current.goal
        constraints = {
            name: constraint
            for name, constraint in goal.constraints.items()
            if (name, normalise_value(constraint)) != (slot, normalise_value(value))
        }
        denied = goal.denied | {(slot, normalise_value(value))}
        self.current.goal = replace(goal, constraints=constraints, denied=denied)

    def _turn_down(self) -> None:
        """Another one, please: the venue current is out, and what it was asked and answered is settled."""
        answer_record, goal = self.current.made, self.current.goal
        if answer_record.current is None:
            return
        self.current.turned_down[answer_record.current] = len(answer_record.offers)
        constraints = {slot: value for slot, value in goal.constraints.items() if slot != NAME}
        self.current.goal = replace(
            goal,
            constraints=constraints,
            requests=self._unanswered(),
            excluded=goal.excluded | {answer_record.current},
        )

    def _request(self, slot: str) -> None:
        """Ask for a slot; asking about a venue turned down, after seeing another, takes it after all."""
        answer_record, goal = self.current.made, self.current.goal
        if slot not in goal.requests:
            goal = replace(goal, requests=(*goal.requests, slot))
        if answer_record.current in goal.excluded:
            since = answer_record.offers[self.current.turned_down[answer_record.current] :]
            fitting = {venue.name for venue in self.venues.matching(goal)} - {answer_record.current}
            if fitting & set(since):
                goal = replace(goal, excluded=goal.excluded - {answer_record.current})
        self.current.goal = goal

    def _unanswered(self) -> tuple[str, ...]:
        """Requests not answered for the venue current; one that does not meet the goal answers none."""
        answer_record, goal = self.current.made, self.current.goal
        answered: set[str] = set()
        for venue in self._current_venues():
            if self.venues.meets(venue, goal):
                answered |= answer_record.informed(venue, verify_values=self.verify_values)
        return tuple(slot for slot in goal.requests if slot not in answered)

    def outcome(self, dialogue_id: str, number: int) -> InferredOutcome:
        opened = self.goals[number]
        goal = opened.goal
        no_match = not goal.empty and not self.venues.matching(goal)
        last, lenient = (
            serves(goal, opened.made, self.venues, offer_rule=rule, verify_values=self.verify_values)
            for rule in ("last", "any")
        )
        return InferredOutcome(
            dialogue_id=dialogue_id,
            goal_index=number,
            goal=goal,
            first_turn=opened.first_turn,
            last_turn=opened.last_turn,
            relaxed_by=opened.relaxed_by,
            void=goal.empty,
            no_match=no_match,
            said_none={"last": opened.rightly_none, "any": any(opened.nothing)},
            served={"last": last, "any": lenient},
            offers=tuple(opened.made.offers),
        )


class _Told(NamedTuple):
    """Content of the acts of one turn, by either party.

    none, offered  they say that there is nothing, or name a venue
    confirmed      pairs that are to be confirmed
    stated         act, slot and value of what is informed of or confirmed
    denied, asking pairs that are denied; act and slot of requests and of questions whether
    """

    none: bool
    offered: bool
    confirmed: frozenset[tuple[str, str]]
    stated: tuple[tuple[str, str, str], ...]
    denied: tuple[tuple[str, str], ...]
    asking: tuple[tuple[str, str], ...]
    affirms: bool
    alternatives: bool


@lru_cache(maxsize=50_000)
def _told(acts: tuple[ScoredAct, ...]) -> _Told:
    kinds = {act.act for act in acts}
    slots = [act for act in acts if act.slot]
    valued = [act for act in slots if act.value]
    return _Told(
        none="canthelp" in kinds,
        offered=any(offered_name(act) is not None for act in acts),
        confirmed=frozenset(_pair(act.slot, act.value) for act in acts if act.act == "confirm"),
        stated=tuple(
            (act.act, act.slot, act.value)
            for act in valued
            if act.act in ("inform", "confirm") and act.op != "!="
        ),  # pyright: ignore[reportArgumentType], both are there
        denied=tuple(
            (act.slot, act.value) for act in valued if act.act in ("deny", "negate") or act.op == "!="
        ),  # pyright: ignore[reportArgumentType]
        asking=tuple((act.act, act.slot) for act in slots if act.act in ("request", "confirm")),  # pyright: ignore[reportArgumentType]
        affirms="affirm" in kinds,
        alternatives="reqalts" in kinds,
    )


def _pair(slot: str | None, value: str | None) -> tuple[str, str]:
    return slot or "", normalise_value(value)


@dataclass(frozen=True, slots=True)
class AssignedOutcome:
    """The task's goal and whether the dialogue served it, by offer rule.

    alternative  the goal is the task's second one, for nothing meets the first
    """

    dialogue_id: str
    goal: Goal
    alternative: bool
    served: dict[OfferRule, bool]
    offers: tuple[str, ...]

    def score(self, offer_rule: OfferRule = "last") -> int:
        return int(self.served[offer_rule])


def counting_goal(goals: Sequence[Goal], venues: Venues) -> int:
    """Index of the goal that counts: the first that some venue meets, or the task's own."""
    return next((number for number, goal in enumerate(goals) if venues.matching(goal)), 0)


def assigned_outcome(
    dialogue_id: str,
    goals: Sequence[Goal],
    turns: Sequence[ScoredTurn],
    venues: Venues,
    *,
    verify_values: bool = True,
) -> AssignedOutcome:
    """Score one dialogue against its task.

    Input   goals: the task's goal, then its alternatives, of which the first that some venue meets is scored
    Empty   a task that no venue meets cannot be served: 0
    Source  Jurčíček et al. 2011, section 4
    """
    index = counting_goal(goals, venues)
    answer_record = record(venues.as_named_here(turns))
    last, lenient = (
        serves(goals[index], answer_record, venues, offer_rule=rule, verify_values=verify_values)
        for rule in ("last", "any")
    )
    return AssignedOutcome(
        dialogue_id, goals[index], index > 0, {"last": last, "any": lenient}, tuple(answer_record.offers)
    )


Unit = Literal["goal", "call_all", "call_last"]
UNITS: Final[tuple[Unit, ...]] = ("goal", "call_all", "call_last")


def inferred_components(
    goals: Sequence[InferredOutcome],
    unit: Unit = "goal",
    policy: NoMatchPolicy = "credit",
    offer_rule: OfferRule = "last",
) -> tuple[int, int]:
    """Successes and their number in one call.

    Output  goal: each goal that counts; call_all: 1 when all that count were served; call_last: the last one
    Empty   no goal that counts (void, or dropped by the policy): (0, 0)
    """
    scores = [score for goal in goals if (score := goal.score(policy, offer_rule)) is not None]
    if not scores:
        return 0, 0
    if unit == "goal":
        return sum(scores), len(scores)
    return (min(scores) if unit == "call_all" else scores[-1]), 1


Code = Literal["S", "SCs", "SCu", "SCsCu", "SN", "Fs", "Fu"]
CODES: Final[tuple[Code, ...]] = ("S", "SCs", "SCu", "SCsCu", "SN", "Fs", "Fu")
FAILURES: Final = frozenset({"Fs", "Fu"})


def call_code(goals: Sequence[InferredOutcome], *, assigned: bool | None = None) -> Code | None:
    """The code of a call.

    Input   the goals inferred from what the user asked; whether the assigned goal was served, None: unknown
    Output  Fs: a goal failed. S: no constraint had to go. Fu: the same, but the assigned goal was not served,
            the user asked for something else. SN: rightly nothing, and the user left it at that. SCs, SCu,
            SCsCu: a goal that nothing matched was followed by one that took up the system's own offer, by
            one of the user's, by both
    Empty   every goal is void: None
    """
    counted = [goal for goal in goals if not goal.void]
    if not counted:
        return None
    if any(goal.code == "F" for goal in counted):
        return "Fs"
    if counted[-1].no_match:
        return "SN"
    by_system = by_user = False
    for before, after in pairwise(counted):
        if before.no_match:
            proposed = bool(set(before.offers) & set(after.offers))
            by_system, by_user = by_system or proposed, by_user or not proposed
    if not (by_system or by_user):
        return "Fu" if assigned is False else "S"
    return "SCsCu" if by_system and by_user else "SCs" if by_system else "SCu"


@dataclass(frozen=True, slots=True)
class Explanation:
    """Evidence on one goal, by the rule that the venue offered last counts.

    offer, offer_turn  name and turn of the last offer; None: nothing was offered
    known              the domain has a venue of that name
    unmet              constraints that the venue does not meet, slot and wanted value
    told               the first turn in which each requested slot was told rightly
    missing            requested slots that were not told, or wrongly
    none_turn          the last turn that said that there is nothing; None: none did
    """

    offer: str | None
    offer_turn: int | None
    known: bool
    unmet: tuple[tuple[str, str], ...]
    told: Mapping[str, int]
    missing: tuple[str, ...]
    none_turn: int | None


def explain(
    goal: Goal, turns: Iterable[ScoredTurn], venues: Venues, last_turn: int | None = None
) -> Explanation:
    """Explain what the system did about a goal, up to a turn.

    Input   turns of one dialogue in order; last_turn: where the goal's span ends, None with the dialogue
    Note    it explains `serves` with the rule `last` and values verified, and decides nothing by itself
    """
    answer_record, offer_turn, none_turn = Record(), None, None
    facts: list[tuple[int, int, int]] = []
    for turn in venues.as_named_here(turns):
        if turn.party != "system" or (last_turn is not None and turn.index > last_turn):
            continue
        before = len(answer_record.told)
        answer_record.add(turn.acts)
        facts.append((turn.index, before, len(answer_record.told)))
        if any(offered_name(act) is not None for act in turn.acts):
            offer_turn = turn.index
        if any(act.act == "canthelp" for act in turn.acts):
            none_turn = turn.index
    name = answer_record.offers[-1] if answer_record.offers else None
    candidates = venues.named(name) if name is not None else ()
    venue = next(
        (candidate for candidate in candidates if venues.meets(candidate, goal)),
        candidates[0] if candidates else None,
    )
    turn_of_slot = _turns_of_facts(answer_record, facts, venue)
    requested = [slot for slot in goal.requests if slot != "name"]
    return Explanation(
        name,
        offer_turn,
        venue is not None,
        ()
        if venue is None
        else tuple(pair for pair in goal.constraints.items() if not venues.meets(venue, Goal(dict([pair])))),
        {slot: turn_of_slot[slot] for slot in requested if slot in turn_of_slot},
        tuple(slot for slot in requested if slot not in turn_of_slot),
        none_turn,
    )


def _turns_of_facts(
    answer_record: Record, facts: list[tuple[int, int, int]], venue: ScoredVenue | None
) -> dict[str, int]:
    turn_of_slot: dict[str, int] = {}
    for index, begin, end in facts if venue is not None else ():
        for fact in answer_record.told[begin:end]:
            if venue is not None and fact.venue == venue.name and venue.has(fact.slot, fact.value):
                turn_of_slot.setdefault(fact.slot, index)
    return turn_of_slot
