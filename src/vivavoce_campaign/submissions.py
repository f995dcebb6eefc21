"""Submissions that come in by a form: written as the same files that teams may send, each owned by its team.

A stranger's form may only name a system that is reached over the network at a public address: no program of
this machine is started for it, no variable of the environment read. The organiser may write more.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any, Final

from pydantic import ValidationError

from vivavoce.core.errors import InputError
from vivavoce.core.validation import problems_of
from vivavoce.core.yaml_source import Problem, Source
from vivavoce_campaign.campaign_file import SUBMISSIONS
from vivavoce_campaign.submission_file import Intent, Submission, Words, as_yaml, check_submission

CONNECTORS: Final = ("http", "rasa", "websocket", "sse")
OWNERS: Final = "owners.json"
_INTENT: Final = re.compile(
    r"\s*(?P<id>[^;]+?)\s*;\s*(?P<text>[^;]+?)\s*;\s*(?P<minutes>[0-9]+(?:[.,][0-9]+)?)\s*"
)
_LOCK: Final = Lock()


def submission_of(form: Mapping[str, str]) -> tuple[Submission | None, list[str]]:
    """The submission that a form describes, and what is wrong with it, one sentence a mistake.

    Input   submission, team, title, domain, intents (a line each: key; what users do; minutes), channel,
            interface, access, languages (with commas), connect, url
    """
    wrong: list[str] = []
    intents: list[dict[str, Any]] = []
    for number, line in enumerate(form.get("intents", "").splitlines(), 1):
        if not line.strip():
            continue
        match = _INTENT.fullmatch(line)
        if match is None:
            wrong.append(f"Intents, line {number}: {line.strip()[:60]!r}: write key; what users do; minutes")
        else:
            minutes = float(match["minutes"].replace(",", "."))
            intents.append({"id": match["id"], "text": match["text"], "minutes": minutes})
    if form.get("connect") not in CONNECTORS:
        wrong.append(f"Connector: choose one of {', '.join(CONNECTORS)}")
    url = form.get("url", "")
    if not re.fullmatch(r"(https?|wss?)://[^\s${}]+", url):
        wrong.append("Address: enter a full address, such as https://bot.example/chat")
    facts = {
        name: form.get(name, "")
        for name in ("submission", "team", "domain", "channel", "interface", "access")
    }
    facts |= {"title": form["title"]} if form.get("title") else {}
    languages = [tag for tag in re.split(r"[,\s]+", form.get("languages", "")) if tag]
    connector = {"connect": form.get("connect", ""), "url": url}
    source = Source("form", data=facts)
    try:
        submission = Submission.model_validate(
            {**facts, "intents": intents, "languages": languages, "connector": connector}
        )
    except ValidationError as error:
        problems = [
            f"{problem.place.removeprefix('form ').capitalize()}: {problem.problem}; {problem.hint}"
            for problem in problems_of(error, source, Submission)
        ]
        intent_error = any(message.startswith("Intents") for message in wrong)
        return None, [
            *wrong,
            *(message for message in problems if not (intent_error and message.startswith("Intents:"))),
        ]
    return (None if wrong else submission), wrong


def completed(folder: Path, form: Submission) -> Submission:
    """A form's content, with the submission's values for fields that the form lacks.

    Note    words of several languages stand in the form by their first; unchanged, all are kept
    """
    earlier, _ = submissions_in(folder).get(form.submission, (None, []))
    if earlier is None:
        return form
    before = {intent.intent_id: intent for intent in earlier.intents}
    intents = [
        _kept(intent, before[intent.intent_id]) if intent.intent_id in before else intent
        for intent in form.intents
    ]
    same_way = all(form.connector.get(key) == earlier.connector.get(key) for key in ("connect", "url"))
    return form.model_copy(
        update={
            "title": _words(form.title, earlier.title),
            "domain": _words(form.domain, earlier.domain),
            "intents": intents,
            "entities": earlier.entities,
            "connector": earlier.connector if same_way else form.connector,
        }
    )


def _kept(form: Intent, earlier: Intent) -> Intent:
    return earlier.model_copy(update={"text": _words(form.text, earlier.text), "minutes": form.minutes})


def _words(form: Words | None, earlier: Words | None) -> Any:
    return earlier if form == _first(earlier) else form


def _first(words: Words | None) -> str | None:
    return next(iter(words.values()), "") if isinstance(words, dict) else words


def take_in(folder: Path, submission: Submission, owner: str) -> None:
    """Write a submission of this owner, new or changed.

    Raises  InputError: another team has a system of this name
    """
    place = folder / SUBMISSIONS
    with _LOCK:
        owners = owners_of(folder)
        path = place / f"{submission.submission}.yaml"
        if owners.get(submission.submission, owner) != owner or (
            path.exists() and submission.submission not in owners
        ):
            raise InputError(f"the name {submission.submission!r} is taken", hint="choose another")
        place.mkdir(parents=True, exist_ok=True)
        fields = submission.model_dump(mode="json", by_alias=True, exclude_none=True)
        replace_file(path, "# Submitted with the form.\n" + as_yaml(fields))
        owners[submission.submission] = owner
        replace_file(place / OWNERS, json.dumps(owners, indent=1) + "\n")


def owners_of(folder: Path) -> dict[str, str]:
    """The account that owns each submission; those that came as files have none."""
    try:
        return json.loads((folder / SUBMISSIONS / OWNERS).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}


def submissions_in(folder: Path) -> dict[str, tuple[Submission | None, list[Problem]]]:
    """Every submission by the name of its file, sound or not."""
    return {path.stem: check_submission(path) for path in sorted((folder / SUBMISSIONS).glob("*.yaml"))}


def as_form(submission: Submission) -> dict[str, str]:
    """A submission as the fields of the form."""

    def said(words: Any) -> str:
        return words if isinstance(words, str) else next(iter(words.values()), "") if words else ""

    lines = (f"{intent.intent_id}; {said(intent.text)}; {intent.minutes:g}" for intent in submission.intents)
    return {
        "submission": submission.submission,
        "team": submission.team,
        "title": said(submission.title),
        "domain": said(submission.domain),
        "intents": "\n".join(lines),
        "channel": submission.channel,
        "interface": submission.interface,
        "access": submission.access,
        "languages": ", ".join(submission.languages),
        **{name: str(submission.connector.get(name, "")) for name in ("connect", "url")},
    }


def replace_file(path: Path, text: str) -> None:
    """Write a file at once: whoever reads it has the old one or the new one."""
    partial = path.with_name(path.name + ".part")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)
