"""`recruit plan`, `publish`, `invite`, `subscribe`, `status`, `pause`, `resume`, `stop`, `places`."""

import os
import secrets
from collections import Counter
from secrets import token_hex
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vivavoce.cli.arguments import note
from vivavoce.core.errors import InputError
from vivavoce.core.secrets import names_in
from vivavoce_recruitment.cli.import_results import FirstLog
from vivavoce_recruitment.cli.options import (
    DRY,
    Confirm,
    Json,
    LogUrl,
    Recruiter_,
    StudyFile,
    paid_study,
    tell,
    warn_of_open,
)
from vivavoce_recruitment.ledger import Listing
from vivavoce_recruitment.paid_study import PaidStudy
from vivavoce_recruitment.platform import PaidRecruiter, Platform

if TYPE_CHECKING:
    from vivavoce_recruitment.paid_study import PaidStudy
    from vivavoce_recruitment.platform import Switch


class NoticeSecretMissing(Exception):
    """The environment lacks the secret with which notices are signed; `name` is its name there."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(name)


def make_offer(paid: PaidStudy, platform: Platform) -> str:
    """The platform's word for the study, made there where it is not yet: its mark is on disk before."""
    name, terms = paid.study.name, paid.terms
    assert isinstance(paid.recruiter, PaidRecruiter)
    listing = paid.ledger.begin_listing(
        Listing(
            name,
            paid.name,
            f"{name}-{token_hex(8)}",
            None,
            terms.reward.minor,
            terms.reward.currency,
            terms.places,
            paid.recruiter.codes(),
        )
    )
    if listing.listing is not None:
        return listing.listing
    title = paid.study.title[paid.study.default_language]
    identifier = platform.make_listing(listing, title=title, url=paid.settings.site)
    paid.ledger.name_listing(listing, identifier)
    return identifier


def subscribe_notices(paid: PaidStudy, platform: Platform) -> tuple[str, str]:
    """Address for notices and the subscription's ID, subscribing if necessary.

    Raises  NoticeSecretMissing; InputError: the study file names no secret
    """
    secret_template = getattr(paid.settings, "webhook_secret", None)
    if secret_template is None:
        hint = f"add `webhook_secret: ${{{paid.name.upper()}_WEBHOOK_SECRET}}` under `{paid.name}`"
        raise InputError(
            "the secret for signed notices is not set", place=f"recruitment.{paid.name}", hint=hint
        )
    missing = [name for name in names_in(secret_template) if not os.environ.get(name)]
    if missing:
        raise NoticeSecretMissing(missing[0])
    address = f"{paid.settings.site}/recruiters/{paid.name}/notices"
    return address, platform.subscribe(address)


def plan(study: StudyFile, recruiter: Recruiter_ = None, log: LogUrl = None, as_json: Json = False) -> None:
    """What the trial costs at its declared size, by the hour, and so far; asks nobody."""
    from vivavoce_recruitment.estimate import called_minutes, completed_minutes, estimate
    from vivavoce_recruitment.platform import PricedRecruiter

    with paid_study(study, log, recruiter, kind=PricedRecruiter) as paid:
        minutes = completed_minutes(paid.ledger.log, paid.study.name, paid.name)
        called = called_minutes(paid.ledger.log, paid.study.name, paid.name)
        costs = estimate(paid.terms, minutes, paid.ledger.payments(recruiter=paid.name), called)
    rows = {
        "places": costs.places,
        "rewards": costs.rewards,
        "bonuses (maximum)": costs.bonuses,
        "fee": costs.fee or "unknown: set fee_percent",
        **({"telephone (maximum)": costs.calls} if costs.calls else {}),
        "total": costs.total,
        "minutes (advertised)": costs.minutes,
        "hourly rate (advertised)": costs.hourly_declared,
        "completed visits": costs.visits,
        "minutes (median so far)": costs.median_minutes,
        "hourly rate (so far)": costs.hourly_so_far,
        "paid so far": costs.paid,
        "uncertain": costs.perhaps,
        **({"telephone so far": costs.calls_so_far} if costs.calls_so_far else {}),
    }
    tell(rows, as_json)


