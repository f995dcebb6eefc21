"""Commands to a robot: one for each stimulus, typed or spoken, none lost and none there twice."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenes.eliciting import commanding_study, typed, wav
from vivavoce.core.errors import InputError
from vivavoce.log.events import ResponseGiven
from vivavoce.log.export import export_dataset
from vivavoce.log.recordings import check_recordings, folder_of
from vivavoce.log.store import Log
from vivavoce.simulation.trial import counts_dialogues, run_trial
from vivavoce.study.load import check_study, load_study
from vivavoce.study.model import Study
from vivavoce.study.scaffold import write_study
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.errors import Refused, Stale
from vivavoce.trial.response_sound import sound_of


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        yield log


def with_visit(study: Study, log: Log, play: Callable[[SessionEngine, str], Awaitable[None]]) -> None:
    async def run() -> None:
        engine = SessionEngine(study, log, {})
        await engine.start()
        try:
            await play(engine, (await engine.open_visit(language="en")).visit_id)
        finally:
            await engine.stop()

    asyncio.run(run())


def commands(log: Log, folder: Path) -> list[dict]:
    return export_dataset(log, "tea", folder, audio=True).read("commands").to_pylist()


def test_a_participant_speaks_and_types_and_each_command_is_a_row(tmp_path: Path, log: Log) -> None:
    study = commanding_study(tmp_path / "study", microphone_distance_m=0.5)

    async def play(engine: SessionEngine, visit: str) -> None:
        done = engine.forms
        await done.record(visit, step=0, position=0, key="first-key", audio=wav(1.25), takes=3)
        await typed(engine, visit, position=1, key="second-key", text="  boil  it ")
        await done.record(visit, step=0, position=2, key="third-key", audio=wav(0.5, 48_000))
        assert (await engine.state(visit)).phase == "ended"

    with_visit(study, log, play)
    rows = commands(log, tmp_path / "data")
    assert [(row["recipe"], row["frame"], row["utterance"]) for row in rows] == [
        ("tea", "fill", 1),
        ("tea", "boil", 2),
        ("tea", "pour", 3),
    ]
    assert [row["text"] for row in rows] == [None, "boil it", None]
    assert [row["duration_s"] for row in rows] == [1.25, None, 0.5]
    assert [row["microphone_distance_m"] for row in rows] == [0.5, None, 0.5]
    assert (tmp_path / "data" / rows[0]["recording"]).read_bytes() == wav(1.25)
    given = [one.event for one in log.all_events() if isinstance(one.event, ResponseGiven)]
    assert [one.response["takes"] for one in given] == [3, 1, 1]


THINGS = "things: {kettle: {at: [0, 0, 75, 45]}, tap: {at: [10, 10, 20, 20], name: {en: tap}}}"


def test_what_is_pointed_at_while_speaking_or_typing_is_named(tmp_path: Path, log: Log) -> None:
    commanding_study(tmp_path / "study", pointing=True)
    path = tmp_path / "study" / "stimuli.yaml"
    path.write_text(path.read_text("utf-8").replace("shows:", f"{THINGS}, shows:"), encoding="utf-8")
    study = load_study(tmp_path / "study")

    async def play(engine: SessionEngine, visit: str) -> None:
        beside = {"pointed": "15,15 80.5,90 sideways,4 120,4"}
        await engine.forms.record(visit, step=0, position=0, key="first-key", audio=wav(1), beside=beside)
        await typed(engine, visit, position=1, key="second-key", text="boil this", pointed="60,40")
        await typed(engine, visit, position=2, key="third-key", text="pour it")

    with_visit(study, log, play)
    rows = commands(log, tmp_path / "data")
    assert [row["pointed"] for row in rows] == ["tap; 80.5,90", "kettle", ""]


def test_where_nobody_can_point_nothing_is_said_of_it(tmp_path: Path, log: Log) -> None:
    async def play(engine: SessionEngine, visit: str) -> None:
        await typed(engine, visit, position=0, key="first-key", text="fill it", pointed="60,40")

    with_visit(commanding_study(tmp_path / "study"), log, play)
    assert commands(log, tmp_path / "data")[0]["pointed"] is None


def test_a_repeated_upload_is_acknowledged_and_stored_once(tmp_path: Path, log: Log) -> None:
    async def play(engine: SessionEngine, visit: str) -> None:
        sent = {"step": 0, "position": 0, "key": "one-key-only", "audio": wav(0.5)}
        first = await engine.forms.record(visit, **sent)
        assert await engine.forms.record(visit, **sent) == first
        assert (await engine.state(visit)).position == 1

    with_visit(commanding_study(tmp_path / "study"), log, play)
    assert len(log.recordings()) == 1


def test_the_last_command_may_be_given_again_and_its_recording_goes(tmp_path: Path, log: Log) -> None:
    async def play(engine: SessionEngine, visit: str) -> None:
        await engine.forms.record(visit, step=0, position=0, key="key-one-1", audio=wav(0.5))
        await engine.forms.record(visit, step=0, position=0, key="key-one-2", audio=wav(0.75))
        assert (await engine.state(visit)).position == 1

    with_visit(commanding_study(tmp_path / "study"), log, play)
    (row,) = commands(log, tmp_path / "data")
    assert row["duration_s"] == 0.75
    assert [one.removal for one in log.recordings()] == ["redone", None]
    assert folder_of(log).names() == {log.recordings()[1].file}
    assert check_recordings(log, content=True).lines() == []


def test_where_nothing_may_be_redone_a_second_command_comes_too_late(tmp_path: Path, log: Log) -> None:
    async def play(engine: SessionEngine, visit: str) -> None:
        await typed(engine, visit, position=0, key="key-one-1", text="fill it")
        with pytest.raises(Stale):
            await typed(engine, visit, position=0, key="key-one-2", text="fill the pot")

    with_visit(commanding_study(tmp_path / "study", redo=False), log, play)


def test_who_stops_taking_part_has_his_recordings_removed(tmp_path: Path, log: Log) -> None:
    async def play(engine: SessionEngine, visit: str) -> None:
        await engine.forms.record(visit, step=0, position=0, key="key-one-1", audio=wav(0.5))
        await engine.withdraw(visit)

    with_visit(commanding_study(tmp_path / "study"), log, play)
    assert folder_of(log).names() == set()
    (row,) = commands(log, tmp_path / "data")
    assert (row["recording"], row["duration_s"]) == (None, 0.5)
    assert [one.removal for one in log.recordings()] == ["withdrawal"]


def test_another_process_goes_on_at_the_same_stimulus(tmp_path: Path, log: Log) -> None:
    study, visits = commanding_study(tmp_path / "study"), list[str]()

    async def begin(engine: SessionEngine, visit: str) -> None:
        visits.append(visit)
        await engine.forms.record(visit, step=0, position=0, key="key-one-1", audio=wav(0.5))

    async def go_on(engine: SessionEngine, _: str) -> None:
        state = await engine.state(visits[0])
        assert (state.phase, state.position, len(state.recordings)) == ("stimulus", 1, 1)
        await typed(engine, visits[0], position=1, key="key-two-1", text="boil it")

    with_visit(study, log, begin)
    with_visit(study, log, go_on)
    assert [row["text"] for row in commands(log, tmp_path / "data")] == [None, "boil it"]


@pytest.mark.parametrize(
    ("audio", "reason"),
    [
        (b"", "bad_audio"),
        (b"RIFF", "bad_audio"),
        (wav(0.2, channels=2), "bad_audio"),
        (wav(0.0), "empty"),
        (wav(0.5)[:-100], "bad_audio"),
        (wav(4.0, 8000), "too_long"),
    ],
    ids=["nothing", "a beginning", "stereo", "no frames", "broken off", "too long"],
)
def test_what_is_no_recording_of_a_command_is_refused(
    tmp_path: Path, log: Log, audio: bytes, reason: str
) -> None:
    async def play(engine: SessionEngine, visit: str) -> None:
        with pytest.raises(Refused) as refusal:
            await engine.forms.record(visit, step=0, position=0, key="key-one-1", audio=audio)
        assert refusal.value.reason == reason

    with_visit(commanding_study(tmp_path / "study", seconds=1), log, play)
    assert folder_of(log).names() == set()


def test_a_page_may_stop_two_seconds_after_the_limit(tmp_path: Path, log: Log) -> None:
    async def play(engine: SessionEngine, visit: str) -> None:
        await engine.forms.record(visit, step=0, position=0, key="key-one-1", audio=wav(3.0, 8000))
        assert (await engine.state(visit)).position == 1

    with_visit(commanding_study(tmp_path / "study", seconds=1), log, play)
    assert [one.duration_s for one in log.recordings()] == [3.0]


@given(st.integers(0, 400), st.integers(0, 255))
def test_a_damaged_recording_is_read_or_refused_never_a_crash(place: int, value: int) -> None:
    damaged = bytearray(wav(0.01))
    damaged[place % len(damaged)] = value
    try:
        assert sound_of(bytes(damaged)).duration_s > 0
    except Refused as refusal:
        assert refusal.reason in ("bad_audio", "empty")


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        (
            "file: frame.svg",
            "file: gone.svg",
        ),
        ("file: frame.svg", "file: ../frame.svg"),
        ("file: frame.svg", "file: frame.doc"),
        ("it: Un bollitore sotto", "de: Ein Kessel unter"),
        ("id: boil", "id: fill"),
    ],
    ids=["absent", "outside", "no picture", "not in every language", "twice"],
)
def test_a_mistake_in_the_stimuli_is_named_with_its_line(
    tmp_path: Path, written: str, complaint: str
) -> None:
    commanding_study(tmp_path)
    path = tmp_path / "stimuli.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace(written, complaint, 1), encoding="utf-8")
    problems = check_study(tmp_path)
    assert problems
    assert all(str(problem).startswith("stimuli.yaml:") for problem in problems)


def test_the_preset_runs_and_programs_give_its_commands_in_writing(tmp_path: Path, log: Log) -> None:
    write_study(tmp_path / "study", "sugar-2018", name="tea")
    study = load_study(tmp_path / "study")
    assert not counts_dialogues(study)

    async def play(engine: SessionEngine, _: str) -> None:
        assert await run_trial(engine, 2, seed=1, language="it") == 2

    with_visit(study, log, play)
    rows = [row for row in commands(log, tmp_path / "data") if row["simulated"]]
    frames = {(row["recipe"], row["frame"]) for row in rows}
    assert len(rows) == 66 and len(frames) == 33 and len({recipe for recipe, _ in frames}) == 3
    assert len({row["participant_id"] for row in rows}) == 2
    assert all(row["text"] and row["language"] == "it" for row in rows)


def test_programs_with_nothing_to_say_are_told_so(tmp_path: Path, log: Log) -> None:
    commanding_study(tmp_path / "study")
    path = tmp_path / "study" / "stimuli.yaml"
    written = path.read_text(encoding="utf-8").replace("say: {en: [boil the water], ", "say: {")
    path.write_text(written, encoding="utf-8")

    async def play(engine: SessionEngine, _: str) -> None:
        with pytest.raises(InputError, match="frame 'boil' has no example commands in 'en'"):
            await run_trial(engine, 1, seed=1)

    with_visit(load_study(tmp_path / "study"), log, play)
