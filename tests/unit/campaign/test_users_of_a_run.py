"""Simulated users of a run: in every language that was declared, and without noise where they type."""

import pytest

from scenes.campaigns import submission
from vivavoce_campaign.runs import missing_users, noise_for


@pytest.mark.parametrize(
    ("wanted", "came", "languages", "missing"),
    [
        (10, {}, ["en", "it"], {"en": 5, "it": 5}),
        (3, {}, ["en", "it"], {"en": 2, "it": 1}),
        (10, {"en": 5, "it": 2}, ["en", "it"], {"it": 3}),
        (10, {"en": 10}, ["en", "it"], {"it": 5}),  # held in English alone by an earlier version
        (10, {"en": 10}, ["en"], {}),
    ],
)
def test_every_declared_language_has_its_users(
    wanted: int, came: dict[str, int], languages: list[str], missing: dict[str, int]
) -> None:
    assert missing_users(wanted, came, languages) == missing


def test_what_is_typed_arrives_as_it_is() -> None:
    assert noise_for(submission(channel="written")) == 0.0
    assert noise_for(submission(channel="multimodal")) == 0.0
    assert noise_for(submission(channel="spoken")) > 0.0
