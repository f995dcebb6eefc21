"""What teams say afterwards: sheets out, answers in, a summary."""

from pathlib import Path

import pytest

from vivavoce.core.errors import InputError
from vivavoce_campaign.answers import check_answers, sheet, summary
from vivavoce_campaign.campaign_file import Campaign, load_campaign
from vivavoce_campaign.setup import write_campaign


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    write_campaign(tmp_path / "c", "trial")
    (tmp_path / "c" / "answers").mkdir()
    return load_campaign(tmp_path / "c")


def filled(campaign: Campaign, name: str, **changes: object) -> Path:
    path = campaign.folder / "answers" / f"{name}.yaml"
    facts = {"system": name, "questionnaire": 3, "stress_tests": 4, "again": "with_changes", **changes}
    path.write_text("\n".join(f"{key}: {value}" for key, value in facts.items()) + "\n", encoding="utf-8")
    return path


def test_answers_are_counted_and_words_stand_beside_their_system(campaign: Campaign) -> None:
    filled(campaign, "telco", why="accents")
    filled(campaign, "carbs", stress_tests=0, again="yes")
    told = summary(campaign)
    assert (told.n, told.asked) == (2, 3)
    assert told.stress_tests == {0: 1, 1: 0, 2: 0, 3: 0, 4: 1}
    assert told.again == {"yes": 1, "with_changes": 1}
    assert told.texts["why"] == {"telco": "accents"} and told.texts["missing"] == {}


def test_nobody_answered_is_no_zero(campaign: Campaign) -> None:
    assert summary(campaign).questionnaire == {}


@pytest.mark.parametrize("language", ["en", "it"])
def test_a_sheet_that_was_not_filled_in_is_named_by_what_is_missing(
    campaign: Campaign, language: str
) -> None:
    path = campaign.folder / "answers" / "telco.yaml"
    path.write_text(sheet("telco", language), encoding="utf-8")
    found, problems = check_answers(path)
    assert found is None and {one.place.split()[-1] for one in problems} == {
        "questionnaire",
        "stress_tests",
        "again",
    }


def test_answers_about_another_system_are_refused(campaign: Campaign) -> None:
    filled(campaign, "telco", system="carbs")
    with pytest.raises(InputError, match=r"carbs\.yaml"):
        summary(campaign)
    filled(campaign, "telco", system="nobody")
    with pytest.raises(InputError, match="submission 'nobody' not found"):
        summary(campaign)
    filled(campaign, "telco", questionnaire=7)
    with pytest.raises(InputError, match="questionnaire"):
        summary(campaign)
