"""The evaluation report on one system of a campaign, after IDIAL, section by section.

Source  Cutugno and others 2018 (IDIAL), section 5 for the parts, section 6 for what the teams missed in them
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from textwrap import shorten
from typing import Any, Final

from vivavoce.analysis.idial import IdialPeople, PartTimes
from vivavoce.core.result import installed_version
from vivavoce.questionnaires.instrument import INSTRUMENTS, Wording
from vivavoce.reports.blocks import (
    Block,
    Bullets,
    Cell,
    Document,
    DocumentSection,
    FactList,
    Fold,
    Heading,
    Paragraph,
    Row,
    TableOfText,
)
from vivavoce.reports.language import count, language, listed, named_language, plural, say, speaking
from vivavoce.reports.rate_tables import heads
from vivavoce.reports.section import frame_words
from vivavoce.study.presets import effective
from vivavoce_campaign.campaign_file import CampaignFile, QuestionnaireSettings
from vivavoce_campaign.document.changes import change_blocks
from vivavoce_campaign.document.evaluation import Evaluation
from vivavoce_campaign.document.experience import questionnaire_blocks
from vivavoce_campaign.document.service import clock, entity_blocks, intent_blocks, module_blocks
from vivavoce_campaign.document.stress import stress_blocks
from vivavoce_campaign.document.summary import answer, beside_blocks, summary_blocks
from vivavoce_campaign.document.trust import warnings
from vivavoce_campaign.identities import PeopleApart
from vivavoce_campaign.submission_file import in_language
from vivavoce_stress.blocks import pairs_table, reason_told, remark_told, side_by_side, title_of
from vivavoce_stress.failures import (
    KINDS,
    FailureKind,
    answers_apart,
    cures_of,
    kind_of,
    misspelled,
    turns_after,
)

PARTS: Final = {"briefing": "Briefing", "tasks": "Tasks", "questionnaire": "Feedback and questionnaire"}


def people_blocks(people: IdialPeople, background: Wording, wordings: Sequence[Wording] = ()) -> list[Block]:
    """Number of users, their background, and their time.

    background  the questions on who they are, in the reader's language
    wordings    the same as users read them, in each language that they speak
    """
    facts = [
        (say("Finished"), count(people.finished)),
        (say("Screened out"), count(people.screened_out)),
        (say("Dropped out"), count(people.left)),
        (say("Free-text comments"), count(people.feedback)),
    ]
    if isinstance(people, PeopleApart):
        facts.append((say("Also used another system"), _elsewhere(people)))
    blocks: list[Block] = [FactList(tuple(facts))]
    if people.simulated:  # programs answer at once, and have no age, sex or schooling
        return blocks
    rows = [_time_row(say(PARTS[name]), times) for name, times in people.parts.items()]
    rows.append(_time_row(say("Whole visit"), people.whole, total=True))
    note = say(
        "Minutes and seconds of elapsed time, over users who finished. IDIAL 2018 reports 10 minutes for "
        "briefing and tasks and 5 for the questionnaire."
    )
    columns = heads(say("Part"), say("Mean"), say("Maximum"), say("Users"))
    blocks.append(TableOfText("campaign_durations", say("Duration"), columns, tuple(rows), note))
    if table := _background(people, background, wordings):
        blocks.append(table)
    return blocks


def _elsewhere(people: PeopleApart) -> str:
    if people.elsewhere is None:
        return say("unknown (identifiers were not stored)")
    users, n = count(people.identified), count(people.elsewhere)
    return say("{n} of {users} with a known identifier", n=n, users=users)


def _background(people: IdialPeople, wording: Wording, wordings: Sequence[Wording]) -> TableOfText | None:
    rows: list[Row] = []
    for item in INSTRUMENTS.get("idial_background").items:
        label_counts: Counter[str] = Counter()
        for label, n in people.background.get(item.item_id, {}).items():
            label_counts[_label_read(label, item.scale or "", wording, wordings)] += n
        rows += [
            Row(label, (Cell(count(n)),), group=wording.items[item.item_id])
            for label, n in label_counts.items()
        ]
    if not rows:
        return None
    note = say("Free-text answers are shown in the language of the user.")
    columns = heads(say("Reply path"), say("Users"))
    return TableOfText("campaign_background", say("Participants"), columns, tuple(rows), note)


def _label_read(label: str, scale: str, wording: Wording, wordings: Sequence[Wording]) -> str:
    """An answer as the reader's language has it; as it was given where it is none of those to choose from."""
    codes = [
        code
        for translation in wordings
        for code, text in translation.labels.get(scale, {}).items()
        if text == label
    ]
    return wording.labels.get(scale, {}).get(codes[0], label) if codes else label


