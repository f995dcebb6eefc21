"""The first pages of a campaign's report: what the system did, what people said of it, what to know first."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from vivavoce.analysis.idial import IdialAspect
from vivavoce.measures import MEASURES
from vivavoce.reports.blocks import Block, Bullets, Cell, Heading, Paragraph, Row, TableOfText
from vivavoce.reports.language import (
    MISSING,
    amount,
    between,
    coefficient,
    count,
    language,
    listed,
    percent,
    plural,
    say,
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
    """Problems of the system and their frequency, in five or six lines: changes first.

    What programs answered is invented, and no part of it; how figures are made stands further below.
    """
    stress = stress_lines(found.stress)[:1]
    dialogue_lines = [
        line for line in [" ".join([*_goals_line(found), *_lost_line(found.conversations)])] if line
    ]
    has_stress = found.stress is not None and found.stress["whole"]["worst"] is not None
    did = [*stress, *dialogue_lines] if has_stress else [*dialogue_lines, *stress]
    has_answers = not found.people.simulated and any(aspect.mean is not None for aspect in found.aspects)
    answers = [_answers_line(found)] if has_answers else []
    return [*_change_lines(found), *_wrong_lines(found), *did, *answers]


def _wrong_lines(evaluation: Evaluation) -> list[str]:
    """The system's wrong behaviour; after a re-test, of the later release."""
    run = evaluation.stress
    if run is None:
        return []
    sentences = shortcomings(run, evaluation.submission.tells_done)
    if sentences:
        first, remaining = sentences[:2], " ".join([*sentences[2:], *tests_told(run)])
        if (now := evaluation.tested_later) is not None:
            first = [say("With release {name}: {told}", name=now, told=small(" ".join(first)))]
        return [*first, *([remaining] if remaining else [])]
    if evaluation.tested_later is None or run["whole"]["open"] or not run["whole"]["decided"]:
        return []
    return [say("With release {name} no stress tests fail.", name=evaluation.tested_later)]


def _answers_line(evaluation: Evaluation) -> str:
    a, b, c = (coefficient(aspect.mean) for aspect in evaluation.aspects)
    return say(
        "Of 4: task completion {a}, effectiveness of the dialogue {b}, user satisfaction {c}.", a=a, b=b, c=c
    )


def _change_lines(evaluation: Evaluation) -> list[str]:
    """Result of a re-test; nothing for runs of other cases."""
    compared = evaluation.compared
    sentences = changes_told(compared) if compared and not compared.only_one else []
    return [line for line in (" ".join(sentences[:1]), " ".join(sentences[1:])) if line]


def _lost_line(conversations: Conversations | None) -> list[str]:
    if conversations is None:
        return []
    return [
        say(
            "The system did not understand in {dialogues} ({n} of all its {turns}).",
            dialogues=plural(conversations.lost_dialogues, "dialogue"),
            n=count(conversations.lost),
            turns=plural(conversations.system_turns, "turn"),
        )
        if conversations.lost
        else say("The system never said that it did not understand.")
    ]


def conversation_lines(conversations: Conversations | None) -> list[str]:
    """Length of the dialogues, and problems in them, whatever their end."""
    if conversations is None:
        return []
    sentences = [
        say(
            "Median user turns per dialogue: {median} ({shortest} to {longest}; {dialogues}).",
            median=coefficient(conversations.median)
            if conversations.median % 1
            else count(int(conversations.median)),
            shortest=count(conversations.shortest),
            longest=count(conversations.longest),
            dialogues=plural(conversations.dialogues, "dialogue"),
        )
    ]
    sentences += _lost_line(conversations)
    sentences.append(
        say(
            "Users repeated themselves in {dialogues} ({n} of their {turns}), and repeated their first "
            "request in {anew} of these.",
            dialogues=plural(conversations.repeated_dialogues, "dialogue"),
            n=count(conversations.repeated),
            turns=plural(conversations.user_turns, "turn"),
            anew=count(conversations.anew),
        )
        if conversations.repeated
        else say("Users never had to repeat themselves.")
    )
    return [" ".join(sentences)]


