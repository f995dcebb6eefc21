"""What a run of a study replays: sampled interactions, with reviewed variants where a test needs review."""

from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

from vivavoce.log.dataset import Dataset
from vivavoce.log.store import Log
from vivavoce.log.stress_events import stress_stream
from vivavoce.study.model import Study
from vivavoce_stress.base import NOT_PROPOSED, NOT_REVIEWED, STRESS_TESTS, Operator
from vivavoce_stress.case import Approval, Case
from vivavoce_stress.learnt import ReviewLexicon, lexicon, lexicon_operators
from vivavoce_stress.review import Reviews, proposed
from vivavoce_stress.sampling import (
    TRIED,
    Interaction,
    Pair,
    Sample,
    SampledItem,
    case_of,
    interactions_of,
    item_of,
    needs_review,
    proposing,
    sample,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunChoice:
    """Which interactions and tests.

    each_test  an interaction once for every test that fits it
    spoken     replays will be spoken, whatever the interactions were
    backends   better resources that make the variants, by name
    certainty  least confidence of a proposal, 0 for all; None: what each test declares
    """

    tests: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    size: int | None = None
    each_test: bool = False
    seed: int = 1
    spoken: bool = False
    backends: tuple[str, ...] = ()
    certainty: float | None = None

    def names(self) -> list[str]:
        return [STRESS_TESTS.get(name).name for name in self.tests] if self.tests else STRESS_TESTS.names()


@dataclass(slots=True)
class RunPlan:
    """Cases, and why tests did not apply."""

    cases: list[Case] = field(default_factory=list)
    not_applicable: list[dict[str, Any]] = field(default_factory=list)


def to_review(
    interactions: Sequence[Interaction],
    choice: RunChoice,
    known: ReviewLexicon | None = None,
    operators: Sequence[Operator] = (),
) -> Sample:
    """Items of the tests whose variants a person must look at; the lexicon and `operators` propose, too."""
    tests = [name for name in choice.names() if needs_review(name)]
    more = (*lexicon_operators(known), *operators) if known else operators
    made = proposing(choice.seed, more, choice.backends, choice.certainty)
    return sample(
        interactions, tests, lambda interaction, test, _: item_of(interaction, test, made, choice.seed),
        size=choice.size, each_test=choice.each_test, seed=choice.seed, languages=choice.languages,
    )  # fmt: skip


def queue_for_review(
    study: Study, log: Log, interactions: Sequence[Interaction], choice: RunChoice,
    operators: Sequence[Operator] = (),
) -> tuple[int, int]:  # fmt: skip
    """Put variants before people; returns how many utterances are new, and how many were there already."""
    stream = stress_stream(study.name)
    drawn = to_review(interactions, choice, lexicon(Reviews.of(log.events(stream))), operators)
    log.transact_now(
        lambda tx: tx.record_study(study.name, study.revision, study.file_text, study.entities())
    )
    new = 0
    for item in drawn.items:
        event = proposed(item)
        stored = log.transact_now(
            lambda tx, event=event: tx.append(stream, event, client_key=f"item/{event.item_id}")
        )
        new += not stored.replayed
    return new, len(drawn.items) - new


def plan_run(
    study: Study, dataset: Dataset, reviews: Reviews, choice: RunChoice, source: str | None
) -> RunPlan:
    """Cases for a run: proposals as they are where no review is needed, approved variants elsewhere.

    source  the system whose logged dialogues are replayed; all when left out
    """
    interactions = interactions_of(dataset, source)
    if choice.spoken:
        interactions = [replace(one, channel="voice") for one in interactions]
    approved = _approved(interactions, reviews)
    made = proposing(choice.seed, backends=choice.backends, certainty=choice.certainty)

    def choose(interaction: Interaction, test: str, tried: Set[Pair]) -> SampledItem | str:
        if not needs_review(test):
            return item_of(interaction, test, made, choice.seed, tried)
        item = approved.get((interaction.dialogue_id, test))
        if item is None:
            return _why_none(interaction, test, reviews)
        return TRIED if item.pair in tried else item

    drawn = sample(
        interactions, choice.names(), choose, size=choice.size, each_test=choice.each_test, seed=choice.seed,
        languages=choice.languages,
    )  # fmt: skip
    tasks = {task.task_id: task for task in study.tasks}
    return RunPlan([case_of(item, tasks) for item in drawn.items], drawn.not_applicable)


def by_voice(cases: Sequence[Case]) -> RunPlan:
    """Cases as they are spoken; those whose test cannot be heard are not applicable."""
    plan = RunPlan()
    for case in cases:
        if case.test in STRESS_TESTS and "voice" not in STRESS_TESTS.get(case.test).channels:
            plan.not_applicable.append(
                {"test": case.test, "family": case.family, "language": case.language,
                 "dialogue_id": case.dialogue_id, "reason": "it is not applied to voice"}
            )  # fmt: skip
        else:
            plan.cases.append(case.model_copy(update={"channel": "voice"}))
    return plan


def approved_cases(
    study: Study, dataset: Dataset, reviews: Reviews, listed: Sequence[Interaction] = ()
) -> list[Case]:
    """A case of every variant that a person approved and whose interaction is in the dataset, or listed."""
    tasks = {task.task_id: task for task in study.tasks}
    items = _approved([*interactions_of(dataset), *listed], reviews)
    return [case_of(item, tasks) for item in items.values()]


def _approved(interactions: Sequence[Interaction], reviews: Reviews) -> dict[tuple[str, str], SampledItem]:
    by_id = {one.dialogue_id: one for one in interactions}
    found: dict[tuple[str, str], SampledItem] = {}
    for key, item in reviews.items.items():
        decision, interaction = reviews.decision(key), by_id.get(item.dialogue_id)
        if decision is None or decision.text is None or interaction is None:
            continue
        turn = next((one for one in interaction.turns if one.turn_index == item.turn_index), None)
        if turn is None or turn.text != item.original:
            continue
        approval: Approval = "write" if decision.decision == "reject" else decision.decision
        rule, confidence = _origin(item.proposals, decision.proposal)
        found[(item.dialogue_id, item.test)] = SampledItem(
            item_id=key, interaction=interaction, turn=turn, previous=item.previous, test=item.test,
            variants=(), text=decision.text, rule=rule, confidence=confidence, approval=approval,
            approved_by=decision.reviewer,
        )  # fmt: skip
    return found


def _origin(proposals: Sequence[Any], chosen: int | None) -> tuple[str, float | None]:
    if chosen is None:
        return "written by a person", None
    return proposals[chosen].rule, proposals[chosen].confidence


def _why_none(interaction: Interaction, test: str, reviews: Reviews) -> str:
    mine = [
        key
        for key, item in reviews.items.items()
        if item.dialogue_id == interaction.dialogue_id and item.test == test
    ]
    if not mine:
        return "no variant of it was proposed" if reviews.items else NOT_PROPOSED
    decided = any(reviews.decision(key) is not None for key in mine)
    return "people rejected all variants" if decided else NOT_REVIEWED
