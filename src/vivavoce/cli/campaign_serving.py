"""The pages of a campaign, served from this process."""

from pathlib import Path

from vivavoce.cli.progress import note

ACCOUNTS = "accounts.sqlite"


def serve_campaign(folder: Path, *, host: str, port: int, secure_cookies: bool) -> None:
    """Serve until stopped; the organiser's link is printed first.

    Raises  InputError: the campaign's file is wrong
    """
    import uvicorn

    from vivavoce.desk.access import first_link
    from vivavoce.desk.campaign_app import create_campaign_desk
    from vivavoce.log.store import Log
    from vivavoce.study.campaign import check_settings

    _, problems = check_settings(folder)
    if problems:
        raise problems[0].error()
    with Log.open(f"sqlite:///{(folder / ACCOUNTS).resolve()}") as log:
        note(f"organiser  {first_link(log, f'http://{host}:{port}')}")
        app = create_campaign_desk(folder, log, secure_cookies=secure_cookies)
        config = uvicorn.Config(
            app, host=host, port=port, log_level="warning", access_log=False, server_header=False,
            timeout_graceful_shutdown=3,
        )  # fmt: skip
        uvicorn.Server(config).run()
