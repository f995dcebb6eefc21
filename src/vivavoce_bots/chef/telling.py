"""What the robot tells of its kitchen: what is where, what is so, what it has, what it can do."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from vivavoce_bots.acts import Act, stating
from vivavoce_bots.chef.notation import Predicate
from vivavoce_bots.chef.words import (
    ACTIONS,
    AT,
    CONTAINERS,
    ENGLISH,
    EXAMPLES,
    INGREDIENTS,
    PLACES,
    SAID,
    THINGS,
)
from vivavoce_bots.chef.world import World
from vivavoce_bots.dialogue.hearing import Heard

_BEGINS = {
    "en": re.compile(r"\W*(?:(?:and|but|so|no|i meant?),? )*(?:is|are|isn't|aren't) ", re.I),
    "it": re.compile(r"\W*(?:(?:e|ma|no|allora|intendevo|intendo),? )*(?:è|sono) ", re.I),
}
_HAPPENED = re.compile(
    r"\b(?:tolt|mess|aggiunt|cott|pres|rott|buttat)[aoei]\b|\b(?:taken|removed|broken|put|added|cooked|thrown)\b",
    re.I,
)
_DID = {
    "en": re.compile(r"\b(?:did|have|has)\b", re.I),
    "it": re.compile(r"\b(?:hai|ha|c'è|è)\b", re.I),
}
_STANDS = re.compile(
    r"^\W*(?:(?:and|but|e|ma) )?(?:the|il|la|lo|le|i) ?\w+,? (?:\w+ )?(?:is|are|è|sono)\b", re.I
)
_THEY = re.compile(r"\b(?:it|they|them)\b", re.I)
_ASKED = ("inside", "where", "state", "stock")


class Told(NamedTuple):
    """An answer: sentences and acts."""

    text: str
    acts: tuple[Act, ...]


class Telling:
    """Answers in one language."""

    def __init__(self, language: str) -> None:
        self._language, self._said = language, SAID[language]

    def asked(self, heard: Heard) -> bool:
        """Whether an utterance asks about the kitchen."""
        first = next((one for one in heard.spans if one.entry.kind != "aside"), None)
        begins = first is not None and first.start <= 2
        asks = heard.text.rstrip().endswith("?") or self._language == "en"
        if asks and heard.did("thing") and _BEGINS[self._language].match(heard.text):
            return True
        kind = first.entry.kind if first is not None and begins else ""
        whole = heard.text.rstrip().endswith("?") or kind in ("holds", "have")
        asks = whole and heard.did("thing", "state_of")
        if asks and _HAPPENED.search(heard.text) and _DID[self._language].search(heard.text):
            return True
        whether = heard.did("state_of", "have") or kind == "holds"
        whether = whether or (_STANDS.search(heard.text) is not None and len(heard.all("thing")) > 1)
        return heard.did(*_ASKED) or (asks and whether)

    def answer(
        self, heard: Heard, world: World, container: str | None, spoken: Sequence[str] = ()
    ) -> Told | None:
        """The answer to a question about the kitchen; null where nothing is asked.

        spoken  the things that were spoken of last
        """
        if not self.asked(heard):
            return None
        things = [one.value or "" for one in heard.all("thing")]
        things = things or [one for one in spoken if heard.did("state_of", "where")]
        boxes = [one for one in things if one in CONTAINERS]
        if heard.did("where") and things:
            return self._all([self._where(one, world) for one in dict.fromkeys(things)], world, things)
        if heard.did("inside") and (boxes or container):
            return self._all([self._inside(one, world) for one in boxes or [container or ""]], world, boxes)
        if heard.did("state", "inside", "where"):
            return self._all([self._kitchen(world)], world, ())
        if heard.did("stock"):
            return Told(self._stock("stock"), (Act("help"),))
        pronoun = [one for one in heard.all("thing") if one.value in INGREDIENTS] == []
        if pronoun and not [one for one in boxes if one in CONTAINERS and heard.text.lower().find("in") < 0]:
            places = [one for one in things if one in PLACES]
            if places and not boxes and container:
                boxes = [container]
            elif boxes and not places and spoken and (heard.did("it") or _THEY.search(heard.text)):
                things = [*things, *spoken]
        return self._whether(heard, world, things, boxes)

    def places(self, things: Sequence[str], world: World) -> str:
        """Where things are."""
        known = [one.strip("*") for one in things if one]
        return " ".join(self._where(one, world) for one in known if one not in PLACES)

    def _all(self, sentences: Sequence[str], world: World, things: Sequence[str]) -> Told:
        facts = sorted(fact for fact in world.facts() if any(one in fact for one in things or [""]))
        return Told(" ".join(sentences), tuple(stating("inform", "fact", one) for one in facts))

    def _whether(self, heard: Heard, world: World, things: list[str], boxes: list[str]) -> Told | None:
        """Whether something is so; without a word for what, whether there is such a thing."""
        states = [one.value or "" for one in heard.all("state_of")]
        food = [one for one in things if one in INGREDIENTS]
        places = [one for one in things if one in PLACES]
        if states:
            so = bool(food or boxes) and all(world.holds(states[0], one) for one in food or boxes)
        elif food and boxes:
            so = all(one in world.inside.get(boxes[-1], ()) for one in food)
        elif places and boxes:
            so = world.place.get(boxes[-1]) == places[-1]
        elif heard.did("have") and not _HAPPENED.search(heard.text):
            return Told(self._said["yes_have"].format(thing=self.listed(dict.fromkeys(things, ""))), ())
        elif food and (_HAPPENED.search(heard.text) or _DID[self._language].search(heard.text)):
            boxes = [world.where(one) or "" for one in food]
            if not all(boxes):
                return Told(self._said["not_yet"], (Act("ack", None, "no"),))
            told = f"{self._said['yes']} {' '.join(self._where(one, world) for one in food)}"
            return Told(told, (Act("ack", None, "yes"),))
        else:
            known = [one for one in things if one not in PLACES]
            if not known:  # is the oven on?
                return None
            return self._all([self._where(one, world) for one in known], world, known)
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
            things=self.listed(INGREDIENTS), containers=self.listed(CONTAINERS), actions=self.actions()
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
            return str(done)
        words = [self.word(one) if not one.startswith("[") else one for one in done.arguments]
        return str(Predicate(ENGLISH[done.action], tuple(words)))
