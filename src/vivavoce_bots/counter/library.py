"""A library's desk: brief. It asks one thing at a time in as few words as will do."""

import re
from typing import Final

from vivavoce_bots.counter.bot import CounterBot
from vivavoce_bots.counter.naming import EITHER, NO_NAMES, SHORTEST, TITLE
from vivavoce_bots.counter.understanding import Visit
from vivavoce_bots.dialogue.clauses import clauses_of
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.opening import DAYS
from vivavoce_bots.dialogue.spotting import tokens
from vivavoce_bots.dialogue.talk import Answer

_SHORT: Final = 2  # words that make no title
_WEEKEND: Final = ("saturday", "sunday")
_BY: Final = re.compile(r"\s+(?:by|di|from)\s+", re.I)
_NAMED: Final = re.compile(r"\b(?:called|titled|copy of|si chiama|intitolato|copia di)\s+$", re.I)
_RESERVED: Final = "orient"  # somebody waits for it


class LibraryBot(CounterBot):
    """Lends, reserves, renews and finds books; opening hours and cards."""

    name: str = "library"
    informs = frozenset(("hours", "join", "period"))
    searches = frozenset(("find",))
    lends = True

    def matter(self, session: Visit, heard: Heard) -> Answer | None:
        """What is done; a title that nobody knows is told beside its author, and two titles one by one."""
        named = {one.value for one in heard.all("value") if one.slot == "title"}
        title = session.form.get("title", "")
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
        for clause in clauses:
            for found in TITLE.finditer(clause):
                title = _BY.split(found[0])[0]
                words = tokens(title)
                strange = [one for one in words if one in heard.rest and one not in NO_NAMES]
                placed = len(words) > 1 or _NAMED.search(clause[: found.start()]) or _BY.search(found[0])
                if placed and max(map(len, strange), default=0) >= SHORTEST and not known & set(words):
                    return title
        return None

    def values(self, session: Visit, heard: Heard) -> dict[str, str]:
        """What was named; a title says more than a subject or an author beside it."""
        found = super().values(session, heard)
        if not found and (title := self._by_its_words(session, heard)):
            found["title"] = title
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
        found = [title for title, own in words.items() if own & said]
        return found[0] if len(found) == 1 else None

    def complete(self, session: Visit) -> str:
        form, facts = session.form, self.counter.facts
        title = form.get("title")
        if title and not _fits(facts[title], form):
            del form["title"]
        named = {"title", "author", "subject"} & set(form)
        titles = self._titles(session)
        if named and len(titles) == 1:
            form["title"] = titles[0]
        if not named and session.offered and session.errand == "find":
            named = {"title"}  # is that one in?
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

    def serve(self, session: Visit) -> str:
        if session.errand == "find":
            return self._found(session)
        if session.errand == "hours":
            return self._hours(session)
        if session.errand == "join":
            return self.words(session)["join"]
        title, kind = session.form["title"], session.errand or ""
        if kind == "renew" and title == _RESERVED:
            kind = "renew_not"
        if kind == "reserve" and "out" not in self.counter.facts[title]:
            kind = "reserve_in"
        if kind in ("borrow", "renew"):
            session.done[title] = kind
        return self._sentence(session, kind, title)

    def _found(self, session: Visit) -> str:
        title = session.form.get("title")
        titles = [title] if title else self._titles(session)
        if session.offered and len(titles) == len(self.counter.facts):
            titles = list(session.offered)
        if not titles:
            return self.words(session)["find_none"].format(**self.told(session))
        session.offered = tuple(titles) if len(titles) > 1 else session.offered
        return " ".join(self._sentence(session, self._state(session, one), one) for one in titles)

    def _state(self, session: Visit, title: str) -> str:
        if title in session.done:
            return "find_yours" if session.done[title] == "borrow" else session.done[title]
        return "find_out" if "out" in self.counter.facts[title] else "find_in"

    def _hours(self, session: Visit) -> str:
        day = session.form.get("day")
        kind = "hours" if day not in DAYS else f"hours_{day if day in _WEEKEND else 'week'}"
        named = self.counter.say("day", day, session.language) if day else ""
        return self.words(session)[kind].format(day=named[:1].upper() + named[1:])

    def _titles(self, session: Visit) -> list[str]:
        """The books of the author and on the subject that were named; all where none was."""
        return [title for title, one in self.counter.facts.items() if _fits(one, session.form)]

    def _sentence(self, session: Visit, kind: str, title: str) -> str:
        named = self.counter.say("title", title, session.language)
        facts = self.counter.facts[title]
        card = session.form.get("card", "")
        return self.words(session)[kind].format(
            title=named, shelf=facts["shelf"], out=facts.get("out", ""), card=card
        )


def _fits(book: dict[str, object], form: dict[str, str]) -> bool:
    """Whether a book is by the author and on the subject of a form."""
    subjects = book["subjects"]
    about = "subject" not in form or (isinstance(subjects, list) and form["subject"] in subjects)
    return about and form.get("author", book["author"]) == book["author"]
