"""ST-8 in Italian: active clauses of requests and questions in the passive."""

from collections.abc import Iterator
from random import Random
from typing import Final

from vivavoce_stress.base import LanguagePack, Substitution, Utterance
from vivavoce_stress.italian.analysis import Token
from vivavoce_stress.italian.inflection import contracted
from vivavoce_stress.italian.morphology import Morphology
from vivavoce_stress.italian.phrases import Phrase, cut_short, noun_phrase, object_phrase, text_of
from vivavoce_stress.wordnet import wordnet
from vivavoce_stress.words import edit, placed

_NO_PASSIVE: Final = frozenset(
    {
        "essere",
        "sembrare",
        "avere",
        "sapere",
        "potere",
        "dovere",
        "volere",
        "stare",
        "andare",
        "venire",
        "arrivare",
        "partire",
        "costare",
        "servirsi",
        "parlare",
        "piacere",
        "bisognare",
        "restare",
        "rimanere",
        "passare",
        "dormire",
        "cenare",
        "pranzare",
        "uscire",
        "entrare",
    }
)
_CAN: Final[dict[str, tuple[str, str]]] = {
    **dict.fromkeys(("1s", "2s", "3s", "2p"), ("può", "possono")),
    **dict.fromkeys(("v1s", "v2s", "v3s", "v2p"), ("potrebbe", "potrebbero")),
}
_BY: Final = {"1s": " da me", "2s": " da te", "1p": " da noi", "2p": " da voi"}
_PLACES: Final = frozenset(
    {
        "posto",
        "ristorante",
        "locale",
        "zona",
        "parte",
        "trattoria",
        "pizzeria",
        "pub",
        "alternativa",
    }
)
_SERVED: Final = frozenset(
    {"cibo", "cucina", "piatto", "specialità", "tipo", "vino", "bevanda", "menù", "pietanza"}
)
_MODALS: Final = ("potere", "dovere", "bisognare", "occorrere")
_NO_SI: Final = (
    *_MODALS,
    "trovare",
    "chiamare",
    "trattare",
    "sentire",
    "vedere",
    "aprire",
    "chiudere",
    "rompere",
)
_WISHING: Final = ("1s", "v1s", "1p", "v1p", "3s", "v3s", "3p", "v3p")
_STATES: Final = _NO_PASSIVE | {
    "fare",
    "contenere",
    "durare",
    "servire",
    "bastare",
    "mancare",
    "perdere",
    "valere",
    "comprendere",
    "includere",
    "riguardare",
    "significare",
    "avvenire",
}
_OWN_ACTS: Final = frozenset(
    {  # who says that they wish them does them: passive, somebody else does
        "acquistare",
        "adottare",
        "affittare",
        "ascoltare",
        "assaggiare",
        "bere",
        "comprare",
        "condividere",
        "donare",
        "frequentare",
        "guardare",
        "guidare",
        "imparare",
        "incontrare",
        "indossare",
        "leggere",
        "mangiare",
        "noleggiare",
        "pagare",
        "provare",
        "regalare",
        "restituire",
        "scrivere",
        "studiare",
        "usare",
        "vedere",
        "vendere",
        "visitare",
    }
)
_ALSO: Final = ("anche", "solo", "pure", "ancora", "sempre")
_NOMINAL: Final = ("noun", "adj", "name", "unknown", "num")
_UNSURE: Final = 0.6
_HEAVY: Final = 7  # words; a longer subject stays behind the verb


class ItalianPassive:
    """One clause at a time; participle and auxiliary agree with the object that becomes the subject."""

    test, language, needs = "ST-8", "it", ("analysis", "morphology")

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        text, words = utterance.text, pack.get("morphology")
        tokens = pack.get("analysis")(text)
        for first, last, after, rule, confidence in _Clauses(words).found(text, tokens):
            start, end = tokens[first].start, tokens[last].end
            change = edit(text, start, end, placed(text, start, after))
            yield Substitution((change,), rule, confidence, words.resources)

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no verb with an object can be made passive"


