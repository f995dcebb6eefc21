"""What users say in other domains than restaurants: a linguist's variant of it is proposed first."""

from vivavoce_stress.base import Utterance
from vivavoce_stress.idial_tests import CERTAIN
from vivavoce_stress.propose import propose

FIRST = [
    ("ST-5", "it", "Ho perso la tessera", "", "Ho perso il tesserino"),
    ("ST-5", "it", "Mi servono due copie", "", "Mi occorrono due copie"),
    ("ST-5", "it", "Devo pagare la rata", "", "Devo saldare la rata"),
    ("ST-5", "en", "I'd like the fixed rate", "", "I'd like the fixed tariff"),
    ("ST-5", "en", "My card doesn't work", "", "My card doesn't function"),
    ("ST-6", "it", "Cancella la lezione", "", "La prego di cancellare la lezione"),
    ("ST-6", "it", "Puoi aprire la porta?", "", "Sarebbe così gentile da aprire la porta?"),
    ("ST-6", "it", "Dove parcheggio la moto?", "", "Potrebbe dirmi dove parcheggio la moto?"),
    ("ST-6", "it", "Mandatemi la ricevuta", "", "Vi prego di mandarmi la ricevuta"),
    ("ST-6", "en", "Can I bring my dog?", "", "May I bring my dog?"),
    ("ST-6", "en", "Turn on the lights", "", "Kindly turn on the lights"),
    ("ST-6", "en", "What time does the gate close?", "", "At what time does the gate close?"),
    ("ST-7", "it", "Torno martedì sera", "", "Torno la sera del giorno dopo lunedì"),
    ("ST-7", "it", "La domenica chiudete?", "", "L'ultimo giorno della settimana chiudete?"),
    ("ST-7", "it", "Da Sara", "Con Marco o con Sara?", "Da lei"),
    ("ST-7", "en", "See you next Saturday", "", "See you the day before next Sunday"),
    ("ST-7", "en", "For Mrs Green", "Is it for Mr Brown or Mrs Green?", "For her"),
    ("ST-8", "it", "Usate prodotti naturali?", "", "Vengono usati prodotti naturali?"),
    ("ST-8", "it", "Mi avete portato le mele", "", "Le mele mi sono state portate da voi"),
    (
        "ST-8",
        "it",
        "Il direttore ha firmato la richiesta di ieri",
        "",
        "La richiesta di ieri è stata firmata dal direttore",
    ),
    ("ST-8", "it", "Il faro offre lezioni ai turisti", "", "Dal faro vengono offerte lezioni ai turisti"),
    ("ST-8", "it", "Mia zia porterà il telescopio", "", "Il telescopio sarà portato da mia zia"),
    ("ST-8", "it", "Il custode deve chiudere il cancello", "", "Il cancello deve essere chiuso dal custode"),
    ("ST-8", "it", "Si può affittare una canoa?", "", "Una canoa può essere affittata?"),
    ("ST-8", "it", "Riportatemi la chitarra", "", "Mi venga riportata la chitarra"),
    ("ST-8", "it", "Quando aprite il rifugio?", "", "Quando viene aperto il rifugio?"),
    ("ST-8", "it", "Mio zio vuole vendere la barca", "", "Mio zio vuole che la barca sia venduta"),
    ("ST-8", "en", "Do you sell telescopes?", "", "Are telescopes sold?"),
    ("ST-8", "en", "I have to wash the sledge", "", "The sledge has to be washed"),
    ("ST-8", "en", "Does the guide teach songs?", "", "Are songs taught by the guide?"),
    ("ST-8", "en", "The keeper will open the gate", "", "The gate will be opened by the keeper"),
    ("ST-8", "en", "Have you repaired the canoe?", "", "Has the canoe been repaired?"),
    ("ST-11", "it", "Ho messo la tenda dentro lo zaino", "", "Ho messo dentro lo zaino la tenda"),
    ("ST-11", "it", "Dovete aprire il cancello alle nove", "", "Dovete aprire alle nove il cancello"),
    ("ST-11", "it", "Spegnete il camino prima dell'inverno", "", "Spegnete prima dell'inverno il camino"),
    ("ST-5", "it", "Ho dimenticato l'ombrello", "", "Ho scordato l'ombrello"),
    ("ST-5", "en", "Our sledge is faulty", "", "Our sledge is defective"),
    ("ST-9", "it", "Prendo una bottiglia d'acqua", "", "Prendo acqua una bottiglia"),
    ("ST-9", "it", "tre giorni di ferie", "", "ferie tre giorni"),
    ("ST-10", "en", "Spaghetti", "Which pasta would you like, penne or spaghetti?", "The second"),
    ("ST-10", "it", "A Carla", "Mando tutto a Paolo o a Carla?", "Alla seconda"),
    ("ST-11", "it", "Togli il pane dalla lista", "", "Togli dalla lista il pane"),
    ("ST-11", "en", "Add two litres of milk to my basket", "", "Add to my basket two litres of milk"),
]


