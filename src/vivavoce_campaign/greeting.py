"""One hello to a submitted system, before anybody's time is spent on it."""

import asyncio
from dataclasses import asdict
from typing import Any

from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.probe import Hello, hello
from vivavoce.core.errors import InputError
from vivavoce.study.load import load_study
from vivavoce_campaign.campaign_file import Campaign
from vivavoce_campaign.places import place_of
from vivavoce_campaign.submission_file import Submission


def greet(campaign: Campaign, submission: Submission) -> dict[str, Any]:
    """What came of a hello: ok, problem, text, and the rest of `connectors.probe.Hello`.

    Settings that are wrong are a problem of the result, never raised.
    """
    try:
        return {"system": submission.submission, **asdict(asyncio.run(_greet(campaign, submission)))}
    except InputError as error:
        return {"system": submission.submission, "ok": False, "text": "", "problem": str(error)}


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