def _goals_line(evaluation: Evaluation) -> list[str]:
    goals = evaluation.goals
    if not goals.known:
        return []
    sentence = say(
        "Task goal reached in {reached} of {dialogues} ({share}).",
        reached=count(goals.reached),
        dialogues=plural(goals.known, "dialogue"),
        share=percent(goals.reached / goals.known),
    )
    if evaluation.tested_later is not None:
        sentence += " " + say("These dialogues used {release}.", release=first_release(evaluation))
    return [sentence]


def summary_blocks(evaluation: Evaluation) -> list[Block]:
    """The system's performance without users' opinions; then each of IDIAL's three aspects.

    Stress tests stand under effectiveness alone.
    """
    blocks: list[Block] = [_quality_table(evaluation)]
    for aspect in evaluation.aspects:
        lines = [] if evaluation.people.simulated else [_statement(aspect, evaluation)]
        lines += _goals_line(evaluation) if aspect.name == "task_completion" else []
        if aspect.name == "effectiveness":
            lines += [*stress_lines(evaluation.stress), *conversation_lines(evaluation.conversations)]
        if lines:
            blocks += [
                Heading(say(ASPECTS[aspect.name])),
                Paragraph(say(MEANINGS[aspect.name]), small=True),
                Bullets(tuple(lines)),
            ]
    return blocks


def _quality_table(evaluation: Evaluation) -> TableOfText:
    service = say("Quality of service (system behaviour)")
    experience = say("Quality of experience (user answers)")
    rows = [_row(evaluation, title, cells, service) for title, cells in _service(evaluation).items()]
    rows += [
        _row(
            evaluation,
            ASPECTS[aspect.name],
            (
                _of_four(aspect.mean),
                between(aspect.low, aspect.high, coefficient),
                plural(aspect.n, _user(evaluation)),
            ),
            experience,
        )
        for aspect in ([] if evaluation.people.simulated else evaluation.aspects)
    ]
    note = say("Confidence intervals are clustered by user, or by utterance for stress tests.")
    if not evaluation.people.simulated:
        apart = say(
            "Service and experience are reported separately, because a system can do well on one "
            "and badly on the other."
        )
        note = f"{apart} {note}"
    columns = heads(say("Figure"), say("Value"), say("95% CI"), say("Denominator"))
    return TableOfText("campaign_quality", say("Service and experience"), columns, tuple(rows), note)


def _row(evaluation: Evaluation, title: str, cells: tuple[str, str, str], group: str) -> Row:
    under: tuple[str, ...] = ()
    if (now := evaluation.tested_later) is not None:
        under = (say("release {name}", name=now) if title == STRESS else first_release(evaluation),)
    if title == MEASURES.get(DELAY).title:
        under += (say("including network travel and this computer's processing"),)
    return Row(say(title), tuple(map(Cell, cells)), under, group=group)


def _user(evaluation: Evaluation) -> str:
    return "simulated user" if evaluation.people.simulated else "participant"


def _of_four(mean: float | None) -> str:
    return MISSING if mean is None else say("{mean} of 4", mean=coefficient(mean))


def _service(evaluation: Evaluation) -> dict[str, tuple[str, str, str]]:
    """Figures of what the system did: value, interval, out of how many."""
    goals, timed = evaluation.goals, sum(intent.timed for intent in evaluation.intents)
    reached = percent(goals.reached / goals.known) if goals.known else say("unknown")
    within = percent(sum(intent.within for intent in evaluation.intents) / timed) if timed else MISSING
    figures_by_title = {
        "Goals reached": (reached, between(goals.low, goals.high, percent), plural(goals.known, "dialogue")),
        "Within the expected time": (within, MISSING, plural(timed, "dialogue")),
        STRESS: _stress(evaluation.stress),
    }
    delay = next(
        (measure.found for measure in evaluation.modules["answering"] if measure.measure == DELAY), None
    )
    if delay is not None:
        value = amount(delay.value, delay.unit)
        figures_by_title[MEASURES.get(DELAY).title] = (
            value,
            MISSING,
            plural(int(delay.denominator), "exchange"),
        )
    return figures_by_title


