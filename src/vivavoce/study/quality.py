"""The section `quality` of a study file: criteria of good work and thresholds of marks.

A mark decides nothing. It informs the person who decides about payment. Rules of `analysis.exclude`
exclude data and may use the same signs.
"""

from typing import Final

from pydantic import Field

from vivavoce.study.exclusion import Count, Each, holds
from vivavoce.study.settings import Number, Settings

SIGNS: Final = ("gold", "pace", "fast_answers", "goal_pursued", "copies", "disagreement")
"""Signs that may be marked, in display order."""


class Marks(Settings):
    """Thresholds of marks for the person who decides; unknown values are never marked."""

    gold: Count = Field(None, description='share of checks answered correctly, such as "< 0.8"')
    pace: Count = Field(
        None, description=('time taken relative to the usual time in this study, such as "< 0.4"')
    )
    fast_answers: Count = Field(
        None, description='share of answers faster than `min_answer_s`, such as "> 0.5"'
    )
    goal_pursued: Count = Field(
        None, description='share of the task\'s requirements that were attempted, such as "< 0.5"'
    )
    copies: Count = Field(
        None, description='long free texts copied word for word from earlier ones, such as ">= 1"'
    )
    disagreement: Count = Field(
        None,
        description=(
            'share of dialogues whose success the participant and the log judge differently, such as "> 0.5"'
        ),
    )

    def reached(self, sign: str, value: float | None) -> bool:
        """Check a sign against its threshold; False without a threshold or value."""
        condition: str | None = getattr(self, sign)
        return condition is not None and value is not None and holds(condition, value)


class Quality(Settings):
    """Criteria of good work; frozen with the first participant."""

    checks: Each = Field(
        None,
        description="correct answers to attention checks in questionnaires, such as {attention: 4}",
    )
    min_answer_s: Number | None = Field(
        None,
        gt=0,
        le=3600,
        description=("answers below this many seconds count as fast (default: no answer does)"),
    )
    thresholds: Marks = Field(Marks(), description="thresholds of marks")  # pyright: ignore[reportCallIssue]

    @property
    def by_rules(self) -> tuple[dict[str, str], float | None]:
        """Settings that rules of exclusion use, without marks."""
        return self.checks or {}, self.min_answer_s
