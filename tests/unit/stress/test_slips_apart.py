"""A misspelling belongs to one test: what people misspell is no slip of the keyboard, too."""

from pathlib import Path

import pytest

from vivavoce_stress.base import Utterance
from vivavoce_stress.failures import KINDS
from vivavoce_stress.propose import propose

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("language", "text"),
    [("it", "vorrei prenotare un campo da padel"), ("en", "I want to receive a book from my friend")],
)
def test_no_variant_is_one_of_two_spelling_tests(language: str, text: str) -> None:
    for seed in range(10):
        found = propose(Utterance(text=text, language=language), ["ST-2", "ST-3", "ST-4"], seed=seed).variants
        assert len({one.test for one in found}) >= 2
        assert len({one.text for one in found}) == len(found)


def test_the_guide_lists_every_value_of_the_column_instead() -> None:
    guide = (ROOT / "docs/how-to/stress-test-a-bot.md").read_text("utf-8")
    assert [kind for kind in KINDS if f"| `{kind}` | " not in guide] == []
