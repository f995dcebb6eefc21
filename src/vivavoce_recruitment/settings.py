"""Settings that recruiters share: secrets by name only, bonuses, and the address of an interface."""

import os
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, Field

from vivavoce.connectors.secrets import Vault
from vivavoce.core.secrets import REFERENCE
from vivavoce.core.validation import mistake
from vivavoce.study.settings import Settings, Whole
from vivavoce_recruitment.money import Amount, Money

BY_DIALOGUE: Final = "dialogues"
"""Ledger name of pay for each dialogue."""
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,40}")
_ADDRESS: Final = re.compile(
    r"https://[^\s/?#]+(/[^\s?#]*)?|http://(127\.0\.0\.1|localhost)(:\d+)?(/[^\s?#]*)?"
)


def _secret_name(written: str) -> str:
    if REFERENCE.fullmatch(written) is None:
        raise mistake("the file contains a secret", "write ${NAME} and set the environment variable NAME")
    return written


def _address(written: str) -> str:
    if _ADDRESS.fullmatch(written) is None:
        raise mistake(f"{written!r} is not an https address", "write https://HOST")
    return written.rstrip("/")


SecretName = Annotated[str, AfterValidator(_secret_name)]
"""Secret in a study file, written as `${NAME}`."""
HttpsAddress = Annotated[str, AfterValidator(_address)]
"""Address with https; http only for tests on this computer."""


def read_decimal(written: Any) -> Decimal:
    """A number of a study file, without a binary fraction. Raises PydanticCustomError."""
    if isinstance(written, Decimal):
        return written
    if isinstance(written, bool) or not isinstance(written, int | float):
        raise mistake(f"{written!r} is not a number", "write a number, such as 33.3")
    return Decimal(str(written))


def read_percent(written: Any) -> Decimal | None:
    """A percentage of a study file; None where it is left out. Raises PydanticCustomError."""
    return None if written is None else read_decimal(written)


def secret(written: str) -> str:
    """The secret that a setting names. Raises InputError: the environment lacks it."""
    return Vault.of(written, os.environ).expand(written)


class Bonus(Settings):
    """A bonus for reaching a number of dialogues that count."""

    name: str = Field(description="name in the ledger: small letters, digits, dashes")
    dialogues: Whole = Field(
        ge=1, le=10_000, description="completed dialogues of the visit required for the bonus"
    )
    pay: Amount = Field(description="amount, such as 0.50 GBP")

    def model_post_init(self, _: Any) -> None:
        if _NAME.fullmatch(self.name) is None:
            raise mistake(f"invalid bonus name {self.name!r}", "use small letters, digits and dashes")


class DialoguePay(Settings):
    """Pay for each dialogue that was completed, beside the reward."""

    pay: Amount = Field(description="pay per dialogue, such as 0.25 GBP")
    max_dialogues: Whole = Field(
        ge=1, le=10_000, description="maximum number of paid dialogues per participant"
    )


class CallCost(Settings):
    """What telephone minutes cost."""

    per_minute: Annotated[Decimal, BeforeValidator(read_decimal)] = Field(
        gt=0, le=100, description="price per minute in the currency of the reward, such as 0.013"
    )
    minutes: Annotated[Decimal, BeforeValidator(read_decimal)] = Field(
        gt=0, le=1440, description="maximum telephone minutes per participant"
    )


def same_currency(reward: Money, bonuses: Sequence[Bonus], *others: Money | None) -> None:
    """Raises  PydanticCustomError: not everything is paid in one currency, or two bonuses have one name"""
    besides = [bonus.pay for bonus in bonuses] + [money for money in others if money is not None]
    if foreign := {pay.currency for pay in besides} - {reward.currency}:
        problem = f"the payments use {', '.join(sorted(foreign))}, the reward uses {reward.currency}"
        raise mistake(problem, "use one currency")
    names = [BY_DIALOGUE, *(bonus.name for bonus in bonuses)]
    if len(set(names)) < len(names):
        problem = f"two bonuses share a name, or one uses the reserved name {BY_DIALOGUE}"
        raise mistake(problem, "give each bonus its own name")
