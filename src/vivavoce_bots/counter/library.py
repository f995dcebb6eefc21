"""A library's desk: brief. It asks one thing at a time in as few words as will do."""

import re
from typing import Final

from vivavoce_bots.counter.books import Name, names_in
from vivavoce_bots.counter.naming import EITHER, NO_NAMES, SHORTEST, SUPPOSES
from vivavoce_bots.counter.rules import LibraryRules
from vivavoce_bots.counter.turn import Piece
from vivavoce_bots.counter.understanding import Visit
from vivavoce_bots.counter.unknown import PRONOUN
from vivavoce_bots.counter.wording import wording
from vivavoce_bots.dialogue.clauses import clauses_of, gives_up
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.spotting import tokens
from vivavoce_bots.dialogue.talk import Answer, joined

_NAMING: Final = frozenset(("title", "author", "subject"))
_OF_BOOKS: Final = ("borrow", "reserve", "renew", "find")
_SHORT: Final = 2  # words that make no title
_RESERVED: Final = "orient"  # somebody waits for it
_VOCATIVE: Final = wording("library", "vocative")
"""Love that is no subject: and the dragons, love?"""
_OTHER: Final = wording("library", "other")
_ALL: Final = wording("library", "all")
_AGAIN: Final = wording("library", "again")
_READ: Final = wording("library", "read")
_NEXT: Final = wording("library", "next")
_SEQUELS: Final = {"friend": "name"}
_SAME: Final = wording("library", "same")
_FOUR: Final = re.compile(r"(?<!\d)(\d{4})(?!\d)")
_CARD_WORD: Final = re.compile(r"\b(?:card|tessera)\b", re.I)
_CARD: Final = re.compile(r"\W*\d{4}\W*")
_SEARCHES: Final = wording("library", "searches")
_WANT: Final = wording("library", "want")
_RESERVED_ONCE: Final = wording("library", "reserved_once")
_SOMETHING: Final = wording("library", "something")
_DUE: Final = wording("library", "due")
_MEANT: Final = re.compile(
    r"(?:^|[.,;!?:]\s*|\bis |\bè |\bera |\bwas |\bmean(?:t)? )"
    r"((?:Il|La|Lo|Gli|Le|The|L')\s?[a-zà-ù]* ?[A-ZÀ-Ý]\w{2,}(?: (?:\w{1,4} ){0,3}[A-ZÀ-Ý]\w+)*)"
)
"""A title in the place of what is meant."""
_OWN: Final = wording("library", "own")
_CHOOSES: Final = wording("library", "chooses")
_WRONG_ONE: Final = wording("library", "wrong_one")
_VAGUELY: Final = wording("library", "vaguely")
"""How a title is told by a word of it: something with a rose."""
_TAG: Final = re.compile(r"\bno\s*\?", re.I)
_HAD: Final = wording("library", "had")
"""A book that somebody has from before."""
_BARE: Final = 3  # words of an errand that is named and no more: renew then?


