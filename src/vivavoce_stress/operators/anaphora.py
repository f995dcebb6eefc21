"""ST-10: after a question with alternatives the answer points back at one of them."""

import re
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

from vivavoce_stress.base import ANY_LANGUAGE, LanguagePack, Substitution, Utterance
from vivavoce_stress.words import Word, edit, placed, words_of

_LONGEST = 6  # words; more is no alternative but a clause
_OPEN = re.compile(
    r"\b(?:other|another|different|both|all|altr[oaie]|divers[oaie]|entramb[ie]|tutt[ie])\b", re.IGNORECASE
)
_CLAUSE = re.compile(r"\b(?:i|you|we|they|io|tu|noi|voi)\b", re.IGNORECASE)  # `or do you need more`
_DENIED = re.compile(
    r"\b(?:no|not|nothing|any|other|another|different|non|nessun[ao]?|niente|altr[oaie])\s+$", re.IGNORECASE
)
_ARTICLE = re.compile(r"(?:il|lo|la|i|gli|le|un|uno|una|the|an?)\b(?!['’])|(?:l|un)['’]", re.IGNORECASE)
_ASKING = re.compile(r"(?:cosa|che|qual[ei]?|what|which)\b", re.IGNORECASE)
_OF = {"of", "the", "di", "d", "del", "dell", "della"}
_DONE = re.compile(r"(?:\b(?:can|could|may|might|will|would|shall|should|must)|['’]ll)\s+$", re.IGNORECASE)


_GUESS = 0.6
_TIME = re.compile(r"\b(?:today|tomorrow|tonight|now|oggi|domani|stasera|subito)\b", re.IGNORECASE)
_PART_OF_DAY = re.compile(r"\b(?:morning|afternoon|evening|night|weekend)\b", re.IGNORECASE)
_MANY = re.compile(r"^(?:gli|i|le|dei|degli|delle|quest[ie]|quei|quegli)\s", re.IGNORECASE)
_BARE = re.compile(r"di [a-zà-ù]", re.IGNORECASE)
_TO = re.compile(r"to [a-z]")
_WORDS = re.compile(r"(?!(?:please|thanks?|you|per|favore|grazie)\b)\b[^\W\d_]+", re.IGNORECASE)
_STANDS_IN = re.compile(r"\b(?:quell[oaie]|quel|the one)\b", re.IGNORECASE)


def _unfit(offered: list[str], text: str, first: int, last: int) -> bool:
    """True if an ordinal does not fit: several things, a day, next to a word that stands in."""
    phrase, led = text[first:last], text[:first].lower().rstrip().endswith((" in", " at"))
    led = led or text[:first].lower().strip() in ("in", "at")
    alone = not _WORDS.search(text[:first] + text[last:]) and " " in phrase  # tomorrow evening
    return bool(
        any(map(_MANY.match, (phrase, *offered)))
        or (_TIME.search(phrase) and not alone)
        or _BARE.match(phrase)
        or any(map(_TO.match, offered))
        or (led and _PART_OF_DAY.search(phrase))
        or _STANDS_IN.search(phrase)
    )


class PointingBack:
    """The alternative that the answer names, by its ordinal: `Rome or Milan?` `Milan`, then `the second`."""

    test, language, needs = "ST-10", ANY_LANGUAGE, ("anaphora",)

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        parts = pack.get("anaphora")
        small = set(pack.get("function_words"))
        heads = set(parts.heads)
        offered = alternatives(utterance.previous or "", parts.alternatives, heads)
        chosen = _chosen(offered, utterance.text, small, heads)
        if chosen is None:
            return
        rank, start, end = chosen
        start, end = _repeated(utterance.text, start, end, utterance.previous or "", small)
        gender = pack.get("gender_of_phrase")(offered[rank]) if pack.has("gender_of_phrase") else ""
        for phrase, rule, confidence in _phrases(parts, rank, len(offered), gender):
            put = pack.get("pointing_phrase") if pack.has("pointing_phrase") else _plain
            where = put(utterance.text, start, end, phrase)
            if where is None:
                continue
            first, last, after = where
            unsuited = _holds_ordinal(offered, parts.ordinals) or _STANDS_IN.search(utterance.text[:first])
            if unsuited or _unfit(offered, utterance.text, first, last) or after.endswith(" modo"):
                confidence = min(confidence, _GUESS)
            change = edit(utterance.text, first, last, placed(utterance.text, first, after))
            yield Substitution((change,), rule, confidence)

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "the previous turn offers no choice, or the utterance names none of the alternatives"


