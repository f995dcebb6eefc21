"""Reading transcripts one at a time: drawing a participant's, and what each rating becomes in the log."""

from collections.abc import Set
from datetime import datetime

from vivavoce.log.event import LoggedRating
from vivavoce.log.rating_events import (
    LoggedReading,
    TranscriptRated,
    TranscriptsAssigned,
    TranscriptsFinished,
)
from vivavoce.study.model import Study
from vivavoce.study.pairs import length
from vivavoce.study.rating_plan import reading_plan
from vivavoce.trial.state import VisitState


def transcripts_assigned(study: Study, state: VisitState, taken: Set[int]) -> TranscriptsAssigned:
    """The participant's transcripts: the plan of the first slot that is not taken."""
    step = state.rate_step
    slot = next(number for number in range(len(taken) + 1) if number not in taken)
    transcripts = [
        LoggedReading(
            pair_id=one.pair.pair_id, variable=one.pair.variable, change=one.pair.change,
            version=one.version, level=one.level, role=one.role,
        )
        for one in reading_plan(step, study.pairs, slot)
    ]  # fmt: skip
    return TranscriptsAssigned(step=state.step, slot=slot, seed=step.seed, transcripts=transcripts)


def transcript_rated(
    study: Study, state: VisitState, wording: str, ratings: list[LoggedRating], now: datetime
) -> TranscriptRated:
    """The ratings of the transcript that is due."""
    read = state.readings[state.position]
    text = study.pair(read.pair_id).text[state.language]
    return TranscriptRated(
        step=state.step, position=state.position, pair_id=read.pair_id, shown=read.version,
        language=state.language, digest=text.digest, tokens=length(text.version(read.version)),
        instrument=state.rate_step.name, wording=wording,
        response_s=max(0.0, (now - state.reading[-1].at).total_seconds()), ratings=ratings,
    )  # fmt: skip


def transcripts_finished(state: VisitState) -> TranscriptsFinished:
    """The whole step: how long it took."""
    rated = [one.event for one in state.reading if isinstance(one.event, TranscriptRated)]
    return TranscriptsFinished(step=state.step, total_s=sum(one.response_s for one in rated))
