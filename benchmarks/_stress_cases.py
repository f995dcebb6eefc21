"""`python -m benchmarks._stress_cases`: hold every dialogue of the bots with its original and its variants.

Writes `benchmarks/stress_verdicts/cases.jsonl.xz`. The user goes on as planned whatever the bot says, so that
nothing in a transcript depends on how replies are understood. Systems speak first: even places are theirs.
"""

import json
import lzma
from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks._stress_bots import BOTS, LANGUAGES, Facts, make_bot, read_bots

CASES = BOTS.parent / "cases.jsonl.xz"


def hold(bot: Facts, language: str, said: Sequence[str]) -> list[str]:
    """The turns of one dialogue, the bot's and the user's in turn."""
    held = make_bot(bot, language)
    turns = [held.greeting]
    for text in said:
        turns += [text, held.answer(text)]
    return turns


def make_cases() -> Iterator[dict[str, Any]]:
    """One case a variant; `place` is that of the utterance under test in both dialogues."""
    for domain, bot in read_bots().items():
        for language in LANGUAGES:
            number = 0
            for dialogue in bot[language]["dialogues"]:
                before, after = dialogue.get("before", []), dialogue.get("after", [])
                clean = hold(bot, language, [*before, dialogue["say"], *after])
                for origin, key in (("written", "variants"), ("proposed", "proposed")):
                    for test, variant in dialogue.get(key, {}).items():
                        number += 1
                        yield {
                            "id": f"{domain}-{language}-{number:02}",
                            "bot": domain,
                            "make": bot["make"],
                            "language": language,
                            "test": test,
                            "origin": origin,
                            "place": 2 * len(before) + 1,
                            "clean": clean,
                            "variant": hold(bot, language, [*before, variant, *after]),
                        }


def main() -> None:
    written = [json.dumps(case, ensure_ascii=False) + "\n" for case in make_cases()]
    with lzma.open(CASES, "wt", encoding="utf-8", preset=9) as file:
        file.writelines(written)
    print(json.dumps({"cases": len(written)}))


if __name__ == "__main__":
    main()