def _time_row(name: str, times: PartTimes, *, total: bool = False) -> Row:
    cells = (Cell(clock(times.mean_s)), Cell(clock(times.longest_s)), Cell(count(times.n)))
    return Row(name, cells, total=total)


def method_blocks(
    settings: CampaignFile, how: QuestionnaireSettings, *, spoken: bool, held: str
) -> list[Block]:
    """Methods section: facts needed for a replication.

    held  how many users and dialogues there were in the end, in a sentence
    """
    grouping = {
        "published": say(
            "items 1 and 2 for task completion; 3, 4, 7 and 10 for effectiveness (as printed in the "
            "paper); the others for satisfaction"
        ),
        "definition": say(
            "items 1 and 2 for task completion, 3 to 6 for effectiveness and 7 to 10 for satisfaction (as "
            "defined in the paper)"
        ),
    }[how.mapping]
    turned = (
        say("Item 4 is worded negatively and reverse-scored. The paper does not state its scoring.")
        if how.reverse_item_4
        else say("Item 4 is worded negatively and not reverse-scored.")
    )
    lines = [
        say(
            "Plan: {users} different users per system, {tasks} tasks per user in random order, at most "
            "{minutes} minutes.",
            users=count(settings.users),
            tasks=count(settings.tasks),
            minutes=count(settings.minutes),
        ),
        held,
        say(
            "Users answer ten items once, on a frequency scale from 0 to 4. Groups: {grouping}.",
            grouping=grouping,
        ),
        turned,
        say("Displayed figures are rounded half up."),
        say(
            "Each sampled interaction is used for one stress test. The original utterance is replayed first."
        ),
        say(
            "ST-2, ST-3 and ST-4 use variants as proposed. All other tests use only variants that a "
            "person approved or wrote."
        ),
    ]
    if spoken:
        lines.append(say("This is a spoken system, so ST-3 does not apply. Its cases were replayed as text."))
    source = say("IDIAL protocol: Cutugno et al. (2018), EVALITA.")
    return [Bullets((*lines, source))]


LONGEST: Final = 200
StressFacts = Mapping[str, Any]  # a run of stress tests, or one of its cases


def reason_blocks(run: StressFacts | None) -> list[Block]:
    """Kinds of failure, the most frequent first; then the cases with both replays turn by turn."""
    if run is None or not run["failures"]:
        return []
    failures: Sequence[StressFacts] = run["failures"]
    titles = {test["name"]: title_of(test) for test in run["tests"]}
    by_kind: dict[FailureKind, list[StressFacts]] = {}
    for failure in failures:
        by_kind.setdefault(kind_of(failure), []).append(failure)
    blocks: list[Block] = [
        Paragraph(
            say(
                "Failed cases: {n}, grouped by system behaviour, most frequent first.",
                n=plural(len(failures), "decided case"),
            )
        ),
        Bullets(tuple(_cures(failures))),
    ]
    for kind, kind_failures in sorted(by_kind.items(), key=lambda item: -len(item[1])):
        blocks += _kind_blocks(kind, kind_failures, len(failures), titles)
    cases: list[Block] = []
    for number, failure in enumerate(failures, 1):
        cases += [Heading(f"{number}. {titles[failure['test']]}"), _case(number, failure)]
    return [*blocks, Fold(say("All failed cases, turn by turn"), tuple(cases))]


def _kind_blocks(
    kind: FailureKind, failures: list[StressFacts], of: int, titles: dict[str, str]
) -> list[Block]:
    tests = Counter(titles[failure["test"]] for failure in failures)
    listed_tests = listed([f"{title} ({count(n)})" for title, n in tests.most_common()])
    lines = [
        say(
            "Frequency: {k} of {n} failed cases. By test: {tests}.",
            k=count(len(failures)),
            n=count(of),
            tests=listed_tests,
        ),
        *(_told(failure) for failure in failures[:2]),
    ]
    return [Heading(say(KINDS[kind])), Bullets(tuple(lines))]


