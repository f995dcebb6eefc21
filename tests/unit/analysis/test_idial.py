"""Figures of a campaign's report that rest on the log: entities of one utterance, single modules."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import stdev
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student

from vivavoce.analysis.idial import (
    IDIAL,
    IdialAspect,
    _ends,
    _parts,
    aspects,
    entities,
    goals,
    intents,
    items,
    modules,
    people,
)
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.stats.clusters import clustered_rate, sum_by_participant


def act(turn: int, layer: str, slot: str, value: str) -> dict[str, Any]:
    source = "bot" if layer == "understood" else "simulator"
    return {
        "dialogue_id": "d",
        "turn_index": turn,
        "layer": layer,
        "source": source,
        "rank": 0,
        "position": 0,
        "act": "inform",
        "slot": slot,
        "op": "=",
        "value": value,
    }


def dataset(folder: Path, acts: list[dict[str, Any]], channel: str = "text") -> Dataset:
    with DatasetWriter(folder, study={"name": "s"}, source={"kind": "test"}) as writer:
        writer.add(
            "dialogues",
            [
                {
                    "dialogue_id": "d",
                    "study": "s",
                    "system": "a",
                    "condition": "a",
                    "channel": channel,
                    "language": "it",
                    "simulated": True,
                }
            ],
        )
        writer.add(
            "turns",
            [
                {
                    "dialogue_id": "d",
                    "turn_index": 1,
                    "party": "system",
                    "text": "ok",
                    "onset_s": 1.0,
                    "offset_s": 2.0,
                }
            ],
        )
        writer.add("acts", acts)
        return writer.close()


def test_entities_count_by_how_many_one_utterance_held(tmp_path: Path) -> None:
    said = [
        act(0, "reference", "amount", "5"),
        act(0, "reference", "to", "Anna"),
        act(2, "reference", "to", "Anna"),
    ]
    heard = [
        act(0, "understood", "amount", "5"),
        act(0, "understood", "to", "Hanna"),
        act(2, "understood", "to", "anna"),
    ]
    found = entities(dataset(tmp_path, said + heard))
    told = [(one.held, one.utterances, one.entities, one.understood) for one in found]
    assert told == [(1, 1, 1, 1), (2, 1, 2, 1)]
    assert found[1].low == pytest.approx(0.0945, abs=1e-3)  # Wilson's interval of 1 of 2
    assert found[1].high == pytest.approx(0.9055, abs=1e-3)


def test_accounts_in_different_words_are_not_compared(tmp_path: Path) -> None:
    other = [act(0, "reference", "food", "bread"), act(0, "understood", "food", "pane")]
    assert entities(dataset(tmp_path / "a", other)) == []
    assert entities(dataset(tmp_path / "b", [act(0, "reference", "food", "bread")])) == []


def test_synthesis_has_figures_only_where_something_was_spoken(tmp_path: Path) -> None:
    written = modules(dataset(tmp_path / "a", []), comparable=False)
    spoken = modules(dataset(tmp_path / "b", [], channel="phone"), comparable=False)
    assert written["synthesis"] == [] and [one.measure for one in spoken["synthesis"]] == [
        "system_turn_duration"
    ]


def test_an_aspect_that_nobody_answered_is_missing(tmp_path: Path) -> None:
    assert [(one.mean, one.n) for one in aspects(dataset(tmp_path, []))] == [(None, 0)] * 3


def test_who_answers_twice_is_one_user_with_the_first_answers(tmp_path: Path) -> None:
    day = datetime(2026, 3, 1, tzinfo=UTC)
    forms = [("v2", "p1", 2, 0.0), ("v1", "p1", 1, 4.0), ("v3", "p2", 1, 2.0)]
    with DatasetWriter(tmp_path, study={"name": "s"}, source={"kind": "test"}) as writer:
        writer.add(
            "ratings",
            [
                {
                    "visit_id": visit,
                    "participant_id": person,
                    "instrument": "idial",
                    "item_id": item.item_id,
                    "value": value,
                    "answered_at": day + timedelta(days=when),
                }
                for visit, person, when, value in forms
                for item in IDIAL.items
            ],
        )
        found = aspects(writer.close(), reverse_item_4=False)
    assert {one.n for one in found} == {2}
    assert {one.mean for one in found} == {3.0}


def test_the_intent_of_a_dialogue_is_the_kind_of_its_first_assigned_goal(tmp_path: Path) -> None:
    with DatasetWriter(tmp_path, study={"name": "toy"}, source={"kind": "test"}) as writer:
        for key, duration_s in (("d0", 30.0), ("d1", 90.0)):
            writer.add(
                "dialogues",
                [
                    {
                        "dialogue_id": key,
                        "study": "toy",
                        "system": "s",
                        "channel": "text",
                        "participant_id": key,
                        "simulated": False,
                        "condition": "s",
                        "language": "en",
                        "end_reason": "user",
                        "duration_s": duration_s,
                    }
                ],
            )
            goals = [
                (0, "assigned", "constraint", "area", "loan"),
                (0, "inferred", "type", None, "return"),
                (1, "assigned", "type", None, "return"),
                (0, "assigned", "type", None, "loan"),
            ]
            writer.add(
                "goals",
                [
                    {
                        "dialogue_id": key,
                        "goal_index": index,
                        "origin": origin,
                        "kind": kind,
                        "slot": slot,
                        "op": "=",
                        "value": value,
                    }
                    for index, origin, kind, slot, value in goals
                ],
            )
        dataset = writer.close()
    loan, back = intents(dataset, {"loan": 1, "return": 1})
    assert (loan.dialogues, loan.within, loan.longest_s) == (2, 1, 90.0)
    for minutes, within in ((0.5, 1), (0.4, 0), (1.5, 2), (1.4, 1)):
        (found,) = intents(dataset, {"loan": minutes})
        assert (found.expected_s, found.within, found.timed) == (60 * minutes, within, 2)
    assert back.dialogues == 0


def test_the_interval_of_an_aspect_is_students_and_stays_on_the_scale(tmp_path: Path) -> None:
    def answered(folder: str, values: list[float]) -> IdialAspect:
        with DatasetWriter(tmp_path / folder, study={"name": "s"}, source={"kind": "test"}) as writer:
            writer.add(
                "ratings",
                [
                    {"visit_id": f"v{number}", "instrument": "idial", "item_id": item.item_id, "value": value}
                    for number, value in enumerate(values)
                    for item in IDIAL.items
                ],
            )
            return aspects(writer.close(), reverse_item_4=False)[0]

    values = [2.0, 2.0, 2.0, 3.0]
    found = answered("four", values)
    expected = student.interval(0.95, 3, 2.25, stdev(values) / 2)
    assert (found.low, found.high) == pytest.approx(expected)
    wide, alone = answered("wide", [0.0, 4.0]), answered("alone", [2.0])
    assert (wide.low, wide.high, alone.low) == (0.0, 4.0, None)


def test_answers_to_each_item_are_counted_as_given(tmp_path: Path) -> None:
    first, second = (item.item_id for item in IDIAL.items[:2])
    rows = [(first, 0.0, "no"), (first, 4.0, None), (first, 4.0, "yes"), (second, None, "so")]
    rows += [("strange", 1.0, "x")]
    with DatasetWriter(tmp_path, study={"name": "s"}, source={"kind": "test"}) as writer:
        writer.add(
            "ratings",
            [
                {
                    "visit_id": f"v{number}",
                    "instrument": "idial",
                    "item_id": item,
                    "value": value,
                    "answer": answer,
                }
                for number, (item, value, answer) in enumerate(rows)
            ],
        )
        found = items(writer.close())
    assert [one.item_id for one in found] == [item.item_id for item in IDIAL.items]
    assert found[0].counts == {0: 1, 1: 0, 2: 0, 3: 0, 4: 2} and found[0].n == 3
    assert found[1].n == 0 and found[0].labels == {0: "no", 4: "yes"}


def test_the_noise_of_simulated_users_is_told_and_unknown_of_people(tmp_path: Path) -> None:
    with DatasetWriter(tmp_path, study={"name": "s"}, source={"kind": "test"}) as writer:
        writer.add(
            "participants",
            [
                {
                    "participant_id": f"p{rate}",
                    "outcome": "completed",
                    "simulated": True,
                    "attributes": json.dumps({"user": "agenda", "word_error_rate": rate}),
                }
                for rate in (0.0, 0.1)
            ],
        )
        assert people(writer.close()).word_error_rate == pytest.approx(0.05)
    with DatasetWriter(tmp_path / "people", study={"name": "s"}, source={"kind": "test"}) as writer:
        writer.add("participants", [{"participant_id": "p", "outcome": "completed", "simulated": False}])
        assert people(writer.close()).word_error_rate is None


def test_people_and_the_time_of_each_part_are_those_of_finished_visits(tmp_path: Path) -> None:
    outcomes = {"p0": "completed", "p1": "completed", "p2": "screened_out", "p3": "withdrew"}
    kinds = ("consent", "dialogue", "screen", "dialogue", "questionnaire", "debrief")
    with DatasetWriter(tmp_path, study={"name": "s"}, source={"kind": "test"}) as writer:
        writer.add(
            "participants",
            [
                {"participant_id": person, "outcome": outcome, "simulated": False}
                for person, outcome in outcomes.items()
            ],
        )
        writer.add(
            "steps",
            [
                {
                    "visit_id": f"v-{person}",
                    "participant_id": person,
                    "number": number,
                    "kind": kind,
                    "duration_s": 10.0**number * (2 if person == "p1" else 1),
                }
                for person in ("p0", "p1", "p3")
                for number, kind in reversed(list(enumerate(kinds)))
            ],
        )
        writer.add(
            "ratings",
            [
                {
                    "participant_id": person,
                    "instrument": "idial_background",
                    "item_id": "age",
                    "answer": answer,
                }
                for person, answer in (("p0", "18"), ("p1", "18"), ("p3", "30"))
            ],
        )
        writer.add(
            "ratings",
            [
                {
                    "participant_id": "p0",
                    "instrument": "idial_feedback",
                    "item_id": "comment",
                    "answer": answer,
                }
                for answer in ("well done", "  ", None)
            ],
        )
        found = people(writer.close())
    assert (found.finished, found.screened_out, found.left, found.simulated) == (2, 1, 1, False)
    assert found.background == {"age": {"18": 2}} and found.feedback == 1
    means = {name: (part.n, part.mean_s, part.longest_s) for name, part in found.parts.items()}
    expected = {"briefing": 1, "tasks": 1110, "questionnaire": 110_000}
    assert means == {name: (2, 1.5 * seconds, 2.0 * seconds) for name, seconds in expected.items()}
    assert found.whole.mean_s == 1.5 * 111_111


def test_three_entities_and_more_of_one_utterance_are_told_together(tmp_path: Path) -> None:
    said = [act(0, "reference", name, name) for name in "abcd"]
    said += [act(2, "reference", name, name) for name in "abc"]
    said += [act(4, "reference", "a", "a") | {"act": "confirm"}]
    heard = [act(0, "understood", name, name) for name in "abcd"]
    heard += [act(2, "understood", "a", "a"), act(2, "understood", "b", "b") | {"rank": 1}]
    found = entities(dataset(tmp_path, said + heard))
    told = [(one.held, one.utterances, one.entities, one.understood) for one in found]
    assert told == [(3, 2, 7, 5)]


def test_goals_are_those_of_which_it_is_known_and_users_are_the_unit(make) -> None:
    """p reached 1 of 2, q 2 of 2, of r nothing is known; who is not known is somebody in each dialogue."""
    talks = [
        ("a", "p", None),
        ("a", "p", None),
        ("a", "q", None),
        ("a", "q", None),
        ("a", "r", None),
        ("a", None, None),
        ("a", None, None),
    ]
    dataset = make(*talks)
    reached = {"d0": True, "d1": False, "d2": True, "d3": True, "d5": False, "d6": True}
    found = goals(dataset, reached)
    assert (found.dialogues, found.known, found.reached) == (7, 6, 4)
    who = np.array([0, 0, 1, 1, 2, 3])
    expected = clustered_rate(sum_by_participant(who, np.array([1.0, 0, 1, 1, 0, 1]), np.ones(6)))
    assert (found.low, found.high) == (expected.low, expected.high) and found.low < 4 / 6 < found.high
    alone = goals(dataset, {"d0": True, "d1": False})
    assert (alone.known, alone.reached, alone.low, alone.high) == (2, 1, None, None)
    nobody = goals(dataset, {})
    assert (nobody.known, nobody.reached, nobody.low) == (0, 0, None)


def test_an_intent_is_timed_by_the_dialogues_that_reached_it(make) -> None:
    """Of five dialogues three are known, two reached the goal, in 60 and 200 seconds; 90 are expected."""
    talks = [("a", person, None) for person in "ppqrs"]
    assigned = [
        {
            "dialogue_id": f"d{number}",
            "goal_index": 0,
            "origin": "assigned",
            "kind": "type",
            "op": "=",
            "value": "loan",
        }
        for number in range(5)
    ]
    seconds = [60.0, 200.0, 300.0, 30.0, None]
    dataset = make(*talks, rows={"goals": assigned}, duration_s=seconds)
    (known,) = intents(dataset, {"loan": 1.5}, {"d0": True, "d1": True, "d2": False})
    assert (known.dialogues, known.users, known.known, known.reached) == (5, 4, 3, 2)
    assert (known.timed, known.within, known.median_s, known.longest_s) == (2, 1, 130.0, 200.0)
    whole = goals(dataset, {"d0": True, "d1": True, "d2": False})
    assert (known.success_low, known.success_high) == (whole.low, whole.high) != (None, None)
    assert (known.low, known.high) == (None, None), "one user held both"
    (unknown,) = intents(dataset, {"loan": 1.5})
    assert (unknown.known, unknown.timed, unknown.within, unknown.success_low) == (0, 4, 2, None)
    (failed,) = intents(dataset, {"loan": 1.5}, {"d2": False})
    assert (failed.timed, failed.median_s, failed.longest_s, failed.low) == (0, None, None, None)


@pytest.mark.parametrize(
    "change",
    [
        {"slot": None},
        {"value": None},
        {"act": "deny"},
        {"slot": "", "value": "x"},
        {"layer": "system"},
    ],
)
def test_only_values_of_slots_that_users_stated_are_entities(tmp_path: Path, change: dict[str, Any]) -> None:
    said = [act(0, "reference", "to", "Anna"), act(0, "reference", "at", "five") | change]
    heard = [act(0, "understood", "to", "Anna"), act(0, "understood", "at", "five")]
    (found,) = entities(dataset(tmp_path, said + heard))
    assert (found.held, found.entities, found.understood) == (1, 1, 1)


def test_parts_of_a_visit_without_a_dialogue_are_briefing() -> None:
    steps = [
        {"number": number, "kind": "questionnaire", "duration_s": seconds}
        for number, seconds in enumerate((3.0, None, 4.0))
    ]
    assert _parts(steps) == {"briefing": 7.0, "tasks": 0.0, "questionnaire": 0.0}


@pytest.mark.parametrize("level", [0.9, 0.99])
def test_the_interval_of_few_users_is_students_at_any_level(level: float) -> None:
    values = [1.0, 2.5, 2.0]
    expected = student.interval(level, 2, np.mean(values), stdev(values) / 3**0.5)
    assert _ends(values, level) == pytest.approx((max(0, expected[0]), min(4, expected[1])))
