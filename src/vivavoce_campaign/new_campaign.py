"""A campaign begun from a system's address: what is known becomes its submission, a file to be edited."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from vivavoce.connectors.discovery import discover
from vivavoce.connectors.input_dependence import Discovery
from vivavoce.connectors.urls import is_private
from vivavoce.core.errors import InputError
from vivavoce.core.text import normalise_value
from vivavoce.languages.data import CampaignWords
from vivavoce.study.file import NAME_CURE, is_name
from vivavoce_campaign.campaign_file import (
    CAMPAIGN_FILE,
    SUBMISSIONS,
    check_campaign,
    check_settings,
    load_campaign,
)
from vivavoce_campaign.drafts import draft
from vivavoce_campaign.places import EXAMPLE
from vivavoce_campaign.submission_file import Intent, as_yaml, check_submission, in_language

MINUTES: Final = 3
_DONE: Final = "=>"
_NEEDS: Final = re.compile(r"\[([^\]]*)\]")
_BETWEEN: Final = re.compile(r"\s+/\s+")
_STEM: Final = 5  # letters by which two words are taken for forms of one
_SMALL: Final = 4  # shorter words say little about what is wanted
_MOST_SAID: Final = 8
_LINKS: Final = {
    "the",
    "for",
    "and",
    "from",
    "with",
    "what",
    "per",
    "del",
    "della",
    "dei",
    "alla",
    "gli",
    "che",
}
_USERS: Final = ("user", "human", "customer", "caller", "participant", "client")
_KEYS: Final = (
    ("dialogue", "dialogue_id", "conversation", "conversation_id", "session_id", "session"),
    ("party", "role", "speaker", "sender"),
    ("text", "content", "utterance", "message"),
)
_HEAD: Final = """# Known facts about the system. Complete them: docs/how-to/run-an-idial-campaign.md.
# Reply to a greeting: {said}
{doubts}"""


@dataclass(frozen=True, kw_only=True)
class Described:
    """An organiser's description of a system.

    domain    what the system knows about; may be empty
    intents   what users do, one a text, with {entities}; languages parted by " / " in their order; in
              [brackets] further entities that it asks for, parted by ";"; likewise behind "=>" the words by
              which the system tells that it is done
    entities  "name: value; value", likewise
    logged    what users said first in logged interactions
    """

    name: str
    team: str
    domain: str
    languages: Sequence[str]
    intents: Sequence[str]
    entities: Sequence[str] = ()
    logged: Sequence[str] = ()
    spoken: bool = False


@dataclass(frozen=True)
class Begun:
    """Files written, and openings of the log that fit no intent."""

    written: list[Path]
    unmatched: list[str] = field(default_factory=list)


async def begin_at(
    folder: Path, described: Described, url: str, found: Discovery | None = None
) -> tuple[Discovery, Begun]:
    """Say hello to the system behind an address, and write what came of it with the draft of its study.

    found   what came of a hello that was said already, as somebody described its request
    Note    an address of this machine, or of a private network, is taken: an organiser may name it
    Raises  InputError: as `check_new` and `discover`; nothing is left behind then
    """
    check_new(folder, described)
    found = found or await discover(url, language=described.languages[0], private=is_private(url))
    setup = begin(folder, described, found)
    campaign = load_campaign(folder)
    drafts = draft(campaign, campaign.submission(described.name))
    return found, Begun([*setup.written, *drafts], setup.unmatched)


def check_new(folder: Path, described: Described) -> None:
    """Raises  InputError: the name is taken or no name, or there is no intent"""
    if not is_name(described.name):
        raise InputError(f"invalid system name {described.name!r}", hint=NAME_CURE)
    path = _place(folder, described)
    if path.exists():
        hint = "edit the submission, or choose another name with --name"
        raise InputError("the submission already exists; no files were written", place=str(path), hint=hint)
    if not described.intents:
        hint = 'add user goals: --intent "borrow a book", once per goal'
        raise InputError("no intents given", place=described.name, hint=hint)


def begin(folder: Path, described: Described, found: Discovery) -> Begun:
    """Write the campaign where there is none yet, and the submission of a system.

    Raises  InputError: as `check_new`, or something is written wrongly; then nothing is left behind
    """
    check_new(folder, described)
    path = _place(folder, described)
    facts, unmatched = _submission(described, found.settings)
    doubts = "".join(f"# {doubt}\n" for doubt in found.doubts)
    head = _HEAD.format(said=" ".join(found.said.split())[:300], doubts=doubts)
    campaign_files = [] if (folder / CAMPAIGN_FILE).exists() else [_campaign(folder, described)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{head}\n{as_yaml(facts)}", encoding="utf-8")
    submission, problems = check_submission(path)
    if submission is not None:
        _, problems = check_campaign(folder)
        problems = [problem for problem in problems if problem.place.startswith(path.name)]
    if problems:
        for new_file in (path, *campaign_files):
            new_file.unlink()
        raise problems[0].error()
    return Begun([*campaign_files, path], unmatched)


def _place(folder: Path, described: Described) -> Path:
    return folder / SUBMISSIONS / f"{described.name}.yaml"


def _submission(described: Described, connector: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """A submission as data, and openings of the log that fit none of its intents."""
    languages = list(described.languages)
    entities = [_entity(entity, languages) for entity in described.entities]
    intents = [_intent(intent, languages) for intent in described.intents]
    unmatched = _add_logged(intents, entities, described, languages[0])
    facts = {
        "submission": described.name,
        "team": described.team,
        "domain": _domain(described, intents),
        "intents": intents,
        **({"entities": entities} if entities else {}),
        "channel": "spoken" if described.spoken else "written",
        **({"interface": "telephone"} if described.spoken else {}),
        "access": "telephone" if described.spoken else "on-line",
        "languages": languages,
        "connector": dict(connector),
    }
    return facts, unmatched


def _domain(described: Described, intents: Sequence[dict[str, Any]]) -> Any:
    """Domain of the system; by default, the users' tasks."""
    if described.domain:
        return _worded(described.domain, described.languages)
    parsed = [Intent.model_validate(intent) for intent in intents]
    return {
        language: "; ".join(intent.said(language) for intent in parsed) for language in described.languages
    }


