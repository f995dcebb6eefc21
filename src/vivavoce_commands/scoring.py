"""Commands understood: every predicate of the reference against its answer, and the sums over a corpus.

A predicate of the reference gets `(recognised, expected, distance, repetitions)`; unrecognised (0, 0, 0, 0).

Source  Di Maro, Origlia and Cutugno 2018, section 3 (the SUGAR task)
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from vivavoce_commands.arguments import count_arguments
from vivavoce_commands.command_file import Command, CommandFile
from vivavoce_commands.notation import REPEAT, REPEATED, Predicate
from vivavoce_commands.official import choose, read_line
from vivavoce_commands.pairing import PredicatePair, pair_by_alignment

Mode: TypeAlias = Literal["strict", "official"]


class PredicateScore(NamedTuple):
    """One predicate of the reference: where it stands, what it got, and the counts behind the figures."""

    speaker: str
    recipe: int
    utterance: int
    position: int
    action: str
    answered_action: str | None
    recognised: int
    expected: int
    distance: int
    repetitions: int
    correct: int
    arguments: int
    answered: int

    @property
    def id(self) -> str:
        return f"{self.utterance}_{self.position}"

    @property
    def tuple(self) -> tuple[int, int, int, int]:
        """As the task of 2018 printed it."""
        return self.recognised, self.expected, self.distance, self.repetitions


@dataclass(slots=True)
class SpeakerCounts:
    """Sums over one speaker's commands; every corpus figure is a ratio of such sums."""

    utterances: int = 0
    exact: int = 0
    predicates: int = 0
    recognised: int = 0
    inserted: int = 0
    arguments: int = 0
    expected: int = 0
    correct: int = 0
    distance: int = 0
    repetitions: int = 0
    answered: int = 0

    def add(self, score: PredicateScore) -> None:
        self.predicates += 1
        self.recognised += score.recognised
        self.arguments += score.arguments
        self.expected += score.expected
        self.correct += score.correct
        self.distance += score.distance
        self.repetitions += score.repetitions
        self.answered += score.answered


@dataclass(slots=True)
class Scores:
    """Everything that one comparison gave; nothing that could not be compared is counted as wrong or right.

    missing_speakers: in the reference, without an answer file: not scored.
    unread: utterances whose reference could not be read: not scored.
    surplus_utterances: answered, but not in the reference: not scored.
    unanswered: where utterances without an answer stand, which `official` leaves out.
    """

    mode: Mode
    predicates: list[PredicateScore] = field(default_factory=list)
    speakers: dict[str, SpeakerCounts] = field(default_factory=dict)
    confusions: Counter[tuple[str | None, str | None]] = field(default_factory=Counter)
    missing_speakers: list[str] = field(default_factory=list)
    unknown_speakers: list[str] = field(default_factory=list)
    unread: int = 0
    unanswered_utterances: int = 0
    unanswered: list[str] = field(default_factory=list)
    surplus_utterances: int = 0


def score_commands(
    reference: Mapping[str, CommandFile], answers: Mapping[str, CommandFile], mode: Mode = "strict"
) -> Scores:
    """Score a system's answers, speaker by speaker.

    Input   files by speaker; utterances are matched by number, and by recipe where numbers begin anew
    Output  scores in the order of the reference
    Note    `official` reads and counts the text as the script of 2018 did: `understanding.official`
    """
    scores = Scores(mode)
    scores.unknown_speakers = sorted(set(answers) - set(reference))
    for speaker, file in reference.items():
        if speaker not in answers:
            scores.missing_speakers.append(speaker)
        else:
            _score_speaker(scores, speaker, file, answers[speaker])
    return scores


def _score_speaker(scores: Scores, speaker: str, file: CommandFile, answers: CommandFile) -> None:
    counts = scores.speakers.setdefault(speaker, SpeakerCounts())
    by_recipe = len({command.utterance for command in file.commands}) < len(file.commands)
    answers_by_key = {_key(answered, by_recipe): answered for answered in answers.commands}
    for command in file.commands:
        answer = answers_by_key.pop(_key(command, by_recipe), None)
        if scores.mode == "official":
            _score_officially(scores, counts, speaker, command, answer)
        elif command.predicates is None:
            scores.unread += 1
        else:
            scores.unanswered_utterances += answer is None
            answered_predicates = answer.predicates if answer is not None else None
            _score_utterance(scores, counts, speaker, command, answered_predicates or ())
    scores.surplus_utterances += len(answers_by_key)


