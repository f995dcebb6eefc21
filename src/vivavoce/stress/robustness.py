"""How a recogniser bears damage: recordings of people, damaged, recognised, and held to their transcripts.

Every recording is heard in every condition, so that conditions differ in nothing else.
"""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import Field, ValidationError

from vivavoce.audio.damage import Damage, damaged
from vivavoce.audio.files import read_sound
from vivavoce.audio.recognition import Recogniser
from vivavoce.connectors.speech import make_recogniser
from vivavoce.core.errors import InputError
from vivavoce.core.validation import problems_of
from vivavoce.core.yaml_source import read_yaml
from vivavoce.log.dataset import Dataset
from vivavoce.study.voice import Speaking

Progress = Callable[[int, int], None]
_CURE: Final = "export with --audio, and name the accepted transcripts of that study"


class Trial(Speaking):
    """Who listens, and in which conditions."""

    conditions: dict[str, Damage] = Field(min_length=1, description="damage by the condition's name")


class Recorded(NamedTuple):
    """A recording of one turn, and the accepted transcript of it."""

    file: Path
    speaker: str
    language: str
    said: str


class HeardTurn(NamedTuple):
    """What was recognised of a recording in a condition, "" for nothing."""

    condition: str
    speaker: str
    said: str
    heard: str


def read_trial(path: Path) -> Trial:
    """A file with `recogniser` and `conditions`.

    Raises  InputError: names the first thing that is wrong, with its line
    """
    source = read_yaml(path)
    problems = list(source.problems)
    if not problems:
        try:
            return Trial.model_validate(source.data or {})
        except ValidationError as error:
            problems = problems_of(error, source, Trial)
    raise problems[0].error()


def recorded_turns(dataset: Dataset, said: Mapping[tuple[str, int], str]) -> list[Recorded]:
    """Recordings of people's turns that have an accepted transcript, in the dataset's order.

    Raises  InputError: there is none, or its file was not exported
    """
    languages = {row["dialogue_id"]: row["language"] for row in dataset.read("dialogues").to_pylist()}
    found: list[Recorded] = []
    for row in dataset.read("recordings").to_pylist():
        text = said.get((row["dialogue_id"], row["turn_index"]))
        if row["content"] != "turn" or row["simulated"] or row["removed_at"] or not text or not row["file"]:
            continue
        file = dataset.folder / row["file"]
        if not file.is_file():
            raise InputError(f"no file {row['file']}", place=str(dataset.folder), cure="export with --audio")
        found.append(Recorded(file, row["participant_id"], languages[row["dialogue_id"]], text))
    if not found:
        problem = "no recording of a person's turn has an accepted transcript"
        raise InputError(problem, place=str(dataset.folder), cure=_CURE)
    return found


async def hear(
    recordings: list[Recorded], trial: Trial, folder: Path, *, seed: int = 1, progress: Progress | None = None
) -> list[HeardTurn]:
    """Every recording in every condition, one after another.

    Raises  InputError: a wrong setting, or a file that is no sound; RecognitionError: the recogniser failed
    """
    listeners: dict[str, Recogniser] = {
        language: make_recogniser(
            trial.listener(language.split("-")[0]), folder=folder, place=f"recogniser for {language}"
        )
        for language in dict.fromkeys(one.language for one in recordings)
    }
    heard: list[HeardTurn] = []
    try:
        for number, one in enumerate(recordings, 1):
            sound = await asyncio.to_thread(read_sound, one.file)
            for name, damage in trial.conditions.items():
                made = await asyncio.to_thread(damaged, sound, damage, f"{seed}:{one.file.name}")
                found = await listeners[one.language].recognise(made.sound, language=one.language)
                heard.append(HeardTurn(name, one.speaker, one.said, found[0].text if found else ""))
            if progress is not None:
                progress(number, len(recordings))
    finally:
        for listener in listeners.values():
            await listener.close()
    return heard


def conditions_of(trial: Trial) -> dict[str, Any]:
    """The damage of each condition, as it is told with the figures."""
    return {name: damage.model_dump(mode="json") for name, damage in trial.conditions.items()}
