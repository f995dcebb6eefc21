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


def told_discovery(discovery: Discovery) -> Iterator[str]:
    """The system's reply, and its request and reply formats."""
    yield f"system reply: {_short(discovery.said)}"
    settings = discovery.settings
    yield f"connect: {settings['connect']}"
    for name in ("method", "body", "query"):
        if (setting := settings.get(name)) is not None:
            yield f"request {name}: {', '.join(setting) if isinstance(setting, dict) else setting}"
    if "response" in settings:
        yield "answer: " + ", ".join(f"{name} at {path}" for name, path in settings["response"].items())
    yield from discovery.doubts


def told_begun(setup: Begun) -> Iterator[str]:
    """The files, and what of the log fits nothing."""
    for path in setup.written:
        yield f"wrote {path}"
    if setup.unmatched:
        yield f"{len(setup.unmatched)} opening messages in the log match no intent or several. Examples:"
        yield from (f"  {_short(opening)}" for opening in setup.unmatched[:5])


def told_try(dry_run: TryOut) -> Iterator[str]:
    """Result of a try, with points to check."""
    turns = "" if dry_run.turns is None else f", median {dry_run.turns:g} user turns"
    failures = f"{dry_run.failed} with system errors"
    yield f"{dry_run.system}: {dry_run.dialogues} simulated dialogues{turns}, {failures}"
    for item in dry_run.intents:
        yield f"  {item.intent} ({item.language}): {item.reached} of {item.dialogues} completed"
    for item in dry_run.missed:
        for text, count in (item.again or item.last)[:2]:
            how = "repeated question" if item.again else "last message"
            yield f"  {item.intent_id} ({item.language}), not completed: {how} in {count}: {_short(text)}"
    for text, count in dry_run.unanswered:
        yield f"  unanswered question ({count} times): {_short(text)}"
    if dry_run.unanswered:
        yield "  add the missing detail and its values under `entities` in the submission"
    for text, count in dry_run.lost:
        yield f"  not understood ({count} times): {_short(text)}"
    if dry_run.guessed:
        yield (
            f"  completion phrases were guessed for {', '.join(dry_run.guessed)}: "
            "add them as `done` in the submission"
        )


def told_held(system_run: HeldCampaign) -> Iterator[str]:
    """Result of a system's run, and open human tasks."""
    count = "1 user" if system_run.users == 1 else f"{system_run.users} users"
    left_out = f"; {system_run.left} more skipped because their originals failed" if system_run.left else ""
    yield f"{system_run.name}: {count}, {system_run.cases} cases of stress tests{left_out}"
    if system_run.waiting or system_run.checks:
        where = f"vivavoce desk {system_run.study}, then {VERDICTS_PAGE}"
        total, parts = system_run.waiting + system_run.checks, _waiting(system_run.waiting, system_run.checks)
        yield f"{system_run.name}: {total} cases need a person's verdict ({parts}): {where}"
    if system_run.failed:
        failures = f"{system_run.failed} more have no verdict because the system failed at every attempt"
        yield f"{system_run.name}: {failures}"
    if system_run.earlier:
        yield f"{system_run.name}: {_earlier(system_run)}"
    yield from (f"{system_run.name}: {line}" for line in _decided(system_run))


def _earlier(system_run: HeldCampaign) -> str:
    """Use of human verdicts on cases of earlier runs: the parts add up."""
    verdict_count = "1 case" if system_run.earlier == 1 else f"{system_run.earlier} cases"
    gone = system_run.earlier - system_run.carried - system_run.changed
    parts = [f"{system_run.carried} with unchanged replies, counted here"]
    if system_run.changed:
        parts.append(f"{system_run.changed} with changed replies, to be judged again")
    if gone:
        parts.append(f"{gone} not in this run")
    return f"human verdicts from earlier runs: {verdict_count} ({'; '.join(parts)})"


def _waiting(undecided: int, checks: int) -> str:
    """The parts of what waits, as the report and the pages name them, too."""
    return f"{undecided} undecided, {checks} for a second check"


def _decided(system_run: HeldCampaign) -> Iterator[str]:
    """Failures, in the words of the report; who decided the cases, and which tests were tried."""
    submission = read_facts(system_run.dataset.folder).submission
    for run in stress_results(system_run.dataset)["runs"]:
        if run["system"] == system_run.name and run["whole"]["decided"]:
            yield from (*shortcomings(run, submission.tells_done), *tests_told(run), decided_by(run))
            yield from tried_told(run)


def told_changes(name: str, comparison: RunsCompared) -> Iterator[str]:
    """Changes since the previous run, case by case, in the words of the report."""
    if sentences := changes_told(comparison):
        yield f"{name}: {' '.join(sentences)}"
    for title, case in changed_cases(comparison):
        row = case.rows[1]
        lost = "; the original now fails too" if case.now == "original_lost" else ""
        yield f"  {title}: {row['test']}, {_short(row['original'])} as {_short(row['text'])}{lost}"


def told_status(system_status: SystemStatus) -> Iterator[str]:
    """Progress of a system, and its next step."""
    state = (
        f"{system_status.users} of {system_status.wanted} users" if system_status.drafted else "not drafted"
    )
    simulated = " (SIMULATED)" if system_status.simulated else ""
    yield f"{system_status.system}: {state}{simulated}"
    if system_status.simulated and system_status.visitors:
        people = "1 person" if system_status.visitors == 1 else f"{system_status.visitors} people"
        yield f"  {people} started. People are counted once one of them finishes"
    for stage in system_status.stages:
        yield f"  {'done' if stage.done else 'open'}  {TITLES[stage.name]}{_counted(stage)}"
    if (stage := system_status.next) is not None:
        yield f"  waiting for {FOR[stage.waits_for or 'organiser']}; next: {stage.command}"
        if stage.or_command:
            yield f"  or with simulated users: {stage.or_command}"
    elif system_status.checks:
        cases = "case" if system_status.checks == 1 else "cases"
        yield f"  all steps are done; {system_status.checks} {cases} can still get a second check"
    else:
        yield "  all steps are done"


def _counted(stage: Stage) -> str:
    progress = (
        f": {stage.have} of {stage.wanted}" if stage.wanted else f": {stage.have}" if stage.have else ""
    )
    if stage.name == "verdicts" and stage.done and not stage.wanted:
        progress = ": none needed"
    if stage.left:
        progress += f"; {stage.left} more skipped because their originals failed"
    if stage.release:
        progress += f"; release {stage.release}"
    if stage.checked:
        progress += (
            f"; {stage.checked} {('case' if stage.checked == 1 else 'cases')} decided by a "
            "rule were also judged"
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
