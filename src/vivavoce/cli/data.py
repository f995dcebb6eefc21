"""Verbs that make datasets: import, export."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from vivavoce.cli.arguments import Replace, complete_studies, note, offered, progress
from vivavoce.core.errors import InputError
from vivavoce.core.paths import resolve_path

WHOSE: Final = {"people": "of people", "simulated": "of simulated users"}


class Only(StrEnum):
    """Population to export."""

    people = "people"
    simulated = "simulated"
    both = "both"


def import_(
    format: Annotated[
        str,
        typer.Argument(
            help="Log format: {vivavoce.importers}.",
            autocompletion=offered("vivavoce.importers"),
        ),
    ],
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Folders or archives.")],
    into: Annotated[Path | None, typer.Option("--into", help="Folder of the new dataset.")] = None,
    mapping: Annotated[
        Path | None,
        typer.Option("--mapping", help=("File that describes the columns of a table; --guess drafts one.")),
    ] = None,
    guess: Annotated[
        Path | None, typer.Option("--guess", help="Draft a column mapping into this file, without importing.")
    ] = None,
    venues: Annotated[Path | None, typer.Option("--venues", help="Venue database to check against.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first broken call.")] = False,
    replace: Replace = False,
) -> None:
    """Import a foreign log into a dataset."""
    from vivavoce.importers.base import IMPORTERS, by_reason

    importer = IMPORTERS.get(format, place="import")
    if guess is not None:
        if guess.exists() and not replace:
            raise InputError("already exists", place=str(guess), hint="Name another file, or add --replace")
        guess.write_text(importer.draft_mapping(paths), encoding="utf-8")
        note(f"drafted {guess}: check and correct it, then import with `--mapping {guess}`")
        return
    if into is None:
        raise InputError("dataset folder missing", place="--into", hint="name one")
    with progress("reading") as report:
        result = importer.make_dataset(
            paths, into, venues=venues, mapping=mapping, strict=strict, progress=report
        )
    for line in by_reason(result.skipped):
        note(f"skipped {line}")
    for sentence in result.summary:
        note(str(sentence))
    note(
        f"{result.calls} {importer.unit} into {result.dataset.folder}"
        + (f", {len(result.skipped)} skipped" if result.skipped else "")
    )


def export(
    study: Annotated[
        Path,
        typer.Argument(
            metavar="STUDY",
            help="Study file or its folder; with --format, also a dataset.",
            autocompletion=complete_studies,
        ),
    ],
    into: Annotated[Path, typer.Option("--into", help="Output folder.")],
    log: Annotated[
        str | None, typer.Option("--log", help="Log address: sqlite:/// or postgresql://.")
    ] = None,
    only: Annotated[
        Only | None,
        typer.Option(
            "--only", help=("Visits to export (default: people's, or simulated ones if there are no others).")
        ),
    ] = None,
    level: Annotated[
        str, typer.Option("--level", help="Disclosure level: internal, shareable (colleagues) or public.")
    ] = "internal",
    finds: Annotated[
        Path | None,
        typer.Option(
            "--finds",
            help=("public: file with possible personal data and your decisions (default INTO.finds.csv)."),
        ),
    ] = None,
    mask_all: Annotated[bool, typer.Option("--mask-all", help="public: mask all undecided entries.")] = False,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="Export format of another tool: {vivavoce.exporters}.",
            autocompletion=offered("vivavoce.exporters"),
        ),
    ] = None,
    audio: Annotated[bool, typer.Option("--audio", help="Copy the recordings.")] = False,
    csv: Annotated[
        Path | None, typer.Option("--csv", help=("Also write CSV files and a codebook to this folder."))
    ] = None,
    raw_csv: Annotated[
        bool, typer.Option("--raw-csv", help="Write exact CSV (unsafe in spreadsheets).")
    ] = False,
    replace: Replace = False,
) -> None:
    """Export a study's log to a dataset, or a dataset to another format."""
    if format is not None:
        given = {"--audio": audio or None, "--csv": csv, "--raw-csv": raw_csv or None}
        _export_as(format, study, into, log, only, level, finds, mask_all=mask_all, given=given)
        return
    from vivavoce.api.studies import export_study, open_log, read_study
    from vivavoce.log.models import scope_of

    plan = read_study(study)
    with open_log(plan, log) as opened:
        visits, both = opened.visits_by_scope(plan.name), only is Only.both
        scope = scope_of(simulated=only is Only.simulated) if only else opened.usual_scope(plan.name)
        dataset = export_study(
            plan,
            opened,
            into,
            scope=scope,
            both=both,
            audio=audio,
            level=level,
            finds=finds,
            mask_all=mask_all,
        )
    if csv is not None:
        from vivavoce.dataset.csv_files import export_csv

        export_csv(dataset.folder, csv, raw=raw_csv)
    told = [f"{n} {noun}{'s'[: n != 1]}" for noun, n in dataset.holdings().items()] or ["no visit"]
    whose = "of people and of simulated users" if both else WHOSE[scope]
    note(f"Exported {', '.join(told)} {whose} into {dataset.folder}.")
    for lost in dataset.what_is_lost:
        note(str(lost))
    if not dataset.what_is_lost:
        note("Contains full text and timestamps; use `--level shareable` before sharing")
    more = {"excluded by rules": dataset.excluded["dialogues"], "still in progress": len(dataset.running)}
    if any(more.values()):
        said = " and ".join(f"{n} {why}" for why, n in more.items() if n)
        note(f"further dialogues are in the dataset but not in any result: {said}")
    other = scope_of(simulated=scope == "people")
    if not both and visits[other]:
        left = f"{visits[other]} visit{'s'[: visits[other] != 1]} {WHOSE[other]}"
        note(f"left out: {left}; export them separately with `--only {other}`")


