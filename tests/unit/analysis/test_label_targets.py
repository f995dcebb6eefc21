"""Labels of annotators as targets: cases, disputes, chances, what judges of turns say, looks that weigh."""

from typing import Any

import numpy as np
import pytest

from unit.analysis.test_judge_estimates import AT, judgement
from vivavoce.analysis.judge_estimates import calibrate, estimate
from vivavoce.analysis.judged_table import doubts_by_dialogue, judged_table
from vivavoce.analysis.label_targets import free_parameters, is_label, is_turn_label, labelled_cases
from vivavoce.analysis.stopping import monitor, watch
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.dataset.annotation_layers import LAYERS
from vivavoce.dataset.reader import Dataset
from vivavoce.measures import MEASURES
from vivavoce.measures.base import Tables
from vivavoce.measures.compute import sums
from vivavoce.stats.prediction_powered import JudgedCases, powered_mean
from vivavoce.study.analysis_file import Analysis

SYSTEMS = "ab" * 6
PEOPLE = [f"p{number // 3}" for number in range(12)]
GOOD = [1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 1, 0]
CHANCES = [0.25, 0.5, 1.0] * 4
DRAWN = [True, True, True, False, True, True, True, True, True, False, True, True]


def label(
    dialogue: str, who: str, said: str, layer: str = "subtask", turn: int | None = None
) -> dict[str, Any]:
    return {
        "dialogue_id": dialogue,
        "turn_index": turn,
        "layer": layer,
        "label": said,
        "annotator_id": who,
        "annotated_at": AT,
    }


def looking(dataset: Dataset, layer: str) -> list[str]:
    """Measures that look at a layer of annotation."""
    tables = Tables(dataset)
    return [name for name, one in MEASURES if layer in tables.counted(one.components)[1]]


def made_of(make: Any, **rows: list[dict[str, Any]]) -> Dataset:
    turns = [
        {"dialogue_id": f"d{number}", "turn_index": index, "party": party, "text": "w " * index}
        for number in range(12)
        for index, party in enumerate(("user", "system", "system"))
    ]
    cases = zip(SYSTEMS, PEOPLE, strict=True)
    return make(*((*one, None) for one in cases), rows={"turns": turns, **rows})


def chosen(make: Any) -> Dataset:
    """Of twelve dialogues ten are drawn and labelled, and d3, which is not, was labelled all the same."""
    labels = [
        label(f"d{n}", "ann", "S" if good else "Fs") for n, good in enumerate(GOOD) if DRAWN[n] or n == 3
    ]
    chances = [
        {"dialogue_id": f"d{n}", "layer": "subtask", "target": "subtask.S", "chance": chance, "drawn": drawn}
        for n, (chance, drawn) in enumerate(zip(CHANCES, DRAWN, strict=True))
    ]
    said = [judgement(f"d{n}", 0.2 + 0.6 * good, target="subtask.S") for n, good in enumerate(GOOD)]
    return made_of(make, annotations=labels, label_chances=chances, judgements=said)


def test_a_label_of_turns_is_about_every_turn_of_its_party_in_annotated_dialogues(make) -> None:
    rows = [
        label("d0", "ann", "AP", "context", 1),
        label("d0", "ann", "IA", "context", 2),
        label("d0", "bob", "AP", "context", 1),
        label("d0", "bob", "AP", "context", 2),
        label("d1", "bob", "none", "context"),
    ]
    found = labelled_cases(made_of(make, annotations=rows), "context.AP")
    assert (found.cases[:4], found.turns[:2]) == (["d0 1", "d0 2", "d1 1", "d1 2"], [1, 2])
    assert found.labels[:4].tolist() == [1.0, 0.5, 0.0, 0.0], "where they are at odds, the share that says so"
    assert len(found.cases) == 24 and np.isnan(found.labels[4:]).all()


def test_what_is_a_label_and_of_what(make) -> None:
    rows = [label("d0", "ann", "yes", "mine", 1), label("d0", "ann", "S")]
    dataset = made_of(make, annotations=rows)
    assert (
        is_label(dataset, "subtask.S")
        and is_label(dataset, "mine.yes")
        and not is_label(dataset, "found_all")
    )
    assert is_turn_label(dataset, "mine.yes") and not is_turn_label(dataset, "subtask.S")
    assert labelled_cases(dataset, "mine.yes").cases[:2] == ["d0 1", "d0 2"], "system turns, as that one is"
    with pytest.raises(UnknownName, match=r"subtask\.S"):
        labelled_cases(dataset, "subtask.Z")


