"""Choices between transcripts: what was preferred, how surely, and what may have swayed it."""

from collections.abc import Sequence
from typing import Final

from vivavoce.analysis.preference_results import preference_results
from vivavoce.reports.blocks import Block, Bullets, Cell, Heading, Paragraph, Row, TableOfText
from vivavoce.reports.language import (
    MISSING,
    between,
    coefficient,
    count,
    listed,
    p_value,
    percent,
    plural,
    points,
    say,
    span,
    stated,
)
from vivavoce.reports.rate_tables import adjusted_cell, heads, is_significant
from vivavoce.reports.section import AnalysisContext, LeadingSection, ReportSummary
from vivavoce.sections.preferences.strengths import (
    front_figure,
    share_figure,
    strength_figure,
    strength_table,
)
from vivavoce.stats.declared_results import DeclaredChoice
from vivavoce.stats.preference_models import few_tie_models
from vivavoce.stats.preferences import (
    ChoiceAgreement,
    CombinedStrategies,
    DeclaredPreferences,
    GroupPreference,
    PreferenceResults,
    QuestionPreference,
    RankedLevels,
    ResponseCounts,
    VariablePreference,
)

MODELS: Final = {
    "decided": "Decided choices only",
    "davidson": "Davidson",
    "rao_kupper": "Rao and Kupper",
}
METHODS: Final = {"fleiss": "Fleiss' kappa", "krippendorff": "Krippendorff's alpha"}
FLAGS: Final = {
    "fast": "fast",
    "one_side": "one side only",
    "attention_failed": "attention pair failed",
    "inconsistent": "inconsistent",
}
QUALITIES: Final = ("service", "experience")


def preference_blocks(facts: PreferenceResults) -> list[Block]:
    """The section."""
    blocks: list[Block] = [Paragraph(_people(facts)), share_figure(facts), _table(facts), _tests(facts)]
    if facts.strengths:
        figure = strength_figure(facts)
        blocks += [*([figure] if figure else []), strength_table(facts)]
    if facts.differences:
        blocks.append(_differences(facts))
    if facts.ties:
        blocks.append(_ties(facts))
    if facts.agreement:
        blocks.append(_agreement(facts.agreement))
    blocks += [_levels(level) for level in facts.levels if level.levels]
    blocks += [_terms(model) for model in facts.combined if model.terms]
    blocks += [_groups(model, facts.by_what or "") for model in facts.by_group or ()]
    return [*blocks, Heading(say("Possible biases")), Bullets(tuple(_swayed(facts)))]


def preference_answer(facts: PreferenceResults) -> list[str]:
    """The answer in plain words, and on what it rests: what was declared, else each variable as a whole."""
    sentences = _declared_answer(facts.declared) if facts.declared else _explored_answer(facts)
    return [*sentences, _people(facts)]


def _declared_answer(declared: DeclaredPreferences) -> list[str]:
    """The declared cells by variable and version, how many show nothing, and their family."""
    choices = declared.choices
    sure: dict[tuple[str, str], list[str]] = {}
    for choice in choices:
        if choice.significant:
            version = say(_favoured(choice)[0])
            sure.setdefault((choice.variable, version), []).append(_declared_cell(choice))
    sentences = [
        say(
            "{variable}, as declared in advance: the {version} version is preferred for {cells}.",
            variable=variable,
            version=version,
            cells=listed(cells),
        )
        for (variable, version), cells in sure.items()
    ]
    unsure = sum(choice.significant is False for choice in choices)
    if unsure:
        n = plural(len(choices), "declared comparison")
        sentences.append(say("No significant preference in {k} of {n} of transcripts.", k=count(unsure), n=n))
    return [*sentences, stated(declared.family.why)]


def _declared_cell(choice: DeclaredChoice) -> str:
    """A question with the share of the version that it prefers."""
    return say(
        "{question} ({share} of the choices, 95% CI {interval}; adjusted p {p})",
        question=say(choice.question),
        share=percent(_favoured(choice)[1]),
        interval=span(*_limits(choice)),
        p=p_value(choice.p_adjusted),
    )


def _explored_answer(facts: PreferenceResults) -> list[str]:
    sure = [variable for variable in facts.variables if is_significant(variable.p_holm)]
    sentences = [
        say(
            "{variable}: {share} of the choices preferred the {version} version (95% CI {interval}).",
            variable=strength.variable,
            share=percent(_favoured(strength)[1]),
            version=say(_favoured(strength)[0]),
            interval=span(*_limits(strength)),
        )
        for strength in sure
    ]
    unsure = [variable.variable for variable in facts.variables if variable not in sure]
    if unsure:
        sentences.append(say("No significant preference for {variables}.", variables=listed(unsure)))
    return [*sentences, _family_words(facts, "variables")]


