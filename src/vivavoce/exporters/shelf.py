"""The shelf of exporters, by the format that they write."""

from typing import Final

from vivavoce.core.registry import Registry
from vivavoce.exporters.base import Exporter

EXPORTERS: Final[Registry[Exporter]] = Registry("format of export", Exporter, group="vivavoce.exporters")
