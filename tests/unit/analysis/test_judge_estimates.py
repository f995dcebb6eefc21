"""People and a judge beside each other, on cases written down by hand."""

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from vivavoce.analysis.judge_estimates import _chances, _whole, calibrate, estimate
from vivavoce.analysis.judged_table import JudgedTable, doubt, judged_table
from vivavoce.analysis.prediction.table import ALIASES
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.dataset.reader import Dataset
from vivavoce.stats.judge_calibration import agree
from vivavoce.stats.multiple_testing import holm
from vivavoce.stats.prediction_powered import JudgedCases, powered_difference, powered_mean

AT = datetime(2026, 3, 1, tzinfo=UTC)
# system, participant, what the participant said, what the judge says, words of the system
CASES = [
    ("a", "p", 1, 0.9, 3),
    ("a", "p", 0, 0.4, 8),
    ("a", "q", 1, 0.7, 5),
    ("a", "q", None, 0.6, 1),
    ("a", "r", 0, 0.5, 9),
    ("a", "s", None, 0.2, 2),
    ("a", "s", 1, 0.8, 4),
    ("b", "p", 0, 0.3, 7),
    ("b", "q", 1, 0.9, 6),
    ("b", "r", 0, None, 5),
    ("b", "r", None, 0.1, 4),
    ("b", "t", 0, 0.2, 12),
    ("b", "t", 1, 0.4, 3),
    ("c", "p", 1, 0.95, 2),
    ("c", "r", 0, 0.65, 11),
    ("c", "s", 1, 0.75, 6),
    ("c", "t", 1, 0.6, 8),
    ("c", "t", None, 0.3, 5),
]
LANGUAGES = ["en", "it", "it", "en", "en", "it"] * 3


def judgement(dialogue: str, value: float | None, **facts: Any) -> dict[str, Any]:
    return {
        "judge": "m",
        "kind": "python",
        "target": "found_all",
        "dialogue_id": dialogue,
        "value": value,
        "asked": 1,
        "refused": 0,
        "unreadable": 0,
        "frozen": "f",
        "judged_at": AT,
        **facts,
    }


def turns_of(number: int, words: int) -> list[dict[str, Any]]:
    said = [
        ("user", "not one of these is counted"),
        ("system", "w " * (words - 1)),
        ("system", None),
        ("system", "w"),
    ]
    return [
        {"dialogue_id": f"d{number}", "turn_index": index, "party": party, "text": text}
        for index, (party, text) in enumerate(said)
    ]


def made_of(make: Any, *more: dict[str, Any], confident: bool = False, name: str = "toy") -> Dataset:
    rows = [
        judgement(f"d{number}", one[3], confidence=0.5 + number / 50 if confident and number else None)
        for number, one in enumerate(CASES)
    ]
    other = judgement("d3", 0.0, judge="another"), judgement("d3", 0.0, target="enough_given")
    turns = [turn for number, one in enumerate(CASES) for turn in turns_of(number, one[4])]
    tables = {"judgements": [*rows, *other, *more], "turns": turns}
    return make(*(one[:3] for one in CASES), language=LANGUAGES, rows=tables, name=name)


def column(place: int) -> np.ndarray:
    return np.array([np.nan if one[place] is None else float(one[place]) for one in CASES])


SYSTEMS, PEOPLE = (np.array([one[place] for one in CASES]) for place in (0, 1))
LABELS, SAID, WORDS = column(2), column(3), column(4)


def test_a_table_holds_what_people_and_one_judge_say_and_the_words_of_systems(make) -> None:
    dataset = made_of(make)
    table = judged_table(dataset, "m", "found_all")
    assert table.said.tolist() == pytest.approx(SAID.tolist(), nan_ok=True)
    assert table.labels.tolist() == pytest.approx(LABELS.tolist(), nan_ok=True)
    assert (table.words.tolist(), list(table.keys)) == (WORDS.tolist(), SYSTEMS.tolist())
    assert table.people.tolist() == PEOPLE.tolist() and np.isnan(table.first).all()
    assert list(judged_table(dataset, "m", "found_all", by="language").keys) == LANGUAGES


