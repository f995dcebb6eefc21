"""The declared stopping rule: planned looks at what has ended, pairs that are decided one by one."""

import numpy as np
import pytest
from pydantic import ValidationError

from vivavoce.analysis.stopping import (
    _stop_at_any_time,
    _whole,
    _z,
    boundaries,
    next_look,
    share_of_alpha,
    watch,
)
from vivavoce.core.errors import UnknownName
from vivavoce.log.events import LoggedVerdict
from vivavoce.stats.anytime import Look
from vivavoce.stats.difference import compare_clusters
from vivavoce.stats.interval import Interval
from vivavoce.stats.summary_results import ClusteredDifference
from vivavoce.study.model import Analysis, Stopping


def plan(rule="obrien_fleming", systems=("a", "b"), **more):
    settings = {"participants": 40, "interim_analyses": 4, **more.pop("stopping", {})}
    primary = {"measure": "subjective_success", "compare": list(systems)}
    return Analysis.model_validate({"primary": primary, "stopping": {"rule": rule, **settings}, **more})


def trial(make, people, chances, *, seed=1, dialogues=3):
    """Everybody meets every system; the dataset and the visits in the order in which they ended."""
    rng = np.random.default_rng(seed)
    rows = [
        (system, f"p{person:03}", int(rng.random() < chance))
        for person in range(people)
        for _ in range(dialogues)
        for system, chance in chances.items()
    ]
    visits = [f"v-{person}" for _, person, _ in rows]
    return make(*rows, name=f"t{people}-{seed}", visit_id=visits), list(dict.fromkeys(visits))


def test_a_look_is_due_only_at_planned_numbers_and_only_once(make):
    analysis = plan()
    dataset, visits = trial(make, 12, {"a": 0.9, "b": 0.3})
    assert watch(dataset, analysis, visits[:9]).number is None
    first = watch(dataset, analysis, visits[:10])
    assert (first.number, first.participants) == (1, 10)
    again = watch(dataset, analysis, visits, before=[first.information])
    assert again.number is None and again.stop is None
    assert next_look(analysis.stopping, []) == 10
    assert next_look(analysis.stopping, [0.25]) == 20
    assert next_look(analysis.stopping, [0.25, 0.5, 0.75, 1.0]) is None


def test_dialogues_of_visits_that_go_on_change_nothing(make):
    dataset, visits = trial(make, 25, {"a": 0.9, "b": 0.3})
    alone, alone_visits = trial(make, 20, {"a": 0.9, "b": 0.3})
    assert visits[:20] == alone_visits
    assert watch(dataset, plan(), visits[:20]) == watch(alone, plan(), alone_visits)


def test_the_boundary_is_that_of_the_information_which_the_looks_really_had(make):
    dataset, visits = trial(make, 24, {"a": 0.6, "b": 0.5})
    found = watch(dataset, plan(), visits, before=[12 / 40])
    assert found.number == 2
    expected = boundaries([0.3, 0.6, 0.75, 1.0])[1].z
    assert found.verdicts[0].bar == pytest.approx(expected)


def test_a_missed_look_is_not_taken_later_as_well(make):
    dataset, visits = trial(make, 31, {"a": 0.6, "b": 0.5})
    found = watch(dataset, plan(), visits)
    assert found.number == 3
    assert next_look(plan().stopping, [found.information]) == 40


@pytest.mark.parametrize("rule", ["obrien_fleming", "pocock", "anytime"])
def test_a_large_difference_answers_the_question(make, rule):
    dataset, visits = trial(make, 36, {"a": 0.95, "b": 0.15})
    found = watch(dataset, plan(rule), visits)
    assert found.stop == "effect"
    assert found.verdicts[0].low > 0
    assert found.verdicts[0].statistic >= found.verdicts[0].bar


def test_the_last_look_ends_the_trial_whatever_it_finds(make):
    dataset, visits = trial(make, 40, {"a": 0.5, "b": 0.5}, seed=4)
    found = watch(dataset, plan(), visits, before=[0.25, 0.5, 0.75])
    assert (found.stop, found.number) == ("end", 4)
    same, all_visits = trial(make, 40, {"a": 1.0, "b": 1.0}, seed=5)
    assert watch(same, plan(), all_visits).stop == "end", "nothing varied, so nothing can be tested"