class _Clauses:
    """Ways to turn a clause, each by its finite verb."""

    def __init__(self, words: Morphology) -> None:
        self._words = words

    def found(self, text: str, tokens: list[Token]) -> "Iterator[tuple[int, int, str, str, float]]":
        """First and last token that give way, the words instead, the rule and how far it is trusted."""
        ways = (
            self._wish,
            self._modal,
            self._perfect,
            self._order,
            self._search,
            self._relative,
            self._that,
            self._use,
            self._tells,
            self._one_does,
        )
        for place, token in enumerate(tokens):
            if token.part == "fin":
                for way in ways:
                    clause = way(text, tokens, place)
                    if clause is not None:
                        parted = not clause[2].endswith(tokens[clause[1]].text)
                        torn = cut_short(tokens, clause[1]) or (parted and _numbered(tokens, clause[1]))
                        yield (*clause[:4], _UNSURE) if torn else clause

    def _wish(self, text: str, tokens: list[Token], place: int) -> "_Found":
        """voglio bloccare la carta: voglio che la carta sia bloccata; vorrei: fosse."""
        token = tokens[place]
        if token.lemma not in ("volere", "desiderare") or token.form not in _WISHING:
            return None
        verb = _infinitive_at(tokens, place + 1)
        thing = object_phrase(tokens, place + 2) if verb else None
        if verb is None or thing is None or verb.clitic not in ("", "mi") or _goes_on(tokens, thing, "inf"):
            return None
        past = token.form.startswith("v")
        sia = ("fosse" if past else "sia") if thing.number == "s" else ("fossero" if past else "siano")
        mi = "mi " if verb.clitic else ""
        subject, verbs = (
            text_of(text, tokens, thing.first, thing.last),
            f"{mi}{sia} {self._passive(verb.lemma, thing)}",
        )
        behind = _stays_behind(subject, tokens, thing) or _needs_article(tokens, thing)
        clause = f"{verbs} {subject}" if behind else f"{subject} {verbs}"
        after = f"{token.lower} che {clause}"
        personal = verb.lemma in _OWN_ACTS and token.form.removeprefix("v") in ("1s", "1p")
        return place, thing.last, after, "wish with a passive clause", _UNSURE if personal else 0.95

    def _modal(self, text: str, tokens: list[Token], place: int) -> "_Found":
        """puoi darmi il numero: il numero mi può essere dato; devo bloccarla: deve essere bloccata."""
        token = tokens[place]
        verb = _infinitive_at(tokens, place + 1)
        if verb is None and place + 1 < len(tokens) and tokens[place + 1].lower in ("potere", "avere"):
            verb = tokens[place + 1]
        thing = object_phrase(tokens, place + 2) if verb else None
        if verb is None or thing is None or token.lemma not in _MODALS or token.form[:1] == "c":
            return None
        mi = "mi " if verb.clitic == "mi" else ""
        first, by = place, ""
        if not mi and place and tokens[place - 1].lower in ("mi", "ci"):
            mi, first = tokens[place - 1].lower + " ", place - 1
        if place and tokens[place - 1].lower == "si":  # si può affittare: può essere affittata
            first = place - 1
        elif first and token.form in ("3s", "3p", "v3s", "v3p"):
            doer = _doer(text, tokens, first)
            if doer is None and tokens[first - 1].part in (*_NOMINAL, "pron", "rel"):
                return None  # quanti ospiti può contenere la sala; chi può firmare
            first, by = doer or (first, "")
        plural = thing.number == "p"
        if token.lemma != "potere":
            modal, rule, confidence = ("devono" if plural else "deve"), "duty in the passive", 0.9
        else:
            if verb.lemma == "avere" or (
                token.form in ("1s", "v1s") and verb.lemma in ("ricevere", "ottenere")
            ):
                return self._have(text, tokens, place, thing)
            modal, rule, confidence = (
                _CAN.get(token.form, ("può", "possono"))[plural],
                "question in the passive",
                0.9,
            )
        state = self._is_state(verb.lemma) and token.lemma == "potere"
        confidence = _UNSURE if state or _goes_on(tokens, thing, "inf") else confidence
        subject = text_of(text, tokens, thing.first, thing.last)
        first, no = _negated(tokens, first)
        verbs = f"{no}{mi}{modal} essere {self._passive(verb.lemma, thing)}{by}"
        after = f"{verbs} {subject}" if _stays_behind(subject, tokens, thing) else f"{subject} {verbs}"
        return first, thing.last, after, rule, confidence

    def _have(self, text: str, tokens: list[Token], place: int, thing: Phrase) -> "_Found":
        """posso avere il numero: mi può essere dato il numero."""
        modal = _CAN.get(tokens[place].form, ("può", "possono"))[thing.number == "p"]
        subject = text_of(text, tokens, thing.first, thing.last)
        after = f"mi {modal} essere {self._passive('dare', thing)} {subject}"
        return place, thing.last, after, "to have asked as to be given", 0.7

    def _perfect(self, text: str, tokens: list[Token], place: int) -> "_Found":
        """ho perso la carta: la carta è stata persa da me."""
        token = tokens[place]
        if token.lemma != "avere" or place + 2 >= len(tokens) or tokens[place + 1].part != "part":
            return None
        thing = object_phrase(tokens, place + 2)
        if thing is None or _goes_on(tokens, thing, "part"):
            return None
        plural = thing.number == "p"
        been = self._passive("stare", thing)
        subject = text_of(text, tokens, thing.first, thing.last)
        first, by, mi = place, _BY.get(token.form, ""), ""
        if place and tokens[place - 1].lower in ("mi", "ci"):
            mi, first = tokens[place - 1].lower + " ", place - 1
        elif place and tokens[place - 1].part not in ("sign", "conj", "adv"):
            doer = _doer(text, tokens, place)
            if doer is None:
                return None
            first, by = doer
        first, no = _negated(tokens, first)
        verbs = f"{no}{mi}{'sono' if plural else 'è'} {been} {self._passive(tokens[place + 1].lemma, thing)}"
        sure = _UNSURE if _described(tokens, thing) else 0.9
        return first, thing.last, f"{subject} {verbs}{by}", "perfect in the passive", sure

    def _order(self, text: str, tokens: list[Token], place: int) -> "_Found":
        """dammi il numero: mi venga dato il numero; blocca la carta: venga bloccata la carta."""
        token = tokens[place]
        opens = place == 0 or tokens[place - 1].part in ("sign", "conj", "adv")
        if not opens or token.lemma in _NO_PASSIVE or token.lemma in _STATES - {"fare"}:
            return None
        order = self._words.verb(token.lemma, "i2s") == token.lower and token.form in ("2s", "i2s")
        order = order or token.form in ("i2s", "i2p")
        several = token.form == "2p" and place == 0 and not text.rstrip().endswith("?")
        order = order or several
        if not order and not (token.form == "3s" and token.lemma.endswith("are") and place == 0):
            return None
        first = place + 1
        while first < len(tokens) and tokens[first].lower in ("anche", "solo", "pure"):
            first += 1
        thing = object_phrase(tokens, first)
        if thing is None or token.clitic not in ("", "mi", "ci"):
            return None
        who = f"{token.clitic} " if token.clitic else ""
        venga = "vengano" if thing.number == "p" else "venga"
        middle = text[token.end : tokens[thing.first].start]
        subject = text_of(text, tokens, thing.first, thing.last)
        after = f"{who}{venga} {self._passive(token.lemma, thing)}{middle}{subject}"
        return place, thing.last, after, "order in the passive", 0.85

    def _tells(self, text: str, tokens: list[Token], place: int) -> "_Found":
        """il parco offre una visita: una visita viene offerta dal parco; porterà: sarà portato."""
        token, first, mi = tokens[place], place, ""
        if token.form not in ("3s", "3p", "f3s", "f3p") or token.lemma in _STATES or not place:
            return None
        if tokens[place - 1].lower in ("mi", "ci"):
            mi, first = tokens[place - 1].lower + " ", place - 1
        thing, doer = object_phrase(tokens, place + 1), _doer(text, tokens, first)
        if thing is None or doer is None:
            return None
        plural, future = thing.number == "p", token.form.startswith("f")
        be = ("saranno" if plural else "sarà") if future else ("vengono" if plural else "viene")
        subject = text_of(text, tokens, thing.first, thing.last)
        verbs, by = f"{mi}{be} {self._passive(token.lemma, thing)}", doer[1]
        bare = tokens[thing.first].part == "noun"  # dal faro vengono offerte visite
        after = f"{by.strip()} {verbs} {subject}" if bare else f"{subject} {verbs}{by}"
        sure = _UNSURE if _described(tokens, thing) and not bare else 0.88
        return doer[0], thing.last, after, "statement in the passive", sure

    def _one_does(self, text: str, tokens: list[Token], place: int) -> "_Found":
        """dove si butta la carta: dove viene buttata; bisogna accorciarla: deve essere accorciata."""
        token = tokens[place]
        if token.lemma in ("bisognare", "occorrere") and token.form in ("3s", "v3s"):
            return self._needed(text, tokens, place, place + 1, "dev", "duty in the passive")
        possible = token.lower == "è" and [token.lower for token in tokens[place + 1 : place + 2]] == [
            "possibile"
        ]
        if possible and (place == 0 or tokens[place - 1].lower != "non"):
            return self._needed(text, tokens, place, place + 2, "può", "question in the passive")
        si = place > 0 and tokens[place - 1].lower == "si" and token.form in ("3s", "3p")
        thing = object_phrase(tokens, place + 1) if si else None
        plural = token.form == "3p"
        if (
            thing is None
            or token.lemma in _STATES
            or token.lemma in _NO_SI
            or plural != (thing.number == "p")
        ):
            return None
        after = f"{'vengono' if plural else 'viene'} {self._passive(token.lemma, thing)}"
        return place - 1, place, after, "statement in the passive", 0.88

    def _needed(self, text: str, tokens: list[Token], place: int, at: int, modal: str, rule: str) -> "_Found":
        verb = _infinitive_at(tokens, at)
        thing = object_phrase(tokens, at + 1) if verb else None
        if verb is None or verb.clitic or thing is None or _goes_on(tokens, thing, "inf"):
            return None
        several = thing.number == "p"
        modal = ("devono" if several else "deve") if modal == "dev" else "possono" if several else "può"
        subject = text_of(text, tokens, thing.first, thing.last)
        verbs = f"{modal} essere {self._passive(verb.lemma, thing)}"
        behind = _stays_behind(subject, tokens, thing) or _needs_article(tokens, thing)
        after = f"{verbs} {subject}" if behind else f"{subject} {verbs}"
        return place, thing.last, after, rule, 0.88

    def _search(self, text: str, tokens: list[Token], place: int) -> "_Found":
        """sto cercando un ristorante: viene cercato un ristorante; cerco: the same."""
        token, last = tokens[place], place
        if token.lemma == "stare" and place + 1 < len(tokens) and tokens[place + 1].part == "ger":
            verb, last = tokens[place + 1].lemma, place + 1
        elif token.lemma == "cercare":
            verb = token.lemma
        else:
            return None
        thing = object_phrase(tokens, last + 1)
        if thing is None or token.form not in ("1s", "1p") or verb in _NO_PASSIVE:
            return None
        viene = "vengono" if thing.number == "p" else "viene"
        return (
            place,
            last,
            f"{viene} {self._passive(verb, thing)}",
            "statement in the passive, its agent unsaid",
            0.75,
        )

    def _relative(self, text: str, tokens: list[Token], place: int) -> "_Found":
        """che serva cibo: in cui sia servito cibo; che cucina servono: che cucina viene servita."""
        token = tokens[place]
        if token.lemma in _NO_PASSIVE or token.form not in ("3s", "3p", "c3s", "c3p") or place == 0:
            return None
        if tokens[place - 1].lower == "che" and tokens[place - 1].part == "rel":
            thing = object_phrase(tokens, place + 1)
            if thing is None:
                return None
            plural, wished = thing.number == "p", token.form.startswith("c")
            sia = ("siano" if plural else "sia") if wished else ("vengono" if plural else "viene")
            after = f"in cui {sia} {self._passive(token.lemma, thing)}"
            return place - 1, place, after, "relative clause in the passive", 0.9
        return self._asked(tokens, place)

    def _that(self, text: str, tokens: list[Token], place: int) -> "_Found":
        """che mi trovassi un ristorante: che mi fosse trovato un ristorante."""
        token, thing = tokens[place], object_phrase(tokens, place + 1)
        if token.form != "x2s" or thing is None or token.lemma in _NO_PASSIVE:
            return None
        fosse = "fossero" if thing.number == "p" else "fosse"
        return place, place, f"{fosse} {self._passive(token.lemma, thing)}", "wish with a passive clause", 0.9

    def _use(self, text: str, tokens: list[Token], place: int) -> "_Found":
        """usate prodotti?: vengono usati prodotti?; se accettate cani: se vengono accettati cani."""
        token, first = tokens[place], place + 1
        while first < len(tokens) and tokens[first].lower in _ALSO:
            first += 1
        thing = object_phrase(tokens, first)
        is_question = text.rstrip().endswith("?") and (place == 0 or _asks_when(tokens, place))
        is_question = is_question or (place > 0 and tokens[place - 1].lower == "se")
        if token.form != "2p" or thing is None or token.lemma in _NO_PASSIVE or not is_question:
            return None
        if token.lemma == "fare" and tokens[thing.first].part == "noun" and thing.number == "s":
            return None  # fate colazione, fate parte
        viene = "vengono" if thing.number == "p" else "viene"
        return place, place, f"{viene} {self._passive(token.lemma, thing)}", "question in the passive", 0.9

    def _asked(self, tokens: list[Token], place: int) -> "_Found":
        token = tokens[place]
        for first in range(max(0, place - 5), place):
            if tokens[first].lower in ("che", "quale", "quali") and token.form == "3p":
                thing = object_phrase(tokens, first + 1)
                needed = (
                    token.lemma == "servire" and tokens[thing.head].lemma not in _SERVED if thing else True
                )
                if (
                    thing is not None
                    and thing.last == place - 1
                    and tokens[thing.head].lemma not in _PLACES
                    and not needed
                ):
                    viene = "vengono" if thing.number == "p" else "viene"
                    return (
                        place,
                        place,
                        f"{viene} {self._passive(token.lemma, thing)}",
                        "question in the passive",
                        0.9,
                    )
        return None

    def _is_state(self, verb: str) -> bool:
        """True if the passive reads as a state: potrebbe essere stretta la giacca."""
        done = self._words.participle(verb) or ""
        regular = done.endswith(("ato", "uto", "ito"))
        return not regular and bool(wordnet("it").senses(done, "a"))

    def _passive(self, verb: str, thing: Phrase) -> str:
        return self._words.participle(verb, thing.gender, thing.number) or verb


