"""What the YAML files of a language hold; each file is optional, and English is used where one is missing."""

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Annotated, ClassVar, Final, Literal, Self, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from vivavoce.core.errors import UnknownName
from vivavoce.core.i18n import SOURCE_LANGUAGE
from vivavoce.core.validation import load_model, mistake
from vivavoce.languages.base import LANGUAGES, language_of

Phrase = Literal[
    "welcome_pin", "wrong_pin", "no_visit", "second_call", "not_due", "over", "paused", "not_heard",
    "still_there", "trouble", "too_short", "code", "goodbye", "connecting", "system_away", "nobody_there",
    "placed",
]  # fmt: skip
Manner = Literal[
    "search", "inform", "change", "correct", "request", "whether", "reqalts", "hello", "affirm", "negate",
    "bye", "despair", "wrong", "nothing_more",
]  # fmt: skip
Aside = Literal["puzzled", "disagree", "ask_back", "digress", "break_off", "thanks"]
Column = Literal[
    "dialogue", "speaker", "text", "time", "system", "participant", "language", "task", "reward", "ratings",
    "conditions",
]  # fmt: skip
Data = TypeVar("Data", bound=BaseModel)
SAYING: Final = ("search", "inform", "change", "correct", "request", "whether")  # with {what}


def _rule(rule: tuple[str, str]) -> tuple[str, str]:
    try:
        re.compile(rule[0])
    except re.error as error:
        raise mistake(f"{rule[0]!r} is no regular expression: {error}", "mend the pattern") from None
    return rule


Rule = Annotated[tuple[str, str], AfterValidator(_rule)]


def _pattern(pattern: str) -> str:
    return _rule((pattern, ""))[0]


Pattern = Annotated[str, AfterValidator(_pattern)]


def _with(*places: str) -> AfterValidator:
    """Each sentence has these places, and braces for nothing else."""

    def check(sentence: str) -> str:
        filled = sentence
        for place in places:
            filled = filled.replace("{" + place + "}", "")
        if "{" in filled or "}" in filled or filled == sentence:
            wanted = " or ".join("{" + place + "}" for place in places)
            raise mistake(f"{sentence!r} does not fit", f"write {wanted} in it, and no other braces")
        return sentence

    return AfterValidator(check)