def test_groups_rest_on_people_alone_on_both_and_on_the_judge_alone(make) -> None:
    facts = estimate(made_of(make), "m", "found_all", level=0.9)
    assert ([one.key for one in facts.groups], facts.rate) == (["a", "b", "c"], True)
    sides = []
    for group in facts.groups:
        own = group.key == SYSTEMS
        joined = JudgedCases(PEOPLE[own], SAID[own], LABELS[own])
        alone = JudgedCases(PEOPLE[own], np.full(own.sum(), np.nan), SAID[own])
        assert group.joined == powered_mean(joined, rate=True, level=0.9)
        assert group.people == powered_mean(joined.without_judge(), rate=True, level=0.9)
        assert group.judge_uncorrected == powered_mean(alone, rate=False, level=0.9)
        assert group.people.estimate == pytest.approx(np.nanmean(LABELS[own]))
        assert group.judge_uncorrected.estimate == pytest.approx(np.nanmean(SAID[own]))
        assert group.dialogues == own.sum()
        if group.joined.se:
            saved = (group.people.se / group.joined.se) ** 2
            assert group.effective_labels == pytest.approx(group.people.labels * saved)
        sides.append((joined, alone))
    pairs = [(0, 1), (0, 2), (1, 2)]
    assert [(one.a, one.b) for one in facts.differences] == [("a", "b"), ("a", "c"), ("b", "c")]
    for one, (i, j) in zip(facts.differences, pairs, strict=True):
        assert one.joined == powered_difference(sides[i][0], sides[j][0], level=0.9)
        assert one.judge_uncorrected == powered_difference(sides[i][1], sides[j][1], level=0.9)
    assert [one.p_adjusted for one in facts.differences] == holm([one.joined.p for one in facts.differences])
    assert "n:5" in facts.signature, "participants who judged"


def test_words_count_what_people_and_the_judge_say(make) -> None:
    dataset = made_of(make)
    told = [str(one) for one in estimate(dataset, "m", "found_all").words]
    assert told[0].startswith("People judged 14 of 18 cases (5 participants). m alone judged 4 ")
    assert told[2].startswith("This requires a random sample")
    assert told[3] == "The judge gave no label for 1 cases; its mean is used there." and len(told) == 4
    odds = {f"d{number}": 0.5 + number / 40 for number in range(18)}
    chosen = estimate(dataset, "m", "found_all", chances=odds)
    assert len(chosen.words) == 3 and "random sample" not in " ".join(map(str, chosen.words))
    own = SYSTEMS == "a"
    weighed = JudgedCases(PEOPLE[own], SAID[own], LABELS[own], np.array(list(odds.values()))[own])
    assert chosen.groups[0].joined == powered_mean(weighed, rate=True)


def scaled(make: Any, name: str = "toy") -> Dataset:
    """The same labels as codes of 0 and 4."""
    answers = [
        {
            "dialogue_id": f"d{number}",
            "participant_id": one[1],
            "instrument": "own",
            "item_id": "found_all",
            "value": 4.0 * one[2],
        }
        for number, one in enumerate(CASES)
        if one[2] is not None
    ]
    rows = [judgement(f"d{number}", one[3]) for number, one in enumerate(CASES)]
    return make(*((*one[:2], None) for one in CASES), ratings=answers, rows={"judgements": rows}, name=name)


def test_other_codes_than_0_and_1_are_means_and_no_rates(make) -> None:
    facts = estimate(scaled(make), "m", "found_all")
    assert facts.rate is False
    own = SYSTEMS == "a"
    plain = powered_mean(JudgedCases(PEOPLE[own], SAID[own], 4 * LABELS[own]), rate=False)
    assert facts.groups[0].joined == plain


def test_a_judge_who_never_spoke_is_answered_with_those_who_did(make) -> None:
    with pytest.raises(UnknownName, match="Known: another, m, parameters"):
        judged_table(made_of(make), "n", "found_all")


