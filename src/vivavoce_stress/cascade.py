"""The ladder: from the goal of the dialogue down to a person, stopping at the first rung that decides.

1 task_outcome  the goal was reached or not, and with how much more effort
2 acts          the system understood and did the same, by its own acts
3 exact_match   it said the same, but for case, accents and punctuation, and went on so
4 evidence      it said against itself what it says of no original: that it did not understand, or cannot
5 guards        numbers, dates, names, negation, question or statement: may only suspect
6 similarity    of sentences, against the originals' own: may only suspect
7 model         a language model at the user's endpoint
8 person        on the dashboard
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, Final

from vivavoce.core.i18n import N_
from vivavoce.core.statement import LocalizedText, enumerated, statement
from vivavoce.log.stress_events import StressVerdict
from vivavoce_stress.errands import answered_alike, asked_anew, of_another_errand
from vivavoce_stress.evidence import SAYS_AGAIN, Evidence, against, evidence, sentences_of
from vivavoce_stress.heuristics import compare, filling, plain
from vivavoce_stress.rejection import asks_which, rejects
from vivavoce_stress.replay import Replayed
from vivavoce_stress.told import in_other_words, taken_for_another, told_instead, user_after

Similarity = Callable[[str, str], float]
Act = tuple[str, str, str, str]
SAME: Final = N_("the system says the same")
LATER: Final = N_("the system says the same at first, later something else: “{original}” / “{variant}”")
ENDED: Final = N_("the system ended the dialogue before the utterance")
FAILED_BEFORE: Final = N_("the system failed before the utterance: {failure}")
ALIKE: Final = N_("the answers are worded differently, with the same numbers, dates, names and kind of turn")
NO_ANSWER: Final = N_("the system gave no answer: {failure}")
ONE_MORE: Final = N_("the user needed {more} more turn to reach the goal")
MORE: Final = N_("the user needed {more} more turns to reach the goal")
WRONG_ANSWER: Final = N_("it asked for nothing, and the user had to say the original again to be served")
SAID_AGAIN: Final = N_("the user had to say the request again, where the original needed no such turn")
ANOTHER_ERRAND: Final = N_(
    "the system asked for what the original did not need, “{words}”, as if something else had been asked for"
)
ASKED_ANEW: Final = N_("the system asked for what it had no need to ask with the original, “{words}”")
ASKED_AGAIN: Final = N_("the system asked again before the goal was reached")
ONLY_AFTER: Final = N_("the goal was reached only after that")
ASKED_THEN_ALIKE: Final = N_("the system asked again, then continued as before: {difference}")
ASKED_THEN_ANOTHER: Final = N_("the system asked again, with a different outcome: {difference}")
ASTRAY: Final = N_("the original did not reach the task's goal")
ANSWERED: Final = N_("the system answered “{words}”")
ASTRAY_WITH: Final = N_("the original did not reach the task's goal: the system said “{words}”")
DONE_OTHERWISE: Final = N_(
    "with the variant the system tells that it is done with another value than the task's, “{words}”"
)
NEVER_DONE: Final = N_(
    "with the original the system tells that it is done, “{words}”, with the variant never"
)
DONE_WITH_ANOTHER: Final = N_(
    "the system tells that it is done, but not of the same: “{original}” / “{variant}”"
)
IN_OTHER_WORDS: Final = N_(
    "the system answered with the numbers, dates and names of its answer to the original, in other words, by "
    "which nobody said that it tells that it is done: “{words}”"
)
TAKEN_FOR_ANOTHER: Final = N_(
    "the system took the variant for something else, “{original}” / “{variant}”, and served the user only "
    "when they said the original again"
)
DONE: Final = N_("the system tells that it is done, as with the original: “{words}”")
_ALIKE: Final = 0.5
_BELOW_OWN: Final = 0.15


@dataclass(frozen=True, slots=True)
class Verdict:
    """Verdict on one replay, and the rung that decided.

    reason      why; with the words of the system that decided, where they did
    suspicion   what a rung that may not decide speaks for
    similarity  of the two answers, -1 to 1; null where no rung asked
    """

    verdict: StressVerdict
    rung: str | None
    reason: LocalizedText
    suspicion: str | None = None
    similarity: float | None = None

    @property
    def score(self) -> float | None:
        """1 passed, 0 not; null unsure."""
        return {"pass": 1.0, "fail": 0.0, "clarification": 0.0}.get(self.verdict)


def admit(clean: Replayed, language: str) -> LocalizedText | None:
    """Reason why an original fails, so that its interaction cannot be used; None when it passes."""
    if clean.failure:
        return statement(N_("the system failed: {failure}"), failure=clean.failure)
    if clean.injected is None or clean.answer is None:
        return LocalizedText(ENDED)
    if clean.met is False:
        return statement(ASTRAY_WITH, words=clean.met_words) if clean.met_words else LocalizedText(ASTRAY)
    if rejects(clean.answer["text"], clean.answer["acts"], language):
        return LocalizedText(N_("the system did not understand the original"))
    return None


def judge(
    clean: Sequence[Replayed], variant: Replayed, language: str, similarity: Similarity | None = None
) -> Verdict:
    """The verdict on a replay against the replays of the original, of which at least one passes.

    Note  what the system says against itself is held against all of them, the rest against those that pass
    """
    sound = [original for original in clean if admit(original, language) is None]
    for rung in (_trouble, _task_outcome, _acts, _exact_match):
        verdict = rung(sound, variant, language)
        if verdict is not None:
            return verdict
    assert variant.answer is not None
    if variant.answer["acts"] is None and (verdict := _evidence(clean, variant, language)) is not None:
        return verdict
    answers = [original.answer["text"] for original in sound if original.answer is not None]
    return _suspected(answers, variant.answer["text"], language, similarity)


def judge_texts(
    references: Sequence[str], answer: str, language: str, similarity: Similarity | None = None
) -> Verdict:
    """The rungs that need only the system's words."""
    if any(plain(answer) == plain(reference) for reference in references):
        return Verdict("pass", "exact_match", LocalizedText(SAME))
    originals = [(reference, evidence(reference, language)) for reference in references]
    evidence_found = against(evidence(answer, language), originals, language)
    if evidence_found is not None:
        return Verdict(
            "clarification" if evidence_found.kind in SAYS_AGAIN else "fail",
            "evidence",
            evidence_found.reason,
        )
    return _suspected(references, answer, language, similarity)


