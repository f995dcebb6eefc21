"""What a system says to variants of quite different utterances, and to no original: its way of not answering.

No language's words are needed for that, only the run: a bot that answers the variant of a question about
prices and that of one about dogs with the same sentence has answered neither.
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


class StockReplies:
    """Collects what a system says over a run, in memory; a case is heard once, whatever became of it.

    Two requests are quite different where the answers to the originals differ in what may not differ:
    numbers, dates, names, negation, question or statement. So an answer worded in several ways, to one
    question asked in several ways, is no stock reply.
    """

    def __init__(self) -> None:
        self._of_originals: set[str] = set()
        self._answered: defaultdict[str, dict[str, str]] = defaultdict(dict)  # sentence: originals' answers

    def hear(self, clean: Sequence[Replayed], variants: Sequence[Replayed], language: str) -> None:
        """What was said to an original and to its variant, in however many replays."""
        for one in clean:
            self._of_originals |= {plain(said) for said in _said(one.turns)}
        answer = next((one.answer["text"] for one in clean if one.answer), None)
        if answer is None:
            return
        for one in variants:
            for sentence in sentences_of(one.answer["text"]) if one.answer else ():
                self._answered[plain(sentence)][answer] = language

    def verdict(self, clean: Sequence[Replayed], variant: Replayed) -> Verdict | None:
        """What the answer comes to where it has stock replies, beside what the dialogue had before.

        Output  fail: there is nothing else; clarification: but questions, where no original was asked any;
                None: something else, which may be the answer; or the system tells its acts
        """
        if variant.answer is None or variant.answer["acts"] is not None:
            return None
        before = {plain(said) for said in _said(variant.turns[: variant.injected])}
        new = [one for one in sentences_of(variant.answer["text"]) if plain(one) not in before]
        others = [one for one in new if not self._is_stock(plain(one))]
        reason = statement(ALIKE, words=" ".join(new))
        if len(others) == len(new):
            return None
        if not others:
            return Verdict("fail", "evidence", reason)
        asked = any("?" in one.answer["text"] for one in clean if one.answer)
        if asked or not all(one.endswith("?") for one in others):
            return None
        return Verdict("clarification", "evidence", reason)

    def _is_stock(self, sentence: str) -> bool:
        if sentence in self._of_originals:
            return False
        (first, language), *others = self._answered[sentence].items()
        return any(compare(first, other, language).found for other, _ in others)


def _said(turns: Sequence[dict[str, object]]) -> list[str]:
    return [one for turn in turns if turn["party"] == "system" for one in sentences_of(str(turn["text"]))]
