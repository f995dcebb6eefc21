"""The timetable of one line: when its trains leave and arrive, how long they take, and what they cost."""

from collections.abc import Mapping
from typing import Any, Final

from vivavoce_bots.counter.wording import wording

_FIRST_CLASS: Final = 1.5
_LATE_HOUR: Final = wording("trains", "late_hour")
_NEAR, _NEARER = 60, 30  # minutes: `the one around ten`; at seven, be it in the evening


class Timetable:
    """The trains of a line with their stations in order; each train calls at all of them, both ways.

    facts  `line`: stations; `hours`: departures from its ends, hours and minutes; `minutes`, `euros`: from
           the first station to each
    """

    def __init__(self, facts: Mapping[str, Any]) -> None:
        self._facts = facts

    def _ends(self, form: Mapping[str, str]) -> tuple[int, int]:
        start, end = (self._facts["line"].index(form[name]) for name in ("from", "to"))
        return start, end

    def departures(self, form: Mapping[str, str]) -> list[str]:
        """When the trains leave the station of departure, towards the destination."""
        start, end = self._ends(form)
        minutes = self._facts["minutes"]
        gone = minutes[start] if start < end else minutes[-1] - minutes[start]
        return [clock(60 * hour + minute + gone) for hour, minute in self._facts["hours"]]

    def arrivals(self, form: Mapping[str, str]) -> list[str]:
        """When the trains arrive, in their order."""
        takes = self.takes(form)
        return [clock(minutes_of(one) + takes) for one in self.departures(form)]

    def takes(self, form: Mapping[str, str]) -> int:
        """How many minutes the trains take."""
        start, end = self._ends(form)
        return abs(self._facts["minutes"][start] - self._facts["minutes"][end])

    def euros(self, form: Mapping[str, str]) -> int:
        """The fare of a passenger; of the second class where none is known."""
        start, end = self._ends(form)
        second = abs(self._facts["euros"][start] - self._facts["euros"][end])
        return round(second * _FIRST_CLASS) if form.get("class") == "first" else second

    def train_at(self, form: Mapping[str, str], time: str) -> str | None:
        """The train that leaves then, arrives then, or leaves about then, be it in the morning."""
        hour, minute = time.split(":")
        times, said = self.departures(form), [time]
        said += [f"{int(hour) % 12:02}:{minute}", f"{int(hour) % 12 + 12:02}:{minute}"]
        for known in (times, self.arrivals(form)):
            if exact := next((one for one in said if one in known), None):
                return str(known.index(exact) + 1)
        for one, near in zip(said, (_NEAR, _NEARER, _NEARER), strict=True):
            apart = [abs(minutes_of(each) - minutes_of(one)) for each in times]
            if min(apart) <= near:
                return str(apart.index(min(apart)) + 1)
        return None


def as_said(time: str, text: str) -> str:
    """A time of day as the timetable has it: 9:55, be it in the morning."""
    hour, minute = time.split(":")
    return time if _LATE_HOUR.search(text) else f"{int(hour) % 12 or 12:02}:{minute}"


def minutes_of(time: str) -> int:
    """A time of day in minutes."""
    hour, minute = time.split(":")
    return 60 * int(hour) + int(minute)


def clock(minutes: int) -> str:
    """Minutes as a time of day."""
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


def later(time: str) -> str:
    """The same time of day in the afternoon."""
    return clock(minutes_of(time) + 12 * 60)
