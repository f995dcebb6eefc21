"""The section `retention` of a study file: retention periods of personal data."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import Field

from vivavoce.core.yaml_source import Source
from vivavoce.study.recordings import Recordings
from vivavoce.study.settings import Settings, Whole

Days = Annotated[Whole, Field(ge=1, le=36_500)]
Part = Literal["identifiers", "free_text", "visits"]
KEYS: Final[Mapping[Part, str]] = {
    "identifiers": "identifiers_days",
    "free_text": "free_text_days",
    "visits": "visits_days",
}
"""Key of each rule by type of data, in order of erasure."""


class RetentionRules(Settings):
    """Retention periods, counted from the start of a participant's last visit.

    Nothing is erased automatically: `vivavoce retention` lists data past its period, and erases it on
    request.
    """

    identifiers_days: Days | None = Field(
        None,
        description="days to keep identifiers of links and platforms, and tickets (default: always)",
    )
    free_text_days: Days | None = Field(
        None,
        description=("days to keep free-text answers in questionnaires (default: always)"),
    )
    visits_days: Days | None = Field(
        None,
        description=("days to keep whole visits; erases as `vivavoce erase` does (default: always)"),
    )

    def days(self) -> dict[Part, int]:
        """Days by type of data; data kept for ever is left out."""
        written: dict[Part, int | None] = {part: getattr(self, key) for part, key in KEYS.items()}
        return {part: days for part, days in written.items() if days is not None}


def check_retention(rules: RetentionRules, recordings: Recordings | None, source: Source) -> None:
    """Report periods longer than that of the visits which contain the data."""
    if (last := rules.visits_days) is None:
        return
    for part, days in rules.days().items():
        if days > last:
            problem = f"{days} days are longer than visits_days: {last}"
            source.report(("retention", KEYS[part]), problem, f"write at most {last}, or leave it out")
    if recordings is not None and recordings.keep_days is not None and recordings.keep_days > last:
        problem = f"{recordings.keep_days:g} days are longer than retention.visits_days: {last}"
        source.report(("recordings", "keep_days"), problem, f"write at most {last}")
