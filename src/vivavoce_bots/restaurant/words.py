"""The words of conversation, by language: what people say whatever the domain."""

from typing import Final

SPOKEN: Final[dict[str, dict[str, list[str]]]] = {
    "en": {
        "hello": ["hello", "hi", "hey", "good morning", "good evening", "good afternoon"],
        "bye": ["goodbye", "good bye", "bye", "bye bye", "see you", "that is all", "that's all", "i am done"],
        "thankyou": ["thank you", "thanks", "cheers"],
        "affirm": ["yes", "yeah", "yep", "right", "correct", "exactly", "sure", "ok", "okay"],
        "negate": ["no", "nope", "wrong", "that is wrong", "not right", "that's not right"],
        "repeat": ["repeat", "say again", "say that again", "pardon", "come again", "what did you say"],
        "reqalts": [
            "anything else", "something else", "another one", "another place", "any other", "other one",
            "somewhere else", "an alternative", "alternatives", "different one", "what else",
        ],
        "help": ["help", "what can you do", "what can i say"],
        "not": ["not", "without", "except", "don't want", "do not want", "anything but"],
        "dontcare": [
            "i don't care", "do not care", "don't care", "don't mind", "doesn't matter",
            "no preference", "any", "anything", "whatever", "does not matter",
        ],
    },
    "it": {
        "hello": ["ciao", "salve", "buongiorno", "buon giorno", "buonasera", "buona sera"],
        "bye": ["arrivederci", "addio", "a presto", "è tutto", "ho finito", "basta così"],
        "thankyou": ["grazie", "grazie mille", "la ringrazio", "ti ringrazio"],
        "affirm": ["sì", "si", "esatto", "giusto", "certo", "corretto", "va bene", "d'accordo", "ok"],
        "negate": ["no", "sbagliato", "non è giusto", "non è corretto"],
        "repeat": ["ripeta", "ripetere", "ripeti", "può ripetere", "come scusi", "come ha detto"],
        "reqalts": [
            "qualcos'altro", "qualcosa d'altro", "un altro", "un'altra", "altro posto", "altri posti",
            "altre proposte", "alternative", "un'alternativa", "qualche altro", "un posto diverso", "altrove",
        ],
        "help": ["aiuto", "cosa sai fare", "cosa posso dire"],
        "not": ["non", "senza", "tranne", "niente", "non voglio"],
        "dontcare": [
            "non importa", "non mi importa", "è indifferente", "mi è indifferente", "qualsiasi", "qualunque",
            "fa lo stesso", "non fa differenza", "nessuna preferenza",
        ],
    },
}  # fmt: skip

LANGUAGES: Final = tuple(SPOKEN)


def language_of(tag: str) -> str:
    """The language that the bot speaks for a tag such as it-IT; English where it speaks none."""
    return tag[:2].lower() if tag[:2].lower() in SPOKEN else "en"
