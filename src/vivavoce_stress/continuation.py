"""The user after the utterance under test: the logged user's remaining turns, or a simulated user.

Both answer what the system says, so that a replay runs to the end of its task whichever way it turns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any, Final, Literal, Protocol

from vivavoce.log.events import LoggedAct
from vivavoce.simulation.agenda_user import TYPE, Caller
from vivavoce.simulation.user_profile import UserProfile
from vivavoce.study.ontology import Ontology
from vivavoce.study.task import DONTCARE
from vivavoce_stress.case import Case
from vivavoce_stress.courtesies import is_courtesy, is_farewell
from vivavoce_stress.questions import alike, content, questions_in
from vivavoce_stress.rejection import asks_which, rejects

Continuation = Literal["logged", "simulated"]
_USER: Final = {"party": "user", "text": ""}
_STEADY: Final = UserProfile(
    patience=6,
    forgetfulness=0.0,
    over_informing=0.0,
    carefulness=1.0,
    curiosity=0.0,
    optimism=0.0,
    dialogues=1,
)


class Continuing(Protocol):
    """Says the turns after the utterance under test."""

    def next(self, system: Mapping[str, Any]) -> str | None:
        """The answer to a system turn; None: the user has nothing more to say."""
        ...


@dataclass(frozen=True, slots=True)
class Course:
    """Record of the original's replay, which the user knows when the variant is replayed.

    answers     what they said to each question of the system, by the question in plain words
    after_goal  what they said once the system had told that the goal was reached; none where it was
                reached before the utterance under test
    """

    answers: Mapping[str, tuple[str, ...]]
    after_goal: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, turns: Sequence[Mapping[str, Any]], met_at: int | None = None, injected: int | None = None
    ) -> "Course":
        answers = dict[str, tuple[str, ...]]()
        for system, user in pairwise(turns):
            if system["party"] == "system" and user["party"] == "user":
                for question in questions_in(system["text"])[-1:]:
                    answers[question] = (*answers.get(question, ()), user["text"])
        user_turns = [(at, turn["text"]) for at, turn in enumerate(turns) if turn["party"] == "user"]
        reached = len(turns) if met_at is None or met_at < (injected or 0) else met_at
        before = {text for at, text in user_turns if at < reached}
        return cls(answers, frozenset(text for _, text in user_turns) - before)


class LoggedUser:
    """The remaining turns of the log, in their order but where the system asks for one of them.

    A user who is not understood says it again as they said it in the log, once. So they do, too, where the
    replay of the original tells that they were not served: when they are answered by a question that was put
    nowhere in it, in whatever words, and before they take their leave without what they came for. Asked what
    they were asked in it, they answer as they did there, once more. A bare yes or no is said to the question
    to which it was said there, and to no other: who has nothing else to answer leaves.

    settles  they say it again, too, when the utterance is answered by the question which of several is meant,
             for which the log has no answer
    course   how the original went; None: this is the original
    """

    def __init__(self, case: Case, settles: bool = False, course: Course | None = None) -> None:
        self._case, self._left, self._said_again = case, list(case.after), False
        self._settles, self._course, self._served = settles, course, False
        self._answered_again, self._answered_before = set[str](), False

    def next(self, system: Mapping[str, Any]) -> str | None:
        if self._case.goal is not None and self._case.goal.told_in((_USER, system)):
            self._served = True
        first, self._answered_before = not self._answered_before, True
        unclear = first and (
            (self._settles and asks_which(system.get("acts")))
            or (system.get("acts") is None and self._is_new_question(system["text"]))
        )
        lost = unclear or rejects(system["text"], system.get("acts"), self._case.language)
        if lost and not self._said_again and not (self._served and self._has_left()):
            return self._say_again()
        if self._has_left():
            return None
        answer = self._to_questions(system["text"])
        place = self._asked_for(system) if answer is None else answer
        if isinstance(place, int) and self._leaves_unserved(place):
            if not self._said_again:
                return self._say_again()
            place = 0
        if isinstance(place, str):
            return self._say_again() if place == self._case.original else place
        if self._answers_another(place, system["text"]):
            return self._leave() if self._said_again else self._say_again()
        return self._left.pop(place).text if self._left else None

    def _answers_another(self, place: int, asked: str) -> bool:
        """True if the next turn is a bare yes or no that answered a different question."""
        if self._course is None or not self._left or not (now := questions_in(asked)[-1:]):
            return False
        following = self._left[place]
        questions = [
            question for question, answers in self._course.answers.items() if following.text in answers
        ]
        bare = is_courtesy(following.text, self._case.language, following.acts)
        bare &= not is_farewell(following.text, self._case.language)
        return bare and bool(questions) and not any(alike(now[0], question) for question in questions)

    def _leave(self) -> str | None:
        """The leave that they took in the log, and nothing before it. Empty  they took none: None"""
        last = self._left[-1:]
        self._left = []
        return next((turn.text for turn in last if is_farewell(turn.text, self._case.language)), None)

    def _has_left(self) -> bool:
        """True if the last turn of the log was said and is a farewell."""
        if self._left or not self._case.after:
            return False
        last = self._case.after[-1]
        after_goal = self._course.after_goal if self._course else frozenset()
        return last.text in after_goal or is_courtesy(last.text, self._case.language, last.acts)

    def _say_again(self) -> str:
        self._said_again = True
        return self._case.original

    def _asked_for(self, system: Mapping[str, Any]) -> int:
        """The place of the next turn: the one that the system's acts ask for, else the first."""
        slots = {act["slot"] for act in system.get("acts") or () if act["act"] == "request" and act["slot"]}
        return next((place for place, turn in enumerate(self._left) if turn.slots & slots), 0)

    def _leaves_unserved(self, place: int) -> bool:
        """True if the next turn belongs after an unmet goal, or ends the dialogue too early."""
        if self._course is None or not self._left:
            return False
        following = self._left[place]
        if following.text in self._course.after_goal:
            return not self._served
        return 0 < place == len(self._left) - 1 and is_courtesy(
            following.text, self._case.language, following.acts
        )

    def _is_new_question(self, text: str) -> bool:
        """True if the last question resembles no question of the original's dialogue."""
        questions = questions_in(text)[-1:]
        if not questions or self._course is None or not content(questions[0]):
            return False
        return not any(alike(questions[0], answer) for answer in self._course.answers)

    def _to_questions(self, text: str) -> int | str | None:
        """Reply to the last known question: the place of a remaining turn, or words.

        Empty  they know none, or have answered it again: None
        """
        answers = self._course.answers if self._course else {}
        replies = next(
            (answers[question] for question in reversed(questions_in(text)) if question in answers), ()
        )
        place = next((at for at, turn in enumerate(self._left) if turn.text in replies), None)
        if place is not None or not replies:
            return place
        if self._case.original in replies:
            return None if self._said_again else self._case.original
        if replies[-1] in self._answered_again:
            return None
        self._answered_again.add(replies[-1])
        return replies[-1]


