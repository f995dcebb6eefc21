"""Next step of the bot: confirm values, ask for what is missing, run the task and tell its outcome."""

from abc import ABC, abstractmethod
from copy import deepcopy
from types import ModuleType
from typing import Any

from vivavoce_bots.engine.bot_file import BotFile, Slot, Task
from vivavoce_bots.engine.commands import DONTCARE, Act, Command, Item, Options, Outcome
from vivavoce_bots.engine.questions import Questions
from vivavoce_bots.engine.state import Question, State, Turn
from vivavoce_bots.engine.wording import Wording, known

MOST_UNDONE = 20  # calls that can be taken back


class Steps(ABC):
    """Next steps of the bot in a conversation."""

    def __init__(self, bot: BotFile, backend: ModuleType | None) -> None:
        self.bot = bot
        self.backend = backend
        self.wording = Wording(bot)
        self.questions = Questions(bot, self.wording)
        self.confirmation = bot.settings["confirmation"]

    def _prompt(self, turn: Turn, prompt: str, /, **values: Any) -> str:
        return self.wording.prompt(prompt, turn.state.turns, **values)

    @abstractmethod
    def _on_frame(self, turn: Turn, frame: tuple[Command, ...]) -> None:
        """Do what one frame of a sentence asks for."""

    def _advance(self, turn: Turn) -> None:
        """Confirm, ask for the next slot, or run the task."""
        state = turn.state
        if not state.task and state.waiting:
            self._on_frame(turn, state.waiting.pop(0))
            return
        if not state.task:
            self.questions.ask(turn, self._task_question(state))
            return
        task, question = self.bot.tasks[state.task], self._missing(turn)
        if question is not None and self._insists(state, question):
            self._do_without(turn)
            question = self._missing(turn)
        if question in (None, Question("approve")) and self._is_refused(turn, task):
            return
        if question is not None:
            self.questions.ask(turn, question)
        else:
            self._run_task(turn, task)

    def _is_refused(self, turn: Turn, task: Task) -> bool:
        """Tell at once what would be refused after the confirmation, and ask for another value."""
        outcome = self._call(turn, task, task.check) if task.check else None
        if outcome is None:
            return False
        self._conclude(turn, task, outcome)
        return True

    def _task_question(self, state: State) -> Question:
        """Question for any task, or for one of those that have the values of the frame."""
        if self.questions.fitting_tasks(state.frame):
            return Question("select", next(iter(state.frame)))
        state.frame = {}
        return Question("more" if state.done else "task")

    def _missing(self, turn: Turn) -> Question | None:
        """Question for the first required slot, quantity or approval that is missing."""
        state = turn.state
        task = self.bot.tasks[state.task]
        for name in task.slots:
            slot = self.bot.slots[name]
            if state.alternatives[0] == name:
                return self._which(slot, state.alternatives[1])
            if not state.frame.get(name) and not slot.optional:
                return Question("slot", name)
            if slot.ask_quantity:
                unmeasured = [item for item in state.frame[name] if item.quantity is None]
                if unmeasured:
                    return Question("quantity", name, unmeasured[0])
                if not state.approved:
                    return Question("complete", name)
        if task.confirm and not state.approved:
            return Question("approve")
        return None

    def _which(self, slot: Slot, values: list[Any]) -> Question:
        names = self.wording.enumerate([self.wording.show(slot.name, value) for value in values], "or")
        acts = [Act("select", slot.name, value) for value in values]
        choices = [{slot.name: value} for value in values]
        return Question("choice", slot.name, Options(slot.which.format(names=names), choices, acts))

    def _do_without(self, turn: Turn) -> None:
        """Go on without the lasting slots, such as those that identify a caller."""
        for name in self.bot.settings["lasting_slots"]:
            turn.state.frame.setdefault(name, DONTCARE)
        turn.say(self._prompt(turn, "without"), Act("ack", "", "without"))

    def _insists(self, state: State, question: Question) -> bool:
        """Tell whether a lasting slot has been asked for too often."""
        if question.slot not in self.bot.settings["lasting_slots"] or question.kind != "slot":
            return False
        state.asked = state.asked + 1 if question == state.question else 0
        return state.asked >= self.bot.settings["insist"] > 0

    def _run_task(self, turn: Turn, task: Task) -> None:
        state = turn.state
        outcome = self._outcome(turn, task)
        worth_asking = [name for name in outcome.ask if not outcome.name or name not in state.frame]
        if worth_asking:
            self.questions.ask(turn, Question("slot", worth_asking[0]))
            return
        if outcome.choices:
            text, acts = self._describe(turn, task, outcome)
            self.questions.ask(turn, Question("choice", "", Options(text, outcome.choices, acts)))
            return
        frame = {**state.frame, **outcome.meant}
        ordered = [slot for slot in task.slots if slot in frame]
        self._remember(state, {slot: frame[slot] for slot in ordered})
        self._conclude(turn, task, outcome)

    def _conclude(self, turn: Turn, task: Task, outcome: Outcome) -> None:
        """Tell an outcome and go on: end, ask again, wait for another value, or leave the task."""
        self._tell(turn, task, outcome)
        state = turn.state
        if outcome.end:
            self._end(turn)
        elif outcome.retry:
            state.frame.pop(outcome.retry, None)
            self.questions.ask(turn, Question("slot", outcome.retry))
        elif task.refinable:
            state.question = Question("offer")
        else:
            state.done = True
            state.closed = (task.name, outcome.meant or dict(state.frame))
            self._close_task(state)
            self._advance(turn)

    @staticmethod
    def _remember(state: State, values: dict[str, Any]) -> None:
        earlier = {slot: value for slot, value in state.recent.items() if slot not in values}
        state.recent = {**earlier, **values}

    def _run_side_task(self, turn: Turn, task: Task, arguments: dict[str, Any]) -> None:
        used = {
            slot: [value] if isinstance(value, Item) else value
            for slot, value in arguments.items()
            if slot in task.uses
        }
        outcome = self._outcome(turn, task, used)
        self._tell(turn, task, outcome)
        if outcome.end:
            self._end(turn)
            return
        if used:
            turn.state.closed = (task.name, outcome.meant or used)
        self._remember(turn.state, used)
        turn.state.done, turn.state.times_asked = True, 0
        if turn.state.question in (Question("offer"), Question("task")):
            turn.state.question = Question("more")

    def _end(self, turn: Turn) -> None:
        turn.say("", Act("bye"))
        turn.end = True
        self._close_task(turn.state)

    def _outcome(self, turn: Turn, task: Task, used: dict[str, Any] | None = None) -> Outcome:
        """Outcome of a task; one that calls nothing has the values of its slots."""
        if task.call:
            outcome: Outcome = self._call(turn, task, task.call, used)
            return outcome
        return Outcome(task.name, {**turn.state.frame, **(used or {})})

    def _call(self, turn: Turn, task: Task, function: str, used: dict[str, Any] | None = None) -> Any:
        state = turn.state
        frame = {**state.frame, **(used or {})}
        before = deepcopy(state.memory)
        outcome = getattr(self.backend, function)(self.bot, frame, state.denied, task.argument, state.memory)
        if self.bot.settings["undo"] and before != state.memory:
            state.history = [*state.history, before][-MOST_UNDONE:]
        return outcome

    def _tell(self, turn: Turn, task: Task, outcome: Outcome) -> None:
        text, acts = self._describe(turn, task, outcome)
        turn.say(text, *acts)
        if outcome.failed:
            turn.state.waiting = []

    def _describe(self, turn: Turn, task: Task, outcome: Outcome) -> tuple[str, list[Act]]:
        """Sentence and acts of an outcome."""
        says = task.outcomes.get(outcome.name) or (outcome.name == task.name and task.says)
        template = says or self.bot.prompts[outcome.name]
        frame = known(turn.state.frame)
        described = {name: value for name, value in outcome.values.items() if name in self.bot.slots}
        phrases = self.wording.phrases(described or frame)
        row = {} if task.call else self._row_of(outcome)
        values = {**row, **frame, **outcome.values, "wanted": self.wording.phrases(frame)}
        if outcome.choices:
            values["options"] = self.wording.enumerate(values["options"], "or")
        text = self.wording.fill(template, turn.state.turns, phrases=phrases, **values)
        return text, list(outcome.acts) or _acts_of(outcome)

    def _row_of(self, outcome: Outcome) -> dict[str, Any]:
        """Fields of the table's rows whose names are values of an outcome."""
        rows = [self.bot.table.get(value, {}) for value in outcome.values.values() if isinstance(value, str)]
        return {field: content for row in rows for field, content in row.items()}

    def _close_task(self, state: State) -> None:
        lasting = self.bot.settings["lasting_slots"]
        state.task = self.bot.settings["first_task"] if lasting else ""
        state.frame = {name: value for name, value in state.frame.items() if name in lasting}
        state.denied, state.alternatives = {}, ("", [])
        state.approved = False
        state.question = None

    def _ask_again(self, turn: Turn, hint: bool = False) -> None:
        question = turn.state.question
        if question is None or (turn.state.waiting and not turn.state.task):
            self._advance(turn)
        else:
            self.questions.ask(turn, question, hint)


def _acts_of(outcome: Outcome) -> list[Act]:
    """Acts of an outcome: what was told, behind canthelp() where something was refused."""
    refused = [Act("canthelp")] if outcome.retry or outcome.failed else []
    informs = [Act("inform", name, value) for name, value in outcome.values.items()]
    return [*refused, *informs] or [Act("inform", "outcome", outcome.name)]
