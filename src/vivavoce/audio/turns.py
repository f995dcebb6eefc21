"""Turns of a recording that has a channel for each party: who spoke from when to when, and who cut in.

```python
from pathlib import Path
from vivavoce.audio.files import read_tracks
from vivavoce.audio.turns import speech_of, turns_of_speech

turns = turns_of_speech(speech_of(read_tracks(Path("call.flac")), ("user", "system")))
turns[0].party, turns[0].onset_s, turns[0].barge_in
```
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from vivavoce.audio.files import Tracks
from vivavoce.audio.voice_activity import SpeechInterval, speech_intervals
from vivavoce.core.errors import InputError

Party = Literal["user", "system"]
Speech = Mapping[Party, Sequence[SpeechInterval]]

SHORTEST_OVERLAP_S: Final = 0.1


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """A turn as the sound shows it, in seconds from the start of the recording.

    overlap_s   how long the other party spoke during it
    barge_in    the other party was speaking when it began, and for 0.1 s at least both spoke
    delay_s     from the other party's last offset to this onset, negative where it overlaps; None where the
                other has not spoken since this party's last turn
    """

    party: Party
    onset_s: float
    offset_s: float
    overlap_s: float = 0.0
    barge_in: bool = False
    delay_s: float | None = None


def speech_of(
    tracks: Tracks, speakers: Sequence[Party], *, started_s: float = 0.0
) -> dict[Party, list[SpeechInterval]]:
    """Stretches of speech by party.

    Input   speakers: who is heard on each channel; started_s: what to add to every time
    Note    a microphone that also hears the loudspeaker makes one party's speech look like both parties':
            record with headsets, or each channel before it is mixed
    Raises  InputError: not one speaker a channel, or one party twice
    """
    if len(speakers) != tracks.channels or len(set(speakers)) != len(speakers):
        problem = f"{tracks.channels} channels, speakers {', '.join(speakers) or 'none'}"
        raise InputError(problem, place="recording", hint="give a channel for each party, and name both")
    return {
        party: [
            SpeechInterval(speech_interval.onset_s + started_s, speech_interval.offset_s + started_s)
            for speech_interval in speech_intervals(tracks.channel(number))
        ]
        for number, party in enumerate(speakers)
    }


def turns_of_speech(speech: Speech) -> list[SpokenTurn]:
    """Turns in the order of their onsets.

    Stretches of one party are one turn as long as the other does not speak between them. A word put in while
    the other goes on is a turn of its own, and does not part the other's.

    Empty   nobody speaks: no turns
    """
    turns: list[SpokenTurn] = []
    for party, stretches in speech.items():
        other_intervals = [
            interval for other_party, theirs in speech.items() if other_party != party for interval in theirs
        ]
        for stretch in stretches:
            last = turns[-1] if turns and turns[-1].party == party else None
            if last is None or _speaks(other_intervals, last.offset_s, stretch.onset_s):
                turns.append(SpokenTurn(party, *stretch))
            else:
                turns[-1] = replace(last, offset_s=stretch.offset_s)
    turns.sort(key=lambda turn: (turn.onset_s, turn.offset_s))
    return beside(turns)


def beside(turns: Sequence[SpokenTurn]) -> list[SpokenTurn]:
    """The turns, in the order of their onsets, with what the other party does before and during each."""
    return [_beside(turns, number) for number in range(len(turns))]


def _speaks(stretches: Sequence[SpeechInterval], start_s: float, end_s: float) -> bool:
    return any(stretch.onset_s < end_s and stretch.offset_s > start_s for stretch in stretches)


def _beside(turns: Sequence[SpokenTurn], number: int) -> SpokenTurn:
    """The turn, with what the other party does before and during it."""
    turn = turns[number]
    other_turns = [candidate for candidate in turns if candidate.party != turn.party]
    overlaps = [
        (
            min(candidate.offset_s, turn.offset_s) - max(candidate.onset_s, turn.onset_s),
            candidate.onset_s < turn.onset_s,
        )
        for candidate in other_turns
    ]
    return replace(
        turn,
        overlap_s=sum(max(0.0, length) for length, _ in overlaps),
        barge_in=any(length >= SHORTEST_OVERLAP_S and earlier for length, earlier in overlaps),
        delay_s=_delay(turns, number),
    )


def _delay(turns: Sequence[SpokenTurn], number: int) -> float | None:
    before = turns[number - 1] if number else None
    if before is None or before.party == turns[number].party:
        return None
    return turns[number].onset_s - before.offset_s
