"""What the house keeps in mind beside its devices: messages, channels, recordings, how loud it is."""

import pytest

from vivavoce_bots.acts import Reply
from vivavoce_bots.house.bot import HouseBot
from vivavoce_bots.house.session import Session

BOT = HouseBot()


def talk(language: str, *said: str) -> tuple[list[Reply], Session]:
    session = BOT.session("one", language)
    BOT.greet(session)
    return [BOT.reply(session, [(text, None)]) for text in said], session


@pytest.mark.parametrize(
    ("language", "said", "left"),
    [
        ("en", ["any messages?", "delete the garage one, keep Paola's"], (0,)),
        ("en", ["delete the message about the bicycle", "just that one!"], (0,)),
        ("en", ["messages?", "delete them", "no, just the garage one"], (0,)),
        ("en", ["messages?", "the bicycle, I fetched it. Get rid of that one would you"], (0,)),
        ("en", ["wipe everything off the machine"], (0, 1)),
        ("en", ["messages?", "delete the first one", "undo"], (0, 1)),
        ("it", ["messaggi", "cancella quello dell'officina, quello di Paola tienilo"], (0,)),
        ("it", ["messaggi", "la bicicletta non è mia: cancellalo pure"], (0,)),
    ],
)
def test_messages_are_deleted_one_by_one(language: str, said: list[str], left: tuple[int, ...]) -> None:
    _, session = talk(language, *said)
    assert session.messages == left and session.state == {}


@pytest.mark.parametrize(
    ("language", "said", "state", "channel"),
    [
        ("en", ["put it on the sport one, no wait, she hates sport, channel two then"], "on", "two"),
        ("it", ["la televisione sullo sport, anzi no, sul canale due"], "on", "two"),
        ("en", ["put on channel one", "is it too loud? turn it down a touch"], "softer", "one"),
        ("it", ["radio accesa", "radio uno", "su che canale sta la radio?"], None, None),
        ("en", ["the sports channel is what my dad always watches at home on Sundays, you know"], None, None),
    ],
)
def test_the_television_shows_what_was_said_last_and_nothing_unasked(
    language: str, said: list[str], state: str | None, channel: str | None
) -> None:
    _, session = talk(language, *said)
    assert (session.state.get("television"), session.channel) == (state, channel)


def test_a_recording_is_put_right_and_taken_back() -> None:
    _, session = talk("it", "registra il calcio", "no, il concerto")
    assert session.recording == ("two",)
    _, session = talk("en", "record channel one", "cancel that recording")
    assert session.recording == ()


@pytest.mark.parametrize(
    ("language", "said", "state"),
    [
        ("it", "Spegni la lampada a sinistra in camera, anzi no, quella a destra", {"bedroom_right": "off"}),
        ("en", "my daughter set this up", {}),
        ("en", "can you put it all back how it was", {}),
        ("it", "lì dentro c'è la radio, vero?", {}),
        ("it", "accendi il ventilatore in camera", {}),
        ("it", "alza le tapparelle del bagno", {}),
    ],
)
def test_nothing_is_switched_that_nobody_named(language: str, said: str, state: dict[str, str]) -> None:
    _, session = talk(language, said)
    assert session.state == state


@pytest.mark.parametrize(
    ("language", "said", "told"),
    [
        ("en", ["any calls?", "when did Paola call?"], "Paola called today at 9."),
        ("it", ["c'è una lucina che lampeggia"], "segreteria"),
        ("en", ["did Gerald ring?"], "nothing from them"),
        ("en", ["dim the kitchen light. oh and is it you who does the heating too?"], "no heating"),
        ("it", ["le tapparelle della cucina sono ancora giù"], "In cucina non ci sono tapparelle"),
        ("en", ["radio on", "what is on in the kitchen?"], "the radio"),
    ],
)
def test_a_question_beside_the_devices_is_answered(language: str, said: list[str], told: str) -> None:
    replies, _ = talk(language, *said)
    assert told in replies[-1].text


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("it", "perfetto, buona giornata caro, vado a dar da mangiare al gatto!"),
        ("en", "thank you, bye.. or do i hang up?"),
        ("it", "ti saluto che devo mettere su l'acqua"),
        ("en", "that's my lot, ta-ta for now"),
    ],
)
def test_leave_is_taken_in_any_words(language: str, said: str) -> None:
    (_, last), _ = talk(language, {"en": "radio on", "it": "radio accesa"}[language], said)
    assert last.end