_Found = tuple[int, int, str, str, float] | None


def _doer(text: str, tokens: list[Token], place: int) -> tuple[int, str] | None:
    """(first token, agent with da) of the noun phrase that ends right before a verb; None where none does."""
    for first in range(place - 1, max(-1, place - 6), -1):
        if tokens[first].part in ("det", "name", "poss"):
            phrase = noun_phrase(tokens, first)
            opens = first == 0 or tokens[first - 1].part in ("sign", "conj")
            if phrase is None or phrase.last != place - 1 or not opens:
                continue
            words = text_of(text, tokens, first, place - 1)
            words = words if tokens[first].part == "name" else words[:1].lower() + words[1:]
            article, _, noun = words.partition(" ")
            if article in ("il", "lo", "la", "i", "gli", "le"):
                return first, f" {contracted('da', article)} {noun}"
            return first, f" da {words}" if not words.startswith("l'") else f" dall'{words[2:]}"
    return None


def _asks_when(tokens: list[Token], place: int) -> bool:
    """True if a question opens with when, where or how, and the verb comes next: a che ora, quando."""
    opening = " ".join(token.lower for token in tokens[:place])
    return opening in ("quando", "dove", "come", "perché", "a che ora", "da quando", "in che modo")


def _infinitive_at(tokens: list[Token], place: int) -> Token | None:
    if place < len(tokens) and tokens[place].part == "inf" and tokens[place].lemma not in _NO_PASSIVE:
        return tokens[place]
    return None


