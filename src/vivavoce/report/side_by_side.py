"""The sections on rated transcripts, on the arena, and on what a judgement takes."""

from typing import Any, Final

from vivavoce.report.blocks import Block, Bullets, Cell, Paragraph, Row, TableOfText
from vivavoce.report.content import heads
from vivavoce.report.language import say, translated
from vivavoce.report.numbers import MISSING, between, coefficient, count, listed, p_value, percent, plural

Facts = dict[str, Any]
SIGNIFICANT: Final = 0.05
COVARIATES: Final = {
    "left": "standing on the left",
    "length": "length in words",
    "lists": "items of lists",
    "headings": "headings",
    "bold": "words in bold",
    "code": "code",
    "links": "links",
}
ARMS: Final = {
    "compared": "Transcripts compared",
    "read": "Transcripts rated one at a time",
    "voted": "Arena",
    "live": "Live dialogues",
    "live_wizard": "Live dialogues with a wizard",
}


def _three(value: float | None) -> str:
    return coefficient(value, 3)


def _limits(one: Facts) -> Cell:
    return Cell(between(one.get("low"), one.get("high"), _three))


def _adjusted(one: Facts) -> Cell:
    return Cell(p_value(one["p_holm"]), strong=(one["p_holm"] or 1.0) < SIGNIFICANT)


def reading_blocks(facts: Facts | None) -> list[Block]:
    """Rated transcripts; [] where nobody rated any."""
    if facts is None:
        return []
    every = [*facts["items"], *({**whole, "item": "all"} for whole in facts["variables"])]
    rows = [
        Row(
            translated(one["item"]),
            (
                Cell(coefficient(one["control"])), Cell(coefficient(one["experimental"])),
                Cell(coefficient(one["difference"]), (plural(one["participants"], "participant"),)),
                Cell(between(one["low"], one["high"], coefficient)), Cell(p_value(one["p"])), _adjusted(one),
            ),
            group=one["variable"],
        )
        for one in sorted(every, key=lambda one: one["variable"])
    ]  # fmt: skip
    columns = heads(
        say("Item"), say("Control"), say("Experimental"), say("Difference"), say("95% interval"), "p",
        "p (Holm)",
    )  # fmt: skip
    note = say(
        "Means of the codes, reversed items turned round; the difference is taken within participants who "
        "read both versions. p is adjusted after Holm over the items, and over the variables."
    )
    signed = ((say("All ratings"), facts["signature"]),)
    said = say(
        "{people} rated {transcripts}, one at a time.",
        people=plural(facts["participants"], "participant"),
        transcripts=plural(facts["transcripts"], "transcript"),
    )
    table = TableOfText("readings", say("Ratings of both versions"), columns, tuple(rows), note, signed)
    blocks: list[Block] = [Paragraph(said), table]
    if (attention := facts["attention"]) is not None:
        told = say(
            "{failed} of {people} who read a broken transcript rated it no lower than the others; they stay "
            "in.",
            failed=count(attention["failed"]),
            people=plural(attention["participants"], "participant"),
        )
        blocks.append(Bullets((told,)))
    return blocks


def arena_blocks(facts: Facts | None) -> list[Block]:
    """The arena; [] where nobody voted."""
    if facts is None:
        return []
    blocks: list[Block] = [Paragraph(_votes(facts)), _ranking(facts), _pairs(facts), _terms(facts)]
    if facts["leaks"]:
        said = say(
            "In {n} votes an answer named a system; the name was masked on the page.",
            n=count(facts["leaks"]),
        )
        blocks.append(Bullets((said,)))
    return blocks


def arena_answer(facts: Facts) -> list[str]:
    """The answer in plain words."""
    if facts["ranking"] is None:
        return [say("No ranking: a system never wins or never loses against the others."), _votes(facts)]
    names = [one["name"] for one in facts["ranking"]]
    sure = [one for one in facts["pairs"] if (one["p_holm"] or 1.0) < SIGNIFICANT]
    found = [_order(names, sure)]
    found.append(
        say("{k} of {n} pairs of systems differ after adjustment.", k=len(sure), n=len(facts["pairs"]))
    )
    steady = [one["name"] for one in facts["controlled"] or ()]
    if steady and steady != names:
        found.append(say("With length and style held fixed the order is {order}.", order=listed(steady)))
    return [*found, _votes(facts)]