def _holds_ordinal(offered: list[str], ordinals: Iterable[str]) -> bool:
    """True if an alternative itself has a first or second, so that an ordinal would be ambiguous."""
    ordinal_forms = {form for ordinal in ordinals for form in ordinal.split("/")}
    return any(word.lower in ordinal_forms for alternative in offered for word in words_of(alternative))


def alternatives(turn: str, between: list[str], heads: set[str]) -> list[str]:
    """Alternatives that a system turn offers, in its order; empty if there are none.

    Numbered lists, and words joined by commas and `or`: the stem of the question before the first is cut.
    """
    numbered = re.findall(r"(?:^|\s)\d[.):]\s*(.+?)(?=(?:[;,]?\s+\d[.):]\s)|$)", turn)
    if len(numbered) > 1:
        return [alternative.strip(" ,;.?") for alternative in numbered]
    joint = "|".join(map(re.escape, between))
    question = [
        sentence
        for sentence in re.split(r"(?<=[.!?])\s+", turn)
        if re.search(rf"\b(?:{joint})\b", sentence, re.IGNORECASE)
    ]
    if not question:
        return []
    clause = re.split(r"[:;]", question[-1].rstrip(" ?!."))[-1]
    parts = re.split(rf"\s*,\s*(?:(?:{joint})\s+)?|\s+(?:{joint})\s+", clause, flags=re.IGNORECASE)
    parts = [part.strip() for part in parts if part and part.strip()]
    if len(parts) < 2:
        return []
    longest = len(parts[-1].split()) + 1  # a longer part holds the question before the first alternative
    stem = max((place for place, part in enumerate(parts[:-1]) if len(part.split()) > longest), default=0)
    parts = parts[stem:]
    question = len(parts) > 2 and _ASKING.match(parts[0])
    if question and (all(map(_ARTICLE.match, parts[1:])) or len(parts[0].split()) > 2):
        parts = parts[1:]
    asking = " ".join(parts[0].split()[-len(parts[1].split()) - 1 :])
    short = [*parts[1:-1], _without_tail(parts[-1], parts[-2])]  # or Friday evening better for you
    if _OPEN.search(asking) or any(map(_CLAUSE.search, short)):
        return []
    offered = [_without_stem(parts[0], parts[1], heads), *parts[1:-1], _without_tail(parts[-1], parts[-2])]
    real = all(
        len(alternative.split()) <= _LONGEST and not _OPEN.search(alternative) for alternative in offered
    )
    return offered if real else []


def _without_stem(first: str, second: str, heads: set[str]) -> str:
    """The first alternative without the question before it: as long as the second, but for a shared head."""
    words = first.split()
    if second.split()[-1].lower() in heads and words[-1].lower() not in heads and len(second.split()) > 1:
        second = " ".join(second.split()[:-1])
    like = second.split()[0].lower()
    led = [place for place, word in enumerate(words) if _ARTICLE.match(word)]
    if led and _ARTICLE.match(like):  # anche l'indirizzo o il codice postale
        return " ".join(words[led[-1] :])
    for place in range(len(words) - 1, -1, -1):
        if words[place].lower() == like and len(second.split()) > 1:
            return " ".join(words[place:])
    return " ".join(words[-len(second.split()) :])


def _without_tail(last: str, before: str) -> str:
    """The last alternative, hardly longer than the one before it; but what stands behind `of` stays."""
    words = last.split()
    end = max(len(before.split()) + 1, 2)
    while end < len(words) and (words[end - 1].lower() in _OF or words[end].lower() in _OF):
        end += 1
    return " ".join(words[:end])


