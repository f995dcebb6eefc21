"""When and where a laboratory is open: sessions by local time, seats in each, what people get."""

from datetime import UTC, datetime, timedelta
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, Field

from vivavoce.core.validation import mistake
from vivavoce.study.settings import Flag, Settings, Whole
from vivavoce.study.steps_file import WrittenRange
from vivavoce_recruitment.money import Amount
from vivavoce_recruitment.settings import Bonus, CallCost, DialoguePay, same_currency

DAY: Final = "%Y-%m-%d"
TIME: Final = "%H:%M"
MOST_SESSIONS: Final = 1000


def _written_as(form: str, noun: str, example: str) -> AfterValidator:
    def check(written: str) -> str:
        try:
            return datetime.strptime(written.strip(), form).replace(tzinfo=UTC).strftime(form)
        except ValueError:
            raise mistake(f"{written!r} is no {noun}", f"write such as {example}") from None

    return AfterValidator(check)


def _zone(written: str) -> str:
    try:
        return ZoneInfo(written).key
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise mistake(f"unknown time zone {written!r}", "write such as Europe/Rome") from None


Day = Annotated[str, _written_as(DAY, "day", "2026-12-01")]
Time = Annotated[str, _written_as(TIME, "time of day", "'10:00'")]
LocalTime = Annotated[str, _written_as(f"{DAY} {TIME}", "day and time", "2026-12-01 10:00")]


class LaboratorySettings(Settings):
    """Sessions in a laboratory, each with so many seats."""

    room: str = Field(min_length=1, max_length=300, description="where people come to, as they are told")
    time_zone: Annotated[str, AfterValidator(_zone)] = Field(
        description="of all days and times, by its name in the time zone database: Europe/Rome"
    )
    slots: list[LocalTime] = Field([], description="when sessions begin, such as 2026-12-01 10:00")
    days: list[Day] = Field([], description="days, such as 2026-12-01, with a session at each of `times`")
    times: list[Time] = Field([], description="times of day at which sessions begin on each of `days`")
    minutes: Whole = Field(60, ge=5, le=600, description="length of a session")
    seats: Whole = Field(ge=1, le=500, description="people who take part in a session at the same time")
    dialogues: WrittenRange | None = Field(
        None, description="how many each person holds, such as 15..40; none: as many as the visit says"
    )
    early_minutes: Whole = Field(15, ge=0, le=240, description="how long before a session people may begin")
    late_minutes: Whole = Field(15, ge=0, le=240, description="how long after its start people may begin")
    change_hours: Whole = Field(
        24, ge=0, le=720, description="until how long before a session it may be moved or cancelled"
    )
    email: Flag = Field(False, description="people leave an e-mail address, and book one seat for each")
    reward: Amount = Field(description="for each who completes the visit, such as 12.00 GBP")
    bonuses: list[Bonus] = Field([], description="what is paid on top, and for what")
    per_dialogue: DialoguePay | None = Field(None, description="what is paid for each completed dialogue")
    calls: CallCost | None = Field(None, description="what telephone minutes cost; for `recruit plan`")

    def model_post_init(self, _: Any) -> None:
        same_currency(self.reward, self.bonuses, self.per_dialogue and self.per_dialogue.pay)
        if bool(self.days) != bool(self.times):
            lacking = "times" if self.days else "days"
            raise mistake(f"no {lacking}", f"write `{lacking}`, or each session under `slots`")
        starts = self.starts
        if not 1 <= len(starts) <= MOST_SESSIONS:
            problem = f"{len(starts)} sessions, where 1 to {MOST_SESSIONS} are possible"
            raise mistake(problem, "write `slots`, or `days` and `times`")
        for first, second in pairwise(starts):
            if second < first + self.length:
                problem = f"the session of {self.told(second)} begins before that of {self.told(first)} ends"
                raise mistake(problem, f"leave {self.minutes} minutes between them, or give more `seats`")

    @property
    def length(self) -> timedelta:
        """How long a session is."""
        return timedelta(minutes=self.minutes)

    @cached_property
    def zone(self) -> ZoneInfo:
        """The laboratory's time zone."""
        return ZoneInfo(self.time_zone)

    @cached_property
    def starts(self) -> tuple[datetime, ...]:
        """When each session begins, in UTC, the first one first."""
        written = [*self.slots, *(f"{day} {time}" for day in self.days for time in self.times)]
        return tuple(sorted(self._instant(one) for one in written))

    def _instant(self, written: str) -> datetime:
        """Raises  PydanticCustomError: clocks skip this time, or show it twice"""
        local = datetime.strptime(written, f"{DAY} {TIME}").replace(tzinfo=self.zone)
        instant = local.astimezone(UTC)
        twice = local.utcoffset() != local.replace(fold=1).utcoffset()
        if twice:  # so it is, too, where clocks skip it
            problem = f"{written} is no single moment in {self.time_zone}: clocks change then"
            raise mistake(problem, "write another time")
        return instant

    def local(self, at: datetime) -> datetime:
        """An instant by the laboratory's clocks."""
        return at.astimezone(self.zone)

    def told(self, at: datetime) -> str:
        """An instant as the study file would have it."""
        return self.local(at).strftime(f"{DAY} {TIME}")

    def may_change(self, start: datetime, now: datetime) -> bool:
        """Whether a booking of this session may be moved or cancelled by who has it."""
        return now < start and now <= start - timedelta(hours=self.change_hours)

    def opens(self, start: datetime) -> datetime:
        """From when on people of this session may begin."""
        return start - timedelta(minutes=self.early_minutes)

    def closes(self, start: datetime) -> datetime:
        """Until when people of this session may begin."""
        return start + timedelta(minutes=self.late_minutes)
