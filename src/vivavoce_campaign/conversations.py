"""Course of the dialogues: their length, misunderstandings, repetitions."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from vivavoce.dataset.reader import Dataset
from vivavoce_campaign.unreachable import Turn, turns_of
from vivavoce_stress.content_words import content_of
from vivavoce_stress.courtesies import is_courtesy
from vivavoce_stress.evidence import asks_again
from vivavoce_stress.heuristics import plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversations:
    """Turns over all dialogues that count, and in how many dialogues each thing happened.

    median, shortest, longest  user turns a dialogue
    lost       system turns that say that it did not understand, or ask to be told again, by their words
    repeated   user turns that say the same as an earlier one of the dialogue, be it in another frame (I want,
               may I); courtesies, yes and no are none
    anew       dialogues in which what the user asked for first was said again later
    Empty      no turn is known: None instead of this
    """

    dialogues: int
    median: float
    shortest: int
    longest: int
    user_turns: int
    system_turns: int
    lost: int
    lost_dialogues: int
    repeated: int
    repeated_dialogues: int
    anew: int


def conversations(dataset: Dataset) -> Conversations | None:
    """Figures of a dataset's dialogues that have turns; None without any."""
    turns = turns_of(dataset)
    rows = dataset.read("dialogues").to_pylist()
    dialogues = [(turns[row["dialogue_id"]], row["language"]) for row in rows if row["dialogue_id"] in turns]
    if not dialogues:
        return None
    lengths = [sum(turn["party"] == "user" for turn in dialogue_turns) for dialogue_turns, _ in dialogues]
    lost = [_lost(dialogue_turns, language) for dialogue_turns, language in dialogues]
    again = [_again(dialogue_turns, language) for dialogue_turns, language in dialogues]
    return Conversations(
        dialogues=len(dialogues),
        median=float(median(lengths)),
        shortest=min(lengths),
        longest=max(lengths),
        user_turns=sum(lengths),
        system_turns=sum(len(dialogue_turns) for dialogue_turns, _ in dialogues) - sum(lengths),
        lost=sum(lost),
        lost_dialogues=sum(map(bool, lost)),
        repeated=sum(n for n, _ in again),
        repeated_dialogues=sum(bool(n) for n, _ in again),
        anew=sum(first for _, first in again),
    )


def _lost(turns: Sequence[Turn], language: str) -> int:
    return sum(
        turn["party"] == "system" and asks_again(turn["text"] or "", language.split("-")[0]) for turn in turns
    )


def _again(turns: Sequence[Turn], language: str) -> tuple[int, bool]:
    """Number of turns that repeat an earlier one, and whether one of them is the first request."""
    texts = [turn["text"] or "" for turn in turns if turn["party"] == "user"]
    requests = [text for text in texts if plain(text) and not is_courtesy(text, language)]
    contents = [content_of(text, language) or frozenset((plain(text),)) for text in requests]
    return len(contents) - len(set(contents)), bool(contents) and contents.count(contents[0]) > 1
