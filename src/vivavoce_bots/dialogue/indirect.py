"""A question that cannot be answered, put indirectly: `whether they allow dogs` I do not know.

Such a sentence names what was asked, and needs no list of topics.
"""

import re
from typing import Final

_MOST: Final = 9  # words that are said again
_LOOSE: Final = re.compile(
    r"^\W*(?:(?:and|but|so|oh|ah|or|well|ok|okay|hm+|um|er|by the way|also|wait|please|tell me|"
    r"do you (?:happen to )?know(?: if| whether)?(?= (?:they|it|there|the|i|we))|"
    r"e|ma|allora|poi|eh|mah|senta|scusi|scusa|mi dica|dimmi|per caso|a proposito|lei sa se|sa se|sai se|"
    r"ma lì|e lì|lì)\b\W*)+",
    re.I,
)
_ENDS: Final = re.compile(
    r"[\s,]*\b(?:then|please|dear|love|now|or not|or what|do you know|you know|by the way|too|as well|at all|"
    r"allora|per favore|o no|poi|lo sa|sa dirmi|per caso|mica|eh|vero|scusi|no)?\W*$",
    re.I,
)
_TURNED: Final = {"i": "you", "we": "you", "me": "you", "us": "you", "my": "your", "our": "your"}
_OWN_IT: Final = re.compile(
    r"\b(?:mi|me|mi[oae]|miei|io|noi|lei|tu|ti|te|vi|nostr\w+|su[oa]|(?<!non )ci(?! sono| s[ia])|"
    r"possiamo|dobbiamo|cerco|cerchiamo|vogli\w+|vorr\w+|devo|dico|mangi(?:o|amo)|secondo)\b",
    re.I,
)
_OWN_EN: Final = re.compile(r"^(?:is|was|are) (?:it|that|this|they) you\b|\byour?s?elf\b")
_VERBS_EN: Final = "do|serve|sell|take|offer|allow|accept|mind|let|have|get|provide|charge"
_WH: Final = r"((?:how|what|where|when|who|which)(?: \w+){0,2}?)"
_ENGLISH: Final[tuple[tuple[str, str], ...]] = (
    (r"(?:do|does|did) (?:they|it|the (?:place|restaurant|pub)|that one|this one) (.+)", "whether they {0}"),
    (rf"do you (?:guys )?(?={_VERBS_EN})(.+)", "whether they {0}"),
    (r"(?:is there|have you got|do you have) (?:any )?(.+)", "whether there is {0}"),
    (r"are there (?:any )?(.+)", "whether there are {0}"),
    (
        r"(is|are|was|will|would|can|could|has|have) (it|they|that|the place|there) (.+)",
        "whether {1} {0} {2}",
    ),
    (r"(?:can|could|may) (?:i|we|you|one) (.+)", "whether you can {0}"),
    (r"(?:do|should|must|shall) (?:i|we) (?:have to|need to)? ?(.+)", "whether you need to {0}"),
    (rf"{_WH} (is|are|can|will|would) (it|they|that|there) ?(.*)", "{0} {2} {1} {3}"),
    (rf"{_WH} (?:do|does) (?:they|it) (.+)", "{0} they {1}"),
)
_VERBS_IT: Final = (
    "c'è|ci sono|ci si può|ci si arriva|ci si sta|ci sarà|ci saranno|hanno|ha|fanno|fa|servono|accettano|"
    "prendono|tengono|danno|è|sono|si può|si possono|si sta|si mangia|bisogna|serve|conviene"
)
_ITALIAN: Final = re.compile(
    rf"(?:{_VERBS_IT})\b.+|"
    r"(?:(?:il|la|lo|le|i|gli) \w+|l'\w+) (?:\w+ )?(?:c'è|ce l'hanno|hanno|fanno|servono|si può)\b.*"
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


_DOES: Final = {
    "en": (
        re.compile(
            r"\b(?:pub|bar|place|restaurant|cafe|coffee shop|somewhere|anywhere|one)"
            r"(?: \w+){0,4}? (?:that|which) "
            r"(?P<thing>(?!is\b|was\b|has\b|does\b|costs\b|serves\b)\w+s [^,.;:!?]+)",
            re.I,
        ),
        "Whether it {0} I do not know.",
    ),
    "it": (
        re.compile(
            r"\b(?:pub|bar|posto|posticino|ristorante|locale|caffè|uno)(?: \w+){0,4}? (?:che|dove) "
            r"(?P<thing>(?:fa|fanno|faccia|facciano|trasmett\w+|danno|dia|diano|mostr\w+)\b [^,.;:!?]+)",
            re.I,
        ),
        "Se {0} non lo so.",
    ),
}
"""How somebody wishes for a place that does something."""
_WISHED: Final = {
    "en": (
        re.compile(
            r"\b(?:it|they|the place) (?:must|has to|have to|should|needs? to) have (?!to\b|been\b)"
            r"(?P<thing>[^,.;:!?]+)"
            r"|\b(?:there (?:must|has to|should|needs to) be) (?P<other>[^,.;:!?]+)",
            re.I,
        ),
        "Whether there is {0} I do not know.",
    ),
    "it": (
        re.compile(
            r"\b(?:dev'esserci|deve esserci|devono esserci|ci deve essere|ci vuole|"
            r"(?:basta|purché|l'importante è) che (?:ci sia|ci siano|abbiano|abbia)) (?P<thing>[^,.;:!?]+)",
            re.I,
        ),
        "Se ci sia {0} non lo so.",
    ),
}
"""How somebody says what there must be, without a question."""


def wish_not_known(text: str, language: str) -> tuple[str, str]:
    """A thing that there must be, and that one does not know of it; `` where none is wished for."""
    for form, told in (_WISHED[language], _DOES[language]):
        found = form.search(text)
        thing = next(filter(None, found.groups()), "").strip() if found else ""
        if 0 < len(thing.split()) <= _MOST:
            return thing, told.format(thing)
    return "", ""


def not_known(question: str, language: str) -> str:
    """That a question cannot be answered, with what it asks; `` where it cannot be put so."""
    clauses = re.split(r"(?<=[,;:])\s+|(?<=[.!?…])\s+", question.strip().lower())
    for clause in reversed(clauses):
        said = re.sub(r"\W+$", "", _ENDS.sub("", _LOOSE.sub("", clause)))
        if not 1 < len(said.split()) <= _MOST:
            continue
        told = _english(said) if language == "en" else _italian(said)
        if told:
            return told[:1].upper() + told[1:]
    return ""


def _english(said: str) -> str:
    if _OWN_EN.search(said):
        return ""
    for form, plain in _ENGLISH:
        found = re.fullmatch(form, said)
        if found:
            parts = [
                " ".join(_TURNED.get(word, word) for word in part.split())
                for part in found.groups(default="")
            ]
            return f"{' '.join(plain.format(*parts).split())} I do not know."
    return ""


def _italian(said: str) -> str:
    for form, plain in _PLURAL_IT:
        said = form.sub(plain, said)
    if _OWN_IT.search(said):
        return ""
    if _ASKS_IT.fullmatch(said):
        return f"{said} non lo so."
    return f"se {said} non lo so." if _ITALIAN.fullmatch(said) else ""
