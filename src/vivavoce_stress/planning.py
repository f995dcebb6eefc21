"""Plan of a study's run: sampled interactions, with reviewed variants if a test needs review."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from vivavoce.dataset.reader import Dataset
from vivavoce.log.store import Log
from vivavoce.log.stress_events import stress_stream
from vivavoce.study.model import Study
from vivavoce_stress.base import (
    ANOTHER,
    AS_PROPOSED,
    NONE_PROPOSED,
    NOT_DRAWN,
    NOT_PROPOSED,
    NOT_REVIEWED,
    QUEUED,
    REJECTED,
    STRESS_TESTS,
    TRIED,
    Operator,
)
from vivavoce_stress.case import Approval, Case
from vivavoce_stress.learnt import lexicon, lexicon_operators
from vivavoce_stress.review import Reviews, proposed
from vivavoce_stress.sampling import (
    PROPOSALS,
    Interaction,
    ItemsTried,
    Pair,
    Sample,
    SampledItem,
    case_of,
    interactions_of,
    item_of,
    needs_review,
    pair_of,
    proposing,
    sample,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunChoice:
    """Choice of interactions and tests.

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
    reviews: Reviews | None = None,
    operators: Sequence[Operator] = (),
) -> Sample:
    """Items of the tests whose variants a person must look at; the lexicon and `operators` propose, too.

    Nothing is asked twice: no words under the same test, wherever they were said, that stand in the queue, be
    they decided or not, and no interaction that has an item there (with `each_test`: one for the same test).
    Nor is asked what would not be run: as an interaction is used for one test, so many are left to the tests
    that run as proposed as are their share of all tests.
    """
    reviews = reviews or Reviews()
    tests = [name for name in choice.names() if needs_review(name)]
    proposer = proposing(
        choice.seed, [*lexicon_operators(lexicon(reviews)), *operators], choice.backends, choice.certainty
    )
    queued = {(item.dialogue_id, item.test) for item in reviews.items.values() if item.test in tests}
    dialogues = {dialogue for dialogue, _ in queued}
    remaining = _left_to_proposed(interactions, choice, len(choice.names()) - len(tests))

    def choose(interaction: Interaction, test: str, tried: ItemsTried) -> SampledItem | str:
        dialogue_id = interaction.dialogue_id
        if (dialogue_id, test) in queued if choice.each_test else dialogue_id in dialogues:
            return QUEUED
        if dialogue_id in remaining:
            return AS_PROPOSED
        return item_of(interaction, test, proposer, choice.seed, tried, shown=PROPOSALS, once=True)

    return sample(
        interactions,
        tests,
        choose,
        size=choice.size,
        each_test=choice.each_test,
        seed=choice.seed,
        languages=choice.languages,
        known=_shown(reviews),
    )


