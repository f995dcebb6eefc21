"""Performance of the system, by its log: goals and time by intent, entities, module figures."""

from collections.abc import Sequence
from textwrap import shorten
from typing import Final

from vivavoce.analysis.idial import EntitiesTaken, IntentTimes, ModuleFigure
from vivavoce.measures import MEASURES
from vivavoce.reports.blocks import Block, Bullets, Cell, Paragraph, Row, TableOfText
from vivavoce.reports.language import (
    MISSING,
    amount,
    count,
    language,
    listed,
    named_language,
    percent,
    plural,
    say,
    span,
)
from vivavoce.reports.rate_tables import heads
from vivavoce_campaign.conversations import Conversations
from vivavoce_campaign.document.evaluation import Evaluation, LanguageHeld
from vivavoce_campaign.success import goals_reached
from vivavoce_campaign.unreachable import unreached
from vivavoce_stress.blocks import share_told

MODULES: Final = {
    "recognition": "Speech recognition",
    "understanding": "Understanding",
    "answering": "Dialogue management and responses",
    "synthesis": "Speech synthesis",
}
LONGEST: Final = 160
SHOWN: Final = 3  # different answers, or questions, of an intent
_OF_SPEECH: Final = ("recognition", "synthesis")


def intent_blocks(evaluation: Evaluation) -> list[Block]:
    """Intents: number of attempts, completions, and time compared with the expected time."""
    texts = {intent.intent_id: intent.said(language()) for intent in evaluation.submission.intents}
    tried = sum(bool(intent.dialogues) for intent in evaluation.intents)
    blocks: list[Block] = [
        Paragraph(
            say(
                "Intents tested: {tried} of {all} declared.",
                tried=count(tried),
                all=count(len(evaluation.intents)),
            )
        ),
        _intents_table(evaluation, texts),
    ]
    if len(evaluation.languages) > 1:
        blocks.append(_languages_table(evaluation))
    if evaluation.conversations is not None:
        blocks.append(_conversations_table(evaluation.conversations))
    blocks += _unreached_blocks(evaluation, texts)
    unknown = [texts[intent.id] for intent in evaluation.intents if intent.dialogues and not intent.known]
    if unknown:
        blocks.append(
            Paragraph(
                say(
                    "Completion phrases are missing for: {intents}. Add them as `done` in the submission "
                    "to count success.",
                    intents=listed(unknown),
                )
            )
        )
    return blocks


def _conversations_table(conversations: Conversations) -> TableOfText:
    """Events in dialogues, whatever their end: event, count, share of dialogues."""

    def shared(n: int, of: int) -> str:
        return f"{say('{k} of {n}', k=count(n), n=count(of))} ({percent(n / of) if of else MISSING})"

    total = conversations.dialogues
    length = say(
        "median {median}, {shortest} to {longest}",
        median=f"{conversations.median:g}",
        shortest=count(conversations.shortest),
        longest=count(conversations.longest),
    )
    rows = (
        Row(say("User turns per dialogue"), (Cell(length), Cell(count(total)))),
        Row(
            say('System turns saying "not understood"'),
            (
                Cell(shared(conversations.lost, conversations.system_turns)),
                Cell(shared(conversations.lost_dialogues, total)),
            ),
        ),
        Row(
            say("User turns that repeat a request"),
            (
                Cell(shared(conversations.repeated, conversations.user_turns)),
                Cell(shared(conversations.repeated_dialogues, total)),
            ),
        ),
        Row(say("Repeated first requests"), (Cell(MISSING), Cell(shared(conversations.anew, total)))),
    )
    columns = heads(say("Change"), say("Turns"), say("Dialogues"))
    note = say(
        'All dialogues, including successful ones. "Not understood" is detected from the system\'s '
        "wording. A repeated turn has the content of an earlier user turn, in any phrasing (I want, may "
        "I). Courtesies, yes and no do not count."
    )
    title = say("Dialogue quality")
    return TableOfText("campaign_conversations", title, columns, rows, note)


def _unreached_blocks(evaluation: Evaluation, texts: dict[str, str]) -> list[Block]:
    """Reasons for unreached goals, by the system's messages; nothing where all were reached."""
    unreached_goals = unreached(evaluation.dataset, goals_reached(evaluation.dataset, evaluation.submission))
    if not unreached_goals:
        return []
    lines = []
    for goal in unreached_goals:
        of = say("{k} of {n}", k=count(goal.missed), n=count(goal.dialogues))
        sentences = [
            say(
                "{intent} ({language}): goal not reached in {of} dialogues.",
                intent=texts.get(goal.intent_id, goal.intent_id),
                language=named_language(goal.language),
                of=of,
            )
        ]
        if goal.failed:
            sentences.append(say("Dialogues with system errors: {n}.", n=count(goal.failed)))
        if goal.last:
            sentences.append(say("Last system messages: {words}.", words=_told_often(goal.last)))
        if goal.again:
            sentences.append(say("Repeated questions: {words}.", words=_told_often(goal.again)))
        lines.append(" ".join(sentences))
    return [
        Paragraph(say("Goals not reached, with the system's replies:")),
        Bullets(tuple(lines)),
    ]


def _told_often(counted_texts: Sequence[tuple[str, int]]) -> str:
    """Words with in how many dialogues they were said, the most frequent first."""
    return listed(
        [
            say("“{words}” ({n})", words=shorten(text, LONGEST, placeholder="…"), n=count(n))
            for text, n in counted_texts[:SHOWN]
        ]
    )


