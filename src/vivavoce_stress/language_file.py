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
        raise mistake(f"{text!r} is no regular expression ({error})", "mend the pattern") from None
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
            raise mistake(f"invalid group reference \\{beyond[0]}", f"the pattern has {groups} groups")
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

    alternatives: list[str] = Field(min_length=1, description="words between alternatives: or")
    ordinals: list[str] = Field(min_length=2)
    pointing: list[str] = Field(min_length=1)
    last: list[str] = []
    pair: list[list[str]] = []
    heads: list[str] = []


class Nationality(_Part):
    """Where an adjective of nationality gives way to its country: group `people`; {capital} is put in."""

    pattern: Pattern
    becomes: str
    capitals: dict[str, str] = Field({}, description="capital by people, before what the dictionary says")


class LanguageFile(_Part):
    """Only the first three are needed: a test whose part is missing is not applicable."""

    language: str = Field(description="BCP 47 tag")
    name: str = Field(description="the language's name in English")
    function_words: list[str] = Field(description="words too small to misspell")
    request_frame: list[str] = Field(
        [],
        description="words that frame a request and are not what it asks for: I would like, please, when; "
        "spelling tests change them only where no other word is to be changed",
    )
    blocked: list[str] = Field([], description="words that no variant may put in, beside the offensive ones")
    keyboard: list[str] = Field([], description="rows of letter keys, from the top")
    misspellings: list[Rule] = []
    confusions: list[list[str]] = Field([], description="words that are taken for each other")
    taken_for: dict[str, list[str]] = Field({}, description="words that are taken for others, one way only")
    one_letter: list[Rule] = Field([], description="small changes that give another word of the language")
    rarer_words: dict[str, dict[str, list[str | Rarer]]] = Field(
        {}, description="rarer synonyms found right, by part of speech (n, v, a, r) and dictionary form"
    )
    kept_words: list[str] = Field(
        [],
        description="words whose synonyms in the dictionary mean another thing in what people ask of systems",
    )
    register_words: list[Register] = []
    frames: list[Rule] = Field([], description="ways to put a request, in another register")
    anaphora: Anaphora | None = None
    described: dict[str, str] = Field({}, description="a day or feast, and its description with article")
    first_names: dict[Literal["m", "f"], list[str]] = Field(
        {}, description="first names of one gender alone that are no other word: who bears one is he or she"
    )
    pointing_back: list[str] = Field([], description="phrases for a place or thing that was named before")
    nationality: Nationality | None = None
    courtesies: list[str] = Field(
        [], description="small words beside thanks, yes, no, a greeting or farewell, which ask for nothing"
    )


def load_language(path: Path) -> LanguageFile:
    """The file, checked.

    Raises  InputError: the first thing that is wrong, with its line
    """
    return load_model(path, LanguageFile)
