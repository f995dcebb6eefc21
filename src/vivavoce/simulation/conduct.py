"""Conduct of a simulated user beside answers: digress, ask back, contradict, break off, not know, misspell.

A departure takes the place of an answer and means nothing that the task knows, so that it is logged as what
it is: `null`, `repeat` or `negate`. It leaves the agenda as it stands; the answer comes with the next turn.
"""

from dataclasses import dataclass
from random import Random
from typing import Final

from vivavoce.languages.data import Aside, SimulatedSpeech
from vivavoce.log.events import LoggedAct
from vivavoce.simulation.user_profile import UserProfile

ASIDE_ACTS: Final[dict[Aside, LoggedAct]] = {
    "puzzled": LoggedAct(act="null"),
    "disagree": LoggedAct(act="negate"),
    "ask_back": LoggedAct(act="repeat"),
    "digress": LoggedAct(act="null"),
    "break_off": LoggedAct(act="null"),
    "thanks": LoggedAct(act="thankyou"),
}
_SHORTEST: Final = 4  # letters of a word that is misspelt


@dataclass(frozen=True, slots=True)
class Matter:
    """Subject of a system turn.

    asked   the slot that it asks for
    stated  what it offers, tells or asks to confirm; None where it does neither
    empty   it says nothing that the user can answer
    """

    asked: str | None = None
    stated: str | None = None
    empty: bool = False


class Conduct:
    """One user's departures in one dialogue, by chance of their own: who has no such trait draws nothing."""

    def __init__(self, traits: UserProfile, random: Random) -> None:
        self._traits = traits
        self._random = Random(random.getrandbits(64)) if traits.departures() else random
        self._met: set[str] = set()
        self._begun = False

    def departure(self, matter: Matter) -> Aside | None:
        """Move instead of an answer; a question puzzles, and a statement is contradicted, at most once."""
        traits, first, self._begun = self._traits, not self._begun, True
        if self._new(f"asked {matter.asked}", matter.asked) and self._does(1 - traits.knowledge):
            return "puzzled"
        if self._new(f"stated {matter.stated}", matter.stated) and self._does(traits.disagrees):
            return "disagree"
        if self._does(traits.asks_back):
            return "ask_back"
        if self._does(traits.digresses):
            return "digress"
        begins = traits.fragments_first if first else None
        return "break_off" if self._does(traits.fragments if begins is None else begins) else None

    def breaks_off_again(self) -> bool:
        """True if a turn that broke off is followed by another."""
        return self._does(self._traits.breaks_off_again)

    def speaks_of_two_things(self) -> bool:
        """True if the user says something else in the same turn."""
        return self._does(self._traits.two_at_once)

    def language(self, own: str, others: tuple[str, ...]) -> str:
        """The language of the next utterance."""
        return self._random.choice(others) if others and self._does(self._traits.switches_language) else own

    def say(self, aside: Aside, speech: SimulatedSpeech) -> str:
        """Words of a departure."""
        return self._random.choice(speech.asides.get(aside) or SimulatedSpeech.in_english().asides[aside])

    def misspelt(self, text: str) -> str:
        """The text with slips in its longer words: letters swapped, left out or doubled."""
        if not self._traits.misspells:
            return text
        return " ".join(self._slip(word) for word in text.split(" "))

    def _slip(self, word: str) -> str:
        if len(word) < _SHORTEST or not word.isalpha() or not self._does(self._traits.misspells):
            return word
        at = self._random.randrange(1, len(word) - 1)
        kind = self._random.choice(("swap", "leave out", "double"))
        if kind == "swap" and word[at] != word[at + 1]:
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        return word[:at] + word[at + 1 :] if kind == "leave out" else word[:at] + word[at] + word[at:]

    def _new(self, key: str, value: str | None) -> bool:
        if value is None or key in self._met:
            return False
        self._met.add(key)
        return True

    def _does(self, share: float) -> bool:
        return share > 0 and self._random.random() < share
