"""`vivavoce recruit`: what a trial costs, offering it, paying people, and what became of each payment."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vivavoce.cli.progress import note
from vivavoce.core.errors import InputError

if TYPE_CHECKING:
    from vivavoce.study.model import Study
    from vivavoce_recruitment.ledger import Ledger, Listing, Payment
    from vivavoce_recruitment.payment import RecordedWork
    from vivavoce_recruitment.platform import PaidRecruiter, Platform, Terms

app = typer.Typer(no_args_is_help=True)
Study_ = Annotated[Path, typer.Argument(metavar="STUDY", help="Study file, or its folder.")]
LogUrl = Annotated[str | None, typer.Option("--log", help="Log: sqlite:/// or postgresql://.")]
Confirm = Annotated[bool, typer.Option("--confirm", help="Do it; without, only what would be done is told.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
DRY = "nothing was done: add --confirm"


@app.callback()
def _recruit() -> None:
    """Where participants come from, what they are paid, and what became of every payment."""


@dataclass(frozen=True)
class _Paid:
    """A study's recruiter that pays, with all that its verbs need."""

    study: "Study"
    recruiter: "PaidRecruiter"
    settings: Any
    ledger: "Ledger"
    stack: ExitStack

    @property
    def name(self) -> str:
        return self.recruiter.name

    @property
    def terms(self) -> "Terms":
        return self.recruiter.terms(self.settings)

    def platform(self) -> "Platform":
        return self.stack.enter_context(closing(self.recruiter.open(self.settings)))

    def listed(self) -> "Listing":
        """Raises  InputError: the study is not offered yet"""
        found = self.ledger.listing(self.name)
        if found is None or found.listing is None:
            hint = "run `vivavoce recruit publish STUDY --confirm` first"
            raise InputError(f"{self.study.name} is not offered at {self.recruiter.place}", hint=hint)
        return found

    def work(self, platform: "Platform") -> list["RecordedWork"]:
        from vivavoce_recruitment.payment import judged

        submissions = platform.submissions(self.listed().listing or "")
        return judged(self.ledger.log, self.study.name, self.name, submissions)


@contextmanager
def _paid(path: Path, url: str | None) -> Iterator[_Paid]:
    """What a study's recruiter that pays needs, while the block lasts.

    Raises  InputError: the study has none; also in the place of what a platform did not do
    """
    from vivavoce.api.studies import open_log, read_study
    from vivavoce.study.recruiter import RECRUITERS
    from vivavoce_recruitment.ledger import Ledger
    from vivavoce_recruitment.platform import PaidRecruiter, PlatformError

    study = read_study(path)
    found = [RECRUITERS.get(name) for name in study.recruitment]
    paying = [one for one in found if isinstance(one, PaidRecruiter)]
    if not paying:
        hint = "add such as `prolific: {reward: 2.00 GBP, places: 20, ...}` under `recruitment`"
        raise InputError("nobody is paid in this study", place=f"{path} recruitment", hint=hint)
    recruiter = paying[0]
    settings = study.recruitment[recruiter.name]
    with open_log(study, url) as log, ExitStack() as stack:
        try:
            yield _Paid(study, recruiter, settings, Ledger(log, study.name), stack)
        except PlatformError as error:
            hint = "look with `vivavoce recruit status`, then run it again: nothing is paid twice"
            raise InputError(str(error), place=recruiter.place, hint=hint) from None


@app.command("plan", short_help="What the trial costs.")
def plan(study: Study_, log: LogUrl = None, as_json: Json = False) -> None:
    """What the trial costs at its declared size, by the hour, and so far; asks nobody."""
    from vivavoce_recruitment.estimate import completed_minutes, estimate

    with _paid(study, log) as paid:
        minutes = completed_minutes(paid.ledger.log, paid.study.name, paid.name)
        found = estimate(paid.terms, minutes, paid.ledger.payments(recruiter=paid.name))
    rows = {
        "places": found.places, "rewards": found.rewards, "bonuses, at most": found.bonuses,
        "fee": found.fee or "not known: set fee_percent", "total": found.total,
        "minutes, as told": found.minutes, "by the hour, as told": found.hourly_declared,
        "completed visits": found.visits, "minutes, median so far": found.median_minutes,
        "by the hour, so far": found.hourly_so_far, "paid so far": found.paid, "perhaps paid": found.perhaps,
    }  # fmt: skip
    _tell(rows, as_json)


