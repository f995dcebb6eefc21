"""Answers to the user's questions, and the DARPA scores made of them."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

from vivavoce.measures.base import Direction, Measure, Pair, Pairs, Tables
from vivavoce.measures.counting import labels

SOURCE: Final = "ITU-T Suppl. 24 to P-series (2005), task-related parameters"
DARPA_SOURCE: Final = "DARPA speech understanding initiative; modified by Skowronek (2002)"
EMPTY: Final = "not annotated in layer `answer`: missing"
PARTIAL_WEIGHT: Final = 2
KINDS: Final[tuple[tuple[str, str, str, Direction | None], ...]] = (
    ("CO", "answers_correct", "correctly", "higher"),
    ("IC", "answers_incorrect", "incorrectly", "lower"),
    ("PA", "answers_partial", "partially correctly", None),
    ("FA", "answers_failed", "not at all", "lower"),
)
Answers = Mapping[str, int]

_answer = partial(Measure, family="answers", origin="expert", needs=(("layer:answer",),))


def darpa_score(answers: Answers) -> Pair:
    """Correct less incorrect answers, over the questions; a partial answer costs nothing."""
    return answers["CO"] - answers["IC"], _questions(answers)


def darpa_modified_error(answers: Answers, partial_weight: float = PARTIAL_WEIGHT) -> Pair:
    """Failed answers once, wrong and partial ones twice, over the questions; 0 is best, 2 is worst."""
    return answers["FA"] + 2 * answers["IC"] + partial_weight * answers["PA"], _questions(answers)


def _questions(answers: Answers) -> int:
    return sum(answers[label] for label, *_ in KINDS)


def _from(figure: Callable[[Answers], Pair]) -> Callable[[Tables], Pairs]:
    def count(tables: Tables) -> Pairs:
        judged = labels(tables).of("answer").items()
        return {
            key: figure(Counter(standing.label for standing in standing_labels))
            for key, standing_labels in judged
        }

    return count


def _user_questions(tables: Tables) -> Pairs:
    """Questions marked as such; where that layer was not annotated, those whose answers were judged."""
    marked = labels(tables).of("user_question")
    answered = labels(tables).of("answer")
    return {key: (len(questions), 1) for key, questions in {**answered, **marked}.items()}


def _counts() -> Iterator[Measure]:
    yield _answer(
        name="user_questions",
        title="User questions",
        symbol="# user questions",
        unit="questions",
        level="dialogue",
        analysis_unit="dialogue",
        family="communication",
        source=SOURCE,
        meaning="Questions asked by the user.",
        empty="annotated neither in layer `user_question` nor in `answer`: missing",
        needs=(("layer:user_question",), ("layer:answer",)),
        components=_user_questions,
    )
    for label, name, how, direction in KINDS:
        common = partial(_answer, direction=direction, source=SOURCE)
        title = name.replace("_", " ").capitalize()
        yield common(
            name=name,
            title=title,
            symbol=f"AN:{label}",
            unit="questions",
            level="dialogue",
            analysis_unit="dialogue",
            meaning=f"User questions that the system answered {how}.",
            empty=EMPTY,
            components=_from(lambda answers, label=label: (answers[label], 1)),
        )
        yield common(
            name=f"{name}_rate",
            title=f"{title}, rate",
            symbol=f"AN:{label} rate",
            unit="ratio",
            level="turn",
            analysis_unit="question",
            meaning=f"Share of the user's questions that the system answered {how}.",
            empty=f"no question, or {EMPTY}",
            components=_from(lambda answers, label=label: (answers[label], _questions(answers))),
        )


def _scores() -> Iterator[Measure]:
    common = partial(
        _answer,
        unit="points",
        level="dialogue",
        analysis_unit="question",
        source=DARPA_SOURCE,
        empty=f"no question, or {EMPTY}",
    )
    yield common(
        name="darpa_score",
        title="DARPA score",
        symbol="DARPA_s",
        direction="higher",
        meaning="Correct less incorrect answers over the user's questions, from -1 to 1. "
        "A partial answer costs nothing here.",
        components=_from(darpa_score),
    )
    yield common(
        name="darpa_modified_error",
        title="DARPA modified error",
        symbol="DARPA_me",
        direction="lower",
        meaning="Failed answers, and twice the wrong and the partial ones, over the user's questions, from "
        "0 to 2. A partial answer costs as much as a wrong one here.",
        parameters={"partial_weight": str(PARTIAL_WEIGHT)},
        components=_from(darpa_modified_error),
    )


FAMILY: Final[tuple[Measure, ...]] = (*_counts(), *_scores())
