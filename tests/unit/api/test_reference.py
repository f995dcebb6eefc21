"""The reference pages of the API and of the shelves are those that the code makes."""

from pathlib import Path

import vivavoce as vv
from vivavoce.api.reference import api_reference
from vivavoce.api.registry_reference import shelf_reference
from vivavoce.connectors.factory import CONNECTORS
from vivavoce.core.reference import REFERENCE_PAGES

PLACE = Path(__file__).resolve().parents[3] / "docs" / "reference"


def test_the_page_of_the_api_is_made_from_the_code() -> None:
    """Mend it with: python -m vivavoce.api.reference > docs/reference/python.md"""
    made = api_reference()
    assert (PLACE / "python.md").read_text("utf-8") == made
    assert [name for name in vv.__all__ if f"`{name}`" not in made] == []


def test_the_page_of_a_shelf_is_made_from_the_code() -> None:
    """Mend it with: python -m vivavoce.api.registry_reference SHELF > docs/reference/SHELF.md"""
    for shelf in REFERENCE_PAGES.names():
        assert (PLACE / f"{shelf}.md").read_text("utf-8") == shelf_reference(shelf)


def test_every_setting_of_a_connector_stands_on_its_page() -> None:
    page = shelf_reference("connectors")
    sections = {
        name: page.partition(f"\n## `{name}`\n")[2].partition("\n## ")[0] for name in CONNECTORS.names()
    }
    shared = page.partition("## Settings of all connectors")[2]
    for name, section in sections.items():
        for key in CONNECTORS.get(name).settings.model_fields:
            assert f"| `{key}` |" in section + shared, f"{name}.{key}"
