"""How far judges of the same pairs agree, question by question."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from vivavoce.stats.agreement import Agreement, fleiss, krippendorff
from vivavoce.stats.preferences import ChoiceAgreement

CHOICES: Final = ("experimental", "tie", "control")


def agreement_of_choices(rows: Iterable[Mapping[str, Any]], level: float = 0.95) -> list[ChoiceAgreement]:
    """Agreement beyond chance of all who judged the same pair.

    Input   rows of `preferences`
    Empty   no pair was judged twice: no entry
    Source  Fleiss 1971; Krippendorff 2011
    """
    cells: defaultdict[tuple[str, str], defaultdict[str, Counter[str]]] = defaultdict(
        lambda: defaultdict(Counter)
    )
    for row in rows:
        cells[row["variable"], row["question"]][row["pair_id"]][row["choice"]] += 1
    found: list[ChoiceAgreement] = []
    for (variable, question), pairs in sorted(cells.items()):
        every = sum(pairs.values(), Counter[str]())
        counts = [[pair[choice] for choice in CHOICES] for pair in pairs.values() if pair.total() > 1]
        if counts:
            sizes = {sum(one) for one in counts}
            alike = len(sizes) == 1
            agreed = fleiss(counts, level=level) if alike else _alpha(counts, level)
            low, high = agreed.interval or (None, None)
            found.append(
                ChoiceAgreement(
                    variable=variable, question=question, pairs=len(counts),
                    judges=sizes.pop() if alike else None, method="fleiss" if alike else "krippendorff",
                    value=agreed.value, low=low, high=high, judgements=every.total(),
                    **{choice: every[choice] / every.total() for choice in CHOICES},
                )
            )  # fmt: skip
    return found


def _alpha(counts: list[list[int]], level: float) -> Agreement:
    """Krippendorff's alpha of counts, for which it does not matter who judged."""
    most = max(sum(one) for one in counts)
    units = [[float(code) for code, n in enumerate(one) for _ in range(n)] for one in counts]
    padded = [[*unit, *([None] * (most - len(unit)))] for unit in units]
    return krippendorff(list(zip(*padded, strict=True)), level=level)
