"""What every bot understands besides its matter: one mechanism for all bots, both languages."""

import pytest

from vivavoce_bots.acts import Reply
from vivavoce_bots.catalogue import BOTS
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.speech import LANGUAGES, read_data, speech, without_tag
from vivavoce_bots.dialogue.spotting import Entry, Spotter, forms_of, tokens
from vivavoce_bots.engine.file_bot import FileBot

MADE = {name: entry.make(entry.variants[0], 1, None) for name, entry in BOTS.items()}
PUZZLED = {
    "en": ("not underst", "did not", "didn't", "not recognised", "lost me", "other words"),
    "it": ("non ho capito", "non riconosciut", "mi sono perso", "altre parole"),
}


def talk(name: str, *said: str, language: str = "en") -> list[Reply]:
    bot = MADE[name]
    session = bot.session("c", language)
    return [bot.greet(session), *(bot.reply(session, [(text, None)]) for text in said)]


@pytest.mark.parametrize("name", [name for name, bot in MADE.items() if not isinstance(bot, FileBot)])
def test_anger_questions_about_the_conversation_and_refusals_are_understood_by_every_bot(name: str) -> None:
    for language, said in [
        ("en", "that's daylight robbery"),
        ("en", "what a shambles"),
        ("en", "oh come on, are you deaf"),
        ("en", "I have lost the thread"),
        ("en", "I'm getting muddled"),
        ("en", "what should I say now"),
        ("en", "what did you just ask me?"),
        ("en", "where am I?"),
        ("en", "who am I talking to"),
        ("en", "why do you need to know"),
        ("en", "none of your business"),
        ("en", "did I say that?"),
        ("it", "ma che schifezza"),
        ("it", "non ne posso più"),
        ("it", "quanto rompi"),
        ("it", "ho perso il filo"),
        ("it", "sono un po' confusa"),
        ("it", "che cosa mi ha chiesto?"),
        ("it", "dove ho chiamato?"),
        ("it", "con chi parlo"),
        ("it", "perché lo vuole sapere"),
        ("it", "sono affari miei"),
        ("it", "non glielo dico"),
    ]:
        answer = talk(name, said, language=language)[1]
        assert not answer.end, said
        assert not any(word in answer.text.lower() for word in PUZZLED[language]), (said, answer.text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_courtesy_that_people_say_has_an_answer_and_phrases_have_few_forms(language: str) -> None:
    known, raw = speech(language), read_data(f"phrases.{language}")
    assert {"why", "doubted", "sorry", "chat"} <= set(known.answers)
    forms = [
        form
        for kind in ("moves", "cues")
        for ones in raw[kind].values()
        for one in ones
        for form in forms_of(one)
    ]
    assert not [form for form in forms if "(" in form or "|" in form or not tokens(form)]
    assert len(forms) < 20_000


def test_a_phrase_has_the_forms_between_its_bars_and_a_stem_all_its_endings() -> None:
    assert forms_of("(a|the|) pub") == ["a pub", "the pub", " pub"]
    spotter = Spotter()
    spotter.learn("prenot*", Entry("errand"))
    spotter.learn("prenota", Entry("other"))
    found = spotter.find("prenotatela", tokens("prenotatela"))
    assert [one.entry.kind for one in found] == ["errand"]
    assert [one.entry.kind for one in spotter.find("prenota", ["prenota"])] == ["other"]
    assert not spotter.find("preno", ["preno"])


@pytest.mark.parametrize(
    ("language", "said", "written"),
    [
        ("en", "the fifth of June nineteen forty-two", "the 5 of June 1942"),
        ("en", "two hundred and fifty grams", "250 grams"),
        ("en", "two thousand three hundred", "2300"),
        ("en", "two and three", "2 and 3"),
        ("en", "one of them", "one of them"),
        ("it", "il tre maggio millenovecentoquaranta", "il 3 maggio 1940"),
        ("it", "ventuno o duemilacinquecento", "21 o 2500"),
        ("it", "un piatto", "un piatto"),
        ("it", "sei biscotti", "6 biscotti"),
        ("it", "ma chi sei", "ma chi sei"),
    ],
)
def test_numbers_in_words_are_numbers(language: str, said: str, written: str) -> None:
    assert in_digits(said, language) == written


def test_a_tag_makes_no_question() -> None:
    assert without_tag("minestrone, va bene?", "it") == "minestrone"
    assert without_tag("is it all right?", "en") == "is it all right?"


@pytest.mark.parametrize(
    ("name", "language", "said", "told"),
    [
        ("house", "en", ("switch on the kitchen lamp, bye",), "kitchen lamp is on"),
    ],
)
def test_what_is_said_before_a_goodbye_is_done(
    name: str, language: str, said: tuple[str, ...], told: str
) -> None:
    last = talk(name, *said, language=language)[-1]
    assert told in last.text and last.end
    assert "?" not in last.text


def test_a_goodbye_does_not_end_what_is_still_to_be_settled() -> None:
    assert not talk("telco", "top up 20 euros and goodbye")[-1].end


@pytest.mark.parametrize(
    ("name", "language", "said", "told"),
    [
        ("house", "it", ("accendi la cosa, la radio",), "Ho acceso la radio. Altro?"),
        ("boris", "en", ("something to drink", "on Saturday"), "on Saturday"),
    ],
)
def test_what_belongs_to_the_matter_is_taken_from_the_words_around_it(
    name: str, language: str, said: tuple[str, ...], told: str
) -> None:
    assert told in talk(name, *said, language=language)[-1].text


def test_what_was_misunderstood_and_changed_something_is_taken_back_and_else_excused() -> None:
    assert "sorry" in talk("telco", "my balance", "that's not what I asked")[-1].text.lower()
    taken = talk("house", "switch on the kitchen lamp", "that's not what I said")[-1].text
    assert "kitchen lamp is off" in taken


def test_what_was_told_last_is_repeated_not_an_excuse() -> None:
    first, _, again = talk(
        "restaurant", "Italian in the centre", "you are useless", "which one did you say?"
    )[1:]
    assert again.text == first.text


@pytest.mark.parametrize(
    ("bot", "language", "said", "wrong"),
    [
        ("house", "en", "turn on the radio", "no, that's wrong"),
        ("house", "it", "accendi la radio", "no, è sbagliato"),
        ("chef", "en", "put the butter in the pan", "that's not right"),
        ("chef", "it", "metti il burro in padella", "no, non è giusto"),
    ],
)
def test_who_says_that_what_was_done_is_wrong_does_not_end_the_call(bot, language, said, wrong):
    session = MADE[bot].session("c", language)
    MADE[bot].greet(session)
    MADE[bot].reply(session, [(said, None)])
    assert not MADE[bot].reply(session, [(wrong, None)]).end


@pytest.mark.parametrize(
    ("bot", "said"),
    [
        ("chef", "ehm ciao.. ma sei tu che cucini o devo fare io? volevo un risotto, credo"),
    ],
)
def test_who_greets_or_has_run_out_of_something_is_not_hung_up_on(bot: str, said: str) -> None:
    assert not talk(bot, said, language="it")[-1].end
