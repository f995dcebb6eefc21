"""The likelihood of one row by its linear predictor: binomial, Poisson and cumulative logit.

Each gives the log-likelihood, its slope and its (negated) curvature in the predictor; all are log-concave, so
that Newton's method finds the mode of random effects from anywhere.
"""

from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from scipy.special import expit, gammaln, log_expit

Floats = np.ndarray[Any, np.dtype[np.float64]]
EXPONENT: Final = 500.0  # beyond which exp overflows on the way to an answer


class Likelihood(Protocol):
    """A response given its linear predictor (eta); `extra` are parameters of its own, such as thresholds."""

    def logs(self, eta: Floats, extra: Floats) -> Floats:
        """Log-likelihood, shaped like eta, whose first axis is the rows."""
        ...

    def slopes(self, eta: Floats, extra: Floats) -> tuple[Floats, Floats]:
        """First derivative, and minus the second, of each row."""
        ...

    def mean(self, eta: Floats, extra: Floats) -> Floats:
        """Expected value of any row with this predictor."""
        ...


class Binomial(NamedTuple):
    """Successes among cases, by logit."""

    successes: Floats
    cases: Floats

    def logs(self, eta: Floats, extra: Floats) -> Floats:
        """Without the binomial coefficient, as if cases were rows of their own."""
        return _down(self.successes, eta) * eta - _down(self.cases, eta) * np.logaddexp(0, eta)

    def slopes(self, eta: Floats, extra: Floats) -> tuple[Floats, Floats]:
        """By the rate that the predictor stands for."""
        rate = expit(eta)
        return self.successes - self.cases * rate, self.cases * rate * (1 - rate)

    def mean(self, eta: Floats, extra: Floats) -> Floats:
        """The rate."""
        return expit(eta)


class Poisson(NamedTuple):
    """Counts, by log."""

    counts: Floats

    def logs(self, eta: Floats, extra: Floats) -> Floats:
        """With the factorial."""
        counts = _down(self.counts, eta)
        return counts * eta - np.exp(np.minimum(eta, EXPONENT)) - gammaln(counts + 1)

    def slopes(self, eta: Floats, extra: Floats) -> tuple[Floats, Floats]:
        """By the count that the predictor stands for."""
        expected = np.exp(np.minimum(eta, EXPONENT))
        return self.counts - expected, expected

    def mean(self, eta: Floats, extra: Floats) -> Floats:
        """The expected count."""
        return np.exp(np.minimum(eta, EXPONENT))


class Cumulative(NamedTuple):
    """Ordered answers by thresholds on the logit scale: P(answer <= j) = expit(threshold_j - eta).

    answers  0 to levels - 1; `extra` are the levels - 1 thresholds, ascending
    scale    the number that stands for each answer, for the mean
    """

    answers: np.ndarray
    scale: Floats

    def logs(self, eta: Floats, extra: Floats) -> Floats:
        """Log of the share of the logistic between the answer's two thresholds."""
        above, below = self._ends(eta, extra)
        with np.errstate(invalid="ignore", divide="ignore"):
            gap = np.log1p(-np.exp(below - above))
        return log_expit(above) + log_expit(-below) + gap

    def slopes(self, eta: Floats, extra: Floats) -> tuple[Floats, Floats]:
        """The logistic's density over its distribution is plain in both ends."""
        above, below = (expit(end) for end in self._ends(eta, extra))
        return above + below - 1, above * (1 - above) + below * (1 - below)

    def mean(self, eta: Floats, extra: Floats) -> Floats:
        """The expected answer, in the scale's own numbers."""
        over = 1 - expit(extra - eta[..., None])
        return self.scale[0] + over @ np.diff(self.scale)

    def _ends(self, eta: Floats, extra: Floats) -> tuple[Floats, Floats]:
        ends = np.concatenate([[-np.inf], extra, [np.inf]])
        return _down(ends[self.answers + 1], eta) - eta, _down(ends[self.answers], eta) - eta


def _down(values: Floats, eta: Floats) -> Floats:
    """Values of rows, shaped so that they go with a predictor of further columns."""
    return values if values.ndim == eta.ndim else values[:, None]
