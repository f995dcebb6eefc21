"""How many unfair pairs of transcripts the check finds, and how many fair ones it takes for unfair.

    python -m benchmarks pair_check [--set building|held_back] [--misses]

Pairs stand in `pair_check/`, written before the check; half of the conversations were held back until it was
finished, and nothing was tuned on them. A broken pair is found where the verdict is `unfit`, a fair one is a
false alarm where it is so. Intervals are Wilson's, 95 %, over pairs; those of one conversation are alike, so
that the true ones are wider.
"""

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

from vivavoce.core.yaml_source import read_yaml
from vivavoce.stats.proportions import wilson
from vivavoce.study.pairs import Pair, PairText, read_transcript
from vivavoce.study.pairs_check import Balance, PairVerdict, judge_pair

FOLDER = Path(__file__).parent / "pair_check"
RESULTS = Path(__file__).parent / "results" / "pair_check.json"
SETS = ("building", "held_back")


class Tried(NamedTuple):
    """One variant of a conversation, and what the check says of it.

    kind  what is wrong with it; None: a fair one
    """

    conversation: str
    language: str
    kind: str | None
    edit: str
    verdict: PairVerdict

    @property
    def unfit(self) -> bool:
        return self.verdict.word == "unfit"


def tried(name: str) -> list[Tried]:
    """Every variant of a set, judged with the limits that a study has when it names none."""
    found = []
    for one in read_yaml(FOLDER / f"{name}.yaml").data["conversations"]:
        control = read_transcript(one["control"])
        for variant in (*one["broken"], *one["fair"]):
            written = one["control"]
            for old, new in variant["edit"]:
                assert written.count(old) == 1, f"{one['id']}: {old!r} stands {written.count(old)} times"
                written = written.replace(old, new)
            text = PairText(control=control, experimental=read_transcript(written))
            change = "substitution"
            pair = Pair(pair_id=one["id"], variable="v", change=change, text={one["language"]: text})
            verdict = judge_pair(pair, one["language"], Balance())  # pyright: ignore[reportCallIssue]
            edit = " / ".join(new for _, new in variant["edit"])
            found.append(Tried(one["id"], one["language"], variant.get("kind"), edit, verdict))
    return found


def scored(every: list[Tried]) -> dict[str, Any]:
    """Shares of broken pairs found and of fair pairs taken for unfair, with n and limits, 0 to 1."""
    kinds: dict[str, list[Tried]] = defaultdict(list)
    for one in every:
        kinds[one.kind or "fair"].append(one)
        kinds[f"{'broken' if one.kind else 'fair'} ({one.language})"].append(one)
        if one.kind:
            kinds["broken"].append(one)
    return {kind: _share(several) for kind, several in sorted(kinds.items())}


def _share(several: list[Tried]) -> dict[str, Any]:
    unfit, conversations = sum(one.unfit for one in several), {one.conversation for one in several}
    limits = wilson(unfit, len(several))
    assert limits is not None  # there is at least one
    return {
        "n": len(several),
        "conversations": len(conversations),
        "unfit": unfit,
        "share": unfit / len(several),
        "low": limits.low,
        "high": limits.high,
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks pair_check")
    parser.add_argument("--set", choices=SETS, action="append", help="both when left out")
    parser.add_argument("--misses", action="store_true", help="print what was judged wrong, and why")
    given = parser.parse_args()
    results = {}
    for name in given.set or SETS:
        every = tried(name)
        results[name] = scored(every)
        for one in every if given.misses else ():
            if one.unfit != (one.kind is not None):
                why = "; ".join(str(finding.problem) for finding in one.verdict.findings)
                print(
                    f"{name} {one.conversation} {one.kind or 'fair'}: {one.edit} [{one.verdict.word}] {why}"
                )
    print(json.dumps(results, indent=2))
    if set(results) == set(SETS):
        RESULTS.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
