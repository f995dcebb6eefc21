"""What the report says, as plain values for the template: tables of text, no arithmetic beyond writing."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.analysis.summary import HEADLINES, is_rate
from vivavoce.measures import MEASURES
from vivavoce.report.numbers import amount, count, label, p_value, percent, plural, points, span, z_value

Facts = dict[str, Any]
SIGNIFICANT: Final = 0.05
MOST_ANSWERS: Final = 6
UNIT_NAMES: Final = {
    "dialogue": "dialogues",
    "goal": "goals",
    "call_all": "dialogues, all goals",
    "call_last": "dialogues, last goal",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: the number (or `words`), and in smaller type what stands under it."""

    main: str
    under: tuple[str, ...] = ()
    strong: bool = False
    words: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row with its heading; `group` starts a new block of rows under a heading of its own."""

    heading: str
    cells: tuple[Cell, ...]
    total: bool = False
    group: str = ""


@dataclass(frozen=True, slots=True)
class TableOfText:
    """A table ready to print, with the signatures of its numbers: (where it stands, signature)."""

    name: str
    caption: str
    columns: tuple[Cell, ...]
    rows: tuple[Row, ...]
    note: str = ""
    signatures: tuple[tuple[str, str], ...] = ()
    numeric: bool = True


def title(name: str) -> str:
    """A measure's name as people read it."""
    return MEASURES.get(name).title


def headlines(summary: Facts) -> dict[str, str]:
    """The headline rates of which anything was counted, with their titles."""
    return {name: title(name) for name in HEADLINES if summary["all"].get(name, {}).get("n")}


def with_all(summary: Facts) -> list[Facts]:
    """The groups, and the whole after them where there is more than one."""
    return [*summary["by"], summary["all"]] if len(summary["by"]) > 1 else summary["by"]


def heads(*names: str) -> tuple[Cell, ...]:
    """Plain column headings."""
    return tuple(Cell(name) for name in names)


def success_table(summary: Facts) -> TableOfText:
    names = headlines(summary)
    rows = [
        Row(
            label(row["key"]),
            (
                Cell(count(row["dialogues"])),
                Cell(count(row["participants"])),
                *(rate_cell(row[name]) for name in names),
            ),
            total=row is summary["all"],
        )
        for row in with_all(summary)
    ]
    columns = (
        *heads(summary["by_what"].capitalize(), "Dialogues", "Participants"),
        *(Cell(heading, (unit_of(summary, name),)) for name, heading in names.items()),
    )
    note = "Under each rate: its 95% interval (Wilson), then successes of cases."
    return TableOfText(
        "success", "Success rates", columns, tuple(rows), note, signatures(with_all(summary), names)
    )


def unit_of(summary: Facts, name: str) -> str:
    unit = summary["all"][name]["unit"]
    return f"n = {unit_name(unit)}"


def unit_name(unit: str) -> str:
    """What a rate counts, in words."""
    return UNIT_NAMES.get(unit, unit)


def rate_cell(rate: Facts) -> Cell:
    if rate["ratio"] is None:
        return Cell(percent(None), ("no case",))
    if rate["low"] is None:
        return Cell(f"{rate['ratio']:.2f}", (f"mean of {count(rate['n'])}",))
    return Cell(
        percent(rate["ratio"]),
        (span(rate["low"], rate["high"]), f"{count(rate['successes'])} of {count(rate['n'])}"),
    )


