"""From a submission to an ordinary study: instructions, tasks and steps drafted, then edited."""

import hashlib
import json
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from vivavoce.core.errors import InputError
from vivavoce.languages.data import CampaignWords
from vivavoce.simulation.domain import SimulatedDomain, domain_of
from vivavoce.simulation.goals import draw_tasks, tasks_file
from vivavoce.study.presets import shipped_text
from vivavoce_campaign.callers import callers_text, different, domain_from
from vivavoce_campaign.campaign_file import Campaign
from vivavoce_campaign.places import SystemPlace, place_of
from vivavoce_campaign.submission_file import Submission, as_yaml
from vivavoce_campaign.wordings import drafted_wordings

PROTOCOL: Final = "idial-2018"
TASKS_DRAWN: Final = 30
CALLERS: Final = "callers.yaml"
_DRAFTED: Final = "drafted.json"
_CALLERS: Final = """# Simulated users drafted from submissions/{name}.yaml, for tasks and trial runs.
# Edit this file: edited drafts are never overwritten. See docs/how-to/simulate-callers.md.

"""
_WORDING: Final = "# Draft of this project's own wording. Edit it, or replace it with a validated wording.\n"
_OF_DOMAIN: Final = re.compile(r" ?[^.!?{}*\n]*\{domain\}[^.!?{}\n]*[.!?]")  # its sentence
_HEAD: Final = """# Drafted by `vivavoce campaign draft` from submissions/{name}.yaml. Edit this file:
# drafts never overwrite existing files.
# This is a normal study: `vivavoce check`, `vivavoce serve` and `vivavoce stress` accept this folder.

"""


def draft(campaign: Campaign, submission: Submission) -> list[Path]:
    """Write what is not there yet of a system's study; returns what was written.

    A file that stands as it was drafted is drafted anew after the submission was changed, as long as nobody
    has used the system; what somebody edited is left as it is.
    """
    place, languages = place_of(campaign, submission.submission), campaign.languages_of(submission)
    contents = {
        "study.yaml": study_text(campaign, submission),
        "tasks.yaml": tasks_text(campaign, submission),
        "users.txt": _users(campaign),
    }
    if domain_fitting(submission) is None:
        head = _CALLERS.format(name=submission.submission)
        contents[CALLERS] = head + callers_text(submission, languages)
    for language in languages:
        contents |= _wordings(submission, language)
    for number, language in enumerate(languages):
        ending = ".md" if number == 0 else f".{language}.md"
        contents[f"instructions{ending}"] = instructions(submission, language)
        for name in ("consent", "debrief"):
            text = shipped_text(PROTOCOL, name, language)
            if text is not None:
                contents[f"{name}{ending}"] = text.read_text(encoding="utf-8")
    return _write(place, contents)


def _write(place: SystemPlace, contents: Mapping[str, str]) -> list[Path]:
    drafted, paths = _drafted(place), []
    for file, text in contents.items():
        path = place.folder / file
        try:
            if path.exists() and not _to_be_renewed(place, file, text, drafted):
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            problem = f"cannot write ({error.strerror})"
            raise InputError(problem, place=str(path), hint="choose another folder") from None
        drafted[file] = _hash(text)
        paths.append(path)
    if paths:
        (place.folder / _DRAFTED).write_text(json.dumps(drafted, indent=1) + "\n", encoding="utf-8")
    return paths


def _to_be_renewed(place: SystemPlace, file: str, text: str, drafted: Mapping[str, str]) -> bool:
    """True if a draft nobody edited would now differ, and nobody has used the system."""
    if file == "users.txt" or (place.folder / "log.sqlite").exists():
        return False
    content = (place.folder / file).read_text(encoding="utf-8")
    return content != text and drafted.get(file) == _hash(content)


def _drafted(place: SystemPlace) -> dict[str, str]:
    """The hashes of what was drafted, by file."""
    try:
        return json.loads((place.folder / _DRAFTED).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def study_text(campaign: Campaign, submission: Submission) -> str:
    """The study file of one system."""
    settings, name = campaign.settings, submission.submission
    languages = campaign.languages_of(submission)
    study: dict[str, Any] = {
        "study": f"{settings.campaign}-{name}"[:64],
        "protocol": PROTOCOL,
        "title": {language: settings.name(language) for language in languages},
        "languages": languages,
        "systems": {name: {**submission.connector, "title": submission.name(languages[0])}},
        "tasks": "tasks.yaml",
        "visit": [
            {"consent": "consent.md"},
            {"screen": {"use": "idial_background", "admit": {"knowledge": "1..3"}}},
            {"instructions": "instructions.md"},
            {"dialogue": {"repeat": settings.tasks, "gate": "dialogue", "nontrivial": {"user_turns": 1}}},
            {"questionnaire": "idial_feedback"},
            {"questionnaire": "idial"},
            {"debrief": "debrief.md"},
        ],
        "limits": {
            "dialogue_minutes": round(settings.minutes / settings.tasks, 1),
            "visit_minutes": settings.minutes,
        },
        "identity": {"anonymous": False, "several_visits": False},
    }
    return _HEAD.format(name=name) + as_yaml(study)


def tasks_text(campaign: Campaign, submission: Submission) -> str:
    """Tasks, the intents in turn; `type` names the intent."""
    shipped, languages = domain_fitting(submission), campaign.languages_of(submission)
    domain = shipped or domain_from(submission, languages)
    kinds = [intent.intent_id for intent in submission.intents]
    tasks = draw_tasks(domain, TASKS_DRAWN, campaign.settings.seed, languages, kinds)
    if shipped is None:
        tasks = different(tasks, campaign.settings.tasks)
    return tasks_file(tasks, domain.domain)


def domain_fitting(submission: Submission) -> SimulatedDomain | None:
    """The shipped domain of simulated users that has all of these intents; None where there is none."""
    try:
        return domain_of({intent.intent_id for intent in submission.intents})
    except InputError:
        return None


def instructions(submission: Submission, language: str) -> str:
    """Instructions for users before the tasks."""
    words = CampaignWords.or_english(language)
    what = "\n".join(f"- {_begun(intent.said(language))}" for intent in submission.intents)
    domain = _plain(submission.domain_told(language))
    text = words.instructions if domain else _OF_DOMAIN.sub("", words.instructions)
    return text.format(
        name=_plain(submission.name(language)),
        how=getattr(words, submission.channel),
        domain=domain,
        what=what,
    )


def _wordings(submission: Submission, language: str) -> dict[str, str]:
    """The files of the sentences that are drafted for this system."""
    return {
        f"wordings/{name}.{language}.yaml": _WORDING
        + as_yaml(wording.model_dump(exclude={"origin"}, exclude_defaults=True))
        for name, wording in drafted_wordings(submission, language).items()
    }


def _plain(text: str) -> str:
    """Words of a team inside a Markdown text: on one line, without marks that would form it."""
    flat = " ".join(text.split())
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>#|!" else sign for sign in flat).rstrip(".")


def _begun(text: str) -> str:
    sentence = _plain(text)
    return sentence[:1].upper() + sentence[1:]


def _users(campaign: Campaign) -> str:
    """An identifier for every user, to be added to the study's link: nobody can then come for two systems."""
    name, number = campaign.settings.campaign, campaign.settings.users
    return "".join(f"?participant={name}-{secrets.token_hex(6)}\n" for _ in range(number))
