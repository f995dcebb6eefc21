"""IDIAL's own examples, section 4.2, each produced by its operator, by rule."""

from pathlib import Path

import vivavoce_stress as stress
from vivavoce_stress.base import Utterance
from vivavoce_stress.propose import propose

EXAMPLES = [
    ("ST-1", "en", "Is the museum near there?", "", "Is the museum near their?"),
    ("ST-1", "it", "Il bar a fianco è aperto", "", "Il bar affianco è aperto"),
    ("ST-1", "it", "Si siede affianco a me", "", "Si siede a fianco a me"),
    ("ST-2", "en", "I need accommodation", "", "I need acommodation"),
    ("ST-3", "en", "I don't know", "", "I dont know"),
    ("ST-3", "it", "Ne vorrei un po'", "", "Ne vorrei un po"),
    ("ST-3", "it", "Lui dà il voto", "", "Lui da il voto"),
    ("ST-4", "it", "L'ho trovato casualmente", "", "L'ho trovato casuamlente"),
    ("ST-4", "en", "I therefore decline", "", "I therefroe decline"),
    ("ST-5", "en", "They sold their home", "", "They sold their habitation"),
    ("ST-6", "it", "Buongiorno, vorrei mangiare in un ristorante indiano", "", "C'è un posto indiano"),
    ("ST-6", "it", "Cerco un ristorante indiano", "", "Cerco un posto indiano"),
    ("ST-7", "en", "A flight to Rome, please", "", "A flight to the capital of Italy, please"),
    ("ST-7", "it", "Un volo per Roma", "", "Un volo per la capitale dell'Italia"),
    (
        "ST-8",
        "en",
        "I would like to block the credit card",
        "",
        "I would like the credit card to be blocked",
    ),
    (
        "ST-8",
        "en",
        "I would like to block the credit card",
        "",
        "I would like that the credit card is blocked",
    ),
    (
        "ST-8",
        "it",
        "Vorrei bloccare la carta di credito",
        "",
        "Vorrei che la carta di credito fosse bloccata",
    ),
    ("ST-9", "it", "Ho mangiato un piatto di pasta", "", "Ho mangiato pasta un piatto"),
    ("ST-10", "en", "Milan", "Did you say Rome or Milan?", "The second"),
    ("ST-10", "it", "Milano", "Hai detto Roma o Milano?", "La seconda"),
    (
        "ST-11",
        "en",
        "I would like to buy a ticket to Milan for tomorrow",
        "",
        "I would like to buy a ticket for tomorrow to Milan",
    ),
    (
        "ST-11",
        "it",
        "Vorrei comprare un biglietto per Milano per domani",
        "",
        "Vorrei comprare un biglietto per domani per Milano",
    ),
]
# The same phenomena in other words: what a list of the paper's own sentences could not do.
ALIKE = [
    ("ST-2", "en", "It is a different address", "", "It is a diferent address"),
    ("ST-4", "it", "probabilmente sì", "", "probabilmnete sì"),
    ("ST-7", "en", "Trains from Paris", "", "Trains from the capital of France"),
    ("ST-7", "it", "Un treno da Parigi", "", "Un treno dalla capitale della Francia"),
    ("ST-8", "en", "I want to change my bookings", "", "I want my bookings to be changed"),
    ("ST-8", "it", "Voglio chiudere i conti", "", "Voglio che i conti siano chiusi"),
    ("ST-8", "it", "Vorrei aprire una pratica", "", "Vorrei che una pratica fosse aperta"),
    ("ST-9", "it", "Prendo due bicchieri di vino", "", "Prendo vino due bicchieri"),
    ("ST-9", "en", "I want a glass of wine", "", "I want wine a glass"),
    ("ST-10", "it", "Il treno delle nove", "Il treno delle otto o il treno delle nove?", "Il secondo"),
    ("ST-10", "en", "Chinese, please", "Italian, Chinese or Thai food?", "The second, please"),
    (
        "ST-11",
        "it",
        "Prenota una camera per Anna per sabato",
        "",
        "Prenota una camera per sabato per Anna",
    ),
]


