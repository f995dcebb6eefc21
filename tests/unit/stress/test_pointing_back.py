"""Italian answers that point back: what stands around the alternative goes with it, or nothing comes."""

import pytest

from vivavoce_stress.base import Utterance
from vivavoce_stress.idial_tests import CERTAIN
from vivavoce_stress.propose import propose


def first(said: str, offer: str, test: str = "ST-10") -> str | None:
    found = propose(Utterance(text=said, language="it", previous=offer), [test], certainty=CERTAIN).variants
    return found[0].text if found else None


@pytest.mark.parametrize(
    ("offer", "said", "expected"),
    [
        ("Vuole la data o il codice di conferma?", "Mi dia il codice di conferma", "Mi dia il secondo"),
        ("Le serve il saldo o la scadenza?", "Vorrei sapere la mia scadenza", "Vorrei sapere la seconda"),
        ("Vuole anche il saldo o il massimale?", "Sì, anche il saldo", "Sì, anche il primo"),
        ("Che cosa desidera, la carta o il conto?", "Parliamo della carta", "Parliamo della prima"),
        ("Parla del suo conto o della sua carta?", "Parlo del mio conto", "Parlo del primo"),
    ],
)
def test_possessives_complements_and_the_question_itself_are_no_alternatives(
    offer: str, said: str, expected: str
) -> None:
    assert first(said, offer) == expected


def test_nobody_points_back_with_a_bare_preposition_of_place() -> None:
    assert first("Cerco casa a nord", "A nord o a sud?") is None
    assert first("Vado a Milano", "Va a Roma o a Milano?") == "Vado alla seconda"


def test_a_set_phrase_keeps_its_order() -> None:
    assert first("Una stanza a buon mercato", "", "ST-9") is None
    assert first("Una buona stanza", "", "ST-9") == "Una stanza buona"


def test_an_english_first_name_gives_way_to_a_pronoun_where_that_is_certain() -> None:
    for offer, said, expected in [
        ("Shall I send it to Anna or to Peter?", "Send it to Anna", "Send it to her"),
        ("Is it for Anna or Peter?", "A ticket for Peter please", "A ticket for him please"),
        ("Paul and Anna work here.", "Does Paul work on Monday?", "Does he work on Monday?"),
        ("Mr Smith is our doctor.", "Is Mr Smith free?", "Is he free?"),
        ("Anna or Emma?", "Send it to Anna", None),  # two of one gender
        ("Anna Smith or John?", "Send it to Anna Smith", None),  # part of a name
        ("Robin or Peter?", "Send it to Robin", None),  # of either gender
        ("Anna or Paul?", "Paul works there", None),  # not certain which form
    ]:
        found = propose(
            Utterance(text=said, language="en", previous=offer), ["ST-7"], certainty=CERTAIN
        ).variants
        told = [one.text for one in found if one.rule == "a pronoun for somebody named before"]
        assert told == ([expected] if expected else [])


def test_a_feast_that_is_part_of_a_longer_name_stays() -> None:
    assert (
        propose(
            Utterance(text="Are you open on Christmas Day?", language="en"), ["ST-7"], certainty=CERTAIN
        ).variants
        == ()
    )
