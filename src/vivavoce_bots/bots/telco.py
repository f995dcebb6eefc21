"""Back end of the telco bot: one invented account for each conversation."""

from typing import Any

from vivavoce_bots.engine.bot_file import BotFile
from vivavoce_bots.engine.commands import Outcome

Frame = dict[str, Any]
INVOICE, TARIFF, CREDIT = 23, "Mare 50", 14.0


def invoice(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    return Outcome("invoice", {"invoice": INVOICE})


def tariff(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    return Outcome("tariff", {"tariff": TARIFF})


def credit(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    return Outcome("credit", {"credit": _account(memory)["credit"]})


def transactions(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    operations = [
        bot.prompts["operations"][task].format(amount=amount)
        for task, amount in _account(memory)["operations"]
    ]
    return Outcome("transactions", {"transactions": [*bot.prompts["opening"], *operations]})


def is_affordable(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome | None:
    """Refuse a transfer of more than there is."""
    credit_left = _account(memory)["credit"]
    if frame["amount"] <= credit_left:
        return None
    return Outcome("not_enough", {"credit": credit_left}, retry="amount")


def top_up(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    credit_left = _carry_out("top_up", frame["amount"], frame["amount"], memory)
    return Outcome("topped_up", {"done": "top_up", **frame, "credit": credit_left})


def transfer(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    credit_left = _carry_out("transfer", frame["amount"], -frame["amount"], memory)
    return Outcome("transferred", {"done": "transfer", **frame, "credit": credit_left})


def _carry_out(task: str, amount: float, change: float, memory: Frame) -> float:
    account = _account(memory)
    account["credit"] += change
    account["operations"].append((task, amount))
    return account["credit"]


def _account(memory: Frame) -> dict[str, Any]:
    return memory.setdefault("account", {"credit": CREDIT, "operations": []})
