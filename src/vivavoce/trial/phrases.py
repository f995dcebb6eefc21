"""What the platform itself says in a spoken dialogue, in our words; English where a language lacks them."""

from typing import Final, Literal

Phrase = Literal[
    "welcome_pin", "wrong_pin", "no_visit", "second_call", "not_due", "over", "paused", "not_heard",
    "still_there", "trouble", "too_short", "code", "goodbye", "connecting", "system_away", "nobody_there",
    "placed",
]  # fmt: skip

_PHRASES: Final[dict[str, dict[Phrase, str]]] = {
    "en": {
        "welcome_pin": "Welcome. Please key in the number that your page shows, then press the hash key.",
        "wrong_pin": "This number is not known.",
        "no_visit": "No task is waiting for this call. Please open the study's page first. Goodbye.",
        "second_call": "Another call is going on for your task. Goodbye.",
        "not_due": "Please fill in the form on your page first. Goodbye.",
        "over": "Your part in this study is over. Thank you, and goodbye.",
        "paused": "The study is paused at the moment. Please call again later. Goodbye.",
        "not_heard": "Sorry, I did not hear that. Please say it again.",
        "still_there": "Are you still there?",
        "trouble": "Sorry, something went wrong. Please say it again.",
        "too_short": "The conversation was too short to count. You may call again. Goodbye.",
        "code": "Your code is: {code}.",
        "goodbye": "Please type it on your page. Thank you, and goodbye.",
        "placed": "This is the call that you asked for on the page of the study. To begin, please press one."
        " If you did not ask for it, press nine, and this number will not be called again.",
        "connecting": "One moment please. You are being connected.",
        "system_away": "Nobody answers there at the moment. Please call again later. Goodbye.",
        "nobody_there": "Nobody answers there at the moment.",
    },
    "it": {
        "welcome_pin": "Benvenuto. Digiti il numero che vede sulla pagina, poi prema il tasto cancelletto.",
        "wrong_pin": "Questo numero non è noto.",
        "no_visit": "Nessun compito attende questa chiamata. Apra prima la pagina dello studio. Arrivederci.",
        "second_call": "Per il suo compito è già in corso un'altra chiamata. Arrivederci.",
        "not_due": "Compili prima il questionario sulla sua pagina. Arrivederci.",
        "over": "La sua parte in questo studio è finita. Grazie e arrivederci.",
        "paused": "Lo studio è sospeso in questo momento. Richiami più tardi. Arrivederci.",
        "not_heard": "Mi scusi, non ho sentito. Lo ripeta, per favore.",
        "still_there": "È ancora in linea?",
        "trouble": "Mi scusi, qualcosa non ha funzionato. Lo ripeta, per favore.",
        "too_short": "La conversazione era troppo breve per contare. Può richiamare. Arrivederci.",
        "code": "Il suo codice è: {code}.",
        "goodbye": "Lo scriva sulla sua pagina. Grazie e arrivederci.",
        "placed": "Questa è la chiamata che ha chiesto sulla pagina dello studio. Per iniziare prema uno."
        " Se non l'ha chiesta prema nove, e questo numero non sarà più chiamato.",
        "connecting": "Un momento, per favore. La metto in comunicazione.",
        "system_away": "Al momento non risponde nessuno. Richiami più tardi. Arrivederci.",
        "nobody_there": "Al momento non risponde nessuno.",
    },
}
_DIGITS: Final = {
    "en": ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    "it": ("zero", "uno", "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove"),
}


def phrase(name: Phrase, language: str, **values: str) -> str:
    """A sentence of the platform's."""
    known = _PHRASES.get(language.split("-")[0], _PHRASES["en"])
    return known[name].format(**values)


def spoken_digits(code: str, language: str) -> str:
    """A code digit by digit, with pauses; in a language whose words we lack, figures that a voice reads."""
    words = _DIGITS.get(language.split("-")[0])
    return ", ".join(words[int(digit)] if words else digit for digit in code)
