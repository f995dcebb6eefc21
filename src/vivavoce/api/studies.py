"""Operations on a study: read it, open its log, make its connectors, export it."""

import os
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeVar

from vivavoce.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Coroutine

    from vivavoce.connectors.base import Connector
    from vivavoce.dashboard.label_choosing import Choosing
    from vivavoce.dataset.reader import Dataset
    from vivavoce.log.models import Scope
    from vivavoce.log.store import Log
    from vivavoce.study.model import Study

import sys

Answer = TypeVar("Answer")
STUDY_FILE = "study.yaml"
LOG_FILE = "log.sqlite"


def study_path(path: Path) -> Path:
    """The study file: the path itself, or `study.yaml` in a folder."""
    file = path / STUDY_FILE if path.is_dir() else path
    if not file.is_file():
        raise InputError(
            "no study file in this folder", place=str(path), hint="create one with `vivavoce init DIR`"
        )
    return file


def read_study(path: Path) -> "Study":
    from vivavoce.study.load import load_study

    return load_study(study_path(path))


def loaded_study(study: "Study | Path | str") -> "Study":
    """A study as it is, or that of a file or folder.

    Raises  InputError: it is none of these, or has problems
    """
    if isinstance(study, str | Path):
        return read_study(Path(study))
    from vivavoce.study.model import Study

    if not isinstance(study, Study):
        what = type(study).__name__
        raise InputError(f"{what} is not a study", place="study", hint="use a study file or its folder")
    return study


def log_url(study: "Study", url: str | None) -> str:
    """The log's address: the option, else VIVAVOCE_LOG, else a SQLite file beside the study."""
    return url or os.environ.get("VIVAVOCE_LOG") or f"sqlite:///{log_file(study)}"


def log_file(study: "Study") -> Path:
    """Default path of the log."""
    return (study.folder / LOG_FILE).resolve()


def require_key(study: "Study") -> None:
    """Require a key for recordings if the study encrypts them.

    Raises  InputError: there is none, or what is set is no key
    """
    if study.recordings is None or not study.recordings.encrypted:
        return
    from vivavoce.log.encryption import KEY, lock_of

    if lock_of() is None:
        raise InputError(
            f"recordings must be encrypted, but {KEY} is not set",
            place=f"{study.name} recordings.encrypted",
            hint="set it; create a key with `vivavoce recordings STUDY --new-key`",
        )


def require_opened(log: "Log") -> None:
    """Require a key that opens every encrypted recording of a log.

    Raises  WrongKey: the log is closed, and the first recording that does not is named
    """
    from vivavoce.log.encryption import WrongKey, require_keys

    try:
        if log.recording_folder is not None:
            require_keys(log.recording_folder)
    except WrongKey:
        log.close_now()
        raise


def open_log(study: "Study", url: str | None) -> "Log":
    from vivavoce.api.studies import report_to_stderr
    from vivavoce.log.store import Log

    report_to_stderr()
    address = log_url(study, url)
    beside = None if address.startswith("sqlite") else study.folder.resolve() / "recordings"
    return Log.open(address, recording_folder=beside)


def existing_log(study: "Study", url: str | None) -> "Log | None":
    """Opened log of the study; None if there is no log yet, so that no empty file is made.

    Raises  InputError: a log was named, and there is none
    """
    from vivavoce.log.engine import missing_file

    missing = missing_file(log_url(study, url))
    if missing is None:
        return open_log(study, url)
    if missing != log_file(study):
        raise InputError("no log in this folder", place=str(missing), hint="set the log that `serve` writes")
    return None


def place_in(study: "Study", *path: str | int) -> str:
    """Location in the study file: `study.yaml:19 systems.mine.url`."""
    from vivavoce.study.renamed_keys import parse_study

    return parse_study(study.file_text).place(path)


def make_connectors(study: "Study", only: "Collection[str] | None" = None) -> "dict[str, Connector]":
    """One connector a system, to be used; what they report of it goes to stderr.

    Input   only: these systems, whose secrets alone are needed; None: all
    Raises  as `connectors_of`
    """
    from vivavoce.api.studies import report_to_stderr

    report_to_stderr()
    return connectors_of(study, only)


