"""Robustness of the declared comparison under other defensible choices."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import altair as alt

from vivavoce.analysis.specifications import (
    AnalysisWay,
    Specification,
    SpecificationCurve,
    specification_curves,
)
from vivavoce.measures import MEASURES
from vivavoce.reports.blocks import Block, Cell, Heading, Paragraph, Row, TableOfText
from vivavoce.reports.drawing import (
    ACCENT,
    HOVER,
    INK,
    LONG_NAME_PX,
    NARROW,
    SOFT,
    WARM,
    Figure,
    figure,
    groups_axis,
    row_names,
)
from vivavoce.reports.language import count, difference, differences, label, p_value, say
from vivavoce.reports.rate_tables import heads, title
from vivavoce.reports.section import AnalysisContext, Section
from vivavoce.study.exclusion import NONE

HEIGHT: Final = 190
ROW: Final = 17
EDGE: Final = 12
POINTS: Final = "datum.value ? format(100 * datum.value, '+.3~r') : '0'"
Words = Callable[[AnalysisWay], tuple[str, ...]]
Lines = Callable[[AnalysisWay], dict[str, str]]


def curve_figure(curve: SpecificationCurve, words: Words, lines: Lines) -> Figure:
    """Above the differences, the declared one marked; below, a line for each choice that not all made.

    Input   words: a way in words, for tables; lines: its choices by what they are about, for lines
    """
    unit = MEASURES.get(curve.declared.choice.measure).unit
    choices = [words(specification.choice) for specification in curve.specifications]
    chosen = [lines(specification.choice) for specification in curve.specifications]
    about = list(max(chosen, key=len))  # those of a measure with most settings
    names = {name: sorted({choice[name] for choice in chosen if name in choice}) for name in about}
    varied = [name for name in about if len(names[name]) > 1]
    order = [line for name in varied for line in names[name]]
    kinds = [
        say("as declared")
        if specification.declared
        else say("significant")
        if specification.sign(curve.alpha)
        else say("not significant")
        for specification in curve.specifications
    ]
    rows = [
        (
            ", ".join(name),
            difference(specification.difference, unit),
            differences(specification.low, specification.high, unit),
            p_value(specification.p),
            kind,
        )
        for name, specification, kind in zip(choices, curve.specifications, kinds, strict=True)
    ]
    above = [
        {
            "rank": rank,
            "value": specification.difference,
            "low": specification.low,
            "high": specification.high,
            "kind": kind,
            "hover": f"{texts[0]}: {texts[1]} ({texts[2]}), p {texts[3]}",
        }
        for rank, (specification, kind, texts) in enumerate(
            zip(curve.specifications, kinds, rows, strict=True)
        )
    ]
    below = [
        {"rank": rank, "group": choice[name], "kind": kinds[rank]}
        for rank, choice in enumerate(chosen)
        for name in varied
        if name in choice
    ]

    def draw(width: int) -> Any:
        names = row_names(order, width, longest=LONG_NAME_PX[width])
        room, row = names.room, names.step(ROW)
        x = alt.X("rank:Q", axis=None, scale=alt.Scale(domain=[-1, len(above)], nice=False))
        place: dict[str, Any] = {"orient": "bottom"}
        if width == NARROW:  # below the names, too: beside them there is no room for its words
            place = {"orient": "none", "legendX": 4 - room, "legendY": HEIGHT + row * len(order) + 26}
        colours = alt.Color(
            "kind:N",
            title=None,
            legend=alt.Legend(direction="vertical", labelLimit=0, **place),
            scale=alt.Scale(
                domain=[say("as declared"), say("significant"), say("not significant")],
                range=[WARM, ACCENT, SOFT],
            ),
        )
        size = {"width": width - room - EDGE}
        axis = alt.Axis(
            minExtent=room,
            maxExtent=room,
            tickCount=5,
            labelExpr=POINTS if unit == "ratio" else alt.Undefined,
        )
        base = alt.Chart(alt.Data(values=above)).encode(x=x, color=colours)
        zero = alt.Chart(alt.Data(values=[{"zero": 0}])).mark_rule(color=INK, strokeDash=[3, 3])
        top = (
            zero.encode(y=alt.Y("zero:Q"))
            + base.mark_rule(strokeWidth=1, opacity=0.7).encode(y=alt.Y("low:Q"), y2=alt.Y2("high:Q"))
            + base.mark_point(filled=True, size=26, opacity=1, aria=True).encode(
                y=alt.Y("value:Q", title=None, axis=axis), description=HOVER
            )
        ).properties(height=HEIGHT, **size)
        if unit == "ratio":
            top = top.properties(
                title=alt.TitleParams(
                    say("percentage points"),
                    anchor="start",
                    frame="group",
                    fontSize=12,
                    fontWeight="normal",
                    color=INK,
                )
            )
        marks = (
            alt.Chart(alt.Data(values=below))
            .mark_tick(thickness=2 if width != NARROW else 1, height=ROW * 0.6, orient="vertical")
            .encode(x=x, color=colours, y=groups_axis(names, named=True))
            .properties(height=row * len(order), **size)
        )
        return alt.vconcat(top, marks, spacing=8) if order else top

    return figure(
        f"specifications_{curve.a}_{curve.b}",
        say("{a} – {b}: difference in all analyses", a=label(curve.a), b=label(curve.b)),
        "; ".join(f"{row[0]}: {row[1]} ({row[2]})" for row in rows) + ".",
        draw,
        caption=say(
            "Dots: analyses with 95% CI, sorted by difference. Lines below: choices of each analysis; "
            "shared choices are not shown."
        ),
        columns=(say("Analysis"), say("Difference"), say("95% CI"), "p", say("Conclusion")),
        rows=rows,
    )


def curve_blocks(curve: SpecificationCurve) -> list[Block]:
    """The verdict in words, the figure, and what each choice does by itself."""
    return [
        Heading(f"{label(curve.a)} \u2013 {label(curve.b)}"),
        Paragraph(_verdict(curve)),
        curve_figure(curve, words_of, lines_of),
        _choices_table(curve),
    ]


def words_of(choice: AnalysisWay) -> tuple[str, ...]:
    """A way to analyse in words: what is measured and left out, of whom, what weighs alike, on whose word."""
    return (title(choice.measure), *_others(choice))


def lines_of(choice: AnalysisWay) -> dict[str, str]:
    """Lines of a figure, by what they are about: a measure's settings each by itself."""
    measure = MEASURES.get(choice.measure)
    rows = {name: say(f"{name} {value}".replace("_", " ")) for name, value in measure.parameters.items()}
    about = ("left_out", "recruits", "alike", "judge")
    return {"measure": say(measure.title).split(", ")[-1], **rows} | dict(
        zip(about, _others(choice), strict=True)
    )


