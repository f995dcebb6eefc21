"""A pretrained encoder of the user's: a function that gives every word of a command a vector."""

import importlib
import math
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from vivavoce.core.errors import InputError

Vector = Sequence[float]
_HINT: Final = "write a function that takes lists of words and returns one vector per word"


class Encoder(NamedTuple):
    """An encoder as it was named, the length of its vectors, and what it says of lists of words."""

    name: str
    dimension: int
    encode: Callable[[Sequence[Sequence[str]]], list[list[Vector]]]


def load_encoder(name: str) -> Encoder:
    """The encoder `package.module:function`, tried on two words.

    Raises  InputError: it cannot be imported, or does not give one vector of one length for every word
    """
    place = f"encoder {name}"
    module, _, attribute = name.partition(":")
    try:
        encoder: Any = importlib.import_module(module)
        for part in attribute.split("."):
            encoder = getattr(encoder, part)
    except (ImportError, AttributeError, ValueError) as error:
        hint = "use an importable function, as package.module:function"
        raise InputError(str(error), place=place, hint=hint) from None

    def encode(commands: Sequence[Sequence[str]]) -> list[list[Vector]]:
        return _checked(encoder, commands, place)

    first = encode([["pan", "pot"]])[0][0]
    return Encoder(name, len(first), _of_length(encode, len(first), place))


def _checked(function: Any, commands: Sequence[Sequence[str]], place: str) -> list[list[Vector]]:
    try:
        answer = [
            [[float(number) for number in word] for word in command]
            for command in function([list(command) for command in commands])
        ]
    except Exception as error:
        raise InputError(f"{type(error).__name__}: {error}", place=place, hint=_HINT) from error
    if [len(vectors) for vectors in answer] != [len(command) for command in commands]:
        raise InputError("the encoder did not return one vector per word", place=place, hint=_HINT)
    if not all(math.isfinite(number) for command in answer for word in command for number in word):
        raise InputError("a vector contains a value that is not a number", place=place, hint=_HINT)
    return answer  # pyright: ignore[reportReturnType]


def _of_length(
    encode: Callable[[Sequence[Sequence[str]]], list[list[Vector]]], length: int, place: str
) -> Callable[[Sequence[Sequence[str]]], list[list[Vector]]]:
    def measured(commands: Sequence[Sequence[str]]) -> list[list[Vector]]:
        answer = encode(commands)
        if any(len(word) != length for command in answer for word in command):
            raise InputError(f"expected vectors of length {length}", place=place, hint=_HINT)
        return answer

    return measured
