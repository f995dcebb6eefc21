"""What to type where an extra is missing."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from vivavoce.core import extras


@pytest.fixture(autouse=True)
def _forgetful() -> Iterator[None]:
    extras.install_command.cache_clear()
    yield
    extras.install_command.cache_clear()


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        (
            {"url": "file:///opt/my%20wheels/vivavoce-0.9.0-py3-none-any.whl", "archive_info": {}},
            "pip install '/opt/my wheels/vivavoce-0.9.0-py3-none-any.whl[docx]'",
        ),
        ({"url": "file:///src/vv", "dir_info": {"editable": True}}, "pip install -e '/src/vv[docx]'"),
        ({"url": "https://h/v.whl", "archive_info": {}}, "pip install 'vivavoce[docx] @ https://h/v.whl'"),
        (None, "pip install 'vivavoce[docx]'"),
    ],
)
def test_an_extra_is_installed_from_where_vivavoce_came_from(
    origin: object, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = tmp_path / "vivavoce-9.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Name: vivavoce\nVersion: 9\n", "utf-8")
    if origin is not None:
        (facts / "direct_url.json").write_text(json.dumps(origin), "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert extras.install_command("docx") == command
