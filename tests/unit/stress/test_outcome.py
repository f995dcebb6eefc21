"""Whether a replay reached its goal, and what the log's rows make of verdicts of people."""

from pathlib import Path
from typing import Any

from vivavoce.log.event import Event
from vivavoce.log.store import Log
from vivavoce.log.stress_events import CaseJudged, StressRunPlanned, VerdictGiven, stress_rows, stress_stream
from vivavoce.study.ontology import load_ontology
from vivavoce.study.task import Alternative, Task
from vivavoce_stress.case import Case
from vivavoce_stress.rejection import rejects
from vivavoce_stress.replay import goal_met

ONTOLOGY = load_ontology(Path(__file__).resolve().parents[3] / "src/vivavoce/study/domains/restaurants.yaml")
PUB = ONTOLOGY.of_type("pub")[0]
OTHER = next(one for one in ONTOLOGY.of_type("pub") if one.slots["pricerange"] != PUB.slots["pricerange"])
TASK = Task(
    task_id="t",
    type="pub",
    constraints={"pricerange": PUB.slots["pricerange"]},
    requests=("phone",),
    text={"en": "x"},
)


def said(*acts: tuple[str, str, str]) -> dict[str, Any]:
    told = [{"act": act, "slot": slot, "value": value, "op": "="} for act, slot, value in acts]
    return {"party": "system", "text": "", "acts": told}


OFFER = said(("offer", "name", PUB.name))
PHONE = said(("inform", "phone", PUB.slots["phone"]))


def test_a_goal_is_reached_by_a_fitting_venue_and_true_answers() -> None:
    for turns, met in [
        ([OFFER, PHONE], True),
        ([OFFER], False),  # what was asked for was never told
        ([OFFER, said(("inform", "phone", "000"))], False),
        ([said(("offer", "name", OTHER.name)), said(("inform", "phone", OTHER.slots["phone"]))], False),
        ([PHONE], False),
        ([OFFER, PHONE, said(("offer", "name", OTHER.name))], False),  # the last venue counts
    ]:
        assert goal_met(turns, TASK, ONTOLOGY) is met


def test_an_alternative_goal_counts_and_without_a_task_nothing_is_known() -> None:
    constraints = {"pricerange": PUB.slots["pricerange"]}
    strict = TASK.model_copy(update={"constraints": {"pricerange": OTHER.slots["pricerange"]}})
    assert goal_met([OFFER, PHONE], strict, ONTOLOGY) is False
    relaxed = strict.model_copy(update={"alternative": Alternative(constraints=constraints)})
    assert goal_met([OFFER, PHONE], relaxed, ONTOLOGY) is True
    assert goal_met([OFFER, PHONE], None, ONTOLOGY) is None
    assert goal_met([OFFER, PHONE], TASK, None) is None


def test_a_system_that_tells_no_acts_is_read_by_its_words() -> None:
    text = f"{PUB.name} is nice. Its number is {PUB.slots['phone']}."
    assert goal_met([{"party": "system", "text": text, "acts": None}], TASK, ONTOLOGY) is True


def test_a_rejection_is_known_by_its_words_and_acts_are_believed_first() -> None:
    for language, text, rejected in [
        ("en", "Sorry, I didn’t get that.", True),
        ("en", "Could you rephrase?", True),
        ("en", "Your card is blocked.", False),
        ("it", "Non ho capito, può ripetere?", True),
        ("it", "La carta è bloccata.", False),
        ("de", "Wie bitte?", False),
    ]:
        assert rejects(text, None, language) is rejected
        assert rejects(text, [{"act": "inform"}], language) is False
        assert rejects("Yes.", [{"act": "repeat"}], language) is True


def test_what_people_say_stands_above_the_ladder_and_the_majority_above_the_last(tmp_path: Path) -> None:
    case = Case(case_id="c", test="ST-4", family="spelling", language="en", original="a", variant="b")
    facts = {"run_id": "r", "case_id": "c"}
    planned = StressRunPlanned(
        run_id="r", plan="p", system="bot", settings={"repeats": 1}, cases=[case.model_dump(mode="json")]
    )
    judged = CaseJudged(
        **facts, admitted=True, verdict="unsure", rung="guards", suspicion="pass", reason="numbers"
    )  # type: ignore[arg-type]
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:

        def after(*more: Event) -> dict[str, Any]:
            log.transact_now(lambda tx: [tx.append(stress_stream("s"), one) for one in more])
            (row,) = stress_rows(log.events(stress_stream("s")))
            return row

        assert after(planned)["status"] == "unfinished"
        row = after(judged)
        assert (row["verdict"], row["rung"], row["rung_automatic"]) == ("unsure", "guards", "guards")
        row = after(VerdictGiven(**facts, judge="anna", verdict="fail"))
        assert (row["verdict"], row["verdict_automatic"], row["rung"]) == ("fail", "unsure", "person")
        row = after(VerdictGiven(**facts, judge="bruno", verdict="pass"))
        assert row["verdict"] == "pass"  # one each: the later
        row = after(VerdictGiven(**facts, judge="carla", verdict="fail"))
        assert (row["verdict"], row["judges"]) == ("fail", 3)
        row = after(
            VerdictGiven(**facts, judge="anna", verdict="invalid_variant"),
            VerdictGiven(**facts, judge="carla", verdict="invalid_variant"),
        )
        assert row["status"] == "invalid"
