"""Inflection: Italian by rule and by lists of what no rule gives, English by a package and a list."""

from vivavoce_stress.english_parser import inflected
from vivavoce_stress.italian.morphology import RULES


def test_participles_follow_the_family_of_the_verb() -> None:
    for verb, expected in [
            ("raggiungere", "raggiunta"), ("condividere", "condivisa"), ("venire", "venuta"),
            ("vivere", "vissuta"),
            ("scendere", "scesa"), ("vendere", "venduta"), ("produrre", "prodotta"), ("cogliere", "colta"),
            ("rompere", "rotta"), ("dirigere", "diretta"), ("credere", "creduta"), ("finire", "finita"),
            ("fotografare", "fotografata"), ("trionfare", "trionfata"), ("disfare", "disfatta"),
            ("impedire", "impedita"), ("contraddire", "contraddetta"), ("intimorire", "intimorita"),
            ("espellere", "espulsa"), ("esigere", "esatta"), ("affiggere", "affissa"),
            ("infliggere", "inflitta"),
            ("persuadere", "persuasa"), ("desumere", "desunta"), ("restringere", "ristretta"),
        ]:  # fmt: skip
        assert RULES.participle(verb, "f", "s") == expected


def test_tenses_follow_the_family_of_the_verb() -> None:
    for verb, form, expected in [
            ("ottenere", "3s", "ottiene"), ("ottenere", "v1s", "otterrei"), ("mangiare", "v1s", "mangerei"),
            ("cominciare", "v3s", "comincerebbe"), ("pagare", "v1s", "pagherei"),
            ("prenotare", "v1s", "prenoterei"),
            ("proporre", "c3s", "proponga"), ("produrre", "3p", "producono"), ("investire", "3s", "investe"),
            ("finire", "3s", "finisce"), ("riempire", "3s", "riempie"), ("inseguire", "3s", "insegue"),
            ("raccogliere", "c3s", "raccolga"), ("rimanere", "1s", "rimango"),
            ("disdire", "c3s", "disdica"), ("disdire", "i2s", "disdici"), ("spedire", "c3s", "spedisca"),
            ("rifare", "v1s", "rifarei"), ("rifare", "3s", "rifà"), ("inviare", "c3s", "invii"),
            ("inviare", "1p", "inviamo"), ("lasciare", "c3s", "lasci"), ("spegnere", "1s", "spengo"),
            ("sparire", "1s", "sparisco"), ("apparire", "1s", "appaio"), ("cuocere", "3p", "cuociono"),
            ("cucire", "1s", "cucio"), ("compiere", "3s", "compie"), ("udire", "1s", "odo"),
            ("esaudire", "v1s", "esaudirei"), ("soccombere", "v1s", "soccomberei"),
            ("permanere", "v3s", "permarrebbe"),
            ("riavere", "1s", "riho"), ("applaudire", "3s", "applaude"), ("sapere", "i2s", "sappi"),
        ]:  # fmt: skip
        assert RULES.verb(verb, form) == expected


def test_plurals_go_by_gender_and_sound() -> None:
    for noun, expected in [("problema", "problemi"), ("energia", "energie"), ("spiaggia", "spiagge"),
        ("amica", "amiche"),
         ("città", "città"), ("bar", "bar"), ("parco", "parchi"),
         ("uomo", "uomini"), ("gentiluomo", "gentiluomini"), ("duomo", "duomi"), ("moglie", "mogli"),
         ("superficie", "superfici"), ("serie", "serie"), ("uovo", "uova"), ("dito", "dita"),
         ("paio", "paia"),
         ("centinaio", "centinaia"), ("braccio", "braccia"), ("ginocchio", "ginocchia"), ("dio", "dei"),
         ("bue", "buoi"), ("tempio", "templi"), ("ala", "ali"), ("arma", "armi"), ("zio", "zii"),
         ("addio", "addii"),
         ("invio", "invii"), ("studio", "studi"), ("foglio", "fogli"), ("collega", "colleghi"),
         ("artista", "artisti"), ("specialista", "specialisti"), ("lista", "liste"),
         ("intervista", "interviste"),
         ("poeta", "poeti"), ("moneta", "monete"), ("atleta", "atleti"), ("psicologo", "psicologi"),
         ("dialogo", "dialoghi"), ("chirurgo", "chirurghi"), ("amico", "amici"), ("medico", "medici"),
         ("carico", "carichi"), ("cieco", "ciechi"), ("greco", "greci"), ("buco", "buchi"),
         ("porco", "porci"),
         ("banco", "banchi"), ("sindaco", "sindaci"), ("equivoco", "equivoci"), ("camicia", "camicie"),
         ("arancia", "arance"), ("farmacia", "farmacie"), ("scia", "scie"), ("foto", "foto"),
         ("radio", "radio"),
         ("video", "video"), ("film", "film"), ("euro", "euro"), ("cinema", "cinema"), ("crisi", "crisi"),
         ("garage", "garage"), ("strage", "stragi"), ("ora", "ore"), ("banca", "banche"), ("mano", "mani"),
         ("cassaforte", "casseforti"), ("capogruppo", "capigruppo"), ("paracadute", "paracadute"),
         ("caffè", "caffè"), ("re", "re"), ("toilette", "toilette"), ("notte", "notti")]:  # fmt: skip
        assert RULES.plural(noun) == expected


