"""The section `retention` of a study file: for how many days what is kept of people."""

from collections.abc import Mapping
from typing import Final, Literal

from pydantic import Field

from vivavoce.core.yaml_source import Source
from vivavoce.study.recordings import Recordings
from vivavoce.study.settings import Settings, Whole

Part = Literal["identifiers", "free_text", "visits"]
KEYS: Final[Mapping[Part, str]] = {
    "identifiers": "identifiers_days",
    "free_text": "free_text_days",
    "visits": "visits_days",
}
"""The key of each rule by what it is about, from the first that goes to the last."""


class RetentionRules(Settings):
    """After how many days something may go, counted from the beginning of somebody's last visit.

    Nothing goes by itself: `vivavoce retention` says what is due, and erases it when it is told to.
    """

    identifiers_days: Whole | None = Field(
        None, ge=1, le=36_500,
        description="what leads to people: identifiers of links and platforms, tickets; none: kept",
    )  # fmt: skip
    free_text_days: Whole | None = Field(
        None, ge=1, le=36_500, description="what they wrote freely in questionnaires; none: kept"
    )
    visits_days: Whole | None = Field(
        None, ge=1, le=36_500, description="all of their visits, as `vivavoce erase` takes them; none: kept"
    )

    def days(self) -> dict[Part, int]:
        """Days by what the rule is about; what is kept is not in it."""
        written: dict[Part, int | None] = {part: getattr(self, key) for part, key in KEYS.items()}
        return {part: days for part, days in written.items() if days is not None}


def check_retention(rules: RetentionRules | None, recordings: Recordings | None, source: Source) -> None:
    """Reports what would be kept for longer than the visits that it belongs to."""
    last = rules.visits_days if rules is not None else None
    if rules is None or last is None:
        return
    for part, days in rules.days().items():
        if days > last:
            problem = f"{days} days, and visits_days: {last} takes them along before"
            source.report(("retention", KEYS[part]), problem, f"write at most {last}, or leave it out")
    if recordings is not None and recordings.keep_days is not None and recordings.keep_days > last:
        problem = f"{recordings.keep_days:g} days, and retention.visits_days: {last} takes them along before"
        source.report(("recordings", "keep_days"), problem, f"write at most {last}")
