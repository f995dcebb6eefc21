"""Accuracy of a parser of user turns against a reference: acts, slots, and the success they lead to."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np

from vivavoce.core.errors import InputError
from vivavoce.core.result import signature
from vivavoce.core.text import normalise_value
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.vocabulary import THIS
from vivavoce.measures.success.outcomes import Outcomes, ScoringOptions, outcomes
from vivavoce.stats.bootstrap import bootstrap_difference, bootstrap_ratio

PARSER: Final = "parser"
JUDGES: Final = ("label", "annotator", "simulator")
NOTHING: Final = "null"
VALUED: Final = ("inform", "confirm", "deny")
ASKING: Final = ("request", "confirm", "select")
ActRow = dict[str, Any]  # of the table `acts`
Key = tuple[str, int]


class ParsedItem(NamedTuple):
    """One act item."""

    act: str
    slot: str
    value: str


@dataclass(frozen=True, slots=True)
class PrecisionRecall:
    """Hits, inventions and misses, and their shares (0 to 1); the interval is of F1, over participants."""

    precision: float | None
    recall: float | None
    f1: float | None
    low: float | None
    high: float | None
    hits: int
    extra: int
    missed: int


@dataclass(frozen=True, slots=True)
class ExactShare:
    """Share of turns that are read as labelled (0 to 1)."""

    share: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class GoalsMet:
    """Share of the inferred goals that were met (0 to 1)."""

    ratio: float | None
    goals: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SuccessByReading:
    """Success against inferred goals by both readings, parser minus labels, with its interval."""

    labels: GoalsMet
    parser: GoalsMet
    difference: float | None
    low: float | None
    high: float | None
    dialogues: int
    same_last_goal: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ParserScore:
    """Scores of a parser of user turns, against `judge`.

    left_out  slots that the labels never name
    items     whole act items; `acts`: their kinds; `slots`: slot with value, and slots asked for
    success   None where the dataset has no venues
    """

    judge: str
    turns: int
    participants: int
    left_out: list[str]
    exact: ExactShare
    items: PrecisionRecall
    acts: PrecisionRecall
    slots: PrecisionRecall
    by_act: dict[str, PrecisionRecall]
    success: SuccessByReading | None
    signature: str


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

    def score(self) -> PrecisionRecall:
        """Precision, recall and F1 over all; the interval of F1 from resampled participants."""
        hits, extra, missed = self.hits.total(), self.extra.total(), self.missed.total()
        people = sorted({*self.hits, *self.extra, *self.missed})
        twice = np.array([2.0 * self.hits[who] for who in people])
        errors = np.array([float(self.extra[who] + self.missed[who]) for who in people])
        low, high = (bootstrap_ratio(twice, twice + errors) if people else None) or (None, None)
        return PrecisionRecall(
            hits / (hits + extra) if hits + extra else None,
            hits / (hits + missed) if hits + missed else None,
            2 * hits / (2 * hits + extra + missed) if hits + extra + missed else None,
            low,
            high,
            hits,
            extra,
            missed,
        )


def score_parser(dataset: Dataset) -> ParserScore:
    """The acts of source `parser` against those of a label, an annotator or a simulator.

    Raises  InputError: nobody but the parser has read these turns, or the parser has not
    Note    `this` is taken as the slot that the system has just asked for; `null` is no item
    """
    sources = _reference(dataset)
    judge = next((name for name in JUDGES if name in sources), None)
    if judge is None or PARSER not in sources:
        lacking = "no labels" if judge is None else "no parser results"
        hint = "use a dataset with labelled acts, parsed by `vivavoce parse --into`"
        raise InputError(f"{lacking} for the meaning of user turns", place=str(dataset.folder), hint=hint)
    requested_slots, people = _asked(dataset), _people(dataset)
    meant_items = {key: _items(acts, requested_slots.get(key)) for key, acts in sources[judge].items()}
    read = {key: _items(acts, requested_slots.get(key)) for key, acts in sources[PARSER].items()}
    annotated_slots = {item.slot for items in meant_items.values() for item in items}
    left_out = {item.slot for items in read.values() for item in items} - annotated_slots
    turns = [key for key in meant_items if key in read]
    pairs = {
        key: (meant_items[key], {item for item in read[key] if item.slot not in left_out}) for key in turns
    }
    overall, kinds, slots, by_act = _counted(pairs, people)
    return ParserScore(
        judge=judge,
        turns=len(turns),
        participants=len({people[key[0]] for key in turns}),
        left_out=sorted(left_out),
        exact=_exact(pairs, people),
        items=overall.score(),
        acts=kinds.score(),
        slots=slots.score(),
        by_act={act: counts.score() for act, counts in by_act},
        success=_success(dataset, people),
        signature=signature("parser", unit="turn", n=len(turns), data=dataset.hash, judge=judge),
    )


Pairs = Mapping[Key, tuple[set[ParsedItem], set[ParsedItem]]]


def _counted(
    pairs: Pairs, people: Mapping[str, str]
) -> tuple[_Counts, _Counts, _Counts, list[tuple[str, _Counts]]]:
    overall, kinds, slots = _Counts(), _Counts(), _Counts()
    by_act: dict[str, _Counts] = defaultdict(_Counts)
    for (dialogue_id, _), (meant_items, read) in pairs.items():
        who = people[dialogue_id]
        overall.add(who, meant_items, read)
        kinds.add(who, {item.act for item in meant_items}, {item.act for item in read})
        slots.add(who, _concepts(meant_items), _concepts(read))
        for act in {item.act for item in meant_items | read}:
            by_act[act].add(
                who,
                {item for item in meant_items if item.act == act},
                {item for item in read if item.act == act},
            )
    ordered = sorted(by_act.items(), key=lambda pair: -(pair[1].hits.total() + pair[1].missed.total()))
    return overall, kinds, slots, ordered


def _concepts(items: Iterable[ParsedItem]) -> set[tuple[str, str]]:
    """Concepts of slots, whichever act has them."""
    return {
        ("request", item.slot) if item.act == "request" else (item.slot, item.value)
        for item in items
        if item.slot and (item.act == "request" or item.act in VALUED)
    }


def _exact(pairs: Pairs, people: Mapping[str, str]) -> ExactShare:
    right: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    for (dialogue_id, _), (meant_items, read) in pairs.items():
        totals[people[dialogue_id]] += 1
        right[people[dialogue_id]] += meant_items == read
    names = sorted(totals)
    counts = [np.array([float(counter[who]) for who in names]) for counter in (right, totals)]
    low, high = (bootstrap_ratio(counts[0], counts[1]) if names else None) or (None, None)
    return ExactShare(right.total() / totals.total() if totals else None, low, high)


def _success(dataset: Dataset, people: Mapping[str, str]) -> SuccessByReading | None:
    """Success against inferred goals, by goal, as it comes out by labels and by the parser."""
    trusted = outcomes(dataset, ScoringOptions(sources=JUDGES, only=True))
    parsed = outcomes(dataset, ScoringOptions(sources=(PARSER,), only=True))
    common = trusted.inferred.keys() & parsed.inferred.keys()
    if not common:
        return None
    names = sorted({people[key] for key in common})
    (won_a, all_a), (won_b, all_b) = (
        _goals(outcomes, common, people, names) for outcomes in (trusted, parsed)
    )
    low, high = bootstrap_difference((won_b, all_b), (won_a, all_a)) or (None, None)
    labels, parser = (
        GoalsMet(float(won.sum() / attempts.sum()) if attempts.sum() else None, int(attempts.sum()))
        for won, attempts in ((won_a, all_a), (won_b, all_b))
    )
    alike = sum(_last(trusted, key) == _last(parsed, key) for key in common)
    return SuccessByReading(
        labels=labels,
        parser=parser,
        low=low,
        high=high,
        difference=None if labels.ratio is None or parser.ratio is None else parser.ratio - labels.ratio,
        dialogues=len(common),
        same_last_goal=alike / len(common),
    )


def _goals(
    outcomes: Outcomes, dialogues: Iterable[str], people: Mapping[str, str], names: list[str]
) -> tuple[Any, Any]:
    won, attempts = Counter[str](), Counter[str]()
    for key in dialogues:
        scores = [goal.score() for goal in outcomes.inferred[key]]
        attempts[people[key]] += sum(score is not None for score in scores)
        won[people[key]] += sum(score or 0 for score in scores)
    sums = [np.array([float(counter[who]) for who in names]) for counter in (won, attempts)]
    return sums[0], sums[1]


def _last(outcomes: Outcomes, key: str) -> int | None:
    return outcomes.inferred[key][-1].score()


def _items(acts: Iterable[ActRow], requested_slot: str | None) -> set[ParsedItem]:
    """Acts as a set; `this` becomes the slot asked for, a denied value is marked, `null` is nothing."""
    parsed_items: set[ParsedItem] = set()
    for act in acts:
        if act["act"] == NOTHING:
            continue
        slot = act["slot"] or ""
        slot = requested_slot or THIS if slot == THIS else slot
        sign = "not " if act["op"] == "!=" else ""
        parsed_items.add(ParsedItem(act["act"], slot, sign + normalise_value(act["value"])))
    return parsed_items


def _reference(dataset: Dataset) -> dict[str, dict[Key, list[ActRow]]]:
    acts_by_source: dict[str, dict[Key, list[ActRow]]] = defaultdict(lambda: defaultdict(list))
    for row in dataset.read("acts").to_pylist():
        if row["layer"] == "reference" and row["rank"] == 0:
            acts_by_source[row["source"]][row["dialogue_id"], row["turn_index"]].append(row)
    return acts_by_source


def _asked(dataset: Dataset) -> dict[Key, str]:
    """The slot that the system asked for last, by the user turn that follows."""
    slot_of: dict[Key, str] = {}
    rows = [row for row in dataset.read("acts").to_pylist() if row["layer"] == "system" and row["rank"] == 0]
    for row in sorted(rows, key=lambda row: (row["dialogue_id"], row["turn_index"], row["position"])):
        if row["act"] in ASKING and row["slot"]:
            slot_of[row["dialogue_id"], row["turn_index"] + 1] = row["slot"]
    return slot_of


def _people(dataset: Dataset) -> dict[str, str]:
    table = dataset.read("dialogues").select(["dialogue_id", "participant_id"]).to_pylist()
    return {row["dialogue_id"]: row["participant_id"] or f"unknown {row['dialogue_id']}" for row in table}
