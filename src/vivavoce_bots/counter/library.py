"""A library's desk: brief. It asks one thing at a time in as few words as will do."""

import re
from typing import Final

from vivavoce_bots.counter.catalogue import BOTH, CHOOSES, NAMING, LibraryCatalogue, fits
from vivavoce_bots.counter.naming import EITHER, SHORTEST, SUPPOSES
from vivavoce_bots.counter.turn import Piece
from vivavoce_bots.counter.understanding import Visit
from vivavoce_bots.counter.unknown import PRONOUN
from vivavoce_bots.counter.wording import wording
from vivavoce_bots.dialogue.clauses import clauses_of, gives_up
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.spotting import tokens
from vivavoce_bots.dialogue.talk import Answer, joined

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
_WRONG_ONE: Final = wording("library", "wrong_one")
_NEVER_MIND: Final = wording("library", "never_mind")
_FILLER: Final = re.compile(r"^(?:\W*\b(?:e?hm+|um+|uh+|erm?|mah|boh|beh|mh+)\b\W+)+(?=\w)", re.I)
_DOING: Final = ("borrow", "reserve", "renew")
_DO_IT: Final = wording("library", "do_it")
_FIRST: Final = wording("library", "first")
_RATHER: Final = re.compile(r"\b(?:anzi|rather|actually|no wait|or no)\b", re.I)
_UNFINISHED: Final = wording("library", "unfinished")
_SHELF: Final = re.compile(r"\b[RS] \d+\b")
_HAD: Final = wording("library", "had")
"""A book that somebody has from before."""
_BARE: Final = 3  # words of an errand that is named and no more: renew then?


