"""One dialogue as tiers over time, for ELAN and Praat.

`said user` and `said system` hold the words. A tier of annotation is named `layer/party@annotator`. What
stands on it is about the turn of that party with which it overlaps most; on `layer/dialogue@annotator`, about
the whole dialogue. It holds labels joined by ` | `, a value in brackets behind its label: `c(food=thai)`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from vivavoce.core.errors import InputError
from vivavoce.core.paths import brought_here, made_here

Row = dict[str, Any]
Tier = tuple[str, str, str]
Interval = tuple[int, int, str]
SAID: Final = "said"
DIALOGUE: Final = "dialogue"
STAND_IN_MS: Final = 1000
_TIER: Final = re.compile(r"(?P<layer>[^/@]+)/(?P<party>user|system|dialogue)@(?P<annotator>.+)")
_LABEL: Final = re.compile(r"((?:[^\\|()]|\\.)+)(?:\(((?:[^\\|()]|\\.)*)\))?")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff\ud800-\udfff]+")


@dataclass(frozen=True)
class Timeline:
    """A dialogue's turns in order, each with `turn_index`, `party`, `text`, `onset_s`, `offset_s`."""

    dialogue_id: str
    turns: Sequence[Row]

    def turn(self, turn_index: int | None) -> Row | None:
        return self._by_index.get(turn_index)

    @cached_property
    def _by_index(self) -> dict[int | None, Row]:
        return {turn["turn_index"]: turn for turn in self.turns}

    @cached_property
    def spans(self) -> dict[int, tuple[int, int]]:
        """From when to when every turn is drawn, in milliseconds; turns of one party never overlap.

        Where the log knows no time, a turn follows the one before it and lasts a second.
        """
        spans: dict[int, tuple[int, int]] = {}
        free: dict[str, int] = {}
        before = 0
        for turn in self.turns:
            onset, offset = (_ms(turn[name]) for name in ("onset_s", "offset_s"))
            start = onset if onset is not None else offset - STAND_IN_MS if offset is not None else before
            start = max(start, free.get(turn["party"], 0), 0)
            end = max(offset if offset is not None else start + STAND_IN_MS, start + 1)
            spans[turn["turn_index"]] = (start, end)
            free[turn["party"]] = before = end
        return spans

    @property
    def end(self) -> int:
        return max((end for _, end in self.spans.values()), default=STAND_IN_MS)


def _ms(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1000)


def plain(text: str) -> str:
    """Text without control characters, which neither format can hold."""
    return _CONTROL.sub(" ", text)


def written(labels: Iterable[tuple[str, str | None]]) -> str:
    """Labels as one text: `AP`, or `c(food=thai) | s(area=north)`."""
    return " | ".join(
        _escaped(label) + (f"({_escaped(value)})" if value is not None else "") for label, value in labels
    )


def read_labels(text: str) -> list[tuple[str, str | None]] | None:
    """The labels that `written` was given; None for a text that holds none."""
    labels: list[tuple[str, str | None]] = []
    for part in _parts(text):
        match = _LABEL.fullmatch(part)
        if match is None:
            return None
        labels.append((_plain(match[1].strip()), None if match[2] is None else _plain(match[2])))
    return labels


def _parts(text: str) -> list[str]:
    return [part.strip() for part in re.findall(r"((?:[^\\|]|\\.)+)", text) if part.strip()]


def _escaped(text: str) -> str:
    return re.sub(r"([\\|()])", r"\\\1", plain(text)).strip()


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def intervals(
    line: Timeline, rows: Iterable[Row], empty: Iterable[Tier]
) -> dict[str, list[tuple[int, int, str]]]:
    """Every tier by name: start and end in milliseconds, and the text."""
    tiers: dict[str, list[tuple[int, int, str]]] = {}
    for party in ("user", "system"):
        tiers[f"{SAID} {party}"] = [
            (*line.spans[turn["turn_index"]], plain(turn["text"] or ""))
            for turn in line.turns
            if turn["party"] == party
        ]
    together: dict[Tier, dict[int | None, list[tuple[str, str | None]]]] = {tier: {} for tier in empty}
    for row in rows:
        turn = line.turn(row["turn_index"])
        tier = (row["layer"], turn["party"] if turn else DIALOGUE, row["annotator_id"])
        labels = together.setdefault(tier, {}).setdefault(row["turn_index"], [])
        labels.append((row["label"], row["value"]))
    for (layer, party, annotator), by_turn in together.items():
        spans: list[Interval] = []
        for turn, labels in sorted(by_turn.items(), key=lambda pair: pair[0] or 0):
            start, end = (0, line.end) if turn is None else line.spans[turn]
            spans.append((start, end, written(labels)))
        tiers[f"{layer}/{party}@{plain(annotator)}"] = spans
    return tiers


