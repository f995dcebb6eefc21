"""What the counter of carbohydrates says: what changed, what foods have, the total, what is asked next."""

from collections.abc import Sequence
from typing import Final

from vivavoce_bots.acts import Act, stating
from vivavoce_bots.carbs.foods import Food, Quantity, plain
from vivavoce_bots.carbs.meal import Changes, Eaten, Session, shared
from vivavoce_bots.carbs.strategy import Strategy
from vivavoce_bots.carbs.turn import Fact, Op
from vivavoce_bots.dialogue.standing import StandingBot

ASKED: Final = (Act("request", "food"),)


class AnsweringBot(StandingBot[Session]):
    """The part of the counter that answers."""

    _strategy: Strategy

    def question(self, session: Session) -> tuple[str, tuple[Act, ...]]:
        words, item = self.words(session), session.item
        if session.either:
            names = [self._called(session, one.written, one.food) for one in session.either]
            return (
                words["which"].format(names=words["or"].join(names)),
                tuple(stating("select", "food", name) for name in names),
            )
        if item is not None and item.food is not None:
            gaps = {
                "food": self._called(session, item.written, item.food),
                "portion": f"{item.food.portion:g}",
            }
            return words["how_much"].format(**gaps), (Act("request", "quantity"),)
        if item is not None and session.learning:
            return words["learn"].format(name=item.written), (stating("request", "food", item.written),)
        if item is not None:
            names = [food.name(session.language) for food in session.choices]
            listed = ", ".join(f"{number} {name}" for number, name in enumerate(names, 1))
            acts = tuple(stating("select", "food", name) for name in names)
            return words["unknown"].format(name=item.written, choices=listed), acts
        if session.over:
            return words["after"], (Act("reqmore"),)
        return (words["more"], (Act("reqmore"),)) if session.eaten else (words["begin"], ASKED)

    def _settle(self, session: Session) -> tuple[list[str], list[Act]]:
        """Look for what unknown foods may be like; those that are like nothing are left out."""
        said, acts = list[str](), list[Act]()
        while (item := session.item) is not None and item.food is None:
            session.choices = session.lexicon.alike(item.written)
            if session.choices or self._strategy.vocabulary_extension:
                session.learning = session.learning or not session.choices
                break
            session.meal.remove(item)
            said.append(self.words(session)["unlike"].format(name=item.written))
            acts.append(Act("null", "food"))
        else:
            session.choices, session.learning = [], False
        return said, acts

    def _told(self, session: Session, made: Changes, asked: Eaten | None) -> list[str]:
        """The sentences that tell what changed."""
        words, said = self.words(session), list[str]()
        gone = ", ".join(self._called(session, one.written, one.food) for one in made.gone)
        said += [words["dropped"].format(name=gone)] if gone else []
        said += [words["not_there"].format(name=", ".join(made.missing))] if made.missing else []
        for old, new in made.swapped:
            old_name = self._called(session, old.written, old.food)
            said.append(words["swapped"].format(lines=self._lines(session, [new]), old=old_name))
        noted = [one for one in made.noted if one in session.meal]
        said += [words["noted"].format(lines=self._lines(session, noted))] if noted else []
        later = [one.written for one in made.pending if one in session.meal and one is not session.item]
        if later and asked is not None and asked is session.item:
            said.append(words["also"].format(names=", ".join(later)))
        return said

    def _lines(self, session: Session, eaten: Sequence[Eaten], *, counted: bool = False) -> str:
        """Foods with their grams; counted: and their carbohydrates."""
        return ", ".join(
            f"{self._called(session, one.written, one.food)} {one.grams:g} g"
            + (f" ({one.food.carbohydrates(one.grams):.0f} g)" if counted and one.food else "")
            for one in eaten
            if one.grams is not None
        )

    def _noted(self, session: Session, held: Sequence[Op], told: Sequence[Eaten] = ()) -> str:
        """Whether foods that are asked about are in the meal; all of it where none is named."""
        words = self.words(session)
        if not held:
            lines = self._lines(session, session.eaten)
            return words["so_far"].format(lines=lines) if lines else words["none"]
        found = [(one, session.find(one)) for one in held]
        there = [one for _, one in found if one is not None and one.grams is not None and one not in told]
        missing = [self._called(session, one.written, one.food) for one, at in found if at is None]
        doubted = any(one.quantity != Quantity() for one in held)
        lines = self._lines(session, there, counted=True)
        said = [words["so_far" if doubted else "is_in"].format(lines=lines)] if there else []
        said += [words["is_out"].format(names=", ".join(missing))] if missing else []
        return " ".join(said)

    def _without(self, session: Session, left: Sequence[Op]) -> str:
        """What the total would be without some of it."""
        found = [one for one in map(session.find, left) if one is not None]
        rest = round(
            sum(
                one.food.carbohydrates(one.grams)
                for one in session.eaten
                if one.food and one.grams and one not in found
            )
        )
        names = ", ".join(self._called(session, one.written, one.food) for one in left)
        return self.words(session)["without" if found else "is_out"].format(names=names, total=rest)

    def _facts(self, session: Session, facts: Sequence[Fact]) -> tuple[list[str], list[Act]]:
        """What foods have, for whoever asks; nothing is counted."""
        words, said, acts = self.words(session), list[str](), list[Act]()
        for written, food, quantity in facts:
            if food is None:
                said.append(words["no_facts"].format(name=written))
                acts.append(Act("null", "food"))
                continue
            same = session.find(Op("spoke", written, food))
            held = same or next((one for one in session.meal if shared(one.written, written)), None)
            written, food = (held.written, held.food) if held and held.food else (written, food)
            session.named, session.informed = food, True
            acts.append(stating("inform", "food", food.key))
            name = self._called(session, written, food)
            told = quantity.grams or quantity.spoon or quantity.share
            grams = quantity.of(food, held.grams if held else None) if told else None
            gaps = {
                "carbs": f"{food.carbs:g}",
                "portion": f"{food.portion:g}",
                "each": f"{food.carbohydrates(food.portion):.0f}",
            }
            if grams is not None:
                gaps |= {"grams": f"{grams:g}", "each": f"{food.carbohydrates(grams):.0f}"}
                said.append(words["facts_of"].format(food=name, **gaps))
            else:
                said.append(words["facts"].format(food=name, Food=name[:1].upper() + name[1:], **gaps))
        return said, acts

    def _portion(self, session: Session, foods: Sequence[tuple[str, Food]]) -> str:
        """How much a portion is."""
        words = self.words(session)
        return " ".join(
            words["portion_of"].format(food=self._called(session, written, food), portion=f"{food.portion:g}")
            for written, food in foods
        )

    def _assume(self, session: Session) -> list[str]:
        """Usual portions of what was not said; what nobody knows is left out."""
        words = self.words(session)
        open_ = [one for one in session.meal if one.grams is None]
        session.meal = [one for one in session.meal if one.grams is not None or one.food is not None]
        said = [words["unlike"].format(name=one.written) for one in open_ if one.food is None]
        known = [one for one in open_ if one.food is not None]
        for one in known:
            one.grams = one.food.portion if one.food else None
        session.choices, session.learning, session.either = [], False, []
        lines = self._lines(session, known)
        return said + ([words["assumed_all"].format(lines=lines)] if known else [])

    def _sum(self, session: Session) -> tuple[str, tuple[Act, ...]]:
        """The total; usual portions of what is still open."""
        words, assumed = self.words(session), self._assume(session)
        if not session.eaten:
            return " ".join([*assumed, words["none"]]), ()
        lines = self._lines(session, session.eaten, counted=True)
        acts = [stating("inform", "food", one.food.key) for one in session.eaten if one.food]
        acts.append(stating("inform", "carbohydrates", f"{session.total} g"))
        session.settled = True
        return " ".join([*assumed, words["total"].format(lines=lines, total=session.total)]), tuple(acts)

    def _called(self, session: Session, written: str, food: Food | None) -> str:
        """The food's name: the user's own words when aligned or learnt, else the table's."""
        own = food is None or self._strategy.alignment or food.group
        return (
            written
            if food is None or own or plain(written) in session.lexicon.learnt
            else food.name(session.language)
        )
