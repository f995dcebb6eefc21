"""The rows of a dialogue: of each turn what was said, by whom it is known, and when."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from scenes.histories import assigned, dialogue_of
from vivavoce.log.call_events import SpeechHeard
from vivavoce.log.dialogue_rows import DialogueRows, Readers
from vivavoce.log.event import Event
from vivavoce.log.events import (
    AgentWork,
    CodeIssued,
    DialogueEnded,
    DialogueOpened,
    LoggedAct,
    LoggedHypothesis,
    LoggedMessage,
    LoggedToolCall,
    LoggedUsage,
    NoAnswer,
    SystemTurnFailed,
    SystemTurnReceived,
    UserTurnSent,
)
from vivavoce.log.models import StoredEvent
from vivavoce.log.playback_events import SoundPlayed
from vivavoce.study.prices import Prices

START = datetime(2026, 1, 1, tzinfo=UTC)
INFORM = LoggedAct(act="inform", slot="food", value="thai")
HEARD = [
    LoggedHypothesis(text="a tie place", score=0.7),
    LoggedHypothesis(text=None),
    LoggedHypothesis(text="b"),
]


def rows_of(
    *happened: tuple[float, Event],
    channel: str = "text",
    readers: Readers | None = None,
    restarts: tuple[int, ...] = (),
    task: dict[str, Any] | None = None,
    **more: Any,
) -> DialogueRows:
    """The rows of events at seconds from the opening; the service starts anew before those in `restarts`."""
    whole = [(0.0, assigned(channel=channel, task=task, **more)), (0.0, DialogueOpened(dialogue_id="d"))]
    stored = [
        StoredEvent(
            str(seq),
            "v",
            seq,
            START + timedelta(seconds=at_s),
            50.0 + at_s,
            f"b{sum(seq > 2 + one for one in restarts)}",
            event,
        )
        for seq, (at_s, event) in enumerate([*whole, *happened], 1)
    ]
    return DialogueRows(dialogue_of(stored), readers or Readers())


def user(text: str = "thai", index: int = 0, **more: Any) -> UserTurnSent:
    return UserTurnSent(dialogue_id="d", turn_index=index, text=text, **more)


def system(text: str | None = "Which food?", index: int = 1, reply_to: int | None = 0, **more: Any) -> Event:
    messages = [] if text is None else [LoggedMessage(text=text)]
    return SystemTurnReceived(dialogue_id="d", turn_index=index, reply_to=reply_to, messages=messages, **more)


@pytest.mark.parametrize(
    ("delays", "onset_s"),
    [((4.0, 1.0), 7.0), ((4.0, 0.0), 6.0), ((None, 1.0), None), ((4.0, None), None), ((None, None), None)],
)
def test_a_typed_turn_begins_with_its_first_key(
    delays: tuple[float | None, float | None], onset_s: float | None
) -> None:
    (turn,) = rows_of((10.0, user(response_delay_s=delays[0], first_key_delay_s=delays[1]))).turns
    assert (turn["onset_s"], turn["offset_s"], turn["sent_s"]) == (onset_s, 10.0, 10.0)


def test_what_was_said_is_known_of_what_was_typed_and_not_of_what_was_recognised() -> None:
    for channel, said, text, reference, spoken in [
        ("text", {"text": ""}, "", "", False),
        ("text", {"heard": HEARD}, "a tie place", "thai", False),
        ("voice", {}, "thai", "thai", False),  # written in a dialogue by voice
        ("voice", {"heard": HEARD}, "a tie place", None, True),
        ("phone", {"heard": HEARD}, "a tie place", None, True),
        ("voice", {"heard": HEARD, "meant": [INFORM]}, "a tie place", "thai", False),
        ("voice", {"text": "", "sound": "r"}, None, None, True),
        ("text", {"text": "", "sound": "r"}, None, None, False),
    ]:
        turn = user(**({"onset_s": 2.0, "offset_s": 3.0} | said))
        made = rows_of((10.0, turn), channel=channel)
        (row,) = made.turns
        assert (row["text"], row["reference"], row["by_sound"]) == (text, reference, "sound" in said)
        assert (row["onset_s"], row["offset_s"], row["sent_s"]) == (
            (2.0, 3.0, None) if spoken else (None, 10.0, 10.0)
        )
        assert [one["content"] for one in made.utterances] == ["turn"] * spoken
        ranks = [(one["rank"], one["text"], one["source"]) for one in made.hypotheses]
        assert ranks == ([(0, "a tie place", "live"), (1, "b", "live")] if "heard" in said else [])


@pytest.mark.parametrize("known", [{}, {"onset_s": 2.0}, {"offset_s": 3.0}])
def test_an_utterance_needs_both_its_ends(known: dict[str, float]) -> None:
    assert rows_of((10.0, user(heard=HEARD, **known)), channel="voice").utterances == []


def test_an_accepted_transcript_is_what_was_said() -> None:
    readers = Readers(references={("d", 0): "a thai place", ("d", 1): "other", ("e", 0): "other"})
    (turn,) = rows_of((10.0, user(heard=HEARD)), channel="voice", readers=readers).turns
    assert (turn["text"], turn["reference"]) == ("a tie place", "a thai place")


def test_a_user_turn_means_what_is_known_of_it_or_what_a_parser_reads() -> None:
    def parse(text: str, language: str, before: list[LoggedAct]) -> list[LoggedAct]:
        return [LoggedAct(act="parsed", value=f"{text} {language} {len(before)}")] if text != "hm" else []

    def meant(turn: UserTurnSent, readers: Readers, channel: str = "text") -> list[tuple[Any, ...]]:
        acts = rows_of(
            (1.0, system(reply_to=None, index=0, acts=[INFORM])),
            (9.0, turn),
            readers=readers,
            channel=channel,
        ).acts
        return [(one["source"], one["act"], one["value"]) for one in acts if one["layer"] == "reference"]

    parser = Readers(parse=parse)
    assert meant(user(index=1), Readers()) == []
    assert meant(user(index=1), parser) == [("parser", "parsed", "thai en 1")]
    assert meant(user("hm", index=1), parser) == [("parser", "null", None)]
    assert meant(user(index=1, meant=[INFORM]), parser) == [("simulator", "inform", "thai")]
    assert meant(user(index=1, meant=[]), parser) == [("simulator", "null", None)]
    assert meant(user(index=1, heard=HEARD), parser, "voice") == [], "nobody knows what was said"


def test_what_a_system_says_that_it_heard_stands_for_words_that_nobody_else_knows() -> None:
    heard = [LoggedHypothesis(text="a tie")]
    made = rows_of((2.0, user("", sound="r")), (3.0, system(heard=heard)), channel="voice")
    assert made.turns[0]["text"] == "a tie" and [one["text"] for one in made.hypotheses] == ["a tie"]
    typed = rows_of((2.0, user()), (3.0, system(heard=heard)), channel="voice")
    assert typed.turns[0]["text"] == "thai" and len(typed.hypotheses) == 1
    asked_nothing = rows_of((2.0, user("", sound="r")), (3.0, system(heard=heard, reply_to=None)))
    assert asked_nothing.turns[0]["text"] is None and asked_nothing.hypotheses == []
    nothing = rows_of((2.0, user("", sound="r")), (3.0, system()))
    assert nothing.turns[0]["text"] is None and nothing.hypotheses == []


def test_the_turn_that_was_cut_off_says_how_much_of_it_was_heard() -> None:
    turns = rows_of(
        (1.0, system("First.", 0, None)),
        (2.0, user(index=1)),
        (3.0, system("Second.", 2, 1)),
        (4.0, user(index=3, played_s=0.0)),
        (5.0, user(index=4)),
    ).turns
    assert [one.get("played_s") for one in turns] == [None, None, 0.0, None, None]
    (alone,) = rows_of((1.0, user(played_s=1.0))).turns
    assert "played_s" not in alone


@pytest.mark.parametrize(
    ("restarts", "marked"),
    [((), [0, 0, 0]), ((0,), [1, 0, 0]), ((1,), [0, 1, 0]), ((1, 2), [0, 1, 1])],
)
def test_the_turn_after_a_restart_is_marked(restarts: tuple[int, ...], marked: list[int]) -> None:
    happened = (
        (1.0, system(index=0, reply_to=None)),
        (2.0, user(index=1)),
        (3.0, system(index=2, reply_to=1)),
    )
    assert [one["restarted"] for one in rows_of(*happened, restarts=restarts).turns] == list(
        map(bool, marked)
    )


@pytest.mark.parametrize(
    ("text", "sound", "words"),
    [("Hi.", None, "Hi."), ("Hi.", "r", "Hi."), (None, "r", None), (None, None, "")],
)
def test_what_a_system_spoke_by_itself_has_no_words_unless_it_tells_them(
    text: str | None, sound: str | None, words: str | None
) -> None:
    (turn,) = rows_of((1.0, system(text, 0, None, sound=sound, first_output_s=0.5, complete_s=0.9))).turns
    assert (turn["text"], turn["reference"], turn["by_sound"]) == (words, words, sound is not None)
    assert (turn["onset_s"], turn["offset_s"]) == (0.5, 0.9)


def test_a_system_turn_that_was_played_lasts_as_long_as_it_was_heard_first() -> None:
    def played(started_s: float, played_s: float, **more: Any) -> Event:
        return SoundPlayed(dialogue_id="d", turn_index=0, started_s=started_s, played_s=played_s, **more)

    made = rows_of(
        (1.0, system(index=0, reply_to=None, first_output_s=0.5, complete_s=0.9)),
        (4.0, played(2.0, 1.5)),
        (9.0, played(6.0, 2.0, again=True)),
    )
    assert (made.turns[0]["onset_s"], made.turns[0]["offset_s"]) == (2.0, 3.5)
    assert [(one["onset_s"], one["offset_s"]) for one in made.utterances] == [(2.0, 3.5)]
    assert made.dialogue()["duration_s"] == 1.5


@pytest.mark.parametrize(("reply_to", "layers"), [(0, ["understood"]), (None, [])])
def test_what_was_understood_is_of_the_turn_that_was_answered(
    reply_to: int | None, layers: list[str]
) -> None:
    understood = [LoggedHypothesis(acts=[INFORM], score=0.5)]
    made = rows_of((1.0, user()), (2.0, system(reply_to=reply_to, understood=understood)))
    found = [(one["layer"], one["turn_index"], one["score"]) for one in made.acts]
    assert found == [(one, 0, 0.5) for one in layers]


def test_a_dialogue_without_turns_lasted_until_its_end() -> None:
    ended = DialogueEnded(dialogue_id="d", reason="user", user_turns=0, duration_s=7.0)
    assert rows_of((7.0, ended)).dialogue()["duration_s"] == 7.0
    assert rows_of((2.0, user()), (7.0, ended)).dialogue()["duration_s"] == 0.0
    assert rows_of().dialogue()["duration_s"] is None


def test_a_dialogue_is_of_its_condition_else_of_its_system() -> None:
    assert rows_of(condition="quiet").dialogue()["condition"] == "quiet"
    assert rows_of().dialogue()["condition"] == "one"


@pytest.mark.parametrize(
    ("facts", "reply_to", "text", "sources"),
    [
        ({"replaces": "recognition", "gave": "a thai place"}, 0, "a thai place", ["log", "log", "live"]),
        ({"replaces": "recognition", "gave": None}, 0, "a tie place", ["live", "live"]),
        ({"replaces": "management", "gave": "a thai place"}, 0, "a tie place", ["live", "live"]),
        ({"replaces": "recognition", "gave": "a thai place"}, None, "a tie place", ["live", "live"]),
        ({"gave": "a thai place"}, 0, "a tie place", ["live", "live"]),  # a bot's own fact
    ],
)
def test_what_a_wizard_heard_goes_before_what_was_recognised(
    facts: dict[str, Any], reply_to: int | None, text: str, sources: list[str]
) -> None:
    raw = ["a text", {"wizard": "Rosa"} | facts]
    made = rows_of(
        (1.0, user(heard=HEARD)),
        (2.0, system(raw=raw, reply_to=reply_to)),
        (3.0, user(index=2, heard=HEARD)),
        channel="voice",
    )
    assert [one["text"] for one in made.turns] == [text, "Which food?", "a tie place"]
    told = [(one["source"], one["text"]) for one in made.hypotheses if one["turn_index"] == 0]
    assert told == list(zip(sources, ["a tie place", "b", "a thai place"], strict=False))
    assert [one["source"] for one in made.hypotheses if one["turn_index"] == 2] == ["live", "live"]


def test_whether_a_code_was_issued_is_told() -> None:
    assert rows_of().dialogue()["code_issued"] is False
    assert rows_of((1.0, CodeIssued(dialogue_id="d", code="1234"))).dialogue()["code_issued"] is True


FAILED = SystemTurnFailed(dialogue_id="d", reply_to=0, failure="timeout", detail="x")
TOLD, UNTOLD = AgentWork(tools=[LoggedToolCall(name="find")]), AgentWork()


def test_calls_of_tools_are_logged_where_every_answer_told_its_own() -> None:
    for happened, logged in [
        ([], None),
        ([system(agent=TOLD)], True),
        ([system(agent=UNTOLD)], None),
        ([system(agent=TOLD), system(index=2)], None),
        ([system(), system(index=2, agent=TOLD)], None),
        ([system(reply_to=None), system(index=2, agent=TOLD)], True),  # a greeting answers nothing
        ([NoAnswer(dialogue_id="d", reply_to=None), system(agent=TOLD)], True),
        ([NoAnswer(dialogue_id="d", reply_to=0), system(agent=TOLD)], None),
        ([NoAnswer(dialogue_id="d", reply_to=0, agent=TOLD)], True),
        ([FAILED, system(agent=TOLD)], True),
    ]:
        assert rows_of(*((1.0, one) for one in happened)).dialogue()["tools_logged"] is logged


def test_calls_of_models_have_a_price_where_the_study_says_one() -> None:
    used = AgentWork(tools=TOLD.tools, usage=[LoggedUsage(model="m", input_tokens=1000, output_tokens=10)])
    prices = Prices.model_validate({"currency": "EUR", "models": {"m": {"input": 2.0, "output": 5.0}}})
    for known, price in ((prices, {"cost": 0.00205, "currency": "EUR"}), (None, {})):
        tables = rows_of((1.0, system(agent=used)), readers=Readers(prices=known)).agent.tables
        assert [
            {name: one[name] for name in ("cost", "currency") if name in one} for one in tables["usage"]
        ] == [price]
        assert "cost" not in tables["tool_calls"][0]


def test_goals_are_those_of_the_task_and_of_its_alternative() -> None:
    task = {
        "type": "restaurant",
        "constraints": {"food": "thai"},
        "requests": ["phone"],
        "alternative": {"constraints": {"food": "any"}},
    }

    def goals(task: dict[str, Any] | None) -> list[tuple[Any, ...]]:
        return [
            tuple(one.get(key) for key in ("goal_index", "kind", "slot", "value"))
            for one in rows_of(task=task).goals()
        ]

    more = [
        (index, kind, slot, value)
        for index in (0, 1)
        for kind, slot, value in (
            ("type", None, "restaurant"),
            ("constraint", "food", ("thai", "any")[index]),
            ("request", "phone", None),
        )
    ]
    assert goals(task) == more
    assert goals(task | {"alternative": None, "type": None}) == more[1:3]
    assert goals({"constraints": None, "requests": None}) == goals({}) == goals(None) == []


def test_who_cut_in_where_a_dialogue_was_only_listened_to() -> None:
    spoken = [("system", 0.0, 2.0), ("user", 1.5, 3.0), ("system", 2.8, 4.0)]
    names = ("party", "onset_s", "offset_s")
    heard = [SpeechHeard(dialogue_id="d", **dict(zip(names, one, strict=True))) for one in spoken]
    turns = rows_of(*((one.offset_s, one) for one in heard), channel="phone").turns
    assert [(one["party"], one.get("barge_in")) for one in turns] == [
        ("system", None),
        ("user", True),
        ("system", None),
    ]
    assert ["barge_in" in one for one in turns] == [False, True, False]
