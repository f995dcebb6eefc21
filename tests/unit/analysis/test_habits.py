"""Habits of callers, each from calls that one can judge by hand; their spread against other libraries."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta
from statsmodels.duration.survfunc import SurvfuncRight

from vivavoce.analysis.annotated_calls import Call
from vivavoce.analysis.calibration import (
    BetaRate,
    _carefulness,
    _changed_mind,
    _denial,
    _dialogues,
    _error_rates,
    _forgetfulness,
    _giving_up,
    _has_alone,
    _in_place_of_answers,
    _only_denial,
    _over_informing,
    _steadiness,
    _terseness,
    _thanks_first,
    _two_at_once,
    kaplan_meier,
)

Said = str | None
WRONG = ("U food=thai", "S food=greek")


def call(*turns: str, words: list[int] | None = None, **facts: object) -> Call:
    """`U food=thai request:phone`, `S`, `S food=greek`, `S-` for a turn of the system's that did not help."""
    made = Call("d", "p", **facts)  # pyright: ignore[reportArgumentType]
    for index, turn in enumerate(turns):
        who, *items = turn.split()
        if who == "U":
            acts = [act(one) for one in items]
            made.acts.append(acts)
            made.turn_of_acts.append(index)
            made.words.append(words[len(made.words)] if words else 1)
        else:
            made.helpful.append((index, who == "S"))
            made.stated[index] = dict(one.split("=") for one in items if "=" in one)
            made.told[index] = {one for one in items if "=" not in one}
    return made


def act(text: str) -> tuple[str, Said, Said]:
    """`food=thai` is stated; other acts are told: `negate`, `request:phone`, `confirm:food=thai`."""
    told, _, value = text.partition("=")
    kind, colon, slot = told.partition(":")
    if value and not colon:
        kind, slot = "inform", told
    return kind, slot or None, value or None


def test_a_mind_is_changed_where_a_value_is_though_nothing_failed() -> None:
    for turns, changed in [
        (("U food=thai", "S", "U food=greek"), True),
        (("U food=thai", "S-", "U food=greek"), False),
        (("U food=thai", "S", "S-", "U food=greek"), False),
        (("U food=thai", "S-", "S", "U food=greek"), True),
        (("U food=thai", "U food=greek"), True),
        (("U food=thai", "S", "U food=thai"), False),
        (("U food=thai", "S", "U area=north"), False),
        (("U food=thai", "S", "U food=dontcare"), False),
        (("U food=dontcare", "S", "U food=greek"), False),
        (("U food=thai", "S", "U request:food"), False),
        (("U inform:food", "S", "U food=greek"), False),
        (("U food=thai", "S", "U confirm:food=greek"), False),
    ]:
        assert _changed_mind(call(*turns)) == changed


def test_who_is_careful_corrects_what_the_system_states_wrongly() -> None:
    for turns, share, n in [
        ((*WRONG, "U food=thai"), 1.0, 1),
        ((*WRONG, "U deny:food"), 1.0, 1),
        ((*WRONG, "U negate"), 1.0, 1),
        ((*WRONG, "U request:phone"), 0.0, 1),
        ((*WRONG, "U request:food"), 0.0, 1),
        (("U food=thai", "S food=thai", "U area=north"), None, 0),
        (("U food=dontcare", "S food=greek", "U negate"), None, 0),
        (("S food=greek", "U negate"), None, 0),
        ((*WRONG, "S area=north", "U negate"), None, 0),
        ((*WRONG, "U negate", "S food=greek", "U bye"), 0.5, 2),
    ]:
        assert _carefulness([call(*turns)]) == (share, n)


@pytest.mark.parametrize(
    ("turns", "share", "n"),
    [
        ((*WRONG, "U food=thai"), 0.0, 1),
        ((*WRONG, "U negate food=thai"), 1.0, 1),
        ((*WRONG, "U bye"), None, 0),
        ((*WRONG, "U deny:food", "S food=greek", "U food=thai"), 0.5, 2),
        (("U negate",), None, 0),
    ],
)
def test_a_correction_denies_or_says_it_again(turns: tuple[str, ...], share: float | None, n: int) -> None:
    assert _denial([call(*turns)]) == (share, n)


@pytest.mark.parametrize(
    ("turns", "share", "n"),
    [
        (("U null", "U food=thai", "U null", "U bye"), 1.0, 2),
        (("U null", "U null", "U bye"), 1.0, 1),
        (("U food=thai", "U null", "U bye"), 0.5, 2),
        (("U null food=thai", "U bye"), 0.0, 2),
        (("U null",), 1.0, 1),
    ],
)
def test_what_is_in_place_of_an_answer_is_counted_of_the_turns_that_do_not_follow_another(
    turns: tuple[str, ...], share: float, n: int
) -> None:
    assert _in_place_of_answers([call(*turns)], "null") == (share, n)


def test_two_things_at_once_are_a_wish_and_a_question() -> None:
    both, one = "U food=thai request:phone", "U food=thai area=north"
    assert _two_at_once([call(both, one, "U request:phone", "U bye")]) == (1 / 3, 3)
    assert _two_at_once([call("U bye")]) == (None, 0)


def test_who_is_terse_states_a_value_in_two_words() -> None:
    for turn, words, share, n in [
        ("U food=thai", 2, 1.0, 1),
        ("U food=thai", 3, 0.0, 1),
        ("U food=thai area=north", 4, 1.0, 1),
        ("U food=thai food=greek", 3, 0.0, 1),
        ("U food=thai negate", 1, None, 0),
        ("U", 1, None, 0),
    ]:
        assert _terseness([call(turn, words=[words])]) == (share, n)


