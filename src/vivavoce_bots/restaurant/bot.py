"""The restaurant bot: one object answers for all conversations; each conversation's memory is a `Session`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import ClassVar

from vivavoce_bots.acts import Act, Reply
from vivavoce_bots.restaurant.belief import Belief, meanings_of, normalised
from vivavoce_bots.restaurant.domain import Domain
from vivavoce_bots.restaurant.generation import Generation
from vivavoce_bots.restaurant.policy import Progress, decide
from vivavoce_bots.restaurant.presentation import Chooser, Heard, Learnt, Plain, presented
from vivavoce_bots.restaurant.understanding import Understanding
from vivavoce_bots.restaurant.words import LANGUAGES, language_of

_MOST_HYPOTHESES = 50
_SURE = 0.7


@dataclass
class Session:
    """All that the bot remembers of one conversation."""

    language: str
    random: Random
    belief: Belief = field(default_factory=Belief)
    progress: Progress = field(default_factory=Progress)
    heard: Heard = field(default_factory=Heard)


class RestaurantBot:
    """Finds a venue by its constraints and tells what is asked about it.

    variant  nbest: weighs all hypotheses of what was said; onebest: believes the first;
             nbrl: weighs all, and has learnt how much to say at a time
    chooser  another way to choose how much is said, for learning
    understanding  another way to understand, for planted weaknesses
    """

    name: str = "restaurant"
    variants: ClassVar[tuple[str, ...]] = ("nbest", "onebest", "nbrl")

    def __init__(
        self,
        domain: Domain,
        variant: str = "nbest",
        seed: int = 1,
        chooser: Chooser | None = None,
        understanding: Callable[[Domain, str], Understanding] = Understanding,
    ) -> None:
        self._domain, self._one, self._seed = domain, variant == "onebest", seed
        self._chooser = chooser or (Learnt.shipped() if variant == "nbrl" else Plain())
        self._understanding = {language: understanding(domain, language) for language in LANGUAGES}
        self._generation = {language: Generation(domain, language) for language in LANGUAGES}

    def session(self, conversation: str, language: str = "en") -> Session:
        """A fresh memory; chance depends on the seed and the conversation's key alone."""
        return Session(language_of(language), Random(f"{self._seed}:{conversation}"))

    def stand_in(self, venue: str, random: Random) -> str:
        """The name of a venue of another kind; of any other where there is but one kind."""
        known = self._domain.venue(venue)
        others = [one.name for one in self._domain.venues if known is None or one.type != known.type]
        others = others or [one.name for one in self._domain.venues if one.name != venue]
        return random.choice(others) if others else venue

    def greet(self, session: Session) -> Reply:
        acts = (Act("hello"),)
        session.progress.last = acts
        return Reply(self._generation[session.language].say(acts, None, session.random), acts, (), False)

    def reply(self, session: Session, texts: Sequence[tuple[str, float | None]]) -> Reply:
        """The answer to one user turn, given as hypotheses of what was said, best first."""
        progress = session.progress
        hypotheses = normalised(list(texts)[:_MOST_HYPOTHESES])
        understanding = self._understanding[session.language]
        meanings = meanings_of(
            hypotheses, understanding, _subject(progress), one=self._one,
            confirming=progress.confirming is not None,
        )  # fmt: skip
        session.belief.update(meanings, progress.confirming)
        session.heard.add(hypotheses[0].score if hypotheses else 0.0)
        acts = self._presented(session, decide(self._domain, session.belief, progress))
        text = self._generation[session.language].say(acts, progress.venue, session.random)
        return Reply(text, acts, meanings, any(act.act == "bye" for act in acts))

    def _presented(self, session: Session, acts: tuple[Act, ...]) -> tuple[Act, ...]:
        belief = session.belief
        known = belief.accepted()
        sure = all(belief.values.get(slot, {}).get(value, 0.0) >= _SURE for slot, value in known.items())
        return presented(self._domain, acts, known, sure, session.heard, self._chooser)


def _subject(progress: Progress) -> str | None:
    """The slot that the system has just spoken of: `any` is about that."""
    return progress.confirming[0] if progress.confirming else progress.asking
