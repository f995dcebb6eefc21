"""The verbs of stress tests."""

import typer

from vivavoce_stress.cli import judge, propose, recogniser, review, run, score, verdicts

app = typer.Typer(no_args_is_help=True)


@app.callback()
def _stress() -> None:
    """Linguistic stress tests: propose variants of an utterance, and try them on a system."""


app.command("propose", short_help="Variants of an utterance.")(propose.propose)
app.command("review", short_help="Put variants before people; freeze a suite.")(review.review)
app.command("verdicts", short_help="Judge cases by file.")(verdicts.verdicts)
app.command("run", short_help="Replay interactions, or a suite, on a system.")(run.run)
app.command("recogniser", short_help="Word error rates of recordings under damage.")(recogniser.recogniser)
app.command("judge", short_help="A language model's verdicts, held to people's.")(judge.judge)
app.command("score", short_help="Results of the stress tests in a dataset.")(score.score)