def _left_to_proposed(interactions: Sequence[Interaction], choice: RunChoice, unreviewed: int) -> set[str]:
    """The interactions on which nobody is asked for a variant, the same ones every time.

    Empty  every interaction is tried with every test, all tests need review, or utterances are listed: none
    """
    tried = [interaction.dialogue_id for interaction in interactions if not interaction.listed]
    if choice.each_test:
        return set()
    mixed = sorted(tried, key=lambda one: Random(f"proposed:{choice.seed}:{one}").random())
    return set(mixed[: len(mixed) * unreviewed // len(choice.names())])


def _shown(reviews: Reviews) -> ItemsTried:
    """Variants and utterances that reviewers were shown, counted as tried."""
    items = reviews.items.values()
    return ItemsTried(
        pairs={
            pair_of(item.language, item.original, proposal.text)
            for item in items
            for proposal in item.proposals
        },
        asked={pair_of(item.language, item.original, item.test) for item in items},
    )


def queue_for_review(
    study: Study,
    log: Log,
    interactions: Sequence[Interaction],
    choice: RunChoice,
    operators: Sequence[Operator] = (),
) -> tuple[int, int]:
    """Put variants before people; returns how many utterances are new, and how many were there already."""
    stream = stress_stream(study.name)
    chosen = to_review(interactions, choice, Reviews.of(log.events(stream)), operators)
    log.transact_now(
        lambda tx: tx.record_study(study.name, study.revision, study.file_text, study.entities())
    )
    new = 0
    for item in chosen.items:
        event = proposed(item)
        stored = log.transact_now(
            lambda tx, event=event: tx.append(stream, event, client_key=f"item/{event.item_id}")
        )
        new += not stored.replayed
    before = {
        (unfit["dialogue_id"], unfit["test"] if choice.each_test else "")
        for unfit in chosen.not_applicable
        if unfit["reason"] == QUEUED
    }
    return new, len(chosen.items) - new + len(before)


def plan_run(
    study: Study, dataset: Dataset, reviews: Reviews, choice: RunChoice, source: str | None
) -> RunPlan:
    """Cases for a run: proposals as they are where no review is needed, approved variants elsewhere.

    What a person approved is run: an interaction that has such a variant is given to no test that runs as
    proposed. An approved variant without a case is among what is not applicable, with its reason.

    source  the system whose logged dialogues are replayed; all when left out
    """
    interactions = interactions_of(dataset, source)
    if choice.spoken:
        interactions = [replace(interaction, channel="voice") for interaction in interactions]
    approved: defaultdict[tuple[str, str], list[SampledItem]] = defaultdict(list)
    for item in _approved(interactions, reviews):
        approved[item.interaction.dialogue_id, item.test].append(item)
    proposer = proposing(choice.seed, backends=choice.backends, certainty=choice.certainty)
    fitting = set[tuple[str, str]]()  # tests and languages of which it is known that they have variants

    def unproposed(interaction: Interaction, test: str, why: str) -> str:
        """The reason for nothing to propose, or else `why`."""
        if (kind := (test, interaction.language)) not in fitting:
            item = item_of(interaction, test, proposer, choice.seed)
            if isinstance(item, str):
                return item
            fitting.add(kind)
        return why

    def runs_approved(interaction: Interaction, tried: ItemsTried) -> bool:
        mine = (approved.get((interaction.dialogue_id, name), ()) for name in choice.names())
        return any(item.pair not in tried.pairs for items in mine for item in items)

    def choose(interaction: Interaction, test: str, tried: ItemsTried) -> SampledItem | str:
        if not needs_review(test):
            if not choice.each_test and runs_approved(interaction, tried):
                return ANOTHER
            return item_of(interaction, test, proposer, choice.seed, tried)
        mine = approved.get((interaction.dialogue_id, test))
        if not mine:
            why = _why_none(interaction, test, reviews)
            return unproposed(interaction, test, why) if why in (NOT_PROPOSED, NONE_PROPOSED) else why
        return next((item for item in mine if item.pair not in tried.pairs), TRIED)

    chosen = sample(
        interactions,
        choice.names(),
        choose,
        size=choice.size,
        each_test=choice.each_test,
        seed=choice.seed,
        languages=choice.languages,
    )
    tasks = {task.task_id: task for task in study.tasks}
    _tell_left_out([item for items in approved.values() for item in items], chosen, choice)
    return RunPlan([case_of(item, tasks) for item in chosen.items], chosen.not_applicable)


def _tell_left_out(approved: Sequence[SampledItem], drawn: Sample, choice: RunChoice) -> None:
    """Approved variants, of what is run, of which neither a case nor a reason is told yet."""
    chosen_ids = {item.item_id for item in drawn.items}
    pairs = {item.pair for item in drawn.items}
    dialogues = {item.interaction.dialogue_id for item in drawn.items}
    reported = {(unfit["dialogue_id"], unfit["test"]) for unfit in drawn.not_applicable}
    for item in approved:
        language, dialogue = item.interaction.language.split("-")[0], item.interaction.dialogue_id
        requested = item.test in choice.names() and (not choice.languages or language in choice.languages)
        if requested and item.item_id not in chosen_ids and (dialogue, item.test) not in reported:
            reason = TRIED if item.pair in pairs else ANOTHER if dialogue in dialogues else NOT_DRAWN
            drawn.leave_out(item.interaction, item.test, reason)


def by_voice(cases: Sequence[Case]) -> RunPlan:
    """Cases as they are spoken; those whose test cannot be heard are not applicable."""
    plan = RunPlan()
    for case in cases:
        if case.test in STRESS_TESTS and "voice" not in STRESS_TESTS.get(case.test).channels:
            plan.not_applicable.append(
                {
                    "test": case.test,
                    "family": case.family,
                    "language": case.language,
                    "dialogue_id": case.dialogue_id,
                    "reason": "it does not apply to voice",
                }
            )
        else:
            plan.cases.append(case.model_copy(update={"channel": "voice"}))
    return plan


def approved_cases(
    study: Study, dataset: Dataset, reviews: Reviews, listed: Sequence[Interaction] = ()
) -> RunPlan:
    """A case of every variant that a person approved and whose interaction is in the dataset, or listed.

    The same variant of the same words is tried once, as in a run of the study.
    """
    tasks = {task.task_id: task for task in study.tasks}
    cases, left_out, pairs = list[Case](), Sample(), set[Pair]()
    for item in _approved([*interactions_of(dataset), *listed], reviews):
        if item.pair in pairs:
            left_out.leave_out(item.interaction, item.test, TRIED)
        else:
            cases.append(case_of(item, tasks))
        pairs.add(item.pair)
    return RunPlan(cases, left_out.not_applicable)


def _approved(interactions: Sequence[Interaction], reviews: Reviews) -> Iterator[SampledItem]:
    by_id = {interaction.dialogue_id: interaction for interaction in interactions}
    for key, item in reviews.items.items():
        decision, interaction = reviews.decision(key), by_id.get(item.dialogue_id)
        if decision is None or decision.text is None or interaction is None:
            continue
        turn = next(
            (logged_turn for logged_turn in interaction.turns if logged_turn.turn_index == item.turn_index),
            None,
        )
        if turn is None or turn.text != item.original:
            continue
        approval: Approval = "write" if decision.decision == "reject" else decision.decision
        rule, confidence = _origin(item.proposals, decision.proposal)
        yield SampledItem(
            item_id=key,
            interaction=interaction,
            turn=turn,
            previous=item.previous,
            test=item.test,
            variants=(),
            text=decision.text,
            rule=rule,
            confidence=confidence,
            approval=approval,
            approved_by=decision.reviewer,
        )


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
        return NONE_PROPOSED if reviews.items else NOT_PROPOSED
    decided = any(reviews.decision(key) is not None for key in mine)
    return REJECTED if decided else NOT_REVIEWED