def _family_words(facts: PreferenceResults, of: str) -> str:
    """The family over which the p of these was adjusted, in a sentence."""
    return next((stated(family.why) for family in facts.families if family.of == of), "")


def _favoured(choice: DeclaredChoice | VariablePreference) -> tuple[str, float]:
    """The version that more of the decided choices fell on, and its share of them."""
    share = 0.5 if choice.ratio is None else choice.ratio
    return ("experimental", share) if share >= 0.5 else ("control", 1 - share)


def _limits(choice: DeclaredChoice | VariablePreference) -> tuple[float | None, float | None]:
    """The limits of the share of the version that is named."""
    if choice.low is None or choice.high is None or _favoured(choice)[0] == "experimental":
        return choice.low, choice.high
    return 1 - choice.high, 1 - choice.low


def _people(facts: PreferenceResults) -> str:
    answered = facts.responses
    return say(
        "{people} gave {judgements} of pairs of transcripts that differ in one strategy.",
        people=people_words(answered),
        judgements=plural(answered.judgements, "judgement"),
    )


def people_words(answered: ResponseCounts) -> str:
    """Number of people who chose; number of judged pairs where people are not told apart."""
    n = answered.participants
    return plural(n, "participant") if answered.people_known else plural(n, "judged pair")


def _table(facts: PreferenceResults) -> TableOfText:
    """Variables by questions, with marginals, as the paper prints its table 2."""
    questions = list(dict.fromkeys(cell.question for cell in facts.cells))
    cells = {(cell.variable, cell.question): cell for cell in facts.cells}
    rows = []
    for variable in facts.variables:
        row_cells = [cells.get((variable.variable, question)) for question in questions]
        rows.append(
            Row(
                variable.variable,
                (
                    *(_ratio(cell) for cell in row_cells),
                    Cell(
                        percent(variable.marginal),
                        (span(variable.low, variable.high), plural(variable.participants, "participant")),
                        strong=is_significant(variable.p_holm),
                    ),
                    *(_quality(variable, quality) for quality in QUALITIES),
                ),
            )
        )
    columns = heads(
        say("Variable"),
        *(say(question) for question in questions),
        say("Marginal"),
        say("Service"),
        say("Experience"),
    )
    note = say(
        "Share of decided choices for the experimental version; below 50% the control was preferred. "
        "Questions: 95% CI (Wilson, or clustered by participant if people chose repeatedly). Marginals "
        "(means over questions): 95% CI clustered by participant. Bold: significant after adjustment over "
        "questions, then variables."
    )
    note = f"{note} {_family_words(facts, 'cells')} {_family_words(facts, 'variables')}"
    signed = tuple(
        signature for signature in facts.signatures.items() if not signature[0].endswith(", strength")
    )
    return TableOfText("preferences", say("Preferences by question"), columns, tuple(rows), note, signed)


def _ratio(cell: QuestionPreference | None) -> Cell:
    if cell is None or cell.ratio is None:
        return Cell(MISSING)
    decided = cell.experimental + cell.control
    counted = say("{k} of {n}", k=count(cell.experimental), n=count(decided))
    strong = is_significant(cell.p_adjusted, cell.alpha)
    return Cell(percent(cell.ratio), (span(cell.low, cell.high), counted), strong=strong)


def _quality(preference: VariablePreference, quality: str) -> Cell:
    measured = getattr(preference, quality)
    if not measured or measured.ratio is None:
        return Cell(MISSING)
    return Cell(percent(measured.ratio), (span(measured.low, measured.high),))


def _tests(facts: PreferenceResults) -> TableOfText:
    rows = [
        Row(
            say(cell.question),
            (
                Cell(coefficient(cell.chi_square)),
                Cell(p_value(cell.p)),
                Cell(p_value(cell.p_exact)),
                Cell(p_value(cell.p_adjusted), strong=is_significant(cell.p_adjusted, cell.alpha)),
                Cell(count(cell.ties)),
            ),
            group=cell.variable,
        )
        for cell in facts.cells
    ]
    columns = heads(say("Question"), "χ²", "p", say("p (exact)"), say("p (adjusted)"), say("Ties"))
    note = say(
        "Tests against 50%, without ties: chi-square (1 degree of freedom) and exact binomial. The exact p "
        "is adjusted if there are fewer than 10 choices. With repeated choices per person: t test "
        "clustered by participant."
    )
    note = f"{note} {_family_words(facts, 'cells')}"
    return TableOfText("preference_tests", say("Tests of every question"), columns, tuple(rows), note)


