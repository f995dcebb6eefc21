"""Questions that a system asks with a variant but not with the original."""

from collections import Counter
from collections.abc import Sequence

from vivavoce_stress.evidence import sentences_of
from vivavoce_stress.heuristics import plain
from vivavoce_stress.questions import alike, asked_for, content, tells
from vivavoce_stress.replay import Replayed


def of_another_errand(one: Replayed, variant: Replayed, language: str) -> str | None:
    """First question to the variant that an original, served at once, neither needed nor answered.

    Asked for the price, a system that asks on which day has begun something else; one that asks for which
    sport, where the sport is misspelt, wants to be told again.

    Empty  the original was not served by the answer to it; or nothing is asked for that has a kind: a time,
           how many, a name; or the user, or another question, spoke of one before: None
    """
    place = one.injected or 0
    if one.met_at != place + 1 or variant.answer is None or variant.answer["acts"] is not None:
        return None
    user_text = "\n".join(turn["text"] for turn in one.turns[: place + 1] if turn["party"] == "user")
    known_kinds = {kind for text in _asked(one, 0, len(one.turns)) for kind in asked_for(text, language)}
    for question in sentences_of(variant.answer["text"]):
        kinds = asked_for(question, language) if question.endswith("?") else set[str]()
        if (
            kinds
            and kinds.isdisjoint(known_kinds)
            and not any(tells(kind, user_text, language) for kind in kinds)
        ):
            return question
    return None


def asked_anew(originals: Sequence[Replayed], variant: Replayed) -> str | None:
    """A question before the goal that the system asked in no original, or asked less often there.

    That it only words itself anew each time is no such thing: a question is new where others stand in both as
    they are, and none of the original's is like it.

    Empty  nothing; or where the goal was reached is not known, or the system tells its acts: None
    """
    if any(replayed.met_at is None for replayed in (variant, *originals)) or not originals:
        return None
    mine = [_asked(original, (original.injected or 0) + 1, original.met_at or 0) for original in originals]
    theirs = _asked(variant, (variant.injected or 0) + 1, variant.met_at or 0)
    counts = [Counter(map(plain, questions)) for questions in mine]
    everything = {plain(text) for original in originals for text in _asked(original, 0, len(original.turns))}
    now = Counter(map(plain, theirs))
    for text in theirs:
        question = plain(text)
        oftener = all(now[question] > count[question] for count in counts)
        fixed = bool((now.keys() & everything) - {question})
        new = content(question) and not any(alike(question, earlier) for earlier in everything)
        if oftener and (question in everything or (fixed and new)):
            return text
    return None


def answered_alike(originals: Sequence[Replayed], variant: Replayed) -> bool:
    """True if the variant's first answer is the same as an original's."""
    texts = [replayed.answer and plain(replayed.answer["text"]) for replayed in (variant, *originals)]
    return texts[0] is not None and texts[0] in texts[1:]


def _asked(one: Replayed, first: int, last: int) -> list[str]:
    """The questions of the system in these turns, none of a system that tells its acts."""
    return [
        sentence
        for turn in one.turns[first:last]
        if turn["party"] == "system" and turn["acts"] is None
        for sentence in sentences_of(turn["text"])
        if sentence.endswith("?")
    ]
