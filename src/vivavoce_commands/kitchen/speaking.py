"""Speakers with habits: what is to be done becomes what somebody says, and its annotation.

The conventions of the annotation are those of Di Maro et al. 2018: an utterance maps to the predicate of its
template even where the verb differs; what the verb alone says, and what only the context gives, is implicit;
what a pronoun names is not.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Final, NamedTuple

from vivavoce_commands.kitchen.lexicon import Lexicon
from vivavoce_commands.kitchen.recipes import Step
from vivavoce_commands.notation import Argument, Listed, Predicate, Words

_VOWEL = re.compile(r"[aeiouàèìòù]", re.I)
_LO = re.compile(r"(?:s[^aeiou]|z|gn|ps|y)", re.I)
_ARTICLES: Final = {"fs": "la", "fp": "le", "ms": "il", "mp": "i"}
_CLITICS: Final = {"fs": "la", "fp": "le", "ms": "lo", "mp": "li"}
_CONTRACTED: Final = {
    "in": {
        "il": "nel",
        "lo": "nello",
        "la": "nella",
        "l'": "nell'",
        "i": "nei",
        "gli": "negli",
        "le": "nelle",
    },
    "on": {
        "il": "sul",
        "lo": "sullo",
        "la": "sulla",
        "l'": "sull'",
        "i": "sui",
        "gli": "sugli",
        "le": "sulle",
    },
    "from": {
        "il": "dal",
        "lo": "dallo",
        "la": "dalla",
        "l'": "dall'",
        "i": "dai",
        "gli": "dagli",
        "le": "dalle",
    },
}


class Italian:
    """la cipolla, gli spinaci, nell'insalatiera; sbucciala, sbucciarla, sbucciamola."""

    forms: Final = ("imperative", "infinitive", "we", "polite")

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon

    def article(self, noun: str) -> str:
        form = self.lexicon.forms[noun]
        if form.endswith("s") and _VOWEL.match(noun):
            return "l'"
        if form.startswith("m") and (_LO.match(noun) or _VOWEL.match(noun)):
            return "lo" if form == "ms" else "gli"
        return _ARTICLES[form]

    def noun(self, noun: str) -> str:
        return _joined(self.article(noun), noun)

    def several(self, nouns: list[str]) -> str:
        return _listed(nouns, "e")

    def attached(self, relation: str, noun: str) -> str:
        if relation == "with":
            return f"con {self.noun(noun)}"
        return _joined(_CONTRACTED["on" if relation == "over" else relation][self.article(noun)], noun)

    def pronoun(self, nouns: tuple[str, ...]) -> str:
        if len(nouns) == 1:
            return _CLITICS[self.lexicon.forms[nouns[0]]]
        female = all(self.lexicon.forms[noun].startswith("f") for noun in nouns)
        return "le" if female else "li"

    def command(self, way: list[str], form: str, polite: str, remainder: str) -> str:
        return f"{self._verb(way, form, polite)} {remainder}".strip()

    def command_with_pronoun(self, way: list[str], form: str, polite: str, pronoun: str) -> str | None:
        verb = self._verb(way, form, polite)
        if " " in verb.removeprefix(polite).strip():
            return None  # tira fuori, fai cuocere: the pronoun would stand within
        return (verb[:-1] if form in ("infinitive", "polite") else verb) + pronoun

    def _verb(self, way: list[str], form: str, polite: str) -> str:
        infinitive, imperative, we = way
        return {
            "imperative": imperative,
            "infinitive": infinitive,
            "we": we,
            "polite": f"{polite} {infinitive}",
        }[form]


class English:
    """the onion; in the bowl; peel it, let's peel it, can you turn it over."""

    forms: Final = ("imperative", "we", "polite")
    _RELATIONS: Final = {"in": "in", "on": "on", "over": "over", "with": "with", "from": "from"}

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon

    def noun(self, noun: str) -> str:
        return f"the {noun}"

    def several(self, nouns: list[str]) -> str:
        return _listed(nouns, "and")

    def attached(self, relation: str, noun: str) -> str:
        return f"{self._RELATIONS[relation]} the {noun}"

    def pronoun(self, nouns: tuple[str, ...]) -> str:
        return "it" if len(nouns) == 1 and self.lexicon.forms[nouns[0]] == "s" else "them"

    def command(self, way: list[str], form: str, polite: str, remainder: str) -> str:
        return f"{self._lead(form, polite)}{way[0]} {remainder}".strip()

    def command_with_pronoun(self, way: list[str], form: str, polite: str, pronoun: str) -> str | None:
        first, _, particle = way[0].partition(" ")
        return f"{self._lead(form, polite)}{first} {pronoun} {particle}".strip()

    def _lead(self, form: str, polite: str) -> str:
        return {"imperative": "", "we": "let's ", "polite": f"{polite} "}[form]


