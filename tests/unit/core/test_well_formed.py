"""Text with half characters becomes text that can be written down, and other text stays as it is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.text import well_formed

HALVES = st.characters(categories=["Cs"])


@pytest.mark.parametrize(
    ("given_", "mended"),
    [
        ("cut \ud83d", "cut \ufffd"),
        ("\ude00 cut", "\ufffd cut"),
        ("\ud83d\ude00", "\U0001f600"),
        ({"\ud800": ["a", ("b\udc00", 1, None)]}, {"\ufffd": ["a", ["b\ufffd", 1, None]]}),
    ],
)
def test_halves_are_joined_or_marked_as_lost(given_: object, mended: object) -> None:
    assert well_formed(given_) == mended


@given(st.text(st.one_of(st.characters(), HALVES)))
def test_what_comes_out_can_always_be_written_down(text: str) -> None:
    mended = well_formed(text)
    mended.encode()
    assert well_formed(mended) == mended


@given(st.recursive(st.text() | st.integers() | st.none(), lambda inner: st.lists(inner)))
def test_what_is_well_formed_stays_as_it_is(value: object) -> None:
    assert json.dumps(well_formed(value)) == json.dumps(value)