class LanguageData(BaseModel):
    """One file of a language.

    file  its name, in the folder of the language
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: ClassVar[str]

    @classmethod
    def of(cls, tag: str) -> Self | None:
        """What the language of a tag brings; None: it lacks the file, or is not installed.

        Raises  InputError: the first mistake in the file
        """
        language = language_of(tag)
        path = language.folder / cls.file if language is not None else None
        if language is None or path is None or not path.is_file():
            return None
        return _read(path, f"{language.name}/{cls.file}", cls)

    @classmethod
    def or_english(cls, tag: str) -> Self:
        """What the language of a tag brings, else what English does."""
        return cls.of(tag) or cls.in_english()

    @classmethod
    def in_english(cls) -> Self:
        return _read(LANGUAGES.get(SOURCE_LANGUAGE).folder / cls.file, cls.file, cls)

    @classmethod
    def languages(cls) -> list[str]:
        """The languages that bring the file, by name."""
        return [name for name, one in LANGUAGES if (one.folder / cls.file).is_file()]


@lru_cache
def _read(path: Path, shown: str, kind: type[Data]) -> Data:
    return load_model(path, kind, shown)


def require_installed(tag: str, place: str) -> str:
    """The tag, of an installed language, be it without its region.

    Raises  UnknownName: names those that are
    """
    if language_of(tag) is None:
        raise UnknownName("language", tag, LANGUAGES.names(), place=place)
    return tag


def check_installed(tags: Iterable[str]) -> None:
    """For validators: every tag is one of an installed language, be it without its region."""
    for tag in tags:
        if language_of(tag) is None:
            known = ", ".join(LANGUAGES.names())
            name = tag.split("-")[0].lower()
            hint = f"install a package that brings it, or write one: vivavoce new language {name}"
            raise mistake(f"language {tag!r} is not installed; installed: {known}", hint)


class Spoken(LanguageData):
    """What the platform says aloud; a phrase that is missing is said in English."""

    file = "spoken.yaml"

    greeting: str = Field("", description="what `vivavoce check` says to a system; empty: the English one")
    digits: list[str] = Field(
        [], description="zero to nine, as codes are spelt; none: figures, which a voice reads"
    )
    voices: dict[str, str] = Field({}, description="voice by synthesiser that needs one: `festival`")
    phrases: dict[Phrase, str] = Field(
        {}, description=f"sentences: {', '.join(get_args(Phrase))}; `code` has the place {{code}}"
    )

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if len(self.digits) not in (0, 10):
            raise mistake(f"{len(self.digits)} digits", "write ten, from zero to nine")
        for name, sentence in self.phrases.items():
            if ("{code}" in sentence) is not (name == "code") or sentence.replace("{code}", "").count("{"):
                hint = "write {code} in `code`, and no braces elsewhere"
                raise mistake(f"phrase {name!r} does not fit", hint)
        return self


class SimulatedSpeech(LanguageData):
    """How simulated users say things, and what a noisy channel makes of it."""

    file = "simulation.yaml"

    say: dict[Manner, list[str]] = Field(
        description=f"ways to say each of {', '.join(get_args(Manner))}; {{what}} in the first six; "
        "who has no words for `whether` does not ask it"
    )
    asides: dict[Aside, list[str]] = Field(
        {}, description=f"what is said in place of an answer: {', '.join(get_args(Aside))}; none: in English"
    )
    conjunction: str = Field(description="the word for `and`")
    goodbye: str = Field(description="the last word of somebody who hangs up")
    bare_share: float = Field(0, ge=0, le=1, description="how often a single value is said bare")
    thanks: list[str] = Field([], description="what stands in a goodbye that thanks as well")
    fillers: list[str] = Field([], description="words that a recogniser inserts; none: English ones")
    common: str = Field("", description="frequent words, one after the other, that others are taken for")
    sounds: list[Rule] = Field(
        [], description="letters folded to sounds (pattern, sound), in turn; none: by Metaphone, for English"
    )

    @model_validator(mode="after")
    def _whole(self) -> Self:
        lacking = [name for name in get_args(Manner) if name != "whether" and not self.say.get(name)]
        if lacking:
            raise mistake(f"nothing is said for {lacking[0]!r}", f"add say.{lacking[0]}")
        for name in SAYING:
            for sentence in self.say.get(name, []):
                if sentence.count("{") != 1 or "{what}" not in sentence:
                    raise mistake(f"{sentence!r} does not fit", "write {what} in it, and no other braces")
        return self

    def thanks_in(self, text: str) -> bool:
        """Whether words of leave-taking thank, too."""
        return any(word in text for word in self.thanks)


class TaskSentences(LanguageData):
    """Sentences of generated tasks.

    In them {place} is a noun phrase, {wish} infinitives, {requests} things to learn; of the kind of venue
    {noun} is the noun, {one} has its indefinite article before it and {the} the definite one.
    """

    file = "tasks.yaml"

    openings: list[Annotated[str, _with("place")]] = Field(
        min_length=1, description="what is looked for; {place}: a noun phrase"
    )
    wishes: list[Annotated[str, _with("wish", "the", "one", "noun")]] = Field(
        min_length=1,
        description="what it must be; {wish}: infinitives; {noun}, {one}, {the}: what is looked for",
    )
    requests: list[Annotated[str, _with("requests")]] = Field(
        min_length=1, description="what to find out; {requests}"
    )
    alternatives: list[Annotated[str, _with("wish", "the", "one", "noun")]] = Field(
        min_length=1, description="what else will do; the same places"
    )
    conjunction: str = Field(description="the word for `and`")
    conjunction_before: dict[str, str] = Field(
        {}, description="another form of it, by the letter that follows"
    )
    indefinite: list[Rule] = Field(
        [], description="article before words, by what they begin with: the first pattern that fits"
    )
    definite: list[Rule] = Field(
        [], description="what an indefinite article at the beginning becomes: the first pattern that fits"
    )


class TurnWords(LanguageData):
    """What turns of users mean, whatever the study is about."""

    file = "turns.yaml"

    moves: dict[str, list[str]] = Field({}, description="phrases by dialogue act: bye, affirm, ...")
    negations: list[str] = Field([], description="a value after one of these is excluded")
    questions: list[str] = Field([], description="words of a question")
    confirming: list[str] = Field([], description="openings of a question whether a value holds")
    suggesting: list[str] = Field([], description="openings that propose a value instead of the last")
    fillers: list[str] = Field([], description="words that mean nothing")


class ReplyWords(LanguageData):
    """What turns of systems say against themselves, whatever the study is about.

    Each is a list of regular expressions, in upper or lower case, for a part of one sentence.
    """

    file = "replies.yaml"

    not_understood: list[Pattern] = Field([], description="the system did not understand")
    ask_again: list[Pattern] = Field([], description="it asks to be told again, or in other words")
    unknown: list[Pattern] = Field([], description="what the user named is nothing that it knows")
    refuse: list[Pattern] = Field([], description="it cannot, has no answer, has found nothing")
    menu: list[Pattern] = Field([], description="instead of an answer, what it can do, or its first question")
    hand_over: list[Pattern] = Field([], description="it sends the user to a person or elsewhere")
    trouble: list[Pattern] = Field([], description="something of its own does not work")
    asks_for: dict[str, list[Pattern]] = Field(
        {}, description="by `when`, `how_many` and `who`: questions that ask for it"
    )
    told_by: dict[str, list[Pattern]] = Field(
        {}, description="by the same: words of users that tell one, beside numbers, days and names"
    )


class FactWords(LanguageData):
    """By which words systems tell facts: how many, when, and whether it is so.

    Words are written in small letters, as they stand once `rewrites` are made.
    """

    file = "facts.yaml"

    units: dict[str, list[str]] = Field({}, description="words of each unit, by its English name")
    one: list[str] = Field([], description="one of a unit, where they stand before it: a, per, every")
    numbers: list[str] = Field([], description="0 to 19")
    tens: list[str] = Field([], description="20, 30, ... 90")
    hundred: str = Field("", description="100")
    thousand: str = Field("", description="1000")
    pronouns: dict[str, list[str]] = Field(
        {}, description="words of `numbers` that count nothing at the beginning, or after one of these"
    )
    ordinals: list[str] = Field([], description="first to twelfth")
    verbs: list[str] = Field(
        [], description="names of months that are verbs where no number stands beside them"
    )
    days: dict[str, str] = Field({}, description="days counted from today, as today, tomorrow, yesterday")
    rewrites: list[Rule] = Field(
        [], description="what is said otherwise, pattern and replacement; numbers are figures by then"
    )
    afternoon: list[str] = Field([], description="behind an hour of the second half of the day")
    negators: list[str] = Field([], description="what follows in the clause is denied")
    supposed: list[str] = Field([], description="a clause with one of these tells what is not certain")
    asides: list[str] = Field([], description="phrases that tell no fact, though they look like it")
    split: list[str] = Field([], description="conjunctions behind which a denial does not reach")
    done: list[Pattern] = Field([], description="whole words that tell what was done, as regular expressions")
    no_names: list[str] = Field([], description="words with a capital letter that are no names")
    function_words: list[str] = Field([], description="words that carry no content")
    opposites: list[tuple[list[str], list[str]]] = Field(
        [], description="phrases for a thing, and for its opposite"
    )
    articles: list[str] = Field(
        [], description="what a name may begin with, or not: the, a; with its apostrophe"
    )
    ampersand: list[str] = Field([], description="words for `&`")


class CampaignWords(LanguageData):
    """What participants and teams of a campaign read."""

    file = "campaign.yaml"

    task: Annotated[str, _with("what")] = Field(description="a task drafted from an intent, {what}")
    in_mind: Annotated[str, _with("values")] | None = Field(
        None, description="what a drafted task says of its values, {values}"
    )
    knowledge: Annotated[str, _with("domain")] | None = Field(
        None, description="what the screening asks of the subject, {domain}; else the subject has no name"
    )
    spoken_items: dict[str, str] = Field(
        {}, description="items of the questionnaire in other words for systems that users speak to"
    )
    openings: list[Annotated[str, _with("what")]] = Field(
        [], description="how simulated users open what one can do, {what}"
    )
    first_person: dict[str, str] = Field(
        {}, description="words that address the user in what one can do, and what users say of themselves"
    )
    more: list[Pattern] = Field(
        [], description="the system asks whether there is more, as regular expressions"
    )
    confirms: list[Pattern] = Field([], description="it asks for a yes or no before it does something")
    farewells: list[Pattern] = Field([], description="it takes leave")
    wishes: list[Pattern] = Field(
        [], description="it asks what the user wants at all, which is no entity of a task"
    )
    written: str = Field(description="how one talks with a system, {how} of the instructions: in writing")
    spoken: str = Field(description="the same by voice")
    multimodal: str = Field(description="the same by either")
    questions: dict[str, str] = Field({}, description="what teams are asked; a missing one is in English")
    instructions: Annotated[str, _with("name", "how", "domain", "what")] = Field(
        description="Markdown before the tasks; {name}, {how}, {domain}, {what}: a list of intents"
    )


class PersonalWords(LanguageData):
    """By which words people tell who and where they are, whatever they talk about.

    What stands in the group `found` of a pattern is personal, else all of it.
    """

    file = "personal.yaml"

    regions: list[Annotated[str, Field(pattern="^[A-Z]{2}$")]] = Field(
        [], description="countries (ISO 3166) whose telephone numbers are written without their code"
    )
    phone: list[Pattern] = Field([], description="a number that is called one of a telephone, whatever it is")
    name: list[Pattern] = Field([], description="somebody's name, after words that announce one")
    address: list[Pattern] = Field([], description="street and number")
    birth: list[Pattern] = Field([], description="a date of birth")
    email: list[Pattern] = Field([], description="an e-mail address spelt out in words")


class TableWords(LanguageData):
    """How people call the columns of their tables, by which `import table --guess` drafts a mapping.

    Names are compared in small letters, with `_` for blanks, and whole.
    """

    file = "tables.yaml"

    columns: dict[Column, Pattern] = Field({}, description="names of a column, by what it holds")
    users: list[str] = Field([], description="what stands for the user where the speaker is named")
    systems: list[str] = Field([], description="what stands for the system there")
    affirmed: list[str] = Field([], description="cells that say yes where a number is wanted: 1")
    denied: list[str] = Field([], description="cells that say no there: 0")


FILES: Final[tuple[type[LanguageData], ...]] = (
    Spoken,
    SimulatedSpeech,
    TaskSentences,
    TurnWords,
    FactWords,
    ReplyWords,
    CampaignWords,
    PersonalWords,
    TableWords,
)


def phrase(name: Phrase, language: str, **values: str) -> str:
    """A sentence that the platform says aloud; in English where the language lacks it."""
    own = Spoken.of(language)
    known = own.phrases.get(name) if own is not None else None
    return (known or Spoken.in_english().phrases[name]).format(**values)


def spoken_digits(code: str, language: str) -> str:
    """A code digit by digit, with pauses; in a language whose words we lack, figures that a voice reads."""
    own = Spoken.of(language)
    digits = own.digits if own is not None else []
    return ", ".join(digits[int(digit)] if digits else digit for digit in code)


def things_to_say(language: str, answered: str = "") -> tuple[str, ...]:
    """What may be said after a hello to see whether answers follow the words: what the system itself
    answered, and a goodbye."""
    speech = SimulatedSpeech.or_english(language)
    own = (answered[:300],) if " " in answered.strip() else ()
    return (*own, speech.say["bye"][0])


def greeting(language: str) -> str:
    """A hello to a system under test."""
    return Spoken.or_english(language).greeting or Spoken.in_english().greeting
