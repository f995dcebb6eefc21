"""Classes of errors after the INSPIRE trials: what the user did that the system could not take."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from vivavoce.dataset.annotation_layers import LAYERS
from vivavoce.measures.base import Measure
from vivavoce.measures.counting import label_counts, number_of_turns, over

SOURCE: Final = "error coding of the INSPIRE Wizard-of-Oz trials"
LAYER: Final = "inspire"
OF_SYSTEM: Final = "repetition"


def _measures() -> Iterator[Measure]:
    for label, meaning in LAYERS[LAYER].labels.items():
        party = "system" if label == OF_SYSTEM else "user"
        count = label_counts(LAYER, label)
        common = partial(
            Measure,
            family="errors",
            origin="expert",
            direction="lower",
            source=SOURCE,
            parameters={"layer": LAYER},
            needs=((f"layer:{LAYER}",),),
        )
        title = label.replace("_", " ").capitalize()
        yield common(
            name=f"error_{label}",
            title=f"Errors: {title.lower()}",
            symbol=label,
            unit="turns",
            level="dialogue",
            analysis_unit="dialogue",
            meaning=f"{party.capitalize()} turns with this label: {meaning.removeprefix('the system ')}.",
            empty=f"not annotated in layer `{LAYER}`: missing",
            components=count,
        )
        yield common(
            name=f"error_{label}_rate",
            title=f"Errors: {title.lower()}, rate",
            symbol=f"{label} rate",
            unit="ratio",
            level="turn",
            analysis_unit="turn",
            meaning=f"The same over all {party} turns.",
            empty=f"no {party} turn, or not annotated in layer `{LAYER}`: missing",
            components=over(count, number_of_turns(party)),
        )


FAMILY: Final[tuple[Measure, ...]] = tuple(_measures())
