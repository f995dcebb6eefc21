"""Training against simulated callers: dialogues are held, rewarded, reproducible, and of use."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import vivavoce.study
from vivavoce.connectors.factory import make_connector
from vivavoce.core.errors import InputError
from vivavoce.simulation.training import Practice, Practising, Reward, train, trainable
from vivavoce.study.file import Tasks
from vivavoce.study.ontology import load_ontology
from vivavoce.study.tasks import generate_tasks

DOMAIN = Path(vivavoce.study.__file__).parent / "domains" / "restaurants.yaml"
ONTOLOGY = load_ontology(DOMAIN)
TASKS = generate_tasks(ONTOLOGY, Tasks(generate=60, seed=7), ("en",))
SETTINGS = {
    "connect": "python",
    "in_process": True,
    "greeting": True,
    "call": "vivavoce_bots.learning:LEARNER.answer",
}


class Pupil:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, float]] = []

    def learn(self, conversation: str, reward: float) -> None:
        self.told.append((conversation, reward))

    def learnt(self) -> Any:
        return len(self.told)


@pytest.fixture(autouse=True)
def domain(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("VIVAVOCE_BOT_DOMAIN", str(DOMAIN))
    yield


def practise(variant: str, rates: list[float], dialogues: int) -> tuple[list[Practice], Pupil]:
    connector = make_connector({**SETTINGS, "call": f"vivavoce_bots.calling:restaurant_{variant}"})
    pupil = Pupil()
    return train(Practising(ONTOLOGY, TASKS, "en", rates, 4), connector, pupil, dialogues), pupil


def test_every_dialogue_is_rewarded_once_by_success_turns_and_words() -> None:
    held, pupil = practise("nbest", [0.3], 40)
    assert [key for key, _ in pupil.told] == [f"practice-{number}" for number in range(40)]
    expected = [20 * one.met - one.turns - 0.05 * one.words for one in held]
    assert [reward for _, reward in pupil.told] == pytest.approx(expected)
    assert Reward(success=3, turn=2, word=0).of(True, 4, 50) == -5


def test_the_same_seed_gives_the_same_practice_and_error_rates_take_turns() -> None:
    one, again = practise("nbest", [0.0, 0.6], 60)[0], practise("nbest", [0.0, 0.6], 60)[0]
    assert one == again
    quiet, noisy = one[0::2], one[1::2]
    assert sum(held.met for held in quiet) > sum(held.met for held in noisy) + 5


@pytest.mark.long
def test_the_learnt_generation_reaches_more_goals_than_the_templates_where_it_is_noisy() -> None:
    learnt, template = practise("nbrl", [0.45], 400)[0], practise("nbest", [0.45], 400)[0]
    assert sum(one.met for one in learnt) > sum(one.met for one in template)
    assert sum(one.turns for one in learnt) < sum(one.turns for one in template)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"in_process": False}, "in this process"),
        ({"connect": "http"}, "in this process"),
        ({"call": "vivavoce_bots.calling:restaurant_nbest"}, "does not support training"),
    ],
)
def test_a_bot_that_cannot_be_trained_is_refused_with_the_reason(changes: dict[str, Any], words: str) -> None:
    assert trainable(SETTINGS, "learner").learnt() is not None
    with pytest.raises(InputError, match=words):
        trainable({**SETTINGS, **changes}, "learner")


def test_practice_without_tasks_is_refused() -> None:
    with pytest.raises(InputError, match="needs tasks"):
        Practising(ONTOLOGY, (), "en", [0.1], 1)
