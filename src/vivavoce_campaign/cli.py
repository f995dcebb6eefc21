"""Verbs of campaigns: from submissions of several teams to a report on each system."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vivavoce.cli.progress import note, progress
from vivavoce.core.result import as_json as plain
from vivavoce.core.terminal import FittedTable as Table
from vivavoce.report.numbers import MISSING, coefficient, span

if TYPE_CHECKING:
    from vivavoce_campaign.beginning import Described
    from vivavoce_campaign.document.evaluation import StressFigures, SystemFigures
    from vivavoce_campaign.greeting import Greeting
    from vivavoce_campaign.reports import CampaignFigures

app = typer.Typer(no_args_is_help=True)
Folder_ = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the campaign.")]
System_ = Annotated[list[str], typer.Option("--system", help="Only this one; may be given several times.")]
Release_ = Annotated[str | None, typer.Option("--release", help="What the system's release is called.")]
Pdf_ = Annotated[bool, typer.Option("--pdf/--no-pdf", help="Write the reports as PDF, too.")]
Json_ = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]


@app.callback()
def _campaign() -> None:
    """An evaluation campaign after IDIAL: submissions, trials, stress tests, a report on each system."""


@app.command("init")
def init(
    folder: Folder_,
    name: Annotated[
        str | None, typer.Option("--name", help="Name of the campaign; with --system, of the system.")
    ] = None,
    system: Annotated[
        str | None, typer.Option("--system", help="Address of a bot: it is said hello to, and submitted.")
    ] = None,
    intent: Annotated[
        list[str],
        typer.Option(
            "--intent",
            help="What users do: 'borrow {title} [card asked for]'; 'en / it'; '=> words when it is done'.",
        ),
    ] = [],  # noqa: B006 - typer reads it, nobody changes it
    entity: Annotated[
        list[str],
        typer.Option("--entity", help="What they say along: 'author: Elena Ferrante; Italo Calvino'."),
    ] = [],  # noqa: B006 - typer reads it, nobody changes it
    logged: Annotated[
        Path | None, typer.Option("--log", help="Logged interactions, a line of JSON a turn.")
    ] = None,
    languages: Annotated[
        str, typer.Option("--languages", help="Those that the system speaks, with commas.")
    ] = "en",
    team: Annotated[str, typer.Option("--team", help="Who submits it.")] = "own team",
    domain: Annotated[
        str | None, typer.Option("--domain", help="What it knows about; the intents when left out.")
    ] = None,
    spoken: Annotated[bool, typer.Option("--spoken", help="Users speak to it.")] = False,
) -> None:
    """Begin a campaign: on the bundled systems, or on the system behind an address.

    Nothing that is there is written over; further systems are added by the same command.
    """
    if system is None:
        from vivavoce_campaign.setup import write_campaign

        for path in write_campaign(folder, name):
            note(f"wrote {path}")
        note(f"next: vivavoce campaign check {folder}")
        return
    from vivavoce_campaign.beginning import Described, openings_in

    spoken_in = [one.strip() for one in languages.split(",") if one.strip()]
    described = Described(
        name=name or "system", team=team, domain=domain or "", languages=spoken_in,
        intents=intent, entities=entity, spoken=spoken, logged=openings_in(logged) if logged else (),
    )  # fmt: skip
    _begin(folder, described, system)


def _begin(folder: Path, described: "Described", url: str) -> None:
    import asyncio

    from vivavoce_campaign.beginning import begin_at
    from vivavoce_campaign.telling import told_begun, told_discovery

    found, begun = asyncio.run(begin_at(folder, described, url))
    for line in (*told_discovery(found), *told_begun(begun)):
        note(line)
    note(f"next: look at the submission and the tasks, then vivavoce campaign try {folder}")


@app.command("try", short_help="Try the systems with a few simulated users.")
def try_system(
    folder: Folder_,
    system: System_ = [],  # noqa: B006 - typer reads it, nobody changes it
    users: Annotated[
        int, typer.Option("--users", min=1, max=100, help="Simulated users of each system and language.")
    ] = 3,
    as_json: Json_ = False,
) -> None:
    """Let a few simulated users, made from the submission, hold dialogues with the systems.

    It counts nowhere: it shows whether the tasks can be done before people come.
    """
    from vivavoce_campaign.campaign_file import load_campaign
    from vivavoce_campaign.drafts import draft as write
    from vivavoce_campaign.dry_run import try_out
    from vivavoce_campaign.telling import told_try

    campaign = load_campaign(folder)
    facts = []
    for one in _chosen(campaign, system):
        for path in write(campaign, one):
            note(f"wrote {path}")
        with progress(f"{one.submission}: simulated dialogues") as moved:
            found = try_out(campaign, one, moved, users=users)
        facts.append(found)
        for line in () if as_json else told_try(found):
            typer.echo(line)
    if as_json:
        typer.echo(json.dumps({"systems": plain(facts)}, indent=2, ensure_ascii=False))
    note(f"next: vivavoce campaign status {folder}")


@app.command("check")
def check(
    folder: Folder_,
    bots: Annotated[bool, typer.Option("--bots/--no-bots", help="Say hello to every system.")] = True,
    as_json: Json_ = False,
) -> None:
    """Look for problems in the campaign and its submissions; say hello to every system."""
    from vivavoce_campaign.campaign_file import check_campaign
    from vivavoce_campaign.setup import check_systems

    campaign, problems = check_campaign(folder)
    problems += check_systems(campaign) if campaign else []
    greeted = _greeted(campaign) if campaign and bots and not problems else []
    failed = [one for one in greeted if not one.came.ok]
    if as_json:
        typer.echo(json.dumps({"problems": list(map(str, problems)), "systems": plain(greeted)}, indent=2))
    else:
        for one in problems:
            typer.echo(str(one))
        for one in greeted:
            typer.echo(f"{one.system}: {'answers' if one.came.ok else one.came.problem}")
        if not problems and not failed:
            typer.echo(f"{folder}: ready")
    if problems or failed:
        raise typer.Exit(2 if problems else 1)


@app.command("draft")
def draft(folder: Folder_, system: System_ = []) -> None:  # noqa: B006 - typer reads it, nobody changes it
    """Write what is missing of each system's study: instructions, tasks, steps; never over what is there."""
    from vivavoce_campaign.campaign_file import load_campaign
    from vivavoce_campaign.drafts import draft as write

    campaign = load_campaign(folder)
    for one in _chosen(campaign, system):
        for path in write(campaign, one):
            note(f"wrote {path}")