def signatures(rows: Iterable[Facts], names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Signatures of measures `names` for every row that has a number."""
    wanted = list(names)
    return tuple(
        (
            f"{label(row['key'])}, {title(name).lower()}",
            (row.get(name) or row["measures"][name])["signature"]
            if is_rate(name)
            else row["measures"][name]["signature"],
        )
        for row in rows
        for name in wanted
        if name in row["measures"] and row["measures"][name]["denominator"]
    )


def tests_table(summary: Facts) -> TableOfText | None:
    """The tests of the headline rates, or None with one group."""
    rows = [
        Row(
            f"{label(test['a'])} \u2013 {label(test['b'])}",
            (
                Cell(points(test["difference"])),
                Cell(span_of_points(test)),
                Cell(z_value(test["z"])),
                Cell(p_value(test["p"])),
                Cell(p_value(test["p_holm"]), strong=_significant(test)),
            ),
            group=title(name),
        )
        for name in headlines(summary)
        for test in summary["tests"]
        if test["measure"] == name
    ]
    if not rows:
        return None
    note = (
        "Difference of the first minus the second in percentage points, with its 95% interval (Newcombe). "
        "Pooled z, two-tailed; p is adjusted after Holm over the pairs of one measure. "
        "Bold: adjusted p below .05. A dash: nothing varied, so no test."
    )
    return TableOfText(
        "tests",
        "Two-tailed z-tests of the success rates",
        heads("Compared", "Difference", "95% interval", "z", "p", "p (Holm)"),
        tuple(rows),
        note,
    )


def span_of_points(test: Facts) -> str:
    return f"{points(test['low'])} to {points(test['high'])}" if test["low"] is not None else ""


def _significant(test: Facts) -> bool:
    return test["p_holm"] is not None and test["p_holm"] < SIGNIFICANT


def variants_table(summary: Facts) -> TableOfText | None:
    """Every variant of objective success: unit, policy for goals without a match, offer rule."""
    groups = with_all(summary)
    names = [
        name
        for name in summary["all"]
        if is_rate(name) and name not in HEADLINES and summary["all"][name]["n"]
    ]
    if not names:
        return None
    rows = [
        Row(
            title(name),
            tuple(rate_cell(row[name]) for row in groups),
            group=unit_name(summary["all"][name]["unit"]).capitalize(),
        )
        for name in sorted(names, key=lambda name: (summary["all"][name]["unit"], name))
    ]
    return TableOfText(
        "variants",
        "Objective success in every variant",
        heads("Variant", *(label(row["key"]) for row in groups)),
        tuple(rows),
        "Under each rate: its 95% interval (Wilson), then successes of cases.",
        signatures(groups, names),
    )


def measures_table(summary: Facts) -> TableOfText | None:
    """Everything that is no success rate, one row a measure."""
    groups = with_all(summary)
    names = [
        name
        for name, measure in MEASURES
        if not is_rate(name) and summary["all"]["measures"].get(name, {}).get("denominator")
    ]
    if not names:
        return None
    rows = [
        Row(
            title(name),
            tuple(_measure_cell(row["measures"][name], MEASURES.get(name).analysis_unit) for row in groups),
            group=MEASURES.get(name).family.replace("_", " ").capitalize(),
        )
        for name in sorted(names, key=lambda name: MEASURES.get(name).family)
    ]
    return TableOfText(
        "measures",
        "Interaction parameters",
        heads("Measure", *(label(row["key"]) for row in groups)),
        tuple(rows),
        "Pooled over all cases; under each number, how many cases it rests on.",
        signatures(groups, names),
    )


def _measure_cell(measured: Facts, unit: str) -> Cell:
    if measured["value"] is None:
        return Cell(amount(None, ""), ("no case",))
    return Cell(
        amount(measured["value"], measured["unit"]),
        (plural(round(measured["denominator"]), unit_name(unit).removesuffix("s")),),
    )


def participants_table(summary: Facts) -> TableOfText:
    rows = []
    for row in with_all(summary):
        spread = row["dialogues_per_participant"]
        rows.append(
            Row(
                label(row["key"]),
                (
                    Cell(count(spread["participants"])),
                    Cell(count(row["dialogues"])),
                    Cell(amount(spread["mean"], "")),
                    Cell(amount(spread["median"], "")),
                    Cell(count(spread["largest"])),
                    Cell(percent(spread["largest_ratio"])),
                    Cell(percent(spread["top_ratio"]), (f"busiest {count(spread['top_participants'])}",)),
                    Cell(amount(spread["size_star"], "")),
                ),
                total=row is summary["all"],
            )
        )
    return TableOfText(
        "participants",
        "Dialogues per participant",
        heads(
            summary["by_what"].capitalize(),
            "Participants",
            "Dialogues",
            "Mean",
            "Median",
            "Most",
            "Share of the busiest",
            "Share of the top tenth",
            "m*",
        ),
        tuple(rows),
        "m* is the sum of squares over the sum: how many the participant of an average dialogue held. "
        "The variance of a rate grows by the factor 1 + (m* \u2212 1) \u00d7 ICC, where ICC says how alike "
        "the dialogues of one person are.",
    )


def endings_table(description: Facts) -> TableOfText | None:
    entries = description["end_reasons"]
    if not entries:
        return None
    keys = list(entries[0]["by"])
    rows = [
        Row(
            entry["reason"],
            tuple(Cell(count(entry["by"].get(key, 0))) for key in keys)
            + ((Cell(count(entry["total"])),) if len(keys) > 1 else ()),
        )
        for entry in entries
    ]
    columns = heads("Ended by", *(label(key) for key in keys), *(("all",) if len(keys) > 1 else ()))
    return TableOfText("endings", "How dialogues ended", columns, tuple(rows))


def incidents_table(description: Facts) -> TableOfText | None:
    entries = description["incidents"]
    if not entries:
        return None
    rows = [
        Row(
            label(entry["key"]),
            (
                Cell(entry["failure"].replace("_", " ")),
                Cell(count(entry["incidents"])),
                Cell(count(entry["dialogues"])),
                Cell(entry["detail"] or "\u2013", words=True),
            ),
        )
        for entry in entries
    ]
    return TableOfText(
        "incidents",
        "Incidents by kind",
        heads("Group", "Failure", "Incidents", "Dialogues hit", "Most frequent detail"),
        tuple(rows),
        numeric=False,
    )


def questionnaire_table(sheet: Facts, keys: list[str | None]) -> TableOfText:
    """One questionnaire in one wording: mean and n of every item, group by group."""
    wide = len(keys) > 1
    rows = []
    for item in sheet["items"]:
        cells = [_mean_cell(item["by"].get(key)) for key in keys] if wide else []
        deviation = "" if item["deviation"] is None else f"sd {item['deviation']:.2f}"
        under = (f"n = {count(item['n'])}", *((deviation,) if deviation else ()))
        whole = (
            Cell(amount(item["mean"], ""), under)
            if item["n"]
            else Cell("\u2013", (plural(item["free_text"], "written answer"),))
        )
        scale = "" if item["least"] is None else f"{item['least']:g} to {item['most']:g}"
        role = " (asks subjective success)" if item["role"] == "subjective_success" else ""
        rows.append(
            Row(
                f"{item['item_id']}{role}",
                (*cells, whole, Cell(scale or "\u2013"), Cell(_answers(item["answers"]), words=True)),
            )
        )
    columns = heads("Item", *((label(key) for key in keys) if wide else ()), "Mean", "Range given", "Answers")
    where = {"project": "the project's own wording", None: "wording not recorded"}.get(
        sheet["wording"], f"wording of the study's file: {sheet['wording']}"
    )
    language = f", {sheet['language']}" if sheet["language"] else ""
    return TableOfText(
        f"questionnaire-{sheet['instrument']}",
        f"{sheet['instrument']} ({where}{language})",
        columns,
        tuple(rows),
        f"Answered {plural(sheet['answered'], 'time')}. Raw codes, nothing recoded.",
    )


def _mean_cell(facts: Facts | None) -> Cell:
    return Cell("\u2013") if facts is None else Cell(amount(facts["mean"], ""), (f"n = {count(facts['n'])}",))


def _answers(answers: dict[str, int]) -> str:
    return ", ".join(f"{answer} {count(n)}" for answer, n in list(answers.items())[:MOST_ANSWERS]) or "\u2013"
