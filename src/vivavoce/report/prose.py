"""The report's sentences: what was run, what each measure means, how to cite."""

from collections.abc import Callable
from typing import Any, Final

from vivavoce.measures import MEASURES
from vivavoce.report.blocks import Definition
from vivavoce.report.content import headlines, is_variant, settings, title
from vivavoce.report.language import say, translated
from vivavoce.report.numbers import count, instant, label, listed, plural

Facts = dict[str, Any]
SIMULATED_MARK: Final = "SIMULATED"
MOST_LISTED: Final = 12
OURS: Final = ("the project's", "this project")  # sources that are no publication


def mark(summary: Facts) -> str:
    """The word that every page and figure of a simulated trial carries; empty for people."""
    return say(SIMULATED_MARK) if summary["simulated"] else ""


def lead(summary: Facts, description: Facts) -> str:
    """The report in one sentence under its title."""
    whole = summary["all"]
    if not whole["dialogues"]:
        if summary["excluded"]["dialogues"]:
            return say("All dialogues are excluded; there is nothing to report.")
        return say("The dataset holds no dialogue; there is nothing to report yet.")
    people = (
        say("with {participants}", participants=plural(whole["participants"], "participant"))
        if whole["participants"]
        else say("with participants unknown")
    )
    groups = plural(len(summary["by"]), summary["by_what"].replace("_", " "))
    channels = listed([translated(channel) for channel in description["channels"]])
    dialogues = plural(whole["dialogues"], "dialogue")
    return f"{dialogues} {people}, {groups}, {channels}, {period(description)}."


def period(description: Facts) -> str:
    first, last = instant(description["started_at"]), instant(description["ended_at"])
    if description["started_at"] is None:
        return say("dates not recorded")
    return first if first == last else say("{first} to {last}", first=first, last=last)


def cover(summary: Facts, description: Facts) -> list[tuple[str, str]]:
    """The title page: what, who, when."""
    whole = summary["all"]
    facts = [
        (say("What"), tally(description["systems"])),
        (
            say("Who"),
            plural(whole["participants"], "participant")
            if whole["participants"]
            else say("participants unknown"),
        ),
        (say("When"), period(description)),
        (say("Dialogues"), count(whole["dialogues"])),
        (say("Channel"), tally(description["channels"], ours=True)),
        (say("Language"), tally(description["languages"])),
        (say("Dataset"), summary["data"]),
    ]
    return [(term, text) for term, text in facts if text]


def what_was_run(summary: Facts, description: Facts) -> list[tuple[str, str]]:
    """Term and description pairs; what is not recorded is left out."""
    source = dict(description["source"])
    kind = source.pop("kind", "not recorded")
    conditions = description["conditions"] if description["conditions"] != description["systems"] else {}
    factors = (f"{name}: {', '.join(map(str, values))}" for name, values in description["factors"].items())
    collected = (f"{name.replace('_', ' ')}: {_plain(value)}" for name, value in source.items())
    simulated, dialogues = description["simulated_dialogues"], summary["all"]["dialogues"]
    people = summary["all"]["participants"] if dialogues else description["tables"].get("participants", 0)
    facts = [
        (say("Study"), description["study"]),
        (say("Systems"), tally(description["systems"])),
        (say("Conditions"), tally(conditions)),
        (say("Factors"), "; ".join(factors)),
        (say("Period"), period(description) if dialogues else ""),
        (say("Dialogues"), count(dialogues)),
        (say("Held by programs"), count(simulated) if simulated else ""),
        (say("Participants"), count(people)),
        (say("Recruited through"), tally(description["pools"])),
        (say("Tasks"), count(description["tasks"]) if description["tasks"] else ""),
        (say("Channel"), tally(description["channels"], ours=True)),
        (say("Language"), tally(description["languages"])),
        (say("Collected by"), "; ".join([_origin(kind), *collected])),
        (
            say("Tables"),
            ", ".join(f"{name} {count(rows)}" for name, rows in description["tables"].items()),
        ),
        (
            say("Dataset"),
            say("{hash} (made {day})", hash=summary["data"], day=str(description["created_at"])[:10]),
        ),
    ]
    return [(term, text) for term, text in facts if text]


def _origin(kind: str) -> str:
    if kind == "log":
        return say("Vivavoce, exported from the study's own log")
    return say("import of {kind}", kind=kind)


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(one)}" for name, one in value.items())
    if isinstance(value, bool):
        return say("yes") if value else say("no")
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def tally(counts: dict[str, int], *, ours: bool = False) -> str:
    """`a (12), b (7)`; a long list's rest is only counted. `ours`: the names are the dataset's words."""
    write: Callable[[str], str] = translated if ours else str
    shown = [f"{write(label(name))} ({count(n)})" for name, n in list(counts.items())[:MOST_LISTED]]
    more = len(counts) - MOST_LISTED
    return ", ".join(shown) + (" " + say("and {n} more", n=count(more)) if more > 0 else "")


def definitions(summary: Facts) -> list[Definition]:
    """Every measure that the report shows a number of: the headline rates first."""
    shown = [
        name for name, measure in MEASURES if summary["all"]["measures"].get(name, {}).get("denominator")
    ]
    first = list(headlines(summary))
    return [_definition(name) for name in [*first, *(name for name in shown if name not in first)]]


def _definition(name: str) -> Definition:
    measure = MEASURES.get(name)
    facts = (
        (say("Unit"), translated(measure.unit)),
        (say("Counted per"), translated(measure.analysis_unit.replace("_", " "))),
        (say("Better when"), translated(measure.direction or "")),
        (say("Origin"), translated(measure.origin)),
        (say("Settings"), settings(name)),
        (say("When empty"), translated(measure.empty)),
        (say("Source"), translated(measure.source)),
    )
    return Definition(
        name,
        title(name),
        measure.symbol,
        translated(measure.meaning),
        tuple((term, text) for term, text in facts if text),
        is_variant(name),
    )


def cite(summary: Facts, description: Facts) -> list[str]:
    """How to name this report, its data and the program in a paper."""
    year = str(description["created_at"] or "")[:4]
    return [
        say(
            "Report: \u201c{study}: evaluation report\u201d, {year}. Made by Vivavoce {version} from dataset "
            "{data}.",
            study=summary["study"],
            year=year or say("undated"),
            version=summary["vivavoce"],
            data=summary["data"],
        ),
        say(
            "Numbers: give the signature under the table with every number you take over; it names "
            "the measure, its settings, the unit, n, the dataset and the version."
        ),
        say(
            "Program: Vivavoce, version {version}, a laboratory in which chatbots and voice bots are "
            "examined by people (Apache-2.0).",
            version=summary["vivavoce"],
        ),
    ]


def sources(summary: Facts) -> list[str]:
    """The publications behind the measures and the statistics."""
    shown = {
        measure.source
        for name, measure in MEASURES
        if summary["all"]["measures"].get(name, {}).get("denominator") and not measure.source.startswith(OURS)
    }
    statistics = [
        say(
            "Intervals and tests with participants as the unit: Cochran 1977; MacKinnon, Nielsen and "
            "Webb 2023."
        ),
        say(
            "Interval of independent cases: Wilson 1927; of a difference: Newcombe 1998. Adjustment: "
            "Holm 1979."
        ),
    ]
    return [*sorted(shown), *(statistics if headlines(summary) else [])]