class LibraryBot(LibraryRules):
    """Lends, reserves, renews and finds books; opening hours and cards."""

    name: str = "library"
    informs = frozenset(("hours", "join", "period"))
    searches = frozenset(("find",))
    lends = True

    def plain(self, session: Visit, text: str) -> str:
        session.other = _OTHER.search(text) is not None
        session.own = _OWN.search(text) is not None
        titles = [one.value or "" for one in self._heard(session, text).all("value") if one.slot == "title"]
        session.spoken = titles[-1] if titles else ""
        for clause in clauses_of(text) if session.own else ():
            if _OWN.search(clause):
                named = [
                    one.value or ""
                    for one in self._heard(session, clause).all("value")
                    if one.slot == "title"
                ]
                last = [*session.shown[-1:]] if PRONOUN[session.language].search(clause) else []
                session.home += [one for one in named or last if one not in session.done]
        return _VOCATIVE.sub("", text)

    def _triaged(self, session: Visit, text: str) -> tuple[str, list[str]]:
        return super()._triaged(session, text)[0], []  # it is brief: what is done is said, and no more

    def knows(self, session: Visit, question: str, heard: Heard) -> str | None:
        """Until when what was done lasts, and that there is no more."""
        words = self.words(session)
        found = self.values(session, heard)
        if session.spoken and session.errand is None and not found.keys() & {"title", "author"}:
            session.form["title"] = session.spoken
        if _CHOOSES.search(question):
            return self._suggested(session, found)
        if (ruled := self._ruled(session, question, heard, found)) is not None:
            return ruled
        bare = self.bare(session, Piece(question, asks=True)) and not self._names(session, question)
        if bare and session.errand is None and "title" not in session.form and session.unknown:
            return ""  # Jane Eyre. Have you got a copy?
        lasts = session.lately in ("borrow", "renew") and session.errand is None and _AGAIN.search(question)
        lasts = lasts and self.hearer.errand(session, heard) in (None, "find")
        if lasts and not found.keys() & {"title", "author", "subject"}:
            return words["due"].format(until=words[f"until_{session.lately}"])
        if session.own and found.get("title") in session.done:
            return session.lastly
        if session.own and "title" in found and self.hearer.errand(session, heard) in (None, "find"):
            session.form["title"] = found["title"]
            return words["about_renew"]
        if _NEXT.search(question):
            following = _SEQUELS.get(session.form.get("title") or found.get("title", ""))
            return self.tell(session, "find", {"title": following}) if following else words["no_sequel"]
        if _DUE.search(question) and session.lately not in ("borrow", "renew"):
            return words["until"]
        session.other = _OTHER.search(question) is not None
        title = session.form.get("title")
        if title and _SAME.search(question) and not found.keys() & {"author", "title", "subject"}:
            session.other = True
            return self.tell(session, "find", {"author": self.counter.facts[title]["author"]})
        if (
            title
            and set(found) == {"subject"}
            and not (session.other or _SOMETHING.search(question))
            and PRONOUN[session.language].search(question)
        ):
            fits = _fits(self.counter.facts[title], found)
            return words["check_yes" if fits else "check_no"]
        if session.shown and _ALL.search(question) and not found:
            return words["no_other"]
        return None

    def answered(self, session: Visit, text: str) -> Answer:
        """Of another book than the one that was dealt with: that it is not in the catalogue."""
        heard = self._heard(session, text)
        if self._ends(session, text):
            return self.farewell(session)
        taken = heard.did("undo", "cancel") and not session.asking and not self.values(session, heard)
        if taken and (undone := self._undone_word(session, heard)) is not None:
            return undone
        back = self._taken_back(session, heard)
        title = self._other_book(session, text)
        if title is None:
            answer = super().answered(session, text)
            return answer._replace(text=joined([back, answer.text])) if back else answer
        session.unknown = [*session.unknown, title]
        question, asks = self.question(session)
        return Answer(joined([back, self.words(session)["not_known"].format(name=title), question]), asks)

    def _ends(self, session: Visit, text: str) -> bool:
        """Whether somebody leaves, wherever in the turn they say so, and wants nothing else."""
        if "?" in text or session.errand is not None or self.told_in(session, text) - {"day", "hours"}:
            return False
        parts = [self._heard(session, _VOCATIVE.sub("", one)) for one in clauses_of(text)]
        leaves = [one for one in parts if one.did("whole") and one.did("bye", "done")]
        return bool(leaves) and session.served > 0 and not gives_up(session.language).search(text)

    def _taken_back(self, session: Visit, heard: Heard) -> str:
        """What was done last is undone where another book is meant: not that one, I don't have it."""
        last = next(reversed(session.done), None)
        if last is None or session.errand is not None or ("?" in heard.text[-1:] and not heard.did("negate")):
            return ""
        refused = [span.entry.value for span in heard.refused("value")]
        others = [one.value for one in heard.all("value") if one.slot == "title" and one.value != last]
        names = [one for one in self._names(session, heard.text) if one.sure]
        if last not in refused and not (_WRONG_ONE.search(heard.text) and (others or names)):
            return ""
        kind = session.done.pop(last).removesuffix("_in")
        session.form.pop("title", None)
        session.lastly = ""
        return self.words(session)[f"undone_{kind}"]

    def _undone_word(self, session: Visit, heard: Heard) -> Answer | None:
        undone = super()._undone_word(session, heard)
        if undone is not None and session.done:
            session.done.popitem()
        return undone

    def _linked(self, session: Visit, pieces: list[Piece]) -> list[Piece]:
        """A question takes the condition before it along: if I am slow, can I keep it?"""
        linked: list[Piece] = []
        for piece in pieces:
            if linked and piece.asks and not linked[-1].asks and SUPPOSES.search(linked[-1].text):
                piece = Piece(f"{linked.pop().text.rstrip(' .,;!')}, {piece.text}", asks=True)
            linked.append(piece)
        return super()._linked(session, linked)

    def _is_said(self, session: Visit, piece: Piece) -> bool:
        heard = self._heard(session, piece.text)
        named = [
            one for one in heard.all_spans("errand") if one.entry.value in ("borrow", "reserve", "renew")
        ]
        bare = bool(named) and named[0].start <= 1 and len(heard.said) <= _BARE  # renew then?
        return (bare and not heard.rest) or super()._is_said(session, piece)

    def _suggested(self, session: Visit, found: dict[str, str]) -> str:
        """One book, where the choice is left to the desk."""
        search = {name: one for name, one in found.items() if name in ("author", "subject")}
        pool = [one for one, book in self.counter.facts.items() if _fits(book, search)] if search else []
        pool = pool or [*session.offered] or [*self.counter.facts]
        known = {*session.home, *session.done}
        free = [one for one in pool if one not in known and "out" not in self.counter.facts[one]]
        if not free:
            return self.words(session)["no_other"]
        session.form["title"], session.lately = free[0], "find"
        session.served += 1
        return self._sentence(session, "suggest", free[0])

    def _other_book(self, session: Visit, text: str) -> str | None:
        """A title that nobody knows, named as the one that is meant, behind what was done."""
        if not session.done or session.errand is not None or session.lately not in session.done.values():
            return None
        said = [*_MEANT.finditer(text)]
        titles = [one[1] for one in said if not self._heard(session, one[1]).all("value")]
        return titles[-1] if titles and len(titles) == len(said) else None

    def is_asked(self, session: Visit, text: str) -> bool:
        return session.errand is None and (_DUE.search(text) or _CHOOSES.search(text)) is not None

    def implies(self, session: Visit, heard: Heard, found: dict[str, str]) -> bool:
        """A subject alone is looked for where little more is said: I like a family, too, is a story."""
        if set(found) <= {"title"} and (_READ.search(heard.text) or session.own):
            return False
        story = set(found) <= {"subject"} and len(heard.rest) > _SHORT and not _SOMETHING.search(heard.text)
        return super().implies(session, heard, found) and not story

    def tell(self, session: Visit, errand: str, found: dict[str, str]) -> str | None:
        """A search begins anew; only what was not shown is shown where another is asked for."""
        spoken = session.form.get("title")
        if errand == "find" and found.keys() & {"title", "author", "subject"}:
            for one in ("title", "author", "subject"):
                session.form.pop(one, None)
        told = super().tell(session, errand, found)
        if spoken and "title" not in session.form and told == self.words(session)["no_other"]:
            session.form["title"] = spoken
        return told

    # --- names that are in no catalogue ---------------------------------------------------------------------

    def _names(self, session: Visit, text: str) -> list[Name]:
        """The names of a text that nobody here knows, but for those that are only told of."""
        open_ = session.asking in ("title", "work") or session.sought is not None
        return [one for one in names_in(text, session.language, open_=open_) if not one.told]

    def about(self, session: Visit, heard: Heard) -> bool:
        return super().about(session, heard) or any(one.sure for one in self._names(session, heard.text))

    def told_in(self, session: Visit, text: str) -> set[str]:
        named = {"name"} if any(one.sure for one in self._names(session, text)) else set[str]()
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
        return None if amid or not names else names[-1].text

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

    def named(self, session: Visit, heard: Heard, found: dict[str, str]) -> str | None:
        """Who has a book wants to keep it longer, not to lend it."""
        errand = super().named(session, heard, found)
        of_book = found.keys() & {"title", "author", "subject"} or PRONOUN[session.language].search(
            heard.text
        )
        if errand == "find" and session.asking == "title" and "title" in found:
            return None  # something about the Orient Express
        if errand == "renew" and "title" not in found and _HAD.search(heard.text):
            self._forget(session)
        if errand == "find" and not of_book and not _SEARCHES.search(heard.text):
            return "find" if self._names(session, heard.text) else None  # is there a human there?
        if errand is None and _WANT.search(heard.text) and found.keys() & {"title", "author"}:
            return "borrow"
        if errand == "reserve" and _RESERVED_ONCE.search(heard.text):
            return None
        if errand in ("borrow", "find") and _OWN.search(heard.text):
            kept = [one.entry.value for one in self.hearer.spans(session, heard)]
            return "renew" if "renew" in kept else None if errand == "borrow" else errand
        return errand

    def matter(self, session: Visit, heard: Heard) -> Answer | None:
        """What is done; a title that nobody knows is told beside its author, and two titles one by one."""
        named = {one.value for one in heard.all("value") if one.slot == "title"}
        title = session.form.get("title", "")
        if session.errand is None and session.asking is None and _CARD.fullmatch(heard.text):
            session.form["card"] = re.sub(r"\D", "", heard.text)
            words = self.words(session)
            return Answer(f"{words['noted']} {words['begin']}", self.question(session)[1])
        found = self.values(session, heard)
        looks_for = found.keys() & {"author", "subject"} and session.errand is None
        if looks_for and "title" not in found and self.hearer.errand(session, heard) in (None, "find"):
            session.form = {name: one for name, one in session.form.items() if name not in _NAMING}
        out = (
            session.errand is None and session.lately == "find" and "out" in self.counter.facts.get(title, {})
        )
        if out and (heard.did("affirm") or "card" in self.values(session, heard)) and not heard.all("errand"):
            session.errand = "reserve"  # you can reserve it. Yes; my card is 3318
        both = len(named) > 1 and not heard.did("not", "negate", "wrong") and not EITHER.search(heard.text)
        answer = super().matter(session, heard)
        if both and answer is not None:
            session.also = tuple(sorted(one for one in named if one not in (None, session.form.get("title"))))
            if session.asking is None:
                return self._both(session, answer)
        elif answer is not None and session.also and session.served and session.asking is None:
            return self._both(session, answer)
        if answer is not None and not named and (title := self._unknown_by(session, heard)):
            told = self.words(session)["unknown_title"].format(name=title)
            return answer._replace(text=f"{told} {answer.text}")
        return answer

    def _both(self, session: Visit, answer: Answer) -> Answer:
        """The same for the second of two titles."""
        also, session.also = session.also, ()
        text, question = answer.text, self.question(session)[0]
        for title in also:
            if session.lately is None:
                break
            session.form |= {"title": title}
            session.errand = session.lately
            told = self._go_on(session).text
            text = f"{text.removesuffix(question).strip()} {told}"
        return answer._replace(text=text)

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
        number = _FOUR.search(heard.text)
        if number and "card" not in found and _CARD_WORD.search(heard.text):
            found["card"] = number[1]  # my card, there: 4410
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

    def _by_its_words(self, session: Visit, heard: Heard) -> str | None:
        """The one title that has a word that was said: something with a rose."""
        titles = self.counter.needs["title"].values
        words = {one: set(tokens(by[session.language][0])) for one, by in titles.items()}
        vague = {*self.counter.needs["title"].vague.get(session.language, ()), *NO_NAMES}
        said = {one for one in heard.rest if len(one) >= SHORTEST} - vague
        if session.asking != "title" and not _VAGUELY.search(heard.text):
            return None
        found = [title for title, own in words.items() if own & said]
        return found[0] if len(found) == 1 else None

    def complete(self, session: Visit) -> str:
        form, facts = session.form, self.counter.facts
        title = form.get("title")
        if title and not _fits(facts[title], form):
            del form["title"]
        named = {"title", "author", "subject"} & set(form)
        titles = self._titles(session)
        if session.errand == "find" and "title" not in form:
            titles = [one for one in titles if one not in session.home]
        shown = session.other and titles[:1] and titles[0] in session.shown and "title" not in form
        if named and len(titles) == 1 and not (shown and session.errand == "find"):
            form["title"] = titles[0]
        if not named and session.offered and session.errand == "find":
            named = {"title"}  # is that one in?
        if session.errand == "borrow" and "title" in form and "out" in facts[form["title"]]:
            session.errand = "find"
        if named:
            form["work"] = ""
        return ""

    def _go_on(self, session: Visit, problem: str = "") -> Answer:
        """What cannot be renewed is said before a card is asked for."""
        self.complete(session)
        vain = session.errand == "renew" and session.form.get("title") == _RESERVED
        if not vain or "card" in session.form:
            return super()._go_on(session, problem)
        session.form["card"] = ""
        answer = super()._go_on(session, problem)
        session.form.pop("card", None)
        return answer

    def ask(self, session: Visit, need: str) -> str:
        titles = self._titles(session)
        if session.offered and len(titles) == len(self.counter.facts):
            titles = list(session.offered)
        if need == "title" and titles and len(titles) < len(self.counter.facts):
            session.offered = tuple(titles)
            listed = ", ".join(self.counter.say("title", one, session.language) for one in titles)
            return self.words(session)["ask_title_of"].format(titles=listed)
        return super().ask(session, need)

    def serve(self, session: Visit) -> str:
        if session.errand == "find":
            return self._found(session)
        if session.errand == "hours":
            return self._hours(session, session.form.get("day"))
        if session.errand == "join":
            return self.words(session)["join"]
        title, kind = session.form["title"], session.errand or ""
        if kind == "renew" and title == _RESERVED:
            kind = "renew_not"
            session.home.append(title)
        if kind == "reserve" and "out" not in self.counter.facts[title]:
            kind = "reserve_in"
        if kind in ("borrow", "renew", "reserve", "reserve_in"):
            session.done[title] = kind
        return self._sentence(session, kind, title)

    def _found(self, session: Visit) -> str:
        title = session.form.get("title")
        titles = [title] if title else self._titles(session)
        if session.offered and len(titles) == len(self.counter.facts):
            titles = list(session.offered)
        if titles and not title:
            titles = [one for one in titles if one not in session.home]
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
        return [title for title, one in self.counter.facts.items() if _fits(one, session.form)]


def _fits(book: dict[str, object], form: dict[str, str]) -> bool:
    """Whether a book is by the author and on the subject of a form."""
    subjects = book["subjects"]
    about = "subject" not in form or (isinstance(subjects, list) and form["subject"] in subjects)
    return about and form.get("author", book["author"]) == book["author"]
