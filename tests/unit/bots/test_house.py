"""The home assistant: devices by what they are and where they stand; it asks back, and does nothing else."""

from pathlib import Path

import pytest

from vivavoce_bots.acts import Reply
from vivavoce_bots.engine.bot_file import DomainError
from vivavoce_bots.house.bot import HouseBot, Session
from vivavoce_bots.house.home import read_home, read_manner

BOT = HouseBot()


def talk(*said: str, language: str = "en", bot: HouseBot = BOT) -> tuple[list[Reply], Session]:
    session = bot.session("c", language)
    bot.greet(session)
    return [bot.reply(session, [(text, None)]) for text in said], session


def did(reply: Reply) -> dict[str, str | None]:
    return {act.slot: act.value for act in reply.acts if act.act == "inform" and act.slot}


def choices(reply: Reply) -> list[str | None]:
    return [act.value for act in reply.acts if act.act == "select"]


@pytest.mark.parametrize(
    ("said", "device", "action", "language"),
    [
        ("switch on the lamp by the window in the living room", "living_window", "on", "en"),
        ("turn off the lamp on the right in the bedroom", "bedroom_right", "off", "en"),
        ("turn the kitchen light off please", "kitchen", "off", "en"),
        ("dim the lights in the kitchen", "kitchen", "dim", "en"),
        ("I'd like the table lamp on", "living_table", "on", "en"),
        ("the fan should run faster", "fan", "faster", "en"),
        ("turn the radio down", "radio", "softer", "en"),
        ("accendi la lampada a sinistra in camera", "bedroom_left", "on", "it"),
        ("spegni la luce in cucina", "kitchen", "off", "it"),
        ("abbassa le tapparelle in camera", "bedroom_blind", "close", "it"),
        ("alza le tapparelle del soggiorno", "living_blind", "open", "it"),
        ("abbassa la luce in cucina", "kitchen", "dim", "it"),
        ("alza il volume della radio", "radio", "louder", "it"),
    ],
)
def test_a_device_is_meant_by_what_it_is_and_where_it_stands(
    said: str, device: str, action: str, language: str
) -> None:
    (reply,), session = talk(said, language=language)
    assert session.state == {device: action}
    assert device in did(reply).values()


@pytest.mark.parametrize(
    ("language", "said", "device"),
    [
        ("en", "turn on the lamp that is on the right from the table lamp", "living_door"),
        ("en", "switch on the lamp to the right of the table lamp", "living_door"),
        ("en", "switch on the lamp to the left of the table lamp", "living_window"),
        ("en", "switch on the lamp between the window and the door", "living_table"),
        ("en", "switch on the middle lamp in the living room", "living_table"),
        ("en", "switch on the lamp next to the sofa", "living_table"),
        ("en", "switch on the lamp above the kitchen table", "kitchen"),
        ("en", "switch on the lamp nearest to the wardrobe, in the bedroom", None),
        ("it", "accendi la lampada a destra della lampada da tavolo", "living_door"),
        ("it", "accendi la lampada tra la finestra e la porta", "living_table"),
        ("it", "accendi la lampada accanto al divano", "living_table"),
        ("it", "accendi la lampada sopra il tavolo", "kitchen"),
    ],
)
def test_a_device_is_found_by_what_it_stands_beside(language: str, said: str, device: str | None) -> None:
    """The thesis' spatial error: "the lamp that is on the right from the table lamp" is no bedroom lamp."""
    (reply,), session = talk(said, language=language)
    assert session.state == ({device: "on"} if device else {})
    assert device or choices(reply), "what is not found is asked back"


