"""What the terminal says of a campaign: a system that was begun, a try, a run, how far all are."""

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
    """What the system said, and how it is asked and read."""
    yield f"system reply: {_short(found.said)}"
    settings = found.settings
    yield f"connect: {settings['connect']}"
    for name in ("method", "body", "query"):
        if (given := settings.get(name)) is not None:
            yield f"request {name}: {', '.join(given) if isinstance(given, dict) else given}"
    if "response" in settings:
        yield "answer: " + ", ".join(f"{name} at {path}" for name, path in settings["response"].items())
    yield from found.doubts


def told_begun(begun: Begun) -> Iterator[str]:
    """The files, and what of the log fits nothing."""
    for path in begun.written:
        yield f"wrote {path}"
    if begun.unmatched:
        yield f"{len(begun.unmatched)} opening messages in the log match no intent or several. Examples:"
        yield from (f"  {_short(one)}" for one in begun.unmatched[:5])


def told_try(found: TryOut) -> Iterator[str]:
    """How a try went, with what should be looked at."""
    turns = "" if found.turns is None else f", median {found.turns:g} user turns"
    yield f"{found.system}: {found.dialogues} simulated dialogues{turns}, {found.failed} with system errors"
    for one in found.intents:
        yield f"  {one.intent} ({one.language}): {one.reached} of {one.dialogues} completed"
    for one in found.missed:
        for said, count in (one.again or one.last)[:2]:
            how = "repeated question" if one.again else "last message"
            yield f"  {one.intent_id} ({one.language}), not completed: {how} in {count}: {_short(said)}"
    for said, count in found.unanswered:
        yield f"  unanswered question ({count} times): {_short(said)}"
    if found.unanswered:
        yield "  add the missing detail and its values under `entities` in the submission"
    for said, count in found.lost:
        yield f"  not understood ({count} times): {_short(said)}"
    if found.guessed:
        yield (
            f"  completion phrases were guessed for {', '.join(found.guessed)}: "
            "add them as `done` in the submission"
        )


def told_held(held: HeldCampaign) -> Iterator[str]:
    """What came of a system's part, and what waits for a person."""
    count = "1 user" if held.users == 1 else f"{held.users} users"
    left = f"; {held.left} more left out because their originals failed" if held.left else ""
    yield f"{held.name}: {count}, {held.cases} cases of stress tests{left}"
    if held.waiting or held.checks:
        where = f"vivavoce desk {held.study}, then {VERDICTS_PAGE}"
        both, parts = held.waiting + held.checks, _waiting(held.waiting, held.checks)
        yield f"{held.name}: {both} cases need a person's verdict ({parts}): {where}"
    if held.failed:
        yield f"{held.name}: {held.failed} more have no verdict because the system failed at every attempt"
    if held.earlier:
        yield f"{held.name}: {_earlier(held)}"
    yield from (f"{held.name}: {line}" for line in _decided(held))


def _earlier(held: HeldCampaign) -> str:
    """What became of the verdicts that people gave on cases of earlier runs: the parts add up."""
    given = "1 case" if held.earlier == 1 else f"{held.earlier} cases"
    gone = held.earlier - held.carried - held.changed
    parts = [f"{held.carried} with unchanged replies, counted here"]
    if held.changed:
        parts.append(f"{held.changed} with changed replies, to be judged again")
    if gone:
        parts.append(f"{gone} not in this run")
    return f"human verdicts from earlier runs: {given} ({'; '.join(parts)})"


def _waiting(undecided: int, checks: int) -> str:
    """The parts of what waits, as the report and the pages name them, too."""
    return f"{undecided} undecided, {checks} for a second check"


def _decided(held: HeldCampaign) -> Iterator[str]:
    """What went wrong, in the words of the report; who decided the cases, and which tests were tried."""
    submission = read_facts(held.dataset.folder).submission
    for run in stress_results(held.dataset)["runs"]:
        if run["system"] == held.name and run["whole"]["decided"]:
            yield from (*shortcomings(run, submission.tells_done), *tests_told(run), decided_by(run))
            yield from tried_told(run)


def told_changes(name: str, found: RunsCompared) -> Iterator[str]:
    """Changes since the previous run, case by case, in the words of the report."""
    if told := changes_told(found):
        yield f"{name}: {' '.join(told)}"
    for title, one in changed_cases(found):
        row = one.rows[1]
        lost = "; the original now fails too" if one.now == "original_lost" else ""
        yield f"  {title}: {row['test']}, {_short(row['original'])} as {_short(row['text'])}{lost}"


def told_status(one: SystemStatus) -> Iterator[str]:
    """How far a system is, and what is next."""
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
    told = f": {stage.have} of {stage.wanted}" if stage.wanted else f": {stage.have}" if stage.have else ""
    if stage.name == "verdicts" and stage.done and not stage.wanted:
        told = ": none needed"
    if stage.left:
        told += f"; {stage.left} more left out because their originals failed"
    if stage.release:
        told += f"; release {stage.release}"
    if stage.checked:
        told += f"; {stage.checked} {'case' if stage.checked == 1 else 'cases'} decided by a rule also judged"
    undecided = stage.wanted - stage.have
    if stage.name == "verdicts" and undecided + stage.checks:
        told += f"; {undecided + stage.checks} waiting ({_waiting(undecided, stage.checks)})"
    if stage.second:
        variants = "variant needs" if stage.second == 1 else "variants need"
        told += f"; {stage.second} {variants} a second reviewer"
    return f"{told}; {REMARKS[stage.note]}" if stage.note else told


def _short(text: str) -> str:
    flat = " ".join(text.split())
    shown = flat if len(flat) <= LONGEST else flat[:LONGEST] + "\u2026"
    return f"\u201c{shown}\u201d"
