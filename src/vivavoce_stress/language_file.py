"""One language's facts in a YAML file: what the tests need beside dictionaries and parsers."""

import re
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
)

from vivavoce.core.validation import load_model, mistake

FOLDER: Final = Path(__file__).parent / "languages"


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise mistake(f"invalid regular expression {text!r} ({error})", "correct the pattern") from None
    return text


Pattern = Annotated[str, AfterValidator(_pattern)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Rule(_Part):
    """A regular expression and what its match becomes; the name is what a reviewer reads."""

    name: str
    pattern: Pattern
    becomes: str
    confidence: float = Field(ge=0, le=1)

    @field_validator("becomes")
    @classmethod
    def _refers_to_groups(cls, becomes: str, info: ValidationInfo) -> str:
        groups = re.compile(info.data["pattern"]).groups if "pattern" in info.data else 99
        beyond = [group for group in re.findall(r"\\(\d)", becomes) if int(group) > groups]
        if beyond:
            raise mistake(f"invalid group reference \\{beyond[0]}", f"the pattern has only {groups} groups")
        return becomes


class Rarer(_Part):
    """A rarer synonym that does not hold everywhere.

    beside      dictionary forms of which one must stand in the utterance: saldare beside a fine or a bill
    without     dictionary forms that must not stand in it
    confidence  where both hold; elsewhere it is a guess
    """

    becomes: str
    beside: list[str] = []
    without: list[str] = []
    confidence: float = Field(0.85, ge=0, le=1)


class Register(_Part):
    """A word or phrase and its like in another register or region."""

    word: str
    becomes: list[str] = Field(min_length=1)
    label: str
    confidence: float = Field(0.8, ge=0, le=1)


class Anaphora(_Part):
    """How alternatives are offered and how an answer points back at one of them.

    ordinals   from the first on; where words have genders, `masculine/feminine`
    pointing   patterns with {ordinal}: what stands in for the alternative that was chosen
    last, pair what stands in for the last of several, and for the two of a pair
    heads      words that say of what kind all alternatives are, and so tell none apart: restaurant, food
    """

    alternatives: list[str] = Field(min_length=1, description="words between alternatives, such as or")
    ordinals: list[str] = Field(min_length=2)
    pointing: list[str] = Field(min_length=1)
    last: list[str] = []
    pair: list[list[str]] = []
    heads: list[str] = []


class Nationality(_Part):
    """Where an adjective of nationality gives way to its country: group `people`; {capital} is put in."""

    pattern: Pattern
    becomes: str
    capitals: dict[str, str] = Field(
        {}, description="capitals, by inhabitants; take precedence over the dictionary"
    )


class LanguageFile(_Part):
    """Only the first three are needed: a test whose part is missing is not applicable."""

    language: str = Field(description="BCP 47 language tag")
    name: str = Field(description="English name of the language")
    function_words: list[str] = Field(description="short words that are never misspelled")
    request_frame: list[str] = Field(
        [],
        description="words that frame a request, such as I would like, please, when; spelling tests "
        "change them only if there are no other words",
    )
    blocked: list[str] = Field([], description="words excluded from variants, in addition to offensive words")
    keyboard: list[str] = Field([], description="rows of letter keys, from the top")
    misspellings: list[Rule] = []
    confusions: list[list[str]] = Field([], description="words that are confused with each other")
    taken_for: dict[str, list[str]] = Field(
        {}, description="words that are confused with others in one direction only"
    )
    one_letter: list[Rule] = Field([], description="small changes that produce another word of the language")
    rarer_words: dict[str, dict[str, list[str | Rarer]]] = Field(
        {}, description="approved rarer synonyms, by part of speech (n, v, a, r) and dictionary form"
    )
    kept_words: list[str] = Field(
        [],
        description="words whose dictionary synonyms do not fit requests to systems",
    )
    register_words: list[Register] = []
    frames: list[Rule] = Field([], description="phrasings of requests in another register")
    anaphora: Anaphora | None = None
    described: dict[str, str] = Field(
        {}, description="days and feasts, each with a description and its article"
    )
    first_names: dict[Literal["m", "f"], list[str]] = Field(
        {}, description="unambiguous first names of a single gender, for the pronouns he and she"
    )
    pointing_back: list[str] = Field(
        [], description="phrases that refer to a place or thing mentioned before"
    )
    nationality: Nationality | None = None
    courtesies: list[str] = Field(
        [], description="small words without a request, besides thanks, yes, no, greetings and farewells"
    )


def load_language(path: Path) -> LanguageFile:
    """The file, checked.

    Raises  InputError: the first thing that is wrong, with its line
    """
    return load_model(path, LanguageFile)
