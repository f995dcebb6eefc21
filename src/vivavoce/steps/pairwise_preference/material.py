"""The step `compare` as written, and what it reads: pairs of transcripts, and questions about each."""

from typing import Literal, NamedTuple

from pydantic import Field

from vivavoce.steps.base import StepFiles
from vivavoce.study.pairs import ComparisonQuestion
from vivavoce.study.pairs_file import QUESTIONS, read_questions
from vivavoce.study.pairs_study import PairsSettings, TranscriptPairs, transcript_pairs
from vivavoce.study.settings import Flag, Number, Whole


class CompareSettings(PairsSettings):
    """Transcript pairs; participants choose one version per question, one pair per variable."""

    questions: str | None = Field(None, description="YAML file of questions (default: the bundled ones)")
    ties: Flag = Field(False, description="allow `no difference`")
    strength: Flag = Field(False, description="ask for the strength of each preference")
    presentation: Literal["together", "in-turn"] = Field(
        "together", description="together: both transcripts at once; in-turn: one after the other, then both"
    )
    minimum_minutes: Number = Field(3, ge=0, le=600, description="flag responses under this many minutes")
    accept_fast: Flag = Field(True, description="accept flagged fast responses")
    accept_failed_attention: Flag = Field(
        True, description="accept participants who fail the attention check"
    )
    code_if_not_accepted: Flag = Field(
        False, description="give a completion code to participants who are not accepted"
    )
    repeats: Whole = Field(0, ge=0, le=20, description="pairs shown again at the end with sides swapped")

    @property
    def minimum_s(self) -> float:
        return self.minimum_minutes * 60


class ComparedTranscripts(NamedTuple):
    """Pairs of transcripts, and the questions about each of them."""

    presented: TranscriptPairs
    questions: tuple[ComparisonQuestion, ...]


def compared_transcripts(settings: CompareSettings, files: StepFiles) -> ComparedTranscripts:
    """Material of a step; problems are reported."""
    presented = transcript_pairs(settings, files, compared=True, repeats=settings.repeats)
    return ComparedTranscripts(presented, _questions(settings, files))


def _questions(settings: CompareSettings, files: StepFiles) -> tuple[ComparisonQuestion, ...]:
    """The study's own questions, else ours."""
    path = QUESTIONS
    if settings.questions is None:
        files.keep(path, "questions", "questions")
    elif (custom_path := files.path(settings.questions, "questions", known_as="questions")) is not None:
        path = custom_path
    else:
        return ()
    questions, problems = read_questions(path, files.languages)
    for problem in problems:
        files.report("", problem.problem, problem.hint, file=problem.place)
    return questions
