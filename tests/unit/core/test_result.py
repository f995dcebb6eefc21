"""How a result becomes JSON: fields in their order, what is missing null or left out, entries spread."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import pytest

from vivavoce.core.result import as_json, spread, unless_none, widened


class Limits(NamedTuple):
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PluralCount:
    n: int
    interval: Limits | None = None
    method: str | None = unless_none()


@dataclass(frozen=True, slots=True, kw_only=True)
class Named(PluralCount):
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    study: str
    rates: Mapping[str, PluralCount] = spread()
    whole: PluralCount = spread()
    groups: tuple[Named, ...] = ()


def test_fields_stand_in_their_order_and_what_is_missing_is_null_or_left_out() -> None:
    assert list(as_json(PluralCount(n=0)).items()) == [("n", 0), ("interval", None)]
    found = as_json(PluralCount(n=0, method="wilson", interval=Limits(0.1, 0.5)))
    assert json.dumps(found) == '{"n": 0, "interval": [0.1, 0.5], "method": "wilson"}'


def test_entries_that_are_spread_stand_among_the_other_fields() -> None:
    found = Groups(
        study="s", rates={"success": PluralCount(n=2)}, whole=PluralCount(n=3), groups=(Named(n=1, name="a"),)
    )
    assert as_json(found) == {
        "study": "s",
        "success": {"n": 2, "interval": None},
        "n": 3,
        "interval": None,
        "groups": [{"n": 1, "interval": None, "name": "a"}],
    }


def test_numbers_that_are_keys_are_text_as_in_json() -> None:
    assert as_json({1: (PluralCount(n=1),), "a": None}) == {"1": [{"n": 1, "interval": None}], "a": None}


def test_a_wider_result_needs_all_its_fields() -> None:
    assert widened(Named, PluralCount(n=4, method="t"), name="a") == Named(n=4, method="t", name="a")
    with pytest.raises(TypeError, match="name"):
        widened(Named, PluralCount(n=4))
