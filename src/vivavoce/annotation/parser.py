"""What a user turn means, read from the study's own ontology: values, requests, and a few moves.

It serves what people typed, where no transcription stands between what was said and what is read. It knows
only the words of the ontology and a few phrases of its own; what it finds is marked `source: parser`.
"""

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from vivavoce.core.text import normalise_value
from vivavoce.log.events import LoggedAct
from vivavoce.study.ontology import Ontology
from vivavoce.study.task import DONTCARE

Parser = Callable[[str, str, list[LoggedAct]], list[LoggedAct]]

MOVES: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "en": {
        "reqalts": ("another one", "another", "anything else", "something else", "what else", "other options",
                    "a different one", "somewhere else", "any others"),
        "bye": ("bye", "goodbye", "good bye", "that is all", "that's all"),
        "thankyou": ("thank you", "thanks", "cheers"),
        "affirm": ("yes", "yeah", "yep", "right", "correct", "exactly", "sure"),
        "negate": ("no", "nope", "wrong", "not that"),
        "repeat": ("repeat", "say that again", "pardon"),
        "hello": ("hello", "hi", "good morning", "good evening"),
        "help": ("help", "what can i say"),
    },
    "it": {
        "reqalts": ("un altro", "un'altra", "altro posto", "qualcos'altro", "altre opzioni", "altrove",
                    "qualcosa di diverso", "ce ne sono altri"),
        "bye": ("arrivederci", "ciao ciao", "addio", "è tutto", "basta così"),
        "thankyou": ("grazie", "ti ringrazio", "la ringrazio"),
        "affirm": ("sì", "si", "esatto", "giusto", "certo", "va bene"),
        "negate": ("no", "sbagliato", "non quello"),
        "repeat": ("ripeti", "puoi ripetere", "può ripetere"),
        "hello": ("ciao", "buongiorno", "buonasera", "salve"),
        "help": ("aiuto", "cosa posso dire"),
    },
}  # fmt: skip
NEGATIONS: Final[dict[str, frozenset[str]]] = {
    "en": frozenset({"not", "no", "without", "don't", "dont", "isn't", "except"}),
    "it": frozenset({"non", "no", "senza", "tranne", "né"}),
}
QUESTIONS: Final[dict[str, frozenset[str]]] = {
    "en": frozenset({"what", "what's", "which", "tell", "give", "where", "know"}),
    "it": frozenset({"qual", "qual'è", "quale", "quali", "dimmi", "dammi", "dove", "sapere", "che"}),
}


class Meaning(NamedTuple):
    """What a phrase stands for: value, request, dontcare, slot or move."""

    kind: str
    slot: str | None = None
    value: str | None = None


class Found(NamedTuple):
    """A phrase found in a turn, with its first token and the one after its last."""

    meaning: Meaning
    start: int
    end: int


def make_parser(ontology: Ontology) -> Parser:
    """A parser for this ontology.

    Input   the text of a user turn, its language, the acts of the system turn before it
    Output  act items in the order of the text; a language without words in the ontology gives []
    Note    the longest phrase wins; phrases are whole tokens, never parts of words
    """
    lexicons: dict[str, dict[tuple[str, ...], Meaning]] = {}

    def parse(text: str, language: str, before: list[LoggedAct]) -> list[LoggedAct]:
        stem = language.split("-")[0].lower()
        if stem not in lexicons:
            lexicons[stem] = _lexicon(ontology, stem)
        tokens = _tokens(text)
        found = _find(tokens, lexicons[stem])
        return _acts(found, tokens, stem, before)

    return parse


def _tokens(text: str) -> list[str]:
    spaced = text.replace("’", "'")
    return [token for token in (normalise_value(word) for word in spaced.split()) if token]


def _lexicon(ontology: Ontology, language: str) -> dict[tuple[str, ...], Meaning]:
    """Every phrase of the language, as tokens. Moves come first, so that the domain's own words win."""
    lexicon: dict[tuple[str, ...], Meaning] = {}

    def learn(phrases: Iterable[str], meaning: Meaning) -> None:
        for phrase in phrases:
            tokens = tuple(_tokens(phrase))
            if tokens:
                lexicon[tokens] = meaning

    for move, phrases in MOVES.get(language, {}).items():
        learn(phrases, Meaning("move", value=move))
    learn(ontology.dontcare.get(language, ()), Meaning(DONTCARE))
    for name, slot in ontology.slots.items():
        learn([slot.names[language]] if language in slot.names else [], Meaning("slot", name))
        if slot.requestable:
            learn(slot.asks.get(language, ()), Meaning("request", name))
        for value, renderings in slot.values.items():
            words = renderings.get(language)
            if words is not None:
                learn([words.text, *words.synonyms], Meaning("value", name, value))
    for kind, names in ontology.types.items():
        words = names.get(language)
        if words is not None:
            learn([words.text, words.plural, *words.synonyms], Meaning("value", "type", kind))
    return lexicon


def _find(tokens: list[str], lexicon: dict[tuple[str, ...], Meaning]) -> list[Found]:
    longest = max(map(len, lexicon), default=0)
    found: list[Found] = []
    start = 0
    while start < len(tokens):
        for length in range(min(longest, len(tokens) - start), 0, -1):
            meaning = lexicon.get(tuple(tokens[start : start + length]))
            if meaning is not None:
                found.append(Found(meaning, start, start + length))
                start += length
                break
        else:
            start += 1
    return found


def _acts(found: list[Found], tokens: list[str], language: str, before: list[LoggedAct]) -> list[LoggedAct]:
    acts: list[LoggedAct] = []
    indifferent = any(one.meaning.kind == DONTCARE for one in found)
    named = [one.meaning.slot for one in found if one.meaning.kind in ("slot", "request")]
    for one in found:
        meaning = one.meaning
        if meaning.kind == "value":
            op = "!=" if _negated(one, tokens, language) else "="
            acts.append(LoggedAct(act="inform", slot=meaning.slot, value=meaning.value, op=op))
        elif meaning.kind in ("request", "slot") and not indifferent:
            if meaning.kind == "request" or _asks(tokens, language):
                acts.append(LoggedAct(act="request", slot=meaning.slot))
        elif meaning.kind == DONTCARE:
            slots = [slot for slot in named if slot] or _requested(before)
            acts += [LoggedAct(act="inform", slot=slot, value=DONTCARE, op="=") for slot in slots]
        elif meaning.kind == "move" and meaning.value is not None:
            acts += _move(meaning.value, before)
    return list(dict.fromkeys(acts))


def _negated(one: Found, tokens: list[str], language: str) -> bool:
    return bool(NEGATIONS.get(language, frozenset()) & set(tokens[max(0, one.start - 2) : one.start]))


def _asks(tokens: list[str], language: str) -> bool:
    return bool(QUESTIONS.get(language, frozenset()) & set(tokens))


def _requested(before: list[LoggedAct]) -> list[str]:
    """The slot that the system has just asked for; where it asked for none, nothing is meant."""
    return [act.slot for act in before if act.act == "request" and act.slot][-1:]


def _move(move: str, before: list[LoggedAct]) -> list[LoggedAct]:
    """A move; a yes to a question for confirmation also says what was confirmed."""
    confirmed = [act for act in before if act.act in ("confirm", "expl-conf") and act.slot and act.value]
    if move == "affirm" and confirmed:
        said = [LoggedAct(act="inform", slot=act.slot, value=act.value, op="=") for act in confirmed]
        return [LoggedAct(act="affirm"), *said]
    return [LoggedAct(act=move)]
