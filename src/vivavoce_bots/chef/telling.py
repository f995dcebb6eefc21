"""What the robot tells of its kitchen: what is where, what is so, what it has, what it can do."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vivavoce_bots.acts import Act, stating
from vivavoce_bots.chef.notation import Predicate
from vivavoce_bots.chef.session import Session
from vivavoce_bots.chef.words import (
    ACTIONS,
    ASKED,
    AT,
    CONTAINERS,
    ENGLISH,
    EXAMPLES,
    FEMININE,
    HOW,
    INGREDIENTS,
    LEXICON,
    NEAR,
    OFFERED,
    OFFERS,
    PLACES,
    PLURAL,
    SAID,
    STATES,
    THINGS,
    VEGETABLES,
    VERBS,
    WORDS,
)
from vivavoce_bots.chef.world import VESSELS, WORKED, World, things_of
from vivavoce_bots.dialogue.spotting import tokens

_STATES_OF = {
    **{action: state for action, (state, _) in WORKED.items()},
    "aprire": "aperto",
    "cuocere": "cotto",
    "mescolare": "mescolato",
    "coprire": "coperto",
}
"""What is so where something was done."""
_SHORT = 4  # words of a question about what was spoken of last: have you any?
_FEWEST = 2  # words of a question that is none: what?
_TWICE = ("uovo",)  # one name of what has two


class Told(NamedTuple):
    """An answer: sentences and acts; `known` is false where it says that it does not know.

    offer  a question whether to do what was asked about, and the command that does it
    """

    text: str
    acts: tuple[Act, ...] = ()
    known: bool = True
    offer: tuple[str, str] = ("", "")


class Telling:
    """Answers in one language."""

    def __init__(self, language: str) -> None:
        self._language, self._said = language, SAID[language]

    def answer(self, sentence: str, session: Session, strange: Sequence[str] = ()) -> Told | None:
        """The answer to a question; null where it wants none: `is that so hard?`.

        strange  words for things that are not here
        """
        asked = {kind: form.search(sentence) is not None for kind, form in ASKED[self._language].items()}
        said, world = tokens(sentence), session.world
        spans = LEXICON[self._language].find(sentence, said)
        named = list(dict.fromkeys(span.entry.value or "" for span in spans if span.entry.kind == "thing"))
        states = [state for state, words in STATES[self._language].items() if words & set(said)]
        asked["advice"] = asked["advice"] and not asked["else_done"]
        if asked["did"] and not asked["advice"]:
            states += [
                state
                for action, state in _STATES_OF.items()
                if VERBS[self._language][action].search(sentence)
            ]
        boxes = [one for one in named if one in CONTAINERS]
        food = [one for one in named if one in INGREDIENTS]
        places = [one for one in named if one in PLACES]
        if asked["who"]:
            return Told(self._said["whoareyou"], (Act("ack", None, "whoareyou"),))
        if asked["start"]:
            return Told(self._said["such_as"].format(example=self.example(world)))
        if asked["taste"]:
            return Told(self._said["a_program"])
        if asked["rhetorical"] or (asked["idle"] and not (named or strange)):
            return None
        if asked["whose"] and not asked["have"]:
            return Told(self._said["i_do"].format(example=self.example(world)))
        if asked["help"]:
            return Told(self.help(session.lacking), (Act("help"),))
        food = [session.as_used(one) for one in food]
        if asked["hot"] and not asked["lit"]:
            return self._hot([*boxes, *food], session)
        if asked["status"] and not (named or states):
            return self._last(session)
        if asked["time"] and not states:
            return Told(self._said["heat" if asked["lit"] else "time"], (Act("canthelp"),))
        if asked["how_many"]:
            return self._how_many(food, session, asked)
        if asked["where"] and strange and not named:
            return Told(self.missing(strange), (Act("canthelp"),))
        if asked["where"] and not asked["advice"]:
            things = [one for one in named if one not in PLACES] or list(session.things)
            if things:
                return self._all([self._where(one, world) for one in things], world, things)
            return None if asked["idle"] else Told(self._said["up_to_you"])
        if asked["stock"] and not (asked["status"] or asked["inside"] or (boxes and not asked["vessels"])):
            kind = "vessels" if asked["vessels"] else "greens" if asked["greens"] else ""
            kind = kind or ("foods" if asked["foods"] else "stock")
            return Told(self._stock(kind), (Act("help"),))
        some = WORDS[self._language]["some"].search(sentence) if asked["have"] else None
        if some and not (named or strange or session.waiting):  # have you any capers?
            return Told(self.missing([some[1]]), (Act("canthelp"),))
        if asked["have"] and strange and not named and session.food and len(said) <= _SHORT:
            have = self._said["yes_have"].format(thing=self.listed(session.food))
            return Told(f"{self.missing(strange)} {have}", (Act("canthelp"),))
        if asked["have"] and (strange or food or boxes) and not (asked["inside"] and boxes):
            if strange:
                return Told(self.missing(strange), (Act("canthelp"),))
            if food and not boxes and asked["there"] and any(world.inside.values()):
                return self._all([self._where(one, world) for one in food], world, food)
            if not (boxes and food) and not (
                asked["did"] and (states or asked["out"] or self._done(sentence))
            ):
                return Told(self._said["yes_have"].format(thing=self.listed([*food, *boxes])))
        if asked["have"] and not named and session.food and len(said) <= _SHORT:
            return Told(self._said["yes_have"].format(thing=self.listed(session.food)))
        if (asked["cook"] or (asked["dish"] and strange)) and not (named or asked["have"]):
            return Told(self._said["no_recipes"], (Act("canthelp"),))
        if strange and not named:
            return Told(self.missing(strange), (Act("canthelp"),))
        if asked["inside"]:
            return self._contents(boxes, places, session)
        if asked["status"] and not named:
            return self._last(session)
        if asked["opinion"] and not (named or strange or any(span.entry.kind == "it" for span in spans)):
            return Told(self._said["a_program"], known=False)
        if asked["advice"] or (self._wanted(sentence) and not asked["else_done"]):
            return self._advice(sentence, [one for one in food if not world.where(one)], session)
        if asked["cook"]:
            return Told(self._said["no_recipes"], (Act("canthelp"),))
        states = states if named or session.things else []
        if asked["there"] and food and not (asked["did"] or states or boxes or places or asked["out"]):
            unused = [one for one in food if not world.where(one)]
            forms = OFFERS[self._language]
            offer = (forms["add_asks"], forms["add"].format(food=self.listed(unused)))
            told = self._all([self.places(food, world)], world, food)
            return told._replace(offer=offer) if unused and session.container else told
        if asked["did"] or asked["whether"] or states:
            told = self._whether(sentence, session, states, food, boxes, places, out=asked["out"])
            if told is None and asked["did"] and not named and session.things:
                return self._all([self._where(one, world) for one in session.things], world, session.things)
            if told is not None:
                return told
        things = [one for one in named if one not in PLACES]
        unused = [one for one in food if not world.where(one)]
        if unused and things == unused and len(said) <= _SHORT + 1 and not asked["whether"]:
            forms = OFFERS[self._language]  # and the oil?
            offer = (forms["add_asks"], forms["add"].format(food=self.listed(unused)))
            where = self.places(unused, world)
            return self._all([where], world, unused)._replace(offer=offer)
        if things and (len(said) <= _SHORT or asked["whether"] or asked["there"]):
            return self._all([self._where(one, world) for one in things], world, things)
        if things and not asked["self"]:
            return Told(self._said["up_to_you"])
        if asked["ends"] or asked["idle"] or len(said) < (_FEWEST if any(asked.values()) else _SHORT):
            return None
        return Told(self._said["a_program" if asked["self"] else "unanswered"], known=False)

    def missing(self, strange: Sequence[str]) -> str:
        """That things are not here, and what is near them."""
        told = self._said["missing"].format(thing=self._said["or"].join(dict.fromkeys(strange))[:40])
        near = next((NEAR[one] for one in strange if one in NEAR), None)
        if near in ("ciotola", "tegame"):
            return f"{told} {self._stock('vessels')}"
        return f"{told} {self._said['near'].format(thing=self.word(near))}" if near else told

    def places(self, things: Sequence[str], world: World) -> str:
        """Where things are."""
        return " ".join(self._where(one, world) for one in things if one not in PLACES)

    def _hot(self, things: Sequence[str], session: Session) -> Told:
        """Whether a vessel, or what something lies in, stands where it is hot; else that is offered."""
        world = session.world
        boxes = [one if one in CONTAINERS else world.where(one) for one in things]
        box = next((one for one in boxes if one in VESSELS), session.container)
        if box not in VESSELS:
            return Told(self._said["heat"], (Act("canthelp"),))
        place, name = world.place.get(box), self.word(box)
        if place in ("fuoco", "forno"):
            told = self._said["hot"].format(where=AT[place][self._language], Thing=name.capitalize())
            return Told(told, (Act("ack", None, "yes"),))
        told = self._said["not_hot"].format(Thing=name.capitalize())
        offer = self._cooking(box, world) if world.inside.get(box) else ("", "")
        return Told(told, (Act("ack", None, "no"),), offer=offer)

    def _done(self, sentence: str) -> bool:
        return re.search(r"\b\w+(?:at|ut|it|ess|olt|ott|ert|iunt|res)[oaie]\b", sentence) is not None

    def _all(self, sentences: Sequence[str], world: World, things: Sequence[str]) -> Told:
        facts = sorted(fact for fact in world.facts() if any(one in fact for one in things or [""]))
        return Told(" ".join(sentences), tuple(stating("inform", "fact", fact) for fact in facts))

    def _how_many(self, food: Sequence[str], session: Session, asked: Mapping[str, bool]) -> Told:
        """How much of a food was used; what a dish takes is up to the cook."""
        if asked["have"] and not asked["did"] and food and not any(map(session.world.where, food)):
            return Told(self._said["plenty"])
        recalls = asked["did"] or asked["inside"] or asked["whether"] or asked["there"]
        if asked["advice"] or not recalls:
            return Told(self._said["up_to_you"])
        food = food or session.food
        if not food:
            return Told(self._said["unanswered"], known=False)
        used = [one for one in food if session.world.where(one) or one in session.amounts]
        if not used:
            return Told(self._said["not_yet"])
        told: list[str] = []
        for one in used:
            number = session.amounts.get(one)
            form = "number" if number else "no_number"
            told.append(self._said[form].format(Thing=self.word(one).capitalize(), number=number))
        return Told(" ".join(told))

    def _contents(self, boxes: Sequence[str], places: Sequence[str], session: Session) -> Told:
        world = session.world
        if places and not boxes:
            standing = [one for one, place in world.place.items() if place == places[-1]]
            if not standing:
                at = AT[places[-1]][self._language]
                return Told(self._said["empty_place"].format(where=at, Where=at.capitalize()))
            told = [self._where(one, world) for one in standing]
            return self._all([*told, *(self._inside(one, world) for one in standing)], world, standing)
        boxes = boxes or ([session.container] if session.container else [])
        if not boxes:
            return Told(self._kitchen(world))
        return self._all([self._inside(box, world) for box in boxes], world, boxes)

    def _last(self, session: Session) -> Told:
        if session.done is None:
            return Told(self._said["no_facts"])
        told = self._said["last_done"].format(predicate=self.shown(session.done))
        return Told(f"{told} {self._kitchen(session.world)}")

    def _whether(
        self,
        sentence: str,
        session: Session,
        states: Sequence[str],
        food: Sequence[str],
        boxes: Sequence[str],
        places: Sequence[str],
        *,
        out: bool,
    ) -> Told | None:
        """Whether something is so; null where that is not known here."""
        world = session.world
        spoken = list(session.things)
        if states:
            of = [*(food or boxes)] or spoken
            if states[0] != "cotto":
                return self._state(world, states[0], of)
            if not (food or boxes):
                lies = [box for box in map(world.where, spoken) if box in CONTAINERS]
                of = lies[-1:] or [session.container or ""] if session.container else of
            if of and not any(one in CONTAINERS or world.where(one) for one in of):
                return Told(f"{self._said['no']} {self.places(of, world)}", (Act("ack", None, "no"),))
            told = self._state(world, states[0], of)
            box = of[-1] if of and of[-1] in CONTAINERS else world.where(of[-1]) if of else None
            if told.acts[0].value == "no" and box in VESSELS and world.inside.get(box or ""):
                told = told._replace(offer=self._cooking(box or "", world))
            return told
        if places and food:
            boxes = [world.where(one) or "" for one in food]
            so = all(places[-1] in (box, world.place.get(box)) for box in boxes)
            return Told(f"{self._said['yes' if so else 'no']} {self.places(food, world)}")
        if places and not food:
            box = boxes[-1] if boxes else session.container
            if box is None:
                return self._yes(False)
            told = self._yes(world.place.get(box) == places[-1])
            return (
                told
                if told.acts[0].value == "yes"
                else told._replace(text=f"{told.text} {self._where(box, world)}")
            )
        food = food or ([one for one in spoken if one in INGREDIENTS] if boxes or out else [])
        if food and boxes:
            so = self._yes(all(one in world.inside.get(boxes[-1], ()) for one in food))
            return so._replace(text=f"{so.text} {self.places(food, world)}")
        if not food:
            return self._all([self._where(one, world) for one in boxes], world, boxes) if boxes else None
        used = [one for one in food if world.where(one)]
        if out:
            return Told(f"{self._said['no' if used else 'yes']} {self.places(food, world)}")
        if len(used) < len(food):
            taken = [one for one in food if one in world.taken or one in session.removed]
            text = self.places(food, world) if taken else ""
            forms, unused = OFFERS[self._language], [one for one in food if not world.where(one)]
            wanted = session.container is not None and not taken  # did you put the sugar in?
            offer = (forms["add_asks"], forms["add"].format(food=self.listed(unused))) if wanted else ("", "")
            return Told(text or self._said["not_yet"], (Act("ack", None, "no"),), offer=offer)
        return Told(f"{self._said['yes']} {self.places(food, world)}", (Act("ack", None, "yes"),))

    def _state(self, world: World, state: str, things: Sequence[str]) -> Told:
        """Whether something is true of things, each by its name."""
        able = next((of for how, of in WORKED.values() if how == state), ())
        things = [one for one in things if one in able] or things
        so = [one for one in things if world.holds(state, one)]
        rest = [one for one in things if one not in so]
        answer = "no" if rest or not things else "yes"
        told = [self._said[answer]] if not (so and rest) else []
        for form, group in (("is_so", so), ("not_so", rest)):
            named = self.listed(group)
            how = self._said[form].format(Thing=named.capitalize(), state=self._how(state, group))
            told += [how] if group else []
        return Told(" ".join(told), (Act("ack", None, answer),))

    def _how(self, state: str, things: Sequence[str]) -> str:
        """The word for a state, as it agrees with things in Italian."""
        if self._language == "en" or not things:
            return HOW[state]
        many = len(things) > 1 or things[0] in PLURAL
        ladies = FEMININE.issuperset(things)
        return state[:-1] + ("e" if many and ladies else "i" if many else "a" if ladies else "o")

    def _yes(self, so: bool) -> Told:
        answer = "yes" if so else "no"
        return Told(self._said[answer], (Act("ack", None, answer),))

    def _where(self, thing: str, world: World) -> str:
        place = world.where(thing)
        where = self._said["in_box"].format(box=self.word(place)) if place in CONTAINERS else None
        at_hand = thing in world.taken or bool(world.inside.get(thing))
        away = self._said["at_hand" if at_hand else "cupboard"]
        where = where or (AT[place][self._language] if place else away)
        return self._said["where"].format(Thing=self.word(thing).capitalize(), where=where)

    def _inside(self, box: str, world: World) -> str:
        inside = world.inside.get(box, [])
        name = self.word(box)
        return self._said["inside" if inside else "nothing"].format(
            thing=name, Thing=name.capitalize(), things=self.listed(inside)
        )

    def _kitchen(self, world: World) -> str:
        used = dict.fromkeys([*world.place, *world.inside])
        told = [self._where(one, world) for one in used if one in world.place]
        told += [self._inside(one, world) for one in used if world.inside.get(one)]
        return " ".join(told) or self._said["no_facts"]

    def _stock(self, sentence: str) -> str:
        return self._said[sentence].format(
            things=self.listed([one for one in INGREDIENTS if one not in _TWICE]),
            containers=self.listed(CONTAINERS),
            actions=self.actions(),
            greens=self.listed(VEGETABLES),
        )

    def help(self, lacking: str | None) -> str:
        """What can be said: to what is lacking, or at all."""
        return self._stock(f"help_{lacking}" if lacking else "help")

    def proposal(self, things: Sequence[str]) -> str:
        """The command that brings things where they were asked for; `` where that is not clear."""
        boxes = [one for one in things if one in CONTAINERS]
        places = [one for one in things if one in PLACES]
        food = [one for one in things if one in INGREDIENTS]
        if not boxes or not (places or food):
            return ""
        form = EXAMPLES[self._language]["place" if places else "add"]
        where = AT[places[0]][self._language] if places else ""
        return form.format(box=self.word(boxes[0]), where=where, food=self.word((food or [""])[0]))

    def offer(self, why: str, wish: Predicate | None, world: World) -> tuple[str, str] | None:
        """What would make cooking possible: whether to do so, and the commands for it."""
        if wish is None or wish.action != "cuocere" or why not in ("cold", "dry"):
            return None
        things = things_of(wish)
        box = next((one for one in things if one in CONTAINERS), None) or next(
            (box for box, inside in world.inside.items() if set(things) & set(inside)), ""
        )
        if box not in VESSELS or (why == "cold" and world.place.get(box)):
            return None
        article = ("la" if box in FEMININE else "il") if self._language == "it" else "the"
        box = f"{article} {self.word(box)}"
        forms = OFFERS[self._language]
        return forms[f"{why}_asks"].format(box=box), forms[why].format(box=box)

    def _cooking(self, box: str, world: World) -> tuple[str, str]:
        """Whether to cook what is in a vessel, and the command for it."""
        cold = self.offer("cold", Predicate("cuocere", (box,)), world)
        forms = OFFERS[self._language]
        return cold or (forms["cook_asks"], forms["cook"].format(box=self.word(box)))

    def _wanted(self, sentence: str) -> str:
        """The command in a question whether one should do something; `` where there is none."""
        found = OFFERED[self._language].search(sentence)
        if found is None:
            return ""
        words = (found["what"] or "").strip(" ?.!,")
        if self._language == "it" and found["verb"]:  # le metto in padella? mettile in padella
            stem = found["verb"][:-1].removesuffix("i")
            words = f"{stem}i{found['it']} {words}"
        first = VERBS[self._language].values()
        return words if any(form.match(words) for form in first) else ""

    def _advice(self, sentence: str, unused: Sequence[str], session: Session) -> Told:
        """What to do is up to the cook; what they ask about is offered."""
        wanted, forms = self._wanted(sentence), OFFERS[self._language]
        offer = (forms["asks"], wanted) if wanted else ("", "")
        if not wanted and unused and session.container:  # do I need milk?
            offer = (forms["add_asks"], forms["add"].format(food=self.listed(unused)))
        return Told(self._said["up_to_you"], offer=offer)

    def example(self, world: World) -> str:
        """A command that makes sense as things stand."""
        forms = EXAMPLES[self._language]
        vessels = [
            box for box in dict.fromkeys([*world.inside, *world.place]) if box not in ("piatto", "ciotola")
        ]
        full = [box for box in vessels if world.inside.get(box)]
        box = (full or vessels or [""])[-1]
        food = [one for one in world.inside.get(box, ()) if one not in ("acqua", "sale", "olio", "burro")]
        cooked = [one for one in food if (box, one) in world.cooked]
        step = "begin" if not box else "serve" if cooked else "fill" if not food else "cook"
        step = "heat" if step == "cook" and world.place.get(box) is None else step
        return forms[step].format(box=self.word(box), food=self.word((cooked or food or [""])[-1]))

    def actions(self) -> str:
        return ", ".join(sorted(ENGLISH.values() if self._language == "en" else ACTIONS))

    def listed(self, things: Sequence[str] | dict[str, str]) -> str:
        return ", ".join(self.word(one) for one in things)

    def word(self, thing: str) -> str:
        bare = thing.strip("*")
        return THINGS.get(bare, bare) if self._language == "en" else bare

    def verb(self, action: str) -> str:
        return ENGLISH.get(action, action) if self._language == "en" else action

    def shown(self, done: Predicate) -> str:
        """A command in the notation, in the words of the language."""
        if self._language != "en":
            return str(done).replace("*", "")
        words = [self._shown_argument(argument) for argument in done.arguments]
        return str(Predicate(ENGLISH[done.action], tuple(words)))

    def _shown_argument(self, argument: str) -> str:
        if not argument.startswith("["):
            return self.word(argument)
        return f"[{self.listed([one.strip() for one in argument.strip('[]').split(',')])}]"
