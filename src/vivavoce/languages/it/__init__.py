"""Italian."""

from pathlib import Path

from vivavoce.languages.base import Language

ITALIAN = Language("it", "Italiano", Path(__file__).parent)