def _differences(facts: PreferenceResults) -> TableOfText:
    rows = [
        Row(
            f"{difference.a} – {difference.b}",
            (
                Cell(points(difference.difference)),
                Cell(between(difference.low, difference.high, points)),
                Cell(p_value(difference.p)),
                adjusted_cell(difference.p_holm),
            ),
        )
        for difference in facts.differences
    ]
    columns = heads(say("Compared"), say("Difference"), say("95% CI"), "p", "p (Holm)")
    note = say("Difference of the shares that prefer the experimental version, within participants.")
    note = f"{note} {_family_words(facts, 'differences')}"
    return TableOfText("preference_differences", say("Comparison of variables"), columns, tuple(rows), note)


def _ties(facts: PreferenceResults) -> TableOfText:
    rows = [
        Row(
            say(MODELS[tie_effect.model]),
            (
                Cell(say(tie_effect.question or "all"), words=True),
                Cell(coefficient(tie_effect.estimate, 3)),
                Cell(between(tie_effect.low, tie_effect.high, lambda value: coefficient(value, 3))),
                Cell(p_value(tie_effect.p)),
                Cell(percent(tie_effect.share)),
                Cell(percent(tie_effect.tied)),
            ),
            group=tie_effect.variable,
        )
        for tie_effect in few_tie_models(facts.ties)
    ]
    columns = heads(
        say("Model"),
        say("Question"),
        say("Log odds"),
        say("95% CI"),
        "p",
        say("Of decided"),
        say("Tied"),
    )
    note = say("Log odds of the experimental version, clustered by participant.")
    return TableOfText("preference_ties", say("With ties"), columns, tuple(rows), note)


def _agreement(agreements: Sequence[ChoiceAgreement]) -> TableOfText:
    """Choices of judges of the same pair, ties included, and their agreement."""
    rows = [
        Row(
            agreement.question,
            (
                *(Cell(percent(getattr(agreement, choice))) for choice in ("experimental", "tie", "control")),
                Cell(
                    coefficient(agreement.value),
                    (between(agreement.low, agreement.high, coefficient), say(METHODS[agreement.method])),
                ),
                Cell(count(agreement.pairs), (judged(agreement.judges),)),
            ),
            group=agreement.variable,
        )
        for agreement in agreements
    ]
    return TableOfText(
        "preference-agreement",
        say("Agreement between judges"),
        heads(
            say("Question"), say("Experimental"), say("Tie"), say("Control"), say("Agreement"), say("Pairs")
        ),
        tuple(rows),
        say(
            "Shares of all judgements, including ties. Chance-corrected agreement: 1 is full agreement, 0 "
            "is chance; below it, 95% CI by bootstrap over pairs."
        ),
    )


def judged(judges: int | None) -> str:
    return plural(judges, "judge") + " " + say("each") if judges else say("at least 2 judges each")


def _levels(ranked: RankedLevels) -> TableOfText:
    rows = [
        Row(
            level.name,
            (
                Cell(coefficient(level.estimate, 3)),
                Cell(between(level.low, level.high, lambda value: coefficient(value, 3))),
                Cell(percent(level.share)),
            ),
        )
        for level in ranked.levels or ()
    ]
    return TableOfText(
        f"levels_{ranked.variable}",
        say("Levels of {variable}", variable=ranked.variable),
        heads(say("Level"), say("Log worth"), say("95% CI"), say("Share")),
        tuple(rows),
        say("Davidson worths, centred at 0; clustered by participant."),
    )


def _terms(combined: CombinedStrategies) -> TableOfText:
    rows = [
        Row(
            term.term,
            (
                Cell(coefficient(term.estimate, 3)),
                Cell(between(term.low, term.high, lambda value: coefficient(value, 3))),
                Cell(p_value(term.p)),
            ),
        )
        for term in combined.terms
    ]
    return TableOfText(
        f"effects_{combined.variable}",
        say("Effects of the parts of {variable}", variable=combined.variable),
        heads(say("Effect"), say("Log odds"), say("95% CI"), "p"),
        tuple(rows),
        say("A row with x is an interaction; clustered by participant."),
    )


