"""Several trials of one task: chances that all of them succeed, against counting draws of trials."""

from collections.abc import Callable
from itertools import combinations

import pytest

from vivavoce.analysis.repeated_trials import pass_power, repeated_trials
from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset

Make = Callable[..., Dataset]


@pytest.mark.parametrize("trials", [[(2, 3), (4, 4), (0, 3)], [(3, 5)], [(1, 1), (5, 7)], []])
def test_powers_are_shares_of_all_draws_of_k_trials_in_which_every_one_succeeded(trials: list) -> None:
    """Counted draw by draw, up to as many trials as each task has."""
    found = pass_power(trials)
    assert [k for k, _ in found] == list(range(1, min((many for _, many in trials), default=0) + 1))
    for k, chances in found:
        for (passed, many), chance in zip(trials, chances, strict=True):
            draws = list(combinations([True] * passed + [False] * (many - passed), k))
            assert chance == pytest.approx(sum(map(all, draws)) / len(draws))


def test_each_system_has_the_mean_over_its_own_tasks(make: Make) -> None:
    told = {
        ("a", "t1"): [1, 1, 0],
        ("a", "t2"): [1, 1, 1, 1],
        ("a", "t3"): [0, 0, 0],
        ("b", "t1"): [1, 0],
        ("b", None): [1],
        ("a", "t4"): [None],
    }
    trials = [(system, task, answer) for (system, task), own in told.items() for answer in own]
    dataset = make(
        *[(system, "p", answer) for system, _, answer in trials], task_id=[one for _, one, _ in trials]
    )
    found = repeated_trials(dataset, "subjective_success")
    a, b = found.systems
    assert (found.measure, found.untasked) == ("subjective_success", 1)
    assert [(one.system, one.trials, one.passed) for one in (a, b)] == [("a", 10, 6), ("b", 2, 1)]
    expected = [(2 / 3 + 1) / 3, (1 / 3 + 1) / 3, 1 / 3]
    assert [(one.k, one.tasks) for one in a.powers] == [(1, 3), (2, 3), (3, 3)]
    for one, ratio in zip(a.powers, expected, strict=True):
        assert one.ratio == pytest.approx(ratio)
        assert one.low is not None and one.high is not None and one.low <= one.ratio <= one.high
        assert f"n:3|data:{dataset.hash}" in one.signature and f"k:{one.k}" in one.signature
    assert [(one.ratio, one.low, one.high) for one in b.powers] == [(0.5, None, None), (0, None, None)]


@pytest.mark.parametrize(
    ("answer", "task", "said"),
    [
        (0.5, "t", "'subjective_success' is 0.5 in dialogue d0"),
        (2, "t", "is 2 in dialogue d0"),
        (1, None, "no dialogue is a trial of a task"),
        (None, "t", "no dialogue is a trial"),
    ],
)
def test_what_holds_no_trial_is_told(make: Make, answer, task, said) -> None:
    with pytest.raises(InputError, match="(?i)" + said):
        repeated_trials(make(("a", "p", answer), task_id=task), "subjective_success")
