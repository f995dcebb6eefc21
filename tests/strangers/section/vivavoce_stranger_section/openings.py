"""How dialogues are opened: the first word of each participant's first turn."""

from collections import Counter
from dataclasses import dataclass

from vivavoce.core.result import signature
from vivavoce.reports.blocks import Block, Cell, Row, TableOfText
from vivavoce.reports.language import count, say
from vivavoce.reports.section import AnalysisContext, Section


@dataclass(frozen=True)
class FirstWords:
    """How many dialogues began with each word, and the signature of these numbers."""

    dialogues: Counter[str]
    signature: str


class Openings(Section[FirstWords]):
    """It stands after the course of dialogues, which has order 1300."""

    name = "openings"
    order = 1310
    title = "How dialogues are opened"
    menu = "Openings"
    needs = ("dialogues", "turns")
    dashboard = True

    def results(self, material: AnalysisContext) -> FirstWords | None:
        first: dict[str, str] = {}
        turns = material.dataset.read("turns").to_pylist()
        for turn in sorted(turns, key=lambda turn: turn["turn_index"]):
            if turn["party"] == "user" and turn["text"]:
                first.setdefault(turn["dialogue_id"], turn["text"].split()[0].lower())
        if not first:
            return None
        signed = signature("openings", unit="dialogue", n=len(first), data=material.dataset.hash)
        return FirstWords(Counter(first.values()), signed)

    def blocks(self, results: FirstWords) -> list[Block]:
        rows = [Row(word, (Cell(count(n)),)) for word, n in results.dialogues.most_common(10)]
        columns = (Cell(say("First word")), Cell(say("Dialogues")))
        note = say("The ten most frequent first words of participants.")
        signed = ((say("All words"), results.signature),)
        return [TableOfText("openings", say("First words"), columns, tuple(rows), note, signed)]
