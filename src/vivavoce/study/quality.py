"""The section `quality` of a study file: what good work is known by, and from where on a sign is marked.

A mark decides nothing. It is shown to the person who decides about money; what leaves people out of an
analysis are rules of `analysis.exclude`, which may name the same signs.
"""

from typing import Final

from pydantic import Field

from vivavoce.study.exclusion import Count, Each, holds
from vivavoce.study.settings import Number, Settings

SIGNS: Final = ("gold", "pace", "fast_answers", "goal_pursued", "copies", "disagreement")
"""What may be marked, in the order in which it is told."""


class Marks(Settings):
    """From where on a sign is marked for the person who decides; a sign that is not known is never marked."""

    gold: Count = Field(None, description='share of checks answered right, such as "< 0.8"')
    pace: Count = Field(None, description='time taken, as a share of what is usual here, such as "< 0.4"')
    fast_answers: Count = Field(
        None, description='share of answers that took less than `answer_at_least_s`, such as "> 0.5"'
    )
    goal_pursued: Count = Field(
        None, description='share of what the tasks asked for that was tried, such as "< 0.5"'
    )
    copies: Count = Field(
        None, description='long free texts that had been given before, word for word, such as ">= 1"'
    )
    disagreement: Count = Field(
        None,
        description="share of dialogues whose success the participant judged otherwise than the log, such "
        'as "> 0.5"',
    )

    def reached(self, sign: str, value: float | None) -> bool:
        """Whether a sign is beyond what was declared; never where nothing was, or nothing is known."""
        condition: str | None = getattr(self, sign)
        return condition is not None and value is not None and holds(condition, value)


class Quality(Settings):
    """Signs of the quality of participants' work; frozen when the first participant comes."""

    checks: Each = Field(
        None,
        description="right answers to items of questionnaires that check attention, such as {attention: 4}",
    )
    answer_at_least_s: Number | None = Field(
        None, gt=0, le=3600, description="seconds below which an answer is a fast one; none: no answer is"
    )
    mark: Marks = Field(Marks(), description="from where on a sign is marked")  # pyright: ignore[reportCallIssue]

    @property
    def by_rules(self) -> tuple[dict[str, str], float | None]:
        """What rules of exclusion go by; marks are no business of theirs."""
        return self.checks or {}, self.answer_at_least_s
