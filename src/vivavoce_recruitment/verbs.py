"""The verb of recruitment, as `vivavoce --help` lists it; it imports no more than this."""

from vivavoce.core.verb import Verb

RECRUIT = Verb(
    "recruit",
    "vivavoce_recruitment.cli.app:app",
    part="Run",
    order=5,
    short_help="Recruit and pay participants.",
    examples=(
        "plan my-study",
        "publish my-study --confirm",
        "invite my-study --number 20 --address https://lab.example",
        "subscribe my-study --confirm",
        "status my-study",
        "returns my-study --links https://lab.example",
        "slots my-study",
        "places my-study 40 --confirm",
        "pause my-study --confirm",
        "resume my-study --confirm",
        "stop my-study --confirm",
        "workers my-study",
        "approve my-study --confirm",
        "bonus my-study --confirm",
        "reject my-study 65f0a --category NO_DATA --message '...'",
        "ask-back my-study 65f0a --reason 'You did not finish.'",
        "screen-out my-study --confirm",
        "sheet my-study --recruiter connect --out pay.csv --confirm",
        "credit my-study --confirm",
        "receipts my-study --out paid.csv",
        "reconcile my-study",
        "settle my-study payment-1f2e --paid",
    ),
)
