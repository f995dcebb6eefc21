"""Import of tau-bench and tau2: trajectories of agents on tasks, several trials a task, with rewards.

Source  Yao and others 2024, tau-bench; Barres and others 2025, tau2-bench: files of results of both
"""

import math
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from vivavoce.core.i18n import N_
from vivavoce.core.validation import shown_value
from vivavoce.importers.base import Importer
from vivavoce.importers.items import ForeignDialogue, ItemRows, LogItem, as_text, maybe, need
from vivavoce.importers.log_files import LogFile, LogFiles, LogRecord
from vivavoce.importers.openai_messages import RESULTS, add_messages, tool_calls_of, usage_of

NOTES: Final = (
    "Users were simulated by a language model; all trials of a task share one participant.",
    "The reward comes from the benchmark; repeated dialogues of a system with one task are its trials.",
    "In tau-bench, a tool call failed if its result begins with Error; tau2 marks failures itself.",
    "The cost of trials and the expected actions of tasks are left out.",
)
STOP: Final = ("###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###")
USER_TOOLS: Final = N_("{n} tool calls by the simulated user were left out.")
ENDINGS: Final = {
    "user_stop": "user",
    "agent_stop": "system",
    "max_steps": "limit",
    "too_many_errors": "failure",
}


def read_tau_bench(files: LogFiles) -> Iterable[LogItem]:
    """One dialogue a trial; a file is a list of trials (tau-bench), or results with `simulations` (tau2)."""
    for file in files:
        for record in file.records():
            content = record.content
            if record.problem is None and isinstance(content, Mapping) and "simulations" in content:
                yield from _simulations(file, record)
            else:
                read = partial(_trial, name=file.name.rpartition("/")[2])
                yield LogItem.of(record, read)


def _simulations(file: LogFile, record: LogRecord) -> Iterable[LogItem]:
    try:
        info = maybe(record.content, "info", dict) or {}
        agent = (maybe(info, "agent_info", dict) or {}).get("llm")
        tasks = {
            str(task["id"]): task
            for task in maybe(record.content, "tasks", list) or []
            if isinstance(task, Mapping) and "id" in task
        }
        simulations = need(record.content, "simulations", list)
    except ValueError as error:
        yield LogItem(record.place, problem=str(error))
        return
    for number, simulation in enumerate(simulations):
        system = agent if isinstance(agent, str) else file.name.rpartition("/")[2]
        inside = LogRecord(f"{record.place}.simulations[{number}]", f"{record.key}-{number + 1}", simulation)
        yield LogItem.of(inside, partial(_simulation, system=system, tasks=tasks))


def _trial(rows: ItemRows, record: LogRecord, *, name: str) -> None:
    """A trial of tau-bench; the system is called as the file is."""
    trial = record.content
    task_id = need(trial, "task_id", (int, str), word="number of a task")
    info = maybe(trial, "info", dict) or {}
    task = maybe(info, "task", dict) or {}
    dialogue = _opened(
        rows, f"{name}-{task_id}-{need(trial, 'trial', int)}", name, str(task_id), trial.get("reward")
    )
    dialogue.row["task_text"] = maybe(task, "instruction", str)
    add_messages(rows, dialogue, [_unstopped(message) for message in need(trial, "traj", list)])
    _find_errors(rows)
    dialogue.end()


def _opened(rows: ItemRows, key: str, system: str, task_id: str, reward: Any) -> ForeignDialogue:
    if reward is not None and (isinstance(reward, bool) or not isinstance(reward, int | float)):
        raise ValueError(f"'reward' is {shown_value(reward)}, not a number")
    if reward is not None and not math.isfinite(reward):
        raise ValueError("'reward' is not finite")
    return ForeignDialogue(
        rows,
        key,
        study="tau-bench",
        system=system,
        simulated=True,
        language="en",
        task_id=task_id,
        participant_id=f"{task_id}",
        reward=None if reward is None else float(reward),
        tools_logged=True,
    )


