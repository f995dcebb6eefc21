"""Asks what was eaten, settles what and how much, and adds up the carbohydrates; the system leads."""

import re
from collections import deque
from dataclasses import dataclass, field
from typing import ClassVar, Final

from vivavoce_bots.acts import Act, Meaning, Reply, stating
from vivavoce_bots.bot import Texts
from vivavoce_bots.carbs.foods import Food, Item, Lexicon, plain
from vivavoce_bots.carbs.strategy import strategies
from vivavoce_bots.dialogue.feelings import feeling
from vivavoce_bots.dialogue.speech import language_of

_MOST_OPEN: Final = 40

_SAYS: Final = {
    "en": {
        "bye": r"\b(bye|goodbye)\b",
        "no": r"^\W*(no|nope|nothing|that'?s (all|it)|that is (all|it)|none|neither|done|all set)\b",
        "yes": r"^\W*(yes|yeah|ok|right)\b",
        "question": r"\?\s*$",
        "again": r"\b(start again|new meal)\b",
    },
    "it": {
        "bye": r"\b(arrivederci|addio)\b",
        "no": r"^\W*(no|niente|nient'altro|nulla|basta|è tutto|nessuno|nessuna|ho finito|finito)\b",
        "yes": r"^\W*(sì|si|ok|esatto|giusto)\b",
        "question": r"\?\s*$",
        "again": r"\b(da capo|nuovo pasto)\b",
    },
}


@dataclass
class Session:
    """The meal so far, what is still to be settled, and what was asked last."""

    language: str
    lexicon: Lexicon
    eaten: list[tuple[str, Food, float]] = field(default_factory=list)
    open: deque[Item] = field(default_factory=deque)
    asking: str = "meal"
    item: Item | None = None
    choices: list[Food] = field(default_factory=list)

    @property
    def total(self) -> int:
        return round(sum(food.carbohydrates(grams) for _, food, grams in self.eaten))