def test_genders_go_by_ending_and_list() -> None:
    for noun, expected in [("campione", "m"), ("milione", "m"), ("stazione", "f"), ("opinione", "f"),
        ("unione", "f"),
         ("lampone", "m"),
         ("ipotesi", "f"), ("diagnosi", "f"), ("brindisi", "m"), ("gastrite", "f"), ("limite", "m"),
         ("dentista", "m"), ("intervista", "f"), ("fantasma", "m"), ("sistema", "m"), ("crema", "f"),
         ("telegramma", "m"), ("carattere", "m"), ("cortile", "m"), ("mese", "m"), ("margine", "m"),
         ("immagine", "f"), ("fonte", "f"), ("ponte", "m"), ("salute", "f"), ("sede", "f"), ("venerdì", "m"),
         ("virtù", "f"), ("tigre", "f"), ("moglie", "f"), ("lavatrice", "f"), ("pollice", "m"),
         ("calice", "m"),
         ("password", "f"), ("garage", "m"), ("patente", "f"), ("cliente", "m"), ("tangenziale", "f"),
         ("giornale", "m")]:  # fmt: skip
        assert RULES.gender(noun) == expected


def test_adjectives_agree() -> None:
    for form, agrees, expected in [("antico", "mp", "antichi"), ("economico", "mp", "economici"),
        ("greco", "mp", "greci"),
         ("sporco", "mp", "sporchi"), ("lungo", "fp", "lunghe"), ("serio", "mp", "seri"),
         ("pio", "mp", "pii"),
         ("grigio", "fp", "grigie"), ("massiccio", "fp", "massicce"), ("triste", "ms", "triste"),
         ("triste", "fp", "tristi"), ("egoista", "fp", "egoiste"), ("entusiasta", "ms", "entusiasta"),
         ("belga", "mp", "belgi"), ("belga", "fp", "belghe"), ("conservatore", "fs", "conservatrice"),
         ("intrinseco", "mp", "intrinseci")]:  # fmt: skip
        assert RULES.adjective(form, *agrees) == expected


def test_plurals_are_read_back() -> None:
    for form, lemma, agrees in [("uomini", "uomo", ("m", "p")), ("uova", "uovo", ("f", "p")),
        ("mogli", "moglie", ("f", "p")),
         ("colleghi", "collega", ("m", "p")), ("problemi", "problema", ("m", "p")),
         ("dita", "dito", ("f", "p")),
         ("foto", "foto", ("f", "")), ("mani", "mano", ("f", "p")), ("amici", "amico", ("m", "p")),
         ("laghi", "lago", ("m", "p")), ("zii", "zio", ("m", "p")),
         ("arance", "arancia", ("f", "p"))]:  # fmt: skip
        assert (lemma, *agrees) in RULES.nouns(form)


def test_english_irregular_forms() -> None:
    for lemma, tag, expected in [("person", "NNS", "people"), ("wife", "NNS", "wives"),
        ("funds", "NNS", "funds"),
         ("bus", "NNS", "buses"),
         ("child", "NNS", "children"), ("mimic", "VBD", "mimicked"), ("redo", "VBN", "redone"),
         ("buy", "VBD", "bought"), ("steal", "VBN", "stolen"), ("sting", "VBG", "stinging")]:  # fmt: skip
        assert inflected(lemma, tag) == expected