def _intent(line: str, languages: Sequence[str]) -> dict[str, Any]:
    line, _, done = line.partition(_DONE)
    needs = [_key(need) for part in _NEEDS.findall(line) for need in part.split(";") if need.strip()]
    line = _NEEDS.sub(" ", line)
    first = re.sub(r"\{\w+\}", " ", _BETWEEN.split(line.strip())[0])
    links = _LINKS.union(*(CampaignWords.or_english(language).first_person for language in languages))
    words = [
        word for word in re.findall(r"\w+", normalise_value(first)) if len(word) > 2 and word not in links
    ][:3]
    intent = {"id": "_".join(words)[:64] or "intent", "text": _worded(line, languages), "minutes": MINUTES}
    intent |= {"needs": needs} if needs else {}
    return intent | ({"done": _worded(done, languages)} if done.strip() else {})


def _entity(line: str, languages: Sequence[str]) -> dict[str, Any]:
    """Raises InputError: no name, or no value."""
    names, _, listed = line.partition(":")
    values = [value.strip() for value in listed.split(";") if value.strip()]
    if not names.strip() or not values:
        hint = 'write "author: Elena Ferrante; Italo Calvino"'
        raise InputError(f"cannot read an entity with values from {line!r}", hint=hint)
    return {
        "id": _key(_BETWEEN.split(names.strip())[0]),
        "text": _worded(names, languages),
        "values": [_worded(value, languages) for value in values],
    }


def _key(name: str) -> str:
    """The key of an entity that is called so."""
    return re.sub(r"\W+", "_", name.strip().lower()).strip("_")


