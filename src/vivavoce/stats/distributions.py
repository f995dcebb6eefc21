"""Tails and quantiles of the normal law and of Student's t.

The same functions as `scipy.stats` has, of which they are the ground, without the long import of all laws.
"""

from scipy.special import ndtr, ndtri, stdtr, stdtrit


def normal_tail(z: float) -> float:
    """Probability of more than z."""
    return float(ndtr(-z))


def normal_quantile(p: float) -> float:
    """Upper quantile: the value that a standard normal variable exceeds with probability p."""
    return -float(ndtri(p))


def t_tail(t: float, df: float) -> float:
    """Probability of more than t."""
    return float(stdtr(df, -t))


def t_quantile(p: float, df: float) -> float:
    """Quantile p of Student's t."""
    return float(stdtrit(df, p))
