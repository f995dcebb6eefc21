"""Back end of the call steering bot: the department that a call is put through to."""

from typing import Any

from vivavoce_bots.engine.bot_file import BotFile
from vivavoce_bots.engine.commands import Act, Outcome

Frame = dict[str, Any]
LARGEST_SMALL_LOAN = 3000  # euros


def route(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    """Put through to the department of the matter; of a loan the size decides."""
    matter, amount = frame["matter"], frame.get("amount")
    if matter != "loan":
        return _put_through(bot, matter)
    if amount is None:
        return Outcome("routed", ask=["amount"])
    is_small = amount == "small" if isinstance(amount, str) else amount <= LARGEST_SMALL_LOAN
    return _put_through(bot, "small_loans" if is_small else "large_loans")


def operator(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    """Put through to a person, or to the emergency desk where that is known to be wanted."""
    return _put_through(bot, "fraud" if frame.get("matter") == "fraud" else "operator")


def _put_through(bot: BotFile, target: str) -> Outcome:
    department = bot.prompts["departments"][target]
    return Outcome("routed", {"department": department}, acts=[Act("inform", "target", target)], end=True)
