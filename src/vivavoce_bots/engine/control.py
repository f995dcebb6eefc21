"""Control of the conversation: help, repetition, restart, cancel, goodbye, and what was not understood."""

from abc import abstractmethod

from vivavoce_bots.engine.commands import Act, Command
from vivavoce_bots.engine.state import State, Turn
from vivavoce_bots.engine.steps import Steps
from vivavoce_bots.engine.values import closest_values
from vivavoce_bots.engine.wording import known

CONTROL = ("restart", "goodbye", "cancel", "undo", "help", "options", "repeat", "doubt")


class Control(Steps):
    """Answers to what users say about the conversation itself."""

    @abstractmethod
    def start(self) -> State: ...

    @staticmethod
    def _has_content(commands: list[Command]) -> bool:
        return any(command.act in ("inform", "deny", "unknown", "start") for command in commands)

    def _on_restart(self, turn: Turn, slot: str = "") -> None:
        remembered = {
            key: value for key, value in turn.state.memory.items() if key in self.bot.settings["remembered"]
        }
        vars(turn.state).update({**vars(self.start()), "memory": remembered})
        turn.say(self._prompt(turn, "restarted"), Act("ack", "", "restart"))
        self._advance(turn)

    def _on_goodbye(self, turn: Turn, slot: str = "") -> None:
        turn.say(self._prompt(turn, "goodbye"), Act("bye"))
        turn.end = True

    def _on_cancel(self, turn: Turn, slot: str = "") -> None:
        if not turn.state.task and not turn.state.frame and turn.state.history:
            self._on_undo(turn)
            return
        self._close_task(turn.state)
        turn.state.task = self.bot.settings["first_task"]
        turn.say(self._prompt(turn, "cancelled"), Act("ack", "", "cancel"))
        self._advance(turn)

    @staticmethod
    def _forget(state: State, slot: str) -> None:
        state.frame.pop(slot, None)

    def _on_undo(self, turn: Turn, slot: str = "") -> None:
        """Take back the last value of the open frame, else the last call that changed something."""
        state = turn.state
        if state.frame:
            self._forget(state, list(state.frame)[-1])
            prompt = "step_back"
        elif state.history:
            state.memory, state.closed = state.history.pop(), ("", {})
            self._close_task(state)
            prompt = "undone"
        else:
            prompt = "nothing_to_undo"
        turn.say(self._prompt(turn, prompt), Act("ack", "", "undo"))
        self._advance(turn)

    def _on_help(self, turn: Turn, slot: str = "") -> None:
        turn.say(self._prompt(turn, "help"), Act("help"))
        turn.state.times_asked = 0
        self._ask_again(turn, hint=True)

    def _on_options(self, turn: Turn, slot: str = "") -> None:
        """List the values of a slot: the one that was named, or that of the open question."""
        question = turn.state.question
        if not slot and question and question.kind == "slot":
            slot = question.slot
        if slot and self.bot.slots[slot].hint:
            turn.say("", Act("help", slot))
            self._ask_again(turn, hint=True)
            return
        if not slot or not self.bot.slots[slot].values:
            self._on_help(turn)
            return
        options = self.wording.options(slot, limit=12)
        turn.say(self._prompt(turn, "options", options=options), Act("help", slot))
        self._ask_again(turn)

    def _on_repeat(self, turn: Turn, slot: str = "") -> None:
        last = turn.state.last_reply
        if last:
            turn.say(last.text, *last.acts)

    def _on_doubt(self, turn: Turn, slot: str = "") -> None:
        """The user says that the bot was wrong, without saying what is right."""
        state = turn.state
        state.question = None
        turn.say(self._prompt(turn, "sorry"), Act("ack", "", "apology"))
        if state.frame and state.task:
            phrases = self.wording.phrases(known(state.frame))
            turn.say(self._prompt(turn, "summary", phrases=phrases))
            turn.say(self._prompt(turn, "what_to_change"), Act("ack", "", "change"))
        else:
            self._advance(turn)

    def _on_misunderstanding(self, turn: Turn, text: str) -> None:
        """First: say what the bot can do; second: give an example; third: offer to start again."""
        state = turn.state
        state.misunderstood += 1
        if state.misunderstood == self.bot.settings["max_misunderstandings"]:
            self._escalate(turn)
            return
        level = (state.misunderstood - 1) % 3
        if level == 0:
            question_slot = state.question.slot if state.question else ""
            turns = 0 if question_slot else state.turns  # “I can't help with that” is no answer to a value
            turn.say(self.wording.prompt("not_understood", turns), Act("repeat"))
            self._suggest(turn, text)
            self._ask_again(turn, hint=bool(question_slot))
        elif level == 1:
            turn.say(self._prompt(turn, "example", example=self._example(turn)), Act("repeat"))
            self._ask_again(turn)
        else:
            self.questions.offer_restart(turn, state.question)

    def _escalate(self, turn: Turn) -> None:
        """Run the task that helps where the bot cannot, such as a call of an operator."""
        self._run_side_task(turn, self.bot.tasks[self.bot.settings["escalation"]], {})

    def _suggest(self, turn: Turn, text: str) -> None:
        """Values of similar spelling where a value is asked for, else what the bot can do."""
        question = turn.state.question
        slot = self.bot.slots[question.slot] if question and question.kind == "slot" else None
        if slot is None or not (slot.values or slot.hint):
            turn.say(self._prompt(turn, "abilities"))
            return
        closest = [] if slot.open else closest_values(slot, text)
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
