"""What strangers to the rules would refuse is not proposed; what stands beside it still is."""

import pytest

from vivavoce_stress.base import UNCERTAIN, Utterance
from vivavoce_stress.idial_tests import CERTAIN
from vivavoce_stress.propose import propose

KEPT = [
    ("ST-5", "en", "What time does the young actors hearing start on Monday?", None),
    ("ST-5", "en", "Who runs the small ads section?", None),
    ("ST-5", "it", "Quanta farina ci vuole?", None),
    ("ST-7", "it", "Il corso comincia domani", None),
    ("ST-7", "it", "per il 12 agosto", None),
    ("ST-7", "en", "the form for the 2nd of May", None),
    ("ST-7", "en", "Can you finish it before Thursday?", None),
    ("ST-7", "en", "A coach to Richmond", None),
    ("ST-7", "en", "A coach to Athens", "A coach to the capital of Greece"),
    ("ST-7", "it", "Per il primo marzo", "Per il primo giorno di marzo"),
    ("ST-8", "it", "Chi deve firmare il modulo?", None),
    ("ST-8", "it", "Posso ritirare il pacco e tornare a casa?", None),
    ("ST-8", "it", "Ho comprato una tenda con due ingressi", None),
    ("ST-8", "it", "Stanotte non avete spento il forno", "Stanotte il forno non è stato spento da voi"),
    ("ST-8", "it", "Puoi spostare la lezione di martedì 6?", "La lezione di martedì 6 può essere spostata?"),
    ("ST-8", "en", "I want to sell my caravan", None),
    ("ST-8", "en", "I need to bring my own towel", None),
    ("ST-8", "en", "I want to renew my permit", "I want my permit to be renewed"),
    ("ST-8", "en", "We've lost our tickets", None),
    ("ST-8", "en", "She recently washed the coat", "The coat was recently washed by her"),
    ("ST-9", "en", "I need the rocky shore", None),
    ("ST-9", "it", "Avete pentole elettriche?", None),
    ("ST-9", "it", "Cerco un idraulico urgente", None),
    ("ST-9", "it", "bollino blu scaduto", None),
    ("ST-9", "it", "Cambiate il manico a una tazza di ceramica?", None),
    ("ST-9", "it", "Cerco un giardino silenzioso", "Cerco un silenzioso giardino"),
    ("ST-11", "it", "Vengo al corso per la patente", None),
    ("ST-11", "it", "Quanto costa il manico a una tazza?", None),
    ("ST-11", "en", "I dropped a fork in the garden", None),
    ("ST-11", "en", "Please shift our lesson to the big hall on Monday", None),
    ("ST-11", "en", "Somebody painted the door of the barn near the old mill", None),
    ("ST-11", "en", "You left two boxes of old books in Leeds", "You left in Leeds two boxes of old books"),
]


def test_only_what_is_certain_is_proposed() -> None:
    for test, language, said, first in KEPT:
        found = propose(Utterance(text=said, language=language), [test], limit=1, certainty=CERTAIN)
        assert [one.text for one in found.variants] == ([first] if first else [])


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("La posso provare?", "la mi sarebbe"),
        ("Lo devo restituire?", "lo avrei"),
        ("Chi devo avvisare?", "chi avrei"),
    ],
)
def test_pronouns_stay_with_their_verb_in_another_register(said: str, wrong: str) -> None:
    found = propose(Utterance(text=said, language="it"), ["ST-6"], certainty=0).variants
    assert found and not any(wrong in one.text.lower() for one in found)


def test_what_is_put_off_says_why_and_is_there_for_who_asks() -> None:
    said = Utterance(text="I need the rocky shore", language="en")
    assert [one.reason for one in propose(said, ["ST-9"]).not_applicable] == [UNCERTAIN]
    assert [one.text for one in propose(said, ["ST-9"], certainty=0).variants] == ["I need the shore rocky"]
