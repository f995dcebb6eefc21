"""Expert review: what was proposed, who decided what, what is left to whom, and what was learnt from it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from random import Random
from typing import TYPE_CHECKING, Final

from vivavoce.core.errors import InputError
from vivavoce.core.i18n import N_
from vivavoce.log.models import StoredEvent
from vivavoce.log.stress_events import Decision, LoggedProposal, VariantReviewed, VariantsProposed
from vivavoce_stress.base import Edit
from vivavoce_stress.words import words_of

if TYPE_CHECKING:
    from vivavoce_stress.sampling import SampledItem

DOUBLE_SHARE: Final = 0.2
LONGEST: Final = 2_000
_PIECES: Final = re.compile(r"\w+|\W")
_ALIKE: Final = 0.7


@dataclass
class Reviews:
    """Items in the order in which they were proposed, and their reviews in the order of deciding."""

    items: dict[str, VariantsProposed] = field(default_factory=dict)
    reviews: dict[str, dict[str, VariantReviewed]] = field(default_factory=dict)

    @classmethod
    def of(cls, stream: Iterable[StoredEvent]) -> "Reviews":
        reviews = cls()
        for stored in stream:
            if isinstance(stored.event, VariantsProposed):
                reviews.items[stored.event.item_id] = stored.event
            elif isinstance(stored.event, VariantReviewed):
                by = reviews.reviews.setdefault(stored.event.item_id, {})
                by.pop(stored.event.reviewer, None)
                by[stored.event.reviewer] = stored.event
        return reviews

    def waiting(self, reviewer: str) -> list[VariantsProposed]:
        """Items that this person may still decide: fresh ones, and the sample for two reviewers."""
        return [
            item
            for key, item in self.items.items()
            if reviewer not in (by := self.reviews.get(key, {})) and len(by) < (2 if item.double else 1)
        ]

    def second(self) -> int:
        """Number of items that wait for a second reviewer, sampled to measure agreement."""
        return sum(item.double and len(self.reviews.get(key, {})) == 1 for key, item in self.items.items())

    def decision(self, item_id: str) -> VariantReviewed | None:
        """The decision that stands: the last one."""
        by = self.reviews.get(item_id)
        return next(reversed(by.values())) if by else None

    def pairs(self) -> list[tuple[bool, bool]]:
        """Approvals of an item's first two reviewers, for items with two reviews."""
        decision_pairs = []
        for by in self.reviews.values():
            first = [review.text is not None for review in by.values()][:2]
            if len(first) == 2:
                decision_pairs.append((first[0], first[1]))
        return decision_pairs

    def disputed(self) -> list[str]:
        """Items whose reviewers settled on different texts."""
        return [key for key, by in self.reviews.items() if len({review.text for review in by.values()}) > 1]


def proposed(item: "SampledItem", *, double_share: float = DOUBLE_SHARE) -> VariantsProposed:
    """An item as it goes into the queue; whether two look at it depends on its key alone."""
    return VariantsProposed(
        item_id=item.item_id,
        test=item.test,
        language=item.interaction.language,
        dialogue_id=item.interaction.dialogue_id,
        turn_index=item.turn.turn_index,
        original=item.turn.text,
        previous=item.previous,
        double=Random(item.item_id).random() < double_share,
        proposals=[
            LoggedProposal(
                text=variant.text,
                rule=variant.rule,
                confidence=variant.confidence,
                edits=variant.facts()["edits"],
            )
            for variant in item.variants
        ],
    )


def reviewed(
    item: VariantsProposed, reviewer: str, decision: str, text: str = "", proposal: int | None = None
) -> VariantReviewed:
    """A decision, checked.

    Raises  InputError: no such decision or proposal, or a variant that is empty, too long or the original
    """
    place = f"item {item.item_id}"
    if decision not in ("accept", "edit", "reject", "write"):
        raise InputError(
            f"unknown decision {decision!r}", place=place, hint="known: accept, edit, reject, write"
        )
    kind: Decision = decision
    if kind == "reject":
        return VariantReviewed(item_id=item.item_id, reviewer=reviewer, decision=kind, text=None)
    if kind != "write" and (proposal is None or not 0 <= proposal < len(item.proposals)):
        problem = "the proposal is missing" if proposal is None else f"proposal {proposal + 1} not found"
        raise InputError(problem, place=place, hint=f"choose 1 to {len(item.proposals)}")
    final_text = (
        item.proposals[proposal].text if kind == "accept" and proposal is not None else " ".join(text.split())
    )
    if not final_text or len(final_text) > LONGEST:
        raise InputError(N_("a variant is empty or too long"), place=place, hint=f"1 to {LONGEST} characters")
    if final_text == " ".join(item.original.split()):
        raise InputError(
            N_("the variant equals the original"), place=place, hint=N_("change it, or reject it")
        )
    return VariantReviewed(
        item_id=item.item_id,
        reviewer=reviewer,
        decision=kind,
        text=final_text,
        proposal=None if kind == "write" else proposal,
    )


def word_edits(original: str, text: str) -> list[Edit]:
    """Differences in whole words, for a variant that a person wrote."""
    mine, theirs = words_of(original), words_of(text)
    matcher = SequenceMatcher(
        None, [word.text for word in mine], [word.text for word in theirs], autojunk=False
    )
    edits = []
    for kind, low, high, other_low, other_high in matcher.get_opcodes():
        if kind == "equal":
            continue
        start = mine[low].start if low < len(mine) else len(original)
        end = mine[high - 1].end if high > low else start
        after = text[theirs[other_low].start : theirs[other_high - 1].end] if other_high > other_low else ""
        edits.append(Edit(start, end, original[start:end], after))
    return edits


def difference(original: str, text: str) -> Sequence[tuple[str, str]]:
    """Pieces of a variant for showing: same, removed, added; by words, by letters where words are alike."""
    mine, theirs = _PIECES.findall(original), _PIECES.findall(text)
    pieces: list[tuple[str, str]] = []
    matcher = SequenceMatcher(None, mine, theirs, autojunk=False)
    for kind, low, high, other_low, other_high in matcher.get_opcodes():
        before, after = "".join(mine[low:high]), "".join(theirs[other_low:other_high])
        if kind == "equal":
            pieces.append(("same", before))
        elif SequenceMatcher(None, before, after, autojunk=False).ratio() >= _ALIKE:
            pieces += _letters(before, after)
        else:
            pieces += [("removed", before), ("added", after)]
    return [piece for piece in pieces if piece[1]]


def _letters(before: str, after: str) -> list[tuple[str, str]]:
    pieces: list[tuple[str, str]] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for kind, low, high, other_low, other_high in matcher.get_opcodes():
        if kind == "equal":
            pieces.append(("same", before[low:high]))
        else:
            pieces += [("removed", before[low:high]), ("added", after[other_low:other_high])]
    return pieces