@pytest.mark.parametrize(
    ("asked", "rest", "doubted"),
    [
        ([0.9, 0.8, 0.85, 0.95, 0.8], [0.1, 0.2, 0.15, 0.05, 0.1], True),
        ([0.1, 0.2, 0.15, 0.05, 0.1], [0.9, 0.8, 0.85, 0.95, 0.8], True),
        ([0.9, 0.1, 0.4, 0.6, 0.5], [0.2, 0.8, 0.5, 0.45, 0.55], False),
        ([0.9, 0.8, 0.85, 0.95, 0.8], [0.1], False),
        ([0.5] * 5, [0.5] * 5, False),
    ],
)
def test_a_judge_who_finds_better_what_people_judged_is_a_doubt(make, asked, rest, doubted) -> None:
    said = [*asked, *rest]
    dataset = make(
        *(
            ("a", f"p{number}", float(number % 2) if number < len(asked) else None)
            for number in range(len(said))
        ),
        rows={"judgements": [judgement(f"d{number}", value) for number, value in enumerate(said)]},
    )
    warnings = estimate(dataset, "m", "found_all").warnings
    assert len(warnings) == doubted
    if doubted:
        assert f"{np.mean(asked) - np.mean(rest):+.2f} better" in str(warnings[0])
        every = {f"d{number}": 0.5 for number in range(len(said))}
        assert not estimate(dataset, "m", "found_all", chances=every).warnings


def test_a_judge_is_held_to_people_on_what_both_judged(make) -> None:
    found = calibrate(made_of(make), "m", "found_all")
    both = ~np.isnan(LABELS) & ~np.isnan(SAID)
    excess, x = (SAID - LABELS)[both], WORDS[both]
    assert found.agreement == agree(SAID[both], LABELS[both], PEOPLE[both])
    assert (found.agreement.n, sum(one.n for one in found.reliability)) == (13, 13)
    assert found.effects["words"].value == pytest.approx(np.polyfit(x, excess, 1)[0] * x.std())
    spoken = np.array(LANGUAGES)
    for name, chosen in (
        *((f"system {key}", key == SYSTEMS) for key in "abc"),
        *((f"language {key}", key == spoken) for key in ("en", "it")),
    ):
        own = chosen[both]
        assert found.effects[name].value == pytest.approx(excess[own].mean() - excess[~own].mean())
    assert "position" not in found.effects
    assert (found.people_with_people, found.alternative) == (None, None)
    assert "n:5" in found.signature


def test_one_system_in_one_language_has_no_other_to_differ_from(make) -> None:
    dialogues = [("a", f"p{number}", number % 2) for number in range(4)]
    rows = [judgement(f"d{number}", number / 5) for number in range(4)]
    found = calibrate(make(*dialogues, rows={"judgements": rows}), "m", "found_all").effects
    assert not [name for name in found if name.startswith(("system", "language"))]


def test_people_and_a_judge_with_nothing_in_common_are_not_compared(make) -> None:
    dataset = make(("a", "p", 1), ("a", "q", None), rows={"judgements": [judgement("d1", 1.0)]})
    with pytest.raises(InputError, match="judged by both people and"):
        calibrate(dataset, "m", "found_all")


def test_people_who_judge_are_held_to_each_other_on_what_both_judged(make) -> None:
    """Ann and Bob share three dialogues, Ann and Cleo one, Bob and Cleo none; words of programs are none."""
    person = {"kind": "person"}
    given = {"ann": {0: 1.0, 1: 0.0, 4: 1.0, 7: 0.0}, "bob": {0: 1.0, 1: 1.0, 4: 1.0}, "cleo": {7: 1.0}}
    rows = [
        judgement(f"d{number}", value, judge=name, **person)
        for name, said in given.items()
        for number, value in said.items()
    ]
    other = judgement("d7", 1.0, judge="bob", **person | {"target": "enough_given"})
    silent = judgement("d7", None, judge="bob", **person)
    found = calibrate(made_of(make, *rows, other, silent), "m", "found_all")
    assert found.people_with_people == agree(
        np.array([1.0, 0, 1, 0]), np.array([1.0, 1, 1, 1]), np.array(["p", "p", "r", "p"])
    )
    assert found.alternative.annotators == 0, "thirty dialogues each would be needed"
    one = calibrate(made_of(make, *rows[:4], name="one"), "m", "found_all")
    assert (one.people_with_people, one.alternative) == (None, None)


