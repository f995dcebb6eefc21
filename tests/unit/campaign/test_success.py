"""Goals of a black box: by the words with which it tells that it is done, and never by silent dialogues."""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from scenes.campaigns import START, submission
from vivavoce.dashboard.verdicts import read_verdicts
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.simulation.domain_agenda_user import DomainUser
from vivavoce.simulation.user_profile import UserProfile
from vivavoce.study.task import Task
from vivavoce_campaign.callers import domain_from
from vivavoce_campaign.campaign_file import CampaignFile, write_facts
from vivavoce_campaign.document.campaign import compose_campaign
from vivavoce_campaign.document.evaluation import Evaluation, evaluate, figures
from vivavoce_campaign.goal_column import campaign_goals
from vivavoce_campaign.submission_file import as_yaml
from vivavoce_campaign.success import goal_in_words, goals_reached

INTENTS = [
    {
        "id": "rent",
        "text": {"en": "rent a bike", "it": "noleggiare una bici"},
        "minutes": 1,
        "done": {"en": "is rented", "it": "noleggiata"},
        "needs": ["model"],
    },
    {"id": "report", "text": {"en": "report a fault", "it": "segnalare un guasto"}, "minutes": 2},
]
MODELS = [{"en": "Blue Arrow", "it": "Freccia Blu"}, {"en": "Red Mule", "it": "Mulo Rosso"}]
BIKES = {
    "submission": "ch",
    "title": "Bikes",
    "domain": "bikes",
    "intents": INTENTS,
    "entities": [{"id": "model", "text": "model", "values": MODELS}],
    "languages": ["en", "it"],
}
Held = tuple[str, str, Sequence[str], float]  # intent, language, turns (the system opens), seconds


def held(folder: Path, dialogues: Sequence[Held], **settings: object) -> Dataset:
    """Dialogues of one user each; the task gives the model Freccia Blu, as its key has it."""
    with DatasetWriter(folder, study={"name": "s"}, source={"kind": "test"}) as writer:
        for number, (intent, language, said, seconds) in enumerate(dialogues):
            key = {"dialogue_id": f"d{number}"}
            failed = len(said) < 2
            writer.add(
                "participants",
                [
                    {
                        "participant_id": f"p{number}",
                        "outcome": "completed",
                        "simulated": False,
                        "language": language,
                    }
                ],
            )
            writer.add(
                "dialogues",
                [
                    {
                        **key,
                        "participant_id": f"p{number}",
                        "study": "s",
                        "system": "ch",
                        "condition": "ch",
                        "channel": "text",
                        "language": language,
                        "simulated": False,
                        "duration_s": seconds,
                        "started_at": START,
                        "end_reason": "failure" if failed else "user",
                    }
                ],
            )
            goal = {**key, "goal_index": 0, "origin": "assigned"}
            writer.add(
                "goals",
                [
                    {**goal, "kind": "type", "value": intent},
                    {**goal, "kind": "constraint", "slot": "model", "op": "=", "value": "Blue Arrow"},
                ],
            )
            writer.add(
                "turns",
                [
                    {**key, "turn_index": at, "party": "user" if at % 2 else "system", "text": text}
                    for at, text in enumerate(said)
                ],
            )
        writer.close()
    write_facts(folder, CampaignFile.model_validate({"campaign": "t", **settings}), submission(**BIKES))
    return Dataset(folder)


HELLO = "Welcome. No bike is rented to you."
DIALOGUES: list[Held] = [
    ("rent", "en", [HELLO, "a Blue Arrow", "Your Blue Arrow is rented until noon."], 40.0),
    ("rent", "it", ["Salve.", "una Freccia Blu", "Ecco, noleggiata fino a sera."], 80.0),
    ("rent", "en", [HELLO, "a Blue Arrow", "The Red Mule is rented until noon."], 300.0),
    ("rent", "en", [HELLO, "a Blue Arrow", "Sorry?"], 500.0),
    ("report", "en", [HELLO, "my tyre is flat", "Thank you."], 20.0),
    ("rent", "en", [HELLO], 900.0),
]


@pytest.fixture
def found(tmp_path: Path) -> Evaluation:
    return evaluate(held(tmp_path, DIALOGUES))


def test_a_goal_is_reached_by_the_words_that_its_team_gave_and_not_with_another_value(tmp_path: Path) -> None:
    bikes = held(tmp_path, DIALOGUES)
    reached = goals_reached(bikes, submission(**BIKES))
    assert reached == {"d0": True, "d1": True, "d2": False, "d3": False, "d5": False}


