"""The report's sentences: what was run, what each measure means, and what the numbers cannot say."""

from dataclasses import dataclass
from typing import Any, Final

from vivavoce.measures import MEASURES
from vivavoce.report.content import headlines, is_variant, settings, title
from vivavoce.report.numbers import count, instant, label, plural

Facts = dict[str, Any]
SIMULATED_MARK: Final = "SIMULATED"
MOST_LISTED: Final = 12


@dataclass(frozen=True, slots=True)
class Definition:
    """What a reader needs to know of one measure."""

    name: str
    title: str
    symbol: str
    meaning: str
    facts: tuple[tuple[str, str], ...]
    variant: bool


def lead(summary: Facts, description: Facts) -> str:
    """The report in one sentence under its title."""
    whole = summary["all"]
    if not whole["dialogues"]:
        return "The dataset holds no dialogue; there is nothing to report yet."
    groups = plural(len(summary["by"]), summary["by_what"])
    people = (
        f"with {plural(whole['participants'], 'participant')}"
        if whole["participants"]
        else ("with participants unknown")
    )
    return (
        f"{plural(whole['dialogues'], 'dialogue')} {people}, {groups}, "
        f"{' and '.join(description['channels'])}, {period(description)}."
    )


def period(description: Facts) -> str:
    first, last = instant(description["started_at"]), instant(description["ended_at"])
    if description["started_at"] is None:
        return "dates not recorded"
    return first if first == last else f"{first} to {last}"


def what_was_run(summary: Facts, description: Facts) -> list[tuple[str, str]]:
    """Term and description pairs; what is not recorded is left out."""
    source = dict(description["source"])
    kind = source.pop("kind", "not recorded")
    facts = [
        ("Study", description["study"]),
        ("Systems", _tally(description["systems"])),
        (
            "Conditions",
            _tally(description["conditions"]) if description["conditions"] != description["systems"] else "",
        ),
        (
            "Factors",
            "; ".join(
                f"{name}: {', '.join(map(str, values))}" for name, values in description["factors"].items()
            ),
        ),
        ("Period", period(description)),
        ("Dialogues", count(summary["all"]["dialogues"])),
        (
            "Held by programs",
            count(description["simulated_dialogues"]) if description["simulated_dialogues"] else "",
        ),
        ("Participants", count(summary["all"]["participants"])),
        ("Recruited through", _tally(description["pools"])),
        ("Visits ended", _tally(description["outcomes"])),
        ("Tasks", count(description["tasks"]) if description["tasks"] else ""),
        ("Channel", _tally(description["channels"])),
        ("Language", _tally(description["languages"])),
        (
            "Collected by",
            "; ".join(
                [
                    _origin(kind),
                    *(f"{name.replace('_', ' ')}: {_plain(value)}" for name, value in source.items()),
                ]
            ),
        ),
        ("Tables", ", ".join(f"{name} {count(rows)}" for name, rows in description["tables"].items())),
        ("Dataset", f"{summary['data']} (made {str(description['created_at'])[:10]})"),
    ]
    return [(term, text) for term, text in facts if text]


def _origin(kind: str) -> str:
    return {"log": "Vivavoce, exported from the study's own log"}.get(kind, f"import of {kind}")


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(one)}" for name, one in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _tally(counts: dict[str, int]) -> str:
    shown = [f"{label(name)} ({count(n)})" for name, n in list(counts.items())[:MOST_LISTED]]
    return ", ".join(shown) + (f" and {len(counts) - MOST_LISTED} more" if len(counts) > MOST_LISTED else "")


def definitions(summary: Facts) -> list[Definition]:
    """Every measure that the report shows a number of: the headline rates first."""
    shown = [
        name for name, measure in MEASURES if summary["all"]["measures"].get(name, {}).get("denominator")
    ]
    first = list(headlines(summary))
    found = []
    for name in [*first, *(name for name in shown if name not in first)]:
        measure = MEASURES.get(name)
        facts = (
            ("Unit", measure.unit),
            ("Counted per", measure.analysis_unit),
            ("Better when", measure.direction or ""),
            ("Origin", measure.origin),
            ("Settings", settings(name)),
            ("When empty", measure.empty),
            ("Source", measure.source),
        )
        found.append(
            Definition(
                name,
                title(name),
                measure.symbol,
                measure.meaning,
                tuple((term, text) for term, text in facts if text),
                is_variant(name),
            )
        )
    return found


def limits(summary: Facts, *, self_reported: bool) -> list[str]:
    """What these numbers cannot say, in sentences."""
    shown, whole = headlines(summary), summary["all"]
    sentences: list[str] = []
    if shown:
        sentences.append(
            "Intervals are Wilson's at 95% and treat dialogues (or goals) as independent. People who came "
            "back make them narrower than they should be."
        )
    if summary["tests"]:
        shared = (
            f" {plural(summary['shared_participants'], 'participant')} of {count(whole['participants'])} met "
            f"more than one {summary['by_what']}; the test takes the groups for different people."
            if summary["shared_participants"]
            else ""
        )
        sentences.append(
            "The z-tests are pooled, two-tailed and without correction for continuity."
            + shared
            + " Unless the study named a comparison beforehand, read them as exploration."
        )
    if "subjective_success" in shown:
        sentences.append(
            "Subjective success is what participants said. People tend to report success where "
            "information was missing: read it beside objective success."
        )
    if "objective_success_assigned" in shown:
        sentences.append(
            "Success against assigned goals blames the system for every constraint or request that the "
            "participant forgot."
        )
    if "objective_success_inferred" in shown:
        no_match = whole["measures"].get("no_match_goals", {}).get("numerator")
        void = whole["measures"].get("void_goals", {}).get("numerator")
        sentences.append(
            "Success against inferred goals takes the goal from what participants said. It counts goals: "
            "a change of mind is a new goal, so one dialogue may count several times."
        )
        if no_match:
            sentences.append(
                f"{plural(round(no_match), 'goal')} had no match in the database; the headline credits "
                "a system that said so. The other policies are under the variants."
            )
        if void:
            sentences.append(f"{plural(round(void), 'goal')} without any constraint or request are left out.")
    if self_reported:
        sentences.append(
            "The domain database was built from what the systems said themselves. A system that is "
            "consistently wrong about a place cannot be caught."
        )
    if summary["simulated"]:
        sentences.append(
            "Programs held the dialogues. They tell that the trial and the measures work, "
            "not how people would fare."
        )
    return sentences
