"""Parameters against worked examples, from rows of a dataset to the number."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.dataset.reader import Dataset
from vivavoce.measures import MEASURES, compute
from vivavoce.measures.answers import darpa_modified_error, darpa_score
from vivavoce.measures.base import Tables
from vivavoce.measures.cooperativity import squared_runs
from vivavoce.measures.key_agreement import chance_agreement, kappa_components
from vivavoce.measures.understanding import concept_efficiency, query_density
from vivavoce.measures.understanding import concepts as concepts_of

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "parameters.json").read_text(encoding="utf-8"))
NAMES = {measure.symbol or name: name for name, measure in MEASURES}
Make = Callable[..., Dataset]


def close(expected: float) -> Any:
    return pytest.approx(expected, abs=GOLDEN["tolerance"])


def value(dataset: Dataset, symbol: str) -> float:
    return compute(dataset, [NAMES[symbol]]).loc[0, "value"]


def label(turn: int | None, layer: str, said: str, value: str | None = None) -> dict[str, Any]:
    return {"turn_index": turn, "layer": layer, "label": said, "value": value, "annotator_id": "a"}


def turns(parties: str, **columns: list[Any]) -> list[dict[str, Any]]:
    """`su` makes a system turn and a user turn."""
    return [
        {"turn_index": index, "party": {"s": "system", "u": "user"}[party]}
        | {name: values[index] for name, values in columns.items()}
        for index, party in enumerate(parties)
    ]


def test_eight_inappropriate_turns_in_runs_of_3_2_1_1_1_weigh_16(make_dataset: Make) -> None:
    case = GOLDEN["weighted_inappropriateness"]
    given_labels = case["labels"].split()
    rows = {
        "turns": turns("su" * len(given_labels)),
        "annotations": [label(2 * number, "context", one) for number, one in enumerate(given_labels)],
    }
    dataset = make_dataset({"d": {"rows": rows}})
    assert value(dataset, "CA:IA") == case["count"]
    assert value(dataset, "wCA:IA") == case["expected"]


def test_experts_labels_of_how_turns_were_understood_count_from_the_first_turn_on(make_dataset: Make) -> None:
    """Turns 0 and 1, as of a dialogue that the user begins with two turns."""
    rows = {"turns": turns("uu"), "annotations": [label(0, "parse", "IC"), label(1, "parse", "CO")]}
    dataset = make_dataset({"d": {"rows": rows}})
    assert [value(dataset, symbol) for symbol in ("PA:CO", "PA:PA", "PA:IC")] == [1, 0, 1]


def test_recovery_reads_the_answers_to_turns_understood_in_part(make_dataset: Make) -> None:
    """Of four turns understood in part two are well answered; a label of recovery goes before context."""
    given = [label(turn, "parse", "PA") for turn in (0, 2, 4, 6)] + [label(8, "parse", "CO")]
    given += [label(1, "context", "AP"), label(3, "context", "IA"), label(9, "context", "AP")]
    given += [label(4, "recovery", "appropriate"), label(5, "context", "IA"), label(7, "context", "IA")]
    rows = {"turns": turns("us" * 5), "annotations": given}
    assert value(make_dataset({"d": {"rows": rows}}), "IR") == 2 / 4


def test_concepts_are_what_users_state_deny_and_ask_for(make_dataset: Make) -> None:
    stated = "inform(food=Thai) confirm(area=north) deny(price=cheap) request(phone)"
    said = f"{stated} inform(name) select(food=greek)"
    (turn,) = concepts_of(Tables(make_dataset({"d": {"turns": [f"U {said}"]}})))["d"]
    meant = {("food", "thai"), ("area", "north"), ("price", "not cheap"), ("request", "phone")}
    assert set(turn.meant) == meant


def test_not_a_value_is_another_concept_than_the_value(make_dataset: Make) -> None:
    act = {"turn_index": 0, "rank": 0, "position": 0, "act": "inform", "slot": "food", "value": "thai"}
    rows = [
        act | {"layer": "reference", "source": "label", "op": "!="},
        act | {"layer": "understood", "source": "bot", "op": "="},
    ]
    (turn,) = concepts_of(Tables(make_dataset({"d": {"rows": {"acts": rows}}})))["d"]
    assert (turn.meant, turn.correct, turn.substituted) == ((("food", "not thai"),), 0, 1)


@given(st.lists(st.booleans(), max_size=40))
def test_weighted_inappropriateness_lies_between_the_count_and_its_square(flags: list[bool]) -> None:
    assert sum(flags) <= squared_runs(flags) <= sum(flags) ** 2


@pytest.mark.parametrize("symbol", GOLDEN["words"]["expected"])
def test_word_parameters_come_out_as_in_the_worked_example(make_dataset: Make, symbol: str) -> None:
    pairs = GOLDEN["words"]["turns"]
    rows = turns("u" * len(pairs), reference=[said for said, _ in pairs], text=[heard for _, heard in pairs])
    dataset = make_dataset({"d": {"dialogue": {"channel": "phone"}, "rows": {"turns": rows}}})
    assert value(dataset, symbol) == close(GOLDEN["words"]["expected"][symbol])


@pytest.fixture
def concepts(make_dataset: Make) -> Dataset:
    cases = GOLDEN["concepts"]["turns"]
    lines = [line for case in cases for line in (f"U {case['meant']}|{case['understood']}", "S ack()")]
    rows = {
        "turns": turns("us" * len(cases)),
        "annotations": [label(2 * n + 1, "context", case["answer"]) for n, case in enumerate(cases)],
    }
    return make_dataset({"d": {"turns": lines, "rows": rows}})


@pytest.mark.parametrize("symbol", GOLDEN["concepts"]["expected"])
def test_concept_parameters_come_out_as_in_the_worked_example(concepts: Dataset, symbol: str) -> None:
    assert value(concepts, symbol) == close(GOLDEN["concepts"]["expected"][symbol])


@pytest.mark.parametrize("case", GOLDEN["answers"])
def test_darpa_scores_come_out_as_in_the_worked_example(make_dataset: Make, case: dict[str, Any]) -> None:
    judged = [
        kind
        for kind, count in zip(("CO", "IC", "PA", "FA"), case["counts"], strict=True)
        for _ in range(count)
    ]
    rows = [label(number, "answer", kind) for number, kind in enumerate(judged)]
    dataset = make_dataset({"d": {"rows": {"annotations": rows}}})
    assert value(dataset, "DARPA_s") == close(case["DARPA_s"])
    assert value(dataset, "DARPA_me") == close(case["DARPA_me"])
    assert value(dataset, "# user questions") == sum(case["counts"])


@given(st.integers(0, 20), st.integers(0, 20), st.integers(1, 20))
def test_without_partial_answers_the_modified_error_is_one_less_the_score(
    correct: int, incorrect: int, failed: int
) -> None:
    counts = {"CO": correct, "IC": incorrect, "PA": 0, "FA": failed}
    (score, questions), (error, _) = darpa_score(counts), darpa_modified_error(counts)
    assert error / questions == pytest.approx(1 - score / questions)


def test_query_density_and_concept_efficiency_are_means_over_dialogues() -> None:
    case = GOLDEN["economy"]
    density = [query_density(new, queries) for new, queries, _ in case["dialogues"]]
    efficiency = [concept_efficiency(new, mentions) for new, _, mentions in case["dialogues"]]
    for pairs, expected in ((density, case["QD"]), (efficiency, case["CE"])):
        assert sum(n for n, _ in pairs) / sum(d for _, d in pairs) == close(expected)


def test_a_concept_said_twice_before_it_is_understood_halves_the_efficiency(make_dataset: Make) -> None:
    lines = [
        "U inform(food=thai)|null()",
        "U inform(food=thai)|inform(food=thai)",
        "U inform(food=thai)|inform(food=thai)",
        "U inform(area=west)|inform(area=west)",
    ]
    dataset = make_dataset({"d": {"turns": lines}})
    assert value(dataset, "CE") == pytest.approx(2 / 3)
    assert value(dataset, "QD") == pytest.approx(2 / 4)


def test_kappa_of_the_two_agents_is_as_printed() -> None:
    for case in GOLDEN["kappa"]["agreement"]:
        numerator, denominator = kappa_components(1, case["agreeing"], case["chance"])
        assert numerator / denominator == close(case["kappa"])
        assert numerator / denominator == pytest.approx(case["printed"], abs=0.0005)


def test_kappa_counts_cells_so_that_its_n_is_true_whatever_chance_is(make_dataset: Make) -> None:
    dataset = matrix_dataset(make_dataset, [[20, 2, 0], [3, 15, 1], [2, 3, 14]])
    assert set(compute(dataset, ["attribute_kappa"])["denominator"]) == {60.0}


def matrix_dataset(make_dataset: Make, matrix: list[list[int]]) -> Dataset:
    """One dialogue a cell: columns are the values of the key, rows those that the dialogue arrived at."""
    cells = [
        (row, column)
        for row, counts in enumerate(matrix)
        for column, count in enumerate(counts)
        for _ in range(count)
    ]
    return make_dataset(
        {
            f"d{number}": {"turns": [f"U inform(food=v{row})"], "constraints": {"food": f"v{column}"}}
            for number, (row, column) in enumerate(cells)
        }
    )


def test_kappa_of_a_matrix_takes_chance_from_the_key_and_is_not_cohens(make_dataset: Make) -> None:
    case = GOLDEN["kappa"]
    dataset = matrix_dataset(make_dataset, case["matrix"])
    assert value(dataset, "P(A)") == close(case["P(A)"])
    assert value(dataset, "kappa") == close(case["kappa"])
    assert abs(case["kappa"] - case["cohen"]) > 1000 * GOLDEN["tolerance"]
    columns = [sum(column) for column in zip(*case["matrix"], strict=True)]
    key = {("food", str(index)): count for index, count in enumerate(columns)}
    assert chance_agreement(key) == close(case["P(E)"])


def test_a_key_with_one_value_has_no_kappa(make_dataset: Make) -> None:
    dataset = matrix_dataset(make_dataset, [[3], [1]])
    assert value(dataset, "P(A)") == 0.75
    assert value(dataset, "kappa") != value(dataset, "kappa")  # NaN: missing


def test_a_value_never_exchanged_is_a_disagreement(make_dataset: Make) -> None:
    dataset = make_dataset(
        {
            "a": {"turns": ["U inform(food=thai)"], "constraints": {"food": "thai", "area": "north"}},
            "b": {"turns": ["U inform(area=west)"], "constraints": {"area": "west", "price": "dontcare"}},
        }
    )
    assert value(dataset, "P(A)") == pytest.approx(2 / 3)


def test_cells_are_the_constrained_slots_that_matter_also_where_goals_are_scored(make_dataset: Make) -> None:
    goal = {"goal_index": 0, "origin": "assigned", "kind": "type", "value": "restaurant"}
    wanted = {"food": "thai", "area": "dontcare"}
    turns_ = ["U inform(food=thai)", "S offer(name=om)"]
    talk = {"turns": turns_, "constraints": wanted, "rows": {"goals": [goal]}}
    venues = {"om": {"food": "thai", "area": "north", "type": "restaurant"}}
    for known in (venues, {}):
        row = compute(make_dataset({"d": talk}, known), [NAMES["P(A)"]]).iloc[0]
        assert (row["numerator"], row["denominator"]) == (1, 1)


def test_weighted_task_success_is_the_mean_over_sub_tasks(make_dataset: Make) -> None:
    case = GOLDEN["weighted_task_success"]
    rows = [label(None, "subtask", code, f"task {number}") for number, code in enumerate(case["codes"])]
    assert value(make_dataset({"d": {"rows": {"annotations": rows}}}), "TSw") == close(case["expected"])


def test_no_symbol_stands_for_two_measures_of_different_names() -> None:
    symbols = [measure.symbol for name, measure in MEASURES if measure.symbol and "objective" not in name]
    assert len(symbols) == len(set(symbols))
    assert all(re.fullmatch(r"[a-z][a-zA-Z_0-9]*", name) for name in MEASURES.names())


def test_of_sub_tasks_only_those_that_failed_have_a_better_direction() -> None:
    """Codes after Fraser (1997): Fs and Fu are failures; of the others more is neither better nor worse."""
    told = [one for one in map(MEASURES.get, MEASURES.names()) if one.symbol.startswith("TS:")]
    directions = {one.symbol: one.direction for one in told if one.direction is not None}
    assert directions == {"TS:Fs": "lower", "TS:Fu": "lower"} and len(told) == 7
