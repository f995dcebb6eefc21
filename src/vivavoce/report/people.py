"""The tables about people: the flow of the trial, scales, and opinion against record."""

from typing import Any, Final

from vivavoce.report.blocks import Cell, Row, TableOfText
from vivavoce.report.content import by_what, heads, title
from vivavoce.report.language import say, translated
from vivavoce.report.numbers import (
    amount,
    between,
    coefficient,
    count,
    label,
    p_value,
    percent,
    plural,
    points,
    span,
)
from vivavoce.study.exclusion import TRIVIAL

Facts = dict[str, Any]
OUTCOMES: Final = {
    "no_consent": "did not consent",
    "screened_out": "screened out",
    "not_accepted": "not accepted: failed a check of quality",
    "technical_failure": "technical failure",
    "withdrew": "withdrew",
    "timed_out": "timed out",
    "running": "still under way",
}


def flow_table(flow: Facts) -> TableOfText:
    """Arrived, consented, completed, left and why; then dialogues and in which rates they count."""
    people = say("Participants")
    rows = [Row(say("Arrived"), (Cell(count(flow["arrived"])),), group=people)]
    if flow["consented"] is not None:
        rows.append(Row(say("Consented"), (Cell(count(flow["consented"])),), group=people))
    rows.append(Row(say("Held a dialogue"), (Cell(count(flow["with_dialogue"])),), group=people))
    if flow["completed"] is not None:
        rows.append(Row(say("Completed"), (Cell(count(flow["completed"])),), group=people))
    for outcome, n in flow["left"].items():
        why = say("Left out or left: {why}", why=translated(OUTCOMES[outcome]))
        rows.append(Row(why, (Cell(count(n)),), group=people))
    if flow["unrecorded"]:
        rows.append(Row(say("Outcome not recorded"), (Cell(count(flow["unrecorded"])),), group=people))
    dialogues = say("Dialogues")
    rows.append(Row(say("Held"), (Cell(count(flow["dialogues"])),), group=dialogues))
    if flow["coded"] is not None:
        rows.append(
            Row(say("Not trivial (a code was earned)"), (Cell(count(flow["coded"])),), group=dialogues)
        )
    if flow["running"]:
        rows.append(Row(say("Still under way"), (Cell(count(flow["running"])),), group=dialogues))
    for rule in flow["excluded"]["rules"]:
        words = say("Excluded: {rule}", rule=rule_words(rule["rule"]))
        people_out = plural(rule["people"], "participant")
        whole = (say("all of {people}", people=people_out),) if rule["people"] else ()
        rows.append(Row(words, (Cell(count(rule["dialogues"])),), whole, group=dialogues))
    if flow["excluded"]["rules"] or flow["running"]:
        rows.append(Row(say("Analysed"), (Cell(count(flow["analysed"])),), group=dialogues))
    for name, n in flow["counted"].items():
        left_out = flow["analysed"] - n
        under = (say("{n} left out: no value", n=count(left_out)),) if left_out else ()
        heading = say("Count in: {measure}", measure=title(name).lower())
        rows.append(Row(heading, (Cell(count(n)),), under, group=dialogues))
    return TableOfText("flow", say("From arrival to the numbers"), heads(say("Step"), "n"), tuple(rows))


def rule_words(rule: str) -> str:
    """A rule of exclusion for readers; all but ours are shown as the study file has them."""
    if rule == TRIVIAL:
        return say("trivial (too few user turns; the system neither ended it nor failed)")
    return rule


def scores_table(number: int, sheet: Facts, keys: list[str | None]) -> TableOfText | None:
    """Scores of an instrument with their reliability."""
    if not sheet["scores"]:
        return None
    wide = keys if len(keys) > 1 and any(score["by"] for score in sheet["scores"]) else []
    rows = []
    for score in sheet["scores"]:
        by = {one["key"]: one for one in score["by"]}
        cells = [_mean(by.get(key)) for key in wide]
        alpha = (
            Cell(
                coefficient(score["alpha"]),
                (
                    between(score["alpha_low"], score["alpha_high"], coefficient),
                    say("n = {n}", n=count(score["n"])),
                ),
            )
            if score["alpha"] is not None
            else Cell(coefficient(None), (say("cannot be computed"),))
        )
        rows.append(
            Row(
                translated(score["meaning"]),
                (*cells, _mean(score), alpha, Cell(coefficient(score["omega"]))),
                (say("{name}: {items} items, {low} to {high}", name=score["name"], items=score["items"],
                     low=f"{score['low']:g}", high=f"{score['high']:g}"),),
            )
        )  # fmt: skip
    return TableOfText(
        f"scores-{number}",
        say("Scores and their reliability: {instrument}", instrument=sheet["instrument"]),
        heads(say("Score"), *(label(key) for key in wide), say("Mean"), "Cronbach \u03b1", "McDonald \u03c9"),
        tuple(rows),
        say(
            "Reversed items are turned round. Under \u03b1: its 95% interval by bootstrap over "
            "people, from 10 of them on, and the complete forms it rests on. "
            "\u03c9 needs 30 forms and 3 items."
        ),
    )


