"""What callers of a bank mean by their words: what a call is about, how large a loan is, what is declined."""

import re
from functools import cache
from typing import Final

from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.retraction import without_retracted
from vivavoce_bots.dialogue.speech import read_data

_LOAN_LIMIT: Final = 3000
WHOSE: Final = re.compile(
    r"\bintestat\w|\bin (?:his|her|my \w+'s) name\b|\b(?:husband|wife|mother|father|son|daughter)'s account\b"
    r"|\bconto (?:è )?(?:di|del|della) (?:mi[oa]|suo|sua|entrambi|tutti e due)\b"
    r"|\baccounts?(?: is|'s|s) (?:in |on )?(?:both|ours?|mine|joint|my|his|hers?|shared|theirs)\b"
    r"|\bconto è (?:mio|suo|nostro|cointestat\w)\b"
    r"|\bif\b[^.?!]*\bclos\w+ (?:the |my )?account\b|\b(?:se|o)\b[^.?!]*\bchiud\w+ (?:il (?:mio )?)?conto\b",
    re.I,
)
"""Whose an account is, or that it will be closed in anger, which is not yet what the call is about."""
_BESIDES: Final = re.compile(
    r"\b(?:with |con )?(?:all (?:that|this|these|the|those)|so (?:much|many)|tutt[aei] "
    r"(?:quest[aei]|quell[aei]|l[ae])|tant[aei]) (?:\w+ )?"
    r"(?:frauds?|scams?|thefts?|thieves|truff[ae]|frod[ei]|furt[oi])\b[^,.!?]*"
    r"|\b(?:carta|carte) d'identità"
    r"|\b(?:lost|lose|losing|missing) (?:my |the |your |a )?"
    r"(?:letter|way|glasses|job|number|patience|temper|time|papers)\b"
    r"|\b(?:pers[oaie]|perdere|perdendo) (?:il |la |l'|gli |le |il mio |la mia )?"
    r"(?:lettera|lavoro|pazienza|tempo|occhiali|numero|strada)\b",
    re.I,
)
"""Fraud of which one only hears, cards of another kind, things that no bank blocks."""
UNDECIDED: Final = {
    "en": re.compile(
        r"\b(?:what would you say|which (?:one )?(?:is|would|should)|what(?:'s| is) the difference"
        r"|what do you think"
        r"|is (?:that|it|this) [^.?]*\bor\b[^.?]*\?|i (?:don't|do not) know)",
        re.I,
    ),
    "it": re.compile(
        r"\b(?:secondo lei|lei che dice|che differenza|qual è la differenza"
        r"|quale (?:dei due|delle due|sarebbe)"
        r"|non so|(?:è|sono|sarebbe) [^.?]*\bo\b[^.?]*\?)",
        re.I,
    ),
}
ADVICE: Final = re.compile(
    r"\b(?:what would you say|what do you think|you decide|secondo lei|che dice|decida lei)\b", re.I
)
REFUSES: Final = re.compile(
    r"\b(?:(?:don't|do not|won't|not going to|i'm not|am not)"
    r" (?:want to |wish to )?(?:give|giving|tell|telling|say|saying)\b"
    r"(?! (?:again|that|it))|rather not|none of your business"
    r"|non (?:voglio |intendo )?(?:dare|dirlo|do|dico|glielo dico|ve lo dico)"
    r"|fatti miei|che (?:c'entra|le importa|ve ne importa))\b",
    re.I,
)
"""How somebody declines to say who they are."""
_MORTGAGE: Final = re.compile(
    r"\b(?:mortgages?|mutu[oi]|(?:house|home|casa|flat|appartamento) loan|\w{3,}mila|\d+ ?(?:mila|k))\b", re.I
)
_AMOUNT: Final = re.compile(r"(?<![0-9])[0-9]{1,3}(?:[.,' ][0-9]{3})+(?![0-9])|(?<![0-9])[0-9]{3,7}(?![0-9])")


def as_meant(text: str, language: str) -> str:
    """A turn without what was taken back in the same breath, and without what names no matter of a bank."""
    return without_retracted(_BESIDES.sub(" ", text), language, _words_of_departments(language))


@cache
def _words_of_departments(language: str) -> tuple[str, ...]:
    words = [word for one in read_data("bank")["departments"].values() for word in one[language]["words"]]
    return tuple(str(word) for word in words if str(word).isalpha())


def size_of(heard: Heard, language: str) -> str | None:
    """Whether a loan is small or large: in so many words, else by its sum.

    A mortgage is large; exactly the limit is small.
    """
    sizes = [one.value for one in heard.all("size") if one.value]
    number = _AMOUNT.search(in_digits(heard.text, language))
    amount = int(re.sub(r"\D", "", number[0])) if number else None
    if sizes and (len({*sizes}) == 1 or amount is None or amount == _LOAN_LIMIT):
        return sizes[-1]
    if amount is not None and amount != _LOAN_LIMIT:
        return "large" if amount > _LOAN_LIMIT else "small"
    if _MORTGAGE.search(heard.text):
        return "large"
    return sizes[-1] if sizes else "small" if amount is not None else None
