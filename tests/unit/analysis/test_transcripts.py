"""Preferences over transcripts: the published tables, known effects found again, and people as the unit."""

import json
from collections.abc import Callable
from math import log
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.analysis.transcripts import cell, compare_transcripts, marginal
from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.stats.multiple_testing import holm
from vivavoce.stats.preferences import TranscriptComparison
from vivavoce.stats.proportions import two_proportion_z

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "statistics-transcripts.json").read_text(encoding="utf-8")
)
QUESTIONS = {
    "ease": "service",
    "utility": "service",
    "satisfaction": "experience",
    "interaction": "experience",
}


def test_ratios_and_marginals_are_those_of_table_2():
    for case in GOLDEN["table_2"]:
        n, preferred = case["input"]["n"], case["input"]["preferred"]
        cells = [cell(k, n - k) for k in preferred]
        assert [round(one.ratio, 2) for one in cells] == case["expected"]["ratios"]
        assert round(marginal(cells), 2) == case["expected"]["marginal"]


def test_chi_square_and_exact_tests_are_those_of_the_reference():
    for case in GOLDEN["tests"]:
        k, n = case["input"]
        found = cell(k, n - k)._asdict()
        for name, value in case["expected"].items():
            assert found[name] == pytest.approx(value, abs=case["tolerance"])


def test_all_twenty_cells_are_significant_after_holm_and_two_are_not_after_bonferroni():
    p = [cell(k, 143 - k).p for case in GOLDEN["table_2"] for k in case["input"]["preferred"]]
    assert len(p) == 20
    assert max(holm(p)) < 0.05
    assert sum(20 * one >= 0.05 for one in p) == 2


def test_the_gender_effect_for_facing_depends_on_the_unit():
    for case in GOLDEN["gender"]:
        assert two_proportion_z(*case["input"]).p == pytest.approx(case["expected"], abs=case["tolerance"])


@given(st.integers(0, 300), st.integers(0, 300), st.integers(0, 50))
def test_a_cell_mirrors_when_the_versions_change_places(experimental, control, ties):
    one, other = cell(experimental, control, ties), cell(control, experimental, ties)
    if not experimental + control:
        assert one.ratio is None
        return
    assert one.ratio + other.ratio == pytest.approx(1)
    assert one.p == pytest.approx(other.p)
    assert one.low == pytest.approx(1 - other.high)


Make = Callable[..., Dataset]


@pytest.fixture
def dataset(tmp_path: Path) -> Make:
    """A dataset of judges with likes by variable, a leaning to the left, and tastes of their own."""

    def make(
        people: int,
        likes: dict[str, float],
        *,
        left: float = 0.0,
        ties: float = 0.0,
        seed: int = 1,
        **changes: object,
    ) -> Dataset:
        chance, rows = Random(seed), []
        for person in range(people):
            for number, (variable, rate) in enumerate(likes.items(), 1):
                side = ("left", "right")[(person + number) % 2]
                for question, quality in QUESTIONS.items():
                    wins = chance.random() < rate + (left if side == "left" else -left)
                    choice = "tie" if chance.random() < ties else "experimental" if wins else "control"
                    other = {"left": "right", "right": "left"}[side]
                    chosen = None if choice == "tie" else side if choice == "experimental" else other
                    rows.append(
                        {
                            "participant_id": f"p{person}",
                            "visit_id": f"v{person}",
                            "role": "main",
                            "comparison_number": number,
                            "pair_id": variable,
                            "variable": variable,
                            "change": "insertion",
                            "control_level": "old",
                            "experimental_level": "new",
                            "question": question,
                            "quality": quality,
                            "choice": choice,
                            "side": chosen,
                            "experimental_side": side,
                            "total_s": 200.0,
                            "accepted": True,
                            "flags": "",
                            "simulated": True,
                            **changes,
                        }
                    )
        with DatasetWriter(
            tmp_path / f"data{seed}-{people}", study={"name": "talk"}, source={"kind": "test"}
        ) as writer:
            writer.add("preferences", rows)
            return writer.close()

    return make


