"""The verb of recruitment, as `vivavoce --help` lists it; it imports no more than this."""

from vivavoce.core.verb import Verb

RECRUIT = Verb(
    "recruit",
    "vivavoce_recruitment.cli:app",
    part="Run",
    order=5,
    short_help="Invite people, and pay them.",
    examples=(
        "plan my-study",
        "publish my-study --confirm",
        "invite my-study --number 20 --address https://lab.example",
        "status my-study",
        "approve my-study --confirm",
        "bonus my-study --confirm",
        "reconcile my-study",
        "settle my-study payment-1f2e --paid",
    ),
)
