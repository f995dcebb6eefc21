"""Settings of a laboratory: sessions by local time, seats in each, pay."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BeforeValidator, Field

from vivavoce.core.validation import mistake, shown_value
from vivavoce.study.settings import Flag, Settings, Whole
from vivavoce.study.steps import WrittenRange
from vivavoce_recruitment.money import Amount
from vivavoce_recruitment.settings import Bonus, CallCost, DialoguePay, same_currency

DAY: Final = "%Y-%m-%d"
TIME: Final = "%H:%M"
MOST_SESSIONS: Final = 1000
MOST_WORDS: Final = 300


def _written_as(form: str, noun: str, example: str) -> AfterValidator:
    def check(written: str) -> str:
        try:
            return datetime.strptime(written.strip(), form).replace(tzinfo=UTC).strftime(form)
        except ValueError:
            raise mistake(f"{written!r} is not a valid {noun}", f"use a value such as {example}") from None

    return AfterValidator(check)


def _zone(written: str) -> str:
    try:
        return ZoneInfo(written).key
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise mistake(f"unknown time zone {written!r}", "use a name such as Europe/Rome") from None


def _words(written: Any) -> Any:
    texts = list(written.values()) if isinstance(written, Mapping) else [written]
    if not texts or not all(isinstance(text, str) and 0 < len(text.strip()) <= MOST_WORDS for text in texts):
        problem = f"expected text of 1 to {MOST_WORDS} characters, not {shown_value(written)}"
        raise mistake(problem, "write text, or a mapping of languages such as {en: ..., it: ...}")
    return written


def words_in(words: "Words", language: str) -> str:
    """Text in a language of the study; a text without languages applies to all."""
    if isinstance(words, str):
        return words
    return words.get(language) or next(iter(words.values()))


Words = Annotated[dict[str, str] | str, BeforeValidator(_words)]
Minutes = Annotated[Whole, Field(ge=5, le=600)]
Seats = Annotated[Whole, Field(ge=1, le=500)]
Day = Annotated[str, _written_as(DAY, "day", "2026-12-01")]
Time = Annotated[str, _written_as(TIME, "time of day", "'10:00'")]
LocalTime = Annotated[str, _written_as(f"{DAY} {TIME}", "day and time", "2026-12-01 10:00")]


class SlotSettings(Settings):
    """One session; keys that are left out are those of the section."""

    shorthand: ClassVar[str | None] = "start"
    start: LocalTime = Field(description="start, such as 2026-12-01 10:00")
    minutes: Minutes | None = Field(None, description="length of this session")
    seats: Seats | None = Field(None, description="number of seats in this session")


@dataclass(frozen=True, slots=True)
class LabSession:
    """A session's start in UTC, length and number of seats."""

    start: datetime
    length: timedelta
    seats: int

    @property
    def end(self) -> datetime:
        return self.start + self.length


