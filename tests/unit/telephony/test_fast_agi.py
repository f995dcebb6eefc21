"""What Asterisk asks about a call: who calls which number, and what is no question at all."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenes.telephone_exchange import facts
from vivavoce_speech.telephony.asterisk import BadRequest, called_of, caller_of, read_facts


def read(data: bytes) -> dict[str, str]:
    async def run() -> dict[str, str]:
        reader = asyncio.StreamReader(limit=65_536)
        reader.feed_data(data)
        reader.feed_eof()
        return await read_facts(reader)

    return asyncio.run(run())


def test_the_facts_of_a_call_are_read_up_to_the_empty_line() -> None:
    told = read(facts("+390612345678", "31415") + b"agi_extension: 666\n\n")
    assert (caller_of(told), called_of(told)) == ("+390612345678", "31415")


def test_a_number_that_is_withheld_is_none() -> None:
    for caller, presentation, known in [
        ("5550101", "0", "5550101"),
        ("5550101", "3", "5550101"),
        ("5550101", "35", ""),
        ("5550101", "67", ""),
        ("", "0", ""),
        ("anonymous", "0", ""),
        ("desk", "0", "desk"),
        ("5 5", "0", ""),
        ("1" * 65, "0", ""),
    ]:
        assert caller_of(read(facts(caller, "100", callingpres=presentation))) == known


def test_the_number_that_was_dialled_is_the_dial_plans_argument_else_the_extension() -> None:
    assert called_of(read(facts("1", "100", extension="s"))) == "100"
    assert called_of(read(facts("1", "100", arg_1=""))) == "100"
    assert called_of({}) == ""


def test_what_is_no_question_is_refused() -> None:
    for data in [
        b"",
        b"\n",
        b"GET / HTTP/1.1\n\n",
        b"agi_x: 1\n",
        b"agi_x: 1",
        b"agi_x: " + b"1" * 70_000 + b"\n\n",
        b"agi_x: 1\n" * 300 + b"\n",
        b"\xff\xfe\n\n",
    ]:
        with pytest.raises(BadRequest):
            read(data)


@given(st.binary(max_size=400) | st.text(max_size=200).map(lambda text: f"agi_{text}\n\n".encode()))
def test_no_bytes_break_the_reader_and_numbers_are_short_and_plain(data: bytes) -> None:
    try:
        told = read(data)
    except BadRequest:
        return
    for number in (caller_of(told), called_of(told)):
        assert len(number) <= 65 and number.isprintable() and '"' not in number
