"""Translatable statements of analyses: a template with values, English by default."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class FormattedNumber:
    """A number in a statement; `written`: as Python formats it, such as `.0%`."""

    value: float | Decimal
    written: str = ""

    def __str__(self) -> str:
        return format(self.value, self.written)


@dataclass(frozen=True, slots=True)
class PluralCount:
    """A count with a noun that catalogues have in its forms: `1 dialogue`, `240 dialogues`."""

    n: int
    noun: str

    def __str__(self) -> str:
        return f"{self.n} {self.noun}{'' if self.n == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class LocalizedText:
    """A sentence, or a part of one.

    template  its code: English, with `{places}`, as the catalogues of other languages have it
    values    what stands in the places, by their names; text is a name, the same in every language
    """

    template: str
    values: tuple[tuple[str, "Value"], ...] = ()

    def __str__(self) -> str:
        return self.template.format(**dict(self.values)) if self.values else self.template

    def facts(self) -> dict[str, object]:
        """The statement as a file keeps it; `LocalizedText.read` takes it."""
        values = {
            name: value.facts() if isinstance(value, LocalizedText) else str(value)
            for name, value in self.values
        }
        return {"template": self.template, "values": values}

    @classmethod
    def read(cls, facts: Mapping[str, Any]) -> "LocalizedText":
        """A statement that a file has kept; one whose places are no plain names is a text without places."""
        values = {
            str(name): cls.read(value) if isinstance(value, Mapping) else str(value)
            for name, value in dict(facts["values"]).items()
        }
        places = _PLACE.findall(template := str(facts["template"]))
        is_plain = all(name in values for name in places) and not re.search("[{}]", _PLACE.sub("", template))
        return cls(template, tuple(values.items())) if is_plain else cls(template)

    def __add__(self, then: "LocalizedText | None") -> "LocalizedText":
        return self if then is None else statement("{first} {then}", first=self, then=then)


_PLACE: Final = re.compile(r"\{(\w+)\}")
NOTHING: Final = LocalizedText("")
Value = str | int | FormattedNumber | PluralCount | LocalizedText


def statement(template: str, /, **values: Value) -> LocalizedText:
    """A statement with these values in its places."""
    return LocalizedText(template, tuple(values.items()))


def enumerated(several: list[LocalizedText], separator: str = ", ") -> LocalizedText:
    """Several of them in a row."""
    places = {f"one{number}": item for number, item in enumerate(several)}
    return statement(separator.join(f"{{{name}}}" for name in places), **places)
