"""What the telephone company's callers say, and what it says itself, by strategy."""

from typing import Final

from vivavoce_bots.dialogue.speech import read_data

ASKED: Final[dict[str, dict[str, str]]] = read_data("telco")["asked"]
"""Orders of an operation, and names of things that can be told, as regular expressions."""


# What a thing is called, and the caller's own words for it that an aligned system takes over.
CALLED: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "en": {
        "invoice": ("invoice", "bill"), "credit": ("credit", "balance"),
        "transactions": ("transactions", "movements"), "tariff": ("tariff plan", "plan", "tariff"),
    },
    "it": {
        "invoice": ("fattura", "bolletta"), "credit": ("credito", "saldo"), "transactions": ("movimenti",),
        "tariff": ("piano tariffario", "piano"),
    },
}  # fmt: skip

SAID: Final = {
    "en": {
        "hello": "Welcome to the customer service of Telmar. {tasks}",
        "tasks": "I can tell you your last invoice, your transactions, your credit or your tariff plan; "
        "and I can top up your card or make a transfer. What would you like?",
        "ask": "What would you like: invoice, transactions, credit, tariff plan, top-up or transfer?",
        "what_for": "What are the {amount} euros for: a top-up or a transfer?",
        "help": "Say, for example: my last invoice, top up 20 euros, transfer 10 euros to Maria; "
        "or start over, repeat, goodbye.",
        "whoareyou": "I am a computer program, the customer service of Telmar.",
        "human": "There is nobody here but me, a program; people read what you write to "
        "service@telmar.example.",
        "invoice": "Your last {word} is {value} euros.",
        "transactions": "Your last {word}: {value}.",
        "credit": "Your {word} is {value} euros.",
        "tariff": "Your {word} is {value}.",
        "more": "Anything else?",
        "amount": "How many euros?",
        "recipient": "To whom shall the money go?",
        "confirm_top_up": "I top up your card by {amount} euros. Is that right?",
        "confirm_transfer": "I transfer {amount} euros to {recipient}. Is that right?",
        "done": "Done: {operation}. Your {word} is now {credit} euros.",
        "poor": "Your {word} of {credit} euros is not enough to transfer {amount} euros to {recipient}.",
        "first": "Shall I top up your card first?",
        "unanswered": "That I do not know; people answer at service@telmar.example.",
        "sum": "20 euros were topped up, 6 euros went on calls",
        "then": "then came a {done}",
        "leaves": "that leaves {credit} euros",
        "right": "Yes, that is right.",
        "no_trace": "Of {value} euros nothing is shown to me.",
        "not_owed": " The {credit} euros are credit, and nothing is owed for that.",
        "is_invoice": "{value} euros is your last invoice.",
        "is_credit": "{value} euros is what is on your card.",
        "noted": "I see.",
        "lacks": "{amount} euros are missing.",
        "until_yes": "Nothing is done until you say yes.",
        "means_invoice": "The invoice is the bill of the month.",
        "means_credit": "The credit is what is left on the card for calls.",
        "means_transactions": "The transactions are what went on the card and what was taken off.",
        "means_tariff": "The tariff plan is the contract: what is included, and at what price.",
        "limits": "Please give an amount from {low} to {high} euros.",
        "cancelled": "Nothing was done.",
        "not_yet": "Not yet.",
        "nothing_done": "Nothing has been done yet.",
        "puzzled": "I did not understand.",
        "settled": "What is done, I cannot take back.",
        "bye": "Thank you for calling. Goodbye.",
        "top_up_done": "top-up of {amount} euros",
        "transfer_done": "transfer of {amount} euros to {recipient}",
        "opening": "top-up of 20 euros, call charges of 6 euros",
        "sad": "I am sorry to hear that.",
        "glad": "I am glad to hear that.",
    },
    "it": {
        "hello": "Benvenuto al servizio clienti Telmar. {tasks}",
        "tasks": "Posso dirle l'ultima fattura, i movimenti, il credito o il piano tariffario; "
        "e posso ricaricare la carta o fare un bonifico. Che cosa desidera?",
        "ask": "Che cosa desidera: fattura, movimenti, credito, piano tariffario, ricarica o bonifico?",
        "what_for": "Per che cosa sono i {amount} euro: una ricarica o un bonifico?",
        "help": "Dica, per esempio: l'ultima fattura, una ricarica di 20 euro, "
        "un bonifico di 10 euro a Maria; "
        "oppure: ricominciamo, ripeta, arrivederci.",
        "whoareyou": "Sono un programma, il servizio clienti Telmar.",
        "human": "Qui ci sono solo io, un programma; a servizio@telmar.example leggono delle persone.",
        "invoice": "La Sua ultima {word} è di {value} euro.",
        "transactions": "I Suoi ultimi {word}: {value}.",
        "credit": "Il Suo {word} è di {value} euro.",
        "tariff": "Il Suo {word} è {value}.",
        "more": "Desidera altro?",
        "amount": "Quanti euro?",
        "recipient": "A chi va il denaro?",
        "confirm_top_up": "Ricarico la carta di {amount} euro. È giusto?",
        "confirm_transfer": "Trasferisco {amount} euro a {recipient}. È giusto?",
        "done": "Fatto: {operation}. Il Suo {word} è ora di {credit} euro.",
        "poor": "Il {word} di {credit} euro non basta per un bonifico di {amount} euro a {recipient}.",
        "first": "Ricarico prima la carta?",
        "unanswered": "Questo non lo so; rispondono delle persone a servizio@telmar.example.",
        "sum": "Sono stati ricaricati 20 euro, 6 sono andati in chiamate",
        "then": "poi {done}",
        "leaves": "restano {credit} euro",
        "right": "Sì, è giusto.",
        "no_trace": "Di {value} euro qui non vedo nulla.",
        "not_owed": " I {credit} euro sono credito, e per quello non si deve nulla.",
        "is_invoice": "{value} euro è l'ultima fattura.",
        "is_credit": "{value} euro è quello che c'è sulla carta.",
        "noted": "Capisco.",
        "lacks": "Mancano {amount} euro.",
        "until_yes": "Non si fa nulla prima di un sì.",
        "means_invoice": "La fattura è il conto del mese.",
        "means_credit": "Il credito è quanto resta sulla carta per chiamare.",
        "means_transactions": "I movimenti sono ciò che è entrato sulla carta e ciò che ne è uscito.",
        "means_tariff": "Il piano tariffario è il contratto: che cosa comprende e a che prezzo.",
        "limits": "Dica un importo da {low} a {high} euro.",
        "cancelled": "Non è stato fatto nulla.",
        "not_yet": "Non ancora.",
        "nothing_done": "Finora non è stato fatto niente.",
        "puzzled": "Non ho capito.",
        "settled": "Quello che è fatto non lo posso annullare.",
        "bye": "Grazie della chiamata. Arrivederci.",
        "top_up_done": "ricarica di {amount} euro",
        "transfer_done": "bonifico di {amount} euro a {recipient}",
        "opening": "ricarica di 20 euro, chiamate per 6 euro",
        "sad": "Mi dispiace molto.",
        "glad": "Mi fa piacere.",
    },
}

