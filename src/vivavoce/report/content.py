"""What the report says, as plain values for the template: tables of text, no arithmetic beyond writing."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.analysis.summary import HEADLINES, is_rate
from vivavoce.measures import MEASURES
from vivavoce.report.numbers import amount, count, label, p_value, percent, plural, points, span, z_value

Facts = dict[str, Any]
SIGNIFICANT: Final = 0.05
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
    """A row: heading, what stands under it, cells; a new `group` starts a block with a heading of its own."""

    heading: str
    cells: tuple[Cell, ...]
    under: tuple[str, ...] = ()
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
    """A measure's name as people read it; a variant of a rate is told apart by its settings."""
    measure = MEASURES.get(name)
    return f"{measure.title} ({settings(name)})" if is_variant(name) else measure.title


def settings(name: str) -> str:
    """A measure's parameters in words, such as `unit goal, no match drop, offer any`."""
    parameters = MEASURES.get(name).parameters
    return ", ".join(f"{key} {value}".replace("_", " ") for key, value in parameters.items())


def is_variant(name: str) -> bool:
    """Whether a measure is another way of counting one of the headline rates."""
    return is_rate(name) and name not in HEADLINES


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
            tuple(rate_cell(row[name]) for name in names),
            (
                plural(row["dialogues"], "dialogue"),
                *([plural(row["participants"], "participant")] if row["participants"] else []),
            ),
            total=row is summary["all"],
        )
        for row in with_all(summary)
    ]
    columns = (
        *heads(summary["by_what"].capitalize()),
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
    names = [name for name in summary["all"] if is_variant(name) and summary["all"][name]["n"]]
    if not names:
        return None
    rows = [
        Row(
            MEASURES.get(name).title,
            tuple(rate_cell(row[name]) for row in groups),
            (settings(name),),
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