def _stress(stress: Stress | None) -> tuple[str, str, str]:
    if stress is None or stress["whole"]["worst"] is None:
        return MISSING, MISSING, MISSING
    overall = stress["whole"]
    cases = plural(overall["decided"] + overall["open"], "case")
    return share_told(overall, "ratio"), between(overall["low"], overall["high"], percent), cases


def _statement(aspect: IdialAspect, evaluation: Evaluation) -> str:
    if aspect.mean is None:
        return say("No user answered all items of this aspect.")
    label = evaluation.wording("idial", language()).label("frequency", int(aspect.mean + 0.5))
    return say(
        "Questionnaire items {items}: mean {mean} of 4 (95% CI {interval}; {users}), closest to “{label}”.",
        items=listed([item.removeprefix("q") for item in aspect.items]),
        mean=coefficient(aspect.mean),
        interval=between(aspect.low, aspect.high, coefficient),
        users=plural(aspect.n, _user(evaluation)),
        label=label.lower(),
    )


def stress_lines(stress: Stress | None) -> list[str]:
    """Number of stress tests passed, and by groups, which are weighted equally."""
    if stress is None or stress["whole"]["worst"] is None:
        return [say("Linguistic stress tests: no verdicts yet.")]
    overall = stress["whole"]
    if overall["open"]:
        first = say(
            "Linguistic stress tests: {passed} passed, {failed} failed, {open} without a verdict; share "
            "passed between {worst} and {best}.",
            passed=count(overall["passed"]),
            failed=count(overall["decided"] - overall["passed"]),
            open=count(overall["open"]),
            worst=percent(overall["worst"]),
            best=percent(overall["best"]),
        )
    else:
        first = say(
            "Linguistic stress tests: {passed} of {applied} passed, {ratio} (95% CI {interval}).",
            passed=count(overall["passed"]),
            applied=count(overall["decided"]),
            ratio=percent(overall["ratio"]),
            interval=between(overall["low"], overall["high"], percent),
        )
    groups = [family for family in stress["families"] if family["worst"] is not None]
    if len(groups) < 2:
        return [first]  # of a single group the mean is the share itself
    shares = listed([f"{title_of(group).lower()} {_of_group(group)}" for group in groups])
    mean = share_told(stress, "macro_families")
    by_group = say(
        "Share passed by group: {shares}. Unweighted mean of groups: {mean}.", shares=shares, mean=mean
    )
    return [first, by_group]


def _of_group(group: Mapping[str, Any]) -> str:
    """The share of a group of tests, with its cases and interval: one of few cases looks as sure as any."""
    return say(
        "{share} ({n}; {interval})",
        share=share_told(group, "ratio"),
        n=plural(group["decided"] + group["open"], "case"),
        interval=between(group["low"], group["high"], percent),
    )


def beside_blocks(evaluations: Sequence[Evaluation]) -> list[Block]:
    """Systems that declare the same domain and intents, by name and unranked."""
    ordered = sorted(evaluations, key=lambda evaluation: evaluation.submission.submission)
    rows = [
        Row(
            say(ASPECTS[name]),
            tuple(
                Cell(
                    coefficient(evaluation.aspects[place].mean),
                    (between(evaluation.aspects[place].low, evaluation.aspects[place].high, coefficient),),
                )
                for evaluation in ordered
            ),
        )
        for place, name in enumerate(ASPECTS)
    ]
    rows.append(Row(say("Stress tests"), tuple(_stress_cell(evaluation.stress) for evaluation in ordered)))
    columns = heads(say("Aspect"), *(evaluation.submission.name(language()) for evaluation in ordered))
    note = say("Sorted by name; not a ranking. Small differences within the intervals may be chance.")
    return [TableOfText("campaign_beside", say("Side by side"), columns, tuple(rows), note)]


def _stress_cell(stress: Stress | None) -> Cell:
    if stress is None or stress["whole"]["worst"] is None:
        return Cell(MISSING)
    overall = stress["whole"]
    return Cell(
        share_told(overall, "ratio"),
        (say("{k} of {n}", k=count(overall["passed"]), n=count(overall["decided"])),),
    )
