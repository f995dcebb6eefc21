"""The meal so far, and what of a turn is about it: what was eaten, what is to be taken out."""

import re
from dataclasses import dataclass, field
from typing import Final

from vivavoce_bots.acts import Act
from vivavoce_bots.carbs.foods import Food, Item, Lexicon, Quantity, read_foods, read_manner
from vivavoce_bots.dialogue.clauses import present, sentences_of
from vivavoce_bots.dialogue.gist import LONGEST_TOLD, gist, requested, rewritten
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.retraction import without_retracted
from vivavoce_bots.dialogue.speech import is_question
from vivavoce_bots.dialogue.spotting import tokens
from vivavoce_bots.dialogue.talk import Talk

_MOST_EATEN: Final = 200
_MANNERS: Final = ("thankyou", "insult", "complaint", "praise", "bye", "hello", "ciao")
_OUT: Final = {
    "en": re.compile(r"\b(?:take|leave|cross|put)((?: \w+){1,3}) (?:out|off|away)\b", re.I),
    "it": re.compile(r"\b(?:tir\w+|lasci\w+|port\w+)((?: \w+){1,3}) (?:fuori|via)\b", re.I),
}
_REMOVE: Final = {"en": "remove", "it": "togli"}
_NOT_SO_MUCH: Final = re.compile(r"\b(?:not|non|instead of|invece di)\s+\d+(?:\s?g\w*)?", re.I)
_PRONOUN: Final = {
    "en": re.compile(
        r"\b(?:remove|delete|drop|scrap|cancel|take out|take off) (?:it|that|this|them)\b", re.I
    ),
    "it": re.compile(r"\b(?:togli|leva|toglier|levar|elimina|cancella|scorda|tolga)l[oaie]\b", re.I),
}
_NOTED: Final = re.compile(
    r"\b(?:did|have) you (?:\w+ )?(?:note|noted|write|written|put|count|counted)\b"
    r"|\bread (?:me |it |that )|\bis (?:it|that|the \w+) (?:in|noted|down|counted)\b"
    r"|\b(?:hai|ha|avete) (?:già )?(?:segnat|scritt|contat|annotat|mess)\w"
    r"|\b(?:rileggi|leggi|rilegg|mi legg)\w*",
    re.I,
)
"""Whether something was written down, asked."""
_AMOUNT_BACK: Final = re.compile(
    r"\b\d+ ?(?:g|grams|grammi|ml)?(?=[\s,.]+(?:(?:no|oh|wait|sorry|anzi|rather|aspetta|scusa)[\s,.]+)+\d)"
    r"[\s,.]+(?:(?:no|oh|wait|sorry|anzi|rather|aspetta|scusa)[\s,.]+)+",
    re.I,
)
"""An amount that another takes the place of in the same breath: 100 g, no, 80 g."""
SHRUGS: Final = re.compile(
    r"\bhow (?:the \w+ )?(?:would|should|could|am|do|can) i (?:supposed to )?know\b|\bwho weighs\b"
    r"|\b(?:che|cosa) ne so\b|\bcome (?:\w+ )?(?:faccio|potrei|dovrei|posso)(?: io)? a? ?sapere"
    r"|\bmica (?:lo )?peso\b",
    re.I,
)
"""How people refuse to say how much."""
_OTHERS_ATE: Final = {
    "en": re.compile(
        r"\W*(?:and |but |so )?(?:my|his|her|our|the) (?!.*\b(?:i|we|me)\b)(?:\w+ ){1,3}?"
        r"(?:had|ate|drank|ordered|took|got|has)\b",
        re.I,
    ),
    "it": re.compile(
        r"\W*(?:e |ma )?(?:(?:il |la )?mi[ao]|suo|sua) (?!.*\b(?:io|ho|abbiamo|mi)\b)\w+ "
        r"(?:invece )?(?:ha|aveva|prende|si è)\b",
        re.I,
    ),
}
"""What somebody else ate."""
_ONLY_TOLD: Final = {"en": "I was only asking", "it": "era solo una domanda"}
_THEIRS: Final = {
    "en": re.compile(
        r"\b(?:she|he|they|my (?!\w+ and i)\w+) (?:had|took|ordered|ate|drank|chose|went for)\b"
        r"(?! made)[^,.;!?]*?"
        r"(?=,| and i\b| but i\b| while i\b|[.;!?]|$)",
        re.I,
    ),
    "it": re.compile(
        r"\b(?:lei|lui|loro|(?:mi[ao]) \w+) (?:invece )?(?:ha|hanno) "
        r"(?:preso|mangiato|bevuto|ordinato|voluto)\b"
        r"[^,.;!?]*?(?=,| e io\b| ma io\b| mentre io\b|[.;!?]|$)",
        re.I,
    ),
}
_CLAUSE: Final = re.compile(r"[^.!?]+[.!?]*")
_MEANT: Final = re.compile(
    r"\b(?:i mean|i meant|meant to say|actually|it was|intendevo|volevo|in realtà|era|erano)\b", re.I
)


@dataclass(frozen=True)
class Eaten:
    """What counts: as it was written, the food, grams."""

    written: str
    food: Food
    grams: float


