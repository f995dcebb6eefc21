"""The verbs of spoken commands as `vivavoce --help` and `annotate --help` list them; it imports no more."""

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
        "tables annotated/ a=answers-of-one/ b=answers-of-another/ --into tables",
        "check commands/ --templates kitchen-en --propose",
        "train kitchen/training --system d --into system-d",
        "predict system-d kitchen/test --into answers",
        "evaluate system-d kitchen/test",
        "generate --language en --into kitchen",
    ),
)
COMMANDS_OUT = Verb(
    "commands-out",
    "vivavoce_commands.annotation.cli:commands_out",
    short_help="Export annotated commands to files.",
    examples=("my-study --into annotated",),
)
COMMANDS_IN = Verb(
    "commands-in",
    "vivavoce_commands.annotation.cli:commands_in",
    short_help="Import annotated commands from files.",
    examples=("my-study kitchen/reference --annotator anna",),
)
COMMANDS_DRAFT = Verb(
    "commands-draft",
    "vivavoce_commands.annotation.cli:commands_draft",
    short_help="Train on annotated commands and draft the rest.",
    examples=("my-study --system d",),
)
