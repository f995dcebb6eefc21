"""Full dates in English and Italian tokens, such as 4 May 1980, November the second 1938, or 12.3.1975."""

from datetime import date

from vivavoce_bots.engine.numbers import ENGLISH_ORDINALS, read_number
from vivavoce_bots.engine.text import without_accents

FIRST_YEAR = 1900
_BETWEEN = {"of", "the", "di", "del", "in", ",", ".", "th", "st", "nd", "rd"}
_LONGEST = 7  # tokens


def read_full_date(
    tokens: list[str], start: int, language: str, months: list[str], today: date
) -> tuple[str, int] | None:
    """Day of the past as an ISO date, and the position behind it."""
    numeric = tokens[start].replace("/", ".").replace("-", ".").split(".")
    if len(numeric) == 3:
        return _past_day([int(part) for part in numeric], today, start + 1)
    names = [without_accents(month.lower()) for month in months]
    parts: dict[str, int] = {}
    position = start
    while position < min(len(tokens), start + _LONGEST) and len(parts) < 3:
        word = tokens[position]
        number = _number_at(tokens, position, language)
        if "month" not in parts and _month_of(word, names):
            parts["month"], position = _month_of(word, names), position + 1
        elif number is not None:
            parts["day" if number[0] <= 31 and "day" not in parts else "year"] = number[0]
            position = number[1]
        elif position > start and word in _BETWEEN:
            position += 1
        else:
            break
    if len(parts) < 3:
        return None
    return _past_day([parts["day"], parts["month"], parts["year"]], today, position)


def _number_at(tokens: list[str], position: int, language: str) -> tuple[int, int] | None:
    word = tokens[position]
    if word in ENGLISH_ORDINALS:
        return ENGLISH_ORDINALS.index(word) + 1, position + 1
    if word in ("primo", "1"):
        return 1, position + 1
    number = read_number(tokens, position, language)
    return (int(number[0]), number[1]) if number else None


def _month_of(word: str, names: list[str]) -> int:
    """Number of a month that is named in full or by its first letters; 0 for other words."""
    return next(
        (number for number, name in enumerate(names, 1) if len(word) >= 3 and name.startswith(word)), 0
    )


def _past_day(numbers: list[int], today: date, end: int) -> tuple[str, int] | None:
    day, month, year = numbers if numbers[0] <= 31 else reversed(numbers)
    if year < 100:
        year += FIRST_YEAR + (100 if FIRST_YEAR + 100 + year <= today.year else 0)
    try:
        value = date(year, month, day)
    except ValueError:
        return None
    return (value.isoformat(), end) if year >= FIRST_YEAR and value <= today else None