@pytest.mark.parametrize(
    ("said", "passes"),
    [
        ([0.0, 1.0], True),
        ([1.0, 0.0], False),
        ([0.4, 0.6], False),
    ],
)
def test_a_judge_of_whole_codes_agrees_where_it_says_the_same_and_others_by_distance(
    make, said: list[float], passes: bool
) -> None:
    dialogues = [("a", f"p{number}", number % 2) for number in range(40)]
    rows = [
        judgement(f"d{number}", float(number % 2), judge=name, kind="person")
        for name in ("ann", "bob")
        for number in range(40)
    ]
    rows += [judgement(f"d{number}", said[number % 2]) for number in range(40)]
    found = calibrate(make(*dialogues, rows={"judgements": rows}), "m", "found_all").alternative
    assert (found.annotators, found.passes) == (2, passes)


@pytest.mark.parametrize(("values", "whole"), [([1, np.nan, 4], True), ([1, 2.5], False), ([], True)])
def test_codes_are_whole_numbers(values: list[float], whole: bool) -> None:
    assert _whole(np.array(values, dtype=float)) is whole


def test_doubt_is_what_lacks_to_certainty_where_a_judge_says_how_sure_it_is(make) -> None:
    dataset = made_of(make, confident=True)
    found = doubt(dataset, judged_table(dataset, "m", "found_all"), "m")
    assert np.isnan(found[0]) and found[1:] == pytest.approx(0.5 - np.arange(1, 18) / 50)


def test_doubt_is_greatest_in_the_middle_where_no_judge_says_how_sure_it_is(make) -> None:
    dataset, odds = made_of(make), SAID[:3]
    table = judged_table(dataset, "m", "found_all")
    found = doubt(dataset, table, "m")
    assert found[:3] == pytest.approx(np.sqrt(odds - odds**2)) and np.isnan(found[9])


