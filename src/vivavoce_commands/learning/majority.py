"""The baseline: the most frequent annotation, whatever was said."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from vivavoce_commands.learning.examples import Recipe, to_tokens
from vivavoce_commands.learning.system import Answer, answer_of, confident
from vivavoce_commands.notation import read_predicates, write_predicates


class Majority:
    """Always answers what was annotated most often for the most frequent action."""

    name = "majority"
    network = None

    def __init__(self, facts: dict[str, Any] | None = None) -> None:
        self.facts: dict[str, Any] = facts or {}

    def fit(self, training: Sequence[Recipe], held_out: Sequence[Recipe], **_: Any) -> None:
        """Count."""
        commands = [command for recipe in training for command in recipe.commands if command.predicates]
        action = Counter(command.predicates[0].action for command in commands).most_common(1)[0][0]
        mine = Counter(
            write_predicates(command.predicates)
            for command in commands
            if command.predicates[0].action == action
        )
        annotation, count = mine.most_common(1)[0]
        self.facts = {"annotation": annotation, "share": count / len(commands)}

    def predict(self, recipes: Sequence[Recipe], *, repeat_below: float = 0.0) -> list[list[Answer]]:
        """Predict the same answer for every command, with the annotation's frequency as confidence."""
        tokens = to_tokens(read_predicates(self.facts["annotation"]))
        chances = [float(self.facts["share"])] * len(tokens)
        answer = answer_of(tokens, confident(tokens, chances, repeat_below), chances)
        return [[answer] * len(recipe.commands) for recipe in recipes]
