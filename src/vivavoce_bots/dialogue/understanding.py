"""From words to dialogue acts: the longest known phrase at each place, then what stands around it."""

import re
from collections.abc import Sequence

from vivavoce_bots.acts import DONTCARE, Act, stating
from vivavoce_bots.dialogue.clauses import (
    asks_openly,
    clauses_of,
    present,
    question_apart,
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
from vivavoce_bots.dialogue.opening import DAY, HOURS, TIME, asks_until, half_a_day
from vivavoce_bots.dialogue.speech import is_question, without_tag
from vivavoce_bots.dialogue.spotting import LONGEST_TEXT, Entry, Span, breaks
from vivavoce_bots.dialogue.values import AREA, ASKING, DISHES, FEW, OTHER, REACH, Turn, Values

_NEAR = 3
_WITH = frozenset(("with", "con", "col", "coi"))
_HAVING = _WITH | {"need", "needs", "want", "must", "has", "have", "serve", "servono", "abbia", "vorrei"}
"""Words before what a place shall have."""
_NEEDED = (DISHES, "diets", "access")
_COMPANY = ("children", "pets", "website")
_MOST_SPANS = 100  # phrases of one turn; nobody says more of any meaning
_WANTED = ("wanting", "questioning")
_SILENT = ("service", "slot", "not", "asking", "being", "questioning", "options", "wanting")
_UNSURE = ("service", "help")
_ANYWHERE = ("anywhere", "wherever", "ovunque", "dovunque")
_NO_PLACE = (DAY, TIME, "food", "pricerange")
_IDLE = ("insult", "hello", "dear", "chat", "praise", "affirm", "negate")
_ENDING = ("bye", "done", "help", "repeat", "undo", "restart")
_AGREEING = (["yes"], ["yeah"], ["ok"], ["no"], ["si"], ["certo"])
_OF_PLACE = re.compile(r"(?:\W*(?:no|so|and|wait|oh|but)\b)*\W*is (?:that|it|this)\b", re.I)
_NOT_THAT = ("not the", "isn't the", "not a", "non è il", "non è la", "non è un")
_POINTS = re.compile(
    r"\W*(?:(?:but|ma) )?(?:(?:that|this|it)(?:'s| is| was)|quest[oa] è|quell[oa] è)\b", re.I
)
"""How a sentence begins that tells what was offered, and wants nothing."""
_OF_THIS = re.compile(
    r"\b(?:(?:is|does|do|are) (?:it|they|that|this)|it's|there|(?:che|quale) \w+ (?:è|fa|fanno))\b", re.I
)
"""Words of a question about the place on offer, not about what there is to choose from."""
_WHERE_TO = re.compile(
    r"(?:to|we could|i could) (?:take|go|eat|bring|sit|meet)\b|\w+(?:[aei]re|[aei]r(?:l[aoie]|ci))\b"
)
_BEST = re.compile(
    r"\b(?:would (?:be|suit) (?:best|better|good|great|ideal|perfect|lovely|us|me)|ideally|preferably|best\b|"
    r"please|let's|i'd (?:like|prefer)|i'll take|sarebbe (?:meglio|bene|perfetto|l'ideale)|"
    r"andrebbe (?:bene|meglio)|"
    r"preferi\w+|meglio|facciamo|possibilmente|l'ideale)",
    re.I,
)
"""Words of a clause that says what is wanted."""
_ABOUT_PRICE = {"price": "pricerange"}  # indifferent to what one pays is indifferent to how dear a place is


_NICKNAMED = re.compile(
    r"\W*$|\W+(?:is|isn't|was|will|would|sounds?|please|then|one|place|and|or|has|have|for|it|too|instead|again|"
    r"è|va|sembra|per|o|e|ha|invece|allora|sarà|mi|dove|where|what|when|how|its?)\b|[,.;:!?'’]",
    re.I,
)
"""What stands behind the first word of a name that is used for all of it: the Anchor is fine, no red door."""


class Understanding(Values):
    """Acts in a text of one language: what was said of the goal and of the venue on offer, and all else."""

    def _taken(self, spans: list[Span], said: list[str]) -> list[Span]:
        """The spans that count: of the red door, no Red Tulip."""
        return [
            span
            for span in spans
            if span.entry.slot != NAME
            or span.end - span.start != FEW
            or " ".join(said[span.start : span.end]) not in self._nicknames
            or _NICKNAMED.match(" " + " ".join(said[span.end : span.end + 1]))
        ]

    def acts(
        self, text: str, asked: str | None = None, *, confirming: bool = False, venue: Venue | None = None
    ) -> tuple[Act, ...]:
        """The acts of an utterance in the order of their words; () when nothing was understood.

        asked       the slot that the system has just spoken of: indifference is about that
        confirming  it asked whether it had heard rightly: yes and no are about that, not the slot
        venue       the venue on offer: questions are about that
        """
        text = present(text, self._language)
        sentences = [part for one in sentences_of(text) for part in question_apart(one, self._language)]
        if len(sentences) < 2:
            return self._sentence(text, asked, confirming=confirming, venue=venue)
        each = [self._sentence(sentence, asked, confirming=confirming, venue=venue) for sentence in sentences]
        acts = self._together(sentences, each)
        whole = self._clock.find(text[:LONGEST_TEXT], asked=asked == TIME) if self._clock else None
        if self._clock and {act.slot for act in acts} & {DAY, TIME} == {DAY}:  # a pub. Today. At eight, or 8.
            bare = next((sentence for sentence in sentences if sentence.strip(" .!").isdigit()), "")
            at = self._clock.find(bare, asked=True)
            acts = (*acts, stating("inform", TIME, at)) if at else acts
        if self._clock and {act.slot for act in acts} & {DAY, TIME} == {DAY}:  # on Thursday. Lunchtime
            wants = any(_wants(act) and act.slot == DAY for act in acts)
            at = self._clock.find(text, asked=False, dated=True) if wants else None
            acts = (*acts, stating("inform", TIME, at)) if at else acts
        acts = self._without_hint(text, acts)
        return tuple(
            act._replace(value=whole) if whole and act.slot == TIME and half_a_day(act.value, whole) else act
            for act in acts
        )

    def _together(self, sentences: Sequence[str], each: Sequence[tuple[Act, ...]]) -> tuple[Act, ...]:
        """The acts of several sentences: of two values of a slot the later, none that is only asked about."""
        asks = [is_question(sentence, self._language) and not wishes(sentence) for sentence in sentences]
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
            if at and acts[:1] == (Act("negate"),) and {one.act for one in each[at - 1]} == {"confirm"}:
                kept = [one._replace(act="inform", op="!=") if one in each[at - 1] else one for one in kept]
            for act in acts:
                if act.slot == OTHER and told and len(self._tokens(sentences[at])) <= REACH:
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
            idle = all(
                act.act in _IDLE or act.slot == OTHER or (_wants(act) and act.slot in wants) for act in acts
            )
            known = any(act.act == "whoareyou" for act in acts)
            agrees = self._tokens(sentence)[:1] in _AGREEING or (any(map(_wants, acts)) and wishes(sentence))
            if so and idle and not known and not agrees and len(self._tokens(sentence)) > FEW:
                return quoted(sentence)
        return ""

    def _sentence(
        self, text: str, asked: str | None, *, confirming: bool, venue: Venue | None
    ) -> tuple[Act, ...]:
        """The acts of one sentence."""
        text = without_tag(text[:LONGEST_TEXT], self._language)
        text = without_far_from(text) if is_question(text, self._language) else text
        tokens = self._tokens(text)
        whole = self._wholes.kind(tokens)
        if whole is not None:
            return self._as_whole(whole, asked)
        spans = self._taken(self._spotter.find(text, tokens), tokens)[:_MOST_SPANS]
        turn = Turn(text, tokens, spans, asked, confirming, venue)
        acts = self._acts(turn)
        if Act("dear") in acts:  # is it dear? wants an answer, no comfort
            plain = self._taken(self._spotter.find(text, tokens, without="dear"), tokens)[:_MOST_SPANS]
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
            and any(
                span.entry.kind == "options" and (tokens[span.start] != "che" or not span.start)
                for span in turn.spans
            )
            and (is_question(text, self._language) or len(tokens) <= REACH)
        ):
            return (Act("help", asked),)  # what choices are there?
        unknown = any(span.entry.kind in (*ASKING, "questioning") for span in turn.spans)
        unknown = unknown or len(tokens) > FEW
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
        found = [one for one in found if not (_wants(one) and self._only_told(one, turn))]
        return list(dict.fromkeys(reversed(found)))[::-1]  # Italian, no, Greek, no, Italian

    def _no_such(self, index: int, turn: Turn) -> bool:
        """Whether a `no` stands before a thing that shall not be there, and answers nothing."""
        span, begins = turn.spans[index], breaks(turn.text)
        behind = span.end
        if turn.said[span.start : span.end] != ["no"] or behind >= len(turn.said) or behind in begins:
            return False
        ends = behind + 1 == len(turn.said) or behind + 1 in begins
        known = any(one.start <= behind < one.end for one in turn.spans) or turn.said[behind] in self._small
        fillers = {word for phrase in self._speech.fillers for word in self._tokens(phrase)}
        return ends and not known and turn.said[behind] not in fillers and span.start > 0

    def _only_told(self, act: Act, turn: Turn) -> bool:
        """Whether a value is told of, where another clause wishes: Thursday is best, Jean works on Friday."""
        clauses = clauses_of(turn.text)
        if len(clauses) < FEW or not _BEST.search(turn.text):
            return False
        has = [
            any(act.slot == one.slot and act.value == one.value for one in self._values_in(clause))
            for clause in clauses
        ]
        others = [
            any(act.slot == one.slot and act.value != one.value for one in self._values_in(clause))
            for clause in clauses
        ]
        best = [_BEST.search(clause) is not None for clause in clauses]
        wished = any(one and of for one, of in zip(best, others, strict=True))
        return wished and not any(one and of for one, of in zip(best, has, strict=True))

    def _values_in(self, clause: str) -> list[Entry]:
        spans = self._spotter.find(clause, self._tokens(clause))
        return [span.entry for span in spans if span.entry.kind == "value"]

    def _as_whole(self, kind: str, asked: str | None) -> tuple[Act, ...]:
        if kind != "dontcare":
            return (Act(kind),)
        return (stating("inform", asked, DONTCARE),) if asked in self._constraints else (Act("negate"),)

    def _act(self, index: int, turn: Turn) -> Act | None:
        kind, slot, value = turn.spans[index].entry
        if kind == "chat" and "?" in turn.text:
            return None
        if kind == "negate" and self._no_such(index, turn):
            return None  # flat, no hills
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
            kinds = any(span.entry.slot == TYPE and span.entry.kind == "value" for span in turn.spans)
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

    def _of_slot(self, index: int, turn: Turn, slot: str) -> Act | None:
        if slot in self._domain.slots and self._belongs_to_value(index, turn.spans):
            return None
        if turn.venue is None and any(span.entry.kind == "service" for span in turn.spans):
            return None  # is this the number for restaurants?
        dated = any(span.entry.kind == "value" and span.entry.slot == DAY for span in turn.spans)
        if slot == HOURS and dated and not asks_until(turn.text):
            return None  # open on Sunday
        if slot in self._food and turn.asked == TYPE and "?" not in turn.text:
            return stating("inform", TYPE, self._food[slot])  # food, what else
        if slot in self._speech.attributes and slot not in self._domain.slots and self._beside(index, turn):
            return None
        word = turn.said[turn.spans[index].start]
        if word in ("where", "dove") and turn.venue is None and not is_question(turn.text, self._language):
            return None  # a place where one eats well
        if word in ("where", "dove") and _WHERE_TO.match(" ".join(turn.said[turn.spans[index].end :])):
            return None  # I don't know where to take them
        before = turn.spans[index - 1].entry.kind if index else None
        if " ".join(turn.said[: turn.spans[index].start]).endswith(_NOT_THAT):
            return None  # ah, this is not the phone
        if before == "not" and turn.spans[index].start - turn.spans[index - 1].end <= FEW:
            return None  # I did not ask about the garden
        if before == "reqalts" and turn.venue is not None and slot in self._constraints:
            return None
        held = turn.venue.value(slot) if turn.venue is not None and _OF_THIS.search(turn.text) else None
        if slot in self._constraints and self._wants_options(turn) and held is None:
            return Act("help", slot)
        return Act("request", slot)

    def _beside(self, index: int, turn: Turn) -> bool:
        """Whether a word for an attribute only stands beside what is wanted: `the children adore Chinese`."""
        span, before = turn.spans[index], turn.spans[index - 1] if index else None
        if span.entry.slot in _NEEDED or len(turn.said) <= REACH:
            return False  # a restaurant with fish
        linked = before is not None and self._linked(turn.said, before, span, ())
        wanted = linked and before is not None and before.entry.kind in (*ASKING, *_WANTED)
        wished = _HAVING & {*turn.said[max(0, span.start - _NEAR) : span.start]}
        company = span.entry.slot in _COMPANY and not wished - _WITH  # my sister with her kids
        return not (wanted or is_question(turn.text, self._language)) and (company or not wished)

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


def _wants(act: Act) -> bool:
    """Whether an act says what is wanted."""
    return act.act == "inform" and act.op == "="
