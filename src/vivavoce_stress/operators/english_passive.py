"""ST-8 in English: active clauses of requests and questions in the passive."""

import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final

from vivavoce_stress.base import Edit, LanguagePack, Substitution, Utterance
from vivavoce_stress.english_parser import inflected, lowered
from vivavoce_stress.words import edit, placed

_NO_PASSIVE: Final = frozenset(
    {
        "have",
        "suppose",
        "think",
        "be",
        "know",
        "like",
        "want",
        "need",
        "cost",
        "prefer",
        "care",
        "get",
        "eat",
        "happen",
        "go",
        "come",
        "become",
        "seem",
    }
)
_STATES: Final = frozenset(
    ["include", "contain", "last", "mean", "fit", "suit", "lack", "own", "comprise", "involve", "hold"]
)
_SWITCHING: Final = ("turn", "switch", "put", "pick", "fill", "set", "shut")
_TIMES: Final = ("tomorrow", "tonight", "morning", "afternoon", "evening", "night", "week", "month", "year")
_PARTICLES: Final = ("on", "off", "up", "down", "in", "out")
_UNSURE: Final = 0.6
_GUESS: Final = 0.55
_OF_NOUN: Final = ("on", "by", "near", "under", "with", "of")
_AGENTS: Final = {"i": "me", "we": "us", "he": "him", "she": "her", "they": "them", "you": "you", "it": "it"}
_OWN_ACTS: Final = frozenset(
    {  # who wishes them does them: passive, somebody else does
        "adopt",
        "attend",
        "borrow",
        "bring",
        "buy",
        "collect",
        "donate",
        "drink",
        "drive",
        "eat",
        "give",
        "hear",
        "hire",
        "hold",
        "join",
        "learn",
        "leave",
        "lend",
        "meet",
        "pay",
        "play",
        "read",
        "rent",
        "return",
        "see",
        "sell",
        "share",
        "spend",
        "study",
        "take",
        "taste",
        "teach",
        "try",
        "use",
        "view",
        "visit",
        "watch",
        "wear",
        "win",
        "write",
    }
)
_TO_GIVE: Final = frozenset(
    {
        "email",
        "mail",
        "forward",
        "post",
        "text",
        "return",
        "deliver",
        "read",
        "lend",
        "sell",
        "give",
        "show",
        "send",
        "tell",
        "offer",
        "bring",
        "hand",
        "pass",
        "suggest",
        "recommend",
    }
)
_ORDER: Final = "order in the passive"
_ASKING: Final = ("WDT", "WP", "WRB", "WP$")
_NO_ORDER: Final = frozenset(
    {"tell", "show", "let", "help", "make", "keep", "remind", "give", "wish", "read", "take"}
)
_Made = tuple[int, int, str, str, float]


class EnglishPassive:
    """One verb at a time, over the dependency tree; whatever hangs on the object goes with it."""

    test, language, needs = "ST-8", "en", ("parser",)

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        text = utterance.text
        tree = pack.get("parser").parse(text)
        makers: tuple[Callable[[Any], _Made | None], ...] = (
            _wish,
            _wish_that,
            _request,
            _order,
            _let,
            _statement,
            _duty,
            _helped,
            _search,
            _relative,
            _asked,
        )
        for verb in tree:
            if verb.pos_ not in ("VERB", "AUX") and verb.tag_ != "VB":
                continue
            for make in makers:
                clause = make(verb)
                if clause is not None:
                    start, end, after, rule, confidence = clause
                    confidence = min(confidence, _UNSURE) if _torn(tree, end) else confidence
                    changes = [edit(text, start, end, placed(text, start, after))]
                    changes += _asking(text, end) if rule == _ORDER else []
                    yield Substitution(tuple(changes), rule, confidence, ("spacy", "lemminflect"))

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no verb with an object can be made passive"


