"""Import of HuRIC: commands to a house robot with frames, as predicates in the table `commands`.

A frame is a predicate, its elements are arguments `Role: words`, in the order of their first words: an
argument is right only under the right role.
"""

import xml.etree.ElementTree as Tree
from pathlib import Path
from typing import Any, Final

from vivavoce.core.errors import InputError
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.importers.base import Importer, ImportResult, Progress
from vivavoce_commands.notation import Argument, Predicate, Words, write_predicates

LAYOUT: Final = "<number>.hrc"
NOTES: Final = (
    "The corpus does not name its speakers, so intervals cannot be clustered by speaker.",
    "Arguments keep their roles; signs of the notation inside them were removed.",
)
_SIGNS: Final = str.maketrans("()[],;/*{}#", "           ")


def import_huric(
    paths: list[Path],
    into: Path,
    *,
    venues: Path | None = None,
    strict: bool = False,
    progress: Progress | None = None,
) -> ImportResult:
    """Make a dataset of HuRIC's commands.

    Input   .hrc files, or folders of them at any depth; `venues` is of no use here
    Output  dataset with the table `commands`, their number, and one line for each file left out
    Raises  InputError: nothing to read, or, when `strict`, the first broken file
    """
    if venues is not None:
        raise InputError("commands do not use a venue database", place="--venues", hint="remove it")
    files = [file for path in paths for file in _files(Path(path))]
    if not files:
        raise InputError("no command found", place=", ".join(map(str, paths)), hint=f"expected {LAYOUT}")
    skipped: list[str] = []
    rows: list[dict[str, Any]] = []
    with DatasetWriter(into, study={"name": "huric"}, source={"kind": "huric"}) as writer:
        for number, file in enumerate(files, start=1):
            try:
                rows += _commands(file)
            except InputError as problem:
                if strict:
                    raise
                skipped.append(str(problem))
            if progress is not None:
                progress(number, len(files))
        if not rows:
            raise InputError(f"cannot read any of {len(files)} files", place=skipped[0])
        writer.add("commands", rows)
        writer.notes.extend(NOTES)
        return ImportResult(writer.close(), len(rows), skipped)


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(path.rglob("*.hrc"))
    if not path.is_file():
        raise InputError("file or folder not found", place=str(path), hint="check the path")
    return [path]


def _commands(file: Path) -> list[dict[str, Any]]:
    """The commands of one file. Its language is the name of the folder (en, it), as in the corpus."""
    try:
        root = Tree.fromstring(file.read_bytes())
        commands = [_row(root, index, command) for index, command in enumerate(root.iter("command"))]
    except (OSError, Tree.ParseError, KeyError, ValueError, AttributeError) as error:
        raise InputError(f"unexpected format: {error}", place=str(file)) from None
    language = file.parent.name if len(file.parent.name) == 2 else None
    return [{**row, "language": language} for row in commands]


def _row(root: Tree.Element, index: int, command: Tree.Element) -> dict[str, Any]:
    surfaces = {token.attrib["id"]: token.attrib["surface"] for token in command.find("tokens") or ()}
    frames = list(command.iter("frame"))
    predicates = tuple(_predicate(frame, surfaces) for frame in frames)
    return {
        "command_id": f"{root.attrib['id']}/{index}",
        "recipe": root.attrib["id"],
        "utterance": index + 1,
        "text": (command.findtext("sentence") or "").strip(),
        "annotation": write_predicates(predicates) if predicates else None,
        "simulated": False,
    }


def _predicate(frame: Tree.Element, surfaces: dict[str, str]) -> Predicate:
    placed_words: list[tuple[int, str]] = []
    for element in frame.iter("frameElement"):
        places = sorted(int(token.attrib["id"]) for token in element.iter("token"))
        span = " ".join(surfaces[str(place)] for place in places).translate(_SIGNS)
        placed_words.append(
            (places[0] if places else 0, f"{element.attrib['type']}: {' '.join(span.split())}")
        )
    return Predicate(
        frame.attrib["name"], tuple(Argument((Words(text),)) for _, text in sorted(placed_words))
    )


HURIC: Final = Importer(
    name="huric",
    title="HuRIC, commands to a house robot with frames",
    layout=LAYOUT,
    read=import_huric,
    unit="commands",
)
