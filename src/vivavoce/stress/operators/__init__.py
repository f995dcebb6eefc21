"""All built-in operators, by an explicit list."""

from typing import Final

from vivavoce.stress.base import Operator
from vivavoce.stress.operators.characters import AccentsAndApostrophes, NeighbouringKey
from vivavoce.stress.operators.confused import ConfusedWords, OneLetterApart, SoundsAlike
from vivavoce.stress.operators.misspelled import MisspelledWords
from vivavoce.stress.operators.register import RegisterFrames, RegisterWords
from vivavoce.stress.operators.swapping import SwappedLetters

OPERATORS: Final[tuple[Operator, ...]] = (
    ConfusedWords(),
    OneLetterApart(),
    SoundsAlike(),
    MisspelledWords(),
    AccentsAndApostrophes(),
    NeighbouringKey(),
    SwappedLetters(),
    RegisterWords(),
    RegisterFrames(),
)
