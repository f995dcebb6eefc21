"""Facts in a system's text: quantities, times, dates, names, and if something is so or was done.

Read clause by clause by the `facts.yaml`, `turns.yaml` and `replies.yaml` of a language, without an ontology.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from vivavoce.languages.base import locale_of
from vivavoce.languages.data import FactWords, ReplyWords, TurnWords

State = Literal["told", "denied", "asked", "supposed"]
Side = tuple[int, int]
Form = Literal["plain", "done", "denied", "supposed"]
CONVERSIONS: Final = {
    "hour": ("minute", 60.0),
    "week": ("day", 7.0),
    "kilogram": ("gram", 1000.0),
    "litre": ("millilitre", 1000.0),
    "kilometre": ("metre", 1000.0),
    "centimetre": ("metre", 0.01),
}
FORMS: Final[tuple[Form, ...]] = ("plain", "done", "denied", "supposed")
ACTS: Final = ("not_understood", "refuse", "hand_over", "trouble")
STEM: Final = 5
_SENTENCE: Final = re.compile(r"(?<=[.!?;\n])\s+|\n")
_COMMA: Final = re.compile(r"(?<!\d)[,:;]|[,:;](?!-?\d)|\s[-–—]\s|[()]")
_TOKEN: Final = re.compile(r"\d+(?:[.,]\d+|:-?\d+)*|[^\W\d_]+|[€$£%°]")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_TIME: Final = re.compile(r"(\d{1,2}):(-?\d{1,2})")
_WORD: Final = re.compile(r"[^\W\d_]+")
_NEGATIVE_PREFIX: Final = re.compile(r"(?:un|dis|in|im|ir|non)(?=\w{4})")


class ToldValue(NamedTuple):
    """One value that the system tells, such as `80 euro` or `tomorrow`, and whether it holds."""

    value: str
    state: State


@dataclass(slots=True)
class Facts:
    """Facts in the system's text between two user turns.

    values     quantities, times and dates, in their order
    names      capitalised words that begin no sentence, in their order, lower-cased
    words      content words by their first letters, counted by how they are said
    opposites  which side of which opposites of the language is told, counted: 1 for it, -1 against
    answers    1: a yes that stands by itself, -1: a no
    sides      by which words
    acts       what the turn says against itself, as `replies.yaml` calls it
    """

    values: list[ToldValue] = field(default_factory=list[ToldValue])
    names: list[str] = field(default_factory=list[str])
    words: Counter[tuple[str, Form]] = field(default_factory=Counter[tuple[str, Form]])
    opposites: Counter[Side] = field(default_factory=Counter[Side])
    sides: dict[Side, str] = field(default_factory=dict[Side, str])
    answers: set[int] = field(default_factory=set[int])
    acts: set[str] = field(default_factory=set[str])


class _Reader(NamedTuple):
    """The words of a language, made ready for looking up."""

    words: FactWords
    numbers: dict[str, int]
    units: dict[str, str]
    dates: dict[str, str]
    months: frozenset[str]
    decimal: str
    negators: frozenset[str]
    done: re.Pattern[str]
    supposed: re.Pattern[str]
    asides: re.Pattern[str]
    afternoon: re.Pattern[str]
    split: re.Pattern[str]
    opposites: tuple[tuple[int, int, re.Pattern[str]], ...]
    idle: frozenset[str]
    yes: frozenset[str]
    no: frozenset[str]
    acts: tuple[tuple[str, re.Pattern[str]], ...]


def facts_of(text: str, language: str, known: Iterable[str] = ()) -> Facts:
    """Facts in a system's text, by the words of its language, else the English ones.

    Input   known: names in the conversation, which are then found where a sentence begins, too
    """
    reader, found = _reader(language), Facts()
    names = frozenset(known)
    for sentence in filter(None, map(str.strip, _SENTENCE.split(text.replace("’", "'")))):
        found.names += _names(sentence, reader, names)
        found.acts |= {name for name, pattern in reader.acts if pattern.search(sentence.lower())}
        _read_sentence(sentence, reader, found)
    return found


def names_of(text: str, language: str) -> list[str]:
    """Capitalised words that begin no sentence."""
    reader = _reader(language)
    return [name for one in _SENTENCE.split(text) for name in _names(one, reader, frozenset())]


def _read_sentence(sentence: str, reader: _Reader, found: Facts) -> None:
    plain = _rewritten(sentence, reader)
    clauses = [part for part in _clauses(plain, reader) if part.strip(" .!?")]
    for place, clause in enumerate(clauses):
        bare = clause.strip(" .!?\"'")
        found.answers |= {side for side, known in ((1, reader.yes), (-1, reader.no)) if bare in known}
        asked = sentence.rstrip().endswith("?") and place == len(clauses) - 1
        _read_clause(clause, "asked" if asked else None, reader, found)


def _clauses(plain: str, reader: _Reader) -> Iterator[str]:
    for part in _COMMA.split(plain):
        yield from reader.split.split(part)


def _read_clause(clause: str, asked: State | None, reader: _Reader, found: Facts) -> None:
    tokens = list(_TOKEN.finditer(clause))
    start = next((one.start() for one in tokens if one[0] in reader.negators), len(clause))
    supposed = reader.supposed.search(clause) is not None
    for at, value in _values(tokens, clause, reader):
        denied: State = "denied" if at > start else "told"
        found.values.append(ToldValue(value, asked or ("supposed" if supposed else denied)))
    for token in tokens:
        word = token[0]
        if len(word) < 3 or word in reader.idle or not word[0].isalpha():
            continue
        form: Form = "done" if reader.done.fullmatch(word) else "plain"
        form = "denied" if token.start() > start else "supposed" if supposed or asked else form
        found.words[word, form] += 1
    for axis, side, pattern in reader.opposites:
        for match in pattern.finditer(clause):
            which = (axis, -side if match.start() > start else side)
            found.opposites[which] += 1
            found.sides[which] = clause[start:].strip() if match.start() > start else match[0]


def _values(tokens: list[re.Match[str]], clause: str, reader: _Reader) -> Iterator[tuple[int, str]]:
    """Start and value of each quantity, time or date in a clause."""
    words, skip = [token[0] for token in tokens], 0
    for place, one in enumerate(tokens):
        if skip:
            skip -= 1
            continue
        word, after = one[0], [*words[place + 1 : place + 4], "", "", ""]
        unit = next((reader.units[next_] for next_ in after[:2] if next_ in reader.units), None)
        near = after[0] in reader.units
        if word[0].isdigit():
            value, skip = _number(word, clause[one.end() :], reader), 0
            before = words[place - 1] if place else ""
            if unit is None and before in ("€", "$", "£"):
                unit = reader.units.get(before)
            month = next((at for at in (0, 1) if after[at] in reader.months), None)
            if month is not None and all(len(between) < 4 for between in after[:month]):
                value, skip = f"{value} {reader.dates[after[month]]}", month + 1
            elif unit is not None:
                value, skip = _measured(value, unit), 1 if near else 0
            yield one.start(), value
        elif word in reader.words.one and near and after[0].isalpha():
            yield one.start(), _measured("1", reader.units[after[0]])
            skip = 1
        elif word in reader.dates:
            if word in reader.months and after[0].isdigit():
                yield one.start(), f"{_number(after[0], '', reader)} {reader.dates[word]}"
                skip = 1
            elif word not in reader.words.verbs:
                yield one.start(), reader.dates[word]


def _number(word: str, behind: str, reader: _Reader) -> str:
    """A number as others write it, too: 20,00 and 20 are one, 6:30 pm is 18:30."""
    time = _TIME.fullmatch(word)
    late = reader.afternoon.match(behind) is not None
    if time or late:
        hour, minute = (int(time[1]), int(time[2])) if time else (int(re.split(r"\D", word)[0]), 0)
        minutes = hour * 60 + minute + (720 if late and hour < 12 else 0)
        return f"{minutes // 60}:{minutes % 60:02}" if minutes % 60 else str(minutes // 60)
    group = "," if reader.decimal == "." else "."
    plain = re.sub(rf"\{group}(?=\d{{3}}(?!\d))", "", word).replace(",", ".")
    decimal = re.fullmatch(r"\d{1,9}\.\d{1,6}", plain)
    return f"{float(plain):g}" if decimal else plain  # a long one is a name, such as that of a parcel


def _measured(value: str, unit: str) -> str:
    wider, factor = CONVERSIONS.get(unit, (unit, 1.0))
    try:
        return f"{float(value) * factor:g} {wider}"
    except ValueError:
        return f"{value} {wider}"


def _names(sentence: str, reader: _Reader, known: frozenset[str]) -> Iterator[str]:
    bare = reader.asides.sub(lambda match: " " * len(match[0]), sentence)
    for match in _WORD.finditer(bare):
        word = match[0]
        plain = word.lower()
        if not word[0].isupper() or len(word) < 3 or plain in reader.words.no_names or plain in reader.dates:
            continue
        before = sentence[: match.start()].rstrip(" \"'«“(")
        inside = bool(before) and before[-1] not in ".!?:;\n"
        if inside or plain in known:
            yield plain


def _rewritten(sentence: str, reader: _Reader) -> str:
    """In small letters, without asides, with numbers in figures and `rewrites` made."""
    plain = reader.asides.sub(" ", sentence.lower())
    plain = _figures(plain, reader)
    for pattern, replacement in reader.words.rewrites:
        plain = re.sub(pattern, replacement, plain)
    return plain


def _figures(plain: str, reader: _Reader) -> str:
    parts = re.split(r"(\W+)", plain)
    out: list[str] = []
    for place, part in enumerate(parts):
        value = reader.numbers.get(part)
        if value is None or _counts_nothing(part, parts[:place], reader):
            out.append(part)
            continue
        if len(out) > 1 and out[-1] in " -" and out[-2].isdigit():  # twenty five, two hundred
            last = int(out[-2])
            counted = last % 1000 if value == 100 else last  # two thousand three, of hundreds
            if value in (100, 1000) and 0 < counted < value:
                out[-2:] = [str(last + counted * (value - 1))]
                continue
            if last % 10 ** len(str(value)) == 0 and last > value:
                out[-2:] = [str(last + value)]
                continue
        out.append(str(value))
    return re.sub(r"\b(\d+)(?:st|nd|rd|th)\b", r"\1", "".join(out))


def _counts_nothing(word: str, before: list[str], reader: _Reader) -> bool:
    if word in reader.words.one:
        return True
    if word not in reader.words.pronouns:
        return False
    last = next((one for one in reversed(before) if one.strip()), "")
    return last in ("", *reader.words.pronouns[word]) or not last[0].isalnum()


@lru_cache
def _reader(language: str) -> _Reader:
    words, turns = FactWords.or_english(language), TurnWords.or_english(language)
    replies = ReplyWords.or_english(language)
    units = {word: unit for unit, several in words.units.items() for word in several}
    moves = turns.moves
    return _Reader(
        words=words,
        numbers=_numbers(words),
        units=units,
        dates=_dates(words, language),
        months=frozenset(_months(language)),
        decimal="," if locale_of(language).number_symbols.get("latn", {}).get("decimal") == "," else ".",
        negators=frozenset(words.negators),
        done=re.compile("|".join(words.done) or r"(?!)"),
        supposed=_any(words.supposed),
        asides=_any(words.asides),
        afternoon=re.compile(r"\s*" + _any(words.afternoon).pattern.removeprefix(r"(?<!\w)")),
        split=_any(words.split),
        opposites=tuple(
            (axis, side, _any(phrases))
            for axis, both in enumerate(words.opposites)
            for side, phrases in zip((1, -1), both, strict=True)
        ),
        idle=frozenset({*words.function_words, *words.negators, *units, *_dates(words, language)}),
        yes=frozenset(moves.get("affirm", ())),
        no=frozenset(moves.get("negate", ())),
        acts=tuple((act, re.compile("|".join(getattr(replies, act)) or r"(?!)")) for act in ACTS),
    )


def _any(phrases: Iterable[str]) -> re.Pattern[str]:
    found = sorted(phrases, key=len, reverse=True)
    return re.compile(
        r"(?<!\w)(?:" + "|".join(map(re.escape, found)) + r")(?!\w)" if found else r"(?!)", re.I
    )


def _numbers(words: FactWords) -> dict[str, int]:
    units = {word: number for number, word in enumerate(words.numbers)}
    known = dict(units)
    for ten, word in zip(range(20, 100, 10), words.tens, strict=False):
        known[word] = ten
        for unit, digit in list(units.items())[1:10]:
            known[word + unit] = known[word[:-1] + unit] = ten + digit  # ventotto
    known |= {word: number for number, word in enumerate(words.ordinals, 1)}
    return known | {one: value for one, value in ((words.hundred, 100), (words.thousand, 1000)) if one}


def _dates(words: FactWords, language: str) -> dict[str, str]:
    days = [str(name).lower() for name in locale_of(language).days["format"]["wide"].values()]
    return {one: one for one in (*days, *_months(language))} | words.days


def _months(language: str) -> list[str]:
    return [str(name).lower() for name in locale_of(language).months["format"]["wide"].values()]


def lemma(word: str) -> str:
    """The first letters of a word, by which its forms are one: invio, inviato."""
    return word[:STEM]


def without_negation(word: str) -> str | None:
    """Negated stem of a word: available, of unavailable; None: nothing."""
    match = _NEGATIVE_PREFIX.match(word)
    return word[match.end() :] if match else None