@pytest.mark.parametrize(
    ("language", "said", "told"),
    [
        ("en", "switch on the blue lamp", "blue"),
        ("en", "switch on the lamp behind the piano", "piano"),
        ("en", "switch on the lamp in the garage", "garage"),
        ("en", "switch on the lamp to the left of the radio", "no such lamp"),
        ("en", "switch on the lamp on the left", "Which lamp"),
        ("en", "switch on the lamp by the bed", "Which lamp"),
        ("en", "switch on the kitchen lamp on the left", "no such lamp"),
        ("en", "switch on the oven", "no oven among my devices"),
        ("en", "open the window", "nothing with that"),
        ("en", "close the red blinds in the bedroom", "red"),
        ("it", "accendi la lampada blu", "blu"),
        ("it", "accendi la lampada dietro al pianoforte", "pianoforte"),
        ("it", "accendi la lampada in garage", "garage"),
        ("it", "accendi il forno", "non c'è: forno"),
        ("it", "accendi la lampada a sinistra", "Quale lampada"),
        ("it", "accendi questa maledetta luce", "Quale lampada"),
        ("en", "dear house, I wished for some light in the bedroom", "Which lamp"),
    ],
)
def test_what_is_not_clear_or_not_known_is_asked_back_and_nothing_is_done(
    language: str, said: str, told: str
) -> None:
    (reply,), session = talk(said, language=language)
    assert session.state == {}
    assert told in reply.text


def test_where_several_are_meant_it_asks_back_and_takes_the_answer() -> None:
    (asked, done), session = talk("switch on the lamp in the living room", "the one by the door")
    assert choices(asked) == ["living_window", "living_table", "living_door"]
    assert session.state == {"living_door": "on"} and did(done)["done"] == "lamp_on"
    (*_, asked), session = talk("switch on a lamp", "the blue one")
    assert "blue" in asked.text and session.state == {}
    for answer, state in (
        ("both", {"bedroom_left": "on", "bedroom_right": "on"}),
        ("the second", {"bedroom_right": "on"}),
        ("neither, never mind", {}),
        ("the left one", {"bedroom_left": "on"}),
    ):
        _, session = talk("switch on a lamp in the bedroom", answer)
        assert session.state == state and not session.waiting


def test_the_other_one_and_it_go_by_what_was_spoken_of_last() -> None:
    _, session = talk("switch on the lamp on the left in the bedroom", "the other one too", "turn it off")
    assert session.state == {"bedroom_left": "on", "bedroom_right": "off"}
    _, session = talk("accendi la lampada a sinistra in camera", "anche l'altra", "spegnila", language="it")
    assert session.state == {"bedroom_left": "on", "bedroom_right": "off"}


def test_several_devices_at_once() -> None:
    _, session = talk(
        "switch on the kitchen lamp and close the blinds in the bedroom, then turn on the radio"
    )
    assert session.state == {"kitchen": "on", "bedroom_blind": "close", "radio": "on"}
    _, session = talk("the lamp by the window and the one by the door on please")
    assert session.state == {"living_window": "on", "living_door": "on"}
    _, session = talk("accendi le luci in camera e in cucina", language="it")
    assert session.state == {"bedroom_left": "on", "bedroom_right": "on", "kitchen": "on"}
    _, session = talk("switch on all lamps except the kitchen lamp")
    assert "kitchen" not in session.state and len(session.state) == 5
    (reply, _), session = talk("switch on the lamp in the bedroom and the fan", "the left one")
    assert session.state == {"fan": "on", "bedroom_left": "on"} and "fan is on" in reply.text


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ["switch on the lamp on the left in the bedroom", "no, the one on the right"]),
        ("en", ["switch on the lamp on the left in the bedroom", "not that one, the other one"]),
        ("en", ["switch on the left lamp in the bedroom", "I meant the right one"]),
        ("it", ["accendi la lampada a sinistra in camera", "no, quella a destra"]),
        ("it", ["accendi la lampada a sinistra in camera", "intendevo quella a destra"]),
    ],
)
def test_a_correction_takes_back_what_was_done_to_the_wrong_device(language: str, said: list[str]) -> None:
    _, session = talk(*said, language=language)
    assert session.state == {"bedroom_left": "off", "bedroom_right": "on"}


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "don't switch on the kitchen lamp"),
        ("en", "never touch the lamps"),
        ("it", "non accendere la lampada in cucina"),
    ],
)
def test_what_shall_not_be_done_is_not_done(language: str, said: str) -> None:
    _, session = talk(said, language=language)
    assert session.state == {} and not session.waiting