LIKES = {"alignment": 0.63, "empathy": 0.75, "formality": 0.3}


@pytest.mark.long
def test_intervals_hold_known_preferences_about_as_often_as_they_say(dataset: Make):
    held = [
        one.low < LIKES[one.variable] < one.high
        for seed in range(20)
        for one in compare_transcripts(dataset(50, LIKES, seed=seed)).variables
    ]
    assert len(held) == 60
    assert 52 <= sum(held) <= 60  # 57 expected; fewer than 52 would come once in a hundred times


def test_preferences_are_told_by_variable_as_the_experimental_version_s_share(dataset: Make):
    facts = compare_transcripts(dataset(300, LIKES))
    for one in facts.variables:
        assert one.participants == 300
        assert one.marginal == pytest.approx(one.ratio)
        assert one.p_holm < 0.001
        assert one.service is not None and one.experience is not None
    assert [one.preferred for one in facts.variables] == ["experimental", "experimental", "control"]
    assert facts.variables[2].ratio < 0.5

    assert len(facts.cells) == 12
    assert all(one.p < 1e-6 for one in facts.same_preference)
    assert facts.position.p > 0.01


def test_a_leaning_to_the_left_is_told_apart_from_preference(dataset: Make):
    facts = compare_transcripts(dataset(300, {"empathy": 0.7, "facing": 0.6}, left=0.1))
    position = facts.position
    assert position.log_odds > 0.2
    assert position.p < 0.001
    assert position.left > position.low > 0.5
    assert {one.variable: round(one.ratio, 1) for one in facts.variables} == {
        "empathy": 0.7,
        "facing": 0.6,
    }


def test_the_unit_is_the_person_not_the_judgement(dataset: Make):
    """Four answers that are one answer weigh as one: the interval is as wide as that of 60 people."""
    made = dataset(60, {"empathy": 0.65})
    rows = made.read("preferences").to_pylist()
    first = {row["participant_id"]: row["choice"] for row in rows if row["question"] == "ease"}
    with DatasetWriter(
        made.folder.with_name("same"), study={"name": "talk"}, source={"kind": "test"}
    ) as writer:
        writer.add("preferences", [{**row, "choice": first[row["participant_id"]]} for row in rows])
        facts = compare_transcripts(writer.close())
    (variable,) = facts.variables
    (ease, *_) = facts.cells
    assert variable.high - variable.low > 0.95 * (ease.high - ease.low)


def test_ties_are_counted_beside_the_share(dataset: Make):
    facts = compare_transcripts(dataset(200, {"empathy": 0.7}, ties=0.3))
    (one,) = facts.variables
    assert one.decided + one.ties == one.choices == 800
    assert one.low < 0.7 < one.high


def test_groups_are_compared_by_person(dataset: Make):
    made = dataset(100, {"empathy": 0.7})
    groups = {f"p{person}": ("women", "men")[person % 2] for person in range(100)}
    (one,) = compare_transcripts(made, groups=groups).by_group
    assert {name: share.participants for name, share in one.groups.items()} == {"men": 50, "women": 50}
    assert one.differences[0].low < one.differences[0].difference < one.differences[0].high


def test_what_was_not_accepted_is_counted_and_left_out(dataset: Make):
    with pytest.raises(InputError, match="no accepted choices"):
        compare_transcripts(dataset(5, {"empathy": 0.7}, accepted=False, flags="fast"))
    facts = compare_transcripts(dataset(6, {"empathy": 0.7}, flags="fast one_side"))
    assert facts.responses.flags == {"fast": 6, "one_side": 6}
    assert facts.responses.seconds_per_judgement == pytest.approx(50)


def test_a_dataset_without_choices_is_told(tmp_path: Path):
    with DatasetWriter(tmp_path / "empty", study={"name": "talk"}, source={"kind": "test"}) as writer:
        made = writer.close()
    with pytest.raises(InputError, match="no choices between transcripts"):
        compare_transcripts(made)