def test_a_perfect_difference_is_seen_although_nobody_differs_from_anybody(make):
    dataset, visits = trial(make, 20, {"a": 1.0, "b": 0.0})
    found = watch(dataset, plan(), visits, before=[0.25])
    assert (found.stop, found.verdicts[0].difference) == ("effect", 1.0)


def test_futility_stops_only_where_the_study_wants_it(make):
    dataset, visits = trial(make, 30, {"a": 0.5, "b": 0.5}, seed=4)
    assert watch(dataset, plan(), visits, before=[0.25, 0.5]).stop == "futility"
    patient = plan(stopping={"futility": False})
    assert watch(dataset, patient, visits, before=[0.25, 0.5]).stop is None


def test_three_systems_share_alpha_and_stop_when_all_pairs_are_decided(make):
    analysis = plan(systems=("a", "b", "c"))
    assert share_of_alpha(analysis) == pytest.approx(0.05 / 3)
    assert share_of_alpha(plan(systems=("a", "b", "c"), correction="none")) == 0.05
    dataset, visits = trial(make, 30, {"a": 0.95, "b": 0.1, "c": 0.12})
    found = watch(dataset, analysis, visits)
    assert [pair.stop for pair in found.verdicts][:2] == ["effect", "effect"]
    decided = {("b", "c"): "futility"}
    assert watch(dataset, analysis, visits, decided=decided).stop == "mixed"


def test_a_share_within_the_margin_ends_a_watch_at_any_time(make):
    dataset, visits = trial(make, 60, {"a": 0.5, "b": 0.5})
    wide = plan("anytime", margin=0.9, stopping={"participants": None})
    found = watch(dataset, wide, visits)
    assert found.stop == "equal"
    assert found.verdicts[0].bar == pytest.approx(1 / 0.05), "an e-value of 20 is evidence at 5 %"


def test_the_interval_that_holds_at_all_looks_is_wider_than_one_of_a_single_look(make):
    dataset, visits = trial(make, 20, {"a": 0.7, "b": 0.5})
    pair = watch(dataset, plan(), visits, before=[0.25]).verdicts[0]
    single = watch(dataset, plan(stopping={"interim_analyses": 1, "participants": 20}), visits).verdicts[0]
    assert pair.low < single.low < single.high < pair.high


def test_what_cannot_be_watched_is_said(make):
    dataset, visits = trial(make, 10, {"a": 0.7, "b": 0.5})
    unknown = plan().model_copy(update={"primary": plan().primary.model_copy(update={"measure": "succes"})})
    with pytest.raises(UnknownName, match="measure"):
        watch(dataset, unknown, visits)
    with pytest.raises(ValidationError, match="planned number of participants"):
        Stopping.model_validate({"rule": "pocock"})
    with pytest.raises(ValidationError, match="needs a primary comparison"):
        Analysis.model_validate({"stopping": {"rule": "anytime"}})


def largest_z(chance: float, looks: list[int], rng: np.random.Generator) -> list[float]:
    """|z| at every look of a trial without any difference; everybody has two dialogues with each system."""
    answers = (rng.random((2, looks[-1], 2)) < chance).astype(float)
    found = []
    for people in looks:
        codes, ones = np.repeat(np.arange(people), 2), np.ones(2 * people)
        both = [(side[:people].ravel(), ones) for side in answers]
        test = compare_clusters(codes, codes, *both, spans=False)
        facts = ClusteredDifference(p=test.p, se=test.se, difference=test.estimate, clusters=people)
        found.append(abs(_z(facts) or 0.0))
    return found


@pytest.mark.long
def test_ten_looks_at_the_clustered_test_hold_alpha():
    """1,500 trials of 60 participants: 5 % has a standard error of 0.6 points; unadjusted looks stop 19 %."""
    rng, looks, trials = np.random.default_rng(1), list(range(6, 61, 6)), 1500
    zs = np.array([largest_z(0.6, looks, rng) for _ in range(trials)])
    for rule in ("obrien_fleming", "pocock"):
        bars = np.array([bar.z for bar in boundaries(10, rule)])
        assert 0.03 <= float((zs >= bars).any(axis=1).mean()) <= 0.065, rule
    assert float((zs >= 1.96).any(axis=1).mean()) > 0.12


