"""Questions at a library's desk: answered from what was done and from its rules, or honestly not at all."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from vivavoce_bots.counter.bot import CounterBot
from vivavoce_bots.counter.understanding import Visit
from vivavoce_bots.counter.wording import wording
from vivavoce_bots.dialogue.clauses import asks_openly
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.opening import DAYS
from vivavoce_bots.dialogue.speech import read_data
from vivavoce_bots.dialogue.talk import joined

_WEEKEND: Final = ("saturday", "sunday")
_OWN_BOOK: Final = wording("library", "own_book")
_WHOSE: Final = wording("library", "whose")
_NO_CARD: Final = wording("library", "no_card")
_OPENS: Final = {"en": wording("accounts", "opens_en"), "it": wording("accounts", "opens_it")}
_YES_OR_NO: Final = wording("library", "yes_or_no")
_LASTS: Final = ("borrow", "renew")
_SERIES: Final = ("friend", "name")
_OF_NO_BOOK: Final = frozenset(("person", "length", "suits", "range", "account", "next", "costs"))
"""Topics of questions that are another one where a book is looked for."""
_LEADS_ON: Final = frozenset(("account", "person", "next", "must_return", "which_card", "how_renew", "due"))
"""Topics behind which it is still open what somebody wants."""
_FEWEST: Final = 3  # words of a question that wants an answer


@cache
def _topics(language: str) -> list[tuple[str, re.Pattern[str]]]:
    held: Mapping[str, Mapping[str, str]] = read_data("library")["topics"]
    return [(name, re.compile(rf"(?<![\w'])(?:{by[language]})(?!\w)", re.I)) for name, by in held.items()]


@cache
def _nouns(language: str) -> list[tuple[str, re.Pattern[str]]]:
    held: Mapping[str, str] = read_data("library")["nouns"][language]
    return [(name, re.compile(rf"(?<!\w)(?:{form})(?!\w)", re.I)) for name, form in held.items()]


class LibraryRules(CounterBot):
    """The part of the library's desk that knows its rules."""

    def _ruled(self, session: Visit, question: str, heard: Heard, found: Mapping[str, str]) -> str | None:
        """The answer to a question about the desk's rules, or about what was done; None to others."""
        looks_for = found.keys() & {"author", "subject"} or (
            heard.all("errand") and self._strange_name(session, heard, "find", dict(found))
        )
        for topic, form in _topics(session.language):
            if (looks_for and topic in _OF_NO_BOOK) or not form.search(question):
                continue
            if (told := self._of_topic(session, topic, question, found)) is not None:
                session.served += topic not in _LEADS_ON and session.errand is None
                return told
        return None

    def topic_of(self, session: Visit, question: str) -> str:
        """The first topic that a question is about; `` without."""
        return next((topic for topic, form in _topics(session.language) if form.search(question)), "")

    def _of_topic(self, session: Visit, topic: str, question: str, found: Mapping[str, str]) -> str | None:
        words = self.words(session)
        last = next(reversed(session.done), None)
        dealt = last if topic in ("due", "next", "account") else None
        title = found.get("title") or dealt or session.form.get("title") or last
        done = session.done.get(title or "", "")
        if topic == "hours":
            return self._hours(session, found.get("day"))
        if topic == "due":
            return self._due(session, question, title)
        if topic == "back":
            out = title is not None and "out" in self.counter.facts[title]
            return self._sentence(session, "find_out", title or "") if out else None
        if topic == "which_card":
            if _NO_CARD.search(question):
                return words["topic_no_card"]
            if session.form.get("card") and not _WHOSE.search(question):
                return ""  # it is the long one, I think: 4471
            whose = "renew_card" if session.errand == "renew" else "whose_card"
            return words[f"topic_{whose if _WHOSE.search(question) else 'which_card'}"]
        if topic == "shelf":
            found_in = "find_out" if title and "out" in self.counter.facts[title] else "find_in"
            return self._sentence(session, found_in, title) if title else None
        if topic == "account":
            return session.lastly if done and session.lastly else words["topic_account"]
        if topic == "about_book":
            return self._of_book(session, title)
        if topic == "order":
            return words["topic_order"] if title in _SERIES else None
        if topic == "next":
            done = done or (session.errand if session.errand in (*_LASTS, "reserve") else "")
            if done and title:
                return words[f"topic_next_{done}"].format(shelf=self.counter.facts[title]["shelf"])
            own = session.own or session.home or _OWN_BOOK.search(question)
            return words["topic_next_own"] if own else None
        if topic in ("length", "suits") and title is None:
            return None
        if topic == "must_return":
            return words["topic_next_own"]
        if topic == "how_renew":
            return joined(
                [words["check_yes"] if _YES_OR_NO.match(question) else "", words["topic_how_renew"]]
            )
        return words[f"topic_{topic}"]

    def _due(self, session: Visit, question: str, title: str | None) -> str:
        words = self.words(session)
        kind = session.done.get(title or "", "")
        if kind in _LASTS:
            return words["due"].format(until=words[f"until_{kind}"])
        if session.errand == "renew":
            return words["due_renewed"]
        own = session.own or session.home
        return words["due_own" if own or _OWN_BOOK.search(question) else "due_rule"]

    def _of_book(self, session: Visit, title: str | None) -> str | None:
        if title is None:
            return None
        book, language = self.counter.facts[title], session.language
        named = {"title": self.counter.say("title", title, language),
                 "author": self.counter.say("author", book["author"], language)}  # fmt: skip
        if not book["subjects"]:
            return self.words(session)["topic_by"].format(**named)
        subject = self.counter.say("subject", book["subjects"][0], language)
        return self.words(session)["topic_by_on"].format(**named, subject=subject)

    def _not_told(self, session: Visit, text: str, heard: Heard) -> str | None:
        """That something is not known here, by its name where it has one; nothing to what wants no answer."""
        if noun := self.unheard_of(session, text):
            return self.words(session)["nothing_of"].format(noun=noun)
        told = super()._not_told(session, text, heard)
        if told not in (self.words(session)["unanswered"], self.words(session)["no_more_known"]):
            return told
        opens = asks_openly(text, session.language) and _OPENS[session.language].match(text)
        tells = [word for word in heard.rest if len(word) > _FEWEST]
        return told if opens and len(heard.said) > _FEWEST and tells else ""

    def unheard_of(self, session: Visit, text: str) -> str:
        """What a text speaks of that this desk knows nothing of; `` without."""
        return next((noun for noun, form in _nouns(session.language) if form.search(text)), "")

    def _hours(self, session: Visit, day: str | None) -> str:
        kind = "hours" if day not in DAYS else f"hours_{day if day in _WEEKEND else 'week'}"
        named = self.counter.say("day", day, session.language) if day else ""
        return self.words(session)[kind].format(day=named[:1].upper() + named[1:])

    def _sentence(self, session: Visit, kind: str, title: str) -> str:
        session.shown = [*session.shown, title]
        facts = self.counter.facts[title]
        named, card = self.counter.say("title", title, session.language), session.form.get("card", "")
        out = facts.get("out", "")
        return self.words(session)[kind].format(title=named, shelf=facts["shelf"], out=out, card=card)
