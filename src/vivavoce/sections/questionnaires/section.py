"""Questionnaires: answers, scores and their reliability."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count as count_from
from typing import Any, Final

from vivavoce.analysis.description import (
    AnsweredItem,
    AnsweredSheet,
    GroupMean,
    answered_as,
    answered_dialogues,
)
from vivavoce.analysis.scales import AnsweredScale, GroupScore, LikertItem, ScaleScore
from vivavoce.questionnaires.instrument import INSTRUMENTS, load_wording, wording_file
from vivavoce.reports.blocks import Block, Cell, Paragraph, Row, TableOfText
from vivavoce.reports.counted import CountedDialogues
from vivavoce.reports.distributions import likert_figure
from vivavoce.reports.language import (
    MISSING,
    amount,
    between,
    coefficient,
    count,
    label,
    language,
    plural,
    say,
)
from vivavoce.reports.rate_tables import heads
from vivavoce.reports.section import AnalysisContext, Section

MOST_ANSWERS: Final = 8
OURS: Final = ("project", "package")  # wordings that are known here, too
WORDINGS: Final[dict[str | None, str]] = {
    "project": "wording by the project",
    "package": "wording from an installed package",
    "file": "wording from the study file",
    "corpus": "wording from the corpus",
    None: "wording not recorded",
}


@dataclass(frozen=True, slots=True)
class QuestionnairesFound:
    """Scales with their scores, questionnaires with their items, and the groups' keys."""

    scales: Sequence[AnsweredScale]
    questionnaires: Sequence[AnsweredSheet]
    keys: list[str | None]
    by: str
    answered: frozenset[str]  # items about dialogues, as lists find them

    def counts(self, instrument: str, item_id: str, key: str | None = None) -> CountedDialogues | None:
        """The dialogues of a mean; None where no list has them, as of answers about a visit."""
        name = answered_as(instrument, item_id)
        if name not in self.answered:
            return None
        return CountedDialogues(((name, ()),), self.by, () if key is None else (key,))


class QuestionnairesSection(Section[QuestionnairesFound]):
    """Raw answers are kept as they are; scores turn reversed items round."""

    name = "questionnaires"
    order = 1800
    title = "Questionnaires"
    dashboard = True
    needs = ("dialogues",)

    def results(self, material: AnalysisContext) -> QuestionnairesFound:
        keys = [row.key for row in material.summary.by]
        answered = frozenset(answered_dialogues(material.dataset))
        return QuestionnairesFound(
            material.scales, material.description.questionnaires, keys, material.summary.by_what, answered
        )

    def blocks(self, results: QuestionnairesFound) -> list[Block]:
        blocks: list[Block] = []
        numbers = count_from(1)
        for number, sheet in enumerate(results.scales, start=1):
            has_labels = any(
                questionnaire.instrument == sheet.instrument and questionnaire.wording in OURS
                for questionnaire in results.questionnaires
            )
            for items in (
                by_scale(in_words(sheet), worded=True) if has_labels else by_scale(sheet.items, worded=False)
            ):
                blocks.append(likert_figure(next(numbers), sheet.instrument, items))
            if scores := scores_table(number, sheet, results.keys):
                blocks.append(scores)
        blocks += questionnaire_tables(results)
        if any(item.free_text for sheet in results.questionnaires for item in sheet.items):
            counted = say(
                "Written answers are only counted here to protect privacy; the texts are in the dataset's "
                "ratings table."
            )
            blocks.append(Paragraph(counted, small=True))
        return blocks


def by_scale(items: Sequence[LikertItem], *, worded: bool) -> Iterable[list[LikertItem]]:
    """Items in their order, those apart that are answered otherwise: one colour stands for one answer.

    worded  what every code says is known
    """
    by_scale_labels: dict[tuple[Any, ...], list[LikertItem]] = {}
    for item in items:
        labels = tuple(sorted(item.labels.items())) if worded else ()
        by_scale_labels.setdefault((item.low, item.high, labels), []).append(item)
    return by_scale_labels.values()


def in_words(sheet: AnsweredScale) -> Sequence[LikertItem]:
    """The items with what their codes say in the report's language; as people read it where none is known."""
    instrument = INSTRUMENTS.get(sheet.instrument) if sheet.instrument in INSTRUMENTS else None
    if instrument is None or wording_file(instrument, language(), None) is None:
        return sheet.items
    scales, items = (
        load_wording(instrument, language()).labels,
        {item.item_id: item for item in instrument.items},
    )
    return [
        replace(
            item, labels={int(code): text for code, text in scales[items[item.item_id].scale or ""].items()}
        )
        if item.item_id in items
        else item
        for item in sheet.items
    ]