@app.command("run", short_help="Take every system through trial, stress tests and reports.")
def run(
    folder: Folder_,
    system: System_ = [],  # noqa: B006 - typer reads it, nobody changes it
    people: Annotated[
        bool, typer.Option("--people", help="Simulate nobody; take what people did on the pages.")
    ] = False,
    error_rate: Annotated[
        float | None,
        typer.Option(
            "--word-error-rate",
            min=0,
            max=0.9,
            help="Noise for simulated users; .05 where they speak, none where they type.",
        ),
    ] = None,
    users: Annotated[
        int | None, typer.Option("--users", min=1, help="Simulated users for each system, for a trial run.")
    ] = None,
    release: Release_ = None,
    pdf: Pdf_ = True,
    as_json: Json_ = False,
) -> None:
    """Take every system to its end: users (simulated unless --people), stress tests, dataset, reports.

    What is done already is not done again.
    """
    from vivavoce_campaign.campaign_file import load_campaign
    from vivavoce_campaign.drafts import draft as write
    from vivavoce_campaign.runs import run_system
    from vivavoce_campaign.telling import told_held

    campaign = load_campaign(folder)
    facts: list[dict[str, Any]] = []
    for one in _chosen(campaign, system):
        write(campaign, one)
        held = run_system(
            campaign, one, progress, simulate=not people, word_error_rate=error_rate, release=release,
            users=users,
        )  # fmt: skip
        for line in told_held(held):
            note(line)
        facts.append({"system": held.name, "users": held.users, "cases": held.cases, "left": held.left,
                      "waiting": held.waiting, "checks": held.checks})  # fmt: skip
    _report(campaign, system, pdf)
    if as_json:
        typer.echo(json.dumps({"systems": facts}, indent=2))


