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
    for contrast_row in facts.contrasts:
        table.add_row(
            contrast_row.variable,
            _told(contrast_row),
            number(contrast_row.difference, 3),
            span([contrast_row.low, contrast_row.high]),
            chance(contrast_row.p),
            chance(contrast_row.p_adjusted),
        )
    yield table
    for name in ("odds_ratio", "rate_ratio"):
        with_it = [(contrast, ratio) for contrast in facts.contrasts if (ratio := getattr(contrast, name))]
        ratios = plain_table("", "contrast", name.replace("_", " "), level, "p", words=1)
        for contrast_row, ratio in with_it:
            ratios.add_row(
                contrast_row.variable,
                _told(contrast_row),
                number(ratio.value, 2),
                span([ratio.low, ratio.high]),
                chance(ratio.p),
            )
        if with_it:
            yield ratios
    terms = plain_table("term dropped", "χ²", "df", "p", "p (holm)")
    for contrast_row in facts.terms:
        terms.add_row(
            contrast_row.term,
            number(contrast_row.chi2, 2),
            str(contrast_row.df),
            chance(contrast_row.p),
            chance(contrast_row.p_adjusted),
        )
    yield terms
    effects = plain_table("coefficient", "estimate", "error", level, "p")
    for contrast_row in facts.coefficients:
        effects.add_row(
            contrast_row.name,
            number(contrast_row.estimate, 3),
            number(contrast_row.se, 3),
            span([contrast_row.low, contrast_row.high]),
            chance(contrast_row.p),
        )
    yield effects
    groups = plain_table("random intercept", "levels", "deviation")
    for contrast_row in facts.groupings:
        groups.add_row(contrast_row.name, str(contrast_row.levels), number(contrast_row.deviation, 3))
    if facts.residual is not None:
        groups.add_row("residual", str(facts.rows), number(facts.residual, 3))
    yield groups
    yield Text(facts.family_of_tests, style="dim")


def _told(contrast: ModelContrast) -> str:
    return contrast.a if contrast.b is None else f"{contrast.a} - {contrast.b}"
