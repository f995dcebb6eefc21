"""The section `recordings` of a study file: consent, retention and encryption."""

from typing import Literal

from pydantic import Field

from vivavoce.study.settings import Flag, Number, Settings

CURE = "write `consent: {file: ..., recording: true}` before it, and describe in that text what is recorded"


class Recordings(Settings):
    """Handling of participants' recordings."""

    consent: Flag = Field(
        True, description="require consent with `recording: true` before anything is recorded"
    )
    encrypted: Flag = Field(False, description="require a key to encrypt recordings when the service starts")
    keep_days: Number | None = Field(
        None, ge=0, le=36500, description="days after which recordings may be deleted (default: kept)"
    )
    keep_until: Literal["transcribed"] | None = Field(
        None, description="transcribed: recordings may be deleted once their transcripts are accepted"
    )

    @property
    def expires(self) -> bool:
        """True if recordings are to be deleted at some time."""
        return self.keep_days is not None or self.keep_until is not None
