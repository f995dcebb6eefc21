"""Asks what was eaten, settles what and how much, and adds up the carbohydrates; the system leads."""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from vivavoce_bots.acts import Act, Meaning, Reply, stating
from vivavoce_bots.bot import Texts
from vivavoce_bots.carbs.answers import UNSURE, AnsweringBot, joined_without
from vivavoce_bots.carbs.foods import Item, Lexicon, Quantity, learn_phrases, read_manner
from vivavoce_bots.carbs.meal import (
    SHRUGS,
    Eaten,
    Session,
    Told,
    amount_told,
    asks_what_is_noted,
    denies,
    heard_as,
    what_is_told,
    with_removals,
    without_manners,
)
from vivavoce_bots.carbs.strategy import strategies
from vivavoce_bots.dialogue.clauses import sentences_of
from vivavoce_bots.dialogue.feelings import feeling, taken_up
from vivavoce_bots.dialogue.hearing import Heard, only_no
from vivavoce_bots.dialogue.speech import LANGUAGES
from vivavoce_bots.dialogue.spotting import tokens
from vivavoce_bots.dialogue.talk import Answer, asked_for_more

_MOST_OPEN: Final = 40
_ASKED: Final = (Act("request", "food"),)
_ON_TOP: Final = re.compile(r"\W*(?:and|plus|also|then|e|anche|poi|più)\b", re.I)
_HOW_MUCH: Final = re.compile(r"\W*(?:and |so |then |e |allora )?(?:how (?:much|many)|quant[oi])\W*", re.I)
_FEW: Final = 6  # words of an answer that only says how much
_WAS: Final = re.compile(r"\b(?:was|were|era|erano)\b", re.I)