def test_undo_puts_the_devices_back_and_start_over_leaves_them() -> None:
    replies, session = talk(
        "switch on the kitchen lamp", "close the blinds in the bedroom", "undo", "undo", "undo"
    )
    assert session.state == {}
    assert (
        "the blinds in the bedroom are open" in replies[2].text and "kitchen lamp is off" in replies[3].text
    )
    assert "nothing" in replies[4].text
    (_, back), session = talk("accendi il ventilatore", "ho sbagliato, annulla", language="it")
    assert session.state == {} and not back.end, "not taken for: no, nothing more"
    (_, _, afresh), session = talk("switch on the fan", "switch on a lamp", "start over")
    assert session.state == {"fan": "on"} and not session.waiting and "stay as they are" in afresh.text


@pytest.mark.parametrize(
    ("language", "said", "question", "answer"),
    [
        ("en", "switch on the kitchen lamp", "is the kitchen lamp on?", "Yes, the kitchen lamp is on"),
        ("en", "switch on the kitchen lamp", "which lamps are on?", "The kitchen lamp is on"),
        ("en", "hello", "are the blinds in the bedroom closed?", "No, the blinds in the bedroom are open"),
        ("en", "hello", "is any lamp on?", "No lamp is on"),
        ("en", "hello", "what lamps are there", "kitchen lamp"),
        ("en", "put on channel two", "what channel is on?", "channel two"),
        (
            "it",
            "accendi la lampada in cucina",
            "la lampada in cucina è accesa?",
            "Sì, la lampada in cucina è accesa",
        ),
        ("it", "salve", "sono aperte le tapparelle in camera?", "Sì, le tapparelle in camera sono alzate"),
    ],
)
def test_a_question_about_the_state_is_answered_and_changes_nothing(
    language: str, said: str, question: str, answer: str
) -> None:
    (_, told), session = talk(said, question, language=language)
    assert answer in told.text
    before = talk(said, language=language)[1].state
    assert session.state == before


def test_a_missing_action_or_object_is_asked_for() -> None:
    (asked, _), session = talk("the bedroom blinds", "close them please")
    assert any(act.act == "request" and act.slot == "action" for act in asked.acts)
    assert session.state == {"bedroom_blind": "close"}
    _, session = talk("louder", "the radio")
    assert session.state == {"radio": "louder"}
    _, session = talk("it is too hot in here", "yes please")
    assert session.state == {"fan": "on"}


def test_programmes_are_told_and_channels_shown_and_recorded() -> None:
    (told, shown), session = talk("what is on tonight", "channel two please")
    assert did(told)["done"] == "programme"
    assert all(one in told.text for one in ("news", "concert", "football"))
    assert did(shown)["done"] == "television" and session.channel == "two"
    (shown,), session = talk("metti la televisione sul canale sport", language="it")
    assert session.channel == "sport" and did(shown)["done"] == "television"
    _, session = talk("record the film tonight")
    assert session.recording == ("one",)


def test_messages_are_played_and_deleted_only_when_confirmed() -> None:
    (played, asked, kept, *_, gone), session = talk(
        "are there any messages", "delete the messages", "no", "delete the messages", "yes", "any messages?"
    )
    assert did(played)["messages"] == "2" and "bicycle" in played.text
    assert asked.acts[0].act == "confirm" and "stay" in kept.text
    assert did(gone)["messages"] == "0" and not session.messages


@pytest.mark.parametrize("language", ["en", "it"])
def test_courtesies_help_repeat_and_goodbye(language: str) -> None:
    said = {
        "en": [
            "hello",
            "how are you",
            "who are you",
            "thanks",
            "you are stupid",
            "help",
            "repeat",
            "goodbye",
        ],
        "it": ["salve", "come sta", "chi sei", "grazie", "sei ridicolo", "aiuto", "ripeti", "arrivederci"],
    }[language]
    replies, _ = talk(*said, language=language)
    assert not any(act.act == "repeat" for reply in replies for act in reply.acts)
    assert replies[6].text == replies[5].text and replies[-1].end