def _order(names: list[str], sure: list[Facts]) -> str:
    """The order, and how far it can be relied on."""
    order = listed(names)
    if any({one["a"], one["b"]} == set(names[:2]) for one in sure):
        return say("Voters liked {best} best; the order is {order}.", best=names[0], order=order)
    if sure:
        return say("The order is {order}; between the first two no difference could be shown.", order=order)
    return say("No difference could be shown; in these votes the order is {order}.", order=order)


def _votes(facts: Facts) -> str:
    return say(
        "{people} cast {votes} on two anonymous answers to the same message.",
        people=plural(facts["participants"], "participant"), votes=plural(facts["votes"], "vote"),
    )  # fmt: skip


def _ranking(facts: Facts) -> TableOfText:
    tally = {one["name"]: one for one in facts["systems"]}
    steady = {one["name"]: one for one in facts["controlled"] or ()}
    rows = []
    for one in facts["ranking"] or facts["systems"]:
        own, held = tally[one["name"]], steady.get(one["name"], {})
        rows.append(
            Row(
                one["name"],
                (
                    Cell(_three(one.get("estimate"))), _limits(one), Cell(percent(one.get("share"))),
                    Cell(_three(held.get("estimate")), (between(held.get("low"), held.get("high"), _three),)),
                    *(Cell(count(own[name])) for name in ("won", "tied", "both_bad", "lost")),
                ),
            )
        )  # fmt: skip
    columns = heads(
        say("System"), say("Log worth"), say("95% interval"), say("Share"), say("Length and style fixed"),
        say("Won"), say("Tied"), say("Both bad"), say("Lost"),
    )  # fmt: skip
    note = say(
        "Worths after Davidson, their mean 0, a vote for both bad counting as a tie, with a term for the "
        "side; participants as the unit. A dash: the system never wins or never loses."
    )
    signed = ((say("All votes"), facts["signature"]),)
    return TableOfText("arena", say("Ranking"), columns, tuple(rows), note, signed)


def _pairs(facts: Facts) -> TableOfText:
    rows = [
        Row(
            f"{one['a']} – {one['b']}",
            (
                Cell(count(one["votes"])), Cell(f"{count(one['a_won'])} : {count(one['b_won'])}"),
                Cell(_three(one["estimate"])), _limits(one), Cell(p_value(one["p"])), _adjusted(one),
            ),
        )
        for one in facts["pairs"]
    ]  # fmt: skip
    columns = heads(
        say("Compared"), say("Votes"), say("Won"), say("Log odds"), say("95% interval"), "p", "p (Holm)"
    )
    note = say("Log odds that the first is preferred to the second, where one of them is.")
    return TableOfText("arena_pairs", say("Systems compared"), columns, tuple(rows), note)


def _terms(facts: Facts) -> TableOfText:
    rows = [
        Row(
            translated(COVARIATES[one["covariate"]]),
            (Cell(_three(one["estimate"])), _limits(one), Cell(p_value(one["p"]))),
        )
        for one in ({"covariate": "left", **facts["left"]}, *facts["covariates"])
    ]
    columns = heads(say("What sways votes"), say("Log odds"), say("95% interval"), "p")
    note = say(
        "Length and style: from both having as much to only one having any. Features that nobody used are "
        "left out."
    )
    return TableOfText("arena_terms", say("Side, length and style"), columns, tuple(rows), note)


def effort_blocks(rows: list[Facts]) -> list[Block]:
    """What a judgement takes in each way of judging; [] where nothing was judged."""
    if not rows:
        return []
    priced = any(one["cost_per_judgement"] is not None for one in rows)
    shown = [
        Row(
            translated(ARMS[one["arm"]]),
            (
                Cell(count(one["judgements"])), Cell(count(one["participants"])), Cell(count(one["people"])),
                Cell(coefficient(one["seconds_per_judgement"], 1)),
                Cell(coefficient(one["minutes_per_participant"], 1)),
                *([Cell(_three(one["cost_per_judgement"]) if priced else MISSING)] if priced else []),
            ),
        )
        for one in rows
    ]  # fmt: skip
    columns = heads(
        say("Judged by"), say("Judgements"), say("Participants"), say("People at once"),
        say("Seconds a judgement"), say("Minutes a participant"),
        *([say("Cost a judgement, by the hour")] if priced else []),
    )  # fmt: skip
    note = say(
        "A judgement is one answered question. A live one carries its share of the dialogue, from the start "
        "to the last answer; a wizard is a second person. Judgements of attention pairs and repeats are "
        "counted here: they take time, too."
    )
    return [TableOfText("effort", say("What a judgement takes"), columns, tuple(shown), note)]