def _goes_on(tokens: list[Token], thing: Phrase, part: str) -> bool:
    """True if a second verb depends on the same finite one: cambiare operatore ma tenere il numero."""
    for place in range(thing.last + 1, len(tokens) - 1):
        if tokens[place].part == "fin" or tokens[place].text in ".?!;":
            return False
        second = next((token for token in tokens[place + 1 :] if token.part not in ("adv", "pron")), None)
        if tokens[place].part == "conj" and second is not None and second.part == part:
            return True
    return False


def _negated(tokens: list[Token], first: int) -> tuple[int, str]:
    """(first token, non with its space) where a verb is denied: non avete lavato, non è stato lavato."""
    denied = first > 0 and tokens[first - 1].lower == "non"
    return (first - 1, "non ") if denied else (first, "")


def _numbered(tokens: list[Token], last: int) -> bool:
    """True if a number right after the words belongs to them: via Mazzini 18, l'aula 3."""
    numbered = last + 1 < len(tokens) and tokens[last + 1].part == "num"
    return numbered and tokens[last].part in _NOMINAL


def _described(tokens: list[Token], thing: Phrase) -> bool:
    """True if the words after it may specify the thing: una camera con vista."""
    return thing.last + 1 < len(tokens) and tokens[thing.last + 1].lemma in ("con", "senza")


def _needs_article(tokens: list[Token], thing: Phrase) -> bool:
    """True if a singular has no article, which a subject before its verb needs: cambiare operatore."""
    return tokens[thing.first].part == "noun" and thing.number == "s"


def _stays_behind(subject: str, tokens: list[Token], thing: Phrase) -> bool:
    """A long subject, or one with a relative clause or complement after it, stands behind the verb."""
    following = tokens[thing.last + 1].part if thing.last + 1 < len(tokens) else ""
    return len(subject.split()) > _HEAVY or following in ("rel", "prep", "prepdet")