class CarbsBot(AnsweringBot):
    """Counts carbohydrates. `variant` names the strategies that are switched on."""

    name: str = "carbs"
    variants: ClassVar[tuple[str, ...]] = tuple(strategies())

    def __init__(self, variant: str = "control", seed: int = 1) -> None:
        super().__init__(seed, learn_phrases)
        self._strategy = strategies()[variant]
        self._sentences = {language: self._strategy.sentences(language) for language in LANGUAGES}

    # --- the conversation ----------------------------------------------------------------------------------

    def begin(self, language: str) -> Session:
        return Session(language, lexicon=Lexicon(language))

    def words(self, session: Session) -> Mapping[str, str]:
        return self._sentences[session.language]

    def opening(self, session: Session) -> Answer:
        return Answer(self.words(session)["hello"], (Act("hello"), Act("request", "food")))

    def reply(self, session: Session, texts: Texts) -> Reply:
        reply = super().reply(session, texts)
        told = feeling(texts[0][0], session.language) if texts and self._strategy.empathy else None
        if told is not None:
            session.last = reply = taken_up(reply, self.words(session)[told])
        return reply

    def plain(self, session: Session, text: str) -> str:
        return heard_as(session, text)

    def standing(self, session: Session, kind: str) -> str:
        words, lines = self.words(session), self._lines(session, session.eaten)
        if kind == "next":
            return words["help_how_much" if session.asking == "how_much" else "next"]
        if kind == "done":
            return words["next"]
        return words["so_far"].format(lines=lines) if lines else words["none"]

    def about(self, session: Session, heard: Heard) -> bool:
        if (
            heard.did("total", "asks", "onlyasked")
            or SHRUGS.search(heard.text)
            or (session.item is None and session.eaten and _HOW_MUCH.fullmatch(heard.text))
            or self._items(session, heard)
            or self._asked(session, heard)
        ):
            return True
        numbered = session.lexicon.amount(without_manners(heard, session.language)) != Quantity()
        settling = session.asking in ("how_much", "like", "learn")
        unsure = session.asking == "how_much" and heard.did(*UNSURE)
        return unsure or (numbered and (settling or bool(session.eaten)))

    def waits(self, session: Session) -> bool:
        return session.asking in ("how_much", "like", "learn") or asked_for_more(session.last)

    def let_go(self, session: Session) -> None:
        """What is being settled is left out."""
        session.asking, session.item, session.choices = "meal", None, []
        self._settle(session, Told())

    def start_over(self, session: Session) -> None:
        session.eaten, session.open, session.item, session.asking = [], [], None, "meal"

    def help(self, session: Session) -> str:
        kind = {"how_much": "help_how_much", "like": "help_like", "learn": "help_like"}
        return self.words(session)[kind.get(session.asking, "help")]

    def finish(self, session: Session) -> Answer:
        """The total; what is still open is left out."""
        assumed = [one for one in (session.item, *session.open) if one is not None and one.food is not None]
        told = session.last is not None and any(one.slot == "carbohydrates" for one in session.last.acts)
        in_vain = not session.eaten and session.last is not None and session.last.acts == _ASKED
        if session.asking == "told" or in_vain or (told and session.item is None and not session.fresh):
            return self.farewell(session)
        if session.asking == "how_much" and assumed:  # nothing that was eaten is lost
            return self._assumed(session, assumed)
        return self._total(session, ended=True)

    def question(self, session: Session) -> tuple[str, tuple[Act, ...]]:
        words, item = self.words(session), session.item
        if item is not None and session.asking == "how_much" and item.food is not None:
            gaps = {
                "food": self._called(session, item.written, item.food),
                "portion": f"{item.food.portion:g}",
            }
            return words["how_much"].format(**gaps), (Act("request", "quantity"),)
        if item is not None and session.asking == "like":
            names = [food.name(session.language) for food in session.choices]
            listed = ", ".join(f"{number} {name}" for number, name in enumerate(names, 1))
            acts = tuple(stating("select", "food", name) for name in names)
            return words["unknown"].format(name=item.written, choices=listed), acts
        if item is not None and session.asking == "learn":
            return words["learn"].format(name=item.written), (stating("request", "food", item.written),)
        if session.asking == "told":
            return words["after"], (Act("reqmore"),)
        return (words["more"], (Act("reqmore"),)) if session.eaten else (words["begin"], _ASKED)

    def _passed_over(self, session: Session, text: str, *, told: bool = False) -> str:
        return "" if told else super()._passed_over(session, text)

    def not_explained(self, session: Session, text: str) -> str:
        return ""  # what it did not understand is no news to who said it

    # --- what is said --------------------------------------------------------------------------------------

    def matter(self, session: Session, heard: Heard) -> Answer | None:
        session.fresh = []
        session.adds = heard.did("more") or (
            _ON_TOP.match(heard.text) is not None and _WAS.search(heard.text) is None
        )
        heard = heard._replace(text=with_removals(session, heard.text))
        if session.asking in ("like", "learn") and not self._likens(session, heard):
            session.item, session.asking = None, "meal"  # asked once, and passed over
            self._settle(session, Told())
        items = self._items(session, heard)
        if (session.informed or heard.did("asks")) and (
            amounts := self._told_of(session, heard, items)
        ) is not None:
            return amounts
        understood = (Meaning(tuple(stating("inform", "food", one.written) for one in items), 1.0),)
        before = len(session.eaten)
        answer = self._answer(session, heard, items)
        session.named = next(
            (one.food for one in reversed(items) if one.food and not one.denied), session.named
        )
        session.counted = min(before, len(session.eaten))
        return answer._replace(understood=understood) if answer is not None else None

    def _answer(self, session: Session, heard: Heard, items: Sequence[Item]) -> Answer | None:
        bare = all(one.quantity == Quantity() for one in items)
        if asks_what_is_noted(heard.text) and session.eaten:
            beside = len(sentences_of(heard.text)) > 1  # what is only asked about is not eaten
            noted = self._noted(session, items, heard) if items and beside else None
            waits = self.question(session)[0]
            total = self._total(session, ended=False)
            return total if noted is None else total._replace(text=joined_without(noted, total, waits))
        if _HOW_MUCH.fullmatch(heard.text) and session.eaten and session.item is None:
            return self._total(session, ended=False)
        more = any(one.food and not self._held(session, one) for one in items)
        told = not heard.did("asks") and not any(one.denied for one in items)
        if heard.did("total") and bare and told and not more:
            return self._total(session, ended=False)
        ate = read_manner(session.language).frames.search(heard.text) is not None
        ate = ate or len(sentences_of(heard.text)) > 1  # what is asked alone is not eaten
        denied = any(one.denied for one in items)
        if heard.did("asks") and (not bare or denied) and ate:
            noted, told = self._noted(session, items, heard), self._tell(session, heard, items[:1])
            return (
                told
                if noted is None
                else told._replace(text=joined_without(noted, told, self.question(session)[0]))
            )
        if SHRUGS.search(heard.text) and bare and session.eaten and session.item is None:
            return self._without_food(session, heard, Told())
        if heard.did("asks") or (bare and self._asked(session, heard)):
            return self._tell(session, heard, items)
        if heard.did("total") and not items:
            return self._total(session, ended=False)
        if heard.did("total"):
            noted, waits = self._noted(session, items, heard), self.question(session)[0]
            total = self._total(session, ended=False)
            return total if noted is None else noted._replace(text=joined_without(noted, total, waits))
        return self._noted(session, items, heard)

    def _noted(self, session: Session, items: Sequence[Item], heard: Heard) -> Answer | None:
        """What was eaten is noted, put right or asked for."""
        told, before = Told(), len(session.eaten)
        eaten = [one for one in items if not one.denied]
        if heard.did("onlyasked") and not eaten:
            question, asks = self.question(session)
            return Answer(f"{self.words(session)['only_told']} {question}", asks)
        if any(one.denied for one in items):
            eaten = self._take_back(session, [one for one in items if one.denied], eaten, told)
            gone = [one.food for one in items if one.denied]
            again = [one.food for one in eaten if one.quantity == Quantity()]
            session.fresh = [one for one in session.eaten if one.food in again and one.food not in gone]
            eaten = [
                one
                for one in eaten
                if one.quantity != Quantity() or not (self._held(session, one) or one.food in gone)
            ]
            before = len(session.eaten)
        elif self._answered(session, heard, eaten, told):
            eaten = []
        elif not eaten:
            return self._without_food(session, heard, told)
        else:
            eaten = self._said_again(session, heard, eaten)
            waits = session.item.food if session.item else None
            eaten = [
                one for one in eaten if one.food is None or one.food != waits or one.quantity != Quantity()
            ]
            before = len(session.eaten)
            for one in [one for one in eaten if session.item is not None]:
                if one.food and (grams := one.quantity.of(one.food)):
                    session.count(one.written, one.food, grams)  # told amid another
                    session.open = [held for held in session.open if held.food != one.food]
                    if session.item and session.item.food == one.food:
                        session.item, session.asking = None, "meal"
                    eaten.remove(one)
            waiting = [held.food for held in session.open]
            eaten = [one for one in eaten if one.food not in waiting or one.quantity != Quantity()]
            fresh_foods = [one.food for one in eaten if one.food]
            session.open = [held for held in session.open if held.food not in fresh_foods]
        if heard.did("usual"):  # a normal beer
            eaten = [
                one._replace(quantity=Quantity(None, 1.0)) if one.food and one.quantity == Quantity() else one
                for one in eaten
            ]
        room = max(0, _MOST_OPEN - len(session.open))
        fresh = eaten[:room]
        told_again = [one.food for one in fresh if one.food]
        kept = [one for one in session.open if one.food is None or one.food not in told_again]
        if eaten and any(one.denied for one in items):  # what takes the place of another comes first
            waits = session.item if session.item and session.item.food not in told_again else None
            kept = [*filter(None, [waits]), *kept]
            session.item, session.asking, session.open = None, "meal", [*fresh, *kept]
        else:
            session.open = [*kept, *fresh]
            if fresh and session.item is not None:
                names = ", ".join(one.written for one in fresh)
                told.sentences.append(self.words(session)["also"].format(names=names))
        if heard.did("enough", "done") and session.item is None:
            self._settle(session, told)
            return self.finish(session) if session.item is None else self._led_on(session, told, before)
        return self._led_on(session, told, before)

    def _items(self, session: Session, heard: Heard) -> list[Item]:
        """The foods of a turn; an unknown word is one where nothing else explains it."""
        rest = set(heard.rest)
        felt = feeling(heard.text, session.language) is not None
        felt = felt or heard.did("whole", "insult", "complaint", "thankyou", "bye", "why", "meant")
        found = session.lexicon.items(what_is_told(session, heard))
        small = self._hearing[session.language].small
        settled = session.asking in ("meal", "told")
        held = {one.written for one in (*session.eaten, *session.open, *filter(None, [session.item]))}
        known = [
            one.food for one in (*session.eaten, *session.open, *filter(None, [session.item])) if one.food
        ]
        named = {
            one.written: [food for food in session.lexicon.mentioned(one.written) if food in known]
            for one in found
        }
        found = [
            one if one.food or not named[one.written] else one._replace(food=named[one.written][0])
            for one in found
        ]
        return [
            one for one in found
            if one.food is not None or one.written in held or (
                not felt and not one.denied and rest & set(tokens(one.written))
                and set(tokens(one.written)) <= rest | small
                and (settled or one.quantity != Quantity())
            )
        ]  # fmt: skip

    def _answered(self, session: Session, heard: Heard, eaten: Sequence[Item], told: Told) -> bool:
        """Whether this was the answer to what was asked of one food."""
        item = session.item
        if item is None or session.asking not in ("how_much", "like", "learn"):
            return False
        if session.asking == "how_much":
            return self._take_quantity(session, heard, item, eaten, told)
        return self._take_likeness(session, heard, item, eaten, told)

    def _take_quantity(
        self, session: Session, heard: Heard, item: Item, eaten: Sequence[Item], told: Told
    ) -> bool:
        """How much of it; another food with a `no` takes its place; `no` alone leaves it out."""
        food, words = item.food, self.words(session)
        amount = session.lexicon.quantity(amount_told(heard.text, session.lexicon))
        told_amount = amount != Quantity()
        others = [one for one in eaten if one.food != food and not (one.food is None and told_amount)]
        if heard.did(*UNSURE) and not denies(heard):  # I don't know, a normal roll
            others = [one for one in others if not self._held(session, one)]
        own = next((one for one in eaten if one.food == food and one.quantity != Quantity()), None)
        waiting = [one.food for one in session.open if one.food]
        if (
            own is None
            and others
            and all(one.food in waiting and one.quantity != Quantity() for one in others)
        ):
            return False  # two slices, of the bread: told amid another
        if food is not None and own is not None and others and not denies(heard):
            grams = own.quantity.of(food) or food.portion  # this one, and others besides
            session.count(item.written, food, grams)
            waiting = [one for one in session.open if one.food not in [more.food for more in others]]
            session.open = [*others, *waiting]
            session.item, session.asking = None, "meal"
            return True
        again = {one.food.key for one in session.eaten} & {one.food.key for one in others if one.food}
        if food is None or again or (others and not denies(heard)):
            return False
        if others:
            told.sentences.append(words["dropped"].format(name=self._called(session, item.written, food)))
            session.open = [*others, *session.open]
        elif (grams := amount.of(food)) is not None:
            sized = amount.slices or food.unit or amount.number == 1
            thin = session.lexicon.degree(heard.text) if sized else None
            session.count(item.written, food, grams * (thin or 1))
        elif (degree := session.lexicon.degree(heard.text)) and len(heard.said) <= _FEW:
            session.count(item.written, food, degree * food.portion)
        elif heard.did("affirm", "enough", *UNSURE):
            told.sentences.append(
                self._of(session, "assumed", food, item.written) if not heard.did("affirm") else ""
            )
            session.count(item.written, food, food.portion)
        elif heard.did("negate"):
            told.sentences.append(words["dropped"].format(name=item.written))
        else:
            return False
        session.open = [one for one in session.open if one.food != food or others]
        session.item, session.asking = None, "meal"
        return True

    def _take_likeness(
        self, session: Session, heard: Heard, item: Item, eaten: Sequence[Item], told: Told
    ) -> bool:
        """Which known food an unknown one is like: by number, by name, or none."""
        amount = session.lexicon.quantity(heard.text)
        number = amount.number
        named = next((one for one in eaten if one.food is not None), None)
        chosen = named.food if named is not None else None
        if chosen is None and number is not None and number in range(1, len(session.choices) + 1):
            chosen = session.choices[int(number) - 1]
        if chosen is None and (alike := session.lexicon.mentioned(heard.text)) and not heard.did("asks"):
            chosen = alike[0]
        if chosen is None and not eaten and amount != Quantity():
            session.item = item._replace(quantity=amount)
            return True
        if chosen is None and not eaten and heard.did("affirm") and len(session.choices) == 1:
            chosen = session.choices[0]
        if chosen is not None:
            if self._strategy.vocabulary_extension:
                session.lexicon.learn(item.written, chosen)
                told.sentences.append(self.words(session)["learnt"].format(name=item.written))
            quantity = named.quantity if named and named.quantity != Quantity() else item.quantity
            session.open = [Item(item.written, quantity, chosen), *session.open]
        elif not heard.did("negate", "dontcare", "dontknow", "usual"):
            return False
        elif session.asking == "like" and self._strategy.vocabulary_extension:
            session.asking = "learn"
            return True
        else:
            self._leave_out(session, item, told)
        session.item, session.asking = None, "meal"
        return True

    def _said_again(self, session: Session, heard: Heard, eaten: list[Item]) -> list[Item]:
        """A food that was counted in the turn before, and comes again with an amount, is put right."""
        fresh = session.eaten[session.counted :]
        if not heard.did("more"):  # spoken of again, as it was
            held = [one.food for one in eaten if one.quantity == Quantity() and self._held(session, one)]
            session.fresh = [one for one in session.eaten if one.food in held]
            eaten = [one for one in eaten if one.quantity != Quantity() or not self._held(session, one)]
        if heard.did("meant"):
            fresh = session.eaten
        elif not heard.did("only") or session.item is not None:
            return eaten
        if heard.did("meant") and session.item is None and len(fresh) == len(eaten) == 1:
            session.eaten = session.eaten[:-1]
        again = {one.food.key for one in fresh} & {
            one.food.key for one in eaten if one.food and one.quantity != Quantity()
        }
        session.eaten = [one for one in session.eaten if one not in fresh or one.food.key not in again]
        return eaten

    def _held(self, session: Session, item: Item) -> bool:
        """Whether a food is in the meal already."""
        return any(one.food == item.food for one in session.eaten)

    def _take_back(
        self, session: Session, denied: Sequence[Item], eaten: list[Item], told: Told
    ) -> list[Item]:
        """Leave out what was not eaten; what stands in its place, and has no amount, takes over its own."""
        words, freed = self.words(session), Quantity()
        for one in denied:
            suits = [
                *(held for held in session.eaten if one.food in (held.food,) or held.written == one.written),
                *(held for held in (*session.open, session.item) if held and held.written == one.written),
                *(
                    held
                    for held in (*session.open, session.item)
                    if held and held.food and held.food == one.food
                ),
            ]
            if suits:
                last, less = suits[-1], one.quantity.of(one.food) if one.food else None
                if isinstance(last, Eaten) and less and last.grams > less and one.quantity.number:
                    rest = Eaten(last.written, last.food, last.grams - less)  # take one beer off
                    session.eaten = [rest if held is last else held for held in session.eaten]
                    made = words["changed"].format(
                        grams=f"{rest.grams:g}", food=rest.food.name(session.language)
                    )
                    told.sentences.append(made)
                    continue
                freed = Quantity(grams=last.grams) if isinstance(last, Eaten) else last.quantity
                session.eaten = [held for held in session.eaten if held not in suits]
                session.open = [held for held in session.open if held not in suits]
                if session.item in suits:
                    session.item, session.asking = None, "meal"
            form = "dropped" if suits else "not_there"
            if suits or not eaten:
                name = one.written if one.food is None else self._called(session, one.written, one.food)
                told.sentences.append(words[form].format(name=name))
        gone = [one.food.portion for one in denied if one.food]
        alike = [
            one for one in eaten if one.food and gone and gone[-1] / 2 <= one.food.portion <= gone[-1] * 2
        ]
        return [
            one._replace(quantity=freed)
            if one.quantity == Quantity()
            and len(eaten) == 1
            and (one in alike or not gone)
            and not self._held(session, one)
            else one
            for one in eaten
        ]

    def _without_food(self, session: Session, heard: Heard, told: Told) -> Answer | None:
        """An amount alone corrects the last food; yes and no answer whether there is more."""
        quantity = session.lexicon.amount(without_manners(heard, session.language))
        if session.asking in ("meal", "told") and session.eaten and SHRUGS.search(heard.text):
            lines = self._lines(session, session.eaten)
            question, asks = self.question(session)
            return Answer(f"{self.words(session)['usual'].format(lines=lines)} {question}", asks)
        if session.asking in ("meal", "told") and session.eaten and quantity != Quantity():
            last = next(
                (one for one in reversed(session.eaten) if one.food == session.named), session.eaten[-1]
            )
            if quantity.slices and not last.food.slice:  # two slices: of what comes in slices
                last = next((one for one in reversed(session.eaten) if one.food.slice), last)
            sized = session.lexicon.degree(heard.text) if quantity.number == 1 else None
            grams = (quantity.of(last.food) or 0.0) * (sized or 1)
            kept = [one for one in session.eaten if one is not last]
            session.eaten = [*kept, Eaten(last.written, last.food, grams)]
            said = self.words(session)["changed"]
            told.sentences.append(
                said.format(grams=f"{grams:g}", food=self._called(session, last.written, last.food))
            )
            return self._led_on(session, told, len(session.eaten))
        if session.asking not in ("meal", "told"):
            return None
        if only_no(heard) or (heard.did("dontcare") and heard.did("whole")):
            return self.finish(session)
        if heard.did("affirm"):
            go_on = "go_on" if session.eaten and session.asking == "meal" else "begin"
            return Answer(self.words(session)[go_on], _ASKED)
        if self._strategy.empathy and feeling(heard.text, session.language):
            question, asks = self.question(session)
            return Answer(question, asks)
        return None
