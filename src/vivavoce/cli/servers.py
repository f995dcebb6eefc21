"""The processes of a trial: participants' pages, dashboard, bundled bots."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.api.studies import log_url, make_connectors, open_log, read_study, require_key, require_opened
from vivavoce.cli.arguments import note
from vivavoce.cli.processes import last_will, running, wait_for_port
from vivavoce.cli.service_lock import alone
from vivavoce.core.errors import InputError, VivavoceError
from vivavoce.core.i18n import N_
from vivavoce.core.ports import require_free

if TYPE_CHECKING:
    import uvicorn

    from vivavoce.connectors.base import Connector
    from vivavoce.log.store import Log
    from vivavoce.study.model import Study

SIMULATED_NOTICE = N_("SIMULATED: this trial holds dialogues by simulated callers")
DEMONSTRATION_NOTICE = "demonstration"  # which the pages say in their language


def serve_study(
    path: Path,
    url: str | None,
    *,
    host: str,
    port: int,
    desk_port: int,
    secure_cookies: bool = False,
    notice: str | None = None,
    account_optional: bool = False,
    announced: "Callable[[str], None] | None" = None,
    workers: int = 1,
) -> None:
    """Serve participants from this process or from workers, and the dashboard from a child process.

    Input   account_optional: the invite link works without an account; announced: called with the dashboard's
    address once it is ready; workers: number of processes that serve the pages
    Output  returns when stopped
    """
    from vivavoce.cli.check import missing_here
    from vivavoce.cli.workers import require_shareable
    from vivavoce.study.step_kind import channels_of

    study = read_study(path)
    require_key(study)
    connectors = make_connectors(study)
    require_shareable(study, url, connectors, workers)
    for problem in missing_here(study):
        raise problem
    if port == desk_port:
        raise InputError(
            f"{port} is given for pages and dashboard", place="serve", hint="Give --desk-port another port"
        )
    for wanted in (port, desk_port):
        require_free(
            host, wanted, place="serve", hint="Choose another address with --host, --port or --desk-port"
        )
    for channel in channels_of(study):
        channel.require(study)
    log = open_log(study, url)
    require_opened(log)
    changed = _changed_since(study, log)
    participants = f"http://{_reached(host)}:{port}/"
    with (
        alone(log_url(study, url)),
        _desk_process(
            path, url, host, desk_port, participants, secure_cookies, account_optional
        ) as dashboard,
    ):
        from vivavoce.dashboard.access import first_link  # imported while the dashboard starts beside us

        link = first_link(log, f"http://{_reached(host)}:{desk_port}")

        def ready(told: Iterable[str]) -> None:
            """Print the participants' address and other facts about the service."""
            note(f"participants  {participants}")
            for line in (*told, f"log           {log_url(study, url)}", *([changed] if changed else [])):
                note(line)

        def there() -> None:
            note(f"dashboard     {link}")
            note("Stop with Ctrl-C. Acknowledged messages are saved.")
            if announced is not None:
                announced(link)

        try:
            if workers > 1:
                from vivavoce.cli.workers import working

                with working(
                    path,
                    url,
                    host=host,
                    port=port,
                    workers=workers,
                    secure_cookies=secure_cookies,
                    notice=notice,
                    begun_by=last_will(),
                ) as crew:
                    ready([f"workers       {workers}; each serves some of the visits"])
                    wait_for_port(host, desk_port, "the dashboard", dashboard)
                    there()
                    crew.watch()
            else:
                server, told = _make_server(study, log, connectors, host, port, secure_cookies, notice)
                ready(told)
                with _beside(server, dashboard, host, desk_port, there):
                    server.run()
        finally:
            log.close_now()


def _make_server(
    study: "Study",
    log: "Log",
    connectors: "dict[str, Connector]",
    host: str,
    port: int,
    secure_cookies: bool,
    notice: str | None,
) -> "tuple[uvicorn.Server, list[str]]":
    """Server of the participants' pages in this process, with lines to print."""
    from vivavoce.participant.accounts import Access
    from vivavoce.participant.app import create_app
    from vivavoce.participant.serving import PageServer
    from vivavoce.participant.wizard import first_wizard_link
    from vivavoce.trial.engine import SessionEngine

    engine = SessionEngine(study, log, connectors)
    app = create_app(engine, secure_cookies=secure_cookies, notice=notice)
    told = [line for one in app.state.site.lines.values() for line in one.announced()]
    told += bots_awaited(connectors)
    if any(getattr(connector, "room", None) is not None for connector in connectors.values()):
        wizard = first_wizard_link(Access(log, study.name), f"http://{_reached(host)}:{port}/")
        told.insert(0, f"wizard        {wizard}  (see Accounts for more)")
    return PageServer(app, host=host, port=port, server_header=False, timeout_graceful_shutdown=3), told


