"""One suite that every recruiter of ours must pass: the contract to which packages' are held, too."""

import pytest

from vivavoce.study.recruiter import RECRUITERS
from vivavoce_recruitment.testing import RecruiterContract


class LinksKeepIt(RecruiterContract):
    name, written, guess = "links", {}, {"t": "guess"}


class PersonalLinksKeepIt(RecruiterContract):
    name = "personal_links"
    written = {}
    guess = {"again": "a-guess"}


class PanelKeepsIt(RecruiterContract):
    name = "panel"
    written = {"origins": ["https://panel.example"]}
    guess = {"assignmentId": "A1", "workerId": "W1", "turkSubmitTo": "https://panel.example"}


class ProlificKeepsIt(RecruiterContract):
    name = "prolific"
    written = {
        "reward": "2.00 GBP",
        "places": 20,
        "minutes": 10,
        "description": "Talk.",
        "site": "https://lab.example",
    }
    guess = {"PROLIFIC_PID": "a" * 24, "STUDY_ID": "b" * 24, "SESSION_ID": "c" * 24}


class ConnectKeepsIt(RecruiterContract):
    name = "connect"
    written = {"project": "p1", "reward": "2.00 USD", "places": 20, "minutes": 10}
    guess = {"participantId": "a" * 24, "assignmentId": "b" * 24, "projectId": "p1"}


class SonaKeepsIt(RecruiterContract):
    name = "sona"
    written = {
        "site": "https://school.example",
        "experiment": 12,
        "credits": 0.5,
        "places": 20,
        "minutes": 30,
    }
    guess = {"id": "1234"}


class LaboratoryKeepsIt(RecruiterContract):
    name = "laboratory"
    written = {
        "room": "Room 12",
        "time_zone": "Europe/Rome",
        "slots": ["2026-12-01 10:00"],
        "seats": 2,
        "reward": "12.00 EUR",
    }
    guess = {"seat": "GUESS"}


CONTRACTS = {
    contract.name: contract
    for contract in (
        LinksKeepIt,
        PanelKeepsIt,
        PersonalLinksKeepIt,
        ProlificKeepsIt,
        ConnectKeepsIt,
        SonaKeepsIt,
        LaboratoryKeepsIt,
    )
}


@pytest.mark.parametrize("keeps", [name for name in dir(RecruiterContract) if name.startswith("test_")])
@pytest.mark.parametrize("name", RECRUITERS.names())
def test_a_recruiter_keeps_its_contract(name: str, keeps: str) -> None:
    getattr(CONTRACTS[name](), keeps)()