def test_each_declared_language_is_told_apart_and_one_that_nobody_tried_is_told(tmp_path: Path) -> None:
    both = evaluate(held(tmp_path / "both", DIALOGUES, languages=["en", "it"]))
    told = [(one.language, one.users, one.goals.dialogues, one.goals.reached) for one in both.languages]
    assert told == [("en", 4, 4, 1), ("it", 1, 1, 1)]
    english = [one for one in DIALOGUES if one[1] == "en"]
    alone = evaluate(held(tmp_path / "alone", english, languages=["en", "it"]))
    assert [one.tried for one in alone.languages] == [True, False]
    assert [one.users for one in figures(alone).languages] == [4, 0]


def test_success_is_told_by_intent_and_times_are_those_of_successful_dialogues(found: Evaluation) -> None:
    rent, fault = found.intents
    assert (rent.dialogues, rent.known, rent.reached) == (4, 4, 2)
    assert (rent.timed, rent.median_s, rent.longest_s, rent.within) == (2, 60.0, 80.0, 1)
    assert (rent.success_low, rent.success_high) == (found.goals.low, found.goals.high), "one definition"
    assert (fault.known, fault.reached, fault.success_low) == (0, 0, None)
    assert (fault.timed, fault.median_s) == (1, 20.0)
    assert (found.goals.reached, found.goals.known, found.goals.dialogues) == (2, 4, 5)


def test_a_dialogue_in_which_the_user_said_nothing_counts_nowhere_though_the_system_failed(
    found: Evaluation,
) -> None:
    """The study's usual rule keeps it: the system failed, so that it is not trivial."""
    assert found.left_out.silent == 1 and sum(one.dialogues for one in found.intents) == 5
    for words, told in (
        ("en", "Dialogues without user messages, not counted: 1 dialogue."),
        ("it", "Dialoghi senza messaggi dell'utente, non contati: 1 dialogo"),
    ):
        document = compose_campaign(found, words=words)
        assert any(told in line for line in document.before)
    assert figures(found).left_out.silent == 1


def test_the_report_says_what_is_not_known_and_how_it_can_be(found: Evaluation) -> None:
    document = compose_campaign(found)
    (section,) = (one for one in document.sections if one.name == "time")
    told = [block.text for block in section.blocks if block.kind == "paragraph"]
    assert any("report a fault" in text and "`done`" in text for text in told)
    assert "Task goal reached in 2 of 4 dialogues (50.0%)." in document.answer[0]
    italian = compose_campaign(found, words="it")
    assert "Obiettivo del compito raggiunto in 2 su 4 dialoghi (50,0%)." in italian.answer[0]


def test_without_a_known_goal_success_is_missing_and_not_zero(tmp_path: Path) -> None:
    unknown = evaluate(held(tmp_path, [("report", "en", ["Hi.", "flat tyre", "Thanks."], 20.0)]))
    assert unknown.goals.known == 0 and unknown.goals.low is None
    assert not any("Task goal" in line for line in compose_campaign(unknown).answer)


def test_the_dashboard_of_a_campaign_s_study_counts_the_same_goals(tmp_path: Path) -> None:
    bikes, place = held(tmp_path / "dataset", DIALOGUES), tmp_path / "systems" / "ch"
    (tmp_path / "submissions").mkdir()
    study: Any = SimpleNamespace(folder=place)
    assert campaign_goals(study, bikes) == {}, "no campaign"
    (tmp_path / "campaign.yaml").write_text("campaign: t\n", encoding="utf-8")
    made = submission(**BIKES)
    written = as_yaml(made.model_dump(mode="json", by_alias=True, exclude_none=True))
    (tmp_path / "submissions" / "ch.yaml").write_text(written, encoding="utf-8")
    beside = campaign_goals(study, bikes)
    assert beside == {"campaign_goal": goals_reached(bikes, made)}
    successes, cases = read_verdicts(bikes, "people", 1, START, beside).rates["campaign_goal"]
    assert (sum(successes), sum(cases)) == (2, 5)


SEATS = {
    "submission": "tr",
    "title": "Trains",
    "domain": "trains",
    "languages": ["en"],
    "intents": [
        {
            "id": "book",
            "text": "book seats",
            "minutes": 1,
            "done": {"en": "CONFIRMED"},
            "needs": ["seats", "class"],
        }
    ],
    "entities": [
        {"id": "seats", "text": "seats", "values": ["1", "2"]},
        {"id": "class", "text": "class", "values": ["first", "second"]},
    ],
}