def _unstopped(message: Any) -> Any:
    """A message without the sign by which the simulated user ends a dialogue."""
    if (
        not isinstance(message, Mapping)
        or message.get("role") != "user"
        or not isinstance(message.get("content"), str)
    ):
        return message
    text = message["content"]
    for sign in STOP:
        text = text.replace(sign, "")
    return {**message, "content": text.strip() or None}


def _find_errors(rows: ItemRows) -> None:
    for call in rows.tables.get("tool_calls", []):
        if (result := call.get("result")) is not None:
            failed = result.startswith("Error")
            call |= {
                "failed": failed,
                "error": result if failed else None,
                "result": None if failed else result,
            }


def _simulation(rows: ItemRows, record: LogRecord, *, system: str, tasks: Mapping[str, Any]) -> None:
    """A trial of tau2."""
    trial = record.content
    task_id = str(need(trial, "task_id", (int, str), word="key of a task"))
    reward = (maybe(trial, "reward_info", dict) or {}).get("reward")
    number = maybe(trial, "trial", int)
    key = f"{system}-{task_id}-{number}" if number is not None else need(trial, "id", str)
    dialogue = _opened(rows, key, system, task_id, reward)
    reason = maybe(trial, "termination_reason", str)
    dialogue.row |= {
        "started_at": _instant(trial, "start_time"),
        "ended_at": _instant(trial, "end_time"),
        "end_reason": ENDINGS.get(reason) if reason else None,
        "task_text": _task_text(tasks.get(task_id)),
    }
    start = dialogue.row["started_at"]
    for message in need(trial, "messages", list):
        _message(rows, dialogue, message, start)
    dialogue.end()


def _message(rows: ItemRows, dialogue: ForeignDialogue, message: Any, start: datetime | None) -> None:
    role = need(message, "role", str)
    at = _instant(message, "timestamp")
    second = (at - start).total_seconds() if at is not None and start is not None else None
    if role == "user":
        text = _unstopped(message).get("content")
        if text is not None or not message.get("tool_calls"):
            dialogue.say("user", text, sent_s=second)
        rows.lose(USER_TOOLS, len(message.get("tool_calls") or []))
    elif role == "assistant":
        turn = dialogue.say(
            "system", maybe(message, "content", str), first_output_s=second, complete_s=second
        )
        for call in tool_calls_of(message):
            dialogue.call_tool(*call, started_s=second)
        if (usage := maybe(message, "usage", dict)) is not None:
            dialogue.use(dialogue.row["system"], turn, **usage_of(usage))
    elif role == "tool":
        _end_tools(rows, dialogue, message)
    elif role != "system":
        raise ValueError(f"unknown role {shown_value(role)}")


def _end_tools(rows: ItemRows, dialogue: ForeignDialogue, message: Mapping[str, Any]) -> None:
    """Record the results of one tool or several."""
    for tool_message in maybe(message, "tool_messages", list) or [message]:
        if maybe(tool_message, "requestor", str) == "user":
            continue
        failed = maybe(tool_message, "error", bool)
        if not dialogue.end_tool(
            maybe(tool_message, "id", str), as_text(tool_message.get("content")), failed=failed
        ):
            rows.lose(RESULTS)


def _task_text(task: Any) -> str | None:
    """Instructions of the simulated user."""
    scenario = task.get("user_scenario") if isinstance(task, Mapping) else None
    instructions = scenario.get("instructions") if isinstance(scenario, Mapping) else None
    return as_text(instructions)


def _instant(holder: Any, key: str) -> datetime | None:
    text = maybe(holder, key, str)
    if text is None:
        return None
    read = datetime.fromisoformat(text)
    return read if read.tzinfo is not None else read.replace(tzinfo=UTC)


TAU_BENCH: Final = Importer(
    name="tau-bench",
    title="tau-bench and tau2: trials of agents with tools and rewards",
    layout="results as JSON: a list of trials with traj and reward, or simulations with reward_info",
    rows=read_tau_bench,
    notes=NOTES,
)
