"""The shelf of exporters, by the format that they write."""

from typing import Final

from vivavoce.core.shelf import Shelf
from vivavoce.exporters.base import Exporter

EXPORTERS: Final[Shelf[Exporter]] = Shelf("format of export", Exporter, group="vivavoce.exporters")