def _suspected(
    references: Sequence[str], answer: str, language: str, similarity: Similarity | None
) -> Verdict:
    differences = [compare(reference, answer, language) for reference in references]
    least = min(differences, key=lambda one: len(one.found))
    if least.found:
        reason = enumerated(list(least.found), "; ")
        return Verdict("unsure", "guards", reason, suspicion=least.speaks_for)
    reason = LocalizedText(ALIKE)
    if similarity is None:
        return Verdict("unsure", "guards", reason, suspicion="pass")
    alike, own_similarity = (
        max(similarity(reference, answer) for reference in references),
        _own(references, similarity),
    )
    speaks = "pass" if alike >= min(_ALIKE, own_similarity - _BELOW_OWN) else "fail"
    reason = statement(N_("{reason}; similarity {alike}"), reason=reason, alike=f"{alike:.2f}")
    return Verdict("unsure", "similarity", reason, speaks, alike)


def with_model(found: Verdict, said: tuple[StressVerdict, str] | None) -> Verdict:
    """An unsure verdict after a language model was asked."""
    if said is None or found.verdict != "unsure":
        return found
    return replace(found, verdict=said[0], rung="model", reason=statement("{said}", said=said[1]))


def _trouble(clean: Sequence[Replayed], variant: Replayed, language: str) -> Verdict | None:
    if variant.failure and variant.injected is None:
        return Verdict("unsure", None, statement(FAILED_BEFORE, failure=variant.failure))
    if variant.failure:
        reason = statement(NO_ANSWER, failure=variant.failure)
        return Verdict("fail", "task_outcome", reason)
    if variant.answer is None:
        return Verdict("unsure", None, LocalizedText(ENDED))
    return None