def _cures(failures: Sequence[StressFacts]) -> list[str]:
    """Usual fixes, the fix of the most cases first; for misspellings the words."""
    counts = Counter(cure for failure in failures for cure in cures_of(failure))
    cures = [
        say("Usual fix: {cure}", cure=f"{say(cure)} ({plural(n, 'case')})")
        for cure, n in counts.most_common()
    ]
    words = [
        say("“{wrong}” for “{right}” ({n})", wrong=wrong, right=right, n=count(n))
        for wrong, right, n in misspelled(failures)
    ]
    return [
        *cures,
        *([say("Misspelled words not recognised: {words}.", words=listed(words))] if words else []),
    ]


def _told(failure: StressFacts) -> str:
    """The user's words and the system's behaviour."""
    before, after = map(_short, answers_apart(failure["clean_transcript"], failure["transcript"]))
    texts = {"original": failure["original"], "variant": failure["text"]}
    if after is None:
        return say("Example: “{original}” got a reply, “{variant}” did not.", **texts)
    if before is None:
        return say(
            "Example: the system replied to “{variant}” with “{after}”.", variant=failure["text"], after=after
        )
    return say(
        "Example: the system replied to “{original}” with “{before}” and to “{variant}” with “{after}”.",
        before=before,
        after=after,
        **texts,
    )


def _short(text: str | None) -> str | None:
    """An answer within a sentence."""
    return text and shorten(text, LONGEST, placeholder="…").removesuffix(".")


def _case(number: int, failure: StressFacts) -> TableOfText:
    reason = reason_told(failure)
    outcome = {
        "fail": say("The system did not serve the user as before."),
        "clarification": _after_more(failure),
    }[failure["verdict"]]
    changed = say("“{original}” became “{variant}”.", original=failure["original"], variant=failure["text"])
    told_too = [reason, *remark_told(failure)]
    note = say(
        "The changed utterance is in bold. {reason}.",
        reason=". ".join(text[:1].upper() + text[1:] for text in told_too),
    )
    return replace(side_by_side(number, failure), caption=f"{changed} {outcome}", note=note)


def _after_more(failure: StressFacts) -> str:
    """Number of further user turns needed, in the replays shown."""
    more = turns_after(failure["transcript"]) - turns_after(failure["clean_transcript"])
    if more < 1:
        return say("The system served the user only after a clarification or a repetition.")
    if more < 2:
        return say("The system served the user only after another turn.")
    return say("The system served the user only after {n} more turns.", n=count(more))


TITLES: Final = {
    "summary": ("Evaluation summary", "Summary"),
    "beside": ("Systems of the same domain and intents", "Side by side"),
    "questionnaire": ("Quality of experience: the questionnaire", "Questionnaire"),
    "time": ("Quality of service: success and time by intent", "Success and time"),
    "stress": ("Quality of service: stress tests", "Stress tests"),
    "reasons": ("Causes of failed stress tests", "Reasons"),
    "releases": ("Changes since the previous run", "Releases"),
    "entities": ("Quality of service: several entities per utterance", "Entities"),
    "modules": ("Quality of service: module results", "Modules"),
    "system": ("The system as submitted", "System"),
    "users": ("Users", "Users"),
    "method": ("Methods", "Method"),
    "cases": ("Appendix: all stress test cases", "All cases"),
}
CHANNELS: Final = {"spoken": "spoken", "written": "written", "multimodal": "spoken and written"}
INTERFACES: Final = {"own page": "own page", "telephone": "telephone"}  # those that we suggest
ACCESS: Final = {"on-line": "on-line", "off-line": "off-line", "telephone": "by telephone"}


def compose_campaign(
    evaluation: Evaluation, *, words: str = "en", beside: Sequence[Evaluation] = ()
) -> Document:
    """The report on one system in this language.

    beside  other systems of the campaign that declare the same domain and intents; they stand side by side,
            by name, and are not ranked
    Raises  UnknownName: no such language
    """
    with speaking(words):
        sections = [
            DocumentSection(name, say(TITLES[name][0]), say(TITLES[name][1]), tuple(blocks))
            for name, blocks in _sections(evaluation, beside).items()
            if blocks
        ]
        return Document(
            language=language(),
            study=_title_of(evaluation),
            title=say("Evaluation report"),
            mark=evaluation.mark,
            lead=_lead(evaluation),
            answer=tuple(answer(evaluation)),
            listed=True,
            foremost=4,
            before=tuple(warnings(evaluation)),
            cover=tuple(_cover(evaluation)),
            sections=tuple(sections),
            data=evaluation.dataset.hash.partition("|")[
                0
            ],  # that silent dialogues count nowhere is told in words
            made=str(evaluation.dataset.manifest.get("created_at") or "")[:10],
            version=installed_version(),
            words={**frame_words(), "programs": say("simulated participants, not people")},
        )


