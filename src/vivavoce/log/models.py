"""Records that the log returns: stored events, scopes, and the state of visits, dialogues and codes."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from vivavoce.core.errors import LogError
from vivavoce.log.events import EndReason, Event, Outcome, read_event
from vivavoce.log.recording_events import Content, Removal, Speaker

DialogueStatus = Literal["running", "completed", "failed", "abandoned"]


class Conflict(LogError):
    """The log has moved on, or a key is taken: read again before trying again."""


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """One event as the log holds it; `replayed` when a repeated client key found it already there.

    position is the order over the whole log, seq the order within the visit.
    """

    event_id: str
    visit_id: str
    seq: int
    at: datetime
    monotonic_s: float
    boot: str
    event: Event
    client_key: str | None = None
    replayed: bool = False
    position: int = 0


@dataclass(frozen=True, slots=True)
class VisitRecord:
    """One visit's current state."""

    visit_id: str
    study: str
    revision: str
    participant_id: str
    pool: str
    language: str
    simulated: bool
    status: Literal["running", "ended"]
    outcome: Outcome | None
    opened_at: datetime
    last_at: datetime
    last_seq: int
    position: int


@dataclass(frozen=True, slots=True)
class Collected:
    """Holdings of a log for a study: visits, dialogues that began, and the opening of its first visit."""

    visits: int = 0
    dialogues: int = 0
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class DialogueRecord:
    """One dialogue's current state; `status` is running from its assignment on."""

    dialogue_id: str
    visit_id: str
    study: str
    participant_id: str
    simulated: bool
    system: str
    condition: str | None
    task_id: str | None
    channel: str
    language: str
    status: DialogueStatus
    user_turns: int
    assigned_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    end_reason: EndReason | None
    code_issued: bool
    position: int


@dataclass(frozen=True, slots=True)
class EarnedCode:
    """One earned code; `used_at` is null until it has opened a form."""

    code: str
    dialogue_id: str
    visit_id: str
    issued_at: datetime
    used_at: datetime | None


@dataclass(frozen=True, slots=True)
class Recording:
    """One recording's current state; `item` is the stimulus within its step, `removed_at` its tombstone."""

    recording_id: str
    visit_id: str
    study: str
    participant_id: str
    simulated: bool
    file: str
    sha256: str
    byte_count: int
    media_type: str
    content: Content
    speakers: list[Speaker]
    sample_rate_hz: int
    frames: int
    duration_s: float
    step: int | None
    item: int | None
    dialogue_id: str | None
    turn_index: int | None
    started_s: float | None
    microphone_distance_m: float | None
    clips: int | None
    clips_placed: int | None
    stored_at: datetime
    removed_at: datetime | None
    removal: Removal | None
    position: int


@dataclass(frozen=True, slots=True)
class StudyRecord:
    """One revision of a study as it was served: its file, and its domain's entities."""

    study: str
    revision: str
    file: str
    entities: list[dict[str, str]] | None
    seen_at: datetime


def stored_event(row: Any, *, replayed: bool = False) -> StoredEvent:
    """An event as its row in the table says it."""
    facts = row._mapping
    return StoredEvent(
        event_id=facts["event_id"],
        visit_id=facts["visit_id"],
        seq=facts["seq"],
        at=facts["at"],
        monotonic_s=facts["monotonic_s"],
        boot=facts["boot"],
        event=read_event(facts["kind"], facts["payload"]),
        client_key=facts["client_key"],
        replayed=replayed,
        position=facts["position"],
    )


Scope = Literal["people", "simulated", "team"]
PEOPLE: Final = "people"
SIMULATED: Final = "simulated"
TEAM: Final = "team"
SCOPES: Final[tuple[Scope, ...]] = (PEOPLE, SIMULATED, TEAM)


def usual_scope(people: int, simulated: int, team: int = 0) -> Scope:
    """People as soon as there is one, or as long as there is nobody at all; the team's only where asked."""
    return SIMULATED if simulated and not people else PEOPLE


def scope_of(*, simulated: bool) -> Scope:
    """Scope of a participant's visit."""
    return SIMULATED if simulated else PEOPLE


def team_study(study: str) -> str:
    """The study under which the log keeps visits by which the team tried this one out.

    Whatever counts a study's visits counts none of these; no study can be called so.
    """
    return f"{study} (team)"


def logged_study(study: str, scope: Scope | None) -> str:
    """The study under which the log keeps the visits of a scope; None: those of participants."""
    return team_study(study) if scope == TEAM else study
