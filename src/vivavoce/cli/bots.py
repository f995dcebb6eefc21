"""Bundled and plugged-in bots, found by entry points and started as processes of their own."""

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from vivavoce.cli.arguments import offered
from vivavoce.core.errors import UnknownName

if TYPE_CHECKING:
    from vivavoce.core.registry import EntryPoint

GROUP = "vivavoce.bots"

FILE_PACKAGE = "vivavoce_bots"  # runs bot files

app = typer.Typer(
    help="List and run bots: bundled ones, installed ones, and your own bot files.", no_args_is_help=True
)


def _bots() -> "dict[str, EntryPoint]":
    from vivavoce.core.registry import installed_points

    return {point.name: point for point in installed_points(GROUP)}


def bot_names() -> list[str]:
    """The installed bots."""
    return sorted(_bots())


def _package_of(name: str) -> str:
    bots = _bots()
    if name not in bots:
        raise UnknownName("bot", name, list(bots), place="vivavoce bots run")
    return bots[name].module.split(".")[0]


@app.command("list")
def list_() -> None:
    """List the installed bots."""
    for name, point in sorted(_bots().items()):
        typer.echo(f"{name}\t{point.module.split('.')[0]}")


@app.command(
    "run",
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []},
)
def run(
    context: typer.Context,
    name: Annotated[
        str,
        typer.Argument(
            help="Bot: {vivavoce.bots}; or a bot file, such as ./mybot.yaml.",
            autocompletion=offered("vivavoce.bots"),
        ),
    ],
) -> None:
    """Run a bot until you stop it; further options go to the bot, such as --port 9101.

    `vivavoce bots run NAME --help` shows the bot's options.
    """
    if name in ("--help", "-h"):
        typer.echo(context.get_help())
        return
    package = FILE_PACKAGE if name.endswith((".yaml", ".yml")) else _package_of(name)
    os.execv(sys.executable, [sys.executable, "-m", package, name, *context.args])
