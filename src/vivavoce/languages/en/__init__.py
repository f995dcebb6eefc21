"""English: what is said aloud and by simulated users; all other words of it stand in the code."""

from pathlib import Path

from vivavoce.languages.base import Language

ENGLISH = Language("en", "English", Path(__file__).parent)