def _asking(text: str, end: int) -> list[Edit]:
    """End of a question: its mark, and a new sentence for what a comma joined to it."""
    sign = re.compile(r"[.!;,]|$").search(text, end)
    if sign is None or text[end:].rstrip().endswith("?"):
        return []
    behind = re.match(r"\s*(\w)", text[sign.end() :])
    joined = (
        sign.group() == ","
        and behind is not None
        and not re.match(r"\s*(?:please|thanks)", text[sign.end() :], re.I)
    )
    if sign.group() == "," and not joined:
        last = len(text.rstrip().rstrip(".!"))
        return [edit(text, last, len(text.rstrip()), "?")]
    changes = [edit(text, sign.start(), sign.end() if sign.group() else len(text), "?")]
    if joined and behind is not None:
        place = sign.end() + behind.start(1)
        changes.append(edit(text, place, place + 1, behind.group(1).upper()))
    return changes


def _torn(tree: Any, end: int) -> bool:
    """True if the words after the clause may belong to its object: the house, on Mill Lane."""
    behind = [word for word in tree if word.idx >= end]
    before = [word for word in tree if word.idx < end]
    if not behind or not before or behind[0].is_punct or behind[0].dep_ in ("cc", "conj"):
        return False
    relative = any(word.dep_ in ("relcl", "acl") and word.pos_ in ("VERB", "AUX") for word in before)
    last_is_verb = before[-1].dep_ in ("relcl", "acl")
    timed = any(
        word.lower_.endswith(("day", "days")) or word.lower_ in (*_TIMES, "time") for word in behind[:4]
    )
    return (relative and last_is_verb) or (behind[0].lower_ in _OF_NOUN and not timed)


def _object(verb: Any) -> tuple[Any, Any, Any, Any] | None:
    """(head, first, last, recipient) of the object behind a verb; complements of the verb are left out."""
    if verb.lemma_.lower() in _NO_PASSIVE:
        return None
    things = [child for child in verb.children if child.dep_ in ("dobj", "obj") and child.i > verb.i]
    things = things or [
        child for part in _read_as_preposition(verb) for child in part.children if child.dep_ == "pobj"
    ]
    if not things or things[0].pos_ not in ("NOUN", "PROPN", "NUM"):
        return None
    head = things[0]
    first, last = head.left_edge, head.right_edge
    if any(word.tag_ in _ASKING for word in head.doc[first.i : head.i]):
        return None  # a question is asked of it: find out what cough syrup costs
    recipients = [child for child in verb.children if child.dep_ in ("dative", "iobj") and child.i < head.i]
    recipients += [
        child
        for child in head.children
        if child.pos_ == "PRON" and child.i == verb.i + 1 and child.dep_ != "poss"
    ]
    if recipients and first.i <= recipients[0].i:
        first = recipients[0].nbor(1)
    last = _without_time(head, last)
    while last.is_punct or last.lower_ in ("please", "too", "either"):
        last = last.nbor(-1)
    if last.dep_ == "cc" or first.i > last.i:  # the parser lost what is joined to it
        return None
    return head, first, last, recipients[0] if recipients else None


def _without_time(head: Any, last: Any) -> Any:
    """End of an object without a time that the parser attached to it: recipes on Wednesdays."""
    hung = [child for child in head.children if child.i > head.i and child.dep_ in ("prep", "npadvmod")]
    if not hung or hung[-1].lower_ == "of" or hung[-1].right_edge.i != last.i:
        return last
    timed = any(word.lower_.endswith(("day", "days")) or word.lower_ in _TIMES for word in hung[-1].subtree)
    return hung[-1].left_edge.nbor(-1) if timed else last


def _read_as_preposition(verb: Any) -> list[Any]:
    """The particle of a verb that switches things, taken for a preposition: turn on the lights."""
    parts = [child for child in verb.children if child.dep_ == "prep" and child.i == verb.i + 1]
    return parts if parts and verb.lemma_.lower() in _SWITCHING and parts[0].lower_ in _PARTICLES else []


def _span(first: Any, last: Any) -> str:
    words = first.doc[first.i : last.i + 1].text
    return lowered(first) + words[len(first.text) :]


