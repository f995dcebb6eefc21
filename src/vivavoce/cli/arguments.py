"""Arguments that several verbs share, and what a shell that completes them proposes."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer

STUDY_FILE = "study.yaml"


def offered(group: str) -> Callable[[str], list[str]]:
    """Proposes what packages offer in a group of entry points; imports none of them.

    Note  the help of such an argument lists the same names where `{group}` stands in it
    """

    def proposed(incomplete: str) -> list[str]:
        from vivavoce.core.shelf import offers

        names = dict.fromkeys(point.name for point in offers(group))
        return [name for name in names if name.startswith(incomplete)]

    return proposed


def complete_studies(incomplete: str) -> list[str]:
    """Folders that hold a study, and files of studies; none: the shell proposes any file."""
    return [*_folders_with(STUDY_FILE, incomplete), *_beginning(incomplete, "study*.yaml")]


def complete_datasets(incomplete: str) -> list[str]:
    """Folders that hold a dataset; none: the shell proposes any file."""
    return list(_folders_with("dataset.json", incomplete))


def complete_systems(context: typer.Context, incomplete: str) -> list[str]:
    """Names of the systems of the study that was given before; none where it cannot be read."""
    from vivavoce.api.studies import read_study
    from vivavoce.core.errors import VivavoceError

    try:
        known = read_study(Path(context.params["study"])).systems
    except (VivavoceError, OSError, KeyError, TypeError):
        return []
    return [name for name in known if name.startswith(incomplete)]


def _beginning(incomplete: str, pattern: str) -> Iterator[str]:
    """Paths of the folder in which one is writing, as they would go on from what is written."""
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
    """Whatever the verb does in pieces is done there, until it ends."""
    if text is not None and not context.resilient_parsing:
        from vivavoce.core.engines import working_on

        context.with_resource(working_on(text))
    return text


Engine_ = Annotated[
    str | None,
    typer.Option(
        "--engine", callback=_work_on, is_eager=True, show_default=False,
        help="Where what falls into pieces is done: processes:N, dask, dask://HOST:PORT; else here.",
    ),
]  # fmt: skip
"""For every verb that computes much; what it says is done by `core.engines.in_pieces`."""
Study_ = Annotated[
    Path,
    typer.Argument(metavar="STUDY", help="Study file, or its folder.", autocompletion=complete_studies),
]
Dataset_ = Annotated[
    Path,
    typer.Argument(metavar="DATASET", help="Folder with dataset.json.", autocompletion=complete_datasets),
]