WORDINGS: Final = {"it": Italian, "en": English}


def _joined(before: str, noun: str) -> str:
    return f"{before}{noun}" if before.endswith("'") else f"{before} {noun}"


def _listed(nouns: list[str], conjunction: str) -> str:
    *most, last = nouns
    return f"{' '.join(most)} {conjunction} {last}" if most else last


class SpokenCommand(NamedTuple):
    """One command: the words, the predicates that they mean, and what is hard about it."""

    text: str
    predicates: tuple[Predicate, ...]
    phenomena: frozenset[str] = frozenset()


@dataclass(slots=True)
class Habits:
    """Speech habits of one speaker; shares are probabilities per command."""

    verbs: dict[str, int]
    form: str
    polite: str
    favourite: float
    ellipsis: float
    pronouns: float
    fillers: float
    address: float
    joining: float


def make_habits(lexicon: Lexicon, chance: Random) -> Habits:
    """A speaker, drawn."""
    forms = WORDINGS[lexicon.language].forms
    weights = (6, 2, 1, 2) if len(forms) == 4 else (6, 1, 2)
    return Habits(
        verbs={action: chance.randrange(len(ways)) for action, ways in lexicon.data["verbs"].items()},
        form=chance.choices(forms, weights)[0],
        polite=chance.choice(lexicon.data["polite"]),
        favourite=chance.uniform(0.6, 0.95),
        ellipsis=chance.uniform(0.1, 0.6),
        pronouns=chance.uniform(0.1, 0.6),
        fillers=chance.betavariate(1, 5),
        address=chance.betavariate(1, 12),
        joining=chance.uniform(0, 0.3),
    )