def _is_plural(head: Any) -> bool:
    return head.tag_ in ("NNS", "NNPS") or any(child.dep_ == "conj" for child in head.children)


def _participle(verb: Any) -> str:
    return inflected(verb.lemma_.lower(), "VBN")


def _to(verb: Any, recipient: Any) -> str:
    if recipient is None:
        return ""
    return f" {'to' if verb.lemma_.lower() in _TO_GIVE else 'for'} {recipient.text}"


def _end(token: Any) -> int:
    return token.idx + len(token.text)


def _particle(verb: Any) -> str:
    parts = [child.text for child in verb.children if child.dep_ == "prt" and child.i == verb.i + 1]
    parts += [word.text for word in _read_as_preposition(verb)]
    return f" {parts[0]}" if parts else ""


def _wish(verb: Any) -> _Made | None:
    """I would like to block the card: I would like the card to be blocked."""
    object_parts = _object(verb)
    if object_parts is None or verb.i == 0 or verb.nbor(-1).lower_ != "to":
        return None
    if verb.head.lemma_.lower() not in ("like", "want", "need", "wish") or verb.dep_ not in (
        "xcomp",
        "ccomp",
    ):
        return None
    is_question = any(word.tag_ in ("WDT", "WP") and word.i < verb.i for word in verb.head.subtree)
    if is_question or any(child.dep_ == "conj" and child.tag_ == "VB" for child in verb.children):
        return None
    head, first, last, recipient = object_parts
    after = f"{_span(first, last)} to be {_participle(verb)}{_particle(verb)}{_to(verb, recipient)}"
    personal = verb.lemma_.lower() in _OWN_ACTS or any(child.lower_ == "own" for child in head.children)
    return verb.nbor(-1).idx, _end(last), after, "wish with a passive clause", _UNSURE if personal else 0.95


def _wish_that(verb: Any) -> _Made | None:
    """I would like to block the card: I would like that the card is blocked."""
    wish, object_parts = _wish(verb), _object(verb)
    if wish is None or object_parts is None or verb.head.lemma_.lower() not in ("like", "wish"):
        return None
    head, first, last, recipient = object_parts
    is_ = "are" if _is_plural(head) else "is"
    clause = f"that {_span(first, last)} {is_} {_participle(verb)}{_particle(verb)}{_to(verb, recipient)}"
    return wish[0], wish[1], clause, "wish with a passive that-clause", min(wish[4], 0.8)


def _request(verb: Any) -> _Made | None:
    """can you give me the address: can the address be given to me."""
    modals = [
        child for child in verb.children if child.dep_ == "aux" and child.tag_ == "MD" and child.i < verb.i
    ]
    subjects = [child for child in verb.children if child.dep_ == "nsubj" and child.i < verb.i]
    if (
        not modals
        or not subjects
        or subjects[0].i < modals[0].i
        or subjects[0].lower_ not in ("you", "i", "we")
    ):
        return None
    object_parts = _object(verb)
    if object_parts is None and verb.lemma_.lower() in ("have", "get") and subjects[0].lower_ in ("i", "we"):
        return _have(verb, modals[0])
    if object_parts is None:
        return None
    _, first, last, recipient = object_parts
    verbs = f"be {_participle(verb)}{_particle(verb)}{_to(verb, recipient)}"
    after = f"{modals[0].text} {_span(first, last)} {verbs}"
    return modals[0].idx, _end(last), after, "question in the passive", 0.9


def _have(verb: Any, modal: Any) -> _Made | None:
    """may I have the address: may I be given the address."""
    things = [child for child in verb.children if child.dep_ in ("dobj", "obj")]
    if not things or things[0].pos_ == "PRON":
        return None
    if any(word.tag_ in ("VBN", "VBD") and word.i > things[0].i for word in verb.subtree):
        return None  # have it put aside: somebody is to do something with it
    return verb.idx, _end(verb), "be given", "to have asked as to be given", 0.8


