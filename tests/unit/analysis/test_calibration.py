"""Habits read from calls, and distances between distributions: against figures worked out by hand."""

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import energy_distance

from scenes.calls import Acts, act, written
from vivavoce.analysis.annotated_calls import calls_of
from vivavoce.analysis.calibration import (
    CallerTurn,
    HabitEvidence,
    HabitValues,
    compare,
    cramer,
    fit,
    kaplan_meier,
    kullback_leibler,
    observations,
    read_sayings,
)
from vivavoce.core.errors import InputError
from vivavoce.dataset.copying import copy_dataset
from vivavoce.dataset.reader import Dataset
from vivavoce.importers.base import IMPORTERS
from vivavoce.measures.compute import components
from vivavoce.reports.calibration import distribution_figure

numbers = st.lists(st.integers(0, 9), min_size=1, max_size=30)

FOOD, AREA = ("inform", "food", "thai"), ("inform", "area", "north")
OFFER: Acts = [("offer", "name", "x"), ("inform", "food", "thai")]
CANNOT: Acts = [("canthelp", "food", "thai")]
CALLS: list[dict[str, Any]] = [
    {
        "caller": "a",
        "goal": {"food": "thai", "area": "north"},
        "found": True,
        "turns": [
            ("system", "", "hello", [("hello", None, None)]),
            ("user", "thai food in the north", "tie food in the north", [FOOD, AREA]),
            ("system", "", "x", OFFER),
            ("user", "anything else", "anything else", [("reqalts", None, None)]),
            ("system", "", "y", OFFER),
            ("user", "no the south", "no the south", [("negate", None, None), ("inform", "area", "south")]),
        ],
    },
    {
        "caller": "a",
        "goal": {"food": "thai", "area": "dontcare"},
        "found": False,
        "turns": [
            ("system", "", "hello", [("hello", None, None)]),
            ("user", "thai", "thai", [FOOD]),
            ("system", "", "sorry", CANNOT),
            ("user", "thai", "thai", [FOOD]),
            ("system", "", "sorry", CANNOT),
            ("user", "bye", "buy", [("bye", None, None)]),
        ],
    },
    {
        "caller": "b",
        "goal": {"food": "thai", "area": "north"},
        "found": True,
        "turns": [
            ("system", "", "hello", [("hello", None, None)]),
            ("user", "north", "north", [AREA]),
            ("system", "", "south?", [("confirm", "area", "south")]),
            ("user", "north", "north", [AREA]),
            ("system", "", "x", OFFER),
            ("user", "bye", "bye", [("bye", None, None)]),
        ],
    },
]


def test_habits_are_the_shares_that_the_calls_show(tmp_path: Path) -> None:
    fitted = fit(written(tmp_path / "real", CALLS), "toy-callers")
    habits = fitted.habits
    assert habits["forgetfulness"] == round(1 / 5, 4), "b never speaks of food; dontcare is no constraint"
    assert habits["over_informing"] == round(1 / 6, 4), "of six turns that state something, one states two"
    assert habits["curiosity"] == round(1 / 3, 4)
    assert habits["fickleness"] == round(1 / 3, 4), "a wants the south though nothing was refused"
    assert habits["carefulness"] == 1, "the one wrong confirmation was answered by the right value"
    assert habits["terseness"] == round(4 / 5, 4)
    assert habits["dialogues"] == HabitValues({1: 0.5, 2: 0.5})
    assert habits["patience"] == HabitValues({1: 1.0}), "left at the second refusal: one was borne"
    assert fitted.source.callers == 2 and fitted.simulated is True
    assert calls_of(Dataset(tmp_path / "real"))[1].unhelpful == 2


def test_sentences_of_several_callers_are_kept_without_their_values(tmp_path: Path) -> None:
    """Of one caller's words nothing passes on, only that what they mean was said so often."""

    def call(caller: str, said: str, food: str) -> dict[str, Any]:
        return {
            "caller": caller,
            "goal": {"food": food},
            "found": True,
            "turns": [
                ("system", "", "sorry", CANNOT),
                ("user", said, said, [("reqalts", None, None), ("inform", "food", food)]),
            ],
        }

    calls = [
        call(who, f"How about {food} food?", food)
        for who, food in zip("abc", ("thai", "greek", "thai"), strict=True)
    ]
    calls += [call("d", "my sister Anna likes greek", "greek")] * 3
    fitted = fit(written(tmp_path / "real", calls), "toy-callers")
    (kept,) = fitted.sayings["en"]
    assert (kept.say, kept.means, kept.after, kept.n) == (
        "how about {food} food",
        ["reqalts", "inform food"],
        "canthelp",
        6,
    )


