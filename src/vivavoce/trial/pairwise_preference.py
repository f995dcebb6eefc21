"""The events of a comparison of transcripts: what is drawn, what is chosen, what is odd about a response."""

from collections.abc import Mapping, Set
from datetime import datetime
from typing import Final, Literal, NamedTuple

from vivavoce.log.events import (
    ComparisonAnswered,
    ComparisonsAssigned,
    ComparisonsFinished,
    LoggedChoice,
    LoggedComparison,
)
from vivavoce.study.model import Study
from vivavoce.study.pairs import ComparisonQuestion, length
from vivavoce.study.pairs_plan import plan
from vivavoce.trial.errors import Refused
from vivavoce.trial.state import VisitState

STRENGTHS: Final = (1, 2, 3)
FEWEST_FOR_ONE_SIDE: Final = 4


class Preferred(NamedTuple):
    """What was chosen for one question: a side or a tie, and how strongly."""

    side: Literal["left", "right", "tie"]
    strength: int | None = None


def assigned(study: Study, state: VisitState, taken: Set[int]) -> ComparisonsAssigned:
    """The participant's comparisons: the plan of the first slot that is not taken."""
    step = state.compare_step
    slot = next(number for number in range(len(taken) + 1) if number not in taken)
    comparisons = [
        LoggedComparison(
            pair_id=one.pair.pair_id, variable=one.pair.variable, role=one.role, change=one.pair.change,
            attention=one.pair.attention, experimental_side=one.experimental_side,
            control_level=one.pair.control_level, experimental_level=one.pair.experimental_level,
        )
        for one in plan(step, study.pairs, slot)
    ]  # fmt: skip
    return ComparisonsAssigned(step=state.step, slot=slot, seed=step.seed, comparisons=comparisons)


def answered(
    study: Study, state: VisitState, answers: Mapping[str, Preferred], now: datetime
) -> ComparisonAnswered:
    """The choices about the pair that is due.

    Raises  Refused: `empty`
    """
    step, compared = state.compare_step, state.comparisons[state.position]
    text = study.pair(compared.pair_id).text[state.language]
    choices = [_choice(study, state, question, answers) for question in study.questions]
    return ComparisonAnswered(
        step=state.step, position=state.position, pair_id=compared.pair_id, language=state.language,
        digest=text.digest, control_tokens=length(text.control),
        experimental_tokens=length(text.experimental), presentation=step.presentation,
        response_s=max(0.0, (now - state.comparing[-1].at).total_seconds()), choices=choices,
    )  # fmt: skip


def _choice(
    study: Study, state: VisitState, question: ComparisonQuestion, answers: Mapping[str, Preferred]
) -> LoggedChoice:
    step, compared = state.compare_step, state.comparisons[state.position]
    given = answers.get(question.question_id)
    if given is None or given.side not in ("left", "right", "tie") or (given.side == "tie" and not step.ties):
        raise Refused("empty", question.question_id)
    asked = {"question": question.question_id, "quality": question.quality}
    if given.side == "tie":
        return LoggedChoice(**asked, choice="tie", side=None)
    if step.strength and given.strength not in STRENGTHS:
        raise Refused("empty", f"{question.question_id}: strength")
    return LoggedChoice(
        **asked, choice="experimental" if given.side == compared.experimental_side else "control",
        side=given.side, strength=given.strength if step.strength else None,
    )  # fmt: skip


def finished(state: VisitState) -> ComparisonsFinished:
    """The whole response: how long it took, its flags, whether the study accepts it."""
    step = state.compare_step
    answers = [one.event for one in state.comparing if isinstance(one.event, ComparisonAnswered)]
    total_s = sum(one.response_s for one in answers)
    fast = total_s < step.minimum_s
    by_position = {one.position: one for one in answers}
    flags = [
        name
        for name, raised in (
            ("fast", fast),
            ("one_side", _one_side(state, by_position)),
            ("attention_failed", _attention_failed(state, by_position)),
            ("inconsistent", _inconsistent(state, by_position)),
        )
        if raised
    ]
    accepted = step.accept_fast or not fast
    return ComparisonsFinished(step=state.step, total_s=total_s, accepted=accepted, flags=flags)


Answers = Mapping[int, ComparisonAnswered]


def _of_role(
    state: VisitState, answers: Answers, role: str
) -> list[tuple[LoggedComparison, ComparisonAnswered]]:
    placed = enumerate(state.comparisons)
    return [(one, answers[place]) for place, one in placed if one.role == role and place in answers]


def _one_side(state: VisitState, answers: Answers) -> bool:
    """Every choice, over enough pairs, fell on the same side."""
    main = _of_role(state, answers, "main")
    sides = [choice.side for _, answer in main for choice in answer.choices]
    return len(main) >= FEWEST_FOR_ONE_SIDE and len(set(sides)) == 1 and None not in sides


def _attention_failed(state: VisitState, answers: Answers) -> bool:
    """Of a pair with nonsense, the sound transcript was not chosen in most questions."""
    return any(
        2 * sum(choice.choice == "control" for choice in answer.choices) <= len(answer.choices)
        for compared, answer in _of_role(state, answers, "attention")
        if compared.attention == "broken"
    )


def _inconsistent(state: VisitState, answers: Answers) -> bool:
    """Of the questions asked twice, more than half were answered otherwise the second time."""
    first = {compared.pair_id: answer for compared, answer in _of_role(state, answers, "main")}
    same = [
        before.choice == after.choice
        for compared, answer in _of_role(state, answers, "repeat")
        for before, after in zip(first[compared.pair_id].choices, answer.choices, strict=True)
    ]
    return bool(same) and 2 * sum(same) < len(same)
