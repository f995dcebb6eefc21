"""ST-4: two neighbouring letters inside a word change places."""

from collections.abc import Iterator
from random import Random

from vivavoce.stress.base import ANY_LANGUAGE, LanguagePack, Substitution, Utterance
from vivavoce.stress.words import is_name, word_edit, words_of

_SEEN = 1.5  # written so often, it may be a word that no dictionary has: causalmente


class SwappedLetters:
    """Every pair of different inner letters, in an order that the seed decides; the outer letters stay."""

    test, language, needs = "ST-4", ANY_LANGUAGE, ("function_words",)

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        small = set(pack.get("function_words"))
        frequency = pack.get("frequency") if pack.has("frequency") else None
        found: list[Substitution] = []
        for word in words_of(utterance.text):
            if len(word.text) < 4 or word.lower in small:
                continue
            confidence = 0.5 if is_name(utterance.text, word) else 0.95 if len(word.text) > 5 else 0.85
            letters = word.lower
            for place in range(1, len(letters) - 2):
                one, other = letters[place], letters[place + 1]
                after = letters[:place] + other + one + letters[place + 2 :]
                if one != other and not (frequency and frequency.zipf(after) >= _SEEN):
                    rule = f"{one} and {other} swapped"
                    found.append(Substitution((word_edit(word, after),), rule, confidence, nonword=True))
        rng.shuffle(found)
        yield from found

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no word of it has two different letters between its first and last"
