"""The verb `new`: a package of one's own, for any shelf."""

from pathlib import Path
from typing import Annotated

import typer

from vivavoce.cli.progress import note


def new(
    kind: Annotated[
        str, typer.Argument(help="connector, importer, measure, questionnaire, step or stress-test.")
    ],
    name: Annotated[str, typer.Argument(help="By which studies and verbs will know it.")],
    folder: Annotated[
        Path | None, typer.Option("--folder", help="Where to write it; vivavoce-NAME if not given.")
    ] = None,
) -> None:
    """Write a package that offers a connector, measure, step, ..., with a contract test that fails so far."""
    from vivavoce.api.new_package import write_package

    written = write_package(kind, name, folder)
    for path in written:
        note(f"wrote {path}")
    place = next(path.parent for path in written if path.name == "pyproject.toml")
    note(f"next: cd {place} && pip install -e '.[test]' && pytest, then write what is marked TODO")
