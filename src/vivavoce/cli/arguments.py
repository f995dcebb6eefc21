"""Arguments that several verbs share, and what a shell that completes them proposes."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer

STUDY_FILE = "study.yaml"


def offered(group: str) -> Callable[[str], list[str]]:
    """Completion with the names that packages offer in a group of entry points, without importing them.

    Note  the help of such an argument lists the same names where `{group}` stands in it
    """

    def proposed(incomplete: str) -> list[str]:
        from vivavoce.core.entry_points import installed_points

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
    """Complete the system names of the study given before; [] if the study cannot be read."""
    from vivavoce.api.studies import read_study
    from vivavoce.core.errors import VivavoceError

    try:
        known = read_study(Path(context.params["study"])).systems
    except (VivavoceError, OSError, KeyError, TypeError):
        return []
    return [name for name in known if name.startswith(incomplete)]


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
"""Add `--engine`, for verbs whose work runs in `core.engines.in_pieces`."""
Study_ = Annotated[
    Path,
    typer.Argument(metavar="STUDY", help="Study file or its folder.", autocompletion=complete_studies),
]
Dataset_ = Annotated[
    Path,
    typer.Argument(metavar="DATASET", help="Dataset folder.", autocompletion=complete_datasets),
]