def _order(verb: Any) -> _Made | None:
    """give me their address: could their address be given to me?"""
    if (
        verb.tag_ not in ("VB", "VBP")
        or verb.dep_ not in ("ROOT", "conj", "ccomp")
        or (
            verb.i > 0
            and (verb.nbor(-1).lower_ not in ("please", "and", "then") and not verb.nbor(-1).is_punct)
        )
    ):
        return None
    if any(child.dep_ in ("nsubj", "aux") for child in verb.children):
        return None
    object_parts = _object(verb)
    if object_parts is None:
        return None
    _, first, last, recipient = object_parts
    after = f"could {_span(first, last)} be {_participle(verb)}{_particle(verb)}{_to(verb, recipient)}"
    opens = verb.i == 0 or (verb.i == 1 and verb.nbor(-1).lower_ == "please")
    behind = [word for word in verb.doc if word.tag_ == "VB" and word.i > last.i]
    joined = any(word.nbor(-1).lower_ != "to" for word in behind)
    unclear = joined or _shares_subject(verb) or not opens or verb.lemma_.lower() in _NO_ORDER
    return verb.idx, _end(last), after, _ORDER, _UNSURE if unclear else 0.85


def _let(verb: Any) -> _Made | None:
    """give me their address: let their address be given to me; nobody asks a favour so."""
    clause = _order(verb)
    if clause is None:
        return None
    start, end, after, _, _ = clause
    return start, end, f"let{after.removeprefix('could')}", "order to let it be done", _GUESS


def _statement(verb: Any) -> _Made | None:
    """I lost the card: the card was lost by me."""
    if verb.tag_ not in ("VBD", "VBZ", "VBP") or verb.dep_ not in ("ROOT", "conj", "ccomp"):
        return None
    subjects = [child for child in verb.children if child.dep_ == "nsubj" and child.i < verb.i]
    object_parts = _object(verb)
    if verb.lemma_.lower() in _STATES:
        return None
    if not subjects or object_parts is None or any(child.dep_ in ("aux", "neg") for child in verb.children):
        return None
    if _shares_subject(verb):
        return None
    subject = subjects[0]
    if subject.left_edge.i and subject.left_edge.nbor(-1).tag_ in _ASKING:
        return None  # what eye drops costs: its verb may be another
    nominal = subject.pos_ in ("NOUN", "PROPN", "PRON")
    if not nominal or subject.tag_ in ("WP", "WDT") or object_parts[3] is not None:
        return None
    head, first, last, _ = object_parts
    past, plural = verb.tag_ == "VBD", _is_plural(head)
    be = ("were" if plural else "was") if past else ("are" if plural else "is")
    agent = _AGENTS.get(subject.lower_, _span(subject.left_edge, subject.right_edge))
    between = verb.doc[subject.right_edge.i + 1 : verb.i]
    if any(word.pos_ != "ADV" for word in between):
        return None
    theirs = any(word.lower_ in ("his", "her", "their", "its") for word in head.subtree)
    verbs = " ".join((be, *(word.text for word in between), _participle(verb)))  # it was last given
    after = f"{_span(first, last)} {verbs} by {agent}"
    sure = _UNSURE if theirs else 0.85  # my son broke his glasses
    return subject.left_edge.idx, _end(last), after, "statement in the passive", sure


def _shares_subject(verb: Any) -> bool:
    """True if a second verb shares this verb's subject, which a passive removes: I came and saw it."""
    joined = [child for child in verb.children if child.dep_ == "conj" and child.pos_ in ("VERB", "AUX")]
    return any(not any(inner.dep_.startswith("nsubj") for inner in word.children) for word in joined)


def _agent(subject: Any) -> str:
    return _AGENTS.get(subject.lower_) or _span(subject.left_edge, subject.right_edge)


