"""The reference page of stress tests."""

from typing import Final

from vivavoce.core.reference import ReferencePage, table_cell
from vivavoce_stress.base import StressTest, stress_tests


def tests_table() -> str:
    """Stress tests, with the languages that have operators."""
    head = ["| test | what | family | variants run | languages | source |", "| --- " * 6 + "|"]
    return "\n".join([*head, *map(_test, stress_tests()), ""])


def _test(one: StressTest) -> str:
    languages = ", ".join(sorted({operator.language for operator in one.operators})).replace("*", "any")
    how = {"none": "as proposed", "review": "reviewed", "choice": "chosen"}[one.approval]
    cells = (f"`{one.name}`", f"{one.title}: {one.meaning}", one.family, how, languages, one.source)
    return f"| {' | '.join(map(table_cell, cells))} |"


REFERENCE: Final = ReferencePage(
    "stress-tests", "Stress tests", "add a stress test",
    "What `vivavoce stress` does to utterances: [stress-test a bot](../how-to/stress-test-a-bot.md).",
    tests_table,
)  # fmt: skip