def _task_outcome(clean: Sequence[Replayed], variant: Replayed, language: str) -> Verdict | None:
    reached = [original for original in clean if original.met and not _reached_before(original)]
    if variant.met is None or not reached:
        return None
    words = reached[0].met_words
    rewording = None if _said_against(variant, language) else in_other_words(reached, variant, language)
    if rewording is not None:
        reason = statement(IN_OTHER_WORDS, words=rewording)
        return Verdict("unsure", "guards", reason, suspicion="pass")
    if not variant.met:
        reason = LocalizedText(N_("the task's goal was reached with the original, not with the variant"))
        reason = statement(NEVER_DONE, words=words) if words else reason
        if variant.met_words:
            reason = statement(DONE_OTHERWISE, words=variant.met_words)
        return Verdict("fail", "task_outcome", _with_answer(reason, clean, variant, language))
    more = variant.user_turns_to_goal - max(original.user_turns_to_goal for original in clean)
    if _asked_again(clean, variant, language):
        tells_acts = variant.answer is None or variant.answer["acts"] is not None
        outcome = LocalizedText(ASKED_AGAIN if tells_acts else ONLY_AFTER)
        reason = _with_answer(outcome, clean, variant, language)
        return Verdict("clarification", "task_outcome", reason)
    errands = [of_another_errand(original, variant, language) for original in reached]
    if errands[0] and all(errands) and not _said_against(variant, language):
        reason = statement(ANOTHER_ERRAND, words=errands[0])
        return Verdict("fail", "task_outcome", reason)
    mistaken = [taken_for_another(original, variant, language) for original in reached]
    if (difference := mistaken[0]) and all(mistake and mistake.certain for mistake in mistaken):
        reason = statement(TAKEN_FOR_ANOTHER, original=difference.original, variant=difference.variant)
        return Verdict("fail", "task_outcome", reason)
    replaced = [told_instead(original, variant, language) for original in reached]
    if (difference := replaced[0]) and all(replacement and replacement.certain for replacement in replaced):
        reason = statement(DONE_WITH_ANOTHER, original=difference.original, variant=difference.variant)
        return Verdict("fail", "task_outcome", reason)
    said_again = all(_alone_says_again(original, variant) for original in reached)
    if (more > 0 or said_again) and _answered_another(reached, variant, language):
        reason = _with_answer(LocalizedText(WRONG_ANSWER), clean, variant, language)
        return Verdict("fail", "task_outcome", reason)
    anew = asked_anew(reached, variant)
    if anew is not None and (answered_alike(reached, variant) or not (more > 0 or said_again)):
        return Verdict("clarification", "task_outcome", statement(ASKED_ANEW, words=anew))
    if more > 0 or said_again:
        reason = (
            statement(ONE_MORE if more == 1 else MORE, more=more) if more > 0 else LocalizedText(SAID_AGAIN)
        )
        reason = _with_answer(reason, clean, variant, language)
        return Verdict("clarification", "task_outcome", reason)
    words = variant.met_words
    if (difference := replaced[0]) and all(replaced):
        reason = statement(DONE_WITH_ANOTHER, original=difference.original, variant=difference.variant)
        return Verdict("unsure", "guards", reason, suspicion="fail")
    reason = LocalizedText(N_("the task's goal was reached as with the original"))
    return Verdict("pass", "task_outcome", statement(DONE, words=words) if words else reason)


def _with_answer(
    outcome: LocalizedText, clean: Sequence[Replayed], variant: Replayed, language: str
) -> LocalizedText:
    """Outcome after the system's answer to the variant; the outcome alone if the answer has acts."""
    answer = variant.answer
    if answer is None or answer["acts"] is not None:
        return outcome
    against_it = _against_originals(clean, variant, language)
    answer_words = against_it.reason if against_it else statement(ANSWERED, words=answer["text"])
    return statement("{said}; {outcome}", said=answer_words, outcome=outcome)


def _alone_says_again(one: Replayed, variant: Replayed) -> bool:
    """True if only the variant's user says the original again; the other user may do so later."""
    original = plain(one.turns[one.injected or 0]["text"])
    for mine, theirs in zip_longest(user_after(one), user_after(variant)):
        if mine != theirs:
            return theirs == original
    return False


