"""What a turn settles of what was asked back, and each clause of it: done, asked back, told, corrected."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.house.clauses import WISHES, Clause
from vivavoce_bots.house.doing import DoingBot
from vivavoce_bots.house.reference import Reference
from vivavoce_bots.house.session import Pending, Session, Told

_NOTHING: Final = frozenset(("nothing", "none", "niente", "nessuna", "nessuno"))
_PAIR: Final = 2
_SEEING: Final = frozenset(("saw", "see", "seen", "hear", "heard", "vedo", "visto", "sento", "sentito"))


class SettlingBot(DoingBot):
    """The part of the house bot that takes answers and clauses."""

    def _answered(self, session: Session, heard: Heard, clauses: Sequence[Clause], told: Told) -> bool:
        """Whether this was the answer to what was asked back."""
        if not session.waiting:
            return False
        denied = [one for one in clauses if "not" in one.kinds and one.deed is None and one.reference.kind]
        if denied and len(clauses) > len(denied) and session.waiting[0].choices != ():
            kinds = self._home.kinds_of(session.waiting[0].choices)
            if not kinds & {one.reference.kind for one in denied}:  # what was not asked for is refused
                clauses = [one for one in clauses if one not in denied]
        pending = session.waiting[0]
        if (other := self._other_of_two(session, heard, clauses, pending)) is not None:
            session.waiting.pop(0)
            self._do(session, pending.deed or "on", [other], told)
            return True
        placed = any(one.reference.rooms or one.reference.places for one in clauses)
        unsure = heard.did("dontcare", "suggest") and not placed
        if unsure and pending.asks == "which" and pending.deed:  # which one makes no difference: the first
            session.waiting.pop(0)
            self._do(session, pending.deed, list(pending.choices[:1]), told)
            return True
        denied = next((at for at, one in enumerate(clauses) if one.did("negate")), 0)
        after = (one.reference for one in clauses[denied + 1 :])
        said = clauses[denied:] if any(one.placed or one.other for one in after) else clauses
        first = next((one for one in said if one.reference.said or one.deed or one.reference.strange), None)
        clear = [
            one for one in said if one.reference.placed and not one.reference.strange and not one.did("not")
        ]
        if pending.choices and first is not None and first.reference.strange and not first.did("not"):
            first = next(
                (one for one in clear if self._meant(session, one.reference, pending.choices)), first
            )
        if first is not None and first.did("not") and pending.choices and (first.reference.placed):
            left_out = self._meant(session, first.reference, pending.choices)
            kept = tuple(choice for choice in pending.choices if choice not in left_out)
            if not left_out:
                told.sentences.append(self.words(session)["untouched"])
                return True
            rest = tuple(one for one in self._home.of_kind(pending.kind) if one not in left_out)
            if left_out and not kept and _NOTHING & set(first.said):  # nothing in the bedroom
                session.waiting.pop(0)
                return False
            if kept or rest:  # the last choice was not meant: one of the others
                about = session.about
                self._narrowed(session, pending, kept or rest, told)
                self._others(session, clauses, pending, told, about)
                return True
        points = first is not None and first.reference.it and session.about and not first.placed
        points_at = {*session.about} & {*pending.choices}
        if first is not None and points and pending.asks == "which" and len(points_at) != 1:
            same = first.deed in (None, pending.deed) and first.reference.kind in (None, pending.kind)
            if same and not first.reference.every:
                return True  # yes, that one: which?
        if points and not set(session.about) & set(pending.choices):  # what was spoken of, not a choice
            return False
        if first is not None and first.deed and first.reference.every and not first.reference.kind:
            session.waiting = []  # everything off
            return False
        new = (
            first is not None
            and first.deed not in (None, pending.deed)
            and first.did("kind", "plural", "called", "home")
        )
        other = first is not None and first.reference.kind not in (None, pending.kind) and pending.kind
        if first is not None and first.asks:
            return False
        agrees = (
            bool(clauses)
            and clauses[0].did("affirm")
            and not heard.did("negate")
            and pending.asks == "confirm"
        )
        if (new or other) and agrees and pending.deed:  # yes; and the blinds down
            self._do(session, pending.deed, list(pending.choices), told)
        if new or other or any(one.did("dont", "volume") for one in clauses):
            session.waiting = []
            return False
        if first is not None and pending.asks == "confirm" and not first.did("not", "dont"):
            named = (
                first.reference.kind in self._home.kinds_of(pending.choices) and not first.reference.strange
            )
            deed = first.deed or pending.deed
            named = named and not (first.reference.it and first.reference.kind is None)
            if deed and (named or (first.deed not in (None, pending.deed) and not first.reference.said)):
                session.waiting.pop(0)  # the fan!; faster, then
                about = session.about
                self._do(session, deed, list(pending.choices), told)
                self._others(session, clauses, pending, told, about)
                return True
        if first is not None and first.reference.other and not first.deed and len(pending.choices) == 1:
            rooms = {self._home.devices[choice].room for choice in pending.choices}
            rest = [one for one in self._home.of_kind(pending.kind) if one not in pending.choices]
            near = tuple(one for one in rest if self._home.devices[one].room in rooms) or tuple(rest)
            if near:
                asks = "which" if len(near) > 1 else pending.asks
                session.waiting[0] = replace(pending, asks=asks, choices=near)
                return True
        if first is None or (pending.asks == "confirm" and not first.reference.placed):
            about = session.about
            settled = self._yes_or_no(session, heard, pending, told)
            if settled:
                self._others(session, clauses, pending, told, about)
            return settled
        if pending.asks == "deed" and first.deed:
            session.waiting.pop(0)
            self._do(session, first.deed, list(pending.choices), told)
            return True
        session.waiting.pop(0)
        deed = first.deed or pending.deed
        self._settle(session, replace(first, deed=deed), told, pending)
        for clause in clauses[clauses.index(first) + 1 :]:
            if clause.deed or clause.reference.placed or not clause.did("negate", "it"):  # no, that will do
                self._take(session, clause, told)
        return True

    def _other_of_two(
        self, session: Session, heard: Heard, clauses: Sequence[Clause], pending: Pending
    ) -> str | None:
        """The one of two choices that is left where one is refused: the left? no, the other."""
        if not (pending.asks == "which" and pending.deed and len(pending.choices) == _PAIR):
            return None
        if not (heard.did("other", "reqalts") and heard.did("negate", "not")):
            return None
        refused = {
            one
            for clause in clauses
            if clause.reference.placed and not clause.reference.other
            for one in self._meant(session, clause.reference, pending.choices)
        }
        left = [choice for choice in pending.choices if choice not in refused]
        return left[0] if len(left) == 1 else None

    def _others(
        self,
        session: Session,
        clauses: Sequence[Clause],
        pending: Pending,
        told: Told,
        about: tuple[str, ...],
    ) -> None:
        """What stands beside an answer and is about other devices: yes, and the blinds down."""
        kinds = {pending.kind, *self._home.kinds_of(pending.choices)}
        for clause in clauses:
            if clause.deed and clause.did("kind", "plural", "called") and clause.reference.kind not in kinds:
                self._take(session, clause, told)
            elif clause.deed and clause.reference.it and about and not {*about} & {*pending.choices}:
                session.about = about  # in the kitchen; and close them
                self._take(session, replace(clause, reference=Reference(it=True)), told)

    def _narrowed(self, session: Session, pending: Pending, kept: tuple[str, ...], told: Told) -> bool:
        """Some of the choices are not meant: what is left is done, or asked for."""
        session.waiting.pop(0)
        if pending.deed and len(kept) == 1:
            self._do(session, pending.deed, list(kept), told)
        else:
            asks = "which" if len(kept) > 1 and pending.asks in ("confirm", "deed") else pending.asks
            session.waiting.insert(0, replace(pending, asks=asks, choices=kept))
        return True

    def _yes_or_no(self, session: Session, heard: Heard, pending: Pending, told: Told) -> bool:
        if heard.did("negate") and not heard.did("affirm"):
            session.waiting.pop(0)
            told.sentences.append(self.words(session)["kept"])
            return True
        if (
            heard.did("affirm")
            and pending.asks == "deed"
            and self._goes_on(session, pending.choices, Told(names_alone=True))
        ):
            pending = replace(pending, asks="confirm", deed="on")
        if heard.did("affirm") and pending.asks == "confirm" and pending.deed:
            session.waiting.pop(0)
            self._do(session, pending.deed, list(pending.choices), told)
            return True
        return False

    def _take(self, session: Session, clause: Clause, told: Told) -> None:
        """One clause of a turn; one that only says where answers what the clause before it left open."""
        words, reference = self.words(session), clause.reference
        last = session.waiting[-1] if session.waiting else None
        if (
            last
            and last.asks == "which"
            and last.deed
            and clause.deed in (None, last.deed)
            and not clause.asks
        ):
            fits = reference.placed and self._meant(session, reference, last.choices)
            if fits and not clause.did("not", "negate", "dont"):  # some light, the one by the window
                session.waiting.pop()
                self._settle(session, replace(clause, deed=last.deed), told, last)
                return
        wish = next((kind for kind in clause.kinds if kind in WISHES), None)
        if clause.did("glare") and clause.deed in (None, "softer", "louder"):
            self._dim(session, told)
        elif clause.did("dont"):
            told.sentences.append(words["untouched"])
        elif wish is not None:
            self._wished(session, wish, told, reference.rooms)
        elif clause.asks:
            pending = session.waiting[0] if session.waiting else None
            if not session.about and pending is not None and pending.choices and not reference.placed:
                session.about = pending.choices
            if clause.deed and session.about and not reference.said:  # is it on?
                clause = replace(clause, reference=replace(reference, it=True))
            known = clause.did("kind", "plural", "called", "it", "one") or (
                reference.it and (clause.deed is not None or not clause.loose)
            )
            if known or (clause.deed and clause.reference.said):
                self._tell(session, clause, told)
        elif clause.did("not") and clause.deed is None and not session.done:
            pass  # not the television
        elif self._corrects(session, clause, reference):
            self._correct(session, clause, told)
        elif clause.deed is None and _SEEING & set(clause.said) and not clause.did("meant", "other"):
            pass  # I saw a light
        elif (
            clause.deed
            or (reference.other and not clause.loose and (session.about or session.done or session.waiting))
            or clause.did("kind", "plural", "called", "too")
            or (clause.did("one", "it") and reference.placed and session.about)
        ):
            self._settle(session, clause, told)
