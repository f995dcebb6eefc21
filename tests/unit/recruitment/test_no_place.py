"""Who finds no place on Prolific takes a code along that gives the place back, also in older offers."""

from pathlib import Path

import pytest

from vivavoce.log.store import Log
from vivavoce.study.recruiter import RECRUITERS
from vivavoce_recruitment.ledger import Ledger, Listing
from vivavoce_recruitment.prolific_api import ProlificPlatform

SETTINGS = {
    "reward": "2.00 GBP",
    "places": 3,
    "minutes": 10,
    "description": "Talk.",
    "site": "https://lab.example",
}


@pytest.mark.parametrize("codes, given", [({"no_place": "N0"}, "N0"), ({"screened_out": "S0"}, "S0")])
def test_the_code_of_who_finds_no_place(tmp_path: Path, codes: dict[str, str], given: str) -> None:
    prolific = RECRUITERS.get("prolific")
    settings = prolific.settings.model_validate(SETTINGS)
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        listing = Listing("library", "prolific", "mark", "5f", 200, "GBP", 3, codes)
        Ledger(log, "library").begin_listing(listing)
        back = prolific.hand_back(settings, "library", log, "no_place", None)
    assert (back.code, (back.url or "").endswith(f"cc={given}")) == (given, True)


def test_its_code_asks_for_the_place_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROLIFIC_TOKEN", "x")
    platform = ProlificPlatform(RECRUITERS.get("prolific").settings.model_validate(SETTINGS))
    listing = Listing("library", "prolific", "mark", None, 200, "GBP", 3, {"no_place": "N0"})
    [code] = platform._body(listing, "Library", "https://lab.example")["completion_codes"]  # type: ignore[misc]
    platform.close()
    assert code["actions"] == [
        {"action": "REQUEST_RETURN", "return_reason": "All places of the study are taken"}
    ]
