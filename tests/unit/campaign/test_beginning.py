"""A campaign from an address: submission, tasks in sentences, simulated users; nothing is written over."""

import json
from pathlib import Path
from typing import Any

import pytest

from scenes.processes import example_bot
from vivavoce.connectors.input_dependence import Discovery
from vivavoce.core.errors import InputError
from vivavoce.study.load import load_study
from vivavoce_campaign.callers import domain_from, task_sentence, wish
from vivavoce_campaign.campaign_file import Campaign, load_campaign
from vivavoce_campaign.drafts import draft, instructions
from vivavoce_campaign.dry_run import last_try, try_out
from vivavoce_campaign.new_campaign import Described, begin, openings_in
from vivavoce_campaign.places import place_of
from vivavoce_campaign.setup import status
from vivavoce_campaign.submission_file import check_submission

FOUND = Discovery(
    {"connect": "http", "url": "http://127.0.0.1:9/chat", "allow_private": True}, "Library desk."
)


def described(**changes: Any) -> Described:
    facts: dict[str, Any] = {
        "name": "library",
        "team": "City library",
        "domain": "books",
        "languages": ["en", "it"],
        "intents": [
            "borrow a book by {author} / prendere in prestito un libro di {author}",
            "ask for the opening hours / chiedere gli orari",
        ],
        "entities": ["author / autore: Virginia Woolf; Natalia Ginzburg", "card / tessera: 1234"],
    }
    return Described(**{**facts, **changes})


def begun(folder: Path, **changes: Any) -> Campaign:
    begin(folder, described(**changes), FOUND)
    return load_campaign(folder)


def test_tasks_are_sentences_with_values_in_every_language(tmp_path: Path) -> None:
    campaign = begun(tmp_path, entities=["author / autore: Virginia Woolf; Natalia Ginzburg"])
    draft(campaign, campaign.submission("library"))
    tasks = load_study(place_of(campaign, "library").folder).tasks
    texts = {language: {task.text[language] for task in tasks} for language in ("en", "it")}
    assert texts["en"] == {
        "You want to borrow a book by Virginia Woolf.",
        "You want to borrow a book by Natalia Ginzburg.",
        "You want to ask for the opening hours.",
    }
    assert "Vuoi prendere in prestito un libro di Natalia Ginzburg." in texts["it"]
    assert not any("{" in text or "Use the system" in text for one in texts.values() for text in one)


def test_what_is_the_users_own_is_theirs_when_they_say_it(tmp_path: Path) -> None:
    """Before, users asked for a repair of "your bike"."""
    campaign = begun(
        tmp_path, intents=["book a check for your bike / prenotare un controllo per la tua bici"]
    )
    (goal,) = domain_from(campaign.submission("library"), ["en", "it"]).goals.values()
    assert "I would like to book a check for my bike" in goal.opening["en"]
    assert "vorrei prenotare un controllo per la mia bici" in goal.opening["it"]
    assert goal.text["en"].startswith("You want to book a check for your bike.")


def test_where_users_meet_a_system_is_said_by_its_team_or_by_nobody(tmp_path: Path) -> None:
    assert begun(tmp_path).submission("library").interface == ""


def test_behind_an_arrow_stand_the_words_by_which_it_is_done(tmp_path: Path) -> None:
    intents = ["borrow {author} / prendere {author} => is yours / in prestito", "ask the hours => 9 to"]
    submission = begun(tmp_path, intents=intents).submission("library")
    borrow, hours = submission.intents
    assert (borrow.done_in("en"), borrow.done_in("it")) == ("is yours", "in prestito")
    assert (hours.done_in("it"), hours.text) == ("9 to", "ask the hours")
    draft(load_campaign(tmp_path), submission)
    tasks = load_study(place_of(load_campaign(tmp_path), "library").folder).tasks
    assert not any("=>" in text for task in tasks for text in task.text.values())


def test_values_that_a_task_has_no_place_for_follow_in_a_sentence(tmp_path: Path) -> None:
    submission = begun(tmp_path).submission("library")
    assert task_sentence(submission.intents[0], submission, "en") == (
        "You want to borrow a book by {author}. If you are asked: card {card}."
    )


def test_an_entity_in_brackets_belongs_to_that_intent_alone(tmp_path: Path) -> None:
    intents = ["borrow a book by {author} [Card] / prendere {author}", "ask for the hours"]
    borrow, hours = begun(tmp_path, intents=intents).submission("library").intents
    submission = load_campaign(tmp_path).submission("library")
    assert "card" in task_sentence(borrow, submission, "en")
    assert task_sentence(hours, submission, "en") == "You want to ask for the hours."
    assert "[" not in borrow.said("en") + borrow.said("it")


@pytest.mark.parametrize(("language", "about"), [("en", "It knows about"), ("it", "Conosce")])
def test_what_a_system_knows_about_is_told_only_where_somebody_said_it(
    tmp_path: Path, language: str, about: str
) -> None:
    told = instructions(begun(tmp_path / "a").submission("library"), language)
    assert f"{about}: books." in told
    untold = instructions(begun(tmp_path / "b", domain="").submission("library"), language)
    assert about not in untold and "…." not in untold
    assert "**library**" in untold


@pytest.mark.parametrize(
    ("text", "wished"),
    [("Borrow a book.", "borrow a book"), ("FAQ about loans", "FAQ about loans"), ("renew", "renew")],
)
def test_an_intent_is_a_wish(text: str, wished: str) -> None:
    assert wish(text) == wished


