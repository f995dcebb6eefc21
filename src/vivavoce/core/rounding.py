"""Rounding for people's eyes; nothing is ever computed from a rounded figure."""

from decimal import ROUND_HALF_UP, Decimal


def half_up(value: float, digits: int = 2) -> Decimal:
    """The value rounded half away from zero: 81/40 gives 2.03, where `round` gives 2.02.

    Noise of binary fractions beyond the twelfth significant digit is removed first.
    """
    return Decimal(format(value, ".12g")).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)
