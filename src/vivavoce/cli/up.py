"""The verb `up`: a study from a bot's address to the first participant, in one terminal and the browser."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from vivavoce.cli.progress import note
from vivavoce.cli.trial import FreeDeskPort, FreePagesPort, chosen_ports

if TYPE_CHECKING:
    from collections.abc import Callable

    from vivavoce.study.model import Study

HOST = "127.0.0.1"
OF_THE_DEMONSTRATION = (
    "nbest",
    "onebest",
)  # variants of the bot `restaurant`, by which examples call systems
OURS = ("log.sqlite", "log.sqlite-wal", "log.sqlite-shm", "log.sqlite.lock")  # what a beginning leaves


def up(
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="The study's folder.")] = Path(),
    open_: Annotated[bool, typer.Option("--open/--no-open", help="Open the browser.")] = True,
    port: FreePagesPort = None,
    desk_port: FreeDeskPort = None,
) -> None:
    """Begin a study in the browser, or run the one that is there: bots, participants' pages, dashboard.

    Where DIR has no study yet, a page asks for the bot's address and the rest, writes the study file, and the
    trial goes on to be served. The file stays the truth: what is changed on either side appears on the other.
    """
    from vivavoce.api.studies import STUDY_FILE

    _require_place(folder)
    folder.mkdir(parents=True, exist_ok=True)
    pages, dashboard = chosen_ports(port, desk_port)
    opens = open_
    if not (folder / STUDY_FILE).is_file() or _problems(folder):
        if (folder / STUDY_FILE).is_file():
            note("the study cannot be served yet; its pages come up, where this is mended")
        if not _edit(folder, dashboard, opens):
            return
        opens = False  # the page that is open goes on by itself
    _serve(folder, pages, dashboard, opens)


def _require_place(folder: Path) -> None:
    """Raises  InputError: a study can neither be served nor begun there"""
    from vivavoce.api.studies import STUDY_FILE
    from vivavoce.core.errors import InputError

    if folder.is_file():
        raise InputError("is a file", place=str(folder), hint="name the study's folder")
    if not folder.is_dir() or (folder / STUDY_FILE).is_file():
        return
    held = sorted(
        one.name for one in folder.iterdir() if not one.name.startswith(".") and one.name not in OURS
    )
    if held:
        shown = ", ".join(held[:3]) + (", ..." if len(held) > 3 else "")
        raise InputError(
            f"holds no study, but other files ({shown})", place=str(folder),
            hint="name a folder that is empty or not there yet: vivavoce up my-study",
        )  # fmt: skip


def _problems(folder: Path) -> list[str]:
    from vivavoce.cli.check import check_file

    _, problems = check_file(folder)
    for line in problems:
        typer.echo(line, err=True)
    return problems


def _edit(folder: Path, port: int, opens: bool) -> bool:
    """Serve the pages on which the study is written; whether it is to be served now."""
    from vivavoce.api.studies import LOG_FILE, report_to_stderr
    from vivavoce.cli.servers import stoppable
    from vivavoce.desk.access import first_link
    from vivavoce.desk.study_editor.setup import create_setup
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
            note("stop with Ctrl-C; what was saved is on disk")
            if opens:
                _open(link)

        _once_there(port, announce)
        stoppable(make, HOST, port).run()
    return bool(started)


def _serve(folder: Path, port: int, desk_port: int, opens: bool) -> None:
    from vivavoce.api.studies import read_study
    from vivavoce.cli.check import check_bots, check_evidence, missing_for_channels, told, warnings_of
    from vivavoce.cli.processes import running_bots
    from vivavoce.cli.servers import serve_study

    study = read_study(folder)
    note(f"starts {study.name}: its bundled bots, if it names any, then participants' pages and dashboard")
    with ExitStack() as stack:
        if bots := bundled_bots_of(study):
            stack.enter_context(running_bots(bots))
            for system, (words, _) in bots.items():
                note(f"bundled bot   {system}: vivavoce bots run {' '.join(words)}")
        for line in (*missing_for_channels(study), *warnings_of(study)):
            note(line)
        greetings = check_bots(study, wait=False)
        for line in (*(line for one in greetings for line in told(one)), *check_evidence(study, greetings)):
            note(line)
        serve_study(
            folder, None, host=HOST, port=port, desk_port=desk_port, account_optional=True,
            announced=_open if opens else None,
        )  # fmt: skip


def bundled_bots_of(study: "Study") -> dict[str, tuple[list[str], int]]:
    """The bundled bots that a study's systems are called after and that do not run yet, by the system.

    Output  what follows `vivavoce bots run`, and the port; none where somebody listens at the address already
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
        note("no browser was found on this machine; open the address yourself")


def _once_there(port: int, announce: "Callable[[], None]") -> None:
    """Say where the pages are once they answer, beside the server that this process becomes."""
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
