"""An utterance as clauses: what is to be done, and to which devices; what one lacks it takes from others."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from vivavoce_bots.dialogue.hearing import Hearing
from vivavoce_bots.dialogue.spotting import LONGEST_TEXT, Span
from vivavoce_bots.house.reference import Reader, Reference

_MOST: Final = 12
_AND: Final = ("and", "but", "so", "e", "ma")
_OR_ELSE: Final = ("or", "o", "oppure")
_DID: Final = ("did", "have", "has", "ha", "hai", "avete")
_TELLING: Final = ("i", "we", "she", "he", "they", "ho", "abbiamo")
_WHO: Final = ("who", "why", "chi", "perche")
_CHUNKS: Final = re.compile(r"[.;:!\n]+|,(?!\d)|(?<=\?)")


ON_NOW: Final = {
    "en": re.compile(
        r"\b(?:what(?:'s| is| are)?(?: \w+){0,3} (?:switched |turned )?on (?:in|here|(?:right |just )?now"
        r"|at the moment)"
        r"|what (?:have|did) you (?:left|leave) on|what(?:'s| is) still on"
        r"|(?:is there |is )?anything (?:is |still )?(?:switched |turned )?on)\b"
        r"(?![^.!]*\b(?:tv|box|telly|television|tonight|channel|later|worth|good|interesting)\b)",
        re.I,
    ),
    "it": re.compile(
        r"\b(?:(?:che )?cosa (?:è|c'è|ho|hai)(?: rimasto| di)* acceso"
        r"|c'è (?:ancora )?qualcosa (?:di |che è )?acceso|è acceso qualcosa|quali? \w+ (?:è|sono) acces\w)",
        re.I,
    ),
}
LAST: Final = {
    "en": re.compile(
        r"\bwhat (?:did|have) (?:you|i|we) (?:just )?(?:do|done|changed?|turn(?:ed)?|switch(?:ed)?|put)\b",
        re.I,
    ),
    "it": re.compile(
        r"\b(?:che )?cosa (?:hai?|abbiamo) (?:appena )?(?:fatto|cambiato|acceso|spento|aperto|chiuso)\b", re.I
    ),
}
"""What was done last, asked for."""
ONE_MORE: Final = re.compile(
    r"\b(?:(?:one|the) (?:more|last|other|final)(?: \w+)? thing|(?:last|another) thing|"
    r"(?:un'(?:altra|ultima)|ultima|l'ultima) cosa|ancora una cosa)\b,?",
    re.I,
)
LEFT: Final = re.compile(r"\b(who|i|you|he|she|we|they|has|have|been) left\b", re.I)  # is no side
REFUSED: Final = {
    "en": re.compile(
        r"\b(?:i (?:told you|said),? )?(?:no|not the|(?:i )?(?:don't|do not) want (?:any|the)|leave|did i say"
        r"|nothing (?:more )?with|(?:i )?(?:didn't|did not|never) (?:say|said|mention(?:ed)?|ask(?:ed)? for)"
        r"(?: a| any| anything about)?) (?:the )?(?:blinds?|lamps?|lights?|fan|television|telly|tv|radio)\b"
        r"(?: alone)?(?=\W*(?:[.,;!?]|please|$))\??",
        re.I,
    ),
    "it": re.compile(
        r"\b(?:ma )?(?:che|quale|macché) (?:tapparell[ae]|lampad[ae]|luc[ei]|ventilatore)(?=!|\?!|\.)"
        r"|\bnon ho (?:detto|chiesto|parlato di)(?: la| le| il| una)?"
        r" (?:tapparell[ae]|lampad[ae]|luc[ei]|ventilatore|televisione|tele|tv|radio)\b"
        r"|\b(?:niente|nessun[ao]?|non voglio(?: le| la| il)?|lasci\w*(?: stare| perdere)?(?: le| la| il))"
        r" (?:tapparell[ae]|lampad[ae]|luc[ei]|ventilatore|televisione|tele|tv|radio)\b"
        r"(?=\W*(?:[.,;!?]|per|$))"
        r"|\b(?:le|la|il) (?:tapparelle|lampade|lampada|luci|ventilatore|televisione|tv|radio)\W+"
        r"(?:lasci\w+|lasci\w* stare)(?: stare| perdere| così)?",
        re.I,
    ),
}
"""Devices that are not to be touched."""
ANYONE: Final = {
    "en": re.compile(
        r"\b(?:any (?:one|lamp|light|of (?:them|those|these))|whichever|(?:you )?(?:choose|pick one|decide)"
        r"|(?:doesn't|does not) matter which|(?:don't|do not) (?:care|mind) which|all the same)\b",
        re.I,
    ),
    "it": re.compile(
        r"\b(?:un[ao] (?:qualsiasi|qualunque|a caso)|(?:scelga|decida|faccia) lei|(?:scegli|decidi|fai) tu"
        r"|quella che (?:vuole|vuoi|preferisce)|è (?:uguale|lo stesso)|fa lo stesso)\b",
        re.I,
    ),
}
"""That any one of several will do."""
KEEPS: Final = re.compile(r"(?:i (?:told you|said),? )?(?:leave|nothing|niente|lasci)|.*\b(?:lasci\w+)", re.I)
"""Such words that ask for no more than that nothing be done."""
THERE: Final = re.compile(r"\b(?:there|lì|là)\b", re.I)
_OR: Final = re.compile(r"\b(?:or|o|oppure)\b", re.I)
_DESCRIBED: Final = re.compile(
    r"\b(?:is|are|s|re|was|were|sono|era|erano|resta|restano|sta|stanno)"
    r"(?: (?:still|already|all|both|always|ancora|gia|sempre|tutte|tutti))*$"
)
"""What stands before a word of a deed that only tells how things are."""
_REACH: Final = 3
_BEGINS: Final = 1  # words before a command
_PLEASE: Final = frozenset(
    ("please", "can", "could", "would", "want", "puoi", "può", "potrebbe", "vorrei", "favore")
)
_GRADES: Final = ("dim", "faster", "slower", "louder", "softer")
_FEW: Final = 4  # words of a clause that says nothing else
_SENTENCES: Final = re.compile(r"(?<=[.!?])\s+")
WISHES: Final = {"wish_lamp": ("lamp", "on"), "wish_fan": ("fan", "on"), "wish_blind": ("blind", "close")}


@dataclass(frozen=True)
class Clause:
    """One thing that was said: what to do, with what, and the other phrases in it; `loose`: and more.

    early  whether the deed stands where a command begins
    """

    deed: str | None
    reference: Reference
    kinds: tuple[str, ...]
    said: tuple[str, ...]
    asks: bool = False
    follows: bool = False
    loose: bool = False
    early: bool = False

    def did(self, *kinds: str) -> bool:
        return any(kind in self.kinds for kind in kinds)

    @property
    def placed(self) -> bool:
        """Whether it says which device it means by more than a pronoun."""
        return bool(self.reference.placed or self.reference.kind)


def decided(text: str, places: Callable[[str], bool]) -> str:
    """A text without the question between two that its next sentence settles: left or right? The left one."""
    sentences = [one for one in _SENTENCES.split(text) if one]
    settled = [places(sentence) and not sentence.rstrip().endswith("?") for sentence in sentences]
    between = [
        sentence.rstrip().endswith("?") and _OR.search(sentence) and places(sentence)
        for sentence in sentences
    ]
    left = [at for at, one in enumerate(between) if one and any(settled[at + 1 :])]
    left += [at - 1 for at in left if at and sentences[at - 1].rstrip().endswith("...")]  # right... right or
    return " ".join(one for at, one in enumerate(sentences) if at not in left)


def read_clauses(text: str, hearing: Hearing, reader: Reader, of_kind: str | None = None) -> list[Clause]:
    """The clauses of an utterance in their order, twelve at most.

    of_kind  the kind of device that was spoken of before
    """
    clauses: list[Clause] = []
    for chunk in _CHUNKS.split(text[:LONGEST_TEXT]):
        said, spans = hearing.find(chunk)
        for number, (words, part) in enumerate(_parted(said, spans)):
            kind = next((one.reference.kind for one in reversed(clauses) if one.reference.kind), of_kind)
            clause = _clause(words, part, reader, kind, question=chunk.rstrip().endswith("?"))
            joined = _refined(clauses[-1], clause) if clauses and not number else None
            if joined is not None:
                clauses[-1] = joined
            else:
                denied = bool(clauses) and clauses[-1].did("negate", "not", "meant")
                clauses.append(replace(clause, follows=denied))
        if len(clauses) >= _MOST:
            break
    return _completed([one for one in clauses[:_MOST] if one.kinds or one.said])


def _parted(said: list[str], spans: list[Span]) -> list[tuple[list[str], list[Span]]]:
    """The parts between `and`s; what stands between two things stays in one part."""
    parts: list[tuple[list[str], list[Span]]] = []
    start, held, between = 0, [], False
    for span in spans:
        if span.entry.kind == "and" and not between:
            parts.append((said[start : span.start], _moved(held, start)))
            start, held = span.end, []
            continue
        between = (between or span.entry.slot == "between") and span.entry.kind != "and"
        if span.entry.kind != "and":
            held.append(span)
    parts.append((said[start:], _moved(held, start)))
    return [part for part in parts if part[0]]


def _moved(spans: Sequence[Span], by: int) -> list[Span]:
    return [Span(span.start - by, span.end - by, span.entry) for span in spans]


def _clause(
    said: list[str], spans: list[Span], reader: Reader, of_kind: str | None, *, question: bool
) -> Clause:
    kinds = tuple(dict.fromkeys(span.entry.kind for span in spans))
    deeds = [at for at, span in enumerate(spans) if span.entry.kind == "deed"]
    telling = [at for at in deeds if spans[at].entry.slot != "watch"]  # `put some music on`
    at = next(iter(telling or deeds), None)
    deed = spans[at].entry.slot if at is not None else None
    if any(span.entry.kind == "not" for span in spans[: at or 0]):
        kinds = (*kinds, "dont")  # never switch it on
    slots = [spans[one].entry.slot for one in deeds]
    if deed in ("on", "lower", "raise", "open", "close"):  # the fan on, full blast
        deed = next((slot for slot in slots if slot in _GRADES), deed)
    described = deed is not None and _DESCRIBED.search(" ".join(said[: spans[at or 0].start][-_REACH:]))
    if described and not question:
        kinds = (*kinds, "described")  # the blinds are still down
    undecided = question and len(set(slots)) > 1 and _OR.search(" ".join(said)) is not None
    deed = None if undecided else deed  # is it louder or lower now?
    reference = reader.read(said, spans, of_kind)
    if "dont" in kinds and question and deed is None:
        kinds = tuple(kind for kind in kinds if kind != "dont")  # don't touch what?
    if "dont" in kinds and not (deed or reference.said or len(said) <= _FEW):
        kinds = tuple(kind for kind in kinds if kind != "dont")  # don't make me laugh
    begins = bool(spans) and spans[0].entry.kind in ("asks", "what") and spans[0].start <= 1
    asks = ("asks" in kinds and (begins or question)) or ("what" in kinds and "asks" in kinds)
    first = next((word for word in said if word not in _AND), "")
    asks = asks or (bool(described) and question)  # it's on?
    asks = asks or undecided or (question and first in _WHO)  # who left it on?
    asks = asks or (question and deed is not None and said[0] in _OR_ELSE and len(said) <= _FEW)  # or closed?
    asks = asks or (question and deed is not None and first in _DID)  # have you switched it on?
    if undecided and not reference.said:
        reference = replace(reference, it=True)
    asks = asks and (question or bool(reference.said or deed) or len(said) <= _FEW)  # sono tornata
    covered = {place for span in spans for place in range(span.start, span.end)}
    loose = any(at not in covered and not reader.knows(word) for at, word in enumerate(said))
    early = at is not None and (spans[at].start <= _BEGINS or bool(_PLEASE & {*said[: spans[at].start]}))
    asks = asks or (begins and deed is None)
    return Clause(deed, reference, kinds, tuple(said), asks, loose=loose, early=early)


def _refined(before: Clause, clause: Clause) -> Clause | None:
    """A clause that only says where, behind a comma, tells more of the device before it."""
    told, more = before.reference, clause.reference
    if told.said and more.every and set(clause.kinds) <= {"all", "them"} and not clause.loose:
        return replace(before, reference=replace(told, every=True))  # the living room! all of them!
    if before.deed and not told.said and more.every and set(clause.kinds) <= {"all", "them"}:
        return replace(before, reference=more)  # down, both of them
    only_where = set(clause.kinds) <= {"room", "thing", "side", "relation"} and bool(clause.kinds)
    if not only_where or clause.loose or not told.said or (told.rooms and more.rooms) or more.strange:
        return None
    joined = replace(
        told, rooms=told.rooms | more.rooms, sides=told.sides + more.sides, places=told.places + more.places
    )
    return replace(before, reference=joined)


def _completed(clauses: list[Clause]) -> list[Clause]:
    """Clauses that name devices and no deed take that of the clause before, or else that of the next."""
    deed: str | None = None
    for at, clause in enumerate(clauses):
        stops = clause.did("dont", "negate", "not", "meant") or clause.asks
        stops = stops or (clause.deed is None and clause.said[:1] != () and clause.said[0] in _TELLING)
        if clause.deed is None and deed and clause.reference.said and not stops:
            plural = clauses[at - 1].reference.plural if not clause.did("kind", "one", "called") else False
            clauses[at] = replace(
                clause,
                deed=deed,
                reference=replace(clause.reference, plural=clause.reference.plural or plural),
            )
        deed = None if stops else clauses[at].deed or deed
    for at in range(len(clauses) - 2, -1, -1):
        clause, after = clauses[at], clauses[at + 1]
        placed = clause.reference.placed and after.reference.it and not after.reference.placed
        placed = placed and (after.deed not in ("open", "close") or clause.reference.kind == "blind")
        names = (clause.did("kind", "plural", "called") or placed) and not clause.did(
            "dont", "negate", "not", "meant"
        )
        speaks = clause.deed is None and names and not clause.asks and after.asks
        if speaks and not (after.placed or after.loose or clause.loose):  # the blinds, are they closed?
            clauses[at] = replace(after, reference=clause.reference, kinds=(*after.kinds, *clause.kinds))
            del clauses[at + 1]
            continue
        if clause.deed is None and after.deed and names and not (clause.asks or after.asks):
            clauses[at] = replace(clause, deed=after.deed)
            if placed or not (after.reference.said or after.loose or after.asks):
                del clauses[at + 1]  # the blinds, halfway
    return clauses


def in_the_room(clauses: Sequence[Clause], *, about: bool) -> list[Clause]:
    """The clauses, with the one room that is spoken of: the kitchen is dark, switch the lamp on in there.

    about  whether a pronoun has devices to mean
    """
    named = {room for clause in clauses for room in clause.reference.rooms}
    if len(named) == 1 and clauses[-1].reference.rooms:  # the right one off and the left one on, in there
        clauses = [
            replace(clause, reference=replace(clause.reference, rooms=frozenset(named)))
            if clause.deed and clause.reference.sides and not clause.reference.places and not clause.asks
            else clause
            for clause in clauses
        ]
    told = {
        room
        for clause in clauses
        if not clause.deed and not clause.did("not")
        for room in clause.reference.rooms
    }
    if len(told) != 1 or any(clause.deed and clause.reference.rooms for clause in clauses):
        return list(clauses)
    return [
        replace(clause, reference=replace(clause.reference, rooms=frozenset(told)))
        if clause.deed
        and clause.reference.kind
        and not clause.reference.placed
        and not clause.reference.every
        and not (about and clause.reference.it and not clause.did("kind", "plural", "called"))
        else clause
        for clause in clauses
    ]


def with_wishes(clauses: Sequence[Clause]) -> list[Clause]:
    """The clauses, where a wish that says where is a command, and one that only wishes for what another
    names is left out: it's so dark, a light in the kitchen.
    """
    found: list[Clause] = []
    for clause in clauses:
        wish = next((one for one in clause.kinds if one in WISHES), None)
        kind, deed = WISHES[wish] if wish else (None, None)
        where = clause.reference.places or clause.reference.sides or clause.reference.called
        if wish and clause.deed is None and where and not clause.asks:
            kinds = (*(one for one in clause.kinds if one != wish), "kind")
            clause = replace(
                clause, deed=deed, kinds=kinds, reference=replace(clause.reference, kind=kind, bare=False)
            )
        found.append(clause)
    named = {one.reference.kind for one in found if one.deed}
    reason = any(one.deed and one.reference.said for one in found)  # turn it off, it's too bright
    return [
        one
        for one in found
        if one.deed
        or not any(
            wish in one.kinds and (WISHES[wish][0] in named or (reason and wish == "wish_blind"))
            for wish in WISHES
        )
    ]
