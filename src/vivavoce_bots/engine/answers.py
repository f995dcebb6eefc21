"""Answers to the open question: yes, no, and no preference, for each kind of question."""

from typing import Any

from vivavoce_bots.engine.commands import DONTCARE, Act, Command
from vivavoce_bots.engine.control import Control
from vivavoce_bots.engine.state import Question, Turn


class Answers(Control):
    """One method for each answer to each kind of question; `done` says that the turn is complete."""

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

    def _affirm_restart(self, turn: Turn, question: Question, has_content: bool) -> str:
        self._on_restart(turn)
        return "done"

    def _negate_restart(self, turn: Turn, question: Question, has_content: bool) -> str:
        turn.state.question = turn.state.interrupted
        return "answered"

    def _negate_more(self, turn: Turn, question: Question, has_content: bool) -> str:
        if has_content:
            return ""
        self._on_goodbye(turn)
        return "done"

    def _affirm_more(self, turn: Turn, question: Question, has_content: bool) -> str:
        if not has_content:
            turn.say(self._prompt(turn, "go_ahead"), Act("request", "task"))
        return "" if has_content else "done"

    def _negate_complete(self, turn: Turn, question: Question, has_content: bool) -> str:
        """Finish a list."""
        turn.state.approved = not has_content
        return "answered"

    def _choose(self, turn: Turn, commands: list[Command]) -> str:
        """Take the choice that is named by an ordinal."""
        question = turn.state.question
        places = [command.value for command in commands if command.act == "choose"]
        if question is None or not places:
            return ""
        choices = question.value.choices if question.kind == "choice" else self._choices_of(question.slot)
        if not choices or places[0] >= len(choices):
            return ""
        turn.state.frame.update(choices[places[0]])
        turn.state.alternatives = ("", [])
        return "answered"

    def _choices_of(self, slot: str) -> list[dict[str, Any]]:
        """Values that a question for a slot lists; an item of a list has a name."""
        return [
            {slot: value} for value in self.bot.slots[slot].values if self.bot.slots[slot].type == "choice"
        ]

    def _affirm_choice(self, turn: Turn, question: Question, has_content: bool) -> str:
        """Take the only choice, or ask which one is meant."""
        if has_content or len(question.value.choices) > 1:
            return self._ask_which(turn, question, has_content)
        turn.state.frame.update(question.value.choices[0])
        return "answered"

    def _ask_which(self, turn: Turn, question: Question, has_content: bool) -> str:
        """Answer “yes” to an or-question."""
        if has_content:
            return "answered"
        turn.say(self._prompt(turn, "say_which"))
        self.questions.ask(turn, question)
        return "done"

    def _affirm_select(self, turn: Turn, question: Question, has_content: bool) -> str:
        """Open the only task that the values fit, or ask which one is meant."""
        tasks = self.questions.fitting_tasks(turn.state.frame)
        if has_content or len(tasks) != 1:
            return self._ask_which(turn, question, has_content)
        turn.state.task = tasks[0].name
        return "answered"

    def _dontcare_choice(self, turn: Turn, question: Question, has_content: bool) -> str:
        if not has_content:
            turn.state.frame.update(question.value.choices[0])
        return "answered"

    def _negate_choice(self, turn: Turn, question: Question, has_content: bool) -> str:
        if has_content:
            return "answered"
        if question.slot:
            turn.state.alternatives = ("", [])
            self.questions.ask(turn, Question("slot", question.slot))
            return "done"
        self._on_cancel(turn)
        return "done"

    def _negate_slot(self, turn: Turn, question: Question, has_content: bool) -> str:
        """Leave a task, unless it is the only one of the bot."""
        if has_content or self.bot.settings["first_task"]:
            return ""
        self._on_cancel(turn)
        return "done"

    def _negate_select(self, turn: Turn, question: Question, has_content: bool) -> str:
        return self._negate_choice(turn, Question("select"), has_content)

    def _affirm_complete(self, turn: Turn, question: Question, has_content: bool) -> str:
        if not has_content:
            turn.say(self._prompt(turn, "go_ahead"), Act("request", question.slot))
        return "answered" if has_content else "done"

    def _dontcare_slot(self, turn: Turn, question: Question, has_content: bool) -> str:
        slot = self.bot.slots[question.slot]
        if slot.name in self.bot.settings["lasting_slots"]:
            self._do_without(turn)
            return "answered"
        if not slot.any:
            return ""
        turn.state.frame[slot.name] = DONTCARE
        return "answered"
