"""The robot's actions, things and words. Actions and things are named in Italian, as in the notation."""

from typing import Final

# What an action takes, in order; `?` marks what may be left out.
ACTIONS: Final[dict[str, tuple[str, ...]]] = {
    "prendere": ("quantity?", "thing"), "aprire": ("quantity?", "thing", "container?"),
    "mettere": ("quantity?", "thing", "place"), "sbucciare": ("quantity?", "thing"),
    "schiacciare": ("thing",), "passare": ("thing",), "grattare": ("thing",), "girare": ("thing",),
    "togliere": ("thing", "place?"), "aggiungere": ("quantity?", "thing", "container"),
    "mescolare": ("thing?", "container"), "impastare": ("thing",), "separare": ("thing",),
    "coprire": ("container",), "scoprire": ("container",), "controllare": ("thing",), "cuocere": ("thing",
    "time?"),
}  # fmt: skip

VERBS: Final = {
    "en": {
        "prendere": r"take|get|fetch", "aprire": r"open|crack", "mettere": r"put|place", "sbucciare": r"peel",
        "schiacciare": r"mash|crush", "passare": r"strain|sieve", "grattare": r"grate",
        "girare": r"flip|turn over",
        "togliere": r"remove|take off", "aggiungere": r"add|pour", "mescolare": r"stir|mix",
        "impastare": r"knead",
        "separare": r"separate", "coprire": r"cover", "scoprire": r"uncover", "controllare": r"check",
        "cuocere": r"cook|boil|fry",
    },
    "it": {
        "prendere": r"prend\w+", "aprire": r"apr[iae]\w*|romp\w+", "mettere": r"mett\w+",
        "sbucciare": r"sbucci\w+",
        "schiacciare": r"schiacci\w+", "passare": r"pass\w+ al setaccio|setacci\w+",
        "grattare": r"grattugi\w+|gratt\w+",
        "girare": r"gir[aio]\w*", "togliere": r"togli\w*|leva\w*", "aggiungere": r"aggiung\w+|vers\w+",
        "mescolare": r"mescol\w+", "impastare": r"impast\w+", "separare": r"separ\w+", "coprire": r"copri\w*",
        "scoprire": r"scopri\w*", "controllare": r"controll\w+",
        "cuocere": r"cuoc\w+|cucin\w+|lessa\w*|frigg\w+",
    },
}  # fmt: skip
ENGLISH: Final = {
    "prendere": "take", "aprire": "open", "mettere": "put", "sbucciare": "peel", "schiacciare": "mash",
    "passare": "strain", "grattare": "grate", "girare": "flip", "togliere": "remove", "aggiungere": "add",
    "mescolare": "stir", "impastare": "knead", "separare": "separate", "coprire": "cover",
    "scoprire": "uncover",
    "controllare": "check", "cuocere": "cook",
}  # fmt: skip

CONTAINERS: Final = {
    "padella": "pan",
    "pentola": "pot",
    "ciotola": "bowl",
    "piatto": "plate",
    "tegame": "saucepan",
}
PLACES: Final = {"fuoco": "stove", "forno": "oven", "frigorifero": "fridge", "tavolo": "table"}
INGREDIENTS: Final = {
    "uovo": "egg", "uova": "eggs", "burro": "butter", "sale": "salt", "olio": "oil", "farina": "flour",
    "acqua": "water", "latte": "milk", "zucchero": "sugar", "pasta": "pasta", "riso": "rice",
    "pomodoro": "tomato",
    "cipolla": "onion", "aglio": "garlic", "patate": "potatoes", "formaggio": "cheese", "limone": "lemon",
    "pepe": "pepper", "coperchio": "lid", "cucchiaio": "spoon",
}  # fmt: skip

SAID: Final = {
    "en": {
        "hello": "I am the cooking robot. Tell me what to do, one command after the other.",
        "done": "Done: {predicate}.", "unknown_action": "I cannot do that. I can: {actions}.",
        "thing": "What shall I {action}?", "place": "Where shall I put {thing}?",
        "container": "Into what?", "missing": "I have no {thing}.", "refused": "I cannot do that: {why}.",
        "malformed": "I cannot read this command: {why}.", "more": "What next?",
        "bye": "Enjoy your meal. Goodbye.",
        "puzzled": "I did not understand. Tell me a command such as: put the pan on the stove.",
    },
    "it": {
        "hello": "Sono il robot da cucina. Dammi i comandi, uno dopo l'altro.",
        "done": "Fatto: {predicate}.", "unknown_action": "Questo non lo so fare. So: {actions}.",
        "thing": "Che cosa devo {action}?", "place": "Dove devo mettere {thing}?",
        "container": "In quale recipiente?", "missing": "Non ho {thing}.",
        "refused": "Non posso: {why}.",
        "malformed": "Non riesco a leggere questo comando: {why}.", "more": "E poi?",
        "bye": "Buon appetito. Arrivederci.",
        "puzzled": "Non ho capito. Dammi un comando come: metti la padella sul fuoco.",
    },
}  # fmt: skip
REFUSED: Final = {
    "en": {
        "empty": "the {thing} is empty", "covered": "the {thing} is covered",
        "cannot": "that is not done to {thing}", "already": "that is done already ({thing})",
        "no_container": "{thing} cannot go on the {other} without a pan or a pot",
        "burns": "the {thing} would burn there", "not_there": "there is no {thing} there",
        "nowhere": "{thing} is in no container yet",
        "cold": "the {thing} is neither on the stove nor in the oven",
        "dry": "there is no water with the {thing}",
    },
    "it": {
        "empty": "{thing}: non c'è niente dentro", "covered": "{thing}: c'è sopra il coperchio",
        "cannot": "con questo non si fa ({thing})", "already": "è già fatto ({thing})",
        "no_container": "prima serve una padella o una pentola ({thing})",
        "burns": "lì si brucia ({thing})", "not_there": "lì non c'è ({thing})",
        "nowhere": "non è ancora in nessun recipiente ({thing})",
        "cold": "non è né sul fuoco né nel forno ({thing})", "dry": "manca l'acqua ({thing})",
    },
}  # fmt: skip
TALK: Final = {
    "en": {"bye": r"\b(bye|goodbye|that is all|that's all)\b", "no": r"^\W*(no|nothing)\b"},
    "it": {"bye": r"\b(arrivederci|addio|basta così|nient'altro)\b", "no": r"^\W*(no|niente)\b"},
}
