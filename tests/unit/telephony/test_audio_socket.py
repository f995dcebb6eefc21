"""Frames of AudioSocket: any cut of a stream gives the same frames, nonsense is refused at once."""

import asyncio
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce_speech.telephony.audio_socket import (
    ERROR,
    HANG_UP,
    KEY,
    LONGEST_SOUND,
    SOUND,
    TICKET,
    BadFrame,
    Frame,
    FrameReader,
    frames,
    sound_frame,
    written,
)

FRAMES = st.one_of(
    st.just(Frame(HANG_UP)),
    st.builds(Frame, st.just(TICKET), st.binary(min_size=16, max_size=16)),
    st.builds(Frame, st.just(KEY), st.binary(min_size=1, max_size=1)),
    st.builds(Frame, st.just(SOUND), st.binary(max_size=400).map(lambda data: data[: len(data) // 2 * 2])),
    st.builds(Frame, st.just(ERROR), st.binary(max_size=4)),
)


def fed(reader: FrameReader, stream: bytes, cuts: list[int]) -> list[Frame]:
    """What a stream gives that arrives in pieces."""
    places = sorted({0, len(stream), *(cut % (len(stream) + 1) for cut in cuts)})
    return [one for start, end in pairwise(places) for one in reader.feed(stream[start:end])]


@given(st.lists(FRAMES, max_size=8), st.lists(st.integers(0, 5000), max_size=12))
def test_a_stream_cut_anywhere_gives_the_frames_that_were_written(sent: list[Frame], cuts: list[int]) -> None:
    reader = FrameReader()
    assert fed(reader, b"".join(map(written, sent)), cuts) == sent
    reader.close()


@given(st.lists(FRAMES, max_size=4), FRAMES, st.integers(1, 500))
def test_a_stream_that_ends_within_a_frame_is_told_of(whole: list[Frame], last: Frame, missing: int) -> None:
    begun = written(last)[: max(1, len(written(last)) - missing)]
    reader = FrameReader()
    assert list(reader.feed(b"".join(map(written, whole)) + begun)) == whole
    with pytest.raises(BadFrame, match="into a frame"):
        reader.close()


@given(st.binary(max_size=2000), st.lists(st.integers(0, 5000), max_size=6))
def test_no_bytes_break_the_reader_and_what_it_gives_is_what_was_sent(
    garbage: bytes, cuts: list[int]
) -> None:
    reader = FrameReader()
    try:
        found = fed(reader, garbage, cuts)
    except BadFrame:
        return
    assert garbage.startswith(b"".join(map(written, found)))


def test_what_no_asterisk_sends_is_refused_before_its_payload_comes() -> None:
    for header, words in [
        (b"GET / HTTP/1.1\r\n", "unknown kind 0x47"),
        (b"\x10\xff\xfe", "kind 0x10 with 65534 bytes"),
        (b"\x10" + (LONGEST_SOUND + 2).to_bytes(2, "big"), "bytes"),
        (b"\x10\x00\x03", "kind 0x10 with 3 bytes"),
        (b"\x01\x00\x0f", "kind 0x01 with 15 bytes"),
        (b"\x03\x00\x02", "kind 0x03 with 2 bytes"),
    ]:
        with pytest.raises(BadFrame, match=words):
            list(FrameReader().feed(header))


def test_sound_goes_as_20_ms_of_little_endian_samples() -> None:
    stream = sound_frame(np.arange(-80, 80, dtype=np.int16) * 256)
    assert stream[:5] == b"\x10\x01\x40\x00\xb0"  # as documented: kind, 320 bytes; -80 * 256 = 0xb000
    (frame,) = FrameReader().feed(stream)
    assert frame.samples.tolist() == [256 * value for value in range(-80, 80)]


def test_a_connection_gives_its_frames_and_ends_with_it() -> None:
    async def run(last: bytes) -> list[Frame]:
        reader = asyncio.StreamReader()
        reader.feed_data(written(Frame(KEY, b"4")) + written(Frame(HANG_UP)) + last)
        reader.feed_eof()
        return [frame async for frame in frames(reader)]

    assert asyncio.run(run(b"")) == [Frame(KEY, b"4"), Frame(HANG_UP)]
    with pytest.raises(BadFrame):
        asyncio.run(run(b"\x10\x01"))
