"""Times of day in English and Italian tokens, as HH:MM."""

from collections.abc import Sequence

from vivavoce_bots.engine.numbers import read_number

FIXED = {
    "noon": "12:00",
    "midday": "12:00",
    "midnight": "00:00",
    "mezzogiorno": "12:00",
    "mezzanotte": "00:00",
}
LEADS = {"at", "around", "about", "by", "after", "from", "alle", "all", "le", "ore", "verso", "dopo", "dalle"}
MINUTES = {
    "half past": 30,
    "half": 30,
    "quarter past": 15,
    "quarter to": -15,
    "e mezza": 30,
    "e mezzo": 30,
    "e un quarto": 15,
    "meno un quarto": -15,
}
MORNING, LATER, NIGHT = (0, 11), (12, 23), (20, 31)  # first and last hour, over midnight
PARTS = {
    "am": MORNING,
    "morning": MORNING,
    "mattina": MORNING,
    "mattino": MORNING,
    "pm": LATER,
    "afternoon": LATER,
    "evening": LATER,
    "pomeriggio": LATER,
    "sera": LATER,
    "night": NIGHT,
    "notte": NIGHT,
}
SMALL = {"di", "del", "in", "the", "e", "at"}


def read_time(
    tokens: list[str], start: int, language: str, asked: bool, hours: Sequence[float]
) -> tuple[str, int] | None:
    """Time at a position and the position behind it; bare numbers only if asked for.

    `hours` are the first and last hour that are meant where no part of the day is named.
    """
    if tokens[start] in FIXED:
        return FIXED[tokens[start]], start + 1
    minute, position = _read_minutes(tokens, start)
    hour = _read_hour(tokens, position, language)
    if hour is None:
        return None
    number, exact, position = hour
    more, end = _read_minutes(tokens, position)
    if not (minute or more or exact):
        more, end = _read_spoken_minutes(tokens, position, language)
    after, end, part = _read_part(tokens, end)
    marked = minute or more or exact or after or (tokens[start - 1 : start] and tokens[start - 1] in LEADS)
    if not (asked or marked):
        return None
    return _clock_time(number, (exact or 0) + minute + more, part or hours), end


def _read_minutes(tokens: list[str], start: int) -> tuple[int, int]:
    for phrase, minutes in MINUTES.items():
        words = phrase.split()
        if tokens[start : start + len(words)] == words:
            return minutes, start + len(words)
    return 0, start


def _read_hour(tokens: list[str], start: int, language: str) -> tuple[int, int | None, int] | None:
    """Hour, its minutes where they are written, and the position behind."""
    if start >= len(tokens):
        return None
    hour, _, minute = tokens[start].partition(":")
    if minute and hour.isdigit():
        return (int(hour), int(minute), start + 1) if int(hour) < 24 and int(minute) < 60 else None
    number = read_number(tokens, start, language)
    if number is None or number[0] != int(number[0]) or not 0 < number[0] < 24:
        return None
    return int(number[0]), None, number[1]


def _read_spoken_minutes(tokens: list[str], start: int, language: str) -> tuple[int, int]:
    """Minutes behind the hour: seven thirty."""
    number = read_number(tokens, start, language) if start < len(tokens) else None
    if number and number[0] == int(number[0]) and 10 <= number[0] < 60:
        return int(number[0]), number[1]
    return 0, start


def _read_part(tokens: list[str], start: int) -> tuple[bool, int, tuple[int, int] | None]:
    """Tell whether o'clock or a part of the day follows, where it ends, and the hours of that part."""
    follows = tokens[start : start + 2] == ["o", "clock"]
    start += 2 if follows else 0
    position = start
    while position < len(tokens) and tokens[position] in SMALL:
        position += 1
    part = PARTS.get(" ".join(tokens[position : position + 1]))
    return (True, position + 1, part) if part else (follows, start, None)


def _clock_time(hour: int, minute: int, hours: Sequence[float]) -> str:
    """Time at the first of the hours that a number can mean within the hours of the day."""
    first, last = hours
    meant = next((later for later in range(hour, 36, 12) if hour and first <= later <= last), hour)
    total = (60 * meant + minute) % (24 * 60)
    return f"{total // 60:02d}:{total % 60:02d}"