def _languages_table(evaluation: Evaluation) -> TableOfText:
    """Every language in which the system was to be examined, tried or not."""
    rows = tuple(
        Row(named_language(figures.language), _language_cells(figures)) for figures in evaluation.languages
    )
    columns = heads(say("Language"), say("Dialogues"), say("Goal reached"), say("Stress tests passed"))
    note = say(
        "95% CIs are clustered by user; for stress tests by case or by utterance. Utterances, tests and "
        "changed words differ between languages. Compare languages only where the same tests changed the "
        "same kind of word (see the table of spelling tests)."
    )
    return TableOfText("campaign_languages", say("By language"), columns, rows, note)


def _language_cells(figures: LanguageHeld) -> tuple[Cell, ...]:
    if not figures.tried:
        return Cell(say("not tried")), Cell(MISSING), Cell(MISSING)
    goals, stress, reached, passed = (
        figures.goals,
        figures.stress,
        Cell(say("unknown")),
        Cell(say("not tried")),
    )
    if goals.known:
        of = say("{k} of {n}", k=count(goals.reached), n=count(goals.known))
        reached = Cell(percent(goals.reached / goals.known), (of, span(goals.low, goals.high)))
    if stress and stress["worst"] is not None:
        of = say("{k} of {n}", k=count(stress["passed"]), n=count(stress["decided"]))
        passed = Cell(share_told(stress, "ratio"), (of, span(stress["low"], stress["high"])))
    return Cell(count(goals.dialogues), (plural(figures.users, "participant"),)), reached, passed


def _intents_table(evaluation: Evaluation, texts: dict[str, str]) -> TableOfText:
    rows = tuple(Row(texts[intent.id], _intent_cells(intent)) for intent in evaluation.intents)
    columns = heads(
        say("Intent"),
        say("Dialogues"),
        say("Goal reached"),
        say("Expected"),
        say("Median"),
        say("Maximum"),
        say("Within the expected time"),
    )
    note = say(
        "A goal is reached when the system says one of its team's completion phrases and names only "
        "values of the task. With known venues, the last venue offered must fit the task. Times are "
        "minutes and seconds from start to end of successful dialogues; of all dialogues if success is "
        "unknown. 95% CIs are clustered by user."
    )
    if evaluation.people.simulated:
        note += " " + say(
            "Simulated users reply at once, so these times only show that the computation works."
        )
    return TableOfText("campaign_time", say("Success, expected and actual time"), columns, rows, note)


def _intent_cells(times: IntentTimes) -> tuple[Cell, ...]:
    reached, within = Cell(MISSING), Cell(MISSING)
    if times.known:
        of = say("{k} of {n}", k=count(times.reached), n=count(times.known))
        reached = Cell(
            percent(times.reached / times.known), (of, span(times.success_low, times.success_high))
        )
    if times.timed:
        of = say("{k} of {n}", k=count(times.within), n=count(times.timed))
        within = Cell(percent(times.within / times.timed), (of, span(times.low, times.high)))
    return (
        Cell(count(times.dialogues), (plural(times.users, "participant"),)),
        reached,
        Cell(clock(times.expected_s)),
        Cell(clock(times.median_s)),
        Cell(clock(times.longest_s)),
        within,
    )


def clock(value: float | None) -> str:
    """Minutes and seconds, such as 2:07."""
    if value is None:
        return MISSING
    seconds = int(value + 0.5)
    return f"{seconds // 60}:{seconds % 60:02}"


def entity_blocks(groups: Sequence[EntitiesTaken]) -> list[Block]:
    """Multiple values in one turn: understood or not; a sentence where the log cannot tell."""
    if not groups:
        return [
            Paragraph(
                say(
                    "Not available: the log lacks the system's interpretations or the annotations of user "
                    "intent."
                )
            )
        ]
    rows = tuple(
        Row(
            say("three or more") if group.held == 3 else count(group.held),
            (
                Cell(count(group.utterances)),
                Cell(
                    percent(group.understood / group.entities),
                    (
                        span(group.low, group.high),
                        say("{k} of {n}", k=count(group.understood), n=count(group.entities)),
                    ),
                ),
            ),
        )
        for group in groups
    )
    columns = heads(say("Entities per utterance"), say("Utterances"), say("Entities recognised"))
    note = say(
        "An entity is a slot with its value. It counts as recognised when the system reports both for the "
        "same turn. Unit: entities; Wilson 95% CI."
    )
    return [TableOfText("campaign_entities", say("Several entities per utterance"), columns, rows, note)]


def module_blocks(modules: dict[str, list[ModuleFigure]], *, spoken: bool = True) -> list[Block]:
    """Figures of single modules by the log; modules without figures are named.

    spoken  whether there is speech to recognise and make; how users typed is no module of the system
    """
    modules = {name: figures for name, figures in modules.items() if spoken or name not in _OF_SPEECH}
    rows = tuple(
        Row(
            say(MEASURES.get(measure.measure).title),
            (Cell(amount(measure.found.value, measure.found.unit)), Cell(count(measure.found.denominator))),
            group=say(MODULES[module]),
        )
        for module, measures in modules.items()
        for measure in measures
    )
    silent = [say(MODULES[module]) for module, measures in modules.items() if not measures]
    blocks: list[Block] = []
    if rows:
        columns = heads(say("Measure"), say("Value"), "n")
        signed = tuple(
            (measure.measure, measure.found.signature) for module in modules.values() for measure in module
        )
        note = say(
            "Based only on the log. Response times include network travel and this computer's processing."
        )
        blocks.append(TableOfText("campaign_modules", say("Modules"), columns, rows, note, signed))
    if silent:
        blocks.append(Paragraph(say("No data in the log for: {modules}.", modules=listed(silent))))
    return blocks
