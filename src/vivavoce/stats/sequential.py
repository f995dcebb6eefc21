"""Looking early at planned moments: boundaries by alpha spending, and what unadjusted looks would cost."""

import math
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from vivavoce.core.errors import InputError, UnknownName

Spending = Literal["obrien_fleming", "pocock"]
Floats = np.ndarray[Any, np.dtype[np.float64]]
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)
WIDEST: Final = 10.0


class Boundary(NamedTuple):
    """One planned look: share of the information, |z| to exceed, alpha spent up to and with it."""

    information: float
    z: float
    spent: float


class LookVerdict(NamedTuple):
    """What a look allows: go on where `stop` is None; `why` says it in words.

    z, boundary, conditional_power  None where nothing varied; the boundary also where it is too early
    """

    stop: Literal["effect", "futility", "end"] | None
    z: float | None
    boundary: float | None
    conditional_power: float | None
    why: str


def obrien_fleming(information: float, alpha: float) -> float:
    """Alpha spent by an O'Brien-Fleming type boundary, one-sided halves: little at first."""
    return 4 * float(norm.sf(norm.isf(alpha / 4) / math.sqrt(information)))


def pocock(information: float, alpha: float) -> float:
    """Alpha spent by a Pocock type boundary: about the same bar at every look."""
    return alpha * math.log(1 + (math.e - 1) * information)


SPENDING: Final[dict[str, Callable[[float, float], float]]] = {
    "obrien_fleming": obrien_fleming,
    "pocock": pocock,
}


class _State(NamedTuple):
    """Density of z where no look has stopped yet, on nodes of a quadrature."""

    nodes: Floats
    mass: Floats
    information: float


def boundaries(
    looks: int | Sequence[float], spending: Spending = "obrien_fleming", alpha: float = 0.05
) -> list[Boundary]:
    """Two-sided boundaries for planned looks.

    Input   a number of equally spaced looks, or their rising shares of the information, up to 1
    Output  one boundary a look
    Note    information is a share of the effective sample: participants, not dialogues, where those cluster
    Raises  UnknownName, InputError
    Source  Lan and DeMets 1983, by recursive integration (Armitage, McPherson and Rowe 1969);
            golden case 24 in tests/golden/statistics-sequential.json
    """
    if spending not in SPENDING:
        raise UnknownName("spending function", spending, list(SPENDING))
    shares, spend = _shares(looks), SPENDING[spending]
    found: list[Boundary] = []
    state: _State | None = None
    before = 0.0
    for share in shares:
        spent = spend(share, alpha)
        increment = spent - before
        z: Any = math.inf
        if increment > _exit(state, share, WIDEST):
            z = brentq(lambda z, s=state, t=share, i=increment: _exit(s, t, z) - i, 0.01, WIDEST)
        found.append(Boundary(share, float(z), spent))
        state, before = _advance(state, share, min(z, WIDEST)), spent
    return found


def judge(
    z: float, look: Boundary, *, expected: float, final: float, futility: float = 0.1, last: bool = False
) -> LookVerdict:
    """Whether a trial may stop at a look.

    Input   `expected` is the z that the planned effect would give at full information (2.80 for 80 %
            power); `final` the boundary of the last look; `futility` the conditional power below which
            going on is idle
    Note    stopping for futility is not binding: going on all the same keeps alpha
    """
    power = conditional_power(z, look.information, expected=expected, final=final)
    if abs(z) >= look.z:
        return LookVerdict("effect", z, look.z, power, f"|z| {abs(z):.2f} reaches the boundary {look.z:.2f}.")
    if not last and power < futility:
        why = f"With what was planned the trial would still succeed in only {power:.0%} of cases."
        return LookVerdict("futility", z, look.z, power, why)
    return LookVerdict(None, z, look.z, power, f"|z| {abs(z):.2f} is below the boundary {look.z:.2f}; go on.")


def conditional_power(z: float, information: float, *, expected: float, final: float) -> float:
    """Chance that the last look exceeds its boundary, given z now and the planned effect from here on.

    Source  Lan and Wittes 1988
    """
    if information >= 1:
        return float(abs(z) >= final)
    rest = 1 - information
    drift = math.copysign(expected, z) * rest
    middle, spread = z * math.sqrt(information) + drift, math.sqrt(rest)
    return float(norm.sf((final - middle) / spread) + norm.cdf((-final - middle) / spread))


def _shares(looks: int | Sequence[float]) -> list[float]:
    shares = [place / looks for place in range(1, looks + 1)] if isinstance(looks, int) else list(looks)
    rising = all(a < b for a, b in zip([0.0, *shares], shares, strict=False))
    if not shares or not rising or shares[-1] > 1 + 1e-12:
        raise InputError(
            f"looks at {looks!r}", hint="give a number of looks, or rising shares above 0 and up to 1"
        )
    return shares


def _exit(state: _State | None, share: float, z: float) -> float:
    """Chance to exceed the bar at this look and not before, nothing being different."""
    if state is None:
        return float(2 * norm.sf(z))
    carried, spread = _step(state, share)
    return float(((norm.sf((z - carried) / spread) + norm.cdf((-z - carried) / spread)) * state.mass).sum())


def _advance(state: _State | None, share: float, z: float) -> _State:
    nodes = np.asarray(_NODES, dtype=float) * z
    if state is None:
        density = np.asarray(norm.pdf(nodes), dtype=float)
    else:
        carried, spread = _step(state, share)
        density = (norm.pdf((nodes[:, None] - carried[None, :]) / spread) / spread * state.mass).sum(axis=1)
    return _State(nodes, density * np.asarray(_WEIGHTS, dtype=float) * z, share)


def _step(state: _State, share: float) -> tuple[Floats, float]:
    """Where earlier z values lie on the scale of this look, and the spread of what came since."""
    ratio = state.information / share
    return state.nodes * math.sqrt(ratio), math.sqrt(1 - ratio)