class LaboratorySettings(Settings):
    """Sessions in a laboratory, each with so many seats."""

    room: Words = Field(description="meeting place shown to participants; text, or a mapping of languages")
    bring: Words | None = Field(None, description="what to bring; text, or a mapping of languages")
    time_zone: Annotated[str, AfterValidator(_zone)] = Field(
        description="time zone of all dates and times, such as Europe/Rome"
    )
    slots: list[SlotSettings] = Field(
        [], description="sessions by start, optionally with their own length or seats"
    )
    days: list[Day] = Field([], description="days, such as 2026-12-01; each has a session at each of `times`")
    times: list[Time] = Field([], description="start times of the sessions on each of `days`")
    minutes: Minutes = Field(60, description="length of a session")
    seats: Seats = Field(description="seats per session")
    dialogues: WrittenRange | None = Field(
        None, description="dialogues per participant, such as 15..40 (default: as in the visit)"
    )
    early_minutes: Whole = Field(15, ge=0, le=240, description="earliest start in minutes before the session")
    late_minutes: Whole = Field(
        15, ge=0, le=240, description="latest start in minutes after the session begins"
    )
    change_hours: Whole = Field(
        24, ge=0, le=720, description="hours before a session until which bookings can be moved or cancelled"
    )
    invited: Flag = Field(False, description="require an invitation to book; one seat per invitation")
    email: Flag = Field(False, description="ask for an e-mail address; one seat per address")
    reward: Amount = Field(description="reward for a completed visit, such as 12.00 GBP")
    bonuses: list[Bonus] = Field([], description="bonuses with their conditions")
    per_dialogue: DialoguePay | None = Field(None, description="pay for each completed dialogue")
    calls: CallCost | None = Field(None, description="telephone costs per minute; for `recruit plan`")

    def model_post_init(self, _: Any) -> None:
        same_currency(self.reward, self.bonuses, self.per_dialogue and self.per_dialogue.pay)
        if bool(self.days) != bool(self.times):
            lacking = "times" if self.days else "days"
            raise mistake(f"missing `{lacking}`", f"set `{lacking}`, or list each session under `slots`")
        sessions = self.sessions
        if not 1 <= len(sessions) <= MOST_SESSIONS:
            problem = f"{len(sessions)} sessions, expected 1 to {MOST_SESSIONS}"
            raise mistake(problem, "write `slots`, or `days` and `times`")
        for first, second in pairwise(sessions):
            if second.start < first.end:
                overlap = f"the session of {self.told(second.start)} begins before the session of"
                minutes = int(first.length.total_seconds() // 60)
                raise mistake(
                    f"{overlap} {self.told(first.start)} ends",
                    f"leave {minutes} minutes between them, or add `seats`",
                )

    @cached_property
    def zone(self) -> ZoneInfo:
        """The laboratory's time zone."""
        return ZoneInfo(self.time_zone)

    @cached_property
    def sessions(self) -> tuple[LabSession, ...]:
        """Every session, the first one first."""
        usual = [
            SlotSettings(start=f"{day} {time}", minutes=None, seats=None)
            for day in self.days
            for time in self.times
        ]

        def session(one: SlotSettings) -> LabSession:
            length = timedelta(minutes=one.minutes or self.minutes)
            return LabSession(self._instant(one.start), length, one.seats or self.seats)

        return tuple(sorted(map(session, [*self.slots, *usual]), key=lambda one: one.start))

    @property
    def places(self) -> int:
        """Number of seats in all sessions."""
        return sum(session.seats for session in self.sessions)

    def session_at(self, start: datetime) -> LabSession:
        """The session that begins then; one that the study file names no more is as the others are."""
        usual = LabSession(start, timedelta(minutes=self.minutes), self.seats)
        return next((session for session in self.sessions if session.start == start), usual)

    def _instant(self, written: str) -> datetime:
        """Raises  PydanticCustomError: clocks skip this time, or show it twice"""
        local = datetime.strptime(written, f"{DAY} {TIME}").replace(tzinfo=self.zone)
        instant = local.astimezone(UTC)
        twice = local.utcoffset() != local.replace(fold=1).utcoffset()
        if twice:  # so it is, too, where clocks skip it
            problem = f"{written} is ambiguous or missing in {self.time_zone} because clocks change"
            raise mistake(problem, "choose another time")
        return instant

    def local(self, at: datetime) -> datetime:
        """An instant by the laboratory's clocks."""
        return at.astimezone(self.zone)

    def told(self, at: datetime) -> str:
        """An instant as the study file would have it."""
        return self.local(at).strftime(f"{DAY} {TIME}")

    def may_change(self, start: datetime, now: datetime) -> bool:
        """True if a booking of this session may still be moved or cancelled by its owner."""
        return now < start and now <= start - timedelta(hours=self.change_hours)

    def opens(self, start: datetime) -> datetime:
        """From when on people of this session may begin."""
        return start - timedelta(minutes=self.early_minutes)

    def closes(self, start: datetime) -> datetime:
        """Until when people of this session may begin."""
        return start + timedelta(minutes=self.late_minutes)
