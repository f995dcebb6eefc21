"""What a turn asks: of foods, amounts, what was noted, the total, and what has nothing to do with a meal."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from vivavoce_bots.carbs.foods import (
    Lexicon,
    Manner,
    Named,
    Quantity,
    read_manner,
    tokens_of,
    without,
)
from vivavoce_bots.carbs.turn import Fact, Op, Turn
from vivavoce_bots.dialogue.clauses import asks_openly, taunts
from vivavoce_bots.dialogue.hearing import Heard, Hearing
from vivavoce_bots.dialogue.speech import is_question
from vivavoce_bots.dialogue.spotting import tokens

NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)?")
LOOSE, LOOSE_NUMBER = 3, 1  # words beside an amount that stands alone
MOST_WORDS, BARE = 4, 2


class QuestionReader:
    """Reads one turn.

    told    what the bot said last; summed: whether that was the total
    asked   whether it asked for an amount; wants: whether it asked for foods
    held    the names of what is in the meal; quoted: the one food of so many grams that was told last
    """

    def __init__(
        self,
        lexicon: Lexicon,
        hearing: Hearing,
        *,
        told: str = "",
        summed: bool = False,
        asked: bool = False,
        wants: bool = True,
        held: frozenset[str] = frozenset(),
        quoted: Mapping[str, Op] | None = None,
    ) -> None:
        self._lexicon, self._hearing, self._language = lexicon, hearing, lexicon.language
        self._manner: Manner = read_manner(lexicon.language)
        self._forms = self._manner.forms
        self._spoken = set(NUMBER.findall(told))
        self._asked, self._wants, self._held, self._summed = asked, wants, held, summed
        self._quoted = quoted or {}
        self._turn = Turn()
        self._begun = False  # whether something was told of the meal in this turn
        self._rather = False  # whether what comes now puts right what stands before
        self._short = True
        self._whole = ""  # the sentence that is read
        self._framed = False  # whether that has said that something was eaten
        self._theirs: Named | None = None  # what others had, that was named last
        self._away: str | None = None  # told of another day, or of other people

    def _without_scorn(self, sentence: str) -> str:
        """A sentence without a question in scorn, or without its end that is one."""
        if self._scolds(sentence):
            return ""
        head, comma, tail = sentence.rpartition(",")
        return f"{head}." if comma and self._scolds(tail.strip()) else sentence

    def _scolds(self, sentence: str) -> bool:
        """Whether a sentence only asks in scorn, or what was never said: can you read? did I say 150?"""
        if not is_question(sentence, self._language):
            return False
        named = self._lexicon.mentioned(sentence)
        return (not named and taunts(sentence, self._language)) or (
            self._forms["echo"].search(sentence) is not None and "?" in sentence
        )

    def _question(self, clause: str, heard: Heard, named: Sequence[Named]) -> bool:
        """Take in what a clause asks; whether that is all it says."""
        turn, forms = self._turn, self._forms
        ops = [Op("ate", one.written, one.food) for one in named]
        asks = clause.endswith("?") or asks_openly(clause, self._language)
        asks = asks or (
            forms["inverted"].match(clause) is not None and forms["noted"].search(clause) is not None
        )
        sugar = [one for one in named if one.food is not None and one.food.key == "sugar"]
        if sugar and (len(named) > 1 or heard.did("asks")):
            named = [one for one in named if one not in sugar]  # how much sugar has it?
        total = forms["total"].search(clause) is not None
        total = total or (heard.did("total") and (asks or not named))
        facts = forms["facts"].search(without(clause, named)) is not None or heard.did("asks")
        numbers = NUMBER.findall(clause) if asks and not named else []
        disputed = next((self._quoted[number] for number in numbers if number in self._quoted), None)
        if disputed is not None and len(numbers) == 1 + (forms["portion"].search(clause) is not None):
            turn.ops.append(disputed)  # 70 grams? says who?
            turn.disputed = disputed
            return True
        held = bool(named) and all(one.written in self._held for one in named)
        if asks and held and self._spoken & {*NUMBER.findall(clause)} and self._strange(clause, named) > 1:
            turn.facts += [Fact(one.written, one.food, Quantity(share=1.0)) for one in named]
            return True  # is 150 the pizza, or all together?
        bare = not named or named == sugar  # is that bad for sugar?
        if asks and bare and not heard.did("total") and forms["judges"].search(clause):
            turn.apart.append(clause)
            turn.asks.append("other")
            return True
        if asks and named and forms["if"].search(clause):
            turn.held += ops
            turn.asks.append("without")
            return True
        if (
            forms["portion"].search(clause)
            and asks
            and not facts
            and not (self._asked and not named and "?" not in clause)
        ):
            turn.facts += [Fact(one.written, one.food, Quantity()) for one in named]
            turn.asks.append("portion")
            return True
        if total and not named and not (heard.did("only") or self._lexicon.counted(clause)):
            turn.asks.append("total")
            return True
        if total and named and not facts and not (self._lexicon.counted(clause) and not asks):
            turn.asks.append("total")  # the total, with the wine and without the pizza
            return False
        if not asks and not heard.did("asks"):
            return False
        either = len(named) > 1 and forms["or"].search(clause) is not None and not facts
        if named and (either or forms["forgot"].search(clause)):
            return False
        counts = asks and named and forms["counts"].search(clause) is not None
        if forms["noted"].search(clause) and not (facts and named) and not counts:
            amount = self._lexicon.quantity(clause) if self._lexicon.counted(clause) else Quantity()
            turn.held += [one._replace(quantity=amount) for one in ops]
            turn.asks += ["noted", *(["said"] if forms["said"].search(clause) else [])]
            turn.asks += ["got"] if forms["got"].search(clause) else []
            turn.ops += [Op("spoke", one.written, one.food) for one in ops]
            return True
        if not named and asks and forms["counts"].search(clause):
            turn.asks.append("everything")
            return True
        if named and forms["counts"].search(clause) and (asks or forms["others"].search(clause)):
            turn.asks.append("everything")
            turn.ops += ops
            return True
        shared_out = asks and named and forms["how_much"].search(clause) is not None and not facts
        if shared_out:  # how much of that is the trifle?
            turn.facts += [Fact(one.written, one.food, Quantity(share=1.0)) for one in named]
            return True
        if facts and not named and asks and len(tokens(clause)) <= BARE:
            turn.asks.append("what")  # carbs?
            return True
        if facts and named:
            amount = self._lexicon.quantity(clause)
            turn.facts += [Fact(one.written, one.food, amount) for one in named]
            turn.ops += [Op("spoke", one.written, one.food) for one in ops]
            return True
        unknown = [one for one in heard.rest if self._lexicon.names(one)]
        if facts and asks and heard.did("asks") and 0 < len(unknown) <= MOST_WORDS - 1:
            turn.facts.append(Fact(" ".join(unknown), None, Quantity()))
            return True
        eaten = any(one.kind == "ate" for one in turn.ops)
        if eaten and asks and not named and not facts and not total and forms["how_much"].search(clause):
            turn.asks.append("portion")  # a deep plate, how much would that be?
            return True
        if heard.did("asks") or (asks and not named and forms["how_much"].search(clause)):
            turn.asks.append("what")
            return True
        if not asks:
            return False
        strange = self._strange(clause, named)
        if not named and self._lexicon.quantity(clause) == Quantity() and len(tokens(clause)) <= BARE:
            if heard.rest:
                turn.apart.append(clause)
                turn.asks.append("other")
            return True
        most = LOOSE if self._asked and self._lexicon.counted(clause) else LOOSE_NUMBER
        if (named or self._lexicon.measured(clause)) and strange <= most and not heard.did("whoareyou"):
            return False  # toast? two slices?
        if named and forms["was"].search(clause[: named[0].start]):
            return False  # was it toast or a muffin?
        if len(tokens(clause)) >= BARE + 1:
            turn.apart.append(clause)
            turn.asks.append("other")
            turn.ops += [Op("spoke", one.written, one.food) for one in ops]
            return True
        return bool(heard.did("why", "repeat", "help"))

    def _strange(self, clause: str, named: Sequence[Named]) -> int:
        """How many words of a clause are neither foods, amounts, nor small words."""
        words = tokens_of(without(clause, named))
        small, manner = self._hearing.small, self._manner
        return sum(
            not (manner.amounts(word) or word in manner.aside or word in small or len(word) == 1)
            for word in words
        )
