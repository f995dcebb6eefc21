"""Who gets which system, and the secrets handed out."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.errors import UnknownName
from vivavoce.trial.allocation import choose_system, choose_task
from vivavoce.trial.codes import (
    ALPHABET,
    completion_code,
    digits_of,
    earned_code,
    is_completion_code,
    new_token,
    token_hash,
)

SYSTEMS = ["one", "two", "three"]
counts = st.dictionaries(st.sampled_from(SYSTEMS), st.integers(0, 9))
seeds = st.integers(0, 2**32)


@given(counts, counts, seeds)
def test_least_used_takes_a_system_that_this_participant_met_least(mine, all_, seed) -> None:
    chosen = choose_system("least-used-by-participant", SYSTEMS, mine, all_, Random(seed))
    assert mine.get(chosen, 0) == min(mine.get(system, 0) for system in SYSTEMS)


@given(counts, counts, seeds)
def test_balanced_takes_a_system_that_all_met_least(mine, all_, seed) -> None:
    chosen = choose_system("balanced", SYSTEMS, mine, all_, Random(seed))
    assert all_.get(chosen, 0) == min(all_.get(system, 0) for system in SYSTEMS)


def test_ties_and_the_random_rule_reach_every_system() -> None:
    for rule in ("random", "least-used-by-participant", "balanced"):
        drawn = Counter(choose_system(rule, SYSTEMS, {}, {}, Random(seed)) for seed in range(300))
        assert set(drawn) == set(SYSTEMS) and min(drawn.values()) > 60


def test_an_unknown_rule_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'balanced'"):
        choose_system("balance", SYSTEMS, {}, {}, Random(1))


@given(st.sets(st.sampled_from("abcd")), seeds)
def test_a_task_comes_twice_only_when_all_were_had(done, seed) -> None:
    task = choose_task(list("abcd"), done, Random(seed))
    assert task not in done or done == set("abcd")


def test_without_tasks_there_is_none() -> None:
    assert choose_task([], set(), Random(1)) is None


@given(st.integers(4, 9))
def test_an_earned_code_has_its_digits_and_can_be_spoken_as_a_number(digits) -> None:
    code = earned_code(digits)
    assert len(code) == digits and code.isdigit() and code[0] != "0"


def test_a_completion_code_is_known_by_its_check_symbol_however_it_is_typed() -> None:
    code = completion_code()
    assert is_completion_code(code) and is_completion_code(code.lower().replace("-", " "))


@given(st.integers(0, 11), st.sampled_from(ALPHABET))
def test_any_single_wrong_symbol_is_noticed(place, symbol) -> None:
    symbols = list(completion_code().replace("-", ""))
    changed = symbols[place] != symbol
    symbols[place] = symbol
    assert is_completion_code("".join(symbols)) != changed


@given(st.integers(0, 9))
def test_two_neighbours_swapped_are_noticed(place) -> None:
    symbols = list(completion_code().replace("-", ""))
    changed = symbols[place] != symbols[place + 1]
    symbols[place], symbols[place + 1] = symbols[place + 1], symbols[place]
    assert is_completion_code("".join(symbols)) != changed


def test_a_token_is_long_and_only_its_hash_can_be_found_by() -> None:
    token, hashed = new_token()
    assert len(token) >= 43 and hashed == token_hash(token) and token not in hashed


def test_a_code_is_read_whatever_stands_between_its_digits() -> None:
    assert digits_of(" 48-21 . ") == "4821" and digits_of("no code") == ""