class SimulatedContinuation:
    """A simulated caller who takes over: he has said what the log's user said, and wants the task's goal."""

    def __init__(self, case: Case, ontology: Ontology, seed: int) -> None:
        if case.task is None:
            raise ValueError("simulated users need a task")
        self._caller = _TakingOver(
            case.task, ontology, _STEADY, case.language, Random(f"{seed}:{case.case_id}")
        )
        self._case, self._done = case, False
        for turn in case.before:
            self._caller.has_said(turn.acts)
        self._caller.has_said(case.original_acts)

    def hear(self, system: Mapping[str, Any]) -> None:
        """A system turn before the caller takes over."""
        self._caller.feed_audio(_acts(system), system["text"])

    def next(self, system: Mapping[str, Any]) -> str | None:
        if self._done:
            return None
        answer = self._caller.reply(_acts(system), system["text"])
        self._done = answer.hangs_up
        return answer.text


class _TakingOver(Caller):
    """A caller to whom words are put into the mouth."""

    def has_said(self, acts: tuple[LoggedAct, ...]) -> None:
        for act in acts:
            if act.act == "inform" and act.slot and self._goal.wanted.get(act.slot) in (act.value, DONTCARE):
                self._goal.said[act.slot] = act.value or DONTCARE
            elif act.act == "request" and act.slot in self._goal.requests:
                self._goal.asked.append(act.slot)
        if not acts:
            self._goal.said.setdefault(TYPE, self._goal.wanted[TYPE])


def _acts(system: Mapping[str, Any]) -> list[LoggedAct] | None:
    acts = system.get("acts")
    return None if acts is None else [LoggedAct.model_validate(act) for act in acts]


def continuing(
    case: Case,
    kind: Continuation,
    ontology: Ontology | None,
    seed: int,
    settles: bool = False,
    course: Course | None = None,
) -> Continuing:
    """The user who goes on; without a task or an ontology the log's."""
    if kind == "simulated" and case.task is not None and ontology is not None:
        return SimulatedContinuation(case, ontology, seed)
    return LoggedUser(case, settles, course)


__all__ = ["Continuation", "Continuing", "Course", "LoggedUser", "SimulatedContinuation", "continuing"]
