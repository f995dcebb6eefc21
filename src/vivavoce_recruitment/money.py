"""Money as it is written (`2.00 GBP`), counted in minor units, and never a binary fraction."""

import re
from decimal import Decimal
from typing import Annotated, Any, Final, NamedTuple

from babel.numbers import get_currency_precision
from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from vivavoce.core.validation import mistake, shown_value

_WRITTEN: Final = re.compile(r"(\d{1,7}(?:\.\d{1,3})?) ?([A-Z]{3})")
CREDITS: Final = "credits"
"""Students' credit in place of a currency, counted in hundredths."""
HINT: Final = "write an amount with its currency, such as 2.00 GBP"


class Money(NamedTuple):
    """An amount in the smallest unit of its currency: pence, cents, or whole yen."""

    minor: int
    currency: str
    written_as = "amount of money"

    @property
    def major(self) -> Decimal:
        """The amount in pounds, euros, ...: with as many places as the currency has."""
        return Decimal(self.minor).scaleb(-get_currency_precision(self.currency))

    def __str__(self) -> str:
        return f"{self.major:f} {self.currency}"


def read_money(written: Any) -> Money:
    """Raises  PydanticCustomError: it is no amount, or has more places than its currency"""
    match = _WRITTEN.fullmatch(written.strip()) if isinstance(written, str) else None
    if isinstance(written, Money):
        return written
    if match is None:
        raise mistake(f"{shown_value(written)} is not an amount of money", HINT)
    minor = Decimal(match[1]).scaleb(get_currency_precision(match[2]))
    if minor != minor.to_integral_value():
        raise mistake(f"{written!r} is more precise than the smallest unit of {match[2]}", HINT)
    return Money(int(minor), match[2])


Amount = Annotated[
    Money, PlainValidator(read_money), PlainSerializer(str), WithJsonSchema({"type": "string"})
]
"""Amount of money in a settings file."""
