"""The restaurant bot: one object answers for all conversations; each conversation's memory is a `Session`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from vivavoce_bots.acts import Act, Meaning, Reply
from vivavoce_bots.dialogue import conversation
from vivavoce_bots.dialogue.domain import Domain
from vivavoce_bots.dialogue.evidence import Evidence, normalised
from vivavoce_bots.dialogue.understanding import Understanding
from vivavoce_bots.restaurant.policy import Policy, Progress
from vivavoce_bots.restaurant.presentation import Chooser, Heard, Learnt, Plain, presented

_SURE = 0.7


@dataclass
class Session(conversation.Session[Progress]):
    """All that the bot remembers of one conversation, and how well its user was heard."""

    heard: Heard = field(default_factory=Heard)


class RestaurantBot(Policy):
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
        super().__init__(
            domain.with_day_and_time(), seed, one=variant == "onebest", understanding=understanding
        )
        self._chooser = chooser or (Learnt.shipped() if variant == "nbrl" else Plain())

    def session(self, conversation: str, language: str = "en") -> Session:
        return Session(**vars(super().session(conversation, language)))

    def take_in(self, state: Progress, meanings: Sequence[Meaning]) -> Evidence:
        return state.belief.update(meanings, state.confirming, state.proposed)

    def reply(
        self, session: conversation.Session[Progress], texts: Sequence[tuple[str, float | None]]
    ) -> Reply:
        if isinstance(session, Session):
            session.heard.add(normalised(texts)[0].score if texts else 0.0)
        return super().reply(session, texts)

    def manage(self, session: conversation.Session[Progress], meanings: Sequence[Meaning]) -> tuple[Act, ...]:
        """The acts, in the manner that was learnt."""
        acts = super().manage(session, meanings)
        belief = session.state.belief
        known = belief.accepted()
        sure = all(belief.values.get(slot, {}).get(value, 0.0) >= _SURE for slot, value in known.items())
        heard = session.heard if isinstance(session, Session) else Heard()
        return presented(self._domain, acts, known, sure, heard, self._chooser)
