"""The verb `up`: from a bot's address to the first participant."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from vivavoce.cli.arguments import note
from vivavoce.cli.trial import FreeDeskPort, FreePagesPort, chosen_ports

if TYPE_CHECKING:
    from collections.abc import Callable

    from vivavoce.study.model import Study

HOST = "127.0.0.1"
OF_THE_DEMONSTRATION = (
    "nbest",
    "onebest",
)  # variants of the bot `restaurant`, by which examples call systems
OURS = ("log.sqlite", "log.sqlite-wal", "log.sqlite-shm", "log.sqlite.lock", "log.roots")  # of a beginning


def up(
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="Study folder.")] = Path(),
    open_: Annotated[bool, typer.Option("--open/--no-open", help="Open the browser.")] = True,
    port: FreePagesPort = None,
    desk_port: FreeDeskPort = None,
) -> None:
    """Create a study in the browser, or run an existing one: bots, participants' pages, dashboard.

    In an empty or new DIR, a page asks for the bot's address, writes study.yaml and starts the trial.
    The pages and study.yaml stay in sync.
    """
    from vivavoce.api.studies import STUDY_FILE

    _require_place(folder)
    folder.mkdir(parents=True, exist_ok=True)
    pages, dashboard = chosen_ports(port, desk_port)
    opens = open_
    if not (folder / STUDY_FILE).is_file() or _problems(folder):
        if (folder / STUDY_FILE).is_file():
            note("The study has errors. Correct them on the pages that open now.")
        if not _edit(folder, dashboard, opens):
            return
        opens = False  # the page that is open goes on by itself
    _serve(folder, pages, dashboard, opens)


def _require_place(folder: Path) -> None:
    """Raises  InputError: this folder cannot hold a study"""
    from vivavoce.api.studies import STUDY_FILE
    from vivavoce.core.errors import InputError

    if folder.is_file():
        raise InputError("is a file", place=str(folder), hint="Name the study's folder")
    if not folder.is_dir() or (folder / STUDY_FILE).is_file():
        return
    held = sorted(
        one.name for one in folder.iterdir() if not one.name.startswith(".") and one.name not in OURS
    )
    if held:
        shown = ", ".join(held[:3]) + (", ..." if len(held) > 3 else "")
        raise InputError(
            f"contains other files but not a study ({shown})",
            place=str(folder),
            hint="Name an empty or new folder: vivavoce up my-study",
        )


def _problems(folder: Path) -> list[str]:
    from vivavoce.cli.check import check_file

    _, problems = check_file(folder)
    for line in problems:
        typer.echo(line, err=True)
    return problems


def _edit(folder: Path, port: int, opens: bool) -> bool:
    """Serve the study editor; True if the trial is to start."""
    from vivavoce.api.studies import LOG_FILE, report_to_stderr
    from vivavoce.cli.servers import stoppable
    from vivavoce.dashboard.access import first_link
    from vivavoce.dashboard.study_editor.setup import create_setup
    from vivavoce.log.store import Log

    report_to_stderr()
    with Log.open(f"sqlite:///{(folder / LOG_FILE).resolve()}") as log:
        started: list[bool] = []

        def make(stop: "Callable[[], None]") -> object:
            def start() -> None:
                started.append(True)
                stop()

            return create_setup(folder, log, start)

        link = first_link(log, f"http://{HOST}:{port}")

        def announce() -> None:
            note(f"study         {link}")
            note("Stop with Ctrl-C. Your changes are saved.")
            if opens:
                _open(link)

        _once_there(port, announce)
        stoppable(make, HOST, port).run()
    return bool(started)


def _serve(folder: Path, port: int, desk_port: int, opens: bool) -> None:
    from vivavoce.api.studies import read_study
    from vivavoce.cli.check import (
        check_bots,
        check_evidence,
        check_secrets,
        missing_here,
        told,
        warnings_of,
    )
    from vivavoce.cli.processes import running_bots
    from vivavoce.cli.servers import serve_study

    study = read_study(folder)
    for problem in missing_here(study):
        raise problem
    note(f"Starting the trial {study.name} ...")
    with ExitStack() as stack:
        if bots := bundled_bots_of(study):
            stack.enter_context(running_bots(bots))
            for system, (words, _) in bots.items():
                note(f"bundled bot   {system}: vivavoce bots run {' '.join(words)}")
        for line in (*check_secrets(folder), *warnings_of(study)):
            note(line)
        greetings = check_bots(study, wait=False)
        for line in (
            *(line for greeting in greetings for line in told(greeting)),
            *check_evidence(study, greetings),
        ):
            note(line)
        serve_study(
            folder,
            None,
            host=HOST,
            port=port,
            desk_port=desk_port,
            account_optional=True,
            announced=_open if opens else None,
        )


def bundled_bots_of(study: "Study") -> dict[str, tuple[list[str], int]]:
    """Bundled bots named by a study's systems that do not run yet, by system.

    Output  words after `vivavoce bots run`, and the port; no entry if something listens at the address
    """
    from vivavoce.cli.bots import bot_names
    from vivavoce.core.errors import InputError
    from vivavoce.core.ports import require_free

    found: dict[str, tuple[list[str], int]] = {}
    for name, settings in study.systems.items():
        address = urlsplit(str(settings.get("url", "")))
        if address.hostname not in (HOST, "localhost") or address.port is None:
            continue
        variant = name in OF_THE_DEMONSTRATION
        if not variant and name not in bot_names():
            continue
        try:
            require_free(HOST, address.port, place="", hint="")
        except InputError:
            continue
        words = ["restaurant" if variant else name, "--port", str(address.port)]
        words += ["--variant", name] if variant else []
        domain = study.folder / "restaurants.yaml"
        words += ["--domain", str(domain)] if variant and domain.is_file() else []
        found[name] = (words, address.port)
    return found


def _open(address: str) -> None:
    import webbrowser

    if not webbrowser.open(address):
        note("No browser found. Open the address yourself.")


def _once_there(port: int, announce: "Callable[[], None]") -> None:
    """Announce the pages once they answer, while this process becomes their server."""
    import socket
    import time
    from contextlib import suppress
    from threading import Thread

    def wait() -> None:
        for _ in range(1200):
            with suppress(OSError), socket.create_connection((HOST, port), timeout=1):
                announce()
                return
            time.sleep(0.05)

    Thread(target=wait, daemon=True).start()
