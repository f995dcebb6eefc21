"""Answers that participants see while they grow: what is shown is in the log before.

Words go into the log in pieces, one commit at a time, and whatever came meanwhile is the next piece: a slow
disk makes pieces longer, and nothing waits for them but the page.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from vivavoce.log.events import WordsShown
from vivavoce.trial.outputs import SystemTurn
from vivavoce.trial.visits import Draft

PIECE_EVERY_S: Final = 0.1


def add_words(draft: Draft, dialogue_id: str, words: str) -> None:
    """Log what of an answer is to be shown, unless its dialogue is over."""
    dialogue = draft.state.dialogue_by_id(dialogue_id)
    if not dialogue.running or words == dialogue.growing:
        return
    common = _alike(dialogue.growing, words)
    draft.add(
        WordsShown(dialogue_id=dialogue_id, turn_index=len(dialogue.turns), kept=common, text=words[common:])
    )


def _alike(before: str, after: str) -> int:
    """Length of the common prefix of two texts."""
    if after.startswith(before):
        return len(before)
    pairs = zip(before, after, strict=False)
    return next(
        (
            at
            for at, (before_character, after_character) in enumerate(pairs)
            if before_character != after_character
        ),
        len(after),
    )


@asynccontextmanager
async def shown_in_pieces(
    turn: SystemTurn, write: Callable[[str], Awaitable[object]]
) -> AsyncIterator[Callable[[], None]]:
    """Write what a turn has grown to, now and then, each time that it is told of by what this yields.

    When the block is left nothing is being written any more.
    """
    grown, writing = asyncio.Event(), asyncio.Lock()

    async def pieces() -> None:
        sent_words = ""
        while True:
            await grown.wait()
            grown.clear()
            if (words := turn.words) != sent_words:
                async with writing:
                    await write(words)
                sent_words = words
                await asyncio.sleep(PIECE_EVERY_S)

    task = asyncio.create_task(pieces())
    try:
        yield grown.set
    finally:
        async with writing:  # a commit that is under way is heard of
            task.cancel()
