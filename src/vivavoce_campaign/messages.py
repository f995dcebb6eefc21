"""Terminal messages of a campaign: a system that was set up, a try, a run, progress."""

from collections.abc import Iterator
from typing import Final

from vivavoce.connectors.input_dependence import Discovery
from vivavoce_campaign.campaign_file import read_facts
from vivavoce_campaign.document.changes import changed_cases, changes_told
from vivavoce_campaign.dry_run import TryOut
from vivavoce_campaign.new_campaign import Begun
from vivavoce_campaign.runs import HeldCampaign
from vivavoce_campaign.setup import SystemStatus
from vivavoce_campaign.stages import FOR, REMARKS, TITLES, Stage
from vivavoce_stress.blocks import VERDICTS_PAGE, decided_by, tried_told
from vivavoce_stress.releases import RunsCompared
from vivavoce_stress.scores import stress_results
from vivavoce_stress.shortcomings import shortcomings, tests_told

LONGEST: Final = 100


def told_discovery(found: Discovery) -> Iterator[str]:
    """The system's reply, and its request and reply formats."""
    yield f"system reply: {_short(found.said)}"
    settings = found.settings
    yield f"connect: {settings['connect']}"
    for name in ("method", "body", "query"):
        if (setting := settings.get(name)) is not None:
            yield f"request {name}: {', '.join(setting) if isinstance(setting, dict) else setting}"
    if "response" in settings:
        yield "answer: " + ", ".join(f"{name} at {path}" for name, path in settings["response"].items())
    yield from found.doubts


def told_begun(begun: Begun) -> Iterator[str]:
    """The files, and what of the log fits nothing."""
    for path in begun.written:
        yield f"wrote {path}"
    if begun.unmatched:
        yield f"{len(begun.unmatched)} opening messages in the log match no intent or several. Examples:"
        yield from (f"  {_short(opening)}" for opening in begun.unmatched[:5])


def told_try(found: TryOut) -> Iterator[str]:
    """Result of a try, with points to check."""
    turns = "" if found.turns is None else f", median {found.turns:g} user turns"
    yield f"{found.system}: {found.dialogues} simulated dialogues{turns}, {found.failed} with system errors"
    for item in found.intents:
        yield f"  {item.intent} ({item.language}): {item.reached} of {item.dialogues} completed"
    for item in found.missed:
        for text, count in (item.again or item.last)[:2]:
            how = "repeated question" if item.again else "last message"
            yield f"  {item.intent_id} ({item.language}), not completed: {how} in {count}: {_short(text)}"
    for text, count in found.unanswered:
        yield f"  unanswered question ({count} times): {_short(text)}"
    if found.unanswered:
        yield "  add the missing detail and its values under `entities` in the submission"
    for text, count in found.lost:
        yield f"  not understood ({count} times): {_short(text)}"
    if found.guessed:
        yield (
            f"  completion phrases were guessed for {', '.join(found.guessed)}: "
            "add them as `done` in the submission"
        )


def told_held(held: HeldCampaign) -> Iterator[str]:
    """Result of a system's run, and open human tasks."""
    count = "1 user" if held.users == 1 else f"{held.users} users"
    left_out = f"; {held.left} more left out because their originals failed" if held.left else ""
    yield f"{held.name}: {count}, {held.cases} cases of stress tests{left_out}"
    if held.waiting or held.checks:
        where = f"vivavoce desk {held.study}, then {VERDICTS_PAGE}"
        total, parts = held.waiting + held.checks, _waiting(held.waiting, held.checks)
        yield f"{held.name}: {total} cases need a person's verdict ({parts}): {where}"
    if held.failed:
        yield f"{held.name}: {held.failed} more have no verdict because the system failed at every attempt"
    if held.earlier:
        yield f"{held.name}: {_earlier(held)}"
    yield from (f"{held.name}: {line}" for line in _decided(held))


