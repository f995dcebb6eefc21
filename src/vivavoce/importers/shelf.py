"""The shelf of importers, by the format that they read."""

from typing import Final

from vivavoce.core.shelf import Shelf
from vivavoce.importers.base import Importer

IMPORTERS: Final[Shelf[Importer]] = Shelf("format", Importer, group="vivavoce.importers")
