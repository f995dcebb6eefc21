"""What to type where an extra is missing."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from vivavoce.core import extras

TEXTS = (".md", ".yml", ".yaml", ".py", ".tmpl", ".toml")
BY_NAME = re.compile(r"pip install ['\"]?vivavoce\b(?!\[\{extra\}\] @)|vivavoce\[\$")


@pytest.fixture(autouse=True)
def _forgetful() -> Iterator[None]:
    extras.install_command.cache_clear()
    yield
    extras.install_command.cache_clear()


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        ({"url": "file://HERE/my%20wheel.whl", "archive_info": {}}, "pip install 'HERE/my wheel.whl[docx]'"),
        ({"url": "file://HERE", "dir_info": {"editable": True}}, "pip install -e 'HERE[docx]'"),
        (
            {"url": "file:///gone/v.whl", "archive_info": {}},
            "pip install './vivavoce-9-py3-none-any.whl[docx]'",
        ),
        ({"url": "https://h/v.whl", "archive_info": {}}, "pip install 'vivavoce[docx] @ https://h/v.whl'"),
        (None, "pip install './vivavoce-9-py3-none-any.whl[docx]'"),
    ],
)
def test_an_extra_is_installed_from_where_vivavoce_came_from_and_never_by_a_name_that_nobody_owns(
    origin: object, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = tmp_path / "vivavoce-9.dist-info"
    facts.mkdir()
    (tmp_path / "my wheel.whl").touch()
    (facts / "METADATA").write_text("Name: vivavoce\nVersion: 9\n", "utf-8")
    if origin is not None:
        (facts / "direct_url.json").write_text(json.dumps(origin).replace("HERE", str(tmp_path)), "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert extras.install_command("docx") == command.replace("HERE", str(tmp_path))


def test_no_page_and_no_template_installs_by_a_name_that_nobody_owns() -> None:
    root = Path(__file__).parents[3]
    rooms = (root / room for room in ("docs", "deploy", "examples", "src"))
    pages = [root / "README.md", *(page for room in rooms for page in room.rglob("*.*"))]
    texts = {page: page.read_text("utf-8", errors="ignore") for page in pages if page.suffix in TEXTS}
    assert [page for page, text in texts.items() if BY_NAME.search(text)] == []
