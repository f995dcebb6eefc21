"""Verbs of campaigns: from submissions of several teams to a report on each system."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vivavoce.cli.arguments import note, progress
from vivavoce.core.result import as_json as plain
from vivavoce.core.terminal import FittedTable as Table
from vivavoce.reports.language import MISSING, coefficient, span

if TYPE_CHECKING:
    from vivavoce_campaign.document.evaluation import StressFigures, SystemFigures
    from vivavoce_campaign.greeting import Greeting
    from vivavoce_campaign.new_campaign import Described
    from vivavoce_campaign.reports import CampaignFigures

app = typer.Typer(no_args_is_help=True)
Folder_ = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the campaign.")]
System_ = Annotated[list[str], typer.Option("--system", help="System to use. Repeatable (default all).")]
Release_ = Annotated[str | None, typer.Option("--release", help="Name of the system's release.")]
Pdf_ = Annotated[bool, typer.Option("--pdf/--no-pdf", help="Also write PDF reports.")]
Json_ = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]


@app.callback()
def _campaign() -> None:
    """Run an IDIAL evaluation campaign: submissions, trials, stress tests and a report per system."""


@app.command("init")
def init(
    folder: Folder_,
    name: Annotated[
        str | None, typer.Option("--name", help="Campaign name; with --system, the system name.")
    ] = None,
    system: Annotated[
        str | None, typer.Option("--system", help="Address of a bot to test and submit.")
    ] = None,
    intent: Annotated[
        list[str],
        typer.Option(
            "--intent",
            help="User goal: 'borrow {title} [card number]'. Separate languages with ' / '; add "
            "a completion phrase with '=> phrase'.",
        ),
    ] = [],  # noqa: B006 - typer reads it, nobody changes it
    entity: Annotated[
        list[str],
        typer.Option("--entity", help="Slot and its values: 'author: Elena Ferrante; Italo Calvino'."),
    ] = [],  # noqa: B006 - typer reads it, nobody changes it
    logged: Annotated[
        Path | None, typer.Option("--log", help="Logged interactions as JSON Lines, one turn per line.")
    ] = None,
    languages: Annotated[
        str, typer.Option("--languages", help="Languages of the system, separated by commas.")
    ] = "en",
    team: Annotated[str, typer.Option("--team", help="Team that submits the system.")] = "own team",
    domain: Annotated[
        str | None, typer.Option("--domain", help="Topics that the system covers (default: the intents).")
    ] = None,
    spoken: Annotated[bool, typer.Option("--spoken", help="Users talk to the system by voice.")] = False,
) -> None:
    """Create a campaign on the bundled systems or on a system at an address.

    Nothing that is there is written over; further systems are added by the same command.
    """
    if system is None:
        from vivavoce_campaign.setup import write_campaign

        for path in write_campaign(folder, name):
            note(f"wrote {path}")
        note(f"next: vivavoce campaign check {folder}")
        return
    from vivavoce_campaign.new_campaign import Described, openings_in

    spoken_in = [tag.strip() for tag in languages.split(",") if tag.strip()]
    described = Described(
        name=name or "system",
        team=team,
        domain=domain or "",
        languages=spoken_in,
        intents=intent,
        entities=entity,
        spoken=spoken,
        logged=openings_in(logged) if logged else (),
    )
    _begin(folder, described, system)


def _begin(folder: Path, described: "Described", url: str) -> None:
    import asyncio

    from vivavoce_campaign.messages import told_begun, told_discovery
    from vivavoce_campaign.new_campaign import begin_at

    discovery, setup = asyncio.run(begin_at(folder, described, url))
    for line in (*told_discovery(discovery), *told_begun(setup)):
        note(line)
    note(f"next: check the submission and the tasks, then run vivavoce campaign try {folder}")


@app.command("try", short_help="Try systems with a few simulated users.")
def try_system(
    folder: Folder_,
    system: System_ = [],  # noqa: B006 - typer reads it, nobody changes it
    users: Annotated[
        int, typer.Option("--users", min=1, max=100, help="Simulated users per system and language.")
    ] = 3,
    as_json: Json_ = False,
) -> None:
    """Run dialogues between systems and a few simulated users drafted from the submissions.

    Use it to check that tasks can be completed. The dialogues do not count in results.
    """
    from vivavoce_campaign.campaign_file import load_campaign
    from vivavoce_campaign.drafts import draft as write
    from vivavoce_campaign.dry_run import try_out
    from vivavoce_campaign.messages import told_try

    campaign = load_campaign(folder)
    facts = []
    for submission in _chosen(campaign, system):
        for path in write(campaign, submission):
            note(f"wrote {path}")
        with progress(f"{submission.submission}: simulated dialogues") as moved:
            dry_run = try_out(campaign, submission, moved, users=users)
        facts.append(dry_run)
        for line in () if as_json else told_try(dry_run):
            typer.echo(line)
    if as_json:
        typer.echo(json.dumps({"systems": plain(facts)}, indent=2, ensure_ascii=False))
    note(f"next: vivavoce campaign status {folder}")


@app.command("check")
def check(
    folder: Folder_,
    bots: Annotated[
        bool, typer.Option("--bots/--no-bots", help="Test the connection to every system.")
    ] = True,
    as_json: Json_ = False,
) -> None:
    """Check the campaign and its submissions, and test the connection to every system."""
    from vivavoce_campaign.campaign_file import check_campaign
    from vivavoce_campaign.setup import check_systems

    campaign, problems = check_campaign(folder)
    problems += check_systems(campaign) if campaign else []
    greeted = _greeted(campaign) if campaign and bots and not problems else []
    failed = [greeting for greeting in greeted if not greeting.came.ok]
    if as_json:
        typer.echo(json.dumps({"problems": list(map(str, problems)), "systems": plain(greeted)}, indent=2))
    else:
        for problem in problems:
            typer.echo(str(problem))
        for greeting in greeted:
            typer.echo(f"{greeting.system}: {'answers' if greeting.came.ok else greeting.came.problem}")
        if not problems and not failed:
            typer.echo(f"{folder}: ready")
    if problems or failed:
        raise typer.Exit(2 if problems else 1)


@app.command("draft")
def draft(folder: Folder_, system: System_ = []) -> None:  # noqa: B006 - typer reads it, nobody changes it
    """Write missing parts of each system's study: instructions, tasks, steps. Existing files stay
    unchanged.
    """
    from vivavoce_campaign.campaign_file import load_campaign
    from vivavoce_campaign.drafts import draft as write

    campaign = load_campaign(folder)
    for submission in _chosen(campaign, system):
        for path in write(campaign, submission):
            note(f"wrote {path}")


@app.command("run", short_help="Run trial, stress tests and reports for every system.")
def run(
    folder: Folder_,
    system: System_ = [],  # noqa: B006 - typer reads it, nobody changes it
    people: Annotated[
        bool, typer.Option("--people", help="Use the participants' data instead of simulated users.")
    ] = False,
    error_rate: Annotated[
        float | None,
        typer.Option(
            "--word-error-rate",
            min=0,
            max=0.9,
            help="Word error rate of simulated users (default .05 for voice, 0 for text).",
        ),
    ] = None,
    users: Annotated[
        int | None, typer.Option("--users", min=1, help="Simulated users per system, for a trial run.")
    ] = None,
    release: Release_ = None,
    pdf: Pdf_ = True,
    as_json: Json_ = False,
) -> None:
    """Run all stages for every system: users (simulated unless --people), stress tests, dataset, reports.

    Completed stages are skipped.
    """
    from vivavoce_campaign.campaign_file import load_campaign
    from vivavoce_campaign.drafts import draft as write
    from vivavoce_campaign.messages import told_held
    from vivavoce_campaign.runs import run_system

    campaign = load_campaign(folder)
    facts: list[dict[str, Any]] = []
    for submission in _chosen(campaign, system):
        write(campaign, submission)
        system_run = run_system(
            campaign,
            submission,
            progress,
            simulate=not people,
            word_error_rate=error_rate,
            release=release,
            users=users,
        )
        for line in told_held(system_run):
            note(line)
        facts.append(
            {
                "system": system_run.name,
                "users": system_run.users,
                "cases": system_run.cases,
                "left": system_run.left,
                "waiting": system_run.waiting,
                "checks": system_run.checks,
            }
        )
    _report(campaign, system, pdf)
    if as_json:
        typer.echo(json.dumps({"systems": facts}, indent=2))


@app.command("retest", short_help="Rerun the stress tests on a new release.")
def retest(
    folder: Folder_,
    system: System_ = [],  # noqa: B006 - typer reads it, nobody changes it
    release: Release_ = None,
    pdf: Pdf_ = True,
    as_json: Json_ = False,
) -> None:
    """Rerun the same stress tests on the current systems and list changes by case.

    Uses the cases of the last run, with the variants approved then. Rebuilds the reports.
    """
    from vivavoce_campaign.campaign_file import load_campaign
    from vivavoce_campaign.messages import told_changes, told_held
    from vivavoce_campaign.runs import retest_system
    from vivavoce_stress.releases import compare_last_runs

    campaign = load_campaign(folder)
    facts: list[dict[str, Any]] = []
    for submission in _chosen(campaign, system):
        system_run = retest_system(campaign, submission, progress, release=release)
        compared = compare_last_runs(system_run.dataset, system_run.name)
        for line in told_held(system_run):
            note(line)
        for line in () if as_json or compared is None else told_changes(system_run.name, compared):
            typer.echo(line)
        facts.append({"system": system_run.name, "compared": plain(compared)})
    _report(campaign, system, pdf)
    if as_json:
        typer.echo(json.dumps({"systems": facts}, indent=2, ensure_ascii=False, default=str))


def _chosen(campaign: Any, names: list[str]) -> list[Any]:
    return [campaign.submission(name) for name in names] if names else list(campaign.submissions)


def _greeted(campaign: Any) -> "list[Greeting]":
    from vivavoce_campaign.greeting import greet

    return [greet(campaign, submission) for submission in campaign.submissions]


@app.command("report")
def report(
    folder: Folder_,
    system: System_ = [],  # noqa: B006 - typer reads it, nobody changes it
    pdf: Pdf_ = True,
) -> None:
    """Rebuild the reports from the datasets, including new human verdicts."""
    from vivavoce_campaign.campaign_file import load_campaign

    _report(load_campaign(folder), system, pdf)


@app.command("score")
def score(folder: Folder_, as_json: Json_ = False) -> None:
    """Show results per system: three aspects, stress tests, users. Systems are not ranked."""
    from vivavoce_campaign.campaign_file import load_campaign
    from vivavoce_campaign.reports import campaign_figures

    facts = campaign_figures(load_campaign(folder))
    if as_json:
        typer.echo(json.dumps(plain(facts), indent=2, ensure_ascii=False, allow_nan=False))
        return
    from rich.console import Console

    Console().print(figures_table(facts))


@app.command("status")
def status(folder: Folder_, as_json: Json_ = False) -> None:
    """Show progress per system, pending work and the next command."""
    from vivavoce_campaign.campaign_file import load_campaign
    from vivavoce_campaign.messages import told_status
    from vivavoce_campaign.setup import status as look

    facts = look(load_campaign(folder))
    if as_json:
        typer.echo(json.dumps({"systems": plain(facts)}, indent=2, ensure_ascii=False))
        return
    for fact in facts:
        for line in told_status(fact):
            typer.echo(line)


def _report(campaign: Any, names: list[str], pdf: bool) -> None:
    from vivavoce_campaign.reports import write_reports

    chosen = [submission.submission for submission in _chosen(campaign, names)]
    with progress("reports") as moved:
        for path in write_reports(campaign, chosen, pdf=pdf, progress=moved):
            note(f"report   {path}")


@app.command("answers", short_help="Show team feedback on the evaluation.")
def answers(
    folder: Folder_,
    sheets: Annotated[bool, typer.Option("--sheets", help="Write missing answer sheets for teams.")] = False,
    language: Annotated[str, typer.Option("--language", help="Language of the sheets.")] = "en",
    as_json: Json_ = False,
) -> None:
    """Summarise the teams' feedback, or write answer sheets for them."""
    from vivavoce_campaign.answers import sheet, summary
    from vivavoce_campaign.campaign_file import load_campaign
    from vivavoce_campaign.places import answers_folder

    campaign = load_campaign(folder)
    if sheets:
        place = answers_folder(folder) / "sheets"
        place.mkdir(parents=True, exist_ok=True)
        for submission in campaign.submissions:
            path = place / f"{submission.submission}.yaml"
            if not path.exists():
                path.write_text(sheet(submission.submission, language), encoding="utf-8")
                note(f"wrote {path}")
        return
    facts = summary(campaign)
    if as_json:
        typer.echo(json.dumps(plain(facts), indent=2, ensure_ascii=False))
        return
    typer.echo(f"{facts.n} of {facts.asked} teams answered")
    for key in ("questionnaire", "stress_tests", "again"):
        counts = getattr(facts, key).items()
        typer.echo(f"{key}: " + (", ".join(f"{code}: {n}" for code, n in counts) or "no answer"))
    for key, texts in facts.texts.items():
        for system, text in texts.items():
            typer.echo(f"{key}, {system}: {text}")


