"""From acts to words, by templates; where there are several, chance chooses, seeded."""

from collections.abc import Sequence
from random import Random
from typing import Final

from vivavoce_bots.acts import DONTCARE, Act
from vivavoce_bots.restaurant.domain import NAME, TYPE, Domain

_FIXED: Final[dict[str, dict[str, list[str]]]] = {
    "en": {
        "hello": [
            "Hello! I can find {kinds}. What are you looking for?",
            "Welcome! Tell me what kind of place you are looking for, and I will find one.",
        ],
        "bye": ["Thank you and goodbye.", "Goodbye, and enjoy yourself!"],
        "reqmore": ["Can I help you with anything else?", "Is there anything else you would like to know?"],
        "repeat": ["Sorry, I did not understand that.", "I am sorry, could you say that in other words?"],
        "canthelp": ["I am sorry, there is nothing else that I could offer."],
        "help": ["You can tell me the kind of place, and ask for its address or phone number."],
    },
    "it": {
        "hello": [
            "Buongiorno! Posso trovare {kinds}. Che cosa cerca?",
            "Benvenuto! Mi dica che posto cerca e glielo trovo.",
        ],
        "bye": ["Grazie e arrivederci.", "Arrivederci e buon divertimento!"],
        "reqmore": ["Posso fare altro per Lei?", "Desidera sapere altro?"],
        "repeat": ["Mi scusi, non ho capito.", "Mi dispiace, può dirlo con altre parole?"],
        "canthelp": ["Mi dispiace, non ho altro da proporre."],
        "help": ["Può dirmi che posto cerca e chiedere l'indirizzo o il telefono."],
    },
}
_FORMS: Final[dict[str, dict[str, str]]] = {
    "en": {
        "offer": "{name} is {article}",
        "offer_bare": "{name} is a place",
        "offer_open": "How about {name}?",
        "inform": "The {slot} of {name} is {value}.",
        "unknown": "I do not know the {slot} of {name}.",
        "request": "What {slot} would you like?",
        "request_type": "What kind of place are you looking for: {choices}?",
        "confirm": "Did you say {value}?",
        "confirm_dontcare": "Does the {slot} not matter to you?",
        "canthelp": "I am sorry, there is no {what}.",
        "canthelp_other": "I am sorry, there is no other {what}.",
        "echo": "Very well: {what}.",
        "place": "such place",
        "or": " or ",
        "and": " and ",
    },
    "it": {
        "offer": "{name} è {article}",
        "offer_bare": "{name} è un posto",
        "offer_open": "Che ne dice di {name}?",
        "inform": "{Slot} di {name}: {value}.",
        "unknown": "Non conosco questo dato di {name}: {slot}.",
        "request": "Che cosa preferisce per questo: {slot}?",
        "request_type": "Che tipo di posto cerca: {choices}?",
        "confirm": "Ha detto {value}?",
        "confirm_dontcare": "Le è indifferente questo: {slot}?",
        "canthelp": "Mi dispiace, non c'è nessun {what}.",
        "canthelp_other": "Mi dispiace, non c'è nessun altro {what}.",
        "echo": "Va bene: {what}.",
        "place": "posto del genere",
        "or": " o ",
        "and": " e ",
    },
}
_REQUESTS: Final[dict[str, dict[str, list[str]]]] = {
    "en": {
        "food": ["What kind of food would you like?", "Which cuisine do you prefer?"],
        "area": ["What part of town do you have in mind?", "In which area should it be?"],
        "pricerange": [
            "Would you like something cheap, moderate or expensive?",
            "What price range would you like?",
        ],
        "children": ["Should children be welcome there?"],
        "internet": ["Do you need internet there?"],
    },
    "it": {
        "food": ["Che tipo di cucina preferisce?", "Che cosa vorrebbe mangiare?"],
        "area": ["In quale zona della città?", "Che zona preferisce?"],
        "pricerange": ["Preferisce un posto economico, medio o caro?", "Che fascia di prezzo preferisce?"],
        "children": ["Devono essere ammessi i bambini?"],
        "internet": ["Le serve internet?"],
    },
}


