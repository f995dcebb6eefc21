"""Dialogues that a number of a report, or a mark of a figure, counts."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CountedDialogues:
    """Dialogues that a number counts; `report.links` makes them, a dashboard finds them.

    measures  measures that have cases in them, each with the outcomes of a success rate (yes, partly, no;
              cases: any of them, successes: yes or partly); no outcome: whatever the value
    by, keys  a grouping and its groups; no key: of every group
    """

    measures: tuple[tuple[str, tuple[str, ...]], ...] = ()
    by: str = ""
    keys: tuple[str, ...] = ()
