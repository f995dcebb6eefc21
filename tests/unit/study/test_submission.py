"""Campaigns and submissions: what is said in which language, and mistakes named with their place."""

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from vivavoce.core.errors import InputError
from vivavoce_campaign.campaign_file import check_campaign, load_campaign, read_facts, write_facts
from vivavoce_campaign.submission_file import in_language

SYSTEM: dict[str, Any] = {
    "submission": "bank",
    "team": "us",
    "domain": {"it": "banca", "en": "banking"},
    "intents": [
        {"id": "card", "text": "top up", "minutes": 3},
        {"id": "pay", "text": {"it": "paga"}, "minutes": 2},
    ],
    "channel": "written",
    "interface": "own page",
    "access": "on-line",
    "languages": ["en", "it"],
    "connector": {"connect": "http"},
}


def written(folder: Path, *systems: dict[str, Any], **settings: Any) -> Path:
    (folder / "submissions").mkdir(parents=True)
    for one in systems:
        with (folder / "submissions" / f"{one.get('file', one['submission'])}.yaml").open("w") as file:
            YAML().dump({name: value for name, value in one.items() if name != "file"}, file)
    with (folder / "campaign.yaml").open("w") as file:
        YAML().dump({"campaign": "c", "languages": ["it"]} | settings, file)
    return folder


@pytest.mark.parametrize(
    ("words", "language", "expected"),
    [
        ("one for all", "it", "one for all"),
        ({"it": "sì", "en": "yes"}, "en", "yes"),
        ({"it": "sì", "en": "yes"}, "de", "sì"),
        ({}, "de", ""),
    ],
)
def test_words_are_said_in_the_language_asked_for_else_in_the_first(
    words: Any, language: str, expected: str
) -> None:
    assert in_language(words, language) == expected


def test_a_campaign_knows_its_submissions_and_their_languages(tmp_path: Path) -> None:
    campaign = load_campaign(
        written(tmp_path, SYSTEM, SYSTEM | {"submission": "other", "title": "Der Andere"})
    )
    bank = campaign.submission("bank")
    assert campaign.languages_of(bank) == ["it"] and not bank.spoken
    assert [one.name("it") for one in campaign.submissions] == ["bank", "Der Andere"]
    assert [one.said("en") for one in bank.intents] == ["top up", "paga"]
    with pytest.raises(InputError, match=r"submission 'bnak' not found.*Known: bank, other"):
        campaign.submission("bnak")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"intents": [SYSTEM["intents"][0]] * 2}, "duplicate intent 'card'"),
        ({"submission": "a b", "file": "a b"}, "invalid system name 'a b'"),
        ({"file": "elsewhere"}, "to bank.yaml"),
        ({"languages": ["fr"]}, "no language with the campaign"),
        ({"title": {"it": " "}}, "the text is empty"),
        ({"domain": ""}, "the text is empty"),
    ],
)
def test_what_is_wrong_with_a_submission_is_named(
    tmp_path: Path, change: dict[str, Any], problem: str
) -> None:
    _, problems = check_campaign(written(tmp_path, SYSTEM | change))
    assert problem in "\n".join(map(str, problems))


def test_a_report_has_the_facts_of_a_campaign_without_how_its_systems_are_reached(tmp_path: Path) -> None:
    campaign = load_campaign(written(tmp_path / "c", SYSTEM, title={"en": "The Campaign"}))
    write_facts(tmp_path, campaign.settings, campaign.submissions[0])
    facts = read_facts(tmp_path)
    settings, submission = facts.settings, facts.submission
    assert (settings.name("en"), submission.team, submission.connector) == ("The Campaign", "us", {})
    with pytest.raises(InputError, match="not a campaign dataset"):
        read_facts(tmp_path / "c")
