"""Contract of every measure."""

import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

from vivavoce.dataset.reader import Dataset
from vivavoce.measures import MEASURES, Measure, components, compute
from vivavoce.measures.base import Origin
from vivavoce.measures.evidence import check_needs
from vivavoce.measures.values import records
from vivavoce.testing.sample_dialogues import UNKNOWN, write_sample

if TYPE_CHECKING:
    import pandas as pd

LEVELS: Final = ("word", "utterance", "turn", "dialogue", "goal")
NEARLY: Final = 1e-9


class MeasureContract:
    """Contract of every measure, tried on dialogues in which everything is logged and annotated.

    measure     the measure
    zero_alone  it counts something, so a dialogue of which nothing is known has a value: 0
    """

    measure: Measure
    zero_alone: bool = False

    def test_it_is_found_by_its_name(self) -> None:
        assert MEASURES.get(self.measure.name) is self.measure, "the entry point refers to another object"

    def test_it_carries_all_its_facts(self) -> None:
        measure = self.measure
        assert (
            measure.unit_symbol in ("1", "s")
            and measure.origin in get_args(Origin)
            and measure.level in LEVELS
        )
        assert measure.direction in ("higher", "lower", None)
        for name in ("title", "unit", "family", "analysis_unit", "meaning", "source", "empty"):
            assert getattr(measure, name), f"{name} is empty"

    def test_what_it_needs_is_known(self) -> None:
        check_needs(self.measure)

    def test_it_is_known_where_its_rows_are(self) -> None:
        assert self._pooled(None)[0]["dialogues"] > 0, (
            "no dialogue was counted although all data are available"
        )

    def test_a_dialogue_of_which_nothing_is_known_is_missing_not_zero(self) -> None:
        numerator, denominator = self._parts()[UNKNOWN]
        assert (numerator, denominator) == (0, int(self.zero_alone))

    def test_pooling_is_the_sum_of_the_components(self) -> None:
        table = _sample().read("dialogues")
        parts = self._parts()
        for by in (None, "condition", "channel"):
            keys = table[by].to_pylist() if by else [None] * len(table)
            groups = dict(zip(table["dialogue_id"].to_pylist(), keys, strict=True))
            for row in self._pooled(by):
                inside = [parts[part] for part in parts if by is None or groups[part] == row["key"]]
                numerator, denominator = (sum(column) for column in zip(*inside, strict=True))
                reach = NEARLY * (1 + len(inside))  # each part is rounded by itself
                assert abs(row["numerator"] - numerator) < reach
                assert abs(row["denominator"] - denominator) < reach
                assert row["dialogues"] == sum(cases > 0 for _, cases in inside)
                if denominator:
                    assert abs(row["value"] - numerator / denominator) < reach
                else:
                    assert row["value"] is None, "the value must be null without a denominator"

    def test_the_order_of_rows_never_matters(self) -> None:
        assert self._parts(shuffled=1) == self._parts() == self._parts(shuffled=2)

    def _parts(self, shuffled: int | None = None) -> dict[str, tuple[float, float]]:
        components = _components(shuffled)
        rows = components[components["measure"] == self.measure.name]
        columns = (rows[name].tolist() for name in ("dialogue_id", "numerator", "denominator"))
        return {key: (round(a, 9), round(b, 9)) for key, a, b in zip(*columns, strict=True)}

    def _pooled(self, by: str | None) -> list[dict[str, Any]]:
        return [row for row in _values(by) if row["measure"] == self.measure.name]


_FOLDERS: list[tempfile.TemporaryDirectory[str]] = []  # removed when the process ends


@cache
def _sample(shuffled: int | None = None) -> Dataset:
    _FOLDERS.append(tempfile.TemporaryDirectory(prefix="vivavoce-"))
    return write_sample(Path(_FOLDERS[-1].name) / "sample", shuffled=shuffled)


@cache
def _components(shuffled: int | None = None) -> "pd.DataFrame":
    return components(_sample(shuffled))


@cache
def _values(by: str | None) -> list[dict[str, Any]]:
    return records(compute(_sample(), by=by))
