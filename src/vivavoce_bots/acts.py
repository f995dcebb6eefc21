"""Dialogue acts of users and bots, as they are sent and logged."""

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


class Meaning(NamedTuple):
    """Acts that the user may have meant, with their probability."""

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
