"""Automatic verdicts of stress tests held against people's, on the corpus in `stress_verdicts/`.

Agreement is on pass or not, over cases on which people gave a verdict and the program decided; clarification
counts as not passed, as in the program's own figures. Bots are the clusters: each has both languages.
"""

import csv
import json
import lzma
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import groupby
from typing import Any, Final, NamedTuple

import numpy as np
from benchmarks._stress_cases import CASES

from vivavoce.stats.agreement import cohen
from vivavoce.stats.clusters import ClusterSums, clustered_rate
from vivavoce.stats.proportions import wilson
from vivavoce_stress.cascade import admit, judge
from vivavoce_stress.replay import Replayed
from vivavoce_stress.stock_replies import StockReplies

Facts = dict[str, Any]
LABELS: Final = CASES.with_name("labels.csv")
FIRST: Final = CASES.with_name("automatic-first.csv")  # before any rule was changed
VERDICTS: Final = ("pass", "clarification", "fail", "unsure")
DECIDED: Final = VERDICTS[:3]
DEVELOPMENT: Final = frozenset(("bikes", "camping", "dentist", "museum", "opera", "parcel"))


class Judged(NamedTuple):
    """One case: its facts, what people said, what the program said and which of its rungs."""

    case: Facts
    person: str
    automatic: str
    rung: str

    @property
    def counts(self) -> bool:
        return self.person in DECIDED

    @property
    def decided(self) -> bool:
        return self.automatic in DECIDED

    @property
    def agrees(self) -> bool:
        return (self.person == "pass") == (self.automatic == "pass")


def read_cases() -> list[Facts]:
    with lzma.open(CASES, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def read_labels() -> dict[str, dict[str, str]]:
    with LABELS.open(encoding="utf-8", newline="") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


def replayed(turns: Sequence[str], place: int) -> Replayed:
    """A dialogue of the corpus as a replay leaves it; the system speaks first."""
    parties = ("system", "user")
    spoken = [
        {"party": parties[number % 2], "text": text, "acts": None, "understood": None}
        for number, text in enumerate(turns)
    ]
    return Replayed(turns=spoken, injected=place)


def judge_now() -> list[Judged]:
    """The program as it is: each bot in each language is a run."""
    labels, found = read_labels(), list[Judged]()
    for _, group in groupby(read_cases(), lambda case: (case["bot"], case["language"])):
        held = [
            (case, replayed(case["clean"], case["place"]), replayed(case["variant"], case["place"]))
            for case in group
        ]
        stock = StockReplies()
        for case, clean, variant in held:
            stock.hear([clean], [variant], case["language"])
        for case, clean, variant in held:
            said = _automatic(clean, variant, case["language"], stock)
            found.append(Judged(case, labels[case["id"]]["verdict"], *said))
    return found


def _automatic(clean: Replayed, variant: Replayed, language: str, stock: StockReplies) -> tuple[str, str]:
    if admit(clean, language) is not None:
        return "not admitted", ""
    found = judge([clean], variant, language)
    if found.verdict == "unsure":
        found = stock.verdict([clean], variant) or found
    return found.verdict, found.rung or ""


def judged_first() -> list[Judged]:
    """What the program said when it met the corpus for the first time."""
    labels = read_labels()
    with FIRST.open(encoding="utf-8", newline="") as file:
        said = {row["id"]: row for row in csv.DictReader(file)}
    return [
        Judged(case, labels[case["id"]]["verdict"], said[case["id"]]["verdict"], said[case["id"]]["rung"])
        for case in read_cases()
    ]


def figures(judged: Sequence[Judged]) -> Facts:
    """Share decided and agreement where decided, each with Wilson's interval and that over bots."""
    known = [one for one in judged if one.counts]
    decided = [one for one in known if one.decided]
    return {
        "cases": len(judged),
        "judged": len(known),
        "decided": _share(known, lambda one: one.decided),
        "agreement": _share(decided, lambda one: one.agrees),
    }


def _share(rows: Sequence[Judged], holds: Callable[[Judged], bool]) -> Facts:
    top, interval = sum(map(holds, rows)), wilson(sum(map(holds, rows)), len(rows))
    bots = sorted({one.case["bot"] for one in rows})
    sums = [
        (
            sum(holds(one) for one in rows if one.case["bot"] == bot),
            sum(one.case["bot"] == bot for one in rows),
        )
        for bot in bots
    ]
    table = np.array(sums, dtype=float).reshape(-1, 2)
    over_bots = clustered_rate(ClusterSums(table[:, 0], table[:, 1])) if len(bots) > 1 else None
    return {
        "share": top / len(rows) if rows else None,
        "top": top,
        "n": len(rows),
        "low": interval and interval.low,
        "high": interval and interval.high,
        "bots": len(bots),
        "bots_low": over_bots and over_bots.low,
        "bots_high": over_bots and over_bots.high,
    }


def by(judged: Sequence[Judged], name: str) -> list[Facts]:
    """The same for each value of one of the cases' facts."""
    order = _number if name == "test" else str
    values = sorted({one.case[name] for one in judged}, key=order)
    return [{name: value} | figures([one for one in judged if one.case[name] == value]) for value in values]


def _number(test: str) -> int:
    return int(test.removeprefix("ST-"))


def confusion(judged: Sequence[Judged]) -> dict[str, dict[str, int]]:
    """How often each automatic verdict met each verdict of people."""
    counts = Counter((one.person, one.automatic) for one in judged)
    said = dict.fromkeys((*VERDICTS, *(one.automatic for one in judged)))
    return {person: {one: counts[person, one] for one in said} for person in VERDICTS}


def raters() -> Facts:
    """Agreement of the two passes, over all four verdicts and on pass or not."""
    pairs = [(row["first"], row["second"]) for row in read_labels().values()]
    passed = [(one == "pass", other == "pass") for one, other in pairs]
    return {
        "cases": len(pairs),
        "same": sum(one == other for one, other in pairs),
        "kappa": kappa_of(pairs, VERDICTS),
        "same_on_pass": sum(one == other for one, other in passed),
        "kappa_on_pass": kappa_of(passed, (True, False)),
        "rules": dict(Counter(row["rule"] for row in read_labels().values() if row["rule"])),
    }


def kappa_of(pairs: Sequence[tuple[Any, Any]], values: Sequence[Any]) -> Facts:
    counts = Counter(pairs)
    found = cohen([[counts[one, other] for other in values] for one in values])
    return {
        "value": found.value,
        "low": found.interval and found.interval.low,
        "high": found.interval and found.interval.high,
    }


@cache
def run() -> Facts:
    """Everything that the page tells."""
    found: Facts = {"raters": raters(), "bots": len({case["bot"] for case in read_cases()})}
    for name, judged in (("first", judged_first()), ("now", judge_now())):
        halves = (
            ("development", [one for one in judged if one.case["bot"] in DEVELOPMENT]),
            ("blind", [one for one in judged if one.case["bot"] not in DEVELOPMENT]),
        )
        found[name] = {
            "all": figures(judged),
            **{half: figures(rows) for half, rows in halves},
            **{f"by_{fact}": by(judged, fact) for fact in ("test", "language", "bot", "origin")},
            "confusion": confusion(judged),
            "rungs": dict(Counter(one.rung for one in judged if one.decided)),
            "wrong": [
                {"id": one.case["id"], "person": one.person, "automatic": one.automatic}
                for one in judged
                if one.counts and one.decided and not one.agrees
            ],
        }
    return found
