"""How the bot speaks: five strategies, each switched on its own, so that dialogues differ in one alone.

empathy               answers feelings before facts
formality             formal register instead of informal
facing                names what it cannot do, instead of "I do not understand"
vocabulary_extension  offers to learn a name that it does not know
alignment             uses the words that the user used
Source  Guerini et al. 2018, section 4: the five variables
"""

from dataclasses import dataclass, fields, replace
from typing import Final

SENTENCES: Final = {
    "en": {
        "hello": ("Hi! What did you eat at your last meal?", "Good day. May I ask what your last meal was?"),
        "how_much": ("How much {food}? A portion is {portion} g.",
                     "Could you please tell me how much {food} you had? A portion is {portion} g."),
        "more": ("Got it. Anything else?", "Thank you. Would you like to add anything else?"),
        "unknown": ("I don't know {name}. Is it like one of these: {choices}?",
                    "I am afraid I do not know {name}. Would it be similar to one of these: {choices}?"),
        "unlike": ("I don't know {name}, so I leave it out. Anything else?",
                   "I am afraid I do not know {name} and shall leave it out. Would you like to add more?"),
        "learn": ("Then tell me: which food is {name} like? I'll remember it.",
                  "Would you tell me which food {name} resembles? I shall remember it."),
        "learnt": ("OK, I'll remember {name}.", "Thank you, I shall remember {name}."),
        "total": ("Your meal: {lines}. That's {total} g of carbohydrates.",
                  "Your meal: {lines}. This amounts to {total} g of carbohydrates."),
        "none": ("No food yet. What did you eat?", "No food has been noted yet. May I ask what you had?"),
        "puzzled": ("Sorry, I didn't understand. Can you say it again?",
                    "I am sorry, I did not understand. Could you please repeat it?"),
        "facing": ("I can't help with that: I only count carbohydrates. Tell me what you ate.",
                   "I am afraid that is beyond me: I count carbohydrates. Please tell me what you had."),
        "bye": ("Bye!", "Goodbye."),
        "sad": ("I'm sorry to hear that. ", "I am sorry to hear that. "),
        "glad": ("That's great! ", "I am glad to hear that. "),
    },
    "it": {
        "hello": ("Ciao! Cosa hai mangiato all'ultimo pasto?", "Buongiorno. Qual è stato l'ultimo pasto?"),
        "how_much": ("Quanto di questo: {food}? Una porzione è {portion} g.",
                     "Può dirmi quanto di questo: {food}? Una porzione è {portion} g."),
        "more": ("Ok. Altro?", "Grazie. Desidera aggiungere altro?"),
        "unknown": ("Non conosco {name}. Assomiglia a uno di questi: {choices}?",
                    "Mi dispiace, non conosco {name}. Potrebbe assomigliare a uno di questi: {choices}?"),
        "unlike": ("Non conosco {name}, lo lascio fuori. Altro?",
                   "Mi dispiace, non conosco {name} e non lo conterò. Desidera aggiungere altro?"),
        "learn": ("Allora dimmi: a quale cibo assomiglia {name}? Me lo ricordo.",
                  "Può dirmi a quale cibo assomiglia {name}? Me ne ricorderò."),
        "learnt": ("Ok, mi ricordo {name}.", "Grazie, mi ricorderò di {name}."),
        "total": ("Il tuo pasto: {lines}. Sono {total} g di carboidrati.",
                  "Il Suo pasto: {lines}. Si tratta di {total} g di carboidrati."),
        "none": ("Ancora nessun cibo. Cosa hai mangiato?", "Non c'è ancora alcun cibo. Che ha mangiato?"),
        "puzzled": ("Scusa, non ho capito. Puoi ripetere?", "Mi scusi, non ho capito. Può ripetere?"),
        "facing": ("Con questo non posso aiutarti: conto solo i carboidrati. Dimmi cosa hai mangiato.",
                   "Con questo non posso aiutarLa: conto i carboidrati. Mi dica che cosa ha mangiato."),
        "bye": ("Ciao!", "Arrivederci."),
        "sad": ("Mi dispiace. ", "Mi dispiace molto. "),
        "glad": ("Che bello! ", "Mi fa piacere. "),
    },
}  # fmt: skip


@dataclass(frozen=True)
class Strategy:
    """Which strategies are on; none is the control condition."""

    empathy: bool = False
    formality: bool = False
    facing: bool = False
    vocabulary_extension: bool = False
    alignment: bool = False

    def say(self, language: str, sentence: str, **words: object) -> str:
        return SENTENCES[language][sentence][int(self.formality)].format(**words)


def strategies() -> dict[str, Strategy]:
    """By name: the control, each strategy alone, and all."""
    names = [one.name for one in fields(Strategy)]
    alone = {name.replace("_", "-"): replace(Strategy(), **{name: True}) for name in names}
    return {"control": Strategy(), **alone, "all": Strategy(**dict.fromkeys(names, True))}
