"""What a hostile linguist found: utterances of many subjects, and what may and may not be made of them."""

from vivavoce_stress.base import STRESS_TESTS, Utterance
from vivavoce_stress.propose import propose


def made(test: str, language: str, said: str, previous: str | None = None) -> list[str]:
    return [
        one.text
        for one in propose(
            Utterance(text=said, language=language, previous=previous), [test], certainty=0
        ).variants
    ]


# Expected by a linguist from the language, before any output was looked at.
RIGHT = [
    ("ST-5", "it", "Devo disdire tutti i pagamenti", "Devo disdire tutte le liquidazioni"),
    ("ST-5", "it", "Dov'è la mia valigia?", "Dov'è il mio bagaglio?"),
    ("ST-5", "it", "La connessione internet è lentissima", "Il collegamento internet è lentissimo"),
    ("ST-5", "it", "Le mie due mogli", "Le mie due consorti"),
    ("ST-5", "it", "Guarda la mappa", "Osserva la mappa"),
    ("ST-5", "en", "She bought two mice", "She purchased two mice"),
    ("ST-6", "en", "I WANT TO SPEAK TO AN AGENT", "I WANNA SPEAK TO AN AGENT"),
    ("ST-6", "it", "VORREI PARLARE CON UN OPERATORE", "VOGLIO PARLARE CON UN OPERATORE"),
    ("ST-4", "en", "I WANT TO SPEAK TO AN AGENT", "I WANT TO SEPAK TO AN AGENT"),
    ("ST-8", "it", "Ho perso la valigia blu", "La valigia blu è stata persa da me"),
    ("ST-8", "it", "Puoi mandarmi due pizze margherita?", "Due pizze margherita mi possono essere mandate?"),
    ("ST-8", "it", "Devo fotografare il documento", "Il documento deve essere fotografato"),
    ("ST-8", "it", "Voglio disdire il contratto", "Voglio che il contratto sia disdetto"),
    ("ST-8", "en", "I lost my blue suitcase", "My blue suitcase was lost by me"),
    (
        "ST-11",
        "it",
        "Devo rinviare la visita dal cardiologo a martedì prossimo",
        "Devo rinviare la visita a martedì prossimo dal cardiologo",
    ),
    ("ST-7", "it", "Un treno per Bologna", "Un treno per il capoluogo dell'Emilia Romagna"),
]
WRONG = [
    ("ST-5", "it", "Devo disdire tutti i pagamenti", "tutti le"),
    ("ST-5", "it", "Dov'è la mia valigia?", "mia bagaglio"),
    ("ST-5", "it", "Mi chiamo Giovanni", "contatto"),
    ("ST-5", "it", "Blocca la mia carta di credito", "foglio"),
    ("ST-5", "it", "Qual è il saldo del mio conto corrente?", "banale"),
    ("ST-5", "it", "Due pizze per favore", "noios"),
    ("ST-5", "it", "Guarda il sito e rispondi a Mario", "replichi"),
    ("ST-5", "en", "Which documents do I need to open an account?", "require"),
    ("ST-5", "en", "Show me the cheapest flights", "inexpensivest"),
    ("ST-5", "en", "Show me the cheapest flights", "isplay me"),
    ("ST-5", "en", "Someone cloned my card", "poster"),
    ("ST-6", "en", "Which documents do I need to open an account?", "grateful"),
    ("ST-6", "en", "A pizza with no onions", "nope"),
    ("ST-8", "it", "Voglio cambiare operatore ma tenere il mio numero", "sia cambiato"),
    ("ST-8", "it", "Quali documenti servono per aprire un conto?", "serviti"),
    ("ST-8", "en", "I want to switch provider but keep my number", "to be switched but keep"),
    ("ST-8", "en", "Which documents do I need to open an account?", "to be opened"),
    ("ST-9", "it", "A martedì prossimo", "prossimo martedì"),
    ("ST-9", "en", "Send two large pepperoni pizzas", "pepperoni large"),
    ("ST-11", "it", "Un biglietto per Napoli per due adulti e un bambino", "adulti per Napoli e"),
    ("ST-11", "it", "Mi chiamo Giovanni Esposito e abito a Roma", "a Roma Giovanni"),
    ("ST-11", "en", "A ticket to Naples for two adults and a child", "adults to Naples and"),
    ("ST-7", "it", "Un treno per Napoli", "orientale"),
]


def test_what_a_linguist_expects_is_proposed() -> None:
    for test, language, said, expected in RIGHT:
        assert expected in made(test, language, said)


def test_what_nobody_would_say_is_not_proposed() -> None:
    for test, language, said, never in WRONG:
        assert [one for one in made(test, language, said) if never in one] == []


def test_an_answer_after_next_points_back_without_it() -> None:
    found = made("ST-10", "en", "Move it to next Tuesday", "Monday or Tuesday?")
    assert "Move it to the second" in found and not any("next the" in one for one in found)
    pointed = made("ST-7", "en", "Move it to next Tuesday", "Would it be on Monday or on Tuesday?")
    assert not any("place" in one for one in pointed), "a day is no place"


def test_addresses_are_never_rewritten() -> None:
    for said in [
        "Guarda https://www.esempio.it/aiuto?id=12 adesso, grazie",
        "please write to mary.jones@example.com or @helpdesk about #refund now",
        "www.example.com/good-restaurant",
    ]:
        for language in ["it", "en"]:
            kept = [
                word.strip(",") for word in said.split() if any(sign in word for sign in ("www", "@", "#"))
            ]
            found = propose(Utterance(text=said, language=language, previous="Rome or Milan?"))
            assert [one.text for one in found.variants if not all(word in one.text for word in kept)] == []


def test_odd_utterances_give_variants_that_differ_or_a_reason() -> None:
    for said in [
        "",
        "   ",
        "42",
        "🍕🍕",
        "?!",
        "a",
        "I",
        "È",
        "\u200b",
        "ok",
        "OK",
        "x" * 3000,
        "pizza " * 400,
        "12:30 18/11/2026",
        "👩‍👩‍👧 grazie thanks",
        "ÀÈÌÒÙ ÀÈÌ",
        "İSTANBUL ŞEHRİ",
        "e\u0301 così",
        "\"'«»“”’",
        "ﬁn ﬂow STRASSE GROẞ",
    ]:
        for language in ["it", "en"]:
            found = propose(Utterance(text=said, language=language, previous="Rome or Milan?"), limit=5)
            assert all(one.text != said for one in found.variants)
            told = {one.test for one in found.variants} | {one.test for one in found.not_applicable}
            assert told == set(STRESS_TESTS.names())
            assert all(one.reason for one in found.not_applicable)
