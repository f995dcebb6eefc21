"""The report's head: the mark of simulated trials, the report in one sentence, its title page."""

from collections.abc import Callable, Mapping
from typing import Final

from vivavoce.analysis.description import DatasetDescription
from vivavoce.dataset.levels import Level, level_of
from vivavoce.reports.language import say
from vivavoce.reports.numbers import count, instant, label, listed, plural
from vivavoce.stats.summary_results import Summary

SIMULATED_MARK: Final = "SIMULATED"
MOST_LISTED: Final = 12


def mark(*, simulated: bool) -> str:
    """The word that every page and figure of a simulated trial carries; empty for people."""
    return say(SIMULATED_MARK) if simulated else ""


def lead(summary: Summary, description: DatasetDescription) -> str:
    """The report in one sentence under its title."""
    overall = summary.all
    if not overall.dialogues:
        if summary.excluded["dialogues"]:
            return say("All dialogues are excluded; there is nothing to report.")
        return say("The dataset has no dialogues yet.")
    people = (
        say("with {participants}", participants=plural(overall.participants, "participant"))
        if overall.participants
        else say("with participants unknown")
    )
    groups = plural(len(summary.by), summary.by_what.replace("_", " "))
    channels = listed([say(channel) for channel in description.channels])
    dialogues = plural(overall.dialogues, "dialogue")
    return f"{dialogues} {people}, {groups}, {channels}, {period(description)}."


def period(description: DatasetDescription) -> str:
    first, last = instant(description.started_at), instant(description.ended_at)
    if description.started_at is None:
        is_internal = level_of({"source": description.source}) is Level.internal
        return say("dates not recorded") if is_internal else say("dates left out")
    return first if first == last else say("{first} to {last}", first=first, last=last)


def cover(summary: Summary, description: DatasetDescription) -> list[tuple[str, str]]:
    """The title page: what, who, when."""
    overall = summary.all
    facts = [
        (say("What"), tally(description.systems)),
        (
            say("Who"),
            plural(overall.participants, "participant")
            if overall.participants
            else say("participants unknown"),
        ),
        (say("When"), period(description)),
        (say("Dialogues"), count(overall.dialogues)),
        (say("Channel"), tally(description.channels, ours=True)),
        (say("Language"), tally(description.languages)),
        (say("Dataset"), summary.data),
    ]
    return [(term, text) for term, text in facts if text]


def tally(counts: Mapping[str, int], *, ours: bool = False) -> str:
    """`a (12), b (7)`; a long list's rest is only counted. `ours`: the names are the dataset's words."""
    write: Callable[[str], str] = say if ours else str
    items = [f"{write(label(name))} ({count(n)})" for name, n in list(counts.items())[:MOST_LISTED]]
    more = len(counts) - MOST_LISTED
    return ", ".join(items) + (" " + say("and {n} more", n=count(more)) if more > 0 else "")
