"""Commands answered to from their sound: spoken by a program, heard by a recogniser."""

import asyncio
from pathlib import Path

import pytest

from vivavoce.audio.files import write_sound
from vivavoce.audio.speech import make_synthesiser
from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce_commands.learning.examples import read_recipes
from vivavoce_commands.recognised_commands import hear_commands, recogniser_of

SAID = ("take the onion", "put the pot on the fire")


def recorded(folder: Path, *, sound: bool = True) -> Dataset:
    """Two commands whose text is known to be wrong, with recordings beside the dataset."""
    rows = [
        {
            "command_id": str(number),
            "participant_id": "ada",
            "recipe": "soup",
            "utterance": number,
            "language": "en",
            "text": "something else",
            "simulated": True,
            "recording": f"recordings/{number}.wav" if sound else None,
        }
        for number in (1, 2)
    ]
    with DatasetWriter(folder, study={"name": "kitchen"}, source={"kind": "test"}) as writer:
        writer.add("commands", rows)
        made = writer.close()
    (folder / "recordings").mkdir()
    return made


def test_a_recogniser_hears_what_was_said_whatever_the_transcript_says(tmp_path):
    dataset = recorded(tmp_path / "data")
    for number, text in enumerate(SAID, 1):
        spoken = asyncio.run(make_synthesiser("flite").speak(text, language="en"))
        write_sound(spoken, dataset.folder / "recordings" / f"{number}.wav")
    (tmp_path / "sentences.txt").write_text("\n".join(SAID), encoding="utf-8")
    settings = tmp_path / "listen.yaml"
    settings.write_text("use: pocketsphinx\nsentences: sentences.txt\n", encoding="utf-8")
    heard = hear_commands(dataset, recogniser_of(str(settings)))
    (recipe,) = read_recipes(dataset, annotated=False, heard=heard)
    assert [" ".join(one.words) for one in recipe.commands] == list(SAID)


def test_what_cannot_be_heard_is_told(tmp_path):
    with pytest.raises(InputError, match="no command has a recording"):
        hear_commands(recorded(tmp_path / "mute", sound=False), recogniser_of("pocketsphinx"))
    with pytest.raises(InputError, match="Did you mean 'pocketsphinx'"):
        recogniser_of("pocketsfinx")
    with pytest.raises(InputError, match=r"1\.wav"):
        hear_commands(recorded(tmp_path / "lost"), recogniser_of("pocketsphinx"))
    (tmp_path / "empty.yaml").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="no settings"):
        recogniser_of(str(tmp_path / "empty.yaml"))
