"""How many participants a study file asks for: its declared comparisons, its participants, a pilot."""

import math
from dataclasses import replace

import pytest

from vivavoce.analysis import planning
from vivavoce.analysis.planning import Pilot, Rates, answer, doubt_size, plan_of_study
from vivavoce.core.errors import InputError
from vivavoce.stats.power import RequiredSample
from vivavoce.study.load import load_study
from vivavoce.study.scaffold import write_study


@pytest.mark.long
def test_a_study_with_several_declared_comparisons_is_planned_with_the_strictest_level(tmp_path):
    write_study(tmp_path / "s", "cambridge-2011")
    study = load_study(tmp_path / "s")
    primary = study.analysis.primary
    assert primary is not None and len(primary.compare) == 2

    def planned(secondary: int, correction: str) -> RequiredSample:
        own = study.analysis.model_copy(update={"secondary": [primary] * secondary, "correction": correction})
        plan = plan_of_study(study.model_copy(update={"analysis": own}))
        return answer("two-rates", [0.4, 0.7], plan=plan, calls=2, participants=40)

    three = planned(2, "holm")
    assert any("3 comparisons" in said and "0.05 / 3 = 0.017" in said for said in three.assumptions)
    assert (three.comparisons, three.alpha) == (3, pytest.approx(0.05 / 3))
    one = planned(0, "holm")
    assert not any("declares" in said for said in one.assumptions)
    assert planned(2, "none").alpha == one.alpha == 0.05
    assert three.simulated.power < one.simulated.power


def test_a_study_that_compares_transcripts_is_told_which_question_plans_it(tmp_path):
    write_study(tmp_path / "cmp", "guerini-2018")
    with pytest.raises(InputError, match=r"vivavoce power preference \.6"):
        plan_of_study(load_study(tmp_path / "cmp"))


@pytest.mark.long
def test_a_study_file_says_how_many_participants(tmp_path):
    write_study(tmp_path, "cambridge-2011", name="plan")
    plan = plan_of_study(load_study(tmp_path / "study.yaml"))
    assert (plan.measure, plan.calls, plan.design) == ("objective_success_inferred", 3, "within")
    facts = answer("study", [], plan=plan)
    assert facts.per_group == 2088, "three comparisons are declared: alpha .05 / 3; z by hand"
    assert facts.clustered.calls == 3
    assert facts.simulated.power == pytest.approx(0.8, abs=0.04)
    assert any("minimum number of dialogues" in text for text in facts.assumptions)
    other = answer("two-rates", [0.5, 0.7], plan=plan, calls=6, icc=0.1, design="between")
    assert other.clustered.design_effect == pytest.approx(1.5)
    assert other.simulated.power == pytest.approx(0.8, abs=0.04)
    assert other.simulated.type_one_error == pytest.approx(0.05 / 3, abs=0.012)


@pytest.fixture
def planned(tmp_path):
    write_study(tmp_path / "planned", "cambridge-2011")
    study = load_study(tmp_path / "planned")

    def changed(dialogues: int = 3, allocation: str = "random", **analysis):
        visit = [
            step.model_copy(update={"repeat": step.repeat.model_copy(update={"min": dialogues})})
            if step.kind == "dialogue"
            else step
            for step in study.visit
        ]
        declared = study.analysis.model_copy(update=analysis)
        return study.model_copy(
            update={"visit": tuple(visit), "allocation": allocation, "analysis": declared}
        )

    return changed


@pytest.mark.parametrize(
    ("dialogues", "allocation", "design", "said"),
    [
        (3, "least-used-by-participant", "within", "own control"),
        (3, "random", "between", "conservative"),
        (2, "least-used-by-participant", "within", "own control"),
        (1, "least-used-by-participant", "between", None),
        (1, "random", "between", None),
    ],
)
def test_who_holds_several_dialogues_meets_the_systems_evenly_unless_drawn(
    planned, dialogues, allocation, design, said
):
    plan = plan_of_study(planned(dialogues, allocation))
    assert (plan.calls, plan.design, plan.family) == (dialogues, design, 3)
    assert (len(plan.assumptions) > 1, said or "") == (said is not None, said or "")
    assert said is None or said in plan.assumptions[1]