def _answered_another(reached: Sequence[Replayed], variant: Replayed, language: str) -> bool:
    """True if the variant was answered as another request and served once the original was repeated.

    A system that asks for what it lacks, or says anything against itself, let the user know; that it asks
    at the end what else it can do, as behind the goal of the original, asks for nothing.
    """
    if variant.answer is None or _said_against(variant, language):
        return False
    originals = {plain(original.turns[original.injected or 0]["text"]) for original in reached}
    if originals.isdisjoint(user_after(variant)):
        return False
    closing = {plain(question) for original in reached for question in _questions_since_goal(original)}
    questions = [sentence for sentence in sentences_of(variant.answer["text"]) if sentence.endswith("?")]
    return all(plain(question) in closing for question in questions)


def _questions_since_goal(one: Replayed) -> list[str]:
    """Questions that a system asks once the goal is met, such as whether there is more."""
    last = len(one.turns) - 1 if one.met_at is None else one.met_at
    system_texts = [turn["text"] for turn in one.turns[last:] if turn["party"] == "system"]
    return [sentence for text in system_texts for sentence in sentences_of(text) if sentence.endswith("?")]


def _reached_before(one: Replayed) -> bool:
    """Before the utterance under test, so that the goal says nothing of it."""
    return one.met_at is not None and one.injected is not None and one.met_at < one.injected


def _acts(clean: Sequence[Replayed], variant: Replayed, language: str) -> Verdict | None:
    """Verdict by the system's acts and by its understanding of the user, if it reports both.

    A word of the user's that comes back as he wrote it is no misunderstanding when all goes on alike.
    """
    mine, with_acts = _did(variant), [original for original in clean if _did(original) is not None]
    if mine is None or not with_acts:
        return None
    alike = [original for original in with_acts if _did(original) == mine]
    if any(_understood(original) == _understood(variant) for original in alike):
        return Verdict("pass", "acts", LocalizedText(N_("the system understood and did the same")))
    if any(
        _same_end(original, variant) and original.user_turns_after == variant.user_turns_after
        for original in alike
    ):
        return Verdict(
            "pass", "acts", LocalizedText(N_("the system did the same, to the end of the dialogue"))
        )
    first = with_acts[0]
    if any(
        _did(original) != _did(first) or _understood(original) != _understood(first) for original in with_acts
    ):
        return None  # a system that varies by itself: a difference says nothing
    theirs, ours = _did(first) or frozenset(), mine
    if theirs == ours:
        theirs, ours = _understood(first), _understood(variant)
    became = N_("{original} became {variant}")
    difference = statement(became, original=_shown(theirs - ours), variant=_shown(ours - theirs))
    verdict: StressVerdict = "fail"
    template = N_("the system understood or did something else: {difference}")
    if _asked_again(clean, variant, language):
        template = ASKED_THEN_ANOTHER
        if any(_same_end(original, variant) for original in clean):
            verdict = "clarification"
            template = ASKED_THEN_ALIKE
    return Verdict(verdict, "acts", statement(template, difference=difference))


def _exact_match(clean: Sequence[Replayed], variant: Replayed, language: str) -> Verdict | None:
    """Verdict on an equal answer: pass if later answers to the same user words agree, too."""
    mine = plain(variant.answer["text"]) if variant.answer else ""
    alike = [original for original in clean if original.answer and plain(original.answer["text"]) == mine]
    later = [_otherwise_later(original, variant, language) for original in alike]
    if not alike:
        return None
    if any(pair is None for pair in later) or any(
        _otherwise_later(alike[0], original, language) for original in alike[1:]
    ):
        return Verdict("pass", "exact_match", LocalizedText(SAME))
    assert later[0] is not None
    reason = statement(LATER, original=later[0][0], variant=later[0][1])
    changed, said_words = filling(*later[0], language.split("-")[0]), _said(alike[0], variant)
    if changed is None or all(
        set(words.split()) <= word_set for words, word_set in zip(changed, said_words, strict=True)
    ):
        return Verdict("unsure", "guards", reason, suspicion="fail")
    return Verdict("fail", "exact_match", reason)


