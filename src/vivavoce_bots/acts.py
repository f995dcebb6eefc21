"""Dialogue acts, the common coin of understanding, tracking, policy and generation."""

from typing import Any, NamedTuple

DONTCARE = "dontcare"


class Act(NamedTuple):
    """One dialogue act item, such as inform(food=chinese); op is `=` or `!=` where there is a value."""

    act: str
    slot: str | None = None
    value: str | None = None
    op: str | None = None

    def as_json(self) -> dict[str, Any]:
        return {"act": self.act, "slot": self.slot, "value": self.value, "op": self.op}


def stating(act: str, slot: str, value: str, op: str = "=") -> Act:
    """An act with slot and value."""
    return Act(act, slot, value, op)


class Hypothesis(NamedTuple):
    """What the user may have said, with the probability that it was this."""

    text: str
    score: float


class Meaning(NamedTuple):
    """What the user may have meant."""

    acts: tuple[Act, ...]
    score: float


class Reply(NamedTuple):
    """One turn of a bot."""

    text: str
    acts: tuple[Act, ...]
    understood: tuple[Meaning, ...]
    end: bool

    def as_json(self) -> dict[str, Any]:
        """The turn as data; of a bot that tells no acts, the words alone."""
        if not self.acts:
            return {"text": self.text, "end": self.end}
        return {
            "text": self.text,
            "acts": [act.as_json() for act in self.acts],
            "understood": [
                {"acts": [act.as_json() for act in meaning.acts], "score": round(meaning.score, 4)}
                for meaning in self.understood
            ],
            "end": self.end,
        }
