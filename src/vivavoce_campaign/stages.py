"""Stages of a campaign's system: done, waiting and for whom, and the next command.

Cases, verdicts and reviews are read from the log where there is one, so that what people just decided counts
at once; else from the dataset.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from vivavoce.core.errors import VivavoceError
from vivavoce.core.i18n import N_
from vivavoce.dataset.reader import MANIFEST, Dataset
from vivavoce.log.models import StoredEvent
from vivavoce.log.stress_events import VerdictGiven, stress_rows
from vivavoce_campaign.campaign_file import Campaign
from vivavoce_campaign.dry_run import last_try
from vivavoce_campaign.places import SystemPlace, place_of, report_of
from vivavoce_campaign.submission_file import Submission
from vivavoce_stress.base import NOT_PROPOSED, NOT_REVIEWED, REJECTED
from vivavoce_stress.review import Reviews
from vivavoce_stress.scores import last_run_of
from vivavoce_stress.waiting import WaitingCases, waiting_in

TITLES: Final = {
    "drafted": N_("Study: instructions, tasks, steps"),
    "tried": N_("Tried with simulated users"),
    "users": N_("Users who finished"),
    "stress": N_("Stress tests: cases run"),
    "variants": N_("Stress tests run"),
    "verdicts": N_("Cases not decided by rules, judged by people"),
    "reports": N_("Reports"),
}
REMARKS: Final = {
    "propose": N_("the others need variants: propose them, then accept or reject them"),
    "review": N_("the others need variants accepted by a person"),
    "none": N_("the others had no applicable utterance in these dialogues"),
    "rejected": N_(
        "the others had no applicable utterance, only rejected variants, or no original that passed"
    ),
    "run": N_("new variants were accepted: run the tests"),
    "older": N_("older than the verdicts: rebuild them"),
    "stale": N_("older than the data: rebuild them"),
    "rules": N_("decided by rules only"),
    "not_held": N_("available after the stress tests"),
}
FOR: Final = {
    "organiser": N_("the organiser"),
    "users": N_("users"),
    "judges": N_("a judge"),
    "reviewers": N_("a reviewer of variants"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One thing to do.

    name       as in `TITLES`; `have` of `wanted` is done (0 wanted: there is nothing to count)
    checks     of verdicts: what a rule decided and people may judge, too, so that their agreement can be told
    checked    of verdicts: what a rule decided and people judged, too
    second     of variants: those that wait for a second reviewer
    left       of stress tests: cases more that were left out, for their original did not pass
    release    of stress tests: what the release of the last run is called
    note       what else is to be said of it, as in `REMARKS`
    waits_for  organiser, users, judges or reviewers; None where it is done, or waits for what is before it
    command    the next one; None where it is done
    or_command  of users: by which simulated users hold the dialogues instead; None: people came already
    """

    name: str
    done: bool
    have: int = 0
    wanted: int = 0
    checks: int = 0
    checked: int = 0
    second: int = 0
    left: int = 0
    release: str | None = None
    note: str | None = None
    waits_for: str | None = None
    command: str | None = None
    or_command: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StressHeld:
    """The last run of stress tests, with what people did since.

    rows   as in the table `stress`; judged_at: when the last verdict of a person was given
    """

    rows: list[dict[str, Any]]
    reviews: Reviews = field(default_factory=Reviews)
    judged_at: datetime | None = None

    @property
    def cases(self) -> int:
        return sum(row["status"] == "applied" for row in self.rows)

    @property
    def left(self) -> int:
        return sum(row["status"] == "not_admitted" for row in self.rows)

    @property
    def people(self) -> WaitingCases:
        return waiting_in(self.rows)

    @property
    def tried(self) -> set[str]:
        """The tests that have a case whose original passed, or one that is still open."""
        return {row["test"] for row in self.rows if row["case_id"] and row["status"] != "not_admitted"}

    @property
    def rejected(self) -> bool:
        """True if people rejected all variants of an untried test, or no original passed."""
        return any(
            (row["reason"] == REJECTED or row["status"] == "not_admitted") and row["test"] not in self.tried
            for row in self.rows
        )

    def tests(self) -> tuple[int, int, int]:
        """Number of tests tried, number waiting for approved variants, and total."""
        tried_tests = self.tried
        waits = {row["test"] for row in self.rows if row["reason"] in (NOT_PROPOSED, NOT_REVIEWED)}
        return len(tried_tests), len(waits - tried_tests), len({row["test"] for row in self.rows})


def stress_held(place: SystemPlace, name: str, stream: Sequence[StoredEvent]) -> StressHeld:
    """Stress tests in the log; the dataset's rows where the log has none."""
    rows = _last_run(stress_rows(stream), name)
    verdict_times = [stored.at for stored in stream if isinstance(stored.event, VerdictGiven)]
    if rows:
        return StressHeld(rows=rows, reviews=Reviews.of(stream), judged_at=max(verdict_times, default=None))
    if not (place.dataset / MANIFEST).is_file():
        return StressHeld(rows=[])
    try:
        return StressHeld(rows=last_run_of(Dataset(place.dataset), name))
    except VivavoceError:
        return StressHeld(rows=[])  # written by another version, or half; the next run writes it anew


