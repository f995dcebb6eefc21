"""The notation of commands: `aggiungere(pizzico, sale, *ciotola*)`, or several in brackets.

A list `[farina, acqua]` is one argument, `*latte*` one that was not said. Written anew from the published
description of the SUGAR corpus (EVALITA 2018).
"""

import re
from typing import Final, NamedTuple

_NAME: Final = re.compile(r"\*?[a-zàèéìòù_]+\*?", re.I)
_MOST: Final = 20


class Predicate(NamedTuple):
    """One command: an action and its arguments in order; `implicit` were not said, but meant."""

    action: str
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.action}({', '.join(self.arguments)})"


class Malformed(ValueError):
    """A command that cannot be read; the message says what was expected, and where."""


def looks_like_notation(text: str) -> bool:
    """Whether a text is meant as predicates, well formed or not; brackets around an aside make none."""
    return re.search(r"\w\(|^\W*\w+\s+\([^()]*\)?\W*$", text) is not None


def read_predicates(text: str) -> list[Predicate]:
    """The predicates of a text, twenty at most.

    Raises  Malformed: with what was expected, and at which character
    """
    inner = text.strip()
    if inner.startswith("[") and inner.endswith("]"):
        inner = inner[1:-1]
    predicates: list[Predicate] = []
    at = 0
    while at < len(inner) and len(predicates) < _MOST:
        if inner[at] in " ,;\n":
            at += 1
            continue
        name = _NAME.match(inner, at)
        if name is None or not inner[name.end() :].lstrip().startswith("("):
            raise Malformed(f"an action and ( expected at character {at + 1}")
        start = inner.index("(", name.end()) + 1
        end = _closing(inner, start)
        predicates.append(Predicate(name[0].strip("*").lower(), tuple(_arguments(inner[start:end]))))
        at = end + 1
    if not predicates:
        raise Malformed("an action and ( expected at character 1")
    return predicates


def _closing(text: str, start: int) -> int:
    brackets = 0
    for at in range(start, len(text)):
        if text[at] == "[":
            brackets += 1
        elif text[at] == "]":
            brackets -= 1
        elif text[at] == ")" and brackets == 0:
            return at
        elif text[at] in "()" or brackets < 0:
            break
    raise Malformed(f"a closing parenthesis expected after character {start}")


def _arguments(inner: str) -> list[str]:
    """Arguments at their commas; those of a list stay together."""
    parts, depth, current = [], 0, ""
    for letter in inner:
        depth += (letter == "[") - (letter == "]")
        if letter == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += letter
    return [" ".join(part.split()).lower() for part in [*parts, current] if part.strip()]
