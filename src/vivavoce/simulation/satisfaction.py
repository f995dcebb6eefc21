"""A simulated participant's answers to a questionnaire: a declared model, no measurement of anybody.

    content = base + success x (they found what they wanted) - turn x (their turns beyond the expected)
              - unhelpful x (system turns that tried their patience) + leniency + mood

held between 0 and 1. leniency is drawn once for a participant, mood for each answer, both from a normal
distribution. An item's code is the place of `content` on its scale, mirrored where the item is worded
negatively. The question whether all was found is answered by the caller's own verdict. A questionnaire about
the visit goes by the mean of its dialogues.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from vivavoce.questionnaires.instrument import Item, Scale


@dataclass(frozen=True, slots=True)
class HeldDialogue:
    """Input of the model: one dialogue as the participant saw it."""

    rated: bool
    user_turns: int
    unhelpful: int


@dataclass(frozen=True, slots=True)
class Satisfaction:
    """The weights of the model; all in shares of the scale."""

    base: float = 0.45
    success: float = 0.4
    turn: float = 0.02
    expected_turns: int = 6
    unhelpful: float = 0.04
    leniency: float = 0.1
    mood: float = 0.12

    def lenient(self, random: Random) -> float:
        """Leniency of a participant against others, drawn once."""
        return random.gauss(0, self.leniency)

    def content(self, held: Sequence[HeldDialogue], lenient: float) -> float:
        """Satisfaction of a participant after these dialogues, before the mood of an answer; none: 0.5."""
        if not held:
            return 0.5
        return sum(self._after(dialogue) for dialogue in held) / len(held) + lenient

    def _after(self, dialogue: HeldDialogue) -> float:
        beyond = max(0, dialogue.user_turns - self.expected_turns)
        return (
            self.base
            + self.success * dialogue.rated
            - self.turn * beyond
            - self.unhelpful * dialogue.unhelpful
        )

    def code(self, item: Item, scale: Scale, content: float, verdict: bool, random: Random) -> int:
        """The code with which an item is answered."""
        codes = scale.codes
        if item.role == "subjective_success":
            return codes[-1] if verdict != item.reverse else codes[0]
        share = min(1.0, max(0.0, content + random.gauss(0, self.mood)))
        place = round((1 - share if item.reverse else share) * (len(codes) - 1))
        return codes[place]
