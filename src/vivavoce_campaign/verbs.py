"""The verb of campaigns, as `vivavoce --help` lists it; it imports no more than this."""

from vivavoce.core.verb import Verb

CAMPAIGN = Verb(
    "campaign",
    "vivavoce_campaign.cli:app",
    part="Run",
    order=4,
    short_help="Evaluate systems of several teams.",
    examples=(
        "init idial",
        "init own --system http://127.0.0.1:9101/chat --name library --intent 'borrow a book'",
        "try own --users 3",
        "check idial",
        "draft idial --system telco",
        "run idial --users 10",
        "run idial --system telco --people",
        "retest idial --release 2.1",
        "report idial --no-pdf",
        "score idial --json",
        "status idial",
        "answers idial --sheets --language it",
        "answers idial",
        "export idial --out idial.zip",
        "serve idial",
        "commands-begin shared --from kitchen/test --name kitchen",
        "commands-score shared --page leaderboard.html",
    ),
)