def test_a_sentence_that_few_said_counts_for_the_one_of_its_meaning_that_is_nearest_in_length() -> None:
    def said(text: str, *callers: str, act: str = "request", before: str = "offer") -> list[CallerTurn]:
        return [CallerTurn(who, text, [(act, "phone", None)], (before,)) for who in callers]

    turns = [
        *said("phone", *"abc"),
        *said("what is the phone number", *"abcd"),
        *said("could you please tell me the phone number", "a"),
        *said("phone please", "b", before="canthelp"),
        *said("is there no phone", "c", act="confirm"),
    ]
    assert [(one.say, one.after, one.n) for one in read_sayings(turns)] == [
        ("what is the phone number", "offer", 5),
        ("phone", "offer", 3),
        ("phone", "canthelp", 1),
    ]


def test_who_did_not_say_whether_all_was_found_says_nothing_of_patience(tmp_path: Path) -> None:
    """The second call, which its caller left after two refusals, is not known to have been left in vain."""
    silent = [CALLS[0], {**CALLS[1], "found": None}, CALLS[2]]
    assert "patience" not in fit(written(tmp_path / "real", silent), "toy").habits
    more = fit(written(tmp_path / "more", [*CALLS, {**CALLS[1], "found": None}]), "toy").habits
    assert more["patience"] == HabitValues({1: 1.0}), "as of the three who said it"


def test_word_error_rates_are_spread_over_callers_by_moments(tmp_path: Path) -> None:
    alpha, beta = fit(written(tmp_path / "real", CALLS), "toy").word_error_rate.beta
    rates = [(1 / 10 + 1 / 3) / 2, 0.0]  # of a, over two calls; of b
    mean = sum(rates) / 2
    assert alpha / (alpha + beta) == pytest.approx(mean, abs=0.001)
    variance = sum((rate - mean) ** 2 for rate in rates)
    assert alpha * beta / ((alpha + beta) ** 2 * (alpha + beta + 1)) == pytest.approx(variance, rel=0.01)


def test_calls_without_meanings_cannot_be_fitted(tmp_path: Path) -> None:
    bare = [{**CALLS[0], "turns": [(party, said, heard, []) for party, said, heard, _ in CALLS[0]["turns"]]}]
    with pytest.raises(InputError, match="no user turn has reference acts"):
        fit(written(tmp_path / "real", bare), "toy")


def test_patience_is_estimated_with_those_who_were_served_as_censored() -> None:
    """Five callers: left in vain at 1 and 3, served after 0, 2 and 4: survival 3/4 after 1, 3/8 after 3."""
    shares = kaplan_meier([(1, True), (3, True), (0, False), (2, False), (4, False)])
    assert shares == {0: 0.25, 2: 0.375, 3: 0.375}
    assert kaplan_meier([(2, False)]) == {}
    assert kaplan_meier([(40, True)]) == {19: 1.0}


@given(st.lists(st.tuples(st.integers(0, 30), st.booleans()), max_size=40))
def test_shares_of_patience_sum_to_one(left: list[tuple[int, bool]]) -> None:
    shares = kaplan_meier(left)
    assert not shares or sum(shares.values()) == pytest.approx(1, abs=0.001)


def test_divergence_is_that_of_the_smoothed_shares() -> None:
    """Shares (2.5, 1.5)/4 and (1.5, 2.5)/4: 5/8 lb 5/3 - 3/8 lb 5/3."""
    assert kullback_leibler("aab", "abb") == pytest.approx(0.25 * math.log2(5 / 3))
    assert kullback_leibler([], "a") is None and cramer([1.0], []) is None


@given(numbers, numbers)
def test_distances_are_those_of_scipy_and_zero_from_a_distribution_to_itself(
    one: list[int], other: list[int]
) -> None:
    found = cramer(one, other)
    assert found == pytest.approx(energy_distance(one, other) ** 2 / 2, abs=1e-9)
    assert (kullback_leibler(one, other) or 0) >= -1e-12
    assert kullback_leibler(one, one) == cramer(one, one) == 0


