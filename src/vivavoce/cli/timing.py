"""The verb `timing`: turn times measured in recordings."""

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vivavoce.cli.arguments import Dataset_, Replace, note, progress

if TYPE_CHECKING:
    from vivavoce.dataset.timing import DialogueTiming


def timing(
    dataset: Dataset_,
    into: Annotated[Path, typer.Option("--into", help="Folder of the new dataset with these times.")],
    recordings: Annotated[
        Path | None,
        typer.Argument(
            metavar="RECORDINGS",
            help="Folder with <dialogue_id>.wav or .flac (default: the dataset's recordings).",
        ),
    ] = None,
    channels: Annotated[
        str, typer.Option("--channels", help="Speaker of each channel in RECORDINGS.")
    ] = "user,system",
    replace: Replace = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON to stdout.")] = False,
) -> None:
    """Measure turn times in two-channel recordings; write them into a copy of a dataset."""
    from vivavoce.core.errors import InputError
    from vivavoce.dataset.reader import Dataset
    from vivavoce.dataset.timing import recorded_dialogues, recordings_in, time_from_sound

    if sorted(channels.split(",")) != ["system", "user"]:
        raise InputError(f"{channels!r}", place="--channels", hint="Write user,system or system,user")
    opened = Dataset(dataset).everything
    if recordings is not None:
        sources = recordings_in(recordings, opened, channels.split(","))  # type: ignore[arg-type]
    else:
        sources = recorded_dialogues(opened)
    if not sources:
        raise InputError(
            "this dataset has no recordings of its dialogues",
            place=str(dataset),
            hint="Export it with --audio, or name a folder of recordings",
        )
    with progress("dialogues") as report:
        timed, timings = time_from_sound(opened, sources, into, report)
    note(f"wrote {into}")
    if as_json:
        facts = {"dataset": timed.hash, "dialogues": [one._asdict() for one in timings]}
        typer.echo(json.dumps(facts, indent=2))
    else:
        _show(timings)


def _show(timings: "list[DialogueTiming]") -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console

    from vivavoce.core.terminal import FittedTable as Table

    columns = "dialogue", "turns in the log", "in the sound", "timed", "besides"
    table = Table(*columns, box=SIMPLE_HEAD, show_edge=False)
    for one in timings:
        counts = one.logged, one.spoken, one.timed, one.besides + one.strange
        table.add_row(one.dialogue_id, *map(str, counts))
    console = Console()
    console.print(table)
    reasons = sum((Counter(one.missing) for one in timings), Counter[str]())
    for reason, count in reasons.most_common():
        console.print(f"{count} of {sum(one.logged for one in timings)} turns without times: {reason}")
