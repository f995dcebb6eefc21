"""A dialogue's recordings on the dashboard: heard and drawn for those who are signed in."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from starlette.testclient import TestClient

from scenes.translated import untranslated
from vivavoce.audio.files import Tracks, encode_sound
from vivavoce.log.models import DialogueRecord
from vivavoce.log.recording_events import Content
from vivavoce.log.recordings import RecordedSound, erase_recordings, folder_of
from vivavoce.log.store import Log
from vivavoce.study.model import Study

Enter = Callable[..., TestClient]
RATE = 8000


@pytest.fixture
def recorded(log: Log, study: Study) -> DialogueRecord:
    """A dialogue whose call was recorded, with one turn that was recorded by itself."""
    held = next(one for one in log.dialogues(study.name) if one.status == "completed")
    samples = np.zeros((2 * RATE, 2), np.int16)
    samples[RATE:, 1] = 5000
    keep(log, held, "call", Tracks(samples, RATE), "dialogue")
    keep(log, held, "turn", Tracks(samples[:, 1:], RATE), "turn", turn_index=1)
    return held


def keep(
    log: Log, held: DialogueRecord, name: str, tracks: Tracks, content: Content, turn_index: int | None = None
) -> bytes:
    audio = encode_sound(tracks, "flac")
    kept = folder_of(log).keep(name, audio, "audio/flac")
    sound = RecordedSound("audio/flac", tracks.channels, RATE, len(tracks.samples))
    event = kept.event(
        name,
        sound,
        content,
        ["system", "user"] if tracks.channels == 2 else ["user"],
        dialogue_id=held.dialogue_id,
        turn_index=turn_index,
    )
    log.transact_now(lambda tx: tx.append(held.visit_id, event))
    return audio


def addresses(page: str) -> list[str]:
    return re.findall(r'<audio [^>]*src="([^"]+)"', page)


def test_whoever_reads_a_dialogue_hears_it_in_whatever_pieces_the_player_wants(
    enter: Enter, recorded: DialogueRecord, log: Log
) -> None:
    viewer = enter("viewer")
    page = viewer.get(f"/dialogues/{recorded.dialogue_id}")
    assert "media-src 'self'" in page.headers["content-security-policy"]
    turn, whole = addresses(page.text)  # what is heard of a turn stands with it
    heard = viewer.get(whole, headers={"range": "bytes=2-5"})
    stored = folder_of(log).file(log.recordings(dialogue_id=recorded.dialogue_id)[0].file).read_bytes()
    assert (heard.status_code, heard.content) == (206, stored[2:6])
    assert heard.headers["content-range"] == f"bytes 2-5/{len(stored)}"
    assert heard.headers["content-type"] == "audio/flac"
    assert viewer.get(whole).content == stored
    assert viewer.get(whole, headers={"range": "bytes=99999999-"}).status_code == 416
    assert viewer.get(turn, headers={"range": "bytes=0-3"}).content == b"fLaC"
    assert page.text.index(turn) > page.text.index('data-turn="1"')


def test_the_picture_has_the_peaks_of_both_channels(enter: Enter, recorded: DialogueRecord) -> None:
    viewer = enter("viewer")
    (address,) = re.findall(r'data-track="([^"]+)"', viewer.get(f"/dialogues/{recorded.dialogue_id}").text)
    track = viewer.get(address).json()
    assert [one["speaker"] for one in track["channels"]] == ["system", "user"]
    system, user = (one["peaks"] for one in track["channels"])
    assert set(system) == {0}
    assert [peak for peak in user if peak not in (0, 5000)] == []
    assert user.index(5000) == pytest.approx(len(user) / 2, abs=1)
    assert track["duration_s"] == 2


def test_a_recording_is_not_had_without_a_sign_in_nor_through_another_dialogue(
    enter: Enter, stranger: TestClient, recorded: DialogueRecord, log: Log, study: Study
) -> None:
    other = next(one for one in log.dialogues(study.name) if one.dialogue_id != recorded.dialogue_id)
    address = f"/dialogues/{recorded.dialogue_id}/recordings/call"
    for path in (address, f"{address}/track.json"):
        refused = stranger.get(path)
        assert refused.status_code == 303 and refused.headers["location"] == "/sign-in"
        assert stranger.get(path, headers={"accept": "*/*"}).status_code == 401
    viewer = enter("viewer")
    for path in (
        f"/dialogues/{other.dialogue_id}/recordings/call",
        f"/dialogues/{recorded.dialogue_id}/recordings/{other.dialogue_id}",
        f"/dialogues/{recorded.dialogue_id}/recordings/..%2Flog.sqlite",
        "/dialogues/nobody/recordings/call",
    ):
        assert viewer.get(path).status_code == 404, path


def test_what_was_removed_is_told_and_gone_and_what_cannot_be_drawn_can_be_played(
    enter: Enter, recorded: DialogueRecord, log: Log
) -> None:
    viewer = enter("viewer")
    call, _ = log.recordings(dialogue_id=recorded.dialogue_id)
    folder_of(log).file(call.file).write_bytes(b"no sound")
    address = f"/dialogues/{recorded.dialogue_id}/recordings/call"
    assert viewer.get(f"{address}/track.json", headers={"accept": "application/json"}).status_code == 404
    assert viewer.get(address).status_code == 200
    erase_recordings(log, [call], "withdrawal")
    assert viewer.get(address).status_code == 404
    page = viewer.get(f"/dialogues/{recorded.dialogue_id}").text
    assert address not in page
    assert "(withdrawal)" in page


def test_a_recording_that_was_laid_out_says_so_and_how_much_of_it_nobody_timed(
    enter: Enter, recorded: DialogueRecord, log: Log
) -> None:
    viewer = enter("viewer")
    page = viewer.get(f"/dialogues/{recorded.dialogue_id}").text
    assert "Assembled from" not in page, "a call was recorded as it is"
    kept = folder_of(log).keep(
        "clips", encode_sound(Tracks(np.zeros((RATE, 2), np.int16), RATE)), "audio/wav"
    )
    event = kept.event(
        "clips",
        RecordedSound("audio/wav", 2, RATE, RATE),
        "dialogue",
        ["system", "user"],
        dialogue_id=recorded.dialogue_id,
        clips=5,
        clips_placed=1,
    )
    log.transact_now(lambda tx: tx.append(recorded.visit_id, event))
    page = viewer.get(f"/dialogues/{recorded.dialogue_id}").text
    assert "Assembled from 5 clips" in page
    assert "The position of 1 clip is approximate" in page


def test_recordings_are_told_of_in_italian(
    enter: Enter, recorded: DialogueRecord, log: Log, study: Study
) -> None:
    viewer, address = enter("viewer"), f"/dialogues/{recorded.dialogue_id}"
    english, italian = (viewer.get(address, headers={"accept-language": one}).text for one in ("en", "it"))
    section = r'<section[^>]*aria-labelledby="sound".*?</section>'
    sound = [re.findall(section, one, re.S)[0] for one in (english, italian)]
    assert untranslated(*sound, set()) == set()
    assert 'data-play="Ascolta"' in sound[1] and 'data-play="Play"' in sound[0]
    erase_recordings(log, list(log.recordings(dialogue_id=recorded.dialogue_id)), "withdrawal")
    page = viewer.get(address, headers={"accept-language": "it"}).text
    assert "Una registrazione è stata rimossa" in page and "withdrawal" not in page
