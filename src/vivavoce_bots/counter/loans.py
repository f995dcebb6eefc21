"""What a library's desk holds in mind, and what it does: lend, reserve, renew, take back, look up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from vivavoce_bots.acts import Act
from vivavoce_bots.counter.desk import Clause
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.manners import CourteousBot
from vivavoce_bots.dialogue.speech import read_data
from vivavoce_bots.dialogue.talk import Answer, Talk, asked_for_more

_RESERVED: Final = "orient"  # somebody waits for it


@dataclass
class LoanDesk(Talk):
    """What a conversation at the desk has in mind.

    card     its number; wanted: what is to be done, and waits for it; errand: what is to be done
    asking   what was asked: kind, title, work, card, offer; offer: what a yes would do
    listed   titles that were listed last, in their order; focus: those that were spoken of last
    done     what was done with each title; latest: those of the last errand, in their order
    shown    titles that were told; unknown: names that are not in the catalogue; search: what was looked for
    own      whether a title that they have at home is spoken of; told: the sentences of the turn before
    """

    card: str = ""
    errand: str | None = None
    wanted: list[tuple[str, str]] = field(default_factory=list)
    asking: str | None = None
    offer: tuple[str, tuple[str, ...]] | None = None
    listed: tuple[str, ...] = ()
    focus: tuple[str, ...] = ()
    done: dict[str, str] = field(default_factory=dict)
    latest: tuple[str, ...] = ()
    shown: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    search: dict[str, str] = field(default_factory=dict)
    own: bool = False
    served: int = 0
    asked_vainly: int = 0
    told: tuple[str, ...] = ()


class Lending(CourteousBot[LoanDesk]):
    """The part of the desk that does something with books."""

    name: str = "library"
    variants: ClassVar[tuple[str, ...]] = ("standard",)

    def begin(self, language: str) -> LoanDesk:
        return LoanDesk(language)

    def opening(self, session: LoanDesk) -> Answer:
        return Answer(self.words(session)["hello"], (Act("hello"),))

    def words(self, session: LoanDesk) -> Mapping[str, str]:
        own = read_data("library")["sentences"][session.language]
        return {**own, "puzzled": own.get(f"puzzled_{session.asking}", own["puzzled"])}

    def help(self, session: LoanDesk) -> str:
        said = self.words(session)
        return said["card_where"] if session.asking == "card" else said["help"]

    def about(self, session: LoanDesk, heard: Heard) -> bool:
        return False

    def matter(self, session: LoanDesk, heard: Heard) -> Answer | None:
        return None

    def waits(self, session: LoanDesk) -> bool:
        return session.asking is not None or asked_for_more(session.last)

    def let_go(self, session: LoanDesk) -> None:
        session.errand, session.asking, session.offer, session.wanted = None, None, None, []
        session.asked_vainly = 0

    def start_over(self, session: LoanDesk) -> None:
        fresh = LoanDesk(session.language, session.random, session.last, session.before)
        vars(session).update(vars(fresh))

    def question(self, session: LoanDesk) -> tuple[str, tuple[Act, ...]]:
        said = self.words(session)
        if session.asking == "offer" and session.offer:
            return said[f"offer_{session.offer[0]}"], (Act("confirm"),)
        if session.asking == "which":
            titles = ", ".join(self.say(session, one) for one in session.listed)
            return said["ask_title_of"].format(titles=titles), (Act("request", "title"),)
        if session.asking:
            return said[f"ask_{session.asking}"], (Act("request", session.asking),)
        return (said["more"], (Act("reqmore"),)) if session.served else (said["begin"], (Act("request"),))

    # --- what is done ------------------------------------------------------------

    def _taken_back(self, session: LoanDesk, titles: Sequence[str]) -> str:
        gone = [(one, session.done.pop(one)) for one in titles if one in session.done]
        session.latest = tuple(one for one in session.latest if one in session.done)
        session.focus = tuple(titles) if gone else ()
        said = self.words(session)
        return " ".join(
            said[f"undone_{kind.removesuffix('_in')}"].format(title=self.say(session, one))
            for one, kind in gone
        )

    def _carry_out(self, session: LoanDesk) -> list[str]:
        """Do all that is wanted, once the card is known."""
        if not session.wanted:
            return []
        told = list[str]()
        ready: list[tuple[str, str]] = []
        session.own = session.own or any(kind == "renew" for kind, _ in session.wanted)
        for kind, title in session.wanted:
            if kind == "borrow" and "out" in self.facts(title):
                told.append(self._found(session, title))
                session.offer = ("reserve", (title,))
            elif kind == "renew" and title == _RESERVED:
                told.append(self._sentence(session, "renew_not", title))
            else:
                ready.append((kind, title))
        if ready and not session.card:
            session.wanted, session.asking, session.errand = ready, "card", ready[-1][0]
            return told
        offer = session.offer
        self.let_go(session)
        session.offer = offer
        for kind, title in ready:
            told.append(self._done(session, kind, title))
        if ready:
            session.latest = tuple(title for _, title in ready)
            session.focus = session.latest
        session.served += 1
        if offer and not ready and told:
            session.focus = offer[1]
            session.asking = None
            session.offer = None
        return told

    def _done(self, session: LoanDesk, kind: str, title: str) -> str:
        was = session.done.get(title, "")
        if kind == "renew" and was == "renew":
            return self._sentence(session, "renew_once", title)
        if kind == "reserve" and "out" not in self.facts(title):
            kind = "reserve_in"
        if kind == was:
            return self._found(session, title)
        session.done[title] = kind
        session.shown = [*session.shown, title]
        return self._sentence(session, kind, title)

    def _found(self, session: LoanDesk, title: str) -> str:
        session.shown = [*session.shown, title]
        if title in session.done:
            return self._sentence(session, f"find_{session.done[title]}", title)
        return self._sentence(session, "find_out" if "out" in self.facts(title) else "find_in", title)

    def _looked_up(self, session: LoanDesk, one: Clause, told: list[str]) -> None:
        """Books by an author or on a subject; those that were told are not told again."""
        said = self.words(session)
        if one.subject_name or one.author_name:
            name = one.subject_name or one.author_name
            form = "about_not_known" if session.unknown else "about_unknown"
            told.append(said["by_unknown" if one.author_name else form].format(name=name))
            session.unknown.append(name)
            if session.errand and not session.wanted:
                self.let_go(session)
            session.served += session.errand is None
            return
        spoken = [*session.focus, *(title for _, title in session.wanted), *session.latest]
        if one.same and spoken:
            one.author, one.other = self.facts(spoken[-1])["author"], True
        search = {
            **({"author": one.author} if one.author else {}),
            **({"subject": one.subject} if one.subject else {}),
        }
        session.search = search or session.search
        titles = [each for each in self.titles(session.search) if each not in one.refused]
        fresh = [each for each in titles if each not in session.shown and each not in session.done]
        if not titles:
            told.append(
                said["find_none"].format(
                    **{key: self.say(session, value, f"{key}s") for key, value in search.items()}
                )
            )
        elif (
            not fresh
            and (one.other or (session.shown and set(titles) <= {*session.shown}))
            and (one.other or one.repeats_search)
        ):
            told.append(said["no_other"])
        else:
            titles = (
                fresh if fresh and (one.other or any(each in session.done for each in titles)) else titles
            )
            if session.errand == "renew" and not session.wanted and one.finds:
                self.let_go(session)
            if session.errand and len(titles) > 1 and not session.wanted:
                session.listed, session.asking = tuple(titles), "which"
                session.focus = ()
                return
            if session.errand and len(titles) == 1 and not session.wanted:
                session.wanted.append((session.errand, titles[0]))
                return
            told += [self._found(session, each) for each in titles]
            session.listed = tuple(titles)
            session.focus = tuple(titles) if len(titles) == 1 else ()
        session.served += session.errand is None

    def _suggested(self, session: LoanDesk, one: Clause, told: list[str]) -> bool:
        """One book, where the choice is left to the desk."""
        pool = session.listed or tuple(self.titles(session.search))
        free = [each for each in pool if each not in session.done and "out" not in self.facts(each)]
        if not free:
            told.append(self.words(session)["no_other"])
            return True
        session.focus = (free[0],)
        told.append(self._sentence(session, "suggest", free[0]))
        session.served += 1
        return True

    # --- words ------------------------------------------------------------

    def facts(self, title: str) -> Mapping[str, Any]:
        return read_data("library")["facts"][title]

    def titles(self, search: Mapping[str, str]) -> list[str]:
        """The books by an author and on a subject."""
        held = read_data("library")["facts"].items()
        return [one for one, book in held if search.get("author", book["author"]) == book["author"]
                and ("subject" not in search or search["subject"] in book["subjects"])]  # fmt: skip

    def say(self, session: LoanDesk, value: str, kind: str = "titles") -> str:
        return read_data("library")[kind][value][session.language][0]

    def _sentence(self, session: LoanDesk, kind: str, title: str) -> str:
        facts = self.facts(title)
        return self.words(session)[kind].format(
            title=self.say(session, title), shelf=facts["shelf"], out=facts.get("out", ""), card=session.card
        )
