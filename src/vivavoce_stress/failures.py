"""Kinds of failure: what a system did instead of serving the user as before, and what usually mends it.

The kind is read from the code of a verdict's reason (`why`), never from its sentence in some language.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from vivavoce.core.i18n import N_
from vivavoce.core.statement import LocalizedText
from vivavoce_stress import cascade
from vivavoce_stress.evidence import SAID, SAYS_AGAIN
from vivavoce_stress.questions import questions_in
from vivavoce_stress.review import word_edits
from vivavoce_stress.stock_replies import ALIKE, ASKS

FailureKind = Literal[
    "not_understood",
    "unknown",
    "ask_again",
    "question_again",
    "asked_more",
    "menu",
    "stock_reply",
    "refuse",
    "hand_over",
    "trouble",
    "silent",
    "wrong_answer",
    "more_turns",
    "something_else",
]
KINDS: Final[dict[FailureKind, str]] = {
    "not_understood": N_("The system said that it did not understand"),
    "unknown": N_("The system did not know a name"),
    "ask_again": N_("The system asked for a repetition"),
    "question_again": N_("The system repeated its question"),
    "asked_more": N_("The system asked an extra question"),
    "menu": N_("The system listed its functions instead of answering"),
    "stock_reply": N_("The system gave its fallback reply"),
    "refuse": N_("The system said that it cannot do or find this"),
    "hand_over": N_("The system sent the user to a person or elsewhere"),
    "trouble": N_("The system said that something does not work"),
    "silent": N_("The system gave no answer"),
    "wrong_answer": N_("The system answered another request"),
    "more_turns": N_("The system served the user, but after more turns"),
    "something_else": N_("The system understood or did something else"),
}
_OF_REASONS: Final[dict[str, FailureKind]] = {
    **{template: kind for kind, template in SAID.items()},
    ALIKE: "stock_reply",
    ASKS: "ask_again",
    cascade.NO_ANSWER: "silent",
    cascade.WRONG_ANSWER: "wrong_answer",
    cascade.ANOTHER_ERRAND: "wrong_answer",
    cascade.DONE_WITH_ANOTHER: "something_else",
    cascade.TAKEN_FOR_ANOTHER: "something_else",
    cascade.ONE_MORE: "more_turns",
    cascade.MORE: "more_turns",
    cascade.SAID_AGAIN: "more_turns",
    cascade.ASKED_ANEW: "asked_more",
    cascade.ASKED_AGAIN: "ask_again",
    cascade.ONLY_AFTER: "ask_again",
    cascade.ASKED_THEN_ALIKE: "ask_again",
    cascade.ASKED_THEN_ANOTHER: "ask_again",
}
_CURES_OF_FAMILIES: Final = {
    "spelling": N_(
        "Correct spelling before understanding, or add misspelled and confused words to the system's "
        "training examples."
    ),
    "lexical": N_(
        "Add other wordings to the system: rarer synonyms, formal and informal requests, descriptions of "
        "names."
    ),
    "syntactic": N_(
        "Add sentences with other word orders, passives and anaphora. Do not depend on word order."
    ),
}
_FAULTS: Final = frozenset({"trouble", "silent"})
_ACTED: Final = frozenset({"more_turns", "wrong_answer", "something_else"})  # before it asked anything
_SERVED_YET: Final = SAYS_AGAIN | {"asked_more", "more_turns"}
_ANY_CURE: Final = N_("Add utterances like these to the system's training examples.")
_BY_LIKENESS: Final = N_(
    "The wording was not recognised. Match names and values approximately, and ask the user to confirm "
    "the nearest one."
)
_CURES: Final[dict[FailureKind, str]] = {
    "unknown": _BY_LIKENESS,
    "refuse": _BY_LIKENESS,
    "hand_over": N_("Rephrase the question once before handing over."),
    "trouble": N_("Probably a program error. Find these utterances in the error log."),
    "silent": N_("Probably a program error. Find these utterances in the error log."),
    "more_turns": N_("Repeat the interpretation before acting, so that the user can correct it."),
    "wrong_answer": N_("Repeat the interpretation before acting, so that the user can correct it."),
    "something_else": N_(
        "Ask for unrecognised values instead of guessing. Repeat the interpretation before acting, so "
        "that the user can correct it."
    ),
}


def kind_of(failure: Mapping[str, Any]) -> FailureKind:
    """The kind of a case that did not pass, of the rows that `stress_results` calls failures.

    What people say of it stands above what the rules had seen, which counts no more where a person gave
    another verdict and it speaks against that one.

    Empty  a reason without a code (of an older dataset), or a difference between two answers: something else
    """
    if (reason_kind := failure.get("instead")) in KINDS:
        return reason_kind
    kind = _by_rules(failure)
    if not overruled(failure):
        return kind
    if failure["verdict"] == "clarification":
        asks = "?" in (answer_to(failure["transcript"]) or "")
        return kind if kind in _SERVED_YET else "ask_again" if asks else "more_turns"
    return "something_else" if kind in {"asked_more", "more_turns"} else kind


def overruled(failure: Mapping[str, Any]) -> bool:
    """True if a person's verdict differs from the rules' verdict, whose reason then does not apply."""
    person = failure.get("verdict_of_person")
    return person is not None and person != failure.get("verdict_automatic")


def _by_rules(failure: Mapping[str, Any]) -> FailureKind:
    why = json.loads(failure["why"]) if failure.get("why") else None
    for template in _templates(LocalizedText.read(why)) if why else ():
        if template in _OF_REASONS:
            kind = _OF_REASONS[template]
            return "asked_more" if kind == "more_turns" and _asked_more(failure) else kind
    return "something_else"


def _asked_more(failure: Mapping[str, Any]) -> bool:
    """True if the system asked a question after the variant that it never asked after the original."""
    questions, before = (
        {question for text in _answers(failure.get(name)) for question in questions_in(text)}
        for name in ("transcript", "clean_transcript")
    )
    return bool(questions - before)


def cures_of(failure: Mapping[str, Any]) -> tuple[str, ...]:
    """Usual cures for a failed case, in English as catalogues have it.

    The test says what was not recognised, whatever the system did instead; only a fault of the program is
    none of words. What else helps where it did something wrong stands behind that; against a misspelling it
    does not, nor where the system asked before it did anything.
    """
    kind = kind_of(failure)
    if kind in _FAULTS:
        return (_CURES[kind],)
    family_cure = _CURES_OF_FAMILIES.get(failure["family"], _ANY_CURE)
    asked_more = kind in _ACTED and _asked_more(failure)
    if kind == "something_else" and not asked_more:
        return (_CURES[kind], family_cure)
    return (
        (family_cure, _CURES[kind])
        if kind in _CURES and failure["family"] != "spelling" and not asked_more
        else (family_cure,)
    )


def misspelled(failures: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, int]]:
    """The words of spelling tests that were not recognised: as written, as meant, in how many cases.

    Empty  none of these failures is of a spelling test: []
    """
    counts = Counter[tuple[str, str]]()
    for failure in failures:
        if failure["family"] == "spelling":
            edits = word_edits(failure["original"], failure["text"])
            counts[" ".join(edit.after for edit in edits), " ".join(edit.before for edit in edits)] += 1
    return [(wrong, right, n) for (wrong, right), n in counts.most_common()]


def answer_to(transcript: str | None) -> str | None:
    """Answer of the system to the utterance under test; None if there is none."""
    turns = json.loads(transcript) if transcript else []
    place = next((at for at, turn in enumerate(turns) if turn["injected"]), len(turns))
    return next((turn["text"] for turn in turns[place + 1 : place + 2] if turn["text"].strip()), None)


def answers_apart(original: str | None, variant: str | None) -> tuple[str | None, str | None]:
    """First differing answers of the system to an utterance and to its variant; None if there are none."""
    first = (answer_to(original), answer_to(variant))
    if None in first or first[0] != first[1]:
        return first
    answer_pairs = zip(_answers(original), _answers(variant), strict=False)
    return next((pair for pair in answer_pairs if pair[0] != pair[1]), first)


def _answers(transcript: str | None) -> list[str]:
    """Turns of the system after the utterance under test."""
    turns = json.loads(transcript) if transcript else []
    place = next((at for at, turn in enumerate(turns) if turn["injected"]), len(turns))
    return [turn["text"] for turn in turns[place + 1 :] if turn["party"] != "user" and turn["text"].strip()]


def turns_after(transcript: str | None) -> int:
    """Number of user turns after the utterance under test."""
    turns = json.loads(transcript) if transcript else []
    place = next((at for at, turn in enumerate(turns) if turn["injected"]), len(turns))
    return sum(turn["party"] == "user" for turn in turns[place + 1 :])


def _templates(told: LocalizedText) -> Iterator[str]:
    """The templates of a statement, the outermost first."""
    yield told.template
    for _, value in told.values:
        if isinstance(value, LocalizedText):
            yield from _templates(value)
