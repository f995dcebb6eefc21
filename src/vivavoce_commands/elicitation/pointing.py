"""Pointing gestures in a picture during commands: places in per cent, and the things there."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from pydantic import BaseModel, ConfigDict

MOST_POINTS: Final = 9
FIELD: Final = "pointed"


class ThingInPicture(BaseModel):
    """Something that can be pointed at: left, top, width and height in per cent of the picture; its names."""

    model_config = ConfigDict(frozen=True)
    at: tuple[float, float, float, float]
    name: dict[str, str] = {}

    def holds(self, x: float, y: float) -> bool:
        x_min, top, wide, high = self.at
        return x_min <= x <= x_min + wide and top <= y <= top + high


class PointedAt(BaseModel):
    """A place that was pointed at, in per cent from the picture's left and top; the thing there, if any."""

    model_config = ConfigDict(frozen=True)
    x: float
    y: float
    thing: str | None = None


class ShownThing(NamedTuple):
    """A thing as the page draws it; its name is for who cannot see it."""

    name: str
    x: float
    y: float
    wide: float
    high: float


def read_pointed(text: str, things: Mapping[str, ThingInPicture]) -> tuple[PointedAt, ...]:
    """The places in a page's field, `31.2,40 50,60.5`, in the order in which they were pointed at.

    Note  of things that overlap the one that is written last is in front; what is no place is left out
    """
    points = []
    for pair in text.split()[:MOST_POINTS]:
        x, comma, y = pair.partition(",")
        try:
            place = (float(x), float(y)) if comma else None
        except ValueError:
            place = None
        if place is not None and all(0 <= coordinate <= 100 for coordinate in place):
            thing = next((key for key, area in reversed(list(things.items())) if area.holds(*place)), None)
            points.append(PointedAt(x=place[0], y=place[1], thing=thing))
    return tuple(points)


def write_pointed(pointed: Iterable[PointedAt] | None) -> str | None:
    """As the dataset has it: things, or places without one, in order; None where nobody could point."""
    if pointed is None:
        return None
    return "; ".join(point.thing or f"{point.x:g},{point.y:g}" for point in pointed)
