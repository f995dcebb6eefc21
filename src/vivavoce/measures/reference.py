"""The reference page of the measures: `python -m vivavoce.measures.reference`."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Final

from vivavoce.core.reference import markdown_table
from vivavoce.dataset.annotation_layers import ADJUDICATED, LAYERS, NOTHING, UNDECIDED, Layer
from vivavoce.measures import MEASURES, Measure

_HEAD: Final = """# Measures

<!-- Made by `python -m vivavoce.measures.reference`; edit the measures, not this page. -->

```
vivavoce measure DATASET --by condition --only all        # all measures
vivavoce measure DATASET --only instrumental --csv FILE   # needs only the log
vivavoce measure --list --json                            # this catalogue
```

In a notebook, `vivavoce.measure("D", by="condition")` returns the same:
[analyse in Python](../how-to/analyse-in-python.md). Packages can [add measures](../how-to/extend.md).

- Each dialogue has a numerator and a denominator. The **value** for a set of dialogues is the sum of
  numerators over the sum of denominators (micro average); **macro** is the mean of the dialogues' values.
- If the denominator is 0, the value is missing, never 0. Each value comes with the number of dialogues that
  have one.
- Ratios are fractions, counts are means per dialogue, times are in seconds.
- An utterance is what one party says before the other takes the turn; a silent time-out is not a user turn.
- Word alignments have the fewest errors and, among those, the most substitutions.
- Text: the system's response delay runs from sending a message to the first output, or to the complete answer
  (`system_completion_delay`); the user's runs from the complete answer to sending, or to the first key
  (`user_first_key_delay`). "Sending" is when Vivavoce receives the message, so delays include its own
  processing; answer times on the dashboard start after it. There are no word errors.
- Speech: if `timing_origin` of the dialogue is `sound` (`vivavoce timing`), durations and delays come from
  the sound, otherwise from the log. A barge-in is then an overlap of at least 0.1 s that the user begins.
- Flags of system turns (question, help, error message, rejection, time-out) come from the system's acts if
  logged, otherwise from the rules of the study file; barge-ins come from the log. Experts' labels fill in the
  rest, or come first where `analysis.flags` of the study says so. Dataset columns name the origin.

The last column refers to the lists of [sources](#sources), [missing values](#missing-values) and
[settings](#settings).

"""
_LAYERS: Final = f"""## Layers of annotation

Labels are rows of the table `annotations`: dialogue, turn, layer, label, value, annotator.

- An annotator who finds nothing in a layer writes one row without turn and with the label `{NOTHING}`.
  Without any row, the dialogue is not annotated in that layer, and measures that need it are missing.
- With several annotators, a label holds if more than half gave it: of those who judged the turn (one label
  per turn) or of those who annotated the dialogue (other layers). Rows of the annotator `{ADJUDICATED}`
  settle a dialogue's layer, except for turns that they label `{UNDECIDED}`.
- Without a majority or a decision, the label is **open**. The value is then the mean over
  the annotators, reported with the number of open labels and the lowest and highest possible value.

"""


def measures_reference() -> str:
    """The whole page, Markdown."""
    measures = sorted(
        (measure for _, measure in MEASURES), key=lambda measure: (measure.family, measure.name)
    )
    lists = {
        "Sources": _keys("S", (measure.source for measure in measures)),
        "Missing values": _keys("M", (_missing(measure) for measure in measures)),
        "Settings": _keys("P", filter(None, map(_settings, measures))),
    }
    keys = {text: key for listed in lists.values() for text, key in listed.items()}
    parts = [_HEAD]
    for family, members in groupby(measures, key=lambda measure: measure.family):
        rows = [_row([*alike], keys) for _, alike in groupby(members, key=_group)]
        table = markdown_table(("measure", "meaning", "unit", "better", "see"), rows)
        parts.append(f"## {family.replace('_', ' ').capitalize()}\n\n{table}\n")
    for title, listed in lists.items():
        lines = "".join(f"- {key}: {text}\n" for text, key in listed.items())
        parts.append(f"## {title}\n\n{lines}\n")
    layers = markdown_table(("layer", "on", "labels", "value", "one per turn"), map(_layer, LAYERS.values()))
    return "".join([*parts, _LAYERS, layers])


def _keys(letter: str, texts: Iterable[str]) -> dict[str, str]:
    """A short key for each text."""
    return {text: f"{letter}{number}" for number, text in enumerate(dict.fromkeys(texts), start=1)}


def _missing(measure: Measure) -> str:
    return measure.empty.removesuffix(": missing")


def _settings(measure: Measure) -> str:
    return "; ".join(f"{name}: {value}" for name, value in measure.parameters.items())


def _group(measure: Measure) -> str:
    """Measures per success share a row; the end of their meanings names the kind of success."""
    name, per, success = measure.name.partition("_per_")
    return name + per if success.endswith("_success") else measure.name


def _row(measures: list[Measure], keys: Mapping[str, str]) -> tuple[str, ...]:
    first = measures[0]
    meanings = [first.meaning, *(measure.meaning.rpartition(", ")[2] for measure in measures[1:])]
    see = filter(None, map(keys.get, (first.source, _missing(first), _settings(first))))
    names = [f"`{measure.name}` {measure.symbol}".rstrip() for measure in measures]
    return "<br>".join(names), "<br>".join(meanings), first.unit, first.direction or "", ", ".join(see)


def _layer(layer: Layer) -> tuple[str, ...]:
    labels = "<br>".join(f"`{label}` {meaning}" for label, meaning in layer.labels.items()) or "any"
    alone = "yes" if layer.exclusive else ""
    return f"`{layer.name}`: {layer.meaning}", layer.about, labels, layer.value, alone


if __name__ == "__main__":
    print(measures_reference(), end="")
