"""Where things stand in an answer: two languages, told apart by their first sign."""

from typing import Any

import pytest

from vivavoce.connectors.expressions import Expression
from vivavoce.connectors.factory import make_connector
from vivavoce.core.errors import InputError, SystemUnderTestError

ANSWER = {
    "say": "hi",
    "over": False,
    "nothing": None,
    "replies": [{"text": "one", "sure": 0.9}, {"text": "two", "sure": 0.2}, {"wait": 3}],
}


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("say", "hi"),
        ("replies[].text", ["one", "two"]),
        ("$.say", "hi"),
        ("$['over']", False),
        ("$.replies[1].text", "two"),
        ("$.replies[-1].wait", 3),
        ("$.replies[*].text", ["one", "two"]),
        ("$..text", ["one", "two"]),
        ("$.replies[?@.sure > 0.5].text", ["one"]),
        ("$.nothing", None),
        ("$.nobody", None),
        ("$..nobody", None),
        ("$", ANSWER),
    ],
)
def test_an_expression_finds_what_stands_there(written: str, found: Any) -> None:
    assert Expression(written).search(ANSWER) == found


@pytest.mark.parametrize("answer", ["text", 3, None, [], {}])
@pytest.mark.parametrize("written", ["$.say", "$..say", "$[0].say", "say", "replies[].say"])
def test_an_answer_of_another_shape_has_nothing_there(written: str, answer: Any) -> None:
    assert not Expression(written).search(answer)


@pytest.mark.parametrize(
    ("written", "hint"), [("$.replies[", "RFC 9535"), ("$replies", "RFC 9535"), ("replies[", "jmespath")]
)
def test_an_expression_that_cannot_be_read_is_named_with_where_to_look(written: str, hint: str) -> None:
    settings = {"connect": "http", "url": "http://bot.example/", "response": {"text": written}}
    with pytest.raises(InputError) as caught:
        make_connector(settings, {})
    assert repr(written) in str(caught.value) and hint in str(caught.value)
    assert "response.text" in caught.value.place


def test_an_answer_that_breaks_an_expression_is_a_bad_answer() -> None:
    with pytest.raises(SystemUnderTestError, match="not found in the answer"):
        Expression("join(', ', replies)").search(ANSWER)