def test_what_it_cannot_do_it_says_with_what_it_can() -> None:
    (lost, again, helped, end), _ = talk("fly to the moon", "repeat", "banana", "goodbye")
    assert "understand" in lost.text and again == lost
    assert "lamps" in helped.text and "window" in helped.text
    assert end.end


def test_whoever_does_not_answer_is_told_what_to_say_and_then_let_go() -> None:
    *_, last = talk("switch on a lamp", "mumble", "mumble", "mumble")[0]
    assert not choices(last) and "What can I do" in last.text


@pytest.mark.parametrize("variant", HouseBot.variants)
def test_a_metaphor_changes_the_manner_and_nothing_that_is_done(variant: str) -> None:
    said = ["switch on the kitchen lamp", "switch on a lamp in the bedroom", "the left one", "goodbye"]
    usual, _ = talk(*said)
    spoken, session = talk(*said, bot=HouseBot(variant=variant))
    assert [reply.acts for reply in spoken] == [reply.acts for reply in usual]
    assert session.state == {"kitchen": "on", "bedroom_left": "on"}
    assert (spoken[0].text == usual[0].text) == (variant == "invisible-servant")


def test_another_flat_is_another_file(tmp_path: Path) -> None:
    import vivavoce_bots

    text = (Path(vivavoce_bots.__file__).parent / "data" / "house.yaml").read_text("utf-8")
    (tmp_path / "mine.yaml").write_text(
        text.replace("words: [floor lamp, standing lamp]", "words: [lava lamp]")
    )
    bot = HouseBot(read_home(tmp_path / "mine.yaml"))
    _, session = talk("switch on the lava lamp", bot=bot)
    assert session.state == {"living_window": "on"}
    (tmp_path / "mine.yaml").write_text(text.replace("room: kitchen, at", "room: cellar, at"))
    with pytest.raises(DomainError, match=r"mine\.yaml"):
        read_home(tmp_path / "mine.yaml")


def test_both_languages_say_the_same_things() -> None:
    english, italian = read_manner("en"), read_manner("it")
    assert english.keys() == italian.keys()
    for part in ("says", "deeds", "words", "sides", "relations", "metaphors"):
        assert english[part].keys() == italian[part].keys(), part


@pytest.mark.parametrize(
    ("said", "language", "told"),
    [
        (["the kitchen lamp", "is it on?"], "en", "the kitchen lamp is on"),
        (["put some music on"], "en", "The radio is on now"),
        (["which lamp is on?", "everything off"], "en", "off"),
        (["tapparella giù", "spegni tutto"], "it", "spent"),
        (["accendi la luce", "fa un caldo tremendo", "sì"], "it", "Ho acceso il ventilatore"),
    ],
)
def test_it_goes_by_what_is_meant_now(said: list[str], language: str, told: str) -> None:
    replies, _ = talk(*said, language=language)
    assert told in replies[-1].text


def test_where_no_device_is_named_it_is_told_what_is_on_and_not_all_devices() -> None:
    replies, _ = talk("Not the alarm, the phone I mean. Is there one on it?")
    assert "Nothing is switched on." in replies[-1].text
    assert "blinds" not in replies[-1].text


@pytest.mark.parametrize(
    ("said", "language", "state"),
    [
        (["kitchen lamp"], "en", {"kitchen": "on"}),
        (["The radio, please."], "en", {"radio": "on"}),
        (["The television, it's making a noise."], "en", {}),
        (["Is the kitchen lamp new?"], "en", {}),
        (["luce in cucina"], "it", {"kitchen": "on"}),
        (["turn on the kitchen lamp", "turn the light off"], "en", {"kitchen": "off"}),
    ],
)
def test_what_is_named_alone_goes_on_and_what_is_on_goes_off(
    said: list[str], language: str, state: dict[str, str]
) -> None:
    _, session = talk(*said, language=language)
    assert session.state == state


def test_a_question_that_is_passed_over_is_not_asked_again() -> None:
    (asked, told), session = talk("close the blinds", "turn on the kitchen lamp")
    assert "Which blinds" in asked.text
    assert "blinds" not in told.text and session.state == {"kitchen": "on"}
