"""A system's part of a campaign, held: users with their tasks, stress tests on a sample, the dataset."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vivavoce.annotation.parsers import parser_of
from vivavoce.connectors.base import Connector
from vivavoce.connectors.factory import make_connector
from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import MANIFEST, Dataset, replacing
from vivavoce.log.export import export_dataset
from vivavoce.log.models import PEOPLE, SIMULATED, Scope, StoredEvent
from vivavoce.log.store import Log
from vivavoce.log.stress_events import (
    CaseJudged,
    StressRunFinished,
    StressRunPlanned,
    VerdictsOfPeople,
    stress_rows,
    stress_stream,
)
from vivavoce.simulation.domain import SimulatedDomain, load_domain
from vivavoce.simulation.trial import run_trial
from vivavoce.simulation.user_factory import UserSimulator
from vivavoce.study.load import load_study
from vivavoce.study.model import Study
from vivavoce.trial.engine import SessionEngine
from vivavoce_campaign.campaign_file import Campaign, StressSettings, write_facts
from vivavoce_campaign.places import SystemPlace, place_of
from vivavoce_campaign.submission_file import Submission
from vivavoce_campaign.success import goal_in_words
from vivavoce_campaign.wordings import shown_wordings
from vivavoce_stress.base import STRESS_TESTS, StressTest, stress_tests
from vivavoce_stress.case import Case, plan_key
from vivavoce_stress.planning import RunChoice, plan_run
from vivavoce_stress.review import Reviews
from vivavoce_stress.runs import Run, RunSettings
from vivavoce_stress.scores import stress_results
from vivavoce_stress.suite import read_suite

SPEECH_NOISE: Final = 0.05
Report = Callable[[int, int], None]
Progress = Callable[[str], AbstractContextManager[Report]]


@dataclass(frozen=True)
class HeldCampaign:
    """Result for one system: users who finished, cases of stress tests, and the dataset.

    cases    applied ones, as everywhere; `left` are those whose original did not pass, `failed` those at
             which the system failed at every attempt
    study    the folder of its study
    waiting  cases that no rule decided, and that wait for a person's verdict
    checks   cases that a rule decided, drawn for a double check that nobody has made
    earlier  cases of earlier runs that people judged: `carried` are in this one and answered as before,
             `changed` are in it and answered otherwise
    """

    name: str
    users: int
    cases: int
    dataset: Dataset
    study: Path
    waiting: int
    checks: int
    earlier: int = 0
    carried: int = 0
    left: int = 0
    failed: int = 0
    changed: int = 0


def run_system(
    campaign: Campaign,
    submission: Submission,
    progress: Progress,
    *,
    simulate: bool,
    word_error_rate: float | None = None,
    release: str | None = None,
    users: int | None = None,
) -> HeldCampaign:
    """Take a system's part to its end; what is done already is not done again.

    simulate  simulated users fill up to the campaign's number, in each of its languages as many; else only
              what people did is taken
    word_error_rate  of the noise between simulated users and the system; None: that of speech to a system
              that is spoken to, none in what is typed
    release   what the system's release is called, for the stress tests that are held now
    users     simulated users of a trial run; None: as many as the campaign plans
    Raises    InputError: the study is not sound, nobody came, or people and simulated users would be mixed
    """
    place, name = place_of(campaign, submission.submission), submission.submission
    study = load_study(place.folder)
    with Log.open(place.log_url) as log:
        log.transact_now(
            lambda tx: tx.record_study(study.name, study.revision, study.file_text, study.entities())
        )
        if simulate:
            with progress(f"{name}: simulated dialogues") as report:
                noise = noise_for(submission) if word_error_rate is None else word_error_rate
                spoken = campaign.languages_of(submission)
                user_count = users or campaign.settings.users
                _simulate(campaign, study, log, report, noise, callers_at(place), spoken, user_count)
        dataset = _export(campaign, submission, study, log, place)
        if not dataset.read("dialogues").num_rows:
            hint = f"recruit participants with vivavoce serve {place.folder}, or remove --people"
            raise InputError("no users yet", place=f"system {name}", hint=hint)
        with progress(f"{name}: stress tests") as report:
            run = _planned(campaign, submission, study, log, dataset)
            run.release = release
            if run.cases and not _was_held(run):
                asyncio.run(_hold(run, report))
        dataset = _export(campaign, submission, study, log, place)
        stream = log.events(stress_stream(study.name))
    return _held(name, dataset, place, stream)


def retest_system(
    campaign: Campaign, submission: Submission, progress: Progress, *, release: str | None = None
) -> HeldCampaign:
    """Hold the cases of a system's last run of stress tests again, on the system as it is now.

    A re-test that was interrupted is taken up.
    Raises  InputError: the study is not sound, or no stress tests run yet
    """
    place, name = place_of(campaign, submission.submission), submission.submission
    study = load_study(place.folder)
    with Log.open(place.log_url) as log:
        stream = [stored.event for stored in log.events(stress_stream(study.name))]
        runs = [
            planned for planned in stream if isinstance(planned, StressRunPlanned) and planned.system == name
        ]
        if not runs:
            hint = f"run vivavoce campaign run {campaign.folder} --system {name}"
            raise InputError("no stress tests run yet", place=f"system {name}", hint=hint)
        last = runs[-1]
        over = any(isinstance(event, StressRunFinished) and event.run_id == last.run_id for event in stream)
        run = Run(
            study=study.name,
            system=name,
            connector=connectors(study)[name],
            log=log,
            cases=[with_goal(Case.model_validate(case), submission) for case in last.cases],
            not_applicable=last.not_applicable,
            settings=_run_settings(campaign.settings.stress, campaign.settings.seed),
            ontology=study.ontology,
            fresh=over,
            release=release,
        )
        with progress(f"{name}: stress tests again") as report:
            asyncio.run(_hold(run, report))
        dataset = _export(campaign, submission, study, log, place)
        stream = log.events(stress_stream(study.name))
    return _held(name, dataset, place, stream)


def _held(name: str, dataset: Dataset, place: SystemPlace, stream: Sequence[StoredEvent]) -> HeldCampaign:
    runs = [run for run in stress_results(dataset)["runs"] if run["system"] == name]
    cases, waiting, checks, left_out, failed = (
        sum(run["whole"][key] for run in runs)
        for key in ("applied", "waiting", "checks", "not_admitted", "outage")
    )
    people, last = VerdictsOfPeople.of(stream), runs[-1]["run_id"] if runs else ""
    return HeldCampaign(
        name,
        finished_users(dataset),
        cases,
        dataset,
        place.folder,
        waiting,
        checks,
        people.earlier.get(last, 0),
        people.carried.get(last, 0),
        left_out,
        failed,
        people.changed.get(last, 0),
    )


def finished_users(dataset: Dataset) -> int:
    """Users who went through all steps."""
    return dataset.read("participants").column("outcome").to_pylist().count("completed")


def scope_held(log: Log, study: str) -> Scope:
    """Scope of figures: simulated users', where there are any, as long as no person has finished.

    Somebody who only looked at the participants' page takes no figure away.
    """
    visits = log.visits(study)
    finished = any(not visit.simulated and visit.outcome == "completed" for visit in visits)
    return SIMULATED if not finished and any(visit.simulated for visit in visits) else PEOPLE


def callers_at(place: SystemPlace) -> SimulatedDomain | None:
    """The simulated users beside a study; None where a shipped domain fits its tasks."""
    return load_domain(str(place.callers)) if place.callers.is_file() else None


def _simulate(
    campaign: Campaign,
    study: Study,
    log: Log,
    report: Report,
    noise: float,
    domain: SimulatedDomain | None,
    languages: Sequence[str],
    users: int,
) -> None:
    visits = log.visits(study.name)
    completed = Counter(
        visit.language for visit in visits if visit.simulated and visit.outcome == "completed"
    )
    casting = UserSimulator.of(study, domain)
    spoken = [
        language for language in languages if casting.speaks(language)
    ] or languages  # none: the trial says so
    missing = missing_users(users, completed, spoken)
    tasks_per_user, total = campaign.settings.tasks, campaign.settings.tasks * sum(missing.values())
    if not total:
        return
    if any(not visit.simulated for visit in visits):
        raise InputError("people have used this system", place=f"study {study.name}", hint="add --people")

    async def hold() -> None:
        engine = SessionEngine(study, log, connectors(study))
        await engine.start()
        try:
            before, seed = 0, campaign.settings.seed + completed.total()
            for number, (language, users) in enumerate(missing.items()):
                await run_trial(
                    engine,
                    users * tasks_per_user,
                    seed=seed + number,
                    error_rate=noise,
                    casting=casting,
                    progress=moved(report, before, total),
                    language=language,
                )
                before += users * tasks_per_user
        finally:
            await engine.stop()
            await casting.shut_down()

    asyncio.run(hold())


def missing_users(user_count: int, completed: Mapping[str, int], languages: Sequence[str]) -> dict[str, int]:
    """Missing users of each language: equal numbers, of the first languages one more.

    Empty  a language of which enough came is not there
    """
    share, more = divmod(user_count, len(languages))
    shares = {tag: share + (place < more) for place, tag in enumerate(languages)}
    return {tag: n - completed.get(tag, 0) for tag, n in shares.items() if n > completed.get(tag, 0)}


def moved(report: Report, before: int, total: int) -> Report:
    """Progress of a part of something, told as that of the whole."""
    return lambda done, _: report(before + done, total)


def noise_for(submission: Submission) -> float:
    """Word error rate between simulated users and a system: what is typed arrives as it is."""
    return SPEECH_NOISE if submission.spoken else 0.0


def connectors(study: Study) -> dict[str, Connector]:
    """One connector a system of the study."""
    return {
        name: make_connector(settings, folder=study.folder, place=f"systems.{name}")
        for name, settings in study.systems.items()
    }


def _export(
    campaign: Campaign, submission: Submission, study: Study, log: Log, place: SystemPlace
) -> Dataset:
    """The dataset, with what the report must know of the submission beside its tables."""
    parse = parser_of(study)
    with replacing():
        dataset = export_dataset(
            log,
            study.name,
            place.dataset,
            domain_entities=study.entities(),
            parse=parse,
            flags=study.flags,
            simulated=scope_held(log, study.name) == SIMULATED,
        )
    read = shown_wordings(place.folder, submission, study.languages)
    write_facts(place.dataset, campaign.settings, submission, read)
    return dataset


def take_verdicts(campaign: Campaign, submission: Submission) -> None:
    """Write a system's dataset anew where it lacks verdicts of people that the log has; nothing is held."""
    place = place_of(campaign, submission.submission)
    if not ((place.folder / "log.sqlite").is_file() and (place.dataset / MANIFEST).is_file()):
        return
    study = load_study(place.folder)
    with Log.open(place.log_url) as log:
        new_verdicts, earlier = (
            [(row["run_id"], row["case_id"], row["verdict_of_person"]) for row in rows]
            for rows in (
                stress_rows(log.events(stress_stream(study.name))),
                Dataset(place.dataset).read("stress").to_pylist(),
            )
        )
        if new_verdicts != earlier:
            _export(campaign, submission, study, log, place)


