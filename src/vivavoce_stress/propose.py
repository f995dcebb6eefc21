"""Variants of an utterance: operators propose, filters object, what is left is ordered."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Final

from vivavoce_stress.acceptance import Acceptance
from vivavoce_stress.base import (
    ANY_LANGUAGE,
    STRESS_TESTS,
    UNCERTAIN,
    Edit,
    LanguagePack,
    NotApplicable,
    Operator,
    Ranker,
    StressTest,
    Substitution,
    Utterance,
    Variant,
    apply,
    stress_tests,
)
from vivavoce_stress.filters import AGREEMENT, disagrees, objection
from vivavoce_stress.packs import pack_of
from vivavoce_stress.resources import version_of

NO_WORDS: Final = "the utterance has no words"


@dataclass(frozen=True, slots=True)
class Proposals:
    """Variants of one utterance, and the tests that have none.

    not_applicable  the tests without a variant, each with its reason in words
    dropped         how many proposals the filters stopped, by reason; those that were not certain among them
    """

    variants: tuple[Variant, ...]
    not_applicable: tuple[NotApplicable, ...]
    dropped: Mapping[str, int] = field(default_factory=dict)

    def facts(self) -> dict[str, Any]:
        return {
            "variants": [variant.facts() for variant in self.variants],
            "not_applicable": [{"test": unfit.test, "reason": unfit.reason} for unfit in self.not_applicable],
            "dropped": dict(self.dropped),
        }


def propose(
    utterance: Utterance,
    tests: Sequence[str] | None = None,
    *,
    seed: int = 0,
    channel: str = "text",
    limit: int | None = None,
    pack: LanguagePack | None = None,
    operators: Iterable[Operator] = (),
    rankers: Iterable[Ranker] = (),
    certainty: float | None = None,
) -> Proposals:
    """The variants of an utterance, most trusted first within each test; same arguments, same answer.

    tests      names of stress tests; None: all that are offered
    limit      at most so many variants a test
    operators  more of them, beside those of the tests
    rankers    say anew how certain each variant is that the rules let through, one after the other
    certainty  least confidence of a variant, 0 for all of them; None: what each test declares, and of our own
               rules only those whose variants people accept, unless a ranker looks at each
    Raises     UnknownName: a test or language that nobody knows
    """
    pack = pack or pack_of(utterance.language)
    chosen = [STRESS_TESTS.get(name) for name in tests] if tests is not None else stress_tests()
    beside, all_rankers = tuple(operators), [*_own_rankers(pack), *rankers]
    variants: list[Variant] = []
    without: list[NotApplicable] = []
    dropped: Counter[str] = Counter()
    for test in chosen:
        mine = [
            operator
            for operator in (
                *test.operators,
                *(operator for operator in beside if operator.test == test.name),
            )
            if operator.language in (ANY_LANGUAGE, utterance.language)
        ]
        reason = _not_for(test, utterance, channel)
        objections: Counter[str] = Counter()
        accepted = pack.get("acceptance") if certainty is None and pack.has("acceptance") else None
        by_text = {} if reason else _variants(test, utterance, pack, mine, seed, objections)
        ranked = sorted((variant for variant, _ in by_text.values()), key=lambda one: -one.confidence)
        for ranker in all_rankers if ranked else ():
            ranked = _ranked(ranked, utterance, ranker) if test.name in ranker.tests else ranked
        bar = test.certainty if certainty is None else certainty
        certain = [
            variant
            for variant in ranked
            if variant.confidence >= bar
            and (accepted is None or _is_accepted(variant, *by_text[variant.text], test, accepted))
        ]
        if len(certain) < len(ranked):
            objections[UNCERTAIN] += len(ranked) - len(certain)
            ranked = certain
        variants += ranked[:limit]
        dropped.update(objections)
        if not ranked:
            reason = reason or _why_not(mine, utterance, pack, objections)
            without.append(NotApplicable(test=test.name, language=utterance.language, reason=reason))
    return Proposals(tuple(variants), tuple(without), dropped)


def _own_rankers(pack: LanguagePack) -> list[Ranker]:
    return [pack.get("senses")] if pack.has("senses") else []


def _ranked(found: Sequence[Variant], utterance: Utterance, ranker: Ranker) -> list[Variant]:
    ratings = ranker.rank(utterance, found)
    behind = {name: version_of(name) for name in ranker.resources}
    again = [
        variant
        if sure is None
        else replace(variant, confidence=round(sure, 3), resources={**variant.resources, **behind})
        for variant, sure in zip(found, ratings, strict=True)
    ]
    return sorted(again, key=lambda one: -one.confidence)


def _not_for(test: StressTest, utterance: Utterance, channel: str) -> str:
    if channel not in test.channels:
        return f"it does not apply to {channel}"
    if "previous_system_turn" in test.needs and not (utterance.previous or "").strip():
        return "it needs the previous system turn"
    return "" if any(sign.isalpha() for sign in utterance.text) else NO_WORDS


def _variants(
    test: StressTest,
    utterance: Utterance,
    pack: LanguagePack,
    operators: Sequence[Operator],
    seed: int,
    dropped: Counter[str],
) -> dict[str, tuple[Variant, Operator]]:
    """Each variant by what it says, with what made it."""
    best: dict[str, tuple[Variant, Operator]] = {}
    for operator in operators:
        if not all(map(pack.has, operator.needs)):
            continue
        rng = Random(f"{seed}/{test.name}/{utterance.language}/{utterance.text}")
        for substitution in _substitutions(operator, utterance, pack, rng):
            reason = objection(utterance, substitution, pack)
            if reason is None and test.family != "spelling" and disagrees(utterance, substitution, pack):
                reason = AGREEMENT
            if reason:
                dropped[reason] += 1
                continue
            variant = _variant(test, utterance, substitution)
            previous = best.get(variant.text)
            if previous is None or previous[0].confidence < variant.confidence:
                best[variant.text] = variant, operator
    return best


def _is_accepted(
    one: Variant, made: Variant, operator: Operator, test: StressTest, accepted: Acceptance
) -> bool:
    """True if a ranker or a custom operator stands behind a variant, or people accept its rule."""
    ranked, custom = one is not made, operator not in test.operators
    return ranked or custom or accepted.is_enough(test.name, one.language, one.rule)


def _substitutions(
    operator: Operator, utterance: Utterance, pack: LanguagePack, rng: Random
) -> Iterable[Substitution]:
    """Substitutions of an operator; it gets text in capitals as lower case."""
    text = utterance.text
    calm = text[:1] + text[1:].lower()
    shouted = text.isupper() and len(text.split()) > 1 and len(calm) == len(text)
    if not shouted:
        return operator.propose(utterance, pack, rng)
    substitutions = operator.propose(replace(utterance, text=calm), pack, rng)
    return (
        replace(substitution, edits=tuple(_loud(text, edit) for edit in substitution.edits))
        for substitution in substitutions
    )


def _loud(text: str, edit: Edit) -> Edit:
    return Edit(edit.start, edit.end, text[edit.start : edit.end], edit.after.upper())


def _variant(test: StressTest, utterance: Utterance, found: Substitution) -> Variant:
    return Variant(
        test=test.name,
        language=utterance.language,
        original=utterance.text,
        text=apply(utterance.text, found.edits),
        rule=found.rule,
        confidence=round(found.confidence, 3),
        edits=found.edits,
        resources={name: version_of(name) for name in found.resources},
        keeps_invariant=test.keeps,
    )


def _why_not(
    operators: Sequence[Operator], utterance: Utterance, pack: LanguagePack, dropped: Mapping[str, int]
) -> str:
    """The first operator that could have worked says why; else what is lacking."""
    if not operators:
        return f"no rules for language {utterance.language!r}"
    if UNCERTAIN in dropped:
        return UNCERTAIN
    if dropped:
        return "every proposal was dropped: " + ", ".join(
            f"{why} ({count})" for why, count in dropped.items()
        )
    able = [operator for operator in operators if all(map(pack.has, operator.needs))]
    if able:
        return able[0].why_not(utterance, pack)
    return "; ".join(dict.fromkeys(pack.lacks(need) for need in operators[0].needs if not pack.has(need)))
