"""Which devices are meant: by kind, name, room, side, and where they stand to something else.

Sides are those that somebody sees who enters the room. What a reference says and nobody knows (`the blue
lamp`, `the lamp behind the piano`) is kept as `strange`, so that it is asked back and never passed over.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from math import dist

from vivavoce_bots.dialogue.gist import names_nothing
from vivavoce_bots.dialogue.spotting import Entry, Span, tokens
from vivavoce_bots.house.home import Home, Piece, read_manner

_NEAR = 1.6
_AWAY = 0.3
_WHERE = {
    "en": frozenset(("in", "from", "inside", "outside", "with", "behind")),
    "it": frozenset(("in", "nel", "nello", "nella", "nell", "dal", "dalla", "con", "dietro")),
}
_THE = frozenset(("the", "my", "our", "a", "il", "la", "lo", "l'"))
_CLITIC = re.compile(r"\w{3,}[aeir]l[aeio]")
_NAMES = ("kind", "plural", "called", "one", "it", "them", "other")


@dataclass(frozen=True)
class Reference:
    """What was said of the devices that are meant. `places` are relations to pieces of the room; where one of
    these is named by itself and no device is, the reference is `bare`.
    """

    kind: str | None = None
    plural: bool = False
    called: str | None = None
    rooms: frozenset[str] = frozenset()
    sides: tuple[str, ...] = ()
    places: tuple[tuple[str, tuple[str, ...]], ...] = ()
    ordinal: int | None = None
    every: bool = False
    other: bool = False
    it: bool = False
    strange: str = ""
    bare: bool = False
    without: "Reference | None" = None

    @property
    def placed(self) -> bool:
        """Whether it says which one."""
        return bool(self.rooms or self.sides or self.places or self.ordinal or self.called)

    @property
    def said(self) -> bool:
        """Whether it says anything."""
        return bool(self.kind or self.placed or self.every or self.other or self.it or self.without)


@dataclass
class Reader:
    """Reads the references of one language in one flat."""

    home: Home
    language: str
    _known: set[str] = field(init=False)
    _of: set[str] = field(init=False)
    _ends: set[str] = field(init=False)
    _its: set[str] = field(init=False)

    def __post_init__(self) -> None:
        manner = read_manner(self.language)
        self._of = {str(word).rstrip("'") for word in manner["of"]}
        self._ends = {str(word) for word in manner["because"]}
        self._its = {" ".join(tokens(str(phrase))) for phrase in manner["it"]}
        self._known = {str(word) for word in manner["harmless"]} | self._of

    def read(self, said: Sequence[str], spans: Sequence[Span], of_kind: str | None = None) -> Reference:
        """The reference in a clause; `of_kind` is the kind where it names none."""
        cut = next((at for at, span in enumerate(spans) if span.entry.kind == "except"), None)
        if cut is not None:
            kept = self.read(said[: spans[cut].start], spans[:cut], of_kind)
            rest = [
                Span(one.start - spans[cut].end, one.end - spans[cut].end, one.entry)
                for one in spans[cut + 1 :]
            ]
            return replace(kept, without=self.read(said[spans[cut].end :], rest, kept.kind))
        found, relation = Reference(), ""
        anchors: list[str] = []
        for at, span in enumerate(spans):
            anchor = self._anchors(span.entry) if relation else []
            if relation and anchor and not (relation == "at" and span.entry.kind != "thing"):
                anchors += anchor
                if relation != "between" or len(anchors) > 1:
                    found = replace(found, places=(*found.places, (relation, tuple(anchors))))
                    relation, anchors = "", []
                continue
            if span.entry.kind == "relation":
                found = self._dangling(found, relation, said, spans[:at])
                relation = span.entry.slot or ""
            elif span.entry.kind == "side" and self._stands_to(said, span, spans[at + 1 : at + 2]):
                relation = span.entry.slot or ""
            elif span.entry.kind == "deed" and self._has_it(said, span):
                found = replace(found, it=True)  # spegnila: switch it off
            else:
                found = self._with(found, span.entry)
        found = self._dangling(found, relation, said, spans)
        everything = any(span.entry.kind == "home" for span in spans)
        found = replace(
            found,
            kind=found.kind
            or self._kind_called(found)
            or (of_kind if found.said and not everything else None),
        )
        kinds = [span.entry.kind for span in spans]
        if everything and not {"relation", "side"} & set(kinds):  # everything off, I go to bed
            found = replace(found, places=())
            kinds = [kind for kind in kinds if kind != "thing"]
        bare = "thing" in kinds and not {"relation", "side", *_NAMES} & set(kinds)
        return replace(found, strange=found.strange or self._strange(said, spans), bare=bare)

    def _with(self, found: Reference, entry: Entry) -> Reference:
        kind, name = entry.kind, entry.slot or ""
        if kind in ("kind", "plural"):
            return replace(found, kind=found.kind or name, plural=found.plural or kind == "plural")
        if kind == "called":
            return replace(found, called=found.called or name)
        if kind == "room":
            return replace(found, rooms=found.rooms | {name})
        if kind == "thing":
            return replace(found, places=(*found.places, ("near", (name,))))
        if kind == "side":
            return replace(found, sides=(*found.sides, name))
        if kind == "ordinal":
            return replace(found, ordinal=int(name))
        if kind == "all" or (kind == "home" and not found.kind):
            return replace(found, every=True)
        if kind in ("other", "reqalts"):
            return replace(found, other=True)
        return replace(found, it=True) if kind in ("it", "them") else found

    def _kind_called(self, found: Reference) -> str | None:
        names = self.home.called(found.called, self.language) if found.called else []
        return self.home.devices[names[0]].kind if names else None

    def _anchors(self, entry: Entry) -> list[str]:
        """What a device can stand beside."""
        if entry.kind == "thing":
            return [entry.slot or ""]
        if entry.kind == "called":
            return self.home.called(entry.slot or "", self.language)
        return self.home.of_kind(entry.slot) if entry.kind in ("kind", "plural") else []

    def _stands_to(self, said: Sequence[str], side: Span, after: Sequence[Span]) -> bool:
        """Whether a side is that of something: `to the right of the table lamp`."""
        if not after or not self._anchors(after[0].entry):
            return False
        between = [word.rstrip("'") for word in said[side.end : after[0].start]]
        return any(word in self._of for word in between)

    def _dangling(
        self, found: Reference, relation: str, said: Sequence[str], spans: Sequence[Span]
    ) -> Reference:
        """A relation to nothing that there is: `the lamp behind the piano`."""
        if relation in ("", "at") or found.strange:
            return found
        last = next((span for span in reversed(spans) if span.entry.kind in ("relation", "side")), None)
        return replace(found, strange=" ".join(said[last.start : last.start + 5]) if last else relation)

    def _strange(self, said: Sequence[str], spans: Sequence[Span]) -> str:
        """What is said of a device and nobody knows: right before its name, right behind it in Italian, or
        behind a word that says where, `in the garage`; what else stands there is told besides.
        """
        named = [span for span in spans if span.entry.kind in _NAMES]
        if not named:
            return ""
        covered = {at for span in spans for at in range(span.start, span.end)}
        unknown = {
            at
            for at, word in enumerate(said)
            if at not in covered and not self.knows(word) and not names_nothing(word, self.language)
        }
        first, end = named[0].start, named[0].end
        before = {first - 1} if named[0].entry.kind not in ("it", "them", "other") else set[int]()
        places = [at for at in range(end, len(said)) if said[at].rstrip("'") in _WHERE[self.language]]
        behind = {place + 1 for place in places}
        behind |= {place + 2 for place in places if place + 1 < len(said) and said[place + 1] in _THE}
        if self.language == "it":
            behind.add(end)
        stop = next((at for at in range(end, len(said)) if said[at] in self._ends), len(said))
        found = [at for at in sorted(before | behind) if at in unknown and at < stop]
        return " ".join(said[at] for at in found[:2])

    def _has_it(self, said: Sequence[str], span: Span) -> bool:
        """Whether a verb has its pronoun in it or before it: spegnila, le riapra."""
        words = " ".join(said[span.start : span.end])
        if self.language == "it" and span.start > 0 and said[span.start - 1] in ("la", "lo", "le", "li"):
            return True
        if self.language == "en" and {"it", "that", "this", "them"} & {*said[span.start : span.end]}:
            return True
        return words in self._its or (self.language == "it" and _CLITIC.fullmatch(words) is not None)

    def knows(self, word: str) -> bool:
        """Whether a word means nothing that matters to a house."""
        return word.rstrip("'") in self._known

    # --- which ones --------------------------------------------------------------------------------------

    def meant(self, reference: Reference, about: Sequence[str], among: Sequence[str] = ()) -> list[str]:
        """The devices that are meant; pronouns are those that were spoken of, `about`."""
        home = self.home
        if reference.it and not reference.placed and not reference.other and about and not among:
            kinds = [one for one in about if reference.kind in (None, home.devices[one].kind)]
            if kinds:
                return kinds
        found = self.devices(reference, among)
        if reference.other and about and not among:
            rooms = {home.devices[one].room for one in about}
            here = [one for one in found if home.devices[one].room in rooms or reference.rooms]
            return [one for one in here if one not in about]
        return found

    def only_for(self, deed: str | None, reference: Reference) -> str | None:
        """The kind of device that is meant where only the deed tells: only blinds are opened."""
        if deed is None or reference.it or reference.every or reference.called or reference.other:
            return None
        return self.home.only_kind(deed)

    def devices(self, reference: Reference, among: Sequence[str] = ()) -> list[str]:
        """The devices that a reference fits, of those given or of all; [] where there is no such device."""
        home = self.home
        base = list(among) or home.of_kind(None)
        fitting = [name for name in base if reference.kind in (None, home.devices[name].kind)]
        rivals = list(among) or home.of_kind(None)
        if reference.called:
            fitting = [name for name in fitting if name in home.called(reference.called, self.language)]
        if reference.rooms:
            fitting = [name for name in fitting if home.devices[name].room in reference.rooms]
        for relation, anchors in reference.places:
            fitting = [name for name in fitting if self._stands(name, relation, anchors)]
        if {"left", "right"} <= {*reference.sides}:  # the left or the right one
            fitting = [
                name for name in fitting if any(self._on_side(name, side, rivals) for side in reference.sides)
            ]
        else:
            for side in reference.sides:
                fitting = [name for name in fitting if self._on_side(name, side, rivals)]
        if reference.ordinal is not None:
            at = reference.ordinal - (reference.ordinal > 0)
            fitting = fitting[at : at + 1 or None] if -len(fitting) <= at < len(fitting) else []
        if reference.without is not None:
            left_out = self.devices(reference.without) if reference.without.said else []
            fitting = [name for name in fitting if name not in left_out]
        return fitting

    def _on_side(self, name: str, side: str, rivals: Sequence[str]) -> bool:
        """Whether it is the outermost of its kind in its room, or stands between these."""
        here = self.home.devices[name]
        others = [self.home.devices[rival] for rival in rivals]
        room = [one for one in others if (one.room, one.kind) == (here.room, here.kind)]
        axis = 0 if side in ("left", "right", "middle") else 1
        places = sorted(one.at[axis] for one in room)
        if len(places) < 2:
            return False
        if side == "middle":
            return places[0] < here.at[axis] < places[-1]
        return here.at[axis] == (places[0] if side in ("left", "front") else places[-1])

    def _stands(self, name: str, relation: str, anchors: Collection[str]) -> bool:
        here = self.home.devices[name]
        pieces = [self.home.things.get(anchor) or self.home.devices[anchor] for anchor in anchors]
        near = [piece for piece in pieces if piece.room == here.room and piece.name != name]
        if relation == "between":
            across = sorted(one.at[0] for one in near)
            return (
                len(across) > 1
                and across[0] < here.at[0] < across[-1]
                and not any(_holds("near", here, one) for one in near)
            )
        return any(_holds(relation, here, one) for one in near)


def _holds(relation: str, here: Piece, there: Piece) -> bool:
    """Whether one piece stands in a relation to another of its room; what cannot be known does not hold."""
    across, away, up = (mine - theirs for mine, theirs in zip(here.at, there.at, strict=True))
    beside = dist(here.at[:2], there.at[:2]) <= _NEAR
    return {
        "near": beside,
        "at": beside,
        "left": across < -_AWAY,
        "right": across > _AWAY,
        "behind": beside and away > _AWAY,
        "before": beside and away < -_AWAY,
        "above": beside and up > _AWAY,
        "below": beside and up < -_AWAY,
    }.get(relation, False)