def test_a_summary_that_contradicts_the_task_is_no_goal_reached() -> None:
    for summary, reached in [
        ("Seats: 1. Class: second. Confirm? (yes/no)", False),
        ("Seats: 2. Class: second. Confirm? (yes/no)", True),
        ("SEATS 2, class first. Right?", False),
        ("CLASS? (first/second)", True),  # asks, and tells nothing
        ("Class: first or second?", True),
        ("Which seats?", True),
        ("Seats: 1:30 away. Right?", True),
    ]:
        goal = goal_in_words(submission(**SEATS), "book", {"seats": "2", "class": "second"}, "en")
        assert goal is not None
        said = ["book 2 seats", summary, "yes", "CONFIRMED. Number 12."]
        turns = [{"party": "system" if at % 2 else "user", "text": text} for at, text in enumerate(said)]
        assert (goal.told_in(turns) is not None) is reached
        amended = [
            *turns[:2],
            {"party": "user", "text": "no"},
            {"party": "system", "text": "Seats: 2. Class: second."},
        ]
        assert goal.told_in([*amended, *turns[2:]]) is not None


def test_a_simulated_user_corrects_a_summary_with_another_value() -> None:
    domain = domain_from(submission(**SEATS), ["en"])
    task = Task(
        task_id="t",
        type="book",
        text={"en": "book"},
        constraints={"seats": "2", "class": "second"},
        requests=(),
    )
    careful = UserProfile(
        patience=6,
        forgetfulness=0.0,
        over_informing=0.0,
        carefulness=1.0,
        curiosity=0.0,
        optimism=0.0,
        dialogues=1,
    )
    user = DomainUser(task, domain, careful, "en", Random(1))
    user.reply(None, "")
    wrong = user.reply(None, "SUMMARY. Seats: 1. Class: second. Confirm? (yes/no)")
    assert "seats 2" in wrong.text and "negate" in {act.act for act in wrong.acts}
    right = user.reply(None, "SUMMARY. Seats: 2. Class: second. Confirm? (yes/no)")
    assert [act.act for act in right.acts] == ["affirm"]


def test_another_number_of_nights_reaches_no_goal_though_nobody_declared_it() -> None:
    for nights, said, reached in [
        ("three nights", "Booked: 3 nights for a cat, 60 euros.", True),
        ("three nights", "Booked: three nights for a cat.", True),
        ("three nights", "Booked: 2 nights for a cat, 40 euros.", False),
        ("3", "Booked: 2 nights for a cat, 40 euros.", False),
        ("3", "Booked: 3 nights for a cat.", True),
        ("3", "Booked. The bill is 40 euros.", True),
    ]:
        book = {"id": "book", "text": "book {nights}", "minutes": 1, "done": "Booked"}
        values = {"id": "nights", "text": "nights", "values": [nights, "four nights"]}
        boarding = submission(
            submission="ch", domain="pets", languages=["en"], intents=[book], entities=[values]
        )
        goal = goal_in_words(boarding, "book", {"nights": nights}, "en")
        assert goal is not None
        turns = [{"party": "user", "text": "three nights"}, {"party": "system", "text": said}]
        assert (goal.told_in(turns) is not None) is reached


def test_another_number_of_what_was_asked_for_reaches_no_goal() -> None:
    """Before, five pots were two, and the goal was reached."""
    for said, reached in [
        ("Noted: 5 x lavender, on Monday, 25 euros.", True),
        ("Noted: five pots of lavender, on Monday.", True),
        ("Noted: lavender, on Monday, 25 euros.", True),
        ("Noted: 25 euros of lavender, on Monday.", True),
        ("Noted: €25 lavender, on Monday.", True),
        ("Noted: 2 x lavender, on Monday, 10 euros.", False),
        ("Noted: 1 pot of lavender, on Monday, 5 euros.", True),  # 5 is told, of whatever
    ]:
        order = {"id": "order", "text": "order {pots} of {plant}", "minutes": 1, "done": "Noted"}
        pots = {"id": "pots", "text": "pots", "values": ["five pots", "three pots"]}
        plant = {"id": "plant", "text": "plant", "values": ["lavender", "rose"]}
        nursery = submission(
            submission="ch", domain="plants", languages=["en"], intents=[order], entities=[pots, plant]
        )
        goal = goal_in_words(nursery, "order", {"pots": "five pots", "plant": "lavender"}, "en")
        assert goal is not None
        turns = [{"party": "user", "text": "five pots of lavender"}, {"party": "system", "text": said}]
        assert (goal.told_in(turns) is not None) is reached
