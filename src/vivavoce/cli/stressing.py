"""Linguistic stress tests on any bot: propose variants of utterances, review them, run them, score them."""

import typer

from vivavoce.cli import stress_propose

app = typer.Typer(no_args_is_help=True)


@app.callback()
def _stress() -> None:
    """Linguistic stress tests: propose variants of an utterance, and try them on a system."""


app.command("propose", short_help="Variants of an utterance.")(stress_propose.propose)
