"""What the telephone company's callers say, and what it says itself."""

from typing import Final

TASKS: Final = ("invoice", "transactions", "credit", "tariff", "top_up", "transfer")

ASKED: Final = {
    "en": {
        "top_up": r"\b(top[ -]?up|recharge|load)\b",
        "transfer": r"\b(transfer|send money|wire)\b",
        "invoice": r"\b(invoice|bill)\b",
        "transactions": r"\b(transactions?|movements?)\b",
        "credit": r"\b(credit|balance)\b",
        "tariff": r"\b(tariff|plan|rate)\b",
        "bye": r"\b(bye|goodbye|that is all|that's all)\b",
        "yes": r"\b(yes|yeah|correct|right|ok)\b",
        "no": r"\b(no|nope|wrong|cancel)\b",
        "repeat": r"\b(repeat|pardon|say again)\b",
    },
    "it": {
        "top_up": r"\b(ricaric\w+)\b",
        "transfer": r"\b(bonifico|trasferi\w+|manda\w* soldi)\b",
        "invoice": r"\b(fattura|bolletta)\b",
        "transactions": r"\b(movimenti|operazioni)\b",
        "credit": r"\b(credito|saldo)\b",
        "tariff": r"\b(tariff\w+|piano|offerta)\b",
        "bye": r"\b(arrivederci|addio|basta così|è tutto)\b",
        "yes": r"\b(sì|si|esatto|giusto|corretto|ok)\b",
        "no": r"\b(no|sbagliato|annulla)\b",
        "repeat": r"\b(ripet\w+|come scusi)\b",
    },
}

SAID: Final = {
    "en": {
        "hello": "Welcome to the customer service of Telmar. {tasks}",
        "tasks": "I can tell you your last invoice, your transactions, your credit or your tariff plan; "
        "and I can top up your card or make a transfer. What would you like?",
        "invoice": "Your last invoice is {value} euros.",
        "transactions": "Your last transactions: {value}.",
        "credit": "Your credit is {value} euros.",
        "tariff": "Your tariff plan is {value}.",
        "more": "Anything else?",
        "amount": "How many euros?",
        "recipient": "To whom shall the money go?",
        "confirm_top_up": "I top up your card by {amount} euros. Is that right?",
        "confirm_transfer": "I transfer {amount} euros to {recipient}. Is that right?",
        "done": "Done: {operation}. Your credit is now {credit} euros.",
        "poor": "Your credit of {credit} euros is not enough for that.",
        "limits": "Please give an amount from {low} to {high} euros.",
        "cancelled": "Nothing was done.",
        "puzzled": "I did not understand. {tasks}",
        "bye": "Thank you for calling. Goodbye.",
        "top_up_done": "top-up of {amount} euros",
        "transfer_done": "transfer of {amount} euros to {recipient}",
        "opening": "top-up of 20 euros, call charges of 6 euros",
    },
    "it": {
        "hello": "Benvenuto al servizio clienti Telmar. {tasks}",
        "tasks": "Posso dirle l'ultima fattura, i movimenti, il credito o il piano tariffario; "
        "e posso ricaricare la carta o fare un bonifico. Che cosa desidera?",
        "invoice": "La Sua ultima fattura è di {value} euro.",
        "transactions": "I Suoi ultimi movimenti: {value}.",
        "credit": "Il Suo credito è di {value} euro.",
        "tariff": "Il Suo piano tariffario è {value}.",
        "more": "Desidera altro?",
        "amount": "Quanti euro?",
        "recipient": "A chi va il denaro?",
        "confirm_top_up": "Ricarico la carta di {amount} euro. È giusto?",
        "confirm_transfer": "Trasferisco {amount} euro a {recipient}. È giusto?",
        "done": "Fatto: {operation}. Il Suo credito è ora di {credit} euro.",
        "poor": "Il credito di {credit} euro non basta.",
        "limits": "Dica un importo da {low} a {high} euro.",
        "cancelled": "Non è stato fatto nulla.",
        "puzzled": "Non ho capito. {tasks}",
        "bye": "Grazie della chiamata. Arrivederci.",
        "top_up_done": "ricarica di {amount} euro",
        "transfer_done": "bonifico di {amount} euro a {recipient}",
        "opening": "ricarica di 20 euro, chiamate per 6 euro",
    },
}

NUMBERS: Final = {
    "en": {"five": 5, "ten": 10, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
           "hundred": 100},
    "it": {"cinque": 5, "dieci": 10, "quindici": 15, "venti": 20, "trenta": 30, "quaranta": 40,
           "cinquanta": 50, "cento": 100},
}  # fmt: skip
