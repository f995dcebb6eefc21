"""Times of day in English and Italian tokens, as HH:MM."""

from vivavoce_bots.engine.numbers import read_number

FIXED = {
    "noon": "12:00",
    "midday": "12:00",
    "midnight": "00:00",
    "mezzogiorno": "12:00",
    "mezzanotte": "00:00",
}
PARTS = {
    "morning": "10:00",
    "lunch": "13:00",
    "lunchtime": "13:00",
    "afternoon": "16:00",
    "evening": "20:00",
    "dinner": "20:00",
    "mattina": "10:00",
    "pranzo": "13:00",
    "pomeriggio": "16:00",
    "sera": "20:00",
    "cena": "20:00",
}
LEADS = {"at", "around", "about", "by", "after", "from", "alle", "all", "le", "ore", "verso", "dopo", "dalle"}
MINUTES = {
    ("half", "past"): 30,
    ("half",): 30,
    ("quarter", "past"): 15,
    ("quarter", "to"): -15,
    ("e", "mezza"): 30,
    ("e", "mezzo"): 30,
    ("e", "un", "quarto"): 15,
    ("meno", "un", "quarto"): -15,
}
CLOCK = ("o", "clock")
LATER = {"pm", "sera", "pomeriggio", "evening", "afternoon"}
EARLIER = {"am", "mattina", "mattino", "morning"}
SMALL = {"di", "del", "in", "the", "e"}
LAST_MORNING_HOUR = 10  # hours up to this one are in the afternoon, unless the morning is named


def read_time(tokens: list[str], start: int, language: str, asked: bool) -> tuple[str, int] | None:
    """Time at a position and the position behind it; bare numbers and parts of the day only if asked for."""
    fixed = FIXED.get(tokens[start]) or (PARTS.get(tokens[start]) if asked else None)
    if fixed:
        return fixed, start + 1
    minute, position = _read_minutes(tokens, start)
    hour = _read_hour(tokens, position, language)
    if hour is None:
        return None
    number, exact, position = hour
    more, end = _read_minutes(tokens, position)
    if not (minute or more or exact):
        more, end = _read_spoken_minutes(tokens, position, language)
    after, end, is_morning = _read_part(tokens, end)
    marked = minute or more or exact or after or (tokens[start - 1 : start] and tokens[start - 1] in LEADS)
    if not (asked or marked):
        return None
    return _clock_time(number, (exact or 0) + minute + more, is_morning), end


def _read_minutes(tokens: list[str], start: int) -> tuple[int, int]:
    for words, minutes in MINUTES.items():
        if tuple(tokens[start : start + len(words)]) == words:
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


def _read_part(tokens: list[str], start: int) -> tuple[bool, int, bool | None]:
    """Tell whether o'clock or a part of the day follows, where it ends, and whether it is the morning."""
    follows = tuple(tokens[start : start + 2]) == CLOCK
    start += 2 if follows else 0
    position = start
    while position < len(tokens) and tokens[position] in SMALL:
        position += 1
    part = tokens[position] if position < len(tokens) else ""
    if part in LATER | EARLIER:
        return True, position + 1, part in EARLIER
    return follows, start, None


def _clock_time(hour: int, minute: int, is_morning: bool | None) -> str:
    if hour <= LAST_MORNING_HOUR + (is_morning is False) and not is_morning:
        hour += 12
    total = (60 * hour + minute) % (24 * 60)
    return f"{total // 60:02d}:{total % 60:02d}"
