"""The parts of a campaign's report on users: all but the stress tests."""

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any, Final

import altair as alt

from vivavoce.measures import MEASURES
from vivavoce.questionnaires.instrument import INSTRUMENTS
from vivavoce.questionnaires.wording import languages_of, load_wording
from vivavoce.report.blocks import Block, Bullets, Cell, Heading, Paragraph, Row, TableOfText
from vivavoce.report.content import heads
from vivavoce.report.distributions import likert_figure
from vivavoce.report.drawing import ACCENT, INK, SOFT, Figure, figure, label_px
from vivavoce.report.language import language, say
from vivavoce.report.numbers import (
    MISSING,
    amount,
    between,
    coefficient,
    count,
    listed,
    percent,
    plural,
    span,
)
from vivavoce.stats.idial import EntitiesTaken, IdialAspect, IdialItem, IntentTimes, ModuleFigure
from vivavoce.stats.scales import LikertItem
from vivavoce_campaign.document.evaluation import Evaluation
from vivavoce_campaign.identities import PeopleApart
from vivavoce_campaign.submission_file import Submission
from vivavoce_stress.blocks import open_told, share_told

Stress = Mapping[str, Any]  # a run of stress tests
ASPECTS: Final = {
    "task_completion": "Task completion",
    "effectiveness": "Effectiveness of the dialogue",
    "satisfaction": "User satisfaction",
}
MEANINGS: Final = {
    "task_completion": "Whether the system reaches the goals of its tasks in reasonable time.",
    "effectiveness": "Whether it interprets commands, stands odd input, and is easy and fluent to use.",
    "satisfaction": "How users feel after having used it.",
}
CHANNELS: Final = {"spoken": "spoken", "written": "written", "multimodal": "spoken and written"}
ACCESS: Final = {"on-line": "on-line", "off-line": "off-line", "telephone": "by telephone"}
MODULES: Final = {
    "recognition": "Recognition of speech",
    "understanding": "Understanding",
    "answering": "Management and answers",
    "synthesis": "Synthesis of speech",
}
HIGHEST: Final = 4


def answer(aspects: Sequence[IdialAspect], stress: Stress | None) -> list[str]:
    """The whole in a few sentences."""
    a, b, c = (_mean(one.mean) for one in aspects)
    whole = say(
        "Of 4: task completion {a}, effectiveness of the dialogue {b}, user satisfaction {c}.", a=a, b=b, c=c
    )
    return [whole, *_stress_lines(stress)]


def warnings(found: Evaluation) -> list[str]:
    """What to know before trusting the figures."""
    told = [
        say(
            "There is no ranking: systems of different domains and tasks cannot be compared by these figures."
        ),
        say("Ten users and some dozens of cases leave wide intervals."),
    ]
    if found.people.simulated:
        told.insert(0, say("Programs played the users. Their answers and times say nothing about people."))
    if found.people.finished < found.settings.users:
        told.append(
            say(
                "{n} of {wanted} planned users finished.",
                n=count(found.people.finished),
                wanted=count(found.settings.users),
            )
        )
    users = found.people
    if isinstance(users, PeopleApart) and users.elsewhere:
        told.append(
            say(
                "Users of this system also used another one (by the identifiers of their links): {n}.",
                n=count(users.elsewhere),
            )
        )
    if isinstance(users, PeopleApart) and users.uninvited:
        told.append(say("Users came with identifiers that nobody gave out: {n}.", n=count(users.uninvited)))
    told += open_told(found.stress["whole"]) if found.stress else []
    untried = [one.id for one in found.intents if not one.dialogues]
    if untried:
        told.append(say("Never tried: {intents}.", intents=listed(untried)))
    return told


def summary_blocks(aspects: Sequence[IdialAspect], stress: Stress | None) -> list[Block]:
    """A statement for each of the three aspects; stress tests stand under effectiveness alone."""
    blocks: list[Block] = []
    for one in aspects:
        lines = [_statement(one)]
        if one.name == "effectiveness":
            lines += _stress_lines(stress)
        blocks += [
            Heading(say(ASPECTS[one.name])),
            Paragraph(say(MEANINGS[one.name]), small=True),
            Bullets(tuple(lines)),
        ]
    return blocks