@app.command("export")
def export(
    folder: Folder_,
    out: Annotated[Path, typer.Option("--out", help="ZIP archive to write.")],
) -> None:
    """Export the whole campaign as one archive, without connector settings."""
    from vivavoce_campaign.archive import export_campaign
    from vivavoce_campaign.campaign_file import load_campaign

    exported = export_campaign(load_campaign(folder), out)
    note(f"wrote {len(exported)} files to {out}")


@app.command("serve")
def serve(
    folder: Folder_,
    host: Annotated[str, typer.Option("--host", help="Listen address.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="Listen port.")] = 8002,
    secure_cookies: Annotated[
        bool,
        typer.Option("--secure-cookies", help="Send cookies over HTTPS only. Use it behind a TLS proxy."),
    ] = False,
) -> None:
    """Serve the campaign pages to the organiser and teams."""
    serve_campaign(folder, host=host, port=port, secure_cookies=secure_cookies)


@app.command("commands-begin", short_help="Create a shared task on command understanding.")
def commands_begin(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the shared task.")],
    dataset: Annotated[Path, typer.Option("--from", help="Dataset of annotated commands.")],
    name: Annotated[str, typer.Option("--name", help="Name of the shared task.")] = "commands",
) -> None:
    """Create a blind test set and its reference from annotated commands."""
    from vivavoce.dataset.reader import Dataset
    from vivavoce_campaign.shared_task import begin

    note(
        f"{begin(folder, Dataset(dataset), name)} commands; give teams {folder / 'test'} and "
        "keep the reference private"
    )


@app.command("commands-score", short_help="Score the teams of a shared task and write a leaderboard.")
def commands_score(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the shared task.")],
    page: Annotated[Path | None, typer.Option("--page", help="Leaderboard as HTML or PDF.")] = None,
    language: Annotated[str, typer.Option("--language", help="Language of the page.")] = "en",
    export: Annotated[Path | None, typer.Option("--export", help="ZIP archive of everything.")] = None,
    as_json: Json_ = False,
) -> None:
    """Score every team's answers against the reference, best first."""
    from vivavoce_campaign.shared_task import export_all, standings

    facts = standings(folder)
    if page is not None:
        from vivavoce.reports.html import save
        from vivavoce_campaign.document.leaderboard import compose_leaderboard

        note(f"leaderboard  {save(compose_leaderboard(facts, words=language), page)}")
    if export is not None:
        note(f"wrote {len(export_all(folder, export, facts))} files to {export}")
    if as_json:
        typer.echo(json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False))
        return
    for team in facts["teams"]:
        value = team["corpus"][facts["ranked_by"]]
        share = "–" if value is None else f"{100 * value:.1f}%"
        unranked = (
            f"; no answers for {', '.join(team['missing_speakers'])}: not ranked"
            if team["missing_speakers"]
            else ""
        )
        typer.echo(f"{team['rank'] or '-'}  {team['team']}  {share}{unranked}")


ACCOUNTS = "accounts.sqlite"


def serve_campaign(folder: Path, *, host: str, port: int, secure_cookies: bool) -> None:
    """Serve until stopped; the organiser's link is printed first.

    A folder in which there is no campaign yet opens with its beginning.
    Raises  InputError: the campaign's file is wrong; there is no such folder
    """
    import uvicorn

    from vivavoce.core.errors import InputError
    from vivavoce.dashboard.access import first_link
    from vivavoce.log.store import Log
    from vivavoce_campaign.campaign_file import CAMPAIGN_FILE, check_settings
    from vivavoce_campaign.pages import create_campaign_desk

    if (folder / CAMPAIGN_FILE).exists():
        _, problems = check_settings(folder)
        if problems:
            raise problems[0].error()
    elif not folder.is_dir():
        raise InputError("folder not found", place=str(folder), hint=f"create it: mkdir {folder}")
    with Log.open(f"sqlite:///{(folder / ACCOUNTS).resolve()}") as log:
        note(f"organiser  {first_link(log, f'http://{host}:{port}')}")
        app = create_campaign_desk(folder, log, secure_cookies=secure_cookies)
        config = uvicorn.Config(
            app,
            host=host,
            port=port,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=3,
        )
        uvicorn.Server(config).run()


def figures_table(facts: "CampaignFigures") -> Table:
    """One row a system, in the order of their names; nothing is ranked. Eighty columns hold it whole."""
    table = Table(title=f"Campaign {facts.campaign}", box=None, padding=(0, 1, 1, 0))
    for name in (
        "system",
        "users",
        "task completion",
        "effectiveness",
        "satisfaction",
        "stress tests",
        "groups",
    ):
        table.add_column(name, justify="left" if name == "system" else "right", overflow="fold")
    for system in facts.systems:
        means = [coefficient(aspect.mean) for aspect in system.aspects]
        table.add_row(_name(system), str(system.people.finished), *means, *_stress(system.stress))
    return table


def _name(figures: "SystemFigures") -> str:
    return f"{figures.system}\n(simulated: answers invented)" if figures.simulated else figures.system


def _stress(stress: "StressFigures | None") -> tuple[str, str]:
    from vivavoce_stress.blocks import share_told

    if stress is None or stress.worst is None:
        return MISSING, MISSING
    limits = span(stress.low, stress.high).replace(" to ", " to\n")
    share, mean = (
        share_told(asdict(stress), name, coefficient).replace(" to ", " to\n")
        for name in ("ratio", "mean_of_groups")
    )
    more = f"\n{stress.open} open" if stress.open else ""
    return f"{share}\n{stress.passed} of {stress.applied}{more}\n{limits} %", mean