def test_the_operator_produces_the_example_at_some_rank() -> None:
    for test, language, said, previous, expected in EXAMPLES + ALIKE:
        utterance = Utterance(text=said, language=language, previous=previous or None)
        assert expected in [one.text for one in propose(utterance, [test], certainty=0).variants]


# The paper's words in sentences of other words, and its sentences with other words. An entry for one of its
# own sentences could produce none of them.
OTHER_WORDS = [
    ("ST-1", "en", "Put it over there tonight", "", "Put it over their tonight"),
    ("ST-1", "en", "It was their idea", "", "It was there idea"),
    ("ST-1", "it", "Dormo a fianco del porto", "", "Dormo affianco del porto"),
    ("ST-2", "en", "Cheap accommodation with a view", "", "Cheap acommodation with a view"),
    ("ST-2", "en", "I was embarrassed", "", "I was embarassed"),
    ("ST-3", "en", "They don't open on Sundays", "", "They dont open on Sundays"),
    ("ST-3", "en", "She can't come", "", "She cant come"),
    ("ST-3", "it", "Aspetto un po' qui", "", "Aspetto un po qui"),
    ("ST-3", "it", "Chi dà le carte", "", "Chi da le carte"),
    ("ST-3", "it", "Torno lunedì", "", "Torno lunedi"),
    ("ST-4", "it", "Passavo casualmente di lì", "", "Passavo casuamlente di lì"),
    ("ST-4", "en", "We therefore need two rooms", "", "We therefroe need two rooms"),
    ("ST-5", "en", "Her home is warm", "", "Her habitation is warm"),
    ("ST-5", "en", "a small house by the lake", "", "a small dwelling by the lake"),
    ("ST-6", "it", "Salve, vorrei cenare in un ristorante cinese", "", "C'è un posto cinese"),
    ("ST-6", "it", "Conosce un ristorante greco?", "", "Conosce un posto greco?"),
    ("ST-7", "en", "What is the weather in Rome?", "", "What is the weather in the capital of Italy?"),
    ("ST-7", "en", "A hotel in Madrid", "", "A hotel in the capital of Spain"),
    ("ST-7", "it", "Un albergo a Madrid", "", "Un albergo nella capitale della Spagna"),
    (
        "ST-8",
        "en",
        "I would like to renew the subscription",
        "",
        "I would like that the subscription is renewed",
    ),
    (
        "ST-8",
        "it",
        "Vorrei annullare gli abbonamenti",
        "",
        "Vorrei che gli abbonamenti fossero annullati",
    ),
    ("ST-9", "it", "Vorrei una tazza di tè", "", "Vorrei tè una tazza"),
    ("ST-10", "en", "Turin", "Would you rather leave from Turin or from Genoa?", "The first"),
    ("ST-10", "it", "La carta", "Vuole bloccare il conto o la carta?", "La seconda"),
    ("ST-11", "en", "I need a room for Anna for Saturday", "", "I need a room for Saturday for Anna"),
    (
        "ST-11",
        "it",
        "Devo spedire un pacco a Torino per lunedì",
        "",
        "Devo spedire un pacco per lunedì a Torino",
    ),
]


def test_the_phenomenon_is_found_among_other_words() -> None:
    for test, language, said, previous, expected in OTHER_WORDS:
        utterance = Utterance(text=said, language=language, previous=previous or None)
        assert expected in [one.text for one in propose(utterance, [test], certainty=0).variants]


def test_no_data_file_holds_a_sentence_of_the_paper() -> None:
    """Rows of single words are data; a sentence, or what becomes of it, would be an answer by heart."""
    files = [one for one in Path(stress.__file__).parent.rglob("*.*") if one.suffix in (".yaml", ".py")]
    written = "\n".join(one.read_text(encoding="utf-8").lower() for one in files)
    for _, _, said, _, expected in EXAMPLES:
        for text in (said, expected):
            assert len(text.split()) < 3 or text.lower().rstrip("?") not in written, text
