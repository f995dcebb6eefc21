"""One hello to a submitted system, before anybody's time is spent on it."""

import asyncio
from dataclasses import dataclass, field

from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.probe import Hello, hello
from vivavoce.core.errors import InputError
from vivavoce.core.result import spread
from vivavoce.study.load import load_study
from vivavoce_campaign.campaign_file import Campaign
from vivavoce_campaign.places import place_of
from vivavoce_campaign.submission_file import Submission


@dataclass(frozen=True, slots=True)
class WrongSettings:
    """No hello was said: `problem` is what is wrong with the connector's settings."""

    ok: bool = field(default=False, init=False)
    text: str = field(default="", init=False)
    problem: str


@dataclass(frozen=True, slots=True)
class Greeting:
    """Result of a greeting to a submitted system."""

    system: str
    came: Hello | WrongSettings = spread()


def greet(campaign: Campaign, submission: Submission) -> Greeting:
    """Say hello. Settings that are wrong are a problem of the result, never raised."""
    try:
        return Greeting(submission.submission, asyncio.run(_greet(campaign, submission)))
    except InputError as error:
        return Greeting(submission.submission, WrongSettings(str(error)))


async def _greet(campaign: Campaign, submission: Submission) -> Hello:
    place = place_of(campaign, submission.submission)
    settings = dict(submission.connector)
    if place.study.is_file():
        settings = load_study(place.folder).systems[submission.submission]
    connector = make_connector(settings, folder=place.folder, place="connector")
    try:
        start = getattr(connector, "start", None)
        if start is not None:
            await start()
        language = campaign.languages_of(submission)[0]
        return await hello(connector, language=language, reset=True)
    finally:
        await connector.shut_down()
