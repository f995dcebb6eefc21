"""Parsers to choose from: ours, a Python function, or an endpoint.

```
rules                       the rules of this package over the study's ontology
package.module:function     called as function(text, language, system_acts)
https://host/parse          POST {"text", "language", "system_acts"}, answered by {"acts": [...]}
```

An act is a mapping `{"act": "inform", "slot": "food", "op": "=", "value": "thai"}`; all but `act` may be left
out.
`system_acts` are those of the system turn before, in the same form.

The parser by rules finds values, requests and a few moves in a user turn.

It reads what people typed, or a transcript of what they said, never what a recogniser made of it. It knows
only the words of the ontology and a few fixed phrases. Acts that it finds have `source: parser`.

- The longest phrase wins; phrases are whole tokens. Apostrophes do not matter: `dont` is `don't`.
- A single word of a value may have one slip (a letter wrong, missing, too many, or two swapped).
- A value after a negation is excluded; a value in a question about the venue (`is it`) is a `confirm`.
- `How about` and a value asks for alternatives and states the value.
- Indifference is about the slots named beside it, else about the slot that the system has just asked for.
- A slot named without a value of it is a request, when the turn asks, or says nothing else.
- A yes stays a yes; what it accepts stands in the system's turn.
"""

import importlib
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pydantic import TypeAdapter, ValidationError

from vivavoce.core.errors import InputError
from vivavoce.core.extras import later
from vivavoce.core.text import normalise_value
from vivavoce.dataset.vocabulary import standard_act
from vivavoce.languages.data import TurnWords
from vivavoce.log.events import LoggedAct
from vivavoce.study.model import Study
from vivavoce.study.ontology import Ontology
from vivavoce.study.task import DONTCARE

if TYPE_CHECKING:
    import rapidfuzz
else:
    rapidfuzz = later("rapidfuzz", "analysis")


Parser = Callable[[str, str, list[LoggedAct]], list[LoggedAct]]

SHORTEST_WITH_SLIP: Final = 7


class Meaning(NamedTuple):
    """Meaning of a phrase: value, request, dontcare, slot or move."""

    kind: str
    slot: str | None = None
    value: str | None = None


class Found(NamedTuple):
    """A phrase found in a turn, with its first token and the one after its last."""

    meaning: Meaning
    start: int
    end: int


@dataclass(frozen=True)
class OntologyLexicon:
    """The phrases of one language, and those single words of values in which a slip is forgiven.

    openings  of a question whether a value holds (`confirming`), and of a proposal (`suggesting`)
    """

    phrases: dict[tuple[str, ...], Meaning]
    longest: int
    forgiving: dict[str, Meaning]
    negations: frozenset[str]
    questions: frozenset[str]
    fillers: frozenset[str]
    confirming: frozenset[tuple[str, ...]]
    suggesting: frozenset[tuple[str, ...]]
    slips: dict[str, Meaning | None] = field(default_factory=dict[str, "Meaning | None"])

    def near(self, token: str) -> Meaning | None:
        """The value of which this unknown word is a slip, when it can be one only."""
        if len(token) < SHORTEST_WITH_SLIP:
            return None
        if token not in self.slips:
            close = {
                meaning
                for word, meaning in self.forgiving.items()
                if word[0] == token[0] and rapidfuzz.distance.OSA.distance(token, word, score_cutoff=1) <= 1
            }
            self.slips[token] = close.pop() if len(close) == 1 else None
        return self.slips[token]


def make_parser(ontology: Ontology) -> Parser:
    """A parser for this ontology.

    Input   the text of a user turn, its language, the acts of the system turn before it
    Output  act items in the order of the text; a language without words in the ontology gives []
    """
    lexicons: dict[str, OntologyLexicon] = {}

    def parse(text: str, language: str, before: list[LoggedAct]) -> list[LoggedAct]:
        stem = language.split("-")[0].lower()
        if stem not in lexicons:
            lexicons[stem] = _lexicon(ontology, stem)
        tokens = _tokens(text)
        return _acts(_find(tokens, lexicons[stem]), tokens, lexicons[stem], before)

    return parse


def _tokens(text: str) -> tuple[str, ...]:
    unquoted = text.replace("’", "'").replace("'", "")
    return tuple(token for token in (normalise_value(word) for word in unquoted.split()) if token)


