"""Something that a language pack can do."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Capability:
    """Something that a pack can do: how it is made, what must be installed, what to say where it is not."""

    make: Callable[[], Any]
    modules: tuple[str, ...] = ()
    lacking: str = ""
