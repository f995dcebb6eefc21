"""Goals inferred from what the user really asked, and what became of each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from vivavoce.core.text import normalise_value
from vivavoce.log.vocabulary import DONTCARE, THIS, TYPE
from vivavoce.measures.success.model import Act, Goal, Turn, Venues
from vivavoce.measures.success.scoring import OfferRule, Record, offered_name, serves

NoMatchPolicy = Literal["credit", "drop", "fail"]
NO_MATCH_POLICIES: Final[tuple[NoMatchPolicy, ...]] = ("credit", "drop", "fail")


@dataclass(frozen=True, slots=True)
class InferredOutcome:
    """One goal of one dialogue.

    void        neither constraint nor request: the user said nothing of the domain
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
    accepted: set[tuple[str, str]] = field(default_factory=set)
    nothing: list[bool] = field(default_factory=list)
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
    dialogue_id: str, turns: Sequence[Turn], venues: Venues, *, verify_values: bool = True
) -> list[InferredOutcome]:
    """The goals of one dialogue in order, each scored on the system's acts of its own span.

    Input   turns in order; user turns must carry what the user meant, never what was recognised
    Output  at least one goal; the first is void when the user said nothing of the domain
    Source  docs/explanation/objective-success.md; after Jurčíček et al. 2011, section 4
    """
    inference = _Inference(venues, verify_values)
    for turn in turns:
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
        self.asked: tuple[Act, ...] = ()

    @property
    def current(self) -> _Open:
        return self.goals[-1]

    def hear_system(self, turn: Turn) -> None:
        """Note offers and answers, which of the user's values the system took up, and what it asks."""
        current = self.current
        current.last_turn = turn.index
        current.made.add(turn.acts)
        self.asked = turn.acts
        stated = {
            _pair(act) for act in turn.acts if act.act == "canthelp" and act.value not in (None, DONTCARE)
        }
        if any(act.act == "canthelp" for act in turn.acts):
            self._hear_none(stated, exception=any(act.act == "canthelp.exception" for act in turn.acts))
        elif any(offered_name(act) is not None for act in turn.acts):
            current.nothing.append(False)
        current.accepted |= stated
        current.accepted |= {
            _pair(act) for act in turn.acts if act.act in ("confirm", "inform") and act.value
        }
        for name in {name for act in turn.acts if (name := offered_name(act))}:
            for slot, value in current.goal.constraints.items():
                if any(venue.has(slot, value) for venue in self.venues.named(name)):
                    current.accepted.add((slot, normalise_value(value)))

    def _hear_none(self, stated: set[tuple[str, str]], *, exception: bool) -> None:
        """Saying none is right when nothing meets the goal and only the user's constraints are named."""
        goal = self.current.goal
        wanted = {(slot, normalise_value(value)) for slot, value in goal.constraints.items()}
        right = not exception and not goal.empty and stated <= wanted and not self.venues.matching(goal)
        self.current.nothing.append(right)
        if right:
            self.current.accepted |= wanted

    def hear_user(self, turn: Turn) -> None:
        """One turn makes at most one new goal; what it asks for belongs to the goal as it then stands."""
        self.current.last_turn = turn.index
        changes = self._changes(turn.acts)
        fresh = self._needs_new_goal(changes)
        if fresh:
            self._open_goal(turn, changes)
        for slot, value in changes.items():
            self.current.set(slot, value)
        for act in turn.acts:
            if act.act in ("deny", "negate") and act.slot and act.value:
                self._deny(act.slot, act.value)
        if not fresh and any(act.act == "reqalts" for act in turn.acts):
            self._turn_down()
        for act in turn.acts:
            if act.act == "request" and act.slot:
                self._request(act.slot)

    def _changes(self, acts: Iterable[Act]) -> dict[str, str]:
        """Slots and the values that a turn gives them; `this` is what the system has just asked about."""
        changes: dict[str, str] = {}
        for act in acts:
            if act.act != "inform" or not act.slot or not act.value or act.op == "!=":
                continue
            if act.slot != THIS:
                changes[act.slot] = act.value
                continue
            for slot in self._asked_slots():
                changes.setdefault(slot, act.value)
        return changes

    def _asked_slots(self) -> list[str]:
        for kind in ("request", "select", "confirm"):
            slots = [act.slot for act in self.asked if act.act == kind and act.slot]
            if slots:
                return list(dict.fromkeys(slots))
        return []

    def _needs_new_goal(self, changes: dict[str, str]) -> bool:
        current = self.current
        for slot, value in changes.items():
            held = current.goal.constraints.get(slot)
            if held is None or held == DONTCARE or normalise_value(held) == normalise_value(value):
                continue
            if slot == TYPE:
                return True
            if value == DONTCARE:
                if current.rightly_none:
                    return True
            elif (slot, normalise_value(held)) in current.accepted:
                return True
        return False

    def _open_goal(self, turn: Turn, changes: dict[str, str]) -> None:
        """A new goal keeps the other constraints and the requests that are still unanswered."""
        before = self.current
        relaxed = before.rightly_none and any(
            value == DONTCARE and before.goal.constraints.get(slot, DONTCARE) != DONTCARE
            for slot, value in changes.items()
        )
        goal = Goal(
            constraints=before.goal.constraints, requests=self._unanswered(), denied=before.goal.denied
        )
        opened = _Open(turn.index, goal, relaxed_by="user" if relaxed else None, last_turn=turn.index)
        before.last_turn = turn.index - 1
        self.goals.append(opened)

    def _deny(self, slot: str, value: str) -> None:
        """Not this value: it is forbidden, and given up where the user had asked for it."""
        goal = self.current.goal
        constraints = {
            name: held
            for name, held in goal.constraints.items()
            if (name, normalise_value(held)) != (slot, normalise_value(value))
        }
        denied = goal.denied | {(slot, normalise_value(value))}
        self.current.goal = replace(goal, constraints=constraints, denied=denied)

    def _turn_down(self) -> None:
        """Another one, please: the venue current is out, what it was asked and answered is settled."""
        made, goal = self.current.made, self.current.goal
        if made.current is None:
            return
        self.current.goal = replace(
            goal, requests=self._unanswered(), excluded=goal.excluded | {made.current}
        )

    def _request(self, slot: str) -> None:
        goal = self.current.goal
        if slot not in goal.requests:
            self.current.goal = replace(goal, requests=(*goal.requests, slot))

    def _unanswered(self) -> tuple[str, ...]:
        """Requests that the system has not answered for the venue current."""
        made, goal = self.current.made, self.current.goal
        answered: set[str] = set()
        for venue in self.venues.named(made.current) if made.current else ():
            answered |= made.informed(venue, verify_values=self.verify_values)
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
            said_none={"last": no_match and opened.rightly_none, "any": no_match and any(opened.nothing)},
            served={"last": last, "any": lenient},
            offers=tuple(opened.made.offers),
        )


def _pair(act: Act) -> tuple[str, str]:
    return act.slot or "", normalise_value(act.value)
