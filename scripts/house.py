#!/usr/bin/env python3
"""Print the size and vocabulary of the code base, or lower the figures of its gate.

python scripts/house.py            the table
python scripts/house.py --write    lower the figures of tests/architecture/size.toml to those of now

nodes     AST nodes without contexts and operators, so that line breaks and packed lines change nothing
fillers   share of stored names that say nothing about what they hold (`one`, `found`, `told` ...)
clauses   share of docstrings that open with a clause ("What ...", "Whether ...")
skips     `# fmt: skip` and `# fmt: off`
"""

import ast
import re
import sys
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GATE = ROOT / "tests" / "architecture" / "size.toml"
LONG_FILE = 1000
FILLER = re.compile(
    r"_*(ones?|others?|found|made|told|said|kept|asked|heard|given|own|named|shown|held|known|drawn|taken|written"
    r"|wanted|left|meant|there|here|those|these|both|every|each|come|came|brought|begun|ended|whole|plain|rest"
    r"|back|anything|something)_*"
)
CLAUSE = re.compile(
    r"^(What|Whether|Who|Whose|Whom|Where|How|That|Which|Why|When|Whoever|Somebody|Nobody|Nothing|So many"
    r"|The same|Of )\b"
)
NOT_COUNTED = (ast.expr_context, ast.operator, ast.cmpop, ast.boolop, ast.unaryop)
PYTHON_BESIDE = ("benchmarks", "deploy", "examples", "scripts")
DATA = {
    "yaml": (".yaml", ".yml", ".toml"),
    "json": (".json", ".jsonl"),
    "translations": (".po",),
    "templates": (".html", ".tmpl", ".j2", ".typ", ".txt", ".md"),
    "page_scripts": (".js", ".mjs"),
    "styles": (".css",),
}


def measure_python(path: Path) -> Counter[str]:
    """Nodes, lines, names and docstrings of one file."""
    text = path.read_text(encoding="utf-8")
    counts = Counter(files=1, lines=text.count("\n"), skips=len(re.findall(r"# fmt: (?:skip|off)", text)))
    for node in ast.walk(ast.parse(text)):
        counts["nodes"] += not isinstance(node, NOT_COUNTED)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            counts["stored"] += 1
            counts["fillers"] += FILLER.fullmatch(node.id) is not None
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node)
            counts["docstrings"] += bool(docstring)
            counts["clauses"] += bool(docstring and CLAUSE.match(docstring))
    return counts


def measure_rooms(source: Path = ROOT / "src") -> dict[str, Counter[str]]:
    """Counts of each package, and of each room (`vivavoce/log`) of the core package."""
    rooms: dict[str, Counter[str]] = {}
    for path in sorted(source.rglob("*.py")):
        package, *inside = path.relative_to(source).parts
        room = f"{package}/{inside[0]}" if package == "vivavoce" and len(inside) > 1 else package
        rooms.setdefault(room, Counter()).update(measure_python(path))
    return rooms


def count_lines(folder: Path, suffixes: tuple[str, ...]) -> int:
    """Lines of the files below a folder that end so."""
    paths = (path for path in folder.rglob("*") if path.suffix in suffixes and path.is_file())
    return sum(path.read_text(encoding="utf-8").count("\n") for path in paths)


def count_unreleased() -> int:
    """Lines of the section "Unreleased" of the changelog that are not blank."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    section = re.search(r"^## \[?Unreleased\]?.*\n((?:(?!## ).*\n)*)", text, re.MULTILINE)
    return sum(bool(line.strip()) for line in section[1].splitlines()) if section else 0


def measure_house(source: Path = ROOT / "src") -> dict[str, dict[str, float]]:
    """All figures that the gate holds, by table of size.toml."""
    rooms = measure_rooms(source)
    total = sum(rooms.values(), start=Counter[str]())
    beside = {
        name: sum(measure_python(path)["nodes"] for path in (ROOT / name).rglob("*.py"))
        for name in PYTHON_BESIDE
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        "nodes": {"all": total["nodes"], **{name: counts["nodes"] for name, counts in sorted(rooms.items())}},
        "words": {
            "filler_names_percent": round(100 * total["fillers"] / total["stored"], 1),
            "clause_docstrings_percent": round(100 * total["clauses"] / total["docstrings"], 1),
            "fmt_skips": total["skips"],
        },
        "beside": {
            **{f"{name}_nodes": nodes for name, nodes in beside.items()},
            **{
                f"{name}_lines": count_lines(source, suffixes) + count_lines(ROOT / "examples", suffixes)
                for name, suffixes in DATA.items()
            },
        },
        "ceilings": {
            "dependencies": len(project["dependencies"]),
            "docs_words": sum(
                len(path.read_text(encoding="utf-8").split()) for path in (ROOT / "docs").rglob("*.md")
            ),
            "unreleased_lines": count_unreleased(),
        },
    }


def lower_figures(text: str, figures: dict[str, dict[str, float]]) -> str:
    """The text of size.toml with each ratcheted figure lowered to the measured one; comments stay."""
    table, lines = "", []
    for line in text.splitlines():
        if heading := re.match(r"\[(\w+)\]", line):
            table = heading[1]
        entry = re.match(r'"?([\w/]+)"? = ([\d.]+)(.*)', line)
        if entry and table in ("nodes", "words", "beside"):
            measured = figures[table].get(entry[1])
            if measured is None:
                continue  # the room is gone
            line = (
                line[: entry.start(2)]
                + (entry[2] if float(entry[2]) <= measured else str(measured))
                + entry[3]
            )
        lines.append(line)
    return "\n".join(lines) + "\n"


def print_house() -> None:
    rooms = measure_rooms()
    total = sum(rooms.values(), start=Counter[str]())
    core = sum((counts for name, counts in rooms.items() if name.split("/")[0] == "vivavoce"), Counter[str]())
    for name, counts in sorted(rooms.items(), key=lambda item: -item[1]["nodes"]):
        print(
            f"{name:28} {counts['nodes']:8} nodes {counts['lines']:7} lines {counts['files']:5} files"
            f" {counts['skips']:5} skips"
        )
    for name, counts in (("core", core), ("all", total)):
        print(
            f"{name:28} {counts['nodes']:8} nodes {counts['lines']:7} lines {counts['files']:5} files"
            f" {counts['skips']:5} skips  fillers {100 * counts['fillers'] / counts['stored']:.1f} %"
            f"  clauses {100 * counts['clauses'] / counts['docstrings']:.1f} %"
        )
    figures = measure_house()
    for table in ("beside", "ceilings"):
        print(", ".join(f"{name} {figure:g}" for name, figure in figures[table].items()))
    for folder in ("src", "tests", "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if (lines := path.read_text(encoding="utf-8").count("\n")) > LONG_FILE:
                print(f"warning: {path.relative_to(ROOT)} has {lines} lines")


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        GATE.write_text(lower_figures(GATE.read_text(encoding="utf-8"), measure_house()), encoding="utf-8")
    print_house()
