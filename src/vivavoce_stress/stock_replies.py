"""Stock replies: sentences of a system to variants of different utterances, and to no original.

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
        """Record the answers to an original and to its variant, from any number of replays."""
        for replayed in clean:
            self._of_originals |= {plain(sentence) for sentence in _said(replayed.turns)}
        answer = next((original.answer["text"] for original in clean if original.answer), None)
        if answer is None:
            return
        self._languages[answer] = language
        for replayed in variants:
            for sentence in sentences_of(replayed.answer["text"]) if replayed.answer else ():
                self._answered[plain(sentence)][answer] = language
            if replayed.answer is not None and replayed.injected is not None:
                user_text = plain(str(replayed.turns[replayed.injected]["text"]))
                self._worded[plain(replayed.answer["text"])][answer].add(user_text)

    def verdict(self, clean: Sequence[Replayed], variant: Replayed) -> Verdict | None:
        """Verdict by the system's other answers in the run, beside its earlier turns.

        Output  fail: there are but stock replies; clarification: but questions beside them or alone, where
                no original was asked any; pass: its own words for this request, as `_in_own_words` has it;
                None: something else, which may be the answer; or the system tells its acts
        """
        if variant.answer is None or variant.answer["acts"] is not None:
            return None
        before = {plain(sentence) for sentence in _said(variant.turns[: variant.injected])}
        new = [sentence for sentence in sentences_of(variant.answer["text"]) if plain(sentence) not in before]
        specific = [sentence for sentence in new if not self._is_stock(plain(sentence))]
        reason = statement(ALIKE, words=" ".join(new))
        if new and not specific:
            return Verdict("fail", "evidence", reason)
        original_asks = any("?" in original.answer["text"] for original in clean if original.answer)
        if specific and not original_asks and all(sentence.endswith("?") for sentence in specific):
            asks = statement(ASKS, words=" ".join(new))
            return Verdict("clarification", "evidence", reason if len(specific) < len(new) else asks)
        return self._in_own_words(clean, variant.answer["text"]) if len(specific) == len(new) else None

    def _in_own_words(self, clean: Sequence[Replayed], answer: str) -> Verdict | None:
        """A pass where several variants of one request, and of no other, were answered so.

        It must also differ from the answer to the original in nothing that may not, and share words with it.
        """
        original = next((original.answer["text"] for original in clean if original.answer), None)
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
        (first, language), *other_answers = self._answered[sentence].items()
        return any(compare(first, other_answer, language).found for other_answer, _ in other_answers)


def _content(text: str) -> set[str]:
    """Numbers, and words that are long enough to tell what is spoken of."""
    return {word for word in plain(text).split() if len(word) >= _CONTENT or word.isdigit()}


def _said(turns: Sequence[dict[str, object]]) -> list[str]:
    return [
        sentence
        for turn in turns
        if turn["party"] == "system"
        for sentence in sentences_of(str(turn["text"]))
    ]
