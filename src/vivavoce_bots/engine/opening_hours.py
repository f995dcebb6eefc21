"""Opening hours such as `tuesday-sunday 12:00-15:00 18:00-23:00`."""

import re

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SPAN = re.compile(r"(\w+day)(?:-(\w+day))?((?: \d\d:\d\d-\d\d:\d\d)+)")


def is_open(hours: str, day: str | None, time: str | None) -> bool:
    """Tell whether a place is open on a day at a time; None is any. Hours in other words are always open."""
    spans = [span for match in _SPAN.findall(hours.lower()) for span in _spans(*match)]
    if not spans:
        return True
    return any(
        day in (None, open_day) and (time is None or begin <= time < end) for open_day, begin, end in spans
    )


def _spans(first: str, last: str, hours: str) -> list[tuple[str, str, str]]:
    if first not in DAYS or (last or first) not in DAYS:
        return []
    days = DAYS[DAYS.index(first) : DAYS.index(last or first) + 1]
    limits = [span.partition("-") for span in hours.split()]
    return [(day, begin, end) for begin, _, end in limits for day in days]
