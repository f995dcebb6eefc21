"""Parcel service with menus, in English and Italian; it speaks HTTP and text only.

    python examples/bots/parcel.py --port 8003 [--language it]

A choice is taken by its number, or by words that are spelled like its label in `parcel.yaml`.
"""

import re
from difflib import SequenceMatcher
from typing import Any, Final

from serving import run

ALIKE: Final = 0.7


class Parcel:
    """One conversation: the place in the menus, and how often nothing was understood."""

    def __init__(self, texts: dict[str, Any]) -> None:
        self._menus, self._fallbacks = texts["menus"], texts["fallbacks"]
        self._place, self._missed = next(iter(self._menus)), 0
        self.greeting = self._show()

    def answer(self, text: str) -> str:
        label = self._chosen(text)
        if label is None:
            self._missed += 1
            return f"{self._fallbacks[self._missed % len(self._fallbacks)]}\n{self._buttons()}"
        self._place = self._menus[self._place]["choices"][label]
        return self._show()

    def _chosen(self, text: str) -> str | None:
        labels = list(self._menus[self._place]["choices"])
        number = text.strip().rstrip(".")
        if number in {str(index) for index in range(1, len(labels) + 1)}:
            return labels[int(number) - 1]
        best = max(labels, key=lambda label: likeness(text, label))
        return best if likeness(text, best) >= ALIKE else None

    def _show(self) -> str:
        return f"{self._menus[self._place]['say']}\n{self._buttons()}"

    def _buttons(self) -> str:
        labels = self._menus[self._place]["choices"]
        return " ".join(f"[{number}. {label}]" for number, label in enumerate(labels, 1))


def likeness(message: str, label: str) -> float:
    """How much a label is spelled like the words of a message that come nearest to it."""
    said, wanted = (re.findall(r"\w+", text.lower()) for text in (message, label))
    length = len(wanted)
    return max(
        SequenceMatcher(None, " ".join(said[start : start + length]), " ".join(wanted)).ratio()
        for start in range(max(1, len(said) - length + 1))
    )


if __name__ == "__main__":
    run(Parcel, __file__, __doc__)
