"""The ladder: from the goal of the dialogue down to a person, stopping at the first rung that decides.

1 task_outcome  the goal was reached or not, and with how much more effort
2 acts          the system understood and did the same, by its own acts
3 exact_match   it said the same, but for case, accents and punctuation
4 guards        numbers, dates, names, negation, question or statement: may only suspect
5 similarity    of sentences, against the originals' own: may only suspect
6 model         a language model at the user's endpoint
7 person        on the dashboard
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from vivavoce.log.stress_events import StressVerdict
from vivavoce_stress.heuristics import compare
from vivavoce_stress.rejection import asks_which, rejects
from vivavoce_stress.replay import Replayed

Similarity = Callable[[str, str], float]
Act = tuple[str, str, str, str]
_ALIKE: Final = 0.5
_BELOW_OWN: Final = 0.15


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of one replay, and which rung decided.

    suspicion   what a rung that may not decide speaks for
    similarity  of the two answers, -1 to 1; null where no rung asked
    """

    verdict: StressVerdict
    rung: str | None
    reason: str
    suspicion: str | None = None
    similarity: float | None = None

    @property
    def score(self) -> float | None:
        """1 passed, 0 not; null unsure."""
        return {"pass": 1.0, "fail": 0.0, "clarification": 0.0}.get(self.verdict)


def admit(clean: Replayed, language: str) -> str | None:
    """Why an original does not pass, so that its interaction cannot be used; None when it does."""
    if clean.failure:
        return f"the system failed: {clean.failure}"
    if clean.injected is None or clean.answer is None:
        return "the system ended the dialogue before the utterance"
    if clean.met is False:
        return "the original did not reach the task's goal"
    if rejects(clean.answer["text"], clean.answer["acts"], language):
        return "the system did not understand the original"
    return None


def judge(
    clean: Sequence[Replayed], variant: Replayed, language: str, similarity: Similarity | None = None
) -> Verdict:
    """The verdict on a replay against the replays of the original, none of which is empty or failed."""
    for rung in (_trouble, _task_outcome, _acts, _exact_match):
        found = rung(clean, variant, language)
        if found is not None:
            return found
    assert variant.answer is not None
    answers = [one.answer["text"] for one in clean if one.answer is not None]
    return judge_texts(answers, variant.answer["text"], language, similarity)


def judge_texts(
    references: Sequence[str], answer: str, language: str, similarity: Similarity | None = None
) -> Verdict:
    """The rungs that need only the system's words."""
    if any(plain(answer) == plain(one) for one in references):
        return Verdict("pass", "exact_match", "the system says the same")
    differences = [compare(one, answer, language) for one in references]
    least = min(differences, key=lambda one: len(one.found))
    if least.found:
        return Verdict("unsure", "guards", "; ".join(least.found), suspicion=least.speaks_for)
    reason = "the answers are worded differently, with the same numbers, dates, names and kind of turn"
    if similarity is None:
        return Verdict("unsure", "guards", reason, suspicion="pass")
    alike, own = max(similarity(one, answer) for one in references), _own(references, similarity)
    speaks = "pass" if alike >= min(_ALIKE, own - _BELOW_OWN) else "fail"
    return Verdict("unsure", "similarity", f"{reason}; similarity {alike:.2f}", speaks, alike)


def with_model(found: Verdict, said: tuple[StressVerdict, str] | None) -> Verdict:
    """An unsure verdict after a language model was asked."""
    if said is None or found.verdict != "unsure":
        return found
    return replace(found, verdict=said[0], rung="model", reason=said[1])


def plain(text: str) -> str:
    """A text for comparison: no case, accents, punctuation or double spaces."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    letters = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return " ".join(re.findall(r"\w+", letters))


def _trouble(clean: Sequence[Replayed], variant: Replayed, language: str) -> Verdict | None:
    if variant.failure and variant.injected is None:
        return Verdict("unsure", None, f"the system failed before the utterance: {variant.failure}")
    if variant.failure:
        return Verdict("fail", "task_outcome", f"the system gave no answer: {variant.failure}")
    if variant.answer is None:
        return Verdict("unsure", None, "the system ended the dialogue before the utterance")
    return None


def _task_outcome(clean: Sequence[Replayed], variant: Replayed, language: str) -> Verdict | None:
    if variant.met is None or not any(one.met for one in clean):
        return None
    if not variant.met:
        return Verdict(
            "fail", "task_outcome", "the task's goal was reached with the original, not with the variant"
        )
    more = variant.user_turns_after - max(one.user_turns_after for one in clean)
    if _asked_again(clean, variant, language):
        return Verdict("clarification", "task_outcome", "the system asked again before the goal was reached")
    if more > 0:
        turns = "turn" if more == 1 else "turns"
        return Verdict(
            "clarification", "task_outcome", f"the user needed {more} more {turns} to reach the goal"
        )
    return Verdict("pass", "task_outcome", "the task's goal was reached as with the original")


def _acts(clean: Sequence[Replayed], variant: Replayed, language: str) -> Verdict | None:
    """What the system answered, by its acts, and what it took the user to mean, where it tells that.

    A word of the user's that comes back as he wrote it is no misunderstanding when all goes on alike.
    """
    mine, told = _did(variant), [one for one in clean if _did(one) is not None]
    if mine is None or not told:
        return None
    alike = [one for one in told if _did(one) == mine]
    if any(_understood(one) == _understood(variant) for one in alike):
        return Verdict("pass", "acts", "the system understood and did the same")
    if any(_same_end(one, variant) and one.user_turns_after == variant.user_turns_after for one in alike):
        return Verdict("pass", "acts", "the system did the same, to the end of the dialogue")
    first = told[0]
    if any(_did(one) != _did(first) or _understood(one) != _understood(first) for one in told):
        return None  # a system that varies by itself: a difference says nothing
    theirs, ours = _did(first) or frozenset(), mine
    if theirs == ours:
        theirs, ours = _understood(first), _understood(variant)
    difference = f"{_shown(theirs - ours)} became {_shown(ours - theirs)}"
    if not _asked_again(clean, variant, language):
        return Verdict("fail", "acts", f"the system understood or did something else: {difference}")
    if any(_same_end(one, variant) for one in clean):
        return Verdict("clarification", "acts", f"the system asked again, then went on alike: {difference}")
    return Verdict("fail", "acts", f"the system asked again, and the end was another: {difference}")


def _exact_match(clean: Sequence[Replayed], variant: Replayed, language: str) -> Verdict | None:
    mine = plain(variant.answer["text"]) if variant.answer else ""
    if any(one.answer and plain(one.answer["text"]) == mine for one in clean):
        return Verdict("pass", "exact_match", "the system says the same")
    return None


def _asked_again(clean: Sequence[Replayed], variant: Replayed, language: str) -> bool:
    """The system asks to be told again, or which of several is meant, where it did not ask the original."""

    def again(one: Replayed) -> bool:
        if one.answer is None:
            return False
        return rejects(one.answer["text"], one.answer["acts"], language) or asks_which(one.answer["acts"])

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


def _shown(acts: frozenset[Act]) -> str:
    """Such as `request(area), inform(food=indian)`."""
    shown = {f"{act}({slot}{'=' + value if value else ''})" for act, slot, _, value in acts}
    return ", ".join(sorted(shown)) or "nothing"


def _own(references: Sequence[str], similarity: Similarity) -> float:
    """How alike the originals' own answers are at least; 1 where there is only one."""
    if len(references) < 2:
        return 1.0
    return min(
        similarity(one, other) for place, one in enumerate(references) for other in references[place + 1 :]
    )
