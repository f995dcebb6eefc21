"""What the library's desk answers: from what was done, from its rules, or that it does not know."""

import re
from functools import cache
from typing import Any, Final

from vivavoce_bots.counter.books import reads
from vivavoce_bots.counter.desk import OPENS, Clause, Turn
from vivavoce_bots.counter.loans import Lending, LoanDesk
from vivavoce_bots.dialogue.clauses import asks_openly
from vivavoce_bots.dialogue.inquiry import calendar
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.opening import DAY, DAYS, TODAY
from vivavoce_bots.dialogue.speech import read_data, speech

_WEEKEND: Final = ("saturday", "sunday")
_MOST: Final = 2
_RULES: Final = frozenset(
    ("must_reserve", "how_renew", "mine", "done", "due", "which_card", "hours", "shelf", "next", "fetches",
     "about_book", "length", "suits", "who_has", "costs", "no_time", "person", "returning", "complaint",
     "notice")
)  # fmt: skip
"""Topics of questions whose verbs want nothing."""
_PLAIN: Final = frozenset(
    ("fines", "lost", "returning", "no_time", "validity", "complaint", "phone", "children", "sends",
     "fetches", "costs", "bring", "person", "account", "notice")
)  # fmt: skip
"""Topics that are answered by one sentence."""
_ECHO: Final = 6


@cache
def _topics(language: str) -> list[tuple[str, bool, re.Pattern[str], str]]:
    return [
        (
            one["name"],
            one.get("asked", True),
            re.compile(rf"(?<![\w'])(?:{one[language]})(?!\w)", re.I),
            one.get("noun", {}).get(language, ""),
        )
        for one in read_data("library")["topics"]
    ]


@cache
def _nouns(language: str) -> list[tuple[str, re.Pattern[str]]]:
    return [
        (name, re.compile(rf"(?<!\w)(?:{form})(?!\w)", re.I))
        for name, form in read_data("library")["nouns"][language].items()
    ]


@cache
def _days(language: str) -> list[tuple[str, re.Pattern[str]]]:
    """Days in words, today and tomorrow too."""
    known = speech(language).slots[DAY]
    at = DAYS.index(TODAY)
    words = [(day, list(known["values"][day])) for day in DAYS]
    words += [(TODAY, list(known["today"])), (DAYS[(at + 1) % len(DAYS)], list(known["tomorrow"]))]
    return [
        (day, re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, held))})s?(?!\w)", re.I))
        for day, held in words
    ]


_SUPPOSES: Final = re.compile(r"\W*(?:(?:and|but|e|ma)\W+)*(?:if|on|se|what about|how about)\b", re.I)