def _statement(one: IdialAspect) -> str:
    if one.mean is None:
        return say("No user answered all items of this aspect.")
    return say(
        "Items {items} of the questionnaire: {mean} of 4 on average (95% interval {interval}; {users}), "
        "nearest to "
        "\u201c{label}\u201d.",
        items=_numbers(one.items),
        mean=_mean(one.mean),
        interval=between(one.low, one.high, _mean),
        users=plural(one.n, "participant"),
        label=_label(int(one.mean + 0.5)),
    )


def _stress_lines(stress: Stress | None) -> list[str]:
    if stress is None or stress["whole"]["worst"] is None:
        return [say("Linguistic stress tests: none was decided.")]
    whole, groups = stress["whole"], [one for one in stress["families"] if one["worst"] is not None]
    mean = say(
        "Mean of {groups}: {mean} of 1.",
        groups=plural(len(groups), "group of tests", "groups of tests"),
        mean=share_told(stress, "macro_families", _mean),
    )
    if whole["open"]:
        between_two = say(
            "Linguistic stress tests: {passed} passed, {failed} did not, {open} have no verdict yet: between "
            "{worst} and {best} of 1.",
            passed=count(whole["passed"]),
            failed=count(whole["decided"] - whole["passed"]),
            open=count(whole["open"]),
            worst=_mean(whole["worst"]),
            best=_mean(whole["best"]),
        )
        return [between_two, mean]
    return [
        say(
            "Linguistic stress tests: {passed} of {applied} passed, {ratio} of 1 (95% interval "
            "{interval} %).",
            passed=count(whole["passed"]),
            applied=count(whole["decided"]),
            ratio=_mean(whole["ratio"]),
            interval=span(whole["low"], whole["high"]),
        ),
        mean,
    ]


def questionnaire_blocks(
    aspects: Sequence[IdialAspect], items: Sequence[IdialItem], mark: str
) -> list[Block]:
    """The three aspects at a glance, then how each item was answered."""
    if not any(item.n for item in items):
        return [Paragraph(say("Nobody answered the questionnaire."))]
    blocks: list[Block] = [aspects_figure(aspects, mark)]
    for number, one in enumerate(aspects, 1):
        chosen = [item for item in items if item.item_id in one.items and item.n]
        if chosen:
            drawn = [
                LikertItem(item_id=one.item_id, low=one.low, high=one.high, reverse=one.reverse,
                           counts=one.counts, labels=one.labels)
                for one in chosen
            ]  # fmt: skip
            blocks.append(likert_figure(number, say(ASPECTS[one.name]), drawn, mark=mark))
    blocks.append(_items_table(items, aspects))
    return blocks


def aspects_figure(aspects: Sequence[IdialAspect], mark: str) -> Figure:
    """Means of the three aspects, 0 to 4, on their intervals: the counterpart of IDIAL's figure 1."""
    rows = [
        {
            "aspect": fill(say(ASPECTS[one.name]), 18),
            "mean": one.mean,
            "low": one.low,
            "high": one.high,
            "shown": _mean(one.mean),
        }
        for one in aspects
        if one.mean is not None
    ]
    order = [row["aspect"] for row in rows]

    def draw(width: int) -> Any:
        room = label_px(order, width)
        axis = alt.Axis(
            minExtent=room, maxExtent=room, labelLimit=room, grid=False, labelExpr="split(datum.label, '\\n')"
        )
        base = alt.Chart(alt.Data(values=rows)).encode(y=alt.Y("aspect:N", sort=order, title=None, axis=axis))
        x = alt.X(
            "mean:Q",
            scale=alt.Scale(domain=[0, HIGHEST]),
            title=say("mean, 0 to 4"),
            axis=alt.Axis(tickCount=4),
        )
        bars = base.mark_bar(color=SOFT, height=20).encode(x=x)
        lines = base.mark_rule(color=ACCENT, strokeWidth=2.5).encode(x="low:Q", x2="high:Q")
        text = base.mark_text(align="left", dx=6, color=INK, fontSize=12).encode(
            x=alt.value(0), text="shown:N"
        )
        return (bars + lines + text).properties(width=width - room - 30, height=alt.Step(34))

    told = "; ".join(f"{row['aspect']}: {row['shown']}".replace("\n", " ") for row in rows)
    return figure(
        "campaign-aspects",
        say("The three aspects"),
        told + ".",
        draw,
        mark=mark,
        caption=say(
            "Bar: mean over users; line: its 95% interval. 0 is \u201c{low}\u201d, 4 is \u201c{high}\u201d.",
            low=_label(0),
            high=_label(HIGHEST),
        ),
    )