def _earlier(held: HeldCampaign) -> str:
    """Use of human verdicts on cases of earlier runs: the parts add up."""
    verdict_count = "1 case" if held.earlier == 1 else f"{held.earlier} cases"
    gone = held.earlier - held.carried - held.changed
    parts = [f"{held.carried} with unchanged replies, counted here"]
    if held.changed:
        parts.append(f"{held.changed} with changed replies, to be judged again")
    if gone:
        parts.append(f"{gone} not in this run")
    return f"human verdicts from earlier runs: {verdict_count} ({'; '.join(parts)})"


def _waiting(undecided: int, checks: int) -> str:
    """The parts of what waits, as the report and the pages name them, too."""
    return f"{undecided} undecided, {checks} for a second check"


def _decided(held: HeldCampaign) -> Iterator[str]:
    """Failures, in the words of the report; who decided the cases, and which tests were tried."""
    submission = read_facts(held.dataset.folder).submission
    for run in stress_results(held.dataset)["runs"]:
        if run["system"] == held.name and run["whole"]["decided"]:
            yield from (*shortcomings(run, submission.tells_done), *tests_told(run), decided_by(run))
            yield from tried_told(run)


def told_changes(name: str, found: RunsCompared) -> Iterator[str]:
    """Changes since the previous run, case by case, in the words of the report."""
    if sentences := changes_told(found):
        yield f"{name}: {' '.join(sentences)}"
    for title, case in changed_cases(found):
        row = case.rows[1]
        lost = "; the original now fails too" if case.now == "original_lost" else ""
        yield f"  {title}: {row['test']}, {_short(row['original'])} as {_short(row['text'])}{lost}"


def told_status(one: SystemStatus) -> Iterator[str]:
    """Progress of a system, and its next step."""
    state = f"{one.users} of {one.wanted} users" if one.drafted else "not drafted"
    simulated = " (SIMULATED)" if one.simulated else ""
    yield f"{one.system}: {state}{simulated}"
    if one.simulated and one.visitors:
        people = "1 person" if one.visitors == 1 else f"{one.visitors} people"
        yield f"  {people} started. People are counted once one of them finishes"
    for stage in one.stages:
        yield f"  {'done' if stage.done else 'open'}  {TITLES[stage.name]}{_counted(stage)}"
    if one.next is not None:
        yield f"  waiting for {FOR[one.next.waits_for or 'organiser']}; next: {one.next.command}"
        if one.next.or_command:
            yield f"  or with simulated users: {one.next.or_command}"
    elif one.checks:
        cases = "case" if one.checks == 1 else "cases"
        yield f"  all steps are done; {one.checks} {cases} can still get a second check"
    else:
        yield "  all steps are done"


def _counted(stage: Stage) -> str:
    progress = (
        f": {stage.have} of {stage.wanted}" if stage.wanted else f": {stage.have}" if stage.have else ""
    )
    if stage.name == "verdicts" and stage.done and not stage.wanted:
        progress = ": none needed"
    if stage.left:
        progress += f"; {stage.left} more left out because their originals failed"
    if stage.release:
        progress += f"; release {stage.release}"
    if stage.checked:
        progress += (
            f"; {stage.checked} {'case' if stage.checked == 1 else 'cases'} decided by a rule also judged"
        )
    undecided = stage.wanted - stage.have
    if stage.name == "verdicts" and undecided + stage.checks:
        progress += f"; {undecided + stage.checks} waiting ({_waiting(undecided, stage.checks)})"
    if stage.second:
        variants = "variant needs" if stage.second == 1 else "variants need"
        progress += f"; {stage.second} {variants} a second reviewer"
    return f"{progress}; {REMARKS[stage.note]}" if stage.note else progress


def _short(text: str) -> str:
    flat = " ".join(text.split())
    shortened = flat if len(flat) <= LONGEST else flat[:LONGEST] + "\u2026"
    return f"\u201c{shortened}\u201d"