def _others(choice: AnalysisWay) -> tuple[str, str, str, str]:
    alike = {"case": say("equal case weights"), "participant": say("equal participant weights")}
    recruits = say("all recruitment sources") if choice.recruits is None else label(choice.recruits)
    judge = say("people only") if choice.judge is None else say("with judge {name}", name=choice.judge)
    rules = say("no exclusions") if choice.left_out == NONE else choice.left_out
    return (rules, recruits, alike[choice.alike], judge)


def _verdict(curve: SpecificationCurve) -> str:
    declared, changed = curve.declared, curve.changed
    unit = MEASURES.get(declared.choice.measure).unit
    ends = [specification.difference for specification in curve.specifications]
    sentences = [
        say(
            "Declared: {difference} (p {p}). Across {n} analyses, including the declared one, the "
            "difference ranges from {least} to {most}.",
            difference=difference(declared.difference, unit),
            p=p_value(declared.p),
            n=count(len(curve.specifications)),
            least=difference(ends[0], unit),
            most=difference(ends[-1], unit),
        )
    ]
    if not changed:
        sentences.append(say("All of them lead to the same conclusion."))
    else:
        sentences.append(say("The conclusion changes in {n} of them.", n=count(len(changed))))
    turned = sum(
        specification.sign(curve.alpha) == -declared.sign(curve.alpha) != 0 for specification in changed
    )
    if turned:
        sentences.append(say("In {n} of these the other system is better.", n=count(turned)))
    if curve.untold:
        sentences.append(say("In {n} more no test was possible.", n=count(curve.untold)))
    if curve.nearest:
        sentences.append(
            say("Only analyses that differ from the declared one in at most two choices are included.")
        )
    return " ".join(sentences)


def _choices_table(curve: SpecificationCurve) -> TableOfText:
    """The declared way, and every way that differs from it in one respect alone."""
    declared, unit = curve.declared, MEASURES.get(curve.declared.choice.measure).unit
    near = [(say("As declared"), declared), *_neighbours(curve.specifications, declared)]
    return TableOfText(
        f"specifications_{curve.a}_{curve.b}",
        say("Declared analysis and changes of one choice"),
        heads(say("Changed"), say("Difference"), say("95% CI"), "p", say("Participants"), say("Conclusion")),
        tuple(
            Row(
                words,
                (
                    Cell(difference(specification.difference, unit)),
                    Cell(differences(specification.low, specification.high, unit)),
                    Cell(p_value(specification.p)),
                    Cell(count(specification.participants)),
                    Cell(_ending(specification, declared, curve.alpha), words=True),
                ),
            )
            for words, specification in near
        ),
        say(
            "p is not adjusted, because all analyses address one question. All are clustered by "
            "participant. Weights are equal per case or per participant. The declared analysis is the "
            "result; the others show its sensitivity."
        ),
        ((say("All analyses"), curve.signature),),
    )


def _neighbours(
    specifications: Sequence[Specification], declared: Specification
) -> Iterator[tuple[str, Specification]]:
    for specification in specifications:
        at = [
            place
            for place, (x, y) in enumerate(zip(specification.choice, declared.choice, strict=True))
            if x != y
        ]
        if len(at) == 1:
            before = lines_of(declared.choice)
            lines = lines_of(specification.choice).items()
            yield "; ".join(line for name, line in lines if before.get(name) != line), specification


def _ending(specification: Specification, declared: Specification, alpha: float) -> str:
    if specification.sign(alpha) == declared.sign(alpha):
        return say("the same")
    if specification.sign(alpha) == 0:
        return say("not significant")
    return say("significant difference") if declared.sign(alpha) == 0 else say("opposite direction")


class SpecificationsSection(Section[list[SpecificationCurve]]):
    """Only where a comparison was declared and could be tested."""

    name = "specifications"
    order = 870
    title = "Sensitivity analyses of the declared comparison"
    menu = "Sensitivity"
    needs = ("dialogues",)

    def results(self, material: AnalysisContext) -> list[SpecificationCurve] | None:
        return specification_curves(material.dataset) or None

    def blocks(self, results: list[SpecificationCurve]) -> list[Block]:
        return [block for curve in results for block in curve_blocks(curve)]
