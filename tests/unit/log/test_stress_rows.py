"""Rows of stress tests: what people and the ladder said of a case, and what was replayed."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import pytest

from vivavoce.log.event import Event
from vivavoce.log.models import StoredEvent
from vivavoce.log.stress_events import (
    CaseJudged,
    ReplayFinished,
    StressRunPlanned,
    VerdictGiven,
    stress_rows,
    stress_titles,
)


def stored(events: Iterable[Event]) -> Iterable[StoredEvent]:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return (StoredEvent(str(seq), "s", seq, at, 0.0, "b", one) for seq, one in enumerate(events, 1))


def planned(run: str = "r", **facts: Any) -> StressRunPlanned:
    settings = {"repeats": 2} | facts.pop("settings", {})
    cases = [{"case_id": "c", "variant": "a pub", "test": "typos"}]
    told = {"plan": "p", "system": "one", "settings": settings, "cases": cases} | facts
    return StressRunPlanned(run_id=run, **told)


def judged(*, admitted: bool = True, verdict: Any = "fail", **facts: Any) -> CaseJudged:
    return CaseJudged(run_id="r", case_id="c", admitted=admitted, verdict=verdict, rung="acts", **facts)


def given(judge: str, verdict: Any) -> VerdictGiven:
    return VerdictGiven(run_id="r", case_id="c", judge=judge, verdict=verdict)


def replay(arm: Any = "variant", repetition: int = 0, **facts: Any) -> ReplayFinished:
    turns = [{"party": "user", "text": "a pub"}, {"party": "system", "text": "which?"}]
    told = {"conversation": "x", "turns": turns, "injected": 0} | facts
    return ReplayFinished(run_id="r", case_id="c", arm=arm, repetition=repetition, **told)


def row(*events: Event) -> dict[str, Any]:
    (found,) = stress_rows(stored([planned(), *events]))
    return found


def test_the_verdict_is_that_of_people_where_a_case_was_admitted() -> None:
    for events, expected in [
        ([], ("unfinished", None, None, None)),
        ([judged()], ("applied", "fail", "acts", None)),
        ([judged(), given("ann", "pass")], ("applied", "pass", "person", "pass")),
        ([judged(admitted=False), given("ann", "pass")], ("not_admitted", "fail", "acts", "pass")),
        (
            [judged(), given("ann", "invalid_variant")],
            ("invalid", "invalid_variant", "person", "invalid_variant"),
        ),
        ([judged(verdict=None, outage=True)], ("outage", None, "acts", None)),
        ([judged(verdict="invalid_variant", outage=True)], ("outage", "invalid_variant", "acts", None)),
        (
            [judged(), given("ann", "fail"), given("bob", "pass"), given("cid", "pass")],
            ("applied", "pass", "person", "pass"),
        ),
        ([judged(), given("ann", "pass"), given("bob", "fail")], ("applied", "fail", "person", "fail")),
        ([judged(), given("ann", "pass"), given("ann", "fail")], ("applied", "fail", "person", "fail")),
        ([given("ann", "pass")], ("unfinished", None, None, "pass")),
    ]:
        found = row(*events)
        assert tuple(found[name] for name in ("status", "verdict", "rung", "verdict_of_person")) == expected


@pytest.mark.parametrize(
    ("scores", "count", "passed", "first"),
    [([], 0, 0, None), ([1.0, None, 0.0, 1.0], 3, 2, 1.0), ([None], 0, 0, None), ([0.0], 1, 0, 0.0)],
)
def test_replays_count_where_the_ladder_decided(
    scores: list[float | None], count: int, passed: int, first: float | None
) -> None:
    told = [{"arm": "variant", "score": one} for one in scores] + [{"arm": "clean", "score": 1.0}]
    found = row(judged(replays=told))
    assert (found["variant_count"], found["variant_passed_count"], found["first_score"]) == (
        count,
        passed,
        first,
    )
    assert (found["clean_count"], found["clean_passed_count"]) == (1, 1)


@pytest.mark.parametrize(
    ("turn", "injected", "heard"),
    [
        ({}, 0, None),
        ({"heard": []}, 0, ""),
        ({"heard": [{"text": "a tub"}, {"text": "a pub"}]}, 0, "a tub"),
        ({"heard": [{"text": "a tub"}]}, None, None),
    ],
)
def test_what_was_heard_of_the_utterance_under_test_is_told(
    turn: dict[str, Any], injected: int | None, heard: str | None
) -> None:
    turns = [{"party": "user", "text": "a pub"} | turn, {"party": "system", "text": "which?"}]
    found = row(replay(turns=turns, injected=injected))
    assert found["heard"] == heard and found["clean_heard"] is None
    told = json.loads(found["transcript"])
    assert [one["injected"] for one in told] == [injected == 0, False]
    assert ("heard" in told[0]) == ("heard" in turn) and found["clean_transcript"] is None


def test_durations_are_summed_and_what_is_tried_again_counts_nowhere() -> None:
    clean, variant = replay("clean", duration_s=1.5), replay(duration_s=2.0)
    again = replay(repetition=1, duration_s=50.0, again=True)
    assert row(clean, variant, again, replay(repetition=1))["duration_s"] == 3.5
    assert row(again)["duration_s"] is None and row()["duration_s"] is None
    assert row(replay(duration_s=9.0), replay(duration_s=2.0))["duration_s"] == 2.0  # the later one of two


def test_settings_of_speech_and_reasons_are_told_where_there_are_some() -> None:
    (spoken,) = stress_rows(stored([planned(settings={"speech": {"rate": 1}})]))
    assert json.loads(spoken["speech"]) == {"rate": 1} and row()["speech"] is None
    assert (row(judged(reason="why"))["reason"], row(judged(reason="why"))["why"]) == ("why", None)


def test_the_last_run_names_the_tests() -> None:
    runs = [
        planned(titles={"typos": "Typing", "noise": "Noise"}),
        judged(),
        planned("r2", titles={"typos": "Typos"}),
    ]
    assert stress_titles(stored(runs)) == {"typos": "Typos", "noise": "Noise"}


def test_what_people_wrote_with_their_verdicts_is_kept_and_the_run_that_counts_is_named() -> None:
    told = row(
        judged(), given("ann", "fail").model_copy(update={"remark": " tennis! "}), given("bob", "fail")
    )
    assert told["remark"] == "tennis!" and row(judged(), given("ann", "fail"))["remark"] is None
    found = stress_rows(stored([planned("a"), planned("b", system="other"), planned("c")]))
    assert [(one["run_id"], one["last_run"]) for one in found] == [("a", False), ("b", True), ("c", True)]
