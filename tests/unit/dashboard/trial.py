"""A small trial for the dashboard's tests: a study, and a log filled through its front door."""

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from vivavoce.core.clock import ManualClock
from vivavoce.log import events
from vivavoce.log.store import Log, Transaction
from vivavoce.study.load import load_study
from vivavoce.study.model import Study, Task
from vivavoce.study.scaffold import write_study

START = datetime(2026, 11, 9, 8, 30, tzinfo=UTC)
AGREEMENT = (
    "Disagree strongly",
    "Disagree",
    "Disagree a little",
    "Agree a little",
    "Agree",
    "Agree strongly",
)


def make_study(folder: Path, title: str = "City venues, autumn trial") -> Study:
    """The study that `vivavoce init` writes, with a title."""
    write_study(folder, "cambridge-2011", name="city-venues")
    path = folder / "study.yaml"
    path.write_text(path.read_text() + f"\ntitle: {title!r}\n")
    return load_study(path)


@dataclass
class Caller:
    """Writes one participant's visit into a log, event by event; `clock` is moved on as people would."""

    log: Log
    study: Study
    clock: ManualClock
    key: str
    simulated: bool = False
    held: int = 0

    def __post_init__(self) -> None:
        self.chance = random.Random(self.key)

    @property
    def visit_id(self) -> str:
        return f"visit-{self.key}"

    def add(self, event: events.Event, wait_s: float = 0.0) -> None:
        self.clock.advance(wait_s)
        self.log.transact_now(lambda tx: tx.append(self.visit_id, event))

    def begin(self) -> None:
        self.add(
            events.VisitOpened(
                study=self.study.name,
                revision=self.study.revision,
                participant_id=f"participant-{self.key}",
                pool="link",
                language="en",
                simulated=self.simulated,
            )
        )
        self.add(events.ConsentGiven(step=0, document="0" * 64, language="en"), 20)
        self.add(events.PageRead(step=1), 30)

    def assign(self, system: str, task: Task) -> str:
        dialogue_id = f"dialogue-{_key(self.chance)}"
        self.add(
            events.DialogueAssigned(
                dialogue_id=dialogue_id,
                step=2,
                round=self.held,
                system=system,
                task_id=task.task_id,
                task=task.model_dump(mode="json"),
                channel="text",
                spoken=False,
                calls_out=False,
                language="en",
                conversation=f"conversation-{dialogue_id}",
                condition=system,
            ),
            5,
        )
        self.add(events.DialogueOpened(dialogue_id=dialogue_id), 2)
        self.held += 1
        return dialogue_id

    def hears(
        self, dialogue_id: str, turn: int, text: str, acts: list[events.LoggedAct], **more: Any
    ) -> None:
        delay = 0.4 + self.chance.random() * 1.6
        self.clock.advance(delay)
        at = self.clock.monotonic_s() - self._opened(dialogue_id)
        self.add(
            events.SystemTurnReceived(
                dialogue_id=dialogue_id,
                turn_index=turn,
                reply_to=turn - 1 if turn else None,
                messages=[events.LoggedMessage(text=text)],
                sent_s=at - delay,
                first_output_s=at - delay * 0.3,
                complete_s=at,
                acts=acts,
                **more,
            )
        )

    def says(self, dialogue_id: str, turn: int, text: str) -> None:
        delay = 2 + self.chance.random() * 9
        said = events.UserTurnSent(
            dialogue_id=dialogue_id, turn_index=turn, text=text, response_delay_s=round(delay, 2)
        )
        self.add(said, delay)

    def _opened(self, dialogue_id: str) -> float:
        return self.log.dialogue_history(dialogue_id).opened.monotonic_s

    def ends(self, dialogue_id: str, reason: events.EndReason, user_turns: int) -> None:
        self.add(
            events.DialogueEnded(
                dialogue_id=dialogue_id,
                reason=reason,
                user_turns=user_turns,
                duration_s=self.clock.monotonic_s() - self._opened(dialogue_id),
            ),
            3,
        )

    def rates(self, dialogue_id: str, success: bool, comment: str | None = None) -> None:
        code = self._code(dialogue_id)
        self.add(events.CodeIssued(dialogue_id=dialogue_id, code=code))
        self.add(events.CodeEntered(entered=code, accepted=True, dialogue_id=dialogue_id), 4)
        good = self.chance.choice((4, 4, 5)) if success else self.chance.choice((1, 2))
        rated = [rating("found_all", float(success), "Yes" if success else "No", role="subjective_success")]
        rated += [rating(name, good, AGREEMENT[good]) for name in ("understood", "phrasing")]
        rated += [rating("comment", None, comment)] if comment else []
        answered = events.QuestionnaireAnswered(
            step=2,
            round=self.held - 1,
            position=0,
            dialogue_id=dialogue_id,
            instrument="cambridge",
            wording="project",
            language="en",
            ratings=rated,
        )
        self.add(answered, 25)

    def _code(self, dialogue_id: str) -> str:
        for code in range(1000 + self.chance.randrange(5000), 9999):
            free = partial(
                Transaction.reserve_code, code=str(code), dialogue_id=dialogue_id, visit_id=self.visit_id
            )
            if self.log.transact_now(free):
                return str(code)
        raise AssertionError("no code is left")

    def leaves(self, outcome: events.Outcome = "completed") -> None:
        if outcome == "completed":
            self.add(events.DialoguesFinished(step=2), 5)
        self.add(events.VisitEnded(outcome=outcome, completion_code="AAAA-BBBB-CCCC"), 5)


