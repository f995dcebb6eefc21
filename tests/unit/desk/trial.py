"""A small trial for the dashboard's tests: a study, and a log filled through its front door."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vivavoce.core.clock import ManualClock
from vivavoce.log import events
from vivavoce.log.store import Log
from vivavoce.study.load import load_study
from vivavoce.study.model import Study, Task
from vivavoce.study.scaffold import write_study

START = datetime(2026, 11, 9, 8, 30, tzinfo=UTC)
CODES = 4100


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
    chance: random.Random = field(default_factory=lambda: random.Random(1))
    held: int = 0

    @property
    def visit_id(self) -> str:
        return f"visit-{self.key}"

    def add(self, event: events.Event, wait_s: float = 0.0) -> None:
        self.clock.advance(wait_s)
        self.log.transact_now(lambda tx: tx.append(self.visit_id, event))

    def begin(self) -> None:
        self.add(events.VisitOpened(
            study=self.study.name, revision=self.study.revision, participant_id=f"participant-{self.key}",
            pool="link", language="en", simulated=self.simulated,
        ))  # fmt: skip
        self.add(events.ConsentGiven(step=0, document="0" * 64, language="en"), 20)
        self.add(events.PageRead(step=1), 30)

    def assign(self, system: str, task: Task) -> str:
        dialogue_id = f"dialogue-{self.key}{self.held:02x}"
        self.add(events.DialogueAssigned(
            dialogue_id=dialogue_id, step=2, round=self.held, system=system, task_id=task.task_id,
            task=task.model_dump(mode="json"), channel="text", language="en", conversation=f"conversation-{dialogue_id}",
            condition=system,
        ), 5)  # fmt: skip
        self.add(events.DialogueOpened(dialogue_id=dialogue_id), 2)
        self.held += 1
        return dialogue_id

    def hears(
        self, dialogue_id: str, turn: int, text: str, acts: list[events.LoggedAct], **more: Any
    ) -> None:
        delay = 0.4 + self.chance.random() * 1.6
        self.clock.advance(delay)
        at = self.clock.monotonic_s() - self._opened(dialogue_id)
        self.add(events.SystemTurnReceived(
            dialogue_id=dialogue_id, turn_index=turn, reply_to=turn - 1 if turn else None,
            messages=[events.LoggedMessage(text=text)], sent_s=at - delay, first_output_s=at - delay * 0.3,
            complete_s=at, acts=acts, **more,
        ))  # fmt: skip

    def says(self, dialogue_id: str, turn: int, text: str) -> None:
        delay = 2 + self.chance.random() * 9
        self.add(events.UserTurnSent(
            dialogue_id=dialogue_id, turn_index=turn, text=text, response_delay_s=round(delay, 2)), delay)  # fmt: skip

    def _opened(self, dialogue_id: str) -> float:
        stored = self.log.transcript(dialogue_id)
        return next(one.monotonic_s for one in stored if isinstance(one.event, events.DialogueOpened))

    def ends(self, dialogue_id: str, reason: events.EndReason, user_turns: int) -> None:
        self.add(events.DialogueEnded(
            dialogue_id=dialogue_id, reason=reason, user_turns=user_turns,
            duration_s=self.clock.monotonic_s() - self._opened(dialogue_id)), 3)  # fmt: skip

    def rates(self, dialogue_id: str, success: bool, comment: str | None = None) -> None:
        code = str(CODES + self.chance.randrange(5000))
        while not self.log.transact_now(lambda tx: tx.reserve_code(code, dialogue_id, self.visit_id)):
            code = str(int(code) + 1)
        self.add(events.CodeIssued(dialogue_id=dialogue_id, code=code))
        self.add(events.CodeEntered(entered=code, accepted=True, dialogue_id=dialogue_id), 4)
        good = self.chance.choice((4, 4, 5)) if success else self.chance.choice((1, 2))
        labels = (
            "Disagree strongly",
            "Disagree",
            "Disagree a little",
            "Agree a little",
            "Agree",
            "Agree strongly",
        )
        rated = [events.LoggedRating(item_id="found_all", value=float(success), answer="Yes" if success else "No",
                                     role="subjective_success")]  # fmt: skip
        rated += [
            events.LoggedRating(item_id=name, value=good, answer=labels[good])
            for name in ("understood", "phrasing")
        ]
        rated += [events.LoggedRating(item_id="comment", value=None, answer=comment)] if comment else []
        self.add(events.QuestionnaireAnswered(
            step=2, round=self.held - 1, position=0, dialogue_id=dialogue_id, instrument="cambridge",
            wording="project", language="en", ratings=rated), 25)  # fmt: skip

    def leaves(self, outcome: events.Outcome = "completed") -> None:
        if outcome == "completed":
            self.add(events.DialoguesFinished(step=2), 5)
        self.add(events.VisitEnded(outcome=outcome, completion_code="AAAA-BBBB-CCCC"), 5)


def act(name: str, slot: str | None = None, value: str | None = None) -> events.LoggedAct:
    return events.LoggedAct(act=name, slot=slot, value=value)


def hold(
    caller: Caller, system: str, task: Task, *, success: bool = True, stop_after: int | None = None
) -> str:
    """One dialogue as such bots and people hold them; `stop_after` so many user turns it is left running."""
    venue = next(one for one in caller.study.ontology.venues if one.venue_id == task.venues[0])
    wishes = {slot: value for slot, value in task.constraints.items() if value != "dontcare"}
    dialogue_id = caller.assign(system, task)
    caller.hears(dialogue_id, 0, "Hello, this is the city guide. What are you looking for?", [act("hello")])
    first, *others = wishes.items()
    script: list[tuple[str, str, list[events.LoggedAct]]] = [
        (f"hi, I would like a {task.type}, {first[1]} please",
         "Alright. Is there anything else that matters to you?", [act("reqmore")]),
        ("yes: " + ", ".join(value for _, value in others) if others else "no, that is all",
         f"{venue.name} is a {task.type} that fits. It is in the {venue.slots['area']} of town.",
         [act("offer", "name", venue.name)] + [act("inform", slot, venue.slots[slot]) for slot in wishes if slot in venue.slots]),
        ("and the " + " and the ".join(task.requests) + "?",
         " ".join(f"The {slot} is {venue.slots[slot]}." for slot in task.requests) if success
         else "I am sorry, I did not understand that. Could you say it another way?",
         [act("offer", "name", venue.name), *(act("inform", slot, venue.slots[slot]) for slot in task.requests)]
         if success else [act("repeat")]),
        ("thank you, good bye", "Good bye, and enjoy it!", [act("bye")]),
    ]  # fmt: skip
    for number, (said, heard, acts) in enumerate(script[:stop_after]):
        caller.says(dialogue_id, 2 * number + 1, said)
        understood = (
            [events.LoggedHypothesis(acts=[act("inform", *first)], score=0.87)] if number == 0 else []
        )
        caller.hears(
            dialogue_id, 2 * number + 2, heard, acts, understood=understood, ends_dialogue=number == 3
        )
    if stop_after is None:
        caller.ends(dialogue_id, "system", len(script))
        caller.rates(dialogue_id, success, "The second answer came late." if not success else None)
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
    """Some sixty dialogues over twelve days, with failures, abandoned visits, and three people still there."""
    chance = random.Random(seed)
    tasks = [task for task in study.tasks if task.venues and set(task.constraints.values()) != {"dontcare"}]
    systems = list(study.systems)
    for number in range(participants):
        clock.advance(86_400 * 12 / participants - 600 if number else 0)
        caller = Caller(
            log, study, clock, f"{chance.randrange(16**16):016x}", simulated, random.Random(number)
        )
        caller.begin()
        for turn in range(chance.choice((3, 3, 3, 4, 5, 6, 7))):
            better = turn % 2 == 0
            hold(
                caller, systems[turn % len(systems)], chance.choice(tasks),
                success=chance.random() < (0.85 if better else 0.6),
            )  # fmt: skip
        if number % 5 == 3:
            fail(caller, systems[1], chance.choice(tasks))
            caller.leaves("withdrew")
        else:
            caller.leaves()
    for number, stop_after in enumerate((1, 2, 3)):
        caller = Caller(
            log, study, clock, f"{chance.randrange(16**16):016x}", simulated, random.Random(number)
        )
        caller.begin()
        hold(caller, systems[number % 2], chance.choice(tasks), stop_after=stop_after)
    clock.advance(40)


def fail(caller: Caller, system: str, task: Task) -> str:
    """A dialogue in which the system does not answer, and the participant gives up."""
    dialogue_id = caller.assign(system, task)
    caller.hears(dialogue_id, 0, "Hello, this is the city guide. What are you looking for?", [act("hello")])
    caller.says(dialogue_id, 1, "is anybody there?")
    for _ in range(2):
        caller.add(events.SystemTurnFailed(
            dialogue_id=dialogue_id, reply_to=1, failure="timeout", detail="no output within 30 s"), 30)  # fmt: skip
    caller.ends(dialogue_id, "failure", 1)
    return dialogue_id


Fill = Callable[..., None]
