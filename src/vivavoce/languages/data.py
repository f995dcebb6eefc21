"""Content of a language's YAML files; each file is optional, with English as fallback."""

import re
from typing import Annotated, Final, Literal, Self, get_args

from pydantic import AfterValidator, Field, model_validator

from vivavoce.core.validation import mistake
from vivavoce.languages.base import LanguageData

Phrase = Literal[
    "welcome_pin",
    "wrong_pin",
    "no_visit",
    "second_call",
    "not_due",
    "over",
    "paused",
    "not_heard",
    "still_there",
    "trouble",
    "too_short",
    "code",
    "goodbye",
    "connecting",
    "system_away",
    "nobody_there",
    "placed",
]
Manner = Literal[
    "search",
    "inform",
    "change",
    "correct",
    "request",
    "whether",
    "reqalts",
    "hello",
    "affirm",
    "negate",
    "bye",
    "despair",
    "wrong",
    "nothing_more",
]
Aside = Literal["puzzled", "disagree", "ask_back", "digress", "break_off", "thanks"]
Column = Literal[
    "dialogue",
    "speaker",
    "text",
    "time",
    "system",
    "participant",
    "language",
    "task",
    "reward",
    "ratings",
    "conditions",
]
SAYING: Final = ("search", "inform", "change", "correct", "request", "whether")  # with {what}


def _rule(rule: tuple[str, str]) -> tuple[str, str]:
    try:
        re.compile(rule[0])
    except re.error as error:
        raise mistake(f"{rule[0]!r} is not a regular expression: {error}", "correct the pattern") from None
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
            placeholders = " or ".join("{" + place + "}" for place in places)
            raise mistake(
                f"{sentence!r} lacks a placeholder or has a wrong one",
                f"use {placeholders} and no other braces",
            )
        return sentence

    return AfterValidator(check)


class Spoken(LanguageData):
    """Spoken text of the platform; missing phrases fall back to English."""

    file = "spoken.yaml"

    greeting: str = Field("", description="greeting of test messages (default: the English one)")
    digits: list[str] = Field([], description="zero to nine, for codes (default: figures, read by the voice)")
    voices: dict[str, str] = Field({}, description="voice by synthesiser that needs one: `festival`")
    phrases: dict[Phrase, str] = Field(
        {}, description=f"sentences: {', '.join(get_args(Phrase))}; `code` contains {{code}}"
    )

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if len(self.digits) not in (0, 10):
            raise mistake(f"{len(self.digits)} digits", "write ten, from zero to nine")
        for name, sentence in self.phrases.items():
            if ("{code}" in sentence) is not (name == "code") or sentence.replace("{code}", "").count("{"):
                hint = "use {code} in `code` only, and no other braces"
                raise mistake(f"phrase {name!r} lacks a placeholder or has a wrong one", hint)
        return self


class SimulatedSpeech(LanguageData):
    """Utterances of simulated users, and effects of a noisy channel."""

    file = "simulation.yaml"

    say: dict[Manner, list[str]] = Field(
        description=(
            f"ways to say each of {', '.join(get_args(Manner))}; {{what}} in the first six; "
            "`whether` is optional"
        )
    )
    asides: dict[Aside, list[str]] = Field(
        {}, description=f"utterances in place of an answer: {', '.join(get_args(Aside))} (default: English)"
    )
    conjunction: str = Field(description="the word for `and`")
    goodbye: str = Field(description="last word before hanging up")
    bare_share: float = Field(0, ge=0, le=1, description="share of single values said without a sentence")
    thanks: list[str] = Field([], description="marks of thanks in a goodbye")
    fillers: list[str] = Field([], description="words that a recogniser inserts (default: English ones)")
    common: str = Field("", description="frequent words used as recognition errors, separated by spaces")
    sounds: list[Rule] = Field(
        [],
        description=(
            "rules from letters to sounds (pattern, sound), in order (default: Metaphone, for English)"
        ),
    )

    @model_validator(mode="after")
    def _whole(self) -> Self:
        lacking = [name for name in get_args(Manner) if name != "whether" and not self.say.get(name)]
        if lacking:
            raise mistake(f"no sentence for {lacking[0]!r}", f"add say.{lacking[0]}")
        for name in SAYING:
            for sentence in self.say.get(name, []):
                if sentence.count("{") != 1 or "{what}" not in sentence:
                    raise mistake(
                        f"{sentence!r} lacks a placeholder or has a wrong one",
                        "use {what} and no other braces",
                    )
        return self

    def thanks_in(self, text: str) -> bool:
        """True if a farewell contains thanks."""
        return any(word in text for word in self.thanks)


