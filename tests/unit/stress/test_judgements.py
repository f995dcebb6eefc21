"""The quality page says what the judgements say, and the operators still make what was judged valid."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from scenes.stress_corpora import telephone_and_chat, utterances
from vivavoce_stress.base import Utterance
from vivavoce_stress.idial_tests import CERTAIN
from vivavoce_stress.propose import propose

ROOT = Path(__file__).resolve().parents[3]
JUDGED = json.loads((ROOT / "tests/golden/stress-judgements.json").read_text(encoding="utf-8"))["languages"]
SECOND = json.loads((ROOT / "tests/golden/stress-judgements-second.json").read_text(encoding="utf-8"))[
    "languages"
]
PAGE = ROOT / "docs/explanation/stress-test-quality.md"
SPELLING = ("ST-1", "ST-2", "ST-3", "ST-4")
CELLS = [(language, test) for language in ("it", "en") for test in JUDGED[language]["tests"]]


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@pytest.mark.parametrize("language", ["it", "en"])
def test_two_hundred_utterances_were_looked_at_that_no_golden_row_has(language: str) -> None:
    names = JUDGED[language]["utterances"]
    golden = (ROOT / f"tests/golden/stress-{language}.yaml").read_text(encoding="utf-8")
    assert len(names) == len(set(names)) == 200
    assert [name for name in names if f'["{name}"' in golden] == []


def test_thirty_variants_a_cell_were_judged_each_no_with_its_reason() -> None:
    for language, test in CELLS:
        judged = JUDGED[language]["tests"][test]["judged"]
        assert len({row[0] for row in judged}) == len(judged) == 30
        assert [row for row in judged if row[2] == bool(row[3])] == []


def test_the_page_tells_the_judgements() -> None:
    for language, test in CELLS:
        cell: dict[str, Any] = JUDGED[language]["tests"][test]
        valid, count = sum(row[2] for row in cell["judged"]), len(cell["judged"])
        lines = PAGE.read_text(encoding="utf-8").splitlines()
        (line,) = [one for one in lines if re.match(rf"\| {test} [a-z]", one)]
        columns = [one.strip() for one in line.strip("|").split("|")][1:]
        applicable, judged = columns[:2] if language == "it" else columns[2:4]
        assert applicable == f"{cell['applicable'] / 2:g} %"
        assert judged == f"{valid} of {count}"


def test_the_second_set_shares_nothing_with_the_first() -> None:
    for language, tests in SECOND.items():
        for test, cell in tests.items():
            judged = cell["judged"]
            assert len({row[0] for row in judged}) == len(judged) == 30
            assert [row for row in judged if row[2] == bool(row[3])] == []
            first = JUDGED[language]["tests"][test]["judged"]
            assert {row[0] for row in first}.isdisjoint(row[0] for row in judged)


@pytest.mark.shared
@pytest.mark.parametrize("language", [pytest.param("it", marks=pytest.mark.long), "en"])
def test_what_was_judged_valid_is_still_proposed(language: str, shared: Path) -> None:
    corpus = utterances(language, shared) | (telephone_and_chat(shared) if language == "en" else {})
    lost = []
    cells = [*JUDGED[language]["tests"].items(), *SECOND[language].items()]
    for test, cell in cells:
        for name, variant, valid, _, *own_turn in cell["judged"]:
            said, turn = corpus[name]
            turn = own_turn[0] if own_turn else turn
            found = propose(
                Utterance(text=said, language=language, previous=turn or None), [test], certainty=0
            )
            if valid and variant not in [digest(one.text) for one in found.variants]:
                lost.append((test, name))
    assert lost == []


@pytest.mark.long
@pytest.mark.shared
@pytest.mark.parametrize("language", ["it", "en"])
def test_a_test_is_applicable_as_often_as_the_page_says(language: str, shared: Path) -> None:
    corpus = utterances(language, shared)
    counted = dict.fromkeys(JUDGED[language]["tests"], 0)
    for name in JUDGED[language]["utterances"]:
        said, turn = corpus[name]
        for test in counted:  # no Italian answer can point back at the Italian corpus' English turns
            previous = None if (language, test) == ("it", "ST-10") else turn or None
            utterance = Utterance(text=said, language=language, previous=previous)
            certainty = None if test in SPELLING else CERTAIN  # tests of slips withhold nothing
            counted[test] += bool(propose(utterance, [test], limit=1, certainty=certainty).variants)
    assert counted == {test: cell["applicable"] for test, cell in JUDGED[language]["tests"].items()}