def test_a_variable_that_everybody_prefers_has_an_interval_and_no_model(dataset: Make):
    facts = compare_transcripts(dataset(30, {"empathy": 1.5}))
    assert facts.variables[0].ratio == 1
    assert facts.variables[0].low < 1
    assert facts.position.log_odds is None


@pytest.mark.parametrize("seed", range(4))
def test_no_interval_leaves_what_is_possible_with_few_and_opposite_people(dataset: Make, seed: int):
    facts = compare_transcripts(dataset(4, {"pace": 0.93, "empathy": 0.07, "facing": 0.5}, seed=seed))
    known = [one for one in facts.differences if one.low is not None]
    assert known
    for one in known:
        assert -1 <= one.low <= one.difference <= one.high <= 1
        assert (one.p < 0.05) == (not one.low <= 0 <= one.high)


@pytest.mark.parametrize(("people", "like"), [(4, 0.8), (8, 0.9), (30, 0.62), (30, 1.5)])
def test_the_interval_of_a_variable_excludes_one_half_exactly_where_its_p_is_small(
    dataset: Make, people: int, like: float
):
    for seed in range(5):
        (one,) = compare_transcripts(dataset(people, {"pace": like}, seed=seed)).variables
        assert (one.p < 0.05) == (not one.low <= 0.5 <= one.high)


def test_what_everybody_prefers_is_tested_over_people(dataset: Make):
    (one,) = compare_transcripts(dataset(30, {"empathy": 1.5})).variables
    assert one.p == pytest.approx(2 * 0.5**30)


def asked(person: str | None, number: int | None, variable: str, question: str, choice: str, **more: object):
    """A choice. The experimental version stands on the left unless said."""
    at = more.get("experimental_side", "left") or "left"
    chosen = {"experimental": at, "control": "right" if at == "left" else "left", "tie": None}[choice]
    return {
        "participant_id": person,
        "visit_id": f"v-{person}",
        "role": "main",
        "comparison_number": number,
        "pair_id": variable,
        "variable": variable,
        "change": "insertion",
        "control_level": "old",
        "experimental_level": "new",
        "question": question,
        "quality": QUESTIONS[question],
        "choice": choice,
        "side": chosen,
        "experimental_side": at,
        "total_s": 90.0,
        "accepted": True,
        "flags": "",
        "simulated": False,
        **more,
    }


@pytest.fixture
def compared(tmp_path: Path) -> Callable[..., TranscriptComparison]:
    def compare(rows: list[dict[str, object]], **options: object) -> TranscriptComparison:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        with DatasetWriter(folder, study={"name": "talk"}, source={"kind": "test"}) as writer:
            writer.add("preferences", rows)
            return compare_transcripts(writer.close(), **options)

    return compare


def drawn(people: int, likes: dict[str, float], seed: int = 3) -> list[dict[str, object]]:
    """Everybody about every variable and two questions of different quality, with ties, sides at random."""
    chance, rows = Random(seed), []
    for person in range(people):
        for number, (variable, rate) in enumerate(likes.items(), 1):
            side = chance.choice(["left", "right"])
            for question, more in (("ease", 0.0), ("interaction", 0.25)):
                taste = chance.random()
                said = (
                    "tie" if taste < 0.15 else "experimental" if chance.random() < rate + more else "control"
                )
                place = len(likes) + 1 - number if person % 3 else number
                rows.append(asked(f"p{person}", place, variable, question, said, experimental_side=side))
    return rows


THREE = {"pace": 0.35, "empathy": 0.6, "facing": 0.5}


def shares(rows: list[dict[str, object]]) -> tuple[int, int, float]:
    """Choices, ties, and the share of experimental versions among the rest."""
    won, lost = (sum(row["choice"] == one for row in rows) for one in ("experimental", "control"))
    return len(rows), len(rows) - won - lost, won / (won + lost)