class TaskSentences(LanguageData):
    """Sentences of generated tasks.

    In them {place} is a noun phrase, {wish} infinitives, {requests} things to learn; of the kind of venue
    {noun} is the noun, {one} has its indefinite article before it and {the} the definite one.
    """

    file = "tasks.yaml"

    openings: list[Annotated[str, _with("place")]] = Field(
        min_length=1, description="goal of the search; {place}: a noun phrase"
    )
    wishes: list[Annotated[str, _with("wish", "the", "one", "noun")]] = Field(
        min_length=1,
        description="constraint; {wish}: infinitives; {noun}, {one}, {the}: the kind of venue",
    )
    requests: list[Annotated[str, _with("requests")]] = Field(
        min_length=1, description="requests; {requests}"
    )
    alternatives: list[Annotated[str, _with("wish", "the", "one", "noun")]] = Field(
        min_length=1, description="alternative; the same placeholders"
    )
    conjunction: str = Field(description="the word for `and`")
    conjunction_before: dict[str, str] = Field({}, description="alternative form, by the next letter")
    indefinite: list[Rule] = Field(
        [], description="article by the beginning of the next word: the first pattern that fits"
    )
    definite: list[Rule] = Field(
        [], description="replacement of an initial indefinite article: the first pattern that fits"
    )


class TurnWords(LanguageData):
    """Meaning of user turns, independent of the domain."""

    file = "turns.yaml"

    moves: dict[str, list[str]] = Field({}, description="phrases by dialogue act: bye, affirm, ...")
    negations: list[str] = Field([], description="words that exclude the value after them")
    questions: list[str] = Field([], description="question words")
    confirming: list[str] = Field([], description="openings of a question about a value")
    suggesting: list[str] = Field([], description="openings that replace the last value")
    fillers: list[str] = Field([], description="filler words")


class ReplyWords(LanguageData):
    """Signs of trouble in system turns, independent of the domain.

    Each is a list of regular expressions, case-insensitive, for a part of one sentence.
    """

    file = "replies.yaml"

    not_understood: list[Pattern] = Field([], description="the system did not understand")
    ask_again: list[Pattern] = Field([], description="it asks for a repetition or other words")
    unknown: list[Pattern] = Field([], description="it does not know something that the user named")
    refuse: list[Pattern] = Field([], description="it cannot help, or found nothing")
    menu: list[Pattern] = Field(
        [], description=("it lists its functions, or repeats its first question, in place of an answer")
    )
    hand_over: list[Pattern] = Field([], description="it refers the user to a person or elsewhere")
    trouble: list[Pattern] = Field([], description="it reports its own failure")
    asks_for: dict[str, list[Pattern]] = Field(
        {}, description="by `when`, `how_many` and `who`: questions for it"
    )
    told_by: dict[str, list[Pattern]] = Field(
        {}, description="by the same keys: user words for it, beside numbers, days and names"
    )


class FactWords(LanguageData):
    """By which words systems tell facts: how many, when, and whether it is so.

    Words are written in small letters, as they stand once `rewrites` are made.
    """

    file = "facts.yaml"

    units: dict[str, list[str]] = Field({}, description="words of each unit, by its English name")
    one: list[str] = Field([], description="words for one unit before it: a, per, every")
    numbers: list[str] = Field([], description="0 to 19")
    tens: list[str] = Field([], description="20, 30, ... 90")
    hundred: str = Field("", description="100")
    thousand: str = Field("", description="1000")
    pronouns: dict[str, list[str]] = Field(
        {}, description="number words that do not count at the beginning, or after one of these"
    )
    ordinals: list[str] = Field([], description="first to twelfth")
    verbs: list[str] = Field([], description="months that are verbs without a number beside them")
    days: dict[str, str] = Field({}, description="relative days, such as today, tomorrow, yesterday")
    rewrites: list[Rule] = Field(
        [], description="rewrites, pattern and replacement; numbers are figures by then"
    )
    afternoon: list[str] = Field([], description="words after an hour of the second half of the day")
    negators: list[str] = Field([], description="words that negate the rest of the clause")
    supposed: list[str] = Field([], description="words that make a clause uncertain")
    asides: list[str] = Field([], description="phrases that look like a fact but state none")
    split: list[str] = Field([], description="conjunctions that end a negation")
    done: list[Pattern] = Field([], description="whole words that report an action, as regular expressions")
    no_names: list[str] = Field([], description="capitalised words that are not names")
    function_words: list[str] = Field([], description="function words")
    opposites: list[tuple[list[str], list[str]]] = Field([], description="phrases with their opposites")
    articles: list[str] = Field(
        [], description="articles that a name may begin with: the, a; with its apostrophe"
    )
    ampersand: list[str] = Field([], description="words for `&`")


