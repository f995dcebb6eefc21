"""Golden substitutions on real utterances, decided by a linguist; the corpora stand beside the checkout."""

import re
from functools import cache
from pathlib import Path

import pytest

from scenes.stress_corpora import utterances
from vivavoce.core.yaml_source import read_yaml
from vivavoce_stress.base import Utterance
from vivavoce_stress.propose import propose

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
LANGUAGES = ("it", "en")
TESTS = [f"ST-{number}" for number in range(1, 12)]


@cache
def rows(language: str) -> dict[str, list[list[str]]]:
    source = read_yaml(GOLDEN / f"stress-{language}.yaml")
    assert source.problems == []
    return source.data


@pytest.mark.shared
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("test", TESTS)
def test_every_golden_substitution_is_among_the_proposals(test: str, language: str, shared: Path) -> None:
    corpus = utterances(language, shared)
    missed = []
    for name, before, after, *previous in rows(language)[test]:
        said, turn = corpus[name]
        (place,) = [one.start() for one in re.finditer(rf"(?<![\w'’]){re.escape(before)}(?!\w)", said)]
        expected = said[:place] + after + said[place + len(before) :]
        utterance = Utterance(text=said, language=language, previous=previous[0] if previous else turn)
        if expected not in [one.text for one in propose(utterance, [test], certainty=0).variants]:
            missed.append((name, before, after))
    assert missed == []


def test_there_are_at_least_twenty_golden_substitutions_a_test() -> None:
    for language in LANGUAGES:
        assert {test: len(found) for test, found in rows(language).items() if len(found) < 20} == {}
        assert sorted(rows(language)) == sorted(TESTS)
