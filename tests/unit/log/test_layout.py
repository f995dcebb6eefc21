"""Where the clips of a dialogue lie in the recording that they become."""

from datetime import UTC, datetime, timedelta

import pytest

from scenes.histories import assigned, dialogue_of
from vivavoce.log.event import Event
from vivavoce.log.events import DialogueOpened
from vivavoce.log.microphone_events import MicrophoneOpened
from vivavoce.log.mixdown import Laid, layout
from vivavoce.log.models import StoredEvent
from vivavoce.log.playback_events import SoundDamaged, SoundOffered, SoundPlayed
from vivavoce.log.recording_events import RecordingStored

START = datetime(2026, 1, 1, tzinfo=UTC)
OPENED = (DialogueOpened(dialogue_id="d"), 100.0)
USER, SYSTEM = 1, 0


def clip(name: str, **columns: object) -> RecordingStored:
    return RecordingStored.model_validate({
        "recording_id": name, "file": name, "sha256": "0", "byte_count": 1, "media_type": "audio/flac",
        "content": "turn", "speakers": ["user"], "sample_rate_hz": 8000, "frames": 16000, "duration_s": 2.0,
        "dialogue_id": "d",
    } | columns)  # fmt: skip


def played(turn: int, started_s: float, played_s: float = 1.0) -> SoundPlayed:
    return SoundPlayed(dialogue_id="d", turn_index=turn, started_s=started_s, played_s=played_s)


def offered(turn: int, at_s: float) -> SoundOffered:
    return SoundOffered(dialogue_id="d", turn_index=turn, recording_id=f"system-{turn}", at_s=at_s)


def laid(*events: tuple[Event, float], boot: str = "b") -> list[Laid]:
    """The layout of events at seconds of the clock; those after the opening from a process of this name."""
    happened = ((assigned(), 0.0), *events)
    return layout(dialogue_of(
        StoredEvent(str(seq), "v", seq, START + timedelta(seconds=at), at, "b" if seq < 3 else boot, event)
        for seq, (event, at) in enumerate(happened, 1)
    ))  # fmt: skip


def test_what_users_said_lies_where_the_page_told_or_ends_when_it_came() -> None:
    found = laid(OPENED, (clip("told", started_s=3.5), 109.0), (clip("came"), 112.0), (clip("early"), 101.0))
    assert [(one.recording_id, one.channel, one.start_s, one.timed) for one in found] == [
        ("told", USER, 3.5, True), ("came", USER, 10.0, False), ("early", USER, 0.0, False),
    ]  # fmt: skip


@pytest.mark.parametrize("other", [
    clip("whole", content="dialogue"), clip("both", speakers=["system", "user"]),
    clip("system", speakers=["system"]),
])  # fmt: skip
def test_only_turns_of_users_are_what_users_said(other: RecordingStored) -> None:
    assert laid(OPENED, (other, 105.0), (offered(1, 6.0), 106.0)) == []


def test_what_the_system_said_lies_where_it_was_played_each_time_else_where_it_was_offered() -> None:
    damage = SoundDamaged(dialogue_id="d", turn_index=2, damage={"loss": 0.1}, drawn="7")
    found = laid(
        OPENED, (clip("said", started_s=1.0), 104.0), (offered(1, 5.0), 105.0), (played(1, 5.2, 0.7), 106.0),
        (played(1, 9.0, 2.0), 111.0), (damage, 112.0), (offered(2, 12.0), 112.0),
    )[1:]  # fmt: skip
    assert found == [
        Laid("system-1", SYSTEM, 5.2, 0.7, True), Laid("system-1", SYSTEM, 9.0, 2.0, True),
        Laid("system-2", SYSTEM, 12.0, None, False, damage),
    ]  # fmt: skip


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
