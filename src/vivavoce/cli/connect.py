"""How the system behind an address is connected: `vivavoce connect URL`."""

from typing import Annotated

import typer


def connect(
    url: Annotated[str, typer.Argument(metavar="URL", help="Address of the system.")],
    name: Annotated[str, typer.Option("--name", help="Name of the system in the study.")] = "mine",
    language: Annotated[str, typer.Option("--language", help="Language of the hello.")] = "en",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")] = False,
) -> None:
    """Look at an address, say hello to what is there, and propose its block in a study file.

    Nothing is written. What was said in answer stands before it, to be looked at.
    """
    import asyncio
    import json
    import sys

    from ruamel.yaml import YAML

    from vivavoce.connectors.discovery import discover
    from vivavoce.connectors.urls import is_private
    from vivavoce.core.errors import InputError
    from vivavoce.languages.data import require_installed
    from vivavoce.study.file import NAME_CURE, is_name

    if not is_name(name):
        raise InputError(f"{name!r} cannot name a system", place="--name", hint=NAME_CURE)
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
