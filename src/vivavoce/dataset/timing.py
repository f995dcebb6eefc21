"""Times of turns from the sound: a copy of a dataset in which recordings say who spoke when."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple, cast

from vivavoce.audio.files import read_tracks
from vivavoce.audio.turns import Party, SpokenTurn, speech_of, turns_of_speech
from vivavoce.audio.voice_activity import SpeechInterval
from vivavoce.core.errors import InputError
from vivavoce.core.paths import is_same, resolve_path
from vivavoce.core.statement import statement
from vivavoce.dataset.copying import copy_dataset
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.reconciliation import Reconciled, reconciled

Row = dict[str, Any]

SOUND: Final = "sound"
_TIMES: Final = ("onset_s", "offset_s", "sent_s", "first_output_s", "complete_s")
_FAR_S: Final = 10.0
UNPAIRED: Final = "no turn of the recording goes with it, in order and party"


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
        raise InputError("no such folder", place=str(folder), hint="name a folder with recordings")
    names = set(dataset.read("dialogues").column("dialogue_id").to_pylist())
    files = [path for path in sorted(folder.iterdir()) if path.suffix.lower() in (".wav", ".flac")]
    sources = {path.stem: [SoundSource(path, tuple(speakers), 0.0)] for path in files if path.stem in names}
    if not sources:
        raise InputError(
            f"none of {len(files)} sound files is named after a dialogue",
            place=str(folder),
            hint="name them <dialogue_id>.wav or <dialogue_id>.flac",
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
        raise InputError("the new dataset would replace the old", place="--into", hint="name another folder")
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
