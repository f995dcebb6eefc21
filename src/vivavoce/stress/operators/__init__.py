"""All built-in operators, by an explicit list."""

from typing import Final

from vivavoce.stress.base import Operator
from vivavoce.stress.operators.anaphora import PointingBack
from vivavoce.stress.operators.characters import AccentsAndApostrophes, NeighbouringKey, SwappedLetters
from vivavoce.stress.operators.confused import ConfusedWords, OneLetterApart, SoundsAlike
from vivavoce.stress.operators.coreference import (
    DaysDescribed,
    MentionedBefore,
    NamesDescribed,
    NationsDescribed,
)
from vivavoce.stress.operators.english_order import EnglishComplements, EnglishNounAdjective
from vivavoce.stress.operators.english_passive import EnglishPassive
from vivavoce.stress.operators.italian_order import ItalianComplements, ItalianNounAdjective
from vivavoce.stress.operators.italian_passive import ItalianPassive
from vivavoce.stress.operators.misspelled import KnownMisspellings, MisspelledWords
from vivavoce.stress.operators.register import RegisterFrames, RegisterWords
from vivavoce.stress.operators.synonyms import EnglishSynonyms, ItalianSynonyms

OPERATORS: Final[tuple[Operator, ...]] = (
    ConfusedWords(),
    OneLetterApart(),
    SoundsAlike(),
    MisspelledWords(),
    KnownMisspellings(),
    AccentsAndApostrophes(),
    NeighbouringKey(),
    SwappedLetters(),
    ItalianSynonyms(),
    EnglishSynonyms(),
    RegisterWords(),
    RegisterFrames(),
    NamesDescribed(),
    DaysDescribed(),
    NationsDescribed(),
    MentionedBefore(),
    ItalianPassive(),
    EnglishPassive(),
    ItalianNounAdjective(),
    EnglishNounAdjective(),
    PointingBack(),
    ItalianComplements(),
    EnglishComplements(),
)
