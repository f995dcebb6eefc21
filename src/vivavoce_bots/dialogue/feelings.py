"""Feelings that people tell, and a sentence that takes them up."""

import re
from typing import Final

from vivavoce_bots.acts import Reply

_TOLD: Final = {
    "en": {
        "sad": r"\b(sad|tired|worried|worrying|sick|awful|bad|stressed|afraid|upset|angry|furious|desperate|"
        r"anxious|messed (it |this )?up|unfortunately|hard day|terrible day)\b",
        "glad": r"\b(happy|great|glad|proud|wonderful|delighted|lucky)\b",
    },
    "it": {
        "sad": r"\b(triste|stanc[oa]|preoccupat\w|male|paura|arrabbiat\w|furios\w|disperat\w|in ansia|"
        r"purtroppo|giornataccia|ho sbagliato)\b",
        "glad": r"\b(felice|content\w|fiero|fiera|benissimo|che bello|fortunat\w)\b",
    },
}
_LONGEST_TEXT: Final = 2_000


def feeling(text: str, language: str) -> str | None:
    """`sad` or `glad`; null where no feeling is told."""
    items = _TOLD[language].items()
    return next((one for one, form in items if re.search(form, text[:_LONGEST_TEXT], re.I)), None)


def taken_up(reply: Reply, sentence: str) -> Reply:
    """The same answer behind a sentence that takes up a feeling."""
    return reply._replace(text=f"{sentence} {reply.text}")
