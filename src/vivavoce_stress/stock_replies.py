"""What a system says to variants of quite different utterances, and to no original: its way of not answering.

No language's words are needed for that, only the run: a bot that answers the variant of a question about
prices and that of one about dogs with the same sentence has answered neither.
The reverse holds, too: what it says to several variants of one request, to no other, and with the same
content as to the original, is its answer in other words.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from vivavoce.core.i18n import N_
from vivavoce.core.statement import statement
from vivavoce_stress.cascade import Verdict
from vivavoce_stress.evidence import sentences_of
from vivavoce_stress.heuristics import compare, plain
from vivavoce_stress.replay import Replayed

ALIKE: Final = N_("the system answers quite different requests alike, and no original so: “{words}”")


OWN_WORDS: Final = N_(
    "the system says the same in other words, which it gives to this request alone: “{words}”"
)
ASKS: Final = N_("the system asks where it answered the original: “{words}”")
_CONTENT: Final = 4  # letters of a word that tells what an answer is about
_SHARED: Final = 2


class StockReplies:
    """Collects what a system says over a run, in memory; a case is heard once, whatever became of it.

    Two requests are quite different where the answers to the originals differ in what may not differ:
    numbers, dates, names, negation, question or statement. So an answer worded in several ways, to one
    question asked in several ways, is no stock reply.
    """

    def __init__(self) -> None:
        self._of_originals: set[str] = set()
        self._answered: defaultdict[str, dict[str, str]] = defaultdict(dict)  # sentence: originals' answers
        self._languages: dict[str, str] = {}  # by the original's answer
        self._worded: defaultdict[str, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))

    def hear(self, clean: Sequence[Replayed], variants: Sequence[Replayed], language: str) -> None:
        """What was said to an original and to its variant, in however many replays."""
        for one in clean:
            self._of_originals |= {plain(said) for said in _said(one.turns)}
        answer = next((one.answer["text"] for one in clean if one.answer), None)
        if answer is None:
            return
        self._languages[answer] = language
        for one in variants:
            for sentence in sentences_of(one.answer["text"]) if one.answer else ():
                self._answered[plain(sentence)][answer] = language
            if one.answer is not None and one.injected is not None:
                said = plain(str(one.turns[one.injected]["text"]))
                self._worded[plain(one.answer["text"])][answer].add(said)

    def verdict(self, clean: Sequence[Replayed], variant: Replayed) -> Verdict | None:
        """What the answer comes to by what else the system said in the run, beside what it had said before.

        Output  fail: there are but stock replies; clarification: but questions beside them or alone, where
                no original was asked any; pass: its own words for this request, as `_in_own_words` has it;
                None: something else, which may be the answer; or the system tells its acts
        """
        if variant.answer is None or variant.answer["acts"] is not None:
            return None
        before = {plain(said) for said in _said(variant.turns[: variant.injected])}
        new = [one for one in sentences_of(variant.answer["text"]) if plain(one) not in before]
        others = [one for one in new if not self._is_stock(plain(one))]
        reason = statement(ALIKE, words=" ".join(new))
        if new and not others:
            return Verdict("fail", "evidence", reason)
        asked = any("?" in one.answer["text"] for one in clean if one.answer)
        if others and not asked and all(one.endswith("?") for one in others):
            asks = statement(ASKS, words=" ".join(new))
            return Verdict("clarification", "evidence", reason if len(others) < len(new) else asks)
        return self._in_own_words(clean, variant.answer["text"]) if len(others) == len(new) else None

    def _in_own_words(self, clean: Sequence[Replayed], answer: str) -> Verdict | None:
        """A pass where several variants of one request, and of no other, were answered so.

        It must also differ from the answer to the original in nothing that may not, and share words with it.
        """
        original = next((one.answer["text"] for one in clean if one.answer), None)
        worded = self._worded[plain(answer)]
        if original is None or set(worded) != {original} or len(worded[original]) < _SHARED:
            return None
        about = _content(original) & _content(answer)
        if len(about) < _SHARED or compare(original, answer, self._languages[original]).found:
            return None
        return Verdict("pass", "evidence", statement(OWN_WORDS, words=answer))

    def _is_stock(self, sentence: str) -> bool:
        if sentence in self._of_originals:
            return False
        (first, language), *others = self._answered[sentence].items()
        return any(compare(first, other, language).found for other, _ in others)


def _content(text: str) -> set[str]:
    """Numbers, and words that are long enough to tell what is spoken of."""
    return {word for word in plain(text).split() if len(word) >= _CONTENT or word.isdigit()}


def _said(turns: Sequence[dict[str, object]]) -> list[str]:
    return [one for turn in turns if turn["party"] == "system" for one in sentences_of(str(turn["text"]))]
