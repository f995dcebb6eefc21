"""Annotated commands to files and back: verbs below `annotate`."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from vivavoce.cli.arguments import Replace, note

LogUrl = Annotated[str | None, typer.Option("--log", help="Log: sqlite:/// or postgresql://.")]


def commands_out(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="Study with annotated commands.")],
    into: Annotated[Path, typer.Option("--into", help="Output folder.")],
    log: LogUrl = None,
    replace: Replace = False,
) -> None:
    """Write everybody's annotations (CSV), those that stand (notation files), and the dataset with them."""
    from vivavoce.api.studies import export_study, open_log, read_study
    from vivavoce.dataset.reader import Dataset
    from vivavoce_commands.annotation.files import with_commands, write_commands
    from vivavoce_commands.annotation.kind import COMMANDS

    plan = read_study(study)
    with TemporaryDirectory() as folder, open_log(plan, log) as opened:
        workplace = COMMANDS.open(plan, opened)
        counts = write_commands(workplace, into)
        source = workplace.commands.dataset
        dataset = Dataset(source) if source is not None else export_study(plan, opened, Path(folder))
        with_commands(workplace, dataset, into / "dataset")
    note(f"wrote {counts['standing']} of {counts['commands']} commands with a final annotation to {into}")


def commands_in(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="Study with annotated commands.")],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="CSV file, or a notation file or folder.")],
    annotator: Annotated[str, typer.Option("--annotator", help="Pseudonym of the annotator.")],
    log: LogUrl = None,
) -> None:
    """Take annotations of commands into a study's log, as one annotator's work."""
    from vivavoce.api.studies import open_log, read_study
    from vivavoce_commands.annotation.files import take_in
    from vivavoce_commands.annotation.kind import COMMANDS

    plan = read_study(study)
    with open_log(plan, log) as opened:
        count = take_in(COMMANDS.open(plan, opened), path, annotator)
    note(f"imported {count} annotations by {annotator}")


def commands_draft(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="Study with annotated commands.")],
    system: Annotated[str, typer.Option("--system", help="Learning system: majority, a, b, c, d.")] = "d",
    epochs: Annotated[
        int | None, typer.Option("--epochs", min=1, help="Maximum number of training epochs.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Random seed.")] = 1,
    log: LogUrl = None,
) -> None:
    """Train on what stands, and draft the rest anew: into the file of drafts that the study names."""
    from vivavoce.api.studies import export_study, open_log, read_study
    from vivavoce.core.errors import InputError
    from vivavoce.dataset.reader import Dataset
    from vivavoce_commands.annotation.drafts import write_drafts
    from vivavoce_commands.annotation.files import with_commands
    from vivavoce_commands.annotation.kind import COMMANDS
    from vivavoce_commands.annotation.standing import standing
    from vivavoce_commands.learning import systems
    from vivavoce_commands.learning.examples import read_recipes

    plan = read_study(study)
    with TemporaryDirectory() as folder, open_log(plan, log) as opened:
        workplace = COMMANDS.open(plan, opened)
        into = workplace.commands.drafts_file
        if into is None:
            hint = (
                "add `drafts: drafts.csv` to `annotation.commands`; the file may contain only its header row"
            )
            raise InputError("the study has no `drafts` file", place=str(study), hint=hint)
        source = workplace.commands.dataset
        dataset = Dataset(source) if source is not None else export_study(plan, opened, Path(folder) / "all")
        stands = set(standing(workplace.see(), workplace.sequences()))
        recipes = read_recipes(with_commands(workplace, dataset, Path(folder) / "known"), annotated=False)
    learnt = [
        recipe._replace(commands=undrafted)
        for recipe in recipes
        if (
            undrafted := [
                command for command in recipe.commands if command.command_id in stands and command.predicates
            ]
        )
    ]
    trained = systems.train(system, learnt, seed=seed, epochs=epochs)
    remaining = [
        recipe for recipe in recipes if any(command.command_id not in stands for command in recipe.commands)
    ]
    count = write_drafts(remaining, systems.answer(trained, remaining), into)
    note(
        f"trained on {sum(len(recipe.commands) for recipe in learnt)} commands; wrote {count} "
        f"drafts to {into}"
    )