def _worded(line: str, languages: Sequence[str]) -> Any:
    """A text for all languages, or one for each, parted by " / " in their order."""
    texts = [text.strip() for text in _BETWEEN.split(line.strip())]
    return dict(zip(languages, texts, strict=False)) if len(texts) > 1 else texts[0]


def _add_logged(
    intents: Sequence[dict[str, Any]], entities: Sequence[dict[str, Any]], described: Described, language: str
) -> list[str]:
    """Add logged first messages as openings of the intent that shares most words with each."""
    unmatched: list[str] = []
    for utterance in dict.fromkeys(" ".join(text.split()) for text in described.logged):
        stems = _stems(utterance)
        shared = [len(stems & _stems(in_language(intent["text"], language))) for intent in intents]
        best = max(shared, default=0)
        if not best or shared.count(best) > 1:
            unmatched.append(utterance)
            continue
        says = intents[shared.index(best)].setdefault("says", {}).setdefault(language, [])
        form = _with_places(utterance, entities, language)
        if form not in says and len(says) < _MOST_SAID:
            says.append(form)
    return unmatched


def _with_places(utterance: str, entities: Sequence[dict[str, Any]], language: str) -> str:
    """An utterance with the values of entities replaced by their places; braces of its own are left out."""
    form = utterance.replace("{", "(").replace("}", ")")
    for entity in entities:
        for value in sorted(
            (in_language(value, language) for value in entity["values"]), key=len, reverse=True
        ):
            form = re.sub(
                rf"(?<!\w){re.escape(value)}(?!\w)", f"{{{entity['id']}}}", form, count=1, flags=re.I
            )
    return form


def _stems(text: str) -> set[str]:
    words = re.findall(r"\w+", normalise_value(re.sub(r"\{\w+\}", " ", text)))
    return {word[:_STEM] for word in words if len(word) >= _SMALL}


def openings_in(path: Path) -> list[str]:
    """First user messages of logged interactions: one JSON line per turn.

    Input   each line has a dialogue (`dialogue`, `session_id`, ...), a party (`party`, `role`: user)
            and a text (`text`, `content`, ...); without a dialogue every turn counts
    Raises  InputError: the file cannot be read, a line is no such turn, or no user says anything
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("cannot read the log", place=str(path), hint=str(error)) from None
    first: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            dialogue, party, text = _turn(line, f"{path.name}:{number}")
            if party in _USERS and text.strip() and len(_stems(text)) > 1:
                first.setdefault(dialogue or str(number), text)
    if not first:
        raise InputError("no user messages in the log", place=str(path), hint="see `campaign init --help`")
    return list(first.values())


def _turn(line: str, place: str) -> tuple[str, str, str]:
    try:
        row = json.loads(line)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise InputError(
            "not a JSON object", place=place, hint='write {"dialogue": 1, "party": "user", "text": "..."}'
        )
    fields = [next((row[key] for key in keys if row.get(key) is not None), None) for keys in _KEYS]
    if fields[2] is None:
        raise InputError("the turn has no text", place=place, hint=f"known keys: {', '.join(_KEYS[2])}")
    return str(fields[0] or ""), str(fields[1] or "user").lower(), str(fields[2])


def _campaign(folder: Path, described: Described) -> Path:
    """The campaign's file, after the example's, for these languages."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", folder.resolve().name).strip("-._")[:40] or "campaign"
    text = (EXAMPLE / CAMPAIGN_FILE).read_text("utf-8").replace("CAMPAIGN_NAME", name)
    lines = [line for line in text.splitlines() if not line.startswith(("#", "title:"))]
    listed = ", ".join(described.languages)
    lines = [re.sub(r"^languages: \[.*?\]", f"languages: [{listed}]", line) for line in lines]
    path = folder / CAMPAIGN_FILE
    folder.mkdir(parents=True, exist_ok=True)
    lines.insert(0, "# Every key is explained in docs/how-to/run-an-idial-campaign.md.")
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    settings, problems = check_settings(folder)
    if settings is None:
        path.unlink()
        raise problems[0].error()
    return path