class LibraryBot(LibraryCatalogue):
    """Lends, reserves, renews and finds books; opening hours and cards."""

    name: str = "library"
    informs = frozenset(("hours", "join", "period"))
    searches = frozenset(("find",))
    lends = True

    def plain(self, session: Visit, text: str) -> str:
        text = _FILLER.sub("", text) or text
        session.other = _OTHER.search(text) is not None
        session.own = _OWN.search(text) is not None
        titles = [one.value or "" for one in self._heard(session, text).all("value") if one.slot == "title"]
        session.spoken = titles[-1] if titles else ""
        session.turn, session.met = text, len(session.unknown)
        if session.errand is None and re.search(r"\w", left := _NEVER_MIND.sub(" ", text)) and "?" in text:
            text = left
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
        if CHOOSES.search(question):
            return self._suggested(session, found)
        if _NEXT.search(question):
            return self._sequel(session, found)
        if (ruled := self._ruled(session, question, heard, found)) is not None:
            return ruled
        named = self.hearer.errand(session, heard)
        if named in (None, "find") and (told := self._looked_up(session, question, heard, found)) is not None:
            return told
        lasts = session.lately in ("borrow", "renew") and session.errand is None and _AGAIN.search(question)
        lasts = lasts and self.hearer.errand(session, heard) in (None, "find")
        if lasts and not found.keys() & {"title", "author", "subject"}:
            return words["due"].format(until=words[f"until_{session.lately}"])
        if session.own and found.get("title") in session.done:
            return session.lastly
        if session.own and "title" in found and self.hearer.errand(session, heard) in (None, "find"):
            session.form["title"] = found["title"]
            return words["about_renew"]
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
            return words["check_yes" if fits(self.counter.facts[title], found) else "check_no"]
        if session.shown and _ALL.search(question) and not found:
            return words["no_other"]
        return None

    def _sequel(self, session: Visit, found: dict[str, str]) -> str | None:
        """The book that comes behind the one that was spoken of, or behind an author's first."""
        heard = self._heard(session, session.turn)
        authors = [one.value for one in heard.all("value") if one.slot == "author"]
        title = found.get("title") or session.spoken or session.form.get("title", "")
        first = [one for one in _SEQUELS if self.counter.facts[one]["author"] in authors]
        following = _SEQUELS.get(title) or (_SEQUELS[first[0]] if first and not title else None)
        if following is None:
            return self.words(session)["no_sequel"]
        told = self.tell(session, "find", {"title": following})
        session.form["title"] = following
        return told

    def _looked_up(self, session: Visit, question: str, heard: Heard, found: dict[str, str]) -> str | None:
        """What is said to a question after a name that nobody knows, or after books for somebody."""
        words = self.words(session)
        name = self._named_strangely(session, heard, "find", found)
        weak = not any(one.sure or one.kind != "title" for one in self._names(session, question))
        if name is not None and weak and self.unheard_of(session, question):
            return None  # a reading corner
        if name is not None and name in session.unknown[session.met :]:
            return ""
        if name is not None and "title" not in found:
            first = not session.unknown
            session.unknown = [*session.unknown, name]
            if session.errand is None:
                session.sought = session.sought or "find"
            return words["unknown_title" if first else "not_known"].format(name=name)
        if found.keys() & {"author", "subject"} and (topic := self._topic(session, question)):
            return joined([topic, self.tell(session, "find", found) or ""])
        bare = self.bare(session, Piece(question, asks=True)) and session.errand is None
        if bare and "title" not in session.form and session.unknown:  # Jane Eyre. Have you got a copy?
            again = session.met == len(session.unknown)
            return words["not_known"].format(name=session.unknown[-1]) if again else ""
        said = {*tokens(session.turn)}
        again = [
            one for one in session.unknown if said & {word for word in tokens(one) if len(word) >= SHORTEST}
        ]
        if (
            again
            and self.hearer.errand(session, heard) == "find"
            and not found
            and "title" not in session.form
        ):
            return words["not_known"].format(name=again[-1]) if session.met == len(session.unknown) else ""
        return None

    def _told_of(self, session: Visit, piece: Piece) -> str | None:
        told = super()._told_of(session, piece)
        heard = self._heard(session, piece.text)
        errand = self.hearer.errand(session, heard)
        if told is not None or errand not in (None, "find") or self.values(session, heard):
            return told
        if errand == "find" and (noun := self.unheard_of(session, piece.text)):
            return self.words(session)["nothing_of"].format(noun=noun)
        if errand == "find" and _SEARCHES.search(piece.text) and session.errand is None:
            session.errand, session.asking = "find", "work"
        return "" if errand == "find" or session.besides else None

    def _composed(self, session: Visit, answer: Answer | None, told: list[str]) -> Answer:
        """What is told of a day says no more than what was done."""
        done = answer.text if answer is not None else ""
        until = [words for name, words in self.words(session).items() if name.startswith("until_")]
        told = [one for one in told if not any(day in one and day in done for day in until)]
        told = [
            one
            for one in told
            if not (here := _SHELF.findall(one)) or not set(here) <= {*_SHELF.findall(done)}
        ]
        return super()._composed(session, answer, told)

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

    def finish(self, session: Visit) -> Answer:
        if _UNFINISHED.search(session.turn):
            return Answer(*self.question(session))
        return super().finish(session)

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
        if session.asking == "card" and self._card_in(session, heard):
            return True
        if self.topic_of(session, piece.text) in ("must_reserve", "which_card"):
            return False
        errand = self.hearer.errand(session, heard)
        if errand in _DOING and _DO_IT.search(piece.text) and not SUPPOSES.match(piece.text):
            return True  # rinnovarli si può?
        if errand in (None, "find") and session.asking != "title" and self._names(session, piece.text):
            return False
        return (bare and not heard.rest) or super()._is_said(session, piece)

    def _other_book(self, session: Visit, text: str) -> str | None:
        """A title that nobody knows, named as the one that is meant, behind what was done."""
        if not session.done or session.errand is not None or session.lately not in session.done.values():
            return None
        said = [*_MEANT.finditer(text)]
        titles = [one[1] for one in said if not self._heard(session, one[1]).all("value")]
        return titles[-1] if titles and len(titles) == len(said) else None

    def is_asked(self, session: Visit, text: str) -> bool:
        if self.topic_of(session, text) == "broken_card":
            return True
        return session.errand is None and any(form.search(text) for form in (_DUE, CHOOSES, _NEXT))

    def implies(self, session: Visit, heard: Heard, found: dict[str, str]) -> bool:
        """A subject alone is looked for where little more is said: I like a family, too, is a story."""
        if set(found) == {"day"} and (session.besides or _DUE.search(session.turn)):
            return False
        if (
            set(found) <= {"title", "author", "card"}
            and not session.other
            and (_READ.search(heard.text) or session.own)
        ):
            return False
        story = (
            set(found) <= {"subject"}
            and "?" not in heard.text
            and len(heard.rest) > _SHORT
            and not _SOMETHING.search(heard.text)
        )
        return super().implies(session, heard, found) and not story

    def named(self, session: Visit, heard: Heard, found: dict[str, str]) -> str | None:
        """Who has a book wants to keep it longer, not to lend it."""
        errand = super().named(session, heard, found)
        spans = self.hearer.spans(session, heard)
        kinds = [one.entry.value for one in spans]
        kept = [one.entry.value for one in spans if heard.said[one.end : one.end + 1] != ["no"]]
        doing = [one for one in kept if one in _DOING]
        if "title" in found and errand in _DOING and _FIRST.search(session.turn):
            errand = "find"  # reserve it; no, first I want to know whether it is in
        elif errand in _DOING and doing:  # I take it, no, I reserve it
            errand = doing[-1] if _RATHER.search(heard.text) or errand not in doing else errand
        of_book = found.keys() & {"title", "author", "subject"} or PRONOUN[session.language].search(
            heard.text
        )
        if errand == "find" and session.asking == "title" and "title" in found:
            return None  # something about the Orient Express
        if errand == "find" and session.asking == "card" and not found.keys() & NAMING:
            return None  # I am looking for my bag
        if errand == "renew" and "title" not in found and _HAD.search(heard.text):
            self._forget(session)
        if errand == "find" and not of_book and not _SEARCHES.search(heard.text):
            return "find" if self._names(session, heard.text) else None  # is there a human there?
        if errand is None and _WANT.search(heard.text) and found.keys() & {"title", "author"}:
            return "borrow"
        if errand == "reserve" and _RESERVED_ONCE.search(heard.text):
            return None
        if errand in ("borrow", "find") and _OWN.search(heard.text):
            has = errand == "borrow" or ("title" in found and "?" not in heard.text)
            return "renew" if "renew" in kinds else None if has else errand
        return errand

    def matter(self, session: Visit, heard: Heard) -> Answer | None:
        """What is done; a title that nobody knows is told beside its author, and two titles one by one."""
        named = {one.value for one in heard.all("value") if one.slot == "title"}
        named |= self._of_authors(session, heard) if named else set()
        if BOTH.search(heard.text) and not named:
            named |= {*session.offered}
        title = session.form.get("title", "")
        if session.errand is None and session.asking is None and _CARD.fullmatch(heard.text):
            session.form["card"] = re.sub(r"\D", "", heard.text)
            words = self.words(session)
            return Answer(f"{words['noted']} {words['begin']}", self.question(session)[1])
        found = self.values(session, heard)
        looks_for = found.keys() & {"author", "subject"} and session.errand is None
        if looks_for and "title" not in found and self.hearer.errand(session, heard) in (None, "find"):
            session.form = {name: one for name, one in session.form.items() if name not in NAMING}
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

    def _of_authors(self, session: Visit, heard: Heard) -> set[str | None]:
        """Titles that are named by their authors: Emma and the Orwell."""
        facts = self.counter.facts
        named = {facts[one.value or ""]["author"] for one in heard.all("value") if one.slot == "title"}
        authors = {one.value for one in heard.all("value") if one.slot == "author"} - named
        held = {by: [title for title, one in facts.items() if one["author"] == by] for by in authors}
        return {titles[0] for titles in held.values() if len(titles) == 1}

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
