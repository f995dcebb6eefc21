"""Linguistic stress tests on any bot: propose variants of utterances, review them, run them, score them."""

import typer

app = typer.Typer(no_args_is_help=True)


@app.callback()
def _stress() -> None:
    """Linguistic stress tests: propose variants of an utterance, and try them on a system."""
