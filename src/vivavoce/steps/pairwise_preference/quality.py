"""Flags of a whole response: hints for its reader, which delete nothing."""

from collections.abc import Sequence
from typing import Final

from vivavoce.steps.pairwise_preference.models import PairChoices, PresentedPair

FEWEST_FOR_ONE_SIDE: Final = 4
StimulusResponse = Sequence[tuple[PresentedPair, PairChoices]]


def odd(given: StimulusResponse) -> list[str]:
    """Of `one_side`, `attention_failed`, `inconsistent`, those that fit."""
    raised = {
        "one_side": _one_side(given),
        "attention_failed": _attention_failed(given),
        "inconsistent": _inconsistent(given),
    }
    return [name for name, is_so in raised.items() if is_so]


def _of_role(response: StimulusResponse, role: str) -> StimulusResponse:
    return [(compared, answer) for compared, answer in response if compared.role == role]


def _one_side(response: StimulusResponse) -> bool:
    """Every choice, over enough pairs, fell on the same side."""
    main = _of_role(response, "main")
    sides = [choice.side for _, answer in main for choice in answer.choices]
    return len(main) >= FEWEST_FOR_ONE_SIDE and len(set(sides)) == 1 and None not in sides


def attention_credits(given: StimulusResponse) -> dict[int, float]:
    """Credits of pairs with nonsense, by place: 1 where the sound transcript was mostly chosen, else 0."""
    return {
        place: float(2 * sum(choice.choice == "control" for choice in answer.choices) > len(answer.choices))
        for place, (compared, answer) in enumerate(given)
        if compared.role == "attention" and compared.attention == "broken"
    }


def _attention_failed(response: StimulusResponse) -> bool:
    return 0.0 in attention_credits(response).values()


def _inconsistent(response: StimulusResponse) -> bool:
    """True if more than half of the repeated questions were answered otherwise the second time."""
    first = {compared.pair_id: answer for compared, answer in _of_role(response, "main")}
    same = [
        before.choice == after.choice
        for compared, answer in _of_role(response, "repeat")
        for before, after in zip(first[compared.pair_id].choices, answer.choices, strict=True)
    ]
    return bool(same) and 2 * sum(same) < len(same)
