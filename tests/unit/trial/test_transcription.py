"""Transcription with gold checks: who is accurate counts; who is not is refused, others take their place."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scenes.annotating import annotated_study, hold_dialogue
from scenes.transcribing import GOLD, silence, transcribing_study, write_down
from vivavoce.core.clock import ManualClock
from vivavoce.log import events
from vivavoce.log.events import ResponseGiven, StepFinished, StimuliPlanned
from vivavoce.log.export import export_dataset
from vivavoce.log.stimulus_rows import references, transcriptions, word_accuracy
from vivavoce.log.store import Log
from vivavoce.measures.compute import compute
from vivavoce.simulation.trial import run_trial
from vivavoce.steps.stimulus import Rejected
from vivavoce.study.load import check_study
from vivavoce.study.model import Study
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.errors import Stale

Write = Callable[[str], str]


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}", ManualClock()) as opened:
        yield opened


def well(audio: str) -> str:
    """A careful transcriber, who minds neither case nor full stops."""
    return GOLD[audio].upper() + "." if audio in GOLD else f"words of {audio}"


def badly(audio: str) -> str:
    return "something else altogether"


async def visit(engine: SessionEngine, write: Write, person: str, stop_after: int = 99) -> list[events.Event]:
    """A participant writes down what they are given; the events of the visit."""
    opened = await engine.open_visit(language="en", person=person)
    for _ in range(stop_after):
        state = await engine.state(opened.visit_id)
        if state.phase != "stimulus":
            break
        audio = state.shown.stimulus.audio
        await write_down(engine, opened.visit_id, write(audio))
    return [stored.event for stored in engine.log.events(opened.visit_id)]


def walk(study: Study, log: Log, *visits: tuple[Write, str]) -> list[list[events.Event]]:
    async def run() -> list[list[events.Event]]:
        engine = SessionEngine(study, log, {}, clock=log.clock)
        await engine.start()
        try:
            return [await visit(engine, write, person) for write, person in visits]
        finally:
            await engine.stop()

    return asyncio.run(run())


def of(kind: type, found: list[events.Event]) -> list:
    return [event for event in found if isinstance(event, kind)]


def written(found: list[events.Event]) -> list[tuple[dict, dict]]:
    """What was written down: recording and transcript."""
    (plan,) = of(StimuliPlanned, found)
    return [(plan.stimuli[one.position], one.response) for one in of(ResponseGiven, found)]


def known(found: list[events.Event]) -> list[tuple[dict, dict]]:
    return [(item, one) for item, one in written(found) if item["gold"]]


def accuracy(found: list[events.Event]) -> float:
    errors, words = (sum(one[name] for _, one in known(found)) for name in ("errors", "words"))
    return 1 - errors / words


def test_known_recordings_are_mixed_in_and_an_accurate_transcriber_counts(tmp_path: Path, log: Log) -> None:
    study = transcribing_study(tmp_path / "study")
    (found,) = walk(study, log, (well, "anna"))
    (assigned,) = of(StimuliPlanned, found)
    assert [item["gold"] for item in assigned.stimuli].count(True) == 2
    assert len(assigned.stimuli) == 5
    (finished,) = of(StepFinished, found)
    assert finished.accepted and (accuracy(found), len(known(found))) == (1.0, 2)
    assert of(events.VisitEnded, found)[0].outcome == "completed"
    with log.reading() as connection:
        accepted = transcriptions(connection, study.name).accepted()
    assert len(accepted) == 3
    assert not any(one.item.gold for one in accepted)


def test_who_falls_below_is_stopped_and_his_recordings_are_served_again(tmp_path: Path, log_url: str) -> None:
    study = transcribing_study(tmp_path / "study", unknown=3)
    with Log.open(log_url, ManualClock()) as log:
        bad, good = walk(study, log, (badly, "bad"), (well, "good"))
        with log.reading() as connection:
            accepted = transcriptions(connection).accepted()
    (refused,) = of(StepFinished, bad)
    assert not refused.accepted
    assert accuracy(bad) < 0.75
    assert len(known(bad)) == 2
    assert len(written(bad)) <= 5, "stopped once enough known ones were wrong"
    unknown = {item["audio"] for item in of(StimuliPlanned, good)[0].stimuli if not item["gold"]}
    assert unknown == {"call-0.wav", "call-1.wav", "call-2.wav"}
    assert {one.text for one in accepted} == {f"words of call-{n}.wav" for n in range(3)}


def test_who_was_refused_gets_nothing_more_and_what_he_wrote_before_counts_no_more(
    tmp_path: Path, log: Log
) -> None:
    study = transcribing_study(tmp_path / "study", per_participant=4)
    first, second, third = walk(study, log, (well, "moody"), (badly, "moody"), (well, "moody"))
    assert of(StepFinished, first)[0].accepted
    assert not of(StepFinished, second)[0].accepted
    assert of(StimuliPlanned, third)[0].stimuli == []
    with log.reading() as connection:
        assert transcriptions(connection).accepted() == []


def test_recordings_are_held_while_somebody_is_at_them_and_free_again_when_he_is_gone(
    tmp_path: Path, log: Log
) -> None:
    study = transcribing_study(tmp_path / "study", unknown=3)

    async def run() -> None:
        engine = SessionEngine(study, log, {}, clock=log.clock)
        await visit(engine, well, "slow", stop_after=1)
        second = await visit(engine, well, "second")
        assert of(StimuliPlanned, second)[0].stimuli == [], "all are in the first one's hands"
        assert isinstance(log.clock, ManualClock)
        log.clock.advance(3 * 3600)
        third = await visit(engine, well, "third")
        assert len(of(StimuliPlanned, third)[0].stimuli) == 5
        await engine.stop()

    asyncio.run(run())


def test_nobody_gets_an_unknown_recording_twice_and_all_are_written_once(tmp_path: Path, log: Log) -> None:
    study = transcribing_study(tmp_path / "study", unknown=7)
    visits = walk(study, log, *[(well, f"p{number}") for number in range(4)])
    given = [item["audio"] for found in visits for item, _ in written(found) if not item["gold"]]
    assert sorted(given) == [f"call-{number}.wav" for number in range(7)]
    assert of(StimuliPlanned, visits[3])[0].stimuli == []
    assert of(events.VisitEnded, visits[3])[0].outcome == "completed"


def test_what_programs_write_down_is_no_transcript_of_anything(tmp_path: Path, log: Log) -> None:
    study = transcribing_study(tmp_path / "study", unknown=3)

    async def simulate() -> None:
        await run_trial(SessionEngine(study, log, {}, clock=log.clock), 1, seed=1)

    asyncio.run(simulate())
    with log.reading() as connection:
        assert references(connection) == {}
    walk(study, log, (well, "anna"))
    with log.reading() as connection:
        said = references(connection)
    assert said == {(f"dialogue-{n:03}", 1): f"words of call-{n}.wav" for n in range(3)}


def test_accuracy_is_one_minus_word_errors_over_words(tmp_path: Path, log: Log) -> None:
    study = transcribing_study(tmp_path / "study", accuracy=0.5)
    nearly = {
        "gold-1.wav": "a cheap tie place please",
        "gold-2.wav": "what is phone number",
        "gold-3.wav": "bye",
    }
    (found,) = walk(study, log, (lambda audio: nearly.get(audio, "x"), "anna"))
    checked = {item["audio"]: (one["errors"], one["words"]) for item, one in known(found)}
    by_hand = {"gold-1.wav": (2, 4), "gold-2.wav": (1, 5), "gold-3.wav": (1, 2)}
    assert checked == {audio: by_hand[audio] for audio in checked}
    errors, words = (sum(part) for part in zip(*checked.values(), strict=True))
    with log.reading() as connection:
        (visited,) = transcriptions(connection).visits
    accuracy = word_accuracy(one.response for one in visited.answered)
    assert accuracy == pytest.approx(1 - errors / words)
    assert of(StepFinished, found)[0].accepted is (1 - errors / words >= 0.5)


def test_spelling_in_capitals_and_punctuation_are_no_errors(tmp_path: Path, log: Log) -> None:
    study = transcribing_study(tmp_path / "study", gold=1, per_participant=4)
    (found,) = walk(study, log, (lambda audio: f" {GOLD.get(audio, 'x').upper()} ... ", "anna"))
    assert known(found) and accuracy(found) == 1


def test_empty_late_and_endless_transcripts_are_refused(tmp_path: Path, log: Log) -> None:
    study = transcribing_study(tmp_path / "study")

    async def run() -> None:
        engine = SessionEngine(study, log, {}, clock=log.clock)
        opened = await engine.open_visit(language="en")
        with pytest.raises(Rejected, match="write something"):
            await write_down(engine, opened.visit_id, "  ")
        with pytest.raises(Rejected, match="too long"):
            await write_down(engine, opened.visit_id, "a" * 2001)
        with pytest.raises(Stale):
            await write_down(engine, opened.visit_id, "a", position=1)
        await write_down(engine, opened.visit_id, "a")
        assert (await engine.state(opened.visit_id)).position == 1
        await engine.stop()

    asyncio.run(run())


def test_accepted_transcripts_are_the_reference_of_another_study_and_the_word_error_rate_follows(
    tmp_path: Path, log: Log
) -> None:
    calls = annotated_study(tmp_path / "calls")
    said = (("system", "Hello?"), ("user", "words off call zero wav"), ("system", "Yes."))
    for number in range(2):
        hold_dialogue(log, calls, number, said=said, channel="voice")
    before = export_dataset(log, calls.name, tmp_path / "before")
    transcripts = {"call-0.wav": "words of call zero", "call-1.wav": "words off call zero wav"}
    study = transcribing_study(tmp_path / "study", unknown=2)
    walk(study, log, (lambda audio: GOLD.get(audio) or transcripts[audio], "anna"))
    dataset = export_dataset(log, calls.name, tmp_path / "after")
    turns = {(row["dialogue_id"], row["turn_index"]): row for row in dataset.read("turns").to_pylist()}
    assert turns["dialogue-000", 1]["reference"] == "words of call zero"
    assert turns["dialogue-000", 1]["text"] == "words off call zero wav"
    # 2 errors (off, wav) over the 4 words said in the first call, none over 5 in the second
    rates = [compute(one, ["word_error_rate"])["value"].tolist() for one in (before, dataset)]
    assert rates == [[0.0], [pytest.approx(2 / 9)]]


def test_mistakes_in_the_items_are_named(tmp_path: Path) -> None:
    transcribing_study(tmp_path)
    silence(tmp_path / "outside.wav")
    lines = [
        "audio,dialogue_id,turn_index,gold",
        "gone.wav,,,",
        "notes.txt,,,",
        "../outside.wav,,,",
        "gold-1.wav,d,,",
        "gold-2.wav,d,one,",
        "gold-3.wav,,,",
        "gold-3.wav,,,",
    ]
    (tmp_path / "items.csv").write_text("\n".join(lines), encoding="utf-8")
    shown = "\n".join(map(str, check_study(tmp_path)))
    for expected in (
        "items.csv:2: no file 'gone.wav' in audio",
        "items.csv:3: 'notes.txt' is not a recording",
        "items.csv:4: '../outside.wav' is not in the folder",
        "items.csv:5: a dialogue without turn",
        "items.csv:6: 'one' is not a turn number",
        "items.csv:8: 'gold-3.wav' is listed twice",
    ):
        assert expected in shown
    (tmp_path / "items.csv").write_text("audio\ngold-1.wav\n", encoding="utf-8")
    assert "0 items have a known transcript, but 2 are needed" in "\n".join(map(str, check_study(tmp_path)))
