"""Tokens that may come next, so that a system always writes a predicate of a known action."""

from collections.abc import Mapping
from typing import Final

from vivavoce_commands.learning.examples import SIGNS

MOST_PREDICATES: Final = 3
MOST_WORDS: Final = 6
END: Final = "<end>"


class PredicateForm:
    """Follows one sequence token by token. `actions`: the most arguments that each action was seen with."""

    def __init__(self, actions: Mapping[str, int]) -> None:
        self.actions = {tuple(name.split()): most for name, most in actions.items()}
        self.predicates = 0
        self._begin()

    def _begin(self) -> None:
        self.predicates += 1
        self.state, self.action = "action", tuple[str, ...]()
        self.star, self.listed = False, False
        self.arguments = self.words = 0

    def allows(self, token: str) -> bool:
        """True if the token may come next."""
        if self.state == "action":
            return self._allows_in_action(token)
        if self.state == "done":
            return token == END or (token == ";" and self.predicates < MOST_PREDICATES)
        if token in (END, ";", "/", "#", "("):
            return False
        if self.state == "argument":
            return self._allows_in_argument(token)
        room = self.arguments < self.actions.get(self.action, 0)
        return token == ")" or (token == "," and room)

    def _allows_in_action(self, token: str) -> bool:
        complete = self.action in self.actions
        if token == "*":
            return not self.action or (self.star and complete)
        if token == "(":
            return complete and not self.star
        longer = (*self.action, token)
        return token not in SIGNS and any(name[: len(longer)] == longer for name in self.actions)

    def _allows_in_argument(self, token: str) -> bool:
        if token == "*":
            return not self.listed and (not self.words or self.star)
        if token == "[":
            return not self.words and not self.listed
        if token == "]":
            return self.listed and self.words > 0
        if token == ",":
            room = self.listed or self.arguments < self.actions.get(self.action, 0)
            return self.words > 0 and (self.listed or not self.star) and room
        if token == ")":
            return not self.listed and not self.star and (self.words > 0 or self.arguments == 1)
        return self.words < MOST_WORDS

    def take(self, token: str) -> None:
        """The token comes next."""
        if self.state == "action":
            self._take_in_action(token)
        elif token == ";":
            self._begin()
        elif self.state == "argument" and token not in (",", ")"):
            self._take_in_argument(token)
        elif token == "," and self.listed:
            self.words = 0
        elif token == ",":
            self.state, self.words, self.arguments = "argument", 0, self.arguments + 1
        elif token == ")":
            self.state = "done"

    def _take_in_action(self, token: str) -> None:
        if token == "*":
            self.star = not self.star
        elif token == "(":
            self.state, self.arguments, self.words = "argument", 1, 0
        else:
            self.action = (*self.action, token)

    def _take_in_argument(self, token: str) -> None:
        if token == "*":
            self.state = "behind" if self.star else "argument"
            self.star = not self.star
        elif token == "[":
            self.listed = True
        elif token == "]":
            self.listed, self.words = False, 1
            self.state = "argument" if self.star else "behind"
        else:
            self.words += 1
