"""Recognisers and synthesisers from settings, as a study file has them.

Those behind a network are known once `vivavoce.connectors.speech` is imported, which has the same two
functions.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vivavoce.audio import recognition, synthesis
from vivavoce.audio.factory import make_kind
from vivavoce.audio.moonshine import Moonshine
from vivavoce.audio.pocketsphinx import Pocketsphinx
from vivavoce.audio.recognition import RECOGNISERS, Recogniser
from vivavoce.audio.synthesis import SYNTHESISERS, Synthesiser
from vivavoce.audio.voices import EspeakNG, Festival, Flite, Prompts
from vivavoce.audio.whisper import Whisper

RECOGNISERS.add(Pocketsphinx.name, Pocketsphinx)
RECOGNISERS.add(Moonshine.name, Moonshine)
RECOGNISERS.add(Whisper.name, Whisper)
SYNTHESISERS.add(Flite.name, Flite)
SYNTHESISERS.add(EspeakNG.name, EspeakNG)
SYNTHESISERS.add(Festival.name, Festival)
SYNTHESISERS.add(Prompts.name, Prompts)


def make_recogniser(
    raw: Mapping[str, Any] | str, *, secrets: Mapping[str, str] | None = None, folder: Path | None = None,
    place: str = "",
) -> Recogniser:  # fmt: skip
    """The recogniser that the settings describe, or that has this name.

    Raises  InputError: names the wrong setting, or the package to install
    """
    return make_kind(RECOGNISERS, recognition.GROUP, raw, secrets=secrets, folder=folder, place=place)


def make_synthesiser(
    raw: Mapping[str, Any] | str, *, secrets: Mapping[str, str] | None = None, folder: Path | None = None,
    place: str = "",
) -> Synthesiser:  # fmt: skip
    """The synthesiser that the settings describe, or that has this name.

    Raises  InputError: names the wrong setting, or the program to install
    """
    return make_kind(SYNTHESISERS, synthesis.GROUP, raw, secrets=secrets, folder=folder, place=place)
