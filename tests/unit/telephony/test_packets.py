"""Codecs, packets and offers of sound: right by their standards, and unmoved by whatever arrives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce_speech.telephony.g711 import PCMA, PCMU, Codec
from vivavoce_speech.telephony.rtp import KeyPresses, Packet, Sender, read_packet
from vivavoce_speech.telephony.sdp import NoCommonSound, read_offer, write_answer

OFFER = (
    "v=0\r\no=a 1 1 IN IP4 10.0.0.9\r\ns=-\r\nc=IN IP4 10.0.0.9\r\nt=0 0\r\n"
    "m=audio 4000 RTP/AVP 9 8 0 101\r\n"
    "a=rtpmap:9 G722/8000\r\na=rtpmap:101 telephone-event/8000\r\na=sendrecv\r\n"
)


def test_bytes_stand_for_the_samples_of_the_standard() -> None:
    for codec, byte, sample in [
        (PCMU, 0xFF, 0),
        (PCMU, 0x7F, 0),
        (PCMU, 0x80, 32124),
        (PCMU, 0x00, -32124),
        (PCMA, 0xD5, 8),
        (PCMA, 0x55, -8),
        (PCMA, 0xAA, 32256),
        (PCMA, 0x2A, -32256),
    ]:
        assert codec.decode(bytes([byte])).tolist() == [sample]


@pytest.mark.parametrize("codec", [PCMU, PCMA])
def test_every_sample_comes_back_within_the_step_of_its_segment(codec: Codec) -> None:
    samples = np.arange(-32000, 32001, dtype=np.int16)
    back = codec.decode(codec.encode(samples)).astype(int)
    assert np.all(np.abs(back - samples) <= np.maximum(16, np.abs(samples.astype(int)) / 16))


@pytest.mark.parametrize("codec", [PCMU, PCMA])
def test_what_was_decoded_is_encoded_to_the_same_sound(codec: Codec) -> None:
    every = bytes(range(256))
    samples = codec.decode(every)
    assert codec.decode(codec.encode(samples)).tolist() == samples.tolist()


@given(st.integers(0, 127), st.binary(max_size=200), st.integers(1, 2000))
def test_a_packet_that_was_sent_is_read_as_it_was(kind: int, payload: bytes, samples: int) -> None:
    sender = Sender()
    first, second = (read_packet(sender.packet(kind, payload, samples)) for _ in range(2))
    assert first is not None and second is not None
    assert (first.payload_type, first.payload, first.marker, second.marker) == (kind, payload, True, False)
    assert (second.sequence - first.sequence) % 65536 == 1
    assert (second.timestamp - first.timestamp) % 2**32 == samples


@given(st.binary(max_size=300))
def test_no_datagram_is_too_strange(data: bytes) -> None:
    packet = read_packet(data)
    assert packet is None or len(packet.payload) <= len(data) - 12


def test_extensions_and_padding_are_no_sound() -> None:
    header = bytes([0x80 | 0x20 | 0x10, 0]) + bytes(10)
    data = header + b"\xbe\xde\x00\x01" + b"EXTN" + b"sound" + b"\x00\x00\x03"
    packet = read_packet(data)
    assert packet is not None
    assert packet.payload == b"sound"


def test_a_key_is_told_once_though_its_packets_are_repeated_and_its_first_are_lost() -> None:
    presses = KeyPresses()
    ends = [Packet(101, 5 + turn, 1000, bytes([7, 0x80, 4, 0])) for turn in range(3)]
    again = Packet(101, 9, 4000, bytes([7, 0, 0, 10]))
    assert [presses.key(one) for one in (*ends, again, again)] == ["7", None, None, "7", None]
    assert presses.key(Packet(101, 10, 5000, bytes([200, 0, 0, 0]))) is None


def test_the_first_codec_that_we_know_is_taken_and_keys_keep_their_number() -> None:
    offer = read_offer(OFFER)
    assert (offer.host, offer.port, offer.codec.name, offer.key_type) == ("10.0.0.9", 4000, "PCMA", 101)
    answer = write_answer(offer, "127.0.0.1", 5004, 1)
    assert "m=audio 5004 RTP/AVP 8 101\r\n" in answer
    assert read_offer(answer).codec is PCMA


def test_a_hold_is_answered_with_its_counterpart() -> None:
    assert "a=recvonly" in write_answer(read_offer(OFFER.replace("sendrecv", "sendonly")), "127.0.0.1", 1, 1)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("9 8 0 101", "9 101", "PCMU"),
        ("m=audio", "m=video", "no audio"),
        ("c=IN", "x=IN", "no address"),
        ("4000", "0", "no audio"),
        ("c=IN IP4 10.0.0.9", "c=IN IP4 elsewhere.example", "address"),
    ],
)
def test_an_offer_without_common_sound_is_refused(old: str, new: str, words: str) -> None:
    with pytest.raises(NoCommonSound, match=words):
        read_offer(OFFER.replace(old, new))


@given(st.text(max_size=400) | st.lists(st.sampled_from(OFFER.split("\r\n"))).map("\r\n".join))
def test_an_offer_is_read_or_refused(text: str) -> None:
    try:
        assert 0 < read_offer(text).port < 65536
    except NoCommonSound:
        pass
