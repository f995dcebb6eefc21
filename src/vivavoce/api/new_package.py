"""New packages for an extension point: files with marked gaps, and a contract test that fails until then."""

import re
import tomllib
from pathlib import Path
from typing import Final

from vivavoce.core.errors import InputError, UnknownName

TEMPLATES: Final = Path(__file__).parent / "templates"
EVERY: Final = "every"  # what the packages of all kinds have
SUFFIX: Final = ".tmpl"
_NAME: Final = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")


def kinds() -> list[str]:
    """Extension points that a package may offer: the folders of templates."""
    return sorted(path.parent.name for path in TEMPLATES.glob("*/kind.toml"))


def write_package(kind: str, name: str, folder: Path | None = None) -> list[Path]:
    """Write a distribution that offers one thing of a kind, and a test that it keeps its contract.

    Input   name: small letters, digits and hyphens; folder: None: of the distribution's name, here
    Output  the files, in the order of their names
    Raises  UnknownName: no such kind; InputError: a name that will not do, or the folder holds files
    """
    if kind not in kinds():
        raise UnknownName("kind of package", kind, kinds(), place="new")
    if not _NAME.fullmatch(name):
        hint = "use small letters, digits and hyphens, such as my-thing"
        raise InputError(f"invalid name of a {kind}: {name!r}", place="new", hint=hint)
    words = _words(kind, name)
    into = folder if folder is not None else Path(words["distribution"])
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        raise InputError(
            "the folder already contains files", place=str(into), hint="choose another folder with --folder"
        )
    files = []
    for root in (TEMPLATES / EVERY, TEMPLATES / kind):
        for template in sorted(root.rglob("*" + SUFFIX)):
            inside = str(template.relative_to(root)).removesuffix(SUFFIX).format(**words)
            (into / inside).parent.mkdir(parents=True, exist_ok=True)
            (into / inside).write_text(template.read_text("utf-8").format(**words), encoding="utf-8")
            files.append(into / inside)
    for domain in _domains() if "catalogues" in words else ():
        files.append(into / words["module"] / f"{domain}.po")
        _write_catalogue(domain, name, files[-1])
    return sorted(files)


def _domains() -> list[str]:
    from vivavoce.languages.coverage import domains

    return domains()


def _write_catalogue(domain: str, language: str, file: Path) -> None:
    """All sentences of a domain, in English, with room for their translation."""
    from babel.messages.pofile import write_po

    from vivavoce.languages.coverage import empty_catalogue
    from vivavoce.reports.section import words_of_sections
    from vivavoce.study.step_kind import words_of_steps

    beside = {"steps": words_of_steps, "report": words_of_sections}
    folders = beside[domain]() if domain in beside else []
    with file.open("wb") as catalogue_file:
        write_po(catalogue_file, empty_catalogue(domain, language, folders), omit_header=False)


def _words(kind: str, name: str) -> dict[str, str]:
    snake = name.replace("-", "_")
    words = {
        "kind": kind.replace("-", " "),
        "guide": "extend",
        "name": name,
        "snake": snake,
        "constant": snake.upper(),
        "class": "".join(part.capitalize() for part in snake.split("_")),
        "title": snake.replace("_", " ").capitalize(),
        "distribution": f"vivavoce-{name.replace('_', '-')}",
        "module": f"vivavoce_{snake}",
    }
    facts = tomllib.loads((TEMPLATES / kind / "kind.toml").read_text("utf-8"))
    return words | {key: value.format(**words) for key, value in facts.items()}
