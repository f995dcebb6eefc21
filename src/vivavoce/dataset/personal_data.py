"""Personal data in free text, found by form and check digits, and by words that announce it.

Names and addresses are found only after words of a language that announce them (`personal.yaml`), because a
list of names would find cities and flowers. docs/explanation/personal-data-quality.md says how much is found.
"""

import ipaddress
import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Final, NamedTuple

from vivavoce.core.extras import require
from vivavoce.languages.data import PersonalWords


class PiiMatch(NamedTuple):
    """Possible personal data: its kind, and its span in a text (characters, 0-based, half open)."""

    kind: str
    start: int
    end: int
    text: str


class _Form(NamedTuple):
    kind: str
    pattern: re.Pattern[str]
    part: Callable[[str], str]


_SEPARATORS: Final = re.compile(r"[\s.-]")
_PLATFORMS: Final = (
    r"(?:facebook|instagram|linkedin|twitter|x|tiktok|github|t|wa|threads|youtube|reddit|telegram|vk)"
)
_PERSONS: Final = (
    r"(?:user(?:name|_?id)?|e?mail|login|uid|account|token|session(?:id)?|sid|pid|prolific_pid|name|phone)"
)
_ODD: Final = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)


def find_personal_data(text: str) -> list[PiiMatch]:
    """Find possible personal data in a text, in order, no two overlapping; kinds are in `KINDS`.

    Empty   nothing is found: []
    Raises  MissingExtra: the package that knows telephone numbers is not installed
    """
    return list(_found(text))


@lru_cache(maxsize=100_000)
def _found(text: str) -> tuple[PiiMatch, ...]:
    finds: list[PiiMatch] = []
    for candidate in _candidates(text):
        if candidate.text and not any(
            candidate.start < find.end and find.start < candidate.end for find in finds
        ):
            finds.append(candidate)
    return tuple(sorted(finds, key=lambda match: match.start))


def _candidates(text: str) -> Iterator[PiiMatch]:
    """All finds, the surest kinds first."""
    for form in _FORMS:
        for match in form.pattern.finditer(text):
            if part := form.part(match[0]):
                yield PiiMatch(form.kind, match.start(), match.start() + len(part), part)
    yield from _numbers(text)
    for kind, pattern in _announced():
        for match in pattern.finditer(text):
            group = "found" if "found" in pattern.groupindex else 0
            start, end = match.span(group)
            yield PiiMatch(kind, start, end, match[group])


def _numbers(text: str) -> Iterator[PiiMatch]:
    if sum(map(str.isdigit, text)) < 6:
        return
    require("phonenumbers")
    from phonenumbers import Leniency, PhoneNumberMatcher

    for region in _regions():
        for match in PhoneNumberMatcher(text, region, leniency=Leniency.VALID):
            yield PiiMatch("phone", match.start, match.end, match.raw_string)


@cache
def _regions() -> tuple[str, ...]:
    words = (PersonalWords.of(tag) for tag in PersonalWords.languages())
    return tuple(dict.fromkeys(region for word in words if word is not None for region in word.regions))


@cache
def _announced() -> tuple[tuple[str, re.Pattern[str]], ...]:
    words = [
        vocabulary for tag in PersonalWords.languages() if (vocabulary := PersonalWords.of(tag)) is not None
    ]
    return tuple(
        (kind, re.compile(pattern))
        for kind in ("email", "phone", "address", "birth", "name")
        for word in words
        for pattern in getattr(word, kind)
    )


def _iban(text: str) -> str:
    """The longest beginning, by words, that is one."""
    while text and not _is_iban(text):
        text = text.rpartition(" ")[0]
    return text


def _is_iban(text: str) -> bool:
    """ISO 13616: the check digits of the whole, letters as 10 to 35, are 1 modulo 97."""
    code = _SEPARATORS.sub("", text).upper()
    return (
        15 <= len(code) <= 34
        and int("".join(str(int(character, 36)) for character in code[4:] + code[:4])) % 97 == 1
    )


def _is_card(text: str) -> bool:
    """ISO/IEC 7812: the sum of Luhn is a multiple of 10."""
    digits = [int(character) for character in text if character.isdigit()]
    if not 13 <= len(digits) <= 19 or len(set(digits)) < 2:
        return False
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _is_tax_code(text: str) -> bool:
    """The Italian codice fiscale: its last letter checks the fifteen before (decree of 23 December 1976)."""
    code = text.upper()
    odd = sum(_ODD[_place(character)] for character in code[0:15:2])
    return (odd + sum(_place(character) for character in code[1:15:2])) % 26 == _place(code[15])


def _place(character: str) -> int:
    return int(character) if character.isdigit() else ord(character) - ord("A")


def _is_address(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


def _bare_page(text: str) -> str:
    return text.rstrip(".,;:!?)")


def _checked(holds: Callable[[str], bool]) -> Callable[[str], str]:
    return lambda text: text if holds(text) else ""


_FORMS: Final = tuple(
    _Form(kind, re.compile(pattern, re.IGNORECASE), part)
    for kind, pattern, part in (
        ("url", r"https?://[^\s/@]{1,200}@[^\s<>\"]{1,300}", _bare_page),
        (
            "url",
            rf"(?:https?://|www\.)[^\s<>\"?]{{1,300}}\?(?:[^\s<>\"]{{0,300}}&)?{_PERSONS}=[^\s<>\"]{{1,300}}",
            _bare_page,
        ),
        (
            "url",
            rf"(?:https?://)?(?:www\.|m\.)?\b{_PLATFORMS}\.(?:com|me|org|net)/@?[\w./-]{{1,100}}\w",
            _bare_page,
        ),
        ("url", r"https?://[^\s<>\"]{1,300}/(?:~|users?/|profiles?/|u/)[^\s<>\"]{1,300}", _bare_page),
        ("email", r"(?<![\w.+'-])[\w.+'-]{0,63}[\w+]@[\w-]{1,63}(?:\.[\w-]{1,63}){0,5}\.[a-z]{2,24}\b", str),
        ("handle", r"(?<![\w@.])@[a-z_][\w.]{2,29}\b", str),
        ("iban", r"\b[a-z]{2}\d{2}(?:[ -]?[a-z0-9]){11,30}\b", _iban),
        (
            "tax_code",
            r"\b[a-z]{6}[\dl-np-v]{2}[a-ehlmprst][\dl-np-v]{2}[a-z][\dl-np-v]{3}[a-z]\b",
            _checked(_is_tax_code),
        ),
        ("card", r"(?<![\d+])[2-6]\d{3}(?:[ -]?\d){9,15}(?!\d)", _checked(_is_card)),
        ("ip", r"(?<![\w.:])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\d)", _checked(_is_address)),
        ("ip", r"(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{1,4}(?![\w:])", _checked(_is_address)),
    )
)
KINDS: Final = (*dict.fromkeys(form.kind for form in _FORMS), "phone", "address", "birth", "name")
"""What is looked for, the surest first."""
