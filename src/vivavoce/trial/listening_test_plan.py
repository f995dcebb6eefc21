"""Which clips a participant hears, and in which order."""

from collections import defaultdict
from collections.abc import Sequence
from random import Random
from typing import Final

from vivavoce.log.listening_events import ClipsAssigned, ListeningFinished, LoggedClip, LoggedTrial
from vivavoce.study.listening import Clip
from vivavoce.study.steps import ListenStep
from vivavoce.trial.state import VisitState

TRIES: Final = 3
FEWEST_TONES, MOST_TONES = 3, 7


def clips_assigned(step: ListenStep, number: int, clips: Sequence[Clip], participant: str) -> ClipsAssigned:
    """A participant's trials: as many of each condition as of any other, in random order.

    Note    the order comes from the step's seed and the participant; the same two give the same trials
    """
    chance = Random(f"{step.seed}:{participant}:{number}")
    trials = _pairs(clips, chance) if step.method == "pairs" else _single(clips, chance)
    chosen = trials[: step.each]
    chance.shuffle(chosen)
    tones = (
        [chance.randint(FEWEST_TONES, MOST_TONES) for _ in range(TRIES)] if step.hearing == "tones" else []
    )
    return ClipsAssigned(step=number, seed=step.seed, trials=chosen, tones=tones)


def _single(clips: Sequence[Clip], chance: Random) -> list[LoggedTrial]:
    """Every clip, conditions taking turns."""
    by_condition: dict[str, list[Clip]] = defaultdict(list)
    for clip in clips:
        by_condition[clip.condition].append(clip)
    shelves = list(by_condition.values())
    for shelf in shelves:
        chance.shuffle(shelf)
    chance.shuffle(shelves)
    rounds = range(max(map(len, shelves), default=0))
    return [LoggedTrial(first=_logged(shelf[at])) for at in rounds for shelf in shelves if at < len(shelf)]


def _pairs(clips: Sequence[Clip], chance: Random) -> list[LoggedTrial]:
    by_pair: dict[str | None, list[Clip]] = defaultdict(list)
    for clip in clips:
        by_pair[clip.pair].append(clip)
    trials: list[LoggedTrial] = []
    for name, both in by_pair.items():
        first, second = chance.sample(both, 2)
        trials.append(LoggedTrial(first=_logged(first), second=_logged(second), pair_id=name))
    chance.shuffle(trials)
    return trials


def _logged(clip: Clip) -> LoggedClip:
    return LoggedClip(audio=clip.audio, condition=clip.condition)


def listening_finished(state: VisitState) -> ListeningFinished:
    """The end of the step: all trials are judged."""
    return ListeningFinished(step=state.step, hearing=state.hearing)
