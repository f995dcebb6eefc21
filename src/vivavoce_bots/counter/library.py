"""A library's desk: brief. It takes a turn clause by clause, and asks one thing at a time."""

import re
from collections.abc import Sequence
from typing import Any, ClassVar, Final

from vivavoce_bots.acts import Act, Reply
from vivavoce_bots.counter.desk import OPENS, Clause, Turn, read_turn
from vivavoce_bots.counter.loans import LoanDesk
from vivavoce_bots.counter.questions import Questions
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.speech import COURTESIES, courtesies_of, speech
from vivavoce_bots.dialogue.talk import Answer, asked_for_more, joined

OTHER_ONE: Final = re.compile(r"\b(?:other|l'altr[oa]|quell'altr[oa])\b", re.I)
KINDS: Final = ("reserve", "renew", "borrow")
_MOST_VAIN: Final = 2
_MOST_TOLD: Final = 4
_MOVES: Final = (
    "howareyou",
    "whoareyou",
    "insult",
    "complaint",
    "thankyou",
    "praise",
    "hello",
    "ciao",
    "sorry",
    "dear",
)


class LibraryBot(Questions):
    """Lends, reserves, renews and finds books; opening hours and cards."""

    name: str = "library"
    variants: ClassVar[tuple[str, ...]] = ("standard",)

    # --- the frame of a conversation ------------------------------------------------------------------------

    def greet(self, session: LoanDesk) -> Reply:
        return super().greet(session)._replace(acts=(), understood=())

    def reply(self, session: LoanDesk, texts: Sequence[tuple[str, float | None]]) -> Reply:
        return super().reply(session, texts)._replace(acts=(), understood=())

    # --- a turn -----------------------------------------------------------------------------------------

    def answered(self, session: LoanDesk, text: str) -> Answer:
        text = text.replace("’", "'")[:900]
        heard = self._hearing[session.language].heard(text)
        before = session.snapshot()
        answer = self._moved(session, heard) if re.search(r"\w", text) else self.puzzled(session, heard)
        answer = answer or self._dealt(session, text, heard)
        session.remember(before)
        return answer

    def _moved(self, session: LoanDesk, heard: Heard) -> Answer | None:
        """What is said of the conversation, and of nothing else."""
        whole = heard.did("whole") or len(heard.said) <= 3
        if heard.did("restart"):
            session.remember(session.snapshot())
            self.start_over(session)
            return self._led_back(session, ("restart",))
        if heard.did("undo") and whole and not (session.latest and session.errand is None):
            return self._undo(session)
        if heard.did("repeat") and heard.did("whole") and session.last is not None:
            session.repeats = True
            return Answer(session.last.text, session.last.acts)
        if heard.did("help") and whole and not heard.rest and session.asking != "which":
            return self._led_back(session, (), helped=True)
        return None

    def _dealt(self, session: LoanDesk, text: str, heard: Heard) -> Answer:
        """What is corrected or wanted is done, what is asked is told; then comes one next step."""
        turn = read_turn(text, session.language, self._open(session))
        was = (session.asking, session.errand, list(session.wanted))
        told, known = list[str](), False
        session.search = session.search or {}
        yes, no = self._settles(session, turn, heard)
        if no and session.asking in ("offer", "which", "title", "card", "kind", "work") and turn.alone:
            self.let_go(session)
            bye = turn.leaves
            return (
                self._ended(session, [self.words(session)["cancelled"]])
                if bye
                else self._put(session, [self.words(session)["cancelled"]], known=True)
            )
        if session.asking == "offer" and session.offer:
            kind, titles = session.offer
            session.offer, session.asking = None, None
            if yes:
                session.wanted += [(kind, one) for one in titles]
                known = True
        if card := self._card_of(session, turn, told):
            session.card, known = card, True
            if not session.wanted and not turn.wants:
                done = [self._found(session, each) for each in session.latest]
                told += [self.words(session)["noted"], *done]
        done = self._understood(session, turn, heard, told)
        known = known or done or bool(told)
        told += self._carry_out(session)
        if turn.stops and not session.wanted and was[0] is not None and session.asking == was[0] and not done:
            self.let_go(session)
            told = [*told, self.words(session)["cancelled"]]
            known = True
        if turn.leaves and not turn.threat and not (session.asking in ("card", "offer") and turn.kinds):
            if session.wanted:
                told.append(self.words(session)["cancelled"])
            return self._ended(session, told)
        if not known and no and (asked_for_more(session.last) or was[0] is None) and not turn.wants:
            return (
                self._ended(session, told)
                if session.served or asked_for_more(session.last)
                else self._put(session, told, known=True)
            )
        if known and not told and session.asking is None:
            asks = any(each.asks for each in turn.clauses)
            told.append(self.words(session)["unanswered" if asks else "see"])
        if not known and not told and yes and session.asking is None and turn.alone:
            session.repeats = True
            return Answer(self.words(session)["begin"], (Act("request"),))
        if not known and not told:
            return self._small_talk(session, turn, heard)
        return self._put(session, told, known=known, was=was)

    def _open(self, session: LoanDesk) -> bool:
        """Whether a title is what was asked for."""
        return session.asking in ("title", "which", "work")

    def _settles(self, session: LoanDesk, turn: Turn, heard: Heard) -> tuple[bool, bool]:
        first = turn.clauses[0].text if turn.clauses else ""
        part = self._hearing[session.language].heard(first)
        yes = part.did("affirm") or turn.yes
        no = (part.did("negate") or turn.no) and not yes
        return yes, no

    def _put(self, session: LoanDesk, told: list[str], *, known: bool, was: Any = None) -> Answer:
        """What is told, and the question that waits."""
        kept = [one for one in dict.fromkeys(told) if one][:_MOST_TOLD]
        if known and was and ((session.errand, session.wanted) != (was[1], was[2]) or not kept):
            session.asked_vainly = 0
        elif was and session.asking is not None and session.asking == was[0]:
            session.asked_vainly += 1
            if session.asked_vainly > _MOST_VAIN + (session.asking == "card") or (
                session.asking == "title" and session.asked_vainly > 1 and not session.wanted
            ):
                self.let_go(session)
        else:
            session.asked_vainly = 0
        session.lost = session.stalled = 0
        question, acts = self.question(session)
        session.told, session.repeats = tuple(kept), True
        return Answer(joined([*kept, question]), (*((Act("inform"),) if kept else ()), *acts))

    def _ended(self, session: LoanDesk, told: Sequence[str]) -> Answer:
        kept = [one for one in dict.fromkeys(told) if one]
        return Answer(joined([*kept, self.words(session)["bye"]]), (Act("bye"),), end=True)

    def _small_talk(self, session: LoanDesk, turn: Turn, heard: Heard) -> Answer:
        """The answer to what is not about the matter."""
        courtesies = courtesies_of([one for one in COURTESIES if heard.did(one) and one != "human"])
        question, asks = self.question(session)
        if heard.did("human"):
            return Answer(joined([self.words(session)["human"], question]), asks)
        if heard.did("dontknow") and session.asking in ("card", "title", "which"):
            told = self.words(session)["card_where" if session.asking == "card" else "no_title"]
            return self._put(session, [told], known=True, was=(session.asking, None, []))
        if courtesies and (len(courtesies) > 0):
            kinds = [
                one
                for one in courtesies
                if one
                in (
                    "thankyou",
                    "howareyou",
                    "whoareyou",
                    "insult",
                    "hello",
                    "why",
                    "dear",
                    "praise",
                    "sorry",
                    "chat",
                    "doubted",
                )
            ]
            if kinds and not (
                session.asking
                and set(kinds) <= {"chat", "praise", "dear", "hello", "sorry"}
                and not heard.did("whole")
            ):
                return self._led_back(session, kinds[:1])
        if session.asking is not None:
            session.asked_vainly += 1
            if session.asked_vainly <= _MOST_VAIN and (len(heard.said) > 3 or session.asking == "card"):
                session.repeats = True
                return Answer(
                    joined([self.words(session)["card_where"], question])
                    if session.asking == "card" and session.asked_vainly > 1
                    else question,
                    asks,
                )
        if len(heard.said) >= 4 and session.last is not None:
            seen = self.words(session)["see"]
            again = seen in session.last.text
            session.repeats = True
            return Answer(joined(["" if again else seen, question]), asks)
        return self.puzzled(session, heard)

    # --- the card ---------------------------------------------------------------------------------------

    def _card_of(self, session: LoanDesk, turn: Turn, told: list[str]) -> str:
        """The number of a card that was named; what has not four digits is refused where it was asked for."""
        asked = session.asking == "card"
        text = in_digits(turn.marked.text, session.language, ordinals=False) if asked else turn.marked.text
        ones = speech(session.language).numbers["one"]
        text = re.sub(
            rf"\b(?:{'|'.join(ones)})\b(?=[\s,.-]+\d)|(?<=\d )\b(?:{'|'.join(ones)})\b", "1", text, flags=re.I
        )
        text = re.sub(r"\b(?:zero|oh)\b", "0", text, flags=re.I)
        text = re.sub(r"(?<![\d_])\d(?:[ .,-]{1,2}\d)+(?![\d_])", lambda one: re.sub(r"\D", "", one[0]), text)
        text = re.sub(r"\b(?:nel|in|since|dal|born in) (?:19|20)\d\d\b", " ", text)
        runs = re.findall(r"(?<![\d_:.,])\d+(?![\d_:])(?![.,]\d)", text)
        fours = [one for one in runs if len(one) == 4]
        if fours and (
            asked
            or re.search(r"\b(?:card|tessera)\b", text, re.I)
            or re.search(r"(?:^|[.!?,;:]\s*)(?:\w+ )?\d{4}\s*(?:[.!?,]|$)", text)
            or (session.wanted or any(one.kinds for one in turn.clauses))
        ):
            return fours[-1]
        wrong = [one for one in runs if len(one) > 2 or (asked and len(text.split()) <= 4)]
        if asked and wrong and not fours:
            told.append(self.words(session)["limits_card"])
        return ""

    # --- what a turn means ------------------------------------------------------------------------------

    def _understood(self, session: LoanDesk, turn: Turn, heard: Heard, told: list[str]) -> bool:
        """Take the clauses of a turn in their order; whether anything of it was about the matter."""
        known, kind, searched = False, None, False
        mentions: list[str] = []  # titles of this turn that nothing was done with yet
        vain: list[str] = []
        corrected = self._corrected(session, turn, told)
        if corrected is not None:
            kind, known = corrected, True
        for at, one in enumerate(turn.clauses):
            said = self._asked(session, turn, one, told)
            known = known or said
            if said and one.ruled:
                session.focus = tuple(one.titles) or session.focus
                continue
            if one.retracts:
                session.wanted, mentions, known = session.wanted[:-1], mentions[:-1], True
                session.focus = ()
                continue
            if one.undo and one.kinds and not session.done and told:
                known = True
                continue
            if one.undo and one.kinds and not session.done:
                self.let_go(session)
                told.append(self.words(session)["cancelled"])
                known = True
                continue
            if one.undo and not one.titles and session.latest and not session.wanted:
                told.append(self._taken_back(session, session.latest))
                known = True
                continue
            if one.joins:
                told.append(self.words(session)["join"])
                known = True
                continue
            named = one.kinds[0] if one.kinds else None
            if named:
                kind, known = named, True
                session.errand = named
            titles = [title for title in one.titles if title not in one.refused]
            for title in one.refused:
                session.wanted = [pair for pair in session.wanted if pair[1] != title]
                mentions = [each for each in mentions if each != title]
                if title in session.done and one.undo:
                    told.append(self._taken_back(session, (title,)))
                known = True
            titles += (
                []
                if any(each.titles or each.names for each in turn.clauses)
                and not one.both
                and one.nth is None
                else self._pointed(session, turn, one, kind or session.errand)
            )
            titles = list(dict.fromkeys(titles))
            doing = kind or (
                session.errand if session.asking in ("title", "which", "kind") or session.wanted else None
            )
            asks = one.asks and OPENS[session.language].match(one.text) is not None
            if titles and not doing and turn.adds and not one.finds and session.latest and not asks:
                doing = kind = session.done[session.latest[-1]].removesuffix("_in")
                session.errand = kind
            if titles and not one.titles and not doing and not asks and not one.story:
                doing = kind = session.errand = "borrow"  # both, the second one
            if titles and doing and one.finds and one.asks and not named:
                told += [self._found(session, each) for each in titles if each not in session.shown]
            if titles:
                known = True
                if doing and not (one.story and not named):
                    if one.corrects and session.wanted and not one.also:
                        session.wanted = [pair for pair in session.wanted if pair[0] != doing]
                    mentions_own = [pair for pair in mentions if pair not in titles]
                    session.wanted += [
                        (doing, each) for each in titles if (doing, each) not in session.wanted
                    ]
                    mentions = mentions_own
                else:
                    mentions += [each for each in titles if each not in mentions]
                    session.own = session.own or one.own
                session.focus = tuple(titles)
                continue
            if named and mentions and (one.it or not turn.behind(at)):
                session.wanted += [
                    (named, each) for each in mentions[-1:] if (named, each) not in session.wanted
                ]
                mentions = mentions[:-1] if len(mentions) > 1 else []
                continue
            if one.names:
                session.focus = ()
                vain += [name for name in one.names if name not in vain]
                known = True
            elif one.weak and (one.finds or named or self._open(session)):
                vain += [name for name in one.weak if name not in vain]
                known = True
            if (corrected and session.wanted and one.author) or (
                turn.titles and session.errand and not one.finds
            ):
                continue
            if one.searches(session) and not (named and one.it) and not (vain and not one.finds):
                searched = True
                known = True
                one.refused += [title for each in turn.clauses for title in each.refused]
                self._looked_up(session, one, told)
                continue
            if (
                one.chooses
                and not searched
                and (session.listed or session.search or one.finds or session.errand is None)
                and not one.kinds
            ):
                known = self._suggested(session, one, told) or known
        weak = [name for one in turn.clauses for name in one.weak]
        if (
            not vain
            and not mentions
            and not session.wanted
            and weak
            and (kind or any(one.finds for one in turn.clauses))
            and not told
        ):
            vain, known = weak[-1:], True
        if (
            not known
            and len(turn.clauses) == 1
            and weak
            and not session.served
            and not told
            and not heard.kinds
        ):
            vain, known = weak, True  # Dracula
        for name in vain:
            if session.errand in KINDS and session.wanted and not kind:
                continue
            first = not session.unknown
            if name not in session.unknown:
                session.unknown.append(name)
            told.append(self.words(session)["unknown" if first else "not_known"].format(name=name))
        if vain and kind is None and session.errand is None:
            session.served += 1
        record = self.words(session)["account"] in told and not turn.finds
        finds = [] if record else [one for one in mentions if not turn.story_of(one)]
        session.focus = tuple(mentions[-1:]) if record and mentions else session.focus
        own = any(one.own for one in turn.clauses)
        if finds and session.errand is None:
            if own and (vain or set(finds) <= {*session.shown}):
                pass
            elif own and len(finds) == 1 and not turn.finds:
                session.offer, session.asking = ("renew", tuple(finds)), "offer"
            else:
                told += [self._found(session, each) for each in finds]
                session.listed = tuple(finds) if len(finds) > 1 else session.listed
                session.served += 1
            session.focus = tuple(finds[-1:])
        if vain and session.errand and not session.wanted:
            session.asking = "title"
        elif session.errand and not session.wanted:
            self._ask_title(session, turn)
        if (
            not known
            and turn.finds
            and session.errand is None
            and not told
            and any(one.finds and not one.it for one in turn.clauses)
        ):
            session.asking, known = "work", True
        return known

    def _ask_title(self, session: LoanDesk, turn: Turn) -> None:
        """What an errand without a title means: what was spoken of, else it is asked for."""
        refers = any(one.it or one.it_verb for one in turn.clauses if one.kinds) or not turn.vague_book
        bare = any(one.kinds and one.brief for one in turn.clauses)
        focus = session.focus if session.errand != "renew" or len(session.focus) == 1 else ()
        focus = tuple(one for one in focus if session.done.get(one) != session.errand)
        if session.errand == "renew" and not focus and session.done:
            loans = [one for one, kind in session.done.items() if kind == "borrow"]
            focus = tuple(loans) if any(one.it for one in turn.clauses) else ()
        if session.errand == "renew" and focus and session.done.get(focus[-1], "").startswith("reserve"):
            focus = ()  # the book that I have
        if focus and (refers or bare):
            session.wanted = [(session.errand or "borrow", one) for one in focus]
            return
        if len(session.listed) > 1 and session.errand != "renew" and not focus:
            session.asking = "which"
            return
        session.asking = "title"

    def _pointed(self, session: LoanDesk, turn: Turn, one: Clause, kind: str | None) -> list[str]:
        """The titles that a clause points at: the first, both, the other, that one."""
        listed = session.listed
        if one.both:
            several = listed if len(listed) > 1 else session.focus
            return [each for each in several if each not in one.refused]
        if listed and one.nth is not None and len(listed) > 1:
            at = one.nth if one.nth < len(listed) else -1
            spoken = [each for clause in turn.clauses for each in (*clause.titles, *clause.refused)] or [
                *session.focus,
                *session.done,
            ]
            free = [each for each in listed if each not in spoken]
            if one.nth == 1 and OTHER_ONE.search(one.text) and len(free) == 1:
                return free
            return [listed[at]]
        if (
            one.choice
            and session.focus
            and not any(each.titles for each in turn.clauses)
            and (one.kinds or one.takes)
            and kind
        ):
            return list(session.focus)
        return []

    def _corrected(self, session: LoanDesk, turn: Turn, told: list[str]) -> str | None:
        """What was done last with another book is taken back and done with the one that is meant."""
        if not session.latest or session.wanted or session.errand is not None or turn.adds:
            return None
        last = session.latest[-1]
        kind = session.done.get(last, "").removesuffix("_in")
        named = [each for one in turn.clauses for each in one.titles if each not in one.refused]
        names = [each for one in turn.clauses for each in one.names]
        other = [each for each in named if each != last and each not in session.done]
        denied = any(last in one.refused for one in turn.clauses)
        if (
            (turn.wrong and (other or names))
            and kind in KINDS
            and not any(one.kinds for one in turn.clauses if kind not in one.kinds)
        ):
            told.append(self._taken_back(session, (last,)))
            session.errand, session.focus = kind, ()
            return kind
        author = next((one.author for one in turn.clauses if one.author), "")
        others = (
            [each for each in self.titles({"author": author}) if each not in session.done] if author else []
        )
        if (
            turn.wrong
            and len(others) == 1
            and kind in KINDS
            and not turn.kinds
            and OTHER_ONE.search(turn.marked.text)
        ):
            told.append(self._taken_back(session, (last,)))
            session.wanted = [(kind, others[0])]
            return kind
        if denied and not other:
            told.append(self._taken_back(session, (last,)))
            session.focus = ()
            return None if not turn.kinds else turn.kinds[0]
        return None