def test_real_and_simulated_calls_are_never_taken_for_each_other(tmp_path: Path) -> None:
    real, simulated = written(tmp_path / "r", CALLS), written(tmp_path / "s", CALLS, simulated=True)
    compared = compare(real, simulated)
    assert {one.kullback_leibler_bits for one in compared} == {0.0}
    assert [one.cramer for one in compared if one.feature == "kind_of_act"] == [None]
    assert observations(real)["user_turns"] == [3, 3, 3]
    assert {one.mean_real for one in compared if one.feature == "user_turns"} == {3.0}
    for wrong in ((simulated, real), (real, real), (simulated, simulated)):
        with pytest.raises(InputError, match="the real dataset first"):
            compare(*wrong)


def test_every_figure_says_that_it_is_simulated_and_what_it_shows(tmp_path: Path) -> None:
    compared = compare(written(tmp_path / "r", CALLS), written(tmp_path / "s", CALLS[:1], simulated=True))
    for one in compared:
        drawn = distribution_figure(one)
        assert "SIMULATED" in drawn.title and "SIMULATED" in drawn.printed
        assert "real" in drawn.alternative and drawn.printed.startswith("<svg")


def test_real_telephone_calls_are_fitted(shared: Path, tmp_path: Path) -> None:
    """One condition of the 1,300 calls: its word error rate is that of its measure, over callers."""
    IMPORTERS.get("dstc2", place="test").read(
        [shared / "data" / "dstc2" / "Mar13_S0A0.tar.gz"], tmp_path / "real"
    )
    fitted = fit(Dataset(tmp_path / "real"), "callers")
    alpha, beta = fitted.word_error_rate.beta
    parts = components(Dataset(tmp_path / "real"), ["word_error_rate"])
    pooled = parts["numerator"].sum() / parts["denominator"].sum()
    assert alpha / (alpha + beta) == pytest.approx(pooled, abs=0.04)
    assert fitted.source.dialogues > 200
    assert 0.5 < fitted.habits["optimism"] < 0.9, "people rate failed calls as successes"
    assert 0.03 < fitted.habits["fragments"] < 0.1, "coughs and other voices are 6 % of what these callers do"
    assert sum(fitted.habits["patience"].values.values()) == pytest.approx(1, abs=0.002)


def test_error_rates_are_compared_in_tenths_of_the_words_said(tmp_path: Path) -> None:
    rates = observations(written(tmp_path / "real", CALLS))["word_error_rate"]
    assert rates == [0.1, 0.3, 0.0], "one of ten words, one of three, none"


NORTH, SOUTH, ANY = (("inform", "area", value) for value in ("north", "south", "dontcare"))
SAYS_SOUTH = ("confirm", "area", "south")


def talk(*turns: tuple[str, Acts], words: str = "x y z", found: bool | None = True) -> dict[str, Any]:
    """A call of which each turn is its party and what it meant."""
    made = [(("user", words) if party == "u" else ("system", "")) + (words, acts) for party, acts in turns]
    return {"caller": "a", "goal": {"food": "thai"}, "found": found, "turns": made}


def habit(folder: Path, name: str, *calls: dict[str, Any]) -> tuple[object, int]:
    """A habit and of how many cases; None of 0 where the calls do not tell it."""
    fitted = fit(written(folder, list(calls)), "toy")
    told = fitted.source.told.get(name)
    return fitted.habits.get(name), told.n if told else 0


@pytest.mark.parametrize(
    ("corrections", "corrects", "denies"),
    [
        (
            [
                (NORTH, SAYS_SOUTH, [("negate", None, None)]),
                (NORTH, ("inform", "area", "south"), [("deny", "area", "south")]),
            ],
            1,
            1,
        ),
        ([(NORTH, SAYS_SOUTH, [NORTH])], 1, 0),
        ([(NORTH, SAYS_SOUTH, [FOOD]), (NORTH, SAYS_SOUTH, [("request", "area", None)])], 0, None),
        (
            [
                (NORTH, ("confirm", "area", "north"), [NORTH]),
                (NORTH, ("offer", "area", "south"), [NORTH]),
                (NORTH, ("confirm", "area", None), [NORTH]),
                (FOOD, SAYS_SOUTH, [NORTH]),
                (ANY, SAYS_SOUTH, [NORTH]),
                (("deny", "area", "north"), SAYS_SOUTH, [SOUTH]),
                (("inform", None, "north"), SAYS_SOUTH, [SOUTH]),
            ],
            None,
            None,
        ),
    ],
)
def test_a_correction_answers_the_system_turn_before_that_states_another_value(
    tmp_path: Path, corrections: list, corrects: int | None, denies: int | None
) -> None:
    """Denied; said again; let pass; nothing to correct, as nothing else was stated or meant."""
    fitted = fit(
        written(
            tmp_path,
            [
                talk(("u", [meant]), ("s", [stated]), ("u", answer), ("s", OFFER))
                for meant, stated, answer in corrections
            ],
        ),
        "toy",
    )
    for name, share in (("carefulness", corrects), ("denies", denies)):
        told = fitted.source.told.get(name)
        assert fitted.habits.get(name) == share
        assert (told.n if told else 0) == (0 if share is None else len(corrections))


