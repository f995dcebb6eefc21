"""Ways to make variants that hold in any domain, with sentences that each takes and leaves."""

from vivavoce_stress.base import Utterance
from vivavoce_stress.idial_tests import CERTAIN
from vivavoce_stress.propose import propose

MADE = [
    ("ST-11", "en", "Can I return the kayak on Sunday?", "On Sunday, can I return the kayak?"),
    ("ST-11", "en", "I broke a pedal last week", "Last week, I broke a pedal"),
    ("ST-11", "en", "Cancel my rowing lesson on Sunday", None),  # the lesson is on Sunday
    ("ST-11", "en", "Book a canoe on Sunday", None),
    ("ST-11", "en", "What does it cost on Sunday?", None),
    ("ST-11", "it", "Ho rotto un pedale ieri", "Ieri ho rotto un pedale"),
    ("ST-11", "it", "Ieri abbiamo lavato la barca", "Abbiamo lavato ieri la barca"),
    ("ST-9", "en", "Move it to Friday evening", "Move it to the evening of Friday"),
    ("ST-9", "en", "I paid a £40 deposit", "I paid a deposit of £40"),
    ("ST-9", "en", "I need a rocky shore", "I need a shore that is rocky"),
    ("ST-9", "en", "Where is the main gate?", None),
    ("ST-9", "it", "Vengo sabato mattina", "Vengo la mattina di sabato"),
    ("ST-9", "it", "Spostatela a sabato mattina", "Spostatela alla mattina di sabato"),
    ("ST-9", "it", "Avete un cambio automatico?", None),
    ("ST-9", "it", "Cerco una barca grande", "Cerco una grande barca"),
    ("ST-8", "en", "Please send the keys to my aunt", "Please could the keys be sent to my aunt?"),
    ("ST-8", "en", "Change our date, we sail in May.", "Could our date be changed? We sail in May."),
    ("ST-8", "en", "Does the fee include lunch?", None),
    ("ST-8", "it", "Dove si compila il modulo?", "Dove viene compilato il modulo?"),
    ("ST-8", "it", "È possibile noleggiare una canoa?", "Una canoa può essere noleggiata?"),
    ("ST-8", "it", "Bisogna firmare il contratto?", "Il contratto deve essere firmato?"),
    ("ST-8", "it", "Modifica la rotta", "Venga modificata la rotta"),
    ("ST-8", "it", "Potreste stringere la cintura?", None),  # stretta is how it is, too
    ("ST-8", "it", "Ho pagato due volte", None),
    ("ST-6", "en", "Do I have to wear a helmet?", "Am I required to wear a helmet?"),
    ("ST-6", "en", "I've broken an oar", "I have broken an oar"),
    ("ST-6", "en", "Am I allowed to fish here?", "May I fish here?"),
    (
        "ST-6",
        "it",
        "La vela è strappata, chi la può riparare?",
        "La vela è strappata, potrebbe dirmi chi la può riparare?",
    ),
    ("ST-6", "it", "Ciao, c'è ancora la regata?", "Ciao, potrei sapere se c'è ancora la regata?"),
    ("ST-6", "it", "Sarebbe possibile pescare qui?", None),
    ("ST-6", "it", "Sala due", None),
    ("ST-5", "it", "Ho sbagliato una risposta", None),  # ho only helps: no answer is got
]


def test_a_mechanism_makes_its_variant_or_leaves_the_sentence() -> None:
    for test, language, said, first in MADE:
        found = [
            one.text
            for one in propose(Utterance(text=said, language=language), [test], certainty=CERTAIN).variants
        ]
        assert (first in found) if first else not found


def test_the_rest_of_a_sentence_agrees_with_a_rarer_word_or_there_is_none() -> None:
    found = propose(
        Utterance(text="Il mio ordine è stato spedito?", language="it"), ["ST-5"], certainty=CERTAIN
    ).variants
    assert not any("ordinazione è stato" in one.text for one in found)
