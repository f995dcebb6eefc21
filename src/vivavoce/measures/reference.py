"""The reference page of the measures: `python -m vivavoce.measures.reference`."""

from itertools import groupby
from typing import Final

from vivavoce.log.annotation_layers import ADJUDICATED, LAYERS, NOTHING, UNDECIDED
from vivavoce.measures import MEASURES, Measure

_HEAD: Final = """# Measures

<!-- Made by `python -m vivavoce.measures.reference`; edit the measures, not this page. -->

```
vivavoce measure DATASET --by condition --only all        every value in one table
vivavoce measure DATASET --only instrumental --csv FILE   every value of what the log alone gives
vivavoce measure --list --json                            this catalogue
```

In a notebook, `vivavoce.measure("D", by="condition")` gives the same:
[analyse in Python](../how-to/analyse-in-python.md).

A measure of your own is a function over the Arrow tables of a set of whole dialogues. It reads
`tables.read("turns")` and gives the numerator and denominator of each dialogue. A package puts it
beside those of this page by an entry point ([extend Vivavoce](../how-to/extend.md)), a
notebook by `vivavoce.measures.MEASURES.add(name, Measure(...))`.

- A measure has a numerator and a denominator in each dialogue. Its **value** over any set of dialogues is the
  sum of numerators over the sum of denominators (micro); **macro** is the mean of the dialogues' own values.
- Where the denominator is 0 the value is missing, never 0. Beside every value stands the number of dialogues
  in which it is not missing.
- Ratios are fractions and counts are means per dialogue; the unit of both is `1`. Times are in seconds.
- **Instrumental** measures need the log alone; **expert** ones need transcripts, labels or acts of what the
  user meant.
- An utterance is what one party says before the other takes the turn; a silent time-out is no user turn.
- Alignments of words have the least number of errors and, among those, the most substitutions.
- For text, the response delays run from sending to the first output (SRD), to the complete message
  (SRD_complete), and from the complete message to sending (URD, with reading and typing in it) and to the
  first key (URD_firstkey). Sending is when the participant's words came in: what Vivavoce itself takes until
  it hands them to the system is in SRD and SRD_complete; the dashboard's times of an answer begin after it.
  There are no word errors; a prompt that nothing was understood counts as fallback prompt, not as ASR
  rejection.
- For speech, durations and delays run from onset to offset of what is heard, where the dialogue's
  `timing_origin` is `sound` (see `vivavoce timing`); else they are as the log has them. Then barge-ins come
  from the sound, too: the user begins while the system speaks, and both speak for 0.1 s at least.
- Flags of system turns (question, help, error message, rejection, time-out) come from the system's acts where
  they are logged, else from the rules of the study file, and barge-ins from the log; of a turn of which
  neither knows, from the experts, whose word counts first where the study's `analysis.flags` says so.
  Columns of the dataset say who told it.
"""
_LAYERS: Final = f"""## What experts annotate

Labels stand in the table `annotations`: dialogue, turn, layer, label, value, annotator.

- An annotator who read a dialogue and found nothing in a layer writes one row without turn with the label
  `{NOTHING}`. A dialogue without any row in a layer was not annotated in it, and what needs it is missing.
- Of several annotators, a label stands when more than half of them gave it: of those who judged the turn if
  labels exclude each other, else of those who annotated the dialogue. Rows of the annotator `{ADJUDICATED}`
  settle a dialogue's layer alone, but for turns that they label `{UNDECIDED}`.
- Where no label has more than half and nobody decided, the place is **open**. It counts in numerators and
  denominators alike; the value is the mean over the annotators, each taken at their word, and beside it stand
  the number of open places that could change it, and the lowest and highest value that decisions could give.

| layer | on | labels | value | one a turn |
| --- | --- | --- | --- | --- |
"""


def measures_reference() -> str:
    """The whole page, Markdown."""
    by_family = sorted(
        (measure for _, measure in MEASURES), key=lambda measure: (measure.family, measure.name)
    )
    parts = [_HEAD]
    for family, own in groupby(by_family, key=lambda measure: measure.family):
        parts.append(_family(family, list(own)))
    return "\n".join(parts) + "\n" + _LAYERS + "\n".join(_layers()) + "\n"


def _family(family: str, measures: list[Measure]) -> str:
    lines = [
        f"## {family.replace('_', ' ').capitalize()}",
        "",
        "| measure | symbol | meaning | unit | level | origin | better | missing when | source |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    return "\n".join([*lines, *(_row(measure) for measure in measures), ""])


def _row(measure: Measure) -> str:
    settings = "; ".join(f"{name}: {value}" for name, value in measure.parameters.items())
    cells = (
        f"`{measure.name}`",
        measure.symbol,
        measure.meaning + (f" Settings: {settings}." if settings else ""),
        f"{measure.unit_symbol} ({measure.unit})" if measure.unit_symbol != measure.unit else measure.unit,
        measure.level,
        measure.origin,
        measure.direction or "",
        measure.empty.removesuffix(": missing"),
        measure.source,
    )
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _layers() -> list[str]:
    rows: list[str] = []
    for layer in LAYERS.values():
        labels = "<br>".join(f"`{label}` {meaning}" for label, meaning in layer.labels.items()) or "any"
        rows.append(
            f"| `{layer.name}`: {layer.meaning} | {layer.about} | {labels} | {layer.value} | "
            f"{'yes' if layer.exclusive else ''} |"
        )
    return rows


if __name__ == "__main__":
    print(measures_reference(), end="")
