"""What is not certain is no variant, and what does not agree or is rude is none at any certainty."""

from collections.abc import Iterator
from random import Random

import pytest

from vivavoce_stress.base import UNCERTAIN, Edit, LanguagePack, Substitution, Utterance
from vivavoce_stress.propose import propose

DOUBTFUL = [
    ("it", "ST-5", "Orario della segreteria studenti"),
    ("en", "ST-5", "How much water did the tomatoes receive"),
    ("en", "ST-5", "Where is the short stay car park?"),
    ("it", "ST-5", "Sala due"),
]


class Saying:
    """An operator that proposes what it is given."""

    needs: tuple[str, ...] = ()

    def __init__(self, test: str, language: str, found: Substitution) -> None:
        self.test, self.language, self.found = test, language, found

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        yield self.found

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return ""


def test_where_nothing_is_certain_nothing_is_proposed_and_that_is_the_reason() -> None:
    for language, test, said in DOUBTFUL:
        utterance = Utterance(text=said, language=language)
        found = propose(utterance, [test])
        assert found.variants == ()
        assert [one.reason for one in found.not_applicable] == [UNCERTAIN] == ["no candidate was certain"]
        assert found.dropped[UNCERTAIN] > 0
        assert propose(utterance, [test], certainty=0).variants


def test_certainty_asks_for_as_much_confidence_as_it_says() -> None:
    utterance = Utterance(text="Vorrei prenotare una camera per il bambino", language="it")
    every = propose(utterance, ["ST-5"], certainty=0).variants
    some = propose(utterance, ["ST-5"], certainty=0.86).variants
    assert some == tuple(one for one in every if one.confidence >= 0.86)
    assert 0 < len(some) < len(every)


def test_spelling_tests_withhold_nothing() -> None:
    utterance = Utterance(text="Vorrei un tavolo", language="it")
    for test in ("ST-1", "ST-2", "ST-3", "ST-4"):
        assert propose(utterance, [test]).variants == propose(utterance, [test], certainty=0).variants


def test_words_that_do_not_agree_are_dropped_at_any_certainty() -> None:
    for language, said, place, after in [
        ("it", "orari del giorno", (10, 16), "il giorno prima"),
        ("it", "prenotare due posti", (14, 19), "il secondo"),
        ("it", "Dov'è il bagno", (6, 14), "sono i bagni"),
        ("it", "delle mele biologiche", (0, 10), "dei pomi"),
        ("en", "the next train", (9, 14), "the second"),
        ("en", "an apple", (3, 8), "fruit"),
    ]:
        change = Edit(*place, said[slice(*place)], after)
        bad = Saying("ST-7", language, Substitution((change,), "bad", 1.0))
        found = propose(Utterance(text=said, language=language), ["ST-7"], operators=[bad], certainty=0)
        assert "bad" not in [one.rule for one in found.variants]
        assert found.dropped["its words do not agree"] == 1


def test_what_did_not_agree_before_is_not_held_against_a_variant() -> None:
    said = "il edificio di Roma"
    good = Saying("ST-7", "it", Substitution((Edit(15, 19, "Roma", "Parigi"),), "good", 1.0))
    found = propose(Utterance(text=said, language="it"), ["ST-7"], operators=[good])
    assert "il edificio di Parigi" in [one.text for one in found.variants]


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("How much water did the tomatoes receive", "piss"),
        ("Is there any snow on the road", "cocaine"),
        ("Can I take a bottle of water", "piss"),
    ],
)
def test_no_rank_puts_in_a_rude_word_or_a_drug(said: str, word: str) -> None:
    found = propose(Utterance(text=said, language="en"), ["ST-5"], certainty=0)
    assert not any(word in one.text for one in found.variants)
