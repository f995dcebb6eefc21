"""The report's tables about the trial itself: participants, endings, incidents, questionnaires."""

from typing import Any, Final

from vivavoce.report.blocks import Cell, Row, TableOfText
from vivavoce.report.content import by_what, group_name, heads, with_all
from vivavoce.report.language import say, translated
from vivavoce.report.numbers import MISSING, amount, between, count, label, percent, plural

Facts = dict[str, Any]
MOST_ANSWERS: Final = 8
WORDINGS: Final[dict[str | None, str]] = {
    "project": "the project's own wording",
    "package": "the wording of an installed package",
    "file": "the wording of the study's own file",
    "corpus": "the wording of the corpus",
    None: "wording not recorded",
}


def participants_table(summary: Facts) -> TableOfText:
    rows = []
    for row in with_all(summary):
        spread = row["dialogues_per_participant"]
        rows.append(
            Row(
                group_name(row, summary),
                (
                    Cell(count(spread["participants"])),
                    Cell(count(row["dialogues"])),
                    Cell(amount(spread["mean"], "")),
                    Cell(amount(spread["median"], "")),
                    Cell(count(spread["largest"])),
                    Cell(percent(spread["largest_ratio"])),
                    Cell(
                        percent(spread["top_ratio"]),
                        (say("busiest {n}", n=count(spread["top_participants"])),),
                    ),
                    Cell(amount(spread["size_star"], "")),
                ),
                total=row is summary["all"],
            )
        )
    return TableOfText(
        "participants",
        say("Dialogues per participant"),
        heads(
            by_what(summary),
            say("Participants"),
            say("Dialogues"),
            say("Mean"),
            say("Median"),
            say("Most"),
            say("Share of the busiest"),
            say("Share of the top tenth"),
            "m*",
        ),
        tuple(rows),
        say(
            "m* is the sum of squares over the sum: how many the participant of an average dialogue held. "
            "The variance of a rate grows by the factor 1 + (m* \u2212 1) \u00d7 ICC, where ICC says "
            "how alike the dialogues of one person are."
        ),
    )


def endings_table(description: Facts) -> TableOfText | None:
    entries = description["end_reasons"]
    if not entries:
        return None
    keys = list(entries[0]["by"])
    rows = [
        Row(
            translated(entry["reason"]),
            tuple(Cell(count(entry["by"].get(key, 0))) for key in keys)
            + ((Cell(count(entry["total"])),) if len(keys) > 1 else ()),
        )
        for entry in entries
    ]
    columns = heads(say("Ended by"), *(label(key) for key in keys), *((say("all"),) if len(keys) > 1 else ()))
    return TableOfText("endings", say("How dialogues ended"), columns, tuple(rows))


def incidents_table(description: Facts) -> TableOfText | None:
    entries = description["incidents"]
    if not entries:
        return None
    rows = [
        Row(
            label(entry["key"]),
            (
                Cell(translated(entry["failure"].replace("_", " "))),
                Cell(count(entry["incidents"])),
                Cell(count(entry["dialogues"])),
                Cell(entry["detail"] or MISSING, words=True),
            ),
        )
        for entry in entries
    ]
    return TableOfText(
        "incidents",
        say("Incidents by kind"),
        heads(
            say("Group"), say("Failure"), say("Incidents"), say("Dialogues hit"), say("Most frequent detail")
        ),
        tuple(rows),
        numeric=False,
    )


def questionnaire_tables(description: Facts, keys: list[str | None]) -> list[TableOfText]:
    """One table a questionnaire and wording: mean and n of every item, group by group."""
    wide = keys if len(keys) > 1 else []
    return [
        TableOfText(
            f"questionnaire-{number}",
            f"{sheet['instrument']} ({wording(sheet)})",
            heads(say("Item"), *(label(key) for key in wide), say("Mean"), say("Range given")),
            tuple(_item_row(item, wide) for item in sheet["items"]),
            say("Answered {times}. Raw codes, nothing recoded.", times=plural(sheet["answered"], "time")),
        )
        for number, sheet in enumerate(description["questionnaires"], start=1)
    ]


def wording(sheet: Facts) -> str:
    """Whose words the participants read."""
    known = WORDINGS.get(sheet["wording"])
    whose = translated(known) if known else say("wording: {name}", name=sheet["wording"])
    return f"{whose}, {sheet['language']}" if sheet["language"] else whose


def _item_row(item: Facts, keys: list[str | None]) -> Row:
    spread = "" if item["deviation"] is None else say("sd {sd}", sd=amount(item["deviation"], ""))
    cells = [_mean_cell(item["by"].get(key)) for key in keys]
    if item["n"]:
        cells.append(
            Cell(
                amount(item["mean"], ""), (say("n = {n}", n=count(item["n"])), *([spread] if spread else []))
            )
        )
        cells.append(Cell(between(item["least"], item["most"], "{:g}".format)))
    else:
        cells += [Cell(MISSING, (plural(item["free_text"], "written answer"),)), Cell(MISSING)]
    asked = [say("asks subjective success")] if item["role"] == "subjective_success" else []
    answers = [f"{answer} {count(n)}" for answer, n in list(item["answers"].items())[:MOST_ANSWERS]]
    return Row(item["item_id"], tuple(cells), (*asked, *([", ".join(answers)] if answers else [])))


def _mean_cell(facts: Facts | None) -> Cell:
    return (
        Cell(MISSING)
        if facts is None
        else Cell(amount(facts["mean"], ""), (say("n = {n}", n=count(facts["n"])),))
    )
