"""Teams' answers about the evaluation: five questions, collected as files and summarised.

Source  Cutugno and others 2018 (IDIAL), section 6, for what is asked; the sentences are ours
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.core.errors import InputError
from vivavoce.core.validation import read_model
from vivavoce.core.yaml_source import Problem, Source, read_yaml
from vivavoce.languages.data import CampaignWords
from vivavoce_campaign.campaign_file import Campaign
from vivavoce_campaign.places import answers_folder
from vivavoce_campaign.submission_file import as_yaml
from vivavoce_campaign.submissions import replace_file

LONGEST: Final = 4000
VERDICTS: Final = ("questionnaire", "stress_tests")
TEXTS: Final = ("why", "missing", "usual", "again_why")
Again = Literal["yes", "with_changes", "no"]


class TeamAnswers(BaseModel):
    """The answers of one team; texts may stay empty."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    system: str = Field(description="name of the submission")
    questionnaire: int = Field(ge=0, le=4, description="rating of the users' questionnaire")
    stress_tests: int = Field(ge=0, le=4, description="rating of the stress tests")
    why: str = Field("", max_length=LONGEST, description="aspect that explains successes and failures")
    missing: str = Field("", max_length=LONGEST, description="aspect that deserves a closer look")
    usual: str = Field("", max_length=LONGEST, description="the team's usual test method and its sources")
    again: Again = Field(description="yes, with_changes or no")
    again_why: str = Field("", max_length=LONGEST, description="reasons, and required changes")


def questions_in(language: str) -> dict[str, str]:
    """Questions by key, in this language where available."""
    return CampaignWords.in_english().questions | CampaignWords.or_english(language).questions


def sheet(name: str, language: str) -> str:
    """A file to be filled in by a team, with the questions as comments."""
    lines = [f"system: {name}"]
    for key, question in questions_in(language).items():
        lines.append(f"# {question}" + (f" ({', '.join(get_args(Again))})" if key == "again" else ""))
        lines.append(f"{key}: " + ("''" if key in ("why", "missing", "usual") else ""))
    return "\n".join([*lines, "again_why: ''", ""])


def take_in_answers(folder: Path, typed: Mapping[str, str]) -> list[Problem]:
    """Write the answers of a form; returns what is wrong with them, and then writes nothing."""
    facts: dict[str, Any] = {key: text for key, text in typed.items() if text}
    facts |= {key: int(facts[key]) for key in VERDICTS if facts.get(key, "").isdecimal()}
    source = Source("form", data=facts)
    answers = read_model(source, TeamAnswers)
    if answers is not None:
        place = answers_folder(folder)
        place.mkdir(parents=True, exist_ok=True)
        replace_file(place / f"{answers.system}.yaml", as_yaml(answers.model_dump(mode="json")))
    return source.problems


def check_answers(path: Path) -> tuple[TeamAnswers | None, list[Problem]]:
    """The answers of a file, and everything that is wrong with it."""
    source = read_yaml(path)
    return read_model(source, TeamAnswers), source.problems


def read_all(campaign: Campaign) -> list[TeamAnswers]:
    """All answers that came in, one a system.

    Raises  InputError: a file is wrong, with its first problem; answers for a system that nobody submitted
    """
    all_answers = []
    for path in sorted(answers_folder(campaign.folder).glob("*.yaml")):
        answers, problems = check_answers(path)
        if answers is None:
            raise problems[0].error()
        campaign.submission(answers.system)
        if path.stem != answers.system:
            hint = f"rename the file to {answers.system}.yaml"
            raise InputError(
                f"the file contains the answers about {answers.system!r}", place=path.name, hint=hint
            )
        all_answers.append(answers)
    return all_answers


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersSummary:
    """Summary of the teams' answers.

    n, asked                     teams that answered, and all
    questionnaire, stress_tests  how many gave each verdict, 0 to 4; `again`: how many said what
    texts                        by question every text by the name of its system
    Empty                        nobody answered: n 0, no counts, no texts
    """

    n: int
    asked: int
    unit: str
    questionnaire: dict[int, int]
    stress_tests: dict[int, int]
    again: dict[Again, int]
    texts: dict[str, dict[str, str]]


def summary(campaign: Campaign) -> AnswersSummary:
    """Counts of verdicts, and every text beside the name of its system. Raises InputError: as `read_all`."""
    all_answers = read_all(campaign)
    return AnswersSummary(
        n=len(all_answers),
        asked=len(campaign.submissions),
        unit="team",
        questionnaire=_counts([answers.questionnaire for answers in all_answers]),
        stress_tests=_counts([answers.stress_tests for answers in all_answers]),
        again=dict(Counter(answers.again for answers in all_answers)),
        texts={
            key: {answers.system: text for answers in all_answers if (text := getattr(answers, key).strip())}
            for key in TEXTS
        },
    )


def _counts(codes: list[int]) -> dict[int, int]:
    return {code: codes.count(code) for code in range(5)} if codes else {}
