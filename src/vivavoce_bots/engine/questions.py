"""Questions of the bot: wording, acts, and the limit of repetitions."""

from typing import Any

from vivavoce_bots.engine.bot_file import BotFile, Task
from vivavoce_bots.engine.commands import Act
from vivavoce_bots.engine.state import Question, Turn
from vivavoce_bots.engine.values import closest_values
from vivavoce_bots.engine.wording import Wording, known

REPEATED = ("slot", "quantity", "choice", "select", "liken", "learn")
MOST_REPETITIONS = 3  # times that a question is asked in a row


class Questions:
    """Asks; one method for each kind of question."""

    def __init__(self, bot: BotFile, wording: Wording) -> None:
        self.bot = bot
        self.wording = wording

    def _prompt(self, turn: Turn, name: str, **values: Any) -> str:
        return self.wording.prompt(name, turn.state.turns, **values)

    def ask(self, turn: Turn, question: Question, hint: bool = False) -> None:
        state = turn.state
        if turn.leaving and question.kind in ("more", "task"):
            turn.say(self._prompt(turn, "goodbye"), Act("bye"))
            turn.end = True
            return
        state.times_asked = state.times_asked + 1 if question == state.question else 1
        is_repeated = state.times_asked > MOST_REPETITIONS and question.kind in REPEATED
        if is_repeated and not self.bot.settings["max_misunderstandings"]:
            self.offer_restart(turn, question)
            return
        state.question = question
        text, acts = getattr(self, f"_{question.kind}")(turn, question)
        if hint and question.slot and self.bot.slots[question.slot].hint:
            text = f"{text} {self.bot.slots[question.slot].hint}"
        turn.say(text, *acts)

    def _slot(self, turn: Turn, question: Question) -> tuple[str, list[Act]]:
        return self.bot.slots[question.slot].ask, [Act("request", question.slot)]

    def _quantity(self, turn: Turn, question: Question) -> tuple[str, list[Act]]:
        slot = self.bot.slots[question.slot]
        item = question.value
        row = self.bot.table.get(item.value, {})
        text = slot.ask_quantity.format(**{**row, "value": self.wording.show(slot.name, item)})
        return text, [Act("request", "quantity")]

    def _liken(self, turn: Turn, question: Question) -> tuple[str, list[Act]]:
        """Values that are spelled like an unknown name, by number."""
        values = closest_values(self.bot.slots[question.slot], question.value.wording)
        names = [
            f"{number} {self.wording.show(question.slot, value)}" for number, value in enumerate(values, 1)
        ]
        acts = [Act("select", question.slot, value) for value in values]
        return self._prompt(turn, "unknown", word=question.value.wording, choices=", ".join(names)), acts

    def _learn(self, turn: Turn, question: Question) -> tuple[str, list[Act]]:
        name = question.value.wording
        return self._prompt(turn, "learn", word=name), [Act("request", question.slot, name)]

    def _approve(self, turn: Turn, question: Question) -> tuple[str, list[Act]]:
        state = turn.state
        task = self.bot.tasks[state.task]
        phrases = self.wording.phrases(known(state.frame))
        acts = [Act("confirm", slot, value) for slot, value in state.frame.items()]
        return self.wording.fill(task.confirm, 0, phrases=phrases, **state.frame), acts

    @staticmethod
    def _choice(turn: Turn, question: Question) -> tuple[str, list[Act]]:
        return question.value.text, question.value.acts

    def _complete(self, turn: Turn, question: Question) -> tuple[str, list[Act]]:
        items = turn.state.frame[question.slot]
        return self._prompt(turn, "anything_else", items=self.wording.show(question.slot, items)), [
            Act("reqmore")
        ]

    def _task(self, turn: Turn, question: Question) -> tuple[str, list[Act]]:
        return self._prompt(turn, "ask_task"), [Act("request", "task")]

    def _more(self, turn: Turn, question: Question) -> tuple[str, list[Act]]:
        return self._prompt(turn, "ask_more"), [Act("reqmore")]

    def _select(self, turn: Turn, question: Question) -> tuple[str, list[Act]]:
        tasks = self.fitting_tasks(turn.state.frame)
        labels = self.wording.enumerate([task.label for task in tasks], "or")
        phrases = self.wording.phrases(known(turn.state.frame))
        return self._prompt(turn, "select_task", phrases=phrases, labels=labels), [Act("request", "task")]

    def fitting_tasks(self, frame: dict[str, Any]) -> list[Task]:
        """Tasks that have the slots of a frame and take its values."""

        def fits(task: Task) -> bool:
            takes_values = all(frame.get(slot, value[0]) in value for slot, value in task.fits.items())
            return takes_values and frame.keys() <= set(task.slots)

        return [task for task in self.bot.tasks.values() if frame and task.label and fits(task)]

    def _restart(self, turn: Turn, question: Question) -> tuple[str, list[Act]]:
        return self._prompt(turn, "offer_restart"), [Act("confirm", "restart")]

    def _offer(self, turn: Turn, question: Question) -> tuple[str, list[Act]]:
        return self._prompt(turn, "ask_detail"), [Act("reqmore")]

    def offer_restart(self, turn: Turn, interrupted: Question | None) -> None:
        state = turn.state
        state.interrupted, state.question, state.times_asked = interrupted, Question("restart"), 0
        turn.say(self._prompt(turn, "offer_restart"), Act("confirm", "restart"))
