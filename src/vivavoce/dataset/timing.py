"""Times of turns from the sound: a copy of a dataset in which recordings say who spoke when.

Utterances of the log are reconciled with those of the recording. The service cut the turns itself and knows
when each of its own turns was heard. So two turns of one party with nothing of the other between them stay
two, and a program's question in a silence is not taken for its answer. Turns on which log and recording
disagree are left out, with the reason.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple, cast

from vivavoce.audio.files import read_tracks
from vivavoce.audio.turns import Party, SpokenTurn, beside, speech_of, turns_of_speech
from vivavoce.audio.voice_activity import SpeechInterval
from vivavoce.core.errors import InputError
from vivavoce.core.paths import is_same, resolve_path
from vivavoce.core.statement import statement
from vivavoce.dataset.copying import copy_dataset
from vivavoce.dataset.reader import Dataset

Row = dict[str, Any]

MARGIN_S: Final = 0.3  # speech may reach so far beyond what the service took for it
AGREE_S: Final = 0.6  # ends of a person's speech that lie farther apart are not the same
NO_SPEECH: Final = "the recording has no speech at this turn"
ENDS_DIFFER: Final = "log and recording differ by {by:.1f} s on where speech {ends}"
NOT_LOGGED: Final = "the log has no speaking time"
WRITTEN: Final = "typed turn"


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


SOUND: Final = "sound"
_TIMES: Final = ("onset_s", "offset_s", "sent_s", "first_output_s", "complete_s")
_FAR_S: Final = 10.0
UNPAIRED: Final = "the recording has no matching turn, in order and party"


class SoundSource(NamedTuple):
    """A recording of a dialogue; `started_s` after the dialogue's start, `placed` clips of it untimed.

    on_clock  whether the log says when it began
    """

    path: Path
    speakers: tuple[Party, ...]
    started_s: float
    placed: int = 0
    on_clock: bool = False


class DialogueTiming(NamedTuple):
    """Result of the timing of one dialogue.

    logged   turns of the log; spoken: turns of the sound; timed: turns of the log that the sound shows
    cut      the log knows from when to when each was: the service cut or played them itself
    besides  what was heard and is no turn: what was asked in a silence, what nobody understood
    strange  stretches of speech that the log knows nothing of
    missing  why turns have no times, and how many of each
    """

    dialogue_id: str
    logged: int
    spoken: int
    timed: int
    cut: bool = False
    besides: int = 0
    strange: int = 0
    missing: Mapping[str, int] = MappingProxyType({})


def recorded_dialogues(dataset: Dataset) -> dict[str, list[SoundSource]]:
    """Recordings of whole dialogues that lie in the dataset, by dialogue."""
    by_dialogue: dict[str, list[SoundSource]] = defaultdict(list)
    for row in dataset.read("recordings").to_pylist():
        if row["content"] == "dialogue" and row["dialogue_id"] and row["file"] and row["channels"] == 2:
            path, speakers = dataset.folder / row["file"], tuple(row["speakers"].split())
            if path.is_file():
                by_dialogue[row["dialogue_id"]].append(
                    SoundSource(
                        path,
                        cast("tuple[Party, ...]", speakers),
                        row["started_s"] or 0.0,
                        row.get("clips_placed") or 0,
                        row["started_s"] is not None,
                    )
                )
    return dict(by_dialogue)


def recordings_in(folder: Path, dataset: Dataset, speakers: Sequence[Party]) -> dict[str, list[SoundSource]]:
    """Files of a folder that are named after dialogues: `<dialogue_id>.wav` or `.flac`.

    Raises  InputError: no such folder, or no file in it that a dialogue is named after
    """
    folder = resolve_path(folder)
    if not folder.is_dir():
        raise InputError("folder not found", place=str(folder), hint="choose a folder with recordings")
    names = set(dataset.read("dialogues").column("dialogue_id").to_pylist())
    files = [path for path in sorted(folder.iterdir()) if path.suffix.lower() in (".wav", ".flac")]
    sources = {path.stem: [SoundSource(path, tuple(speakers), 0.0)] for path in files if path.stem in names}
    if not sources:
        raise InputError(
            f"none of {len(files)} audio files is named after a dialogue",
            place=str(folder),
            hint="use names such as <dialogue_id>.wav or <dialogue_id>.flac",
        )
    return sources


def time_from_sound(
    dataset: Dataset,
    sources: dict[str, list[SoundSource]],
    into: Path,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[Dataset, list[DialogueTiming]]:
    """Copy a dataset; dialogues that were recorded get the times that the sound shows.

    Note    a dialogue is timed by sound or by the log, never by both: turns that the sound does not show
            lose the times that the log gave them
    Raises  InputError: the copy would lie over the dataset itself; a recording cannot be read
    """
    if is_same(into, dataset.folder):
        raise InputError(
            "the new dataset would replace the old one", place="--into", hint="choose another folder"
        )
    dataset = dataset.everything
    logged, utterances = (_by_dialogue(dataset, name) for name in ("turns", "utterances"))
    for turns in logged.values():
        turns.sort(key=lambda turn: turn["turn_index"])
    spoken: dict[str, list[SpokenTurn]] = {}
    timings: list[DialogueTiming] = []
    for number, (dialogue_id, parts) in enumerate(sources.items()):
        turns, cut = logged[dialogue_id], utterances.get(dialogue_id, [])
        on_clock = all(part.on_clock for part in parts)
        spoken[dialogue_id], timing = _retimed(dialogue_id, turns, cut if on_clock else [], _speech(parts))
        timings.append(timing)
        report(number + 1, len(sources))
    guessed = sum(any(part.placed for part in parts) for parts in sources.values())
    return _copied(dataset, logged, spoken, into, guessed), timings


def _by_dialogue(dataset: Dataset, table: str) -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = defaultdict(list)
    for row in dataset.read(table).to_pylist():
        rows[row["dialogue_id"]].append(row)
    return rows


def _speech(parts: Sequence[SoundSource]) -> dict[Party, list[SpeechInterval]]:
    speech: dict[Party, list[SpeechInterval]] = {"user": [], "system": []}
    for part in sorted(parts, key=lambda source: source.started_s):
        for party, stretches in speech_of(
            read_tracks(part.path), part.speakers, started_s=part.started_s
        ).items():
            speech[party] += stretches
    return speech


def _retimed(
    dialogue_id: str,
    turns: Sequence[Row],
    utterances: Sequence[Row],
    speech: dict[Party, list[SpeechInterval]],
) -> tuple[list[SpokenTurn], DialogueTiming]:
    """Give the turns of one dialogue the times of the sound; what was spoken, and what is told of it."""
    matched = match_turns(turns, utterances, speech)
    for turn in turns:
        turn.update(dict.fromkeys(_TIMES))
        spoken_turn = matched.turns.get(turn["turn_index"])
        turn["onset_s"], turn["offset_s"] = (
            (spoken_turn.onset_s, spoken_turn.offset_s) if spoken_turn else (None, None)
        )
        turn["untimed"] = matched.missing.get(turn["turn_index"])
        if turn["party"] == "user":
            turn["barge_in"] = spoken_turn.barge_in if spoken_turn else None
    timing = DialogueTiming(
        dialogue_id,
        len(turns),
        len(matched.turns) + matched.unpaired,
        len(matched.turns),
        bool(utterances),
        len(matched.others),
        len(matched.strange),
        Counter(matched.missing.values()),
    )
    spoken = [*matched.turns.values(), *matched.others]
    return spoken or turns_of_speech(speech), timing


def match_turns(
    turns: Sequence[Row], utterances: Sequence[Row], speech: Mapping[Party, Sequence[SpeechInterval]]
) -> Reconciled:
    """Match speech to turns: by the log's own times where the service cut the utterances, else in order.

    Input  turns and utterances: rows of one dialogue; speech: by party, on the log's clock
    """
    if utterances:
        return reconciled(turns, utterances, speech)
    spoken = turns_of_speech(speech)
    pairs = dict(pair_turns(turns, spoken))
    unpaired = [speech_turn for number, speech_turn in enumerate(spoken) if number not in pairs.values()]
    return Reconciled(
        {turns[row]["turn_index"]: spoken[column] for row, column in pairs.items()},
        {turn["turn_index"]: UNPAIRED for row, turn in enumerate(turns) if row not in pairs},
        unpaired,
        [],
        len(unpaired),
    )


def pair_turns(turns: Sequence[Row], spoken: Sequence[SpokenTurn]) -> list[tuple[int, int]]:
    """Pair turns of log and sound: in order, of one party, near in time where both have one.

    The cheapest alignment; to leave out a turn costs 1, to pair two that are 10 s or more apart nearly 2.
    """
    rows, columns = len(turns), len(spoken)
    cost = [[float(row + column) for column in range(columns + 1)] for row in range(rows + 1)]
    for row in range(1, rows + 1):
        for column in range(1, columns + 1):
            cost[row][column] = min(
                cost[row - 1][column] + 1,
                cost[row][column - 1] + 1,
                cost[row - 1][column - 1] + _distance(turns[row - 1], spoken[column - 1]),
            )
    row, column, pairs = rows, columns, []
    while row and column:
        apart = _distance(turns[row - 1], spoken[column - 1])
        if cost[row][column] == cost[row - 1][column - 1] + apart:
            row, column = row - 1, column - 1
            pairs.append((row, column))
        elif cost[row][column] == cost[row - 1][column] + 1:
            row -= 1
        else:
            column -= 1
    return pairs[::-1]


def _distance(turn: Row, spoken_turn: SpokenTurn) -> float:
    if turn["party"] != spoken_turn.party:
        return float("inf")
    began = turn.get("onset_s") if turn.get("onset_s") is not None else turn.get("first_output_s")
    return 0.0 if began is None else min(1.9, 1.9 * abs(began - spoken_turn.onset_s) / _FAR_S)


def _copied(
    dataset: Dataset,
    logged: dict[str, list[Row]],
    spoken: dict[str, list[SpokenTurn]],
    into: Path,
    guessed: int,
) -> Dataset:
    def timed(dialogues: Iterator[Row]) -> Iterator[Row]:
        for dialogue in dialogues:
            turns = spoken.get(dialogue["dialogue_id"])
            if turns is not None:
                ends = [turn.offset_s for turn in turns]
                dialogue["duration_s"] = max(ends) - min(turn.onset_s for turn in turns) if ends else None
                dialogue["timing_origin"] = SOUND
            yield dialogue

    template = "{n} of them have clips without page timings: their delays are approximate"
    notes = [statement("{n} dialogues timed from their audio recordings", n=len(spoken))]
    notes += [statement(template, n=guessed)] if guessed else []
    turns = chain.from_iterable(logged.values())
    return copy_dataset(dataset, into, {"dialogues": timed, "turns": lambda _: turns}, notes=notes)
