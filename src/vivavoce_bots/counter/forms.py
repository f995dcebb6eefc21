"""Products that are asked for by their form, throat lozenges or a spray, beside those that are there."""

from typing import Final

from vivavoce_bots.counter.bot import CounterBot
from vivavoce_bots.counter.ordering import as_meant
from vivavoce_bots.counter.turn import Piece
from vivavoce_bots.counter.understanding import Visit
from vivavoce_bots.counter.wording import wording
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.spotting import tokens
from vivavoce_bots.dialogue.talk import Answer, joined

_FORMS: Final = wording("pharmacy", "forms")
"""Forms of products that are named by what they are."""
_OWN_FORM: Final = wording("pharmacy", "own_form")
"""Forms that nobody asks for: with my blood pressure tablets, how many tablets?"""


class FormsBot(CounterBot):
    """A counter that says of each form that is asked for whether there is such a product."""

    def answered(self, session: Visit, text: str) -> Answer:
        """What is asked for by its form beside a product that is there is said not to be there."""
        answer = super().answered(session, text)
        named = self._wanted_form(self._heard(session, as_meant(self._hearing[session.language], text)))
        question = self.question(session)[0]
        told = answer.text.removesuffix(question).strip()
        again = bool(told) and named in session.unknown
        if not named or answer.end or again or named in answer.text or _OWN_FORM.search(text):
            return answer
        session.unknown = [*session.unknown, named]
        return answer._replace(
            text=joined([told, self.words(session)["not_known"].format(name=named), question])
        )

    def _wanted_form(self, heard: Heard) -> str:
        """What is asked for by its form: throat lozenges, a spray for the nose."""
        found = _FORMS.search(heard.text)
        if found is None:
            return ""
        own = [one for one in heard.spans if one.entry.slot == "medicine"]
        known = {word for one in own for word in heard.said[one.start : one.end]}
        return "" if known & set(tokens(found[0])) else found[0].strip()

    def _named_strangely(
        self, session: Visit, heard: Heard, errand: str, found: dict[str, str]
    ) -> str | None:
        if "medicine" not in found and (named := self._wanted_form(heard)):
            return named
        return super()._named_strangely(session, heard, errand, found)

    def bare(self, session: Visit, piece: Piece) -> bool:
        heard = self._heard(session, piece.text)
        compares = heard.did("cheaper") and not heard.all("value")  # this or that, which is cheaper?
        return compares or super().bare(session, piece)
