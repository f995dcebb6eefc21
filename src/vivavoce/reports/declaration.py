"""Declarations made before the data, in words: exclusions, stopping rules, comparisons of transcripts."""

from collections.abc import Sequence
from typing import Final

from vivavoce.reports.language import amount, plural, say
from vivavoce.study.analysis_file import Preferences, Stopping
from vivavoce.study.exclusion import TRIVIAL

SETTINGS: Final = {
    "primary": "primary comparison",
    "secondary": "secondary comparisons",
    "preferences": "comparison of transcripts",
    "correction": "correction",
    "margin": "margin (non-inferiority or equivalence)",
    "exclude": "exclusions",
    "flags": "priority of annotators",
    "notes": "notes",
    "quality": "quality checks",
    "stopping": "stopping rule",
}


def changed_words(changed: Sequence[str]) -> str:
    """Settings changed by a later revision, with a note that they have no effect; "": none."""
    if not changed:
        return ""
    names = ", ".join(say(str(SETTINGS.get(name, name))) for name in changed)
    return say(
        "Changed in a later revision, after the first participants: {names}. This report ignores these "
        "changes.",
        names=names,
    )


def transcripts_words(preferences: Preferences | None) -> str:
    """Planned comparison of the versions of transcripts."""
    if preferences is None:
        return ""
    tests = {"chi_square": say("chi-square"), "exact": say("exact binomial test")}
    return say(
        "preference between the two versions, for each variable and question; {test} (alpha {alpha})",
        test=tests[preferences.test],
        alpha=amount(preferences.alpha, ""),
    )


def stopping_words(stopping: Stopping | None) -> str:
    """End of data collection: the researcher's sentence, and the rule that pauses the trial."""
    if stopping is None:
        return ""
    people, rule = stopping.participants, stopping.rule
    facts = {
        "people": plural(people, "participant") if people else "",
        "looks": plural(stopping.interim_analyses, "look"),
    }
    if rule is None:
        sentences = say("Planned: {people}.", **facts) if people else ""
    elif rule == "anytime":
        sentences = say("Monitored after every visit; the evidence is valid at any number of looks.")
        sentences += " " + say("Maximum sample size: {people}.", **facts) if people else ""
    else:
        name = {"obrien_fleming": "O'Brien-Fleming", "pocock": "Pocock"}[rule]
        sentences = say("{looks} up to {people}, with {name} boundaries.", name=name, **facts)
    return " ".join(part for part in (stopping.words, sentences) if part)


def rule_words(rule: str) -> str:
    """A rule of exclusion for readers; all but ours are shown as the study file has them."""
    if rule == TRIVIAL:
        return say("trivial (too few user turns; the system neither ended it nor failed)")
    return rule
