"""Word error rates of recordings with known words, by speaker; of a trial see `measures/recognition`."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from vivavoce.core.alignment import ErrorCounts, align
from vivavoce.core.text import spoken_words
from vivavoce.stats.clusters import ratio_interval

Heard = tuple[object, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class WordErrorDifference:
    """Difference of word error rates over the same turns of so many speakers, with its limits.

    worse, better  turns with more, and fewer, errors; `words` said
    Empty          fewer than 2 speakers: no limits
    """

    difference: float
    low: float | None
    high: float | None
    worse: int
    better: int
    words: int
    turns: int
    speakers: int
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WordErrorRate:
    """Errors over words said (may exceed 1), with its limits. Empty: fewer than 2 speakers: no limits."""

    errors: int
    words: int
    word_error_rate: float
    low: float | None
    high: float | None
    speakers: int
    turns: int
    method: str


def word_errors(reference: str, hypothesis: str) -> ErrorCounts:
    """Counts of one alignment, capitals and punctuation at the edges of words left out."""
    return align(spoken_words(reference), spoken_words(hypothesis))


def word_error_difference(
    turns: Iterable[tuple[object, str, str, str]], level: float = 0.95
) -> WordErrorDifference | None:
    """Number of more errors in the same turns in one condition than in another, over words said.

    Input   who spoke (the cluster), what was said, what was heard in this condition, and in the other
    Empty   nothing was said: None
    """
    counts = [
        (speaker, word_errors(reference, heard_a), word_errors(reference, heard_b))
        for speaker, reference, heard_a, heard_b in turns
    ]
    number = {
        speaker: place for place, speaker in enumerate(dict.fromkeys(speaker_id for speaker_id, *_ in counts))
    }
    words = sum(errors.reference_count for _, errors, _ in counts)
    if words == 0:
        return None
    more = [errors_a.errors - errors_b.errors for _, errors_a, errors_b in counts]
    interval = ratio_interval(
        np.array([number[speaker] for speaker, *_ in counts]),
        np.array(more, float),
        np.array([errors_a.reference_count for _, errors_a, _ in counts], float),
        level,
    )
    return WordErrorDifference(
        difference=sum(more) / words,
        low=interval.low,
        high=interval.high,
        worse=sum(difference > 0 for difference in more),
        better=sum(difference < 0 for difference in more),
        words=words,
        turns=len(counts),
        speakers=interval.clusters,
        method=interval.method,
    )


def word_error_rate(heard_turns: Iterable[Heard], level: float = 0.95) -> WordErrorRate | None:
    """Errors over words said, with its interval.

    Input   who spoke (the cluster), what was said, what was heard ("" for nothing)
    Empty   nothing was said: None
    """
    turns = [(speaker, word_errors(reference, was_heard)) for speaker, reference, was_heard in heard_turns]
    number = {
        speaker: place for place, speaker in enumerate(dict.fromkeys(speaker_id for speaker_id, _ in turns))
    }
    count = sum(counts.reference_count for _, counts in turns)
    if count == 0:
        return None
    errors = sum(counts.errors for _, counts in turns)
    interval = ratio_interval(
        np.array([number[speaker] for speaker, _ in turns]),
        np.array([counts.errors for _, counts in turns], float),
        np.array([counts.reference_count for _, counts in turns], float),
        level,
    )
    return WordErrorRate(
        errors=errors,
        words=count,
        word_error_rate=errors / count,
        low=None if interval.low is None else max(0.0, interval.low),
        high=interval.high,
        speakers=interval.clusters,
        turns=len(turns),
        method=interval.method,
    )
