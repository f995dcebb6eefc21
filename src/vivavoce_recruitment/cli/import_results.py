"""`recruit returns`: who of an earlier session is due, who came, who is late, and links for them."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from vivavoce.cli.arguments import note
from vivavoce.core.errors import InputError, UnknownName
from vivavoce_recruitment.cli.options import Json, LogUrl, StudyFile

if TYPE_CHECKING:
    from vivavoce.log.store import Log
    from vivavoce.study.model import Study
    from vivavoce.study.session_link import FollowUp
    from vivavoce_recruitment.session_links import Return

FirstLog = Annotated[
    str | None,
    typer.Option("--first-log", help="Log of the earlier study (default: next to its study file)."),
]


def returning(
    study: StudyFile,
    links: Annotated[
        str | None,
        typer.Option("--links", metavar="ADDRESS", help="Create a link for each person without one."),
    ] = None,
    again: Annotated[
        list[str] | None,
        typer.Option("--again", metavar="PARTICIPANT", help="With --links: a new one for a lost one."),
    ] = None,
    first_log: FirstLog = None,
    log: LogUrl = None,
    as_json: Json = False,
) -> None:
    """List who completed the earlier session: who waits, is due, came, or is late; notes who is new there.

    With --links it prints a personal link for each who may still come. Nobody keeps them.
    """
    from vivavoce.api.studies import open_log, read_study
    from vivavoce_recruitment.session_links import returns

    plan = read_study(study)
    follow_up = followed(plan)
    with open_log(plan, log) as opened:
        take_over_from_first(plan, opened, first_log)
        states = returns(opened, plan.name, follow_up)
        new_links = _links(plan, opened, states, links, again or []) if links is not None else {}
    if as_json:
        typer.echo(json.dumps([_facts(state, new_links) for state in states], indent=2, allow_nan=False))
        return
    for invited_state in states:
        typer.echo(_line(invited_state, new_links))
    counted = Counter(state.stand for state in states if not state.invited.simulated)
    note("people: " + ", ".join(f"{stand} {counted[stand]}" for stand in ("waits", "due", "came", "late")))


def followed(plan: "Study") -> "FollowUp":
    """The earlier session of a study. Raises InputError: it has none."""
    if plan.follow_up is None:
        hint = "add follow_up: {of: ../first, after_days: 7, within_days: 3} to the study file"
        raise InputError("this study has no earlier session", place=f"study {plan.name}", hint=hint)
    return plan.follow_up


@contextmanager
def _first(plan: "Study", url: str | None) -> "Iterator[tuple[Study, Log]]":
    from vivavoce.api.studies import existing_log, read_study

    first = read_study(followed(plan).study_path(plan.folder))
    opened = existing_log(first, url)
    if opened is None:
        hint = "set its log with --first-log, or wait for the first participant"
        raise InputError(f"study {first.name} has no log yet", place=str(first.folder), hint=hint)
    with opened:
        yield first, opened


def take_over_from_first(plan: "Study", log: "Log", url: str | None) -> None:
    """Note who has completed the earlier session. Raises InputError: it is not there, or has no log yet."""
    from vivavoce_recruitment.session_links import take_over

    with _first(plan, url) as (first, opened):
        if first.name == plan.name:
            hint = "give this session another name with `study: NAME`"
            raise InputError(f"both sessions have the name {plan.name!r}", place=str(plan.folder), hint=hint)
        take_over(opened, first.name, log, plan.name)


def _links(
    plan: "Study", log: "Log", found: "Sequence[Return]", address: str, again: Sequence[str]
) -> dict[str, str]:
    from vivavoce_recruitment.personal_links import PersonalLinks, make_links

    if PersonalLinks.name not in plan.recruitment:
        hint = "add `recruitment: {personal_links: {}}` to the study file"
        raise InputError("this study does not use personal links", place=f"study {plan.name}", hint=hint)
    participant_ids = [state.invited.participant_id for state in found]
    for who in again:
        if who not in participant_ids:
            raise UnknownName("participant of the earlier session", who, participant_ids, place="--again")
    invited = [
        state.invited
        for state in found
        if state.stand in ("waits", "due")
        and not state.invited.simulated
        and (not state.invited.linked or state.invited.participant_id in again)
    ]
    return make_links(log, plan.name, invited, address)


def _facts(one: "Return", made: dict[str, str]) -> dict[str, object]:
    who = one.invited
    return {
        "participant_id": who.participant_id,
        "stand": one.stand,
        "recruiter": who.pool,
        "known_as": who.person_key,
        "conditions": list(who.conditions),
        "completed_at": who.completed_at.isoformat(),
        "opens_at": one.opens_at.isoformat(),
        "closes_at": one.closes_at.isoformat() if one.closes_at is not None else None,
        "simulated": who.simulated,
        "outcome": one.outcome,
        "link": made.get(who.participant_id),
    }


def _line(one: "Return", made: dict[str, str]) -> str:
    closes = f" to {one.closes_at:%Y-%m-%d %H:%M}" if one.closes_at is not None else ""
    mark = "SIMULATED  " if one.invited.simulated else ""
    line = f"{mark}{one.invited.participant_id}  {one.stand}  {one.opens_at:%Y-%m-%d %H:%M}{closes} UTC"
    if one.stand == "came":
        line += f"  {one.outcome or 'running'}"
    line += f"  person key: {one.invited.person_key}" if one.invited.person_key is not None else ""
    link = made.get(one.invited.participant_id)
    return f"{line}  {link}" if link is not None else line