def bots_awaited(connectors: "dict[str, Connector]") -> list[str]:
    """Addresses at which we wait for bots, one line each."""
    waiting = {name: getattr(one, "awaited", None) for name, one in connectors.items()}
    return [f"waiting       for the bot of {name} at {at}" for name, at in waiting.items() if at]


@contextmanager
def _beside(
    server: "uvicorn.Server",
    dashboard: subprocess.Popen[bytes],
    host: str,
    port: int,
    there: Callable[[], None],
) -> Iterator[None]:
    """Start the dashboard without delaying participants; its failure stops their server as well.

    Raises  VivavoceError: it did not come up
    """
    failed: list[VivavoceError] = []

    def wait() -> None:
        try:
            wait_for_port(host, port, "the dashboard", dashboard)
        except VivavoceError as error:
            if not server.should_exit:  # nobody has stopped both
                failed.append(error)
                server.should_exit = True
        else:
            there()

    threading.Thread(target=wait, name="dashboard", daemon=True).start()
    yield
    if failed:
        raise failed[0]


def _reached(host: str) -> str:
    """Address of a server for a browser on this machine; 0.0.0.0 is not an address to visit."""
    anywhere = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}
    return anywhere.get(host) or (f"[{host}]" if ":" in host else host)


def _changed_since(study: "Study", log: "Log") -> str | None:
    """Note on a study file changed after visits had begun; None if unchanged."""
    served = log.study_records(study.name)
    visits = log.visits(study.name)
    if not served or not visits or served[-1].revision == study.revision:
        return None
    return (
        f"note          the study file changed after {len(visits)} visits; the dataset keeps both versions, "
        "and each visit keeps its own"
    )


def _notice(study: str, log) -> str | None:
    return SIMULATED_NOTICE if any(visit.simulated for visit in log.visits(study)) else None


def serve_desk(
    path: Path,
    url: str | None,
    *,
    host: str,
    port: int,
    participant_url: str | None,
    secure_cookies: bool,
    account_optional: bool = False,
) -> None:
    """Serve the dashboard from this process, with a sign-in link."""
    from vivavoce.dashboard.access import first_link
    from vivavoce.dashboard.app import create_desk

    study = read_study(path)
    with open_log(study, url) as log:
        app = create_desk(
            study,
            log,
            work_dir=study.folder / ".desk",
            secure_cookies=secure_cookies,
            participant_url=participant_url,
            simulated_notice=_notice(study.name, log),
            account_optional=account_optional or None,
        )
        if participant_url is None:
            note(f"dashboard     {first_link(log, f'http://{_reached(host)}:{port}')}")
        _run_app(app, host, port)


def _run_app(app, host: str, port: int) -> None:
    _server(app, host, port).run()


def _server(app, host: str, port: int) -> "uvicorn.Server":
    import uvicorn

    from vivavoce.participant.connections import options

    return uvicorn.Server(
        uvicorn.Config(
            app,
            host=host,
            port=port,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=3,
            **options(),
        )
    )


def stoppable(make: "Callable[[Callable[[], None]], object]", host: str, port: int) -> "uvicorn.Server":
    """Server of pages that can stop itself: `make` receives the function that stops it."""

    def stop() -> None:
        server.should_exit = True

    server = _server(make(stop), host, port)
    return server


@contextmanager
def _desk_process(
    path: Path,
    url: str | None,
    host: str,
    port: int,
    participants: str,
    secure_cookies: bool,
    account_optional: bool,
) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "vivavoce", "desk", str(path), "--host", host, "--port", str(port)]
    command += ["--participant-url", participants]
    command += ["--log", url] if url else []
    command += ["--secure-cookies"] if secure_cookies else []
    command += ["--account-optional"] if account_optional else []
    with running([command]) as (process,):
        yield process
