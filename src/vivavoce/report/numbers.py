"""How numbers are written for people. Missing is an en dash, never 0."""

from datetime import datetime
from typing import Any, Final

MISSING: Final = "–"


def percent(ratio: float | None) -> str:
    """A ratio as a percentage with one decimal, such as 84.6%."""
    return MISSING if ratio is None else f"{100 * ratio:.1f}%"


def span(low: float | None, high: float | None) -> str:
    """The limits of a ratio's interval in percent, such as 79.5 to 88.6."""
    return MISSING if low is None or high is None else f"{_signed(100 * low)} to {_signed(100 * high)}"


def points(difference: float | None) -> str:
    """A difference of two ratios in percentage points, with its sign."""
    return MISSING if difference is None else _signed(100 * difference, plus=True)


def p_value(p: float | None) -> str:
    """Three decimals without the leading zero; smaller ones as a bound."""
    if p is None:
        return MISSING
    if p < 0.001:
        return "< .001"
    return "1" if p > 0.9995 else f"{p:.3f}".removeprefix("0")


def z_value(z: float | None) -> str:
    return MISSING if z is None else _signed(z, decimals=2)


def amount(value: float | None, unit: str) -> str:
    """A measure's value in its unit: percent for ratios, else up to three significant decimals."""
    if value is None:
        return MISSING
    if unit == "ratio":
        return percent(value)
    decimals = 1 if abs(value) >= 10 else 2
    return f"{_signed(value, decimals=decimals)}{' ' + unit if unit in ('s', 'ms') else ''}"


def count(n: float | None) -> str:
    """A whole number with thin spaces between thousands."""
    return MISSING if n is None else f"{round(n):,}".replace(",", "\u202f")


def plural(n: int, noun: str, several: str | None = None) -> str:
    """`1 dialogue`, `240 dialogues`."""
    return f"{count(n)} {noun if n == 1 else several or noun + 's'}"


def instant(at: datetime | None) -> str:
    """A day in UTC, such as 3 March 2026."""
    return MISSING if at is None else f"{at.day}\u00a0{at:%B}\u00a0{at.year}"


def label(key: Any) -> str:
    """A group's key as people read it."""
    return "unknown" if key is None else str(key)


def _signed(value: float, *, decimals: int = 1, plus: bool = False) -> str:
    text = f"{abs(value):.{decimals}f}"
    if float(text) == 0:
        return text
    return ("\u2212" if value < 0 else "+" if plus else "") + text