def connectors_of(study: "Study", only: "Collection[str] | None" = None) -> "dict[str, Connector]":
    """One connector per system; `only`: the systems to connect.

    Raises  InputError: a mistake in a system's settings, with its place in the study file
    """
    from vivavoce.connectors.factory import try_connectors
    from vivavoce.study.renamed_keys import parse_study

    source = parse_study(study.file_text)
    chosen = {name: settings for name, settings in study.systems.items() if only is None or name in only}
    connectors, problems = try_connectors(chosen, study.folder, source)
    for problem in problems:
        raise problem.error()
    return connectors


def export_study(
    study: "Study",
    log: "Log",
    into: Path,
    *,
    scope: "Scope | None" = None,
    both: bool = False,
    audio: bool = False,
    level: str = "internal",
    finds: Path | None = None,
    mask_all: bool = False,
) -> "Dataset":
    """The study's log as a dataset; what typed turns mean is read by the study's own parser.

    scope  what people did, or what programs did; None: people, as soon as somebody has come
    both   everything: a dataset that analyses refuse
    audio  copy the recordings, too
    level  of the export, see `dataset.columns.Level`
    finds  what the scan before a publication found, and what was decided; None: beside the dataset
    mask_all  what nobody decided is masked
    Raises  InputError: recordings are asked for at a level that has none; UnknownName: no such level
    """
    from vivavoce.annotation.parsers import parser_of
    from vivavoce.dataset.columns import Level, read_level
    from vivavoce.dataset.reader import check_free
    from vivavoce.log.export import export_dataset

    parse = parser_of(study)
    exported = partial(
        export_dataset,
        log,
        study.name,
        domain_entities=study.entities(),
        parse=parse,
        flags=study.flags,
        simulated=None if both else (scope or log.usual_scope(study.name)) == "simulated",
        audio=audio,
    )
    for_whom = read_level(level)
    if for_whom is Level.internal:
        return exported(into)
    if audio:
        raise InputError(
            (f"{level} datasets contain no recordings, because the consent covers recording but not sharing"),
            place="export",
            hint="remove --audio, or export with level internal",
        )
    check_free(into)
    with TemporaryDirectory(prefix="vivavoce-export-") as folder:
        internal = exported(Path(folder) / "internal")
        return pass_on(internal, into, level, finds, mask_all=mask_all)


def pass_on(
    dataset: "Dataset", into: Path, level: str, finds: Path | None = None, *, mask_all: bool = False
) -> "Dataset":
    """A dataset brought to a level in another folder; the dataset itself where that is the internal one.

    Raises  InputError: it is of a lower level already; UnknownName: no such level
    """
    from vivavoce.dataset.columns import Level, read_level
    from vivavoce.dataset.publication import publish_dataset, reduce_dataset

    for_whom = read_level(level)
    if for_whom is Level.public:
        beside = into.with_name(f"{into.name}.finds.csv")
        return publish_dataset(dataset, into, finds or beside, mask_all=mask_all)
    return dataset if for_whom is Level.internal else reduce_dataset(dataset, into, for_whom)


@cache
def report_to_stderr() -> None:
    """Report to stderr, with plain tracebacks.

    Left to itself structlog prints on stdout, which may be a pipe of numbers, and shows local variables of
    every frame: what participants wrote, and secrets. Rendering them also takes minutes for a long dialogue.
    """
    import structlog

    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.dev.set_exc_info,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
        ],
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )


def choose_now(study: "Study", log: "Log", folder: Path) -> "Choosing":
    """Give the dialogues that have ended their chance to be annotated, whether the study is served or not.

    Input   folder: where a dataset is made of the log
    Raises  InputError: the study asks annotators about all of its dialogues
    """
    from vivavoce.dashboard.label_choosing import choice_of, choose_labels
    from vivavoce.study.judgement_kind import JUDGEMENTS

    choosing = choice_of(study)
    if choosing is None:
        hint = "add annotation: choose: {target: subtask.S, share: 0.3} or similar"
        raise InputError("annotators judge all dialogues", place=f"study {study.name}", hint=hint)
    workplace = JUDGEMENTS.get(choosing.kind).open(study, log)
    return choose_labels(workplace, lambda find: find(export_study(study, log, folder)))


def run_to_end(work: "Coroutine[object, object, Answer]") -> Answer:
    """The result of a coroutine, also in a notebook, where a loop is running already."""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(max_workers=1) as beside:
        return beside.submit(asyncio.run, work).result()
