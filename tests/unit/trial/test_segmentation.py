"""One recording of all commands: cut by voice activity, corrected, and stored as commands of their own."""

import asyncio
import io
import wave
from array import array
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenes.eliciting import commanding_study, onsets, packed, wav
from scenes.voices import RATE, voice
from vivavoce.audio.files import pcm16
from vivavoce.log.events import LoggedSegment
from vivavoce.log.export import export_dataset
from vivavoce.log.recordings import check_recordings
from vivavoce.log.store import Log
from vivavoce.steps.stimulus import Rejected
from vivavoce.trial import response_sound
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.errors import Refused, Stale
from vivavoce.trial.response_sound import SHORTEST_S, check_borders, cut_out, proposed

TONES = [(0.5, 1.0), (1.75, 2.5), (3.0, 3.6)]


def tones(total_s: float = 4.0, rate: int = 16_000) -> bytes:
    sound = np.zeros(round(total_s * rate), np.int16)
    for begin, end in TONES:
        place = np.arange(round(begin * rate), round(end * rate))
        sound[place] = (16_000 * np.sin(2 * np.pi * 1000 * (place + 1) / rate)).astype(np.int16)
    return packed(array("h", sound.tolist()), rate)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        yield log


def play(tmp_path: Path, log: Log, move: Callable[[SessionEngine, str], Awaitable[None]]) -> None:
    async def run() -> None:
        engine = SessionEngine(commanding_study(tmp_path / "study", single_take=True), log, {})
        await engine.start()
        try:
            await move(engine, (await engine.open_visit(language="en")).visit_id)
        finally:
            await engine.stop()

    asyncio.run(run())


def test_the_speaker_s_borders_make_the_commands(tmp_path: Path, log: Log) -> None:
    async def move(engine: SessionEngine, visit: str) -> None:
        steps = engine.forms
        await steps.record(visit, step=0, position=0, key="whole-key-1", audio=wav(1.0))
        seq = await steps.record(visit, step=0, position=0, key="whole-key-2", audio=tones())
        assert await steps.record(visit, step=0, position=0, key="whole-key-2", audio=tones()) == seq
        cut = (await engine.state(visit)).whole
        assert cut is not None
        first, _, third = [LoggedSegment(onset_s=a - 0.1, offset_s=b + 0.1) for a, b in TONES]
        await steps.cut(visit, step=0, recording_id=cut.recording_id, borders=[first, None, third])
        assert (await engine.state(visit)).phase == "ended"
        with pytest.raises(Stale):
            await steps.cut(visit, step=0, recording_id=cut.recording_id, borders=[first, None, third])

    play(tmp_path, log, move)
    dataset = export_dataset(log, "tea", tmp_path / "data", audio=True)
    rows = dataset.read("commands").to_pylist()
    assert [(row["frame"], round(row["duration_s"], 3)) for row in rows] == [("fill", 0.7), ("pour", 0.8)]
    heard = [onsets((dataset.folder / row["recording"]).read_bytes()) for row in rows]
    assert [len(one) for one in heard] == [1, 1]
    assert all(abs(one[0] - 0.1) < 0.02 for one in heard)
    assert [(one.content, one.removal) for one in log.recordings()] == [
        ("commands", "redone"),
        ("commands", None),
        ("command", None),
        ("command", None),
    ]
    assert check_recordings(log, content=True).lines() == []


@pytest.mark.parametrize(
    "borders",
    [
        [(0.0, 1.0), (2.0, 2.05), None],
        [(0.0, 1.0), (3.0, 9.0), None],
        [None, None, None],
        [(-1.0, 1.0), None, None],
        [(0.0, 1.0)],
        [(float("nan"), 1.0), None, None],
    ],
    ids=["too short", "past the end", "no command", "before the beginning", "too few", "no number"],
)
def test_borders_that_cannot_be_are_refused_and_nothing_is_stored(
    tmp_path: Path, log: Log, borders: list[tuple[float, float] | None]
) -> None:
    async def move(engine: SessionEngine, visit: str) -> None:
        await engine.forms.record(visit, step=0, position=0, key="whole-key-1", audio=tones())
        cut = (await engine.state(visit)).whole
        assert cut is not None
        segments = [one and LoggedSegment(onset_s=one[0], offset_s=one[1]) for one in borders]
        with pytest.raises(Rejected, match="Check the borders"):
            await engine.forms.cut(visit, step=0, recording_id=cut.recording_id, borders=segments)

    play(tmp_path, log, move)
    assert [one.content for one in log.recordings()] == ["commands"]


def test_stretches_with_the_shortest_pauses_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [response_sound.SpeechInterval(*one) for one in ((0.0, 1.0), (1.5, 2.0), (4.0, 5.0), (5.2, 6.0))]
    monkeypatch.setattr(response_sound, "speech_intervals", lambda *_, **__: list(found))
    borders = [(one.onset_s, one.offset_s) for one in proposed(wav(0.1), 2)]
    assert borders == [(0.0, 2.0), (4.0, 6.0)]
    assert len(proposed(wav(0.1), 9)) == 4


def test_spoken_commands_are_found_where_they_were_said() -> None:
    said = ("Put the pan on the hob.", "Break two eggs into the bowl.", "Stir the eggs.")
    pieces, borders, at = [], [], 0.0
    for words in said:
        sound = voice(words)
        at += 1.0
        borders.append((at, at + len(sound) / RATE))
        pieces += [np.zeros(RATE), sound]
        at += len(sound) / RATE
    samples = pcm16(np.concatenate([*pieces, np.zeros(RATE)]))
    found = proposed(packed(array("h", samples.tolist()), RATE), 3)
    assert len(found) == 3
    for segment, (onset, offset) in zip(found, borders, strict=True):
        assert abs(segment.onset_s - onset) < 0.15
        assert abs(segment.offset_s - offset) < 0.15


