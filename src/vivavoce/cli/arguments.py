"""Arguments that several verbs share, datasets for the verbs of analysis, and progress on stderr."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import RenderableType

    from vivavoce.dataset.reader import Dataset


STUDY_FILE = "study.yaml"


def offered(group: str) -> Callable[[str], list[str]]:
    """Completion with the names that packages offer in a group of entry points, without importing them.

    Note  the help of such an argument lists the same names where `{group}` stands in it
    """

    def proposed(incomplete: str) -> list[str]:
        from vivavoce.core.registry import installed_points

        names = dict.fromkeys(point.name for point in installed_points(group))
        return [name for name in names if name.startswith(incomplete)]

    return proposed


def complete_studies(incomplete: str) -> list[str]:
    """Complete folders and files of studies; [] lets the shell propose any file."""
    return [*_folders_with(STUDY_FILE, incomplete), *_beginning(incomplete, "study*.yaml")]


def complete_datasets(incomplete: str) -> list[str]:
    """Complete dataset folders; [] lets the shell propose any file."""
    return list(_folders_with("dataset.json", incomplete))


def complete_systems(context: typer.Context, incomplete: str) -> list[str]:
    """Complete the system names of the study given before, without running its extension files."""
    from vivavoce.api.studies import study_path
    from vivavoce.core.errors import VivavoceError
    from vivavoce.core.yaml_source import read_yaml

    try:
        systems = read_yaml(study_path(Path(context.params["study"]))).data["systems"]
    except (VivavoceError, OSError, KeyError, TypeError):
        return []
    return [name for name in systems if name.startswith(incomplete)]


def _beginning(incomplete: str, pattern: str) -> Iterator[str]:
    """Paths that continue the path typed so far."""
    before, slash, begun = incomplete.rpartition("/")
    folder = Path(before + slash) if slash else Path()
    try:
        found = sorted(folder.glob(pattern))
    except OSError:
        return
    yield from (f"{before}{slash}{one.name}" for one in found if one.name.startswith(begun))


def _folders_with(name: str, incomplete: str) -> Iterator[str]:
    return (path for path in _beginning(incomplete, "*") if (Path(path) / name).is_file())


def _work_on(context: typer.Context, text: str | None) -> str | None:
    """Run the verb's parallel work on an engine until the verb ends."""
    if text is not None and not context.resilient_parsing:
        from vivavoce.core.executor import working_on

        context.with_resource(working_on(text))
    return text


Engine_ = Annotated[
    str | None,
    typer.Option(
        "--engine",
        callback=_work_on,
        is_eager=True,
        show_default=False,
        help="Where to run parallel work: processes:N, dask or dask://HOST:PORT (default: this process).",
    ),
]
"""Add `--engine`, for verbs whose work runs in `core.executor`."""
Study_ = Annotated[
    Path,
    typer.Argument(metavar="STUDY", help="Study file or its folder.", autocompletion=complete_studies),
]
Dataset_ = Annotated[
    Path,
    typer.Argument(metavar="DATASET", help="Dataset folder.", autocompletion=complete_datasets),
]


Exclude = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude",
        metavar="RULE",
        help=(
            "Exclude these dialogues, such as 'user_turns < 2', in place of the study's rules; none: "
            "exclude nothing."
        ),
    ),
]

_allowed = False
_told: dict[str, None] = {}  # what is told once the numbers are there
_simulated: set[str] = set()  # names of the datasets of programs that this run has opened


def allow_mixed(allowed: bool) -> None:
    """Allow this run to analyse dialogues of people and simulated users together."""
    global _allowed
    _allowed = allowed
    _told.clear()
    _simulated.clear()


def _allow_replacing(allowed: bool) -> None:
    from vivavoce.dataset.reader import allow_replacing

    allow_replacing(allowed)


# for every verb that writes a dataset
Replace = Annotated[
    bool,
    typer.Option("--replace", callback=_allow_replacing, help="Replace an existing dataset."),
]


def require_one_population(folder: Path, exclude: list[str] | None = None) -> "Dataset":
    """Open a dataset folder and print its warnings once per run.

    Raises  InputError: as `open_dataset`
    """
    from vivavoce.api.opening import open_dataset

    opened = open_dataset(folder, exclude or None, mixed=_allowed)
    _tell(opened)
    return opened


def unmixed_pair(folder: Path, other: Path, exclude: list[str] | None = None) -> "tuple[Dataset, Dataset]":
    """Open two datasets to compare, and print warnings about the comparison.

    Raises  InputError: as `open_two`
    """
    from vivavoce.api.opening import open_two

    two = open_two(folder, other, exclude or None, mixed=_allowed)
    _tell(*two)
    return two


def _tell(*datasets: "Dataset") -> None:
    """Warnings that belong to the results of these datasets."""
    from vivavoce.api.opening import data_warnings

    _simulated.update(str(dataset.folder) for dataset in datasets if dataset.simulated)
    for line in data_warnings(*datasets):
        warn(line)


def warn(line: str) -> None:
    """Print the warnings at the end, once per run, so that an error stays one line."""
    _told[line] = None


def tell_warnings(*_: object, **__: object) -> None:
    """Print the warnings collected in this run."""
    for line in _told:
        note(line)
    _told.clear()


def print_json(facts: object) -> None:
    """Print the opened datasets as JSON, marked when any of them is simulated."""
    import json

    from vivavoce.core.result import as_json

    told = {"simulated": bool(_simulated)} | as_json(facts)
    typer.echo(json.dumps(told, indent=2, ensure_ascii=False, allow_nan=False))


def refuse_unused(kind: str, given: dict[str, Any]) -> None:
    """Reject options that would have no effect.

    Raises  InputError: such an option was given
    """
    from vivavoce.core.errors import InputError

    name = next((name for name, value in given.items() if value not in (None, [])), None)
    if name is not None:
        raise InputError(f"has no effect on {kind}", place=name, hint="Leave it out")


def print_parts(parts: "Iterable[RenderableType]") -> None:
    """Print tables and sentences to stdout."""
    from rich.console import Console

    console = Console()
    for part in parts:
        console.print(part)


Report = Callable[..., None]


@contextmanager
def progress(label: str) -> Iterator[Report]:
    """A function `report(done, total, doing="")` that moves a bar; silent if stderr is not a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(file=sys.stderr)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task(label, total=None)

        def report(done: int, total: int, doing: str = "") -> None:
            bar.update(task, completed=done, total=total, description=doing or label)

        yield report


def note(line: str) -> None:
    """Print one line to stderr; stdout may be a pipe of numbers."""
    print(folded(line), file=sys.stderr)


def printable(text: str) -> str:
    """A text without control sequences of the terminal."""
    return "".join(mark if mark.isprintable() or mark in "\t\n" else "�" for mark in text)


def folded(line: str) -> str:
    """Wrap a line for the terminal on stderr; unchanged without a terminal."""
    if not sys.stderr.isatty() or len(line) <= (columns := get_terminal_size().columns):
        return line
    from textwrap import TextWrapper

    wrapper = TextWrapper(columns, break_long_words=False, break_on_hyphens=False, subsequent_indent="  ")
    return "\n".join(map(wrapper.fill, line.splitlines()))