def _items_table(items: Sequence[IdialItem], aspects: Sequence[IdialAspect]) -> TableOfText:
    sentences = _wording().items
    aspect_of = {item: say(ASPECTS[one.name]) for one in aspects for item in one.items}
    order = {item.item_id: place for place, item in enumerate(items)}
    names = list(dict.fromkeys(aspect_of.values()))
    ordered = sorted(items, key=lambda one: (names.index(aspect_of[one.item_id]), order[one.item_id]))
    rows = [_item_row(item, sentences[item.item_id], aspect_of[item.item_id]) for item in ordered]
    columns = heads(say("Statement"), say("Answers from 0 to 4"), say("Mean"))
    note = say(
        "How often each code was answered, from 0 (\u201c{low}\u201d) to 4 (\u201c{high}\u201d), and the "
        "mean of the codes as answered. (\u2212) marks the item that is worded negatively. The statements "
        "are the wording of this project.",
        low=_label(0),
        high=_label(HIGHEST),
    )
    return TableOfText("campaign_items", say("Every item"), columns, tuple(rows), note)


def _number(item: IdialItem) -> str:
    """The item's number, marked where it is worded negatively."""
    number = item.item_id.removeprefix("q")
    return f"{number} (\u2212)" if item.reverse else number


def _item_row(item: IdialItem, sentence: str, aspect: str) -> Row:
    counts = " \u00b7 ".join(count(item.counts[code]) for code in range(HIGHEST + 1))
    return Row(f"{_number(item)}. {sentence}", (Cell(counts), Cell(_mean(_item_mean(item)))), group=aspect)


def _item_mean(item: IdialItem) -> float | None:
    return sum(code * n for code, n in item.counts.items()) / item.n if item.n else None


def time_blocks(intents: Sequence[IntentTimes], submission: Submission, *, simulated: bool) -> list[Block]:
    """Which intents were tried, and how long they took beside what the team expected."""
    texts = {one.intent_id: one.said(language()) for one in submission.intents}
    tried = sum(bool(one.dialogues) for one in intents)
    blocks: list[Block] = [
        Paragraph(
            say(
                "{tried} of {all} were tried.",
                tried=count(tried),
                all=plural(len(intents), "declared intent"),
            )
        )
    ]
    rows = tuple(
        Row(
            texts[one.id],
            (
                Cell(count(one.dialogues), (plural(one.users, "participant"),)),
                Cell(clock(one.expected_s)),
                Cell(clock(one.median_s)),
                Cell(clock(one.longest_s)),
                Cell(
                    percent(one.within / one.timed) if one.timed else MISSING,
                    (span(one.low, one.high),) if one.timed else (),
                ),
            ),
        )
        for one in intents
    )
    columns = heads(
        say("Intent"),
        say("Dialogues"),
        say("Expected"),
        say("Median"),
        say("Longest"),
        say("Within the expected time"),
    )
    note = say(
        "Minutes and seconds of a dialogue from its opening to its end. The share within the expected "
        "time has "
        "Wilson's 95% interval."
    )
    if simulated:
        note += " " + say("Programs answer at once: these times say only that the figures are computed.")
    blocks.append(TableOfText("campaign_time", say("Expected and actual time"), columns, rows, note))
    return blocks


