"""The verb `connect`: propose a system's configuration from its address."""

from typing import Annotated

import typer


def connect(
    url: Annotated[str, typer.Argument(metavar="URL", help="Address of the bot.")],
    name: Annotated[str, typer.Option("--name", help="System name in the study.")] = "mine",
    language: Annotated[str, typer.Option("--language", help="Language of the test messages.")] = "en",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON to stdout.")] = False,
) -> None:
    """Test a bot's address and propose its block for a study file.

    Nothing is saved. The bot's reply precedes the block; check it before you use the block.
    """
    import asyncio
    import json
    import sys

    from ruamel.yaml import YAML

    from vivavoce.connectors.discovery import discover
    from vivavoce.connectors.urls import is_private
    from vivavoce.core.errors import InputError
    from vivavoce.languages.base import require_installed
    from vivavoce.study.file import NAME_CURE, is_name

    if not is_name(name):
        raise InputError(f"{name!r} is not a valid system name", place="--name", hint=NAME_CURE)
    require_installed(language, "--language")
    found = asyncio.run(discover(url, language=language, private=is_private(url)))
    block = {"systems": {name: found.settings}}
    if as_json:
        typer.echo(json.dumps(block | {"said": found.said, "doubts": found.doubts}, indent=2))
        return
    said = "".join(one if one.isprintable() else " " for one in " ".join(found.said.split()))
    typer.echo(f"# it says: {said}")
    for doubt in found.doubts:
        typer.echo(f"# {doubt}")
    YAML().dump(block, sys.stdout)
