"""The home assistant: devices by what they are and where they stand; it asks back, and does nothing else."""

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from vivavoce_bots.acts import Reply
from vivavoce_bots.catalogue import BOTS
from vivavoce_bots.engine.bot_file import BOTS as FOLDER
from vivavoce_bots.engine.bot_file import DomainError
from vivavoce_bots.engine.file_bot import FileBot

BOT = FileBot("house")


def talk(*lines: str, language: str = "en", bot: FileBot = BOT) -> tuple[list[Reply], dict[str, str]]:
    """Replies to the lines, and the devices that were switched with their states."""
    session = bot.session("c", language)
    bot.greet(session)
    replies = [bot.reply(session, [(line, None)]) for line in lines]
    return replies, session.state.memory.get("states", {})


@pytest.mark.parametrize(
    ("language", "line", "states"),
    [
        ("en", "switch on the lamp by the window in the living room", {"living_window": "on"}),
        ("en", "turn off the lamp on the right in the bedroom", {"bedroom_right": "off"}),
        ("en", "turn the kitchen light off please", {"kitchen": "off"}),
        ("en", "dim the lights in the kitchen", {"kitchen": "dim"}),
        ("en", "I'd like the table lamp on", {"living_table": "on"}),
        ("en", "make the fan run faster", {"fan": "faster"}),
        ("en", "turn the radio down", {"radio": "softer"}),
        ("en", "turn on the lamp that is on the right from the table lamp", {"living_door": "on"}),
        ("en", "switch on the lamp to the left of the table lamp", {"living_window": "on"}),
        ("en", "switch on the middle lamp in the living room", {"living_table": "on"}),
        (
            "en",
            "the lamp by the window and the one by the door on please",
            {"living_window": "on", "living_door": "on"},
        ),
        (
            "en",
            "switch on the kitchen lamp and close the blinds in the bedroom, then turn on the radio",
            {"kitchen": "on", "bedroom_blind": "close", "radio": "on"},
        ),
        ("en", "the fan and the radio off please", {"fan": "off", "radio": "off"}),
        ("en", "don't switch on the kitchen lamp", {}),
        ("en", "is the kitchen lamp on?", {}),
        ("en", "switch on the lamp", {}),
        ("it", "accendi la lampada a sinistra in camera", {"bedroom_left": "on"}),
        ("it", "spegni la luce in cucina", {"kitchen": "off"}),
        ("it", "abbassa le tapparelle in camera", {"bedroom_blind": "close"}),
        ("it", "abbassa la luce in cucina", {"kitchen": "dim"}),
        ("it", "alza il volume della radio", {"radio": "louder"}),
        ("it", "accendi la lampada a destra della lampada da tavolo", {"living_door": "on"}),
        (
            "it",
            "accendi le luci in camera e in cucina",
            {"bedroom_left": "on", "bedroom_right": "on", "kitchen": "on"},
        ),
        ("it", "non accendere la lampada in cucina", {}),
    ],
)
def test_devices_are_meant_by_what_they_are_and_where_they_stand(
    language: str, line: str, states: dict[str, str]
) -> None:
    (reply,), switched = talk(line, language=language)
    assert switched == states
    told = {act.value for act in reply.acts if act.act == "inform"}
    assert set(states) <= told


def test_all_devices_of_a_kind_but_one() -> None:
    _, states = talk("switch on all lamps except the kitchen lamp")
    assert "kitchen" not in states and len(states) == 5


def test_a_question_eliminates_rooms_and_then_devices() -> None:
    (rooms, devices, done), states = talk("switch on the lamp", "in the bedroom", "the left one")
    assert rooms.text == "Which lamp do you mean: in the living room, in the bedroom or in the kitchen?"
    assert [act.value for act in devices.acts if act.act == "select"] == ["bedroom_left", "bedroom_right"]
    assert states == {"bedroom_left": "on"} and "is on now" in done.text


@pytest.mark.parametrize(
    ("answer", "states"),
    [
        ("both", {"bedroom_left": "on", "bedroom_right": "on"}),
        ("the right one", {"bedroom_right": "on"}),
        ("never mind", {}),
        ("you choose", {"bedroom_left": "on"}),
    ],
)
def test_answers_to_which_one(answer: str, states: dict[str, str]) -> None:
    assert talk("switch on a lamp in the bedroom", answer)[1] == states