def _groups(group_preference: GroupPreference, by: str) -> TableOfText:
    rows = [
        Row(
            name,
            (
                Cell(percent(share.ratio)),
                Cell(span(share.low, share.high)),
                Cell(count(share.participants)),
                Cell(MISSING),
                Cell(MISSING),
            ),
        )
        for name, share in group_preference.groups.items()
    ] + [
        Row(
            f"{test.a} – {test.b}",
            (
                Cell(points(test.difference)),
                Cell(between(test.low, test.high, points)),
                Cell(MISSING),
                Cell(p_value(test.p)),
                Cell(p_value(test.p_judgements)),
            ),
        )
        for test in group_preference.differences
    ]
    columns = heads(
        say(by.replace("_", " ").capitalize()),
        say("Share"),
        say("95% CI"),
        say("Participants"),
        "p",
        say("p (judgements)"),
    )
    note = say("p is clustered by participant; p over judgements is for comparison only.")
    return TableOfText(
        f"preference_by_{group_preference.variable}",
        say("{variable} by group", variable=group_preference.variable),
        columns,
        tuple(rows),
        note,
    )


def _swayed(facts: PreferenceResults) -> list[str]:
    """Order, side, haste, and what it cost."""
    answered, position, sentences = facts.responses, facts.position, []
    for preference in facts.same_preference:
        if preference.q is not None:
            sentences.append(
                say(
                    "Equal preference for all variables, {question}: Cochran's Q {q}, {df} degrees of "
                    "freedom, {people}, p {p}.",
                    question=say(preference.question),
                    q=coefficient(preference.q),
                    df=preference.df,
                    people=plural(preference.participants, "participant"),
                    p=p_value(preference.p),
                )
            )
    if position.log_odds is not None:
        sentences.append(
            say(
                "The left transcript was chosen in {left} of cases ({interval}); side bias controlled for "
                "variables: p {p}.",
                left=percent(position.left),
                interval=span(position.low, position.high),
                p=p_value(position.p),
            )
        )
    if len(facts.places) > 1:
        shares = ", ".join(f"{place.comparison_number}: {percent(place.ratio)}" for place in facts.places)
        sentences.append(
            say("Experimental version preferred, by position in the order: {shares}.", shares=shares)
        )
    for flag, people in answered.flags.items():
        what = say(str(FLAGS.get(flag, flag)))
        sentences.append(say("Flagged as {what}: {people}.", what=what, people=plural(people, "participant")))
    if answered.not_accepted:
        people = plural(answered.not_accepted, "participant")
        sentences.append(say("Rejected and excluded: {people}.", people=people))
    return sentences + _spent(facts)


def _spent(facts: PreferenceResults) -> list[str]:
    answered, cost, rated, sentences = facts.responses, facts.cost, facts.study_rating, []
    if answered.seconds_per_judgement is not None:
        sentences.append(
            say("Time per judgement: {time} s.", time=coefficient(answered.seconds_per_judgement, 1))
        )
    if cost is not None and cost.per_judgement is not None:
        sentences.append(
            say(
                "Cost of the study: {total}; {judgement} per judgement, {variable} per variable.",
                total=coefficient(cost.total),
                judgement=coefficient(cost.per_judgement, 3),
                variable=coefficient(cost.per_variable),
            )
        )
    if rated is not None:
        sentences.append(
            say(
                "Rating of the study by {people}: {mean} of {of}.",
                mean=coefficient(rated.mean, 1),
                of=rated.of,
                people=plural(rated.participants, "participant"),
            )
        )
    return sentences


class PreferencesSection(LeadingSection[PreferenceResults]):
    """Preferences between the versions of a transcript."""

    name = "preferences"
    order = 200
    title = "Preferences between transcripts"
    menu = "Preferences"
    needs = ("preferences",)
    dashboard = True

    def results(self, material: AnalysisContext) -> PreferenceResults:
        return preference_results(material.dataset, by=material.attribute, cost=material.options.cost)

    def blocks(self, results: PreferenceResults) -> list[Block]:
        return preference_blocks(results)

    def front(self, results: PreferenceResults) -> ReportSummary:
        answered = results.responses
        lead = say(
            "{judgements} of pairs of transcripts by {people}.",
            judgements=plural(answered.judgements, "judgement"),
            people=people_words(answered),
        )
        question = (
            say("Declared in advance: is one version of the transcripts preferred?")
            if results.declared
            else say("No comparison was declared. Exploratory: is one version of the transcripts preferred?")
        )
        return ReportSummary(
            lead=lead,
            question=question,
            answer=tuple(preference_answer(results)),
            figure=front_figure(results),
        )
