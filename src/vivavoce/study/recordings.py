"""The section `recordings` of a study file: consent, how long sound is kept, and whether it is locked."""

from collections.abc import Iterable
from typing import Literal

from pydantic import Field

from vivavoce.core.yaml_source import KeyPath, Source
from vivavoce.study.settings import Flag, Number, Settings

CURE = "write `consent: {file: ..., recording: true}` before it, and say in that text what is recorded"


class Recordings(Settings):
    """What becomes of the sound of participants."""

    consent: Flag = Field(
        True, description="whoever is recorded has agreed before to a text marked `recording: true`"
    )
    encrypted: Flag = Field(
        False, description="the service does not start without a key to lock recordings with"
    )
    keep_days: Number | None = Field(
        None, ge=0, le=36500, description="days after which sound may be deleted; none: kept"
    )
    keep_until: Literal["transcribed"] | None = Field(
        None, description="transcribed: sound may be deleted once its transcript is accepted"
    )

    @property
    def expires(self) -> bool:
        """Whether sound is ever to be deleted."""
        return self.keep_days is not None or self.keep_until is not None


def check_recordings_plan(plan: Recordings | None, unasked: Iterable[KeyPath], source: Source) -> None:
    """Reports steps that record before anybody agreed to be recorded, where the study asks for that.

    Input   unasked: where they stand
    """
    for path in unasked if plan is not None and plan.consent else ():
        source.report(path, "it records, and nobody has agreed to that", CURE)
