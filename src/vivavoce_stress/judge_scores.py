"""Agreement of a language model's verdicts with people's, on the same pairs as the other rungs."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from vivavoce.core.result import signature
from vivavoce.stats.proportions import wilson
from vivavoce_stress.scores import agree


class JudgedPair(NamedTuple):
    """A pair's language and verdicts: the person's, the model's (null: none, and why), the other rungs'.

    first, last  what the model said in either order of the answers
    """

    language: str
    label: str
    verdict: str | None
    trouble: str | None
    first: str | None
    last: str | None
    ladder: str | None


def judge_results(pairs: Sequence[JudgedPair], data: str, level: float = 0.95) -> dict[str, Any]:
    """Agreement on pass or not, whole and by language; how steady the model is; and where it goes wrong.

    Input    pairs, none left out
    Empty    no pair with a verdict: `model` null
    Note     `model` counts pairs with a verdict; `model_or_none` counts one without as a disagreement
    """
    languages = list(dict.fromkeys(pair.language for pair in pairs))
    return {
        **_figures(pairs, level),
        "by_language": {
            name: _figures([pair for pair in pairs if pair.language == name], level) for name in languages
        },
        "confusions": dict(
            Counter(
                f"{pair.label} taken for {pair.verdict}"
                for pair in pairs
                if pair.verdict and pair.verdict != pair.label
            ).most_common()
        ),
        "signature": signature("stress_model_judge", unit="pair", n=len(pairs), data=data, interval="wilson"),
    }


def _figures(pairs: Sequence[JudgedPair], level: float) -> dict[str, Any]:
    decided = [pair for pair in pairs if pair.verdict is not None]
    in_both_orders = [pair for pair in pairs if pair.first is not None and pair.last is not None]
    steady = sum(pair.first == pair.last for pair in in_both_orders)
    right = sum(pair.verdict is not None and _passes(pair.verdict) == _passes(pair.label) for pair in pairs)
    with_ladder = [pair for pair in pairs if pair.ladder is not None]
    spans = {
        "steady": wilson(steady, len(in_both_orders), level),
        "model_or_none": wilson(right, len(pairs), level),
    }
    return {
        "n": len(pairs),
        "decided": len(decided),
        "troubles": dict(Counter(pair.trouble for pair in pairs if pair.trouble).most_common()),
        "model": agree([(_passes(pair.label), _passes(str(pair.verdict))) for pair in decided], level),
        "model_or_none": {
            "same": right,
            "n": len(pairs),
            "rate": right / len(pairs) if pairs else None,
            **_ends(spans["model_or_none"]),
        },
        "ladder": agree([(_passes(pair.label), _passes(str(pair.ladder))) for pair in with_ladder], level),
        "steady": {
            "same": steady,
            "n": len(in_both_orders),
            "rate": steady / len(in_both_orders) if in_both_orders else None,
            **_ends(spans["steady"]),
        },
        "first_kinder": sum(
            _passes(str(pair.first)) and not _passes(str(pair.last)) for pair in in_both_orders
        ),
        "last_kinder": sum(
            _passes(str(pair.last)) and not _passes(str(pair.first)) for pair in in_both_orders
        ),
    }


def _passes(verdict: str) -> bool:
    return verdict == "pass"


def _ends(interval: Any) -> dict[str, float | None]:
    return {"low": interval.low if interval else None, "high": interval.high if interval else None}