def test_what_a_linguist_accepts_is_proposed_first() -> None:
    for test, language, said, previous, expected in FIRST:
        utterance = Utterance(text=said, language=language, previous=previous or None)
        assert [one.text for one in propose(utterance, [test], limit=1, certainty=CERTAIN).variants] == [
            expected
        ]


def test_what_a_linguist_rejects_is_not_proposed() -> None:
    for test, language, said, previous, wrong in [
        ("ST-5", "it", "Portate la legna a casa mia", "", "abitazione"),
        ("ST-5", "it", "Il bollo auto è scaduto", "", "vettura"),
        ("ST-5", "en", "She is on sick leave", "", "unwell"),
        ("ST-8", "it", "Quanti ospiti può contenere la sala?", "", "contenuta"),
        ("ST-8", "en", "I received a broken lamp and want a refund", "", "received by me"),
        ("ST-9", "it", "Fate una copia di questa chiave?", "", "chiave una copia"),
        ("ST-9", "en", "The third floor", "", "floor third"),
        ("ST-10", "en", "The third floor", "Is it the first floor or the third floor?", "second"),
        ("ST-11", "en", "I have a serious allergy to walnuts", "", "to walnuts a"),
        ("ST-11", "it", "Ho un'allergia alle noci", "", "alle noci un"),
        ("ST-5", "it", "Accendi le luci", "", "elettricità"),
        ("ST-5", "it", "La caldaia perde acqua", "", "smarrisce"),
        ("ST-5", "it", "Due biglietti per il museo", "", "titol"),
        ("ST-5", "en", "I lost two hours", "", "misplaced"),
        ("ST-6", "it", "Un biglietto per il museo", "", "titolo di viaggio"),
        ("ST-7", "en", "Sarah", "Would you like to see Mark or Sarah?", "place"),
        ("ST-8", "it", "Posso annullare i biglietti comprati ieri sul sito?", "", "annullati ieri"),
        ("ST-11", "it", "una persona in sedia a rotelle", "", "rotelle "),
        ("ST-10", "it", "Mi servono gli arrivi", "Gli arrivi o le partenze?", "primo"),
        ("ST-5", "it", "Dov'è la segreteria studenti?", "", "studiosi"),
        ("ST-5", "en", "When is the next fast train?", "", "loyal"),
        ("ST-5", "en", "Does the student office open on Monday?", "", "opened"),
    ]:
        utterance = Utterance(text=said, language=language, previous=previous or None)
        assert not [
            one.text for one in propose(utterance, [test], certainty=CERTAIN).variants if wrong in one.text
        ]


def test_where_a_linguist_found_none_right_nothing_is_proposed() -> None:
    for test, language, said in [
        ("ST-8", "en", "can I find out what eye drops costs?"),
        ("ST-8", "en", "can I find out what cough syrup costs?"),
        ("ST-8", "en", "can I have 3 packs of paracetamol put aside for Monday?"),
        ("ST-8", "en", "I want to borrow a book by Umberto Eco, please"),
        ("ST-8", "it", "vorrei comprare un biglietto da Milano a Roma"),
        ("ST-11", "it", "vorrei mettere da parte 3 confezioni di sciroppo per la tosse per venerdì"),
        ("ST-11", "it", "voglio sapere quanto costa sciroppo per la tosse"),
    ]:
        assert propose(Utterance(text=said, language=language), [test], certainty=CERTAIN).variants == ()


def test_a_region_has_a_capoluogo_and_nobody_travels_into_a_capital() -> None:
    said = Utterance(text="vorrei sapere quando partono i treni da Torino a Roma", language="it")
    told = " / ".join(one.text for one in propose(said, ["ST-7"], certainty=CERTAIN).variants)
    assert "dal capoluogo del Piemonte" in told and "alla capitale dell'Italia" in told
    assert "nella capitale" not in told and told.index("capoluogo") < told.index("capitale del Piemonte")
    english = Utterance(text="when do trains go from Turin to Naples", language="en")
    assert "the capital of Piedmont to" in propose(english, ["ST-7"], certainty=CERTAIN).variants[0].text