def rows_of(
    line: Timeline, tiers: Iterable[tuple[str, list[tuple[int, int, str]]]]
) -> Iterator[tuple[str, Row]]:
    """The rows that tiers of annotation say, with the place of each; other tiers are left alone.

    Raises  InputError: an interval that meets no turn, or holds no labels
    """
    for name, spans in tiers:
        match = _TIER.fullmatch(name.strip())
        if match is None:
            continue
        for start, end, text in spans:
            if not text.strip():
                continue
            place = f"tier {name!r} at {start / 1000:.3f} s"
            labels = read_labels(text)
            if labels is None:
                raise InputError(
                    f"{text!r} has no labels",
                    place=place,
                    hint="write, for example, c(food=thai) | s(area=north)",
                )
            turn_index = None if match["party"] == DIALOGUE else _met(line, match["party"], start, end, place)
            for label, value in labels:
                yield (
                    place,
                    {
                        "dialogue_id": line.dialogue_id,
                        "turn_index": turn_index,
                        "layer": match["layer"],
                        "label": label,
                        "value": value,
                        "annotator_id": match["annotator"],
                        "annotated_at": None,
                    },
                )


def _met(line: Timeline, party: str, start: int, end: int, place: str) -> int:
    """The turn of a party with which an interval overlaps most."""
    met = [
        (min(end, span[1]) - max(start, span[0]), -turn_index)
        for turn_index, span in line.spans.items()
        if line.turn(turn_index)["party"] == party  # pyright: ignore[reportOptionalSubscript]
    ]
    overlap, turn = max(met, default=(0, 0))
    if overlap <= 0:
        raise InputError(f"overlaps no turn of the {party}", place=place, hint="move it over its turn")
    return -turn


# --- ELAN ---------------------------------------------------------------------------------------------


def write_eaf(path: Path, line: Timeline, rows: Iterable[Row], empty: Iterable[Tier] = ()) -> None:
    """One dialogue as an ELAN file."""
    from pympi.Elan import Eaf

    file: Any = Eaf(author="vivavoce")
    file.remove_tier("default")
    for name, spans in intervals(line, rows, empty).items():
        file.add_tier(name)
        for start, end, text in spans:
            file.add_annotation(name, start, end, value=text)
    with made_here(path) as local:
        local.unlink(missing_ok=True)
        file.to_file(str(local))


def read_eaf(path: Path, line: Timeline) -> list[tuple[str, Row]]:
    """The annotations of an ELAN file.

    Raises  InputError: it is none, or says what cannot be
    """
    from pympi.Elan import Eaf

    try:
        with brought_here(path) as local:
            file: Any = Eaf(str(local), suppress_version_warning=True)
        tiers = [
            (name, [(start, end, text) for start, end, text, *_ in file.get_annotation_data_for_tier(name)])
            for name in file.get_tier_names()
        ]
    except Exception as error:  # the library raises whatever it meets
        problem = f"is not an ELAN file ({type(error).__name__})"
        raise InputError(problem, place=str(path), hint="save it with ELAN") from None
    return list(rows_of(line, tiers))


# --- Praat --------------------------------------------------------------------------------------------


def write_textgrid(path: Path, line: Timeline, rows: Iterable[Row], empty: Iterable[Tier] = ()) -> None:
    """One dialogue as a Praat TextGrid."""
    from pympi.Praat import TextGrid

    grid: Any = TextGrid(xmax=line.end / 1000)
    for name, spans in intervals(line, rows, empty).items():
        tier = grid.add_tier(name)
        for start, end, text in spans:
            tier.add_interval(start / 1000, end / 1000, text)
    with made_here(path) as local:
        grid.to_file(str(local))


def read_textgrid(path: Path, line: Timeline) -> list[tuple[str, Row]]:
    """The annotations of a Praat TextGrid, in any of Praat's forms.

    Raises  InputError: it is none, or says what cannot be
    """
    from pympi.Praat import TextGrid

    try:
        with brought_here(path) as local:
            grid: Any = TextGrid(str(local), codec=_codec(local))
        tiers = [
            (
                tier.name,
                [
                    (round(interval[0] * 1000), round(interval[1] * 1000), interval[2])
                    for interval in tier.get_all_intervals()
                ],
            )
            for tier in grid.tiers
            if tier.tier_type == "IntervalTier"
        ]
    except Exception as error:  # as above
        problem = f"is not a TextGrid ({type(error).__name__})"
        raise InputError(problem, place=str(path), hint="save it as a text file with Praat") from None
    return list(rows_of(line, tiers))


def _codec(path: Path) -> str:
    """Praat writes UTF-16 with a mark where UTF-8 would not do."""
    return "utf-16" if path.read_bytes()[:2] in (b"\xfe\xff", b"\xff\xfe") else "utf-8-sig"
