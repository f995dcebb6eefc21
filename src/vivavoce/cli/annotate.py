"""The verb `annotate`: exchange annotations with files, and choose what to annotate next."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from operator import or_
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from vivavoce.cli.arguments import Replace, note, progress

if TYPE_CHECKING:
    from vivavoce.annotation.files import Blank
    from vivavoce.dataset.reader import Dataset

app = typer.Typer(
    name="annotate",
    help="Import and export annotations; choose dialogues to judge.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Source = Annotated[Path, typer.Argument(metavar="SOURCE", help="Study (file or folder), or dataset folder.")]
Into = Annotated[Path, typer.Option("--into", help="Output folder.")]
LogUrl = Annotated[str | None, typer.Option("--log", help="Log address: sqlite:/// or postgresql://.")]


@app.command("out", short_help="Export annotations to files.")
def out(
    source: Source,
    into: Into,
    format: Annotated[str, typer.Option("--format", help="csv, parquet, eaf or textgrid.")] = "csv",
    blank: Annotated[bool, typer.Option("--blank", help="Write blank forms, without labels.")] = False,
    scheme: Annotated[
        list[str] | None, typer.Option("--scheme", help="Scheme of blank forms: name or file.")
    ] = None,
    annotator: Annotated[str, typer.Option("--annotator", help="Annotator of blank forms.")] = "expert",
    log: LogUrl = None,
) -> None:
    """Export the annotations of a study or dataset, or blank forms for annotating by hand."""
    from vivavoce.annotation.files import write_annotations

    with _dataset(source, log) as dataset, progress("writing") as moved:
        form = _blank(source, scheme or [], annotator) if blank else None
        written = dataset if blank else dataset.everything
        paths = write_annotations(written, into, format, blank=form, moved=moved)
    note(f"wrote {len(paths)} file{'s' if len(paths) != 1 else ''} into {into}")


@app.command("in", short_help="Import annotations from files.")
def in_(
    source: Source,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files or folders.")],
    into: Annotated[
        Path | None, typer.Option("--into", help="For a dataset: folder of the new dataset.")
    ] = None,
    chances: Annotated[
        Path | None,
        typer.Option(
            "--chances", help=("For a dataset: file written by `annotate plan`; labels are weighted by it.")
        ),
    ] = None,
    log: LogUrl = None,
    replace: Replace = False,
) -> None:
    """Import annotations into a study's log, or annotations or transcripts into a copy of a dataset."""
    from vivavoce.annotation.files import read_annotations, with_annotations
    from vivavoce.annotation.transcripts import is_transcripts, read_transcripts, with_transcripts
    from vivavoce.cli.judge import read_lots
    from vivavoce.core.clock import SystemClock
    from vivavoce.core.errors import InputError

    with _dataset(source, log) as analysed:
        dataset = analysed.everything
        if _is_dataset(source) and into is not None and any(map(is_transcripts, files)):
            said = reduce(or_, (read_transcripts(file, dataset) for file in files))
            with_transcripts(dataset, said, into)
            note(f"{len(said)} transcripts into {into}")
            return
        rows = read_annotations(files, dataset)
        if not _is_dataset(source):
            if chances is not None:
                hint = "Leave it out: the study's log has the probabilities of `annotation.choose`"
                raise InputError("sampling probabilities need a dataset", place="--chances", hint=hint)
            _into_log(source, log, rows)
            return
        if into is None:
            hint = "Name the new dataset with --into DIR"
            raise InputError("a dataset is never changed in place", place=str(source), hint=hint)
        lots = [] if chances is None else read_lots(chances)
        with_annotations(dataset, rows, into, SystemClock().now(), lots=lots)
    note(f"{len(rows)} labels into {into}")