def _lexicon(ontology: Ontology, language: str) -> OntologyLexicon:
    """Every phrase of the language, as tokens. Moves come first, so that the domain's own words win."""
    lexicon: dict[tuple[str, ...], Meaning] = {}
    turn_words = TurnWords.of(language) or TurnWords()  # pyright: ignore[reportCallIssue]

    def learn(phrases: Iterable[str], meaning: Meaning) -> None:
        for phrase in phrases:
            if tokens := _tokens(phrase):
                lexicon[tokens] = meaning

    for move, phrases in turn_words.moves.items():
        learn(phrases, Meaning("move", value=move))
    learn(ontology.dontcare.get(language, ()), Meaning(DONTCARE))
    for name, slot in ontology.slots.items():
        learn([slot.names[language]] if language in slot.names else [], Meaning("slot", name))
        if slot.requestable or slot.constraint:
            learn(slot.asks.get(language, ()), Meaning("request" if slot.requestable else "slot", name))
        for value, renderings in slot.values.items():
            words = renderings.get(language)
            if words is not None:
                learn([words.text, *words.synonyms], Meaning("value", name, value))
    for kind, names in ontology.types.items():
        words = names.get(language)
        if words is not None:
            learn([words.text, words.plural, *words.synonyms], Meaning("value", "type", kind))
    forgiving = {
        phrase[0]: meaning
        for phrase, meaning in lexicon.items()
        if meaning.kind == "value" and len(phrase) == 1 and len(phrase[0]) >= SHORTEST_WITH_SLIP
    }
    return OntologyLexicon(
        lexicon,
        max(map(len, lexicon), default=0),
        forgiving,
        _words(turn_words.negations),
        _words(turn_words.questions),
        _words(turn_words.fillers),
        frozenset(map(_tokens, turn_words.confirming)),
        frozenset(map(_tokens, turn_words.suggesting)),
    )


def _words(phrases: Iterable[str]) -> frozenset[str]:
    return frozenset(token for phrase in phrases for token in _tokens(phrase))


def _find(tokens: tuple[str, ...], lexicon: OntologyLexicon) -> list[Found]:
    matches: list[Found] = []
    start = 0
    while start < len(tokens):
        for length in range(min(lexicon.longest, len(tokens) - start), 0, -1):
            meaning = lexicon.phrases.get(tokens[start : start + length])
            if meaning is None and length == 1:
                meaning = lexicon.near(tokens[start])
            if meaning is not None:
                matches.append(Found(meaning, start, start + length))
                start += length
                break
        else:
            start += 1
    return matches


def _acts(
    matches: list[Found], tokens: tuple[str, ...], lexicon: OntologyLexicon, before: list[LoggedAct]
) -> list[LoggedAct]:
    acts: list[LoggedAct] = []
    valued = {match.meaning.slot for match in matches if match.meaning.kind == "value"}
    indifferent = any(match.meaning.kind == DONTCARE for match in matches)
    named_slots = [match.meaning.slot for match in matches if match.meaning.kind in ("slot", "request")]
    asking = bool(lexicon.questions & set(tokens)) or _says_only_slots(matches, tokens, lexicon)
    for part in matches:
        meaning = part.meaning
        if meaning.kind == "value":
            acts += _value(part, tokens, lexicon)
        elif meaning.kind in ("request", "slot") and not indifferent and meaning.slot not in valued:
            if asking or (meaning.kind == "request" and meaning.slot not in _requested(before)):
                acts.append(LoggedAct(act="request", slot=meaning.slot))
        elif meaning.kind == DONTCARE:
            slots = [slot for slot in named_slots if slot and slot not in valued] or _requested(before)
            acts += [
                LoggedAct(act="inform", slot=slot, value=DONTCARE, op="=")
                for slot in slots
                if slot not in valued
            ]
        elif meaning.kind == "move":
            acts.append(LoggedAct(act=meaning.value or ""))
    return list(dict.fromkeys(acts))


def _value(match: Found, tokens: tuple[str, ...], lexicon: OntologyLexicon) -> list[LoggedAct]:
    """A value stated, excluded, proposed instead of the last, or asked about."""
    meaning = match.meaning
    before = tokens[: match.start]
    if _begins(lexicon.confirming, before, lexicon) and meaning.slot != "type":
        return [LoggedAct(act="confirm", slot=meaning.slot, value=meaning.value, op="=")]
    op = "!=" if lexicon.negations & set(before[-2:]) else "="
    stated = LoggedAct(act="inform", slot=meaning.slot, value=meaning.value, op=op)
    return [LoggedAct(act="reqalts"), stated] if _begins(lexicon.suggesting, before, lexicon) else [stated]


