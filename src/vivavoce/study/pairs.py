"""Pairs of transcripts that differ in one interaction strategy, and the questions asked about them."""

import re
from collections.abc import Iterable
from hashlib import sha256
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from vivavoce.core.errors import sentences

Party = Literal["system", "user"]
Change = Literal["substitution", "insertion"]
Attention = Literal["broken", "identical"]
Quality = Literal["service", "experience"]
Version = Literal["control", "experimental"]

SPEAKERS: Final[dict[str, Party]] = {
    "system": "system",
    "sistema": "system",
    "s": "system",
    "user": "user",
    "utente": "user",
    "u": "user",
}

_LABELLED = re.compile(r"([^\W\d_]\w*)\s*:\s*(.*)", re.S)
_TOKEN = re.compile(r"\w+(?:[.,:’'-]\w+)*|[^\w\s]")


class _Fact(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PairTurn(_Fact):
    """One turn of a transcript."""

    party: Party
    text: str


Transcript = tuple[PairTurn, ...]


class PairText(_Fact):
    """Both transcripts of a pair in one language, and what the system must have told in either.

    equivalent  two phrases each that mean the same, as the author says
    """

    control: Transcript
    experimental: Transcript
    outcome: tuple[str, ...] = ()
    equivalent: tuple[tuple[str, str], ...] = ()

    def version(self, version: Version) -> Transcript:
        return self.control if version == "control" else self.experimental

    @property
    def digest(self) -> str:
        """16 hexadecimal digits over both transcripts as shown."""
        shown = [[(turn.party, turn.text) for turn in one] for one in (self.control, self.experimental)]
        return sha256(repr(shown).encode("utf-8", "backslashreplace")).hexdigest()[:16]


class Pair(_Fact):
    """One control transcript and its experimental counterpart.

    variable   the interaction strategy that the pair is about
    change     how the experimental version was made from the control
    attention  broken: the experimental version is nonsense, so control is the right answer; identical: both
               are the same; None: a pair of the experiment itself
    """

    pair_id: str
    variable: str
    change: Change = "substitution"
    control_level: str = "control"
    experimental_level: str = "experimental"
    attention: Attention | None = None
    text: dict[str, PairText]


class ComparisonQuestion(_Fact):
    """A question about two transcripts, answered by choosing one of them.

    quality  service: how well the task is served; experience: how it feels
    """

    question_id: str
    quality: Quality | None = None
    text: dict[str, str]


class UnreadableTranscript(ValueError):
    """A transcript has a line that belongs to no speaker: its number, what is wrong, the hint."""

    def __init__(self, line: int, problem: str, hint: str) -> None:
        self.line, self.problem, self.hint = line, problem, hint
        super().__init__(f"line {line}: {sentences(problem, hint)}")


def read_transcript(text: str) -> Transcript:
    """Turns written as `System: ...` and `User: ...`; an indented line goes on with the turn before it.

    Empty   no turns: ()
    Raises  UnreadableTranscript
    """
    turns: list[tuple[Party, list[str]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        if line[0].isspace() and turns:
            turns[-1][1].append(line.strip())
            continue
        labelled = _LABELLED.fullmatch(line.strip())
        party = SPEAKERS.get(labelled[1].lower()) if labelled else None
        if labelled is None or party is None:
            who = f"unknown speaker {labelled[1]!r}" if labelled else f"{line.strip()[:40]!r} has no speaker"
            raise UnreadableTranscript(number, who, "begin the line with `System:` or `User:`, or indent it")
        turns.append((party, [labelled[2].strip()] if labelled[2].strip() else []))
    empty = next((place for place, (_, said) in enumerate(turns, 1) if not said), None)
    if empty is not None:
        raise UnreadableTranscript(empty, f"turn {empty} is empty", "write its text, or remove it")
    return tuple(PairTurn(party=party, text="\n".join(said)) for party, said in turns)


def write_transcript(transcript: Iterable[PairTurn]) -> str:
    """The turns as they are written; what `read_transcript` reads."""
    lines = []
    for turn in transcript:
        first, *rest = turn.text.splitlines() or [""]
        lines += [f"{turn.party.capitalize()}: {first}", *(f"  {line}" for line in rest)]
    return "".join(f"{line}\n" for line in lines)


def tokens(text: str) -> list[str]:
    """Words and punctuation marks, one each; numbers such as 30.85 are one."""
    return _TOKEN.findall(text)


def length(transcript: Transcript, party: Party | None = None) -> int:
    """Number of tokens in a transcript, or in one party's turns."""
    return sum(len(tokens(turn.text)) for turn in transcript if party in (None, turn.party))
