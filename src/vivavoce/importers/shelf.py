"""The shelf of importers, by the format that they read."""

from typing import Final

from vivavoce.core.registry import Registry
from vivavoce.importers.base import Importer

IMPORTERS: Final[Registry[Importer]] = Registry("format", Importer, group="vivavoce.importers")