@app.command("retest", short_help="Hold the stress tests again on a new release.")
def retest(
    folder: Folder_,
    system: System_ = [],  # noqa: B006 - typer reads it, nobody changes it
    release: Release_ = None,
    pdf: Pdf_ = True,
    as_json: Json_ = False,
) -> None:
    """Hold the same stress tests again on the systems as they are now; tell case by case what changed.

    The cases are those of the last run, with the variants that were approved then. Reports are written anew.
    """
    from vivavoce_campaign.campaign_file import load_campaign
    from vivavoce_campaign.runs import retest_system
    from vivavoce_campaign.telling import told_changes, told_held
    from vivavoce_stress.releases import compare_last_runs

    campaign = load_campaign(folder)
    facts: list[dict[str, Any]] = []
    for one in _chosen(campaign, system):
        held = retest_system(campaign, one, progress, release=release)
        compared = compare_last_runs(held.dataset, held.name)
        for line in told_held(held):
            note(line)
        for line in () if as_json or compared is None else told_changes(held.name, compared):
            typer.echo(line)
        facts.append({"system": held.name, "compared": plain(compared)})
    _report(campaign, system, pdf)
    if as_json:
        typer.echo(json.dumps({"systems": facts}, indent=2, ensure_ascii=False, default=str))


def _chosen(campaign: Any, names: list[str]) -> list[Any]:
    return [campaign.submission(name) for name in names] if names else list(campaign.submissions)


def _greeted(campaign: Any) -> "list[Greeting]":
    from vivavoce_campaign.greeting import greet

    return [greet(campaign, one) for one in campaign.submissions]


@app.command("report")
def report(
    folder: Folder_,
    system: System_ = [],  # noqa: B006 - typer reads it, nobody changes it
    pdf: Pdf_ = True,
) -> None:
    """Write the reports anew, from the datasets; verdicts that people gave since are taken in first."""
    from vivavoce_campaign.campaign_file import load_campaign

    _report(load_campaign(folder), system, pdf)


@app.command("score")
def score(folder: Folder_, as_json: Json_ = False) -> None:
    """Tell the figures of every system: three aspects, stress tests, users. Nothing is ranked."""
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
    """Tell what is done for each system, what waits for whom, and the next command."""
    from vivavoce_campaign.campaign_file import load_campaign
    from vivavoce_campaign.setup import status as look
    from vivavoce_campaign.telling import told_status

    facts = look(load_campaign(folder))
    if as_json:
        typer.echo(json.dumps({"systems": plain(facts)}, indent=2, ensure_ascii=False))
        return
    for one in facts:
        for line in told_status(one):
            typer.echo(line)


def _report(campaign: Any, names: list[str], pdf: bool) -> None:
    from vivavoce_campaign.reports import write_reports

    chosen = [one.submission for one in _chosen(campaign, names)]
    with progress("reports") as moved:
        for path in write_reports(campaign, chosen, pdf=pdf, progress=moved):
            note(f"report   {path}")


@app.command("answers", short_help="What the teams say of the evaluation.")
def answers(
    folder: Folder_,
    sheets: Annotated[
        bool, typer.Option("--sheets", help="Write a sheet for every team that lacks one.")
    ] = False,
    language: Annotated[str, typer.Option("--language", help="Language of the sheets.")] = "en",
    as_json: Json_ = False,
) -> None:
    """Summarise what the teams said after the evaluation; or write the sheets that they fill in."""
    from vivavoce_campaign.answers import sheet, summary
    from vivavoce_campaign.campaign_file import load_campaign
    from vivavoce_campaign.places import answers_folder

    campaign = load_campaign(folder)
    if sheets:
        place = answers_folder(folder) / "sheets"
        place.mkdir(parents=True, exist_ok=True)
        for one in campaign.submissions:
            path = place / f"{one.submission}.yaml"
            if not path.exists():
                path.write_text(sheet(one.submission, language), encoding="utf-8")
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
    """Write the whole campaign as one archive; how systems are reached stays out."""
    from vivavoce_campaign.archive import export_campaign
    from vivavoce_campaign.campaign_file import load_campaign

    held = export_campaign(load_campaign(folder), out)
    note(f"{len(held)} files into {out}")


