"""From words to dialogue acts: the longest known phrase at each place, then what stands around it."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from vivavoce_bots.acts import DONTCARE, Act, stating
from vivavoce_bots.dialogue.clauses import (
    asks_openly,
    present,
    quoted,
    recalls,
    sentences_of,
    wishes,
    withdraws,
    without_far_from,
)
from vivavoce_bots.dialogue.domain import NAME, TYPE, Venue
from vivavoce_bots.dialogue.hearing import is_threat, names_something
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.opening import DAY, HOURS, TIME, asks_open, asks_until, half_a_day, tells_closed
from vivavoce_bots.dialogue.phrasebook import Phrasebook
from vivavoce_bots.dialogue.speech import COURTESIES, is_question, without_tag
from vivavoce_bots.dialogue.spotting import LONGEST_TEXT, Span

_NEAR = 3
_MOST_SPANS = 100  # phrases of one turn; nobody says more of any meaning
_WANTED = ("wanting", "questioning")
_ASKING = ("asking", "being", "service")
_SILENT = ("service", "slot", "not", "asking", "being", "questioning", "options", "wanting")
_UNSURE = ("service", "help")
_ANYWHERE = ("anywhere", "wherever", "ovunque", "dovunque")
_NO_PLACE = (DAY, TIME, "food", "pricerange")
_IDLE = ("insult", "hello", "dear", "chat", "praise", "affirm", "negate")
_ENDING = ("bye", "done", "help", "repeat", "undo", "restart")
_REACH = 4
_AGREEING = (["yes"], ["yeah"], ["ok"], ["no"], ["si"], ["certo"])
_BEHIND = 6
_BESIDES = frozenset(("where", "that", "while", "after", "before", "dove", "che", "dopo", "prima", "mentre"))
_OF_PLACE = re.compile(r"(?:\W*(?:no|so|and|wait|oh|but)\b)*\W*is (?:that|it|this)\b", re.I)
_NOT_NEAR = re.compile(r"\b(?:not|non) (?:\w+ ){0,2}(?:near|round|close|vicin\w+)(?: \S+){0,12}$")
_NOT_THAT = ("not the", "isn't the", "not a", "non è il", "non è la", "non è un")
_NO = frozenset(("no", "not", "non"))
_FEW = 2  # words of what is no question of its own: and then?
_THROWN = re.compile(
    r"(?:is|are|would be) (?:no good|not (?:for|what|good))\b|"
    r"non (?:l[oae]|ci|gli|mi|piac|vogl|vuol|mang)\w*(?: (?:vogli|vuol|piac|mang|sopport|va)\w*)?"
)
"""What stands behind a value that is not wanted: `il sushi non lo vogliono`."""
_IF_IT_IS = re.compile(
    r"(?:even )?(?:if|that) (?:it|that|they)\W*(?:is|s|are|re)?(?: \w+)?|(?:anche )?se (?:è|costa|sono)"
)
_POINTS = re.compile(
    r"\W*(?:(?:but|ma) )?(?:(?:that|this|it)(?:'s| is| was)|quest[oa] è|quell[oa] è)\b", re.I
)
"""How a sentence begins that tells what was offered, and wants nothing."""
_ABOUT_PRICE = {"price": "pricerange"}  # indifferent to what one pays is indifferent to how dear a place is


class Turn(NamedTuple):
    """An utterance in its context."""

    text: str
    said: list[str]
    spans: Sequence[Span]
    asked: str | None
    confirming: bool
    venue: Venue | None


OTHER, DISHES, AREA = "other", "dishes", "area"
_VOCATIVE = (["caro"], ["cara"], ["cari"])
_BEFORE_NAMES = (
    ["mio"],
    ["mia"],
    ["senta"],
    ["senti"],
    ["guardi"],
    ["scusi"],
    ["ma"],
    ["oh"],
    ["eh"],
    ["no"],
)
_NICKNAMED = re.compile(
    r"\W*$|\W+(?:is|isn't|was|will|would|sounds?|please|then|one|place|and|or|has|have|for|it|too|instead|again|"
    r"è|va|sembra|per|o|e|ha|invece|allora|sarà|mi|dove|where|what|when|how|its?)\b|[,.;:!?'’]",
    re.I,
)
"""What stands behind the first word of a name that is used for all of it: the Anchor is fine, no red door."""


class Understanding(Phrasebook):
    """Acts in a text of one language: what was said of the goal and of the venue on offer, and all else."""

    def _taken(self, spans: list[Span], said: list[str]) -> list[Span]:
        """The spans that count: of the red door, no Red Tulip."""
        return [
            span for span in spans
            if span.entry.slot != NAME or span.end - span.start != _FEW
            or " ".join(said[span.start : span.end]) not in self._nicknames
            or _NICKNAMED.match(" " + " ".join(said[span.end : span.end + 1]))
        ]  # fmt: skip

    def _linked(self, said: list[str], before: Span, span: Span, named: Sequence[Span]) -> bool:
        """Whether nothing but small words, and names of slots, stands between a cue and a value."""
        covered = {at for one in named for at in range(one.start, one.end)}
        return all(said[at] in self._small or at in covered for at in range(before.end, span.start))

    def acts(
        self, text: str, asked: str | None = None, *, confirming: bool = False, venue: Venue | None = None
    ) -> tuple[Act, ...]:
        """The acts of an utterance in the order of their words; () when nothing was understood.

        asked       the slot that the system has just spoken of: indifference is about that
        confirming  it asked whether it had heard rightly: yes and no are about that, not the slot
        venue       the venue on offer: questions are about that
        """
        text = present(text, self._language)
        sentences = sentences_of(text)
        if len(sentences) < 2:
            return self._sentence(text, asked, confirming=confirming, venue=venue)
        each = [self._sentence(one, asked, confirming=confirming, venue=venue) for one in sentences]
        acts = self._together(sentences, each)
        whole = self._clock.find(text[:LONGEST_TEXT], asked=asked == TIME) if self._clock else None
        if self._clock and {act.slot for act in acts} & {DAY, TIME} == {DAY}:  # a pub. Today. At eight, or 8.
            bare = next((one for one in sentences if one.strip(" .!").isdigit()), "")
            at = self._clock.find(bare, asked=True)
            acts = (*acts, stating("inform", TIME, at)) if at else acts
        acts = self._without_hint(text, acts)
        return tuple(
            one._replace(value=whole) if whole and one.slot == TIME and half_a_day(one.value, whole) else one
            for one in acts
        )

    def _together(self, sentences: Sequence[str], each: Sequence[tuple[Act, ...]]) -> tuple[Act, ...]:
        """The acts of several sentences: of two values of a slot the later, none that is only asked about."""
        asks = [is_question(one, self._language) and not wishes(one) for one in sentences]
        asks = [  # how should I know, the centre
            so and (one.endswith("?") or Act("dontknow") not in acts)
            for one, acts, so in zip(sentences, each, asks, strict=True)
        ]
        wants = {
            act.slot for acts, so in zip(each, asks, strict=True) if not so for act in acts if _wants(act)
        }
        led = any(act.act in _UNSURE for acts, so in zip(each, asks, strict=True) if so for act in acts)
        told = any(act.act in ("request", "confirm") and act.slot != OTHER for acts in each for act in acts)
        kept: list[Act] = []
        for at, (acts, so) in enumerate(zip(each, asks, strict=True)):
            if at and withdraws(sentences[at]):  # Italian? Or no, she had that
                kept = [one._replace(op="!=") if one in each[at - 1] and _wants(one) else one for one in kept]
            for act in acts:
                if act.slot == OTHER and told and len(self._tokens(sentences[at])) <= _REACH:
                    continue  # and where is it? won't you say?
                if _wants(act) and so and (act.slot in wants or led):
                    continue
                if _wants(act) and recalls(sentences[at], self._language):
                    continue  # did I say Saturday?
                if act.act in _ENDING and at + 1 < len(each) and any(each[at + 1 :]):
                    continue  # stop! a pub, I said
                known = [one for one in kept if _wants(one) and one.slot == act.slot and _wants(act)]
                if known and (act.value == DONTCARE or _POINTS.match(sentences[at])):
                    continue  # South, then; whatever. The centre, I said; that is the north
                if _wants(act):
                    kept = [one for one in kept if not _wants(one) or one.slot != act.slot]
                kept.append(act)
        return tuple(dict.fromkeys(kept))

    def passed_over(self, text: str, venue: Venue | None = None) -> str:
        """A question in a turn that is understood as nothing, as it was said; `` where there is none."""
        sentences = sentences_of(text)
        each = [self._sentence(one, None, confirming=False, venue=venue) for one in sentences]
        asks = [asks_openly(one, self._language) for one in sentences]
        wants = {
            act.slot for acts, so in zip(each, asks, strict=True) if not so for act in acts if _wants(act)
        }
        for sentence, acts, so in reversed(list(zip(sentences, each, asks, strict=True))):
            idle = all(act.act in _IDLE or (_wants(act) and act.slot in wants) for act in acts)
            known = any(act.act == "whoareyou" for act in acts)
            agrees = self._tokens(sentence)[:1] in _AGREEING or (any(map(_wants, acts)) and wishes(sentence))
            if so and idle and not known and not agrees and len(self._tokens(sentence)) > _FEW:
                return quoted(sentence)
        return ""

    def _sentence(
        self, text: str, asked: str | None, *, confirming: bool, venue: Venue | None
    ) -> tuple[Act, ...]:
        """The acts of one sentence."""
        text = without_tag(text[:LONGEST_TEXT], self._language)
        text = without_far_from(text) if is_question(text, self._language) else text
        said = self._tokens(text)
        whole = self._wholes.kind(said)
        if whole is not None:
            return self._as_whole(whole, asked)
        spans = self._taken(self._spotter.find(text, said), said)[:_MOST_SPANS]
        turn = Turn(text, said, spans, asked, confirming, venue)
        acts = self._acts(turn)
        if Act("dear") in acts:  # is it dear? wants an answer, no comfort
            plain = self._taken(self._spotter.find(text, said, without="dear"), said)[:_MOST_SPANS]
            asking = self._acts(turn._replace(spans=plain))
            acts = asking if any(act.act == "confirm" for act in asking) else acts
        if self._clock is not None:
            bare = confirming and in_digits(text, self._language).strip(" .!").isdigit()
            expected = bare or (asked == TIME and all(act.slot == TYPE for act in acts))
            dated = any(act.slot == DAY for act in acts)
            dated = dated or (venue is not None and re.search(r"\b(?:open|apert)", text, re.I) is not None)
            time = self._clock.find(text[:LONGEST_TEXT], asked=expected, dated=dated)
            said_of = "confirm" if venue is not None and self._asks_when(text) else "inform"
            acts = ([] if expected and time else acts) + ([stating(said_of, TIME, time)] if time else [])
        service = any(span.entry.kind == "service" for span in turn.spans)
        service = service and (venue is None or _OF_PLACE.match(text) is None)  # is that a dance place?
        if service and all(act.act in ("hello", "affirm", "negate") for act in acts):
            return (Act("service"),)
        if (
            not acts
            and asked in self._constraints
            and any(span.entry.kind == "options" for span in turn.spans)
        ):
            return (Act("help", asked),)  # what choices are there?
        unknown = any(span.entry.kind in (*_ASKING, "questioning") for span in turn.spans)
        unknown = unknown or len(said) > _FEW
        names = all(act.act == "inform" and act.slot == NAME for act in acts)
        if names and unknown and venue and asks_openly(text, self._language) and not wishes(text):
            return (*acts, Act("request", OTHER))  # has the Anchor got darts?
        return tuple(acts)

    def _acts(self, turn: Turn) -> list[Act]:
        found: list[Act] = []
        for index, span in enumerate(turn.spans):
            act = self._act(index, turn)
            found += [act] if act is not None else []
            held = turn.venue.value(act.slot or "") if turn.venue and act is not None else None
            if span.entry.kind in ("down", "up") and act and act.slot and held and held != act.value:
                found.append(stating("inform", act.slot, held, "<" if span.entry.kind == "down" else ">"))
        return list(dict.fromkeys(reversed(found)))[::-1]  # Italian, no, Greek, no, Italian

    def _as_whole(self, kind: str, asked: str | None) -> tuple[Act, ...]:
        if kind != "dontcare":
            return (Act(kind),)
        return (stating("inform", asked, DONTCARE),) if asked in self._constraints else (Act("negate"),)

    def _act(self, index: int, turn: Turn) -> Act | None:
        kind, slot, value = turn.spans[index].entry
        if kind == "chat" and "?" in turn.text:
            return None
        if kind == "negate" and index and self._thrown(index - 1, turn):
            return None
        if kind == "bye" and names_something(turn.text, turn.said, turn.spans[index]):
            return None
        if kind == "bye" and is_threat(turn.text, turn.said, turn.spans[index]):
            return Act("insult")
        if kind == "complaint" and is_question(turn.text, self._language):
            return None
        if (
            kind == "done"
            and turn.venue is None
            and turn.spans[index].end - turn.spans[index].start + 2 < len(turn.said)
        ):
            return None  # a name, and that is all
        if kind == "wrong":
            return Act("negate" if turn.confirming else "undo")
        if kind == "value" and any(span.entry.kind == "service" for span in turn.spans) and not turn.venue:
            return None
        if kind == "value" and slot and value:
            return self._of_value(index, turn, slot, value)
        if kind in ("dontcare", "suggest") and self._slot_beside(index, turn.spans):
            return stating("inform", self._slot_beside(index, turn.spans) or "", DONTCARE)
        if kind == "dontcare":
            kinds = any(one.entry.slot == TYPE and one.entry.kind == "value" for one in turn.spans)
            kinds = kinds and AREA in self._constraints and turn.asked in (TYPE, AREA, None)
            if kinds and turn.said[turn.spans[index].start] in _ANYWHERE:
                return stating("inform", AREA, DONTCARE)  # is there no coffee shop anywhere?
            if turn.asked in _NO_PLACE and turn.said[turn.spans[index].start] in _ANYWHERE:
                return None
            if turn.asked in self._constraints:
                return stating("inform", turn.asked, DONTCARE)
            return Act("affirm") if turn.venue is not None and len(turn.spans) == 1 else None
        vague = turn.said[turn.spans[index].start] in ("somewhere", "qualche")
        if kind == "suggest" and vague and turn.venue is None and turn.asked in (None, TYPE):
            return None  # somewhere nice for my mother: of which kind?
        if kind == "up" and turn.venue is None:
            return None  # a pub would be nicer
        if kind in ("down", "up") and slot:
            return self._next_value(slot, turn.venue, -1 if kind == "down" else 1)
        if kind == "ask" and slot:
            return self._of_slot(index, turn, slot)
        beside = self._of_slot_beside(index, turn.spans) if kind == "reqalts" else None
        if beside and turn.venue is None:
            return stating("inform", beside, DONTCARE)  # another area, then
        if kind == "reqalts" and turn.venue is not None:
            held = turn.venue.value(beside) if beside else None
            return stating("inform", beside, held, "!=") if beside and held else Act(kind)
        if kind == "ciao":
            leaves = (
                turn.venue is not None
                or index > 0
                or any(span.entry.kind == "thankyou" for span in turn.spans)
            )
            return Act("bye" if leaves else "hello")
        if kind in _SILENT and not (kind == "slot" and self._wants_options(turn)):
            return None
        if kind in ("affirm", "negate") and turn.asked in self._yes_or_no and not turn.confirming:
            return stating("inform", turn.asked, "yes" if kind == "affirm" else DONTCARE)
        return Act("help", slot) if kind == "slot" else Act(kind)

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
        if self._no_matter(index, turn):
            return stating("inform", slot, DONTCARE)
        behind = " ".join(turn.said[span.end : span.end + _REACH])
        thrown = self._thrown(index, turn) or _THROWN.match(behind) is not None
        near = slot == AREA and _NOT_NEAR.search(" ".join(turn.said[: span.start]))
        denied = cue == "not" or thrown or near or self._compared(index, turn, slot, before)
        if denied and slot == TYPE and self._hints(turn, span):
            return None  # not open for lunch?
        return stating("inform", slot, value, "!=" if denied else "=")

    def _thrown(self, index: int, turn: Turn) -> bool:
        """Whether a `no` behind a value throws it out: il sushi no."""
        span, after = turn.spans[index], turn.spans[index + 1 : index + 2]
        return self._language == "it" and bool(after) and span.entry.kind == "value" and (
            after[0].start == span.end and turn.said[span.end] == "no" and after[0].entry.kind == "negate"
        )  # fmt: skip

    @staticmethod
    def _calls(index: int, turn: Turn) -> bool:
        """Whether a word behind a courtesy, or `my`, calls who is spoken to."""
        span = turn.spans[index]
        near = [one for one in turn.spans[:index] if one.end == span.start]
        mine = turn.said[max(0, span.start - 1) : span.start] in _BEFORE_NAMES
        return mine or any(one.entry.kind in (*COURTESIES, "affirm", "negate", "ciao", "bye") for one in near)

    def _only_hinted(self, turn: Turn, span: Span) -> bool:
        """Whether a kind of place is only hinted at, beside its name or where day and time are asked."""
        if span.entry.slot != TYPE or not self._hints(turn, span):
            return False
        said_before = turn.said[max(0, span.start - _BEHIND) : span.start]
        if turn.asked not in (None, TYPE) and ("?" in turn.text or _BESIDES & {*said_before}):
            return True  # in the centre; and will they have hot chocolate? A pub where one can eat
        named = [one for one in turn.spans if one.entry.slot == TYPE and one.entry.kind == "value"]
        named = [one for one in named if not _NO & {*turn.said[max(0, one.start - _FEW) : one.start]}]
        return turn.asked in (DAY, TIME) or any(not self._hints(turn, one) for one in named)

    def _hints(self, turn: Turn, span: Span) -> bool:
        return tuple(turn.said[span.start : span.end]) not in self._kinds

    @staticmethod
    def _no_matter(index: int, turn: Turn) -> bool:
        """Whether a value is one that does not matter: `I don't mind if it's expensive`."""
        before = turn.spans[:index]
        return bool(before) and before[-1].entry.kind == "dontcare" and (
            _IF_IT_IS.fullmatch(" ".join(turn.said[before[-1].end : turn.spans[index].start])) is not None
        )  # fmt: skip

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
        if cue in _ASKING:
            return True
        if turn.venue.value(slot) is None and slot in self._constraints:
            return False  # of a pub nobody asks: Chinese?
        if not turn.text.rstrip().endswith("?"):
            return False
        covered = {at for span in turn.spans for at in range(span.start, span.end)}
        bare = all(at in covered or word in self._small for at, word in enumerate(turn.said))
        kinds = {span.entry.kind for span in turn.spans} - {"ciao", "praise", "slot"}
        named = {span.entry.slot for span in turn.spans if span.entry.kind == "value"}
        asked = {span.entry.slot for span in turn.spans if span.entry.kind == "ask"}
        kinds -= {"ask"} if asked <= named else set()  # `zona centro` names the slot of its value
        return kinds == {"value"} and bare

    def _of_slot(self, index: int, turn: Turn, slot: str) -> Act | None:
        if slot in self._domain.slots and self._belongs_to_value(index, turn.spans):
            return None
        if turn.venue is None and any(span.entry.kind == "service" for span in turn.spans):
            return None  # is this the number for restaurants?
        dated = any(one.entry.kind == "value" and one.entry.slot == DAY for one in turn.spans)
        if slot == HOURS and dated and not asks_until(turn.text):
            return None  # open on Sunday
        if slot in self._food and turn.asked == TYPE and "?" not in turn.text:
            return stating("inform", TYPE, self._food[slot])  # food, what else
        if slot in self._speech.attributes and slot not in self._domain.slots and self._beside(index, turn):
            return None
        word = turn.said[turn.spans[index].start]
        if word in ("where", "dove") and turn.venue is None and not is_question(turn.text, self._language):
            return None  # a place where one eats well
        before = turn.spans[index - 1].entry.kind if index else None
        if " ".join(turn.said[: turn.spans[index].start]).endswith(_NOT_THAT):
            return None  # ah, this is not the phone
        if before == "not" and turn.spans[index].start - turn.spans[index - 1].end <= _FEW:
            return None  # I did not ask about the garden
        if before == "reqalts" and turn.venue is not None and slot in self._constraints:
            return None
        if slot in self._constraints and self._wants_options(turn):
            return Act("help", slot)
        return Act("request", slot)

    def _beside(self, index: int, turn: Turn) -> bool:
        """Whether a word for an attribute only stands beside what is wanted: `the children adore Chinese`."""
        before = turn.spans[index - 1] if index else None
        linked = before is not None and self._linked(turn.said, before, turn.spans[index], ())
        wanted = linked and before is not None and before.entry.kind in (*_ASKING, *_WANTED)
        values = any(one.entry.kind == "value" for one in turn.spans)
        if turn.spans[index].entry.slot == DISHES:
            return False  # a restaurant with fish
        return values and not wanted and "?" not in turn.text

    def _wants_options(self, turn: Turn) -> bool:
        return any(span.entry.kind == "options" for span in turn.spans) and not any(
            span.entry.kind == "value" for span in turn.spans
        )

    def _next_value(self, slot: str, venue: Venue | None, step: int) -> Act:
        """Cheaper than the venue on offer, as far as there is anything cheaper."""
        values = list(self._domain.slots[slot].values)
        held = venue.value(slot) if venue else None
        if held not in values:
            return stating("inform", slot, values[-1] if step > 0 else values[0])
        return stating("inform", slot, values[min(max(values.index(held) + step, 0), len(values) - 1)])

    def _of_slot_beside(self, index: int, spans: Sequence[Span]) -> str | None:
        """The slot that is named directly behind: `another area`."""
        for span in spans[index + 1 : index + 2]:
            near = span.start - spans[index].end <= 1 and span.entry.kind in ("slot", "ask")
            if near and span.entry.slot in self._constraints:
                return span.entry.slot
        return None

    def _slot_beside(self, index: int, spans: Sequence[Span]) -> str | None:
        """The constraint that an indifference is about: a name or question word close behind or before it."""
        order = [*spans[index + 1 : index + 2], *spans[max(0, index - 1) : index]]
        for span in order:
            slot = _ABOUT_PRICE.get(span.entry.slot or "", span.entry.slot)
            if span.entry.kind in ("slot", "ask") and slot in self._constraints:
                gap = max(span.start - spans[index].end, spans[index].start - span.end)
                if gap <= _NEAR:
                    return slot
        return None

    def _belongs_to_value(self, index: int, spans: Sequence[Span]) -> bool:
        """Whether a question word only names a slot: `cheap price`, `any area`, `area: east`."""
        span = spans[index]
        slot = _ABOUT_PRICE.get(span.entry.slot or "", span.entry.slot)
        for other in [*spans[max(0, index - 1) : index], *spans[index + 1 : index + 2]]:
            gap = max(other.start - span.end, span.start - other.end)
            about_value = other.entry.kind == "value" and other.entry.slot not in (TYPE, NAME)
            left = other.entry.kind in ("dontcare", "suggest") and slot in self._constraints
            if (about_value and gap == 0) or (left and gap <= _NEAR):
                return True
        return any(
            other.entry.kind == "value" and other.entry.slot == span.entry.slot
            for other in spans
            if other != span
        )


def _now(turn: Turn, span: Span) -> bool:
    """Whether a word for the day only hurries: now give me the name; not: open now, a pub now."""
    if turn.said[span.start : span.end] not in (["now"], ["adesso"], ["ora"]):
        return False
    opens = turn.said[max(0, span.start - 1) : span.start]
    wished = any(one.entry.kind == "value" and one.entry.slot != DAY for one in turn.spans)
    return opens not in (["open"], ["aperto"], ["aperta"]) and not (wished and span.end == len(turn.said))


def _wants(act: Act) -> bool:
    """Whether an act says what is wanted."""
    return act.act == "inform" and act.op == "="
