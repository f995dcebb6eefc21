"""What the counter of carbohydrates answers: what is settled next, what foods have, the total."""

import re
from collections.abc import Sequence
from typing import Final

from vivavoce_bots.acts import Act, stating
from vivavoce_bots.carbs.foods import Food, Item, Quantity, plain
from vivavoce_bots.carbs.meal import Eaten, Session, Told, asks_what_is_noted, names_whole
from vivavoce_bots.carbs.strategy import Strategy
from vivavoce_bots.dialogue.clauses import sentences_of
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.standing import StandingBot
from vivavoce_bots.dialogue.talk import QUESTION, Answer

_FEW: Final = 4  # words of a turn that only names a food
_LONGEST_NAME: Final = 3
UNSURE: Final = ("usual", "dontknow", "dontcare", "suggest")
_IN: Final = {
    "en": re.compile(r"\b(?:in|of|does|do|has|have|is|are)\b", re.I),
    "it": re.compile(r"\b(?:nel\w*|in|di|del\w*|ha|hanno)\b", re.I),
}


class AnsweringBot(StandingBot[Session]):
    """The part of the counter that answers."""

    _strategy: Strategy

    def _led_on(self, session: Session, told: Told, before: int) -> Answer:
        """Settle the next piece of the meal; what was counted beyond `before` is said again."""
        if session.item is None:
            self._settle(session, told)
        question, asks = self.question(session)
        counted = [one for one in session.eaten if one in session.fresh]
        if counted:
            told.sentences.append(self.words(session)["noted"].format(lines=self._lines(session, counted)))
        return Answer(" ".join([*filter(None, told.sentences), question]), (*told.acts, *asks))

    def _assumed(self, session: Session, open_: Sequence[Item], *, ended: bool = True) -> Answer:
        """The total with usual portions of what is still open."""
        session.item, session.open, session.fresh = None, [], []
        for one in open_:
            if one.food is not None:
                session.count(one.written, one.food, one.quantity.of(one.food) or one.food.portion)
        lines = self._lines(session, session.fresh)
        total = self._total(session, ended=ended)
        return total._replace(text=f"{self.words(session)['assumed_all'].format(lines=lines)} {total.text}")

    def _likens(self, session: Session, heard: Heard) -> bool:
        """Whether a turn answers which known food an unknown one is like."""
        if heard.did("total") or asks_what_is_noted(heard.text):
            return False
        held = [one.food for one in session.eaten]
        named = [one for one in session.lexicon.mentioned(heard.text) if one not in held]
        named = named if len(heard.said) <= _FEW else [one for one in named if one in session.choices]
        chosen = session.lexicon.quantity(heard.text) != Quantity()
        settled = heard.did("negate", "affirm", "dontcare", "repeat", "help", *UNSURE)
        return bool(named) or chosen or settled or any(one in session.choices for one in held)

    def _lines(self, session: Session, eaten: Sequence[Eaten]) -> str:
        return ", ".join(f"{self._called(session, one.written, one.food)} {one.grams:g} g" for one in eaten)

    def _settle(self, session: Session, told: Told) -> None:
        """Count what is clear, up to the first piece that is not."""
        session.asking = "meal"
        while session.open:
            item, session.open = session.open[0], session.open[1:]
            grams = item.quantity.of(item.food) if item.food else None
            if item.food is not None and grams is None and item.food.group and not item.food.carbs:
                grams = item.food.portion  # however much of it: there is nothing to count
            if item.food is not None and grams is not None:
                session.count(item.written, item.food, grams)
                continue
            session.choices = [] if item.food else session.lexicon.alike(item.written)
            if len(session.choices) == 1 and names_whole(item, session.choices[0], session.language):
                session.open = [item._replace(food=session.choices[0]), *session.open]
                continue
            if item.food is None and not session.choices and not self._strategy.vocabulary_extension:
                self._leave_out(session, item, told)
                continue
            session.item = item
            session.asking = "how_much" if item.food else "like" if session.choices else "learn"
            return

    def _leave_out(self, session: Session, item: Item, told: Told) -> None:
        told.sentences.append(self.words(session)["unlike"].format(name=item.written))
        told.acts.append(Act("null", "food"))

    def _told_of(self, session: Session, heard: Heard, items: Sequence[Item]) -> Answer | None:
        """What so much of a food has, for whoever has just asked what foods have, and asks on."""
        if not heard.text.rstrip().endswith("?") and not heard.did("asks"):
            return None
        known = next((one for one in items if one.food is not None), None)
        waiting = session.item.food if session.item else None
        food = known.food if known and known.food else waiting or session.named
        amount = known.quantity if known else session.lexicon.quantity(heard.text)
        grams = amount.of(food) if food and (amount.grams or amount.spoon) else None
        if food is None or grams is None or asks_what_is_noted(heard.text):
            return None
        question, asks = self.question(session)
        told = self.words(session)["facts_of"].format(
            food=food.name(session.language),
            grams=f"{grams:g}",
            each=f"{food.carbohydrates(grams):.0f}",
        )
        session.named, session.informed = food, True
        return Answer(f"{told} {question}", (stating("inform", "food", food.key), *asks))

    def _tell(self, session: Session, heard: Heard, items: Sequence[Item]) -> Answer:
        """What a food has, for whoever asks; nothing is counted."""
        words, question = self.words(session), self.question(session)
        foods, unknown = self._asked(session, heard), [one.written for one in items if one.food is None]
        if items and items[0].food is not None and items[0].quantity != Quantity():
            foods = [items[0].food]  # a glass of wine, how much sugar has it?
        names = [word for word in heard.rest if session.lexicon.names(word)]
        which = _IN[session.language].search(heard.text) is not None or not session.eaten
        if heard.did("asks") and which and not foods and not unknown and 0 < len(names) <= _LONGEST_NAME:
            unknown = [" ".join(names)]
        if not foods and not unknown and session.item is not None and session.item.food is not None:
            foods = [session.item.food]
        if not foods and not unknown and session.eaten:
            return self._total(session, ended=False)
        session.informed = bool(foods)
        session.named = foods[-1] if foods else session.named
        written = {one.key: word for word in heard.said if (one := session.lexicon.food(word)) and one.group}
        told = [
            self._of(session, "facts", one, written.get(one.key, one.name(session.language))) for one in foods
        ]
        told += [] if foods else [words["no_facts"].format(name=one) for one in unknown]
        acts = [stating("inform", "food", one.key) for one in foods]
        acts += [Act("null", "food")] if unknown and not foods else []
        lead = told or [words["help"]]
        return Answer(" ".join([*lead, question[0]]), (*(acts or [Act("help")]), *question[1]))

    def _of(self, session: Session, sentence: str, food: Food, written: str) -> str:
        name = self._called(session, written, food)
        gaps = {"carbs": f"{food.carbs:g}", "portion": f"{food.portion:g}",
                "each": f"{food.carbohydrates(food.portion):.0f}"}  # fmt: skip
        return self.words(session)[sentence].format(food=name, Food=name[:1].upper() + name[1:], **gaps)

    def _total(self, session: Session, *, ended: bool) -> Answer:
        """The sum; `ended`: nothing more is asked."""
        words = self.words(session)
        known = [one for one in (session.item, *session.open) if one is not None and one.food is not None]
        if known and not ended and session.asking == "how_much":  # who wants the total is asked no more
            session.item, session.asking = None, "meal"
            return self._assumed(session, known, ended=False)
        waiting = [one.written for one in (session.item, *session.open) if one is not None]
        if not session.eaten:
            question, asks = self.question(session)
            none = words["open"].format(names=", ".join(waiting)) if waiting else words["none"]
            return Answer(f"{none} {question}", asks)
        lines = ", ".join(
            f"{self._called(session, one.written, one.food)} {one.grams:g} g"
            f" ({one.food.carbohydrates(one.grams):.0f} g)"
            for one in session.eaten
        )
        acts = [stating("inform", "food", one.food.key) for one in session.eaten]
        acts.append(stating("inform", "carbohydrates", f"{session.total} g"))
        said = words["total"].format(lines=lines, total=session.total)
        if ended:
            session.asking, session.item, session.open = "told", None, []
            return Answer(said, tuple(acts))
        question, asks = self.question(session)
        return Answer(f"{said} {question}", (*acts, *asks))

    def _called(self, session: Session, written: str, food: Food) -> str:
        """The food's name: the user's own words when aligned or learnt, else the table's."""
        own = self._strategy.alignment or food.group or plain(written) in session.lexicon.learnt
        return written if own else food.name(session.language)

    def _asked(self, session: Session, heard: Heard) -> list[Food]:
        """The foods that are asked about."""
        hearing, found = self._hearing[session.language], list[Food]()
        for sentence in sentences_of(heard.text):
            if sentence.endswith("?") or hearing.heard(sentence).did("asks"):
                found += [one for one in session.lexicon.mentioned(sentence) if one not in found]
        return found


def joined_without(first: Answer, second: Answer, question: str) -> str:
    """The text of two answers, without the question of the first."""
    told = QUESTION.sub("", first.text.removesuffix(question))
    return f"{told.strip()} {second.text}".strip()
