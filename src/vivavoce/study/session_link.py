"""The section `follow_up` of a study file: a later session for participants of an earlier study."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from vivavoce.core.yaml_source import Source
from vivavoce.study.settings import Number, Settings


class FollowUp(Settings):
    """A later session for participants who completed an earlier study."""

    of: str = Field(description="study file or folder of the earlier session")
    after_days: Number = Field(
        ge=0,
        le=3650,
        description=("days between the end of a participant's earlier visit and the first day of this one"),
    )
    within_days: Number | None = Field(
        None, gt=0, le=3650, description="days during which they may start (default: no end)"
    )
    condition: Literal["any", "keep", "cross"] = Field(
        "any", description="keep: the same conditions as in the earlier session; cross: the other conditions"
    )

    def opens(self, completed_at: datetime) -> datetime:
        """Start of the window for a participant who completed the earlier session at this time."""
        return completed_at + timedelta(days=self.after_days)

    def closes(self, completed_at: datetime) -> datetime | None:
        """End of the window; None: no end."""
        if self.within_days is None:
            return None
        return self.opens(completed_at) + timedelta(days=self.within_days)

    def study_path(self, folder: Path) -> Path:
        """Folder of the earlier study, relative to this one's folder."""
        return folder / self.of


def check_follow_up(
    follow_up: FollowUp, recruitment: Mapping[str, Any], folder: Path, source: Source
) -> None:
    """Report a missing earlier session, and participants who could not be recognised."""
    path = follow_up.study_path(folder)
    if not (path / "study.yaml").is_file() and not path.is_file():
        hint = "name the earlier study's folder, relative to this one, such as ../first"
        source.report(("follow_up", "of"), f"no study {follow_up.of!r}", hint)
    if not recruitment:
        hint = "add `recruitment: {personal_links: {}}`, or the recruiter of the earlier session"
        source.report(("follow_up",), "returning participants could not be recognised", hint)
