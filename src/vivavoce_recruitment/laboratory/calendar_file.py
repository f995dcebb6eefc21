"""A session as a calendar file (iCalendar, RFC 5545)."""

from datetime import UTC, datetime
from typing import Final

LINE: Final = 75  # bytes, after which a line goes on in the next one


def calendar_file(
    uid: str, begin: datetime, end: datetime, *, title: str, place: str, told: str, changed_at: datetime
) -> str:
    """One event; the same uid with a later changed_at takes the place of the earlier one in a calendar."""
    lines = [
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Vivavoce//Laboratory//EN", "BEGIN:VEVENT",
        f"UID:{uid}", f"SEQUENCE:{int(changed_at.timestamp() // 60)}", f"DTSTAMP:{_instant(changed_at)}",
        f"DTSTART:{_instant(begin)}", f"DTEND:{_instant(end)}", f"SUMMARY:{_text(title)}",
        f"LOCATION:{_text(place)}", f"DESCRIPTION:{_text(told)}", "END:VEVENT", "END:VCALENDAR",
    ]  # fmt: skip
    return "".join(f"{_folded(line)}\r\n" for line in lines)


def _instant(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def _text(text: str) -> str:
    for plain, written in (("\\", "\\\\"), (";", "\\;"), (",", "\\,"), ("\r", ""), ("\n", "\\n")):
        text = text.replace(plain, written)
    return text


def _folded(line: str) -> str:
    """A line in pieces of at most 75 bytes, none of them within a character."""
    pieces, size = [""], 0
    for one in line:
        width = len(one.encode())
        if size + width > LINE:
            pieces, size = [*pieces, ""], 1
        pieces[-1] += one
        size += width
    return "\r\n ".join(pieces)
