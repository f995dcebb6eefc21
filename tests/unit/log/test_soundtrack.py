"""A dialogue's recordings, found through the log, with who spoke when."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from scenes.annotating import annotated_study, hold_dialogue
from scenes.voices import conversation
from vivavoce.audio.files import Tracks, encode_sound
from vivavoce.core.clock import ManualClock
from vivavoce.log.recording_events import Content, Speaker
from vivavoce.log.recordings import RecordedSound, erase_recordings, folder_of
from vivavoce.log.soundtrack import dialogue_recordings, soundtrack
from vivavoce.log.store import Log

SAID = (("system", "Hello."), ("user", "A cheap place."), ("system", "What food?"), ("user", "Thai."))


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}", ManualClock()) as log:
        hold_dialogue(log, annotated_study(tmp_path / "study"), 0, said=SAID, channel="phone")
        yield log


def keep(
    log: Log,
    name: str,
    tracks: Tracks,
    speakers: list[Speaker],
    content: Content = "dialogue",
    turn_index: int | None = None,
    started_s: float | None = None,
) -> None:
    kept = folder_of(log).keep(name, encode_sound(tracks, "flac"), "audio/flac")
    sound = RecordedSound("audio/flac", tracks.channels, tracks.rate_hz, len(tracks.samples))
    event = kept.event(
        name, sound, content, speakers, dialogue_id="dialogue-000", turn_index=turn_index, started_s=started_s
    )
    log.transact_now(lambda tx: tx.append("visit-0", event))


def test_where_each_party_has_a_channel_the_sound_says_who_spoke_when_and_the_log_what(log: Log) -> None:
    tracks, spoken = conversation([0.5, 0.7, 0.8, 0.6])
    keep(log, "call", tracks, ["system", "user"])
    (recording,) = dialogue_recordings(log, "dialogue-000")
    made = soundtrack(log, "dialogue-000", recording)
    assert [channel["speaker"] for channel in made["channels"]] == ["system", "user"]
    loudest = [max(channel["peaks"]) for channel in made["channels"]]
    assert loudest == [int(np.abs(tracks.samples[:, number].astype(int)).max()) for number in (0, 1)]
    assert [(one["party"], one["turn_index"], one["text"]) for one in made["turns"]] == [
        (party, number, text) for number, (party, text) in enumerate(SAID)
    ]
    for one, planted in zip(made["turns"], spoken, strict=True):
        assert one["onset_s"] == pytest.approx(planted.onset_s, abs=0.15)
        assert one["offset_s"] == pytest.approx(planted.offset_s, abs=0.15)


def test_where_all_are_on_one_channel_the_log_says_who_spoke_when(log: Log) -> None:
    keep(log, "mixed", Tracks(np.zeros((8000 * 2, 1), np.int16), 8000), ["user"], started_s=-0.25)
    (recording,) = dialogue_recordings(log, "dialogue-000")
    turns = soundtrack(log, "dialogue-000", recording)["turns"]
    # the system's turns lasted from 0 to 0.5 and from 2 to 2.5 s; the second lies after the recording's end
    assert [(one["turn_index"], one["onset_s"], one["offset_s"]) for one in turns] == [(0, 0.25, 0.75)]


def test_a_recording_of_one_turn_is_that_turn(log: Log) -> None:
    keep(log, "turn-3", Tracks(np.ones((4000, 1), np.int16), 8000), ["user"], "turn", turn_index=3)
    keep(log, "check", Tracks(np.ones((4000, 1), np.int16), 8000), ["user"], "check")
    (recording,) = dialogue_recordings(log, "dialogue-000")
    assert soundtrack(log, "dialogue-000", recording)["turns"] == [
        {"party": "user", "onset_s": 0.0, "offset_s": 0.5, "turn_index": 3, "text": "Thai."}
    ]


def test_removed_and_lost_recordings_are_not_there(log: Log) -> None:
    for name in ("first", "second", "third"):
        keep(log, name, Tracks(np.ones((800, 1), np.int16), 8000), ["user"])
    first, second, _ = log.recordings(dialogue_id="dialogue-000")
    erase_recordings(log, [first], "withdrawal")
    (folder_of(log).path / first.file).write_bytes(b"what a crash left")
    folder_of(log).file(second.file).unlink()
    assert [one.recording_id for one in dialogue_recordings(log, "dialogue-000")] == ["third"]
    assert dialogue_recordings(log, "dialogue-001") == []


@pytest.mark.parametrize(
    ("started_s", "duration_s", "shown"),
    [
        (0.0, 9.0, [(0, 0.0, 0.5), (2, 2.0, 2.5)]),
        (0.0, 2.0, [(0, 0.0, 0.5)]),
        (0.0, 2.25, [(0, 0.0, 0.5), (2, 2.0, 2.25)]),
        (0.5, 9.0, [(2, 1.5, 2.0)]),
        (0.25, 9.0, [(0, 0.0, 0.25), (2, 1.75, 2.25)]),
        (2.25, 9.0, [(2, 0.0, 0.25)]),
    ],
)
def test_of_the_log_s_turns_those_are_shown_that_lie_in_the_recording(
    log: Log, started_s: float, duration_s: float, shown: list[tuple[int, float, float]]
) -> None:
    silence = Tracks(np.zeros((round(8000 * duration_s), 1), np.int16), 8000)
    keep(log, "mixed", silence, ["user"], started_s=started_s)
    (recording,) = dialogue_recordings(log, "dialogue-000")
    turns = soundtrack(log, "dialogue-000", recording)["turns"]
    assert [(one["turn_index"], one["onset_s"], one["offset_s"]) for one in turns] == shown