def _duty(verb: Any) -> _Made | None:
    """I have to update my CV: my CV has to be updated; do I have to bring a coat: does a coat have to be."""
    have, object_parts = verb.head, _object(verb)
    if object_parts is None or object_parts[3] is not None or verb.i == 0 or verb.nbor(-1).lower_ != "to":
        return None
    subjects = [child for child in have.children if child.dep_ == "nsubj" and child.i < have.i]
    if have.lemma_ != "have" or verb.dep_ not in ("xcomp", "ccomp") or not subjects or _shares_subject(verb):
        return None
    head, first, last, _ = object_parts
    subject, helpers = (
        subjects[0],
        [child for child in have.children if child.dep_ == "aux" and child.i < have.i],
    )
    if subject.tag_ in ("WP", "WDT") or any(child.dep_ == "neg" for child in have.children):
        return None
    verbs = f"to be {_participle(verb)}{_particle(verb)}"
    by = "" if subject.lower_ in _AGENTS else f" by {_agent(subject)}"
    thing, plural = _span(first, last), _is_plural(head)
    if not helpers:
        has = "had" if have.tag_ == "VBD" else "have" if plural else "has"
        return subject.left_edge.idx, _end(last), f"{thing} {has} {verbs}{by}", "duty in the passive", 0.88
    if len(helpers) > 1 or helpers[0].i > subject.i or helpers[0].lemma_ != "do":
        return None
    do = "did" if helpers[0].tag_ == "VBD" else "do" if plural else "does"
    return helpers[0].idx, _end(last), f"{do} {thing} have {verbs}{by}", "duty in the passive", 0.88


def _helped(verb: Any) -> _Made | None:
    """Clauses with one helper: you must tune it, my son will bring it, do you sell it, have you got it."""
    object_parts = _object(verb)
    helpers = [child for child in verb.children if child.dep_ == "aux" and child.i < verb.i]
    subjects = [child for child in verb.children if child.dep_ == "nsubj" and child.i < verb.i]
    told_as_is = verb.lemma_.lower() in _STATES and not (subjects and subjects[0].lower_ == "you")
    if object_parts is None or told_as_is or len(helpers) != 1 or not subjects or _shares_subject(verb):
        return None
    helper, subject, recipient = helpers[0], subjects[0], object_parts[3]
    inverted = helper.i < subject.i
    unsuited = subject.tag_ in ("WP", "WDT") or any(child.dep_ == "neg" for child in verb.children)
    if unsuited or (recipient is not None and any(True for _ in recipient.children)):
        return None
    requested = inverted and helper.tag_ == "MD" and subject.lower_ in _AGENTS  # can you, may I: `_request`
    if requested or verb.dep_ in ("relcl", "acl", "advcl"):
        return None
    passive = _helper_in_passive(helper, verb, _is_plural(object_parts[0]))
    if passive is None:
        return None
    opening, inner = passive
    between = [
        child.text for child in verb.children if child.dep_ == "advmod" and subject.i < child.i < verb.i
    ]
    verbs = " ".join((*inner, *between, f"{_participle(verb)}{_particle(verb)}{_to(verb, recipient)}"))
    unsaid = subject.lower_ in _AGENTS and subject.lower_ not in ("he", "she")
    by = "" if unsaid else f" by {_agent(subject)}"
    thing = _span(object_parts[1], object_parts[2])
    if inverted:
        after = f"{opening} {thing} {verbs}{by}"
        return helper.idx, _end(object_parts[2]), after, "question in the passive", 0.87
    after = f"{thing} {opening} {verbs}{by}"
    sure = _UNSURE if subject.lower_ in ("i", "we") and inner == ("been",) else 0.85  # who did it gets lost
    return subject.left_edge.idx, _end(object_parts[2]), after, "statement in the passive", sure