def _otherwise_later(one: Replayed, other: Replayed, language: str) -> tuple[str, str] | None:
    """First later answer to the same user words that differs in what must not differ."""
    for mine, theirs in zip(one.later, other.later, strict=False):
        if mine["party"] == "user" and mine["text"] != theirs["text"]:
            return None
        if mine["party"] == "system" and compare(mine["text"], theirs["text"], language).found:
            return mine["text"], theirs["text"]
    return None


def _said(*replays: Replayed) -> list[set[str]]:
    """The user's words at the place under test."""
    return [set(plain(replay.turns[replay.injected or 0]["text"]).split()) for replay in replays]


def _evidence(clean: Sequence[Replayed], variant: Replayed, language: str) -> Verdict | None:
    """Verdict by the system's signs of failure, and by its service after the user repeats."""
    answered = [original.answer["text"] for original in clean if original.answer is not None]
    against_originals = _against_originals(clean, variant, language)
    if against_originals is None:
        return None
    if against_originals.kind not in SAYS_AGAIN:
        return Verdict("fail", "evidence", against_originals.reason)
    served = {plain(text) for text in answered}
    if any(turn["party"] == "system" and plain(turn["text"]) in served for turn in variant.later):
        then = N_("{said}; told again, it served the user as with the original")
        return Verdict("clarification", "evidence", statement(then, said=against_originals.reason))
    then = N_("{said}; it did not serve the user after that either")
    return Verdict("fail", "evidence", statement(then, said=against_originals.reason))


def _against_originals(clean: Sequence[Replayed], variant: Replayed, language: str) -> Evidence | None:
    originals = [
        (original.answer["text"], _said_against(original, language))
        for original in clean
        if original.answer is not None
    ]
    return against(_said_against(variant, language), originals, language)


def _said_against(one: Replayed, language: str) -> list[Evidence]:
    before = [turn["text"] for turn in one.turns[: one.injected] if turn["party"] == "system"]
    return evidence(one.answer["text"], language, before) if one.answer is not None else []


def _asked_again(clean: Sequence[Replayed], variant: Replayed, language: str) -> bool:
    """The system asks to be told again, or which of several is meant, where it did not ask the original."""

    def again(one: Replayed) -> bool:
        if one.answer is None:
            return False
        acts = one.answer["acts"]
        anew = acts is None and any(
            signal.kind == "question_again" for signal in _said_against(one, language)
        )
        return anew or rejects(one.answer["text"], acts, language) or asks_which(acts)

    return again(variant) and not any(map(again, clean))


def _did(one: Replayed) -> frozenset[Act] | None:
    """The acts with which the system answered the utterance; None for a system that tells none."""
    answer = one.answer
    return None if answer is None or answer["acts"] is None else _acts_of(answer["acts"])


def _understood(one: Replayed) -> frozenset[Act]:
    return _acts_of((one.answer or {}).get("understood") or ())


def _acts_of(acts: Sequence[Mapping[str, Any]]) -> frozenset[Act]:
    return frozenset(
        (act["act"], act["slot"] or "", act.get("op") or "=", plain(act["value"] or "")) for act in acts
    )


def _same_end(one: Replayed, other: Replayed) -> bool:
    mine, theirs = one.last_answer, other.last_answer
    if mine is None or theirs is None:
        return False
    if mine["acts"] is not None and theirs["acts"] is not None:
        return _acts_of(mine["acts"]) == _acts_of(theirs["acts"])
    return plain(mine["text"]) == plain(theirs["text"])


def _shown(acts: frozenset[Act]) -> str | LocalizedText:
    """Such as `request(area), inform(food=indian)`."""
    act_texts = {f"{act}({slot}{'=' + value if value else ''})" for act, slot, _, value in acts}
    return ", ".join(sorted(act_texts)) or LocalizedText(N_("nothing"))


def _own(references: Sequence[str], similarity: Similarity) -> float:
    """Lowest similarity among the originals' own answers; 1 if there is only one."""
    if len(references) < 2:
        return 1.0
    return min(
        similarity(answer, reference)
        for place, answer in enumerate(references)
        for reference in references[place + 1 :]
    )