# What a strategy says instead; all else stays, so that two versions of a call differ in the strategy alone.
INSTEAD: Final[dict[str, dict[str, dict[str, str]]]] = {
    "informality": {
        "en": {
            "hello": "Hi, this is Telmar! {tasks}",
            "tasks": "I can tell you your last invoice, your transactions, your credit or your tariff plan; "
            "and I can top up your card or make a transfer. What can I do for you?",
            "ask": "What can I do for you?", "more": "What else?",
            "recipient": "Who's the money for?",
            "limits": "Anything from {low} to {high} euros.",
            "confirm_top_up": "I'll top up your card by {amount} euros, OK?",
            "confirm_transfer": "I'll send {amount} euros to {recipient}, OK?",
            "done": "Done: {operation}. Now your {word} is {credit} euros.", "cancelled": "OK, nothing done.",
            "poor": "Sorry, your {word} of {credit} euros is not enough to send {amount} to {recipient}.",
            "first": "Shall I top up first?",
            "puzzled": "Sorry, I didn't get that.",
            "bye": "Thanks for calling, bye!", "sad": "Oh, I'm sorry.", "glad": "Great!",
        },
        "it": {
            "hello": "Ciao, qui Telmar! {tasks}",
            "tasks": "Posso dirti l'ultima fattura, i movimenti, il credito o il piano tariffario; "
            "e posso ricaricare la carta o fare un bonifico. Che cosa ti serve?",
            "help": "Di', per esempio: l'ultima fattura, una ricarica di 20 euro, "
            "un bonifico di 10 euro a Maria; "
            "oppure: ricominciamo, ripeti, arrivederci.",
            "invoice": "La tua ultima {word} è di {value} euro.",
            "transactions": "I tuoi ultimi {word}: {value}.",
            "credit": "Il tuo {word} è di {value} euro.",
            "tariff": "Il tuo {word} è {value}.",
            "ask": "Che cosa ti serve?", "more": "Altro?",
            "recipient": "A chi li mando?", "limits": "Dimmi un importo da {low} a {high} euro.",
            "confirm_top_up": "Ti ricarico la carta di {amount} euro, ok?",
            "confirm_transfer": "Mando {amount} euro a {recipient}, ok?",
            "done": "Fatto: {operation}. Ora il tuo {word} è di {credit} euro.",
            "cancelled": "Ok, non ho fatto nulla.",
            "poor": "Mi spiace, il tuo {word} di {credit} euro non basta per {amount} euro a {recipient}.",
            "first": "Ricarico prima?",
            "puzzled": "Scusa, non ho capito.",
            "bye": "Grazie, ciao!", "sad": "Oh, mi spiace.", "glad": "Che bello!",
        },
    },
    "facing": {
        "en": {"puzzled": "I am afraid that is beyond me: I look after telephone accounts."},
        "it": {"puzzled": "Questo purtroppo non lo so fare: mi occupo dei contratti telefonici."},
    },
    "brevity": {
        "en": {
            "hello": "Telmar. {tasks}",
            "tasks": "Invoice, transactions, credit, tariff plan, top-up or transfer?",
            "invoice": "{value} euros.",
            "transactions": "{value}.",
            "credit": "{value} euros.",
            "tariff": "{value}.",
            "confirm_top_up": "Top up {amount} euros, right?", "recipient": "To whom?",
            "confirm_transfer": "{amount} euros to {recipient}, right?",
            "done": "Done: {operation}. Left: {credit} euros.",
            "limits": "From {low} to {high} euros.", "bye": "Goodbye.",
        },
        "it": {
            "hello": "Telmar. {tasks}",
            "tasks": "Fattura, movimenti, credito, piano tariffario, ricarica o bonifico?",
            "invoice": "{value} euro.",
            "transactions": "{value}.",
            "credit": "{value} euro.",
            "tariff": "{value}.",
            "confirm_top_up": "Ricarica di {amount} euro, giusto?", "recipient": "A chi?", "more": "Altro?",
            "confirm_transfer": "{amount} euro a {recipient}, giusto?",
            "done": "Fatto: {operation}. Restano {credit} euro.",
            "limits": "Da {low} a {high} euro.", "bye": "Arrivederci.",
        },
    },
}  # fmt: skip
