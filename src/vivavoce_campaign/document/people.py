"""The parts of a campaign's report on who the users were, how long it took, and how it was done."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from vivavoce.questionnaires.instrument import INSTRUMENTS
from vivavoce.questionnaires.wording import Wording
from vivavoce.report.blocks import Block, Bullets, Cell, FactList, Row, TableOfText
from vivavoce.report.content import heads
from vivavoce.report.language import say
from vivavoce.report.numbers import count
from vivavoce.stats.idial import IdialPeople, PartTimes
from vivavoce_campaign.campaign_file import CampaignFile, QuestionnaireSettings
from vivavoce_campaign.document.service import clock
from vivavoce_campaign.identities import PeopleApart

PARTS: Final = {"briefing": "Briefing", "tasks": "Tasks", "questionnaire": "Feedback and questionnaire"}


def people_blocks(people: IdialPeople, background: Wording, asked: Sequence[Wording] = ()) -> list[Block]:
    """How many came, who they were, how long it took.

    background  the questions on who they are, in the reader's language
    asked       the same as users read them, in each language that they speak
    """
    facts = [
        (say("Finished"), count(people.finished)),
        (say("Not admitted by the screening questions"), count(people.screened_out)),
        (say("Left before the end"), count(people.left)),
        (say("Comments in their own words"), count(people.feedback)),
    ]
    if isinstance(people, PeopleApart):
        facts.append((say("Also used another system"), _elsewhere(people)))
    blocks: list[Block] = [FactList(tuple(facts))]
    if people.simulated:  # programs answer at once, and have no age, sex or schooling
        return blocks
    rows = [_time_row(say(PARTS[name]), times) for name, times in people.parts.items()]
    rows.append(_time_row(say("Whole visit"), people.whole, total=True))
    note = say(
        "Minutes and seconds by the wall clock over users who finished. IDIAL 2018 reports 10 minutes for "
        "briefing and tasks and 5 for the questionnaire."
    )
    columns = heads(say("Part"), say("Mean"), say("Longest"), say("Users"))
    blocks.append(TableOfText("campaign_durations", say("How long it took"), columns, tuple(rows), note))
    if table := _background(people, background, asked):
        blocks.append(table)
    return blocks


def _elsewhere(people: PeopleApart) -> str:
    if people.elsewhere is None:
        return say("not known: nobody kept identifiers here")
    users, n = count(people.identified), count(people.elsewhere)
    return say("{n} of {users} with a known identifier", n=n, users=users)


def _background(people: IdialPeople, wording: Wording, asked: Sequence[Wording]) -> TableOfText | None:
    rows: list[Row] = []
    for item in INSTRUMENTS.get("idial_background").items:
        told: Counter[str] = Counter()
        for label, n in people.background.get(item.item_id, {}).items():
            told[_label_read(label, item.scale or "", wording, asked)] += n
        rows += [
            Row(label, (Cell(count(n)),), group=wording.items[item.item_id]) for label, n in told.items()
        ]
    if not rows:
        return None
    note = say("Answers in users' own words stand in their language.")
    columns = heads(say("Answer"), say("Users"))
    return TableOfText("campaign_background", say("Who the users were"), columns, tuple(rows), note)


def _label_read(label: str, scale: str, wording: Wording, asked: Sequence[Wording]) -> str:
    """An answer as the reader's language has it; as it was given where it is none of those to choose from."""
    codes = [code for one in asked for code, known in one.labels.get(scale, {}).items() if known == label]
    return wording.labels.get(scale, {}).get(codes[0], label) if codes else label


def _time_row(name: str, times: PartTimes, *, total: bool = False) -> Row:
    cells = (Cell(clock(times.mean_s)), Cell(clock(times.longest_s)), Cell(count(times.n)))
    return Row(name, cells, total=total)


def method_blocks(
    settings: CampaignFile, how: QuestionnaireSettings, *, spoken: bool, held: str
) -> list[Block]:
    """What must be known to do it again.

    held  how many users and dialogues there were in the end, in a sentence
    """
    grouping = {
        "published": say(
            "items 1 and 2 for task completion, 3, 4, 7 and 10 for effectiveness as the paper prints "
            "them, the others for satisfaction"
        ),
        "definition": say(
            "items 1 and 2 for task completion, 3 to 6 for effectiveness and 7 to 10 for satisfaction, "
            "as the paper's text defines them"
        ),
    }[how.mapping]
    turned = (
        say("Item 4 is worded negatively and mirrored; the paper does not say whether it was.")
        if how.reverse_item_4
        else say("Item 4 is taken as it stands, though it is worded negatively.")
    )
    lines = [
        say(
            "Planned: {users} different users for each system, {tasks} tasks each in random order, at most "
            "{minutes} minutes.",
            users=count(settings.users),
            tasks=count(settings.tasks),
            minutes=count(settings.minutes),
        ),
        held,
        say(
            "The ten items are answered once, on a scale of frequency from 0 to 4. Groups: {grouping}.",
            grouping=grouping,
        ),
        turned,
        say("Figures are rounded half up, for display only."),
        say("Each sampled interaction is used for one stress test; the clean utterance is tried before."),
        say(
            "Variants of ST-2, ST-3 and ST-4 run as proposed; of all other tests only variants run that a "
            "person approved or wrote."
        ),
    ]
    if spoken:
        lines.append(say("The system is spoken, so ST-3 is not applied; its cases were replayed as text."))
    source = say("After the IDIAL protocol: Cutugno and others (2018), EVALITA.")
    return [Bullets((*lines, source))]
