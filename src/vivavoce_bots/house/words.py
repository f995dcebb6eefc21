"""What people say to the home assistant, and what it says itself."""

from typing import Final

KINDS: Final = {
    "en": {
        "lamp": r"\b(lamps?|lights?)\b", "blind": r"\b(blinds?|shutters?)\b",
        "programme": r"\b(programmes?|programs?|what'?s on|what is on|tonight)\b",
        "television": r"\b(television|tv|telly|channel|watch)\b",
        "machine": r"\b(messages?|answering machine|voicemail)\b",
    },
    "it": {
        "lamp": r"\b(lampad[ae]|luc[ei]|abat-?jour)\b", "blind": r"\b(tapparell[ae]|persian[ae]|tend[ae])\b",
        "programme": r"\b(programm[ai]|cosa c'è|che c'è|cosa danno|stasera)\b",
        "television": r"\b(televisione|televisore|tv|tivù|canale|guardare)\b",
        "machine": r"\b(messagg[io]|segreteria)\b",
    },
}  # fmt: skip

ACTIONS: Final = {
    "en": {
        "on": r"\b(on)\b(?! (the (left|right|sports)|tonight|channel))",
        "off": r"\b(off|out)\b", "dim": r"\b(dim|half|softer|darker)\b",
        "open": r"\b(open|up|raise)\b", "close": r"\b(close|shut|down|lower)\b",
        "delete": r"\b(delete|erase|remove)\b", "next": r"\b(next)\b",
    },
    "it": {
        "on": r"\b(accend\w+)\b", "off": r"\b(spegn\w+|spengo|spenga)\b",
        "dim": r"\b(abbass\w+ (la luce|le luci|la lampada)|attenu\w+|a metà|più bass\w)\b",
        "open": r"\b(apri\w*|alz\w+|tira\w* su)\b", "close": r"\b(chiud\w+|abbass\w+|tira\w* giù)\b",
        "delete": r"\b(cancell\w+|elimin\w+)\b", "next": r"\b(prossim\w|successiv\w)\b",
    },
}  # fmt: skip

PLACES: Final = {
    "en": {
        "living_room": r"\b(living[ -]?room|lounge|sitting room)\b", "bedroom": r"\b(bed ?room)\b",
        "kitchen": r"\b(kitchen)\b", "window": r"\b(window)\b", "door": r"\b(door)\b", "left": r"\b(left)\b",
        "right": r"\b(?<!that is )(?<!that's )right(-hand)?\b",
    },
    "it": {
        "living_room": r"\b(soggiorno|salotto|sala)\b", "bedroom": r"\b(camera|stanza da letto)\b",
        "kitchen": r"\b(cucina)\b", "window": r"\b(finestra)\b", "door": r"\b(porta|ingresso)\b",
        "left": r"\b(sinistra)\b", "right": r"\b(destra)\b",
    },
}  # fmt: skip

TALK: Final = {
    "en": {
        "all": r"\b(all|both|every)\b", "other": r"\b(the other( one)?)\b",
        "it": r"\b(it|that one|the same)\b",
        "yes": r"^\W*(yes|yeah|ok|sure|please do)\b", "no": r"^\W*(no|nope|cancel)\b",
        "bye": r"\b(bye|goodbye|that is all|that's all)\b", "help": r"\b(help|what can you do)\b",
        "again": r"\b(repeat|pardon|say again)\b",
    },
    "it": {
        "all": r"\b(tutt[eio]|entramb[ei])\b", "other": r"\b(l'altr[ao])\b",
        "it": r"\b(quell[ao]|la stessa|riaccendila|spegnila|accendila|aprila|chiudila)\b",
        "yes": r"^\W*(sì|si|certo|ok|va bene)\b", "no": r"^\W*(no|annulla)\b",
        "bye": r"\b(arrivederci|addio|basta così|nient'altro)\b", "help": r"\b(aiuto|cosa sai fare)\b",
        "again": r"\b(ripet\w+|come scusi)\b",
    },
}  # fmt: skip

