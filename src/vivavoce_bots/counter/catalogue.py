"""What a library's desk looks up: names that it has or has not, books by an author or on a subject."""

import re
from typing import Final

from vivavoce_bots.counter.books import Name, names_in
from vivavoce_bots.counter.naming import NO_NAMES, SHORTEST
from vivavoce_bots.counter.rules import LibraryRules
from vivavoce_bots.counter.understanding import Visit
from vivavoce_bots.counter.unknown import PRONOUN
from vivavoce_bots.counter.wording import wording
from vivavoce_bots.dialogue.clauses import clauses_of
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.spotting import tokens
from vivavoce_bots.dialogue.talk import Answer

_ARTICLE: Final = re.compile(r"^(?:the|il|lo|la|i|gli|le|un|una|a|an|l')\s*\b(?=[a-zà-ù])")
NAMING: Final = frozenset(("title", "author", "subject"))
_OF_BOOKS: Final = ("borrow", "reserve", "renew", "find")
_MOST: Final = 5  # titles of a list
_SHORT: Final = 2  # words that make no title
_FOUR: Final = re.compile(r"(?<!\d)(\d{4})(?!\d)")
_CARD_WORD: Final = re.compile(r"\b(?:card|tessera)\b", re.I)
_SPELLED: Final = re.compile(r"(?<!\d)\d(?:[ .-]{1,2}\d){3}(?!\d)(?![ .-]\d)")
_SMALL: Final = frozenset(("della", "delle", "degli", "dell'", "sull'", "the", "with", "amica", "friend"))
BOTH: Final = wording("library", "both")
CHOOSES: Final = wording("library", "chooses")
_OTHER_ONE: Final = wording("library", "other_one")
_TAG: Final = re.compile(r"\bno\s*\?", re.I)
_VAGUELY: Final = wording("library", "vaguely")
"""How a title is told by a word of it: something with a rose."""


