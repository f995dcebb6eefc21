"""Protocols of studies on spoken commands."""

from pathlib import Path
from typing import Final

from vivavoce.study.presets import StudyProtocol

SUGAR_2018: Final = StudyProtocol("sugar-2018", Path(__file__).parent / "sugar-2018")
