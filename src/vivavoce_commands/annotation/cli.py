"""Annotated commands to files and back: verbs below `annotate`."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from vivavoce.cli.datasets import Replace
from vivavoce.cli.progress import note

LogUrl = Annotated[str | None, typer.Option("--log", help="Log: sqlite:/// or postgresql://.")]


def commands_out(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="Study that annotates commands.")],
    into: Annotated[Path, typer.Option("--into", help="Folder to write into.")],
    log: LogUrl = None,
    replace: Replace = False,
) -> None:
    """Write everybody's annotations (CSV), those that stand (notation files), and the dataset with them."""
    from vivavoce.api.studies import export_study, open_log, read_study
    from vivavoce.log.dataset import Dataset
    from vivavoce_commands.annotation.files import with_commands, write_commands
    from vivavoce_commands.annotation.kind import COMMANDS

    plan = read_study(study)
    with TemporaryDirectory() as folder, open_log(plan, log) as opened:
        workplace = COMMANDS.open(plan, opened)
        counts = write_commands(workplace, into)
        source = workplace.commands.dataset
        dataset = Dataset(source) if source is not None else export_study(plan, opened, Path(folder))
        with_commands(workplace, dataset, into / "dataset")
    note(f"{counts['standing']} of {counts['commands']} commands with an annotation that stands into {into}")


def commands_in(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="Study that annotates commands.")],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="CSV file, or notation: file or folder.")],
    annotator: Annotated[str, typer.Option("--annotator", help="Who annotated: a pseudonym.")],
    log: LogUrl = None,
) -> None:
    """Take annotations of commands into a study's log, as one annotator's work."""
    from vivavoce.api.studies import open_log, read_study
    from vivavoce_commands.annotation.files import take_in
    from vivavoce_commands.annotation.kind import COMMANDS

    plan = read_study(study)
    with open_log(plan, log) as opened:
        count = take_in(COMMANDS.open(plan, opened), path, annotator)
    note(f"{count} annotations of {annotator} taken in")
