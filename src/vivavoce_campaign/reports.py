"""The reports on the systems of a campaign, in every language, and their figures as data."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from vivavoce.core.errors import InputError
from vivavoce.core.result import widened
from vivavoce.dataset.reader import Dataset
from vivavoce.reports.html import save
from vivavoce_campaign.campaign_file import Campaign
from vivavoce_campaign.document.campaign import compose_campaign
from vivavoce_campaign.document.evaluation import Evaluation, SystemFigures, evaluate, figures
from vivavoce_campaign.document.summary import answer
from vivavoce_campaign.identities import PeopleApart, users_apart
from vivavoce_campaign.places import place_of, report_of
from vivavoce_campaign.runs import take_verdicts
from vivavoce_campaign.submission_file import Submission, in_language


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignFigures:
    """The figures of all systems, and users who were met in more than one of them.

    Empty  users_of_several_systems None: the identifiers of some system's users are not known
    """

    campaign: str
    systems: list[SystemFigures]
    users_of_several_systems: int | None


def evaluations(campaign: Campaign) -> dict[str, Evaluation]:
    """Evaluations of every system that was run."""
    folders = {
        submission.submission: place_of(campaign, submission.submission).dataset
        for submission in campaign.submissions
    }
    datasets = {name: Dataset(folder) for name, folder in folders.items() if folder.is_dir()}
    apart = users_apart(campaign, datasets).systems
    by_system = {name: evaluate(dataset) for name, dataset in datasets.items()}
    return {
        name: replace(evaluation, people=widened(PeopleApart, evaluation.people, **apart[name]._asdict()))
        for name, evaluation in by_system.items()
    }


def write_reports(
    campaign: Campaign, names: Sequence[str], *, pdf: bool, progress: Callable[[int, int], None]
) -> list[Path]:
    """Write the reports on these systems in the campaign's languages; returns the files.

    Verdicts that people gave since are taken into the datasets first.
    Raises  InputError: a system was not run yet
    """
    for name in names:
        take_verdicts(campaign, campaign.submission(name))
    by_system = evaluations(campaign)
    lacking = next((name for name in names if name not in by_system), None)
    if lacking is not None:
        hint = "run `vivavoce campaign run` first"
        raise InputError("no data to report yet", place=f"system {lacking}", hint=hint)
    kinds = ("html", "pdf") if pdf else ("html",)
    paths: list[Path] = []
    total = len(names) * len(campaign.settings.reports) * len(kinds)
    for name in names:
        for language in campaign.settings.reports:
            document = compose_campaign(by_system[name], words=language, beside=alike(by_system, name))
            for kind in kinds:
                paths.append(save(document, report_of(campaign, name, language, kind)))
                progress(len(paths), total)
    return paths


def alike(evaluations_by_system: dict[str, Evaluation], name: str) -> list[Evaluation]:
    """The other systems that declare the same domain and the same intents."""
    mine = _declared(evaluations_by_system[name].submission)
    return [
        evaluation
        for system, evaluation in evaluations_by_system.items()
        if system != name and _declared(evaluation.submission) == mine
    ]


def _declared(submission: Submission) -> tuple[str, frozenset[str]]:
    domain = " ".join(in_language(submission.domain, submission.languages[0]).lower().split())
    return domain, frozenset(intent.intent_id for intent in submission.intents)


def campaign_figures(campaign: Campaign) -> CampaignFigures:
    """The figures of all systems as data."""
    by_system = evaluations(campaign)
    apart = users_apart(campaign, {name: evaluation.dataset for name, evaluation in by_system.items()})
    return CampaignFigures(
        campaign=campaign.settings.campaign,
        systems=[figures(evaluation, answer(evaluation)) for evaluation in by_system.values()],
        users_of_several_systems=apart.of_several,
    )
