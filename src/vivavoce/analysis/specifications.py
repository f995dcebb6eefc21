"""The declared comparison under every other choice that could be defended: would its conclusion change?

A choice is what is measured, what is left out, whose dialogues count, what weighs alike, and whether a judge
speaks beside people. Participants are the unit under each of them: what takes dialogues as independent is no
choice that could be defended.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Final, NamedTuple

import numpy as np

from vivavoce.analysis.clustered_summary import ClusteredSummary, GroupQuestion, Weighing, ask_all
from vivavoce.analysis.declared import declaration
from vivavoce.analysis.judged_table import JudgedTable, judged_table
from vivavoce.core.result import signature
from vivavoce.dataset.populations import populations
from vivavoce.dataset.reader import Dataset
from vivavoce.measures import MEASURES
from vivavoce.measures.compute import Group, Sums, sums
from vivavoce.stats.prediction_powered import JudgedCases, powered_difference
from vivavoce.study.analysis_file import Primary
from vivavoce.study.exclusion import NONE

LEVEL: Final = 0.95
RULES: Final = ("trivial", "outcome != completed")
OBJECTIVE: Final = "objective_success"
SUBJECTIVE: Final = "subjective_success"
MOST: Final = 200
NEAR: Final = 2


class AnalysisWay(NamedTuple):
    """One way to analyse.

    measure  its name; recruits: a population, None for everybody; judge: its name, None for people alone
    left_out rules of exclusion in words, `none` where nothing is left out
    alike    case or participant: what weighs the same
    """

    measure: str
    left_out: str
    recruits: str | None
    alike: str
    judge: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Specification:
    """Result of one way to analyse: a minus b in the unit of the measure; None if it has no result."""

    choice: AnalysisWay
    declared: bool
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    participants: int

    def sign(self, alpha: float) -> int:
        """1 or -1: a difference is shown, and this way; 0: none is."""
        if self.p is None or self.p >= alpha or self.difference is None:
            return 0
        return 1 if self.difference > 0 else -1


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecificationCurve:
    """One pair of the declared comparison under every choice, the smallest difference first.

    untold   ways by which nothing could be tested
    nearest  only what differs from the declared way in two respects at most, as all would be more than 200
    """

    a: str
    b: str
    alpha: float
    specifications: Sequence[Specification]
    untold: int
    nearest: bool
    signature: str

    @property
    def declared(self) -> Specification:
        return next(specification for specification in self.specifications if specification.declared)

    @property
    def changed(self) -> list[Specification]:
        """Those that end otherwise than the declared one: a difference or none, or the other way."""
        declared_sign = self.declared.sign(self.alpha)
        return [
            specification
            for specification in self.specifications
            if specification.sign(self.alpha) != declared_sign
        ]


def specification_curves(dataset: Dataset) -> list[SpecificationCurve]:
    """A curve for each pair of systems of the declared primary comparison.

    Empty   nothing is declared, the declared way gives no p, or there is no other way: no curve
    Note    p are not adjusted: they are ways to ask one question, and no family of questions. The curve
            describes; how likely so many would agree by chance is not tested
    Source  Simonsohn, Simmons and Nelson (2020), Specification curve analysis, Nature Human Behaviour 4
    """
    frozen = declaration(dataset)
    primary = frozen.analysis.primary if frozen else None
    if primary is None or primary.measure not in MEASURES:
        return []
    material = _Material(dataset, primary)
    curves = (_curve(material, a, b) for a, b in combinations(primary.compare, 2))
    return [curve for curve in curves if curve is not None]


class _Material:
    """Everything that choices choose from, computed once."""

    def __init__(self, dataset: Dataset, primary: Primary) -> None:
        self.dataset, self.primary = dataset, primary
        content = dataset.everything
        rows = content.read("dialogues", ["dialogue_id", "participant_id", "system"]).to_pylist()
        self.system = {row["dialogue_id"]: row["system"] for row in rows}
        self.person = {row["dialogue_id"]: row["participant_id"] for row in rows}
        self.population = populations(content)
        objective = [name for name in MEASURES.names() if name.startswith(OBJECTIVE)]
        names = objective if primary.measure in objective else [primary.measure]
        self.sums: Sums = sums(dataset, names) if len(rows) == _size(dataset) else sums(content, names)
        self.kept = dict(self._kept(dataset))
        self.judges = dict(self._judges(content)) if primary.measure == SUBJECTIVE else {}

    def _kept(self, dataset: Dataset) -> Iterator[tuple[str, frozenset[str]]]:
        """Dialogues that each rule keeps; of rules that keep the same the first, the declared ones first."""
        declared = "; ".join(rule.text for rule in dataset.rules) or NONE
        seen: set[frozenset[str]] = set()
        for name in dict.fromkeys((declared, NONE, *RULES)):
            opened = dataset if name == declared else Dataset(dataset.folder, exclude=name)
            dialogues = frozenset(opened.read("dialogues", ["dialogue_id"])["dialogue_id"].to_pylist())
            if dialogues and dialogues not in seen:
                seen.add(dialogues)
                yield name, dialogues

    def _judges(self, dataset: Dataset) -> Iterator[tuple[str, JudgedTable]]:
        answered = dataset.read("ratings", ["item_id", "role"]).to_pylist()
        items = {row["item_id"] for row in answered if row["role"] == SUBJECTIVE}
        rows = dataset.read("judgements", ["judge", "target", "kind"]).to_pylist()
        judges = {(row["judge"], row["target"]) for row in rows if row["kind"] != "person"}
        for judge, target in sorted(judges):
            if target in items:
                yield judge, judged_table(dataset, judge, target)

    def choices(self) -> tuple[list[AnalysisWay], bool]:
        """All ways, the declared one first; whether those that are far from it were left out."""
        people = sorted(set(self.population.values()))
        recruits = [None, *(people if len(people) > 1 else [])]
        measures = dict.fromkeys((self.primary.measure, *self.sums.measures))
        ways = [
            AnalysisWay(*options)
            for options in product(measures, self.kept, recruits, ("case", "participant"), [None])
        ]
        ways += [
            AnalysisWay(self.primary.measure, *options)
            for options in product(self.kept, recruits, ["case"], self.judges)
        ]
        if len(ways) <= MOST:
            return ways, False
        near = [way for way in ways if sum(x != y for x, y in zip(way, ways[0], strict=True)) <= NEAR]
        return near, True

    def dialogues(self, choice: AnalysisWay) -> frozenset[str]:
        included = self.kept[choice.left_out]
        if choice.recruits is None:
            return included
        return frozenset(
            dialogue_id
            for dialogue_id in included
            if self.population.get(self.person[dialogue_id] or "") == choice.recruits
        )


def _size(dataset: Dataset) -> int:
    return dataset.read("dialogues", ["dialogue_id"]).num_rows


def _curve(material: _Material, a: str, b: str) -> SpecificationCurve | None:
    choices, nearest = material.choices()
    alone = {sample: _compared(material, sample, a, b) for sample in _samples(material, choices)}
    ask_all(
        (
            (alone[material.dialogues(choice)], GroupQuestion(choice.measure, 0, 1, _weighing(choice)))
            for choice in choices
            if choice.judge is None and alone[material.dialogues(choice)].known
        ),
        level=LEVEL,
    )
    specifications = [_specification(material, alone, choice, a, b) for choice in choices]
    first = specifications[0]
    estimated = [specification for specification in specifications if specification.p is not None]
    if first.p is None or len(estimated) < 2:
        return None
    return SpecificationCurve(
        a=a,
        b=b,
        alpha=material.primary.alpha,
        untold=len(specifications) - len(estimated),
        nearest=nearest,
        specifications=sorted(
            estimated, key=lambda specification: (specification.difference or 0.0, specification.choice[0])
        ),
        signature=signature(
            f"{material.primary.measure}_specifications",
            unit="participant",
            n=first.participants,
            data=material.dataset.hash,
            a=a,
            b=b,
            ways=len(estimated),
        ),
    )


def _samples(material: _Material, choices: Sequence[AnalysisWay]) -> set[frozenset[str]]:
    return {material.dialogues(choice) for choice in choices}


def _compared(material: _Material, dialogues: Collection[str], a: str, b: str) -> ClusteredSummary:
    parts = material.sums.among(dialogues)
    sides = [
        Group(
            name, [dialogue_id for dialogue_id in parts.dialogue_ids if material.system[dialogue_id] == name]
        )
        for name in (a, b)
    ]
    for group in sides:
        group.participants = [material.person[dialogue_id] for dialogue_id in group.dialogue_ids]
    members = {dialogue_id for group in sides for dialogue_id in group.dialogue_ids}
    return ClusteredSummary(parts.among(members), sides)


def _specification(
    material: _Material, alone: dict[frozenset[str], ClusteredSummary], choice: AnalysisWay, a: str, b: str
) -> Specification:
    dialogues = material.dialogues(choice)
    first = choice == AnalysisWay(material.primary.measure, next(iter(material.kept)), None, "case", None)
    if choice.judge is not None:
        sides = [_judged(material, material.judges[choice.judge], dialogues, name) for name in (a, b)]
        joined = powered_difference(*sides, level=LEVEL)
        return Specification(
            choice=choice,
            declared=False,
            difference=joined.estimate,
            low=joined.low,
            high=joined.high,
            p=joined.p,
            participants=joined.people,
        )
    nested = alone[dialogues]
    if (by := _weighing(choice)) is None:
        test = nested.test(choice.measure, 0, 1, level=LEVEL)
    else:
        test = nested.weighted(choice.measure, 0, 1, by=by, level=LEVEL)
    return Specification(
        choice=choice,
        declared=first,
        difference=test.difference,
        low=test.low,
        high=test.high,
        p=test.p,
        participants=test.clusters or 0,
    )


def _weighing(choice: AnalysisWay) -> Weighing | None:
    return "participant" if choice.alike == "participant" else None


def _judged(material: _Material, table: JudgedTable, dialogues: Collection[str], system: str) -> JudgedCases:
    of = np.array([case in dialogues and material.system[case] == system for case in table.cases])
    return JudgedCases(table.people[of], table.said[of], table.labels[of])
