"""Figure of the interim analyses: interval and evidence of each pair."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from vivavoce.desk.language import gettext
from vivavoce.desk.stopping import LookRow, PairRow, WatchView

ROOM: Final = 0.08  # margin above and below the drawing, as a share of the panel's height


@dataclass(frozen=True, slots=True)
class DrawnLook:
    """One interim analysis of one pair; coordinates in per cent of figure width or panel height."""

    label: str
    x: float
    difference: float | None
    low: float | None
    high: float | None
    evidence: float | None
    boundary: float | None


@dataclass(frozen=True, slots=True)
class LookFigure:
    """One pair, from its first to its last interim analysis.

    zero         where the difference is none
    statistic    |z|, or the e-value; words: the same as a sentence a look
    """

    pair: str
    looks: list[DrawnLook]
    zero: float
    statistic: str
    words: list[str]

    @property
    def has_intervals(self) -> bool:
        return any(one.low is not None for one in self.looks)

    @property
    def has_evidence(self) -> bool:
        return any(one.evidence is not None and one.boundary is not None for one in self.looks)


def look_figures(view: WatchView) -> list[LookFigure]:
    """One figure per pair; empty before the first interim analysis."""
    looks = list(reversed(view.looks))
    pairs = dict.fromkeys(row.pair for look in looks for row in look.rows)
    return [
        _figure(view, pair, [(one, row) for one in looks for row in one.rows if row.pair == pair])
        for pair in pairs
    ]


def _figure(view: WatchView, pair: str, found: Sequence[tuple[LookRow, PairRow]]) -> LookFigure:
    verdicts = [row.verdict for _, row in found]
    limits = [one for each in verdicts for one in (each.low, each.high, each.difference) if one is not None]
    low, high = min([0.0, *limits]), max([0.0, *limits])
    evidence = [one for each in verdicts for one in (each.statistic, each.bar) if one is not None]
    most = max([0.0, *evidence])
    drawn = [
        DrawnLook(
            label=str(look.participants), x=100 * (place + 0.5) / len(found),
            difference=_at(row.verdict.difference, low, high), low=_at(row.verdict.low, low, high),
            high=_at(row.verdict.high, low, high), evidence=_at(row.verdict.statistic, 0.0, most),
            boundary=_at(row.verdict.bar, 0.0, most),
        )
        for place, (look, row) in enumerate(found)
    ]  # fmt: skip
    return LookFigure(
        pair, drawn, _at(0.0, low, high) or 0.0, view.statistic, [_words(view, *one) for one in found]
    )


def _at(value: float | None, low: float, high: float) -> float | None:
    """Vertical position of a value in a panel, in per cent from the top."""
    if value is None:
        return None
    share = (value - low) / (high - low) if high > low else 0.5
    return 100 * (1 - ROOM - (1 - 2 * ROOM) * share)


def _words(view: WatchView, look: LookRow, row: PairRow) -> str:
    return gettext(
        "%(look)s, %(participants)s participants: %(difference)s (%(interval)s), %(statistic)s %(evidence)s, "
        "boundary %(boundary)s.",
        look=look.name, participants=look.participants, difference=row.difference, interval=row.interval,
        statistic=view.statistic, evidence=row.statistic, boundary=row.bar,
    )  # fmt: skip