@dataclass(slots=True)
class Speaker:
    """Says the steps of a recipe; `last` and `place` are what listeners have in mind."""

    lexicon: Lexicon
    habits: Habits
    chance: Random
    last: tuple[str, ...] = ()
    place: str | None = None
    met: set[str] = field(default_factory=set)

    def recipe(self, steps: list[Step]) -> list[SpokenCommand]:
        """The commands of a recipe, several steps in one where the speaker joins them (three at most)."""
        return self.frames(self._joined(steps))

    def frames(self, frames: Iterable[list[Step]]) -> list[SpokenCommand]:
        """One command for each frame of a recipe, whatever is to be done in it."""
        self.last, self.place = (), None
        return [self._command(steps) for steps in frames]

    def _joined(self, steps: list[Step]) -> Iterator[list[Step]]:
        at = 0
        while at < len(steps):
            count = 1
            while count < 3 and at + count < len(steps) and self.often(self.habits.joining):
                count += 1
            yield steps[at : at + count]
            at += count

    def _command(self, steps: list[Step]) -> SpokenCommand:
        words: list[str] = []
        predicates: list[Predicate] = []
        self.met = {"several predicates"} if len(steps) > 1 else set()
        for step in steps:
            silent = bool(predicates) and self._may_stay_silent(step, predicates[-1])
            text, predicate = self._step(step, silent)
            if predicates:
                words.append(self.chance.choice(self.lexicon.data["join"]))
            words.append(text)
            predicates.append(predicate)
        if self.often(self.habits.fillers):
            self.met.add("filler")
            words.insert(0, self.chance.choice(self.lexicon.data["fillers"]))
        if self.often(self.habits.address):
            words.insert(
                self.chance.choice((0, len(words))), self.chance.choice(self.lexicon.data["address"])
            )
        return SpokenCommand(" ".join(words), tuple(predicates), frozenset(self.met))

    def _may_stay_silent(self, step: Step, before: Predicate) -> bool:
        """True if the verb may be left out: the same action again, on something else."""
        same = before.action == self.lexicon.actions[step.action]
        return same and not step.consequence and step.relation != "over" and self.often(self.habits.ellipsis)

    def _step(self, step: Step, silent: bool) -> tuple[str, Predicate]:
        said_object, pronoun = self._object(step, silent)
        hidden = not said_object and not pronoun
        hidden_place = self._hides_place(step, silent)
        text = self._text(step, said_object, pronoun, hidden_place, silent)
        predicate = self._predicate(step, hidden, hidden_place, silent)
        self._meet(step, pronoun=bool(pronoun), silent=silent, hidden=hidden or hidden_place)
        self.last = step.objects
        containers = [*self.lexicon.data["containers"]]
        for noun in (*step.objects, step.complement):
            if noun in containers:
                self.place = noun
        return text, predicate

    def _meet(self, step: Step, *, pronoun: bool, silent: bool, hidden: bool) -> None:
        """Remember what is hard about the step as it was said."""
        met = {
            "pronoun": pronoun,
            "unsaid verb": silent,
            "implicit argument": hidden or step.consequence == "fry",
            "verb of the consequence": bool(step.consequence),
            "unseen thing": any(self.lexicon.unseen(noun) for noun in (*step.objects, step.complement)),
        }
        self.met |= {name for name, is_so in met.items() if is_so}

    def _object(self, step: Step, silent: bool) -> tuple[str, str]:
        """The object as a noun phrase, or as a pronoun, or neither: the listener knows."""
        wording = WORDINGS[self.lexicon.language](self.lexicon)
        repeated = step.objects == self.last and not step.quantity and not silent and step.relation != "over"
        if repeated and self.often(self.habits.pronouns):
            return "", wording.pronoun(step.objects)
        if repeated and not step.consequence and self.often(self.habits.ellipsis):
            return "", ""
        if step.quantity and len(step.objects) == 1:
            return f"{self.lexicon.said(step.quantity)} {step.objects[0]}", ""
        return wording.several([wording.noun(noun) for noun in step.objects]), ""

    def _hides_place(self, step: Step, silent: bool) -> bool:
        in_last_place = (
            step.complement is not None and step.complement == self.place and step.relation == "in"
        )
        return in_last_place and not silent and self.often(self.habits.ellipsis)

    def _text(self, step: Step, noun: str, pronoun: str, hidden_place: bool, silent: bool) -> str:
        wording = WORDINGS[self.lexicon.language](self.lexicon)
        covers = step.relation == "over" and self.often(0.5)
        if covers and step.complement:
            self.met.add("own verb")
            noun, step = wording.noun(step.complement), self._covering(step)
        way = self._way(step)
        complements = []
        if step.complement and not hidden_place:
            complements.append(wording.attached(step.relation, step.complement))
        if step.manner:
            complements.append(step.manner)
        if silent:
            return " ".join([noun, *complements])
        form, polite = self.habits.form, self.habits.polite
        opening_words = wording.command_with_pronoun(way, form, polite, pronoun) if pronoun else None
        if opening_words is None:
            noun = noun or (
                wording.several([wording.noun(noun_key) for noun_key in step.objects]) if pronoun else ""
            )
            opening_words = wording.command(way, form, polite, noun)
        return " ".join([opening_words, *complements])

    def _covering(self, step: Step) -> Step:
        """`cover the bowl with the wrap` for what the template calls put(wrap, bowl)."""
        return Step("cover", (step.complement or "",), complement=step.objects[0], relation="with")

    def _way(self, step: Step) -> list[str]:
        if step.consequence:
            consequences = self.lexicon.data["consequences"]
            return list(consequences.values())[("fry", "clean", "melt").index(step.consequence)]
        ways = self.lexicon.ways(step.action)
        mine = self.habits.verbs[self.lexicon.actions[step.action]]
        way = ways[mine] if self.often(self.habits.favourite) else self.chance.choice(ways)
        if way is not ways[0]:
            self.met.add("own verb")
        return way

    def _predicate(self, step: Step, hidden: bool, hidden_place: bool, silent: bool) -> Predicate:
        arguments: list[Argument] = []
        if step.quantity:
            arguments.append(_named(step.quantity))
        if step.consequence == "clean":
            arguments.append(_named(self.lexicon.data["part"]))
        arguments.append(_several(step.objects, hidden))
        if step.consequence == "fry":
            arguments.append(_named(self.lexicon.data["oil"], implicit=True))
        if step.complement:
            arguments.append(_named(step.complement, implicit=hidden_place))
        if step.manner:
            arguments.append(_named(step.manner))
        return Predicate(self.lexicon.actions[step.action], tuple(arguments), implicit=silent)

    def often(self, share: float) -> bool:
        return self.chance.random() < share


def _named(text: str, *, implicit: bool = False) -> Argument:
    return Argument((Words(text, implicit),))


def _several(nouns: tuple[str, ...], hidden: bool) -> Argument:
    if len(nouns) == 1:
        return _named(nouns[0], implicit=hidden)
    return Argument((Listed(tuple(_named(noun) for noun in nouns), hidden),))