def _tell(rows: dict[str, Any], as_json: bool) -> None:
    plain = {key: str(one) if isinstance(one, tuple) else one for key, one in rows.items()}
    if as_json:
        typer.echo(json.dumps(plain, ensure_ascii=False))
        return
    for key, one in plain.items():
        shown = "none yet" if one is None else f"{one:.1f}" if isinstance(one, float) else one
        typer.echo(f"{key:24}{shown}")


@app.command("publish", short_help="Offer the study to people.")
def publish(study: Study_, confirm: Confirm = False, log: LogUrl = None) -> None:
    """Offer the study on its platform: from then on people come, and each costs money."""
    from secrets import token_hex

    from vivavoce_recruitment.ledger import Listing

    with _paid(study, log) as paid:
        terms, name = paid.terms, paid.study.name
        if not confirm:
            typer.echo(f"{terms.places} places at {terms.reward} on {paid.recruiter.place}; {DRY}")
            return
        platform = paid.platform()
        listing = paid.ledger.begin_listing(
            Listing(name, paid.name, f"{name}-{token_hex(8)}", None, terms.reward.minor,
                    terms.reward.currency, terms.places, paid.recruiter.codes())
        )  # fmt: skip
        identifier = listing.listing
        if identifier is None:
            title = paid.study.title[paid.study.default_language]
            identifier = platform.make_listing(listing, title=title, url=paid.settings.site)
            paid.ledger.name_listing(listing, identifier)
        typer.echo(f"{paid.recruiter.place}  study {identifier}  {platform.publish(identifier)}")


@app.command("invite", short_help="Make invitations.")
def invite(
    study: Study_,
    number: Annotated[int, typer.Option("--number", min=1, max=10_000, help="How many.")],
    address: Annotated[str, typer.Option("--address", help="Where the participants' pages stand.")],
    log: LogUrl = None,
) -> None:
    """Print new links, each for one visit. Nobody keeps them: whoever reads the log cannot use one."""
    from vivavoce.api.studies import open_log, read_study
    from vivavoce_recruitment import links
    from vivavoce_recruitment.ledger import Ledger

    found = read_study(study)
    if links.Links.name not in found.recruitment:
        raise InputError(
            "this study takes no invitations", place=f"{study} recruitment", hint="add `links: {}` under it"
        )
    with open_log(found, log) as opened:
        for link in links.invite(Ledger(opened, found.name), number, address):
            typer.echo(link)


@app.command("status", short_help="Who came, and what was paid.")
def status(study: Study_, log: LogUrl = None, as_json: Json = False) -> None:
    """Visits by outcome and payments by state, with everything that is perhaps paid; asks nobody."""
    from vivavoce_recruitment.ledger import OPEN

    with _paid(study, log) as paid:
        visits = [one for one in paid.ledger.log.visits(paid.study.name) if one.pool == paid.name]
        payments = paid.ledger.payments(recruiter=paid.name)
        listing = paid.ledger.listing(paid.name)
    came = Counter(visit.outcome or "running" for visit in visits)
    states = Counter(f"{one.kind} {one.state}" for one in payments)
    rows: dict[str, Any] = {"offered as": listing.listing if listing else None, **sorted_counts(came)}
    _tell({**rows, **sorted_counts(states)}, as_json)
    _warn([one for one in payments if one.state in OPEN])


def sorted_counts(counts: Counter[str]) -> dict[str, int]:
    """Counts by name, in the order of names."""
    return dict(sorted(counts.items()))


def _warn(perhaps: "list[Payment]") -> None:
    for one in perhaps:
        told = f"perhaps paid: {one.payment_id}  {one.kind} {one.reason}  {one.amount}  {one.ticket}"
        note(f"{told}  ({one.note or 'the program stopped while it was sent'})")
    if perhaps:
        note("none of these is sent again; run `reconcile`, look at the platform, then `settle` each")


