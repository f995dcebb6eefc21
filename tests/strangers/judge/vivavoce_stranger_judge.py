"""A judge of a library's desk: readers were helped where what they got was none of its excuses."""

from typing import Any

from pydantic import Field

from vivavoce.judges.base import Court, Judge, JudgeCase, JudgeKind, JudgeSettings, JudgeVerdict, Once


class DeskJudgeSettings(JudgeSettings):
    """What stands in the file of a judge with `judge: desk`."""

    excuses: list[str] = Field(min_length=1, description="words of an answer that was of no help")


class DeskJudge:
    """Counts excuses in what the system said."""

    def __init__(self, settings: DeskJudgeSettings) -> None:
        self._excuses = [one.lower() for one in settings.excuses]
        self.frozen = {"kind": "desk", "excuses": self._excuses}

    async def judge(self, case: JudgeCase, once: Once) -> JudgeVerdict:
        answers = [text.lower() for party, text in case.turns if party == "system" and text]
        if not answers:
            return JudgeVerdict(trouble="refused", asked=1, refused=1)
        sorry = sum(any(one in answer for one in self._excuses) for answer in answers)
        return JudgeVerdict(value=1 - sorry / len(answers), asked=1)

    async def close(self) -> None:
        """Nothing is open."""


class DeskJudgeKind(JudgeKind):
    name = "desk"
    summary = "the share of answers that were no excuses"
    settings = DeskJudgeSettings

    def open(self, settings: Any, court: Court) -> Judge:
        return DeskJudge(settings)