@pytest.mark.parametrize(
    ("language", "lines", "states"),
    [
        (
            "en",
            ["switch on the left lamp in the bedroom", "the other one too", "turn it off"],
            {"bedroom_left": "on", "bedroom_right": "off"},
        ),
        (
            "it",
            ["accendi la lampada a sinistra in camera", "anche l'altra", "spegnila"],
            {"bedroom_left": "on", "bedroom_right": "off"},
        ),
        (
            "en",
            ["switch on the lamp on the left in the bedroom", "no, the one on the right"],
            {"bedroom_right": "on"},
        ),
        ("it", ["accendi la lampada a sinistra in camera", "no, quella a destra"], {"bedroom_right": "on"}),
        ("en", ["the bedroom blinds", "close them please"], {"bedroom_blind": "close"}),
        ("en", ["turn on the radio", "louder"], {"radio": "louder"}),
        (
            "en",
            ["lamp on and blinds down", "the kitchen lamp", "in the bedroom"],
            {"kitchen": "on", "bedroom_blind": "close"},
        ),
        ("en", ["switch on the fan", "close the blinds in the bedroom", "undo"], {"fan": "on"}),
        ("it", ["accendi il ventilatore", "ho sbagliato, annulla"], {}),
        ("en", ["switch on the fan", "start over"], {"fan": "on"}),
    ],
)
def test_a_turn_refers_to_what_was_done_before(
    language: str, lines: list[str], states: dict[str, str]
) -> None:
    assert talk(*lines, language=language)[1] == states


@pytest.mark.parametrize(
    ("language", "lines", "told"),
    [
        ("en", ["switch on the kitchen lamp", "which lamps are on?"], "The kitchen lamp is on."),
        ("en", ["are the blinds in the bedroom closed?"], "The blinds in the bedroom are open."),
        ("it", ["la lampada in cucina è accesa?"], "La lampada in cucina è spenta."),
        ("it", ["sono aperte le tapparelle in camera?"], "Le tapparelle in camera sono alzate."),
        ("en", ["what is on tonight on channel two"], "Tonight on channel two: the quiz at 20:00"),
        ("en", ["what is on tonight", "channel two please"], "The television shows channel two now."),
        (
            "it",
            ["vorrei guardare la televisione", "il canale sportivo"],
            "La televisione mostra il canale sportivo.",
        ),
        ("en", ["record the film tonight"], "I will record the film"),
        ("en", ["are there any messages"], "You have 2 messages. Paola asks"),
        ("en", ["what did the garage say"], "The garage says that the bicycle is ready."),
        ("en", ["delete the messages", "no", "any messages?"], "You have 2 messages."),
        ("en", ["delete the messages", "yes", "any messages?"], "There are no messages."),
        ("en", ["fly to the moon"], "Sorry"),
    ],
)
def test_states_programmes_and_messages_are_told(language: str, lines: list[str], told: str) -> None:
    assert told in talk(*lines, language=language)[0][-1].text


@pytest.mark.parametrize("variant", BOTS["house"].variants)
def test_a_metaphor_changes_the_manner_and_nothing_that_is_done(variant: str) -> None:
    lines = ["switch on the kitchen lamp", "switch on a lamp in the bedroom", "the left one", "goodbye"]
    usual, _ = talk(*lines)
    spoken, states = talk(*lines, bot=FileBot("house", variant))
    assert [reply.acts for reply in spoken] == [reply.acts for reply in usual]
    assert states == {"kitchen": "on", "bedroom_left": "on"}
    assert (spoken[0].text == usual[0].text) == (variant == "invisible-servant")


def test_another_flat_is_another_file(tmp_path: Path) -> None:
    source: dict[str, Any] = YAML(typ="safe").load(FOLDER / "house.yaml")
    rooms = {"hall": {"en": ["the hall", "hall"], "it": ["ingresso"]}}
    names = {"en": "the lamp in the hall", "it": "la lampada nell'ingresso"}
    lamp = {"kind": "lamp", "room": "hall", "places": [], "name": names}
    flat = {"rooms": rooms, "places": source["slots"]["place"]["values"], "devices": {"hall": lamp}}
    file = tmp_path / "mine.yaml"
    YAML().dump(flat, file)
    assert talk("switch on the lamp", bot=FileBot("house", domain=file))[1] == {"hall": "on"}
    wrong = tmp_path / "wrong.yaml"
    YAML().dump({**flat, "devices": {"hall": {**lamp, "room": "cellar"}}}, wrong)
    with pytest.raises(DomainError, match=r"wrong\.yaml: hall"):
        FileBot("house", domain=wrong)
