"""A campaign written from scratch, and a campaign looked at: what is wrong, how far it is."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

from vivavoce.core.errors import InputError
from vivavoce.core.yaml_source import Problem
from vivavoce.log.models import SIMULATED, StoredEvent, scope_of
from vivavoce.log.store import Log
from vivavoce.log.stress_events import stress_stream
from vivavoce.study.load import check_study, load_study
from vivavoce_campaign.campaign_file import CAMPAIGN_FILE, SUBMISSIONS, Campaign
from vivavoce_campaign.places import EXAMPLE, SystemPlace, place_of, report_of
from vivavoce_campaign.runs import scope_held
from vivavoce_campaign.stages import Stage, stages
from vivavoce_campaign.submission_file import Submission


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemStatus:
    """Progress of a system: `users` who finished, people or else programs, of those `wanted`; report files.

    visitors  people who came and have not finished, while the figures are still those of simulated users
    stages    what there is to do, in its order; the first that is not done is next
    """

    system: str
    team: str
    drafted: bool
    users: int = 0
    wanted: int
    simulated: bool = False
    visitors: int = 0
    reports: list[str]
    stages: list[Stage]

    @property
    def next(self) -> Stage | None:
        """First open stage; outdated reports before all else; None: all is done."""
        waits = [stage for stage in self.stages if not stage.done]
        return next((wait for wait in waits if wait.note in ("older", "stale")), next(iter(waits), None))

    @property
    def checks(self) -> int:
        """Cases that people may still check twice; nothing waits for it."""
        return sum(stage.checks for stage in self.stages)


def write_campaign(folder: Path, name: str | None = None) -> list[Path]:
    """Write a campaign on the bundled systems that runs as it stands; returns the files.

    Raises  InputError: the folder already holds a campaign
    """
    if (folder / CAMPAIGN_FILE).exists():
        raise InputError(
            "the folder already contains a campaign", place=str(folder), hint="choose another folder"
        )
    called = name or re.sub(r"[^A-Za-z0-9._-]+", "-", folder.resolve().name).strip("-._")[:40] or "campaign"
    texts = {
        folder / CAMPAIGN_FILE: (EXAMPLE / CAMPAIGN_FILE).read_text("utf-8").replace("CAMPAIGN_NAME", called)
    }
    for file in sorted((EXAMPLE / SUBMISSIONS).glob("*.yaml")):
        texts[folder / SUBMISSIONS / file.name] = file.read_text("utf-8")
    for file in sorted((EXAMPLE / "ad_hoc").glob("*.yaml")):
        texts[folder / "systems" / file.stem / "ad-hoc.yaml"] = file.read_text("utf-8")
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(texts)


def check_systems(campaign: Campaign) -> list[Problem]:
    """Problems of the drafted studies, and tasks that name no intent."""
    problems: list[Problem] = []
    for submission in campaign.submissions:
        place = place_of(campaign, submission.submission)
        if not place.study.is_file():
            continue
        wrong = check_study(place.folder)
        problems += [
            Problem(f"systems/{submission.submission}/{problem.place}", problem.problem, problem.hint)
            for problem in wrong
        ]
        if not wrong:
            problems += _tasks_fit(submission, place.folder)
    return problems


def _tasks_fit(submission: Submission, folder: Path) -> list[Problem]:
    intents = [intent.intent_id for intent in submission.intents]
    strange = sorted({task.type for task in load_study(folder).tasks} - set(intents))
    place = f"systems/{submission.submission}/tasks.yaml"
    return [
        Problem(place, f"unknown intent {task_type!r} of a task", f"known: {', '.join(intents)}")
        for task_type in strange
    ]


def status(campaign: Campaign) -> list[SystemStatus]:
    """Progress of each system: users who finished, stress tests, reports."""
    return [_status(campaign, submission) for submission in campaign.submissions]


def _status(campaign: Campaign, submission: Submission) -> SystemStatus:
    name = submission.submission
    place = place_of(campaign, name)
    system_status = SystemStatus(
        system=name,
        team=submission.team,
        drafted=place.study.is_file(),
        wanted=campaign.settings.users,
        reports=[str(path.relative_to(campaign.folder)) for path in _reports(campaign, name)],
        stages=[],
    )
    system_status, stream = _from_log(system_status, place)
    played = system_status.simulated if system_status.users or system_status.visitors else None
    return replace(
        system_status, stages=stages(campaign, submission, system_status.users, stream, played=played)
    )


def _from_log(system_status: SystemStatus, place: SystemPlace) -> tuple[SystemStatus, list[StoredEvent]]:
    """Number of users who finished, and the events of stress tests, if there is a log."""
    if place.study.is_file() and (place.folder / "log.sqlite").is_file():
        try:
            name_of_study = load_study(place.folder).name
        except InputError:
            return system_status, []  # `campaign check` names what is wrong with it
        with Log.open(place.log_url) as log:
            visits, scope = log.visits(name_of_study), scope_held(log, name_of_study)
            stream = list(log.events(stress_stream(name_of_study)))
        scoped = [visit for visit in visits if scope_of(simulated=visit.simulated) == scope]
        done = {visit.participant_id for visit in scoped if visit.outcome == "completed"}
        visitor_ids = {visit.participant_id for visit in visits if not visit.simulated}
        visitors = len(visitor_ids) if scope == SIMULATED else len(visitor_ids - done)
        return replace(
            system_status, users=len(done), simulated=scope == SIMULATED, visitors=visitors
        ), stream
    return system_status, []


def _reports(campaign: Campaign, name: str) -> list[Path]:
    languages = campaign.settings.reports
    report_paths = (
        report_of(campaign, name, language, kind) for language in languages for kind in ("html", "pdf")
    )
    return [path for path in report_paths if path.is_file()]
