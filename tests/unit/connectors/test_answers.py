"""Parts of an answer, read with suspicion: texts, choices, pictures, acts, flags."""

from typing import Any

import pytest

from vivavoce.connectors import answers
from vivavoce.connectors.answer_paths import AnswerReader
from vivavoce.connectors.base import Act, Choice, Understood
from vivavoce.core.errors import SystemUnderTestError
from vivavoce.trial.outputs import SystemTurn

PICTURE = "https://example.org/a.png"


@pytest.mark.parametrize(
    ("value", "choice"),
    [
        ("Yes", ("Yes", "Yes")),
        ({"title": "Yes", "payload": "/y"}, ("Yes", "/y")),
        ({"label": "Yes", "value": "/y"}, ("Yes", "/y")),
        ({"text": "Yes"}, ("Yes", "Yes")),
        ({"title": None, "text": "Yes", "payload": 3}, ("Yes", "Yes")),
        ({"payload": "/y"}, None),
        ({"title": 3}, None),
        (3, None),
    ],
)
def test_a_choice_is_a_text_or_has_a_title(value: Any, choice: tuple[str, str] | None) -> None:
    if choice is None:
        with pytest.raises(SystemUnderTestError, match="a choice of the answer is"):
            answers.read_choices([value])
    else:
        assert answers.read_choices([value]) == (Choice(*choice),)


@pytest.mark.parametrize(
    ("read", "value", "expected"),
    [
        (answers.read_images, None, ()),
        (answers.read_images, PICTURE, (PICTURE,)),
        (answers.read_images, [PICTURE, 3], "not an address"),
        (answers.read_images, 3, "where a list is expected"),
        (answers.read_acts, [{"act": "inform", "slot": "n", "value": 2.5}], (Act("inform", "n", "2.5"),)),
        (answers.read_acts, [{"act": "inform", "slot": "n", "value": True}], "value of an act .* True"),
        (answers.read_acts, [{"slot": "n"}], "a mapping with 'act'"),
        (answers.read_acts, ["inform"], "a mapping with 'act'"),
        (answers.read_understood, [{"score": 1}], (Understood((), 1.0),)),
        (answers.read_understood, [{"score": None}], (Understood((), None),)),
        (answers.read_understood, [{"score": True}], "a number is expected"),
        (answers.read_understood, [{"score": "1"}], "a number is expected"),
        (answers.read_understood, [3], "acts and score are expected"),
        (answers.read_flag, None, False),
        (answers.read_flag, True, True),
        (answers.read_flag, "yes", "true or false is expected"),
        (answers.read_texts, ["a", " ", ""], ["a"]),
        (answers.read_texts, ["x", 3], "text is 3 where text"),
        (answers.read_texts, ["<speak>Good<break/>day <b>you</b></speak>"], ["Good day you"]),
        (answers.read_texts, ["<p>as it is</p>"], ["<p>as it is</p>"]),
        (answers.read_texts, ["<speak><p>One</p>two<s>three</s>four</speak>"], ["One two three four"]),
        (answers.clean, {"a\x00": [1.5, float("nan"), "b\ud800"]}, {"a": [1.5, None, "b\ufffd"]}),
        (answers.read_json, b"\xef\xbb\xbf[1]", [1]),
        (answers.read_json, b"\xff", "not UTF-8"),
        (answers.read_json, "<html>", "not JSON: '<html>'"),
        (answers.read_flag, "x" * 58, f"is '{'x' * 58}' where"),
        (answers.read_flag, "x" * 59, f"is '{'x' * 56}\\.\\.\\. where"),
    ],
)
def test_a_part_of_an_answer_is_read_or_refused(read: Any, value: Any, expected: Any) -> None:
    if isinstance(expected, str):
        with pytest.raises(SystemUnderTestError, match=expected):
            read(value)
    else:
        assert read(value) == expected


def test_what_is_marked_up_for_a_synthesiser_goes_on_beside_its_words() -> None:
    marked = '<speak>Good <break time="1s"/>day</speak>'
    read = AnswerReader().read({"text": [marked, "plain"]})
    assert [(one.text, one.ssml) for one in read if one.kind == "message"] == [
        ("Good day", marked),
        ("plain", ""),
    ]
    turn = SystemTurn()
    for output in read:
        turn.take(output, 1.0)
    assert [(one.text, one.ssml) for one in turn.messages] == [("Good day", marked), ("plain", None)]
