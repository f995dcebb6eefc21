"""What there is to do for a system of a campaign: what is done, what waits for whom, and the next command."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from vivavoce.core.errors import VivavoceError
from vivavoce.core.i18n import N_
from vivavoce.log.dataset import MANIFEST, Dataset
from vivavoce_campaign.campaign_file import Campaign
from vivavoce_campaign.dry_run import last_try
from vivavoce_campaign.places import SystemPlace, place_of, report_of
from vivavoce_campaign.submission_file import Submission
from vivavoce_stress.scores import last_run_of
from vivavoce_stress.waiting import Waiting, waiting_in

TITLES: Final = {
    "drafted": N_("Study: instructions, tasks, steps"),
    "tried": N_("Tried with simulated users"),
    "users": N_("Users who finished"),
    "stress": N_("Stress tests"),
    "verdicts": N_("Verdicts of people on what no rule decides"),
    "reports": N_("Reports"),
}
FOR: Final = {"organiser": N_("the organiser"), "users": N_("users"), "judges": N_("a person who judges")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One thing to do.

    name       as in `TITLES`; `have` of `wanted` is done (0 wanted: there is nothing to count)
    checks     of verdicts: what a rule decided and people may judge, too, so that their agreement can be told
    waits_for  organiser, users or judges; None where it is done
    command    the next one; None where it is done
    """

    name: str
    done: bool
    have: int = 0
    wanted: int = 0
    checks: int = 0
    waits_for: str | None = None
    command: str | None = None


def stages(campaign: Campaign, submission: Submission, users: int) -> list[Stage]:
    """All of them in their order; `users` have finished."""
    name, folder = submission.submission, campaign.folder
    place, command = place_of(campaign, name), "vivavoce campaign {} " + f"{folder} --system {name}"
    cases, people = _stress(place, name)
    found = last_try(place)
    tried, reached = (found.dialogues, sum(one.reached for one in found.intents)) if found else (0, 0)
    languages = campaign.settings.reports
    fresh = sum(_fresh(campaign, name, language) for language in languages)
    run, wanted = command.format("run") + " --people", campaign.settings.users
    asked = people.settled + people.undecided
    judged, reported = cases > 0 and not people.undecided, users > 0 and fresh == len(languages)
    return [
        _stage("drafted", place.study.is_file(), "organiser", command.format("draft")),
        _stage("tried", bool(reached or users), "organiser", command.format("try"), reached, tried),
        _stage("users", users >= wanted, "users", f"vivavoce serve {place.folder}", users, wanted),
        _stage("stress", cases > 0, "organiser", run, cases),
        replace(
            _stage("verdicts", judged, "judges", f"vivavoce desk {place.folder}", people.settled, asked),
            checks=people.checks,
        ),
        _stage("reports", reported, "organiser", run, fresh, len(languages)),
    ]


def _stage(name: str, done: bool, who: str, command: str, have: int = 0, wanted: int = 0) -> Stage:
    waits = (None, None) if done else (who, command)
    return Stage(name=name, done=done, have=have, wanted=wanted, waits_for=waits[0], command=waits[1])


def _stress(place: SystemPlace, name: str) -> tuple[int, Waiting]:
    """Cases of the last run of stress tests, and what of them people have to do with."""
    if not (place.dataset / MANIFEST).is_file():
        return 0, waiting_in([])
    try:
        rows = last_run_of(Dataset(place.dataset), name)
    except VivavoceError:
        return 0, waiting_in([])  # written by another version, or half; the next run writes it anew
    return sum(row["status"] == "applied" for row in rows), waiting_in(rows)


def _fresh(campaign: Campaign, name: str, language: str) -> bool:
    """Whether a report was written after its dataset."""
    report, manifest = report_of(campaign, name, language), place_of(campaign, name).dataset / MANIFEST
    return _changed(report) >= _changed(manifest) > 0


def _changed(path: Path) -> float:
    return path.stat().st_mtime if path.is_file() else 0.0
