"""What the version before wrote (`tests/fixtures/before_shelves`), read through the command line."""

import json
import lzma
import re
import shutil
import tarfile
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

from typer.testing import CliRunner

FIXTURES: Final = Path(__file__).parents[1] / "fixtures" / "before_shelves"
STUDIES: Final = FIXTURES / "studies"
LOG: Final = "log.tar.xz"
DATASETS: Final = {
    "every": ("every", "people"),
    "town": ("town", "people"),
    "town-simulated": ("town", "simulated"),
    "calls": ("calls", "people"),
    "oz": ("oz", "people"),
    "tea": ("tea", "simulated"),
}
LANGUAGES: Final = {"every": ("it",)}  # in which reports are kept beside English
DSTC2: Final = Path(__file__).parents[1] / "golden" / "dstc2-before-shelves.json.xz"
BODY: Final = "\N{SECTION SIGN} BODY"
NEW_FIGURES: Final = {
    f"figure-{name}"
    for name in ("differences", "funnel", "delays", "parameters", "preference-strength", "worths", "opinions")
}
NEW_SECTIONS: Final = {"specifications"}
MEASURES: Final = {"by system": ("--by", "system"), "of every measure": ("--only", "all", "--by", "system")}


def vivavoce(*words: str | Path, code: int = 0) -> str:
    """What a verb prints on stdout; with another code expected, what it says of the mistake."""
    from vivavoce.cli.main import app

    done = CliRunner().invoke(app, [str(word) for word in words])
    if code and done.exit_code:
        return f"{type(done.exception).__name__}: {done.exception} {done.output}".strip()
    assert done.exit_code == 0, (words, done.output, done.exception)
    return done.stdout


def open_copy(name: str, into: Path) -> Path:
    """A study of the version before with its log, to be changed as one likes."""
    folder = Path(shutil.copytree(STUDIES / name, into / name))
    with tarfile.open(folder / LOG) as archive:
        archive.extractall(folder, filter="data")
    (folder / LOG).unlink()
    return folder


def keep(path: Path, found: dict[str, Any]) -> None:
    """Write figures, compressed."""
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(lzma.compress(json.dumps(found, ensure_ascii=False).encode()))


def kept(path: Path) -> dict[str, Any]:
    """Figures as they were written."""
    return json.loads(lzma.decompress(path.read_bytes()))


def numbers(dataset: Path, into: Path, *languages: str) -> dict[str, Any]:
    """Every figure of a dataset, as `measure`, `analyse` and `report` give them."""
    found: dict[str, Any] = {
        f"measure {name}": json.loads(vivavoce("measure", dataset, "--json", *words))
        for name, words in MEASURES.items()
    }
    said = vivavoce("analyse", dataset, "--json", code=2)
    found["analyse"] = json.loads(said) if said.startswith("{") else said
    for language in ("en", *languages):
        page = into / f"report-{dataset.name}-{language}.html"
        vivavoce("report", dataset, "--out", page, "--language", language)
        found[f"report {language}"] = text_of(page.read_text(encoding="utf-8"))
    return json.loads(json.dumps(found))


class _Words(HTMLParser):
    """The words of a page, one line for each stretch; scripts, styles and what is folded away are none.

    BODY stands where the front of a report ends. Figures and sections that are new have no words, nor what is
    behind a figure.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._silent, self._deep = "", 0
        self._drawing = self._begun = self._since = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        named = dict(attrs)
        if self._silent:
            self._deep += tag == self._silent
        elif (
            tag in ("script", "style", "nav")
            or (tag == "title" and self._drawing)
            or named.get("class") == "behind"
            or re.sub(r"-\d+$", "", named.get("id", "")) in NEW_FIGURES
        ):
            self._silent, self._deep = tag, 1
        self._drawing = self._drawing or tag == "svg"
        if named.get("class") == "part" or tag == "h2":
            self._since = named.get("id") in NEW_SECTIONS
        if named.get("class") == "part" and not self._begun:
            self._begun = True
            self.lines.append(BODY)

    def handle_endtag(self, tag: str) -> None:
        if tag == "svg":
            self._drawing = False
        if tag == self._silent:
            self._deep -= 1
            if not self._deep:
                self._silent = ""

    def handle_data(self, data: str) -> None:
        if not self._silent and not self._since and (line := " ".join(data.split())):
            self.lines.append(line)


def text_of(html: str) -> list[str]:
    """A page's text, line by line."""
    return _Words(html).lines


def numbers_of_calls(shared: Path, into: Path) -> dict[str, Any]:
    """The same of the real calls of DSTC2."""
    calls = sorted((shared / "data" / "dstc2").glob("*.tar.gz"))
    vivavoce("import", "dstc2", *calls, "--into", into / "calls")
    return numbers(into / "calls", into)