@pytest.mark.parametrize(
    ("name", "turns", "share", "n"),
    [
        ("fragments", ["null", "null", "inform"], 1, 1),
        ("fragments", ["inform", "null", "null", "inform"], 0.5, 2),
        ("fragments", ["inform", "null inform"], 0, 2),
        ("asks_back", ["inform", "repeat", "inform"], 0.5, 2),
        ("two_at_once", ["inform", "inform request", "bye", "request"], 1 / 3, 3),
        ("over_informing", ["inform", "inform request", "bye", "reqalts"], 0.5, 2),
        ("curiosity", ["inform"], 0, 1),
    ],
)
def test_habits_are_shares_of_the_turns_in_which_they_could_show(
    tmp_path: Path, name: str, turns: list[str], share: float, n: int
) -> None:
    slots = {"inform": ("area", "north"), "request": ("phone", None)}
    spoken = [("u", [(act, *slots.get(act, (None, None))) for act in turn.split()]) for turn in turns]
    assert habit(tmp_path / "c", name, talk(*spoken)) == (round(share, 4), n)


@pytest.mark.parametrize(
    ("words", "acts", "terse"),
    [
        ("a b", [FOOD], 1),
        ("a b c", [FOOD], 0),
        ("a b c d", [FOOD, AREA], 1),
        ("a b c d e", [FOOD, AREA], 0),
        ("a", [FOOD, ("bye", None, None)], None),
        ("", [], None),
    ],
)
def test_terse_are_two_words_a_value(tmp_path: Path, words: str, acts: Acts, terse: int | None) -> None:
    calls = talk(("u", acts), words=words), talk(("u", [("bye", None, None)]))
    assert habit(tmp_path / "c", "terseness", *calls) == (terse, int(terse is not None))


REFUSED, ASKED = [("canthelp", "area", "north")], [("repeat", None, None)]


CHANGED = [
    [("u", [NORTH]), ("u", [SOUTH])],
    [("u", [NORTH]), ("u", [SOUTH]), ("s", REFUSED)],
    [("u", [NORTH]), ("s", [*REFUSED, ("offer", "name", "x")]), ("u", [SOUTH])],
    [("s", REFUSED), ("u", [NORTH]), ("s", OFFER), ("u", [SOUTH])],
]
UNCHANGED = [
    [("u", [NORTH]), ("u", [NORTH])],
    [("u", [NORTH]), ("u", [FOOD])],
    [("u", [NORTH]), ("s", REFUSED), ("u", [SOUTH])],
    [("u", [NORTH]), ("s", ASKED), ("u", [SOUTH])],
    [("s", OFFER), ("u", [NORTH]), ("s", REFUSED), ("u", [SOUTH])],
    [("u", [NORTH]), ("u", [ANY])],
    [("u", [ANY]), ("u", [SOUTH])],
    [("u", [NORTH]), ("u", [("deny", "area", "south")])],
    [("u", [NORTH]), ("u", [("inform", "area", None)])],
    [("u", [("inform", None, "north")]), ("u", [("inform", None, "south")])],
]


@pytest.mark.parametrize(("share", "several"), [(1, CHANGED), (0, UNCHANGED)])
def test_a_mind_is_changed_where_nothing_was_refused(tmp_path: Path, share: int, several: list) -> None:
    found = habit(tmp_path / "c", "fickleness", *(talk(*turns) for turns in several))
    assert found == (share, len(several))


def heard(caller: str, said: str, text: str | None) -> dict[str, Any]:
    return {"caller": caller, "goal": {}, "found": None, "turns": [("user", said, text, [FOOD])]}


