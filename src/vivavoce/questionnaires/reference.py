"""The reference page of the questionnaires: `python -m vivavoce.questionnaires.reference`."""

from collections.abc import Iterator
from typing import Final

from vivavoce.core.reference import markdown_table, model_tables
from vivavoce.questionnaires.instrument import INSTRUMENTS, Instrument, Wording, languages_of

_HEAD: Final = """# Questionnaires

<!-- Made by `python -m vivavoce.questionnaires.reference`; edit the instruments' files, not this page. -->

Use an instrument by its name: `questionnaire: sus`. Its scoring key (items, scales, rules and ranges of
scores) is `vivavoce/questionnaires/instruments/NAME.yaml` in the package; its sentences are in
`wordings/NAME.LANGUAGE.yaml` next to that folder.

The bundled wordings are our own: faithful in meaning, not validated, marked `project` in the log and in the
report. To use a published or validated wording, put it next to the study file as
`wordings/NAME.LANGUAGE.yaml`; it replaces ours and is marked `file`. Packages can
[add instruments](../how-to/extend.md); their wordings are marked `package`.

- The log keeps the chosen code. Reversed items are recoded only when scores are computed.
- A score with an unanswered item is missing. A code outside the scale is an error.
- Items always appear in the same order.
- Scores are rounded (half up) for display only.

## Instruments

"""
_SCORES: Final = """
## Scores

Brackets name the mapping of items to which a score belongs; the first mapping is the default.

"""


def questionnaires_reference() -> str:
    """The whole page, Markdown."""
    instruments = [instrument for _, instrument in INSTRUMENTS]
    head = ("instrument", "about; scales; languages", "source and permission")
    scores = (
        (f"`{instrument.name}`", "<br>".join(_scores(instrument)))
        for instrument in instruments
        if instrument.scores
    )
    return "".join(
        [
            _HEAD,
            markdown_table(head, map(_row, instruments)),
            _SCORES,
            markdown_table(("instrument", "scores and their items"), scores),
            "\n## A wording file\n\n",
            model_tables({"wordings/NAME.LANGUAGE.yaml": Wording}, 3),
        ]
    )


def _row(instrument: Instrument) -> tuple[str, ...]:
    scales = "; ".join(
        f"{name} {scale.low} to {scale.high}" + (f" by {scale.step}" if scale.step > 1 else "")
        for name, scale in instrument.scales.items()
    )
    name = f"`{instrument.name}`: {instrument.title}<br>{instrument.role}"
    details = f"a {instrument.about}; {scales}; {', '.join(languages_of(instrument))}"
    return name, details, f"{instrument.source}<br>Permission: {instrument.permission}"


def _scores(instrument: Instrument) -> Iterator[str]:
    rated = {item.item_id for item in instrument.items if item.scale}
    for name, score in instrument.scores.items():
        items = "all" if rated == set(score.items) else ", ".join(score.items)
        yield f"`{name}`{f' ({score.mapping})' if score.mapping else ''}: {items}"


if __name__ == "__main__":
    print(questionnaires_reference(), end="")