class LibraryCatalogue(LibraryRules):
    """The part of the library's desk that knows its books."""

    def _names(self, session: Visit, text: str) -> list[Name]:
        """The names of a text that nobody here knows, but for those that are only told of."""
        open_ = session.asking in ("title", "work") or session.sought is not None
        names = [one for one in names_in(text, session.language, open_=open_) if not one.told]
        return [one for one in names if one.sure] if session.asking == "card" else names

    def about(self, session: Visit, heard: Heard) -> bool:
        return super().about(session, heard) or bool(self._names(session, heard.text))

    def told_in(self, session: Visit, text: str) -> set[str]:
        named = {"name"} if self._names(session, text) else set[str]()
        return super().told_in(session, text) - {"name"} | named

    def _strange(self, session: Visit, heard: Heard) -> str | None:
        if session.asking is not None or session.confirming or "?" in heard.text or heard.kinds:
            return None
        return next((one.text for one in self._names(session, heard.text)), None)

    def _strange_name(
        self, session: Visit, heard: Heard, errand: str | None, found: dict[str, str]
    ) -> str | None:
        """A title, an author or a subject that is asked for and is in no catalogue."""
        if found.keys() & {"title", "author"} or errand in self.informs:
            return None
        corrects = heard.did("negate", "not", "wrong")
        amid = "title" in session.form and session.errand is not None and errand is None and not corrects
        names = [one for one in self._names(session, heard.text) if one.sure or "subject" not in found]
        return None if amid or not names else _ARTICLE.sub("", names[-1].text)

    def _named_in_vain(self, session: Visit, name: str, errand: str | None) -> Answer:
        open_ = errand or session.errand or session.sought
        return super()._named_in_vain(session, name, open_ if open_ in _OF_BOOKS else "find")

    def _named_strangely(
        self, session: Visit, heard: Heard, errand: str, found: dict[str, str]
    ) -> str | None:
        """A title that nobody knows, though its author is known."""
        if "author" in found:
            return self._unknown_by(session, heard)
        return self._strange_name(session, heard, errand, found)

    def _suggested(self, session: Visit, found: dict[str, str]) -> str:
        """One book, where the choice is left to the desk; once in a turn."""
        if session.picked == session.turn:
            return ""
        session.picked = session.turn
        search = {name: one for name, one in found.items() if name in ("author", "subject")}
        pool = [one for one, book in self.counter.facts.items() if fits(book, search)] if search else []
        pool = pool or [*session.offered] or [*self.counter.facts]
        known = {*session.home, *session.done}
        free = [one for one in pool if one not in known and "out" not in self.counter.facts[one]]
        if not free:
            return self.words(session)["no_other"]
        session.form["title"], session.lately = free[0], "find"
        session.served += 1
        return self._sentence(session, "suggest", free[0])

    def _unknown_by(self, session: Visit, heard: Heard) -> str | None:
        """A title that is not in the catalogue, by an author who is."""
        authors = [span for span in heard.spans if span.entry.slot == "author"]
        if not authors:
            return None
        known = {word for span in authors for word in heard.said[span.start : span.end]}
        clauses = clauses_of(heard.text)
        alone = [at for at, one in enumerate(clauses) if set(tokens(one)) <= known]
        beside = [clauses[at + by] for at in alone for by in (-1, 1) if 0 <= at + by < len(clauses)]
        hearing = self._hearing[session.language]
        for clause in beside:  # Primo Levi: Se questo è un uomo
            if clause[:1].isupper() and len(tokens(clause)) > _SHORT and not hearing.heard(clause).spans:
                return clause
        names = [one for one in self._names(session, heard.text) if one.kind == "title"]
        return next((one.text for one in names if not known & {*tokens(one.text)}), None)

    def values(self, session: Visit, heard: Heard) -> dict[str, str]:
        """What was named; a title says more than a subject or an author beside it."""
        found = super().values(session, heard)
        if len(session.offered) > 1 and "title" not in found and BOTH.search(heard.text):
            found["title"] = session.offered[0]  # the others follow
        if card := self._card_in(session, heard):
            found["card"] = card
        doing = self.hearer.errand(session, heard) in ("borrow", "reserve", "renew")
        if doing and session.spoken and "title" not in found and PRONOUN[session.language].search(heard.text):
            found["title"] = session.spoken  # Emma? Can I keep that?
        if other := self._other_one(session, heard, found.get("title")):
            found["title"] = other
        if not found.keys() - {"card", "day"} and (title := self._by_its_words(session, heard)):
            found["title"] = title
        others = found.keys() & {"author", "subject"}
        if "title" in found and others and heard.did("negate") and not _TAG.search(heard.text):
            del found["title"]  # Pride and Prejudice again; no, a detective story
        if "title" in found:
            found = {name: one for name, one in found.items() if name not in ("author", "subject")}
            session.form = {
                name: one for name, one in session.form.items() if name not in ("author", "subject")
            }
        return found

    def _card_in(self, session: Visit, heard: Heard) -> str:
        """The last number of four digits, where a card is asked for or named: 2281, or the small one 0094?"""
        if session.asking != "card" and not _CARD_WORD.search(session.turn):
            return ""
        digits = in_digits(session.turn, session.language, ordinals=False)
        digits = _SPELLED.sub(lambda one: re.sub(r"\D", "", one[0]), digits)
        runs = [one for one in _FOUR.findall(digits) if not one.startswith("0")]
        return runs[-1] if runs else ""

    def _other_one(self, session: Visit, heard: Heard, named: str | None) -> str:
        """The one of two that were listed that is not spoken of: the other one."""
        pointed = _OTHER_ONE.search(heard.text)
        if len(session.offered) < _SHORT or pointed is None:
            return ""
        behind = self._heard(session, heard.text[pointed.end() :])
        if any(one.slot == "title" for one in behind.all("value")):
            return ""  # the other one, Emma
        spoken = {named, session.spoken, *session.done, *session.home}
        if spoken.isdisjoint(session.offered):
            spoken |= {session.form.get("title"), session.offered[0]}
        free = [one for one in session.offered if one not in spoken]
        return free[0] if len(free) == 1 else ""

    def _by_its_words(self, session: Visit, heard: Heard) -> str | None:
        """The one title that has a word that was said: something with a rose."""
        titles = self.counter.needs["title"].values
        words = {one: set(tokens(by[session.language][0])) for one, by in titles.items()}
        vague = {*self.counter.needs["title"].vague.get(session.language, ()), *NO_NAMES, *_SMALL}
        said = {one for one in heard.rest if len(one) >= SHORTEST} - vague
        if session.asking == "card" or (session.asking != "title" and not _VAGUELY.search(heard.text)):
            return None
        found = [title for title, own in words.items() if own & said]
        return found[0] if len(found) == 1 else None

    def complete(self, session: Visit) -> str:
        form, facts = session.form, self.counter.facts
        title = form.get("title")
        if title and not fits(facts[title], form):
            del form["title"]
        named = {"title", "author", "subject"} & set(form)
        titles = self._titles(session)
        if session.errand == "find" and "title" not in form:
            titles = [one for one in titles if one not in session.home]
        shown = session.other and titles[:1] and titles[0] in session.shown and "title" not in form
        if named and len(titles) == 1 and not (shown and session.errand == "find"):
            form["title"] = titles[0]
        if not named and session.offered and session.errand == "find" and len(session.offered) < _MOST:
            named = {"title"}  # is that one in?
        out = [one for one in titles if "out" in facts[one]] if named or session.offered else []
        out = [one for one in session.offered if "out" in facts[one]] if session.offered else out
        if session.errand == "reserve" and "title" not in form and len(out) == 1:
            form["title"], named = out[0], {"title"}  # of two only one needs it
        if session.errand == "borrow" and "title" in form and "out" in facts[form["title"]]:
            session.errand = "find"
        if named:
            form["work"] = ""
        return ""

    def ask(self, session: Visit, need: str) -> str:
        titles = self._titles(session)
        if session.offered and len(titles) == len(self.counter.facts):
            titles = list(session.offered)
        if need == "title" and titles and len(titles) < len(self.counter.facts):
            session.offered = tuple(titles)
            listed = ", ".join(self.counter.say("title", one, session.language) for one in titles)
            return self.words(session)["ask_title_of"].format(titles=listed)
        return super().ask(session, need)

    def tell(self, session: Visit, errand: str, found: dict[str, str]) -> str | None:
        """A search begins anew; only what was not shown is shown where another is asked for."""
        spoken = session.form.get("title")
        about = {*found, *session.form} & NAMING
        if errand == "find" and not about and not session.offered:
            return None  # not the whole catalogue
        if errand == "find" and session.own and found.get("title") in session.home:
            return ""  # who has it knows where it is
        if errand == "find" and found.keys() & {"title", "author", "subject"}:
            for one in ("title", "author", "subject"):
                session.form.pop(one, None)
        told = super().tell(session, errand, found)
        if spoken and "title" not in session.form and told == self.words(session)["no_other"]:
            session.form["title"] = spoken
        return told

    def _found(self, session: Visit) -> str:
        title = session.form.get("title")
        if title is None and CHOOSES.search(session.turn) and session.form.keys() & {"author", "subject"}:
            return self._suggested(session, session.form)
        titles = [title] if title else self._titles(session)
        if session.offered and len(titles) == len(self.counter.facts):
            titles = list(session.offered)
        if titles and not title:
            titles = [one for one in titles if one not in session.home]
            if (
                not titles and {"author", "subject"} <= session.form.keys()
            ):  # another of hers, or of that kind
                del session.form["author"]
                titles = [one for one in self._titles(session) if one not in session.home]
            if not titles:
                return self.words(session)["no_other"]
        again = not title and len(titles) > 1 and session.other
        fresh = [one for one in titles if one not in (*session.shown, *session.done)]
        if not title and session.other and not fresh and titles:
            return self.words(session)["no_other"]
        if (again or (session.other and not title)) and fresh:
            titles = fresh
        if not titles:
            return self.words(session)["find_none"].format(**self.told(session))
        session.offered = tuple(titles) if len(titles) > 1 else session.offered
        return " ".join(self._sentence(session, self._state(session, one), one) for one in titles)

    def _state(self, session: Visit, title: str) -> str:
        if title in session.done and session.done[title] in ("borrow", "renew"):
            return "find_yours" if session.done[title] == "borrow" else session.done[title]
        return "find_out" if "out" in self.counter.facts[title] else "find_in"

    def _titles(self, session: Visit) -> list[str]:
        """The books of the author and on the subject that were named; all where none was."""
        return [title for title, one in self.counter.facts.items() if fits(one, session.form)]


def fits(book: dict[str, object], form: dict[str, str]) -> bool:
    """Whether a book is by the author and on the subject of a form."""
    subjects = book["subjects"]
    about = "subject" not in form or (isinstance(subjects, list) and form["subject"] in subjects)
    return about and form.get("author", book["author"]) == book["author"]
