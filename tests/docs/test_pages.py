"""Documentation is tested: links lead somewhere, verbs are explained, snippets are accepted."""

import re
import tomllib
from pathlib import Path

from typer.main import get_command

from vivavoce.cli.main import app
from vivavoce.connectors.factory import make_connector
from vivavoce.core.yaml_source import parse_yaml

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")]
PAGES += sorted((ROOT / "docs").rglob("*.md"))


def test_every_link_of_a_page_leads_to_a_file() -> None:
    missing = []
    for page in PAGES:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
        links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text)
        missing += [(page.name, link) for link in links if not (page.parent / link).exists()]
    assert missing == []


def test_every_verb_stands_in_the_readme_or_the_documentation() -> None:
    written = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    command = get_command(app)
    verbs = [name for name, verb in command.commands.items() if not verb.hidden]  # type: ignore[attr-defined]
    assert len(verbs) >= 10
    assert [verb for verb in verbs if f"vivavoce {verb}" not in written] == []


def test_every_extra_stands_on_the_page_that_says_what_to_install() -> None:
    page = (ROOT / "docs" / "how-to" / "install.md").read_text("utf-8")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert {name for name in extras if f"`{name}`" not in page} == {"build", "dev", "docs"}


def test_the_systems_of_the_readme_are_accepted_by_their_connectors() -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.S)
    systems = [
        settings
        for block in blocks
        for settings in parse_yaml(block.encode(), "README.md").data.get("systems", {}).values()
    ]
    assert len(systems) == 2
    for settings in systems:
        make_connector(settings, {"LLM_KEY": "k"})


def test_the_page_of_third_party_systems_names_each_that_is_tried_with_its_version() -> None:
    systems = ROOT / "tests" / "plugins" / "counterparts" / "third_party" / "systems.yaml"
    page = (ROOT / "docs" / "explanation" / "third-party-systems.md").read_text("utf-8")
    rows = {line.split("`")[1]: line for line in reversed(page.splitlines()) if line.startswith("| `")}
    for name, entry in parse_yaml(systems.read_bytes(), "systems.yaml").data.items():
        versions = re.findall(r"(?:==|\w@)([0-9.]+)", entry["install"])
        assert any(f" {version}" in rows[name] for version in versions), name


def test_the_guide_to_widgets_has_the_selectors_that_are_tried_with_pages_of_frameworks() -> None:
    systems = ROOT / "tests" / "plugins" / "counterparts" / "third_party" / "systems.yaml"
    page = (ROOT / "docs" / "how-to" / "connect-by-kind.md").read_text("utf-8")
    for entry in parse_yaml(systems.read_bytes(), "systems.yaml").data.values():
        if (system := entry["system"])["connect"] == "browser":
            version = re.search(r"==([0-9.]+)", entry["install"])
            assert version is not None
            (row,) = [line for line in page.splitlines() if f" {version[1]}" in line]
            assert f"| `{system['input']}` | `{system['message']}` |" in row


def test_the_version_is_the_newest_release_of_the_changelog_and_of_the_citation() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    releases = re.findall(r"^## \[(\d\S*)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), flags=re.M)
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text("utf-8"), flags=re.M)
    assert releases[0] == version and cited and cited[1] == version
