"""Answers to the ten items: the three aspects, and every item in the wording that users read."""

from collections.abc import Sequence
from typing import Any, Final

import altair as alt

from vivavoce.analysis.idial import IdialAspect, IdialItem
from vivavoce.analysis.scales import LikertItem
from vivavoce.core.i18n import N_
from vivavoce.questionnaires.instrument import Wording
from vivavoce.reports.blocks import Block, Cell, Paragraph, Row, TableOfText
from vivavoce.reports.distributions import likert_figure
from vivavoce.reports.drawing import ACCENT, INK, SOFT, Figure, figure, row_names
from vivavoce.reports.language import between, coefficient, count, language, say
from vivavoce.reports.rate_tables import heads
from vivavoce_campaign.document.evaluation import Evaluation
from vivavoce_campaign.document.summary import ASPECTS

HIGHEST: Final = 4


INVENTED_ANSWERS: Final = N_(
    "Simulated users answered the questionnaire at random, as a test. Their answers are omitted here and "
    "included in the dataset."
)


def questionnaire_blocks(evaluation: Evaluation) -> list[Block]:
    """The three aspects at a glance, then how each item was answered."""
    aspects, items, mark = evaluation.aspects, evaluation.items, evaluation.mark
    wording = evaluation.wording("idial", language())
    labels = {code: wording.label("frequency", code) for code in range(HIGHEST + 1)}
    if not any(item.n for item in items):
        return [Paragraph(say("No questionnaire answers."))]
    if evaluation.people.simulated:
        return [Paragraph(say(INVENTED_ANSWERS))]
    blocks: list[Block] = [aspects_figure(aspects, wording, mark)]
    for number, aspect in enumerate(aspects, 1):
        chosen = [item for item in items if item.item_id in aspect.items and item.n]
        if chosen:
            shown_items = [
                LikertItem(
                    item_id=item.item_id,
                    low=item.low,
                    high=item.high,
                    reverse=item.reverse,
                    counts=item.counts,
                    labels=labels,
                )
                for item in chosen
            ]
            blocks.append(
                likert_figure(
                    number, say(ASPECTS[aspect.name]), shown_items, mark=mark, sentences=wording.items
                )
            )
    blocks.append(_items_table(items, aspects, wording))
    return blocks


def aspects_figure(aspects: Sequence[IdialAspect], wording: Wording, mark: str) -> Figure:
    """Means of the three aspects, 0 to 4, on their intervals: the counterpart of IDIAL's figure 1."""
    rows = [
        {
            "aspect": say(ASPECTS[aspect.name]),
            "mean": aspect.mean,
            "low": aspect.low,
            "high": aspect.high,
            "shown": coefficient(aspect.mean),
        }
        for aspect in aspects
        if aspect.mean is not None
    ]
    order = [row["aspect"] for row in rows]

    def draw(width: int) -> Any:
        names = row_names(order, width)
        base = alt.Chart(alt.Data(values=rows)).encode(
            y=alt.Y("aspect:N", sort=order, title=None, axis=names.axis)
        )
        x = alt.X(
            "mean:Q",
            scale=alt.Scale(domain=[0, HIGHEST]),
            title=say("mean, 0 to 4"),
            axis=alt.Axis(tickCount=4),
        )
        bars = base.mark_bar(color=SOFT, height=20).encode(x=x)
        lines = base.mark_rule(color=ACCENT, strokeWidth=2.5).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"))
        text = base.mark_text(align="left", dx=6, color=INK, fontSize=12).encode(
            x=alt.XValue(0), text=alt.Text("shown:N")
        )
        return (bars + lines + text).properties(
            width=width - names.room - 30, height=alt.Step(names.step(34))
        )

    description = "; ".join(f"{row['aspect']}: {row['shown']}" for row in rows)
    return figure(
        "campaign-aspects",
        say("The three aspects"),
        description + ".",
        draw,
        mark=mark,
        caption=say(
            "Bar: mean over users. Line: 95% CI. 0 is “{low}”, 4 is “{high}”.",
            low=wording.label("frequency", 0).lower(),
            high=wording.label("frequency", HIGHEST).lower(),
        ),
        columns=(say("Aspect"), say("Mean"), say("95% CI")),
        rows=[
            (
                say(ASPECTS[aspect.name]),
                coefficient(aspect.mean),
                between(aspect.low, aspect.high, coefficient),
            )
            for aspect in aspects
            if aspect.mean is not None
        ],
    )


def _items_table(items: Sequence[IdialItem], aspects: Sequence[IdialAspect], wording: Wording) -> TableOfText:
    sentences = wording.items
    aspect_of = {item: say(ASPECTS[aspect.name]) for aspect in aspects for item in aspect.items}
    order = {item.item_id: place for place, item in enumerate(items)}
    names = list(dict.fromkeys(aspect_of.values()))
    ordered = sorted(items, key=lambda item: (names.index(aspect_of[item.item_id]), order[item.item_id]))
    rows = [_item_row(item, sentences[item.item_id], aspect_of[item.item_id]) for item in ordered]
    columns = heads(say("Statement"), say("Answers from 0 to 4"), say("Mean"))
    note = say(
        "Number of answers per code, from 0 (“{low}”) to 4 (“{high}”), and the mean of the codes as "
        "answered. (−) marks the negatively worded item.",
        low=wording.label("frequency", 0).lower(),
        high=wording.label("frequency", HIGHEST).lower(),
    )
    note += " " + _whose(wording)
    return TableOfText("campaign_items", say("All items"), columns, tuple(rows), note)


def _number(item: IdialItem) -> str:
    """The item's number, marked where it is worded negatively."""
    number = item.item_id.removeprefix("q")
    return f"{number} (\u2212)" if item.reverse else number


def _item_row(item: IdialItem, sentence: str, aspect: str) -> Row:
    counts = " \u00b7 ".join(count(item.counts[code]) for code in range(HIGHEST + 1))
    return Row(
        f"{_number(item)}. {sentence}", (Cell(counts), Cell(coefficient(_item_mean(item)))), group=aspect
    )


def _item_mean(item: IdialItem) -> float | None:
    return sum(code * n for code, n in item.counts.items()) / item.n if item.n else None


def _whose(wording: Wording) -> str:
    """Source of the sentences."""
    if wording.origin != "file":
        return say("Statement wording: this project.")
    if wording.source:
        return say("Statement wording, as shown to users: {source}.", source=wording.source.rstrip("."))
    return say("Statement wording: the organiser's file, as shown to users.")
