"""`stress run`: replay sampled interactions, or a suite, clean and as variant, on a system."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vivavoce.cli.arguments import Report, note, progress

if TYPE_CHECKING:
    from vivavoce.connectors.base import Connector
    from vivavoce.dataset.reader import Dataset
    from vivavoce.log.store import Log
    from vivavoce.study.model import Study
    from vivavoce.study.ontology import Ontology
    from vivavoce_stress.case import Case
    from vivavoce_stress.runs import CaseDone, Run, RunSettings
    from vivavoce_stress.spoken import Speech, SpokenChannel

Tests_ = Annotated[
    list[str] | None, typer.Option("--test", help="Test to run, such as ST-1. Repeatable (default all).")
]
Languages_ = Annotated[
    list[str] | None,
    typer.Option("--language", help="Language to test, such as it. Repeatable (default all)."),
]
Sample_ = Annotated[
    int | None, typer.Option("--sample", min=1, help="Number of interactions to sample (default all).")
]
Seed_ = Annotated[int, typer.Option("--seed", help="Random seed of the sample.")]
Log_ = Annotated[str | None, typer.Option("--log", help="Log address: sqlite:/// or postgresql://.")]
From_ = Annotated[
    Path | None, typer.Option("--from", help="Dataset with the interactions (default: the study's log).")
]
Backends_ = Annotated[
    list[str] | None,
    typer.Option(
        "--backend", help="Additional resources: apertium, thesaurus (it), misspellings (en). Repeatable."
    ),
]
Each_ = Annotated[
    bool, typer.Option("--each-test", help="Replay each interaction once for every applicable test.")
]


def run(
    path: Annotated[
        Path, typer.Argument(metavar="STUDY|SUITE", help="Study file or folder, or a suite file.")
    ],
    system: Annotated[str | None, typer.Option("--system", help="System to test.")] = None,
    dataset: From_ = None,
    log: Log_ = None,
    test: Tests_ = None,
    language: Languages_ = None,
    sample: Sample_ = None,
    each_test: Each_ = False,
    backend: Backends_ = None,
    seed: Seed_ = 1,
    repeats: Annotated[
        int,
        typer.Option(
            "--repeats", min=1, max=99, help="Replays of each variant, for nondeterministic systems."
        ),
    ] = 1,
    continuation: Annotated[
        str, typer.Option("--continuation", help="User turns after the variant: logged or simulated.")
    ] = "logged",
    ad_hoc: Annotated[Path | None, typer.Option("--ad-hoc", help="Suite with additional cases.")] = None,
    spoken: Annotated[
        bool,
        typer.Option("--spoken", help="Synthesise user turns and send the recognised text to the system."),
    ] = False,
    speech: Annotated[
        Path | None,
        typer.Option("--speech", help="YAML: recogniser, synthesiser, degradation. Implies --spoken."),
    ] = None,
    at_once: Annotated[int, typer.Option("--at-once", min=1, max=500, help="Concurrent replays.")] = 16,
    attempts: Annotated[
        int, typer.Option("--attempts", min=1, max=99, help="Attempts of a replay after system errors.")
    ] = 3,
    retry_wait: Annotated[
        float, typer.Option("--retry-wait", min=0, max=3600, help="Seconds between rounds of attempts.")
    ] = 15.0,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start a new run instead of resuming an interrupted one.")
    ] = False,
    similarity: Annotated[
        bool, typer.Option("--similarity", help="Also compare replies by sentence similarity.")
    ] = False,
    judge: Annotated[
        str | None, typer.Option("--judge", help="URL of a language model that judges undecided cases.")
    ] = None,
    judge_model: Annotated[str, typer.Option("--judge-model", help="Model name.")] = "",
    judge_key: Annotated[
        str | None, typer.Option("--judge-key", help="API key as ${NAME} from the environment.")
    ] = None,
    fail_under: Annotated[
        float | None,
        typer.Option(
            "--fail-under", min=0, max=1, help="Exit with 1 below this ratio; open cases count as failed."
        ),
    ] = None,
    junit: Annotated[Path | None, typer.Option("--junit", help="Write JUnit XML to this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON to stdout.")] = False,
) -> None:
    """Replay interactions or a suite with originals and variants, then judge the replies."""
    from vivavoce.core.errors import UnknownName
    from vivavoce_stress.cli.score import show
    from vivavoce_stress.planning import RunChoice
    from vivavoce_stress.runs import RunSettings

    if continuation not in ("logged", "simulated"):
        raise UnknownName("continuation", continuation, ["logged", "simulated"], place="stress run")
    _check_paths(path, junit)
    choice = RunChoice(
        tests=tuple(test or ()),
        languages=tuple(language or ()),
        size=sample,
        each_test=each_test,
        seed=seed,
        spoken=spoken or speech is not None,
        backends=tuple(backend or ()),
    )
    voice = ReplayVoice(speech, choice.spoken)
    job = (
        _of_suite(path, log, voice)
        if _is_suite(path)
        else _of_study(path, log, system, dataset, choice, ad_hoc, voice)
    )
    settings = RunSettings(
        repeats=repeats,
        continuation=continuation,
        seed=seed,
        at_once=at_once,
        attempts=attempts,
        retry_wait_s=retry_wait,
        speech=job.speech.facts() if job.speech else None,
    )
    options = _Asked(settings, fresh, similarity, judging(judge, judge_model, judge_key))
    with job.log:
        done = _hold(job, options)
        rows = _rows(job)
    _tell(done)
    facts = _scored(rows, done.run_id)
    if junit is not None:
        from vivavoce_stress.junit import junit as as_junit

        mine = [row for row in rows if row["run_id"] == done.run_id]
        junit.write_text(as_junit(mine, job.name), encoding="utf-8")
    if as_json:
        typer.echo(json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        show(facts["runs"][0], path if _is_suite(path) else None)
    if fail_under is not None:
        _demand(facts["runs"][0]["whole"], fail_under)


def _check_paths(path: Path, junit: Path | None) -> None:
    """Check paths before the run: missing folders and wrong names."""
    from vivavoce.core.errors import InputError

    if not path.exists():
        hint = "use a study, or a suite written by `vivavoce stress review STUDY --freeze`"
        raise InputError("file or folder not found", place=str(path), hint=hint)
    if junit is not None and not junit.absolute().parent.is_dir():
        raise InputError(
            "its folder does not exist", place=f"--junit {junit}", hint="create the folder first"
        )


@dataclass(frozen=True)
class _Asked:
    """Options of a run, for any cases."""

    settings: "RunSettings"
    fresh: bool
    similarity: bool
    judge: dict[str, Any] | None


@dataclass(frozen=True)
class _Job:
    """Cases to run on a system, and the stream of the log for them."""

    name: str
    system: str
    connector: "Connector"
    log: "Log"
    cases: "Sequence[Case]"
    ontology: "Ontology | None"
    not_applicable: list[dict[str, Any]]
    speech: "Speech | None" = None
    speech_folder: Path = Path()


def _is_suite(path: Path) -> bool:
    from vivavoce_stress.suite import is_suite

    return is_suite(path)


@dataclass(frozen=True)
class ReplayVoice:
    """Voice option: spoken or not, and the file with its settings if one was named."""

    file: Path | None
    wanted: bool

    def speech(self, own: "Speech | None") -> "Speech | None":
        """Speech settings: from the file, else from the suite or study."""
        from vivavoce_stress.spoken import read_speech_file

        if self.file is not None:
            return read_speech_file(self.file)
        return own

    def folder(self, own: Path) -> Path:
        """Folder for relative paths in the settings."""
        return own if self.file is None else self.file.parent


def _of_suite(path: Path, log: str | None, voice: ReplayVoice) -> _Job:
    """A suite: its log lies beside it unless one is named."""
    from vivavoce.connectors.factory import make_connector
    from vivavoce.log.store import Log
    from vivavoce.study.ontology import load_ontology
    from vivavoce_stress.planning import RunPlan, by_voice
    from vivavoce_stress.spoken import Speech
    from vivavoce_stress.suite import read_suite

    suite = read_suite(path)
    speech = voice.speech(suite.speech or (Speech.model_validate({}) if voice.wanted else None))
    plan = by_voice(suite.cases) if speech else RunPlan(list(suite.cases))
    connector = make_connector(suite.system, place=f"{path.name} system", folder=path.parent)
    ontology = load_ontology(path.parent / suite.ontology) if suite.ontology else None
    url = log or f"sqlite:///{path.with_suffix('.stress.sqlite').resolve()}"
    return _Job(
        suite.suite,
        str(suite.system.get("connect")),
        connector,
        Log.open(url),
        plan.cases,
        ontology,
        plan.not_applicable,
        speech,
        voice.folder(path.parent),
    )


def _of_study(
    path: Path,
    log: str | None,
    system: str | None,
    dataset: Path | None,
    choice: Any,
    ad_hoc: Path | None,
    voice: ReplayVoice,
) -> _Job:
    from tempfile import TemporaryDirectory

    from vivavoce.api.studies import make_connectors, open_log, read_study
    from vivavoce.log.stress_events import stress_stream
    from vivavoce_stress.planning import RunPlan, by_voice, plan_run
    from vivavoce_stress.review import Reviews
    from vivavoce_stress.spoken import speech_of
    from vivavoce_stress.suite import read_suite

    study = read_study(path)
    chosen = system_of(study, system)
    speech = voice.speech(speech_of(study)) if voice.wanted else None
    connector = make_connectors(study)[chosen]
    opened = open_log(study, log)
    try:
        opened.transact_now(
            lambda tx: tx.record_study(study.name, study.revision, study.file_text, study.entities())
        )
        with TemporaryDirectory() as folder:
            source = interactions(study, opened, dataset, Path(folder))
            reviews = Reviews.of(opened.events(stress_stream(study.name)))
            plan = plan_run(study, source, reviews, choice, None if dataset else chosen)
        more = RunPlan(list(read_suite(ad_hoc).cases) if ad_hoc else [])
        more = by_voice(more.cases) if speech else more
    except BaseException:
        opened.close_now()
        raise
    return _Job(
        study.name,
        chosen,
        connector,
        opened,
        [*plan.cases, *more.cases],
        study.ontology,
        [*plan.not_applicable, *more.not_applicable],
        speech,
        voice.folder(study.folder),
    )


def system_of(study: "Study", system: str | None) -> str:
    """The system that is meant; the only one where none is named."""
    from vivavoce.core.errors import InputError, UnknownName

    if system is None and len(study.systems) > 1:
        names = ", ".join(study.systems)
        raise InputError(
            "the system is missing",
            place=f"study {study.name}",
            hint=f"add --system; systems of the study: {names}",
        )
    chosen = system or next(iter(study.systems))
    if chosen not in study.systems:
        raise UnknownName("system", chosen, list(study.systems), place="stress --system")
    return chosen


def interactions(study: "Study", log: "Log", dataset: Path | None, folder: Path) -> "Dataset":
    """The dataset with the logged interactions: the one that is named, else the study's log."""
    from vivavoce.api.studies import export_study
    from vivavoce.dataset.reader import Dataset

    return Dataset(dataset) if dataset else export_study(study, log, folder)


