"""`analyse --model`: what a mixed model says, on a terminal."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from vivavoce.analysis.modelling import FormulaModel, ModelContrast
from vivavoce.api.analysis_tables import chance, number, plain_table, span


def model(facts: FormulaModel) -> Iterator[RenderableType]:
    """The contrasts first, then tests of terms, coefficients, and what the random intercepts are."""
    yield Text(
        f"{facts.response} of {facts.rows} {facts.unit}s by {facts.participants} participants; "
        f"{facts.method.replace('_', ' ')}, log-likelihood {facts.log_likelihood:.3f}. "
        f"Differences are in {facts.scale}."
    )
    level = f"{facts.level:.0%}"
    table = plain_table("", "contrast", "difference", level, "p", "p (holm)", words=1)
    for one in facts.contrasts:
        table.add_row(
            one.variable,
            _told(one),
            number(one.difference, 3),
            span([one.low, one.high]),
            chance(one.p),
            chance(one.p_adjusted),
        )
    yield table
    for name in ("odds_ratio", "rate_ratio"):
        with_it = [(contrast, ratio) for contrast in facts.contrasts if (ratio := getattr(contrast, name))]
        ratios = plain_table("", "contrast", name.replace("_", " "), level, "p", words=1)
        for one, ratio in with_it:
            ratios.add_row(
                one.variable,
                _told(one),
                number(ratio.value, 2),
                span([ratio.low, ratio.high]),
                chance(ratio.p),
            )
        if with_it:
            yield ratios
    terms = plain_table("term dropped", "χ²", "df", "p", "p (holm)")
    for one in facts.terms:
        terms.add_row(one.term, number(one.chi2, 2), str(one.df), chance(one.p), chance(one.p_adjusted))
    yield terms
    effects = plain_table("coefficient", "estimate", "error", level, "p")
    for one in facts.coefficients:
        effects.add_row(
            one.name,
            number(one.estimate, 3),
            number(one.se, 3),
            span([one.low, one.high]),
            chance(one.p),
        )
    yield effects
    groups = plain_table("random intercept", "levels", "deviation")
    for one in facts.groupings:
        groups.add_row(one.name, str(one.levels), number(one.deviation, 3))
    if facts.residual is not None:
        groups.add_row("residual", str(facts.rows), number(facts.residual, 3))
    yield groups
    yield Text(facts.family_of_tests, style="dim")


def _told(contrast: ModelContrast) -> str:
    return contrast.a if contrast.b is None else f"{contrast.a} - {contrast.b}"
