"""Recorded commands in words, by a recogniser: what a system is asked that shall answer to sound."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from vivavoce.audio.files import read_sound
from vivavoce.audio.recognition import Recogniser
from vivavoce.audio.speech import make_recogniser
from vivavoce.core.errors import InputError
from vivavoce.core.yaml_source import read_yaml
from vivavoce.dataset.reader import Dataset

Moved = Callable[[int, int], None]


def recogniser_of(name: str) -> Recogniser:
    """A recogniser by name, or from a YAML file with `use` and its settings; files beside it.

    Raises  InputError: unknown, wrongly set, or its package is not installed
    """
    path = Path(name)
    if not path.is_file():
        return make_recogniser(name, place="--recogniser")
    source = read_yaml(path)
    if source.problems:
        raise source.problems[0].error()
    if not isinstance(source.data, Mapping):
        raise InputError(
            "the file has no settings", place=name, hint="write `use:` and the name of the recogniser"
        )
    settings: dict[str, Any] = dict(source.data)
    return make_recogniser(settings, folder=path.parent, place=name)


def hear_commands(dataset: Dataset, recogniser: Recogniser, moved: Moved | None = None) -> dict[str, str]:
    """Transcribe every recorded command with the recogniser; existing transcripts are not used.

    Output  words by command_id; "" where nothing was understood
    Raises  InputError: no command has a recording, or one cannot be read; RecognitionError: it failed
    """
    rows = [row for row in dataset.read("commands").to_pylist() if row["recording"]]
    if not rows:
        hint = "export with --audio, or remove --recogniser"
        raise InputError("no command has a recording", place=str(dataset.folder), hint=hint)
    return asyncio.run(_hear(dataset.folder, rows, recogniser, moved))


async def _hear(
    folder: Path, rows: list[dict[str, Any]], recogniser: Recogniser, moved: Moved | None
) -> dict[str, str]:
    texts: dict[str, str] = {}
    try:
        for number, row in enumerate(rows, 1):
            sound = read_sound(folder / row["recording"])
            hypotheses = await recogniser.recognise(sound, language=row["language"] or "en")
            texts[row["command_id"]] = hypotheses[0].text if hypotheses else ""
            if moved is not None:
                moved(number, len(rows))
    finally:
        await recogniser.close()
    return texts
