"""Frame-based dialogue engine: from commands to a system turn, the same for every bot."""

from types import ModuleType
from typing import Any

from vivavoce_bots.engine.bot_file import BotFile, Task
from vivavoce_bots.engine.commands import DONTCARE, Act, Command, Item, Meaning, Reply
from vivavoce_bots.engine.control import CONTROL
from vivavoce_bots.engine.frames import inherited
from vivavoce_bots.engine.lists import Lists
from vivavoce_bots.engine.state import Question, State, Turn
from vivavoce_bots.engine.strategies import Strategies
from vivavoce_bots.engine.understanding import Context
from vivavoce_bots.engine.understandings import Understands
from vivavoce_bots.engine.wording import known

Hypotheses = list[tuple[str, float]]
OPEN_VALUES = 20  # assumed number of values of a slot without a list


class Engine(Lists):
    """One bot in one language; `state` objects hold the conversations."""

    def __init__(self, bot: BotFile, understanding: Understands, backend: ModuleType | None) -> None:
        super().__init__(bot, backend)
        self.understanding = understanding
        self.strategies = Strategies(bot)
        self.n_best = bot.settings["n_best"]
        self.sizes = {name: len(slot.values) or OPEN_VALUES for name, slot in bot.slots.items()}

    def start(self) -> State:
        return State(task=self.bot.settings["first_task"])

    def greet(self, state: State) -> Reply:
        turn = Turn(state)
        greeting = self._prompt(turn, "greeting", abilities=self.bot.prompts["abilities"])
        turn.say(greeting, Act("hello"))
        self._advance(turn)
        return self._finish(turn, ())

    def reply(self, state: State, hypotheses: Hypotheses) -> Reply:
        state.turns += 1
        turn = Turn(state)
        text = hypotheses[0][0] if hypotheses else ""
        frames = self._read_notation(text)
        if frames:
            self._close_task(state)
            state.waiting = frames[1:]
            self._on_frame(turn, frames[0])
            commands = tuple(command for frame in frames for command in frame)
            return self._finish(turn, (Meaning(commands, 1.0),))
        turn.say(self.strategies.take_up_feeling(text))
        self.strategies.note_words(text, state.called)
        meanings = self._understand(state, hypotheses)
        commands = self._likely(meanings)
        self._resume_question(state, commands)
        control = [command for command in commands if command.act in CONTROL]
        is_understood = any(meaning.commands for meaning in meanings)
        if not is_understood and turn.sentences:
            self._ask_again(turn)
        elif not is_understood:
            self._on_misunderstanding(turn, text)
        elif control and not self._is_about_task(state, commands):
            state.misunderstood = 0
            command = min(control, key=lambda command: CONTROL.index(command.act))
            getattr(self, f"_on_{command.act}")(turn, command.slot)
        else:
            turn.leaving = any(command.act == "goodbye" for command in commands)
            self._on_frames(turn, commands, meanings, text)
            if turn.leaving and not turn.end and state.question in (None, Question("offer")):
                self._on_goodbye(turn)
        return self._finish(turn, tuple(meanings))

    def _read_notation(self, text: str) -> list[tuple[Command, ...]] | None:
        """Frames of a text in a notation that the back end reads, if there is one."""
        read = getattr(self.backend, "read", None)
        return read(self.bot, text) if read else None

    def _on_frames(self, turn: Turn, commands: list[Command], meanings: list[Meaning], text: str) -> None:
        """Do what the sentence asks for; where it asks for several frames, one after the other."""
        may_split = not self.bot.settings["first_task"]  # a bot that has one task refines its frame
        frames = self.understanding.frames(text, self._context(turn.state)) if may_split else []
        if not frames:
            self._on_commands(turn, commands, meanings, text)
            return
        turn.state.waiting = frames[1:]
        answers = [command for command in commands if command.act not in ("inform", "deny", "start")]
        self._on_frame(turn, (*answers, *frames[0]))

    def _on_frame(self, turn: Turn, frame: tuple[Command, ...]) -> None:
        self._on_commands(turn, list(frame), [Meaning(frame, 1.0)], "")

    def _is_about_task(self, state: State, commands: list[Command]) -> bool:
        """Tell whether a turn says more than what it says about the conversation itself."""
        settles = state.question is not None and state.question.kind in ("approve", "value")
        answers = any(command.act in ("affirm", "negate") for command in commands)
        return self._has_content(commands) or (settles and answers)

    def _understand(self, state: State, hypotheses: Hypotheses) -> list[Meaning]:
        context = self._context(state)
        hypotheses_used = hypotheses[: self.n_best]
        total = max(1.0, sum(score for _, score in hypotheses))
        return [
            Meaning(self.understanding.commands(text, context), score / total)
            for text, score in hypotheses_used
        ]

    @staticmethod
    def _likely(meanings: list[Meaning]) -> list[Command]:
        return list(meanings[0].commands) if meanings else []

    @staticmethod
    def _resume_question(state: State, commands: list[Command]) -> None:
        """Return to the question before the offer to start again, unless that offer is answered."""
        answered = any(command.act in ("affirm", "negate") for command in commands)
        if state.question == Question("restart") and not answered:
            state.question, state.times_asked = state.interrupted, 0

    def _context(self, state: State) -> Context:
        expected = state.question.slot if state.question else ""
        active = self.bot.tasks[state.task].slots if state.task else []
        kind = state.question.kind if state.question else ""
        return Context(
            expected,
            active,
            counting=kind == "quantity",
            settling=kind not in ("", "slot", "quantity", "task", "select"),
            naming=bool(expected) and self.bot.slots[expected].open and kind in ("slot", "complete"),
            choosing=kind == "choice" or (kind == "slot" and self._is_choice(expected)),
            answered=state.answered,
            learnt=tuple(state.memory.get("learnt", ())),
        )

    def _is_choice(self, slot: str) -> bool:
        return self.bot.slots[slot].type == "choice" and bool(self.bot.slots[slot].values)

    def _finish(self, turn: Turn, understood: tuple[Meaning, ...]) -> Reply:
        text = self.strategies.align(" ".join(turn.sentences), turn.state.called)
        reply = Reply(text, tuple(turn.acts), understood, turn.end)
        turn.state.last_reply = reply
        return reply

    def _on_commands(self, turn: Turn, commands: list[Command], meanings: list[Meaning], text: str) -> None:
        state = turn.state
        task_before = state.task
        acts = [command.act for command in commands]
        answered = self._choose(turn, commands) or self._answer_question(
            turn, acts, self._has_content(commands)
        )
        chatted = not answered and not self._has_content(commands) and self._chat(turn, acts)
        side_tasks = self._start_tasks(turn, commands)
        opened = state.task != task_before
        changed = self._fill_slots(turn, commands, side_tasks)
        if turn.end or answered == "done":
            return
        if "unclear" in acts and not state.task and not self.questions.fitting_tasks(state.frame):
            state.frame, changed = {}, False
        if not (answered or chatted or side_tasks or changed or opened):
            self._on_misunderstanding(turn, text)
            return
        state.misunderstood = 0
        arguments = {
            command.slot: command.value
            for command in commands
            if command.act == "inform" and getattr(command.value, "value", True)
        }
        if "refer" in acts and not arguments:
            arguments = state.closed[1]
        self._settle_lists(turn)
        for task in side_tasks:
            self._run_side_task(turn, task, arguments)
        if turn.end:
            return
        if side_tasks and not changed and self._is_refining(state):
            return
        if (side_tasks or chatted) and not (changed or answered):
            self._ask_again(turn)
        else:
            self._advance(turn)

    def _is_refining(self, state: State) -> bool:
        """Tell whether a result was told that the user may still refine."""
        refinable = bool(state.task) and self.bot.tasks[state.task].refinable
        return refinable and state.question is not None and not state.question.slot

    def _chat(self, turn: Turn, acts: list[str]) -> bool:
        names = [act for act in acts if act in self.bot.chat]
        if "person" in names and self.bot.settings["escalation"]:
            self._escalate(turn)
            return True
        for name in names[:1]:
            abilities = self.bot.prompts["abilities"]
            text = self.wording.fill(self.bot.chat[name]["says"], turn.state.turns, abilities=abilities)
            turn.say(text, Act("ack", "", name))
        return bool(names)

    def _start_tasks(self, turn: Turn, commands: list[Command]) -> list[Task]:
        """Open the tasks that were asked for; return those that only answer a question."""
        state = turn.state
        tasks = [self.bot.tasks[command.value] for command in commands if command.act == "start"]
        used = {slot for task in tasks if not task.slots for slot in task.uses}
        informed = {command.slot for command in commands if command.act == "inform"} - used
        frames = [task for task in tasks if task.slots]
        if frames and not state.task:
            state.task = frames[0].name  # values that were given before stay
        elif frames and frames[0].name != state.task:
            if state.task and state.frame and not self.bot.tasks[state.task].refinable:
                turn.say(self._prompt(turn, "set_aside"), Act("ack", "", "set_aside"))
            self._close_task(state)
            state.task = frames[0].name
        acts = [command.act for command in commands]
        if frames and "refer" in acts and not state.frame:
            state.frame |= self._referents(state, informed)
        if (
            frames
            and informed
            and all(self.bot.slots[slot].optional for slot in informed)
            and not state.frame
        ):
            state.frame |= self._head_of_last(state, informed)  # the right one off
        side_tasks = [task for task in tasks if not task.slots]
        if not tasks and informed and "also" in acts and informed <= set(self._last_task(state).uses):
            return [self._last_task(state)]
        is_unclear = "unclear" in acts and not state.task
        if not tasks and informed and not state.task and not state.frame:
            side_tasks = self._question_about(informed)
        is_free = not (side_tasks or frames or is_unclear)
        if is_free and informed and not self._reopen_task(turn, informed, acts):
            self._open_task_of(turn, informed)
        return side_tasks

    def _question_about(self, informed: set[str]) -> list[Task]:
        """The only question about bare values that otherwise only a task with an approval takes."""
        tasks = self.bot.tasks.values()
        questions = [task for task in tasks if not task.slots and informed <= set(task.uses)]
        needs_approval = all(task.confirm for task in tasks if informed <= set(task.slots))
        return questions if len(questions) == 1 and needs_approval else []

    def _last_task(self, state: State) -> Task:
        return self.bot.tasks.get(state.closed[0], Task("", ""))

    def _referents(self, state: State, informed: set[str]) -> dict[str, Any]:
        """Value that “it” stands for: the latest one of an antecedent, else those of the last frame."""
        if not self.bot.has_antecedents:
            return {} if informed else self._head_of_last(state, informed)
        free = [slot for slot in self.bot.tasks[state.task].slots if slot not in informed]
        referents = [slot for slot in state.recent if slot in free and self.bot.slots[slot].antecedent]
        return {slot: _without_quantities(state.recent[slot]) for slot in referents[-1:]}

    def _head_of_last(self, state: State, informed: set[str]) -> dict[str, Any]:
        """Values of the last frame that a new one keeps, if its task is about the same kind of thing."""
        slots, last_slots = self.bot.tasks[state.task].slots, self._last_task(state).slots
        is_alike = last_slots == slots or slots[0] not in last_slots
        if slots[0] not in state.closed[1] or not is_alike or self.bot.has_antecedents:
            return {}
        return inherited(self.bot, state.task, state.closed[1], informed)

    def _reopen_task(self, turn: Turn, informed: set[str], acts: list[str]) -> bool:
        """Open the last task again for “and the radio”; “no, the radio” also takes its call back."""
        state = turn.state
        task, frame = state.closed
        if state.task or not task or not informed <= set(self.bot.tasks[task].slots):
            return False
        if self.bot.tasks[task].slots[0] in informed and not {"also", "negate"} & set(acts):
            return False
        if "negate" in acts and state.history:
            state.memory = state.history.pop()
        state.task, state.frame = task, inherited(self.bot, task, frame, informed)
        return True

    def _open_task_of(self, turn: Turn, informed: set[str]) -> None:
        """Open the only task that has all informed slots, unless the open task has them.

        Optional slots, such as a day, open no task.
        """
        state = turn.state
        usual = self.bot.settings["usual_task"] or self.bot.settings["first_task"]
        required = {slot for slot in informed if not self.bot.slots[slot].optional}
        if not required and not (usual and informed <= set(self.bot.tasks[usual].slots)):
            return
        candidates = [task.name for task in self.bot.tasks.values() if informed <= set(task.slots)]
        if self.bot.settings["usual_task"] in candidates and not state.task:
            candidates = [usual]
        if state.task not in candidates and len(candidates) == 1:
            self._close_task(state)
            state.task = candidates[0]

    def _fill_slots(self, turn: Turn, commands: list[Command], side_tasks: list[Task]) -> bool:
        state = turn.state
        values = self._values(state, commands)
        used = {slot for task in side_tasks for slot in task.uses}
        changed = False
        for command in self._without_arguments(commands, used):
            if command.act == "deny":
                changed |= self._remove_value(turn, command)
            elif command.act == "unknown":
                changed |= self._note_unknown(turn, command)
            elif command.act == "inform" and self.bot.slots[command.slot].type == "list":
                changed |= self._add_item(turn, command)
        filled = {*values, *state.frame}
        is_anchored = bool(state.task) or any(not self.bot.slots[slot].optional for slot in filled)
        for slot_name, value in values.items():
            if self.bot.slots[slot_name].type == "list" or slot_name in used:
                continue
            if is_anchored or not self.bot.slots[slot_name].optional:
                self._set_value(turn, slot_name, value)
                changed = True
        return changed

    def _without_arguments(self, commands: list[Command], used: set[str]) -> list[Command]:
        """Commands without the arguments of questions; of a list with quantities that is the last item."""
        last = {command.slot: command for command in commands if command.act == "inform"}
        return [
            command
            for command in commands
            if command.slot not in used
            or (self.bot.slots[command.slot].ask_quantity and command != last.get(command.slot))
        ]

    def _set_value(self, turn: Turn, slot_name: str, value: Any) -> None:
        state = turn.state
        if self._is_out_of_range(slot_name, value):
            turn.say(self.bot.slots[slot_name].hint, Act("canthelp", slot_name, value))
            return
        previous = state.frame.pop(slot_name, None)
        state.frame[slot_name] = value  # the latest change is last
        self._acknowledge(turn, slot_name, previous)
        state.denied.get(slot_name, set()).discard(value)
        state.approved = state.approved and previous == value

    def _is_out_of_range(self, slot_name: str, value: Any) -> bool:
        limits = self.bot.slots[slot_name].range
        return bool(limits) and value != DONTCARE and not limits[0] <= value <= limits[1]

    def _acknowledge(self, turn: Turn, slot_name: str, previous: Any) -> None:
        """Note which question was answered; say what a bot file says then, or what was corrected."""
        state, slot = turn.state, self.bot.slots[slot_name]
        value = state.frame[slot_name]
        if state.question is not None and state.question.slot == slot_name:
            state.answered = slot_name
        if slot_name in self.bot.settings["lasting_slots"]:
            state.asked = 0
        if (
            previous is None
            and slot.ack
            and set(self.bot.settings["lasting_slots"]) <= set(known(state.frame))
        ):
            turn.say(self.wording.fill(slot.ack, 0, **state.frame))
        if previous not in (None, DONTCARE, value) and slot_name in self.bot.settings["lasting_slots"]:
            turn.say(self._prompt(turn, "implicit", phrases=self.wording.phrase(slot_name, value)))

    def _values(self, state: State, commands: list[Command]) -> dict[str, Any]:
        """Value of each slot: an urgent one, else the last one: Spanish, no, French.

        Several values of a slot of which one is asked for are kept as alternatives.
        """
        values: dict[str, Any] = {}
        denies = any(command.act == "negate" for command in commands)
        for command in commands:
            slot, value = self.bot.slots.get(command.slot), command.value
            if command.act != "inform" or slot is None:
                continue
            earlier = values.get(slot.name)
            if earlier is not None and self._is_out_of_range(slot.name, value):
                continue  # 5 euros to 333 444555
            if earlier is None:
                state.alternatives = ("", [])
            elif slot.which and earlier != value and not denies:
                state.alternatives = (slot.name, [*(state.alternatives[1] or [earlier]), value])
            values[slot.name] = earlier if earlier in slot.urgent else value
            if values[slot.name] in slot.urgent:
                state.alternatives = ("", [])
        return values

    def _remove_value(self, turn: Turn, command: Command) -> bool:
        state, slot_name, value = turn.state, command.slot, command.value
        if self.bot.slots[slot_name].type == "list":
            self._remove_items(turn, slot_name, value)
            return True
        state.denied.setdefault(slot_name, set()).add(value)
        if state.frame.get(slot_name) == value:
            del state.frame[slot_name]
        return bool(state.task)


def _without_quantities(value: Any) -> Any:
    return [Item(item.value) for item in value] if isinstance(value, list) else value
