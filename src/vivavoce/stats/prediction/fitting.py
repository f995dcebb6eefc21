"""Models of every kind behind one face: fitted on training dialogues alone, they predict judgements."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from vivavoce.stats.prediction import linear
from vivavoce.stats.prediction.linear import Linear
from vivavoce.stats.prediction.ordinal import Ordinal, fit_ordinal, has_codes
from vivavoce.stats.prediction.trees import Forest, fit_boosting, fit_tree

Numbers = NDArray[np.float64]
Kind = Literal["mean", "stepwise", "elastic_net", "tree", "boosting", "ordinal"]
KINDS: Final[tuple[Kind, ...]] = ("mean", "stepwise", "elastic_net", "tree", "boosting", "ordinal")
WEIGHING: Final[tuple[Kind, ...]] = ("stepwise", "elastic_net", "ordinal")


@dataclass(frozen=True, slots=True)
class Fitted:
    """A model.

    scaling   normalises the inputs by the training dialogues' figures; what is missing becomes their mean
    inner     works on normalised inputs
    codes     of an ordinal target, ascending; empty for others
    """

    kind: Kind
    scaling: Linear
    inner: Linear | Forest | Ordinal
    codes: tuple[float, ...] = ()

    def predict(self, values: Numbers) -> Numbers:
        """The expected judgement of each dialogue."""
        if isinstance(self.inner, Linear):
            return self.inner.predict(values)
        return self.inner.predict(self.scaling.normalised(values))

    def choose(self, values: Numbers) -> Numbers:
        """The code of each dialogue: the median one of an ordinal model, else the nearest."""
        if isinstance(self.inner, Ordinal):
            return self.inner.choose(self.scaling.normalised(values))
        codes = np.array(self.codes)
        return codes[np.abs(self.predict(values)[:, None] - codes[None, :]).argmin(axis=1)]

    @property
    def weights(self) -> Numbers | None:
        """Weights of normalised inputs; None for trees."""
        return None if isinstance(self.inner, Forest) else self.inner.weights


def fit(kind: Kind, values: Numbers, answers: Numbers, groups: Sequence[str]) -> Fitted:
    """Fit on training dialogues.

    Input   groups: participants, kept together where something is chosen inside
    """
    codes = tuple(float(code) for code in np.unique(answers)) if has_codes(answers) else ()
    scaling = linear.fit("mean", values, answers, groups)
    inputs = scaling.normalised(values)
    inner: Linear | Forest | Ordinal
    match kind:
        case "tree":
            inner = fit_tree(inputs, answers, groups)
        case "boosting":
            inner = fit_boosting(inputs, answers, groups)
        case "ordinal":
            inner = fit_ordinal(inputs, answers, groups)
        case "mean" | "stepwise" | "elastic_net":
            inner = scaling if kind == "mean" else linear.fit(kind, values, answers, groups)
    return Fitted(kind, scaling, inner, codes)


def kinds_for(answers: Numbers) -> tuple[Kind, ...]:
    """The kinds that suit a target: ordinal models need codes."""
    return KINDS if has_codes(answers) else tuple(kind for kind in KINDS if kind != "ordinal")