def _hold(job: _Job, asked: _Asked) -> "CaseDone":
    import asyncio
    import os

    from vivavoce_stress.replay import written
    from vivavoce_stress.runs import Run
    from vivavoce_stress.similarity import make_similarity
    from vivavoce_stress.verdict_model import ModelJudge

    model = ModelJudge(asked.judge, os.environ) if asked.judge else None
    channel = _channel(job)
    stress_run = Run(
        study=job.name,
        system=job.system,
        connector=job.connector,
        log=job.log,
        cases=job.cases,
        settings=asked.settings,
        ontology=job.ontology,
        not_applicable=job.not_applicable,
        fresh=asked.fresh,
        similarity=make_similarity() if asked.similarity else None,
        ask_model=model,
        say=channel.say if channel else written,
    )
    with progress("cases judged") as report:
        done = asyncio.run(
            _to_its_end(
                stress_run, report, [closable for closable in (model, channel) if closable is not None]
            )
        )
    if model and model.failures:
        why = ", ".join(f"{name} {count}" for name, count in model.troubles.most_common())
        note(f"the language model gave no verdict {model.failures} times: {why}")
    return done


def _channel(job: _Job) -> "SpokenChannel | None":
    """Recognisers and synthesisers of the languages that are spoken; None where turns are written."""
    from vivavoce_stress.spoken import SpokenChannel

    if job.speech is None:
        return None
    return SpokenChannel(job.speech, [case.language for case in job.cases], job.speech_folder)