@pytest.mark.parametrize(
    ("language", "said", "told", "state"),
    [
        ("en", ["did I leave something on?"], "Nothing is switched on.", {}),
        ("en", ["is it the tv? or the radio.."], "The television is off. The radio is off.", {}),
        (
            "it",
            ["credo di aver lasciato accesa la luce.. quella in cucina, o era in bagno?"],
            "La lampada in cucina è spenta.",
            {},
        ),
        ("it", ["le tapparelle, sono su o giù?"], "sono alzate", {}),
        ("en", ["the curtains.. are they down?"], "the blinds in the bedroom are open", {}),
        ("en", ["radio on", "does it go off by itself?"], "goes on or off by itself", {"radio": "on"}),
        ("en", ["does it cost a lot if the fan stays on all night?"], "What it costs I do not know.", {}),
        (
            "en",
            ["are the bedroom blinds up? close them"],
            "I have closed the blinds in the bedroom.",
            {"bedroom_blind": "close"},
        ),
        ("it", ["accendi la radio", "per spegnerla dopo come faccio?"], "Basta dirmelo", {"radio": "on"}),
    ],
)
def test_how_things_are_is_told_and_nothing_is_switched_by_a_question(
    language: str, said: list[str], told: str, state: dict[str, str]
) -> None:
    replies, session = talk(language, *said)
    assert told in replies[-1].text
    assert session.state == state


@pytest.mark.parametrize(
    ("language", "said", "told"),
    [
        ("en", "the radio, at seven, tomorrow morning", "no clock"),
        ("it", "spenga il ventilatore tra un'oretta", "orologio"),
        ("en", "lamp off, in the hall", "nothing in the hall"),
    ],
)
def test_what_is_for_another_time_or_a_room_that_is_not_there_is_not_done(
    language: str, said: str, told: str
) -> None:
    (reply,), session = talk(language, said)
    assert told in reply.text
    assert session.state == {}


def test_what_is_refused_undoes_nothing_and_an_answer_takes_what_stands_beside_it() -> None:
    _, session = talk(
        "it", "il ventilatore acceso", "che lampada?! non ho detto lampada. lascia stare le lampade"
    )
    assert session.state == {"fan": "on"}
    _, session = talk("it", "accendi il ventilatore in camera", "sì sì. E le tapparelle della camera giù")
    assert session.state == {"fan": "on", "bedroom_blind": "close"}
    (_, last), session = talk("en", "radio on", "cancel that")
    assert not last.end
    assert session.state.get("radio", "off") == "off"


def test_a_message_is_meant_by_its_day_and_told_once_in_a_turn() -> None:
    replies, session = talk(
        "it", "ci sono messaggi?", "quello di ieri", "la bicicletta! cancelli pure, quello lì"
    )
    assert replies[1].text.startswith("L'officina")
    assert session.messages == (0,)
    (reply,), _ = talk("en", "any messages, and was it the garage that wanted calling back?")
    assert reply.text.count("The garage says") == 1


@pytest.mark.parametrize(
    ("language", "said", "told", "state"),
    [
        (
            "en",
            ["I've just put the baby down and I'm going to sit in the living room, is the fan on?"],
            "No, the fan is off.",
            {},
        ),
        (
            "en",
            ["I've got a cake in the oven so I mustn't be long. Turn the radio on"],
            "The radio is on now.",
            {"radio": "on"},
        ),
        ("it", ["la televisione non parte"], "La televisione è spenta.", {}),
        ("en", ["fan on", "not the fan!"], "The fan is off.", {"fan": "off"}),
        (
            "en",
            ["the bedroom. can you tell me if they're down already?"],
            "No, the blinds in the bedroom are open.",
            {},
        ),
        (
            "en",
            ["Is the telly on? If it is, leave it, if not put channel one on"],
            "The television shows channel one now.",
            {"television": "on"},
        ),
        (
            "en",
            ["light on in the bedroom", "the left? no that's my husband's side.. the other one"],
            "The lamp on the right in the bedroom is on now.",
            {"bedroom_right": "on"},
        ),
        ("en", ["pop a lamp on, any one, you choose"], "is on now", {"living_window": "on"}),
        ("en", ["radio on", "can you paint the ceiling?"], "That I cannot do.", {"radio": "on"}),
        ("it", ["la tele va da sola"], "La televisione è spenta.", {}),
        ("it", ["la luce mi è rimasta accesa in cucina, credo"], "No, la lampada in cucina è spenta.", {}),
        (
            "it",
            ["alzi tutto, tapparelle intendo"],
            "sono già alzate",
            {"living_blind": "open", "bedroom_blind": "open"},
        ),
        (
            "it",
            ["accenda la televisione, no, aspetti, prima mi dica se c'è qualcosa di bello"],
            "Stasera",
            {},
        ),
    ],
)
def test_what_people_tell_switches_nothing_and_what_they_mean_is_done(
    language: str, said: list[str], told: str, state: dict[str, str]
) -> None:
    replies, session = talk(language, *said)
    assert told in replies[-1].text
    assert {name: one for name, one in session.state.items() if name in state or one != "off"} == state


def test_a_message_that_is_to_stay_after_all_stays() -> None:
    replies, session = talk(
        "it", "ci sono messaggi?", "quello della bicicletta lo cancelli? o no, magari serve, lo tenga"
    )
    assert "restano" in replies[-1].text
    assert len(session.messages) == 2
