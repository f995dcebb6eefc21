"""From a turn to its clauses: the verb of each, what it is done to, where it goes, what is not meant."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final, NamedTuple

from vivavoce_bots.chef.words import (
    CONTAINERS,
    INGREDIENTS,
    LACKS,
    LEXICON,
    NEAR,
    PARTS,
    PLACES,
    PREPARED,
    QUANTITY,
    VERBS,
    WORDS,
)
from vivavoce_bots.dialogue.clauses import without_meanwhile
from vivavoce_bots.dialogue.gist import names_nothing
from vivavoce_bots.dialogue.hearing import Hearing
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.spotting import Span, tokens

_CLITIC: Final = re.compile(r"\w{2,}(?:[aeir]|ce|me)l[aeio]", re.I)
_THERE: Final = re.compile(r"\w{3,}c[ie](?:l[aeio])?", re.I)
_MOST_CLAUSES: Final = 24
_REACH: Final = 4  # words between a preposition or a `not` and what it stands before
_MEANS: Final = re.compile(r"\b(?:i mean|intendo|volevo dire|cioè)\W*$", re.I)
_SHORT: Final = 6  # words of a clause in which one that nobody knows tells no story


_BETWEEN: Final = frozenset(word for one in WORDS.values() for word in one["between"])


class Clause(NamedTuple):
    """What a clause of a turn says.

    action    by its name in the notation; null where there is no verb
    food      what is meant, by its names in the notation; beside: what stands behind a `with`
    boxes     containers that are neither target nor source, where something goes or comes from
    denied    what stands behind a `not`; stopped: the verb does
    it        whether a pronoun stands for a thing; mix: words for what is in a box as one thing
    strange   words for things that this kitchen does not have
    retracts  it takes the place of what was said before: 2 said with a no, 1 with a hesitation
    loose     words tell a story in which things have no part
    onto      the food on or in which it comes; worked: what is to be done to the food before
    first     it comes before what was said ahead of it
    """

    text: str
    action: str | None = None
    quantity: tuple[str, ...] = ()
    food: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    boxes: tuple[str, ...] = ()
    target: str | None = None
    source: str | None = None
    place: str | None = None
    denied: tuple[str, ...] = ()
    amounts: tuple[tuple[str, str], ...] = ()
    stopped: bool = False
    it: bool = False
    mix: bool = False
    every: bool = False
    part: bool = False
    back: bool = False
    out: bool = False
    there: bool = False
    also: bool = False
    strange: tuple[str, ...] = ()
    retracts: int = 0
    loose: bool = False
    into_mix: bool = False
    only: bool = False
    onto: str = ""
    worked: tuple[str, ...] = ()
    first: bool = False

    @property
    def things(self) -> tuple[str, ...]:
        named = (*self.food, *self.boxes, self.target, self.source, self.place)
        return tuple(dict.fromkeys(one for one in named if one))

    @property
    def names_alone(self) -> bool:
        """Whether it names foods by an article, and says nothing else."""
        named = re.match(r"\W*(?:the|il|lo|la|i|gli|le)\b|\W*l'", self.text, re.I) is not None
        rest = (self.action, self.boxes, self.target, self.place, self.denied, self.retracts, self.quantity)
        return named and bool(self.food) and not any((*rest, self.amounts, self.mix, self.also))

    @property
    def is_bare(self) -> bool:
        """Whether it has no verb and no place where anything goes."""
        return bool(self.things or self.strange) and not (
            self.action or self.target or self.place or self.retracts
        )

    @property
    def says(self) -> bool:
        """Whether it says anything of the kitchen."""
        named = self.things or self.denied or self.mix or self.strange or self.onto
        return bool(self.action or named or self.stopped)


def read_clauses(
    sentence: str, hearing: Hearing, language: str, apart: Callable[[str], bool] = lambda _: False
) -> list[Clause]:
    """The clauses of a sentence in their order, without those in which nothing is said.

    apart  whether a piece has no part in it, as what is beyond the robot
    """
    clauses: list[Clause] = []
    retracts = 0
    story = False
    whole = WORDS[language]["tag"].sub("", without_meanwhile(sentence))
    links = ["", *PARTS[language].findall(whole)]
    for link, piece in zip(links, PARTS[language].split(whole)[:_MOST_CLAUSES], strict=False):
        if not re.search(r"\w", piece) or apart(piece):
            continue
        begins = WORDS[language]["marks"].match(piece)
        if begins:
            retracts = max(retracts, 2 if WORDS[language]["strong"].search(begins[0]) else 1)
            piece = piece[begins.end() :]
            if not re.search(r"\w", piece):
                continue
        clause = _clause(piece, hearing, language)
        bare = not (clause.action or clause.target or clause.place)
        if story and link.isalpha() and bare:
            continue  # I have eggs and flour
        story = clause.loose and bool(clause.things) and tells(piece, language)
        number = in_digits(piece.strip(" .!?"), language, ordinals=False)
        count = re.fullmatch(WORDS[language]["of_them"], number)
        if count or (retracts and number.isdigit()):  # take two eggs, no, three; carrots, two of them
            number = count[1] if count else number
            clause = Clause(number, amounts=(("", number),))
        if (clause.says or clause.amounts) and not clause.loose:
            first = WORDS[language]["first"].search(piece) is not None
            clauses.append(clause._replace(retracts=0 if first else retracts, first=first))
            retracts = 0
    means = bool(clauses) and _MEANS.search(sentence) is not None  # the sauce, I mean
    if retracts and not means and not sentence.rstrip().endswith("?"):
        clauses.append(Clause("", retracts=retracts))
    return _joined(clauses)


def tells(piece: str, language: str) -> bool:
    """Whether a piece tells what somebody does or did."""
    return WORDS[language]["told"].search(piece) is not None


def _clause(piece: str, hearing: Hearing, language: str) -> Clause:
    words = WORDS[language]
    said = tokens(piece)
    spans = LEXICON[language].find(piece, said)
    verb = _verb(piece, language)
    start = len(tokens(piece[: verb.start()])) if verb else len(said)
    end = start + len(tokens(verb[0])) if verb else 0
    spans = [span for span in spans if span.end <= start or span.start >= end] if verb else spans
    told = tells(piece[: verb.start()] if verb else piece, language)
    kinds = {span.entry.kind for span in spans}
    quantity = QUANTITY.search(piece)
    things = [span for span in spans if span.entry.kind == "thing"]
    feeds = any(one.entry.value in INGREDIENTS and one.entry.value != "cucchiaio" for one in things)
    measured = set(tokens(quantity[0])) if quantity and (feeds or verb) else set[str]()
    things = [
        one
        for one in things
        if one.entry.value != "cucchiaio" or (verb and not feeds and not measured & {"cucchiaio", "spoon"})
    ]
    purposes = [
        one
        for one in things
        if one.entry.value in INGREDIENTS and one.start > 0 and _before(said, one, words["for"], start, end)
    ]
    things = [one for one in things if one not in purposes or len(purposes) == len(things)]
    denied = [one for one in things if _before(said, one, words["not"], start, end)]
    into_mix = any(
        span.entry.kind == "mix" and _before(said, span, words["into"], start, end) for span in spans
    )
    denied += [one for one in things if one not in denied and words["no_behind"].search(piece) and not verb]
    meant = [one for one in things if one not in denied]
    food = [one for one in meant if one.entry.value in INGREDIENTS]
    clitic = verb is not None and _CLITIC.fullmatch(verb[0].split()[0]) is not None
    before = verb is not None and start > 0 and said[start - 1] in words["proclitics"]
    points = "it" in kinds or clitic or before
    onto = [
        one
        for one in food
        if (len(food) > 1 or points or not verb) and _before(said, one, words["onto"], start, end)
    ]
    food = [one for one in food if one not in onto]
    into_box = any(
        one.entry.value in CONTAINERS and _before(said, one, words["into"], start, end) for one in things
    )
    beside = [
        one
        for one in food
        if (verb or into_box) and _before(said, one, words["with"], start, end, _BETWEEN | measured)
    ]
    boxes = [one for one in meant if one.entry.value in CONTAINERS]
    source = [
        one
        for one in (*boxes, *meant)
        if one.entry.value not in INGREDIENTS and _before(said, one, words["from"], start, end)
    ]
    target = [box for box in boxes if box not in source and _before(said, box, words["into"], start, end)]
    places = [one for one in meant if one.entry.value in PLACES]
    explained = {at for span in spans for at in range(span.start, span.end)} | set(
        range(start, end) if verb else ()
    )
    rest = [
        at
        for at, word in enumerate(said)
        if at not in explained
        and word not in measured
        and word not in hearing.small
        and not in_digits(word, language).isdigit()
    ]
    known = {
        at for one in hearing.find(piece)[1] if one.entry.kind == "aside" for at in range(one.start, one.end)
    }
    unknown = [at for at in rest if at not in known and not names_nothing(said[at], language)]
    before_it = words["naming"] | words["into"]
    lacks = [at for at in rest if said[at] in LACKS[language] and not _after(said, at, words["not"])]
    into_near = [at for at in range(len(said)) if said[at] in NEAR and _after(said, at, words["into"])]
    lacks += [at for at in into_near if at not in lacks and at not in explained]
    if verb:  # a fork to stir with is no matter; no tin in: you useless tin
        lacks = [at for at in lacks if not _after(said, at, words["with"])]
        lacks = [at for at in lacks if not _after(said, at, words["for"])]
        lacks = [at for at in lacks if at <= end or _after(said, at, before_it)]
    governed = [at for at in unknown if verb and at >= end and (at == end or said[at - 1] in words["naming"])]
    alone = [at for at in governed if not _after(said, at, words["with"])]
    alone = alone if verb and not (meant or kinds & {"mix", "it", "every"}) and len(said) <= _SHORT else []
    stopped = bool(verb) and any(word in words["not"] for word in said[max(0, start - _REACH) : start])
    edges = {at for one in things for at in (one.start - 2, one.start - 1, one.end)}
    strangers = [at for at in unknown if at not in lacks and (at not in edges or len(said) > _SHORT)]
    measured_food = bool(quantity) and feeds and len(said) <= _SHORT + _REACH
    strangers = [] if measured_food else strangers
    taken_from = verb is None and not told and any(one.entry.value in PLACES for one in source)
    only_from = bool(source) and not taken_from and not (food or target or places)
    loose = told or (
        verb is None and (bool(strangers) or only_from or words["copula"].search(piece) is not None)
    )
    action = "togliere" if taken_from else _action(verb[0], language) if verb and not told else None
    where = next((place.entry.value for place in reversed(places) if place not in source), None)
    if verb is None and not loose and not purposes:  # the pan on, butter in
        if food and not (boxes or where) and words["in_behind"].search(piece):
            action = "aggiungere"
        elif boxes and not (food or where) and words["on_behind"].search(piece):
            action, where = "mettere", "fuoco"
    with_it = not food and (bool(verb and measured) or ("there" in kinds and bool(target)))  # onto it
    return Clause(
        text=piece.strip(),
        action=action,
        quantity=(" ".join(quantity[1].split()),) if quantity and feeds else (),
        food=_values(one for one in food if one not in beside),
        beside=_values(beside),
        boxes=_values(box for box in boxes if box not in (*source, *target)),
        target=target[-1].entry.value if target else None,
        source=source[-1].entry.value if source else None,
        place=where,
        denied=_values(denied),
        amounts=_amounts(said, food, language),
        stopped=stopped,
        it=points or with_it,
        mix="mix" in kinds and not (into_mix and verb),
        loose=loose,
        every="every" in kinds,
        part="part" in kinds,
        also="also" in kinds,
        out="out" in kinds,
        back="back" in kinds or words["again"].search(piece) is not None,
        there="there" in kinds or (verb is not None and _adds_there(verb[0], language)),
        strange=tuple(dict.fromkeys(said[at] for at in (lacks or alone))),
        into_mix=into_mix,
        only="only" in kinds,
        worked=_worked(said, food, language),
        onto=(onto[-1].entry.value or "") if onto else "",
    )


def _adds_there(verb: str, language: str) -> bool:
    return language == "it" and _THERE.fullmatch(verb) is not None


def _values(spans: Iterable[Span]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(span.entry.value or "" for span in spans))


def _before(
    said: Sequence[str],
    span: Span,
    words: frozenset[str],
    start: int,
    end: int,
    between: Collection[str] = _BETWEEN,
) -> bool:
    """Whether one of some words stands shortly before a thing, with nothing but small words between."""
    for at in range(span.start - 1, max(-1, span.start - 1 - _REACH), -1):
        if start <= at < end:
            return False
        if said[at] in words:
            return True
        if said[at] not in between:
            return False
    return False


def _after(said: Sequence[str], at: int, words: frozenset[str]) -> bool:
    return any(word in words for word in said[max(0, at - 2) : at])


def _amounts(said: Sequence[str], food: Sequence[Span], language: str) -> tuple[tuple[str, str], ...]:
    """How many of a food, where that was said."""
    found: list[tuple[str, str]] = []
    for one in food:
        near = [
            in_digits(word, language, ordinals=False) for word in said[max(0, one.start - 3) : one.end + 2]
        ]
        numbers = [word for word in near if word.isdigit()]
        single = one.start > 0 and said[one.start - 1] in ("un", "uno", "una", "un'", "a", "an")
        if numbers or single:
            found.append((one.entry.value or "", numbers[0] if numbers else "1"))
    return tuple(found)


def _worked(said: Sequence[str], food: Sequence[Span], language: str) -> tuple[str, ...]:
    """What is to be done to foods before, by the words beside them: grated cheese."""
    near = {
        word
        for one in food
        for word in (*said[max(0, one.start - 1) : one.start], *said[one.end : one.end + 1])
    }
    return tuple(action for action, words in PREPARED[language].items() if near & words)


def _joined(clauses: Sequence[Clause]) -> list[Clause]:
    """Clauses of a sentence that say one thing: flour and eggs into the bowl; the potatoes, peel them."""
    found: list[Clause] = []
    for clause in clauses:
        last = found[-1] if found else None
        if last is not None and last.denied and not last.things and clause.action == "togliere" and clause.it:
            found[-1] = clause._replace(
                food=last.denied, denied=last.denied, it=False
            )  # the salt, no: take it out
            continue
        if (
            last is None
            or clause.retracts
            or clause.denied
            or last.denied
            or last.stopped
            or (clause.strange and last.action)
        ):
            found.append(clause)
            continue
        bare = not (last.action or last.target or last.place or last.mix or last.strange)
        names = bool(last.food or last.boxes) and bare
        goes_on = len(found) > 1 and bool(found[-2].target)  # oil into the pan, and garlic, and fry it
        if names and clause.action and clause.it and not clause.food and not last.retracts and not goes_on:
            found[-1] = clause._replace(
                food=last.food,
                boxes=(*last.boxes, *clause.boxes),
                it=False,
                amounts=last.amounts,
                quantity=(*last.quantity, *clause.quantity),
                retracts=last.retracts,
            )
        elif last.food and bare and not last.boxes and not clause.action and clause.food and not clause.place:
            found[-1] = _both(last, clause)
        elif (
            last.action
            and last.food
            and not (last.target or last.place or last.boxes)
            and not clause.action
            and clause.food
            and not (clause.boxes or clause.place)
        ):  # add salt and butter to the pan
            found[-1] = _both(last, clause)
        elif (
            last.target
            and not (last.action or last.food or clause.action or clause.boxes)
            and clause.food
            and not (clause.target or last.it)
        ):
            found[-1] = _both(last, clause)  # in the bowl, the milk
        elif (
            last.action == "prendere" and clause.boxes and not (clause.action or clause.food or clause.place)
        ) or (
            last.action
            and last.boxes
            and clause.boxes
            and not (clause.action or clause.food or last.food or last.place)
        ):
            found[-1] = _both(last, clause)
        else:
            found.append(clause)
    return found


def _both(first: Clause, then: Clause) -> Clause:
    return first._replace(
        food=tuple(dict.fromkeys((*first.food, *then.food))),
        boxes=tuple(dict.fromkeys((*first.boxes, *then.boxes))),
        beside=(*first.beside, *then.beside),
        amounts=(*first.amounts, *then.amounts),
        quantity=(*first.quantity, *then.quantity),
        target=then.target or first.target,
        place=then.place or first.place,
        it=first.it or then.it,
    )


def _verb(piece: str, language: str) -> re.Match[str] | None:
    """The first verb that commands, in its longest words: `take off` is not `take`."""
    found = [
        match
        for form in VERBS[language].values()
        for match in form.finditer(piece)
        if not WORDS[language]["no_command"].fullmatch(match[0])
        and not WORDS[language]["no_verb"].search(piece[: match.start()])
        and not WORDS[language]["not_by_me"].match(piece[match.end() :])
    ]
    return min(found, key=lambda match: (match.start(), -len(match[0]))) if found else None


def _action(verb: str, language: str) -> str | None:
    return next((name for name, form in VERBS[language].items() if form.fullmatch(verb)), None)
