"""The verb of spoken commands, as `vivavoce --help` lists it; it imports no more than this."""

from vivavoce.core.verb import Verb

UNDERSTAND = Verb(
    "understand",
    "vivavoce_commands.cli:app",
    part="Figures",
    order=6,
    short_help="Score and compare understood commands.",
    examples=(
        "score reference/ answers/",
        "compare reference/ answers-of-one/ answers-of-another/",
        "check commands/ --templates kitchen-en --propose",
        "train kitchen/training --system d --into system-d",
        "predict system-d kitchen/test --into answers",
        "evaluate system-d kitchen/test",
        "generate --language en --into kitchen",
    ),
)