@app.command("approve", short_help="Pay the rewards.")
def approve(
    study: Study_,
    confirm: Confirm = False,
    only: Annotated[list[str] | None, typer.Option("--only", help="One submission; may be repeated.")] = None,
    log: LogUrl = None,
) -> None:
    """Approve the submissions whose visit was completed by our own record, whatever code was entered."""
    from vivavoce_recruitment.payment import pay_rewards, rewards_due

    with _paid(study, log) as paid:
        platform = paid.platform()
        work = paid.work(platform)
        due = [one for one in rewards_due(work, paid.terms) if not only or one[0] in only]
        for one in work:
            if one.submission.status == "submitted" and one.outcome != "completed":
                note(f"not proposed: {one.submission.ticket}  our record says {one.outcome}")
        if confirm:
            planned = paid.ledger.plan(paid.name, paid.listed().listing or "", "reward", due)
            tickets = {ticket for ticket, _, _ in due}
            pay_rewards(paid.ledger, platform, [one for one in planned if one.ticket in tickets])
        _report(paid, "reward", due, confirm)


@app.command("bonus", short_help="Pay the bonuses.")
def bonus(study: Study_, confirm: Confirm = False, log: LogUrl = None) -> None:
    """Pay what approved participants have earned on top by the study's rules."""
    from vivavoce_recruitment.payment import bonuses_due, pay_bonuses

    with _paid(study, log) as paid:
        platform = paid.platform()
        due = bonuses_due(paid.work(platform), paid.terms)
        if confirm:
            listing = paid.listed().listing or ""
            paid.ledger.plan(paid.name, listing, "bonus", due)
            pay_bonuses(paid.ledger, platform, paid.name, listing)
        _report(paid, "bonus", due, confirm)


def _report(paid: _Paid, kind: str, due: list[tuple[str, str, Any]], confirm: bool) -> None:
    """What became of what is due; the exit code is 1 where something is perhaps paid, or was refused."""
    from vivavoce_recruitment.ledger import OPEN

    known = {(one.ticket, one.reason): one for one in paid.ledger.payments(recruiter=paid.name)}
    for ticket, reason, amount in due:
        one = known.get((ticket, reason))
        typer.echo(f"{ticket}  {reason}  {amount}  {one.state if one is not None else 'due'}")
    if not confirm:
        typer.echo(DRY)
        return
    mine = [one for one in known.values() if one.kind == kind]
    _warn([one for one in mine if one.state in OPEN])
    for one in mine:
        if one.state == "refused":
            note(f"refused: {one.payment_id}  {one.ticket}  {one.note}")
    if any(one.state in OPEN or one.state == "refused" for one in mine):
        raise typer.Exit(1)


@app.command("reconcile", short_help="Compare ledger, platform and log.")
def compare(study: Study_, log: LogUrl = None, as_json: Json = False) -> None:
    """Find what was paid of what is perhaps paid, and hold ledger, platform and log against each other."""
    from vivavoce_recruitment.payment import reconcile

    with _paid(study, log) as paid:
        found = reconcile(paid.ledger, paid.name, paid.terms, paid.work(paid.platform()))
    _tell(
        {"paid by the ledger": found.ledger, "paid by the platform": found.platform,
         "accepted, not shown yet": len(found.under_way), "perhaps paid": len(found.open),
         "different sums": len(found.differences), "submitted, no visit": len(found.unvisited),
         "visits, no submission": found.unlisted, "agrees": found.agrees},
        as_json,
    )  # fmt: skip
    for ticket, (ours, theirs) in found.differences.items():
        note(f"different sums: {ticket}  ledger {ours}  platform {theirs}")
    for ticket in found.unvisited:
        note(f"submitted, no visit: {ticket}")
    _warn(list(found.open))
    if not found.agrees:
        raise typer.Exit(1)


@app.command("settle", short_help="Say what became of a payment.")
def settle(
    study: Study_,
    payment: Annotated[str, typer.Argument(metavar="PAYMENT", help="As `status` names it.")],
    paid: Annotated[bool, typer.Option("--paid/--not-paid", help="What you saw at the platform.")],
    log: LogUrl = None,
) -> None:
    """Say of a payment that is perhaps paid, or was refused, whether it was; what was not is due again."""
    from vivavoce_recruitment.ledger import OPEN

    with _paid(study, log) as opened:
        known = {one.payment_id: one for one in opened.ledger.payments(recruiter=opened.name)}
        found = known.get(payment)
        if found is None or (found.state not in OPEN and found.state != "refused"):
            problem = f"{payment!r} is {found.state}" if found else f"no payment {payment!r}"
            raise InputError(problem, place="ledger", hint="take one that `recruit status` lists as open")
        [now] = opened.ledger.move([found], "confirmed" if paid else "planned", note="settled by a person")
    typer.echo(f"{now.payment_id}  {now.state}")
