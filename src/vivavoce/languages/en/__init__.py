"""English texts for speech and simulated users; all other English is in the code."""

from pathlib import Path

from vivavoce.languages.base import Language

ENGLISH = Language("en", "English", Path(__file__).parent)
