"""A name in a turn that is nothing that a counter knows: a title that is in no catalogue, a product."""

import re
from collections.abc import Mapping
from typing import Final

from vivavoce_bots.counter.matter import Counter
from vivavoce_bots.counter.naming import (
    INDEFINITE,
    LOOSE,
    MONTHS,
    NO_NAMES,
    SHORTEST,
    TITLE,
    is_place,
    run_of,
    title_behind,
    written,
)
from vivavoce_bots.counter.understanding import CounterHearing, Visit
from vivavoce_bots.dialogue.clauses import clauses_of, sentences_of
from vivavoce_bots.dialogue.gist import names_nothing
from vivavoce_bots.dialogue.hearing import Heard, Hearing
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.spotting import Span, tokens

_ARTICLE: Final = re.compile(
    r"^(?:[Aa]n?|[Ss]ome|any|un[ao]?|dell[aeo]|dei|degli|del|il|la|lo|le|i|gli|the)\s+"
)
_FOR_SOMEBODY: Final = re.compile(
    r"\b(?:[Ff]or|[Pp]er|[Uu]nder|[Aa] nome(?: di)?|in the name of)\s+[A-ZÀ-Ý]\w+(?=\s*(?:[.,;!?]|$))"
)
"""Whom a thing that is known is for: two packs, for Greco."""
_SHORT_CLAUSE: Final = 3  # words of a clause that names what was asked for
PRONOUN: Final = {
    "en": re.compile(r"\b(it|that|this|one|them)\b", re.I),
    "it": re.compile(
        r"\b(lo|ne|quest[oa]|quell[oa]|\w+[aei]r(?:lo|la|ne)|\w{3,}(?:te|mi|me|ti)(?:lo|la|ne)|\w{4,}[ai]l[oa])\b",
        re.I,
    ),
}


def strange_name(
    counter: Counter, hearing: Hearing, words: Mapping[str, str], session: Visit, heard: Heard,
    errand: str | None, found: Mapping[str, str],
) -> str | None:  # fmt: skip
    """What is named as what an errand is about, and is nothing that this counter knows."""
    if "not_known" not in words:
        return None
    corrects = session.lately if heard.refused("value") else None  # aspirin, not paracetamol
    named = errand or session.errand or session.sought or corrects
    needs = counter.errands[named].needs if named else ()
    open_ = next((one for one in needs if f"unknown_{one}" in words), None)
    known = counter.needs.get(open_ or "")
    choices = {name for name in counter.implied if counter.needs[name].kind == "choice"}
    asks = errand and open_ and not set(found) & {open_, *choices}
    if thing := _thing(counter, hearing, session, heard, open_) if asks and open_ else None:
        return thing
    before = open_ in session.form and session.errand is None  # of an errand that is done
    if open_ is None or known is None or set(found) & {open_, *choices}:
        return None
    if open_ in session.form and not before:
        return None
    vague = {*known.vague.get(session.language, ()), *NO_NAMES}
    asked = session.asking == open_ or session.sought is not None
    fresh = asked or not (before or session.offered)  # nothing that `it` could mean
    text = _FOR_SOMEBODY.sub("", heard.text) if open_ in session.form else heard.text
    clauses = [(one, hearing.heard(one)) for one in clauses_of(text)]
    for clause, part in reversed(clauses):
        strange = [
            word not in vague
            and word in part.rest
            and word.isalpha()
            and in_digits(word, session.language) == word
            for word in part.said
        ]
        title = TITLE.search(clause) if errand is not None or asked else None
        if (
            title
            and (fresh or part.all_spans("errand") or set(part.said) - hearing.small <= set(tokens(title[0])))
            and not (before and PRONOUN[session.language].search(clause))
            and max(map(len, tokens(title[0]))) >= SHORTEST
            and any(strange[at] for at, word in enumerate(part.said) if word in tokens(title[0]))
        ):
            return title[0]
        for span in part.all_spans("errand"):
            if counter.errands[span.entry.value or ""].yields:  # something for a cold
                continue
            if (whole := title_behind(clause, part.said, span.end)) and any(strange[span.end :]):
                return whole
            run = run_of(part.said, strange, span.end) or run_of(part.said, strange, span.start, back=True)
            if run and before and not _new(session, clause, part, span, run):
                continue
            name = written(clause, part.said, run) if run else ""
            if all(names_nothing(word, session.language) for word in name.split()):
                continue  # hang on
            if name and max(map(len, tokens(name)), default=0) >= SHORTEST:
                return _ARTICLE.sub("", name)
    if before and not (corrects or "?" in heard.text):
        return None
    wholes = {LOOSE.sub("", one.strip(" .!?")) for one in sentences_of(text)}
    clauses = [(bare, hearing.heard(bare)) for one, _ in clauses if (bare := LOOSE.sub("", one))]
    for clause, part in clauses:
        bare = part.rest and set(part.rest) >= set(part.said) - hearing.small and not set(part.said) & vague
        named_so = (
            bare
            and len(part.rest) <= _SHORT_CLAUSE
            and not part.spans
            and max(map(len, part.rest)) >= SHORTEST
        )
        whole = session.asking == open_ or clause in wholes or f": {clause}" in heard.text
        whole = whole or corrects is not None or (before and any(one.endswith(clause) for one in wholes))
        if before and PRONOUN[session.language].search(clause):
            continue
        whole = whole or (errand is not None and is_place(clause, part.rest))  # Nilor, I think it's called
        if all(names_nothing(word, session.language) for word in part.rest):
            continue
        if (
            (asked or errand or corrects)
            and named_so
            and whole
            and not any(letter.isdigit() for letter in in_digits(clause, session.language))
        ):
            return _ARTICLE.sub("", clause)
    return None


