"""Cases that wait for a person's verdict: counted here for terminal, report and dashboard.

Two kinds wait: cases that no rule decided, without whose verdict no share is told; and a sample of the
others, which people judge, too, so that their agreement with the rules can be told.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Final, Literal

CHECKED_SHARE: Final = 0.2
Asked = Literal["undecided", "check"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingCases:
    """Cases of a run by what people have to do with them.

    undecided  no rule decided, and nobody has said anything yet
    checks     decided by a rule and drawn for a double check that nobody has made yet
    settled    no rule decided, and people gave a verdict, be it that they are unsure, too
    checked    decided by a rule, and judged by people
    overruled  those of `checked` that people judged otherwise
    """

    undecided: int
    checks: int
    settled: int
    checked: int
    overruled: int

    @property
    def all(self) -> int:
        """All cases that anybody may still judge: `undecided` and `checks`."""
        return self.undecided + self.checks

    @property
    def judged(self) -> int:
        """Number of cases with a person's verdict."""
        return self.settled + self.checked


def asked_of_people(run_id: str, case_id: str, automatic: str | None) -> Asked | None:
    """Reason to ask people about an admitted case with this automatic verdict; None if there is none."""
    if automatic == "unsure":
        return "undecided"
    return "check" if Random(f"{run_id}:{case_id}").random() < CHECKED_SHARE else None


def waiting_in(rows: Iterable[Mapping[str, Any]]) -> WaitingCases:
    """Waiting cases of a run.

    Input  rows of the table `stress`: run_id, case_id, status, verdict_automatic, verdict_of_person
    """
    counts = {"undecided": 0, "checks": 0, "settled": 0, "checked": 0, "overruled": 0}
    for row in rows:
        if row["status"] not in ("applied", "invalid"):
            continue
        automatic, person = row["verdict_automatic"], row["verdict_of_person"]
        if person is not None:
            counts["settled" if automatic == "unsure" else "checked"] += 1
            counts["overruled"] += "unsure" not in (automatic, person) and automatic != person
            continue
        request = asked_of_people(row["run_id"], row["case_id"], automatic)
        counts["undecided"] += request == "undecided"
        counts["checks"] += request == "check"
    return WaitingCases(**counts)
