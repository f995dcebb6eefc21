"""One replay: a fresh conversation, the log's turns, the utterance under test, and on to the task's end.

Works through every connector that takes text. A channel with another way to say an utterance, such as speech
synthesis, replaces `say`.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import Any, Final

from vivavoce.connectors.base import Connector, Conversation, PastTurn, UserTurn
from vivavoce.core.clock import Clock, SystemClock
from vivavoce.core.errors import SystemUnderTestError, VivavoceError
from vivavoce.log.events import LoggedAct
from vivavoce.simulation.system_acts import acts_in_text, heed
from vivavoce.study.ontology import Ontology, Venue, meets
from vivavoce.study.task import Task
from vivavoce.trial.outputs import SystemTurn, gather
from vivavoce_stress.case import Case
from vivavoce_stress.continuation import Continuation, Course, SimulatedContinuation, continuing


def goal_met(turns: Sequence[Mapping[str, Any]], task: Task | None, ontology: Ontology | None) -> bool | None:
    """True if the goal, or the task's alternative if there is one, was reached.

    Input   turns: party, text, acts (null for a system that tells none)
    Empty   no task or no ontology: None
    """
    if task is None or ontology is None:
        return None
    venue, values = _last_offer(turns, task, ontology)
    if venue is None or venue.type != task.type:
        return False
    answered = all(
        slot in values and ontology.gives(venue, slot, values[slot]) for slot in _known(task, ontology)
    )
    goals = [task.constraints, *([task.alternative.constraints] if task.alternative else [])]
    return answered and any(_fits(venue, goal) for goal in goals)


def _last_offer(
    turns: Sequence[Mapping[str, Any]], task: Task, ontology: Ontology
) -> tuple[Venue | None, dict[str, str]]:
    """The venue spoken of last, and what was told of it since it was first named."""
    by_name = {venue.name: venue for venue in ontology.venues}
    name, values = None, dict[str, str]()
    for turn in turns:
        if turn["party"] != "system":
            continue
        acts = turn.get("acts")
        venues = (
            acts_in_text(turn["text"], ontology, task.requests)
            if acts is None
            else [LoggedAct.model_validate(act) for act in acts]
        )
        offer = heed(venues)
        if offer.venue is not None and offer.venue != name:
            name, values = offer.venue, {}
        values |= offer.told
    return by_name.get(name or ""), values


def _known(task: Task, ontology: Ontology) -> list[str]:
    return [slot for slot in task.requests if slot in ontology.slots]


def _fits(venue: Venue, constraints: Mapping[str, str]) -> bool:
    return all(meets(venue.slots.get(slot), value) for slot, value in constraints.items())


MOST_TURNS: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class ToSay:
    """Next words of a user.

    number  of the user turn in its conversation, from 1
    key     of the turn, as the system gets it
    place   the same for the same turn in either arm of a case: what is drawn at random goes by it
    """

    text: str
    language: str
    number: int
    key: str
    place: str
    connector: Connector


@dataclass(frozen=True, slots=True)
class SaidTurn:
    """Turn as the system receives it, None if nothing arrives, and facts to store with its words."""

    turn: UserTurn | None
    facts: dict[str, Any] = field(default_factory=dict)


Say = Callable[[ToSay], Awaitable[SaidTurn]]


class NothingArrived(VivavoceError):
    """An utterance from which nothing came through its channel."""


@dataclass(slots=True)
class Replayed:
    """Record of a replay.

    turns     party, text and, of a system that tells them, acts and understood; of a spoken turn `heard`
    injected  position of the utterance under test in them; null when the system ended before it
    met       the goal was reached; null where that cannot be known
    met_at    position in `turns` of what told it, `met_words` in it; null of a goal that words do not tell.
              Of a goal that was not reached `met_words` are those with another value than the task's; it was
              not reached, either, where another thing was done first
    failure   why the system gave no answer; null when it did
    ended     the system ended the dialogue
    unreached the system was not there: it provably saw nothing of the replay
    outage    it was the system that failed, not the channel to it
    """

    turns: list[dict[str, Any]] = field(default_factory=list)
    injected: int | None = None
    met: bool | None = None
    met_at: int | None = None
    met_words: str | None = None
    failure: str | None = None
    ended: bool = False
    unreached: bool = False
    outage: bool = False
    duration_s: float | None = None

    @property
    def answer(self) -> dict[str, Any] | None:
        """The system's answer to the utterance under test."""
        place = None if self.injected is None else self.injected + 1
        return self.turns[place] if place is not None and place < len(self.turns) else None

    @property
    def user_turns_after(self) -> int:
        """Number of further user turns."""
        after = self.turns[(self.injected or 0) + 1 :]
        return sum(turn["party"] == "user" for turn in after)

    @property
    def user_turns_to_goal(self) -> int:
        """Number of further turns until the goal was announced; all of them if words do not tell it."""
        after = self.turns[(self.injected or 0) + 1 : self.met_at]
        return sum(turn["party"] == "user" for turn in after)

    @property
    def later(self) -> list[dict[str, Any]]:
        """The turns behind the answer to the utterance under test."""
        return self.turns[(self.injected or 0) + 2 :]

    @property
    def last_answer(self) -> dict[str, Any] | None:
        return next((turn for turn in reversed(self.turns) if turn["party"] == "system"), None)


