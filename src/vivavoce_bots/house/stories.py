"""What people tell of themselves, and how they wrap a question: no command to a house stands in either.

`I've just put the baby down` closes no blinds; `can you tell me if they're down?` asks whether they are.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final

from vivavoce_bots.dialogue.spotting import tokens

_PIECES: Final = re.compile(r"((?:[.!?;:…]+|,)\s+(?:(?:and|but|so|e|ma|poi) )?|\s+(?:and|but|e|ma)\s+)", re.I)
_ASKED: Final = {
    "en": re.compile(
        r"\b(?:(?:can|could|would|will) you (?:\w+ )?(?:tell me|check|see|say|look)|"
        r"do you (?:happen to )?know|(?:please )?(?:tell me|check|see|let me know)|"
        r"i(?:'m| am)? (?:just |only )?(?:wonder(?:ing|ed)?|"
        r"want(?:ed)? to know|(?:can't|cannot) (?:tell|see|remember)|(?:do not|don't) (?:know|remember)))"
        r" (?:if|whether)\s+(?P<asked>(?P<who>it|they|that|those|i|we|you|"
        r"(?:the|my|our|that) [^.,;!?]{1,40}?)"
        r"(?P<verb>'s|'re|'ve|'m| is| are| was| were| have| has| left| did| turned| switched| closed| shut)\b"
        r"(?P<rest>[^.,;!?]*))[.?!]*",
        re.I,
    ),
    "it": re.compile(
        r"\b(?:(?:mi )?(?:sa|sai|può|puoi|potrebbe|potresti) (?:mica |per caso )?(?:dire|dirmi|vedere|"
        r"guardare|controllare)|(?:mi )?(?:sa|sai|dica|dici)(?: mica| per caso)?|dimmi|"
        r"(?:controlli|controlla|guardi|guarda|veda|vedi)|"
        r"(?:volevo|vorrei) sapere|mi chiedo|non (?:so|ricordo|mi ricordo|vedo|capisco))"
        r" (?:un po' |anche )?se\s+(?P<asked>[^.,;!?]+)[.?!]*",
        re.I,
    ),
}
"""Questions that are put as requests or as doubts."""
_HEADS: Final = {"'s": "is", "'re": "are", "'ve": "have", "'m": "am"}
_DID: Final = frozenset(("left", "turned", "switched", "closed", "shut"))
_TELLS: Final = {
    "en": re.compile(
        r"\W*(?:(?:oh|ah|well|because|since|as|right|hello|hi|there|now|yes|no)[,!.\s]+)*"
        r"(?:i(?:'ve|'m|'d)?|we(?:'ve|'re|'d)?|(?:he|she)(?:'s|'d)?|my \w+|the (?:baby|kids?|"
        r"children|cat|dog|neighbours?|sun|rain|doctor|post))\b"
        r"(?! (?:\w+ )?(?:want|would|need|like|love|mean|meant|said|think|thought|suppose|guess|"
        r"can(?!'t| hardly)|could|prefer|asked|told|left|forgot|hear|see|hope)\b)(?<!i'd)(?<!we'd)",
        re.I,
    ),
    "it": re.compile(
        r"\W*(?:(?:oh|ah|beh|perché|che|dato che|visto che|siccome|ecco|adesso|ora|ieri|stamattina|sì|no|"
        r"buongiorno|buonasera|salve|ciao|senta|senti|guardi|allora)[,!.\s]+)*"
        r"(?:io |noi |mi |ci |l[aeio] |li |lei |lui |l')?(?:(?:sono|ho|siamo|abbiamo|hanno|avevo|vado|sto|"
        r"stavo|torno|vengo|esco|arrivo|arriva|arrivano|vengono|viene|devo|faccio|metto|prendo|tiro|"
        r"porto|salgo|scendo|apro|chiudo|cucino|preparo|friggo|stiro|lavo|leggo|dormo|mangio)\b"
        r"(?! (?:bisogno|detto|chiesto|lasciat\w|dimenticat\w|caldo|freddo|sentit\w|vist\w))"
        r"|mi[oa] (?!car)\w+ )",
        re.I,
    ),
}
"""How clauses begin in which people tell what they or others do."""


_FIRST: Final = re.compile(
    r"(?:(?<=[.!?;,])|^)[^,.;!?]*,?\s+(?:no[, ]+)?(?:aspett\w|wait|hang on|hold on)\b[,.!\s]*"
    r"(?=(?:tell me |dimmi )?(?:prima|first)\b)",
    re.I,
)
"""A command that is put off: `television on, no wait, first tell me what's on`."""


IF_NOT: Final = {
    "en": re.compile(
        r"\bif (?:it is|it's on|so|they are|yes),? (?P<yes>[^.;!?]{0,120}?)[,.;]\s*(?:and |but )?"
        r"(?:if not|if it isn't|otherwise),? (?P<no>[^.;!?]*)",
        re.I,
    ),
    "it": re.compile(
        r"\bse (?:sì|lo è|è così|(?:è|sono) \w+),? (?P<yes>[^.;!?]{0,120}?)[,.;]\s*(?:e |ma )?"
        r"(?:se no|sennò|altrimenti),? (?P<no>[^.;!?]*)",
        re.I,
    ),
}
"""What is to be done if something is so, and what if not."""
_NAMED_LATER: Final = {
    "en": (
        r"\b(?:everything|all|them|it),? (?:the )?(?P<kind>{kinds})s?,? (?:i mean|that is)\b",
        "all the {0}",
    ),
    "it": (
        r"\btutt[oei],? (?:(?:le|la|il|i) )?(?P<kind>{kinds}),? (?:intendo|dico|voglio dire)\b",
        "tutte le {0}",
    ),
}
_NOT_MINE: Final = {
    "en": re.compile(
        r"\b(?:and |but |because )?(?:the |that |my |a )?(?:(?:street|traffic|head|tail|car|bike|fairy)"
        r"[ -]?|neighbou?rs?'?s? |next door's )(?:lamps?|lights?|radio|telly|tv|television|music|blinds?)\b"
        r"[^,.;!?]*|\b(?:a |big |huge |great )+fan of\b[^,.;!?]*"
        r"|\blight (?:snack|sleeper|meal|lunch|dinner|rain)\b",
        re.I,
    ),
    "it": re.compile(
        r"\b(?:e |ma |che )?(?:il |i |la |le |un )?(?:lampion[ei]\b|(?:radio|tele|televisione|tv|musica|"
        r"luc[ei]|lampad[ae]|tapparell[ae]) (?:de[il] vicin\w|della (?:vicina|strada|macchina)|"
        r"delle macchine|di (?:sotto|sopra)|dei lampioni)\b)[^,.;!?]*",
        re.I,
    ),
}
"""Lamps and sets of other people, and other senses of such words."""
_IS_THIS_ON: Final = re.compile(r"^\W*(?:\w+\W+)?is this (?:thing )?on\?", re.I)
NEVER_MIND: Final = {
    "en": re.compile(
        r"\b(?:oh,? (?:well,? )?|well,? |ok(?:ay)?,? )?(?:never ?mind(?: that| then| about that)?"
        r"|not to worry|no matter|doesn't matter)[,.!]+\s*(?=\w)",
        re.I,
    ),
    "it": re.compile(
        r"\b(?:ma |vabbè,? |va bene,? )?(?:fa niente|non (?:fa niente|importa)|pazienza|poco male"
        r"|lasci(?:a|amo)? (?:perdere|stare))[,.!]+\s*(?=\w)",
        re.I,
    ),
}
"""That something is let go, before something else is said."""


_STEM: Final = 5  # letters by which two forms of a word are the same
_SHORT: Final = 5  # words of a clause that only says again what was told
_STATIVE: Final = re.compile(
    r"\W*(?:(?:so|oh|ah|well|then|allora|quindi|ah|oh|ecco)\W+)*(?:no \w+\W*$|nothing|all|still|already|"
    r"niente|tutt[oiea]|già|ancora|nessuna|it(?:'s| is)|they(?:'re| are)|(?:è|sono) )\b",
    re.I,
)
"""How such a clause begins."""
_ECHOING: Final = frozenset(
    tokens(
        "so no oh ah ok okay right well then is are it they there good fine still all already nothing none "
        "allora ah oh ok bene è sono ecco già quindi tutto tutte tutti niente nessuna dunque beh"
    )
)
_PHRASAL: Final = re.compile(
    r"\b((?:wr[io]t|not|tak)(?:e|ing|ten)?|jot|pick|sit|sat|stand|lie|lay|lying|wake|woke|get|give|giving|gave|cheer|tidy|clean|wash|hurry|stay|calm|grow|eat|drink|dress|"
    r"ring|phone|break|broke|burn|figure|find|found|sort|try|trying|point|catch|"
    r"caught|made|fed|show|doze|drop|nod|hold|carry|settle|pack|"
    r"live|warm|heat|boil|throw|chop|mess|messed|mix|mixed|blow|blew|dig|count|lock|locked|step|pass|"
    r"pop(?=s|ped)|freak|chill)(s|ing|ed|ped)?"
    r"((?: (?:it|that|them|this|me|us|him|her|you))?) (?:up|down|on|off|out|over)\b(?! (?:the|my) "
    r"(?:lamps?|lights?|blinds?|fan|radio|tv|telly|television|volume))",
    re.I,
)
"""Verbs that mean something else with `up`, `down`, `on`, `off`, `out`: nothing is switched by them."""


def asked_plainly(text: str, language: str) -> str:
    """A text whose wrapped questions are put plainly: `are they down?`."""

    def plain(found: re.Match[str]) -> str:
        if language != "en":
            return f"{found['asked']}?"
        verb = found["verb"].strip().lower()
        if verb in _DID:
            return f"did {found['who']} {verb}{found['rest']}?"
        return f"{_HEADS.get(verb, verb)} {found['who']}{found['rest']}?"

    text = _NOT_MINE[language].sub("", text) or text
    if language == "en":
        text = _IS_THIS_ON.sub("", text) or text
        text = _PHRASAL.sub(r"\1\2\3", text)
    return _ASKED[language].sub(plain, _FIRST.sub(" ", text))


def named_at_once(text: str, language: str, kinds: Sequence[str]) -> str:
    """A turn in which a device that is named behind stands where it is meant: `raise all, blinds I mean`.

    kinds  the words for kinds of devices
    """
    form, plain = _NAMED_LATER[language]
    found = re.compile(form.format(kinds="|".join(map(re.escape, kinds))), re.I)
    return found.sub(lambda one: plain.format(one["kind"]), text)


def without_echoes(text: str, last: str) -> str:
    """A turn without the short clauses that only say again what was told: `nothing on, good`.

    last  what was told
    """
    told = {token[:_STEM] for token in tokens(last)} | _ECHOING
    pieces = _PIECES.split(text)
    kept: list[str] = []
    for piece, cut in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
        said = tokens(piece)
        again = 0 < len(said) <= _SHORT and "?" not in piece + cut
        again = (
            again
            and _STATIVE.match(piece) is not None
            and not {*said} <= _ECHOING
            and all(one[:_STEM] in told for one in said)
        )
        kept += [] if again else [piece, cut]
    return "".join(kept) if any(re.search(r"\w", one) for one in kept) else text


def without_stories(
    text: str, language: str, names: Callable[[str], bool], acts: Callable[[str], bool]
) -> str:
    """A text without the clauses that tell what people do, where a word in them could be taken for a command.

    names  whether a clause names a device or what is wished of one
    acts   whether a word of a command stands in it
    """
    pieces = _PIECES.split(text)
    kept: list[str] = []
    for piece, cut in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
        tells = _TELLS[language].match(piece) and "?" not in piece + cut
        if not tells or names(piece) or not acts(piece):
            kept += [piece, cut]
        elif kept and re.search(r"[.!?;]", cut):
            kept[-1] = cut
    return "".join(kept) if kept else text
