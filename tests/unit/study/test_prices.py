"""What a call of a model costs."""

import pytest

from vivavoce.study.prices import Prices

PRICES = Prices.model_validate(
    {
        "currency": "EUR",
        "models": {
            "big-*": {"input": 2, "cached": 0.5, "output": 10},
            "plain": {"input": 3, "output": 4},
        },
    }
)
M = 1_000_000


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        (
            {"model": "big-2", "input_tokens": 3 * M, "cached_tokens": M, "output_tokens": 4 * M},
            2 * 2 + 0.5 + 40,
        ),
        ({"model": "big-2", "input_tokens": 3 * M, "output_tokens": 0}, 6),
        ({"model": "big-2", "input_tokens": M, "cached_tokens": 2 * M, "output_tokens": 0}, 0.5),
        ({"model": "plain", "input_tokens": 3 * M, "cached_tokens": M, "output_tokens": 2 * M}, 9 + 8),
        ({"model": "plain", "input_tokens": 0, "output_tokens": 0}, 0),
        ({"model": "plain", "input_tokens": None, "output_tokens": 5}, None),
        ({"model": "plain", "input_tokens": 5, "output_tokens": None}, None),
        ({"model": "other", "input_tokens": 5, "output_tokens": 5}, None),
        ({"input_tokens": 5, "output_tokens": 5}, None),
    ],
)
def test_read_cached_and_written_tokens_cost_their_own_price_a_million(
    usage: dict, cost: float | None
) -> None:
    found = PRICES.charge(usage)
    assert found == {"cost": cost if cost is None else pytest.approx(cost), "currency": "EUR"}
