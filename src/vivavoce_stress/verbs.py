"""The verb of stress tests, as `vivavoce --help` lists it; it imports no more than this."""

from vivavoce.core.verb import Verb

STRESS = Verb(
    "stress",
    "vivavoce_stress.cli.app:app",
    part="Run",
    order=3,
    short_help="Run linguistic stress tests on any bot.",
    examples=(
        'propose "I am looking for a cheap restaurant" --language en --test ST-1',
        "review my-study --propose --system nbest",
        "review my-study --reviewer anna --csv queue.csv",
        "review my-study --system nbest --freeze suite.yaml",
        "verdicts my-study --csv cases.csv",
        "run my-study --system nbest --sample 20",
        "run suite.yaml --fail-under 0.9 --junit junit.xml",
        "recogniser dataset said.csv trial.yaml",
        "judge pairs.csv --judge https://llm.example/v1 --judge-model some-model --fail-under 0.8",
        "score dataset --json",
    ),
    kept={"run": "replayed cases are saved in the log; run the same command to resume"},
)
