"""Lists of items with quantities: additions, corrections, removals, and names that the bot does not know."""

from dataclasses import replace
from types import ModuleType

from vivavoce_bots.engine.answers import Answers
from vivavoce_bots.engine.bot_file import BotFile, Task
from vivavoce_bots.engine.commands import Act, Command, Item
from vivavoce_bots.engine.state import Question, State, Turn
from vivavoce_bots.engine.text import tokenise
from vivavoce_bots.engine.values import closest_values, likely_unit

LIKENING = ("liken", "learn")  # questions about an unknown name


class Lists(Answers):
    """Slots of type `list`; a back end that has `measure(bot, item)` brings quantities to one unit."""

    def __init__(self, bot: BotFile, backend: ModuleType | None) -> None:
        super().__init__(bot, backend)
        self.measure = getattr(backend, "measure", None)

    def _add_item(self, turn: Turn, command: Command) -> bool:
        """Add an item to a list slot, or give the item in question its quantity."""
        state, slot = turn.state, command.slot
        item: Item = command.value
        if state.unknown and state.question and state.question.kind in LIKENING:
            likened = self._likened(turn, command.value)
            if likened is None:
                return True
            item = likened
        items: list[Item] = list(state.frame.get(slot, []))
        measured = item if item.value else self._item_in_question(state, items, item)
        if measured is None:
            return False
        item = measured
        earlier = [present for present in items if self._is_same(slot, present, item)]
        if not earlier or item.quantity is not None:
            item = self._measured(item)
            state.frame[slot] = [*(present for present in items if present not in earlier), item]
            turn.added.append(item)
        elif earlier[0].quantity is not None:
            turn.added.append(earlier[0])
        return True

    def _is_same(self, slot: str, known: Item, item: Item) -> bool:
        is_group = item.value in self.bot.slots[slot].groups
        return known.value == item.value and (known.wording == item.wording or not is_group)

    def _measured(self, item: Item) -> Item:
        return item if self.measure is None or item.quantity is None else self.measure(self.bot, item)

    @staticmethod
    def _item_in_question(state: State, items: list[Item], quantity: Item) -> Item | None:
        """Bare quantity: of the item that is asked for, else of the last one."""
        asked = state.question.value if state.question and state.question.kind == "quantity" else None
        unmeasured = [item for item in items if item.quantity is None]
        item = next((item for item in unmeasured if item == asked), None) or next(
            iter(unmeasured or items[-1:]), None
        )
        unit = quantity.unit or likely_unit(quantity.quantity or 0.0)
        return replace(item, quantity=quantity.quantity, unit=unit) if item else None

    def _remove_items(self, turn: Turn, slot: str, value: Item) -> None:
        items: list[Item] = turn.state.frame.get(slot, [])
        gone = [item for item in items if self._is_same(slot, item, value)]
        gone = gone or [item for item in items if item.value == value.value]
        turn.state.frame[slot] = [item for item in items if item not in gone]
        turn.removed += gone

    # --- what changed ---------------------------------------------------------------------------------

    def _advance(self, turn: Turn) -> None:
        """Tell what changed in a list and ask about unknown names before the next step."""
        self._settle_lists(turn)
        if turn.leaving and turn.state.task:
            self._finish_lists(turn)
        if not self._ask_unknown(turn):
            super()._advance(turn)

    def _settle_lists(self, turn: Turn) -> None:
        for name, slot in self.bot.slots.items():
            if slot.type == "list":
                self._replace_items(turn, name)
                self._tell_changes(turn, name)

    def _finish_lists(self, turn: Turn) -> None:
        for slot in self.bot.tasks[turn.state.task].slots:
            if self.bot.slots[slot].ask_quantity and turn.state.frame.get(slot):
                self._finish_list(turn, slot)

    def _replace_items(self, turn: Turn, slot: str) -> None:
        """Let a new item without a quantity take that of a removed one: not pasta, rice."""
        doubted = turn.doubted
        if doubted and turn.added and not any(self._is_same(slot, item, doubted) for item in turn.added):
            self._remove_items(turn, slot, doubted)
        items: list[Item] = list(turn.state.frame.get(slot, []))
        freed = [item for item in turn.removed if item.quantity is not None]
        for position, item in enumerate(items):
            if item.quantity is None and item in turn.added and freed:
                items[position] = replace(item, quantity=freed[0].quantity, unit=freed.pop(0).unit)
                turn.added[turn.added.index(item)] = items[position]
        if items:
            turn.state.frame[slot] = items

    def _tell_changes(self, turn: Turn, slot: str) -> None:
        items = turn.state.frame.get(slot, [])
        latest = {(item.value, item.wording): item for item in turn.added if item in items}
        noted = [item for item in latest.values() if item.quantity is not None]
        for prompt, items in (("removed", turn.removed), ("noted", noted)):
            if items and prompt in self.bot.prompts and not turn.state.approved:
                text = self._prompt(turn, prompt, items=self.wording.show(slot, items))
                turn.say(text, *(Act("ack", slot, item.value) for item in items))
        turn.added, turn.removed = [], []

    # --- quantities -----------------------------------------------------------------------------------

    def _dontcare_quantity(self, turn: Turn, question: Question, has_content: bool) -> str:
        """Unknown quantity: count a usual portion."""
        if has_content:
            return ""
        self._count_portions(turn, question.slot, question.value)
        return "answered"

    _affirm_quantity = _dontcare_quantity

    def _negate_quantity(self, turn: Turn, question: Question, has_content: bool) -> str:
        """Count usual portions and finish the list."""
        if has_content:
            turn.doubted = question.value
            return "answered"
        self._finish_list(turn, question.slot)
        return "answered"

    def _finish_list(self, turn: Turn, slot: str) -> None:
        self._count_portions(turn, slot)
        turn.state.approved = True

    def _count_portions(self, turn: Turn, slot: str, only: Item | None = None) -> None:
        """Count usual portions of all items without a quantity, or only of one."""
        items: list[Item] = list(turn.state.frame[slot])
        for position, item in enumerate(items):
            if item.quantity is None and only in (None, item):
                items[position] = self._measured(replace(item, quantity=1.0, unit="portion"))
                turn.added.append(items[position])
        turn.state.frame[slot] = items

    def _run_task(self, turn: Turn, task: Task) -> None:
        """Run a task; the list can be corrected after it."""
        super()._run_task(turn, task)
        is_list = any(self.bot.slots[slot].ask_quantity for slot in task.slots)
        if is_list and turn.state.question == Question("offer"):
            turn.state.question = None
            if not turn.leaving:
                self.questions.ask(turn, Question("more"))

    def _on_goodbye(self, turn: Turn, slot: str = "") -> None:
        """Tell the result of an open list before the goodbye."""
        state = turn.state
        name = state.question.slot if state.question else ""
        if name and self.bot.slots[name].ask_quantity and state.frame.get(name):
            self._finish_list(turn, name)
            task = self.bot.tasks[state.task]
            self._tell(turn, task, self._call(turn, task, task.call))
        super()._on_goodbye(turn, slot)

    # --- unknown names ---------------------------------------------------------------------------------

    def _on_undo(self, turn: Turn, slot: str = "") -> None:
        """Take back the last item of a list, else as for other slots."""
        frame = turn.state.frame
        items = frame.get(next(reversed(frame), ""))
        if not isinstance(items, list) or len(items) < 2:
            super()._on_undo(turn, slot)
            return
        turn.removed.append(items[-1])
        frame[next(reversed(frame))] = items[:-1]
        self._advance(turn)

    def _note_unknown(self, turn: Turn, command: Command) -> bool:
        turn.state.unknown.append((command.slot, command.value))
        return True

    def _choices(self, slot: str, item: Item) -> list[str]:
        return closest_values(self.bot.slots[slot], item.wording)

    def _ask_unknown(self, turn: Turn) -> bool:
        """Ask what the first unknown name is like; a name that is like nothing is left out."""
        state = turn.state
        while state.unknown:
            slot, item = state.unknown[0]
            kind = "liken" if self._choices(slot, item) else "learn"
            is_passed_over = state.question in [Question(asked, slot, item) for asked in LIKENING]
            if not is_passed_over and (kind == "liken" or self.bot.settings["learn_values"]):
                self.questions.ask(turn, Question(kind, slot, item))
                return True
            self._leave_out(turn)
        return False

    def _leave_out(self, turn: Turn) -> None:
        slot, item = turn.state.unknown.pop(0)
        turn.say(self._prompt(turn, "left_out", word=item.wording), Act("null", slot))
        turn.state.times_asked = 0

    def _likened(self, turn: Turn, answer: Item) -> Item | None:
        """Known item for the unknown one, by name or number; a bare quantity is that of the unknown one."""
        state = turn.state
        slot, unknown = state.unknown[0]
        choices = self._choices(slot, unknown)
        number = answer.quantity if not answer.value and not answer.unit else None
        if number in range(1, len(choices) + 1):
            answer = Item(choices[int(number or 1) - 1])
        if not answer.value:
            state.unknown[0] = (slot, replace(unknown, quantity=answer.quantity, unit=answer.unit))
            return None
        if answer.value not in choices and any(
            self._is_same(slot, known, answer) for known in state.frame.get(slot, [])
        ):
            return answer
        return self._resolved(turn, answer)

    def _resolved(self, turn: Turn, answer: Item) -> Item:
        """Item under the unknown name, which is learnt where the bot learns values."""
        slot, unknown = turn.state.unknown.pop(0)
        if answer.quantity is None:
            answer = replace(answer, quantity=unknown.quantity, unit=unknown.unit)
        if not self.bot.settings["learn_values"]:
            return answer
        learnt = turn.state.memory.setdefault("learnt", [])
        learnt.append((tokenise(unknown.wording), slot, answer.value, unknown.wording))
        turn.say(self._prompt(turn, "learnt", word=unknown.wording))
        return replace(answer, wording=unknown.wording)

    def _affirm_liken(self, turn: Turn, question: Question, has_content: bool) -> str:
        if not has_content:
            choice = Item(self._choices(question.slot, question.value)[0])
            self._add_item(turn, Command("inform", question.slot, choice))
        return "answered"

    def _negate_liken(self, turn: Turn, question: Question, has_content: bool) -> str:
        if has_content:
            return "answered"
        if self.bot.settings["learn_values"] and question.kind == "liken":
            self.questions.ask(turn, replace(question, kind="learn"))
            return "done"
        self._leave_out(turn)
        return "answered"

    _dontcare_liken = _negate_learn = _dontcare_learn = _negate_liken
