"""What callers ask besides: where they are, why something is asked, how long it takes, what a letter is."""

import re
from functools import cache
from typing import Final

from vivavoce_bots.dialogue.clauses import asks_openly, sentences_of
from vivavoce_bots.dialogue.speech import read_data

_FEWEST: Final = 4  # words of a question that is one of its own
WHAT_IS_THIS: Final = re.compile(
    r"\b(?:is (?:this|that|it)|this is|am i (?:speaking|talking|through) (?:to|with)"
    r"|have i (?:got|reached|rung)|are you)"
    r" (?:not )?(?:the |a |an |my )?(?:town hall|city hall|council|bank|hospital|police"
    r"|post office|surgery|pension office|insurance|doctor\S*)\b[^.!?]*(?:\?|$)"
    r"|\b(?:è|parlo con|ho chiamato) (?:il |la |le |l'|un |una |lo )?(?:comune|municipio|banca|posta|poste"
    r"|ospedale|inps|polizia|anagrafe|assicurazione|asl)\b[^.!?]*(?:\?|$)",
    re.I,
)
IS_THIS: Final = re.compile(
    r"\W*(?:is (?:this|that)|am i (?:speaking|talking|through) (?:to|with)|have i (?:got|reached)|parlo con"
    r"|è (?:il|la|lo|un|una)) [^?]*\?",
    re.I,
)
WHY: Final = re.compile(r"(?:^|[.!?,]\s*)(?:and |but |so |e |ma )?(?:why|what for|perché)\b[^.!?]*\?", re.I)
_WISHES: Final = re.compile(
    r"\b(?:put me through|(?:talk|speak) (?:to|with|about)|pass(?:a|i|arm|at)\w*|parlare (?:con|di)"
    r"|connect me|help me|aiutarmi|aiutare)\b",
    re.I,
)
"""Words of a question that only wishes to be put through."""


def besides(text: str, language: str, told: list[str]) -> list[tuple[str, str]]:
    """The questions of a turn that the switchboard answers itself, by name, with what it says of each.

    told  what was told before, which only a question has told again
    """
    found = [
        (name, says)
        for sentence in sentences_of(text)
        for name, (form, says, tells) in _questions(language).items()
        if form.search(sentence) and ("?" in sentence or (tells and name not in told))
    ]
    return list(dict.fromkeys(found))


def asks_department(text: str, language: str) -> bool:
    """Whether a turn asks what only a department can answer."""
    asked = (one for one in sentences_of(text) if one.endswith("?") and len(one.split()) >= _FEWEST)
    return any(
        asks_openly(one, language)
        and not (_WISHES.search(one) or WHY.search(one) or WHAT_IS_THIS.search(one))
        for one in asked
    )


@cache
def _questions(language: str) -> dict[str, tuple[re.Pattern[str], str, bool]]:
    known = read_data("bank")["questions"]
    return {
        name: (re.compile("|".join(one[language]["of"]), re.I), one[language]["says"], bool(one.get("tells")))
        for name, one in known.items()
    }