def _export_as(
    format: str,
    study: Path,
    into: Path,
    log: str | None,
    only: Only | None,
    level: str,
    finds: Path | None,
    *,
    mask_all: bool,
    given: dict[str, object],
) -> None:
    """Export a study's log or a dataset to the format of another tool."""
    from tempfile import TemporaryDirectory

    from vivavoce.api.studies import export_study, open_log, pass_on, read_study
    from vivavoce.cli.arguments import refuse_unused
    from vivavoce.dataset.reader import MANIFEST, Dataset
    from vivavoce.exporters.base import EXPORTERS
    from vivavoce.log.models import scope_of

    exporter = EXPORTERS.get(format, place="--format")
    exporter.check_free(into)
    finds = finds or into.with_name(f"{into.name}.finds.csv")
    with TemporaryDirectory(prefix="vivavoce-export-") as folder:
        whole = Path(folder) / "dataset"
        if (resolve_path(study) / MANIFEST).is_file():
            refuse_unused("a dataset", {**given, "--log": log, "--only": only})
            dataset = pass_on(Dataset(study), whole, level, finds, mask_all=mask_all)
        else:
            refuse_unused(f"the format {format}", given)
            plan = read_study(study)
            with open_log(plan, log) as opened:
                scope = scope_of(simulated=only is Only.simulated) if only else opened.usual_scope(plan.name)
                dataset = export_study(
                    plan,
                    opened,
                    whole,
                    scope=scope,
                    both=only is Only.both,
                    level=level,
                    finds=finds,
                    mask_all=mask_all,
                )
        told = [f"{n} {noun}{'s'[: n != 1]}" for noun, n in dataset.holdings().items()] or ["no visit"]
        lost = exporter.export(dataset, into)
    note(f"{', '.join(told)} into {into} as {exporter.title}")
    for line in [*dataset.what_is_lost, *lost]:
        note(str(line))
    if not dataset.what_is_lost:
        note("Contains full text and timestamps; use `--level shareable` before sharing")