class CarbsBot:
    """Counts carbohydrates. `variant` names the strategies that are switched on."""

    name: str = "carbs"
    variants: ClassVar[tuple[str, ...]] = tuple(strategies())

    def __init__(self, variant: str = "control") -> None:
        self._strategy = strategies()[variant]

    def session(self, conversation: str, language: str = "en") -> Session:
        spoken = language_of(language)
        return Session(spoken, Lexicon(spoken))

    def greet(self, session: Session) -> Reply:
        return Reply(self._say(session, "hello"), (Act("hello"), Act("request", "food")), (), False)

    def reply(self, session: Session, texts: Texts) -> Reply:
        text = texts[0][0] if texts else ""
        if self._says(session, "bye", text):
            return Reply(self._say(session, "bye"), (Act("bye"),), (), True)
        felt = feeling(text, session.language)
        said, acts = self._answer(session, text, felt is not None)
        lead = self._say(session, felt) if felt and self._strategy.empathy else ""
        understood = tuple(stating("inform", "food", item.written) for item in session.open)
        return Reply(lead + said, acts, (Meaning(understood, 1.0),), False)

    def _answer(self, session: Session, text: str, felt: bool) -> tuple[str, tuple[Act, ...]]:
        if self._says(session, "again", text):
            session.eaten.clear()
            session.open.clear()
            session.asking = "meal"
            return self._say(session, "none"), (Act("request", "food"),)
        if session.asking == "how_much" and session.item is not None:
            return self._take_quantity(session, session.item, text)
        if session.asking in ("like", "learn") and session.item is not None:
            return self._take_likeness(session, session.item, text)
        if self._says(session, "no", text):
            return self._total(session)
        if self._says(session, "question", text):
            return self._lost(session)
        items = [] if felt else session.lexicon.items(text)
        if felt:
            items = [item for item in session.lexicon.items(text) if item.food is not None]
        session.open.extend(items[: max(0, _MOST_OPEN - len(session.open))])
        return self._next(session) if items else self._lost(session)

    def _lost(self, session: Session) -> tuple[str, tuple[Act, ...]]:
        return self._say(session, "facing" if self._strategy.facing else "puzzled"), (Act("repeat"),)

    def _take_quantity(self, session: Session, item: Item, text: str) -> tuple[str, tuple[Act, ...]]:
        quantity = session.lexicon.quantity(text)
        grams = quantity.of(item.food) if item.food else None
        if grams is None and self._says(session, "yes", text) and item.food:
            grams = item.food.portion
        if grams is None or item.food is None:
            return self._ask_quantity(session, item, lead=self._lost(session)[0] + " ")
        session.eaten.append((item.written, item.food, grams))
        return self._next(session)

    def _take_likeness(self, session: Session, item: Item, text: str) -> tuple[str, tuple[Act, ...]]:
        """Which known food an unknown one is like: by number, by name, or none."""
        number = session.lexicon.quantity(text).number
        chosen = next((one.food for one in session.lexicon.items(text) if one.food is not None), None)
        if chosen is None and number is not None and number in range(1, len(session.choices) + 1):
            chosen = session.choices[int(number) - 1]
        if chosen is None and self._says(session, "yes", text) and session.choices:
            chosen = session.choices[0]
        if chosen is None and session.asking == "like" and self._strategy.vocabulary_extension:
            session.asking = "learn"
            return self._say(session, "learn", name=item.written), (stating("request", "food", item.written),)
        if chosen is None:
            session.asking = "meal"
            return self._leave_out(session, item)
        lead = ""
        if self._strategy.vocabulary_extension:
            session.lexicon.learn(item.written, chosen)
            lead = self._say(session, "learnt", name=item.written) + " "
        session.open.appendleft(Item(item.written, item.quantity, chosen))
        said, acts = self._next(session)
        return lead + said, acts

    def _leave_out(self, session: Session, item: Item) -> tuple[str, tuple[Act, ...]]:
        if session.open:
            return self._next(session)
        return self._say(session, "unlike", name=item.written), (Act("null", "food"), Act("reqmore"))

    def _next(self, session: Session) -> tuple[str, tuple[Act, ...]]:
        """Settle the next piece of the meal; when all are, ask for more."""
        while session.open:
            item = session.open.popleft()
            session.item = item
            if item.food is None:
                session.choices = session.lexicon.alike(item.written)
                return self._ask_likeness(session, item)
            grams = item.quantity.of(item.food)
            if grams is None:
                return self._ask_quantity(session, item)
            session.eaten.append((item.written, item.food, grams))
        session.asking, session.item = "meal", None
        return self._say(session, "more"), (Act("reqmore"),)

    def _ask_likeness(self, session: Session, item: Item) -> tuple[str, tuple[Act, ...]]:
        if not session.choices and not self._strategy.vocabulary_extension:
            session.asking = "meal"
            return self._leave_out(session, item)
        if not session.choices:
            session.asking = "learn"
            return self._say(session, "learn", name=item.written), (stating("request", "food", item.written),)
        session.asking = "like"
        names = [food.name(session.language) for food in session.choices]
        listed = ", ".join(f"{number} {name}" for number, name in enumerate(names, 1))
        acts = tuple(stating("select", "food", name) for name in names)
        return self._say(session, "unknown", name=item.written, choices=listed), acts

    def _ask_quantity(self, session: Session, item: Item, lead: str = "") -> tuple[str, tuple[Act, ...]]:
        session.asking = "how_much"
        portion = f"{item.food.portion:g}" if item.food else ""
        said = self._say(
            session, "how_much", food=self._called(session, item.written, item.food), portion=portion
        )
        return lead + said, (Act("request", "quantity"),)

    def _total(self, session: Session) -> tuple[str, tuple[Act, ...]]:
        if not session.eaten:
            return self._say(session, "none"), (Act("request", "food"),)
        lines = ", ".join(
            f"{self._called(session, written, food)} {grams:g} g ({food.carbohydrates(grams):.0f} g)"
            for written, food, grams in session.eaten
        )
        acts = [stating("inform", "food", food.key) for _, food, _ in session.eaten]
        acts.append(stating("inform", "carbohydrates", f"{session.total} g"))
        return self._say(session, "total", lines=lines, total=session.total), tuple(acts)

    def _called(self, session: Session, written: str, food: Food | None) -> str:
        """The food's name: the user's own words when aligned or learnt, else the table's."""
        own = self._strategy.alignment or plain(written) in session.lexicon.learnt
        return written if own or food is None else food.name(session.language)

    def _say(self, session: Session, sentence: str, **words: object) -> str:
        return self._strategy.say(session.language, sentence, **words)

    def _says(self, session: Session, what: str, text: str) -> bool:
        return re.search(_SAYS[session.language][what], text[:2_000], re.I) is not None
