"""Word-level difference between two transcripts."""

from typing import Literal, NamedTuple

from rapidfuzz.distance import LCSseq

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
    steps = LCSseq.opcodes([one.casefold() for one in old], [one.casefold() for one in new])
    old_at, new_at = _starts(before, old), _starts(after, new)
    pieces: list[Piece] = []
    removed = added = 0
    for step in steps:
        if step.tag == "equal":
            pieces.append(Piece("same", after[new_at[step.dest_start] : new_at[step.dest_end]]))
            continue
        if step.src_end > step.src_start:
            gone = Piece("removed", before[old_at[step.src_start] : old_at[step.src_end]])
            after_added = pieces and pieces[-1].kind == "added"
            pieces.insert(len(pieces) - 1 if after_added else len(pieces), gone)
            removed += step.src_end - step.src_start
        if step.dest_end > step.dest_start:
            pieces.append(Piece("added", after[new_at[step.dest_start] : new_at[step.dest_end]]))
            added += step.dest_end - step.dest_start
    return tuple(pieces), removed, added


def _starts(text: str, found: list[str]) -> list[int]:
    """Start of each token, and the end of the text."""
    places, at = [], 0
    for token in found:
        at = text.index(token, at)
        places.append(at)
        at += len(token)
    return [*places, len(text)]
