"""The evaluation report on one system of a campaign, after IDIAL, section by section.

Source  Cutugno and others 2018 (IDIAL), section 5 for the parts, section 6 for what the teams missed in them
"""

from collections.abc import Sequence
from typing import Final

from vivavoce.core.signature import installed_version
from vivavoce.core.yaml_source import parse_yaml
from vivavoce.report.blocks import Block, Document, DocumentSection, FactList
from vivavoce.report.document import frame_words
from vivavoce.report.language import language, named_language, say, speaking
from vivavoce.report.numbers import listed, plural
from vivavoce_campaign.document.changes import change_blocks
from vivavoce_campaign.document.evaluation import Evaluation
from vivavoce_campaign.document.experience import questionnaire_blocks
from vivavoce_campaign.document.people import method_blocks, people_blocks
from vivavoce_campaign.document.reasons import reason_blocks
from vivavoce_campaign.document.service import entity_blocks, intent_blocks, module_blocks
from vivavoce_campaign.document.stress import stress_blocks
from vivavoce_campaign.document.summary import answer, beside_blocks, summary_blocks
from vivavoce_campaign.document.trust import warnings
from vivavoce_campaign.submission_file import in_language
from vivavoce_stress.blocks import pairs_table

TITLES: Final = {
    "summary": ("Evaluation summary", "Summary"),
    "beside": ("Systems of the same domain and intents", "Side by side"),
    "questionnaire": ("Quality of experience: the questionnaire", "Questionnaire"),
    "time": ("Quality of service: success and time by intent", "Success and time"),
    "stress": ("Quality of service: stress tests", "Stress tests"),
    "reasons": ("Why stress tests were not passed", "Reasons"),
    "releases": ("What changed since the run before", "Releases"),
    "entities": ("Quality of service: several entities in one utterance", "Entities"),
    "modules": ("Quality of service: figures of single modules", "Modules"),
    "system": ("The system as submitted", "System"),
    "users": ("Users", "Users"),
    "method": ("How this was done", "Method"),
    "cases": ("Appendix: every stress test in a line", "All cases"),
}
CHANNELS: Final = {"spoken": "spoken", "written": "written", "multimodal": "spoken and written"}
INTERFACES: Final = {"own page": "own page", "telephone": "telephone"}  # those that we suggest
ACCESS: Final = {"on-line": "on-line", "off-line": "off-line", "telephone": "by telephone"}


def compose_campaign(found: Evaluation, *, words: str = "en", beside: Sequence[Evaluation] = ()) -> Document:
    """The report on one system in this language.

    beside  other systems of the campaign that declare the same domain and intents; they stand side by side,
            by name, and are not ranked
    Raises  UnknownName: no such language
    """
    with speaking(words):
        sections = [
            DocumentSection(name, say(TITLES[name][0]), say(TITLES[name][1]), tuple(blocks))
            for name, blocks in _sections(found, beside).items()
            if blocks
        ]
        return Document(
            language=language(),
            study=_title_of(found),
            title=say("Evaluation report"),
            mark=found.mark,
            lead=_lead(found),
            answer=tuple(answer(found)),
            listed=True,
            foremost=4,
            before=tuple(warnings(found)),
            cover=tuple(_cover(found)),
            sections=tuple(sections),
            data=found.dataset.hash.partition("|")[0],  # that silent dialogues count nowhere is told in words
            made=str(found.dataset.manifest.get("created_at") or "")[:10],
            version=installed_version(),
            words={**frame_words(), "programs": say("programs held the dialogues, not people")},
        )


def _sections(found: Evaluation, beside: Sequence[Evaluation]) -> dict[str, list[Block]]:
    how = found.settings.questionnaire
    return {
        "summary": summary_blocks(found),
        "beside": beside_blocks([found, *beside]) if beside else [],
        "questionnaire": questionnaire_blocks(found),
        "time": intent_blocks(found),
        "stress": stress_blocks(found.stress, found.mark),
        "reasons": reason_blocks(found.stress),
        "releases": change_blocks(found.compared),
        "entities": entity_blocks(found.entities),
        "modules": module_blocks(found.modules, spoken=found.submission.channel != "written"),
        "system": [FactList(tuple(_cover(found)))],
        "users": people_blocks(
            found.people,
            found.wording("idial_background", language()),
            [found.wording("idial_background", one) for one in found.submission.languages],
        ),
        "method": method_blocks(found.settings, how, spoken=found.submission.spoken, held=_held(found)),
        "cases": list(pairs_table(found.stress)) if found.stress else [],
    }


def _title_of(found: Evaluation) -> str:
    """What the team calls its system, else the title that its study was given, else its name."""
    name, campaign = found.submission.name(language()), found.settings
    data = parse_yaml(found.dataset.manifest["study"].get("file") or "", "study.yaml").data
    title = data.get("title") if isinstance(data, dict) else None
    if found.submission.title or not title:
        return name
    given = in_language(title, language())
    return name if given in (campaign.campaign, campaign.name(language())) else given  # a draft's


def _held(found: Evaluation) -> str:
    run = found.stress
    cases = run["whole"]["decided"] + run["whole"]["open"] if run else 0
    return say(
        "Held: {users}, {dialogues}, {cases} of stress tests.",
        users=plural(found.people.finished, "simulated user" if found.people.simulated else "participant"),
        dialogues=plural(sum(one.dialogues for one in found.intents), "dialogue"),
        cases=plural(cases, "case"),
    )


def _lead(found: Evaluation) -> str:
    held = sum(one.dialogues for one in found.intents)
    return say(
        "{campaign}: {users} and {dialogues} with the system of {team}.",
        campaign=found.settings.name(language()),
        users=plural(found.people.finished, "simulated user" if found.people.simulated else "participant"),
        dialogues=plural(held, "dialogue"),
        team=found.submission.team,
    )


def _cover(found: Evaluation) -> list[tuple[str, str]]:
    one, spoken = found.submission, language()
    return [
        (say("System"), one.name(spoken)),
        (say("Team"), one.team),
        (say("Domain"), in_language(one.domain, spoken)),
        (say("Intents"), listed([intent.said(spoken) for intent in one.intents])),
        (say("Channel"), say(CHANNELS[one.channel])),
        *([(say("Interface"), say(INTERFACES.get(one.interface, one.interface)))] if one.interface else []),
        (say("Access"), say(ACCESS[one.access])),
        (say("Languages"), listed([_language(tag, found) for tag in one.languages])),
    ]


def _language(tag: str, found: Evaluation) -> str:
    """A language by its name, with how many dialogues were held in it."""
    held = sum(one.goals.dialogues for one in found.languages if one.language == tag)
    return f"{named_language(tag)} ({plural(held, 'dialogue') if held else say('not tried')})"
