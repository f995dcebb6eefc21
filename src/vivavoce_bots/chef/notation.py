"""Notation of commands: `aggiungere(pizzico, sale, *ciotola*)`, or several in brackets.

A list `[farina, acqua]` is one argument, `*latte*` one that was not said but meant. Follows the published
description of the SUGAR corpus (EVALITA 2018).
"""

import re
from typing import NamedTuple

MOST_PREDICATES = 20
NAME = re.compile(r"[\s,;]*\*?([a-zàèéìòù_]+)\*?\s*\(", re.I)
ARGUMENT = re.compile(r"(?:\[[^\[\]()]*\]|[^,\[\]()])+")
ARGUMENTS = re.compile(r"(?:\[[^\[\]()]*\]|[^\[\]()])*")


class Predicate(NamedTuple):
    """One command: an action and its arguments in order."""

    action: str
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.action}({', '.join(self.arguments)})"

    def things(self) -> list[str]:
        """Arguments in order, those of lists and implicit ones included, without brackets and asterisks."""
        parts = (part for argument in self.arguments for part in argument.strip("*[] ").split(","))
        return [part.strip(" *") for part in parts]


class Malformed(ValueError):
    """Text that is no sequence of predicates; the message says what is expected where."""


def looks_like_notation(text: str) -> bool:
    """True for a text that is meant as predicates, well formed or not; an aside in brackets is none."""
    return re.search(r"\w\(|^\W*\w+\s+\([^()]*\)?\W*$", text) is not None


def read_predicates(text: str) -> list[Predicate]:
    """Predicates of a text, at most twenty; raises Malformed."""
    text = text.strip()
    inner = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    predicates: list[Predicate] = []
    position = 0
    while len(predicates) < MOST_PREDICATES and (not predicates or inner[position:].strip(" ,;\n")):
        name = NAME.match(inner, position)
        if name is None:
            raise Malformed(f"an action and ( expected at character {position + 1}")
        arguments = ARGUMENTS.match(inner, name.end())
        if arguments is None or inner[arguments.end() :][:1] != ")":
            raise Malformed(f"a closing parenthesis expected after character {name.end()}")
        values = (" ".join(value.split()).lower() for value in ARGUMENT.findall(arguments[0]))
        predicates.append(Predicate(name[1].lower(), tuple(value for value in values if value)))
        position = arguments.end() + 1
    return predicates
