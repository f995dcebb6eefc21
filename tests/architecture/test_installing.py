"""What installs Vivavoce elsewhere: the core's packages, the container recipe, documentation in the wheel."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from typer.main import get_command

from vivavoce.cli.main import app
from vivavoce.dashboard.page import HELP_FOLDERS

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RECIPE = (ROOT / "deploy" / "Containerfile").read_text(encoding="utf-8")
KNOWN = {
    "FROM",
    "WORKDIR",
    "COPY",
    "RUN",
    "ENV",
    "USER",
    "VOLUME",
    "EXPOSE",
    "HEALTHCHECK",
    "ENTRYPOINT",
    "CMD",
}
IMPORTED = """
import importlib.util, sys
find = importlib.util.find_spec
class Gone:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("uvloop", "threadpoolctl"):
            raise ModuleNotFoundError(name=name)
sys.meta_path.insert(0, Gone())
import vivavoce.participant.serving, vivavoce.dashboard.study_editor.setup, vivavoce.cli.servers
used = {name.partition(".")[0] for name in sys.modules}
print(*sorted(used & {"httptools", "uvloop"}))
"""


def instructions() -> list[tuple[str, str]]:
    """The recipe's lines, those that go on joined to one."""
    lines = [line for line in RECIPE.splitlines() if not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    found = (line.partition(" ") for line in joined.splitlines() if line.strip())
    return [(word, rest) for word, _, rest in found]


def test_pages_are_served_with_what_the_core_brings() -> None:
    told = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True).stdout
    core = {re.split(r"[><=\[;]", one)[0] for one in PROJECT["project"]["dependencies"]}
    assert set(told.split()) <= core


def test_the_wheel_has_the_documentation_that_the_dashboard_shows() -> None:
    put: dict[str, str] = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert set(put.values()) == {f"vivavoce_docs/{name}" for name in (*HELP_FOLDERS, "glossary.md")}
    assert [one for one in put if not (ROOT / one).exists()] == []


def test_the_container_recipe_holds_together() -> None:
    found = instructions()
    assert found[0][0] == "FROM" and {word for word, _ in found} <= KNOWN
    kept = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    for _, rest in (one for one in found if one[0] == "COPY" and not one[1].startswith("--from=")):
        for source in rest.split()[:-1]:
            assert (ROOT / source).exists() and f"!{source}" in kept, source
    said: dict[str, Any] = dict(found)
    verb, *words = re.findall(r'"([^"]+)"', said["CMD"])
    assert said["ENTRYPOINT"] == '["vivavoce"]'
    command: Any = get_command(app)
    with command.commands[verb].make_context(verb, words) as context:
        assert context.params["host"] == "0.0.0.0"
        ports = [str(context.params[name]) for name in ("port", "desk_port")]
    assert said["EXPOSE"].split() == ports and f":{ports[0]}/healthz" in said["HEALTHCHECK"]