def rating(item_id: str, value: float | None, answer: str, role: str | None = None) -> events.LoggedRating:
    return events.LoggedRating(item_id=item_id, value=value, answer=answer, role=role)


def act(name: str, slot: str | None = None, value: str | None = None) -> events.LoggedAct:
    return events.LoggedAct(act=name, slot=slot, value=value)


Exchange = tuple[str, str, list[events.LoggedAct]]
OPENING = "Hello, this is the city guide. What are you looking for?"
PUZZLED = "I am sorry, I did not understand that. Could you say it another way?"


def script_of(study: Study, task: Task, *, success: bool) -> list[Exchange]:
    """What is said, heard in answer, and meant by the answer."""
    assert study.ontology is not None
    venue = next(one for one in study.ontology.venues if one.venue_id == task.venues[0])
    wishes = {slot: value for slot, value in task.constraints.items() if value != "dontcare"}
    first, *others = wishes.values()
    offer = act("offer", "name", venue.name)
    kept = [act("inform", slot, venue.slots[slot]) for slot in wishes if slot in venue.slots]
    told = [act("inform", slot, venue.slots[slot]) for slot in task.requests]
    facts = " ".join(f"The {slot} is {venue.slots[slot]}." for slot in task.requests)
    return [
        (
            f"hi, I am looking for a {task.type} ({first})",
            "Alright. Is there anything else that matters to you?",
            [act("reqmore")],
        ),
        (
            "yes, " + " and ".join(others) if others else "no, that is all",
            f"{venue.name} is a {task.type} that fits. It is in the {venue.slots['area']} of town.",
            [offer, *kept],
        ),
        (
            f"and the {' and the '.join(task.requests)}?",
            facts if success else PUZZLED,
            [offer, *told] if success else [act("repeat")],
        ),
        ("thank you, good bye", "Good bye, and enjoy it!", [act("bye")]),
    ]


def hold(
    caller: Caller, system: str, task: Task, *, success: bool = True, stop_after: int | None = None
) -> str:
    """One dialogue as such bots and people hold them; `stop_after` so many user turns it is left running."""
    dialogue_id = caller.assign(system, task)
    caller.hears(dialogue_id, 0, OPENING, [act("hello")])
    script = script_of(caller.study, task, success=success)
    wish = [act("inform", *next(iter(task.constraints.items())))]
    for number, (said, heard, acts) in enumerate(script[:stop_after]):
        caller.says(dialogue_id, 2 * number + 1, said)
        understood = [events.LoggedHypothesis(acts=wish, score=0.87)] if number == 0 else []
        ends = number + 1 == len(script)
        caller.hears(dialogue_id, 2 * number + 2, heard, acts, understood=understood, ends_dialogue=ends)
    if stop_after is None:
        caller.ends(dialogue_id, "system", len(script))
        caller.rates(dialogue_id, success, None if success else "The second answer came late.")
    return dialogue_id


def fail(caller: Caller, system: str, task: Task) -> str:
    """A dialogue in which the system does not answer, and the participant gives up."""
    dialogue_id = caller.assign(system, task)
    caller.hears(dialogue_id, 0, OPENING, [act("hello")])
    caller.says(dialogue_id, 1, "is anybody there?")
    for _ in range(2):
        failed = events.SystemTurnFailed(
            dialogue_id=dialogue_id, reply_to=1, failure="timeout", detail="no output within 30 s"
        )
        caller.add(failed, 30)
    caller.ends(dialogue_id, "failure", 1)
    return dialogue_id


def fill(
    log: Log,
    study: Study,
    clock: ManualClock,
    *,
    participants: int = 14,
    seed: int = 5,
    simulated: bool = False,
) -> None:
    """Some sixty dialogues over twelve days: failures, someone who left, three who are still there."""
    chance = random.Random(seed)
    tasks = [task for task in study.tasks if task.venues and set(task.constraints.values()) != {"dontcare"}]
    systems = list(study.systems)
    hours = sorted(
        day * 24 + chance.uniform(0, 9) for day in (chance.randrange(12) for _ in range(participants))
    )
    for number, hour in enumerate(hours):
        due = START + timedelta(hours=hour)
        clock.advance(max(300.0, (due - clock.now()).total_seconds()))
        caller = Caller(log, study, clock, _key(chance), simulated)
        caller.begin()
        for turn in range(chance.choice((2, 3, 3, 3, 4, 5, 6))):
            system = systems[(turn + number) % 2]
            likely = 0.88 if system == systems[0] else 0.66
            hold(caller, system, chance.choice(tasks), success=chance.random() < likely)
        _part(caller, systems[1 - number % 2], chance.choice(tasks), number)
    for number, stop_after in enumerate((1, 2, 3)):
        caller = Caller(log, study, clock, _key(chance), simulated)
        caller.begin()
        hold(caller, systems[number % 2], chance.choice(tasks), stop_after=stop_after)
    clock.advance(40)


def _part(caller: Caller, system: str, task: Task, number: int) -> None:
    """How a visit ends: mostly as it should, sometimes after a failure, sometimes in the middle."""
    if number % 6 == 3:
        fail(caller, system, task)
        caller.leaves("withdrew")
    elif number % 6 == 5:
        left = hold(caller, system, task, stop_after=1)
        caller.ends(left, "abandoned", 1)
        caller.leaves("timed_out")
    else:
        caller.leaves()


def _key(chance: random.Random) -> str:
    return f"{chance.randrange(16**16):016x}"
