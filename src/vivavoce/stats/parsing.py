"""How well a parser reads user turns, against those who know: acts, slots, and the success they lead to."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np

from vivavoce.core.errors import InputError
from vivavoce.core.signature import signature
from vivavoce.core.text import normalise_value
from vivavoce.log.dataset import Dataset
from vivavoce.log.vocabulary import THIS
from vivavoce.measures.success.outcomes import Outcomes, ScoringOptions, outcomes
from vivavoce.stats.bootstrap import bootstrap_difference, bootstrap_ratio

PARSER: Final = "parser"
JUDGES: Final = ("label", "annotator", "simulator")
NOTHING: Final = "null"
VALUED: Final = ("inform", "confirm", "deny")
ASKING: Final = ("request", "confirm", "select")
Facts = dict[str, Any]
Key = tuple[str, int]


class ParsedItem(NamedTuple):
    """One act item."""

    act: str
    slot: str
    value: str


@dataclass
class _Counts:
    """Hits, inventions and misses by participant."""

    hits: Counter[str] = field(default_factory=Counter[str])
    extra: Counter[str] = field(default_factory=Counter[str])
    missed: Counter[str] = field(default_factory=Counter[str])

    def add(self, who: str, meant: set[Any], read: set[Any]) -> None:
        self.hits[who] += len(meant & read)
        self.extra[who] += len(read - meant)
        self.missed[who] += len(meant - read)

    def facts(self) -> Facts:
        """Precision, recall and F1 over all; the interval of F1 from drawing participants anew."""
        hits, extra, missed = self.hits.total(), self.extra.total(), self.missed.total()
        people = sorted({*self.hits, *self.extra, *self.missed})
        twice = np.array([2.0 * self.hits[who] for who in people])
        errors = np.array([float(self.extra[who] + self.missed[who]) for who in people])
        interval = bootstrap_ratio(twice, twice + errors) if people else None
        return {
            "precision": hits / (hits + extra) if hits + extra else None,
            "recall": hits / (hits + missed) if hits + missed else None,
            "f1": 2 * hits / (2 * hits + extra + missed) if hits + extra + missed else None,
            "low": interval.low if interval else None,
            "high": interval.high if interval else None,
            "hits": hits, "extra": extra, "missed": missed,
        }  # fmt: skip


def score_parser(dataset: Dataset) -> Facts:
    """The acts of source `parser` against those of a label, an annotator or a simulator.

    Output  turns, exact {share, low, high} (turns read as labelled), items (whole act items), acts (their
            kinds), slots (slot with value, and slots asked for): precision, recall, f1 with interval; by_act;
            left_out: slots that the labels never name; success: inferred-goal success by both readings
    Empty   success is None where the dataset has no venues
    Raises  InputError: nobody but the parser has read these turns, or the parser has not
    Note    `this` is taken as the slot that the system has just asked for; `null` is no item
    """
    sources = _reference(dataset)
    judge = next((name for name in JUDGES if name in sources), None)
    if judge is None or PARSER not in sources:
        lacking = "nobody else says" if judge is None else "no parser has read"
        hint = "score a dataset with labelled acts, read by `vivavoce parse --into`"
        raise InputError(f"{lacking} what the user turns mean", place=str(dataset.folder), hint=hint)
    asked, people = _asked(dataset), _people(dataset)
    meant = {key: _items(acts, asked.get(key)) for key, acts in sources[judge].items()}
    read = {key: _items(acts, asked.get(key)) for key, acts in sources[PARSER].items()}
    known = {item.slot for items in meant.values() for item in items}
    left_out = {item.slot for items in read.values() for item in items} - known
    turns = [key for key in meant if key in read]
    pairs = {key: (meant[key], {one for one in read[key] if one.slot not in left_out}) for key in turns}
    return {
        "judge": judge, "turns": len(turns), "participants": len({people[key[0]] for key in turns}),
        "left_out": sorted(left_out), "exact": _exact(pairs, people), **_scores(pairs, people),
        "success": _success(dataset, people),
        "signature": signature("parser", unit="turn", n=len(turns), data=dataset.hash, judge=judge),
    }  # fmt: skip


Pairs = Mapping[Key, tuple[set[ParsedItem], set[ParsedItem]]]


def _scores(pairs: Pairs, people: Mapping[str, str]) -> Facts:
    whole, kinds, slots = _Counts(), _Counts(), _Counts()
    by_act: dict[str, _Counts] = defaultdict(_Counts)
    for (dialogue_id, _), (meant, read) in pairs.items():
        who = people[dialogue_id]
        whole.add(who, meant, read)
        kinds.add(who, {one.act for one in meant}, {one.act for one in read})
        slots.add(who, _concepts(meant), _concepts(read))
        for act in {one.act for one in meant | read}:
            by_act[act].add(
                who, {one for one in meant if one.act == act}, {one for one in read if one.act == act}
            )
    ordered = sorted(by_act.items(), key=lambda pair: -(pair[1].hits.total() + pair[1].missed.total()))
    return {
        "items": whole.facts(), "acts": kinds.facts(), "slots": slots.facts(),
        "by_act": {act: counts.facts() for act, counts in ordered},
    }  # fmt: skip


def _concepts(items: Iterable[ParsedItem]) -> set[tuple[str, str]]:
    """What is said of slots, whichever act says it."""
    return {
        ("request", one.slot) if one.act == "request" else (one.slot, one.value)
        for one in items
        if one.slot and (one.act == "request" or one.act in VALUED)
    }


def _exact(pairs: Pairs, people: Mapping[str, str]) -> Facts:
    right: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for (dialogue_id, _), (meant, read) in pairs.items():
        every[people[dialogue_id]] += 1
        right[people[dialogue_id]] += meant == read
    names = sorted(every)
    counts = [np.array([float(counter[who]) for who in names]) for counter in (right, every)]
    interval = bootstrap_ratio(counts[0], counts[1]) if names else None
    return {
        "share": right.total() / every.total() if every else None,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
    }


def _success(dataset: Dataset, people: Mapping[str, str]) -> Facts | None:
    """Success against inferred goals, by goal, as it comes out by labels and by the parser."""
    trusted = outcomes(dataset, ScoringOptions(sources=JUDGES, only=True))
    parsed = outcomes(dataset, ScoringOptions(sources=(PARSER,), only=True))
    both = trusted.inferred.keys() & parsed.inferred.keys()
    if not both:
        return None
    names = sorted({people[key] for key in both})
    (won_a, all_a), (won_b, all_b) = (_goals(found, both, people, names) for found in (trusted, parsed))
    interval = bootstrap_difference((won_b, all_b), (won_a, all_a))
    rates = [
        float(won.sum() / every.sum()) if every.sum() else None
        for won, every in ((won_a, all_a), (won_b, all_b))
    ]
    alike = sum(_last(trusted, key) == _last(parsed, key) for key in both)
    return {
        "labels": {"ratio": rates[0], "goals": int(all_a.sum())},
        "parser": {"ratio": rates[1], "goals": int(all_b.sum())},
        "difference": None if rates[0] is None or rates[1] is None else rates[1] - rates[0],
        "low": interval.low if interval else None, "high": interval.high if interval else None,
        "dialogues": len(both), "same_last_goal": alike / len(both),
    }  # fmt: skip


def _goals(
    found: Outcomes, dialogues: Iterable[str], people: Mapping[str, str], names: list[str]
) -> tuple[Any, Any]:
    won, every = Counter[str](), Counter[str]()
    for key in dialogues:
        scores = [goal.score() for goal in found.inferred[key]]
        every[people[key]] += sum(score is not None for score in scores)
        won[people[key]] += sum(score or 0 for score in scores)
    sums = [np.array([float(counter[who]) for who in names]) for counter in (won, every)]
    return sums[0], sums[1]


def _last(found: Outcomes, key: str) -> int | None:
    return found.inferred[key][-1].score()


def _items(acts: Iterable[Facts], asked: str | None) -> set[ParsedItem]:
    """Acts as a set; `this` becomes the slot asked for, a denied value is marked, `null` is nothing."""
    found: set[ParsedItem] = set()
    for act in acts:
        if act["act"] == NOTHING:
            continue
        slot = act["slot"] or ""
        slot = asked or THIS if slot == THIS else slot
        sign = "not " if act["op"] == "!=" else ""
        found.add(ParsedItem(act["act"], slot, sign + normalise_value(act["value"])))
    return found


def _reference(dataset: Dataset) -> dict[str, dict[Key, list[Facts]]]:
    found: dict[str, dict[Key, list[Facts]]] = defaultdict(lambda: defaultdict(list))
    for row in dataset.read("acts").to_pylist():
        if row["layer"] == "reference" and row["rank"] == 0:
            found[row["source"]][row["dialogue_id"], row["turn_index"]].append(row)
    return found


def _asked(dataset: Dataset) -> dict[Key, str]:
    """The slot that the system asked for last, by the user turn that follows."""
    found: dict[Key, str] = {}
    rows = [row for row in dataset.read("acts").to_pylist() if row["layer"] == "system" and row["rank"] == 0]
    for row in sorted(rows, key=lambda row: (row["dialogue_id"], row["turn_index"], row["position"])):
        if row["act"] in ASKING and row["slot"]:
            found[row["dialogue_id"], row["turn_index"] + 1] = row["slot"]
    return found


def _people(dataset: Dataset) -> dict[str, str]:
    table = dataset.read("dialogues").select(["dialogue_id", "participant_id"]).to_pylist()
    return {row["dialogue_id"]: row["participant_id"] or f"unknown {row['dialogue_id']}" for row in table}
