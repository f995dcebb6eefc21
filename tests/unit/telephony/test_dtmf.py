"""Keys that we press: as events that any telephone reads once, or as tones that can be told apart."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce_speech.telephony.dtmf import key_sound
from vivavoce_speech.telephony.leg import FRAME, PhoneLeg
from vivavoce_speech.telephony.rtp import KEYS, KeyPresses, Sender, read_packet

# ITU-T Q.23: rows and columns of the keypad
TONES = {
    key: (row, column)
    for row, keys in ((697, "123A"), (770, "456B"), (852, "789C"), (941, "*0#D"))
    for column, key in zip((1209, 1336, 1477, 1633), keys, strict=True)
}


def energy(samples: np.ndarray, hertz: int) -> float:
    times = np.arange(len(samples)) / 8000
    return float(abs(np.dot(samples.astype(float), np.exp(-2j * np.pi * hertz * times))) / len(samples))


@pytest.mark.parametrize("key", KEYS)
def test_each_key_sounds_by_its_own_pair_of_tones(key: str) -> None:
    tone = key_sound(key)[:800]
    frequencies = (697, 770, 852, 941, 1209, 1336, 1477, 1633)
    loudest = sorted(frequencies, key=lambda hertz: energy(tone, hertz))[-2:]
    assert tuple(sorted(loudest)) == TONES[key]
    assert np.abs(tone.astype(int)).max() < 32_000


def test_a_comma_is_a_second_and_what_is_no_key_is_nothing() -> None:
    assert (len(key_sound(",")), len(key_sound("x"))) == (8000, 0)
    assert not key_sound(",").any()


def test_a_leg_without_events_plays_the_tones() -> None:
    leg = PhoneLeg("call-1", "", "", "test")
    leg.press("5")
    heard = np.concatenate([leg.beat() for _ in range(5)])
    assert energy(heard, 770) > 1000 < energy(heard, 1336)


@given(st.text(alphabet=KEYS, min_size=1, max_size=8), st.data())
def test_every_press_is_read_once_even_if_packets_are_lost(keys: str, data: st.DataObject) -> None:
    sender, presses = Sender(), KeyPresses()
    read, sequences, stamps = "", [], []
    for key in keys:
        packets = [read_packet(one) for one in sender.key_packets(101, key, FRAME)]
        lost = data.draw(st.sets(st.integers(0, len(packets) - 1), max_size=len(packets) - 1))
        for place, packet in enumerate(packets):
            assert packet is not None and packet.payload_type == 101
            sequences.append(packet.sequence)
            stamps.append(packet.timestamp)
            if place not in lost:
                read += presses.key(packet) or ""
        assert len({one.timestamp for one in packets if one}) == 1
        assert [bool(one.payload[1] & 0x80) for one in packets[-3:] if one] == [True] * 3
        assert (
            packets[0] is not None and packets[0].marker and not any(one.marker for one in packets[1:] if one)
        )
    assert read == keys
    assert all((later - before) % 65536 == 1 for before, later in pairwise(sequences))
    after = read_packet(sender.packet(0, b"\xff" * FRAME, FRAME))
    assert after is not None and (after.timestamp - stamps[-1]) % 2**32 == 8 * FRAME and not after.marker
