"""Blocks that reports on stress tests share: names of tests, and two transcripts side by side."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from vivavoce.core.i18n import N_
from vivavoce.core.statement import LocalizedText
from vivavoce.reports.blocks import Cell, Row, TableOfText
from vivavoce.reports.language import (
    MISSING,
    between,
    count,
    listed,
    named_language,
    percent,
    plural,
    say,
    stated,
)
from vivavoce.reports.rate_tables import heads
from vivavoce_stress.base import TestState, state_of
from vivavoce_stress.failures import KINDS, kind_of, overruled
from vivavoce_stress.scores import ends_of

Facts = dict[str, Any]
VERDICTS_PAGE: Final = "http://127.0.0.1:8001/stress/verdicts"  # where `vivavoce desk` serves them
FAMILIES: Final = {"spelling": "Spelling", "lexical": "Words", "syntactic": "Syntax"}
EARLIER: Final = {  # of the tests of IDIAL, where a dataset was written without titles
    "ST-1": "Confused words",
    "ST-2": "Misspelled words",
    "ST-3": "Character replacement",
    "ST-4": "Character swapping",
    "ST-5": "Less frequent synonyms",
    "ST-6": "Synonyms of a register or region",
    "ST-7": "Coreference",
    "ST-8": "Active and passive",
    "ST-9": "Order of nouns and adjectives",
    "ST-10": "Anaphora",
    "ST-11": "Order of verbal modifiers",
}
UNTRIED: Final[dict[TestState, str]] = {
    "waits": N_("{tests} not tried: no approved variants yet."),
    "rejected": N_("{tests} not tried: all proposed variants were rejected."),
    "not_admitted": N_("{tests} not tried: the originals failed."),
    "withheld": N_("{tests} not tried: their rules are not yet accepted often enough."),
    "nothing_fits": N_("{tests} not tried: no applicable utterance."),
}
UNTRIED_BY_NAME: Final[dict[TestState, str]] = {
    "waits": N_("Not tried because no variants are approved yet: {tests}."),
    "rejected": N_("Not tried because all proposed variants were rejected: {tests}."),
    "not_admitted": N_("Not tried because the originals failed: {tests}."),
    "withheld": N_("Not tried because their rules are not yet accepted often enough: {tests}."),
    "nothing_fits": N_(
        "Not tried because no utterance was applicable; variants can be written by hand: {tests}."
    ),
}
WHY_UNTRIED: Final[dict[TestState, str]] = {  # in the cell of a table
    "waits": N_("variants to be approved"),
    "rejected": N_("people rejected all variants"),
    "not_admitted": N_("no original passed"),
    "withheld": N_("variants withheld"),
    "nothing_fits": N_("no utterance found"),
}
_CAME: Final = {
    "not_admitted": N_("the original did not pass"),
    "invalid": N_("invalid variant"),
    "outage": N_("no verdict"),
    "unfinished": N_("no verdict"),
}
REASONS: Final = (
    N_("{k} of {n} replays passed; {reason}"),
    N_("the task's goal was reached with the original, not with the variant"),
    N_("the system asked again before the goal was reached"),
    N_("the user needed {more} more turn to reach the goal"),
    N_("the user needed {more} more turns to reach the goal"),
    N_("the system understood or did something else: {difference}"),
    N_("the system asked again, then continued as before: {difference}"),
    N_("the system asked again, with a different outcome: {difference}"),
    N_("the system gave no answer: {failure}"),
)


def title_of(one: Mapping[str, Any]) -> str:
    """Title of a test or a family of tests; the name if there is no title."""
    name = one["name"]
    return say(one.get("title") or EARLIER.get(name) or FAMILIES.get(name) or name)


def share_told(one: Mapping[str, Any], name: str, write: Callable[[float | None], str] = percent) -> str:
    """A share of the results, such as `ratio`; while cases are open, between which two it lies."""
    worst, best = ends_of(one, name)
    if one[name] is None and worst is not None:
        return between(worst, best, write)
    return write(one[name])


def open_told(whole: Facts, *, page: str = VERDICTS_PAGE) -> list[str]:
    """Cases without a verdict, and the command that gives one.

    page  address of the page of verdicts; empty: for readers who cannot come there
    """
    lines = []
    if whole["waiting"]:
        waits = say(
            "{cases} for a person's verdict. Until then the report gives a range for the share passed.",
            cases=plural(whole["waiting"], "stress test waits", "stress tests wait"),
        )
        where = (
            say("Give verdicts on the dashboard (vivavoce desk STUDY): {page}", page=page)
            if page
            else say("Give verdicts on the study's dashboard: Stress tests, Give verdicts.")
        )
        lines.append(f"{waits} {where}")
    if whole["checks"]:
        lines.append(
            say(
                "{cases} for a second check by a person, to measure the agreement of rules and people.",
                cases=plural(whole["checks"], "decided case waits", "decided cases wait"),
            )
        )
    if whole["outage"]:
        lines.append(
            say(
                "{cases} no verdict because the system failed at every attempt. Repeat the run to retry "
                "them.",
                cases=plural(whole["outage"], "stress test has", "stress tests have"),
            )
        )
    return lines


def decided_by(run: Facts) -> str:
    """Share of cases judged by people and their agreement with the rules, or that rules alone decided."""
    total, agreed = run["whole"], run["agreement"]
    if not total["judged"]:
        return say("Rules decided all cases; no human verdicts.")
    judged, of = plural(total["judged"], "case"), count(total["applied"] + total["invalid"])
    sentence = say("People judged {judged} of {of} and confirmed all rule verdicts.", judged=judged, of=of)
    if total["overruled"]:
        sentence = say(
            "People judged {judged} of {of} and overruled the rules in {overruled} of these. Human "
            "verdicts count.",
            judged=judged,
            of=of,
            overruled=count(total["overruled"]),
        )
    if agreed is None:
        return sentence
    return f"{sentence} " + say(
        "Agreement of rules and people on pass or fail: {same} of {n} (95% CI {interval}), including "
        "tentative rule verdicts.",
        same=count(agreed["same"]),
        n=count(agreed["n"]),
        interval=between(agreed["low"], agreed["high"], percent),
    )


def left_untried(run: Facts, state: TestState) -> list[Facts]:
    """The tests of a run of which no case was held, for this reason."""
    return [test for test in run["tests"] if state_of(test) == state]


def tried_told(run: Facts) -> list[str]:
    """Names of the tests that were tried; number of the others by reason."""
    tests_tried = left_untried(run, "tried")
    sentences = [
        say(
            "Tried {tried} of {all}: {tests}.",
            tried=count(len(tests_tried)),
            all=plural(len(run["tests"]), "stress test"),
            tests=listed([title_of(test).lower() for test in tests_tried]) or MISSING,
        )
    ]
    for state, template in UNTRIED.items():
        if untried := left_untried(run, state):
            tests = plural(len(untried), "stress test was", "stress tests were")
            sentences.append(say(template, tests=tests))
    return sentences


def untried_told(run: Facts) -> list[str]:
    """The tests that were not tried by their names and what kept them, and what is to be done."""
    sentences = []
    for state, template in UNTRIED_BY_NAME.items():
        if untried := left_untried(run, state):
            sentences.append(say(template, tests=listed([title_of(test) for test in untried])))
    if left_untried(run, "waits"):
        sentences.append(
            say(
                "Next step: on the study's dashboard, under Stress tests, propose variants, accept or "
                "reject them, and rerun the tests."
            )
        )
    return sentences


def words_table(run: Facts) -> list[TableOfText]:
    """Results of spelling tests by the kind of changed word. Empty if no test had a choice: []"""
    kinds = ("content", "frame", "small")
    if not any(row[kind][1] for row in run["words"] for kind in kinds):
        return []
    columns = heads(
        say("Language"),
        say("Carries the request"),
        say("Frames the request"),
        say("Function words"),
        say("No choice"),
    )
    rows = tuple(
        Row(
            named_language(row["language"]),
            (*(_passed(row[kind]) for kind in kinds), Cell(count(row["left"]))),
        )
        for row in run["words"]
    )
    note = say(
        "Share of decided spelling tests passed, by changed word. Requests are content words (a book, to "
        "borrow); frames are the rest (I would like, please). Almost every system passes misspelt frames, "
        "so compare only the same kind of word. No choice: utterances with only one kind."
    )
    return [TableOfText("stress_words", say("Words changed by the spelling tests"), columns, rows, note)]


def pairs_table(run: Facts) -> list[TableOfText]:
    """Every case in a line, passed or not, so that each verdict can be looked at."""
    rows = tuple(_pair_row(number, pair) for number, pair in enumerate(run["pairs"], 1))
    if not rows:
        return []
    columns = heads(say("Case"), say("Original"), say("Variant"), say("Verdict"))
    title = say("All cases, passed and not passed")
    note = say(
        "To judge any case, open Stress tests, All cases on the study's dashboard; case numbers are the "
        "same. Human verdicts replace rule verdicts in all figures."
    )
    return [TableOfText("stress_pairs", title, columns, rows, note, numeric=False)]


def _pair_row(number: int, one: Facts) -> Row:
    outcome = _CAME.get(one["status"]) or one["verdict"]
    by = (say("by a person"),) if one["verdict_of_person"] else ()
    by += tuple(remark_told(one))
    cells = (
        Cell(one["original"], words=True),
        Cell(one["text"], words=True),
        Cell(say(outcome), by, words=True),
    )
    return Row(f"{number}. {one['test']}", cells)


def remark_told(one: Mapping[str, Any]) -> list[str]:
    """Remarks of people on a case, with their verdict. Empty if there are none: []"""
    return [say("note: “{remark}”", remark=one["remark"])] if one.get("remark") else []


def _passed(counted: tuple[int, int]) -> Cell:
    passed, cases = counted
    return Cell(say("{k} of {n}", k=count(passed), n=count(cases)) if cases else MISSING)


def side_by_side(number: int, one: Mapping[str, Any]) -> TableOfText:
    """The two transcripts beside each other, turn by turn."""
    clean, variant = _turns(one["clean_transcript"]), _turns(one["transcript"])
    rows = []
    for place in range(max(len(clean), len(variant))):
        pair = [side[place] if place < len(side) else None for side in (clean, variant)]
        party = next((turn["party"] for turn in pair if turn), "system")
        rows.append(Row(say("User") if party == "user" else say("System"), tuple(map(_said, pair))))
    caption = f"{number}. {one['test']}, {say(one['verdict'])}: {reason_told(one)}"
    columns = heads(say("Turn"), say("With the original"), say("With the variant"))
    note = say(
        "Substitution: {rule}. Decided by: {rung}.", rule=one["rule"] or MISSING, rung=_rung(one["rung"])
    )
    note = " ".join([note, *(f"{_begun(remark)}." for remark in remark_told(one))])
    return TableOfText(f"stress_{number}", caption, columns, tuple(rows), note, numeric=False)


def _begun(text: str) -> str:
    return text[:1].upper() + text[1:]


def reason_told(one: Mapping[str, Any]) -> str:
    """Reason why a variant failed, by template and values; older datasets have an English sentence alone.

    Where a person gave another verdict than the rules, theirs is no reason: what the person saw stands there.
    """
    if one.get("verdict") in ("fail", "clarification") and overruled(one):
        kind = say(KINDS[kind_of(one)])
        return say("a person decided otherwise than the rules: {kind}", kind=kind[:1].lower() + kind[1:])
    return stated(LocalizedText.read(json.loads(one["why"]))) if one.get("why") else _reason_of(one["reason"])


def _reason_of(reason: str) -> str:
    """An English sentence as earlier versions stored it, of which `REASONS` are known."""
    for template in REASONS:
        expression = re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(template))
        if match := re.fullmatch(expression, reason, re.DOTALL):
            return say(template, **{name: _reason_of(text) for name, text in match.groupdict().items()})
    return say(reason)


def _rung(rung: str | None) -> str:
    return say((rung or MISSING).replace("_", " "))


def _said(turn: Facts | None) -> Cell:
    return Cell(MISSING if turn is None else turn["text"], strong=bool(turn and turn["injected"]), words=True)


def _turns(written: str | None) -> list[Facts]:
    return json.loads(written) if written else []