@app.command("plan", short_help="Choose the dialogues that people judge next.")
def plan(
    source: Source,
    target: Annotated[
        str | None,
        typer.Option("--target", help="For a dataset: layer.label such as subtask.S, or an item."),
    ] = None,
    judge: Annotated[
        str, typer.Option("--judge", help="For a dataset: judge whose uncertainty counts.")
    ] = "parameters",
    number: Annotated[
        int | None, typer.Option("--number", min=1, help="For a dataset: number of dialogues to draw.")
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option("--into", help=("For a dataset: CSV with each dialogue's sampling probability.")),
    ] = None,
    even: Annotated[
        float, typer.Option("--even", help=("Share of the probability that is equal for all dialogues."))
    ] = 0.25,
    seed: Annotated[int, typer.Option("--seed", help="Random seed.")] = 1,
    log: LogUrl = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON to stdout.")] = False,
) -> None:
    """Choose the dialogues that people judge next, more often where a judge is unsure.

    For a study with `annotation.choose`: gives finished dialogues their sampling probability, as its
    dashboard
    does, and reports the annotators' progress.
    """
    from vivavoce.core.errors import InputError

    if not _is_dataset(source):
        _plan_study(source, log, as_json=as_json)
        return
    from vivavoce.cli.arguments import require_one_population
    from vivavoce.cli.judge import write_choice

    if target is None or number is None or into is None:
        hint = "Add, for example, --target subtask.S --number 50 --into chances.csv"
        raise InputError(
            "a dataset needs a target, a number and an output file", place=str(source), hint=hint
        )
    write_choice(require_one_population(source), judge, target, number, into, even=even, seed=seed)


def _plan_study(source: Path, url: str | None, *, as_json: bool) -> None:
    from vivavoce.api.studies import choose_now, open_log, read_study
    from vivavoce.cli.arguments import print_json

    study = read_study(source)
    with TemporaryDirectory() as folder, open_log(study, url) as opened:
        found = choose_now(study, opened, Path(folder))
    if as_json:
        print_json(found)
        return
    note(f"{found.new} dialogues got a sampling probability now, {found.drawn_now} of them were drawn")
    typer.echo(f"{found.drawn} of {found.dialogues} dialogues are for annotators; {found.judged} are judged")


@app.command("items", short_help="List recordings to transcribe.")
def items(
    source: Source,
    into: Annotated[
        Path, typer.Option("--into", help="CSV file to write; the sound goes into `audio` beside it.")
    ],
    audio: Annotated[
        Path | None,
        typer.Option("--audio", help="Folder with your own files: <dialogue_id>_<turn_index>.wav or .flac."),
    ] = None,
    log: LogUrl = None,
) -> None:
    """Write the CSV file of a step `transcribe`. Fill in its column `gold` for recordings that you know.

    Takes user turns and spoken commands from the recordings of the study or dataset. With --audio, uses your
    own files, named after turns, and leaves them in place.
    """
    from vivavoce.annotation.transcripts import item_rows, write_items

    with _dataset(source, log) as dataset:
        if audio is not None:
            rows, beside = item_rows(dataset, audio), audio
        else:
            rows, beside = _recorded(dataset, source, log, into.parent / "audio"), into.parent / "audio"
    write_items(into, rows)
    note(f"{len(rows)} recordings into {into}; fill in `gold` for those that you know")
    note(f"the step: transcribe: {{items: {into.name}, audio: {beside.name}}}")


def _recorded(dataset: "Dataset", source: Path, url: str | None, into: Path) -> list[dict]:
    from vivavoce.annotation.recorded import recorded_items
    from vivavoce.api.studies import open_log, read_study
    from vivavoce.log.recordings import folder_of

    if _is_dataset(source):
        sounds = dataset.folder / "recordings"
    else:
        with open_log(read_study(source), url) as opened:
            sounds = folder_of(opened).path
        _refuse_locked(sounds)
    listed = recorded_items(dataset, sounds, into)
    if listed.gone:
        note(f"the files of {listed.gone} recordings are not in {sounds}")
    if listed.unreadable:
        note(f"{listed.unreadable} recordings cannot be read as sound and were left out")
    return listed.rows


