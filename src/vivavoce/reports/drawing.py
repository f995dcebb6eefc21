"""Figures as SVG: on the page in colours that its style sheet replaces, in print as it is.

Colours are names for the style sheet: it finds them in the SVG and puts the page's own in their place,
so figures follow light, dark and print.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING, Any, ClassVar, Final

from babel.numbers import get_decimal_symbol, get_group_symbol

from vivavoce.core.extras import later
from vivavoce.languages.base import locale_of
from vivavoce.reports.counted import CountedDialogues
from vivavoce.reports.language import language

if TYPE_CHECKING:
    import altair as alt
    import vl_convert
else:
    alt = later("altair")
    vl_convert = later("vl_convert")

INK, RULE, ACCENT, SOFT, WARM, WARM_SOFT = "#1d2329", "#d9dee3", "#1f5a85", "#9dbdd6", "#a4531a", "#e3b48f"
NEUTRAL: Final = "#e6e9ec"
PAGE_FONT: Final = "system-ui, sans-serif"
PRINT_FONT: Final = "Libertinus Serif"
WIDE, NARROW, PRINT = 860, 280, 660
LETTER_PX: Final = 11
LONGEST_LABEL_PX: Final = {WIDE: 170, NARROW: 90, PRINT: 150}
LONG_NAME_PX: Final = {WIDE: 260, NARROW: 120, PRINT: 230}  # where names are sentences
LONGEST_WORD_PX: Final = {WIDE: 230, NARROW: 120, PRINT: 200}
LABEL_LETTER_PX: Final = 7  # of the widest font in which a page may be shown
LABEL_LINE_PX: Final = 14
LABEL_EDGE_PX: Final = 12
AXIS: Final[dict[str, Any]] = {
    "labelColor": INK,
    "titleColor": INK,
    "gridColor": RULE,
    "domain": False,
    "ticks": False,
    "labelFontSize": 12,
    "titleFontSize": 12,
    "titleFontWeight": "normal",
    "labelPadding": 6,
}
LEGEND: Final = {"labelColor": INK, "titleColor": INK, "labelFontSize": 12, "titleFontSize": 12}
DRESS: Final[dict[str, Any]] = {
    "font": PAGE_FONT,
    "aria": False,
    "axis": AXIS,
    "legend": LEGEND,
    "view": {"stroke": None},
    "axisQuantitative": {"labelFlush": False, "labelOverlap": "greedy", "labelSeparation": 6},
}
PlanContext = Callable[[int], Any]
PAIR: Final = " \u2013 "  # between the two sides of a comparison
LABEL_HALVES: Final = "datum.value % 0.5 === 0 ? datum.label : ''"
MOST_DRAWN_GROUPS: Final = 24
HOVER: Final = "hover:N"  # what is shown over a mark of which `aria` is set, by its row
WHITE: Final = "#ffffff"
PNG_SCALE: Final = 3
LONG_NUMBER: Final = re.compile(r"(-?\d+\.\d\d)\d+")
PLACES: Final = re.compile(r' (?:d|transform|x|y|x1|x2|y1|y2|width|height|viewBox)="[^"]*"')
LABELLED: Final = re.compile(r'<(path|line)([^>]*?) aria-label="([^"]*)"([^>]*?)/>')
MARK: Final = re.compile(r"<(path|line)[^>]*><title>([^<]*)</title></\1>")
EMPTY: Final = re.compile(r'<path class="(?:foreground|background)"[^>]*? d="(?:M0,0h0v0h0Z)?"[^>]*/>')
TAG: Final = re.compile(r"<[a-z][^>]*>")
IDLE: Final = re.compile(r' (?:role|class|aria-[a-z]+|pointer-events|stroke-miterlimit)="[^"]*"')
_MARK: ContextVar[str] = ContextVar("mark_of_figures", default="")


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: `alternative` says in words what it shows; its SVGs are trusted markup, ours alone.

    It is drawn only when somebody asks for it, in the language in which it was made.

    columns, rows  its numbers for who reads tables: a heading a column, and a text a cell, of which a `Shown`
                   still knows what was computed; none: what the specification holds
    labels         what stands over each row's mark; counts: the dialogues behind it; addresses: where these
                   are to be read. Each has an entry a row, or none at all
    """

    kind: ClassVar[str] = "figure"
    name: str
    title: str
    alternative: str
    caption: str
    make: Callable[[int], tuple[dict[str, Any], Any]]
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    labels: tuple[str, ...] = ()
    counts: tuple[CountedDialogues | None, ...] = ()
    addresses: tuple[str, ...] = ()

    @property
    def wide(self) -> str:
        return _on_page(self, WIDE)

    @property
    def narrow(self) -> str:
        return _on_page(self, NARROW)

    @property
    def printed(self) -> str:
        """SVG that stands alone, for print and for files; its title stands in it."""
        return _printed(self, PRINT_FONT)

    @property
    def alone(self) -> str:
        """The figure on white for copying: in the fonts of the viewer's system."""
        return _printed(self, PAGE_FONT).replace("<svg ", f'<svg style="background:{WHITE}" ', 1)

    @property
    def png(self) -> bytes:
        """The figure as pixels on white, for slides: as wide as a screen."""
        spec, locale = self.make(PRINT)
        return vl_convert.vegalite_to_png(
            {**spec, "background": WHITE}, scale=PNG_SCALE, format_locale=locale
        )

    @property
    def spec(self) -> dict[str, Any]:
        """Vega-Lite that stands alone, data included."""
        return self.make(PRINT)[0]


