"""The reference page says what the measures say."""

from pathlib import Path

from vivavoce.dataset.annotation_layers import LAYERS
from vivavoce.measures import MEASURES
from vivavoce.measures.reference import measures_reference

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "measures.md"


def test_the_page_has_not_drifted_from_the_measures() -> None:
    """Mend it with: python -m vivavoce.measures.reference > docs/reference/measures.md"""
    assert PAGE.read_text(encoding="utf-8") == measures_reference()


def test_every_measure_and_every_layer_stands_on_the_page() -> None:
    page = measures_reference()
    assert [name for name in (*MEASURES.names(), *LAYERS) if f"`{name}`" not in page] == []