def _refuse_locked(sounds: Path) -> None:
    """Raise InputError for encrypted recordings: transcribers' pages need open files."""
    from vivavoce.core.errors import InputError
    from vivavoce.log.encryption import is_locked

    if sounds.is_dir() and any(is_locked(path) for path in sounds.iterdir() if path.is_file()):
        raise InputError(
            "these recordings are encrypted",
            place=str(sounds),
            hint="Export the study with --audio, and name the dataset instead",
        )


@app.command("transcripts", short_help="Export accepted transcripts or a training manifest.")
def transcripts(
    study: Annotated[
        Path, typer.Argument(metavar="STUDY", help="Study with a transcription step, or its folder.")
    ],
    into: Annotated[Path, typer.Option("--into", help="CSV file to write.")],
    manifest: Annotated[
        Path | None,
        typer.Option("--manifest", help=("Also write a training manifest for a recogniser (JSONL).")),
    ] = None,
    log: LogUrl = None,
) -> None:
    """Export the accepted transcripts: those of transcribers who were accurate on the known recordings."""
    from vivavoce.annotation.transcripts import accepted_rows, write_manifest, write_rows
    from vivavoce.api.studies import open_log, read_study
    from vivavoce.core.errors import InputError
    from vivavoce.study.step_kind import written_down_in

    plan = read_study(study)
    found = written_down_in(plan)
    if not found:
        raise InputError("transcribes nothing", place=str(study), hint="Add a step `transcribe` to `visit`")
    with open_log(plan, log) as opened:
        rows = accepted_rows(opened, plan.name)
    write_rows(into, rows)
    note(f"{len(rows)} accepted transcripts into {into}")
    if manifest is not None:
        note(f"{write_manifest(manifest, rows, found[0].folder)} lines into {manifest}")


def _into_log(source: Path, url: str | None, rows: list[dict]) -> None:
    from vivavoce.annotation.taking_in import take_into_log
    from vivavoce.api.studies import open_log, read_study

    plan = read_study(source)
    with open_log(plan, url) as opened:
        changed = take_into_log(plan, opened, rows, by="file")
    note(f"{len(rows)} labels read; {changed} layers of dialogues are new or changed")


def _is_dataset(source: Path) -> bool:
    from vivavoce.core.paths import resolve_path

    return (resolve_path(source) / "dataset.json").is_file()


@contextmanager
def _dataset(source: Path, url: str | None) -> "Iterator[Dataset]":
    """The dataset itself, or a temporary one made from a study's log."""
    from vivavoce.dataset.reader import Dataset

    if _is_dataset(source):
        yield Dataset(source)
        return
    from vivavoce.api.studies import export_study, open_log, read_study

    plan = read_study(source)
    with TemporaryDirectory() as folder, open_log(plan, url) as opened:
        yield export_study(plan, opened, Path(folder))


def _blank(source: Path, names: list[str], annotator: str) -> "Blank":
    """The schemes named, else those of the study's section `annotation`."""
    from vivavoce.annotation.files import Blank
    from vivavoce.api.studies import read_study
    from vivavoce.core.errors import InputError
    from vivavoce.study.schemes import read_scheme, scheme_file, unknown_scheme

    plan = None if names or _is_dataset(source) else read_study(source).annotation
    if plan is not None and plan.layers:
        return Blank([scheme for _, scheme in plan.layers], annotator)
    if not names:
        raise InputError("no scheme", place="--scheme", hint="Name one, such as --scheme context")
    schemes = []
    for name in names:
        path = scheme_file(name, Path.cwd())
        if path is None:
            problem, hint = unknown_scheme(name)
            raise InputError(problem, place="--scheme", hint=hint)
        scheme, problems = read_scheme(path)
        if scheme is None:
            raise problems[0].error()
        schemes.append(scheme)
    return Blank(tuple(schemes), annotator)