def test_every_share_is_that_of_counting_its_own_choices(compared):
    rows = drawn(17, THREE)
    facts = compared(rows)
    own = {name: [row for row in rows if row["variable"] == name] for name in sorted(THREE)}
    assert [one.variable for one in facts.variables] == list(own)
    for one in facts.variables:
        mine = own[one.variable]
        assert (one.choices, one.ties, one.ratio) == pytest.approx(shares(mine))
        by_question = {q: [row for row in mine if row["question"] == q] for q in ("ease", "interaction")}
        means = [shares(part)[2] for part in by_question.values()]
        assert one.marginal == pytest.approx(sum(means) / 2)
        for found, part in zip((one.service, one.experience), by_question.values(), strict=True):
            assert (found.choices, found.ties, found.ratio) == pytest.approx(shares(part))
    for cell_found in facts.cells:
        part = [row for row in own[cell_found.variable] if row["question"] == cell_found.question]
        assert cell_found.quality == QUESTIONS[cell_found.question]
        assert (cell_found.decided + cell_found.ties, cell_found.ties, cell_found.ratio) == shares(part)
        assert cell_found.participants == cell_found.decided and cell_found.method == "wilson"
    of = {name: shares(part)[2] for name, part in own.items()}
    assert [(one.a, one.b) for one in facts.differences] == [
        ("empathy", "facing"),
        ("empathy", "pace"),
        ("facing", "pace"),
    ]
    for one in facts.differences:
        assert one.difference == pytest.approx(of[one.a] - of[one.b])
        assert one.low < one.difference < one.high
    for one in facts.places:
        part = [row for row in rows if row["comparison_number"] == one.comparison_number]
        whole, ties, ratio = shares(part)
        assert (one.decided, one.ratio) == (whole - ties, pytest.approx(ratio))
    assert [one.comparison_number for one in facts.places] == [1, 2, 3]


def test_groups_of_people_have_the_shares_of_their_own_choices(compared):
    rows = drawn(20, THREE)
    groups = {f"p{person}": "old" if person % 3 else "young" for person in range(19)}  # p19 told nothing
    facts = compared(rows, groups=groups)
    assert [one.variable for one in facts.by_group] == ["empathy", "facing", "pace"]
    for one in facts.by_group:
        parts = {
            name: [
                row
                for row in rows
                if row["variable"] == one.variable
                and row["choice"] != "tie"
                and groups.get(row["participant_id"]) == name
            ]
            for name in ("old", "young")
        }
        for name, part in parts.items():
            found = one.groups[name]
            assert (found.choices, found.ties, found.ratio) == pytest.approx(shares(part))
        (difference,) = one.differences
        assert (difference.a, difference.b) == ("old", "young")
        assert difference.difference == pytest.approx(one.groups["old"].ratio - one.groups["young"].ratio)


@pytest.mark.parametrize(("people", "told"), [(9, True), (2, True), (1, False)])
def test_cochran_s_q_is_of_people_who_decided_on_all_variables(compared, people, told):
    """Q = (k - 1)(k sum of squared column totals - T2) / (k T - sum of squared row totals)."""
    answers = [
        [1, 0, 1],
        [1, 0, 0],
        [1, 1, 0],
        [0, 1, 1],
        [1, 0, 0],
        [1, 1, 1],
        [1, 0, 1],
        [0, 0, 0],
        [1, 0, 1],
    ][:people]
    rows = [
        asked(f"p{person}", place, "abc"[place - 1], question, "experimental" if said else "control")
        for person, own in enumerate(answers)
        for place, said in enumerate(own, 1)
        for question in ("ease", "utility")[: 1 + (person < people - 2)]
    ]
    rows += [
        asked("undecided", place, "abc"[place - 1], "ease", said)
        for place, said in enumerate(("experimental", "tie", "control"), 1)
    ]
    ease = compared(rows).same_preference[0]
    columns, totals = [sum(one) for one in zip(*answers, strict=True)], [sum(own) for own in answers]
    whole = sum(totals)
    q = 2 * (3 * sum(one**2 for one in columns) - whole**2) / (3 * whole - sum(one**2 for one in totals))
    assert (ease.question, ease.participants) == ("ease", people)
    assert (ease.q, ease.df) == ((pytest.approx(q), 2) if told else (None, None))