def scores_table(number: int, sheet: AnsweredScale, keys: list[str | None]) -> TableOfText | None:
    """Scores of an instrument with their reliability."""
    if not sheet.scores:
        return None
    wide = keys if len(keys) > 1 and any(score.by for score in sheet.scores) else []
    rows = []
    for score in sheet.scores:
        by = {group.key: group for group in score.by}
        cells = [_mean(by.get(key)) for key in wide]
        alpha = (
            Cell(
                coefficient(score.alpha),
                (
                    between(score.alpha_low, score.alpha_high, coefficient),
                    say("n = {n}", n=count(score.n)),
                ),
            )
            if score.alpha is not None
            else Cell(coefficient(None), (say("cannot be computed"),))
        )
        rows.append(
            Row(
                say(score.meaning),
                (*cells, _mean(score), alpha, Cell(coefficient(score.omega))),
                (
                    say(
                        "{name}: {items} items, {low} to {high}",
                        name=score.name,
                        items=score.items,
                        low=f"{score.low:g}",
                        high=f"{score.high:g}",
                    ),
                ),
            )
        )
    return TableOfText(
        f"scores-{number}",
        say("Scores and their reliability: {instrument}", instrument=sheet.instrument),
        heads(say("Score"), *(label(key) for key in wide), say("Mean"), "Cronbach \u03b1", "McDonald \u03c9"),
        tuple(rows),
        say(
            "Reversed items are recoded. Below α: 95% CI (bootstrap over at least 10 people) and number of "
            "complete forms (minimum 3). ω requires 30 forms and 3 items."
        ),
    )


def _mean(facts: ScaleScore | GroupScore | None) -> Cell:
    if facts is None or facts.mean is None:
        return Cell(amount(None, ""))
    spread = [say("sd {sd}", sd=amount(facts.deviation, ""))] if facts.deviation is not None else []
    return Cell(amount(facts.mean, ""), (*spread, say("n = {n}", n=count(facts.n))))


def questionnaire_tables(results: QuestionnairesFound) -> list[TableOfText]:
    """One table a questionnaire and wording: mean and n of every item, group by group."""
    wide = results.keys if len(results.keys) > 1 else []
    return [
        TableOfText(
            f"questionnaire-{number}",
            f"{sheet.instrument} ({wording(sheet)})",
            heads(say("Item"), *(label(key) for key in wide), say("Mean"), say("Observed range")),
            tuple(
                _item_row(
                    item, wide, partial(results.counts, sheet.instrument), wordings.get(item.item_id, "")
                )
                for item in sheet.items
            ),
            say("Answered {times}. Raw codes, not recoded.", times=plural(sheet.answered, "time")),
        )
        for number, sheet in enumerate(results.questionnaires, start=1)
        for wordings in (words_of(sheet),)
    ]


def words_of(sheet: AnsweredSheet) -> dict[str, str]:
    """The words of the items as participants read them; of wordings that are not known here none."""
    instrument = INSTRUMENTS.get(sheet.instrument) if sheet.instrument in INSTRUMENTS else None
    read_in = sheet.language or language()
    if instrument is None or sheet.wording not in OURS or wording_file(instrument, read_in, None) is None:
        return {}
    return load_wording(instrument, read_in).items


def wording(sheet: AnsweredSheet) -> str:
    """Source of the wording that participants read."""
    wording_title = WORDINGS.get(sheet.wording)
    whose = say(wording_title) if wording_title else say("wording: {name}", name=sheet.wording)
    return f"{whose}, {sheet.language}" if sheet.language else whose


def _item_row(
    item: AnsweredItem, keys: list[str | None], counts: Callable[..., CountedDialogues | None], words: str
) -> Row:
    spread = "" if item.deviation is None else say("sd {sd}", sd=amount(item.deviation, ""))
    cells = [
        replace(_mean_cell(item.by.get(key)), counts=None if key is None else counts(item.item_id, key))
        for key in keys
    ]
    if item.n:
        cells.append(
            Cell(
                amount(item.mean, ""),
                (say("n = {n}", n=count(item.n)), *([spread] if spread else [])),
                counts=counts(item.item_id),
            )
        )
        cells.append(Cell(between(item.least, item.most, "{:g}".format)))
    else:
        cells += [Cell(MISSING, (plural(item.free_text, "written answer"),)), Cell(MISSING)]
    notes = [words] if words else []
    notes += [say("measures subjective success")] if item.role == "subjective_success" else []
    answers = [f"{answer} {count(n)}" for answer, n in list(item.answers.items())[:MOST_ANSWERS]]
    return Row(item.item_id, tuple(cells), (*notes, *([", ".join(answers)] if answers else [])))


def _mean_cell(facts: GroupMean | None) -> Cell:
    return (
        Cell(MISSING) if facts is None else Cell(amount(facts.mean, ""), (say("n = {n}", n=count(facts.n)),))
    )