@pytest.mark.parametrize(
    ("calls", "rate"),
    [
        ([heard("a", "a b c d", "a b c x")], 0.25),
        ([heard("a", "a b", "a x"), heard("b", "c d", "x d")], 0.5),
        ([heard("a", "a b", "x y"), heard("b", "c d", "c d")], 0.45),
        ([heard("a", "a b", "a x"), heard("a", "c d e f", "c d e f")], 0.25),
    ],
)
def test_error_rates_that_no_beta_distribution_fits_are_one_rate(tmp_path: Path, calls, rate) -> None:
    """One caller; all alike; further apart than any; 1 counts as .9, so that callers can still be heard."""
    assert fit(written(tmp_path / "c", calls), "toy").word_error_rate == rate


def test_a_call_with_a_turn_of_which_nobody_knows_the_words_is_left_out(tmp_path: Path) -> None:
    silent = {**heard("b", "", None), "turns": [("user", None, None, [FOOD]), ("user", "a", "a", [FOOD])]}
    as_heard = {**heard("c", "", None), "turns": [("user", None, "a b c", [FOOD])]}
    fitted = fit(written(tmp_path / "c", [heard("a", "a b", "a b"), silent, as_heard]), "toy")
    assert (fitted.source.dialogues, fitted.source.callers) == (2, 2)
    assert observations(Dataset(tmp_path / "c"))["words_per_user_turn"] == [2, 3]


def test_features_are_told_apart_by_their_shares_and_means(tmp_path: Path) -> None:
    real = written(tmp_path / "r", [heard("a", "a b", "x y z v w"), heard("b", "c d e f", "c d e f")])
    made = written(tmp_path / "s", [talk(("u", [FOOD, AREA]), ("u", [FOOD]))], simulated=True)
    found = {one.feature: one for one in compare(real, made)}
    words, turns, acts = (found[name] for name in ("words_per_user_turn", "user_turns", "kind_of_act"))
    assert (words.real, words.simulated) == ({"2": 0.5, "4": 0.5}, {"3": 1.0})
    assert (words.mean_real, words.mean_simulated, words.n_real, words.n_simulated) == (3, 3, 2, 2)
    assert (turns.mean_real, turns.mean_simulated, turns.cramer) == (1, 2, 1.0)
    assert (acts.mean_real, acts.mean_simulated) == (None, None) and acts.n_simulated == 3
    assert found["word_error_rate"].real == {"0.0": 0.5, "2.0": 0.5}, "2.5 counts as 2, the most"


def test_only_the_first_assigned_constraints_can_be_forgotten_and_only_first_references_are_meant(
    tmp_path: Path,
) -> None:
    """Each further goal lacks one thing of an assigned constraint; the further act is a guess."""
    base = written(tmp_path / "base", [talk(("u", [FOOD]), ("s", OFFER))])
    goal = {"dialogue_id": "d0", "goal_index": 0, "origin": "assigned", "kind": "constraint", "op": "="}
    others = [
        {"slot": "area", "value": "north", "goal_index": 1},
        {"slot": "area", "value": "north", "kind": "request"},
        {"slot": "area", "value": "north", "origin": "inferred"},
        {"slot": "area", "value": "dontcare"},
        {"slot": None, "value": "north"},
    ]
    other = {"dialogue_id": "d0", "instrument": "f", "item_id": "x", "value": 0.0}
    wrong = act("d0", 0, "reference", 1, AREA) | {"rank": 1}
    changed = copy_dataset(
        base,
        tmp_path / "changed",
        {
            "goals": lambda rows: [*rows, *(goal | one for one in others)],
            "acts": lambda rows: [*rows, wrong],
            "ratings": lambda rows: [*rows, other],
        },
    )
    fitted = fit(changed, "toy")
    assert (fitted.habits["forgetfulness"], fitted.source.told["forgetfulness"].n) == (0.0, 1)
    assert observations(changed)["acts_per_user_turn"] == [1]
    assert "patience" not in fitted.habits, "they said that all was found, and of something else not"


def test_a_habit_that_calls_do_not_tell_is_named(tmp_path: Path) -> None:
    left = talk(("u", [FOOD]), ("s", CANNOT), ("u", [FOOD]), ("s", CANNOT), found=False)
    fitted = fit(written(tmp_path, [left, talk(("u", [FOOD])), {**left, "caller": "b"}]), "toy")
    assert fitted.source.not_told == ["carefulness", "optimism"]
    assert fitted.source.told["patience"] == HabitEvidence(2, "dialogues abandoned without success")
    assert (fitted.source.dialogues, fitted.source.callers) == (3, 2)
