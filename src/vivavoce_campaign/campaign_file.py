"""A campaign: systems of several teams, each examined by the same protocol. The organiser's file, checked.

Source  Cutugno and others 2018 (IDIAL), sections 2 and 4: ten users a system, three tasks each, an hour
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from vivavoce.core.errors import InputError, nearest
from vivavoce.core.validation import mistake, read_model
from vivavoce.core.yaml_source import Problem, Source, read_yaml
from vivavoce.languages.base import check_installed, languages_with
from vivavoce.questionnaires.instrument import Wording
from vivavoce.study.file import NAME_CURE, Flag, Number, Whole, is_name
from vivavoce_campaign.submission_file import Submission, Words, check_submission, in_language

CAMPAIGN_FILE: Final = "campaign.yaml"
SUBMISSIONS: Final = "submissions"
FACTS_FILE: Final = "campaign.json"


class _Written(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class QuestionnaireSettings(_Written):
    """Scoring of the ten questionnaire items."""

    mapping: Literal["published", "definition"] = Field(
        "published",
        description="effectiveness items: published (3, 4, 7, 10, as printed in the paper) or "
        "definition (3 to 6)",
    )
    reverse_item_4: Flag = Field(True, description="reverse-score item 4, which is worded negatively")


class StressSettings(_Written):
    """Sample and repetitions of the stress tests."""

    sample: Whole = Field(30, ge=1, le=10_000, description="sampled interactions per system, one test each")
    repeats: Whole = Field(1, ge=1, le=99, description="replays per variant, for nondeterministic systems")
    attempts: Whole = Field(
        3,
        ge=1,
        le=99,
        description="attempts per replay after system errors; retries run after the other cases",
    )
    retry_wait_s: Number = Field(15, ge=0, le=3600, description="seconds between rounds of attempts")
    ad_hoc: Flag = Field(True, description="also run the cases of systems/NAME/ad-hoc.yaml, if it exists")


class CampaignFile(_Written):
    """Settings of a campaign, shared by all systems."""

    campaign: str = Field(description="short name: letters, digits, dot, dash, underscore")
    title: Words | None = Field(None, description="display name; text, or a mapping of languages")
    languages: list[str] = Field(
        ["it"], min_length=1, description="languages of users; the first is the default"
    )
    reports: list[str] = Field(["it", "en"], min_length=1, description="report languages")
    users: Whole = Field(10, ge=1, le=1000, description="different users per system")
    tasks: Whole = Field(3, ge=1, le=20, description="tasks per user, drawn at random")
    minutes: Number = Field(60, gt=0, le=600, description="maximum time per user and system")
    questionnaire: QuestionnaireSettings = Field(
        QuestionnaireSettings(mapping="published", reverse_item_4=True),
        description="scoring of the ten questionnaire items",
    )
    stress: StressSettings = Field(StressSettings(), description="linguistic stress tests")  # pyright: ignore[reportCallIssue]
    seed: Whole = Field(1, ge=0, description="random seed of tasks and sample")

    @field_validator("campaign")
    @classmethod
    def _plain_name(cls, name: str) -> str:
        if not is_name(name):
            raise mistake(f"invalid campaign name {name!r}", NAME_CURE)
        return name

    _installed = field_validator("languages")(check_installed)

    @field_validator("reports")
    @classmethod
    def _reported(cls, languages: list[str]) -> list[str]:
        report_languages = languages_with("report.po")
        for language in languages:
            if language not in report_languages:
                raise mistake(
                    f"reports are not available in {language!r}", nearest(language, report_languages)
                )
        return languages

    def name(self, language: str) -> str:
        """Display name in a language."""
        return in_language(self.title, language) if self.title else self.campaign


@dataclass(frozen=True)
class Campaign:
    """A campaign with its submissions, in the order of their names."""

    folder: Path
    settings: CampaignFile
    submissions: tuple[Submission, ...]

    def submission(self, name: str) -> Submission:
        """The submission of this name. Raises InputError: there is none."""
        for submission in self.submissions:
            if submission.submission == name:
                return submission
        names = ", ".join(candidate.submission for candidate in self.submissions) or "none"
        raise InputError(
            f"submission {name!r} not found", place=self.settings.campaign, hint=f"known: {names}"
        )

    def languages_of(self, submission: Submission) -> list[str]:
        """The languages in which a system is examined: the campaign's that it speaks."""
        return [language for language in self.settings.languages if language in submission.languages]


