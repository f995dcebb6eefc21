"""ST-6: the same in another register or region, by the words and frames of the language file."""

import re
from collections.abc import Iterator
from random import Random
from typing import Final

from vivavoce_stress.base import ANY_LANGUAGE, LanguagePack, Substitution, Utterance
from vivavoce_stress.italian.analysis import Token
from vivavoce_stress.italian.morphology import Morphology
from vivavoce_stress.language_file import Rule
from vivavoce_stress.wordnet import wordnet
from vivavoce_stress.words import edit, in_case_of, places_of

_ENGLISH_ORDERS: Final = (
    ("Kindly", "order made formal", 0.88),
    ("Would you be so kind as to", "order made formal", 0.7),
)
_WH: Final = frozenset(
    {
        "chi",
        "che",
        "cosa",
        "cos'",
        "come",
        "dove",
        "dov'",
        "quando",
        "quanto",
        "quanta",
        "quanti",
        "quante",
        "quant'",
        "quale",
        "quali",
        "qual",
        "perché",
    }
)
_LEADS: Final = ("a", "da", "di", "in", "per", "con", "entro", "fino", "ogni")
_NO_ORDER: Final = frozenset(
    {
        "essere",
        "avere",
        "potere",
        "volere",
        "dovere",
        "salvare",
        "scusare",
        "andare",
        "servire",
        "bisognare",
        "occorrere",
    }
)
_SHORTEST: Final = 4  # words and signs
_JOINING: Final = ("se", "ma", "e", "ed", "o", "oppure", "però", "quindi", "allora", "così", "anche")
_TELLING: Final = {"dire", "spiegare", "indicare", "chiarire", "ricordare", "confermare", "comunicare"}


class RegisterWords:
    """A word or phrase by its like elsewhere; the pack mends articles that depend on sound or gender."""

    test, language, needs = "ST-6", ANY_LANGUAGE, ("register_words",)

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        text = utterance.text
        mend = pack.get("agreement") if pack.has("agreement") else None
        for entry in pack.get("register_words"):
            for start, end in places_of(entry.word, text):
                for become in entry.becomes:
                    after = in_case_of(text[start : start + 1], become)
                    edits = mend(text, start, end, after) if mend else (edit(text, start, end, after),)
                    if edits and not _in_name(text, start, end, utterance.language):
                        yield Substitution(tuple(edits), f"{become}: {entry.label}", entry.confidence)

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no word or phrase has a variant in another register or region"


def _in_name(text: str, start: int, end: int, language: str) -> bool:
    """True if the dictionary has a word and the next as one entry: sedia a rotelle, flat rate."""
    behind = re.match(r"((?: (?:a|da|di|of))? [^\W\d_]+)", text[end:])
    phrase = text[start:end].lower() + (behind.group(1).lower() if behind else "")
    return behind is not None and language in ("it", "en") and bool(wordnet(language).senses(phrase, "n"))


class RegisterFrames:
    """A way to put a request by a more formal or more familiar one."""

    test, language, needs = "ST-6", ANY_LANGUAGE, ("frames",)

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        text = utterance.text
        calm = text if text[:2].isupper() else text[:1].lower() + text[1:]
        for rule in pack.get("frames"):
            match = re.search(rule.pattern, calm)
            if match and match.start() == match.end():
                yield _led(text, match.start(), rule)
            elif match:
                after = in_case_of(text[match.start() : match.start() + 1], match.expand(rule.becomes))
                change = edit(text, match.start(), match.end(), after)
                yield Substitution((change,), rule.name, rule.confidence)

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no word or phrase has a variant in another register or region"


def _led(text: str, start: int, rule: Rule) -> Substitution:
    """Words put before what was said, whose own capital goes, but for that of I and of names."""
    first = re.match(r"\w+", text[start:])
    small = first and first.group() != "I" and not text[start:].isupper()
    opening = text[start : start + 1]
    after = in_case_of(opening, rule.becomes) + (opening.lower() if small else opening)
    return Substitution((edit(text, start, start + 1, after),), rule.name, rule.confidence)


class EnglishOrders:
    """An order by a more formal one: Book a seat, Kindly book a seat."""

    test, language, needs = "ST-6", "en", ("parser",)

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        text = utterance.text
        tree = pack.get("parser").parse(text)
        if not tree or tree[0].tag_ != "VB" or tree[0].dep_ != "ROOT" or tree[0].lower_ in ("please", "let"):
            return
        for lead, rule, confidence in _ENGLISH_ORDERS:
            change = edit(text, 0, 1, f"{lead} {text[:1].lower()}")
            yield Substitution((change,), rule, confidence, ("spacy",))

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no word or phrase has a variant in another register or region"


class ItalianRequests:
    """An order as a formal request; a question that is not asked bluntly, but whether one may know."""

    test, language, needs = "ST-6", "it", ("analysis", "morphology")

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        text, tokens = utterance.text, pack.get("analysis")(utterance.text)
        if not tokens:
            return
        order, asks = _ordered(tokens[0], pack.get("morphology")), text.rstrip().endswith("?")
        if order and not asks:
            lead = "Vi prego" if tokens[0].form in ("2p", "i2p") else "La prego"
            yield Substitution(
                (edit(text, 0, tokens[0].end, f"{lead} di {order}"),), "order made formal", 0.9
            )
        last = max((at + 1 for at, token in enumerate(tokens) if token.text in ",;:.!"), default=0)
        lead = _asked(tokens[last:]) if asks else ""
        if lead:
            start, first = tokens[last].start, tokens[last]
            opening = first.text[:1] if first.part == "name" else first.text[:1].lower()
            lead = lead.capitalize() if start == 0 else in_case_of(first.text[:1], lead)
            change = edit(text, start, start + 1, f"{lead} {opening}")
            yield Substitution((change,), "question made formal", 0.86)

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no word or phrase has a variant in another register or region"


def _ordered(token: Token, words: Morphology) -> str:
    """The infinitive, with what hangs on it, of an order that opens an utterance; else empty."""
    lemma, order = token.lemma, token.form == "i2s" or (token.form == "3s" and token.lemma.endswith("are"))
    several = token.form in ("2p", "i2p") and not token.clitic
    order = order or several or (token.form == "2s" and words.verb(lemma, "i2s") == token.lower)
    if token.part != "fin" or not order or not lemma.endswith(("are", "ere", "ire")) or lemma in _NO_ORDER:
        return ""
    return lemma[:-1] + token.clitic if token.clitic else lemma


def _asked(tokens: list[Token]) -> str:
    """Introduction of an indirect question: none for an incomplete clause."""
    clauses = [token for token in tokens if token.part == "fin"]
    if not clauses or len(tokens) < _SHORTEST:
        return ""
    if tokens[0].lower in _JOINING or _asks_to_be_told(clauses[0]):
        return ""
    first = tokens[0].lower if tokens[0].lower not in _LEADS else tokens[1].lower
    if first in _WH:
        return "potrebbe dirmi"
    if tokens[0].form.startswith("v"):  # sarebbe possibile: polite as it is
        return ""
    return "potrei sapere se" if tokens[0].lemma not in ("potere", "volere") and first != "non" else ""


def _asks_to_be_told(verb: Token) -> bool:
    """True if a question is itself a request for information: mi spiegate perché?"""
    return verb.lemma in _TELLING and verb.form in ("2s", "2p", "i2s", "i2p")
