"""Channel noise: as much as asked for, the truth often in second place, and worth weighing."""

from pathlib import Path
from random import Random

import pytest

import vivavoce.study
from vivavoce.core.alignment import align
from vivavoce.core.errors import InputError
from vivavoce.core.text import words
from vivavoce.log.events import LoggedAct
from vivavoce.simulation.agenda_user import Caller
from vivavoce.simulation.asr_channel import ASRChannel
from vivavoce.simulation.user_profile import Population
from vivavoce.study.ontology import load_ontology
from vivavoce.study.task import Task
from vivavoce_bots.engine.search_bot import TOWN, SearchBot

DOMAIN = Path(vivavoce.study.__file__).parent / "domains" / "restaurants.yaml"
ONTOLOGY = load_ontology(DOMAIN)
SAID = [
    "I am looking for a restaurant in the north of the city that serves Chinese food",
    "what is the phone number and the address",
    "in the cheap price range please",
    "thank you goodbye",
]


def test_the_first_hypothesis_has_about_the_error_rate_asked_for() -> None:
    for language in ["en", "it"]:
        for rate in [0.1, 0.3, 0.5]:
            channel, random = ASRChannel(ONTOLOGY, language, rate), Random(5)
            errors = reference = 0
            for number in range(1500):
                said = SAID[number % len(SAID)]
                counts = align(words(said), words(channel.hear(said, random)[0].text))
                errors, reference = errors + counts.errors, reference + counts.reference_count
            assert abs(errors / reference - rate) < 0.05


def test_lists_are_ranked_distinct_and_add_up_to_one() -> None:
    channel, random = ASRChannel(ONTOLOGY, "en", 0.4), Random(1)
    for number in range(300):
        heard = channel.hear(SAID[number % len(SAID)], random)
        scores = [one.score or 0 for one in heard]
        assert scores == sorted(scores, reverse=True)
        assert sum(scores) == pytest.approx(1, abs=0.001)
        assert len({one.text for one in heard}) == len(heard) <= 5


def test_a_missed_value_is_often_further_down_the_list() -> None:
    channel, random = ASRChannel(ONTOLOGY, "en", 0.4), Random(2)
    missed = found = 0
    for _ in range(1000):
        heard = channel.hear("something Chinese please", random)
        if "chinese" not in words(heard[0].text):
            missed += 1
            found += any("chinese" in words(one.text) for one in heard[1:])
    assert missed > 100
    assert 0.4 < found / missed < 0.9


def test_the_same_seed_gives_the_same_noise_and_no_noise_gives_the_text() -> None:
    channel = ASRChannel(ONTOLOGY, "en", 0.5)
    assert channel.hear(SAID[0], Random(3)) == channel.hear(SAID[0], Random(3))
    (heard,) = ASRChannel(ONTOLOGY, "en", 0).hear(SAID[0], Random(3))
    assert (heard.text, heard.score) == (SAID[0], 1.0)
    assert channel.hear("", Random(3)) == ()


def test_an_impossible_rate_is_refused() -> None:
    with pytest.raises(InputError, match="a number from 0 to"):
        ASRChannel(ONTOLOGY, "en", 1.5)


def goals_met(variant: str, rate: float, dialogues: int, domain: Path = DOMAIN) -> int:
    """How many simulated callers reach their goal with a variant of the restaurant bot, in this process."""
    ontology = load_ontology(domain)
    bot, channel, population = (
        SearchBot("restaurant", variant, domain=domain),
        ASRChannel(ontology, "en", rate),
        Population(11),
    )
    met = 0
    for number in range(dialogues):
        random = population.random(number, "dialogue")
        venue = random.choice(ontology.venues)
        slots = random.sample(ontology.constraint_slots(venue.type), 2)
        task = Task(
            task_id=str(number),
            type=venue.type,
            constraints={slot: venue.slots[slot] for slot in slots},
            requests=("phone", "address"),
            text={},
        )
        caller = Caller(task, ontology, population.traits(number), "en", random)
        session = bot.session(str(number))
        reply = bot.greet(session)
        for _ in range(60):
            acts = [LoggedAct(act=act.act, slot=act.slot, value=act.value, op=act.op) for act in reply.acts]
            utterance = caller.reply(acts, reply.text)
            if utterance.hangs_up:
                break
            heard = channel.hear(utterance.text, random)
            reply = bot.reply(session, [(one.text, one.score) for one in heard])
        met += caller.judge().met
    return met


@pytest.mark.long
@pytest.mark.parametrize("domain", [DOMAIN, TOWN], ids=["city", "town"])
def test_weighing_hypotheses_is_better_than_believing_the_first_and_noise_hurts_both(domain: Path) -> None:
    quiet, noisy = 0.1, 0.45
    nbest, onebest = goals_met("nbest", noisy, 600, domain), goals_met("onebest", noisy, 600, domain)
    assert nbest >= onebest + 20
    assert goals_met("nbest", quiet, 100, domain) > 100 * nbest / 600 + 10
    assert goals_met("onebest", quiet, 100, domain) > 100 * onebest / 600 + 10
