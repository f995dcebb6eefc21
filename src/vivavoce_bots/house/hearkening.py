"""A turn before it is answered: put plainly, without stories, echoes and what is refused or taken back."""

import re
from typing import Final

from vivavoce_bots.dialogue.beyond import told_apart
from vivavoce_bots.dialogue.clauses import clauses_of, sentences_of
from vivavoce_bots.dialogue.gist import gist, requested, rewritten
from vivavoce_bots.dialogue.retraction import without_retracted
from vivavoce_bots.house.clauses import KEEPS, REFUSED, THERE, WISHES, decided, read_clauses
from vivavoce_bots.house.clerk import Clerk
from vivavoce_bots.house.home import read_manner
from vivavoce_bots.house.session import Session
from vivavoce_bots.house.settling import SettlingBot
from vivavoce_bots.house.snippets import forms
from vivavoce_bots.house.stories import (
    IF_NOT,
    NEVER_MIND,
    asked_plainly,
    named_at_once,
    without_echoes,
    without_stories,
)

_TELLS_OF: Final = ("kind", "plural", "called", "one", "glare", "home", "meant", *WISHES)
_TELLS: Final = ("kind", "plural", "called", "deed", "glare", *WISHES)
_VOCATIVE: Final = re.compile(
    r",\s*(?:dear|love|darling|please|my dear|car[oa]|tesoro|grazie|per favore|per piacere)\s*(?=[,.!?])",
    re.I,
)
_FEW: Final = 3  # words that say nothing but no
_HERE: Final = {
    "en": re.compile(r"\b(?:in|round) (?:here|there)\b", re.I),
    "it": re.compile(r"\bqu[ia](?: dentro)?\b", re.I),
}


class HearkeningBot(SettlingBot):
    """The part of the house bot that takes a turn as it is meant."""

    _clerk: Clerk

    def _to_the_matter(self, session: Session, text: str) -> str:
        """A turn with its questions put plainly, without what people tell of themselves."""
        hearing = self._hearing[session.language]
        if not session.waiting:  # never mind: what was done stays
            text = NEVER_MIND[session.language].sub("", text) or text

        if not session.waiting and session.last is not None and not session.topic:
            text = without_echoes(text, session.last.text)

        text = named_at_once(text, session.language, self._home.kind_words(session.language))
        text = self._if_so(session, text)

        def acts(one: str) -> bool:
            heard = hearing.heard(one)
            deeds = {each.slot for each in heard.all("deed")} - {"watch", "play"}
            told = told_apart(one, self._beyond[session.language])[0] is not None  # a cake in the oven
            told = told and not heard.did("deed") and len(heard.said) > _FEW
            return bool(deeds or heard.did("thing") or told) and not forms(session.language)["leaves"].search(
                one
            )

        return without_stories(
            asked_plainly(text.replace("’", "'"), session.language),
            session.language,
            lambda one: hearing.heard(one).did(*_TELLS_OF),
            acts,
        )

    def _if_so(self, session: Session, text: str) -> str:
        """A turn in which what is to be done if something is so, or else, is settled by how it is."""
        found = IF_NOT[session.language].search(text)
        asked, _ = self._clerk.inquiries.apart(session, text[: found.start()], {}) if found else ([], "")
        if found is None or not asked or not asked[-1].devices or asked[-1].deed is None:
            return text
        so = any(self._telling.is_so(session, device, asked[-1].deed) for device in asked[-1].devices)
        return f"{text[: found.start()]}{found['yes' if so else 'no']}{text[found.end() :]}"

    def _took_back(self, session: Session, text: str) -> tuple[list[str], str]:
        """How devices are again of which a turn says `not the blinds`, where these were moved just now; and
        the turn without that.
        """
        hearing, acts = self._hearing[session.language], session.last.acts if session.last else ()
        for found in REFUSED[session.language].finditer(text):
            named = hearing.heard(found[0])
            refused = {one.slot for one in (*named.all("kind"), *named.all("plural"))}
            just = [
                one
                for one in session.done
                if self._home.kinds_of(one.before) <= refused
                and any(act.act == "inform" and act.value in one.before for act in acts)
            ]
            if not just or KEEPS.match(found[0]):
                continue
            session.about = tuple(just[-1].before)
            rest = f"{text[: found.start()]}{text[found.end() :]}"
            anew = [hearing.heard(one) for one in clauses_of(rest)]
            again = {"it", "them", *refused}
            if not any(
                one.did("deed") and again & {each for span in one.spans for each in span.entry}
                for one in anew
            ):
                self._take_back(session, just[-1])
                return self._telling.how_they_are(session, session.about, None, None, None), rest
            return [], rest
        return [], text

    def _without_refused(self, session: Session, text: str) -> str:
        """The turn without the devices that are not to be touched, `no blinds`: nothing is asked of these."""
        hearing, refused = self._hearing[session.language], set[str | None]()
        for match in REFUSED[session.language].finditer(text):
            named = hearing.heard(match[0])
            refused |= {one.slot for one in (*named.all("kind"), *named.all("plural"))}
        held = session.waiting
        session.waiting = [
            one for one in held if one.kind not in refused and not self._home.kinds_of(one.choices) & refused
        ]
        rest = REFUSED[session.language].sub(" ", text) if refused else text
        left = hearing.heard(rest)
        lets_go = len(session.waiting) < len(held)
        if refused and not (lets_go or left.did(*_TELLS) or len(left.said) > _FEW):
            return str(read_manner(session.language)["dont"][0])
        return rest

    def plain(self, session: Session, text: str) -> str:
        """A turn as it is meant: requests as commands, idioms in plain words, nothing told besides."""
        hearing, where = self._hearing[session.language], self._home.places(session.language)
        text = _VOCATIVE.sub("", text)
        session.alone = self._names_alone(session, text)

        def places(one: str) -> bool:
            return hearing.heard(one).did("side", "room")

        settled = without_retracted(
            decided(self._without_refused(session, text), places), session.language, where
        )
        settled = without_retracted(settled, session.language, self._home.kind_words(session.language))
        rooms = {self._home.devices[one].room for one in session.about}
        if (
            len(rooms) == 1
            and not hearing.heard(settled).did("room")
            and hearing.heard(settled).did("kind", "plural")
        ):
            where_in = self._home.rooms[rooms.pop()][session.language]["in"]  # the blinds in here
            settled = _HERE[session.language].sub(where_in, settled)
        plain = rewritten(requested(settled, session.language), read_manner(session.language)["rewrites"])
        there = THERE.search(plain) is not None
        return gist(
            plain,
            session.language,
            lambda one: hearing.heard(one).did(*_TELLS),
            lambda one: (
                hearing.heard(one).did("room") and (there or hearing.heard(one).did("glare", *WISHES))
            ),
        )

    def _names_alone(self, session: Session, text: str) -> bool:
        """Whether a sentence of the turn names devices, and says nothing else."""
        hearing, reader = self._hearing[session.language], self._readers[session.language]
        for sentence in sentences_of(text):
            clauses = [] if sentence.endswith("?") else read_clauses(sentence, hearing, reader)
            clauses = [clause for clause in clauses if not clause.did("not") or clause.deed]
            if clauses and not any(
                clause.loose or clause.asks or clause.did("not", "negate", "dont") for clause in clauses
            ):
                return True
        return False
