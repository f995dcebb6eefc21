"""Where the clips of a dialogue lie in the recording that they become."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scenes.histories import assigned, dialogue_of
from vivavoce.audio.files import encode_sound, read_tracks
from vivavoce.audio.sound import Sound
from vivavoce.core.clock import ManualClock
from vivavoce.log.event import Event
from vivavoce.log.events import DialogueEnded, DialogueOpened, VisitEnded, VisitOpened
from vivavoce.log.microphone_events import MicrophoneOpened
from vivavoce.log.models import StoredEvent
from vivavoce.log.playback_events import SoundDamaged, SoundOffered, SoundPlayed
from vivavoce.log.recording_events import RecordingRemoved, RecordingStored
from vivavoce.log.recordings import RecordingFolder
from vivavoce.log.store import Log, Transaction
from vivavoce_speech.browser.clip_layout import Laid, layout, waiting, written

START = datetime(2026, 1, 1, tzinfo=UTC)
OPENED = (DialogueOpened(dialogue_id="d"), 100.0)
USER, SYSTEM = 1, 0


def clip(name: str, **columns: object) -> RecordingStored:
    return RecordingStored.model_validate(
        {
            "recording_id": name,
            "file": name,
            "sha256": "0",
            "byte_count": 1,
            "media_type": "audio/flac",
            "content": "turn",
            "speakers": ["user"],
            "sample_rate_hz": 8000,
            "frames": 16000,
            "duration_s": 2.0,
            "dialogue_id": "d",
        }
        | columns
    )


def played(turn: int, started_s: float, played_s: float = 1.0) -> SoundPlayed:
    return SoundPlayed(dialogue_id="d", turn_index=turn, started_s=started_s, played_s=played_s)


def offered(turn: int, at_s: float) -> SoundOffered:
    return SoundOffered(dialogue_id="d", turn_index=turn, recording_id=f"system-{turn}", at_s=at_s)


def laid(*events: tuple[Event, float], boot: str = "b") -> list[Laid]:
    """The layout of events at seconds of the clock; those after the opening from a process of this name."""
    happened = ((assigned(), 0.0), *events)
    return layout(
        dialogue_of(
            StoredEvent(
                str(seq), "v", seq, START + timedelta(seconds=at), at, "b" if seq < 3 else boot, event
            )
            for seq, (event, at) in enumerate(happened, 1)
        )
    )


def test_what_users_said_lies_where_the_page_told_or_ends_when_it_came() -> None:
    found = laid(OPENED, (clip("told", started_s=3.5), 109.0), (clip("came"), 112.0), (clip("early"), 101.0))
    assert [(one.recording_id, one.channel, one.start_s, one.timed) for one in found] == [
        ("told", USER, 3.5, True),
        ("came", USER, 10.0, False),
        ("early", USER, 0.0, False),
    ]


@pytest.mark.parametrize(
    "other",
    [
        clip("whole", content="dialogue"),
        clip("both", speakers=["system", "user"]),
        clip("system", speakers=["system"]),
    ],
)
def test_only_turns_of_users_are_what_users_said(other: RecordingStored) -> None:
    assert laid(OPENED, (other, 105.0), (offered(1, 6.0), 106.0)) == []


def test_what_the_system_said_lies_where_it_was_played_each_time_else_where_it_was_offered() -> None:
    damage = SoundDamaged(dialogue_id="d", turn_index=2, damage={"loss": 0.1}, drawn="7")
    found = laid(
        OPENED,
        (clip("said", started_s=1.0), 104.0),
        (offered(1, 5.0), 105.0),
        (played(1, 5.2, 0.7), 106.0),
        (played(1, 9.0, 2.0), 111.0),
        (damage, 112.0),
        (offered(2, 12.0), 112.0),
    )[1:]
    assert found == [
        Laid("system-1", SYSTEM, 5.2, 0.7, True),
        Laid("system-1", SYSTEM, 9.0, 2.0, True),
        Laid("system-2", SYSTEM, 12.0, None, False, damage),
    ]


def test_a_dialogue_in_which_nothing_has_a_time_is_not_laid_out() -> None:
    assert laid((clip("told", started_s=1.0), 101.0)) == []
    assert laid(OPENED, (clip("came"), 112.0)) == []
    assert len(laid(OPENED, (clip("came"), 112.0), (offered(1, 13.0), 113.0))) == 2
    assert len(laid(OPENED, (clip("told", started_s=1.0), 103.0))) == 1
    assert laid(OPENED, (offered(1, 13.0), 113.0), (played(1, 13.5), 115.0)) == []


def test_clips_beside_an_open_microphone_need_a_time_of_their_own() -> None:
    opened = (MicrophoneOpened(dialogue_id="d", recording_id="r"), 100.0)
    found = laid(OPENED, opened, (clip("told", started_s=1.0), 103.0), (clip("came"), 112.0))
    assert [one.recording_id for one in found] == ["told"]


def test_after_a_restart_the_clock_on_the_wall_tells_unless_it_was_set_back() -> None:
    sound = (offered(1, 13.0), 113.0)
    assert laid(OPENED, (clip("came"), 112.0), sound, boot="next")[0].start_s == 10.0
    assert laid(OPENED, (clip("came"), 95.0), sound, boot="next") == []


RATE_HZ = 16_000


@pytest.mark.parametrize(
    ("starts_s", "lengths_s", "frames"),
    [
        ((3.0, 5.0), (None, None), 2 * RATE_HZ + 1600),  # as far apart as may be
        ((3.0, 5.1), (None, None), None),
        ((3.0,), (0.025,), 400),
        ((3.0, 3.5), (0.05, 0.0), 800),  # nothing was heard of the second
        ((3.0, 9.0), (0.05, 0.0), 800),
        ((3.0,), (0.0,), None),
    ],
)
def test_a_recording_lasts_from_the_first_sound_that_was_heard_to_the_last(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    starts_s: tuple[float, ...],
    lengths_s: tuple[float | None, ...],
    frames: int | None,
) -> None:
    monkeypatch.setattr("vivavoce_speech.browser.clip_layout.LONGEST_S", 2.0)
    folder = RecordingFolder(tmp_path / "recordings")
    kept = folder.keep("clip", encode_sound(Sound(np.full(1600, 7, np.int16), RATE_HZ)), "audio/wav")
    clips = [Laid("clip", USER, start, heard, True) for start, heard in zip(starts_s, lengths_s, strict=True)]
    made = written(folder, "d", clips, {"clip": kept.file})
    assert (made.frames if made is not None else None) == frames
    if made is not None:
        tracks = read_tracks(folder.file(made.file)).samples
        assert len(tracks) == frames
        assert not tracks[:, SYSTEM].any()
        assert (made.started_s, made.clips) == (3.0, len(clips))


def test_dialogues_by_voice_that_ended_before_wait_until_their_recording_is_made(tmp_path: Path) -> None:
    def clips(tx: Transaction, name: str, *contents: str, study: str = "s", **facts: Any) -> None:
        """A visit with a dialogue and recordings of it; content `made` is one that clips became."""
        opened = VisitOpened(study=study, revision="r", participant_id="p", pool="link", language="en")
        tx.append(name, opened)
        tx.append(name, assigned(name, **({"channel": "voice"} | facts)))
        for number, content in enumerate(contents):
            more = {"clips": 1, "clips_placed": 0} if content == "made" else {}
            what = "turn" if content == "turn" else "dialogue"
            tx.append(name, clip(f"{name}-{number}", dialogue_id=name, content=what, **more))

    clock = ManualClock(START)
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}", clock) as log:

        def fill(tx: Transaction) -> None:
            clips(tx, "ready", "turn", "turn")
            clips(tx, "open-microphone", "dialogue")
            clips(tx, "made", "turn", "made")
            clips(tx, "both", "turn", "dialogue")
            clips(tx, "silent")
            clips(tx, "text", "turn", channel="text")
            clips(tx, "elsewhere", "turn", study="other")
            clips(tx, "removed", "turn", "turn")
            tx.append("removed", RecordingRemoved(recording_id="removed-0", reason="erasure"))

        log.transact_now(fill)
        log.transact_now(lambda tx: clips(tx, "running", "turn"))
        log.transact_now(lambda tx: clips(tx, "visit-ended", "turn"))
        log.transact_now(lambda tx: tx.append("visit-ended", VisitEnded(outcome="withdrew")))
        clock.advance(60)
        names = ("ready", "open-microphone", "made", "both", "silent", "text", "elsewhere", "removed")
        for name in names:
            over = DialogueEnded(dialogue_id=name, reason="user", user_turns=1)
            log.transact_now(lambda tx, over=over: tx.append(over.dialogue_id, over))
        at_the_end = START + timedelta(seconds=60)
        always = ("visit-ended", "visit-ended")
        assert waiting(log, "s", at_the_end) == [("ready", "ready"), ("both", "both"), always]
        assert waiting(log, "s", at_the_end - timedelta(seconds=1)) == [always]
        assert waiting(log, "other", at_the_end) == [("elsewhere", "elsewhere")]
