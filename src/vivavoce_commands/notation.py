"""The predicate notation of spoken commands: what a robot was told, as actions with arguments.

    4; aggiungere(pizzico, sale, *ciotola*)          one predicate, its last argument implicit
    5; [prendere(padella), mettere(padella, fuoco)]  several
    6; mescolare([farina, acqua], frusta/forchetta)  a list is one argument; a slash: either is right
    7; prendere({200 g}, riso); sciacquare           the early notation: braces mark quantity and modality,
    8; aprire({altro} uovo); versare(acqua {minerale, tiepida})      before, behind, or apart from a noun
    ---                                              a recipe ends

`#` in the place of an argument, or of a whole predicate, asks to repeat it.
Source  Di Maro, Origlia and Cutugno 2018, section 2 (the SUGAR task)
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal, NamedTuple, NoReturn, TypeAlias

from vivavoce.core.errors import InputError

Notation: TypeAlias = Literal["final", "early"]
REPEAT: Final = "#"

# A fraction such as 1/2 is one word: its slash is no alternative.
_TOKEN = re.compile(r"\s*(?:([()\[\],;/*{}#])|((?:[^()\[\],;/*{}#]|(?<=\d)/(?=\d))+))")

_SIGN = re.compile(r"[()\[\],;/*{}#]")
_LIST = re.compile(r"\[([^()\[\];/*{}#]+)\]")

# Arguments hold no parentheses, so a well-formed annotation falls apart at them; whatever does not is read
# sign by sign, for the place of the mistake.
_CALL = re.compile(r"([^()\[\],;/*{}#]+)\(([^(){}]*)\)\s*")
_PIECE = re.compile(r"(?:[^,\[\]]|\[[^\[\]]*\])+")


class Words(NamedTuple):
    """One thing named: an ingredient, a tool, a quantity, a manner; implicit if nobody said it."""

    text: str
    implicit: bool = False


class Listed(NamedTuple):
    """Several things that are one argument."""

    items: tuple["Argument", ...]
    implicit: bool = False


class Argument(NamedTuple):
    """One place of a predicate: one or more alternatives. `marked`: in braces, in the early notation."""

    options: tuple[Words | Listed, ...]
    marked: bool = False


REPEATED: Final = Argument((Words(REPEAT),))


class Predicate(NamedTuple):
    """An action with its arguments; implicit if nobody named the action."""

    action: str
    arguments: tuple[Argument, ...] = ()
    implicit: bool = False


class Cause(NamedTuple):
    """Known cause of a notation error: a name of CAUSES with its values."""

    name: str
    sign: str = ""
    what: str = ""

    def __str__(self) -> str:
        return CAUSES[self.name].format(sign=self.sign, what=self.what)


CAUSES: Final = {
    "missing_before": "a '{sign}' is missing before '{what}'",
    "missing_at_end": "a '{sign}' is missing at the end",
    "brackets": "several predicates need [ ]",
    "parentheses": "'{what}' lacks ( ): write {what}() for an action without arguments",
}


class NotationError(InputError):
    """Text that is no annotation: why, where that is known; what was expected and found, in which column."""

    def __init__(
        self, expected: str, found: str, column: int, place: str = "", cause: Cause | None = None
    ) -> None:
        self.expected, self.found, self.column, self.cause = expected, found, column, cause
        super().__init__(
            str(cause) if cause else f"found {found}, expected {expected}",
            place=f"{place + ':' if place else 'column '}{column}",
            hint="correct the annotation",
        )

    def at(self, place: str, columns: int = 0) -> "NotationError":
        """This error in a line where the annotation begins after `columns`."""
        return NotationError(self.expected, self.found, self.column + columns, place, self.cause)


@lru_cache(maxsize=20_000)  # a right answer is the reference once more, and speakers say the same
def read_predicates(text: str, notation: Notation = "final") -> tuple[Predicate, ...]:
    """The predicates of one annotation, in their order.

    Output  at least one predicate; in the early notation braced arguments carry `marked`
    Raises  NotationError with the 1-based column of the first thing that is wrong
    """
    return (notation == "final" and _quickly(text)) or _Reader(text, notation).annotation()


def write_predicates(predicates: tuple[Predicate, ...], notation: Notation = "final") -> str:
    """The annotation as text; `read_predicates` gives the same predicates again.

    The final notation has no braces: `marked` is left out, which normalises the early notation.
    """
    notations = [_predicate(predicate, notation) for predicate in predicates]
    if notation == "early":
        return "; ".join(notations)
    return notations[0] if len(notations) == 1 else f"[{', '.join(notations)}]"


def normalised(predicate: Predicate) -> Predicate:
    """The predicate as the final notation holds it: without the marks of the early one."""
    return predicate._replace(
        arguments=tuple(argument._replace(marked=False) for argument in predicate.arguments)
    )


def _predicate(predicate: Predicate, notation: Notation) -> str:
    if predicate.action == REPEAT:
        return REPEAT
    arguments = ", ".join(write_argument(argument, notation) for argument in predicate.arguments)
    return f"{_starred(predicate.action, predicate.implicit)}({arguments})"


def write_argument(argument: Argument, notation: Notation = "final") -> str:
    """One argument as text, its alternatives separated by slashes."""
    text = _option(argument.options[0])
    for option in map(_option, argument.options[1:]):
        text += (" / " if text[-1].isdigit() and option[0].isdigit() else "/") + option
    return f"{{{text}}}" if argument.marked and notation == "early" else text


def _option(option: Words | Listed) -> str:
    if isinstance(option, Words):
        return _starred(option.text, option.implicit)
    return _starred(f"[{', '.join(write_argument(item) for item in option.items)}]", option.implicit)


def _starred(text: str, implicit: bool) -> str:
    return f"*{text}*" if implicit else text


def _quickly(text: str) -> tuple[Predicate, ...] | None:
    """The predicates of a plain, well-formed annotation; None if it must be read sign by sign."""
    text = text.strip()
    inner = text[1:-1] if text[:1] == "[" and text[-1:] == "]" else text
    predicates, at = [], 0
    while call := _CALL.match(inner, at):
        pieces = _PIECE.findall(call[2])
        arguments = tuple(map(_one_argument, pieces))
        if len(",".join(pieces)) != len(call[2]) or None in arguments:
            return None
        action = " ".join(call[1].split())
        if not action:
            return None
        predicates.append(Predicate(action, arguments))  # pyright: ignore[reportArgumentType]
        at = call.end() + 1
        if inner[call.end() : at] != ",":
            break
    complete = at == len(inner) + 1 and (inner is not text or len(predicates) == 1)
    return tuple(predicates) if complete and predicates else None


@lru_cache(maxsize=100_000)
def _one_argument(text: str) -> Argument | None:
    stripped = text.strip()
    if stripped and not _SIGN.search(stripped):
        return _plain(stripped)
    if (several := _LIST.fullmatch(stripped)) and all(map(str.strip, items := several[1].split(","))):
        return Argument((Listed(tuple(map(_plain, items))),))
    reader = _Reader(text, "final")
    try:
        argument = reader.argument()
    except NotationError:
        return None
    return None if reader.token else argument


def _plain(text: str) -> Argument:
    return Argument((Words(" ".join(text.split())),))


class _Reader:
    """Reads one annotation from left to right; every method leaves `at` behind what it read."""

    def __init__(self, text: str, notation: Notation) -> None:
        self.notation: Notation = notation
        self.tokens = list(_tokens(text))
        self.end = len(text.rstrip()) + 1
        self.at = 0

    def annotation(self) -> tuple[Predicate, ...]:
        separators = ";," if self.notation == "early" else ","
        if self.token == "[":
            self.at += 1
            predicates = self.several(self.predicate, separators)
            self.close("]", "',' or ']' after a predicate")
        elif self.notation == "early":
            predicates = self.several(self.predicate, separators)
        else:
            predicates = [self.predicate()]
        if self.token:
            several = self.token in (",", ";") and len(predicates) == 1
            self.fail("the end of the line", Cause("brackets") if several else None)
        return tuple(predicates)

    def several(self, read, separators: str) -> list:
        items = [read()]
        while self.token and self.token in separators:
            self.at += 1
            items.append(read())
        return items

    def parts(self, read) -> list[Argument]:
        """Parts between two commas: in the early notation also braces, before and after it."""
        arguments, free = list[Argument](), True
        while free or self.braces:
            if self.braces:
                self.at += 1
                arguments += self.several(self.marked, ",")
                self.take("}", "'}' after a quantity or modality")
                free = self.token not in (",", ")", "]", ";", "")
            else:
                arguments.append(read())
                free = False
        return arguments

    @property
    def braces(self) -> bool:
        return self.notation == "early" and self.token == "{"

    def marked(self) -> Argument:
        return Argument(tuple(self.several(self.option, "/")), marked=True)

    def predicate(self) -> Predicate:
        if self.token == REPEAT:
            self.at += 1
            return Predicate(REPEAT)
        action, implicit = self.starred(lambda: self.words("an action"))
        early = self.notation == "early"
        arguments = list[Argument]()
        if self.token == "(" or not early:
            if self.token != "(":
                self.fail("'(' after an action", Cause("parentheses", what=action))
            self.at += 1
            if self.token != ")":
                arguments = [part for parts in self.several(self.each, ",") for part in parts]
            self.close(")", "',' or ')' after an argument")
        if self.braces:
            arguments += self.parts(self.argument)
        return Predicate(action, tuple(arguments), implicit)

    def each(self) -> list[Argument]:
        return self.parts(self.argument)

    def argument(self) -> Argument:
        if self.token == REPEAT:
            self.at += 1
            return REPEATED
        return Argument(tuple(self.several(self.option, "/")))

    def option(self) -> Words | Listed:
        content, implicit = self.starred(self.listed_or_words)
        return content._replace(implicit=implicit)

    def listed_or_words(self) -> Words | Listed:
        if self.token != "[":
            return Words(self.words("an argument"))
        self.at += 1
        items = [part for parts in self.several(lambda: self.parts(self.item), ",") for part in parts]
        self.close("]", "',' or ']' in a list")
        return Listed(tuple(item._replace(marked=False) for item in items))

    def item(self) -> Argument:
        if self.token == "[":
            self.fail("an ingredient: a list holds no list")
        return Argument(tuple(self.several(self.item_words, "/")))

    def item_words(self) -> Words:
        text, implicit = self.starred(lambda: self.words("an ingredient"))
        return Words(text, implicit)

    def starred(self, read):
        """Read a value, and whether it is starred."""
        if self.token != "*":
            return read(), False
        self.at += 1
        content = read()
        self.take("*", "a closing '*'")
        return content, True

    def words(self, expected: str) -> str:
        if self.at == len(self.tokens) or not self.tokens[self.at].words:
            self.fail(expected)
        self.at += 1
        return self.tokens[self.at - 1].text

    def take(self, wanted: str, expected: str) -> None:
        if self.token != wanted:
            self.fail(expected)
        self.at += 1

    def close(self, sign: str, expected: str) -> None:
        """Take a closing sign; where it is missing, say before what."""
        if self.token == sign:
            self.at += 1
            return
        if self.token == "(" and self.at > 1 and self.tokens[self.at - 1].words:
            self.at -= 1  # the next predicate has begun: its name was taken for an argument
            name = self.token
            comma = self.at > 0 and self.tokens[self.at - 1].text == ","
            self.at -= comma
            self.fail(expected, Cause("missing_before", sign, f", {name}" if comma else name))
        if not self.token:
            self.fail(expected, Cause("missing_at_end", sign))
        misplaced = self.token in (")", "]", ";", "}")
        self.fail(expected, Cause("missing_before", sign, self.token) if misplaced else None)

    @property
    def token(self) -> str:
        """The sign that stands here; "" at the end; words stand as themselves."""
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    def fail(self, expected: str, cause: Cause | None = None) -> NoReturn:
        if self.at == len(self.tokens):
            raise NotationError(expected, "the line ends", self.end, cause=cause)
        token = self.tokens[self.at]
        raise NotationError(expected, repr(token.text), token.column, cause=cause)


class _Token(NamedTuple):
    text: str
    words: bool
    column: int


def _tokens(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text):
        sign, words = match.groups()
        if sign:
            yield _Token(sign, False, match.start(1) + 1)
        elif clean := " ".join(words.split()):
            yield _Token(clean, True, match.start(2) + 1)
