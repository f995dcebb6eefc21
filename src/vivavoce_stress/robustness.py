"""Robustness of recognisers: damage recordings of people, recognise them, compare with transcripts.

Every recording is heard by every recogniser in every condition, so that these differ in nothing else. A
recording of a turn is taken whole; of a whole dialogue, the user's channel is cut at the times of its turns.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import Field

from vivavoce.audio.degradation import Degradation, damaged
from vivavoce.audio.files import read_sound, read_tracks
from vivavoce.audio.recognition import Recogniser
from vivavoce.audio.sound import Sound
from vivavoce.audio.speech import make_recogniser
from vivavoce.core.errors import InputError
from vivavoce.core.validation import load_model
from vivavoce.dataset.reader import Dataset
from vivavoce.study.voice import Speaking, Speech

Progress = Callable[[int, int], None]
MARGIN_S: Final = 0.25  # before and after a turn that is cut out of a dialogue
ALONE: Final = "recogniser"
_CURE: Final = "export with --audio, and use the accepted transcripts of the same study"


class Trial(Speaking):
    """Recognisers and conditions of a trial.

    listeners   several recognisers by name, to be compared; without them `recogniser` listens alone
    """

    listeners: dict[str, Speech] = Field({}, description="recognisers to compare, by name")
    conditions: dict[str, Degradation] = Field(
        min_length=1, description="degradation by name of the condition"
    )


class Cut(NamedTuple):
    """Place of a turn in a recording of a whole dialogue."""

    channel: int
    from_s: float
    to_s: float


class Recorded(NamedTuple):
    """A recording of one turn, or of a dialogue with it, and the accepted transcript of the turn."""

    file: Path
    speaker: str
    language: str
    said: str
    turn: tuple[str, int] = ("", 0)
    cut: Cut | None = None

    def sound(self) -> Sound:
        """The turn alone. Raises InputError: the file is no sound."""
        if self.cut is None:
            return read_sound(self.file)
        channel_sound = read_tracks(self.file).channel(self.cut.channel)
        first, last = (round(second * channel_sound.rate_hz) for second in (self.cut.from_s, self.cut.to_s))
        return Sound(channel_sound.samples[max(0, first) : max(0, last)], channel_sound.rate_hz)


class HeardTurn(NamedTuple):
    """A recogniser's text of a recording in a condition, "" for nothing."""

    listener: str
    condition: str
    speaker: str
    said: str
    heard: str


def read_trial(path: Path) -> Trial:
    """A file with `recogniser` and `conditions`.

    Raises  InputError: names the first thing that is wrong, with its line
    """
    return load_model(path, Trial, empty={})


def recorded_turns(dataset: Dataset, said: Mapping[tuple[str, int], str]) -> list[Recorded]:
    """Recordings of people's turns that have an accepted transcript, in the dataset's order.

    Raises  InputError: there is none, or its file was not exported
    """
    languages = {row["dialogue_id"]: row["language"] for row in dataset.read("dialogues").to_pylist()}
    times = _times(dataset)
    turns: dict[tuple[str, int], Recorded] = {}
    for row in dataset.read("recordings").to_pylist():
        if row["content"] not in ("turn", "dialogue") or row["simulated"] or row["removed_at"]:
            continue
        for turn, cut in _turns_in(row, times):
            if not (text := said.get(turn)) or not row["file"] or (cut is not None and turn in turns):
                continue
            file = dataset.folder / row["file"]
            if not file.is_file():
                problem = f"file {row['file']} not found"
                raise InputError(problem, place=str(dataset.folder), hint="export with --audio")
            turns[turn] = Recorded(file, row["participant_id"], languages[turn[0]], text, turn, cut)
    if not turns:
        problem = "no recorded participant turn has an accepted transcript"
        raise InputError(problem, place=str(dataset.folder), hint=_CURE)
    return list(turns.values())


def _times(dataset: Dataset) -> dict[str, list[tuple[int, float, float]]]:
    """Index, onset and offset of the user's turns whose both ends are known, by dialogue."""
    times: dict[str, list[tuple[int, float, float]]] = {}
    for row in dataset.read("turns").to_pylist():
        if row["party"] == "user" and row.get("onset_s") is not None and row.get("offset_s") is not None:
            times_of_turn = row["turn_index"], row["onset_s"], row["offset_s"]
            times.setdefault(row["dialogue_id"], []).append(times_of_turn)
    return times


def _turns_in(
    row: Mapping[str, Any], times: Mapping[str, list[tuple[int, float, float]]]
) -> Iterator[tuple[tuple[str, int], Cut | None]]:
    """The turns that a recording holds, and where; of a dialogue, those that begin and end in it."""
    if row["content"] == "turn":
        yield (row["dialogue_id"], row["turn_index"]), None
        return
    speakers, started_s = row["speakers"].split(), row["started_s"] or 0.0
    for index, onset_s, offset_s in times.get(row["dialogue_id"], ()) if "user" in speakers else ():
        from_s, to_s = onset_s - started_s, offset_s - started_s
        if from_s >= 0 and to_s <= row["duration_s"]:
            cut = Cut(speakers.index("user"), from_s - MARGIN_S, to_s + MARGIN_S)
            yield (row["dialogue_id"], index), cut


async def hear(
    recordings: list[Recorded], trial: Trial, folder: Path, *, seed: int = 1, progress: Progress | None = None
) -> list[HeardTurn]:
    """Every recording in every condition, one after another.

    Raises  InputError: a wrong setting, or a file that is no sound; RecognitionError: the recogniser failed
    """
    heard_turns: list[HeardTurn] = []
    languages = dict.fromkeys(recording.language for recording in recordings)
    listeners = {
        (name, language): make_recogniser(raw, folder=folder, place=f"{name} for {language}")
        for language in languages
        for name, raw in _listeners(trial, language).items()
    }
    try:
        for number, recorded in enumerate(recordings, 1):
            sound = await asyncio.to_thread(recorded.sound)
            for condition, damage in trial.conditions.items():
                damaged_sound = await asyncio.to_thread(damaged, sound, damage, _seed(seed, recorded))
                for name in _listeners(trial, recorded.language):
                    listener: Recogniser = listeners[name, recorded.language]
                    hypotheses = await listener.recognise(damaged_sound.sound, language=recorded.language)
                    words = hypotheses[0].text if hypotheses else ""
                    heard_turns.append(HeardTurn(name, condition, recorded.speaker, recorded.said, words))
            if progress is not None:
                progress(number, len(recordings))
    finally:
        for listener in listeners.values():
            await listener.close()
    return heard_turns


def _listeners(trial: Trial, language: str) -> dict[str, Speech]:
    return trial.listeners or {ALONE: trial.listener(language.split("-")[0])}


def _seed(seed: int, one: Recorded) -> str:
    """Seed for the noise of a turn, independent of other turns."""
    return f"{seed}:{one.file.name}" + ("" if one.cut is None else f":{one.turn[1]}")


def conditions_of(trial: Trial) -> dict[str, Any]:
    """The damage of each condition, as it is told with the figures."""
    return {name: damage.model_dump(mode="json") for name, damage in trial.conditions.items()}
