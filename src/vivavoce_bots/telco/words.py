"""What the telephone company's callers say, and what it says itself, by strategy."""

import re
from typing import Final

TASKS: Final = ("invoice", "transactions", "credit", "tariff", "top_up", "transfer")

ASKED: Final = {
    "en": {
        "top_up": r"\b(top(ping|ped)?\b.{0,25}\bup|top[ -]?up|re-?charge|re-?load|load"
        r"|refill|for my (phone|card)"
        r"|(put|add) (in |on |me )?(another |a further )?"
        r"([0-9]+|five|ten|fifteen|twenty|thirty|forty|fifty|hundred)\b"
        r"|fill (it|my \w+|the \w+) up|(put|add|stick|get)\b.{0,30}\b(euros?|money|credit|card"
        r"|phone|on it|on there)|put (?!me\b|us\b)\w+(?: \w+)? on(?! (?:the|my|a)))\b",
        "transfer": r"\b(transfer|wire|money (to|for|on h\w+)|pay (some|money)\w* to"
        r"|(send|give|pass on)\b.{0,25}\b(money|euros?|some|[0-9]+)|(send|give) \w+ to (my|[A-Z]))\b",
        "transactions": r"\b(transactions?|movements?|spent|(already|yet|been|have i"
        r"|did i)\b.{0,15}\b(paid|pay)"
        r"|(paid|pay)\b.{0,12}\b(already|yet)|what (you|you've|you have|was|were|came) (taken|took|off)"
        r"|where (did|has|is|did all) (my|the) (money|rest|credit)|where did it (all )?go)\b",
        "invoice": r"\b(invoice|bills?|owe( you)?|what do i have to pay|have to pay something"
        r"|how much (do|must) i (have to )?pay(?! (a|per|each|every))"
        r"|how much do i (have to )?pay)\b",
        "credit": r"\b(credit|balance|(how much|what)('s| is) left"
        r"|money (do i have|is there|left|on (it|my \w+))"
        r"|(do i have|have i got|i have|is there|i've got) left"
        r"|(run|ran|running) (out of (money|credit|minutes|it)|out$|low)|(low|empty|short) on|"
        r"how much( money)? (have i got|do i have|have i)(,? now|,? left|,? then)?(?=\W*$)|"
        r"how much( \w+)? (is|have i got"
        r"|do i have)( \w+)? on|enough (money|left))\b",
        "tariff": r"\b(tariff|plan|rate|contract|(pay|cost)\b.{0,12}\b(every|each|a|per) month|monthly)\b",
    },
    "it": {
        "top_up": r"\b(ricaric\w+|(caric\w+|mett\w+|aggiung\w+)\b.{0,30}\b(euro|soldi|scheda|carta"
        r"|telefon\w+|cellulare|credito)"
        r"|(mett\w+|aggiung\w+|caric\w+) (?:altri |ancora |pure )?([0-9]+|cinque|dieci|quindici|venti|trenta|"
        r"quaranta|cinquanta|cento)\b"
        r"|metterci|caricarl[ao])\b",
        "transfer": r"\b(bonifico|trasferi\w+|(mand|invi|spedi)\w+\b.{0,20}\b(soldi|euro|denaro))\b",
        "transactions": r"\b(movimenti|operazioni|speso|spese|(già|ancora)\b.{0,8}\bpagat\w"
        r"|pagat\w (già|o no)"
        r"|(cosa|quanto) (mi )?avete (preso|tolto|scalato|addebitato|fatto pagare)"
        r"|l'ho pagata|dove (è|sono) (finit|andat)\w+|dov'è (finit|andat)\w+)\b",
        "invoice": r"\b(fattur[ae]|bollett[ae]|quanto (vi |le )?devo( pagare)?|da pagare)\b",
        "credit": r"\b(credito|saldo|non (ho|avevo|c'è|ci sono) più (soldi|credito|niente)|quanto (ho|"
        r"mi resta|mi rimane|mi è rimasto|c'è rimasto)"
        r"|quanti soldi (ho|ci sono)"
        r"|(finit[oi]|finendo|esaurit[oi]|pochi|senza|rimasto|rimasti|restano)\b.{0,12}\b(soldi"
        r"|credito|poco|qualcosa)"
        r"|rimasto poco|(quanto|quanti|soldi)\b.{0,20}\b(sul|nel) (telefon\w+|cellulare|conto|credito))\b",
        "tariff": r"\b(tariff\w+|piano|offerta|contratto|abbonamento|al mese|ogni mese|mensil\w+)\b",
    },
}

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
        "poor": "Your {word} of {credit} euros is not enough for that.",
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
        "poor": "Il {word} di {credit} euro non basta.",
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
            "poor": "Sorry, your {word} of {credit} euros won't do for that.",
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
            "poor": "Mi spiace, il tuo {word} di {credit} euro non basta.",
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

DENIED: Final = {
    "en": re.compile(
        r"\b(?:don't(?! know)|do not(?! know)|didn't|did not|not(?! (?:know|sure|certain))|"
        r"never)\W+(?:\w+\W+){0,3}$|\bno $|\b(?:did|has|whether|if) (?:my|the) (?:last |recent )?$",
        re.I,
    ),
    "it": re.compile(
        r"\b(?:non(?! (?:so|ricordo|mi ricordo|capisco|conosco|vedo|trovo|me l|se))|mica|"
        r"nessun[oa]?)\W+(?:\w+\W+){0,2}$"
        r"|\bse (?:mi )?(?:è|sia) (?:arrivat|registrat)[oa]\W+(?:\w+\W+){0,2}$"
        r"|\bnon (?:me ne|mi|ci) (?:importa|interessa|frega)\W+(?:\w+\W+){0,3}$",
        re.I,
    ),
}
"""What stands before a task that is not wanted."""