NAMES: Final = {
    "en": {
        "living_window": "the lamp by the window in the living room",
        "living_door": "the lamp by the door in the living room",
        "bedroom_left": "the lamp on the left in the bedroom",
        "bedroom_right": "the lamp on the right in the bedroom", "kitchen": "the kitchen lamp",
        "living_blind": "the blinds in the living room", "bedroom_blind": "the blinds in the bedroom",
        "one": "channel one", "two": "channel two", "sport": "the sports channel",
        "television": "the television",
    },
    "it": {
        "living_window": "la lampada vicino alla finestra in soggiorno",
        "living_door": "la lampada vicino alla porta in soggiorno",
        "bedroom_left": "la lampada a sinistra in camera", "bedroom_right": "la lampada a destra in camera",
        "kitchen": "la lampada in cucina", "living_blind": "le tapparelle in soggiorno",
        "bedroom_blind": "le tapparelle in camera", "one": "il canale uno", "two": "il canale due",
        "sport": "il canale sportivo", "television": "la televisione",
    },
}  # fmt: skip

CHANNELS: Final = {
    "en": {"one": r"\b(one|1)\b", "two": r"\b(two|2)\b", "sport": r"\b(sports?)\b"},
    "it": {"one": r"\b(uno|1)\b", "two": r"\b(due|2)\b", "sport": r"\b(sport\w*)\b"},
}

PROGRAMMES: Final = {
    "en": {"one": "the news at 20, then a film about the sea", "two": "a quiz at 20, then a concert",
           "sport": "cycling at 20, then football"},
    "it": {"one": "il telegiornale alle 20, poi un film sul mare", "two": "un quiz alle 20, poi un concerto",
           "sport": "il ciclismo alle 20, poi il calcio"},
}  # fmt: skip

MESSAGES: Final = {
    "en": ("Paola asks you to call her back.", "The garage says that the bicycle is ready."),
    "it": ("Paola chiede di richiamarla.", "L'officina dice che la bicicletta è pronta."),
}

SAID: Final = {
    "en": {
        "hello": "Good day. I look after lamps, blinds, television and answering machine. What can I do?",
        "which_lamp": "Which lamp do you mean: {choices}?",
        "which_blind": "Which blinds do you mean: {choices}?",
        "what_lamp": "Shall I switch {name} on or off?", "what_blind": "Shall I open or close {name}?",
        "on": "{name} is on now.", "off": "{name} is off now.", "dim": "{name} is dimmed now.",
        "open": "I have opened {name}.", "close": "I have closed {name}.",
        "which_channel": "Which channel: one, two or sport?", "tuned": "The television shows {name} now.",
        "programme": "Tonight on {name}: {told}.", "none": "There are no messages.",
        "messages": "You have {count} messages. {first}", "delete": "Shall I delete the messages?",
        "deleted": "The messages are deleted.", "kept": "The messages stay.",
        "puzzled": "I did not understand. I look after lamps, blinds, television and answering machine.",
        "more": "Anything else?", "bye": "Goodbye.", "or": " or ",
    },
    "it": {
        "hello": "Buongiorno. Mi occupo di lampade, tapparelle, televisione e segreteria. Che posso fare?",
        "which_lamp": "Quale lampada: {choices}?",
        "which_blind": "Quali tapparelle: {choices}?",
        "what_lamp": "Devo accendere o spegnere {name}?", "what_blind": "Devo alzare o abbassare {name}?",
        "on": "Ho acceso {name}.", "off": "Ho spento {name}.", "dim": "Ho abbassato la luce: {name}.",
        "open": "Ho alzato {name}.", "close": "Ho abbassato {name}.",
        "which_channel": "Quale canale: uno, due o sport?", "tuned": "Ora la televisione mostra {name}.",
        "programme": "Stasera su {name}: {told}.", "none": "Non ci sono messaggi.",
        "messages": "Ci sono {count} messaggi. {first}", "delete": "Devo cancellare i messaggi?",
        "deleted": "I messaggi sono cancellati.", "kept": "I messaggi restano.",
        "puzzled": "Non ho capito. Mi occupo di lampade, tapparelle, televisione e segreteria.",
        "more": "Altro?", "bye": "Arrivederci.", "or": " o ",
    },
}  # fmt: skip