@app.command("serve")
def serve(
    folder: Folder_,
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="Port of the pages.")] = 8002,
    secure_cookies: Annotated[
        bool, typer.Option("--secure-cookies", help="Cookies by https only: behind a proxy with TLS.")
    ] = False,
) -> None:
    """Serve the campaign's pages: submissions, checks, states, reports; for organiser and teams."""
    serve_campaign(folder, host=host, port=port, secure_cookies=secure_cookies)


@app.command("commands-begin", short_help="Begin a shared task on understood commands.")
def commands_begin(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the shared task.")],
    dataset: Annotated[Path, typer.Option("--from", help="Dataset of annotated commands.")],
    name: Annotated[str, typer.Option("--name", help="Name of the shared task.")] = "commands",
) -> None:
    """Make a blind test set and its reference from annotated commands."""
    from vivavoce.log.dataset import Dataset
    from vivavoce_campaign.shared_task import begin

    note(
        f"{begin(folder, Dataset(dataset), name)} commands; give teams {folder / 'test'}, keep the reference"
    )


@app.command("commands-score", short_help="Score the teams of a shared task; write its leaderboard.")
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
        from vivavoce.report.html import save
        from vivavoce_campaign.document.leaderboard import compose_leaderboard

        note(f"leaderboard  {save(compose_leaderboard(facts, words=language), page)}")
    if export is not None:
        note(f"{len(export_all(folder, export, facts))} files into {export}")
    if as_json:
        typer.echo(json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False))
        return
    for one in facts["teams"]:
        value = one["corpus"][facts["ranked_by"]]
        shown = "–" if value is None else f"{100 * value:.1f}%"
        left = (
            f"; no answers for {', '.join(one['missing_speakers'])}: not ranked"
            if one["missing_speakers"]
            else ""
        )
        typer.echo(f"{one['rank'] or '-'}  {one['team']}  {shown}{left}")


ACCOUNTS = "accounts.sqlite"


def serve_campaign(folder: Path, *, host: str, port: int, secure_cookies: bool) -> None:
    """Serve until stopped; the organiser's link is printed first.

    A folder in which there is no campaign yet opens with its beginning.
    Raises  InputError: the campaign's file is wrong; there is no such folder
    """
    import uvicorn

    from vivavoce.core.errors import InputError
    from vivavoce.desk.access import first_link
    from vivavoce.log.store import Log
    from vivavoce_campaign.campaign_file import CAMPAIGN_FILE, check_settings
    from vivavoce_campaign.pages import create_campaign_desk

    if (folder / CAMPAIGN_FILE).exists():
        _, problems = check_settings(folder)
        if problems:
            raise problems[0].error()
    elif not folder.is_dir():
        raise InputError("there is no such folder", place=str(folder), hint=f"make it: mkdir {folder}")
    with Log.open(f"sqlite:///{(folder / ACCOUNTS).resolve()}") as log:
        note(f"organiser  {first_link(log, f'http://{host}:{port}')}")
        app = create_campaign_desk(folder, log, secure_cookies=secure_cookies)
        config = uvicorn.Config(
            app, host=host, port=port, log_level="warning", access_log=False, server_header=False,
            timeout_graceful_shutdown=3,
        )  # fmt: skip
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
    for one in facts.systems:
        means = [coefficient(aspect.mean) for aspect in one.aspects]
        table.add_row(_name(one), str(one.people.finished), *means, *_stress(one.stress))
    return table


def _name(one: "SystemFigures") -> str:
    return f"{one.system}\n(simulated: answers invented)" if one.simulated else one.system


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
