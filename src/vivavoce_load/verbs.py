"""The verb of load, as `vivavoce --help` lists it; it imports no more than this."""

from vivavoce.core.verb import Verb

LOAD = Verb(
    "load",
    "vivavoce_load.cli:load",
    part="Run",
    order=3,
    short_help="Say how many people a service serves at once.",
    examples=(
        "my-study --participants 200 --minutes 3",
        "my-study --participants 50 --minutes 1 --limit-ms 150",
        "my-study --participants 600 --log postgresql://vivavoce@localhost/load --workers 3",
        "my-study --url http://127.0.0.1:8000/ --participants 50 --json",
    ),
    kept="there are no figures; only a log named with --log has what came in: begin again with an empty one",
)
