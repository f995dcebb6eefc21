"""Esperanto."""

from pathlib import Path

from vivavoce.languages.base import Language

ESPERANTO = Language("eo", "Esperanto", Path(__file__).parent)
