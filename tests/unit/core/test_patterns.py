import time

import pytest

from vivavoce.core.errors import InputError
from vivavoce.core.patterns import search


def test_a_pattern_that_would_search_for_ages_is_refused_in_a_moment() -> None:
    began = time.monotonic()
    with pytest.raises(InputError, match=r"\(a\|aa\)"):
        search("^(a|aa)+$", "a" * 60 + "b")
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(("pattern", "text", "found"), [("sì$", "Sì", True), (r"\bè\b", "caffè", False)])
def test_letters_with_accents_are_letters(pattern: str, text: str, found: bool) -> None:
    assert (search(pattern, text, ignore_case=True) is not None) is found
