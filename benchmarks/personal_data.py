"""How much personal data the scan before a publication finds, and how much of what it finds is some.

    python -m benchmarks personal_data [--set building] [--misses]

Texts stand in `personal_data/`; `scoring.txt` was written before the scan was tried, and nothing was tuned on
it. A marked place is found where finds overlap it, and whole where they cover it; a find is right where it
overlaps a marked place. Intervals are Wilson's, over places and over finds.
"""

import argparse
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

from vivavoce.dataset.publication import PiiMatch, find_personal_data
from vivavoce.stats.proportions import wilson

FOLDER = Path(__file__).parent / "personal_data"
RESULTS = Path(__file__).parent / "results" / "personal_data.json"
MARK = re.compile(r"\[\[(\w+):(.*?)\]\]")


class Marked(NamedTuple):
    """A text, and what in it leads to a person."""

    language: str
    text: str
    places: list[PiiMatch]


def read_texts(path: Path) -> list[Marked]:
    found = []
    for line in path.read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        language, _, written = line.partition("\t")
        text, places, end = "", list[PiiMatch](), 0
        for mark in MARK.finditer(written):
            text += written[end : mark.start()]
            places.append(PiiMatch(mark[1], len(text), len(text) + len(mark[2]), mark[2]))
            text, end = text + mark[2], mark.end()
        found.append(Marked(language, text + written[end:], places))
    return found


def score(texts: list[Marked]) -> dict[str, Any]:
    """Recall by language and kind, precision by language; each with n and 95% limits, 0 to 1."""
    tally: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    finds: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for one in texts:
        got = find_personal_data(one.text)
        for place in one.places:
            over = [find for find in got if find.start < place.end and place.start < find.end]
            whole = {at for find in over for at in range(find.start, find.end)} >= set(
                range(place.start, place.end)
            )
            for key in ((one.language, "all"), ("all", "all"), ("all", place.kind)):
                for number, fact in enumerate((True, bool(over), whole)):
                    tally[key][number] += fact
        for find in got:
            right = any(find.start < place.end and place.start < find.end for place in one.places)
            for key in (one.language, "all"):
                finds[key][0] += 1
                finds[key][1] += right
    return {
        "texts": len(texts),
        "recall": {
            f"{language}/{kind}": rate(k, n) | {"whole": whole}
            for (language, kind), (n, k, whole) in sorted(tally.items())
        },
        "precision": {language: rate(k, n) for language, (n, k) in sorted(finds.items())},
    }


def rate(k: int, n: int) -> dict[str, Any]:
    limits = wilson(k, n)
    low, high = limits if limits is not None else (None, None)
    return {"k": k, "n": n, "rate": k / n if n else None, "low": low, "high": high}


def misses(texts: list[Marked]) -> list[str]:
    lines = []
    for one in texts:
        got = find_personal_data(one.text)
        for place in one.places:
            if not any(find.start < place.end and place.start < find.end for find in got):
                lines.append(f"missed {place.kind} {place.text!r}: {one.text}")
        for find in got:
            if not any(find.start < place.end and place.start < find.end for place in one.places):
                lines.append(f"wrong {find.kind} {find.text!r}: {one.text}")
    return lines


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks personal_data", description=__doc__)
    parser.add_argument("--set", choices=["building", "scoring"], default="scoring")
    parser.add_argument("--misses", action="store_true")
    asked = parser.parse_args(words)
    texts = read_texts(FOLDER / f"{asked.set}.txt")
    found = score(texts)
    if asked.misses:
        print("\n".join(misses(texts)))
    elif asked.set == "scoring":
        RESULTS.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    recall = {name: (one["k"], one["whole"], one["n"]) for name, one in found["recall"].items()}
    precision = {name: (one["k"], one["n"]) for name, one in found["precision"].items()}
    print(json.dumps({"recall": recall, "precision": precision}))


if __name__ == "__main__":
    main()