def _planned(campaign: Campaign, submission: Submission, study: Study, log: Log, dataset: Dataset) -> Run:
    """One test for each sampled interaction, and the ad hoc cases.

    Empty   no test fits and no case was written: a run without cases
    """
    name, settings = submission.submission, campaign.settings
    unheard = [
        stress_test
        for stress_test in stress_tests()
        if submission.spoken and "voice" not in stress_test.channels
    ]
    tests = tuple(name for name in STRESS_TESTS.names() if STRESS_TESTS.get(name) not in unheard)
    choice = RunChoice(tests=tests, size=settings.stress.sample, seed=settings.seed)
    reviews = Reviews.of(log.events(stress_stream(study.name)))
    plan = plan_run(study, dataset, reviews, choice, name)
    place = place_of(campaign, name)
    more = read_suite(place.ad_hoc).cases if settings.stress.ad_hoc and place.ad_hoc.is_file() else ()
    cases = [with_goal(case, submission) for case in plan.cases]
    return Run(
        study=study.name,
        system=name,
        connector=connectors(study)[name],
        log=log,
        cases=[*cases, *more],
        settings=_run_settings(settings.stress, settings.seed),
        ontology=study.ontology,
        not_applicable=[*plan.not_applicable, *_unheard(unheard, study)],
    )


