"""Verbs that make datasets: import, export."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from vivavoce.cli.datasets import Replace
from vivavoce.cli.progress import note, progress


class Only(StrEnum):
    """Whose dialogues are exported."""

    people = "people"
    simulated = "simulated"


def import_(
    format: Annotated[str, typer.Argument(help="Format of the foreign log, such as dstc2.")],
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Folders or archives.")],
    into: Annotated[Path, typer.Option("--into", help="Folder of the new dataset.")],
    venues: Annotated[Path | None, typer.Option("--venues", help="Venue database to check against.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first broken call.")] = False,
    replace: Replace = False,
) -> None:
    """Turn a foreign log into a dataset."""
    from vivavoce.corpora import CORPORA

    importer = CORPORA.get(format, place="import")
    with progress("reading") as report:
        result = importer.read(paths, into, venues=venues, strict=strict, progress=report)
    for line in result.skipped:
        note(f"skipped {line}")
    note(
        f"{result.calls} {importer.unit} into {into}"
        + (f", {len(result.skipped)} skipped" if result.skipped else "")
    )


def export(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="Study file, or its folder.")],
    into: Annotated[Path, typer.Option("--into", help="Folder of the dataset.")],
    log: Annotated[str | None, typer.Option("--log", help="Log: sqlite:/// or postgresql://.")] = None,
    only: Annotated[
        Only | None, typer.Option("--only", help="Only dialogues of people, or of simulated users.")
    ] = None,
    audio: Annotated[bool, typer.Option("--audio", help="Copy the recordings, too.")] = False,
    csv: Annotated[Path | None, typer.Option("--csv", help="Also write CSV and a codebook here.")] = None,
    raw_csv: Annotated[bool, typer.Option("--raw-csv", help="CSV exact, unsafe in spreadsheets.")] = False,
    replace: Replace = False,
) -> None:
    """Turn a study's log into a dataset."""
    from vivavoce.cli.studies import export_study, open_log, read_study

    plan = read_study(study)
    with open_log(plan, log) as opened:
        simulated = None if only is None else only is Only.simulated
        dataset = export_study(plan, opened, into, simulated=simulated, audio=audio)
    if csv is not None:
        from vivavoce.log.export_csv import export_csv

        export_csv(dataset.folder, csv, raw=raw_csv)
    tables = dataset.manifest["tables"]
    found = {name: tables.get(name, {}).get("rows", 0) for name in ("dialogues", "commands", "recordings")}
    told = [f"{rows} {name}" for name, rows in found.items() if rows or name == "dialogues"]
    note(f"{', '.join(told)} into {into}")
