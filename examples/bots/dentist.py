"""Dentist's appointments, a form of three questions, in English and Italian; it speaks HTTP and text only.

    python examples/bots/dentist.py --port 8002 [--language it]

It reads visit, day and time from any message by the words of `dentist.yaml`, and asks for the rest.
"""

import re
from typing import Any

from serving import run


class Dentist:
    """One conversation; the next message after a booking starts another one."""

    def __init__(self, texts: dict[str, Any]) -> None:
        self.greeting: str = texts["greeting"]
        self._texts = texts
        self._known: dict[str, str] = {}

    def answer(self, text: str) -> str:
        words = set(re.findall(r"\w+", text.lower()))
        for answer in self._texts["answers"]:
            if words & set(answer["when"]):
                return answer["say"]
        for slot in self._texts["slots"]:
            for value, keys in slot["values"].items():
                if slot["name"] not in self._known and words & set(keys):
                    self._known[slot["name"]] = value
        for slot in self._texts["slots"]:
            if slot["name"] not in self._known:
                return slot["ask"]
        booked, self._known = self._known, {}
        return self._texts["done"].format(**booked)


if __name__ == "__main__":
    run(Dentist, __file__, __doc__)
