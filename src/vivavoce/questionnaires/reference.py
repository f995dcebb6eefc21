"""The reference page of the questionnaires: `python -m vivavoce.questionnaires.reference`."""

from typing import Final

from vivavoce.core.reference import model_tables
from vivavoce.questionnaires.instrument import INSTRUMENTS, Instrument, Item, Score
from vivavoce.questionnaires.wording import Wording, languages_of, load_wording

_HEAD: Final = """# Questionnaires

<!-- Made by `python -m vivavoce.questionnaires.reference`; edit the instruments' files, not this page. -->

An instrument is a scoring key; a wording gives its sentences in one language. The wordings that
ship with Vivavoce are our own: faithful in meaning, not validated, marked `project` in the log and
in the report. To use a published or validated wording, put it beside the study file as
`wordings/NAME.LANGUAGE.yaml`; it is then used instead of ours and marked `file`. Instruments and wordings of
an installed package ([extend Vivavoce](../how-to/extend.md)) stand beside
ours, its wordings marked `package`.

- The log keeps the code that was chosen, never a recoded one.
- A score with an unanswered item is missing. A code outside the scale is an error.
- Items are always asked in their order.
- Figures are rounded half up, and only for display.

"""


_RULES: Final = {
    "mean": "mean of codes",
    "rescaled": "sum of codes, rescaled",
    "banded": "by bands of codes",
}


def questionnaires_reference() -> str:
    """The whole page, Markdown."""
    parts = [_HEAD]
    parts += [_section(instrument) for _, instrument in INSTRUMENTS]
    parts += ["## A wording file\n", model_tables(Wording, "wordings/NAME.LANGUAGE.yaml", 3)]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def _section(instrument: Instrument) -> str:
    scales = "; ".join(
        f"`{name}` {scale.low} to {scale.high}" + (f" by {scale.step}" if scale.step > 1 else "")
        for name, scale in instrument.scales.items()
    )
    lines = [
        f"## `{instrument.name}`: {instrument.title}",
        "",
        f"- About: a {instrument.about}",
        f"- Gives: {instrument.role}",
        f"- Scales: {scales}",
        f"- Source: {instrument.source}",
        f"- Permission: {instrument.permission}",
        f"- Wordings of ours: {', '.join(languages_of(instrument))}",
    ]
    if instrument.mappings:
        lines.append(
            f"- Mappings of items to groups: {', '.join(instrument.mappings)}; the first is the default"
        )
    if instrument.switchable:
        lines.append(f"- Reversal can be switched off for: {', '.join(instrument.switchable)}")
    wording = load_wording(instrument, "en")
    lines += ["", "| item | our English wording | scale | notes |", "| --- | --- | --- | --- |"]
    lines += [_item(item, wording) for item in instrument.items]
    lines += ["", "| score | rule | items | range | meaning |", "| --- | --- | --- | --- | --- |"]
    lines += [_score(name, score) for name, score in instrument.scores.items()]
    return "\n".join([*lines, ""])


def _item(item: Item, wording: Wording) -> str:
    return (
        f"| `{item.item_id}` | {wording.items[item.item_id]} | {item.scale or 'free text'} | {_notes(item)} |"
    )


def _notes(item: Item) -> str:
    notes = ["reversed"] if item.reverse else []
    notes += ["subjective success"] if item.role else []
    notes += ["anywhere on the line"] if item.kind == "continuous" else []
    notes += ["optional"] if item.optional else []
    notes += [f"only {', '.join(item.channels)}"] if item.channels else []
    return ", ".join(notes)


def _score(name: str, score: Score) -> str:
    rule = _RULES[score.rule] + (", mirrored" if score.flipped else "")
    mapping = f" (mapping `{score.mapping}`)" if score.mapping else ""
    reach = f"{score.low:g} to {score.high:g}"
    return f"| `{name}` | {rule} | {', '.join(score.items)} | {reach} | {score.meaning}{mapping} |"


if __name__ == "__main__":
    print(questionnaires_reference(), end="")
