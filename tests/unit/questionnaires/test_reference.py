"""The reference page says what the instruments say."""

from pathlib import Path

from vivavoce.questionnaires.reference import questionnaires_reference

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "questionnaires.md"


def test_the_page_has_not_drifted_from_the_instruments():
    """Mend it with: python -m vivavoce.questionnaires.reference > docs/reference/questionnaires.md"""
    assert PAGE.read_text(encoding="utf-8") == questionnaires_reference()
