"""The verbs of stress tests."""

import typer

from vivavoce.cli import (
    stress_judge,
    stress_propose,
    stress_recogniser,
    stress_review,
    stress_run,
    stress_score,
)

app = typer.Typer(no_args_is_help=True)


@app.callback()
def _stress() -> None:
    """Linguistic stress tests: propose variants of an utterance, and try them on a system."""


app.command("propose", short_help="Variants of an utterance.")(stress_propose.propose)
app.command("review", short_help="Put variants before people; freeze a suite.")(stress_review.review)
app.command("run", short_help="Replay interactions, or a suite, on a system.")(stress_run.run)
app.command("recogniser", short_help="Word error rates of recordings under damage.")(
    stress_recogniser.recogniser
)
app.command("judge", short_help="A language model's verdicts, held to people's.")(stress_judge.judge)
app.command("score", short_help="Results of the stress tests in a dataset.")(stress_score.score)
