"""The reference page says what the models say."""

from pathlib import Path

from vivavoce.study.file import Limits, StudyFile
from vivavoce.study.reference import study_reference

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "study-file.md"


def test_the_page_has_not_drifted_from_the_models():
    """Mend it with: python -m vivavoce.study.reference > docs/reference/study-file.md"""
    assert PAGE.read_text(encoding="utf-8") == study_reference()


def test_every_key_is_explained():
    for model in (StudyFile, Limits):
        for name, field in model.model_fields.items():
            assert field.description, name
            assert f"| `{name}` |" in study_reference()