def test_estimates_weigh_labels_by_their_logged_chances_and_leave_out_what_no_lot_fell_on(make) -> None:
    dataset = chosen(make)
    facts = estimate(dataset, "m", "subtask.S")
    for place, system in enumerate("ab"):
        here = np.array([one == system for one in SYSTEMS])
        weights = np.where(DRAWN, 1 / np.array(CHANCES), 0.0)[here]
        by_hand = float(weights @ np.array(GOOD)[here] / weights.sum())
        assert facts.groups[place].people.estimate == pytest.approx(by_hand)
        cases = JudgedCases(
            np.array(PEOPLE)[here],
            (0.2 + 0.6 * np.array(GOOD))[here],
            np.where(DRAWN, np.array(GOOD, dtype=float), np.nan)[here],
            np.array(CHANCES)[here],
        )
        assert facts.groups[place].joined == powered_mean(cases, rate=True)
    assert "10 of 12, of which 0" in " ".join(map(str, facts.words))
    plain = estimate(dataset, "m", "subtask.S", chances=dict.fromkeys((f"d{n}" for n in range(12)), 0.5))
    assert plain.groups[1].people.labels == facts.groups[1].people.labels + 1


def test_squares_of_participants_count_alike_where_chances_differ() -> None:
    people = np.repeat(np.arange(6), [1, 1, 2, 3, 4, 9])
    labels = (np.arange(20) % 3 == 0).astype(float)
    nothing = np.full(20, np.nan)
    found = powered_mean(JudgedCases(people, nothing, labels, np.ones(20)), rate=False)
    whole, mean = len(labels), labels.mean()
    away = [
        (mean - labels[people != one].mean()) * np.sqrt(1 - (people == one).sum() / whole) for one in range(6)
    ]
    assert found.se == pytest.approx(np.sqrt(np.sum(np.square(away))))
    assert found.df is not None and 1 <= found.df < 5


def test_a_judge_of_turns_is_held_to_annotators_of_turns(make) -> None:
    def said_by(who: str, n: int, turn: int) -> str:
        return "AP" if (n + turn) % 2 or (who == "bob" and n == 4) else "IA"

    rows = [
        label(f"d{n}", who, said_by(who, n, turn), "context", turn)
        for n in range(12)
        for turn in (1, 2)
        for who in ("ann", "bob")
    ]
    said = [
        judgement(f"d{n}", float((n + turn) % 2), target="context.AP", turn_index=turn)
        for n in range(12)
        for turn in (1, 2)
    ]
    dataset = made_of(make, annotations=rows, judgements=said)
    table = judged_table(dataset, "m", "context.AP")
    assert table.said.tolist() == [float((n + turn) % 2) for n in range(12) for turn in (1, 2)]
    assert table.words.tolist() == [1.0, 2.0] * 12
    facts = calibrate(dataset, "m", "context.AP")
    assert facts.agreement.n == 24 and facts.people_with_people is not None
    assert facts.people_with_people.same.value == pytest.approx(23 / 24)
    groups = estimate(dataset, "m", "context.AP").groups
    assert [one.dialogues for one in groups] == [12, 12] and groups[0].people.people == 4
    names, doubt, strata = doubts_by_dialogue(dataset, table, "m")
    assert (names, len(doubt), "".join(strata)) == ([f"d{n}" for n in range(12)], 12, SYSTEMS)


def test_no_measure_that_looks_at_annotation_predicts_a_label(make) -> None:
    dataset = chosen(make)
    names, values = free_parameters(dataset)
    looks = {one for layer in LAYERS for one in looking(dataset, layer)}
    assert looks and not looks & set(names) and values.shape == (12, len(names))


def test_looks_weigh_measures_of_labels_by_chances_and_no_evidence_at_any_time_does(make) -> None:
    dataset = chosen(make)
    measure = next(one for one in looking(dataset, "subtask") if sums(dataset, [one]).denominators[0].any())
    plain = sums(dataset, [measure])
    weights = np.where(DRAWN, 1 / np.array(CHANCES), 0.0)
    assert plain.weights[measure].tolist() == weights.tolist()
    tops, bottoms = (np.asarray(one[0]) * weights for one in (plain.numerators, plain.denominators))
    a, b = (np.array([one == system for one in SYSTEMS]) for system in "ab")
    found = monitor(dataset, measure, ("a", "b"), planned=12, looks=2)
    expected = tops[a].sum() / bottoms[a].sum() - tops[b].sum() / bottoms[b].sum()
    assert found.test.difference == pytest.approx(expected)
    analysis = Analysis.model_validate(
        {
            "primary": {"measure": measure, "compare": ["a", "b"]},
            "stopping": {"rule": "anytime"},
        }
    )
    with pytest.raises(InputError, match="unequal selection probabilities"):
        watch(dataset, analysis, PEOPLE)
