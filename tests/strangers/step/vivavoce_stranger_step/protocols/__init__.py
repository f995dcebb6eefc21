"""A protocol of studies with this step."""

from pathlib import Path

from vivavoce.study.presets import StudyProtocol

LIBRARY_DESK = StudyProtocol("library-desk", Path(__file__).parent / "library-desk")