WITHIN = Interval(-0.04, 0.03)


def test_evidence_at_any_time_decides_by_its_bar_the_margin_and_the_planned_number():
    for told, stopping, stop in [
        ({"p": 0.05}, {}, "effect"),
        ({"p": 0.0501}, {}, None),
        ({"interval": WITHIN}, {}, "equal"),
        ({"interval": WITHIN}, {"futility": False}, None),
        ({"interval": WITHIN, "p": 0.01}, {}, "effect"),
        ({"interval": Interval(-0.05, 0.03)}, {}, None),
        ({"interval": Interval(-0.03, 0.05)}, {}, None),
        ({"interval": None}, {}, None),
        ({"n": 40}, {}, "end"),
        ({"n": 39}, {}, None),
        ({"n": 40}, {"participants": None}, None),
        ({"n": 41, "interval": WITHIN}, {}, "equal"),
    ]:
        look = Look(
            **{"n": 20, "estimate": 0.1, "e_value": 3.0, "interval": Interval(-0.2, 0.4), "p": 0.3, **told}
        )
        found, why = _stop_at_any_time(look, plan("anytime", margin=0.05, stopping=stopping), 0.05)
        assert found == stop and why
        assert _stop_at_any_time(look, plan("anytime", stopping=stopping), 0.05)[0] != "equal"


def test_a_trial_stops_as_all_its_pairs_do():
    for stops, whole in [
        (["effect"], "effect"),
        (["effect", "effect"], "effect"),
        (["effect", None], None),
        ([None], None),
        (["effect", "futility"], "mixed"),
        (["end", "effect"], "end"),
        (["end", "end"], "end"),
    ]:
        pairs = [LoggedVerdict(a="a", b="b", stop=one, why="so") for one in stops]
        assert _whole(pairs)[0] == whole


def test_a_watch_at_any_time_counts_who_met_both(make):
    dataset, visits = trial(make, 9, {"a": 0.6, "b": 0.5})
    found = watch(dataset, plan("anytime"), visits)
    assert (found.participants, found.information, found.number, found.of) == (9, 9 / 40, 9, None)
    assert watch(dataset, plan("anytime", stopping={"participants": 6}), visits).information == 1.0


def test_looks_are_due_at_the_first_whole_number_of_participants():
    analysis = plan(stopping={"interim_analyses": 3})
    assert [next_look(analysis.stopping, before) for before in ([], [14 / 40], [27 / 40])] == [14, 27, 40]
    assert next_look(plan("anytime").stopping, []) is None


def test_who_answered_nothing_is_no_participant_of_the_look(make):
    rows = [
        (system, f"p{person}", person % 3 > 0 if person < 9 else None)
        for person in range(12)
        for system in ("a", "b", "other")
    ]
    rows += [("other", "p20", 1), ("a", None, 1)]
    dataset = make(*rows, visit_id=[f"v{person}" for _, person, _ in rows])
    found = watch(dataset, plan(), [f"v{person}" for _, person, _ in rows])
    assert (found.participants, found.information, found.number) == (10, 0.25, 1)
    assert watch(dataset, plan(), [f"v{person}" for _, person, _ in rows if person]).number is None


@pytest.mark.parametrize(
    ("p", "said"),
    [
        (0.04, "Evidence 25 reaches 20."),
        (0.25, "Evidence 4 is below 20; continue."),
    ],
)
def test_evidence_is_told_beside_its_bar(p, said):
    look = Look(n=20, estimate=0.1, e_value=3.0, interval=Interval(-0.2, 0.4), p=p)
    assert _stop_at_any_time(look, plan("anytime"), 0.05)[1] == said


def test_a_watch_of_nobody_yet_has_a_bar_and_no_number(make):
    dataset, _ = trial(make, 3, {"a": 0.6, "b": 0.5})
    found = watch(dataset, plan("anytime", systems=("a", "b")), [])
    assert (found.participants, found.information, found.number, found.stop) == (0, 0.0, None, None)
    assert (found.verdicts[0].bar, found.verdicts[0].statistic) == (pytest.approx(20), None)
