"""The stress tests of a campaign's report: what was passed by test and group."""

from typing import Any

import altair as alt

from vivavoce.reports.blocks import Block, Bullets, Cell, Heading, Paragraph, Row, TableOfText
from vivavoce.reports.drawing import ACCENT, INK, SOFT, Figure, figure
from vivavoce.reports.language import MISSING, between, count, listed, percent, plural, say
from vivavoce.reports.rate_tables import heads
from vivavoce_stress.base import STRESS_TESTS, awaiting, state_of
from vivavoce_stress.blocks import (
    EARLIER,
    FAMILIES,
    WHY_UNTRIED,
    decided_by,
    share_told,
    title_of,
    untried_told,
    words_table,
)

Facts = dict[str, Any]
NUMBER_OF_TESTS = 11


def stress_blocks(run: Facts | None, mark: str) -> list[Block]:
    """Figure and table by test and group; a sentence where nothing was tested."""
    if run is None or run["whole"]["worst"] is None:
        return [Paragraph(say("No stress test verdicts for this system."))]
    overall = run["whole"]
    blocks: list[Block] = [
        Paragraph(
            say(
                "Each sampled interaction was replayed with one utterance changed by one substitution, "
                "after the original passed. A test passes if the system serves the user as well as before."
            )
        ),
        success_figure(run, mark),
        _table(run),
    ]
    notes = [
        say(
            "Clarification required: {clarification}; unsure: {unsure}; invalid variants: {invalid}; "
            "interactions with a failed original: {left}.",
            clarification=count(overall["clarification"]),
            unsure=count(overall["unsure"]),
            invalid=count(overall["invalid"]),
            left=count(overall["not_admitted"]),
        )
    ]
    notes += sentences_told(run)
    notes.append(decided_by(run))
    untried = [test["name"] for test in run["tests"] if state_of(test) != "tried"]
    if missing := [name for name in _names() if not _decided(run, name) and name not in untried]:
        titles = {test["name"]: title_of(test) for test in run["tests"]}
        without = [titles.get(name) or say(EARLIER[name]) for name in missing]
        notes.append(say("Tests without verdicts: {tests}.", tests=listed(without)))
    notes += untried_told(run)
    return [*blocks, *_meanings(run), *words_table(run), Bullets(tuple(notes))]


def _meanings(run: Facts) -> list[Block]:
    """Changes made by each test that was tried, as declared, if the test is registered."""
    registered = set(STRESS_TESTS.names())
    descriptions = [
        f"{title_of(test)}: {say(STRESS_TESTS.get(test['name']).meaning)}"
        for test in run["tests"]
        if state_of(test) == "tried" and test["name"] in registered
    ]
    return [Heading(say("Test descriptions")), Bullets(tuple(descriptions))] if descriptions else []


def sentences_told(run: Facts) -> list[str]:
    """Number of different sentences changed, where several cases share one."""
    overall = run["whole"]
    cases = overall["decided"] + overall["open"]
    if not 0 < overall["originals"] < cases:
        return []
    counts = {"cases": plural(cases, "case"), "sentences": plural(overall["originals"], "different sentence")}
    if overall["interval"] != "clustered":
        return [
            say(
                "These {cases} change {sentences}. Outcomes show no clustering by sentence, so the CI "
                "treats cases as independent.",
                **counts,
            )
        ]
    return [
        say(
            "These {cases} change only {sentences}, so the CI is wider than for independent cases.",
            **counts,
        )
    ]