def test_on_a_scale_doubt_is_how_far_off_a_judge_was_where_dialogues_are_alike(make) -> None:
    """It errs by 2 where the system said much, and by .1 elsewhere; what it says itself tells nothing."""
    much = np.arange(36) % 2 == 1
    answers = [
        {
            "dialogue_id": f"d{n}",
            "participant_id": f"p{n // 4}",
            "instrument": "own",
            "item_id": "found_all",
            "value": float(n % 5),
        }
        for n in range(32)
    ]
    said = [judgement(f"d{n}", n % 5 + (-1) ** (n // 2) * (2.0 if much[n] else 0.1)) for n in range(36)]
    turns = [turn for n in range(36) for turn in turns_of(n, 30 + n % 3 if much[n] else 4 + n % 3)]
    dataset = make(
        *(("ab"[n % 2], f"p{n // 4}", None) for n in range(36)),
        ratings=answers,
        rows={"judgements": said, "turns": turns},
    )
    found = doubt(dataset, judged_table(dataset, "m", "found_all"), "m")
    assert found[much].min() > 1.5 and found[~much].max() < 0.6, "also of the four that nobody judged"
    assert found.min() >= 0.25 * (2.0 + 0.1) / 2 - 1e-9, "none is ruled out"


def test_what_an_item_is_also_called_finds_what_is_kept_by_its_own_name(make, monkeypatch) -> None:
    monkeypatch.setitem(ALIASES, "all_of_it", "found_all")
    persons = [judgement(f"d{n}", float(n % 2), judge=who, kind="person") for who in "xyz" for n in range(18)]
    dataset = made_of(make, *persons, confident=True)
    also, own = judged_table(dataset, "m", "all_of_it"), judged_table(dataset, "m", "found_all")
    assert doubt(dataset, also, "m") == pytest.approx(doubt(dataset, own, "m"), nan_ok=True)
    assert calibrate(dataset, "m", "all_of_it").people_with_people is not None


def test_a_judge_who_is_certain_is_doubted_a_little(make) -> None:
    dataset = make(
        ("a", "p", 1),
        ("a", "q", 0),
        rows={
            "judgements": [
                judgement("d0", 1.0),
                judgement("d1", 0.5),
            ]
        },
    )
    found = doubt(dataset, judged_table(dataset, "m", "found_all"), "m")
    assert found == pytest.approx([0.05, 0.5])


ONE = JudgedTable(
    target="found_all",
    cases=["d", "e", "f"],
    dialogues=["d", "e", "f"],
    people=np.array(["p", "q", "r"]),
    keys=["a"] * 3,
    said=np.full(3, 0.5),
    labels=np.array([1.0, np.nan, 0.0]),
    words=np.zeros(3),
    first=np.zeros(3),
)


@pytest.mark.parametrize(
    ("chances", "told"),
    [
        ({"d": 0.2, "e": 0.5, "f": 1.0}, [0.2, 0.5, 1.0]),
        ({"d": 0.2, "f": 0.4}, [0.2, 1.0, 0.4]),
        ({"d": 0.2, "e": 0.5}, "'f' was judged but has no selection probability"),
        ({"d": 0.0, "f": 1.0}, "selection probability 0"),
        ({"d": 1.01, "f": 1.0}, "selection probability 1.01"),
        ({"d": 1, "f": 1, "e": -0.1}, "selection probability -0.1"),
    ],
)
def test_chances_lie_above_0_and_to_1_and_who_was_asked_has_one(chances, told) -> None:
    if isinstance(told, list):
        assert _chances(ONE, chances).tolist() == told
        return
    with pytest.raises(InputError, match=told):
        _chances(ONE, chances)


def vote(number: int, left: str, right: str, choice: str, person: str | None, **facts: Any) -> dict[str, Any]:
    system = {"d0": "b", "d1": "a", "d2": "c"}
    return {
        "participant_id": person,
        "visit_id": "v",
        "bout_id": "b",
        "bout_number": 1,
        "exchange": number,
        "left_system": system[left],
        "right_system": system[right],
        "left_dialogue_id": left,
        "right_dialogue_id": right,
        "left_turn_index": 1,
        "right_turn_index": 1,
        "choice": choice,
        "simulated": False,
        **facts,
    }


def voted(make: Any) -> Dataset:
    """Systems b, a and c; the first and the last two votes have b on the left, so that they are turned."""
    votes = [
        vote(1, "d0", "d1", "left", "p"),
        vote(2, "d1", "d0", "left", "q"),
        vote(3, "d1", "d2", "tie", None),
        vote(4, "d0", "d1", "right", "p"),
        vote(5, "d0", "d1", "both_bad", "r"),
        vote(6, "d1", "d0", "right", "s"),
    ]
    pairs = {
        1: ("d0", "d1", 0.8, 0.5),
        2: ("d1", "d0", 0.3, 1.0),
        3: ("d1", "d2", 0.6, 0.5),
        4: ("d0", "d1", 0.1, 0.0),
        6: ("d0", "d1", 0.9, 0.5),
    }
    rows = [
        judgement(
            left,
            value,
            target="preference",
            other_dialogue_id=right,
            exchange=number,
            first_chosen=first,
            confidence=0.7,
        )
        for number, (left, right, value, first) in pairs.items()
    ]
    turns = [turn for number, words in enumerate((9, 4, 6)) for turn in turns_of(number, words)]
    dialogues = ("b", "p", None), ("a", "p", None), ("c", "p", None)
    return make(*dialogues, rows={"judgements": rows, "votes": votes, "turns": turns})


def test_votes_are_shares_of_the_system_that_comes_first_by_its_name(make) -> None:
    dataset = voted(make)
    table = judged_table(dataset, "m", "preference")
    assert list(table.keys) == ["a : b", "a : b", "a : c", "a : b", "a : b", "a : b"]
    assert table.labels.tolist() == [0.0, 1.0, 0.5, 1.0, 0.5, 0.0]
    assert table.said == pytest.approx([0.2, 0.3, 0.6, 0.9, np.nan, np.nan], nan_ok=True), "two unjudged"
    assert table.words.tolist() == [-5.0, -5.0, -2.0, -5.0, -5.0, -5.0]
    assert table.first == pytest.approx([0.5, 1.0, 0.5, 0.0, np.nan, np.nan], nan_ok=True)
    assert table.people.tolist() == ["p", "q", "unknown 2", "p", "r", "s"]
    facts = estimate(dataset, "m", "preference")
    assert ([one.key for one in facts.groups], facts.differences) == (["a : b", "a : c"], [])
    assert facts.groups[0].people.estimate == pytest.approx(0.5)
    assert calibrate(dataset, "m", "preference").effects["position"].value == pytest.approx(0.0)
    said = np.array([0.2, 0.3])
    assert doubt(dataset, table, "m")[:2] == pytest.approx(np.sqrt(said * (1 - said))), "shares, with ties"
