"""Files of annotated commands, one a speaker, in the layout of the SUGAR corpus.

A line is `<utterance number>; <annotation>`; `---` alone on a line ends a recipe. Real files hold malformed
lines: each is reported with its place, and the rest is still read.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from vivavoce.core.errors import InputError
from vivavoce_commands.notation import Notation, NotationError, Predicate, normalised, read_predicates

SUFFIXES: Final = (".csv", ".txt")
_LINE = re.compile(r"\s*(\d+)\s*;")
_RECIPE_END = re.compile(r"\s*-{3,}\s*")


class LineProblem(NamedTuple):
    """A line that could not be read: where, and why. Lines and columns count from 1."""

    file: str
    line: int
    column: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.text}"


class Command(NamedTuple):
    """One utterance as annotated; `predicates` is None where the line could not be read.

    column  where the annotation begins in its line, from 1
    """

    recipe: int
    utterance: int
    line: int
    annotation: str
    predicates: tuple[Predicate, ...] | None
    column: int = 1


@dataclass(slots=True)
class CommandFile:
    """The commands of one speaker, in order, and the problems of the file; `name` as the file is called."""

    speaker: str
    commands: list[Command] = field(default_factory=list)
    problems: list[LineProblem] = field(default_factory=list)
    name: str = ""


def command_files(path: Path) -> dict[str, Path]:
    """The files at a path by speaker: a file stands for itself, a folder for its .csv and .txt files.

    Raises  InputError if there is nothing to read, or two files name one speaker
    """
    if path.is_file():
        return {path.stem: path}
    if not path.is_dir():
        raise InputError("file or folder not found", place=str(path), hint="check the path")
    paths = sorted(file for file in path.iterdir() if file.suffix.lower() in SUFFIXES and file.is_file())
    if not paths:
        raise InputError(
            "no .csv or .txt file", place=str(path), hint="use a folder with one file per speaker"
        )
    by_stem = {file.stem: file for file in paths}
    if len(by_stem) < len(paths):
        twice = next(stem for stem, count in Counter(file.stem for file in paths).items() if count > 1)
        raise InputError(f"two files of speaker {twice!r}", place=str(path), hint="keep one file")
    return by_stem


def read_command_file(
    path: Path, *, notation: Notation | None = None, stop_at_first_problem: bool = False
) -> CommandFile:
    """Read one file.

    Input   UTF-8, or else Western Windows' Latin-1; notation None: the early one where a brace stands in the
            file, or semicolons join predicates in the line, else the final one
    Output  every numbered line; the early notation is normalised to the final one
    Raises  InputError if the file cannot be opened, or at the first problem where that is asked for
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"cannot be read ({error.strerror})", place=str(path), hint="check the path"
        ) from error
    text = _decoded(content)
    file = CommandFile(path.stem, name=path.name)
    notation = notation or ("early" if "{" in text else None)
    for problem in _read_lines(file, text.split("\n"), path.name, notation):
        if stop_at_first_problem:
            place = f"{path}:{problem.line}:{problem.column}"
            raise InputError(problem.text, place=place, hint="correct the line")
        file.problems.append(problem)
    return file


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _read_lines(
    file: CommandFile, lines: list[str], file_name: str, notation: Notation | None
) -> Iterator[LineProblem]:
    recipe, line_of = 0, dict[int, int]()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if _RECIPE_END.fullmatch(line):
            recipe, line_of = recipe + 1, {}
            continue
        begin = _LINE.match(line)
        if not begin:
            problem = f"expected an utterance number and ';', not {line.strip()[:20]!r}"
            yield LineProblem(file_name, number, 1, problem)
            continue
        utterance = int(begin[1])
        if utterance in line_of:
            problem = f"utterance {utterance} already appears in line {line_of[utterance]}"
            yield LineProblem(file_name, number, begin.start(1) + 1, problem)
            continue
        line_of[utterance] = number
        annotation = line[begin.end() :]
        predicates: tuple[Predicate, ...] | None = None
        try:
            predicates = _predicates(annotation, notation)
        except NotationError as error:
            yield LineProblem(file_name, number, begin.end() + error.column, error.problem)
        column = begin.end() + len(annotation) - len(annotation.lstrip()) + 1
        file.commands.append(Command(recipe, utterance, number, annotation.strip(), predicates, column))


def _predicates(annotation: str, notation: Notation | None) -> tuple[Predicate, ...]:
    """Semicolons between predicates occur in the early notation only."""
    notation = notation or ("early" if ";" in annotation else "final")
    predicates = read_predicates(annotation, notation)
    return predicates if notation == "final" else tuple(map(normalised, predicates))
