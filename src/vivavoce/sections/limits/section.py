"""Limits of the numbers."""

from dataclasses import dataclass

from vivavoce.reports.blocks import Block, Bullets
from vivavoce.reports.language import plural, say, stated
from vivavoce.reports.rate_tables import headlines, is_clustered
from vivavoce.reports.section import AnalysisContext, LeadingSection, ReportSummary
from vivavoce.stats.summary_results import GroupSummary, Summary


@dataclass(frozen=True, slots=True)
class LimitsFound:
    """The summary, and whether the domain's facts come from what systems said."""

    summary: Summary
    self_reported: bool


class LimitsSection(LeadingSection[LimitsFound]):
    """Sentences on what the numbers rest on."""

    name = "limits"
    order = 2100
    title = "Limits"
    needs = ("dialogues",)

    def results(self, material: AnalysisContext) -> LimitsFound:
        sources = material.dataset.read("entities").column("source").to_pylist()
        return LimitsFound(material.summary, "self_reported" in sources)

    def blocks(self, results: LimitsFound) -> list[Block]:
        sentences = limits_of(results.summary, self_reported=results.self_reported)
        return [Bullets(tuple(sentences))] if sentences else []

    def front(self, results: LimitsFound) -> ReportSummary:
        heavy = heavy_limits(results.summary, self_reported=results.self_reported)
        return ReportSummary(before=tuple(heavy.values()))


def heavy_limits(summary: Summary, *, self_reported: bool) -> dict[str, str]:
    """Those of the limits that may turn an answer round, by name, the heaviest first."""
    limits = {}
    if summary.simulated:
        limits["simulated"] = say(
            "The dialogues are simulated. They show that the trial and the measures work, not how people "
            "would perform."
        )
    if headlines(summary) and not is_clustered(summary):
        limits["independent"] = say(
            "Intervals are 95% CIs (Wilson) and treat dialogues (or goals) as independent. They are too "
            "narrow if people took part repeatedly."
        )
    if self_reported:
        limits["self_reported"] = say(
            "The domain database was built from the systems' own statements. Consistent errors of a system "
            "cannot be detected."
        )
    return limits


def limits_of(summary: Summary, *, self_reported: bool) -> list[str]:
    """Limits of these numbers, in sentences."""
    rates, overall = headlines(summary), summary.all
    heavy = heavy_limits(summary, self_reported=self_reported)
    sentences = [heavy.pop("independent")] if "independent" in heavy else []
    if rates and is_clustered(summary):
        sentences.append(stated(summary.model.why))
    if summary.tests:
        sentences.append(say("Tests that were not declared in advance are exploratory."))
    if "subjective_success" in rates:
        sentences.append(
            say(
                "Subjective success is self-reported. People tend to report success even when information "
                "was missing; compare it with objective success."
            )
        )
    if "objective_success_assigned" in rates:
        sentences.append(
            say(
                "Success against assigned goals also counts constraints and requests that the participant "
                "forgot as system failures."
            )
        )
    if "objective_success_inferred" in rates:
        sentences += _on_inferred_goals(overall)
    return [*sentences, *reversed(heavy.values())]


def _on_inferred_goals(overall: GroupSummary) -> list[str]:
    sentences = [
        say(
            "Success against inferred goals derives goals from the participant's messages. A change of "
            "mind is a new goal, so one dialogue can count several times."
        )
    ]
    no_match = _total(overall, "no_match_goals")
    void = _total(overall, "void_goals")
    if no_match:
        sentences.append(
            say(
                "{goals} had no match in the database; the main figure credits a system that said so. See "
                "the variants for other policies.",
                goals=plural(round(no_match), "goal"),
            )
        )
    if void:
        sentences.append(
            say("{goals} without constraints or requests are left out.", goals=plural(round(void), "goal"))
        )
    return sentences


def _total(overall: GroupSummary, name: str) -> float | None:
    return overall.measures[name].numerator if name in overall.measures else None
