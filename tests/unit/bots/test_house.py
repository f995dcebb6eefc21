"""The home assistant: devices by what they are and where they stand, programmes, messages."""

import pytest

from vivavoce_bots.acts import Reply
from vivavoce_bots.house.bot import HouseBot, Session


def talk(*said: str, language: str = "en") -> tuple[list[Reply], Session]:
    bot = HouseBot()
    session = bot.session("c", language)
    bot.greet(session)
    return [bot.reply(session, [(text, None)]) for text in said], session


def did(reply: Reply) -> dict[str, str | None]:
    return {act.slot: act.value for act in reply.acts if act.act == "inform" and act.slot}


@pytest.mark.parametrize(
    ("said", "device", "action", "language"),
    [
        ("switch on the lamp by the window in the living room", "living_window", "on", "en"),
        ("turn off the lamp on the right in the bedroom", "bedroom_right", "off", "en"),
        ("turn the kitchen light off please", "kitchen", "off", "en"),
        ("accendi la lampada a sinistra in camera", "bedroom_left", "on", "it"),
        ("spegni la luce in cucina", "kitchen", "off", "it"),
        ("abbassa le tapparelle in camera", "bedroom_blind", "close", "it"),
        ("alza le tapparelle del soggiorno", "living_blind", "open", "it"),
    ],
)
def test_a_device_is_meant_by_where_it_stands(said: str, device: str, action: str, language: str) -> None:
    (reply,), session = talk(said, language=language)
    assert session.state == {device: action}
    assert device in did(reply).values()


def test_where_several_are_meant_it_asks_back_and_takes_the_answer() -> None:
    (asked, done), session = talk("switch on the lamp in the living room", "the one by the door")
    assert [act.value for act in asked.acts if act.act == "select"] == ["living_window", "living_door"]
    assert session.state == {"living_door": "on"} and did(done)["done"] == "lamp_on"


def test_the_other_one_and_it_go_by_what_was_spoken_of_last() -> None:
    _, session = talk(
        "switch on the lamp by the door in the living room", "the other one on too", "turn it off"
    )
    assert session.state == {"living_door": "on", "living_window": "off"}
    _, session = talk("accendi la lampada vicino alla porta", "accendi anche l'altra", language="it")
    assert session.state == {"living_door": "on", "living_window": "on"}


def test_all_of_a_room_at_once_and_a_missing_action_is_asked_for() -> None:
    _, session = talk("switch off both lamps in the bedroom")
    assert session.state == {"bedroom_left": "off", "bedroom_right": "off"}
    (asked, _), session = talk("the kitchen lamp", "on please")
    assert any(act.act == "request" and act.slot == "action" for act in asked.acts)
    assert session.state == {"kitchen": "on"}


def test_programmes_are_told_and_channels_shown_and_the_two_are_not_confused() -> None:
    (asked, told), session = talk("what is on tonight", "channel two please")
    assert any(act.act == "request" and act.slot == "channel" for act in asked.acts)
    assert did(told) == {"done": "programme", "channel": "two"} and "concert" in told.text
    assert "television" not in session.state
    (shown,), session = talk("metti la televisione sul canale sport", language="it")
    assert session.state == {"television": "sport"} and did(shown)["done"] == "television"


def test_messages_are_played_and_deleted_only_when_confirmed() -> None:
    (played, asked, kept, *_, gone), session = talk(
        "are there any messages", "delete the messages", "no", "delete the messages", "yes", "any messages?"
    )
    assert did(played)["messages"] == "2" and "bicycle" in played.text
    assert asked.acts[0].act == "confirm" and "stay" in kept.text
    assert did(gone)["messages"] == "0" and not session.messages


def test_what_it_cannot_do_it_says_with_what_it_can() -> None:
    (lost, again, end), _ = talk("order a pizza", "repeat", "goodbye")
    assert "lamps" in lost.text and again == lost
    assert end.end
