"""The first pages of a campaign's report: what the system did, what people said of it, what to know first."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from vivavoce.analysis.idial import IdialAspect
from vivavoce.measures import MEASURES
from vivavoce.reports.blocks import Block, Bullets, Cell, Heading, Paragraph, Row, TableOfText
from vivavoce.reports.language import language, say
from vivavoce.reports.numbers import (
    MISSING,
    amount,
    between,
    coefficient,
    count,
    listed,
    percent,
    plural,
)
from vivavoce.reports.rate_tables import heads
from vivavoce_campaign.conversations import Conversations
from vivavoce_campaign.document.changes import changes_told
from vivavoce_campaign.document.evaluation import Evaluation
from vivavoce_campaign.document.trust import first_release
from vivavoce_stress.blocks import share_told, title_of
from vivavoce_stress.shortcomings import shortcomings, small, tests_told

Stress = Mapping[str, Any]  # a run of stress tests
ASPECTS: Final = {
    "task_completion": "Task completion",
    "effectiveness": "Effectiveness of the dialogue",
    "satisfaction": "User satisfaction",
}
MEANINGS: Final = {
    "task_completion": "Reaching task goals in reasonable time.",
    "effectiveness": "Interpretation of commands, robustness to unusual input, ease and fluency of use.",
    "satisfaction": "Users' feelings after using the system.",
}
STRESS: Final = "Stress tests passed"
DELAY: Final = "system_response_delay"


def answer(found: Evaluation) -> list[str]:
    """What is wrong with the system, and how often, in five or six lines: first, what changed.

    What programs answered is invented, and no part of it; how figures are made stands further below.
    """
    stress = stress_lines(found.stress)[:1]
    held = [line for line in [" ".join([*_goals_line(found), *_lost_line(found.conversations)])] if line]
    known = found.stress is not None and found.stress["whole"]["worst"] is not None
    did = [*stress, *held] if known else [*held, *stress]
    told = not found.people.simulated and any(aspect.mean is not None for aspect in found.aspects)
    answers = [_answers_line(found)] if told else []
    return [*_change_lines(found), *_wrong_lines(found), *did, *answers]


def _wrong_lines(found: Evaluation) -> list[str]:
    """What the system did instead of what was asked; after a re-test, of the later release."""
    run = found.stress
    if run is None:
        return []
    told = shortcomings(run, found.submission.tells_done)
    if told:
        first, rest = told[:2], " ".join([*told[2:], *tests_told(run)])
        if (now := found.tested_later) is not None:
            first = [say("With release {name}: {told}", name=now, told=small(" ".join(first)))]
        return [*first, *([rest] if rest else [])]
    if found.tested_later is None or run["whole"]["open"] or not run["whole"]["decided"]:
        return []
    return [say("With release {name} no stress tests fail.", name=found.tested_later)]


def _answers_line(found: Evaluation) -> str:
    a, b, c = (coefficient(aspect.mean) for aspect in found.aspects)
    return say(
        "Of 4: task completion {a}, effectiveness of the dialogue {b}, user satisfaction {c}.", a=a, b=b, c=c
    )


def _change_lines(found: Evaluation) -> list[str]:
    """What a re-test came to; of runs of other cases nothing."""
    compared = found.compared
    told = changes_told(compared) if compared and not compared.only_one else []
    return [line for line in (" ".join(told[:1]), " ".join(told[1:])) if line]


def _lost_line(found: Conversations | None) -> list[str]:
    if found is None:
        return []
    return [
        say(
            "The system did not understand in {dialogues} ({n} of all its {turns}).",
            dialogues=plural(found.lost_dialogues, "dialogue"),
            n=count(found.lost),
            turns=plural(found.system_turns, "turn"),
        )
        if found.lost
        else say("The system never said that it did not understand.")
    ]


def conversation_lines(found: Conversations | None) -> list[str]:
    """How long the dialogues were, and what went wrong on the way, whatever their end."""
    if found is None:
        return []
    told = [
        say(
            "Median user turns per dialogue: {median} ({shortest} to {longest}; {dialogues}).",
            median=coefficient(found.median) if found.median % 1 else count(int(found.median)),
            shortest=count(found.shortest),
            longest=count(found.longest),
            dialogues=plural(found.dialogues, "dialogue"),
        )
    ]
    told += _lost_line(found)
    told.append(
        say(
            "Users repeated themselves in {dialogues} ({n} of their {turns}), and repeated their first "
            "request in {anew} of these.",
            dialogues=plural(found.repeated_dialogues, "dialogue"),
            n=count(found.repeated),
            turns=plural(found.user_turns, "turn"),
            anew=count(found.anew),
        )
        if found.repeated
        else say("Users never had to repeat themselves.")
    )
    return [" ".join(told)]


def _goals_line(found: Evaluation) -> list[str]:
    goals = found.goals
    if not goals.known:
        return []
    told = say(
        "Task goal reached in {reached} of {dialogues} ({share}).",
        reached=count(goals.reached),
        dialogues=plural(goals.known, "dialogue"),
        share=percent(goals.reached / goals.known),
    )
    if found.tested_later is not None:
        told += " " + say("These dialogues used {release}.", release=first_release(found))
    return [told]


def summary_blocks(found: Evaluation) -> list[Block]:
    """What the system did apart from what people said; then a statement for each of IDIAL's three aspects.

    Stress tests stand under effectiveness alone.
    """
    blocks: list[Block] = [_quality_table(found)]
    for aspect in found.aspects:
        lines = [] if found.people.simulated else [_statement(aspect, found)]
        lines += _goals_line(found) if aspect.name == "task_completion" else []
        if aspect.name == "effectiveness":
            lines += [*stress_lines(found.stress), *conversation_lines(found.conversations)]
        if lines:
            blocks += [
                Heading(say(ASPECTS[aspect.name])),
                Paragraph(say(MEANINGS[aspect.name]), small=True),
                Bullets(tuple(lines)),
            ]
    return blocks


def _quality_table(found: Evaluation) -> TableOfText:
    service = say("Quality of service (system behaviour)")
    experience = say("Quality of experience (user answers)")
    rows = [_row(found, title, cells, service) for title, cells in _service(found).items()]
    rows += [
        _row(
            found,
            ASPECTS[one.name],
            (_of_four(one.mean), between(one.low, one.high, coefficient), plural(one.n, _user(found))),
            experience,
        )
        for one in ([] if found.people.simulated else found.aspects)
    ]
    note = say("Confidence intervals are clustered by user, or by utterance for stress tests.")
    if not found.people.simulated:
        apart = say(
            "Service and experience are reported separately, because a system can do well on one "
            "and badly on the other."
        )
        note = f"{apart} {note}"
    columns = heads(say("Figure"), say("Value"), say("95% CI"), say("Denominator"))
    return TableOfText("campaign_quality", say("Service and experience"), columns, tuple(rows), note)


def _row(found: Evaluation, title: str, cells: tuple[str, str, str], group: str) -> Row:
    under: tuple[str, ...] = ()
    if (now := found.tested_later) is not None:
        under = (say("release {name}", name=now) if title == STRESS else first_release(found),)
    if title == MEASURES.get(DELAY).title:
        under += (say("including network travel and this computer's processing"),)
    return Row(say(title), tuple(map(Cell, cells)), under, group=group)


def _user(found: Evaluation) -> str:
    return "simulated user" if found.people.simulated else "participant"


def _of_four(mean: float | None) -> str:
    return MISSING if mean is None else say("{mean} of 4", mean=coefficient(mean))


def _service(found: Evaluation) -> dict[str, tuple[str, str, str]]:
    """Figures of what the system did: value, interval, out of how many."""
    goals, timed = found.goals, sum(intent.timed for intent in found.intents)
    reached = percent(goals.reached / goals.known) if goals.known else say("unknown")
    within = percent(sum(intent.within for intent in found.intents) / timed) if timed else MISSING
    told = {
        "Goals reached": (reached, between(goals.low, goals.high, percent), plural(goals.known, "dialogue")),
        "Within the expected time": (within, MISSING, plural(timed, "dialogue")),
        STRESS: _stress(found.stress),
    }
    delay = next((one.found for one in found.modules["answering"] if one.measure == DELAY), None)
    if delay is not None:
        value = amount(delay.value, delay.unit)
        told[MEASURES.get(DELAY).title] = (value, MISSING, plural(int(delay.denominator), "exchange"))
    return told


def _stress(stress: Stress | None) -> tuple[str, str, str]:
    if stress is None or stress["whole"]["worst"] is None:
        return MISSING, MISSING, MISSING
    whole = stress["whole"]
    cases = plural(whole["decided"] + whole["open"], "case")
    return share_told(whole, "ratio"), between(whole["low"], whole["high"], percent), cases


def _statement(one: IdialAspect, found: Evaluation) -> str:
    if one.mean is None:
        return say("No user answered all items of this aspect.")
    label = found.wording("idial", language()).label("frequency", int(one.mean + 0.5))
    return say(
        "Questionnaire items {items}: mean {mean} of 4 (95% CI {interval}; {users}), closest to “{label}”.",
        items=listed([item.removeprefix("q") for item in one.items]),
        mean=coefficient(one.mean),
        interval=between(one.low, one.high, coefficient),
        users=plural(one.n, _user(found)),
        label=label.lower(),
    )


def stress_lines(stress: Stress | None) -> list[str]:
    """How many stress tests were passed, and how by groups, each of which counts alike."""
    if stress is None or stress["whole"]["worst"] is None:
        return [say("Linguistic stress tests: no verdicts yet.")]
    whole = stress["whole"]
    if whole["open"]:
        first = say(
            "Linguistic stress tests: {passed} passed, {failed} failed, {open} without a verdict; share "
            "passed between {worst} and {best}.",
            passed=count(whole["passed"]),
            failed=count(whole["decided"] - whole["passed"]),
            open=count(whole["open"]),
            worst=percent(whole["worst"]),
            best=percent(whole["best"]),
        )
    else:
        first = say(
            "Linguistic stress tests: {passed} of {applied} passed, {ratio} (95% CI {interval}).",
            passed=count(whole["passed"]),
            applied=count(whole["decided"]),
            ratio=percent(whole["ratio"]),
            interval=between(whole["low"], whole["high"], percent),
        )
    groups = [one for one in stress["families"] if one["worst"] is not None]
    if len(groups) < 2:
        return [first]  # of a single group the mean is the share itself
    shares = listed([f"{title_of(group).lower()} {_of_group(group)}" for group in groups])
    mean = share_told(stress, "macro_families")
    by_group = say(
        "Share passed by group: {shares}. Unweighted mean of groups: {mean}.", shares=shares, mean=mean
    )
    return [first, by_group]


def _of_group(one: Mapping[str, Any]) -> str:
    """The share of a group of tests, with its cases and interval: one of few cases looks as sure as any."""
    return say(
        "{share} ({n}; {interval})",
        share=share_told(one, "ratio"),
        n=plural(one["decided"] + one["open"], "case"),
        interval=between(one["low"], one["high"], percent),
    )


def beside_blocks(found: Sequence[Evaluation]) -> list[Block]:
    """Systems that declare the same domain and intents, by name and unranked."""
    ordered = sorted(found, key=lambda one: one.submission.submission)
    rows = [
        Row(
            say(ASPECTS[name]),
            tuple(
                Cell(
                    coefficient(one.aspects[place].mean),
                    (between(one.aspects[place].low, one.aspects[place].high, coefficient),),
                )
                for one in ordered
            ),
        )
        for place, name in enumerate(ASPECTS)
    ]
    rows.append(Row(say("Stress tests"), tuple(_stress_cell(one.stress) for one in ordered)))
    columns = heads(say("Aspect"), *(one.submission.name(language()) for one in ordered))
    note = say("Sorted by name; not a ranking. Small differences within the intervals may be chance.")
    return [TableOfText("campaign_beside", say("Side by side"), columns, tuple(rows), note)]


def _stress_cell(stress: Stress | None) -> Cell:
    if stress is None or stress["whole"]["worst"] is None:
        return Cell(MISSING)
    whole = stress["whole"]
    return Cell(
        share_told(whole, "ratio"),
        (say("{k} of {n}", k=count(whole["passed"]), n=count(whole["decided"])),),
    )