def success_figure(run: Facts, mark: str) -> Figure:
    """The share of passed cases of each test that has some, 0 to 1, on its interval: as IDIAL's figure 3."""
    rows = [_bar(test) for test in run["tests"] if test["worst"] is not None]
    order = [row["test"] for row in rows]

    def draw(width: int) -> Any:
        base = alt.Chart(alt.Data(values=rows)).encode(y=alt.Y("test:N", sort=order, title=None, axis=None))
        x = alt.X(
            "ratio:Q",
            scale=alt.Scale(domain=[0, 1]),
            title=say("cases passed"),
            axis=alt.Axis(tickCount=5, format="%"),
        )
        bars = base.mark_bar(color=SOFT, height=14, yOffset=9).encode(x=x)
        lines = base.mark_rule(color=ACCENT, strokeWidth=2.5, yOffset=9).encode(
            x=alt.X("low:Q"), x2=alt.X2("high:Q")
        )
        text = base.mark_text(align="left", baseline="bottom", color=INK, fontSize=12).encode(
            x=alt.XValue(0), text=alt.Text("told:N")
        )
        return (bars + lines + text).properties(width=width - 40, height=alt.Step(44))

    return figure(
        "campaign-stress",
        say("Success by stress test"),
        "; ".join(row["told"] for row in rows) + ".",
        draw,
        mark=mark,
        caption=say(
            "Bar: share of cases passed. Line: 95% CI; its upper end assumes that all cases without a "
            "verdict pass. No bar: no case passed."
        ),
        columns=(say("Test"), say("Passed"), say("Success"), say("95% CI")),
        rows=[
            (
                f"{test['name']} {title_of(test)}",
                say("{k} of {n}", k=count(test["passed"]), n=count(test["decided"] + test["open"])),
                share_told(test, "ratio"),
                between(test["low"], test["high"], percent),
            )
            for test in run["tests"]
            if test["worst"] is not None
        ],
    )


def _bar(figures: Facts) -> Facts:
    of = say("{k} of {n}", k=count(figures["passed"]), n=count(figures["decided"]))
    more = f", {say('{n} open', n=count(figures['open']))}" if figures["open"] else ""
    return {
        "test": figures["name"],
        "told": f"{title_of(figures)}: {of}{more}",
        "ratio": figures["worst"],
        "low": figures["low"],
        "high": figures["high"],
    }


def _table(run: Facts) -> TableOfText:
    rows = [_row(family, "") for name in FAMILIES for family in run["families"] if family["name"] == name]
    rows = [Row(row.under[0], row.cells, (), group=say("Groups of tests")) for row in rows]
    rows += [_row(test, say("Tests")) for test in run["tests"]]
    overall = run["whole"]
    rows.append(Row(say("All tests"), _cells(overall), total=True))
    mean = share_told(run, "macro_families")
    note = say(
        "Share of cases passed, with Wilson 95% CI. The CI is clustered by utterance if several cases "
        "change the same one. If verdicts are missing, the two shares assume that none or all of those "
        "cases pass. Mean of the groups: {mean}.",
        mean=mean,
    )
    columns = heads(say("Test"), say("Applied"), say("Not applicable"), say("Success"), say("95% CI"))
    signed = tuple(
        (figures["name"], figures["signature"]) for figures in [*run["families"], *run["tests"], overall]
    )
    return TableOfText(
        "campaign_stress", say("Success by test and group"), columns, tuple(rows), note, signed
    )


def _row(figures: Facts, group: str) -> Row:
    return Row(figures["name"], _cells(figures), (title_of(figures),), group=group)


def _cells(figures: Facts) -> tuple[Cell, ...]:
    of = (
        ()
        if figures["worst"] is None
        else (say("{k} of {n}", k=count(figures["passed"]), n=count(figures["decided"])),)
    )
    wait = awaiting(figures)
    if why := WHY_UNTRIED.get(state_of(figures)):
        without = count(figures["not_applicable"]) if figures["not_applicable"] else MISSING
        applied = MISSING if wait else count(figures["applied"])
        return Cell(applied), Cell(without), Cell(say("not tried"), (say(why),)), Cell(MISSING)
    return (
        Cell(count(figures["applied"])),
        Cell(count(figures["not_applicable"])),
        Cell(share_told(figures, "ratio"), of),
        Cell(between(figures["low"], figures["high"], percent), _over(figures)),
    )


def _over(figures: Facts) -> tuple[str, ...]:
    """Over how many utterances an interval is, where several cases are of one."""
    if figures["interval"] != "clustered":
        return ()
    return (say("over {sentences}", sentences=plural(figures["originals"], "different sentence")),)


def _decided(run: Facts, name: str) -> bool:
    return any(test["name"] == name and test["decided"] for test in run["tests"])


def _names() -> list[str]:
    return [f"ST-{number}" for number in range(1, NUMBER_OF_TESTS + 1)]
