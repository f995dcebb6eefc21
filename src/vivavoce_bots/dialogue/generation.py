"""From acts to words, by the sentences of a language; where there are several, chance chooses, seeded."""

from collections.abc import Callable, Sequence
from random import Random

from vivavoce_bots.acts import DONTCARE, Act
from vivavoce_bots.dialogue.domain import NAME, TYPE, Domain
from vivavoce_bots.dialogue.opening import DAY, HOURS, TIME, relative_day
from vivavoce_bots.dialogue.speech import speech
from vivavoce_bots.dialogue.values import DISHES, OTHER

_LISTED = 15
_PRICE = "pricerange"


class Generation:
    """Says acts in one language."""

    def __init__(self, domain: Domain, language: str) -> None:
        self._domain, self._language, self._speech = domain, language, speech(language)
        self._forms = self._speech.forms

    def say(self, acts: Sequence[Act], venue: str | None, random: Random) -> str:
        """The text of one system turn; `venue` is the venue that answers are about."""
        sentences: list[str] = []
        told: set[str] = set()
        echoed = [act for act in acts if act.act == "inform" and self._describes(act)]
        if echoed and acts[-1].act == "request" and not any(act.act == "offer" for act in acts):
            told = {act.slot or "" for act in echoed}
        for index, act in enumerate(acts):
            if act.act == "offer":
                described = [one for one in dict.fromkeys(acts[index + 1 :]) if self._describes(one)]
                told |= {item.slot or "" for item in described}
                sentences.append(self._offer(act.value or "", described))
            elif act in echoed[:1] and act.slot in told and acts[-1].act == "request":
                sentences.append(self._forms["echo"].format(what=self._what(echoed, bare=True)))
            elif act.act == "inform" and act.slot != NAME and act.slot not in told:
                sentences.append(self._inform(act, venue))
            elif act.act in self._sayings:
                sentences.append(self._sayings[act.act](act, venue, random))
            elif act.act == "hello" and acts[-1].act == "request":
                sentences.append(self._one_of(self._speech.sentences["greeting"], random))
            elif act.act in self._speech.sentences and not (act.act == "canthelp" and act.slot):
                sentences.append(self._one_of(self._speech.sentences[act.act], random))
            if index == 0 or act.act != acts[index - 1].act:
                sentences += self._together([one for one in acts if one.act == act.act and one.slot], venue)
        return " ".join(filter(None, sentences))

    def _together(self, acts: list[Act], venue: str | None) -> list[str]:
        """What several acts of one kind say in one sentence: what there is not, what there is instead."""
        sayings = {"canthelp": self._cannot, "select": self._propose}
        if acts and acts[0].act == "null":
            return [self._not_told(acts, venue)]
        return [sayings[acts[0].act](acts)] if acts and acts[0].act in sayings else []

    @property
    def _sayings(self) -> dict[str, Callable[[Act, str | None, Random], str]]:
        return {
            "request": self._request,
            "confirm": self._confirm,
            "help": self._help,
            "ack": lambda act, _, random: self._one_of(self._speech.answers[act.value or ""], random),
        }

    def _one_of(self, sentences: list[str], random: Random) -> str:
        return random.choice(sentences).format(kinds=self._kinds())

    def _kinds(self) -> str:
        """What there is, such as restaurants, pubs and coffee shops."""
        return self._listed([by.get(self._language) or name for name, by in self._domain.plurals.items()])

    def _listed(self, things: list[str], conjunction: str = "and") -> str:
        return self._forms[conjunction].join([", ".join(things[:-1]), things[-1]] if things[1:] else things)

    def _describes(self, act: Act) -> bool:
        """Whether it tells what kind of place a venue is."""
        known = self._domain.slots.get(act.slot or "")
        return act.act == "inform" and (act.slot == TYPE or (known is not None and known.constraint))

    def _offer(self, name: str, described: list[Act]) -> str:
        if not described:
            return self._forms["offer_open"].format(name=name)
        types = [act.value for act in described if act.slot == TYPE]
        article = self._domain.articles.get(types[0] or "", {}).get(self._language) if types else None
        head = self._forms["offer"].format(name=name, article=article) if article else ""
        head = head or self._forms["offer_bare"].format(name=name)
        return " ".join([head, *self._described(described)]) + "."

    def _described(self, acts: Sequence[Act], *, bare: bool = False) -> list[str]:
        """Constraints as they stand after the noun, in the domain's order; bare: a day without `open`."""
        order = list(self._domain.slots)
        told = [act for act in acts if act.slot in self._domain.slots]
        told.sort(key=lambda act: (act.slot in (DAY, TIME), order.index(act.slot or "")))
        said = [self._constraint(act) for act in told if act.slot not in (DAY, TIME)]
        when = [self._when(act, bare=bare) for act in told if act.slot in (DAY, TIME)]
        form = "{when}" if bare else self._forms["open"]
        return [*said, *([form.format(when=" ".join(when))] if when else [])]

    def _when(self, act: Act, *, bare: bool) -> str:
        """A day or a time behind `open`, which needs no preposition before a day in every language."""
        if bare or act.slot != DAY or act.value == DONTCARE or act.op == "!=":
            return self._constraint(act)
        value = self._domain.say(DAY, act.value or "", self._language)
        return self._forms["open_on"].format(value=value)

    def _constraint(self, act: Act) -> str:
        if act.value == DONTCARE:
            return self._domain.slots[act.slot or ""].anything.get(self._language, "")
        described = self._domain.describe(act.slot or "", act.value or "", self._language)
        return self._forms["but_not"].format(what=described) if act.op == "!=" else described

    def _inform(self, act: Act, venue: str | None) -> str:
        if self._describes(act):
            return self._offer(venue or "", [act])
        return self._fact("inform_hours" if act.slot == HOURS else "inform", act, venue)

    def _not_told(self, acts: list[Act], venue: str | None) -> str:
        """What is not known of a venue, or cannot be searched by, in one sentence."""
        named = [act for act in acts if act.slot != OTHER]
        names = self._listed([self._name_of(act.slot or "") for act in named], "or")
        if venue is None:
            form = "unknown_here" if named else "unknown_here_other"
            form = "unknown_dish" if named and all(act.slot == DISHES for act in named) else form
        elif not named:
            form = "unknown_other"
        else:
            form = "unknown" if all(act.slot in self._domain.slots for act in named) else "unknown_attribute"
        return self._forms[form].format(slot=names, name=venue)

    def _fact(self, form: str, act: Act, venue: str | None) -> str:
        slot = act.slot or ""
        shown = self._name_of(slot)
        value = self._domain.say(slot, act.value or "", self._language)
        return self._forms[form].format(slot=shown, Slot=_capital(shown), name=venue, value=value)

    def _request(self, act: Act, venue: str | None, random: Random) -> str:
        slot = act.slot or ""
        if slot == TYPE:
            return self._forms["request_type"].format(choices=self._values(TYPE, "or"))
        known = self._speech.questions.get(slot)
        return random.choice(known) if known else self._forms["request"].format(slot=self._name_of(slot))

    def _values(self, slot: str, conjunction: str) -> str:
        known = self._domain.types if slot == TYPE else self._domain.slots[slot].values
        shown = [self._domain.say(slot, value, self._language) for value in list(known)[:_LISTED]]
        return self._listed(shown, conjunction)

    def _confirm(self, act: Act, venue: str | None, random: Random) -> str:
        if act.value == DONTCARE:
            return self._forms["confirm_dontcare"].format(slot=self._name_of(act.slot or ""))
        if act.slot in (_PRICE, TIME):  # an evening, or a special occasion, tells neither in so many words
            return self._forms["confirm_meant"].format(value=self._constraint(act))
        if act.slot != DAY:
            shown = self._domain.say(act.slot or "", act.value or "", self._language)
            return self._forms["confirm"].format(value=shown)
        relative = relative_day(act.value, self._language)
        form = "confirm_relative" if relative else "confirm"
        return self._forms[form].format(value=self._constraint(act), relative=relative)

    def _help(self, act: Act, venue: str | None, random: Random) -> str:
        """What one can say: the values of a slot, what one can ask of a venue, what one can search by."""
        if act.slot == TYPE or (act.slot in self._domain.slots and self._domain.slots[act.slot].values):
            shown = _capital(self._name_of(act.slot))
            return self._forms["options"].format(Slot=shown, choices=self._values(act.slot, "and"))
        if venue is not None:
            return self._forms["help_venue"].format(name=venue, requests=self._requests())
        names = [self._name_of(slot) for slot in self._domain.constraint_slots(None)]
        return self._forms["help"].format(
            kinds=self._kinds(), constraints=self._listed(names), example=self._example()
        )

    def _requests(self) -> str:
        asked = [slot.name for slot in self._domain.slots.values() if slot.requestable]
        return self._listed([self._name_of(slot) for slot in asked])

    def _example(self) -> str:
        """A venue that there is, as one would ask for it."""
        if not self._domain.venues:
            return self._kinds()
        venue = self._domain.venues[0]
        article = self._domain.articles[venue.type].get(self._language, venue.type)
        slots = [slot for slot in self._domain.constraint_slots(venue.type) if slot in venue.slots][:2]
        told = [self._domain.describe(slot, venue.slots[slot], self._language) for slot in slots]
        return " ".join([article, *told])

    def _cannot(self, acts: list[Act]) -> str:
        form = "canthelp_other" if any(act.slot == NAME for act in acts) else "canthelp"
        return self._forms[form].format(what=self._what(acts))

    def _propose(self, acts: list[Act]) -> str:
        """What there is instead, or what would have to be given up."""
        slots = list(dict.fromkeys(act.slot or "" for act in acts))
        values = [act.value or "" for act in acts if act.value != DONTCARE]
        if len(slots) > 1 or not values:
            return self._forms["leave"].format(slots=self._listed([self._name_of(slot) for slot in slots]))
        form = "propose_type" if slots[0] == TYPE else "propose"
        return self._forms[form].format(what=self._alternatives(slots[0], values))

    def _alternatives(self, slot: str, values: list[str]) -> str:
        """Values of a slot as they stand after the noun: `in the east or south of town`."""
        if slot == TYPE:
            articles = [self._domain.articles[value].get(self._language, value) for value in values]
            return self._listed(articles, "or")
        plain = [self._domain.say(slot, value, self._language) for value in values]
        if not any(self._domain.slots[slot].value_phrases.get(value) for value in values):
            form = self._domain.describe(slot, values[0], self._language)
            return form.replace(plain[0], self._listed(plain, "or"))
        return self._listed([self._domain.describe(slot, value, self._language) for value in values], "or")

    def _what(self, acts: list[Act], *, bare: bool = False) -> str:
        """A kind of place with its constraints: `pub in the north of town`; bare: these alone if need be."""
        types = [act.value or "" for act in acts if act.slot == TYPE]
        wanted = {act.slot or "": act.value or "" for act in acts if act.op != "!="}
        implied = None if bare else self._domain.implied_type(wanted)
        types += [implied] if implied and not types else []
        if not types:
            what = [] if bare else [self._forms["place"]]
        elif bare:
            what = [self._domain.articles.get(types[0], {}).get(self._language, types[0])]
        else:
            what = [self._domain.say(TYPE, types[0], self._language)]
        return " ".join([*what, *self._described(acts, bare=bare and not types)])

    def _name_of(self, slot: str) -> str:
        known = self._domain.slots.get(slot)
        other = self._speech.slots.get(slot) or self._speech.attributes.get(slot) or {}
        return known.names.get(self._language, slot) if known else other.get("name", slot)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
