"""What the judged utterances tell of the rules, and what it costs to propose only what people accept.

`python -m benchmarks stress_acceptance [--write]` proposes all variants of the judged utterances anew, so
that each judgement has its rule, and prints JSON: for thresholds of acceptance, what is valid at the first
rank and how often one is proposed, each half by votes on the other four. `--write` puts the votes into the
package.
"""

import argparse
import csv
import json
from collections import Counter
from functools import cache
from typing import Any, Final

from benchmarks._stress_variants import (
    GOAL_APPLIED,
    GOAL_VALID,
    HALVES,
    TESTS,
    Facts,
    read_labels,
    read_list,
    read_missed,
    read_utterances,
    share,
)

from vivavoce_stress.acceptance import ENOUGH, Acceptance, Votes
from vivavoce_stress.base import STRESS_TESTS, Utterance, Variant
from vivavoce_stress.language_file import FOLDER as LANGUAGES
from vivavoce_stress.propose import propose

STRANGERS: Final = ("blind-fourth", "blind-fifth")
LEARNT: Final = HALVES[: HALVES.index("blind-fifth") + 1]  # the sixth was judged with what these say
THRESHOLDS: Final = (0.0, 0.8, 0.85, 0.9, ENOUGH, 0.95)
Key = tuple[str, str, str]  # of an utterance, a test, and what the variant says


def read_judged(half: str) -> dict[Key, tuple[bool, bool]]:
    """(valid, whether who made the rules said so) of every variant that was judged in a half."""
    own = half not in STRANGERS
    found = {(one.utterance["id"], one.test, one.variant): (one.valid, own) for one in read_labels(half)}
    said = read_utterances(half)
    for row in read_list("later"):
        if row["id"] in said:
            found.setdefault((row["id"], row["test"], row["variant"]), (row["first"] == "yes", True))
    return found


@cache
def read_variants(half: str) -> dict[tuple[str, str], tuple[Variant, ...]]:
    """What the rules make of each utterance for each test, uncertain ones too, most trusted first."""
    made: dict[tuple[str, str], tuple[Variant, ...]] = {}
    for key, said in read_utterances(half).items():
        utterance = Utterance(
            text=said["utterance"], language=said["language"], previous=said.get("previous_system_turn")
        )
        variants = propose(utterance, TESTS, certainty=0).variants
        made |= {(key, test): tuple(one for one in variants if one.test == test) for test in TESTS}
    return made


def count_votes(halves: tuple[str, ...] = LEARNT) -> list[Votes]:
    counts: Counter[tuple[str, str, str, bool, bool, bool]] = Counter()
    for half in halves:
        made, said = read_variants(half), read_utterances(half)
        for (key, test, text), (valid, own) in read_judged(half).items():
            one = next((one for one in made[key, test] if one.text == text), None)
            sure = one is not None and _sure(one)
            counts[test, said[key]["language"], one.rule if one else "", sure, own, valid] += 1
    rules = sorted({one[:5] for one in counts})
    return [Votes(*rule, counts[*rule, True], counts[*rule, False]) for rule in rules]


def _sure(one: Variant) -> bool:
    return one.confidence >= STRESS_TESTS.get(one.test).certainty


def run() -> list[Facts]:
    return [
        {"threshold": threshold}
        | {half: {language: _cell(half, language, threshold) for language in ("it", "en")} for half in LEARNT}
        for threshold in THRESHOLDS
    ]


@cache
def _learnt_without(half: str) -> Acceptance:
    return Acceptance(count_votes(tuple(one for one in LEARNT if one != half)))


def _cell(half: str, language: str, threshold: float) -> Facts:
    """Of a half in a language: what was proposed above a threshold by votes on the other halves."""
    said, judged, learnt = read_utterances(half), read_judged(half), _learnt_without(half)
    found = {(one["id"], test) for one, test, yes in read_missed(half) if yes}
    found |= {(one.utterance["id"], one.test) for one in read_labels(half)}
    counts: Counter[str] = Counter()
    for (key, test), variants in read_variants(half).items():
        if said[key]["language"] != language:
            continue
        first = next(
            (one for one in variants if _sure(one) and learnt.is_enough(test, language, one.rule, threshold)),
            None,
        )
        if first is None:
            counts["withheld"] += (key, test) in found
        else:
            valid, _ = judged.get((key, test, first.text), (None, None))
            counts[{True: "valid", False: "refused", None: "unjudged"}[valid]] += 1
    known = counts["valid"] + counts["refused"]
    proposed = known + counts["unjudged"]
    return {
        "valid": share(counts["valid"], known, GOAL_VALID),
        "applied": share(proposed, proposed + counts["withheld"], GOAL_APPLIED),
        "unjudged": counts["unjudged"],
    }


def write(votes: list[Votes]) -> None:
    with (LANGUAGES / "acceptance.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Votes._fields)
        writer.writerows([_told(part) for part in one] for one in votes)


def _told(part: Any) -> Any:
    return {True: "yes", False: "no"}[part] if isinstance(part, bool) else part


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks stress_acceptance", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the votes into the package")
    if parser.parse_args().write:
        write(count_votes())
    print(json.dumps(run(), indent=1))


if __name__ == "__main__":
    main()