def entity_blocks(groups: Sequence[EntitiesTaken]) -> list[Block]:
    """Whether things said in one breath were taken in; a sentence where the log cannot tell."""
    if not groups:
        return [
            Paragraph(
                say(
                    "This cannot be told from the log: the system does not say what it understood, or what "
                    "users meant "
                    "was not annotated."
                )
            )
        ]
    rows = tuple(
        Row(
            say("three or more") if one.held == 3 else count(one.held),
            (
                Cell(count(one.utterances)),
                Cell(
                    percent(one.understood / one.entities),
                    (
                        span(one.low, one.high),
                        say("{k} of {n}", k=count(one.understood), n=count(one.entities)),
                    ),
                ),
            ),
        )
        for one in groups
    )
    columns = heads(say("Entities in the utterance"), say("Utterances"), say("Entities taken in"))
    note = say(
        "An entity is a slot with its value. It counts as taken in when the system's own account of the same "
        "turn has both. Unit: entities; Wilson's 95% interval."
    )
    return [TableOfText("campaign_entities", say("Entities within one utterance"), columns, rows, note)]


def module_blocks(modules: dict[str, list[ModuleFigure]]) -> list[Block]:
    """What the log says of single modules; those of which it says nothing are named."""
    rows = tuple(
        Row(
            say(MEASURES.get(one.measure).title),
            (Cell(amount(one.found.value, one.found.unit)), Cell(count(one.found.denominator))),
            group=say(MODULES[module]),
        )
        for module, found in modules.items()
        for one in found
    )
    silent = [say(MODULES[module]) for module, found in modules.items() if not found]
    blocks: list[Block] = []
    if rows:
        columns = heads(say("Measure"), say("Value"), "n")
        signed = tuple((one.measure, one.found.signature) for found in modules.values() for one in found)
        note = say("Of a black box only what its log tells.")
        blocks.append(TableOfText("campaign_modules", say("Modules"), columns, rows, note, signed))
    if silent:
        blocks.append(Paragraph(say("The log has no figure for: {modules}.", modules=listed(silent))))
    return blocks


def beside_blocks(found: Sequence[Evaluation]) -> list[Block]:
    """Systems that declare the same domain and intents, by name and unranked."""
    ordered = sorted(found, key=lambda one: one.submission.submission)
    rows = [
        Row(
            say(ASPECTS[name]),
            tuple(
                Cell(
                    _mean(one.aspects[place].mean),
                    (between(one.aspects[place].low, one.aspects[place].high, _mean),),
                )
                for one in ordered
            ),
        )
        for place, name in enumerate(ASPECTS)
    ]
    rows.append(Row(say("Stress tests"), tuple(_stress_cell(one.stress) for one in ordered)))
    columns = heads(say("Aspect"), *(one.submission.name(language()) for one in ordered))
    note = say(
        "In the order of their names. The intervals tell how little a difference may mean; nothing is ranked."
    )
    return [TableOfText("campaign_beside", say("Side by side"), columns, tuple(rows), note)]


def _stress_cell(stress: Stress | None) -> Cell:
    if stress is None or stress["whole"]["worst"] is None:
        return Cell(MISSING)
    whole = stress["whole"]
    return Cell(
        share_told(whole, "ratio", _mean),
        (say("{k} of {n}", k=count(whole["passed"]), n=count(whole["decided"])),),
    )


def _mean(value: float | None) -> str:
    return coefficient(value)


def clock(value: float | None) -> str:
    """Minutes and seconds, such as 2:07."""
    if value is None:
        return MISSING
    whole = int(value + 0.5)
    return f"{whole // 60}:{whole % 60:02}"


def _numbers(items: Sequence[str]) -> str:
    return listed([item.removeprefix("q") for item in items])


def _wording() -> Any:
    instrument = INSTRUMENTS.get("idial")
    return load_wording(instrument, language() if language() in languages_of(instrument) else "en")


def _label(code: int) -> str:
    return _wording().label("frequency", code).lower()