def test_a_team_s_own_sentence_is_taken(tmp_path: Path) -> None:
    submission = begun(tmp_path, entities=["author: Virginia Woolf"]).submission("library")
    own = submission.intents[0].model_copy(
        update={"task": {"en": "Your aunt likes {author}: get her a book."}}
    )
    assert task_sentence(own, submission, "en") == "Your aunt likes {author}: get her a book."


def test_nothing_is_written_over(tmp_path: Path) -> None:
    campaign = begun(tmp_path)
    library = campaign.submission("library")
    draft(campaign, library)
    place = place_of(campaign, "library")
    users = (place.folder / "users.txt").read_text("utf-8")
    with pytest.raises(InputError, match=r"submissions/library\.yaml"):
        begin(tmp_path, described(team="Somebody else"), FOUND)
    assert campaign.submission("library").team == "City library"
    file = tmp_path / "submissions" / "library.yaml"
    file.write_text(
        file.read_text("utf-8").replace("borrow a book by", "take home a book by"), encoding="utf-8"
    )
    (place.folder / "instructions.md").write_text("Ours.", encoding="utf-8")
    renewed = load_campaign(tmp_path)
    written = {path.name for path in draft(renewed, renewed.submission("library"))}
    assert "tasks.yaml" in written and "instructions.md" not in written and "users.txt" not in written
    assert "take home a book by" in (place.folder / "tasks.yaml").read_text("utf-8")
    assert (place.folder / "instructions.md").read_text("utf-8") == "Ours."
    assert (place.folder / "users.txt").read_text("utf-8") == users


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"intents": []}, "--intent"),
        ({"name": "my library"}, "my library"),
        ({"entities": ["author"]}, "'author'"),
        ({"intents": ["borrow {book}"]}, "uses the unknown entity 'book'"),
        ({"languages": ["xx"]}, "xx"),
    ],
)
def test_a_mistake_is_told_and_leaves_nothing_behind(
    tmp_path: Path, changes: dict[str, Any], problem: str
) -> None:
    with pytest.raises(InputError) as caught:
        begin(tmp_path, described(**changes), FOUND)
    assert problem in str(caught.value)
    assert not list(tmp_path.rglob("*.yaml"))


def test_what_users_said_in_a_log_is_how_simulated_users_open(tmp_path: Path) -> None:
    turns = [
        {"dialogue": 1, "party": "system", "text": "Library desk."},
        {"dialogue": 1, "party": "user", "text": "have you a book by Virginia Woolf to borrow?"},
        {"dialogue": 1, "party": "user", "text": "thanks a lot"},
        {"dialogue": 2, "role": "user", "content": "what are your opening hours"},
        {"dialogue": 3, "role": "user", "content": "paint my dragon green"},
    ]
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(map(json.dumps, turns)), encoding="utf-8")
    came = begin(tmp_path / "c", described(logged=openings_in(log)), FOUND)
    made, _ = check_submission(tmp_path / "c" / "submissions" / "library.yaml")
    assert made is not None
    assert made.intents[0].says == {"en": ["have you a book by {author} to borrow?"]}
    assert made.intents[1].says == {"en": ["what are your opening hours"]}
    assert came.unmatched == ["paint my dragon green"]


@pytest.mark.parametrize(("line", "problem"), [("hello", "log.jsonl:1"), ('{"role": "user"}', "log.jsonl:1")])
def test_a_log_that_is_none_is_told_with_its_line(tmp_path: Path, line: str, problem: str) -> None:
    (tmp_path / "log.jsonl").write_text(line, encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        openings_in(tmp_path / "log.jsonl")


def test_a_system_of_any_domain_is_tried_and_says_what_is_lacking(tmp_path: Path) -> None:
    """Before, it died of a domain that no simulated user knew, naming an option that campaigns lack."""
    intents = ["book a {visit} / fissare {visit}", "ask for the opening hours / chiedere gli orari"]
    entities = [
        "visit / visita: cleaning / una pulizia; check-up / un controllo",
        "day / giorno: Monday / lunedì",
    ]
    dentist = described(name="dentist", domain="teeth", intents=intents, entities=entities)
    with example_bot("dentist") as address:
        begin(tmp_path, dentist, Discovery({**FOUND.settings, "url": address}, "Bianchi dental practice."))
        campaign = load_campaign(tmp_path)
        submission = campaign.submission("dentist")
        draft(campaign, submission)
        found = try_out(campaign, submission, lambda *_: None, users=2)
    assert found.failed == 0 and found.dialogues == 12
    hours = [one for one in found.intents if one.intent == "ask_opening_hours"]
    assert {one.language for one in hours} == {"en", "it"} and all(
        one.reached == one.dialogues for one in hours
    )
    assert "Morning or afternoon?" in dict(found.unanswered)
    assert found == last_try(place_of(campaign, "dentist"))
    (state,) = status(campaign)
    assert state.users == 0, "a try counts nowhere"
    assert state.next is not None and state.next.name == "users"


def test_the_state_names_what_is_next_and_for_whom(tmp_path: Path) -> None:
    campaign = begun(tmp_path)
    (state,) = status(campaign)
    assert [one.name for one in state.stages if one.done] == []
    assert state.next is not None and state.next.waits_for == "organiser"
    assert state.next.command == f"vivavoce campaign draft {tmp_path} --system library"
    draft(campaign, campaign.submission("library"))
    (state,) = status(campaign)
    assert (
        state.next is not None and state.next.command == f"vivavoce campaign try {tmp_path} --system library"
    )
