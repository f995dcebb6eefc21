"""What a value in a turn means: that it is wanted, or is not, or is asked about, or is only told of."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from vivavoce_bots.acts import DONTCARE, Act, stating
from vivavoce_bots.dialogue.clauses import wishes
from vivavoce_bots.dialogue.domain import NAME, TYPE, Venue
from vivavoce_bots.dialogue.opening import DAY, HOURS, TIME, asks_open, asks_until, tells_closed
from vivavoce_bots.dialogue.phrasebook import Phrasebook
from vivavoce_bots.dialogue.speech import COURTESIES, is_question
from vivavoce_bots.dialogue.spotting import Span

OTHER, DISHES, AREA, FOOD, PRICE = "other", "dishes", "area", "food", "pricerange"
ASKING = ("asking", "being", "service")
REACH, FEW = 4, 2
_BEHIND = 6
_BESIDES = frozenset(("where", "that", "while", "after", "before", "dove", "che", "dopo", "prima", "mentre"))
_NOT_NEAR = re.compile(
    r"\b(?:not|non) (?:\w+ ){0,2}(?:(?:near|round|close|vicin\w+)(?: \S+){0,12}|"
    r"(?:up|down|over|towards|way)(?: \S+){0,3})$"
)
_NO = frozenset(("no", "not", "non"))
_THROWN = re.compile(
    r"(?:is|are|would be) (?:no good|not (?:for|what|good))\b|"
    r"non (?:l[oae]|ci|gli|mi|piac|vogl|vuol|mang)\w*(?: (?:vogli|vuol|piac|mang|sopport|va)\w*)?"
)
"""What stands behind a value that is not wanted: `il sushi non lo vogliono`."""
_IF_IT_IS = re.compile(
    r"(?:even )?(?:if|that) (?:it|that|they)\W*(?:is|s|are|re)?(?: \w+)?|(?:anche )?se (?:è|costa|sono)"
)
_HOW_MUCH = ("how", "what", "quanto", "quant'")
_FROM = re.compile(
    r"\b(?:far|away|near|close|lontano|distante|vicino)(?: (?:from|to|the|d?al|dalla|alla|a|da)){1,2}$"
)
_OF_IT = re.compile(
    r"^\W*(?:(?:and|but|so|wait|oh|e|ma|però|scusi|quindi|allora|ah)\W+)*"
    r"(?:what(?:'s| is) (?:it|that|\w+ \w+)|you said|did you say|it's|that's|isn't (?:it|that)|"
    r"(?:che )?cos'è|(?:mi )?(?:ha|hai|aveva) detto|sarebbe)\b",
    re.I,
)
"""How a question begins that is about the venue on offer."""
_UNKNOWN = re.compile(
    r"\b(?:don' t know|not sure|no idea|can' t (?:tell|remember)|wonder|non so|non saprei|chissa|non ricordo)"
    r" (?:if|whether|what|where|which|se|quale|dove|cosa)(?: \S+){0,4}$"
)
_VOCATIVE = (["caro"], ["cara"], ["cari"])
_BEFORE_NAMES = ("mio", "mia", "senta", "senti", "guardi", "scusi", "ma", "oh", "eh", "no")


class Turn(NamedTuple):
    """An utterance in its context."""

    text: str
    said: list[str]
    spans: Sequence[Span]
    asked: str | None
    confirming: bool
    venue: Venue | None


class Values(Phrasebook):
    """Reads the values of a turn in their context."""

    def _linked(self, said: list[str], before: Span, span: Span, named: Sequence[Span]) -> bool:
        """Whether nothing but small words, and names of slots, stands between a cue and a value."""
        covered = {at for one in named for at in range(one.start, one.end)}
        return all(
            said[at] in self._small or said[at] == "l'" or at in covered
            for at in range(before.end, span.start)
        )

    def _of_value(self, index: int, turn: Turn, slot: str, value: str) -> Act | None:
        """A value is wanted, not wanted, or asked about: `is it cheap` of the venue on offer."""
        span = turn.spans[index]
        others = [other for other in turn.spans[:index] if other.entry.kind not in ("slot", "ask", "ciao")]
        named = [one for one in turn.spans[:index] if one.entry.kind in ("slot", "ask")]
        before = others[-1] if others and self._linked(turn.said, others[-1], span, named) else None
        cue = before.entry.kind if before else None
        if slot != NAME and self._asks_about(turn, slot, before):
            return stating("confirm", slot, value)
        if turn.said[span.start : span.end] in _VOCATIVE and self._calls(index, turn):
            return None  # good evening, dear
        hours = any(one.entry.kind == "ask" and one.entry.slot == HOURS for one in turn.spans)
        if slot == DAY and (tells_closed(turn.text) or (hours and asks_until(turn.text))):
            return None  # closed on Mondays, typical
        if slot == DAY and any(one.entry.kind == "howareyou" for one in turn.spans):
            return None  # how are you today?
        if self._only_hinted(turn, span) or (slot == DAY and turn.asked != DAY and _now(turn, span)):
            return None
        earlier = " ".join(turn.said[: span.start])
        far = slot == AREA and _FROM.search(earlier) and is_question(turn.text, self._language)
        priced = slot == PRICE and any(
            one.entry.slot == "price" and turn.said[one.start] in _HOW_MUCH for one in turn.spans
        )
        if priced and is_question(turn.text, self._language):
            return None  # how much is a medium one?
        spoken = slot == FOOD and turn.said[max(0, span.start - 1) : span.start] == ["in"]
        if far or spoken or (slot != NAME and _UNKNOWN.search(earlier)):
            return None  # is it far from the north? I don't know if that's the north; a menu in Italian
        if self._no_matter(index, turn):
            return stating("inform", slot, DONTCARE)
        behind = " ".join(turn.said[span.end : span.end + REACH])
        thrown = self._thrown(index, turn) or _THROWN.match(behind) is not None
        near = slot == AREA and _NOT_NEAR.search(earlier)
        denied = cue == "not" or thrown or near or self._compared(index, turn, slot, before)
        if denied and slot == TYPE and self._hints(turn, span):
            return None  # not open for lunch?
        return stating("inform", slot, value, "!=" if denied else "=")

    def _thrown(self, index: int, turn: Turn) -> bool:
        """Whether a `no` behind a value throws it out: il sushi no."""
        span, after = turn.spans[index], turn.spans[index + 1 : index + 2]
        return (
            self._language == "it"
            and bool(after)
            and span.entry.kind == "value"
            and (
                after[0].start == span.end and turn.said[span.end] == "no" and after[0].entry.kind == "negate"
            )
        )

    @staticmethod
    def _calls(index: int, turn: Turn) -> bool:
        """Whether a word behind a courtesy, or `my`, calls who is spoken to."""
        span = turn.spans[index]
        near = [one for one in turn.spans[:index] if one.end == span.start]
        mine = bool({*turn.said[max(0, span.start - 1) : span.start]} & {*_BEFORE_NAMES})
        return mine or any(one.entry.kind in (*COURTESIES, "affirm", "negate", "ciao", "bye") for one in near)

    def _only_hinted(self, turn: Turn, span: Span) -> bool:
        """Whether a kind of place is only hinted at, beside its name or where day and time are asked."""
        if span.entry.slot != TYPE or not self._hints(turn, span):
            return False
        said_before = turn.said[max(0, span.start - _BEHIND) : span.start]
        if turn.asked not in (None, TYPE) and ("?" in turn.text or _BESIDES & {*said_before}):
            return True  # in the centre; and will they have hot chocolate? A pub where one can eat
        named = [one for one in turn.spans if one.entry.slot == TYPE and one.entry.kind == "value"]
        denied = {one.end for one in turn.spans if one.entry.kind == "not"}
        named = [one for one in named if one.start not in denied]
        named = [one for one in named if not _NO & {*turn.said[max(0, one.start - FEW) : one.start]}]
        return turn.asked in (DAY, TIME) or any(not self._hints(turn, one) for one in named)

    def _hints(self, turn: Turn, span: Span) -> bool:
        return tuple(turn.said[span.start : span.end]) not in self._kinds

    @staticmethod
    def _no_matter(index: int, turn: Turn) -> bool:
        """Whether a value is one that does not matter: `I don't mind if it's expensive`."""
        before = turn.spans[:index]
        return (
            bool(before)
            and before[-1].entry.kind == "dontcare"
            and (
                _IF_IT_IS.fullmatch(" ".join(turn.said[before[-1].end : turn.spans[index].start])) is not None
            )
        )

    @staticmethod
    def _compared(index: int, turn: Turn, slot: str, before: Span | None) -> bool:
        """Whether a value is what another is rather wanted than: `meglio italiano che indiano`."""
        if before is None or turn.said[before.start : before.end] != ["che"]:
            return False
        earlier = {(span.entry.kind, span.entry.slot) for span in turn.spans[:index]}
        return ("value", slot) in earlier and ("wanting", None) in earlier

    def _asks_when(self, text: str) -> bool:
        """Whether a question names a day or a time to ask whether it is open then."""
        return (is_question(text, self._language) or asks_open(text)) and not wishes(text)

    def _asks_about(self, turn: Turn, slot: str, before: Span | None) -> bool:
        """Whether a value is asked about: behind `is it`, or alone with a question mark."""
        if slot == DAY and turn.venue is not None and self._asks_when(turn.text):
            return True
        cue = before.entry.kind if before is not None else None
        if turn.venue is None:
            return cue == "being" and slot != TYPE and turn.text.rstrip().endswith("?")
        if cue in ASKING:
            return True
        if turn.venue.value(slot) is None and slot in self._constraints:
            return False  # of a pub nobody asks: Chinese?
        if not turn.text.rstrip().endswith("?"):
            return False
        if _OF_IT.search(turn.text) and not wishes(turn.text) and slot not in (DAY, TIME):
            return True  # what is it, English? You said Chinese?
        covered = {at for span in turn.spans for at in range(span.start, span.end)}
        bare = all(at in covered or word in self._small for at, word in enumerate(turn.said))
        kinds = {span.entry.kind for span in turn.spans} - {"ciao", "praise", "slot"}
        named = {span.entry.slot for span in turn.spans if span.entry.kind == "value"}
        asked = {span.entry.slot for span in turn.spans if span.entry.kind == "ask"}
        kinds -= {"ask"} if asked <= named else set()  # `zona centro` names the slot of its value
        return kinds == {"value"} and bare


def _now(turn: Turn, span: Span) -> bool:
    """Whether a word for the day only hurries: now give me the name; not: open now, a pub now."""
    if turn.said[span.start : span.end] not in (["now"], ["adesso"], ["ora"]):
        return False
    opens = turn.said[max(0, span.start - 1) : span.start]
    wished = any(one.entry.kind == "value" and one.entry.slot != DAY for one in turn.spans)
    return opens not in (["open"], ["aperto"], ["aperta"]) and not (wished and span.end == len(turn.said))
