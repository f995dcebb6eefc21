"""Who goes on after the utterance under test: the logged user's remaining turns, or a simulated user.

Both answer what the system says, so that a replay runs to the end of its task whichever way it turns.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any, Final, Literal, Protocol

from vivavoce.log.events import LoggedAct
from vivavoce.simulation.agenda_user import TYPE, Caller
from vivavoce.simulation.user_profile import UserProfile
from vivavoce.study.ontology import Ontology
from vivavoce.study.task import DONTCARE
from vivavoce_stress.case import Case
from vivavoce_stress.evidence import sentences_of
from vivavoce_stress.heuristics import plain
from vivavoce_stress.rejection import asks_which, rejects

Continuation = Literal["logged", "simulated"]
Answers = Mapping[str, tuple[str, ...]]
_LONG: Final = 4  # letters of a word that tells what is asked
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


class LoggedUser:
    """The remaining turns of the log, in their order but where the system asks for one of them.

    A user who is not understood says it again as they said it in the log, once. Asked what they were asked in
    the replay of the original, they answer as they did there, once more; answered by a question that was not
    put there, in whatever words, they say it again, too.

    settles  they say it again, too, when the utterance is answered by the question which of several is meant,
             for which the log has no answer
    answers  what they answered there, by question: see `answered`
    """

    def __init__(self, case: Case, settles: bool = False, answers: Answers | None = None) -> None:
        self._case, self._left, self._said_again = case, list(case.after), False
        self._settles, self._answers = settles, answers
        self._answered_again, self._answered_before = set[str](), False

    def next(self, system: Mapping[str, Any]) -> str | None:
        first, self._answered_before = not self._answered_before, True
        unclear = first and (
            (self._settles and asks_which(system.get("acts")))
            or (system.get("acts") is None and self._is_new_question(system["text"]))
        )
        lost = unclear or rejects(system["text"], system.get("acts"), self._case.language)
        if lost and not self._said_again:
            self._said_again = True
            return self._case.original
        known = self._to_questions(system["text"])
        if known is not None:
            return known
        if not self._left:
            return None
        asked = {act["slot"] for act in system.get("acts") or () if act["act"] == "request" and act["slot"]}
        fitting = (place for place, said in enumerate(self._left) if said.slots & asked)
        return self._left.pop(next(fitting, 0)).text

    def _is_new_question(self, text: str) -> bool:
        """Whether the last thing asked shares no word of content with anything that was asked there."""
        asked = _questions(text)[-1:]
        if not asked or self._answers is None:
            return False
        known = {word for one in self._answers for word in _content(one)}
        return bool(_content(asked[0])) and not _content(asked[0]) & known

    def _to_questions(self, text: str) -> str | None:
        """What they know to say to the last question that they know; None: to go on as in the log."""
        known = self._answers or {}
        said = next((known[one] for one in reversed(_questions(text)) if one in known), ())
        if not said or (self._left and self._left[0].text in said):
            return None
        place = next((at for at, one in enumerate(self._left) if one.text in said), None)
        if place is not None:
            return self._left.pop(place).text
        if self._case.original in said:
            again, self._said_again = not self._said_again, True
            return self._case.original if again else None
        if said[-1] in self._answered_again:
            return None
        self._answered_again.add(said[-1])
        return said[-1]


def answered(turns: Sequence[Mapping[str, Any]]) -> Answers:
    """What the user of a replay said to each question of the system, by the question in plain words."""
    found = dict[str, tuple[str, ...]]()
    for system, user in pairwise(turns):
        if system["party"] == "system" and user["party"] == "user":
            for one in _questions(system["text"])[-1:]:
                found[one] = (*found.get(one, ()), user["text"])
    return found


def _content(text: str) -> set[str]:
    return {word for word in text.split() if len(word) >= _LONG}


def _questions(text: str) -> list[str]:
    return [plain(one) for one in sentences_of(text) if one.endswith("?")]


class SimulatedContinuation:
    """A simulated caller who takes over: he has said what the log's user said, and wants the task's goal."""

    def __init__(self, case: Case, ontology: Ontology, seed: int) -> None:
        if case.task is None:
            raise ValueError("a simulated user needs a task")
        self._caller = _TakingOver(
            case.task, ontology, _STEADY, case.language, Random(f"{seed}:{case.case_id}")
        )
        self._case, self._done = case, False
        for said in case.before:
            self._caller.has_said(said.acts)
        self._caller.has_said(case.original_acts)

    def hear(self, system: Mapping[str, Any]) -> None:
        """A system turn before the caller takes over."""
        self._caller.overhear(_acts(system), system["text"])

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
    case: Case, kind: Continuation, ontology: Ontology | None, seed: int, settles: bool = False,
    answers: Answers | None = None,
) -> Continuing:  # fmt: skip
    """The user who goes on; without a task or an ontology the log's."""
    if kind == "simulated" and case.task is not None and ontology is not None:
        return SimulatedContinuation(case, ontology, seed)
    return LoggedUser(case, settles, answers)


__all__ = ["Continuation", "Continuing", "LoggedUser", "SimulatedContinuation", "answered", "continuing"]
