"""The reference page of stress tests."""

from typing import Final

from vivavoce.core.reference import ReferencePage, markdown_table
from vivavoce_stress.base import StressTest, stress_tests


def tests_table() -> str:
    """Stress tests, with the languages that have operators."""
    head = ("test", "description", "family", "human check", "languages", "source")
    return markdown_table(head, map(_test, stress_tests()))


def _test(test: StressTest) -> tuple[str, ...]:
    languages = ", ".join(sorted({operator.language for operator in test.operators})).replace("*", "any")
    meaning = f"{test.title}: {test.meaning}"
    return f"`{test.name}`", meaning, test.family, test.approval, languages, test.source


REFERENCE: Final = ReferencePage(
    "stress-tests",
    "Stress tests",
    "Changes that `vivavoce stress` makes to utterances: [stress-test a "
    "bot](../how-to/stress-test-a-bot.md). The human check before a run is none, a review "
    "of each variant, or a choice between variants.",
    tests_table,
)
