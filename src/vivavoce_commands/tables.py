"""Terminal output of `understand`."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rich.console import Console, RenderableType
from rich.text import Text

from vivavoce.api.analysis_tables import plain_table, points, span

if TYPE_CHECKING:
    from vivavoce_commands.paper_tables import LaidTable
    from vivavoce_commands.scoring import Scores

NAMES = {
    "correct_actions": "correct actions",
    "incorrect_actions": "incorrect actions",
    "correct_arguments": "correct arguments, of recognised predicates",
    "correct_arguments_of_all": "correct arguments, of all predicates",
    "incorrect_arguments": "incorrect arguments",
    "argument_repetitions": "arguments asked to repeat",
    "argument_distance": "distance an expected argument",
    "weighted_argument_errors": "the same, with weighted repetitions",
    "exact_utterances": "exact utterances",
    "slot_f1": "slot F1",
}
MOST_ERRORS = 8


def show(blocks: Iterable[RenderableType]) -> None:
    console = Console()
    for block in blocks:
        console.print(block)


def scored(facts: dict[str, Any], scores: "Scores") -> Iterator[RenderableType]:
    """Corpus figures, the table of actions, and some errors."""
    table = plain_table("", "ratio", "95% CI over speakers")
    for name, words in NAMES.items():
        interval = facts["intervals"][name]
        table.add_row(words, _points(facts["corpus"][name]), span(interval) if interval else "-")
    yield table
    actions = plain_table("action", "predicates", "correct", "correct arguments")
    for action, row in facts["actions"].items():
        actions.add_row(
            Text(action),
            str(row["predicates"]),
            _points(row["correct_actions"]),
            _points(row["correct_arguments"]),
        )
    yield actions
    yield from _examples(scores)
    counts = facts["counts"]
    yield Text(
        f"{counts['predicates']} predicates in {counts['utterances']} utterances of "
        f"{facts['speakers']} speakers; {counts['inserted']} inserted. Mode {facts['mode']}; "
        + _weighed(facts),
        style="dim",
    )
    yield Text(facts["signature"], style="dim")


def _weighed(facts: dict[str, Any]) -> str:
    """Weight of a request to repeat."""
    if facts["mode"] == "official":
        return "a repetition request adds to the distance, as in 2018."
    weight = f"{facts['repetition_weight']:g}"
    return (
        f"a repetition request has {weight} of the weight of a wrong argument (the 2018 weight "
        "was never published)."
    )


def _examples(scores: "Scores") -> Iterator[RenderableType]:
    from itertools import islice

    from vivavoce_commands.scoring import errors

    table = plain_table("speaker", "predicate", "action", "answered", "tuple")
    for error in islice(errors(scores), MOST_ERRORS):
        answer = error.answered_action or "nothing"
        table.add_row(Text(error.speaker), error.id, Text(error.action), Text(answer), str(error.tuple))
    if table.row_count:
        yield table


def of_the_paper(tables: "Iterable[LaidTable]") -> Iterator[RenderableType]:
    """Each table under its title, with what stands below it."""
    for laid in tables:
        yield Text(laid.title, style="bold")
        table = plain_table(*laid.headings, words=1 if laid.headings[1] == "arguments" else 0)
        for row in laid.rows:
            table.add_row(*map(Text, row))
        yield table
        yield from (Text(line, style="dim") for line in (*laid.notes, ""))


def compared(facts: dict[str, Any]) -> Iterator[RenderableType]:
    """Each figure of both systems, and the difference with its interval."""
    table = plain_table("", "A", "B", "A - B", "95% CI over speakers")
    for name, words in NAMES.items():
        row = facts["figures"][name]
        interval = span(row["interval"]) if row["interval"] else "-"
        table.add_row(words, _points(row["a"]), _points(row["b"]), _points(row["difference"]), interval)
    yield table
    speakers = facts["figures"]["correct_actions"]["speakers"]
    yield Text(f"{speakers} speakers answered by both systems. Mode {facts['mode']}.", style="dim")


def _points(value: float | None) -> str:
    return "-" if value is None else points(value)