def _begins(openings: frozenset[tuple[str, ...]], before: tuple[str, ...], lexicon: OntologyLexicon) -> bool:
    """True if one of the openings comes first, with only fillers before it."""
    fillers = lexicon.fillers
    first = next((place for place, token in enumerate(before) if token not in fillers), len(before))
    return any(before[first : first + len(words)] == words for words in openings)


def _says_only_slots(matches: list[Found], tokens: tuple[str, ...], lexicon: OntologyLexicon) -> bool:
    """True for text with only slot names, moves and fillers, as in `price range please`."""
    covered = {place for match in matches for place in range(match.start, match.end)}
    uncovered = [token for place, token in enumerate(tokens) if place not in covered]
    return set(uncovered) <= lexicon.fillers


def _requested(before: list[LoggedAct]) -> list[str]:
    """The slot that the system has just asked for; where it asked for none, nothing is meant."""
    return [act.slot for act in before if act.act in ("request", "confirm", "select") and act.slot][-1:]


RULES: Final = "rules"
_FUNCTION: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
_ACTS: Final = TypeAdapter(list[LoggedAct])
_FORM: Final = 'an act is {"act": "inform", "slot": "food", "op": "=", "value": "thai"}'


def parser_of(study: Study) -> Parser | None:
    """The parser that a study names; None and errors as `load_parser`."""
    return load_parser(study.parser, study.ontology, folder=study.folder)


def load_parser(written: str, ontology: Ontology | None, *, folder: Path | None = None) -> Parser | None:
    """The parser that was asked for; None where the rules have no ontology to go by.

    Input   written: `rules`, package.module:function, or an address; folder: where modules may lie
    Raises  InputError: no such module or function, or what is written is none of these
    """
    if written == RULES:
        return make_parser(ontology) if ontology is not None else None
    if written.startswith(("http://", "https://")):
        return _endpoint(written)
    if _FUNCTION.fullmatch(written):
        return _function(written, folder)
    raise InputError(
        f"{written!r} is not a parser",
        place="parser",
        hint="write rules, package.module:function, or https://...",
    )


def _function(reference: str, folder: Path | None) -> Parser:
    module, _, name = reference.partition(":")
    if folder is not None and str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        loaded: Any = importlib.import_module(module)
        for part in name.split("."):
            loaded = getattr(loaded, part)
    except (ImportError, AttributeError) as error:
        raise InputError(str(error), place=f"parser {reference}", hint="use an importable function") from None
    function: Callable[[str, str, Sequence[dict[str, Any]]], Any] = loaded

    def parse(text: str, language: str, before: list[LoggedAct]) -> list[LoggedAct]:
        try:
            answer = function(text, language, _plain(before))
        except Exception as error:
            problem = f"{type(error).__name__}: {error}, on the turn {text!r}"
            raise InputError(problem, place=f"parser {reference}", hint="correct the function") from error
        return _read(answer, f"parser {reference}", text)

    return parse


def _endpoint(address: str) -> Parser:
    from vivavoce.connectors.post_json import poster

    post = poster(address)

    def parse(text: str, language: str, before: list[LoggedAct]) -> list[LoggedAct]:
        request = {"text": text, "language": language, "system_acts": _plain(before)}
        try:
            answer = post(request)
        except InputError as error:
            problem = f"{error.problem}, on the turn {text!r}"
            raise InputError(problem, place=f"parser {address}", hint=error.hint) from None
        return _read(answer.get("acts") if isinstance(answer, dict) else None, f"parser {address}", text)

    return parse


def _plain(acts: list[LoggedAct]) -> list[dict[str, Any]]:
    return [act.model_dump(exclude_none=True) for act in acts]


def _read(answer: Any, place: str, text: str) -> list[LoggedAct]:
    """The parser's answer as acts in the dataset's words; a value without operator is stated."""
    try:
        acts = _ACTS.validate_python(answer)
    except ValidationError:
        raise InputError(
            f"the answer for the turn {text!r} is not a list of acts: {answer!r:.200}",
            place=place,
            hint=_FORM,
        ) from None
    return [
        LoggedAct(
            act=standard_act(act.act),
            slot=act.slot,
            value=act.value,
            op=act.op or ("=" if act.value is not None else None),
        )
        for act in acts
    ]
