"""Charts of the API's results, in the dress of the report's figures."""

from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

import altair as alt
import vl_convert

from vivavoce.measures import MEASURES
from vivavoce.reports.drawing import ACCENT, DRESS, INK, LETTER_PX, SOFT, WARM
from vivavoce.reports.language import amount, between, count, difference, label, p_value, percent

if TYPE_CHECKING:
    from vivavoce.api.rows import MeasuredDifference, MeasuredValue, PreferredVersion, SampleSize
    from vivavoce.measures import Measure

ROW_PX: Final = 34
MARK: Final = "SIMULATED: programs, not people"
Dot = dict[str, Any]  # the data of one dot, as Vega-Lite reads it


def values_chart(rows: "Sequence[MeasuredValue]", width: int, *, simulated: bool) -> alt.TopLevelMixin:
    """One panel per measure with a dot and 95 % interval per group; all dialogues come last, in grey."""

    def panel(measure: "Measure") -> Any:
        data = [
            {
                "group": label(row.key),
                "value": row.value,
                "low": row.low,
                "high": row.high,
                "shown": amount(row.value, measure.unit),
                "pale": row.whole,
                "n": row.denominator,
                "interval": _interval(row, lambda value: amount(value, measure.unit)),
            }
            for row in rows
            if row.measure == measure.name
        ]
        axis = alt.Axis(format="%" if measure.unit == "ratio" else "", tickCount=max(3, width // 80))
        return _panel(data, _title(measure), [f"n: {_words(measure.counted)}s"], axis, width)

    return _stacked([panel(MEASURES.get(name)) for name in _names(rows)], width, simulated=simulated)


def differences_chart(
    rows: "Sequence[MeasuredDifference]", width: int, *, simulated: bool
) -> alt.TopLevelMixin:
    """A panel a measure: a dot a pair on its 95 % interval, strong where its adjusted p is significant."""

    def panel(measure: "Measure") -> Any:
        measure_rows = [row for row in rows if row.measure == measure.name]
        times = 100 if measure.unit == "ratio" else 1
        data = [
            {
                "group": f"{label(row.a)} \u2212 {label(row.b)}",
                "pale": not row.significant,
                "n": row.n,
                **{
                    name: _times(getattr(row, name.replace("value", "difference")), times)
                    for name in ("value", "low", "high")
                },
                "shown": f"{difference(row.difference, measure.unit)}{_p(row)}",
                "interval": _interval(row, lambda value: difference(value, measure.unit)),
            }
            for row in measure_rows
        ]
        better = f"; {measure.direction} is better" if measure.direction else ""
        notes = [
            f"n: {_words(measure_rows[0].analysis_unit)}s{better}",
            *dict.fromkeys(row.family for row in measure_rows),
        ]
        axis = alt.Axis(tickCount=max(3, width // 80), title="percentage points" if times > 1 else None)
        return _panel(data, f"{_title(measure)}: difference", notes, axis, width, line=0.0)

    return _stacked([panel(MEASURES.get(name)) for name in _names(rows)], width, simulated=simulated)


def shares_chart(rows: "Sequence[PreferredVersion]", width: int, *, simulated: bool) -> "Panels":
    """A panel a variable: a dot a question on its interval, strong where its adjusted p is significant."""

    def panel(name: str) -> Any:
        variable_rows = [row for row in rows if row.variable == name and row.share is not None]
        data = [
            {
                "group": _words(row.question),
                "value": row.share,
                "low": row.low,
                "high": row.high,
                "n": row.n,
                "shown": f"{percent(row.share)}{_p(row)}",
                "interval": _interval(row, percent),
                "pale": row.p_adjusted is None or row.p_adjusted >= row.alpha,
            }
            for row in variable_rows
        ]
        notes = [
            "share that prefers the experimental version",
            *dict.fromkeys(row.family for row in variable_rows),
        ]
        axis = alt.Axis(format="%", tickCount=max(3, width // 80))
        return _panel(data, _words(name).capitalize(), notes, axis, width, line=0.5, domain=(0, 1))

    return _stacked(
        [panel(name) for name in dict.fromkeys(row.variable for row in rows)], width, simulated=simulated
    )


def sizes_chart(rows: "Sequence[SampleSize]", width: int) -> alt.TopLevelMixin:
    """A bar a way of counting, as long as it needs cases; with the participants whom they take."""
    data = [{"by": _words(row.by), "n": row.n, "shown": _people(row)} for row in rows]
    base = alt.Chart(alt.Data(values=data)).encode(
        y=alt.Y("by:N", sort=None, title=None, axis=alt.Axis(grid=False)),
        x=alt.X("n:Q", title="cases of each group", axis=alt.Axis(tickCount=max(3, width // 80))),
    )
    words = base.mark_text(align="left", baseline="bottom", dy=-8, fontSize=11, color=INK).encode(
        x=alt.XValue(0), text=alt.Text("shown:N")
    )
    chart: Any = base.mark_bar(color=SOFT, height=9) + words
    return _stacked([chart.properties(width=width, height=alt.Step(ROW_PX))], width)


def _people(row: "SampleSize") -> str:
    people = f", {count(row.participants)} participants in total" if row.participants is not None else ""
    chance = f", power {percent(row.power)}" if row.power is not None else ""
    return f"{count(row.n)}{people}{chance}"


def _names(rows: "Sequence[MeasuredValue] | Sequence[MeasuredDifference]") -> list[str]:
    return list(dict.fromkeys(row.measure for row in rows))


def _interval(
    row: "MeasuredValue | MeasuredDifference | PreferredVersion", write: Callable[[float], str]
) -> str:
    return between(row.low, row.high, write)


def _times(value: float | None, times: int) -> float | None:
    return None if value is None else value * times


def _p(row: "MeasuredDifference | PreferredVersion") -> str:
    if row.p_adjusted is None:
        return ""
    p_text = p_value(row.p_adjusted)
    return f", p {p_text}" if p_text.startswith("<") else f", p = {p_text}"


def _title(measure: "Measure") -> str:
    return measure.title if measure.unit_symbol == "1" else f"{measure.title} ({measure.unit_symbol})"


def _words(name: str) -> str:
    return name.replace("_", " ")


def _panel(
    data: list[Dot],
    title: str,
    notes: list[str],
    axis: alt.Axis,
    width: int,
    *,
    line: float | None = None,
    domain: tuple[int, int] | None = None,
) -> Any:
    order = [fact["group"] for fact in data]
    base = alt.Chart(alt.Data(values=data)).encode(
        y=alt.Y("group:N", sort=order, title=None, axis=alt.Axis(labelLimit=width // 2, grid=False)),
        color=alt.condition("datum.pale", alt.value(SOFT), alt.value(ACCENT)),
        tooltip=[
            alt.Tooltip("group:N", title="of"),
            alt.Tooltip("shown:N", title="value"),
            alt.Tooltip("interval:N", title="95%"),
            alt.Tooltip("n:Q", title=notes[0]),
        ],
    )
    scale = alt.Scale(domain=domain) if domain else alt.Scale(zero=False, nice=False, padding=18)
    title_of_axis = None if axis.title is alt.Undefined else axis.title
    x = alt.X("value:Q", title=title_of_axis, axis=axis, scale=scale)
    layers = [
        base.mark_rule(strokeWidth=2.5).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q")),
        base.mark_point(filled=True, size=64, opacity=1).encode(x=x),
        base.mark_text(dy=-11, fontSize=11).encode(x=x, text=alt.Text("shown:N"), color=alt.ColorValue(INK)),
    ]
    if line is not None:
        rule = alt.Chart(alt.Data(values=[{"line": line}])).mark_rule(color=WARM, strokeDash=[4, 3])
        layers.insert(0, rule.encode(x=alt.X("line:Q")))
    heading = alt.TitleParams(
        _lines([title], width),
        subtitle=_lines(notes, width),
        anchor="start",
        frame="group",
        fontSize=13,
        color=INK,
        subtitleColor=INK,
        subtitleFontSize=11,
    )
    return alt.layer(*layers).properties(width=width, height=alt.Step(ROW_PX), title=heading)


class Panels(alt.VConcatChart):
    """A chart of Altair's that a notebook shows without a network, unless another renderer was chosen."""

    def _repr_mimebundle_(self, *args: Any, **options: Any) -> Any:
        if alt.renderers.active != "default":
            return super()._repr_mimebundle_(*args, **options)
        return {"image/svg+xml": vl_convert.vegalite_to_svg(self.to_dict())}


def _stacked(panels: list[Any], width: int, *, simulated: bool = False) -> Panels:
    chart: Any = Panels(vconcat=panels, spacing=18)
    if simulated:
        mark = alt.TitleParams(_lines([MARK], width), anchor="start", fontSize=13, color=WARM, offset=8)
        chart = chart.properties(title=mark)
    return chart.configure(**DRESS, padding=14)


def _lines(sentences: list[str], width: int) -> list[str]:
    return [line for sentence in sentences for line in wrap(sentence, 2 * width // LETTER_PX)]