async def _to_its_end(run: "Run", report: Report, helpers: list[Any]) -> "CaseDone":
    start = getattr(run.connector, "start", None)
    try:
        if start is not None:
            await start()
        return await run.hold(report)
    finally:
        await run.connector.shut_down()
        for helper in helpers:
            await helper.close()


def judging(url: str | None, model: str, key: str | None) -> dict[str, Any] | None:
    """Settings of the connector; an address that one types oneself may be on this machine."""
    if url is None:
        return None
    return {"url": url, "model": model, "allow_private": True} | ({"key": key} if key else {})


def _rows(job: _Job) -> list[dict[str, Any]]:
    from vivavoce.log.stress_events import stress_rows, stress_stream

    return list(stress_rows(job.log.events(stress_stream(job.name))))


def _scored(rows: list[dict[str, Any]], run_id: str) -> dict[str, Any]:
    from vivavoce_stress.scores import score

    mine = [row for row in rows if row["run_id"] == run_id]
    return {"runs": [score(mine, run_id)]}


def _tell(done: "CaseDone") -> None:
    line = f"run {done.run_id}: {done.cases} cases, {done.held} replays"
    if done.taken_over:
        line += f", {done.taken_over} kept from earlier runs"
    if done.begun_again:
        line += f", {done.begun_again} restarted after an interruption"
    if done.tried_again:
        line += f", {done.tried_again} retried after a system failure"
    note(line)


def _demand(whole: dict[str, Any], least: float) -> None:
    """The lower bound holds it: open cases count as not passed until somebody says otherwise."""
    if whole["worst"] is None or whole["worst"] < least:
        share = "no decided cases" if whole["worst"] is None else f"ratio {whole['worst']:.3f}"
        if whole["open"]:
            share += f" (minimum), {whole['best']:.3f} (maximum), {whole['open']} cases open"
        note(f"{share}, required {least:g}")
        raise typer.Exit(1)
