"""What waits for a person's verdict: counted here alone, for terminal, report and dashboard.

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
        """What anybody may still judge: `undecided` and `checks`."""
        return self.undecided + self.checks

    @property
    def judged(self) -> int:
        """What people gave a verdict on."""
        return self.settled + self.checked


def asked_of_people(run_id: str, case_id: str, automatic: str | None) -> Asked | None:
    """Why people are asked about an admitted case with this automatic verdict; None: they are not."""
    if automatic == "unsure":
        return "undecided"
    return "check" if Random(f"{run_id}:{case_id}").random() < CHECKED_SHARE else None


def waiting_in(rows: Iterable[Mapping[str, Any]]) -> WaitingCases:
    """What waits in a run.

    Input  rows of the table `stress`: run_id, case_id, status, verdict_automatic, verdict_of_person
    """
    found = {"undecided": 0, "checks": 0, "settled": 0, "checked": 0, "overruled": 0}
    for row in rows:
        if row["status"] not in ("applied", "invalid"):
            continue
        automatic, person = row["verdict_automatic"], row["verdict_of_person"]
        if person is not None:
            found["settled" if automatic == "unsure" else "checked"] += 1
            found["overruled"] += "unsure" not in (automatic, person) and automatic != person
            continue
        asked = asked_of_people(row["run_id"], row["case_id"], automatic)
        found["undecided"] += asked == "undecided"
        found["checks"] += asked == "check"
    return WaitingCases(**found)
