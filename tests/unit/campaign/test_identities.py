"""Users of a campaign who are not as many people as they seem."""

import json
from pathlib import Path

import pytest

from vivavoce.core.result import as_json
from vivavoce.dataset.reader import Dataset
from vivavoce.log.events import VisitOpened
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.study.load import load_study
from vivavoce_campaign.campaign_file import Campaign, load_campaign, write_facts
from vivavoce_campaign.drafts import draft
from vivavoce_campaign.identities import users_apart
from vivavoce_campaign.places import place_of
from vivavoce_campaign.reports import campaign_figures, write_reports
from vivavoce_campaign.setup import write_campaign


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    write_campaign(tmp_path / "c", "trial")
    found = load_campaign(tmp_path / "c")
    for one in found.submissions:
        draft(found, one)
    return found


def came(campaign: Campaign, system: str, *identifiers: str, simulated: bool = False) -> Dataset:
    """Visits with these identifiers, in the log of the system's study, and its dataset."""
    place = place_of(campaign, system)
    study = load_study(place.folder)
    with Log.open(place.log_url) as log:
        for number, key in enumerate(identifiers):
            own = f"participant-{system}-{number}"

            def visit(tx, key: str = key, own: str = own, number: int = number) -> None:
                who = own if simulated else tx.participant_of(study.name, "link", key, own)
                tx.append(
                    f"v-{system}-{number}",
                    VisitOpened(
                        study=study.name,
                        revision="r",
                        participant_id=who,
                        pool="link",
                        language="it",
                        simulated=simulated,
                    ),
                )

            log.transact_now(visit)
        dataset = export_dataset(log, study.name, place.dataset)
    write_facts(place.dataset, campaign.settings, campaign.submission(system))
    return dataset


def invited(campaign: Campaign, system: str) -> list[str]:
    lines = (place_of(campaign, system).folder / "users.txt").read_text("utf-8").split()
    return [line.partition("=")[2] for line in lines]


def test_an_identifier_in_two_systems_is_one_user_who_is_told_in_both_reports(campaign: Campaign) -> None:
    both, *others = invited(campaign, "telco")
    came(campaign, "telco", both, *others[:2])
    came(campaign, "carbs", both, invited(campaign, "carbs")[0])
    figures = campaign_figures(campaign)
    found = {one["system"]: one["people"] for one in as_json(figures)["systems"]}
    assert found["telco"] | {"identified": 3, "elsewhere": 1, "uninvited": 0} == found["telco"]
    assert found["carbs"] | {"identified": 2, "elsewhere": 1, "uninvited": 1} == found["carbs"]
    assert figures.users_of_several_systems == 1
    for path in write_reports(campaign, ["telco", "carbs"], pdf=False, progress=lambda done, total: None):
        text = path.read_text("utf-8")
        assert ("also used another system" in text) or ("hanno usato anche un altro" in text), path
        assert both not in text
    assert both not in json.dumps(as_json(figures))


def test_users_with_identifiers_of_their_own_are_apart(campaign: Campaign) -> None:
    came(campaign, "telco", *invited(campaign, "telco")[:2])
    came(campaign, "carbs", *invited(campaign, "carbs")[:2])
    assert campaign_figures(campaign).users_of_several_systems == 0


def test_a_dataset_without_its_log_says_that_nothing_is_known(campaign: Campaign) -> None:
    dataset = came(campaign, "telco", *invited(campaign, "telco")[:2])
    for path in place_of(campaign, "telco").folder.glob("log.sqlite*"):
        path.unlink()
    assert users_apart(campaign, {"telco": dataset}) == ({"telco": (0, None, None)}, None)
    assert campaign_figures(campaign).users_of_several_systems is None
    (path, _) = write_reports(campaign, ["telco"], pdf=False, progress=lambda done, total: None)
    assert "identificativi" in path.read_text("utf-8") or "identifiers" in path.read_text("utf-8")


def test_programs_are_of_one_system_each(campaign: Campaign) -> None:
    came(campaign, "telco", "x", "y", simulated=True)
    came(campaign, "carbs", "x", simulated=True)
    figures = campaign_figures(campaign)
    assert figures.users_of_several_systems == 0
    assert {one.people.uninvited for one in figures.systems} == {0}