def with_goal(case: Case, submission: Submission) -> Case:
    """A case with the words by which its team says that the system tells that the task is done."""
    if case.task is None:
        return case
    goal = goal_in_words(submission, case.task.type, case.task.constraints, case.language)
    return case if goal is None else case.model_copy(update={"goal": goal})


async def _hold(run: Run, report: Report) -> None:
    start = getattr(run.connector, "start", None)
    try:
        if start is not None:
            await start()
        await run.hold(report)
    finally:
        await run.connector.shut_down()


def _run_settings(stress: StressSettings, seed: int) -> RunSettings:
    return RunSettings(
        repeats=stress.repeats, seed=seed, attempts=stress.attempts, retry_wait_s=stress.retry_wait_s
    )


def _unheard(tests: list[StressTest], study: Study) -> list[dict[str, Any]]:
    """Reason why tests of inaudible changes have no case for a spoken system."""
    facts = {"language": study.default_language, "dialogue_id": None, "reason": "it does not apply to voice"}
    return [{"test": test.name, "family": test.family, **facts} for test in tests]


def _was_held(run: Run) -> bool:
    """True if a run of exactly these cases is complete; the run itself resumes an interrupted one.

    A run that lacks verdicts because of an outage is not complete.
    """
    key = plan_key(run.cases, {**run.settings.facts(), "system": run.system})
    stream = [stored.event for stored in run.log.events(stress_stream(run.study))]
    over = {event.run_id for event in stream if isinstance(event, StressRunFinished)}
    judged = {
        (event.run_id, event.case_id): event.outage for event in stream if isinstance(event, CaseJudged)
    }
    over -= {run_id for (run_id, _), outage in judged.items() if outage}
    return any(
        isinstance(event, StressRunPlanned) and event.plan == key and event.run_id in over for event in stream
    )