class CampaignWords(LanguageData):
    """Texts for participants and teams of a campaign."""

    file = "campaign.yaml"

    task: Annotated[str, _with("what")] = Field(description="task drafted from an intent, {what}")
    in_mind: Annotated[str, _with("values")] | None = Field(
        None, description="values of a drafted task, {values}"
    )
    knowledge: Annotated[str, _with("domain")] | None = Field(
        None, description="screening name of the subject, {domain} (default: none)"
    )
    spoken_items: dict[str, str] = Field({}, description="questionnaire items reworded for spoken systems")
    openings: list[Annotated[str, _with("what")]] = Field(
        [], description="openings of simulated users around an intent, {what}"
    )
    first_person: dict[str, str] = Field(
        {}, description="second-person words in intents, and their first-person forms"
    )
    more: list[Pattern] = Field([], description="question whether there is more, as regular expressions")
    confirms: list[Pattern] = Field([], description="confirmation question before an action")
    farewells: list[Pattern] = Field([], description="farewell")
    wishes: list[Pattern] = Field(
        [], description="open question about the user's wish, not about an entity of a task"
    )
    written: str = Field(description="way to talk with a system, {how} of the instructions: in writing")
    spoken: str = Field(description="the same by voice")
    multimodal: str = Field(description="the same, by either")
    questions: dict[str, str] = Field({}, description="questions to teams (default: English)")
    instructions: Annotated[str, _with("name", "how", "domain", "what")] = Field(
        description="Markdown before the tasks; {name}, {how}, {domain}, {what}: a list of intents"
    )


class PersonalWords(LanguageData):
    """By which words people tell who and where they are, whatever they talk about.

    What stands in the group `found` of a pattern is personal, else all of it.
    """

    file = "personal.yaml"

    regions: list[Annotated[str, Field(pattern="^[A-Z]{2}$")]] = Field(
        [], description="countries (ISO 3166) whose telephone numbers are written without country code"
    )
    phone: list[Pattern] = Field([], description="words that announce a telephone number")
    name: list[Pattern] = Field([], description="name after words that announce one")
    address: list[Pattern] = Field([], description="street and number")
    birth: list[Pattern] = Field([], description="a date of birth")
    email: list[Pattern] = Field([], description="an e-mail address spelt out")


class TableWords(LanguageData):
    """Column names in people's tables, used by `import table --guess` to draft a mapping.

    Names are compared in lower case, with `_` for blanks, and whole.
    """

    file = "tables.yaml"

    columns: dict[Column, Pattern] = Field({}, description="names of a column, by content")
    users: list[str] = Field([], description="values for the user in the speaker column")
    systems: list[str] = Field([], description="values for the system")
    affirmed: list[str] = Field([], description="values for yes where a number is expected: 1")
    denied: list[str] = Field([], description="values for no: 0")


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
    spoken = Spoken.of(language)
    pattern = spoken.phrases.get(name) if spoken is not None else None
    return (pattern or Spoken.in_english().phrases[name]).format(**values)


def spoken_digits(code: str, language: str) -> str:
    """A code digit by digit, with pauses; in a language whose words we lack, figures that a voice reads."""
    spoken = Spoken.of(language)
    digits = spoken.digits if spoken is not None else []
    return ", ".join(digits[int(digit)] if digits else digit for digit in code)


def things_to_say(language: str, answered: str = "") -> tuple[str, ...]:
    """Test messages after a greeting, to see if replies depend on them: the system's own reply, and a
    goodbye.
    """
    speech = SimulatedSpeech.or_english(language)
    answer = (answered[:300],) if " " in answered.strip() else ()
    return (*answer, speech.say["bye"][0])


def greeting(language: str) -> str:
    """A hello to a system under test."""
    return Spoken.or_english(language).greeting or Spoken.in_english().greeting
