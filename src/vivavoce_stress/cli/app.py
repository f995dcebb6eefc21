"""The verbs of stress tests."""

import typer

from vivavoce_stress.cli import judge, propose, recogniser, review, run, score, verdicts

app = typer.Typer(no_args_is_help=True)


@app.callback()
def _stress() -> None:
    """Propose variants of an utterance and test a system with them (linguistic stress tests)."""


app.command("propose", short_help="Propose variants of an utterance.")(propose.propose)
app.command("review", short_help="Review variants; freeze a suite.")(review.review)
app.command("verdicts", short_help="Judge cases with a file.")(verdicts.verdicts)
app.command("run", short_help="Replay interactions, or a suite, with a system.")(run.run)
app.command("recogniser", short_help="Measure word error rates of degraded recordings.")(
    recogniser.recogniser
)
app.command("judge", short_help="Compare verdicts of a language model with human verdicts.")(judge.judge)
app.command("score", short_help="Show stress test results of a dataset.")(score.score)