def _chosen(offered: list[str], text: str, small: set[str], heads: set[str]) -> tuple[int, int, int] | None:
    """(rank, start, end) of the one alternative that the answer names: by words that only it has."""
    content_words = [word for word in words_of(text) if word.lower not in small]
    candidates: list[tuple[int, int, int, int]] = []
    for rank, alternative in enumerate(offered):
        other_words = {
            word.lower
            for place, other_alternative in enumerate(offered)
            if place != rank
            for word in words_of(other_alternative)
        }
        own_words = {word.lower for word in words_of(alternative)} - small
        telling = [word for word in content_words if word.lower in own_words - other_words - heads]
        if not telling:
            continue
        inside = [word for word in content_words if word.lower in own_words | heads]
        start, end = _run(inside, telling[0], text, small, own_words)
        befores = text[:start], text[: telling[0].start]
        if not any(pattern.search(before) for pattern in (_DENIED, _DONE) for before in befores):
            candidates.append((len(telling), rank, start, end))
    if not candidates or len({candidate[1] for candidate in candidates}) > 1:
        return None
    return candidates[0][1:]


def _run(inside: list[Word], telling: Word, text: str, small: set[str], own: set[str]) -> tuple[int, int]:
    """The words of the alternative that stand side by side around the one that tells.

    A head that is none of them belongs to it where nothing or `of` is between: not a place `in` the north.
    """

    def beside(one: Word, other: Word) -> bool:
        between = text[one.end : other.start]
        joints = small if {one.lower, other.lower} <= own else small & _OF
        small_words = all(word.lower in joints for word in words_of(between))
        return small_words and not re.search(r"[^\w\s’']", between)

    first = last = inside.index(telling)
    while first > 0 and beside(inside[first - 1], inside[first]):
        first -= 1
    while last + 1 < len(inside) and beside(inside[last], inside[last + 1]):
        last += 1
    return inside[first].start, inside[last].end


def _repeated(text: str, start: int, end: int, turn: str, small: set[str]) -> tuple[int, int]:
    """The run with the words beside it that stand beside it in the question, too: `modern European`."""
    match = re.search(rf"\b{re.escape(text[start:end])}\b", turn, re.IGNORECASE)
    if match is None:
        return start, end
    lead, before = words_of(text[:start]), words_of(turn[: match.start()])
    if lead and [word.lower for word in lead] == [other_word.lower for other_word in before[-len(lead) :]]:
        start = start if {word.lower for word in lead} & small else lead[0].start
    after, grown = turn[match.end() :], end
    for mine, theirs in zip(words_of(text[end:]), words_of(after), strict=False):
        beside = text[grown : end + mine.start].isspace() and "," not in after[: theirs.start]
        if not beside or mine.lower != theirs.lower or mine.lower in small:
            break
        grown = end + mine.end
    return start, grown


def _phrases(parts: Any, rank: int, count: int, gender: str) -> Iterator[tuple[str, str, float]]:
    def told(text: str) -> str:
        forms = text.split("/")
        return forms[-1] if gender == "f" else forms[0]

    if rank < len(parts.ordinals):
        ordinal = told(parts.ordinals[rank])
        for place, pattern in enumerate(parts.pointing):
            yield (
                pattern.replace("{ordinal}", ordinal),
                "the ordinal for the alternative",
                0.95 - 0.05 * place,
            )
    if rank == count - 1 and count > 2:
        for form in parts.last:
            yield told(form), "the last for the alternative", 0.8
    if count == 2:
        for pair in parts.pair:
            yield told(pair[rank]), "one of the pair for the alternative", 0.75


def _plain(text: str, start: int, end: int, phrase: str) -> tuple[int, int, str]:
    """An article before the alternative gives way too."""
    article = re.search(
        r"\b(?:the|an?|some|any|in|by|next|this|coming|my|your|our)\s+$", text[:start], re.IGNORECASE
    )
    after = re.match(r"\s+(?:one|ones)\b", text[end:], re.IGNORECASE)
    return article.start() if article else start, end + (after.end() if after else 0), phrase
