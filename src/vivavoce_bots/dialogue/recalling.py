"""What a bot that finds venues says of the conversation itself: what it has noted, which place it named."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from vivavoce_bots.acts import DONTCARE, Act
from vivavoce_bots.dialogue.clauses import gives_up, sentences_of
from vivavoce_bots.dialogue.domain import NAME, TYPE, Domain
from vivavoce_bots.dialogue.gist import pertinent, rewritten
from vivavoce_bots.dialogue.inquiry import Asked, calendar
from vivavoce_bots.dialogue.opening import DAY, HOURS
from vivavoce_bots.dialogue.speech import read_data, speech
from vivavoce_bots.dialogue.state import Session, State
from vivavoce_bots.dialogue.values import DISHES, FOOD, OTHER

Heard = Sequence[tuple[str, float | None]]
_MATTERS: Final = ("inform", "request", "confirm", "reqalts", "suggest", "affirm", "negate", "bye")

_MARKS: Final = re.compile(r"!+\?[!?]*|\?[!?]+")
_FIRST: Final = {
    "en": re.compile(
        r"\bthe (first|second|last) (?:one|place|restaurant|pub|cafe)\b|\bthe (first)\b(?=\W*$)", re.I
    ),
    "it": re.compile(
        r"\b(?:il|del|quello del|al|dal) (primo|secondo|ultimo)(?: posto| ristorante| pub| locale)?\b"
        r"(?! prezzo| piano| turno)",
        re.I,
    ),
}
_ORDER: Final = {"first": 0, "second": 1, "last": -1, "primo": 0, "secondo": 1, "ultimo": -1}
_NAME: Final = re.compile(
    r"\b(?:what(?:'s| is| was) (?:the|its|that) name|"
    r"what(?:'s| is| was) (?:it|that|the \w+|this)(?: \w+)? called|"
    r"which (?:place|one) is (?:it|that)|"
    r"name again|come si chiama\w*(?! (?:la|il|questa|quella) (?:zona|quartiere|parte))|"
    r"(?:qual è|qual era|com'è|com'era|che) (?:il )?nome)\b"
    r"(?! (?:la|il|l'|questa|quella) (?:zona|quartiere|parte))",
    re.I,
)


def with_name(text: str, offered: Sequence[str], language: str) -> str:
    """A text that speaks of the first of several places, with the name of that place."""
    found = _FIRST[language].search(text) if len(offered) > 1 else None
    if found is None:
        return text
    return (
        text[: found.start()]
        + offered[_ORDER[next(filter(None, found.groups())).lower()]]
        + text[found.end() :]
    )


def put_plainly(text: str, language: str, *, moving: bool) -> str:
    """A text whose idioms stand as what they mean: not a fortune, please.

    moving  whether another part of town may be meant: no place is on offer, or its area was refused
    """
    forms = read_data("dining")[language]
    text = rewritten(_MARKS.sub("?", text.replace("’", "'")), forms["plain"])
    return rewritten(text, forms["moving"]) if moving else text


def plain_of(texts: Heard, session: Session[Any], acts: Callable[[str], Sequence[Act]]) -> Heard:
    """The first of several hypotheses without what is told besides, with names for places named before."""
    language = session.language
    name = {"en": "what is the name", "it": "come si chiama"}[language]
    texts = [(_FOUND.sub(name, text), score) for text, score in texts]
    for at, (text, score) in enumerate(texts[:1]):
        named = with_name(text, session.offered, language)
        if session.state.stuck and not session.state.venue and session.offered and asks_of_place(named, acts):
            named = f"{session.offered[-1]}: {named}"  # and where is it?
        texts[at] = pertinent(named, language, lambda one: told_in(one, acts)), score
    return texts


def given_up(text: str, language: str, acts: Callable[[str], Sequence[Act]]) -> bool:
    """Whether somebody gives up, and says nothing of the matter: never mind, I'll look it up."""
    said = sentences_of(text) or [""]
    while len(said) > 1 and _THANKS.fullmatch(said[-1]):
        said.pop()
    last = _LOOSE.sub("", said[-1])
    begins = gives_up(language).match(last)
    rest = last[begins.end() :] if begins else "?"
    told = told_in(rest, acts)
    return "?" not in rest and (not told or (_ELSEWHERE.match(rest) is not None and told <= _ANY_FOOD))


def told_in(text: str, acts: Callable[[str], Sequence[Act]]) -> set[str]:
    """What a text says of the matter, by name."""
    return {f"{act.act} {act.slot}" for act in acts(text) if act.act in _MATTERS and act.slot != OTHER}