def _helper_in_passive(helper: Any, verb: Any, plural: bool) -> tuple[str, tuple[str, ...]] | None:
    """(finite helper, what follows it) of the passive; None where the helper does not tell its tense."""
    is_ = "are" if plural else "is"
    if helper.lemma_ == "do":
        return ("were" if plural else "was") if helper.tag_ == "VBD" else is_, ()
    if helper.lemma_ == "have" and verb.tag_ in ("VBN", "VBD") and helper.tag_ in ("VBP", "VBZ", "VB"):
        return ("have" if plural else "has"), ("been",)
    if helper.lemma_ == "be" and verb.tag_ == "VBG" and helper.tag_ in ("VBP", "VBZ"):
        return is_, ("being",)
    full = {"'ll": "will", "’ll": "will"}.get(helper.lower_, helper.lower_)
    modals = ("will", "must", "should", "can", "could", "would", "may", "might", "shall")
    return (full, ("be",)) if helper.tag_ == "MD" and full in modals else None


def _search(verb: Any) -> _Made | None:
    """I am looking for a restaurant: a restaurant is being looked for."""
    verb_word = verb.lemma_.lower()
    subjects = [child for child in verb.children if child.dep_ == "nsubj" and child.lower_ in ("i", "we")]
    be = [child for child in verb.children if child.dep_ == "aux" and child.lemma_ in ("be", "'m", "am")]
    if verb.tag_ != "VBG" or verb_word not in ("look", "search") or not subjects or not be:
        return None
    prepositions = [child for child in verb.children if child.dep_ == "prep" and child.lower_ == "for"]
    things = [child for head in prepositions for child in head.children if child.dep_ == "pobj"]
    if not things or things[0].pos_ not in ("NOUN", "PROPN"):
        return None
    if any(child.dep_ == "conj" for child in things[0].children):
        return None
    head, first = things[0], things[0].left_edge
    last = _kernel_end(head)
    is_ = "are" if _is_plural(head) else "is"
    after = f"{_span(first, last)} {is_} being {verb.text.lower()} for"
    after = after.replace("being looking", "being looked").replace("being searching", "being searched")
    return subjects[0].idx, _end(last), after, "statement in the passive, its agent unsaid", 0.7


def _kernel_end(head: Any) -> Any:
    """The last word of a noun phrase without its relative clauses and complements."""
    outside = [
        child.left_edge.i
        for child in head.children
        if child.i > head.i and child.dep_ in ("relcl", "acl", "prep", "cc")
    ]
    return head.doc[min(outside) - 1] if outside else head.right_edge


def _relative(verb: Any) -> _Made | None:
    """a restaurant that serves Chinese food: a restaurant where Chinese food is served."""
    object_parts = _object(verb)
    if object_parts is None or object_parts[3] is not None or verb.i == 0:
        return None
    head, first, last, _ = object_parts
    last = _kernel_end(head) if head.right_edge.i > head.i else last
    is_ = "are" if _is_plural(head) else "is"
    after = f"where {_span(first, last)} {is_} {_participle(verb)}"
    if verb.dep_ in ("relcl", "ccomp") and verb.nbor(-1).lower_ in ("that", "which"):
        return verb.nbor(-1).idx, _end(last), after, "relative clause in the passive", 0.9
    if verb.tag_ == "VBG" and verb.dep_ == "acl" and verb.nbor(-1).pos_ in ("NOUN", "PROPN", "PRON"):
        return verb.idx, _end(last), after, "relative clause in the passive", 0.85
    return None


def _asked(verb: Any) -> _Made | None:
    """what food do they serve: what food is served; what kind of food they serve: the same."""
    things = [child for child in verb.children if child.dep_ in ("dobj", "obj") and child.i < verb.i]
    subjects = [
        child for child in verb.children if child.dep_ == "nsubj" and child.lower_ in ("they", "it", "you")
    ]
    if not things or not subjects or verb.lemma_.lower() in _NO_PASSIVE or things[0].pos_ == "PRON":
        return None
    asking = [word for word in things[0].subtree if word.tag_ in ("WDT", "WP")]
    if not asking:
        return None
    helpers = [child for child in verb.children if child.dep_ == "aux" and child.lemma_ == "do"]
    start = helpers[0].idx if helpers else subjects[0].idx
    is_ = "are" if _is_plural(things[0]) else "is"
    return start, _end(verb), f"{is_} {_participle(verb)}", "question in the passive", 0.9