def _key(command: Command, by_recipe: bool) -> tuple[int, int]:
    return (command.recipe if by_recipe else 0, command.utterance)


def _score_officially(
    scores: Scores, counts: SpeakerCounts, speaker: str, command: Command, answer: Command | None
) -> None:
    """By the text of both lines; an utterance that the answers lack is named, and has no tuple."""
    line = read_line(command.annotation)
    answer_line = read_line(answer.annotation) if answer is not None else None
    if line is None:
        scores.unread += 1
        return
    if answer_line is None or answer_line.identifier != line.identifier:
        scores.unanswered_utterances += 1
        scores.unanswered.append(f"{speaker}:{command.line}")
        return
    chosen = choose(line.predicates, answer_line.predicates)
    for position, match in enumerate(chosen, 1):
        answered = answer_line.predicates[match.place] if match.place is not None else None
        expected = len(match.reference.arguments)
        score = PredicateScore(
            speaker,
            command.recipe,
            command.utterance,
            position,
            match.reference.action,
            answered.action if answered else None,
            recognised=int(answered is not None),
            expected=expected if answered else 0,
            distance=match.distance,
            repetitions=match.repetitions,
            correct=match.correct,
            arguments=expected,
            answered=len(answered.arguments) - match.repetitions if answered else 0,
        )
        scores.confusions[score.action, score.answered_action] += 1
        scores.predicates.append(score)
        counts.add(score)
    used = {paired.place for paired in chosen}
    surplus = [predicate for place, predicate in enumerate(answer_line.predicates) if place not in used]
    for predicate in surplus:
        scores.confusions[None, predicate.action] += 1
        counts.answered += len(predicate.arguments)
    counts.inserted += len(surplus)
    counts.utterances += 1
    counts.exact += not surplus and all(paired.place is not None and not paired.distance for paired in chosen)


def _score_utterance(
    scores: Scores, counts: SpeakerCounts, speaker: str, command: Command, answer: tuple[Predicate, ...]
) -> None:
    exact, position = True, 0
    for pair in pair_by_alignment(command.predicates or (), answer):
        scores.confusions[_action(pair.reference), _action(pair.answer)] += 1
        if pair.reference is None:
            counts.inserted += 1
            counts.answered += len(pair.answer.arguments) if pair.answer else 0
            exact = False
            continue
        position += 1
        score = _score(pair, speaker, command, position)
        exact = exact and score.recognised == 1 and not score.distance and not score.repetitions
        scores.predicates.append(score)
        counts.add(score)
    counts.utterances += 1
    counts.exact += exact


def _score(pair: PredicatePair, speaker: str, command: Command, position: int) -> PredicateScore:
    expected, answer = pair
    assert expected is not None
    place = (speaker, command.recipe, command.utterance, position, _shown(expected), _action(answer))
    if not pair.recognised:
        answered = len(answer.arguments) - answer.arguments.count(REPEATED) if answer else 0
        return PredicateScore(*place, 0, 0, 0, 0, 0, len(expected.arguments), answered)
    assert answer is not None
    counts = count_arguments(expected, answer)
    return PredicateScore(
        *place,
        recognised=1,
        expected=counts.expected,
        distance=counts.distance,
        repetitions=counts.repetitions,
        correct=counts.correct,
        arguments=counts.expected,
        answered=counts.answered,
    )


def _action(predicate: Predicate | None) -> str | None:
    return None if predicate is None else _shown(predicate)


def _shown(predicate: Predicate) -> str:
    return f"*{predicate.action}*" if predicate.implicit else predicate.action


def repeated_commands(scores: Scores) -> int:
    """Predicates answered by a request to repeat the whole command."""
    return sum(score.answered_action == REPEAT for score in scores.predicates)


def errors(scores: Scores) -> Iterator[PredicateScore]:
    """The predicates that were not answered exactly, in order."""
    return (
        predicate
        for predicate in scores.predicates
        if not predicate.recognised or predicate.distance or predicate.repetitions
    )