class Generation:
    """Says acts in one language."""

    def __init__(self, domain: Domain, language: str) -> None:
        self._domain, self._language = domain, language
        self._fixed, self._forms = _FIXED[language], _FORMS[language]

    def say(self, acts: Sequence[Act], venue: str | None, random: Random) -> str:
        """The text of one system turn; `venue` is the venue that answers are about."""
        sentences: list[str] = []
        told: set[str] = set()
        if acts and acts[0].act == "inform" and acts[0].slot != NAME and acts[-1].act == "request":
            echoed = [act for act in acts if act.act == "inform"]
            told = {act.slot or "" for act in echoed}
            sentences.append(self._forms["echo"].format(what=self._what(echoed)))
        for index, act in enumerate(acts):
            if act.act == "offer":
                described = self._described(acts[index + 1 :])
                told |= {item.slot or "" for item in described}
                sentences.append(self._offer(act.value or "", described))
            elif act.act == "inform" and act.slot not in told and act.slot != NAME:
                sentences.append(self._fact("inform", act, venue))
            elif act.act == "null":
                sentences.append(self._fact("unknown", act, venue))
            elif act.act == "request":
                sentences.append(self._request(act.slot or "", random))
            elif act.act == "confirm":
                sentences.append(self._confirm(act))
            elif act.act in self._fixed and not (act.act == "canthelp" and act.slot):
                sentences.append(random.choice(self._fixed[act.act]).format(kinds=self._kinds()))
        unmet = [act for act in acts if act.act == "canthelp" and act.slot]
        if unmet:
            sentences.append(self._cannot(unmet))
        return " ".join(sentences)

    def _kinds(self) -> str:
        """What there is, such as restaurants, pubs and coffee shops."""
        plurals = [by.get(self._language) or name for name, by in self._domain.plurals.items()]
        return self._forms["and"].join([", ".join(plurals[:-1]), plurals[-1]] if plurals[1:] else plurals)

    def _described(self, rest: Sequence[Act]) -> list[Act]:
        """The informs behind an offer that tell what kind of place it is."""
        return [
            act
            for act in rest
            if act.act == "inform"
            and act.slot
            and (
                act.slot == TYPE
                or (act.slot in self._domain.slots and self._domain.slots[act.slot].constraint)
            )
        ]

    def _offer(self, name: str, described: list[Act]) -> str:
        if not described:
            return self._forms["offer_open"].format(name=name)
        types = [act.value for act in described if act.slot == TYPE]
        article = self._domain.articles.get(types[0] or "", {}).get(self._language) if types else None
        head = self._forms["offer"].format(name=name, article=article) if article else ""
        head = head or self._forms["offer_bare"].format(name=name)
        return " ".join([head, *(self._constraint(act) for act in described if act.slot != TYPE)]) + "."

    def _constraint(self, act: Act) -> str:
        return self._domain.describe(act.slot or "", act.value or "", self._language)

    def _fact(self, form: str, act: Act, venue: str | None) -> str:
        slot = act.slot or ""
        shown = self._name_of(slot)
        value = self._domain.say(slot, act.value or "", self._language)
        return self._forms[form].format(
            slot=shown, Slot=shown[:1].upper() + shown[1:], name=venue, value=value
        )

    def _request(self, slot: str, random: Random) -> str:
        if slot == TYPE:
            choices = [self._domain.say(TYPE, name, self._language) for name in self._domain.types]
            listed = ", ".join(choices[:-1]) + (self._forms["or"] if len(choices) > 1 else "") + choices[-1]
            return self._forms["request_type"].format(choices=listed)
        known = _REQUESTS[self._language].get(slot)
        return random.choice(known) if known else self._forms["request"].format(slot=self._name_of(slot))

    def _confirm(self, act: Act) -> str:
        if act.value == DONTCARE:
            return self._forms["confirm_dontcare"].format(slot=self._name_of(act.slot or ""))
        return self._forms["confirm"].format(
            value=self._domain.say(act.slot or "", act.value or "", self._language)
        )

    def _cannot(self, acts: list[Act]) -> str:
        form = "canthelp_other" if any(act.slot == NAME for act in acts) else "canthelp"
        return self._forms[form].format(what=self._what(acts))

    def _what(self, acts: list[Act]) -> str:
        """A kind of place with its constraints: `pub in the north of town`."""
        types = [act.value or "" for act in acts if act.slot == TYPE]
        what = self._domain.say(TYPE, types[0], self._language) if types else self._forms["place"]
        return " ".join([what, *(self._constraint(act) for act in acts if act.slot not in (TYPE, NAME))])

    def _name_of(self, slot: str) -> str:
        known = self._domain.slots.get(slot)
        return known.names.get(self._language, slot) if known else slot
