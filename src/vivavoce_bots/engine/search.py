"""Search bots: ask for what narrows the search, confirm what is in doubt, offer, answer about the offer."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from vivavoce_bots.engine.belief import Belief, shared_commands
from vivavoce_bots.engine.bot_file import BotFile
from vivavoce_bots.engine.commands import DONTCARE, Act, Command, Meaning, Reply
from vivavoce_bots.engine.engine import Engine, Hypotheses
from vivavoce_bots.engine.manners import Chooser, Heard, Learnt, Plain
from vivavoce_bots.engine.ontology import HOURS, TIMED, TYPE
from vivavoce_bots.engine.state import Question, State, Turn
from vivavoce_bots.engine.text import tokenise
from vivavoce_bots.engine.understandings import Understands
from vivavoce_bots.engine.venues import Venues, meets
from vivavoce_bots.engine.wording import known

HEARD = 0.35  # probability from which an act counts
MOST_CONFIRMED = 2  # times that a value is put to the user for confirmation
MOST_VALUES = 3  # values of a slot that are proposed, and of which a refused one says enough
SURE = 0.7
FIND, OTHER = "find", "other"


@dataclass
class SearchState(State):
    """State of a search.

    venue     name of the row that is on offer
    seen      rows that were turned down
    requests  questions that wait for a venue
    proposed  values that could be wanted instead, in the last turn
    declined  proposals that were turned down
    echoed    slots whose values were repeated with the last question
    taken_back  those of them that the user just rejected
    """

    belief: Belief = field(default_factory=Belief)
    venue: str = ""
    seen: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    asked_slots: Counter[str] = field(default_factory=Counter)
    confirmed: Counter[tuple[str, Any]] = field(default_factory=Counter)
    proposed: dict[str, Any] = field(default_factory=dict)
    declined: list[tuple[str, ...]] = field(default_factory=list)
    echoed: list[str] = field(default_factory=list)
    taken_back: list[str] = field(default_factory=list)
    heard: Heard = field(default_factory=Heard)


def searching(state: State) -> SearchState:
    """State of a search bot."""
    assert isinstance(state, SearchState)
    return state


class SearchEngine(Engine):
    """Search bot in one language.

    Settings: `leads` (asks from the start), `guided` (questions name the values), `few` (so many matches are
    offered without a further question), `always_ask`, `never_ask` (slots), `most_asked` (times),
    `accept_above`, `change_above`, `confirm_above` (probabilities of values, changed and doubtful ones).
    """

    def __init__(self, bot: BotFile, understanding: Understands, chooser: Chooser | None = None) -> None:
        super().__init__(bot, understanding, None)
        self.venues = Venues(bot)
        self.settings = bot.settings
        self.chooser = chooser or (Learnt.shipped() if bot.settings["learnt"] else Plain())

    # --- turns ------------------------------------------------------------------------------------

    def start(self) -> SearchState:
        return SearchState(task=FIND)

    def greet(self, state: State) -> Reply:
        turn = Turn(state)
        kinds = self.wording.enumerate(self.bot.search["kinds"])
        turn.say(self._prompt(turn, "greeting", kinds=kinds), Act("hello"))
        if self.settings["leads"]:
            self._advance(turn)
        return self._finish(turn, ())

    def _understand(self, state: State, hypotheses: Hypotheses) -> list[Meaning]:
        """Meanings of the hypotheses; those that mean the same are one, with their probabilities added."""
        state = searching(state)
        if self.n_best == 1:
            hypotheses = [(text, 1.0) for text, _ in hypotheses[:1]]
        state.heard.add(hypotheses[0][1] if hypotheses else 0.0)
        scores: dict[tuple[Command, ...], float] = {}
        meanings = super()._understand(state, hypotheses)
        for meaning, (text, _) in zip(meanings, hypotheses, strict=False):
            commands = tuple(self._in_context(state, meaning.commands))
            if state.venue and self._asks_whether(text):
                commands = tuple(_query(command) for command in commands)
            scores[commands] = scores.get(commands, 0.0) + meaning.score
        ranked = sorted(scores.items(), key=lambda pair: -pair[1])
        return [Meaning(commands, min(1.0, score)) for commands, score in ranked]

    def _asks_whether(self, text: str) -> bool:
        """True if a sentence asks something about the venue: is it open on Sunday?"""
        sentence = f"{' '.join(tokenise(text))} "
        return any(sentence.startswith(f"{words} ") for words in self.bot.words["whether"])

    def _in_context(self, state: SearchState, commands: tuple[Command, ...]) -> list[Command]:
        """Commands with what yes, no and `no preference` say of the open question."""
        question = state.question
        acts = {command.act for command in commands}
        informed = {command.slot for command in commands if command.act == "inform"}
        more: list[Command] = []
        commands = tuple(command for command in commands if command.act not in ("refer", "also", "unclear"))
        if question and question.kind == "value":
            if "negate" in acts:
                more.append(Command("deny", question.slot, question.value))
            elif "affirm" in acts and question.slot not in informed:
                more.append(Command("inform", question.slot, question.value))
        if question and question.slot and "dontcare" in acts and question.slot not in informed:
            more.append(Command("inform", question.slot, DONTCARE))
        if state.proposed and acts & {"affirm", "dontcare"} and not informed:
            more += [Command("inform", slot, value) for slot, value in state.proposed.items()]
        kind = next(
            (command.value for command in commands if command.slot == TYPE), state.belief.best(TYPE)[0]
        )
        return list(dict.fromkeys(self._sensible(command, kind) for command in [*commands, *more]))

    @staticmethod
    def _likely(meanings: list[Meaning]) -> list[Command]:
        return shared_commands(meanings, HEARD)

    # --- what was said ------------------------------------------------------------------------------

    def _on_commands(self, turn: Turn, commands: list[Command], meanings: list[Meaning], text: str) -> None:
        state = searching(turn.state)
        question, before = state.question, self._wanted(state)
        acts = [command.act for command in commands]
        if question == Question("restart") and self._answer_question(turn, acts, False) == "done":
            return
        if sum(meaning.score for meaning in meanings if meaning.commands) < HEARD:
            self._on_misunderstanding(turn, text)
            return
        state.misunderstood = 0
        self._take_back_echo(state, commands)
        self._believe(state, meanings)
        self._accept_proposal(state, commands)
        self._note_requests(state, commands)
        named = [command.value for command in commands if command.slot == "name" and command.act == "inform"]
        chatted = not self._has_content(commands) and self._chat(turn, acts)
        self._go_on(turn, commands, named, self._wanted(state) != before, chatted)

    def _go_on(
        self, turn: Turn, commands: list[Command], named: list[str], changed: bool, chatted: bool
    ) -> None:
        state = searching(turn.state)
        acts = [command.act for command in commands]
        proposed, state.proposed = state.proposed, {}
        if changed:
            state.seen, state.declined = [], []
        if named:
            self._offer(turn, named[0])
        elif proposed and not changed and (self._is_other(commands) or "negate" in acts):
            state.declined.append(tuple(proposed))
            self._propose(turn)
        elif state.question == Question("change") and not changed and "negate" in acts:
            self._on_restart(turn)
        elif state.venue and {"thanks", "negate"} <= set(acts) and not self._has_content(commands):
            self._on_goodbye(turn)
        elif state.venue and (self._is_other(commands) or self._rejects(state, commands)):
            state.seen.append(state.venue)
            self._search(turn, must_offer=True)
        elif state.venue and not changed:
            self._speak_of_venue(turn, commands, chatted)
        else:
            self._search(turn, must_offer=bool(proposed) and "affirm" in acts)

    def _take_back_echo(self, state: SearchState, commands: list[Command]) -> None:
        """No, and nothing else, to a question that repeated values: they are not wanted."""
        denies = any(command.act in ("negate", "doubt") for command in commands)
        state.taken_back = state.echoed if denies and not self._has_content(commands) else []
        for slot in state.taken_back:
            self._forget(state, slot)
        state.echoed = []

    def _believe(self, state: SearchState, meanings: list[Meaning]) -> None:
        """Update the belief, and with it what is wanted."""
        question = state.question
        state.belief.update(meanings, self.sizes)
        if self.confirmation == "explicit" and question and question.kind == "value":
            self._settle(state, question, meanings)
        for slot in state.belief.slots:
            value, probability = state.belief.best(slot)
            if slot != "name" and probability >= self._needed(state, slot, value):
                state.frame.pop(slot, None)
                state.frame[slot] = value
        for slot, value in list(state.frame.items()):
            if value in state.belief.refuted(slot):
                del state.frame[slot]
        state.denied = {
            slot: values for slot in state.belief.denied if (values := state.belief.refuted(slot))
        }

    def _sensible(self, command: Command, kind: str | None) -> Command:
        """Command; with the hour of the morning where nothing of the kind is open in the evening."""
        if command.slot != "time" or command.value in (None, DONTCARE) or command.value < "12":
            return command
        wanted = {TYPE: kind} if kind else {}
        morning = f"{int(command.value[:2]) - 12:02}{command.value[2:]}"
        evening_matches = self.venues.matching({**wanted, "time": command.value}, {})
        if evening_matches or not self.venues.matching({**wanted, "time": morning}, {}):
            return command
        return Command(command.act, "time", morning)

    @staticmethod
    def _accept_proposal(state: SearchState, commands: list[Command]) -> None:
        """Want what was proposed, where the user says yes to it."""
        accepts = any(command.act in ("affirm", "dontcare") for command in commands)
        informed = {(command.slot, command.value) for command in commands if command.act == "inform"}
        if accepts and informed <= set(state.proposed.items()):
            state.frame.update(state.proposed)
            state.denied = {
                slot: values for slot, values in state.denied.items() if slot not in state.proposed
            }

    def _needed(self, state: SearchState, slot: str, value: Any) -> float:
        """Probability from which a value is wanted; never, where it has to be confirmed first."""
        if self.confirmation == "explicit" and value != DONTCARE and state.frame.get(slot) != value:
            return 2.0
        is_change = state.frame.get(slot) not in (None, value)
        return self.settings["change_above"] if is_change else self.settings["accept_above"]

    def _settle(self, state: SearchState, question: Question, meanings: list[Meaning]) -> None:
        """The value in question is wanted where it is said again, or nothing is said against it."""
        commands = self._likely(meanings)
        others = [
            c for c in commands if c.slot == question.slot and c.value != question.value and c.act == "inform"
        ]
        against = others or any(command.act in ("negate", "deny") for command in commands)
        if self._has_content(commands) and not against:
            state.frame[question.slot] = question.value
        elif against and not others:
            self._forget(state, question.slot)

    def _on_cancel(self, turn: Turn, slot: str = "") -> None:
        self._on_restart(turn)

    @staticmethod
    def _forget(state: State, slot: str) -> None:
        state = searching(state)
        state.question, state.venue = None, ""
        state.frame.pop(slot, None)
        state.belief.forget(slot)
        state.asked_slots[slot] = 0

    def _note_requests(self, state: SearchState, commands: list[Command]) -> None:
        tasks = [self.bot.tasks[command.value] for command in commands if command.act == "start"]
        asked = [task.argument for task in tasks if task.act == "request"]
        state.requests = list(dict.fromkeys([*state.requests, *asked]))

    @staticmethod
    def _is_other(commands: list[Command]) -> bool:
        return Command("start", "", OTHER) in commands

    def _rejects(self, state: SearchState, commands: list[Command]) -> bool:
        """Tell whether no, and nothing else, answers an offer."""
        negates = any(command.act in ("negate", "doubt") for command in commands)
        return negates and not self._has_content(commands) and state.question == Question("offer")

    def _wanted(self, state: SearchState) -> tuple[dict[str, Any], dict[str, set[Any]]]:
        return self.venues.usable(state.frame), state.denied

    # --- next step ----------------------------------------------------------------------------------

    def _advance(self, turn: Turn) -> None:
        state = searching(turn.state)
        if state.venue:
            self.questions.ask(turn, Question("offer"))
        elif state.question and state.question.kind in ("proposal", "change"):
            self._propose(turn)
        else:
            self._search(turn)

    def _ask_again(self, turn: Turn, hint: bool = False) -> None:
        self._advance(turn)

    def _speak_of_venue(self, turn: Turn, commands: list[Command], chatted: bool) -> None:
        """Answer about the offer; say it again where what is wanted was repeated."""
        state = searching(turn.state)
        doubt = self._doubt(state)
        queries = {command.slot: command.value for command in commands if command.act == "query"}
        if queries:
            self._answer_whether(turn, queries)
        elif state.requests:
            self._answer(turn)
        elif doubt:
            self._confirm(turn, *doubt)
        elif any(command.act == "inform" for command in commands):
            self._offer(turn, state.venue)
        elif state.question == Question("more") and any(c.act == "negate" for c in commands):
            self._on_goodbye(turn)
        else:
            self.questions.ask(turn, Question("offer" if not chatted else "more"))

    def _search(self, turn: Turn, must_offer: bool = False) -> None:
        state = searching(turn.state)
        wanted, refused = self._wanted(state)
        doubt = None if must_offer else self._doubt(state)
        if doubt:
            self._confirm(turn, *doubt)
            return
        matches = self.venues.matching(wanted, refused, state.seen)
        missing = None if must_offer else self._missing_slot(state, wanted, len(matches))
        if not matches:
            self._say_nothing_matches(turn)
        elif missing:
            self._ask_slot(turn, missing)
        else:
            self._offer(turn, state.venue if state.venue in matches and not must_offer else matches[0])

    def _doubt(self, state: SearchState) -> tuple[str, Any] | None:
        """Value that is neither sure nor unlikely: the likeliest, or the first where all are confirmed."""
        doubts = []
        for slot in self.venues.slots_of(state.frame.get(TYPE)):
            value, probability = state.belief.best(slot)
            is_new = value is not None and state.frame.get(slot) != value
            unsure = self.settings["confirm_above"] <= probability < self._needed(state, slot, value)
            if is_new and unsure and state.confirmed[slot, value] < MOST_CONFIRMED:
                doubts.append((probability, slot, value))
        if not doubts:
            return None
        return (doubts[0] if self.confirmation == "explicit" else max(doubts, key=lambda doubt: doubt[0]))[1:]

    def _confirm(self, turn: Turn, slot: str, value: Any) -> None:
        state = searching(turn.state)
        state.confirmed[slot, value] += 1
        state.question = Question("value", slot, value)
        name = self.bot.slots[slot].any if value == DONTCARE else self.wording.show(slot, value)
        turn.say(self._prompt(turn, "confirm_value", phrase=name), Act("confirm", slot, value))

    def _missing_slot(self, state: SearchState, wanted: dict[str, Any], count: int) -> str | None:
        """Next slot that is worth a question."""
        always, never = self.settings["always_ask"], self.settings["never_ask"]
        kind = self.venues.kind(wanted)
        few = count <= self.settings["few"]
        slots = [*state.taken_back, *self.venues.slots_of(kind)]
        order = [slot for slot in slots if slot not in never and (slot in always or not few)]
        answered = {
            *wanted,
            *(slot for slot in state.denied if self._says_enough(slot)),
            *([TYPE] if kind else []),
        }
        most = self.settings["most_asked"]
        return next((slot for slot in order if slot not in answered and state.asked_slots[slot] < most), None)

    def _says_enough(self, slot: str) -> bool:
        return len(self.bot.slots[slot].values) <= MOST_VALUES and slot != TYPE

    def _ask_slot(self, turn: Turn, slot: str) -> None:
        state = searching(turn.state)
        state.venue = ""
        echo = self._echo(turn)
        if echo:
            acts = [Act("inform", name, value) for name, value in echo.items()]
            turn.say(self._prompt(turn, "implicit", phrases=self.wording.phrases(echo)), *acts)
        if self.settings["guided"] and self.bot.slots[slot].values and slot != TYPE:
            options = self.wording.options(slot, limit=15)
            turn.say(self._prompt(turn, "options", options=options), Act("help", slot))
        state.asked_slots[slot] += 1
        state.question = Question("slot", slot)
        text = self.bot.slots[slot].ask.format(options=self.wording.options(slot))
        turn.say(text, Act("request", slot))

    def _echo(self, turn: Turn) -> dict[str, Any]:
        """Values to repeat with a question: the new ones (implicit confirmation), or all (manner `echo`)."""
        state = searching(turn.state)
        wanted = known(self.venues.usable(state.frame))
        if self.confirmation == "implicit":
            searched = state.memory.get("echoed", {})
            new = {slot: value for slot, value in wanted.items() if searched.get(slot) != value}
            state.memory["echoed"], state.echoed = wanted, list(new)
            return new
        return wanted if self._manner(state, "ask") == "echo" else {}

    # --- offers -------------------------------------------------------------------------------------

    def _offer(self, turn: Turn, name: str) -> None:
        """Offer a venue with what was wanted, so that a misunderstanding shows, and answer what was asked."""
        state = searching(turn.state)
        state.venue, state.question = name, Question("offer")
        manner = self._manner(state, "offer")
        described = self._described(state, name, manner)
        phrases = self.wording.phrases(described) if described else self.bot.prompts["place"]
        acts = [Act("inform", slot, value) for slot, value in described.items()]
        turn.say(self._prompt(turn, "offer", name=name, phrases=phrases), Act("offer", "name", name), *acts)
        told = self._extra_slots(name, 2) if manner == "rich" else []
        self._tell_slots(turn, list(dict.fromkeys([*state.requests, *told])))
        state.requests = []

    def _described(self, state: SearchState, name: str, manner: str) -> dict[str, Any]:
        row, wanted = self.venues.rows[name], self.venues.usable(state.frame)
        slots = [TYPE] if manner == "brief" else list(dict.fromkeys([TYPE, *wanted, *state.denied]))
        timely = known({slot: wanted[slot] for slot in TIMED if slot in wanted}) if manner != "brief" else {}
        values = {slot: row[slot] for slot in slots if slot in row and slot not in TIMED}
        if not timely:
            return values
        return values | (timely if meets(row, timely) else {})

    def _extra_slots(self, name: str, most: int) -> list[str]:
        """Slots that are asked for most, of those that say nothing about the search."""
        asked = [task.argument for task in self.bot.tasks.values() if task.act == "request"]
        order = sorted(asked, key=lambda slot: slot not in ("phone", "address"))
        return [slot for slot in order if slot not in self.bot.slots and slot in self.venues.rows[name]][
            :most
        ]

    def _answer(self, turn: Turn) -> None:
        state = searching(turn.state)
        slots, state.requests = state.requests, []
        if self._manner(state, "answer") == "rich":
            slots = list(dict.fromkeys([*slots, *self._extra_slots(state.venue, len(self.bot.tasks))]))
        turn.say("", Act("inform", "name", state.venue))
        self._tell_slots(turn, slots)
        self.questions.ask(turn, Question("more"))

    def _answer_whether(self, turn: Turn, queries: dict[str, Any]) -> None:
        """Say whether the venue has the values that it is asked for, and which it has."""
        state = searching(turn.state)
        row = self.venues.rows[state.venue]
        answer = "yes" if meets(row, queries) else "no"
        turn.say(self._prompt(turn, answer), Act("ack", "", answer), Act("inform", "name", state.venue))
        slots = list(dict.fromkeys(HOURS if slot in TIMED else slot for slot in queries))
        askable = {task.argument for task in self.bot.tasks.values() if task.act == "request"}
        self._tell_slots(turn, [slot for slot in slots if slot in askable])
        others = {slot: row[slot] for slot in slots if slot in row and slot not in askable}
        if others:
            text = self._prompt(turn, "offer", name=state.venue, phrases=self.wording.phrases(others))
            turn.say(text, *(Act("inform", slot, value) for slot, value in others.items()))
        self.questions.ask(turn, Question("more"))

    def _tell_slots(self, turn: Turn, slots: list[str]) -> None:
        venue = searching(turn.state).venue
        row = self.venues.rows[venue]
        tasks = {task.argument: task for task in self.bot.tasks.values() if task.act == "request"}
        for slot in slots:
            label = tasks[slot].label
            if slot not in row:
                turn.say(self._prompt(turn, "unknown_detail", name=venue, label=label), Act("null", slot))
                continue
            value = self._shown(slot, row[slot])
            capital = label[:1].upper() + label[1:]
            template = tasks[slot].outcomes["detail"]
            text = self.wording.fill(template, 0, name=venue, label=label, Label=capital, value=value)
            turn.say(text, Act("inform", slot, row[slot]))

    def _shown(self, slot: str, value: str) -> str:
        """Value of the table as text; days of opening hours in the bot's language."""
        if slot != HOURS:
            return self.wording.show(slot, value)
        days = self.bot.slots["day"].values if "day" in self.bot.slots else {}
        for day, names in days.items():
            value = value.replace(day, names[0])
        return value

    # --- nothing to offer ---------------------------------------------------------------------------

    def _say_nothing_matches(self, turn: Turn) -> None:
        """Say that nothing matches, or nothing but what was turned down, and what there is instead."""
        state = searching(turn.state)
        wanted = known(self.venues.usable(state.frame))
        acts = [Act("canthelp", slot, value) for slot, value in wanted.items()]
        acts += [Act("canthelp", "name", name, "!=") for name in state.seen]
        state.venue = state.seen[-1] if state.seen else ""
        kind = self.wording.show(TYPE, wanted[TYPE]) if TYPE in wanted else self.bot.prompts["such_place"]
        others = self.wording.phrases({slot: value for slot, value in wanted.items() if slot != TYPE})
        what = f"{kind} {others}".strip()
        turn.say(
            self._prompt(turn, "no_other" if state.seen else "no_match", what=what),
            *(acts or [Act("canthelp")]),
        )
        self._propose(turn)

    def _propose(self, turn: Turn) -> None:
        """Propose what could be wanted instead, else ask what to change."""
        state = searching(turn.state)
        wanted, refused = self._wanted(state)
        kind = self.venues.kind(wanted)
        ways = self.venues.alternatives(wanted | ({TYPE: kind} if kind else {}), refused, state.seen)
        values = next((way for way in ways if tuple(way) not in state.declined), None)
        state.question = Question("proposal" if values else "change")
        if values is None:
            turn.say(self._prompt(turn, "what_to_change"), Act("ack", "", "change"))
            return
        slot, *others = values
        options = [DONTCARE] if others else values[slot][:MOST_VALUES] or [DONTCARE]
        state.proposed = dict.fromkeys(values, DONTCARE) if others else {slot: options[0]}
        phrases = self.wording.enumerate([self.wording.phrase(slot, value) for value in options], "or")
        labels = self.wording.enumerate([self.bot.slots[name].label for name in values])
        prompt = "give_up" if others or DONTCARE in options else "propose_kind" if slot == TYPE else "propose"
        acts = [Act("select", name, value) for name in values for value in options]
        turn.say(self._prompt(turn, prompt, phrases=phrases, labels=labels), *acts)

    # --- manner -------------------------------------------------------------------------------------

    def _manner(self, state: SearchState, kind: str) -> str:
        """Manner of saying something, chosen by how well the user is heard."""
        wanted = self.venues.usable(state.frame)
        sure = all(state.belief.slots.get(slot, {}).get(value, 0.0) >= SURE for slot, value in wanted.items())
        return state.heard.choose(self.chooser, kind, sure)


def _query(command: Command) -> Command:
    return Command("query", command.slot, command.value) if command.act == "inform" else command
