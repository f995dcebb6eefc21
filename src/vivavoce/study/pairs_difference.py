"""Word-level difference between two transcripts."""

from collections.abc import Sequence
from itertools import groupby
from typing import Literal, NamedTuple

from vivavoce.study.pairs import PairText, Transcript, tokens

Kind = Literal["same", "removed", "added"]


class Piece(NamedTuple):
    """A run of words that both versions share, or that only one of them has."""

    kind: Kind
    text: str


class Segment(NamedTuple):
    """Text between two user turns, or one user turn: its party and its pieces."""

    party: str
    pieces: tuple[Piece, ...]


class Difference(NamedTuple):
    """Both transcripts laid over each other.

    removed, added  tokens that only the control, only the experimental version has
    """

    segments: tuple[Segment, ...]
    removed: int
    added: int


def difference(text: PairText) -> Difference:
    """The word difference of a pair, of its longest common subsequences; letter case is no difference.

    Note  the turns are laid over each other between the user's turns, in order; where these differ, too,
          their words are compared like the system's
    """
    segments: list[Segment] = []
    removed = added = 0
    ours, theirs = _stretches(text.control), _stretches(text.experimental)
    for place in range(max(len(ours), len(theirs))):
        party, before = ours[place] if place < len(ours) else (theirs[place][0], "")
        after = theirs[place][1] if place < len(theirs) else ""
        pieces, gone, new = _pieces(before, after)
        removed, added = removed + gone, added + new
        if pieces:
            segments.append(Segment(party, pieces))
    return Difference(tuple(segments), removed, added)


def _stretches(transcript: Transcript) -> list[tuple[str, str]]:
    """System's words and user's turns in turn, beginning with the system's; "" where it says nothing."""
    stretches: list[tuple[str, str]] = [("system", "")]
    for turn in transcript:
        if turn.party == "user":
            stretches += [("user", turn.text), ("system", "")]
        else:
            said = stretches[-1][1]
            stretches[-1] = ("system", f"{said}\n{turn.text}" if said else turn.text)
    return stretches


def _pieces(before: str, after: str) -> tuple[tuple[Piece, ...], int, int]:
    """Pieces in reading order, what is gone before what is new, and how many tokens are gone and new."""
    old, new = tokens(before), tokens(after)
    old_at, new_at = _starts(before, old), _starts(after, new)
    shared = _shared([one.casefold() for one in old], [one.casefold() for one in new])
    pieces: list[Piece] = []
    old_done = new_done = 0
    # a run of shared tokens keeps both distances from the number of the match
    for _, run in groupby(enumerate(shared), key=lambda one: (one[1][0] - one[0], one[1][1] - one[0])):
        places = [place for _, place in run]
        (old_start, new_start), (old_last, new_last) = places[0], places[-1]
        pieces += _apart(
            before[old_at[old_done] : old_at[old_start]], after[new_at[new_done] : new_at[new_start]]
        )
        old_done, new_done = old_last + 1, new_last + 1
        pieces.append(Piece("same", after[new_at[new_start] : new_at[new_done]]))
    pieces += _apart(before[old_at[old_done] :], after[new_at[new_done] :])
    return tuple(pieces), len(old) - len(shared), len(new) - len(shared)


def _apart(gone: str, added: str) -> list[Piece]:
    return [*([Piece("removed", gone)] if gone else []), *([Piece("added", added)] if added else [])]


def _shared(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Places of a longest common subsequence, in both."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    old_end, new_end = len(old) - tail, len(new) - tail
    longest = [[0] * (new_end - head + 1) for _ in range(old_end - head + 1)]  # from these places on
    for row in range(old_end - head - 1, -1, -1):
        for column in range(new_end - head - 1, -1, -1):
            longest[row][column] = (
                longest[row + 1][column + 1] + 1
                if old[head + row] == new[head + column]
                else max(longest[row + 1][column], longest[row][column + 1])
            )
    places = [(place, place) for place in range(head)]
    row = column = 0
    while row < old_end - head and column < new_end - head:
        if old[head + row] == new[head + column]:
            places.append((head + row, head + column))
            row, column = row + 1, column + 1
        elif longest[row + 1][column] >= longest[row][column + 1]:
            row += 1
        else:
            column += 1
    return places + [(old_end + place, new_end + place) for place in range(tail)]


def _starts(text: str, found: list[str]) -> list[int]:
    """Start of each token, and the end of the text."""
    places, at = [], 0
    for token in found:
        at = text.index(token, at)
        places.append(at)
        at += len(token)
    return [*places, len(text)]
