"""The events of a transcription: what is given out, what is written down, and whether it counts.

Source  Jurčíček et al. 2011, footnote 2: everybody gets some speech with a known transcript; whose accuracy
        is below a threshold is refused, and others transcribe in his place
"""

from datetime import datetime, timedelta
from random import Random

from vivavoce.core.alignment import align
from vivavoce.core.text import normalise_value
from vivavoce.log.transcription_events import (
    LoggedItem,
    TranscriptGiven,
    TranscriptionsAssigned,
    TranscriptionsFinished,
)
from vivavoce.log.transcriptions import Transcriptions
from vivavoce.study.model import Study, TranscriptionItem
from vivavoce.trial.errors import Refused
from vivavoce.trial.state import VisitState

LONGEST_TRANSCRIPT = 2000
HELD_FOR = timedelta(hours=2)


def spoken(text: str | None) -> list[str]:
    """The words of a transcript as they are compared: without case and punctuation."""
    return [word for word in map(normalise_value, (text or "").split()) if word]


def assigned(
    study: Study, state: VisitState, so_far: Transcriptions, chance: Random
) -> TranscriptionsAssigned:
    """Recordings that nobody holds or has written down well, mixed with known ones; none for the refused.

    Note    known ones that this participant has not had come first; where no other recording is left, none
            is given out
    """
    step = state.transcribe_step
    if state.participant_id in so_far.refused:
        return TranscriptionsAssigned(step=state.step, items=[])
    taken, seen = so_far.taken(), so_far.seen_by(state.participant_id)
    open_ = [one for one in study.transcription if one.gold is None and one.audio not in taken | seen]
    known = [one for one in study.transcription if one.gold is not None]
    chance.shuffle(known)
    known.sort(key=lambda one: one.audio in seen)
    checks = min(len(known), max(step.least_gold, round(step.gold * step.each)))
    chosen = open_[: max(1, step.each - checks)]
    if not chosen:
        return TranscriptionsAssigned(step=state.step, items=[])
    items = [*chosen, *known[:checks]]
    chance.shuffle(items)
    return TranscriptionsAssigned(step=state.step, items=[_logged(one) for one in items])


def _logged(item: TranscriptionItem) -> LoggedItem:
    return LoggedItem(
        audio=item.audio, dialogue_id=item.dialogue_id, turn_index=item.turn_index, gold=item.gold is not None
    )


def given(study: Study, state: VisitState, text: str, unclear: bool, now: datetime) -> TranscriptGiven:
    """What was written down of the recording that is due.

    Raises  Refused: `empty` without words where it was not said to be unclear; `too_long`
    """
    step, item = state.transcribe_step, state.transcriptions[state.position]
    words = " ".join(text.split())
    if len(words) > LONGEST_TRANSCRIPT:
        raise Refused("too_long", f"{len(words)} of {LONGEST_TRANSCRIPT} characters")
    if not words and not unclear:
        raise Refused("empty")
    planned = study.item(item.audio)
    errors = reference = None
    if planned is not None and planned.gold is not None:
        counts = align(spoken(planned.gold), [] if unclear else spoken(words))
        errors, reference = counts.errors, counts.reference_count
    return TranscriptGiven(
        step=state.step, position=state.position, item=item, text=None if unclear else words, errors=errors,
        words=reference, prefilled=step.prefill and planned is not None and planned.hypothesis is not None,
        response_s=max(0.0, (now - state.transcribing[-1].at).total_seconds()),
    )  # fmt: skip


def finished(state: VisitState) -> TranscriptionsFinished | None:
    """The end of a participant's work: all is written down, or enough to see that it is not accurate."""
    step = state.transcribe_step
    accuracy, checks = accuracy_of(state)
    over = state.position >= len(state.transcriptions)
    judged = checks >= step.least_gold
    accurate = accuracy is None or accuracy >= step.accuracy
    if not over and (not judged or accurate):
        return None
    return TranscriptionsFinished(step=state.step, accuracy=accuracy, gold=checks, accepted=accurate)


def accuracy_of(state: VisitState) -> tuple[float | None, int]:
    """Word accuracy over all known recordings written down so far, and how many they are."""
    checked = [
        one.event
        for one in state.transcribing
        if isinstance(one.event, TranscriptGiven) and one.event.errors is not None
    ]
    words = sum(one.words or 0 for one in checked)
    errors = sum(one.errors or 0 for one in checked)
    return (1 - errors / words if words else None), len(checked)


def held_since(now: datetime) -> datetime:
    """From when on a participant must have done something to keep the recordings that he was given."""
    return now - HELD_FOR
