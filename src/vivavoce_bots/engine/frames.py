"""Frames of one sentence: clauses that ask for different tasks, or for one task with different values."""

from dataclasses import dataclass
from itertools import pairwise

from vivavoce_bots.engine.bot_file import BotFile
from vivavoce_bots.engine.commands import Command


@dataclass
class Part:
    """One clause, or several that belong together: task and values; `corrects` what was said before."""

    task: str
    values: list[Command]
    corrects: bool = False
    shares: bool = False  # its task was named in another clause


def split_frames(bot: BotFile, clauses: list[Part]) -> list[tuple[Command, ...]]:
    """Commands of each frame that a sentence asks for, in order.

    A value that is not repeated is that of the frame before: lamp on in the kitchen and in the hall.
    """
    parts: list[Part] = []
    for clause in clauses:
        if parts and not _begins_frame(bot, parts[-1], clause):
            parts[-1].task = clause.task or parts[-1].task
            parts[-1].values.extend(clause.values)
        elif clause.task or clause.values:
            parts.append(clause)
    _share_tasks(parts)
    for earlier, part in pairwise(parts):
        part.values = _inherit_values(bot, earlier, part)
    return [_commands_of(part) for part in parts]


def inherited(bot: BotFile, task: str, frame: dict, informed: set[str]) -> dict:
    """Values of an earlier frame that a new one keeps.

    Kept are the slots before the first informed one in the task, and required slots. After “the lamp in the
    kitchen”, “the one by the door” is a lamp in the kitchen, but “the fan” can be anywhere.
    """
    slots = bot.tasks[task].slots or bot.tasks[task].uses
    first = min((slots.index(slot) for slot in informed if slot in slots), default=len(slots))
    return {
        slot: value
        for slot, value in frame.items()
        if slot in slots
        and slot not in informed
        and (slots.index(slot) < first or not bot.slots[slot].optional)
    }


def _begins_frame(bot: BotFile, part: Part, clause: Part) -> bool:
    if clause.corrects or not (part.task or part.values):
        return False
    if clause.task and part.task and clause.task != part.task:
        return True
    task = bot.tasks.get(clause.task or part.task)
    if task is None or task.refinable or not task.slots:
        return False
    informed = [command for command in clause.values if command.act == "inform"]
    values = {command.slot: command.value for command in part.values if command.act == "inform"}
    return any(command not in part.values for command in informed) and any(
        values.get(command.slot, command.value) != command.value or (clause.task and command.slot in values)
        for command in informed
        if bot.slots[command.slot].type != "list"
    )


def _share_tasks(parts: list[Part]) -> None:
    """Give a part without a task that of the part before, or of the one behind: the fan and the radio off."""
    for position, part in enumerate(parts):
        following = next((other.task for other in parts[position:] if other.task), "")
        part.shares = not part.task
        part.task = part.task or (parts[position - 1].task if position else "") or following


def _inherit_values(bot: BotFile, earlier: Part, part: Part) -> list[Command]:
    informed = {command.slot for command in part.values}
    if not part.task or (informed and not (part.shares or earlier.shares)):
        return part.values
    frame = {command.slot: command.value for command in earlier.values if command.act == "inform"}
    kept = inherited(bot, part.task, frame, informed)
    return [Command("inform", slot, value) for slot, value in kept.items()] + part.values


def _commands_of(part: Part) -> tuple[Command, ...]:
    start = [Command("start", "", part.task)] if part.task else []
    return tuple(dict.fromkeys([*part.values, *start]))