def publish(
    study: StudyFile,
    confirm: Confirm = False,
    recruiter: Recruiter_ = None,
    log: LogUrl = None,
    first_log: FirstLog = None,
) -> None:
    """Offer the study on its platform: from then on people come, and each costs money.

    A study that follows another one is offered to those alone who completed that.
    """

    with paid_study(study, log, recruiter) as paid:
        terms, place = paid.terms, paid.recruiter.place
        invited = _invited(paid, first_log)
        audience = f" for {len(invited)} people of the earlier session" if invited is not None else ""
        platform = paid.platform(only=invited)
        if not confirm:
            typer.echo(f"{terms.places} places at {terms.reward} on {place}{audience}; {DRY}")
            return
        identifier = make_offer(paid, platform)
        typer.echo(f"{place}  study {identifier}  {platform.publish(identifier)}")


def _invited(paid: "PaidStudy", first_log: str | None) -> list[str] | None:
    """The platform's keys of those who may come again; None: the study follows no other."""
    from vivavoce_recruitment.cli.import_results import take_over_from_first
    from vivavoce_recruitment.session_links import keys_due, returns

    plan, log = paid.study, paid.ledger.log
    if plan.follow_up is None:
        return None
    take_over_from_first(plan, log, first_log)
    keys = keys_due(returns(log, plan.name, plan.follow_up), paid.name)
    if not keys:
        hint = "run `vivavoce recruit returns STUDY` to see who is due and how they were recruited"
        raise InputError(
            f"no participant recruited through {paid.recruiter.place} can come again",
            place=plan.name,
            hint=hint,
        )
    return keys


def invite(
    study: StudyFile,
    number: Annotated[int, typer.Option("--number", min=1, max=10_000, help="Number of invite links.")],
    address: Annotated[str, typer.Option("--address", help="Base address of the participant pages.")],
    recruiter: Annotated[
        str | None,
        typer.Option("--recruiter", metavar="NAME", help="Recruiter: links or laboratory."),
    ] = None,
    log: LogUrl = None,
) -> None:
    """Print new links, each for one visit or seat. Nobody keeps them: who reads the log cannot use one."""
    from vivavoce.api.studies import open_log, read_study
    from vivavoce_recruitment import links
    from vivavoce_recruitment.laboratory import bookings, standing
    from vivavoce_recruitment.ledger import Ledger

    study_file = read_study(study)
    laboratory = study_file.recruitment.get(bookings.NAME)
    inviting = [links.Links.name] if links.Links.name in study_file.recruitment else []
    inviting += [bookings.NAME] if getattr(laboratory, "invited", False) else []
    if not inviting:
        hint = "add `links: {}` under it, or `invited: true` to its laboratory"
        raise InputError("this study takes no invitations", place=f"{study} recruitment", hint=hint)
    if recruiter not in (None, *inviting):
        hint = f"recruiters with invitations: {', '.join(inviting)}"
        raise InputError(f"{recruiter!r} does not use invitations", place="--recruiter", hint=hint)
    with open_log(study_file, log) as opened:
        if (recruiter or inviting[0]) == links.Links.name:
            new_links = links.invite(Ledger(opened, study_file.name), number, address)
        else:
            tokens = [secrets.token_urlsafe(32) for _ in range(number)]
            bookings.Bookings(opened, study_file.name).invite(tokens)
            new_links = [standing.booking_link(address, token) for token in tokens]
    for link in new_links:
        typer.echo(link)


