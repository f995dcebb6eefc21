"""The shelf of importers, by the format that they read."""

from typing import Final

from vivavoce.core.shelf import Shelf
from vivavoce.importers.base import Corpus

IMPORTERS: Final[Shelf[Corpus]] = Shelf("format", Corpus, group="vivavoce.importers")