def stages(
    campaign: Campaign,
    submission: Submission,
    users: int,
    stream: Sequence[StoredEvent] = (),
    *,
    played: bool | None = None,
) -> list[Stage]:
    """All of them in their order; `users` have finished.

    stream  the events of the study's stress tests
    played  whether these users are simulated ones; None: nobody came, and either may
    """
    name, folder = submission.submission, campaign.folder
    place, command = place_of(campaign, name), "vivavoce campaign {} " + f"{folder} --system {name}"
    stress = stress_held(place, name, stream)
    dry_run = last_try(place)
    tried, reached = (
        (dry_run.dialogues, sum(intent.reached for intent in dry_run.intents)) if dry_run else (0, 0)
    )
    wanted_users, alone = campaign.settings.users, command.format("run")
    run = alone if played else f"{alone} --people"
    users_stage = _stage(
        "users", users >= wanted_users, "users", f"vivavoce serve {place.folder}", users, wanted_users
    )
    if not users_stage.done and played is not False:
        users_stage = replace(users_stage, or_command=alone)
    stress_stage = _stage("stress", stress.cases > 0, "organiser", run, stress.cases)
    release = stress.rows[0].get("release") if stress.rows else None
    return [
        _stage("drafted", place.study.is_file(), "organiser", command.format("draft")),
        _stage("tried", bool(reached or users), "organiser", command.format("try"), reached, tried),
        users_stage,
        replace(stress_stage, left=stress.left, release=release),
        *_variants(stress, place, name, run),
        _verdicts(stress, place),
        _reports(campaign, name, users, stress, (run, command.format("report"))),
    ]


def _stage(name: str, done: bool, who: str, command: str, have: int = 0, target: int = 0) -> Stage:
    waits = (None, None) if done else (who, command)
    return Stage(name=name, done=done, have=have, wanted=target, waits_for=waits[0], command=waits[1])


def _variants(stress: StressHeld, place: SystemPlace, name: str, run: str) -> list[Stage]:
    """Stage of variants: proposing them, reviewing them, or running the tests with them."""
    have, waiting, all_tests = stress.tests()
    if not all_tests:
        return []
    reviews = stress.reviews
    note: str | None
    if not reviews.items:
        note, who = "propose", "organiser"
        command = f"vivavoce stress review {place.folder} --propose --system {name}"
    elif any(reviews.decision(key) is None for key in reviews.items):
        note, who, command = "review", "reviewers", f"vivavoce desk {place.folder}"
    else:
        note, who, command = "run", "organiser", run
    if not waiting:
        note = ("rejected" if stress.rejected else "none") if have < all_tests else None
    stage = _stage("variants", not waiting, who, command, have, all_tests)
    return [replace(stage, note=note, second=reviews.second())]


def _verdicts(stress: StressHeld, place: SystemPlace) -> Stage:
    people = stress.people
    if not stress.rows:
        return Stage(name="verdicts", done=False, note="not_held")
    done = stress.cases > 0 and not people.undecided
    total = people.settled + people.undecided
    stage = _stage("verdicts", done, "judges", f"vivavoce desk {place.folder}", people.settled, total)
    note = "rules" if done and not people.judged else None
    return replace(stage, checks=people.checks, checked=people.checked, note=note)


def _reports(
    campaign: Campaign, name: str, users: int, stress: StressHeld, commands: tuple[str, str]
) -> Stage:
    """Reports that were written after the dataset, and that after the last verdict.

    commands  that holds what is to be held and reports, and that reports alone
    """
    languages = campaign.settings.reports
    place = place_of(campaign, name)
    older = stress.judged_at is not None and stress.judged_at.timestamp() > _changed(place.dataset / MANIFEST)
    fresh = 0 if older else sum(_fresh(campaign, name, language) for language in languages)
    done = users > 0 and fresh == len(languages)
    reported = [language for language in languages if report_of(campaign, name, language).is_file()]
    stale = not all(_fresh(campaign, name, tag) for tag in reported)
    note = "older" if older and reported else "stale" if stale else None
    return replace(
        _stage("reports", done, "organiser", commands[bool(note)], fresh, len(languages)), note=note
    )


def _last_run(rows: Iterable[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    mine = [row for row in rows if row["system"] == name]
    return [row for row in mine if row["run_id"] == mine[-1]["run_id"]]


def _fresh(campaign: Campaign, name: str, language: str) -> bool:
    """True if a report was written after its dataset."""
    report, manifest = report_of(campaign, name, language), place_of(campaign, name).dataset / MANIFEST
    return _changed(report) >= _changed(manifest) > 0


def _changed(path: Path) -> float:
    return path.stat().st_mtime if path.is_file() else 0.0