def test_silence_proposes_nothing() -> None:
    assert proposed(packed(array("h", bytes(32_000)), 16_000), 3) == []


@given(st.floats(0, 4), st.floats(0, 4))
def test_a_piece_is_as_long_as_its_borders_say(one: float, other: float) -> None:
    onset, offset = sorted((one, other))
    piece = cut_out(tones(), LoggedSegment(onset_s=onset, offset_s=offset))
    with wave.open(io.BytesIO(piece)) as file:
        assert abs(file.getnframes() / file.getframerate() - (offset - onset)) < 1e-3


@pytest.mark.parametrize(
    ("spans", "stimuli", "right"),
    [
        ([(0.0, SHORTEST_S)], 1, True),
        ([(0.0, SHORTEST_S / 2)], 1, False),
        ([(-0.1, 1.0)], 1, False),
        ([(8.0, 10.001)], 1, True),
        ([(8.0, 10.1)], 1, False),
        ([(2.0, 1.0)], 1, False),
        ([(0.0, 1.0), None], 2, True),
        ([None, None], 2, False),
        ([(0.0, 1.0)], 2, False),
        ([(0.0, 1.0), (2.0, 3.0)], 1, False),
    ],
)
def test_a_cut_lies_within_the_recording_one_place_a_stimulus(
    spans: list[tuple[float, float] | None], stimuli: int, right: bool
) -> None:
    """Of a recording of ten seconds."""
    segments = [LoggedSegment(onset_s=one[0], offset_s=one[1]) if one else None for one in spans]
    if right:
        check_borders(segments, stimuli, 10.0)
        return
    with pytest.raises(Rejected, match="Check the borders"):
        check_borders(segments, stimuli, 10.0)


def sound_file(frames: int, rate: int = 8000, channels: int = 1, width: int = 2, cut: int = 0) -> bytes:
    into = io.BytesIO()
    with wave.open(into, "wb") as file:
        file.setparams((channels, width, rate, 0, "NONE", ""))
        size = frames * channels * width
        file.writeframes((bytes(range(256)) * (size // 256 + 1))[:size])
    whole = into.getvalue()
    return whole[: len(whole) - cut]


def test_a_recording_is_one_channel_of_sixteen_bits_and_whole() -> None:
    for audio, reason in [
        (sound_file(1), None),
        (sound_file(100, rate=8000), None),
        (sound_file(100, rate=192_000), None),
        (sound_file(100, rate=7999), "bad_audio"),
        (sound_file(100, rate=192_001), "bad_audio"),
        (sound_file(100, channels=2), "bad_audio"),
        (sound_file(100, width=1), "bad_audio"),
        (sound_file(100, cut=2), "bad_audio"),
        (sound_file(0), "empty"),
        (b"", "bad_audio"),
        (b"RIFF", "bad_audio"),
    ]:
        if reason is None:
            assert response_sound.sound_of(audio).channels == 1
        else:
            with pytest.raises(Refused) as caught:
                response_sound.sound_of(audio)
            assert caught.value.reason == reason


def test_what_is_wrong_with_a_recording_is_said() -> None:
    with pytest.raises(Refused, match="2 channels, 24 bits, 16000 Hz, whole: True"):
        response_sound.sound_of(sound_file(100, channels=2, width=3, rate=16_000))


@pytest.mark.parametrize(
    ("onset_s", "offset_s", "begin", "end"),
    [
        (0.0, 0.5, 0, 4000),
        (0.25, 0.5, 2000, 4000),
        (0.75, 2.0, 6000, 8000),
        (1.0, 2.0, 8000, 8000),
        (2.0, 3.0, 8000, 8000),
    ],
)
def test_a_piece_is_cut_out_to_the_frame(onset_s: float, offset_s: float, begin: int, end: int) -> None:
    audio = sound_file(8000)
    piece = cut_out(audio, LoggedSegment(onset_s=onset_s, offset_s=offset_s))
    with wave.open(io.BytesIO(audio)) as whole, wave.open(io.BytesIO(piece)) as cut:
        samples = whole.readframes(8000)
        assert cut.readframes(8000) == samples[2 * begin : 2 * end] and cut.getframerate() == 8000


def test_borders_must_hold_a_piece_for_each_stimulus_within_the_recording() -> None:
    """Of four seconds; what begins no earlier than it ends is none, nor what lasts less than a tenth."""
    for borders, stimuli, sound in [
        ([(0.0, 0.125)], 1, True),
        ([(0.0, 0.0625)], 1, False),
        ([(-0.5, 0.5)], 1, False),
        ([(0.5, 0.25)], 1, False),
        ([(3.0, 4.0)], 1, True),
        ([(3.0, 4.0005)], 1, True),
        ([(3.0, 4.25)], 1, False),
        ([(0.0, 1.0), None], 2, True),
        ([None, None], 2, False),
        ([(0.0, 1.0)], 2, False),
        ([(0.0, 1.0), (1.0, 2.0)], 1, False),
        ([(0.0, 1.0), (1.0, 1.0)], 2, False),
    ]:
        pieces = [one and LoggedSegment(onset_s=one[0], offset_s=one[1]) for one in borders]
        if sound:
            check_borders(pieces, stimuli, 4.0)
        else:
            with pytest.raises(Rejected):
                check_borders(pieces, stimuli, 4.0)
