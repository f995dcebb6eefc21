"""The section `prices` of a study file: costs of model calls, in one currency."""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any, Final

from pydantic import Field

from vivavoce.study.settings import Number, Settings

MILLION: Final = 1_000_000


class ModelPrice(Settings):
    """Prices of a million tokens of one model."""

    input: Number = Field(ge=0, description="price per million input tokens")
    cached: Number | None = Field(
        None,
        ge=0,
        description="price per million cached input tokens (default: as `input`)",
    )
    output: Number = Field(ge=0, description="price per million output tokens, including reasoning")


class Prices(Settings):
    """The prices of models, by their names; the first that fits an answer's model counts."""

    currency: str = Field(min_length=1, max_length=12, description="currency of all prices, such as EUR")
    models: dict[str, ModelPrice] = Field(
        min_length=1, description="prices by model name; * matches any characters, as in some-model-*"
    )

    def charge(self, usage: Mapping[str, Any]) -> dict[str, Any]:
        """The cost of one call of a model.

        Input   usage: model, input_tokens, cached_tokens, output_tokens
        Output  cost and currency; the cost is null where the model has no price, or its tokens are not known
        """
        price = self._of(usage.get("model"))
        read, wrote = usage.get("input_tokens"), usage.get("output_tokens")
        if price is None or read is None or wrote is None:
            return {"cost": None, "currency": self.currency}
        cached = min(usage.get("cached_tokens") or 0, read)
        from_cache = price.input if price.cached is None else price.cached
        cost = ((read - cached) * price.input + cached * from_cache + wrote * price.output) / MILLION
        return {"cost": cost, "currency": self.currency}

    def _of(self, model: str | None) -> ModelPrice | None:
        if model is None:
            return None
        fitting = (price for name, price in self.models.items() if fnmatchcase(model, name))
        return self.models.get(model) or next(fitting, None)