@pytest.mark.parametrize(
    ("person", "number", "counted"),
    [
        ("p", 1, 3),
        ("p", None, 3),
        (None, 1, 3),
        (None, None, 0),
    ],
)
def test_who_is_the_same_person_is_known_by_participant_or_place(compared, person, number, counted):
    """Neither a participant nor a place in what one saw: the pairs may all be judged by different people."""
    rows = [
        asked(person and f"{person}{judge}", number, variable, "ease", choice, visit_id=f"v{judge}")
        for judge, pair in enumerate((("experimental", "control"), ("control",) * 2, ("experimental",) * 2))
        for variable, choice in zip("ab", pair, strict=True)
    ]
    facts = compared(rows)
    assert [one.participants for one in facts.same_preference] == ([counted] if counted else [])
    assert facts.variables[0].participants == 3
    assert facts.responses.participants == 3 and facts.responses.people_known == (person is not None)


def test_one_variable_alone_has_no_q(compared):
    rows = [asked(f"p{one}", 1, "a", "ease", ("experimental", "control")[one % 2]) for one in range(4)]
    (found,) = compared(rows).same_preference
    assert (found.participants, found.q, found.p) == (4, None, None)


def test_leaning_is_of_decided_choices_whose_sides_are_known(compared):
    """One variable: logit of left is b0 + b1 where the new version is left, b0 - b1 where it is right."""
    told = {
        ("left", "experimental"): 9,
        ("left", "control"): 3,
        ("right", "experimental"): 4,
        ("right", "control"): 7,
        ("left", "tie"): 5,
    }
    kinds = [kind for kind, times in told.items() for _ in range(times)]
    rows = [
        asked(f"p{number % 13}", 1, "pace", "ease", choice, experimental_side=side)
        for number, (side, choice) in enumerate(kinds)
    ]
    rows += [{**asked("q", 1, "pace", "ease", "experimental"), "experimental_side": None}] * 3
    found = compared(rows).position
    assert found.left == pytest.approx((9 + 7) / (9 + 3 + 4 + 7))
    first, second = log(9 / 3), log(7 / 4)
    assert found.log_odds == pytest.approx((first + second) / 2)
    assert found.effects == {"pace": pytest.approx((first - second) / 2)}


def leaning(variable: str, sides: str, choices: str, people: int = 4) -> list[dict[str, object]]:
    """Choices (e, c) of a variable whose new version stood at these sides (l, r)."""
    words = {"e": "experimental", "c": "control", "l": "left", "r": "right"}
    return [
        asked(f"p{number % people}", 1, variable, "ease", words[choice], experimental_side=words[side])
        for number, (side, choice) in enumerate(zip(sides, choices, strict=True))
    ]


MIXED = leaning("b", "lrlrlrlr", "eecceeec")


@pytest.mark.parametrize(
    ("rows", "known"),
    [
        (MIXED, True),
        (MIXED + leaning("a", "llrrlr", "ecceee") + leaning("c", "rlrl", "ceec"), True),
        (MIXED + leaning("a", "lrlr", "eeee") + leaning("c", "rlrl", "ceec"), False),
        (leaning("b", "lrlrlrlr", "eecceeec", people=1), False),
        (leaning("b", "lrlrlrlr", "ececeeec", 2), True),
        (leaning("b", "lrlrlr", "ececec"), False),
        (leaning("b", "llllll", "eceeec"), False),
    ],
)
def test_log_odds_need_two_people_both_sides_and_variables_that_are_not_settled(compared, rows, known):
    found = compared(rows).position
    assert (found.log_odds is not None) == known
    assert (found.effects is not None) == known and found.left is not None


