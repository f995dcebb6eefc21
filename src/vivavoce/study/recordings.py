"""The section `recordings` of a study file: consent, how long sound is kept, and whether it is locked."""

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field

from vivavoce.core.yaml_source import Source
from vivavoce.study.settings import Flag, Number, Settings

RECORDED = ("voice", "phone")
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


def check_recordings_plan(
    plan: Recordings | None, entries: Iterable[tuple[int, Any]], source: Source
) -> None:
    """Reports steps that record before anybody agreed to be recorded, where the study asks for that."""
    if plan is None or not plan.consent:
        return
    for index, name in _unasked(entries):
        source.report(("visit", index, name), "it records, and nobody has agreed to that", CURE)


def recording_warnings(visit: Iterable[Any]) -> list[str]:
    """One line where a visit records and asks nobody for any consent; [] where it does."""
    agreed = False
    for number, step in enumerate(visit):
        agreed = agreed or step.kind == "consent"
        if not agreed and _records(step.kind, step):
            return [f"visit[{number}].{step.kind} records, and nobody was asked for consent; {CURE}"]
    return []


def _unasked(entries: Iterable[tuple[int, Any]]) -> Iterable[tuple[int, str]]:
    """Index and kind of the steps that record before a consent that covers it."""
    agreed = False
    for index, entry in entries:
        agreed = agreed or (entry.consent is not None and entry.consent.recording)
        for kind in ("dialogue", "elicit"):
            step = getattr(entry, kind)
            if step is not None and not agreed and _records(kind, step):
                yield index, kind


def _records(kind: str, step: Any) -> bool:
    return (kind == "dialogue" and step.channel in RECORDED) or (kind == "elicit" and step.by == "speech")