@dataclass
class Session(Talk):
    """The meal so far, what is still to be settled, and what was asked last.

    asking   meal, how_much, like (which of the choices), learn (any food that is like it), told (the total)
    counted  how much had been eaten before the last turn
    named    the food that was named last
    fresh    what was counted in this turn; adds: it comes on top of the same food before
    informed whether the last turn told what foods have
    """

    lexicon: Lexicon = field(default_factory=lambda: Lexicon("en"))
    eaten: list[Eaten] = field(default_factory=list)
    open: list[Item] = field(default_factory=list)
    asking: str = "meal"
    item: Item | None = None
    choices: list[Food] = field(default_factory=list)
    counted: int = 0
    named: Food | None = None
    fresh: list[Eaten] = field(default_factory=list)
    adds: bool = False
    informed: bool = False

    def count(self, written: str, food: Food, grams: float) -> None:
        """Eat it; a food that is in the meal already is put right, unless more of it was eaten."""
        one, self.informed = Eaten(written, food, grams), False
        if not self.adds and one in self.eaten and one not in self.fresh:
            self.fresh = [*self.fresh, one]  # said once more, told once more
            return
        if not self.adds:
            self.eaten = [held for held in self.eaten if held.food.key != food.key or held in self.fresh]
        self.fresh, self.eaten = [*self.fresh, one], [*self.eaten, one][-_MOST_EATEN:]

    @property
    def total(self) -> int:
        return round(sum(one.food.carbohydrates(one.grams) for one in self.eaten))


@dataclass
class Told:
    """The turn as it grows, before the question."""

    sentences: list[str] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)


def asks_what_is_noted(text: str) -> bool:
    """Whether it is asked what was written down: did you note the rice?"""
    return any(_NOTED.search(one) for one in sentences_of(text) if one.rstrip().endswith("?"))


def amount_told(text: str, lexicon: Lexicon) -> str:
    """A text without the questions in it, where the rest says how much: fifty? two thin slices."""
    told = " ".join(one for one in sentences_of(text) if not one.rstrip().endswith("?"))
    return told if lexicon.quantity(told) != Quantity() else text


def what_is_told(session: Session, heard: Heard) -> str:
    """What of a turn tells of the meal: no question beside it, nothing of another day."""
    sentences = sentences_of(heard.text)
    told = [one for one in sentences if not is_question(one, session.language)]
    foods = [one for one in told if session.lexicon.mentioned(one)]
    if not told and (len(sentences) > 1 or heard.did("total")):
        return ""
    kept = " ".join(told) if foods else heard.text
    today = present(kept, session.language)
    return today if session.lexicon.mentioned(today) else kept


def heard_as(session: Session, text: str) -> str:
    """A turn as it is meant: requests as commands, idioms in plain words, nothing that is told besides."""
    language, lexicon = session.language, session.lexicon
    names = [name for food in read_foods() for name in food.names[language]]
    ate = lexicon.mentioned(text)
    text = _THEIRS[language].sub("", text) if len(text) <= LONGEST_TOLD else text
    text = _CLAUSE.sub(lambda one: "" if _OTHERS_ATE[language].match(one[0]) else one[0], text)
    if ate and not lexicon.mentioned(text):
        text = f"{text} {_ONLY_TOLD[language]}."
    plain = without_retracted(text, language, names)
    plain = rewritten(requested(_AMOUNT_BACK.sub("", plain), language), read_manner(language).rewrites)
    frames = read_manner(language).frames
    return gist(
        plain,
        language,
        lambda one: bool(lexicon.mentioned(one)),
        lambda one: (
            frames.search(one) is not None
            and _OTHERS_ATE[language].match(one) is None
            and bool(lexicon.mentioned(one) or lexicon.degree(one))
        ),
    )


def without_manners(heard: Heard, language: str) -> str:
    """The words of a turn without thanks and abuse: a piece of junk is no piece."""
    spans = [one for one in heard.spans if one.entry.kind in _MANNERS]
    if heard.did("done") and spans:
        return ""
    gone = {at for one in spans for at in range(one.start, one.end)}
    kept = " ".join(word for at, word in enumerate(heard.said) if at not in gone) if spans else heard.text
    scolds = any(one.entry.kind in ("insult", "complaint") for one in spans)
    if scolds and not re.search(r"\d", in_digits(kept, language, ordinals=False)):
        return ""
    counted = re.sub(r"^\W*\d+\?+\s+", "", in_digits(kept, language, ordinals=False))  # a hundred? no, one
    return _NOT_SO_MUCH.sub("", counted)


def with_removals(session: Session, text: str) -> str:
    """A text in which what is to be taken out stands behind the word: `remove the banana`.

    What is said to be of another day is taken out, too.
    """
    held = [one.food for one in (*session.eaten, *session.open, *filter(None, [session.item])) if one.food]
    named = session.item.food if session.item and session.item.food else session.named
    remove = _REMOVE[session.language]
    text = _OUT[session.language].sub(rf"{remove}\1", text)
    if named is not None:
        text = _PRONOUN[session.language].sub(f"{remove} {named.name(session.language)}", text)
    kept = {one.key for one in session.lexicon.mentioned(present(text, session.language))}
    past = [one for one in session.lexicon.mentioned(text) if one in held and one.key not in kept]
    return " ".join([text, *(f". {remove} {one.name(session.language)}" for one in past)])


def names_whole(item: Item, food: Food, language: str) -> bool:
    """Whether a name that nobody knows has the whole name of a food in it: `cake afterwards`."""
    words = set(tokens(item.written))
    return any(set(tokens(name)) <= words for name in food.names[language])


def denies(heard: Heard) -> bool:
    """Whether an utterance puts right what was taken for said: `no, soup`; not `four biscuits, no, five`."""
    return _MEANT.search(heard.text) is not None or (
        heard.spans[:1] != [] and heard.spans[0].entry.kind == "negate"
    )
