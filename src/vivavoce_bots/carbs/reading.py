"""A turn read as what it does with the meal: what was eaten, how much, what was not, and what is asked."""

import re
from collections.abc import Sequence
from typing import Final

from vivavoce_bots.carbs.foods import (
    ONE,
    Named,
    Quantity,
    alike,
    merged,
    tokens_of,
)
from vivavoce_bots.carbs.questions import BARE, LOOSE, LOOSE_NUMBER, MOST_WORDS, QuestionReader
from vivavoce_bots.carbs.turn import Op, Turn
from vivavoce_bots.dialogue.clauses import asks_openly
from vivavoce_bots.dialogue.gist import requested, rewritten
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.spotting import LONGEST_TEXT, tokens

_SENTENCE: Final = re.compile(r"(?:[^.!?;:\n…]|(?<=\d)\.(?=\d))+[.!?;:\n…]*")
_WORD: Final = re.compile(r"[0-9]+(?:[.,][0-9]+)?|[^\W\d_]+")
_LOOSE_GRAMS: Final = 6  # words beside grams that stand alone
_NEAR: Final = 4  # words around a food that may say how much
_FEW: Final = 6
_MOST_OPS: Final = 20


class Reader(QuestionReader):
    """Reads one turn."""

    def read(self, text: str) -> Turn:
        text = text[:LONGEST_TEXT].replace("’", "'")
        kept = [self._without_scorn(one) for one in _SENTENCE.findall(text)]
        self._short = len(tokens(text)) <= _FEW
        text = rewritten(requested(" ".join(kept), self._language), self._manner.rewrites)
        text = self._forms["keep"].sub(" ", in_digits(text, self._language, ordinals=False))
        text = self._of_a_sort(self._forms["or_so"].sub(r"\1", text))
        for sentence in _SENTENCE.findall(text)[: 2 * _MOST_OPS]:
            self._whole, self._framed = sentence, False
            self._away, self._rather = None, False
            for clause in filter(None, self._forms["clauses"].split(sentence)):
                self._clause(clause.strip())
        self._turn.both = self._forms["both"].search(text) is not None
        self._decide()
        return self._turn

    # --- sentences --------------------------------------------------------------------------------

    def _of_a_sort(self, text: str) -> str:
        """A text in which `it was the diet one` is said of what was noted: not the coke, diet coke."""
        found = self._forms["diet"].search(text)
        for name in sorted(self._held) if found else ():
            sorts = [f"{found['sort']} {name}", f"{name} {found['sort']}"] if found else []
            sort = next((one for one in sorts if self._kind(one) not in (None, self._kind(name))), None)
            if found and sort is not None:
                no = {"en": "not", "it": "non"}[self._language]
                rest = text[found.end() :].lstrip(" ,.")
                return f"{text[: found.start()]} {no} {name}, {sort}. {rest}"
        return text

    def _kind(self, name: str) -> str | None:
        """The food that a name is as a whole."""
        food = self._lexicon.food(name)
        return food.key if food else None

    def _clause(self, clause: str) -> None:
        heard = self._hearing.heard(clause)
        asks = clause.endswith("?")
        turn = self._turn
        named = self._lexicon.named(clause)
        if self._forms["done"].search(clause) and not asks and not named:
            turn.done = True
        wonders = asks_openly(clause, self._language)
        wonders = wonders or self._forms["inverted"].match(clause) is not None
        asking = asks or wonders or heard.did("asks", "total") or self._forms["total"].search(clause)
        head, comma, tail = clause.partition(",")
        if asking and not asks and comma and not heard.did("asks", "total") and "," not in tail[:3]:
            if self._lexicon.named(head):
                self._clause(f"{head}?")
            self._pieces(tail, heard, asks=False)  # what do you think, a whole one
            return
        head, comma, tail = clause.rpartition(",")
        told = asks and comma and len(tokens(tail)) >= BARE
        told = told and not asks_openly(f"{head}.", self._language)
        told = told and self._manner.frames.search(head) and self._lexicon.named(head)
        if told and not self._lexicon.named(tail) and not self._lexicon.measured(tail):
            self._clause(f"{head}.")  # I had two slices, couldn't say no, could I?
            self._clause(tail.strip())
            return
        if asking and self._question(clause, heard, named):
            return
        if heard.did("onlyasked"):
            turn.others = True
        self._pieces(clause, heard, asks=asks)

    # --- pieces --------------------------------------------------------------------------------

    def _pieces(self, clause: str, heard: Heard, *, asks: bool) -> None:
        """Take in the pieces of a clause, between its marks and its `and`."""
        clause = self._forms["weighs"].sub(" ", self._swapped(clause))
        joiner, at = "", 0
        parts: list[tuple[str, str]] = []
        for mark in self._forms["pieces"].finditer(clause):
            parts.append((joiner, clause[at : mark.start()]))
            joiner, at = mark[0].strip().lower(), mark.end()
        parts.append((joiner, clause[at:]))
        alone = sum(bool(_WORD.search(piece)) for _, piece in parts) == 1
        for joiner, piece in parts[:_MOST_OPS]:
            if _WORD.search(piece) or joiner:
                self._piece(joiner, piece, heard, asks=asks, alone=alone)

    def _swapped(self, clause: str) -> str:
        """A clause in which `change the toast to a muffin` is: not the toast, a muffin."""
        found = self._forms["swap"].search(clause)
        if found is None:
            return clause
        old, new = found["old"], found["new"]
        olds, news = self._lexicon.named(old), self._lexicon.named(new)
        if news and any(one.kind == "ate" and one.food == news[0].food for one in self._turn.ops):
            return clause[: found.start()]
        if news and not olds:
            self._turn.ops.append(Op("not"))
        elif news:
            self._turn.ops += [Op("not", one.written, one.food) for one in olds]
        return f"{clause[: found.start()]}, {new if news else f'{old} {new}'}"

    def _piece(self, joiner: str, piece: str, heard: Heard, *, asks: bool, alone: bool) -> None:
        self._take_piece(joiner, piece, heard, asks=asks, alone=alone)
        self._framed = self._framed or self._manner.frames.search(piece) is not None

    def _take_piece(self, joiner: str, piece: str, heard: Heard, *, asks: bool, alone: bool) -> None:
        forms, turn = self._forms, self._turn
        joins_or = re.fullmatch(forms["joins_or"], joiner) is not None
        if forms["today"].search(piece) or (self._away == "others" and forms["mine"].search(piece)):
            self._away = None
        named = self._lexicon.named(piece)
        if (other := forms["others"].search(piece)) and not self._lexicon.mentioned(other[0]):
            self._away = None if forms["mine"].search(piece[: other.start()]) and named else "others"
        if forms["elsewhere"].search(piece):
            if asks and not named:
                return  # or was that yesterday?
            self._away = "future" if forms["future"].search(piece) else "past"
            if not named and not joins_or and forms["it"].search(piece):
                self._take_back(past=True)
                return
        rather = forms["rather"].match(piece)
        if rather and named and named[0].start - rather.end() <= 1 and rather[0].lower().endswith("no"):
            rather = None  # no sugar
        if rather:
            self._rather, piece = (
                self._last() is not None or self._asked or self._rather,
                piece[rather.end() :],
            )
            named = self._lexicon.named(piece)
            joiner = ""
        if forms["back"].search(piece) and not named:
            turn.ops.append(Op("back"))
            return
        if self._away == "others" and self._theirs is not None and forms["given"].search(piece) and not named:
            part = self._lexicon.amount(piece)
            turn.ops.append(
                Op("ate", self._theirs.written, self._theirs.food, ONE if part == Quantity() else part)
            )
            self._away = None
            return
        self._theirs = named[-1] if named and self._away == "others" else self._theirs
        if (
            named
            and self._away == "others"
            and not any(self._denied(piece, named, at) for at in range(len(named)))
        ):
            turn.others = turn.others or not {one.written for one in named} <= self._held
            return
        if named and forms["doubled"].search(piece):
            turn.ops += [Op("once", one.written, one.food) for one in named]
            return
        if named:
            self._foods(joiner, piece, named, asks=asks, joins_or=joins_or)
        elif self._away == "others":
            return
        elif forms["one_out"].search(piece):
            turn.ops += [] if any(one.kind == "once" for one in turn.ops) else [Op("not", quantity=ONE)]
        elif forms["it_not"].search(piece):
            self._take_back()
        elif not self._amount(piece, asks=asks, alone=alone) and not asks:
            self._unknown(piece, heard, alone=alone)

    def _take_back(self, *, past: bool = False) -> None:
        """What was spoken of last was not eaten."""
        last = self._last()
        if last is None:
            self._turn.ops.append(Op("not", past=past))
        elif last.kind != "not":
            self._turn.ops[self._turn.ops.index(last)] = Op("not", last.written, last.food)

    def _denied(self, piece: str, named: Sequence[Named], at: int) -> bool:
        """Whether a food of a piece was not eaten."""
        one, forms = named[at], self._forms
        before = piece[named[at - 1].end if at else 0 : one.start]
        last = at + 1 == len(named)
        after = piece[one.end :] if last else ""
        out = forms["out"].search(piece)
        return (
            forms["before"].search(before) is not None
            or forms["after"].search(after) is not None
            or (out is not None and out.start() <= one.start)
        )

    def _foods(self, joiner: str, piece: str, named: Sequence[Named], *, asks: bool, joins_or: bool) -> None:
        """Take in the foods that a piece names."""
        forms, turn = self._forms, self._turn
        for at, one in enumerate(named):
            start = named[at - 1].end if at else 0
            end = named[at + 1].start if at + 1 < len(named) else len(piece)
            before, after = piece[start : one.start], piece[one.end : end]
            one = (
                self._lexicon.as_held(one, self._held)
                if self._asked or forms["definite"].search(before)
                else one
            )
            if forms["passes"].search(before):
                continue
            last = self._last()
            no = before.strip().lower() == "no"
            closer = no and any({*held.split()} < {*one.written.split()} for held in self._held)
            no = no and self._language == "it"
            if no and last is not None and one.written not in self._held and alike(last.food, one.food):
                self._rather = last.kind == "ate" and last.food != one.food  # pasta, no riso
            elif not closer and self._denied(piece, named, at):
                if last is not None and last.kind != "not" and self._contrasts(one, before):
                    continue  # the toast was wrong, not the butter
                part = self._lexicon.quantity(before)
                whole = part in (Quantity(), ONE) or (part.grams is None and not re.search(r"\d", before))
                turn.ops = [op for op in turn.ops if not self._told_bare(op, one)]
                turn.ops.append(Op("not", one.written, one.food, Quantity() if whole else part))
                continue
            if forms["place"].search(before) and self._known(one):
                turn.ops.insert(0, Op("spoke", one.written, one.food))
                self._amount(piece[: one.start], asks=False, alone=True, place=True)
                continue
            alone = len(named) == 1
            before = " ".join(before.split()[-_NEAR:]) + " "
            after = " ".join(after.split()[:_NEAR])
            said = f"{before} {after}" if alone else before
            quantity = self._lexicon.amount(said)
            if quantity == Quantity() and at + 1 == len(named):
                quantity = self._lexicon.amount(after)
            echo = asks and f"{quantity.grams or 0:g}" in self._spoken and one.written in self._held
            bare = asks and not self._asked and quantity in (Quantity(), ONE)
            bare = bare and any({*one.written.split()} <= {*held.split()} for held in self._held)
            if echo or bare:  # 480 grams of chips? 73, for a sandwich?
                turn.ops.append(Op("spoke", one.written, one.food))
                continue
            self._ate(
                Op(
                    "ate",
                    one.written,
                    one.food,
                    quantity,
                    more=forms["more"].search(before) is not None
                    or (
                        not (self._begun or asks)
                        and re.fullmatch(forms["joins_on_top"], joiner) is not None
                        and not forms["definite"].search(before)
                    ),
                    instead=closer
                    or forms["instead"].search(after) is not None
                    or (
                        self._rather
                        and self._last() is None
                        and not self._manner.frames.search(before)
                        and not forms["more"].search(piece)
                    )
                    or (forms["was"].search(before) is not None and not forms["more"].search(before))
                    or forms["meant"].search(before) is not None,
                    side=re.fullmatch(forms["joins_side"], joiner) is not None,
                    past=self._away is not None,
                ),
                joins_or=joins_or and at == 0,
            )
        self._begun = True

    def _told_bare(self, op: Op, one: Named) -> bool:
        """Whether a food was only named in this turn, with no amount, before it is denied."""
        same = op.food is not None and op.food == one.food and op.written == one.written
        return op.kind == "ate" and same and op.quantity == Quantity()

    def _contrasts(self, one: Named, before: str) -> bool:
        """Whether a food is only told apart from the one that is put right."""
        bare = self._forms["bare_not"].search(before) is not None
        return bare and one.written in self._held and self._forms["corrects"].search(self._whole) is not None

    def _known(self, one: Named) -> bool:
        """Whether a food was named before, so that it may be a place: a drop in the tea."""
        told = [op.food for op in self._turn.ops if op.kind in ("ate", "spoke")]
        return one.written in self._held or one.food in told

    def _ate(self, op: Op, *, joins_or: bool) -> None:
        """One more food, or the one before put right."""
        turn, last = self._turn, self._last()
        again = next(
            (
                one
                for one in turn.ops
                if one.kind == "ate"
                and one.food
                and one.food == op.food
                and (not one.food.group or one.names(op))
            ),
            None,
        )
        if joins_or and not self._rather and not (last is not None and last.written == op.written):
            turn.choice += [last] if last is not None and not turn.choice else []
            turn.choice += [op._replace(kind="spoke" if last is None else "ate")]
            return
        if again is not None and not op.more:  # an apple; half an apple
            vague = op.quantity in (Quantity(), ONE)
            kept = again._replace(quantity=again.quantity if vague else op.quantity, past=op.past)
            turn.ops[turn.ops.index(again)] = kept
        elif self._rather and last is not None and last.kind == "ate":
            vague = op.quantity == Quantity()
            turn.ops[turn.ops.index(last)] = op._replace(
                quantity=last.quantity if vague else op.quantity, instead=False, more=last.more
            )
        elif len(turn.ops) < _MOST_OPS:
            turn.ops.append(op)
        self._rather = False

    def _last(self) -> Op | None:
        """What was eaten, named last in this turn."""
        return next((one for one in reversed(self._turn.ops) if one.kind in ("ate", "not", "spoke")), None)

    def _amount(self, piece: str, *, asks: bool, alone: bool, place: bool = False) -> bool:
        """Take in an amount without a food: of the one before it, or of what was asked."""
        if self._forms["theirs"].search(piece):
            return True  # one was my friend's
        quantity = self._lexicon.amount(piece)
        words = [word.lower() for word in _WORD.findall(piece)]
        strange = self._strange(piece, [])
        bare = not any(word in self._manner.portions for word in words) and not self._forms["unit"].search(
            piece
        )
        counted = any(word in self._manner.portions or word[0].isdigit() for word in words)
        lone = bare and counted and self._summed and not self._asked and self._last() is None
        if lone and words and quantity.share is None:
            return True  # eighty, well!
        if quantity == Quantity() or (quantity.grams is None and len(words) > 2 * _FEW):
            return False
        of = self._forms["of"].search(piece)
        if of is not None and self._lexicon.names(of["what"].lower()):
            return False  # a slice of tempura
        last = self._last()
        waits = self._asked or (last is not None and last.kind == "ate")
        most = _LOOSE_GRAMS if quantity.grams and re.search(r"\d\s?[a-z]", piece, re.I) else LOOSE
        most = most if (counted and not bare) or quantity.share else LOOSE_NUMBER if waits else 0
        if strange > most or (words and all(word in ("a", "an", "un", "una", "uno") for word in words)):
            return False
        behind = re.search(r"\d+ ([^\W\d_]{3,})", piece)
        if bare and strange and behind and self._strange(behind[1], []):
            return False  # three cats
        if quantity in (ONE,) and not counted and strange:
            return False  # a dog
        numbered = any(word in self._manner.numbers or word[0].isdigit() for word in words)
        if strange and not numbered and quantity.share is None:
            return False  # they give portions for bricklayers
        number = f"{quantity.grams or quantity.number or 0:g}"
        if last is None and number in self._spoken and not self._asked and (asks or strange):
            return True  # 480 grams? 80, well!
        if last is not None and last.kind == "spoke" and not asks and not place:  # 100 g of it? no, two
            self._turn.ops.append(last._replace(kind="ate", quantity=quantity))
        elif last is not None and last.kind == "ate":
            at = len(self._turn.ops) - 1 - self._turn.ops[::-1].index(last)
            amount = quantity if self._rather else merged(last.quantity, quantity)
            self._turn.ops[at] = last._replace(quantity=amount)
        elif self._turn.ops and self._turn.ops[-1].kind == "amount":  # two glasses, small ones
            before = self._turn.ops.pop().quantity
            self._turn.ops.append(
                Op("amount", quantity=quantity if self._rather else merged(before, quantity))
            )
        else:
            self._turn.ops.append(Op("amount", quantity=quantity))
        self._rather = False
        return True

    def _unknown(self, piece: str, heard: Heard, *, alone: bool) -> None:
        """Take in a food that the table lacks, where an amount, a verb or the question makes it one."""
        if heard.did("whole", "insult", "complaint", "thankyou", "bye", "why", "meant", "onlyasked"):
            return
        quantity, framed = self._lexicon.quantity(piece), self._manner.frames.search(piece)
        behind = piece[framed.end() :] if framed else piece
        words = [word for word in tokens_of(behind) if not self._manner.amounts(word)]
        telling = [word for word in words if self._manner.tells(word)]
        rest = {*heard.rest, *self._hearing.small}
        spread = len(telling) > 1 and re.search(
            rf"{re.escape(telling[0])}\W+(?:\w+\W+)*?{re.escape(telling[1])}", behind.lower()
        )
        if spread and self._forms["apart"].search(spread[0]):
            return  # a picnic by the lake
        if not telling or len(telling) > MOST_WORDS or not all(map(self._lexicon.names, telling)):
            return
        if (
            set(self._manner.strange) & {*words}
            or not {token for word in telling for token in tokens(word)} <= rest
        ):
            return
        numbered = any(word in self._manner.numbers or word[0].isdigit() for word in tokens_of(piece))
        if not numbered and any(word in self._manner.portions for word in tokens_of(piece)):
            return  # proper hotel spoons
        measured = quantity.grams is not None or (quantity.number is not None and quantity != ONE)
        governed = measured or (framed is not None and self._wants)
        bare = self._wants and not self._asked and len(telling) <= BARE
        bare = bare and (len(telling) == len(words) or quantity == ONE)
        listed = bare and self._framed and len(telling) == 1 and telling[0] in piece  # no name
        if not (governed or listed or (bare and self._short and (alone or self._begun or quantity == ONE))):
            return
        self._turn.ops.append(Op("ate", " ".join(telling), None, quantity))

    # --- the end --------------------------------------------------------------------------------

    def _decide(self) -> None:
        """Of several foods of which one was eaten, the one named again behind them."""
        turn = self._turn
        if any(one.kind == "ate" and not one.past for one in turn.ops):
            turn.ops = [
                one for one in turn.ops if not one.past or one.kind != "ate"
            ]  # yesterday pizza, today bread
        loose = [one for one in turn.ops if one.kind == "ate" and self._lexicon.general(one.written)]
        if any(one.kind == "ate" and one not in loose for one in turn.ops):  # for pudding there was trifle
            turn.ops = [one for one in turn.ops if one not in loose or one.quantity.grams]
        if not turn.choice:
            return
        first, *others = turn.choice
        later = [
            one
            for one in turn.ops
            if one.kind == "ate" and one is not first and any(one.names(other) for other in turn.choice)
        ]
        if not later:
            if turn.both:
                turn.choice = []
            elif first.kind == "ate":
                turn.ops = [one for one in turn.ops if one != first]
            return
        chosen = later[-1]
        full = next((one for one in others if one.names(chosen)), chosen)
        gone = [one._replace(kind="not", side=True) for one in turn.choice if not one.names(chosen)]
        kept = [one for one in turn.ops if one is not chosen and one != first]
        quantity = chosen.quantity if chosen.quantity != Quantity() else full.quantity
        turn.ops = [*gone, *kept, full._replace(kind="ate", quantity=quantity, instead=False)]
        turn.choice = []