@contextmanager
def marked(mark: str) -> Iterator[None]:
    """Every figure made inside carries this mark, unless it is given one of its own."""
    token = _MARK.set(mark)
    try:
        yield
    finally:
        _MARK.reset(token)


def figure(
    name: str,
    title: str,
    alternative: str,
    draw: PlanContext,
    *,
    mark: str | None = None,
    caption: str = "",
    columns: Sequence[str] = (),
    rows: Sequence[Sequence[str]] = (),
    labels: Sequence[str] = (),
    counts: Sequence[CountedDialogues | None] = (),
) -> Figure:
    """A figure; its mark goes into its title, so that it stays when the figure is copied out."""
    mark = _MARK.get() if mark is None else mark
    full_title = f"{title} \u2013 {mark}" if mark else title
    lines = [title, mark] if mark else [title]
    context = copy_context()

    @lru_cache(maxsize=4)  # print's is asked for twice: as a picture, and for its numbers
    def make(width: int) -> tuple[dict[str, Any], Any]:
        from altair.utils.schemapi import debug_mode

        fitting = [part for line in lines for part in wrap(line, width // LETTER_PX)]
        with debug_mode(arg=False):  # what we draw is checked by drawing it, not part by part as well
            # a copy: two readers may want it at once, and a context is entered by one at a time
            return context.copy().run(lambda: (_spec(draw(width), fitting), _number_signs()))

    return Figure(
        name,
        full_title,
        alternative,
        caption,
        make,
        tuple(columns),
        tuple(map(tuple, rows)),
        tuple(labels),
        tuple(counts),
    )


@dataclass(frozen=True, slots=True)
class RowNames:
    """Names beside the rows of a figure, each whole, in the lines that it takes; room: their pixels."""

    lines: dict[str, list[str]]
    room: int

    @property
    def axis(self) -> alt.Axis:
        facts: dict[str, Any] = {}
        most = max(map(len, self.lines.values()), default=1)
        if most > 1:
            line_list = f"{json.dumps(self.lines)}[datum.value]"
            centred = [
                {"test": f"length({line_list}) == {n}", "value": -(n - 1) * LABEL_LINE_PX / 2}
                for n in range(2, most + 1)
            ]
            facts = {"labelExpr": line_list, "labelOffset": {"condition": centred, "value": 0}}
            facts["labelLineHeight"] = LABEL_LINE_PX
        room = self.room
        return alt.Axis(labelLimit=room - 4, minExtent=room, maxExtent=room, grid=False, **facts)

    def step(self, least: int) -> int:
        """The pixels from one row to the next in which every name has its lines."""
        return max(least, LABEL_LINE_PX * max(map(len, self.lines.values()), default=0) + 4)


def row_names(names: Sequence[str], width: int, *, longest: int = 0) -> RowNames:
    """Room for names beside rows, in lines where one line would be longer than `longest` pixels.

    longest  left out, what a figure of this width has for short names; for others LONG_NAME_PX
    Note     the two sides of a pair stand in lines of their own; a word is broken only where it alone is
             longer than LONGEST_WORD_PX
    """
    longest = longest or LONGEST_LABEL_PX[width]
    word = max((len(word) for name in names for word in re.split(r"[\s-]", name)), default=0)
    word_px = min(LABEL_EDGE_PX + LABEL_LETTER_PX * (word + 1), LONGEST_WORD_PX[width])
    parts = {name: name.replace(PAIR, f"\n{PAIR[1:]}").split("\n") for name in names}
    whole_px = 18 + 8 * max((len(part) for strings in parts.values() for part in strings), default=0)
    room = min(max(longest, word_px), whole_px)
    letters = max(1, (room - LABEL_EDGE_PX) // LABEL_LETTER_PX)
    return RowNames(
        {
            name: [line for part in strings for line in wrap(part, letters) or [""]]
            for name, strings in parts.items()
        },
        room,
    )


def groups_axis(names: RowNames, *, named: bool) -> alt.Y:
    """The axis of a figure with one line a group; panels beside the first need no names."""
    order = list(names.lines)
    return alt.Y(
        "group:N", sort=order, scale=alt.Scale(domain=order), title=None, axis=names.axis if named else None
    )


def _spec(chart: Any, title: list[str]) -> dict[str, Any]:
    """The chart's specification in the report's dress, put on afterwards: charts copy themselves slowly."""
    spec = chart.to_dict(validate=False)
    spec["config"] = {**spec.get("config", {}), **DRESS}
    spec |= {"background": "transparent", "padding": 4}
    spec["title"] = {"text": title, "anchor": "start", "fontSize": 14, "color": INK, "offset": 14}
    return spec


def _number_signs() -> dict[str, Any]:
    """Number format of figures in the report's language, as D3 wants it."""
    locale = locale_of(language())
    signs = {"decimal": get_decimal_symbol(locale), "thousands": get_group_symbol(locale)}
    return {**signs, "grouping": [3], "currency": ["", ""]}


def _svg(spec: dict[str, Any], locale: Any) -> str:
    """Drawn without a network; labels of marks become titles, which browsers show over them."""
    svg = vl_convert.vegalite_to_svg(spec, format_locale=locale)
    svg = LABELLED.sub(r"<\1\2\4><title>\3</title></\1>", EMPTY.sub("", svg))
    return TAG.sub(lambda tag: _lean(tag[0]), svg)


def _lean(tag: str) -> str:
    """A tag without what nothing here reads, and no place told finer than a hundredth of a pixel."""
    return PLACES.sub(lambda place: LONG_NUMBER.sub(r"\1", place[0]), IDLE.sub("", tag))


@lru_cache(maxsize=64)
def _printed(figure: Figure, font: str) -> str:
    return _svg(*figure.make(PRINT)).replace(f'"{PAGE_FONT}"', f'"{font}"')


@lru_cache(maxsize=64)  # a page of the dashboard is looked at again and again
def _on_page(figure: Figure, width: int) -> str:
    svg = _page_svg(*figure.make(width), f"{figure.name}-{width}")
    return _opening(svg, figure) if figure.addresses else svg


def _opening(svg: str, figure: Figure) -> str:
    """With links on marks, for a pointer: by keyboard the table behind the figure has them.

    Note    marks of one label are opened in the order of their rows
    """
    addresses_of: dict[str, list[str]] = {}
    for label, address in zip(figure.labels, figure.addresses, strict=True):
        addresses_of.setdefault(escape(label), []).append(address)

    def opened(mark: re.Match[str]) -> str:
        addresses = addresses_of.get(mark[2], [])
        address = addresses.pop(0) if len(addresses) > 1 else addresses[0] if addresses else ""
        return f'<a href="{escape(address)}" tabindex="-1">{mark[0]}</a>' if address else mark[0]

    return MARK.sub(opened, svg)


def _page_svg(spec: dict[str, Any], locale: Any, prefix: str) -> str:
    svg = _svg(spec, locale)
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{prefix}-", svg)
    svg = re.sub(r' xmlns(:\w+)?="[^"]*"', "", svg)
    return svg.replace("<svg ", '<svg aria-hidden="true" focusable="false" ', 1)
