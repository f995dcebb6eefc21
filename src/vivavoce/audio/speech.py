"""Recognisers and synthesisers from settings, as a study file has them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vivavoce.audio.factory import make_kind
from vivavoce.audio.recognition import RECOGNISERS, Recogniser
from vivavoce.audio.synthesis import SYNTHESISERS, Synthesiser


def make_recogniser(
    raw: Mapping[str, Any] | str,
    *,
    secrets: Mapping[str, str] | None = None,
    folder: Path | None = None,
    place: str = "",
) -> Recogniser:
    """The recogniser that the settings describe, or that has this name.

    Raises  InputError: names the wrong setting, or the package to install
    """
    return make_kind(RECOGNISERS, raw, secrets=secrets, folder=folder, place=place)


def make_synthesiser(
    raw: Mapping[str, Any] | str,
    *,
    secrets: Mapping[str, str] | None = None,
    folder: Path | None = None,
    place: str = "",
) -> Synthesiser:
    """The synthesiser that the settings describe, or that has this name.

    Raises  InputError: names the wrong setting, or the program to install
    """
    return make_kind(SYNTHESISERS, raw, secrets=secrets, folder=folder, place=place)
