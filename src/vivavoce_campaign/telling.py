"""What the terminal says of a campaign: a system that was begun, a try, a run, how far all are."""

from collections.abc import Iterator
from typing import Final

from vivavoce.connectors.asked import Discovery
from vivavoce_campaign.beginning import Begun
from vivavoce_campaign.campaign_file import read_facts
from vivavoce_campaign.document.changes import changed_cases, changes_told
from vivavoce_campaign.dry_run import TryOut
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
    yield f"it says: {_short(found.said)}"
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
        yield f"{len(begun.unmatched)} openings of the log fit no intent, or several; such as:"
        yield from (f"  {_short(one)}" for one in begun.unmatched[:5])


def told_try(found: TryOut) -> Iterator[str]:
    """How a try went, with what should be looked at."""
    turns = "" if found.turns is None else f", {found.turns:g} user turns in the median"
    yield f"{found.system}: {found.dialogues} simulated dialogues{turns}; the system failed in {found.failed}"
    for one in found.intents:
        yield f"  {one.intent} ({one.language}): {one.reached} of {one.dialogues} came to their end"
    for one in found.missed:
        for said, count in (one.again or one.last)[:2]:
            how = "asked more than once" if one.again else "said last"
            yield f"  {one.intent_id} ({one.language}), not at its end: {how} in {count}: {_short(said)}"
    for said, count in found.unanswered:
        yield f"  asked {count} times, and nobody knows an answer: {_short(said)}"
    if found.unanswered:
        yield "  add what it asks for under `entities` of the submission, with its name and values"
    for said, count in found.lost:
        yield f"  not understood, {count} times: {_short(said)}"
    if found.guessed:
        yield (
            f"  by which words the system tells that it is done was guessed for {', '.join(found.guessed)}: "
            "write them as `done` in the submission"
        )


def told_held(held: HeldCampaign) -> Iterator[str]:
    """What came of a system's part, and what waits for a person."""
    count = "1 user" if held.users == 1 else f"{held.users} users"
    left = f"; {held.left} more left out, for their original did not pass" if held.left else ""
    yield f"{held.name}: {count}, {held.cases} cases of stress tests{left}"
    if held.waiting or held.checks:
        where = f"vivavoce desk {held.study}, then {VERDICTS_PAGE}"
        both, parts = held.waiting + held.checks, _waiting(held.waiting, held.checks)
        wait = "waits" if both == 1 else "wait"
        yield f"{held.name}: {both} of them {wait} for a person's verdict ({parts}): {where}"
    if held.failed:
        yield f"{held.name}: {held.failed} more have no verdict, for the system failed at every attempt"
    if held.earlier:
        yield f"{held.name}: {_earlier(held)}"
    yield from (f"{held.name}: {line}" for line in _decided(held))


def _earlier(held: HeldCampaign) -> str:
    """What became of the verdicts that people gave on cases of earlier runs: the parts add up."""
    given = "1 case" if held.earlier == 1 else f"{held.earlier} cases"
    gone = held.earlier - held.carried - held.changed
    parts = [f"{held.carried} answered as before, of which they count here"]
    if held.changed:
        parts.append(f"{held.changed} answered otherwise now, and to be judged anew")
    if gone:
        parts.append(f"{gone} not held in this run")
    return f"people gave verdicts on {given} of earlier runs: {'; '.join(parts)}"


def _waiting(undecided: int, checks: int) -> str:
    """The parts of what waits, as the report and the pages name them, too."""
    return f"{undecided} undecided, {checks} to be checked twice"


def _decided(held: HeldCampaign) -> Iterator[str]:
    """What went wrong, in the words of the report; who decided the cases, and which tests were tried."""
    submission = read_facts(held.dataset.folder).submission
    for run in stress_results(held.dataset)["runs"]:
        if run["system"] == held.name and run["whole"]["decided"]:
            yield from (*shortcomings(run, submission.tells_done), *tests_told(run), decided_by(run))
            yield from tried_told(run)


def told_changes(name: str, found: RunsCompared) -> Iterator[str]:
    """What changed since the run before, case by case, in the words of the report."""
    if told := changes_told(found):
        yield f"{name}: {' '.join(told)}"
    for title, one in changed_cases(found):
        row = one.rows[1]
        lost = "; even the original is not served any more" if one.now == "original_lost" else ""
        yield f"  {title}: {row['test']}, {_short(row['original'])} as {_short(row['text'])}{lost}"


def told_status(one: SystemStatus) -> Iterator[str]:
    """How far a system is, and what is next."""
    state = f"{one.users} of {one.wanted} users" if one.drafted else "not drafted"
    simulated = " (SIMULATED)" if one.simulated else ""
    yield f"{one.system}: {state}{simulated}"
    if one.simulated and one.visitors:
        people = "1 person" if one.visitors == 1 else f"{one.visitors} people"
        yield f"  {people} came, too, and have not finished; people count once one of them has"
    for stage in one.stages:
        yield f"  {'done' if stage.done else 'open'}  {TITLES[stage.name]}{_counted(stage)}"
    if one.next is not None:
        yield f"  waits for {FOR[one.next.waits_for or 'organiser']}; next: {one.next.command}"
        if one.next.or_command:
            yield f"  or with simulated users: {one.next.or_command}"
    elif one.checks:
        cases = "case" if one.checks == 1 else "cases"
        yield f"  all is done, but for {one.checks} {cases} that may be checked twice"
    else:
        yield "  all is done"


def _counted(stage: Stage) -> str:
    told = f": {stage.have} of {stage.wanted}" if stage.wanted else f": {stage.have}" if stage.have else ""
    if stage.name == "verdicts" and stage.done and not stage.wanted:
        told = ": there was none"
    if stage.left:
        told += f"; {stage.left} more left out, for their original did not pass"
    if stage.release:
        told += f"; release {stage.release}"
    if stage.checked:
        told += f"; {stage.checked} that a rule decided {'was' if stage.checked == 1 else 'were'} judged, too"
    undecided = stage.wanted - stage.have
    if stage.name == "verdicts" and undecided + stage.checks:
        wait = "waits" if undecided + stage.checks == 1 else "wait"
        told += f"; {undecided + stage.checks} {wait} ({_waiting(undecided, stage.checks)})"
    if stage.second:
        variants = "variant waits" if stage.second == 1 else "variants wait"
        told += f"; {stage.second} {variants} for a second reviewer"
    return f"{told}; {REMARKS[stage.note]}" if stage.note else told


def _short(text: str) -> str:
    flat = " ".join(text.split())
    shown = flat if len(flat) <= LONGEST else flat[:LONGEST] + "\u2026"
    return f"\u201c{shown}\u201d"
