"""Edit distance between a reference and what was recognised, kept as counts."""

from collections.abc import Sequence
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein


class ErrorCounts(NamedTuple):
    """Counts of one alignment; reference_count = hits + substitutions + deletions."""

    hits: int
    substitutions: int
    deletions: int
    insertions: int

    @property
    def reference_count(self) -> int:
        return self.hits + self.substitutions + self.deletions

    @property
    def errors(self) -> int:
        return self.substitutions + self.deletions + self.insertions


def align(reference: Sequence[str], hypothesis: Sequence[str]) -> ErrorCounts:
    """Counts of a minimal unit-cost alignment.

    Input   two token sequences; tokens are compared by equality
    Output  hits, substitutions, deletions, insertions; their error total is the edit distance
    Empty   an empty reference counts every hypothesis token as an insertion
    Note    the split between substitutions and deletion-insertion pairs is not unique, the total is
    Source  Levenshtein 1966; WER = errors / reference_count (ITU-T Suppl. 24)
    """
    operations = Levenshtein.editops(reference, hypothesis)
    tags = [operation.tag for operation in operations]
    substitutions, deletions = tags.count("replace"), tags.count("delete")
    return ErrorCounts(
        hits=len(reference) - substitutions - deletions,
        substitutions=substitutions,
        deletions=deletions,
        insertions=tags.count("insert"),
    )