_LOOSE: Final = re.compile(
    r"^\W*(?:(?:ok|okay|well|so|then|and|but|oh|no|right|you know what|"
    r"va bene|vabbè|vabbe|beh|allora|ma|e|guardi|senta)\b\W*)+",
    re.I,
)
_THANKS: Final = re.compile(r"\W*(?:thanks|thank you|sorry|grazie|scusi|mi scusi)\b(?: \w+){0,3}\W*", re.I)
_ELSEWHERE: Final = re.compile(
    r"\W*(?:i'?m|i'?ll|i am|i will|we'?ll|we'?re|we are)\b|"
    r"\W*(?:e )?(?:vado|andiamo|ordino|mi faccio|ceno|mangio|mangiamo|ceniamo|rest(?:o|iamo))\b",
    re.I,
)
"""How people begin to tell what they do instead."""
_ANY_FOOD: Final = {"inform food", "inform type"}
_LIST: Final = {
    "en": re.compile(
        r"\b(?:what|which)(?: \w+){0,3} (?:have you got|do you have|is there|are there|"
        r"can i (?:have|choose|get))\b"
        r"|\bwhat(?:'s| is) (?:there|on offer|available)\b|\bwhat have you got\b|\b(?:a|the) list\b"
        r"|\b(?:the|my) (?:choices|options)\b"
        r"|\b(?:which|what) others\b|\bwhich (?:ones )?are (?:they|there)\b",
        re.I,
    ),
    "it": re.compile(
        r"\b(?:che )?cosa (?:c'è|avete|ha|ci sono|offr\w+|posso (?:avere|scegliere|mangiare))\b"
        r"|(?<!è )\bche (?:\w+ )?(?:avete|c'è|ci sono)\b|\bqual[ie](?: \w+)? (?:ci sono|avete|ha)\b"
        r"|\bquali (?:sono|altri|altre)\b|\b(?:la|una) lista\b|\b(?:l'|un )elenco\b|\ble scelte\b",
        re.I,
    ),
}
"""How somebody asks what there is."""


def asks_list(text: str, language: str) -> bool:
    """Whether a turn asks what there is."""
    return _LIST[language].search(text.replace("’", "'")) is not None


_FOUND: Final = re.compile(r"\b(?:what have you found|(?:che )?cosa (?:ha|avete|hai) trovato)\b", re.I)


def asks_of_place(text: str, acts: Callable[[str], Sequence[Act]]) -> bool:
    """Whether a text asks of a place, and says nothing else."""
    found = acts(text)
    return bool(found) and all(one.act == "request" and one.slot != OTHER for one in found)


def asks_name(text: str) -> bool:
    """Whether somebody asks what a place is called."""
    return _NAME.search(text) is not None


def told_name(offered: Sequence[str], language: str) -> str:
    """The place that was named last, where none is on offer now."""
    forms = speech(language).forms
    return forms["named_last"].format(name=offered[-1]) if offered else forms["named_none"]


def recounted(asked: Asked, known: Mapping[str, str], domain: Domain, language: str, booking: str) -> str:
    """The sentence for a question about where the conversation stands.

    booking  what a bot says that books nothing
    """
    if asked == "today":
        return calendar(language)
    if asked in ("done", "next") and booking:
        return booking
    noted = [
        domain.say(slot, value, language) if slot in (TYPE, DAY) else domain.describe(slot, value, language)
        for slot, value in known.items()
        if value != DONTCARE
    ]
    forms = speech(language).forms
    return forms["noted"].format(noted=", ".join(noted)) if noted else forms["noted_nothing"]


def postponed(domain: Domain, state: State, acts: tuple[Act, ...]) -> tuple[Act, ...]:
    """What was asked of a venue before there is one is answered later, or cannot be."""
    if not state.requests or not {act.act for act in acts} <= {
        "request",
        "confirm",
        "select",
        "canthelp",
        "help",
        "inform",
    }:
        return acts
    was = {act for act in state.last if act.act == "canthelp"}
    same = state.stuck and {act for act in acts if act.act == "canthelp"} <= was
    again = tuple(act for act in acts if act.act != "canthelp") if same else acts
    strange = [slot for slot in state.requests if slot not in (NAME, *domain.slots)]
    fresh = [slot for slot in state.requests if slot not in state.promised]
    state.requests = [slot for slot in state.requests if slot not in strange]
    state.promised += [slot for slot in fresh if slot not in strange]
    fresh = [slot for slot in fresh if slot not in strange and slot in domain.slots]
    depends = [slot for slot in fresh if slot in (HOURS, *domain.constraint_slots(None), "price")]
    later = [Act("ack", None, "later")] if depends else []
    helps = [Act("help", FOOD)] if DISHES in strange and state.asking == FOOD else []
    helps = [one for one in helps if Act("request", FOOD) in acts and one not in acts]
    return (*(Act("null", slot) for slot in strange), *later, *helps, *(again or acts))