def test_effects_of_variables_are_those_of_a_logistic_model_fitted_here(compared):
    rows = [row for row in drawn(40, THREE, seed=8) if row["choice"] != "tie"]
    signs = np.array(
        [
            [
                1.0,
                *(
                    (row["variable"] == name) * (1 if row["experimental_side"] == "left" else -1)
                    for name in sorted(THREE)
                ),
            ]
            for row in rows
        ]
    )
    left, weights = np.array([row["side"] == "left" for row in rows], dtype=float), np.zeros(4)
    for _ in range(30):  # Newton's steps
        chance = 1 / (1 + np.exp(-signs @ weights))
        bend = signs.T @ (signs * (chance * (1 - chance))[:, None])
        weights += np.linalg.solve(bend, signs.T @ (left - chance))
    found = compared(rows).position
    assert [found.log_odds, *found.effects.values()] == pytest.approx(weights.tolist())
    assert list(found.effects) == sorted(THREE)


def test_responses_are_counted_by_visit_and_judgements_by_row(compared):
    def visit(person: str, name: str, times: int, **more: object) -> list[dict[str, object]]:
        return [
            asked(person, place, "pace", "ease", "experimental", visit_id=name, **more)
            for place in range(1, times + 1)
        ]

    rows = [
        *visit("p1", "v1", 3, total_s=60.0),
        *visit("p2", "v2", 2, total_s=90.0, flags="fast odd"),
        *visit("p2", "v3", 1, total_s=30.0, accepted=False, flags="fast"),
        *visit("p3", "v4", 2, total_s=None, accepted=None, flags=None),
    ]
    rows += [asked("p1", 4, "pace", "ease", "control", visit_id="v1", role="attention", total_s=60.0)]
    rows += [asked("p1", 5, "pace", "ease", "control", visit_id="v1", role="repeat", total_s=60.0)]
    facts = compared(rows)
    told = facts.responses
    assert (told.participants, told.people_known, told.finished, told.not_accepted) == (3, True, 3, 1)
    assert told.flags == {"fast": 2, "odd": 1} and (told.judgements, told.checks) == (8, 2)
    assert told.median_s == 60 and told.seconds_per_judgement == pytest.approx(180 / 8)
    assert facts.variables[0].choices == 7, "not of the visit that was refused, nor of checks"
    unfinished = compared(visit("p3", "v4", 2, total_s=None, accepted=None)).responses
    assert (unfinished.finished, unfinished.median_s, unfinished.seconds_per_judgement) == (0, None, None)


def test_who_decides_twice_about_a_cell_is_one_participant(compared):
    said = {"p1": "ee", "p2": "ec", "p3": "e", "p4": "cc", "p5": "e"}
    rows = [
        asked(person, place, "pace", "ease", "experimental" if one == "e" else "control")
        for person, own in said.items()
        for place, one in enumerate(own, 1)
    ]
    (found,) = compared(rows).cells
    assert (found.decided, found.participants, found.ratio) == (8, 5, 5 / 8)
    assert found.chi_square is None and found.p_exact is None and found.method == "cluster_robust_logit_t"


@pytest.mark.parametrize(
    ("choices", "winner"),
    [
        (("experimental", "control"), "experimental"),
        (("control", "control", "experimental"), "control"),
        (("tie", "tie"), None),
    ],
)
def test_an_even_share_is_told_as_the_experimental_version_and_ties_alone_as_neither(
    compared, choices, winner
):
    facts = compared([asked(f"p{one}", 1, "pace", "ease", said) for one, said in enumerate(choices)])
    assert facts.cells[0].preferred == facts.variables[0].preferred == winner
    assert facts.variables[0].ties == facts.cells[0].ties == choices.count("tie")
    assert facts.variables[0].service is not None and facts.variables[0].experience is None
    if winner is None:
        assert (facts.position.left, facts.variables[0].participants, facts.places) == (None, 0, [])