class Questions(Lending):
    """The part of the desk that answers questions."""

    def _asked(self, session: LoanDesk, turn: Turn, one: Clause, told: list[str]) -> bool:
        """Answer the questions of a clause; whether there was any."""
        language, said = session.language, self.words(session)
        text = one.text
        if not one.asks and re.search(
            r"\b(?:tell me|let me know|mi (?:dica|dice)|dimmi|vorrei sapere|ditemi)\b", text, re.I
        ):
            one.asks = True
        found = [
            (name, noun, match) for name, asked, form, noun in _topics(language)
            if (one.asks or not asked) and (match := form.search(text))
        ]  # fmt: skip
        refuses = reads(language)["refuses"]
        found = [each for each in found if one.asks or not refuses.search(text[: each[2].start()])]
        found = self._fitting(session, turn, one, found)
        answered = False
        for name, noun, _ in found[:_MOST]:
            answer = said["unknown_of"].format(noun=noun) if noun else self._answer(session, turn, one, name)
            if answer is None:
                continue
            answered = True
            one.ruled = one.ruled or name in _RULES
            if answer and answer not in told:
                told.append(answer)
        if answered:
            one.names = [] if one.small else one.names
            return True
        return self._echoed(session, turn, one, told) or self._beyond_us(session, one, told)

    def _fitting(self, session: LoanDesk, turn: Turn, one: Clause, found: list[Any]) -> list[Any]:
        """The topics that a clause is about, without those that another one, or a wish, explains."""
        names = {name for name, *_ in found}
        wants = bool(one.kinds) and not names & {"must_reserve", "how_renew", "done", "mine", "due"}
        drop = set[str]()
        if "fines" in names:
            drop |= {"phone", "costs", "lost", "mine"}
        if names & {"must_reserve"}:
            drop |= {"next"}
        if one.titles or one.names or one.author or one.subject or one.subject_name:
            drop |= {"what_there_is", "returning" if one.kinds else ""}
        if "how_renew" in names:
            drop |= {"due"}
        if "done" in names:
            drop |= {"mine"} if session.done else {"done"}
        if session.done and "account" in names:
            drop |= {"account"}
        if "account" in names:
            drop |= {"mine", "done"}
        if "fines" in names and re.search(
            r"\b(?:hate|avoid|don't want|before you|non voglio|evitare)\b", one.text, re.I
        ):
            drop |= {"fines"}
        if "due" in names:
            drop |= {"returning", "mine", "done"}
        if "reserve" in one.kinds:
            drop |= {"due"}
        if "notice" in names:
            drop |= {"phone", "fines", "hours", "next"}
        if "back" in names:
            drop |= {"hours", "due", "next"}
        if "which_card" in names:
            drop |= {"mine"}
        if "hours" in names:
            drop |= {"next", "shelf", "complaint"}
        if wants:
            drop |= {"mine", "due", "next", "bring", "suits", "length", "returning"}
        if one.kinds and not one.asks:
            drop |= {"lost"}
        if "mine" in names:
            drop |= {"what_there_is", "next"}
        if "children" in names:
            drop |= {"suits"}
        if one.own and not one.asks:
            drop |= {"returning"}
        return [each for each in found if each[0] not in drop]

    def _answer(self, session: LoanDesk, turn: Turn, one: Clause, name: str) -> str | None:
        said = self.words(session)
        if name in _PLAIN:
            return said[name]
        if name == "today":
            return calendar(session.language)
        if name == "hours":
            return self._hours(session, turn, one)
        title = next(iter([*one.titles, *session.focus[-1:]]), None)
        kind = session.done.get(title or "", "")
        if name == "due":
            return self._due(session, turn, title, kind)
        if name == "back":
            title = title or (session.latest[-1] if session.latest else None)
            if title is None or "out" not in self.facts(title):
                return None
            return self._found(session, title)
        if name == "which_card":
            if (
                session.asking != "card"
                and not session.errand
                and not re.search(r"\b(?:card|tessera)\b", turn.marked.text, re.I)
            ):
                return None
            if session.card and session.asking != "card":
                return said["see"] if not one.asks else said["which_card_borrow"]
            if re.search(
                r"\b(?:whose|mine|his|hers?|my|son|daughter|mia|mio|suo|sua|figli\w+|chi)\b", one.text, re.I
            ):
                return said["which_card_renew" if session.errand == "renew" else "which_card_borrow"]
            return said["card_where"]
        if name == "must_reserve":
            return (
                said["must_not_reserve"]
                if not title or "out" not in self.facts(title)
                else self._found(session, title)
            )
        if name == "how_renew":
            return said["about_renew"]
        if name in ("mine", "done"):
            return self._standing(session, turn, one, title, name)
        title = title or (session.wanted[-1][1] if session.wanted else None)
        if name == "shelf" and kind.startswith("reserve"):
            return said[f"next_{kind}"]
        if name == "shelf":
            several = session.latest or session.listed or session.focus
            several = one.titles or ([title] if title and title not in several else several)
            return (
                " ".join(
                    self._sentence(session, "find_in", each)
                    if "out" not in self.facts(each)
                    else self._found(session, each)
                    for each in several
                )
                or None
            )
        if name == "about_book":
            return self._about_book(session, one, title)
        if name == "sequel":
            return said["sequel"] if title in ("friend", "name") else said["no_sequel"]
        if name == "next":
            if session.asking == "card":
                return said["card_where"]
            if title is not None and kind:
                return said[f"next_{kind}"].format(shelf=self.facts(title)["shelf"])
            if re.search(r"\b(?:a book|it|un libro|il libro)\b", turn.marked.text, re.I) and (
                any(each.own for each in turn.clauses) or (session.focus and not session.done)
            ):
                return said["next_own"]
            return None if session.served or session.asking else self.help(session)
        if name == "what_there_is":
            if one.other and session.search:
                return None
            return said["range"]
        return None

    def _hours(self, session: LoanDesk, turn: Turn, one: Clause) -> str:
        said, language = self.words(session), session.language
        days = [day for day, form in _days(language) if form.search(one.text)]
        days = days or [day for day, form in _days(language) if form.search(turn.marked.text)]
        days = list(dict.fromkeys(days))
        if len(days) != 1 and not (len(days) == 2 and set(days) <= set(_WEEKEND)):
            return said["hours"]
        told = []
        for day in days:
            named = speech(language).slots[DAY]["values"][day][0]
            kind = f"hours_{day}" if day in _WEEKEND else "hours_week"
            told.append(said[kind].format(day=named[:1].upper() + named[1:]))
        return " ".join(told)

    def _due(self, session: LoanDesk, turn: Turn, title: str | None, kind: str) -> str:
        said = self.words(session)
        kinds = [
            session.done[each] for each in session.latest if session.done.get(each) in ("borrow", "renew")
        ]
        if kind not in ("borrow", "renew") and kinds and title in (None, *session.latest):
            kind = kinds[-1]
        if kind in ("borrow", "renew"):
            return said["due"].format(until=said[f"until_{kind}"])
        own = re.search(r"\b(?:my|mine|it|mio|mia|lo|ho)\b", turn.marked.text, re.I) and (
            session.own or session.errand == "renew" or any(each.own for each in turn.clauses)
            or re.search(r"\b(?:due|scade\w*|late)\b", turn.marked.text, re.I))  # fmt: skip
        return said["due_own" if own else "due_rule"]

    def _standing(
        self, session: LoanDesk, turn: Turn, one: Clause, title: str | None, name: str
    ) -> str | None:
        """What was done; what they have at home is not seen from here."""
        said = self.words(session)
        if name == "mine" and not (session.done and (one.it or title in session.done)):
            return said["account"]
        if name == "done" and one.titles and not any(each in session.done for each in one.titles):
            return (
                said["not_yet"] if session.wanted else f"{said['no']} {self._found(session, one.titles[0])}"
            )
        if session.wanted and name == "done":
            return said["not_yet"]
        asked = [each for each in one.titles if each in session.done] or (
            [each for each in session.latest if each in session.done] or list(session.done)
        )
        unknown = [
            each
            for each in session.unknown
            if set(each.casefold().split()) & set(turn.marked.text.casefold().split())
        ]
        if one.names or one.weak or unknown:
            name_ = (one.names or one.weak or unknown)[0]
            one.names = one.weak = []
            return f"{said['no']} {said['not_known'].format(name=name_)}"
        if not asked:
            return said["nothing_done"] if name == "done" else said["account"]
        kinds = [kind for kind in one.kinds if kind != session.done[asked[0]].removesuffix("_in")]
        if kinds and name == "done":
            return f"{said['no']} {self._found(session, asked[0])}"
        lead = "" if re.search(r"\b(?:what|which|cosa|quale|che cosa)\b", one.text, re.I) else said["yes"]
        return f"{lead} {' '.join(self._found(session, each) for each in asked)}".strip()

    def _about_book(self, session: LoanDesk, one: Clause, title: str | None) -> str | None:
        said = self.words(session)
        if title is None:
            return None
        book = self.facts(title)
        if one.subject:
            return said["yes" if one.subject in book["subjects"] else "no"]
        named = {"title": self.say(session, title), "author": self.say(session, book["author"], "authors")}
        if not book["subjects"]:
            return said["by"].format(**named)
        return said["by_on"].format(**named, subject=self.say(session, book["subjects"][0], "subjects"))

    def _echoed(self, session: LoanDesk, turn: Turn, one: Clause, told: list[str]) -> bool:
        """A question that only says again what was told is confirmed: 18 December?"""
        if (
            not one.asks
            or told
            or session.last is None
            or (one.titles and len(turn.clauses) > 1)
            or one.kinds
            or one.finds
            or one.names
            or one.undo
        ):
            return False
        last = in_digits(session.last.text, session.language).casefold()
        hearing = self._hearing[session.language]
        words = [
            each
            for each in hearing.heard(in_digits(one.text, session.language)).said
            if each not in hearing.small
        ]
        titles = {self.say(session, each).casefold() for each in one.titles}
        words = [each for each in words if not re.fullmatch(r"[tasn]_\w+", each)]
        telling = [each for each in words if len(each) > 2 or each.isdigit()]
        if (not telling and not titles) or len(telling) > _ECHO:
            return False
        if all(re.search(rf"(?<!\w){re.escape(each)}(?!\w)", last) for each in telling) and all(
            each in last for each in titles
        ):
            if re.search(r"\b(?:or|o|oppure)\b", one.text, re.I):
                return False
            if (
                session.asking
                and session.asking != "offer"
                and not titles
                and not any(each.isdigit() for each in telling)
            ):
                return False
            told.append(self.words(session)["yes"])
            one.ruled = True
            return True
        return False

    def _beyond_us(self, session: LoanDesk, one: Clause, told: list[str]) -> bool:
        """A question that the desk cannot answer: one sentence that names its topic, if it has a name."""
        said, language = self.words(session), session.language
        if (
            not one.asks
            or one.titles
            or (one.names and not one.small)
            or one.kinds
            or one.author
            or one.subject
            or one.subject_name
            or one.author_name
        ):
            return False
        if reads(language)["rhetorical"].search(one.text) or one.undo or one.joins or one.chooses:
            return False
        known = {word for name in session.unknown for word in name.casefold().split() if len(word) > 3}
        if known & set(re.findall(r"\w+", one.text.casefold())):
            told.append(
                said["not_known"].format(
                    name=next(
                        name
                        for name in reversed(session.unknown)
                        if set(name.casefold().split()) & set(re.findall(r"\w+", one.text.casefold()))
                    )
                )
            )
            return True
        for noun, form in _nouns(language):
            if form.search(one.text):
                one.names, one.ruled = [], True
                told.append(said["nothing_of"].format(noun=noun))
                return True
        hearing = self._hearing[language]
        heard = hearing.heard(one.text)
        supposes = _SUPPOSES.match(one.text) is not None and len(heard.said) > 2
        opens = asks_openly(one.text, language) and len(heard.said) > 3 and len(heard.rest) > 1
        opens = (
            (opens or supposes)
            and not one.names
            and (supposes or OPENS[language].match(one.text) is not None)
        )
        if (
            not opens
            or one.finds
            or heard.did("insult", "complaint", "howareyou", "whoareyou", "repeat", "help")
        ):
            return False
        again = session.last is not None and said["unanswered"] in session.last.text
        told.append(said["no_more_known" if again else "unanswered"])
        return True
