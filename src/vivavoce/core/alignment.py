"""Edit distance between a reference and what was recognised, kept as counts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from vivavoce.core.extras import later

if TYPE_CHECKING:
    import rapidfuzz
else:
    rapidfuzz = later("rapidfuzz", "analysis")


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
    Note    of the minimal alignments the one with most substitutions is counted: the total is unique, the
            split is not, and this rule fixes it
    Source  Levenshtein 1966; WER = errors / reference_count (ITU-T Suppl. 24)
    """
    reference_length, hypothesis_length = len(reference), len(hypothesis)
    much = (
        reference_length + hypothesis_length + 1
    )  # one edit costs more than any number of insertions and deletions
    cost = rapidfuzz.distance.Levenshtein.distance(reference, hypothesis, weights=(much + 1, much + 1, much))
    errors, gaps = divmod(cost, much)
    deletions = (gaps + reference_length - hypothesis_length) // 2
    substitutions = errors - gaps
    return ErrorCounts(
        hits=reference_length - substitutions - deletions,
        substitutions=substitutions,
        deletions=deletions,
        insertions=gaps - deletions,
    )
