"""Agreement of annotators by scheme, from the current annotation."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Final, NamedTuple

from vivavoce.core.i18n import N_
from vivavoce.core.result import signature
from vivavoce.dashboard.language import Later
from vivavoce.log.annotation_state import AnnotationState, Choice
from vivavoce.study.schemes import Scheme

if TYPE_CHECKING:
    from vivavoce.stats.agreement import Agreement, Scale

Judgement = str | float
Units = list[dict[str, Judgement]]  # judgements of each unit by annotator
NOTHING: Final = "none"
SCALES: Final = (N_("nominal"), N_("ordinal"), N_("interval"), N_("ratio"))


class AgreementLine(NamedTuple):
    """Agreement on one question: a whole scheme, or one label of a multi-label scheme."""

    name: str
    scale: "Scale"
    annotators: int
    units: int
    same: float | None
    cohen: "Agreement"
    fleiss: "Agreement"
    alpha: "Agreement"
    why: tuple[Later, ...]
    signature: str


def agreement(
    state: AnnotationState, schemes: Iterable[Scheme], *, data: str
) -> dict[str, list[AgreementLine]]:
    """Lines of every scheme: whole judgements first, then label by label for multi-label schemes.

    Input   data: what the figures were computed on, for their signatures
    Note    a unit is a place that two or more finished annotators judged (with a value, the place and the
            value); one that was not asked of somebody is missing for them, not `none`
    """
    return {scheme.scheme: _lines(state, scheme, data) for scheme in schemes}


def _lines(state: AnnotationState, scheme: Scheme, data: str) -> list[AgreementLine]:
    places = _judged(state, scheme)
    if scheme.value is not None:
        return [line(scheme.scheme, _by_value(places), "nominal", data)]
    if scheme.several:
        units: Units = [{who: _whole(choice) for who, choice in by.items()} for by in places]
        return [line(scheme.scheme, units, "nominal", data), *_by_label(places, scheme, data)]
    return [line(scheme.scheme, _single(places, scheme), scheme.scale, data)]


def _judged(state: AnnotationState, scheme: Scheme) -> list[dict[str, Choice]]:
    """Places of a scheme judged by two or more annotators, with their choices."""
    choices_by_place = []
    for _, annotated in sorted(state.dialogues.items()):
        finished = annotated.finished(scheme.scheme)
        for place in annotated.places(scheme.scheme):
            finishers = {who for who, work in finished.items() if place in work.judged}
            choices = {who: chosen for who, chosen in annotated.choices(place).items() if who in finishers}
            if len(choices) > 1:
                choices_by_place.append(choices)
    return choices_by_place


def _single(places: Iterable[Mapping[str, Choice]], scheme: Scheme) -> Units:
    """One label per place; on a scale its number, with `none` as missing."""
    units: Units = []
    for by in places:
        unit: dict[str, Judgement] = {}
        for who, chosen in by.items():
            name = next((label for label, _ in chosen), NOTHING)
            code = scheme.code(name)
            if scheme.scale == "nominal":
                unit[who] = name
            elif code is not None:
                unit[who] = code
        units.append(unit)
    return units


def _whole(chosen: Choice) -> str:
    return " + ".join(sorted(label for label, _ in chosen)) or NOTHING


def _by_label(places: Sequence[Mapping[str, Choice]], scheme: Scheme, data: str) -> list[AgreementLine]:
    lines = []
    for label in scheme.labels:
        units: Units = [
            {
                who: "yes" if any(name == label.label for name, _ in chosen) else "no"
                for who, chosen in by.items()
            }
            for by in places
        ]
        lines.append(line(f"{scheme.scheme}: {label.label}", units, "nominal", data))
    return lines


def _by_value(places: Iterable[Mapping[str, Choice]]) -> Units:
    """Units of place and value; a place without any value is one unit."""
    units: Units = []
    for by in places:
        values = sorted({value or "" for chosen in by.values() for _, value in chosen}) or [""]
        for value in values:
            units.append(
                {
                    who: " + ".join(
                        sorted(label for label, slot_value in chosen if (slot_value or "") == value)
                    )
                    or NOTHING
                    for who, chosen in by.items()
                }
            )
    return units


def line(name: str, units: Units, scale: "Scale", data: str) -> AgreementLine:
    """All coefficients of one question, with reasons for undefined ones."""
    from vivavoce.stats.agreement import Agreement, krippendorff

    none = Agreement(None, None)
    paired = [unit for unit in units if len(unit) > 1]
    who = sorted({annotator for unit in paired for annotator in unit})
    categories = sorted({label for unit in paired for label in unit.values()}, key=str)
    alpha = krippendorff(_matrix(paired, who, categories, scale), scale) if paired else none
    by_two = _by_two(paired, who, categories)
    by_many = _by_many(paired, categories)
    why = _why(paired, who, categories, cohen_given=by_two is not None, fleiss_given=by_many is not None)
    return AgreementLine(
        name,
        scale,
        len(who),
        len(paired),
        _same(paired),
        by_two or none,
        by_many or none,
        alpha,
        tuple(why),
        signature(
            f"krippendorff_alpha:{name}",
            unit="judgement",
            n=len(paired),
            data=data,
            scale=scale,
            draws=1000,
            seed=1,
        ),
    )


def _matrix(
    units: Units, who: Sequence[str], categories: Sequence[Judgement], scale: "Scale"
) -> list[list[float | None]]:
    """Matrix with a row per annotator and a column per unit; labels as list positions, scales as numbers."""
    code: Callable[[Judgement], float] = (
        (lambda label: float(categories.index(label))) if scale == "nominal" else float
    )
    return [[code(unit[annotator]) if annotator in unit else None for unit in units] for annotator in who]


def _same(units: Units) -> float | None:
    """Share of identical pairs of judgements on the same unit."""
    pairs = [first == second for unit in units for first, second in combinations(unit.values(), 2)]
    return sum(pairs) / len(pairs) if pairs else None


def _by_two(units: Units, who: Sequence[str], categories: Sequence[Judgement]) -> "Agreement | None":
    from vivavoce.stats.agreement import cohen

    if len(who) != 2:
        return None
    table = [[0] * len(categories) for _ in categories]
    for unit in units:
        table[categories.index(unit[who[0]])][categories.index(unit[who[1]])] += 1
    return cohen(table)


def _by_many(units: Units, categories: Sequence[Judgement]) -> "Agreement | None":
    from vivavoce.stats.agreement import fleiss

    if not units or len({len(unit) for unit in units}) > 1:
        return None
    return fleiss([[list(unit.values()).count(category) for category in categories] for unit in units])


def _why(
    units: Units,
    who: Sequence[str],
    categories: Sequence[Judgement],
    *,
    cohen_given: bool,
    fleiss_given: bool,
) -> list[Later]:
    """Reasons for missing coefficients."""
    if not units:
        return [Later(N_("No units have been judged by two annotators yet."))]
    if len(categories) < 2:
        always = N_("All judgements are “%(category)s”.")
        reason = N_("Agreement beyond chance is undefined with a single category.")
        return [Later(always, {"category": categories[0]}), Later(reason)]
    reasons = []
    if not cohen_given:
        reasons.append(
            Later(
                N_("Cohen's kappa needs exactly two annotators; there are %(number)s."), {"number": len(who)}
            )
        )
    if not fleiss_given:
        message = N_("Fleiss' kappa needs the same number of judgements for each unit.")
        reasons.append(Later(message))
    return reasons
