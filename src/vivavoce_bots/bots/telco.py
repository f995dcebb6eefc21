"""Back end of the telco bot: one invented account for each conversation."""

from vivavoce_bots.engine.bot_file import BotFile
from vivavoce_bots.engine.commands import Outcome

LOWEST, HIGHEST = 5, 100
INVOICES = {"january": 21, "february": 23, "march": 19, "april": 25, "current": 23}


def credit(bot: BotFile, frame: dict, denied: dict, argument: str, memory: dict) -> Outcome:
    return Outcome("credit", {"credit": _account(memory)["credit"]})


def tariff(bot: BotFile, frame: dict, denied: dict, argument: str, memory: dict) -> Outcome:
    return Outcome("tariff", {"tariff": "Smart 50", "gigabytes": 50, "monthly": 9})


def calls(bot: BotFile, frame: dict, denied: dict, argument: str, memory: dict) -> Outcome:
    return Outcome("calls", {"top_up": 20, "calls": 6})


def invoice(bot: BotFile, frame: dict, denied: dict, argument: str, memory: dict) -> Outcome:
    month = frame.get("month", "current")
    return Outcome("invoice", {"month": month, "total": INVOICES[month]})


def top_up(bot: BotFile, frame: dict, denied: dict, argument: str, memory: dict) -> Outcome:
    account, amount = _account(memory), frame["amount"]
    if not LOWEST <= amount <= HIGHEST:
        return Outcome("out_of_range", retry="amount")
    account["credit"] += amount
    return Outcome("topped_up", {"credit": account["credit"], "amount": amount})


def transfer(bot: BotFile, frame: dict, denied: dict, argument: str, memory: dict) -> Outcome:
    account, amount = _account(memory), frame["amount"]
    if amount > account["credit"]:
        return Outcome("not_enough", {"credit": account["credit"]}, retry="amount")
    account["credit"] -= amount
    return Outcome("transferred", {**frame, "credit": account["credit"]})


def _account(memory: dict) -> dict:
    return memory.setdefault("account", {"credit": 14.0})