def status(study: StudyFile, recruiter: Recruiter_ = None, log: LogUrl = None, as_json: Json = False) -> None:
    """Visits by outcome, submissions as the platform last told, payments by state; asks nobody."""
    from vivavoce_recruitment.ledger import OPEN
    from vivavoce_recruitment.platform import PricedRecruiter

    with paid_study(study, log, recruiter, kind=PricedRecruiter) as paid:
        visits = [visit for visit in paid.ledger.log.visits(paid.study.name) if visit.pool == paid.name]
        payments = paid.ledger.payments(recruiter=paid.name)
        listing = paid.ledger.listing(paid.name)
        submission_counts = Counter(
            f"there {submission}" for submission in paid.ledger.submissions(paid.name).values()
        )
    outcomes = Counter(visit.outcome or "running" for visit in visits)
    states = Counter(f"{payment.kind} {payment.state}" for payment in payments)
    rows: dict[str, Any] = {"offered as": listing.listing if listing else None, **_sorted(outcomes)}
    tell({**rows, **_sorted(submission_counts), **_sorted(states)}, as_json)
    warn_of_open([payment for payment in payments if payment.state in OPEN])


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))


def pause(
    study: StudyFile, confirm: Confirm = False, recruiter: Recruiter_ = None, log: LogUrl = None
) -> None:
    """Let nobody new in on the platform; who is there goes on."""
    _switch(study, recruiter, log, "pause", confirm)


def resume(
    study: StudyFile, confirm: Confirm = False, recruiter: Recruiter_ = None, log: LogUrl = None
) -> None:
    """Let people in again on the platform."""
    _switch(study, recruiter, log, "resume", confirm)


def stop(
    study: StudyFile, confirm: Confirm = False, recruiter: Recruiter_ = None, log: LogUrl = None
) -> None:
    """End the offer on the platform, for good; who is there goes on."""
    _switch(study, recruiter, log, "stop", confirm)


def _switch(study: StudyFile, recruiter: str | None, log: str | None, to: "Switch", confirm: bool) -> None:
    with paid_study(study, log, recruiter) as paid:
        identifier = paid.listing
        if not confirm:
            typer.echo(f"{to} study {identifier} on {paid.recruiter.place}; {DRY}")
            return
        typer.echo(f"{paid.recruiter.place}  study {identifier}  {paid.platform().switch(identifier, to)}")


def places(
    study: StudyFile,
    number: Annotated[
        int, typer.Argument(metavar="NUMBER", min=1, max=100_000, help="Total number of places.")
    ],
    confirm: Confirm = False,
    recruiter: Recruiter_ = None,
    log: LogUrl = None,
) -> None:
    """Offer so many places in all; never fewer than before."""
    with paid_study(study, log, recruiter) as paid:
        listing, reward = paid.listed(), paid.terms.reward
        more = number - listing.places
        if more < 0:
            problem = f"{number} is fewer than the {listing.places} places offered"
            raise InputError(
                problem,
                place="NUMBER",
                hint="choose a larger number, or close recruitment with `recruit stop`",
            )
        if not confirm:
            cost = type(reward)(more * reward.minor, reward.currency)
            typer.echo(f"{listing.places} places now, {number} planned: {cost} more in rewards; {DRY}")
            return
        now = paid.platform().set_places(paid.listing, number)
        paid.ledger.set_places(paid.name, now)
        typer.echo(f"{paid.recruiter.place}  study {paid.listing}  {now} places")


def subscribe(
    study: StudyFile, confirm: Confirm = False, recruiter: Recruiter_ = None, log: LogUrl = None
) -> None:
    """Have the platform tell the study's pages how submissions stand; `reconcile` asks for what gets lost."""

    with paid_study(study, log, recruiter) as paid:
        if not confirm:
            typer.echo(f"{paid.recruiter.place} will send notices to {paid.settings.site}; {DRY}")
            return
        platform = paid.platform()
        try:
            address, identifier = subscribe_notices(paid, platform)
        except NoticeSecretMissing as missing:
            typer.echo(f"export {missing.name}={platform.make_notice_secret()}")
            note(
                "shown only once: set it for `vivavoce serve` and for this command, then run "
                "the command again"
            )
            raise typer.Exit(1) from None
        typer.echo(f"{paid.recruiter.place}  notices to {address}  subscription {identifier}")
