"""Reconciliation of the log's utterances with those of the recording.

The service cut what people said into turns itself, and knows when each of its own turns was heard. So two
turns of one party with nothing of the other between them stay two, and what a program asked in a silence is
not taken for its answer. What the two do not agree on is left out, with the reason.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from vivavoce.audio.turns import Party, SpokenTurn, beside
from vivavoce.audio.voice_activity import SpeechInterval

Row = dict[str, Any]

MARGIN_S: Final = 0.3  # speech may reach so far beyond what the service took for it
AGREE_S: Final = 0.6  # ends of a person's speech that lie farther apart are not the same
NO_SPEECH: Final = "no speech in the recording where the log has the turn"
ENDS_DIFFER: Final = "log and recording differ by {by:.1f} s on where speech {ends}"
NOT_LOGGED: Final = "the log does not say when it was spoken"
WRITTEN: Final = "it was written"


class Reconciled(NamedTuple):
    """The utterances of a dialogue in the sound.

    turns    turn_index and what the sound shows of it
    missing  turn_index and why nothing is said of it
    others   what was heard besides: what was asked in a silence, what nobody understood
    strange  stretches of speech that the log knows nothing of
    unpaired  of the others, turns of the sound
    """

    turns: dict[int, SpokenTurn]
    missing: dict[int, str]
    others: list[SpokenTurn]
    strange: list[SpeechInterval]
    unpaired: int = 0


def reconciled(
    turns: Sequence[Row], utterances: Sequence[Row], speech: Mapping[Party, Sequence[SpeechInterval]]
) -> Reconciled:
    """Every utterance of the log with the stretches of speech that lie in it.

    turns       rows of `turns`; utterances: rows of `utterances`, both of one dialogue
    speech      by party, on the clock of the log
    """
    spoken_by_turn: dict[int, SpokenTurn] = {}
    spoken_turns: list[SpokenTurn] = []
    missing = {row["turn_index"]: NOT_LOGGED if row.get("sent_s") is None else WRITTEN for row in turns}
    strange: list[SpeechInterval] = []
    for party in ("user", "system"):
        logged = sorted(
            (utterance for utterance in utterances if utterance["party"] == party),
            key=lambda turn: turn["onset_s"],
        )
        stretches = list(speech.get(party, ()))
        claimed: set[int] = set()
        for number, turn in enumerate(logged):
            window = _window(logged, number)
            inside = [
                (
                    index,
                    SpeechInterval(
                        max(stretch.onset_s, window.onset_s), min(stretch.offset_s, window.offset_s)
                    ),
                )
                for index, stretch in enumerate(stretches)
                if stretch.onset_s < window.offset_s and stretch.offset_s > window.onset_s
            ]
            claimed |= {index for index, _ in inside}
            problem = _problem(turn, [part for _, part in inside])
            if problem is not None:
                if turn["turn_index"] is not None:
                    missing[turn["turn_index"]] = problem
                continue
            spoken = SpokenTurn(party, inside[0][1].onset_s, inside[-1][1].offset_s)
            if turn["turn_index"] is None:
                spoken_turns.append(spoken)
            else:
                spoken_by_turn[turn["turn_index"]] = spoken
                missing.pop(turn["turn_index"], None)
        strange += [stretch for index, stretch in enumerate(stretches) if index not in claimed]
    return _told_beside(spoken_by_turn, missing, spoken_turns, strange)


def _window(logged: Sequence[Row], number: int) -> SpeechInterval:
    """Window of an utterance's speech: slightly longer than itself, without its neighbours."""
    turn = logged[number]
    earliest_s = logged[number - 1]["offset_s"] if number else float("-inf")
    latest_s = logged[number + 1]["onset_s"] if number + 1 < len(logged) else float("inf")
    onset_s = max(turn["onset_s"] - MARGIN_S, min(earliest_s, turn["onset_s"]))
    return SpeechInterval(onset_s, min(turn["offset_s"] + MARGIN_S, max(latest_s, turn["offset_s"])))


def _problem(turn: Row, inside: Sequence[SpeechInterval]) -> str | None:
    """Reason why the sound does not show this utterance; None if it does.

    Note  what the system says may begin and end with silence of its own; what people say was cut where
          speech began and ended
    """
    if not inside:
        return NO_SPEECH
    if turn["party"] == "user":
        for ends, by in (
            ("begins", abs(inside[0].onset_s - turn["onset_s"])),
            ("ends", abs(inside[-1].offset_s - turn["offset_s"])),
        ):
            if by > AGREE_S:
                return ENDS_DIFFER.format(by=by, ends=ends)
    return None


def _told_beside(
    by_turn: dict[int, SpokenTurn],
    missing: dict[int, str],
    other_turns: list[SpokenTurn],
    strange: list[SpeechInterval],
) -> Reconciled:
    """The turns, with each party's speech before and during an utterance of the other."""
    keyed: list[tuple[int | None, SpokenTurn]] = [*by_turn.items(), *((None, turn) for turn in other_turns)]
    keyed.sort(key=lambda pair: (pair[1].onset_s, pair[1].offset_s))
    flagged = beside([turn for _, turn in keyed])
    return Reconciled(
        {key: turn for (key, _), turn in zip(keyed, flagged, strict=True) if key is not None},
        missing,
        [turn for (key, _), turn in zip(keyed, flagged, strict=True) if key is None],
        strange,
    )