def _mean(facts: Facts | None) -> Cell:
    if facts is None or facts["mean"] is None:
        return Cell(amount(None, ""))
    spread = [say("sd {sd}", sd=amount(facts["deviation"], ""))] if facts["deviation"] is not None else []
    return Cell(amount(facts["mean"], ""), (*spread, say("n = {n}", n=count(facts["n"]))))


def opinion_table(opinion: Facts, summary: Facts) -> TableOfText:
    """What participants said against what the log shows."""
    rows = [
        Row(
            say("all") if row["key"] == "all" and len(opinion["by"]) > 1 else label(row["key"]),
            (
                *(Cell(count(row[name]), (_share(row[name], row["n"]),)) for name in
                  ("both", "only_said", "only_shown", "neither")),
                Cell(percent(row["optimism"]), (span(row["low"], row["high"]),)),
            ),
            (say("n = {n}", n=count(row['n'])),),
            total=row["key"] == "all" and len(opinion["by"]) > 1,
        )
        for row in opinion["by"]
    ]  # fmt: skip
    return TableOfText(
        "opinion",
        say("What participants said against {measure}", measure=title(opinion["measure"]).lower()),
        (
            *heads(by_what(summary)),
            Cell(say("Said yes, record yes")),
            Cell(say("Said yes, record no"), (say("over-optimistic"),)),
            Cell(say("Said no, record yes"), (say("over-critical"),)),
            Cell(say("Said no, record no")),
            Cell(say("Over-optimism"), (say("said yes among record no"),)),
        ),
        tuple(rows),
        say(
            "Over-optimism: among the dialogues that failed by the record, the share of which the "
            "participant said that all was found, with its 95% interval over participants."
        ),
    )


def agreement_table(opinion: Facts, summary: Facts) -> TableOfText:
    """How much more often people said yes than the log shows, and how far the two agree beyond chance."""
    several = len(opinion["by"]) > 1
    rows = []
    for row in opinion["by"]:
        excess, kappa = row["excess"], row["kappa"]
        rows.append(
            Row(
                say("all") if row["key"] == "all" and several else label(row["key"]),
                (
                    Cell(percent(_ratio(row["both"] + row["only_said"], row["n"]))),
                    Cell(percent(_ratio(row["both"] + row["only_shown"], row["n"]))),
                    Cell(points(excess["difference"]), (between(excess["low"], excess["high"], points),)),
                    Cell(p_value(excess["p"]), (p_value(excess["p_mcnemar"]),)),
                    Cell(coefficient(kappa["value"]), (between(kappa["low"], kappa["high"], coefficient),)),
                ),
                (say("n = {n}", n=count(row["n"])),),
                total=row["key"] == "all" and several,
            )
        )
    return TableOfText(
        "opinion-agreement",
        say("Do opinion and record agree?"),
        (
            *heads(by_what(summary), say("Said yes"), say("Record yes")),
            Cell(say("Difference"), (say("95% interval"),)),
            Cell("p", ("McNemar",)),
            Cell(say("Cohen's kappa"), (say("95% interval"),)),
        ),
        tuple(rows),
        say(
            "Difference in percentage points: above 0, people were more content than the record allows. p "
            "and the intervals take participants as the unit; McNemar's p below it takes dialogues as "
            "independent and is shown for comparison only. Kappa is agreement beyond chance: 1 is full "
            "agreement, 0 what chance alone would give."
        ),
    )


def _ratio(n: int, total: int) -> float | None:
    return n / total if total else None


def _share(n: int, total: int) -> str:
    return percent(n / total) if total else ""
