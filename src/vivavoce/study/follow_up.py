"""The section `follow_up` of a study file: a later session of those who completed another study."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from vivavoce.core.yaml_source import Source
from vivavoce.study.settings import Number, Settings


class FollowUp(Settings):
    """A study whose participants completed an earlier one, and are known again as the same people."""

    of: str = Field(description="study file, or folder, of the earlier session")
    after_days: Number = Field(
        ge=0, le=3650, description="days from the end of somebody's earlier visit until they may come"
    )
    within_days: Number | None = Field(
        None, gt=0, le=3650, description="days from then on in which they may begin; none: without end"
    )
    condition: Literal["any", "keep", "cross"] = Field(
        "any", description="keep: conditions that they had in the earlier session; cross: those they had not"
    )

    def opens(self, completed_at: datetime) -> datetime:
        """When somebody may begin who completed the earlier session then."""
        return completed_at + timedelta(days=self.after_days)

    def closes(self, completed_at: datetime) -> datetime | None:
        """From when on it is too late to begin; None: it never is."""
        if self.within_days is None:
            return None
        return self.opens(completed_at) + timedelta(days=self.within_days)

    def study_path(self, folder: Path) -> Path:
        """Where the earlier study lies, as seen from the folder of this one."""
        return folder / self.of


def check_follow_up(
    follow_up: FollowUp | None, recruitment: Mapping[str, Any], folder: Path, source: Source
) -> None:
    """Reports an earlier session that is not there, and people who could not be known again."""
    if follow_up is None:
        return
    path = follow_up.study_path(folder)
    if not (path / "study.yaml").is_file() and not path.is_file():
        hint = "name the folder of the earlier study, as seen from this one, such as ../first"
        source.report(("follow_up", "of"), f"no study {follow_up.of!r}", hint)
    if not recruitment:
        hint = "add `recruitment: {personal_links: {}}`, or the recruiter of the earlier session"
        source.report(("follow_up",), "nobody would be known again", hint)