def check_campaign(folder: Path) -> tuple[Campaign | None, list[Problem]]:
    """The campaign of a folder, and everything that is wrong with its file and its submissions."""
    settings, problems = check_settings(folder)
    submissions: list[Submission] = []
    files = sorted((folder / SUBMISSIONS).glob("*.yaml"))
    for file in files:
        submission, wrong = check_submission(file)
        problems += wrong
        if submission is not None:
            problems += _fits(submission, file, settings)
            submissions.append(submission)
    if not files:
        problems.append(
            Problem(f"{folder.name}/{SUBMISSIONS}", "no submissions", "add files NAME.yaml to the folder")
        )
    if settings is None or problems:
        return None, problems
    return Campaign(folder, settings, tuple(submissions)), []


def check_settings(folder: Path) -> tuple[CampaignFile | None, list[Problem]]:
    """Check the organiser's settings, whatever was submitted."""
    source = read_yaml(folder / CAMPAIGN_FILE)
    return read_model(source, CampaignFile), source.problems


def load_campaign(folder: Path) -> Campaign:
    """The campaign of a folder. Raises InputError: the problems, one a line."""
    campaign, problems = check_campaign(folder)
    if campaign is None:
        raise InputError("\n".join(map(str, problems)))
    return campaign


def _fits(submission: Submission, file: Path, settings: CampaignFile | None) -> list[Problem]:
    source = Source(file.name)
    if submission.submission != file.stem:
        source.report(
            (),
            f"the file describes {submission.submission!r}",
            f"rename the file to {submission.submission}.yaml",
        )
    if settings is not None and not set(settings.languages) & set(submission.languages):
        spoken = ", ".join(settings.languages)
        source.report(
            ("languages",),
            f"the system shares no language with the campaign ({spoken})",
            "add a language to the system or the campaign",
        )
    return source.problems


def write_facts(
    folder: Path,
    settings: CampaignFile,
    submission: Submission,
    wordings: Mapping[str, Mapping[str, Wording]] | None = None,
) -> None:
    """Put beside a dataset what a report needs of the campaign; how the system is reached stays out.

    wordings  the sentences that users read, by instrument and language
    """
    read = {
        name: {language: wording.model_dump() for language, wording in by_language.items()}
        for name, by_language in (wordings or {}).items()
    }
    facts = {
        "campaign": settings.model_dump(mode="json"),
        "submission": submission.described(),
        "wordings": read,
    }
    text = json.dumps(facts, indent=1, ensure_ascii=False) + "\n"
    (folder / FACTS_FILE).write_text(text, encoding="utf-8")


@dataclass(frozen=True, slots=True)
class CampaignFacts:
    """Facts beside a campaign's dataset; wordings: none in files of an earlier version."""

    settings: CampaignFile
    submission: Submission
    wordings: Mapping[str, Mapping[str, Wording]]


def read_facts(folder: Path) -> CampaignFacts:
    """Read the facts beside a campaign's dataset. Raises InputError: the dataset is of no campaign."""
    path = folder / FACTS_FILE
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        wordings = {
            name: {language: Wording.model_validate(wording) for language, wording in read.items()}
            for name, read in facts.get("wordings", {}).items()
        }
        return CampaignFacts(
            CampaignFile.model_validate(facts["campaign"]),
            Submission.model_validate(facts["submission"]),
            wordings,
        )
    except (OSError, ValueError, KeyError):
        hint = "create one with `vivavoce campaign run`"
        raise InputError("not a campaign dataset", place=str(folder), hint=hint) from None
