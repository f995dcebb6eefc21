"""A short run of `python -m benchmarks bots`: nothing crashes a bot; callers with valid answers get on."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from benchmarks._bot_inputs import ADVERSARIAL, LANGUAGES, adversarial, callers
from benchmarks._bot_walks import MOST_IN_VAIN, walk, walks
from benchmarks.bots import attack, bombard

from vivavoce_bots.acts import Act, Reply
from vivavoce_bots.bot import Texts
from vivavoce_bots.catalogue import BOTS

MADE = {name: [entry.make(variant, 1, None) for variant in entry.variants] for name, entry in BOTS.items()}


@pytest.mark.parametrize("name", sorted(BOTS))
def test_a_bot_survives_random_and_adversarial_inputs(name: str) -> None:
    assert bombard(MADE[name], name, 50).failures == []
    assert attack(MADE[name], name, 40).failures == []


@pytest.mark.parametrize("name", sorted(callers()))
def test_random_walks_come_to_no_dead_end_and_to_something(name: str) -> None:
    found = walks(MADE[name], name, 60 if name == "boris" else 20)
    assert found["dead_ends"] == 0, found["first_dead_end"]
    assert found["came_to_nothing"] == 0, found["first_that_came_to_nothing"]


class Deaf:
    """A bot that asks the same for ever."""

    name = "deaf"

    def session(self, conversation: str, language: str = "en") -> None:
        return None

    def greet(self, session: None) -> Reply:
        return Reply("What day?", (Act("request", "day"),), (), False)

    def reply(self, session: None, texts: Texts) -> Reply:
        return self.greet(session)


def test_a_bot_that_asks_the_same_for_ever_is_a_dead_end() -> None:
    found = [walk(Deaf(), "boris", language, seed) for language in LANGUAGES for seed in range(10)]
    assert all(not one.reached for one in found)
    assert sum(one.dead_end for one in found) >= 18
    assert max(one.in_vain for one in found) == MOST_IN_VAIN + 1


def test_adversarial_inputs_are_of_every_kind_and_the_same_for_the_same_seed() -> None:
    said = list(adversarial("boris", 400, seed=3))
    assert {kind for kind, *_ in said} == set(ADVERSARIAL)
    assert sum(len(texts) for *_, texts in said) == 400
    assert {language for _, language, _ in said} == set(LANGUAGES)
    assert said == list(adversarial("boris", 400, seed=3))
    assert any(len(texts) == 30 and len(set(texts)) == 1 for *_, texts in said)


def test_callers_of_every_bot_have_answers_in_both_languages_to_the_same_questions() -> None:
    for name, by in callers().items():
        assert name in BOTS
        assert by["en"].keys() == by["it"].keys()
        assert all(phrase.strip() for answers in by.values() for said in answers.values() for phrase in said)