def _sections(evaluation: Evaluation, beside: Sequence[Evaluation]) -> dict[str, list[Block]]:
    how = evaluation.settings.questionnaire
    return {
        "summary": summary_blocks(evaluation),
        "beside": beside_blocks([evaluation, *beside]) if beside else [],
        "questionnaire": questionnaire_blocks(evaluation),
        "time": intent_blocks(evaluation),
        "stress": stress_blocks(evaluation.stress, evaluation.mark),
        "reasons": reason_blocks(evaluation.stress),
        "releases": change_blocks(evaluation.compared),
        "entities": entity_blocks(evaluation.entities),
        "modules": module_blocks(evaluation.modules, spoken=evaluation.submission.channel != "written"),
        "system": [FactList(tuple(_cover(evaluation)))],
        "users": people_blocks(
            evaluation.people,
            evaluation.wording("idial_background", language()),
            [evaluation.wording("idial_background", tag) for tag in evaluation.submission.languages],
        ),
        "method": method_blocks(
            evaluation.settings, how, spoken=evaluation.submission.spoken, held=_held(evaluation)
        ),
        "cases": list(pairs_table(evaluation.stress)) if evaluation.stress else [],
    }


def _title_of(evaluation: Evaluation) -> str:
    """The team's name of the system, else the title of its study, else its name."""
    name, campaign = evaluation.submission.name(language()), evaluation.settings
    title = effective(evaluation.dataset.manifest["study"].get("file") or "").get("title")
    if evaluation.submission.title or not title:
        return name
    translated = in_language(title, language())
    return name if translated in (campaign.campaign, campaign.name(language())) else translated  # a draft's


def _held(evaluation: Evaluation) -> str:
    run = evaluation.stress
    cases = run["whole"]["decided"] + run["whole"]["open"] if run else 0
    return say(
        "Completed: {users}, {dialogues}, {cases} of stress tests.",
        users=plural(
            evaluation.people.finished, "simulated user" if evaluation.people.simulated else "participant"
        ),
        dialogues=plural(sum(intent.dialogues for intent in evaluation.intents), "dialogue"),
        cases=plural(cases, "case"),
    )


def _lead(evaluation: Evaluation) -> str:
    dialogue_count = sum(intent.dialogues for intent in evaluation.intents)
    return say(
        "{campaign}: {users} and {dialogues} with the system of {team}.",
        campaign=evaluation.settings.name(language()),
        users=plural(
            evaluation.people.finished, "simulated user" if evaluation.people.simulated else "participant"
        ),
        dialogues=plural(dialogue_count, "dialogue"),
        team=evaluation.submission.team,
    )


def _cover(evaluation: Evaluation) -> list[tuple[str, str]]:
    submission, spoken = evaluation.submission, language()
    return [
        (say("System"), submission.name(spoken)),
        (say("Team"), submission.team),
        (say("Domain"), in_language(submission.domain, spoken)),
        (say("Intents"), listed([intent.said(spoken) for intent in submission.intents])),
        (say("Channel"), say(CHANNELS[submission.channel])),
        *(
            [(say("Interface"), say(INTERFACES.get(submission.interface, submission.interface)))]
            if submission.interface
            else []
        ),
        (say("Access"), say(ACCESS[submission.access])),
        (say("Languages"), listed([_language(tag, evaluation) for tag in submission.languages])),
    ]


def _language(tag: str, evaluation: Evaluation) -> str:
    """A language by its name, with how many dialogues were held in it."""
    n_dialogues = sum(figures.goals.dialogues for figures in evaluation.languages if figures.language == tag)
    return f"{named_language(tag)} ({plural(n_dialogues, 'dialogue') if n_dialogues else say('not tried')})"