@pytest.mark.parametrize(
    ("turns", "share", "n"),
    [
        (("U food=thai area=north", "U food=thai"), 0.5, 2),
        (("U food=thai request:phone",), 1.0, 1),
        (("U food=thai food=greek",), 0.0, 1),
        (("U negate:food negate:area", "U bye"), None, 0),
    ],
)
def test_who_over_informs_speaks_of_two_slots_in_a_turn(
    turns: tuple[str, ...], share: float | None, n: int
) -> None:
    assert _over_informing([call(*turns)]) == (share, n)


def test_a_constraint_is_forgotten_that_is_never_spoken_of() -> None:
    wanted = {"food", "area", "pricerange"}
    assert _forgetfulness([call("U food=thai", "U request:area", constraints=wanted)]) == (1 / 3, 3)
    assert _forgetfulness([call("U food=thai")]) == (None, 0)


@given(st.lists(st.tuples(st.integers(0, 26), st.booleans()), min_size=1, max_size=40))
def test_patience_is_the_product_limit_of_another_library(left: list[tuple[int, bool]]) -> None:
    found = kaplan_meier(left)
    if not any(vain for _, vain in left):
        assert found == {}
        return
    times, vain = zip(*((min(turns, 20), vain) for turns, vain in left), strict=True)
    curve = SurvfuncRight(np.array(times) + 1.0, np.array(vain, dtype=int))
    expected: defaultdict[int, float] = defaultdict(float)
    before = 1.0
    for time, surviving in zip(curve.surv_times, np.asarray(curve.surv_prob), strict=True):
        expected[max(0, int(time) - 2)] += before - surviving
        before = float(surviving)
    last = max(one for one, gone in zip(times, vain, strict=True) if gone)
    expected[last] += before
    assert found == pytest.approx(
        {turns: share for turns, share in expected.items() if share > 1e-9}, abs=1e-4
    )


def test_error_rates_of_callers_have_the_moments_of_their_distribution() -> None:
    rates = {"p": [0.1, 0.3], "q": [0.4], "r": [0.25, 0.35, 0.3], "s": [2.0]}
    calls = [Call("d", person, error_rate=one) for person, own in rates.items() for one in own]
    found = _error_rates([*calls, Call("d", "t")])
    means = [0.2, 0.4, 0.3, 0.9]
    assert isinstance(found, BetaRate)
    assert beta.mean(*found.beta) == pytest.approx(np.mean(means), abs=1e-3)
    assert beta.var(*found.beta) == pytest.approx(np.var(means, ddof=1), rel=0.01)
    assert _error_rates(calls[:2]) == 0.2 and _error_rates([Call("d", "p")]) is None
    assert _error_rates([Call("d", "p", error_rate=0.0), Call("d", "q", error_rate=0.9)]) == 0.45


def test_callers_are_counted_by_how_often_they_called() -> None:
    calls = [Call("d", person) for person in ["p"] * 2 + ["q"] * 2 + ["r"] + ["s"] * 70]
    assert _dialogues(calls) == {1: 0.25, 2: 0.5, 60: 0.25}


def test_a_mere_no_is_counted_of_what_puts_a_confirmation_right() -> None:
    for turns, share, n in [
        (("S confirm", "U negate"), 1.0, 1),
        (("S confirm", "U negate food=thai"), 0.0, 1),
        (("S confirm", "U food=thai", "S confirm", "U negate"), 0.5, 2),
        (("S confirm", "U affirm"), None, 0),
        (("S offer", "U negate"), None, 0),
        (("S confirm", "U affirm food=thai"), None, 0),
        (("S confirm", "U null"), None, 0),
    ]:
        assert _only_denial([call(*turns)]) == (share, n)


@pytest.mark.parametrize(
    ("turns", "share", "n"),
    [
        (("U food=thai", "S- canthelp", "U food=thai"), 0.0, 1),
        (("U food=thai", "S- canthelp", "U food=dontcare"), 1.0, 1),
        (("U food=thai", "S- canthelp", "U food=greek"), None, 0),
        (("U food=thai", "S", "U food=thai"), None, 0),
        (("U food=thai", "S- canthelp", "U bye"), None, 0),
    ],
)
def test_who_is_refused_says_it_again_or_gives_it_up(
    turns: tuple[str, ...], share: float | None, n: int
) -> None:
    assert _giving_up([call(*turns)]) == (share, n)


def test_thanks_are_said_first_where_the_farewell_follows() -> None:
    assert _thanks_first(call("U thankyou", "S", "U bye thankyou"))
    assert not _thanks_first(call("U thankyou", "S", "U request:phone"))
    assert not _thanks_first(call("U thankyou bye"))


def test_an_alternative_is_asked_for_where_nothing_is_stated_with_it() -> None:
    assert _has_alone(call("U food=thai", "U reqalts"), "reqalts")
    assert not _has_alone(call("U food=thai reqalts"), "reqalts")


def test_who_is_steady_says_all_in_few_words_or_in_many() -> None:
    turns = ("U food=thai", "U request:phone")
    short, long = ([call(*turns, words=[n, n]) for _ in range(5)] for n in (1, 7))
    for number, one in enumerate([*short, *long]):
        one.dialogue_id = str(number)
    share, n = _steadiness([*short, *long])
    assert share == pytest.approx(1) and n == 20
    mixed = [call(*turns, words=words) for words in ([1, 1], [1, 7], [7, 1], [7, 7]) for _ in range(3)]
    for number, one in enumerate(mixed):
        one.dialogue_id = str(number)
    assert _steadiness(mixed) == (pytest.approx(0, abs=1e-6), 24)
    assert _steadiness(short[:2]) == (None, 0), "too few turns alike"