def unknown_answer(
    hearer: CounterHearing, counter: Counter, words: Mapping[str, str], session: Visit, heard: Heard
) -> str:
    """The sentence for a place or a day that is answered, and is none that this counter knows."""
    need = counter.needs.get(session.asking or "")
    sentence = words.get(f"unknown_{session.asking}", "")
    if need is not None and need.kind == "day" and set(heard.said) & MONTHS:
        return words["help_day"]
    if need is None or not need.leads or not sentence:
        return ""
    alone = [one for one in clauses_of(heard.text) if is_place(one, heard.rest)]
    name = hearer.named(heard, session.language, session.asking or "") or (alone[-1] if alone else "")
    return sentence.format(name=name) if name else ""


def _thing(counter: Counter, hearing: Hearing, session: Visit, heard: Heard, need: str) -> str | None:
    """A thing that is asked for, and is nothing that this counter knows: have you got a lip cream?"""
    vague = {*counter.needs[need].vague.get(session.language, ()), *NO_NAMES}
    for clause in clauses_of(heard.text):
        part = hearing.heard(clause)
        wants = [
            one for one in part.all_spans("errand") if need in counter.errands[one.entry.value or ""].needs
        ]
        if not wants or any(need in (one.slot or "").split("|") for one in part.all("value")):
            continue
        found = _OBJECT[session.language].search(clause)
        if found and re.search(r"\b(?:for|against|per|contro)\s+$", clause[: found.start()], re.I):
            continue  # something for a blocked nose
        words = tokens(found[1]) if found else []
        units = [unit for one in counter.needs.values() for unit in one.units.get(session.language, ())]
        if words and any(re.fullmatch(unit, words[0], re.I) for unit in units):
            continue  # a box
        covered = {part.said[at] for one in part.all_spans("errand") for at in range(one.start, one.end)}
        named = [one for one in words if one not in covered and one not in vague and one in part.rest]
        plain = all(names_nothing(one, session.language) for one in named)
        if found and not plain and words[0] not in vague and max(map(len, named)) >= SHORTEST:
            return found[1].strip()
    return None


_OBJECT: Final = {
    "en": re.compile(
        r"\b(?:an?|any|some)\s+((?:(?!for\b|in\b|or\b|and\b|that\b|to\b)\w+\s?){1,3}"
        r"(?:\bfor (?:the |my |his |her )?\w+)?)",
        re.I,
    ),
    "it": re.compile(
        r"\b(?:una?|uno|del|dell[aeo]|dei|degli)\s+((?:(?!per\b|o\b|e\b|che\b|ce\b|ne\b|l[aeio]\b|ci\b)\w+\s?){1,2}"
        r"(?:\b(?:per|da|di) (?:il |la |le |i |lo |gli )?\w+)?)",
        re.I,
    ),
}
"""What is asked for, behind an indefinite article."""


def _new(session: Visit, clause: str, part: Heard, span: Span, run: tuple[int, int]) -> bool:
    """Whether a name is another thing than what was spoken of: have you any sweets?"""
    refers = PRONOUN[session.language].search(clause) is not None
    bare = run[0] == span.end and run[1] == len(part.said)
    return not refers and (bare or part.said[run[0] - 1] in INDEFINITE)