async def written(one: ToSay) -> SaidTurn:
    """An utterance as typed text: the first way to say it."""
    return SaidTurn(UserTurn(key=one.key, number=one.number, text=one.text))


async def replay(
    connector: Connector,
    case: Case,
    arm: str,
    conversation: str,
    *,
    continuation: Continuation = "logged",
    ontology: Ontology | None = None,
    seed: int = 1,
    repetition: int = 0,
    say: Say = written,
    clock: Clock | None = None,
    settles: bool = False,
    original: Replayed | None = None,
) -> Replayed:
    """Replay a case in a conversation of this key; failures of the system are part of the result.

    settles   the log has no answer to the question which of several is meant: see `LoggedUser`
    original  how the original went, whose user answers the questions in it alike; None: this is one itself
    """
    clock = clock or SystemClock()
    place = f"{seed}:{case.case_id}:{repetition}"
    attempt = _Held(connector, Conversation(key=conversation, language=case.language), say, place, clock)
    began_s = clock.monotonic_s()
    course = Course.of(original.turns, original.met_at, original.injected) if original else None
    user = continuing(case, continuation, ontology, seed, settles, course)
    try:
        await _hold(attempt, case, arm, user)
    except SystemUnderTestError as error:
        attempt.replayed.failure, attempt.replayed.outage = str(error), True
        answered = any(turn["party"] == "system" for turn in attempt.replayed.turns)
        attempt.replayed.unreached = not error.reached and not answered
    except NothingArrived as error:
        attempt.replayed.failure = str(error)
    finally:
        with suppress(SystemUnderTestError):
            await connector.close(attempt.conversation)
    attempt.replayed.duration_s = clock.monotonic_s() - began_s
    _look_for_goal(attempt.replayed, case, ontology)
    return attempt.replayed


def _look_for_goal(held: Replayed, case: Case, ontology: Ontology | None) -> None:
    """Decide by the team's phrases for a completed goal, if it gave any."""
    if case.goal is None:
        held.met = goal_met(held.turns, case.task, ontology)
    elif (told_goal := case.goal.told_in(held.turns)) is not None:
        wrong = case.goal.carried_out_otherwise(held.turns[held.injected or 0 : told_goal.place])
        if wrong is None:
            held.met, held.met_at, held.met_words = True, told_goal.place, told_goal.words
        else:  # it stands, whatever was done later
            held.met, held.met_words = False, wrong
    else:
        held.met, held.met_words = False, case.goal.done_otherwise(held.turns)


async def _hold(held: "_Held", case: Case, arm: str, user: Any) -> None:
    await held.open()
    for turn in case.before:
        if isinstance(user, SimulatedContinuation) and held.replayed.last_answer:
            user.hear(held.replayed.last_answer)
        if held.replayed.ended:
            return
        await held.tell(turn.text)
    if held.replayed.ended:
        return
    if isinstance(user, SimulatedContinuation) and held.replayed.last_answer:
        user.hear(held.replayed.last_answer)
    held.replayed.injected = len(held.replayed.turns)
    await held.tell(case.text(arm))
    while not held.replayed.ended and held.number < MOST_TURNS:
        text = user.next(held.replayed.turns[-1])
        if text is None:
            return
        await held.tell(text)


class _Held:
    """A conversation that is being held."""

    def __init__(
        self, connector: Connector, conversation: Conversation, say: Say, place: str, clock: Clock
    ) -> None:
        self.connector, self.conversation, self._clock = connector, conversation, clock
        self._say, self._place = say, place
        self.replayed, self.number = Replayed(), 0

    async def open(self) -> None:
        turn = SystemTurn()
        async with aclosing(self.connector.open(self.conversation)) as outputs:  # pyright: ignore[reportArgumentType]
            await gather(outputs, self._clock.monotonic_s, turn)
        if not turn.silent:
            self._take(turn)

    async def tell(self, text: str) -> None:
        self.number += 1
        said_turn = await self._say(
            ToSay(
                text=text,
                language=self.conversation.language,
                number=self.number,
                key=f"{self.conversation.key}-{self.number}",
                place=f"{self._place}:{self.number}",
                connector=self.connector,
            )
        )
        self.replayed.turns.append({"party": "user", "text": text, **said_turn.facts})
        if said_turn.turn is None:
            raise NothingArrived(f"no words recognised in {text!r}")
        turn = SystemTurn()
        try:
            async with aclosing(self.connector.send(self.conversation, said_turn.turn)) as outputs:  # pyright: ignore[reportArgumentType]
                await gather(outputs, self._clock.monotonic_s, turn)
        finally:
            self.conversation.history = (*self.conversation.history, PastTurn("user", said_turn.turn.text))
        self._take(turn)

    def _take(self, turn: SystemTurn) -> None:
        text = "\n".join(message.text for message in turn.messages)
        acts = None if turn.acts is None else [act.model_dump() for act in turn.acts]
        understood = [
            [act.model_dump() for act in understood_act.acts] for understood_act in turn.understood[:1]
        ]
        self.replayed.turns.append(
            {
                "party": "system",
                "text": text,
                "acts": acts,
                "understood": understood[0] if understood else None,
            }
        )
        self.replayed.ended |= turn.ends_dialogue
        self.conversation.history = (*self.conversation.history, PastTurn("system", text))
