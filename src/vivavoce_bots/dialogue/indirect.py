"""A question that cannot be answered, put indirectly: `whether they allow dogs` I do not know.

Such a sentence names what was asked, and needs no list of topics.
"""

import re
from typing import Final

_MOST: Final = 9  # words that are said again
_LOOSE: Final = re.compile(
    r"^\W*(?:(?:and|but|so|oh|ah|or|well|ok|okay|hm+|um|er|by the way|also|wait|please|tell me|do you (?:happen to )?"
    r"know(?: if| whether)?(?= (?:they|it|there|the|i|we))|e|ma|allora|poi|eh|mah|senta|scusi|scusa|mi dica|dimmi|"
    r"per caso|a proposito|lei sa se|sa se|sai se|ma lì|e lì|lì)\b\W*)+",
    re.I,
)
_ENDS: Final = re.compile(
    r"[\s,]*\b(?:then|please|dear|love|now|or not|or what|do you know|you know|by the way|too|as well|at all|"
    r"allora|per favore|o no|poi|lo sa|sa dirmi|per caso|mica|eh|vero|scusi|no)?\W*$",
    re.I,
)
_TURNED: Final = {
    "i": "you",
    "we": "you",
    "my": "your",
    "our": "your",
    "me": "you",
    "us": "you",
    "mine": "yours",
}
_OWN_IT: Final = re.compile(
    r"\b(?:mi|me|mio|mia|miei|mie|io|noi|lei|tu|ti|te|vi|nostr\w+|su[oa]|(?<!non )ci(?! sono| si)|possiamo|dobbiamo)\b",
    re.I,
)
_ENGLISH: Final = (
    (
        re.compile(r"(?:do|does|did) (?:they|it|the (?:place|restaurant|pub)|that one|this one) (.+)"),
        "whether they {0}",
    ),
    (
        re.compile(
            r"do you (?:guys )?(?=do|serve|sell|take|offer|allow|accept|mind|let|have|get|provide|charge)(.+)"
        ),
        "whether they {0}",
    ),
    (re.compile(r"(?:is|are) there (.+)"), "whether there is {0}"),
    (
        re.compile(r"(is|are|was|will|would|can|could|has|have) (it|they|that|the place|there) (.+)"),
        "whether {1} {0} {2}",
    ),
    (re.compile(r"(?:can|could|may) (?:i|we|you|one) (.+)"), "whether you can {0}"),
    (re.compile(r"(?:do|should|must|shall) (?:i|we) (?:have to|need to)? ?(.+)"), "whether you need to {0}"),
    (
        re.compile(
            r"((?:how|what|where|when|who|which)(?: \w+){0,2}?) (is|are|can|will|would) (it|they|that|there) ?(.*)"
        ),
        "{0} {2} {1} {3}",
    ),
    (
        re.compile(r"((?:how|what|where|when|which)(?: \w+){0,2}?) (?:do|does) (?:they|it) (.+)"),
        "{0} they {1}",
    ),
)
_ITALIAN: Final = re.compile(
    r"(?:c'è|ci sono|ci si può|ci si arriva|ci si sta|ci sarà|ci saranno|hanno|ha|fanno|fa|servono|accettano|prendono|tengono|danno|è|sono|si può|si possono|si sta|si mangia|"
    r"bisogna|serve|conviene)\b.+|(?:(?:il|la|lo|le|i|gli) \w+|l'\w+) (?:\w+ )?(?:c'è|ce l'hanno|hanno|fanno|servono|si può)\b.*"
)
_ASKS_IT: Final = re.compile(
    r"(?:come|dove|quanto|quanti|quante|quanta|quando|che|chi|da che|a che|perché)\b.+"
)
_PLURAL_IT: Final = (
    (re.compile(r"^(?:avete|tenete)\b"), "hanno"),
    (re.compile(r"^fate\b"), "fanno"),
    (re.compile(r"^servite\b"), "servono"),
    (re.compile(r"^accettate\b"), "accettano"),
    (re.compile(r"^prendete\b"), "prendono"),
    (re.compile(r"^(?:posso|possiamo|potrei|potremmo)\b"), "si può"),
    (re.compile(r"^(?:devo|dobbiamo)\b"), "bisogna"),
)


def not_known(question: str, language: str) -> str:
    """That a question cannot be answered, with what it asks; `` where it cannot be put so."""
    clauses = [
        one for one in re.split(r"(?<=[,;:])\s+|(?<=[.!?…])\s+", question.strip().lower()) if one.strip(" ?")
    ]
    for clause in reversed(clauses):
        said = _LOOSE.sub("", clause)
        said = re.sub(r"\W+$", "", _ENDS.sub("", said))
        if 2 <= len(said.split()) <= _MOST and (
            told := _english(said) if language == "en" else _italian(said)
        ):
            return told[:1].upper() + told[1:]
    return ""


def _english(said: str) -> str:
    for form, plain in _ENGLISH:
        found = form.fullmatch(said)
        if found:
            words = [part.strip() for part in found.groups(default="")]
            turned = [" ".join(_TURNED.get(word, word) for word in part.split()) for part in words]
            told = re.sub(r"\s+", " ", plain.format(*turned)).strip()
            told = told.replace("there is any ", "there is ").replace("they serves", "they serve")
            return f"{told} I do not know."
    return ""


def _italian(said: str) -> str:
    for form, plain in _PLURAL_IT:
        said = form.sub(plain, said)
    if _OWN_IT.search(said):
        return ""
    if _ASKS_IT.fullmatch(said):
        return f"{said} non lo so."
    return f"se {said} non lo so." if _ITALIAN.fullmatch(said) else ""