def test_a_family_counts_every_pair_of_every_declared_comparison(planned):
    whole = planned().analysis
    three = whole.primary.model_copy(update={"compare": ["a", "b", "c"]})
    assert plan_of_study(planned(secondary=[three, three])).family == 1 + 3 + 3
    assert plan_of_study(planned(secondary=[three], correction="none")).family == 1
    with pytest.raises(InputError, match="no primary comparison"):
        plan_of_study(planned(primary=None))


@pytest.mark.parametrize(
    ("dialogues", "allocation", "correction", "people", "doubt"),
    [
        (3, "random", "none", 7, None),
        (3, "random", "none", 6, "6 participants with two systems, 3 against 3"),
        (3, "random", "holm", 8, "8 participants with two systems, 4 against 4"),
        (3, "random", "holm", 9, None),
        (2, "least-used-by-participant", "none", 6, None),
        (2, "least-used-by-participant", "none", 5, "5 participants with two systems cannot"),
    ],
)
def test_a_study_of_too_few_participants_is_doubted(
    planned, dialogues, allocation, correction, people, doubt
):
    """2 of 20 ways of 3 against 3, 1 of 35 of 3 against 4; 2 of 70, 1 of 126 at .05 / 3; 2 of 64, 2 of 32."""
    found = doubt_size(planned(dialogues, allocation, correction=correction), people)
    assert found is None if doubt is None else found is not None and doubt in found


def test_a_plan_of_a_study_is_asked_where_no_option_and_no_pilot_says_otherwise(planned):
    plan = replace(plan_of_study(planned()), alpha=0.02)
    found = answer("one-rate", [0.6], plan=plan)
    assert (found.alpha, found.clustered.calls, found.comparisons) == (0.02, 3, None)
    assert found.assumptions[:2] == plan.assumptions
    assert not any("declares 3 comparisons" in one for one in found.assumptions), "one rate is none of them"
    assert (found.study, found.measure) == ("planned", "objective_success_inferred")
    own = answer("one-rate", [0.6], plan=plan, calls=4, alpha=0.1)
    assert (own.alpha, own.clustered.calls) == (0.1, 4) and plan.assumptions[0] not in own.assumptions
    pilot = Pilot(profile=(2, 6), icc=0.1, said=("a pilot",))
    held = answer("one-rate", [0.6], plan=plan, pilot=pilot, agreement=0.6)
    assert held.clustered.calls == 4 and plan.assumptions[0] not in held.assumptions
    assert (
        held.with_judge[0].labels == held.clustered.size.per_group and held.assumptions[-1] == planning.SAVED
    )
    assert (found.with_judge, answer("one-rate", [0.6]).study) == ((), None)


@pytest.mark.parametrize(("design", "guess", "total"), [("between", 98, 15), ("within", 59, 10)])
def test_what_is_simulated_of_two_systems_is_told_of_all_of_them(monkeypatch, planned, design, guess, total):
    """The search begins at the formula's size: of a group of each of two systems, or of everybody.

    97 dialogues a system are 170 by 1 + 2.5 x .3, of 49 people; by 1 - .3 they are 68, and 204 of 59 people.
    """
    asked = []

    def find(_effect, _nested, *, power, guess, seed, **_options):
        asked.append((power, guess, seed))
        return 10, planning.Simulated(0.83, 0.01, 2000, seed, ("t",))

    def alarms(effect, people, _nested, *, seed, **_options):
        asked.append((effect, people, seed))
        return planning.Simulated(0.04, 0.02, 1000, seed, ("t",))

    monkeypatch.setattr(planning, "find_participants", find)
    monkeypatch.setattr(planning, "simulate", alarms)
    plan = replace(plan_of_study(planned(correction="none")), compare=("a", "b", "c"))
    found = answer("two-rates", [0.4, 0.6], plan=plan, calls=3.5, icc=0.3, design=design, seed=7)
    assert (found.comparisons, found.alpha) == (1, 0.05) and "declares" not in " ".join(found.assumptions)
    strict = answer("two-rates", [0.4, 0.6], plan=replace(plan, family=4), icc=0.3, design=design)
    assert (strict.comparisons, strict.alpha) == (4, 0.0125) and "0.05 / 4" in " ".join(strict.assumptions)
    asked = asked[:2]
    assert asked == [(0.8, guess, 7), (Rates(0.4, 0.4), 10, 9)]
    size = found.clustered.size
    assert (size.participants, size.dialogues) == (total, round(total * 3.5))
    assert size.per_group == math.ceil(round(total * 3.5) / 3)
    assert (found.simulated.participants, found.simulated.type_one_error) == (10, 0.04)
