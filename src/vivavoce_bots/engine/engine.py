"""Frame-based dialogue engine: from commands to a system turn, the same for every bot."""

from copy import deepcopy
from types import ModuleType
from typing import Any

from vivavoce_bots.engine.belief import likely_commands
from vivavoce_bots.engine.bot_file import BotFile, Task
from vivavoce_bots.engine.commands import DONTCARE, Act, Command, Item, Meaning, Options, Outcome, Reply
from vivavoce_bots.engine.frames import inherited
from vivavoce_bots.engine.questions import Questions
from vivavoce_bots.engine.state import Question, State, Turn
from vivavoce_bots.engine.understanding import Context, Understanding
from vivavoce_bots.engine.values import closest_values, likely_unit
from vivavoce_bots.engine.wording import Wording, known

Hypotheses = list[tuple[str, float]]
OPEN_VALUES = 20  # assumed number of values of a slot without a list
MOST_UNDONE = 20  # calls that can be taken back
CONTROL = ("restart", "goodbye", "cancel", "undo", "help", "options", "repeat", "doubt")


class Engine:
    """One bot in one language; `state` objects hold the conversations."""

    def __init__(self, bot: BotFile, understanding: Understanding, backend: ModuleType) -> None:
        self.bot = bot
        self.understanding = understanding
        self.backend = backend
        self.wording = Wording(bot)
        self.questions = Questions(bot, self.wording)
        self.confirmation = bot.settings["confirmation"]
        self.n_best = bot.settings["n_best"]
        self.sizes = {name: len(slot.values) or OPEN_VALUES for name, slot in bot.slots.items()}

    # --- turns ------------------------------------------------------------------------------------

    def start(self) -> State:
        return State(task=self.bot.settings.get("first_task", ""))

    def greet(self, state: State) -> Reply:
        turn = Turn(state)
        turn.say(self._prompt(turn, "greeting"), Act("hello"))
        self._advance(turn)
        return self._finish(turn, ())

    def reply(self, state: State, hypotheses: Hypotheses) -> Reply:
        state.turns += 1
        turn = Turn(state)
        text = hypotheses[0][0] if hypotheses else ""
        if self._on_notation(turn, text):
            return self._finish(turn, ())
        meanings = self._understand(state, hypotheses)
        commands = likely_commands(meanings)
        self._resume_question(state, commands)
        control = [command for command in commands if command.act in CONTROL]
        if not commands:
            self._on_misunderstanding(turn, text)
        elif control and not self._has_content(commands):
            state.misunderstood = 0
            command = min(control, key=lambda command: CONTROL.index(command.act))
            getattr(self, f"_on_{command.act}")(turn, command.slot)
        else:
            self._on_frames(turn, commands, meanings, text)
        return self._finish(turn, tuple(meanings))

    def _on_notation(self, turn: Turn, text: str) -> bool:
        """Do the frames of a text in a notation that the back end reads, if there is one."""
        read = getattr(self.backend, "read", None)
        frames = read(self.bot, text) if read else None
        if not frames:
            return False
        self._close_task(turn.state)
        turn.state.waiting = frames[1:]
        self._on_frame(turn, frames[0])
        return True

    def _on_frames(self, turn: Turn, commands: list[Command], meanings: list[Meaning], text: str) -> None:
        """Do what the sentence asks for; where it asks for several frames, one after the other."""
        frames = self.understanding.frames(text, self._context(turn.state)) if self._may_split(turn.state) else []
        if not frames:
            self._on_commands(turn, commands, meanings, text)
            return
        turn.state.waiting = frames[1:]
        answers = [command for command in commands if command.act not in ("inform", "deny", "start")]
        self._on_frame(turn, (*answers, *frames[0]))

    def _on_frame(self, turn: Turn, frame: tuple[Command, ...]) -> None:
        self._on_commands(turn, list(frame), [Meaning(frame, 1.0)], "")

    def _may_split(self, state: State) -> bool:
        """Whether frames can be closed; a bot that has one task refines its frame."""
        return not self.bot.settings.get("first_task")

    def _understand(self, state: State, hypotheses: Hypotheses) -> list[Meaning]:
        context = self._context(state)
        kept = hypotheses[: self.n_best]
        total = max(1.0, sum(score for _, score in hypotheses))
        return [Meaning(self.understanding.commands(text, context), score / total) for text, score in kept]

    @staticmethod
    def _resume_question(state: State, commands: list[Command]) -> None:
        """Return to the question before the offer to start again, unless that offer is answered."""
        answered = any(command.act in ("affirm", "negate") for command in commands)
        if state.question == Question("restart") and not answered:
            state.question, state.times_asked = state.interrupted, 0

    def _context(self, state: State) -> Context:
        expected = state.question.slot if state.question else ""
        active = self.bot.tasks[state.task].slots if state.task else []
        counting = bool(state.question) and state.question.kind == "quantity"
        return Context(expected, active, counting)

    def _finish(self, turn: Turn, understood: tuple[Meaning, ...]) -> Reply:
        reply = Reply(" ".join(turn.sentences), tuple(turn.acts), understood, turn.end)
        turn.state.last_reply = reply
        return reply

    def _prompt(self, turn: Turn, name: str, **values: Any) -> str:
        return self.wording.prompt(name, turn.state.turns, **values)

    # --- control: help, repeat, cancel, restart, goodbye ------------------------------------------

    @staticmethod
    def _has_content(commands: list[Command]) -> bool:
        return any(command.act in ("inform", "deny", "start") for command in commands)

    def _on_restart(self, turn: Turn, slot: str = "") -> None:
        memory = turn.state.memory
        turn.state.__dict__.update(State(task=self.bot.settings.get("first_task", "")).__dict__)
        turn.state.memory = {key: value for key, value in memory.items() if key in ("account",)}
        turn.say(self._prompt(turn, "restarted"), Act("restart"))
        self._advance(turn)

    def _on_goodbye(self, turn: Turn, slot: str = "") -> None:
        turn.say(self._prompt(turn, "goodbye"), Act("bye"))
        turn.end = True

    def _on_cancel(self, turn: Turn, slot: str = "") -> None:
        if not turn.state.task and turn.state.history:
            self._on_undo(turn)
            return
        self._close_task(turn.state)
        turn.say(self._prompt(turn, "cancelled"), Act("cancel"))
        self._advance(turn)

    def _on_undo(self, turn: Turn, slot: str = "") -> None:
        """Take back the last value of the open frame, else the last call that changed something."""
        state = turn.state
        if state.frame:
            state.frame.popitem()
            turn.say(self._prompt(turn, "step_back"), Act("undo"))
        elif state.history:
            state.memory = state.history.pop()
            self._close_task(state)
            turn.say(self._prompt(turn, "undone"), Act("undone"))
        else:
            turn.say(self._prompt(turn, "nothing_to_undo"), Act("undo"))
        self._advance(turn)

    def _on_help(self, turn: Turn, slot: str = "") -> None:
        turn.say(self._prompt(turn, "help"), Act("help"))
        self._ask_again(turn, hint=True)

    def _on_options(self, turn: Turn, slot: str = "") -> None:
        """List the values of a slot: the one that was named, or that of the open question."""
        question = turn.state.question
        if not slot and question and question.kind == "slot":
            slot = question.slot
        if slot and self.bot.slots[slot].hint:
            turn.say("", Act("options", slot))
            self._ask_again(turn, hint=True)
            return
        if not slot or not self.bot.slots[slot].values:
            self._on_help(turn)
            return
        options = self.wording.options(slot, limit=12)
        turn.say(self._prompt(turn, "options", options=options), Act("options", slot))
        self._ask_again(turn)

    def _on_repeat(self, turn: Turn, slot: str = "") -> None:
        last = turn.state.last_reply
        if last:
            turn.say(last.text, Act("repeat"), *last.acts)

    def _on_doubt(self, turn: Turn, slot: str = "") -> None:
        """The user says that the bot was wrong, without saying what is right."""
        state = turn.state
        for slot in state.unconfirmed:
            state.frame.pop(slot, None)
        state.unconfirmed = []
        state.question = None
        turn.say(self._prompt(turn, "sorry"), Act("apologise"))
        if state.frame and state.task:
            phrases = self.wording.phrases(known(state.frame))
            turn.say(self._prompt(turn, "summary", phrases=phrases))
            turn.say(self._prompt(turn, "what_to_change"), Act("request", "change"))
        else:
            self._advance(turn)

    # --- misunderstanding --------------------------------------------------------------------------

    def _on_misunderstanding(self, turn: Turn, text: str) -> None:
        """First: say what the bot can do; second: give an example; third: offer to start again."""
        state = turn.state
        state.misunderstood += 1
        level = (state.misunderstood - 1) % 3
        if level == 0:
            turn.say(self._prompt(turn, "not_understood"), Act("not_understood"))
            self._suggest(turn, text)
            self._ask_again(turn)
        elif level == 1:
            turn.say(self._prompt(turn, "example", example=self._example(turn)), Act("example"))
            self._ask_again(turn)
        else:
            self.questions.offer_restart(turn, state.question)

    def _suggest(self, turn: Turn, text: str) -> None:
        """Values of similar spelling where a value is asked for, else what the bot can do."""
        question = turn.state.question
        slot = self.bot.slots[question.slot] if question and question.kind == "slot" else None
        if slot is None or not slot.values:
            turn.say(self._prompt(turn, "abilities"))
            return
        closest = closest_values(slot, text)
        if closest:
            names = self.wording.enumerate([self.wording.show(slot.name, value) for value in closest], "or")
            acts = [Act("select", slot.name, value) for value in closest]
            turn.say(self._prompt(turn, "did_you_mean", names=names), *acts)

    def _example(self, turn: Turn) -> str:
        question = turn.state.question
        slot = self.bot.slots.get(question.slot) if question else None
        if slot is not None and slot.example:
            return slot.example
        if slot is not None and slot.values:
            return next(iter(slot.values.values()))[0]
        tasks = [task for task in self.bot.tasks.values() if task.examples]
        return tasks[turn.state.turns % len(tasks)].examples[0]

    # --- content -----------------------------------------------------------------------------------

    def _on_commands(self, turn: Turn, commands: list[Command], meanings: list[Meaning], text: str) -> None:
        state = turn.state
        task_before = state.task
        acts = [command.act for command in commands]
        answered = self._answer_question(turn, acts, self._has_content(commands))
        chatted = not answered and not self._has_content(commands) and self._chat(turn, acts)
        side_tasks = self._start_tasks(turn, commands)
        opened = state.task != task_before
        changed = self._fill_slots(turn, commands, meanings, side_tasks)
        if turn.end or answered == "done":
            return
        if not (answered or chatted or side_tasks or changed or opened):
            self._on_misunderstanding(turn, text)
            return
        state.misunderstood = 0
        arguments = {command.slot: command.value for command in commands if command.act == "inform"}
        for task in side_tasks:
            self._run_side_task(turn, task, arguments)
        if side_tasks and not changed and self._is_refining(state):
            return
        if (side_tasks or chatted) and not (changed or answered):
            self._ask_again(turn)
        else:
            self._advance(turn)

    def _is_refining(self, state: State) -> bool:
        """Whether a result was told that the user may still refine."""
        refinable = bool(state.task) and self.bot.tasks[state.task].refinable
        return refinable and state.question is not None and not state.question.slot

    def _chat(self, turn: Turn, acts: list[str]) -> bool:
        names = [act for act in acts if act in self.bot.chat]
        for name in names[:1]:
            abilities = self.bot.prompts["abilities"]
            text = self.wording.fill(self.bot.chat[name]["says"], turn.state.turns, abilities=abilities)
            turn.say(text, Act("chat", "", name))
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
                turn.say(self._prompt(turn, "set_aside"), Act("set_aside", "", state.task))
            self._close_task(state)
            state.task = frames[0].name
        acts = [command.act for command in commands]
        if frames and "refer" in acts:
            state.frame |= self._referents(state, informed)
        if not frames and informed and not self._reopen_task(turn, informed, acts):
            self._open_task_of(turn, informed)
        return [task for task in tasks if not task.slots]

    def _referents(self, state: State, informed: set[str]) -> dict[str, Any]:
        """Value that “it” stands for: the latest one of an antecedent, else those of the last frame."""
        if not any(slot.antecedent for slot in self.bot.slots.values()):
            return {} if informed else inherited(self.bot, state.task, state.closed[1], set())
        free = [slot for slot in self.bot.tasks[state.task].slots if slot not in informed]
        referents = [slot for slot in state.recent if slot in free and self.bot.slots[slot].antecedent]
        return {slot: state.recent[slot] for slot in referents[-1:]}

    def _reopen_task(self, turn: Turn, informed: set[str], acts: list[str]) -> bool:
        """Open the last task again for “and the radio”, or “no, the radio”, which takes the last call back."""
        state = turn.state
        task, frame = state.closed
        if state.task or not task or not informed <= set(self.bot.tasks[task].slots):
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
        first_task = self.bot.tasks.get(self.bot.settings.get("first_task", ""))
        required = {slot for slot in informed if not self.bot.slots[slot].optional}
        if not required and not (first_task and informed <= set(first_task.slots)):
            return
        candidates = [task.name for task in self.bot.tasks.values() if informed <= set(task.slots)]
        if state.task not in candidates and len(candidates) == 1:
            self._close_task(state)
            state.task = candidates[0]

    def _fill_slots(
        self, turn: Turn, commands: list[Command], meanings: list[Meaning], side_tasks: list[Task]
    ) -> bool:
        state = turn.state
        state.belief.update(meanings, self.sizes)
        used = {slot for task in side_tasks for slot in task.uses}
        changed = False
        for command in commands:
            if command.slot in used:
                continue
            if command.act == "deny":
                changed |= self._remove_value(state, command)
            elif command.act == "inform" and self.bot.slots[command.slot].type == "list":
                changed |= self._add_item(turn, command)
        informed = [
            command.slot for meaning in meanings for command in meaning.commands if command.act == "inform"
        ]
        for slot_name in dict.fromkeys(informed):
            if self.bot.slots[slot_name].type != "list" and slot_name not in used:
                changed |= self._set_value(turn, slot_name)
        return changed

    def _set_value(self, turn: Turn, slot_name: str) -> bool:
        state = turn.state
        value, probability = state.belief.best(slot_name)
        is_stray = self.bot.slots[slot_name].optional and not state.task
        if is_stray or probability < self.bot.settings["reject_below"]:
            return False
        previous = state.frame.pop(slot_name, None)
        state.frame[slot_name] = value  # the latest change is last
        state.denied.get(slot_name, set()).discard(value)
        if previous == value:
            return True
        state.approved = False
        if self._needs_confirmation(probability) and slot_name not in state.unconfirmed:
            state.unconfirmed.append(slot_name)
        return True

    def _needs_confirmation(self, probability: float) -> bool:
        if self.confirmation == "belief":
            return probability < self.bot.settings["confirm_below"]
        return self.confirmation in ("explicit", "implicit")

    def _remove_value(self, state: State, command: Command) -> bool:
        slot_name, value = command.slot, command.value
        if self.bot.slots[slot_name].type == "list":
            items = state.frame.get(slot_name, [])
            state.frame[slot_name] = [item for item in items if item.value != value.value]
            return True
        state.denied.setdefault(slot_name, set()).add(value)
        if state.frame.get(slot_name) == value:
            del state.frame[slot_name]
        return True

    def _add_item(self, turn: Turn, command: Command) -> bool:
        """Add an item to a list slot, or give the item in question its quantity."""
        state, item = turn.state, command.value
        items: list[Item] = list(state.frame.get(command.slot, []))
        if not item.value:
            item = self._item_in_question(state, items, item)
            if item is None:
                return False
        others = [known for known in items if known.value != item.value]
        earlier = [known for known in items if known.value == item.value]
        if earlier and item.quantity is None:
            return bool(earlier)
        state.frame[command.slot] = [*others, item]
        turn.acts.append(Act("ack", command.slot, item.value))
        return True

    @staticmethod
    def _item_in_question(state: State, items: list[Item], quantity: Item) -> Item | None:
        """Bare quantity: of the item that is asked for, else of the last one."""
        unmeasured = [item.value for item in items if item.quantity is None]
        asked = state.question.value if state.question and state.question.kind == "quantity" else None
        last = items[-1].value if items else None
        value = asked if asked in unmeasured else (unmeasured[0] if unmeasured else last)
        unit = quantity.unit or likely_unit(quantity.quantity)
        return Item(value, quantity.quantity, unit) if value else None

    # --- answers to the open question ---------------------------------------------------------------

    def _answer_question(self, turn: Turn, acts: list[str], has_content: bool) -> str:
        """Handle yes, no and `no preference`; returns `done` where the turn is complete."""
        question = turn.state.question
        closing = question is not None and question.kind in ("more", "complete")
        order = ("negate", "affirm", "dontcare") if closing else ("affirm", "negate", "dontcare")
        answer = next((act for act in order if act in acts), "")
        if not answer or question is None:
            return ""
        handler = getattr(self, f"_{answer}_{question.kind}", None)
        return handler(turn, question, has_content) if handler else ""

    def _affirm_approve(self, turn: Turn, question: Question, has_content: bool) -> str:
        turn.state.approved = not has_content
        return "answered"

    def _negate_approve(self, turn: Turn, question: Question, has_content: bool) -> str:
        if has_content:
            return "answered"
        self._on_cancel(turn)
        return "done"

    def _affirm_value(self, turn: Turn, question: Question, has_content: bool) -> str:
        turn.state.unconfirmed.remove(question.slot)
        turn.state.belief.confirm(question.slot, question.value)
        return "answered"

    def _negate_value(self, turn: Turn, question: Question, has_content: bool) -> str:
        state = turn.state
        state.belief.scale(question.slot, question.value, 0.0)
        state.frame.pop(question.slot, None)
        state.unconfirmed.remove(question.slot)
        return "answered"

    def _affirm_restart(self, turn: Turn, question: Question, has_content: bool) -> str:
        self._on_restart(turn)
        return "done"

    def _negate_restart(self, turn: Turn, question: Question, has_content: bool) -> str:
        turn.state.question = turn.state.interrupted
        return "answered"

    def _negate_more(self, turn: Turn, question: Question, has_content: bool) -> str:
        if has_content:
            return "answered"
        self._on_goodbye(turn)
        return "done"

    def _affirm_more(self, turn: Turn, question: Question, has_content: bool) -> str:
        if not has_content:
            turn.say(self._prompt(turn, "go_ahead"), Act("request", "task"))
        return "" if has_content else "done"

    def _negate_complete(self, turn: Turn, question: Question, has_content: bool) -> str:
        """Nothing else to add to a list."""
        turn.state.approved = not has_content
        return "answered"

    def _affirm_offer(self, turn: Turn, question: Question, has_content: bool) -> str:
        if not has_content:
            turn.say(self._prompt(turn, "accepted"), Act("reqmore"))
        return "" if has_content else "done"

    def _negate_offer(self, turn: Turn, question: Question, has_content: bool) -> str:
        if not has_content:
            turn.say(self._prompt(turn, "what_to_change"), Act("request", "change"))
        return "" if has_content else "done"

    _affirm_change = _negate_change = _negate_offer

    def _dontcare_change(self, turn: Turn, question: Question, has_content: bool) -> str:
        """Drop the constraint that was set last."""
        frame = turn.state.frame
        if not frame or has_content:
            return ""
        frame[list(frame)[-1]] = DONTCARE
        return "answered"

    def _affirm_choice(self, turn: Turn, question: Question, has_content: bool) -> str:
        """Take the only choice; “yes” to several is no answer."""
        choices = question.value.choices
        if len(choices) > 1 or has_content:
            return ""
        turn.state.frame.update(choices[0])
        return "answered"

    def _dontcare_choice(self, turn: Turn, question: Question, has_content: bool) -> str:
        if not has_content:
            turn.state.frame.update(question.value.choices[0])
        return "answered"

    def _negate_choice(self, turn: Turn, question: Question, has_content: bool) -> str:
        if has_content:
            return "answered"
        self._on_cancel(turn)
        return "done"

    def _affirm_complete(self, turn: Turn, question: Question, has_content: bool) -> str:
        if not has_content:
            turn.say(self.bot.slots[question.slot].ask, Act("request", question.slot))
        return "answered" if has_content else "done"

    def _dontcare_slot(self, turn: Turn, question: Question, has_content: bool) -> str:
        slot = self.bot.slots[question.slot]
        if not slot.any:
            return ""
        turn.state.frame[slot.name] = DONTCARE
        return "answered"

    def _dontcare_quantity(self, turn: Turn, question: Question, has_content: bool) -> str:
        """Unknown quantity: count a usual portion."""
        items = turn.state.frame[question.slot]
        turn.state.frame[question.slot] = [
            Item(item.value, 1.0, "portion") if item.value == question.value else item for item in items
        ]
        return "answered"

    def _negate_quantity(self, turn: Turn, question: Question, has_content: bool) -> str:
        """Nothing more to say: count usual portions and finish the list."""
        if has_content:
            return "answered"
        self._count_portions(turn.state, question.slot)
        turn.state.approved = True
        return "answered"

    @staticmethod
    def _count_portions(state: State, slot: str) -> None:
        items = state.frame[slot]
        state.frame[slot] = [Item(i.value, 1.0, "portion") if i.quantity is None else i for i in items]

    # --- next step ----------------------------------------------------------------------------------

    def _advance(self, turn: Turn) -> None:
        """Confirm, ask for the next slot, or run the task."""
        state = turn.state
        if not state.task and state.waiting:
            self._on_frame(turn, state.waiting.pop(0))
            return
        if not state.task:
            self.questions.ask(turn, self._task_question(state))
            return
        if self._confirm_values(turn):
            return
        question = self._missing(turn)
        if question is not None:
            self.questions.ask(turn, question)
        else:
            self._run_task(turn, self.bot.tasks[state.task])

    def _task_question(self, state: State) -> Question:
        """Which task: any (first turn, or after another one), or one that has the values of the frame."""
        if state.frame:
            return Question("select", next(iter(state.frame)))
        return Question("more" if state.done else "task")

    def _confirm_values(self, turn: Turn) -> bool:
        """Confirm new values: as a question of its own (explicit) or within the next turn (implicit)."""
        state = turn.state
        state.unconfirmed = [slot for slot in state.unconfirmed if slot in state.frame]
        if not state.unconfirmed:
            return False
        if self.confirmation == "implicit":
            phrases = self.wording.phrases({slot: state.frame[slot] for slot in state.unconfirmed})
            acts = [Act("implicit_confirm", slot, state.frame[slot]) for slot in state.unconfirmed]
            turn.say(self._prompt(turn, "implicit", phrases=phrases), *acts)
            state.unconfirmed = []
            return False
        slot = state.unconfirmed[0]
        self.questions.ask(turn, Question("value", slot, state.frame[slot]))
        return True

    def _missing(self, turn: Turn) -> Question | None:
        """Question for the first required slot, quantity or approval that is missing."""
        state = turn.state
        task = self.bot.tasks[state.task]
        for name in task.slots:
            slot = self.bot.slots[name]
            if not state.frame.get(name) and not slot.optional:
                return Question("slot", name)
            if slot.ask_quantity:
                unmeasured = [item for item in state.frame[name] if item.quantity is None]
                if unmeasured:
                    return Question("quantity", name, unmeasured[0].value)
                if not state.approved:
                    return Question("complete", name)
        if task.confirm and not state.approved:
            return Question("approve")
        return None

    def _run_task(self, turn: Turn, task: Task) -> None:
        state = turn.state
        outcome = self._call(turn, task)
        worth_asking = [name for name in outcome.ask if name not in state.frame]
        if worth_asking:
            self.questions.ask(turn, Question("slot", worth_asking[0]))
            return
        if outcome.choices:
            text, acts = self._describe(turn, task, outcome)
            self.questions.ask(turn, Question("choice", "", Options(text, outcome.choices, acts)))
            return
        self._tell(turn, task, outcome)
        self._remember(state, state.frame)
        if outcome.retry:
            state.frame.pop(outcome.retry, None)
            self.questions.ask(turn, Question("slot", outcome.retry))
            return
        if task.refinable:
            state.question = Question("change" if outcome.failed else "offer")
            return
        state.done = True
        state.closed = (task.name, dict(state.frame))
        self._close_task(state)
        self._advance(turn)

    @staticmethod
    def _remember(state: State, values: dict[str, Any]) -> None:
        earlier = {slot: value for slot, value in state.recent.items() if slot not in values}
        state.recent = {**earlier, **values}

    def _run_side_task(self, turn: Turn, task: Task, arguments: dict[str, Any]) -> None:
        self._tell(turn, task, self._call(turn, task, arguments))
        used = {slot: value for slot, value in arguments.items() if slot in task.uses}
        self._remember(
            turn.state, {slot: [value] if isinstance(value, Item) else value for slot, value in used.items()}
        )
        turn.state.done = True
        if turn.state.question == Question("offer"):
            turn.state.question = Question("more")

    def _call(self, turn: Turn, task: Task, arguments: dict[str, Any] | None = None) -> Outcome:
        state = turn.state
        function = getattr(self.backend, task.call)
        used = {slot: value for slot, value in (arguments or {}).items() if slot in task.uses}
        before = deepcopy(state.memory)
        outcome: Outcome = function(
            self.bot, {**state.frame, **used}, state.denied, task.argument, state.memory
        )
        if self.bot.settings["undo"] and before != state.memory:
            state.history = [*state.history, before][-MOST_UNDONE:]
        return outcome

    def _tell(self, turn: Turn, task: Task, outcome: Outcome) -> None:
        text, acts = self._describe(turn, task, outcome)
        turn.say(text, Act(outcome.name, "", task.name), *acts)
        if outcome.failed:
            turn.state.waiting = []

    def _describe(self, turn: Turn, task: Task, outcome: Outcome) -> tuple[str, list[Act]]:
        """Sentence and acts of an outcome."""
        template = task.outcomes.get(outcome.name) or self.bot.prompts[outcome.name]
        frame = known(turn.state.frame)
        described = {name: value for name, value in outcome.values.items() if name in self.bot.slots}
        phrases = self.wording.phrases(described or frame)
        values = {**frame, **outcome.values, "wanted": self.wording.phrases(frame)}
        text = self.wording.fill(template, turn.state.turns, phrases=phrases, **values)
        acts = [Act("inform", name, value) for name, value in outcome.values.items()]
        return text, outcome.acts or acts

    @staticmethod
    def _close_task(state: State) -> None:
        state.task, state.frame, state.denied, state.unconfirmed = "", {}, {}, []
        state.belief.slots.clear()
        state.approved = False
        state.question = None

    def _ask_again(self, turn: Turn, hint: bool = False) -> None:
        question = turn.state.question
        if question is None or (turn.state.waiting and not turn.state.task):
            self._advance(turn)
        else:
            self.questions.ask(turn, question, hint)
