"""Understanding of a sentence: values by the ontology, intents by an exchangeable matcher, as commands."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any

from vivavoce_bots.engine.bot_file import BotFile
from vivavoce_bots.engine.commands import DONTCARE, Command, Item
from vivavoce_bots.engine.frames import Part, split_frames
from vivavoce_bots.engine.matchers import LexicalMatcher, Mask, Matcher, intent_examples
from vivavoce_bots.engine.names import NameFinder
from vivavoce_bots.engine.numbers import number_words
from vivavoce_bots.engine.text import BREAKS, Speller, capitalised, tokenise, without_enclitic
from vivavoce_bots.engine.values import Mention, Phrase, ValueSpotter

STRICT_MARGIN = 0.1
ORDINALS = {"first": 0, "second": 1, "third": 2, "last": -1}
MAX_CLAUSES = 6
SAME = 0.95  # similarity to an example that counts even where a clause has values and no words of content
ROUNDING = 1e-6  # of similarities
MAX_NAMING = 6  # words of a sentence that names an unknown value


@dataclass(frozen=True)
class Context:
    """Dialogue context that helps to understand: slot of the open question, slots of the open task.

    `counting` says that a quantity is asked for, so that articles are numbers; `settling` that the question
    is answered with yes or no, `naming` that unknown words may be names, `choosing` that it offers a choice.
    `answered` is the slot that was answered last; `learnt` are names that were learnt in this conversation.
    """

    expected: str = ""
    active: list[str] = field(default_factory=list)
    counting: bool = False
    settling: bool = False
    naming: bool = False
    choosing: bool = False
    answered: str = ""
    learnt: tuple[Phrase, ...] = ()


class Understanding:
    """Turns a sentence into commands."""

    def __init__(
        self,
        bot: BotFile,
        make_matcher: Callable[[BotFile, Mask], Matcher] = LexicalMatcher,
        today: date | None = None,
    ) -> None:
        self.bot = bot
        self.spotter = ValueSpotter(bot, today or datetime.now().astimezone().date())
        self.matcher = make_matcher(bot, self._mask_values)
        examples = [word for _, example in intent_examples(bot) for word in tokenise(example)]
        self.fillers = {*bot.words["fillers"], *bot.words["polite"]}
        self.stock = sorted(
            (
                (intent, tuple(tokenise(example)))
                for intent, example in intent_examples(bot)
                if intent in bot.settings["stock_intents"]
                and not self.spotter.find(tokenise(example), "", [])
            ),
            key=lambda pair: -len(pair[1]),
        )
        self.keywords = {
            word for task in bot.tasks.values() for key in task.keywords for word in tokenise(key)
        }
        self.verbs = self.keywords | set(examples)
        self.speller = Speller(
            self.spotter.vocabulary() | self.verbs | self.fillers | number_words(bot.words)
        )
        feelings = {word for feeling in bot.feelings.values() for word in feeling["words"]}
        self.spotter.known_words = self.speller.vocabulary | feelings
        self.names = NameFinder(
            bot,
            {*self.fillers, *(word for _, phrase in self.stock for word in phrase)},
            self.speller.vocabulary,
        )
        keywords = [
            (" ".join(tokenise(key)), task.name) for task in bot.tasks.values() for key in task.keywords
        ]
        self.keyed = sorted(keywords, key=lambda pair: -len(pair[0]))
        self.talk = {tuple(tokenise(text)) for entry in bot.chat.values() for text in entry["examples"]}
        self.strict = set(bot.settings["strict_intents"])

    def commands(self, text: str, context: Context) -> tuple[Command, ...]:
        tokens, mentions, references, intents = self._read(text, context)
        commands = [self._command_of(mention) for mention in mentions]
        slots_named = {mention.slot for mention in mentions}
        implied = [self._intent_command(intent, tokens) for intent in intents]
        commands += [command for command in implied if self._adds(command, slots_named)]
        tasks = [self.bot.tasks.get(intent) for intent in intents]
        if context.naming and all(task and context.expected in task.slots for task in tasks):
            commands += self._unknown_names(tokens, mentions, context.expected)
        if context.choosing:
            commands += [Command("choose", "", place) for place in self._ordinals(tokens)]
        if references or (not mentions and self._is_elliptic(tokens)):
            commands.append(Command("refer"))
        adds = "?" not in tokens and any(self.bot.slots[mention.slot].ask_quantity for mention in mentions)
        if mentions and not adds and set(tokens) & set(self.bot.words["also"]):
            commands.append(Command("also"))
        if mentions and not intents and self._is_unclear(tokens, mentions):
            commands.append(Command("unclear"))
        return tuple(dict.fromkeys(commands))

    def _adds(self, command: Command, named: set[str]) -> bool:
        """Tell whether a value that a sentence means counts beside those that it names."""
        return command.slot not in named or command.value in self.bot.slots[command.slot].urgent

    def frames(self, text: str, context: Context) -> list[tuple[Command, ...]]:
        """Commands of each frame of a sentence, where it asks for several; else nothing."""
        tokens, mentions, references, _ = self._read(text, context)
        parts = [self._part(tokens, mentions, clause) for clause in self._clauses(tokens)]
        for part, clause in zip(parts, self._clauses(tokens), strict=True):
            is_elliptic = not part.values and self._is_elliptic([tokens[position] for position in clause])
            part.values += [Command("refer")] if is_elliptic or references & set(clause) else []
        frames = split_frames(self.bot, parts)
        return frames if len(frames) > 1 else []

    def _read(self, text: str, context: Context) -> tuple[list[str], list[Mention], set[int], list[str]]:
        """Tokens, mentions, places of words that refer to what was spoken of before, and intents."""
        words, endings = self._set_apart(tokenise(text), context), self.bot.words["enclitics"]
        bases = [without_enclitic(word, self.bot.words["datives"], self.verbs) for word in words]
        verbs = [without_enclitic(word, endings, self.verbs) for word in bases]
        tokens = [self.speller.correct(word) for word in verbs]
        mentions = self.spotter.find(
            tokens, context.expected, context.active, context.counting, context.learnt
        )
        mentions = self._without_corrected(self._without_talk(mentions, tokens), tokens)
        starts = {mention.start for mention in mentions}
        references = {
            position
            for position, word in enumerate(tokens)
            if (word != bases[position] and word == verbs[position])
            or (word in self.bot.words["pronouns"] and position + 1 not in starts)
            or (word in endings and set(tokens[position + 1 : position + 2]) & self.keywords)
        }
        intents = self._all_intents(tokens, mentions)
        names = self._names(text, tokens, mentions, intents, context)
        if names:
            covered = {place for name in names for place in range(name.start, name.end)}
            mentions = [mention for mention in mentions if mention.start not in covered] + names
            intents = self._all_intents(tokens, mentions)
        return tokens, mentions, references, intents

    def _all_intents(self, tokens: list[str], mentions: list[Mention]) -> list[str]:
        intents = self._intents(tokens, mentions)
        words = mask(tokens, mentions, range(len(tokens)))
        intents += self._keyword_tasks(words, intents)
        shadowed = self._keyed_tasks(words, longest=False) - self._keyed_tasks(words)
        return [
            intent
            for intent in intents
            if intent not in shadowed and not self._names_slot(intent, intents, mentions)
        ]

    def _ordinals(self, tokens: list[str]) -> list[int]:
        """Places in a choice that are named by an ordinal: the second; -1 is the last."""
        ordinals: Any = self.bot.words["ordinals"]
        return [place for name, place in ORDINALS.items() if set(tokens) & set(ordinals[name])]

    def _without_corrected(self, mentions: list[Mention], tokens: list[str]) -> list[Mention]:
        """Mentions without the items of a list that the next one replaces: butter, no, oil."""
        valid: list[Mention] = []
        for mention in mentions:
            earlier = valid[-1] if valid else mention
            between = set(tokens[earlier.end : mention.start])
            both_items = isinstance(earlier.value, Item) and isinstance(mention.value, Item)
            if both_items and not mention.denied and between & set(self.bot.words["corrections"]):
                valid.pop()
                if mention.value.quantity is None:
                    quantity, unit = earlier.value.quantity, earlier.value.unit
                    mention = replace(mention, value=replace(mention.value, quantity=quantity, unit=unit))
            valid.append(mention)
        return valid

    def _is_unclear(self, tokens: list[str], mentions: list[Mention]) -> bool:
        """True if values may belong to what the bot cannot do: in a question, or behind an unknown verb.

        Such a word is the first one of content, or stands before the article of a value: chop the onion.
        """
        small = {*self.fillers, *BREAKS, *self.bot.words["conjunctions"], *self.bot.words["corrections"]}
        first = next((token for token in tokens if token not in small), "")
        before = [tokens[: mention.start][::-1] for mention in mentions]
        heads = [words[1] for words in before if len(words) > 1 and words[0] in self.fillers]
        unknown = [
            word for word in (first, *heads) if word.isalpha() and word not in self.spotter.known_words
        ]
        return "?" in tokens or any(len(word) > 2 and word not in small for word in unknown)

    def _is_elliptic(self, tokens: list[str]) -> bool:
        """Tell whether a sentence names nothing, so that it is about what was spoken of before: louder."""
        content = {word for word in tokens if word not in self.fillers and word not in BREAKS}
        return content <= self.verbs and not self.bot.has_antecedents

    def _unknown_names(self, tokens: list[str], mentions: list[Mention], slot: str) -> list[Command]:
        """Names in short sentences: clauses without a value that have one or two adjacent unknown words."""
        if len([token for token in tokens if token not in BREAKS]) > MAX_NAMING:
            return []
        covered = {position for mention in mentions for position in range(mention.start, mention.end)}
        names = []
        for clause in self._clauses(tokens):
            unknown = [position for position in clause if self.spotter.is_unknown(tokens[position])]
            if unknown and unknown[-1] - unknown[0] < 2 and not covered & set(clause):
                wording = " ".join(tokens[position] for position in unknown)
                names.append(Command("unknown", slot, Item("", wording=wording)))
        return names

    def _part(self, tokens: list[str], mentions: list[Mention], clause: range) -> Part:
        """Task and values of one clause."""
        words = [tokens[position] for position in clause]
        intent = self._best_intent(tokens, mentions, clause)[0]
        keyword_tasks = self._keyword_tasks(mask(tokens, mentions, clause), [])
        tasks = [intent] if intent in self.bot.tasks else keyword_tasks
        values = [self._command_of(mention) for mention in mentions if mention.start in clause]
        corrects = intent == "negate" or bool(set(words) & set(self.bot.words["corrections"]))
        return Part(tasks[0] if tasks else "", values, corrects)

    def _without_talk(self, mentions: list[Mention], tokens: list[str]) -> list[Mention]:
        """Mentions without bare numbers in small talk: chi sei, where sei is six and are."""
        talk = {
            place for clause in self._clauses(tokens) for place in clause if self._is_talk(tokens, clause)
        }
        return [
            mention
            for mention in mentions
            if mention.start not in talk or not isinstance(mention.value, float) or mention.unit
        ]

    def _is_talk(self, tokens: list[str], clause: range) -> bool:
        return tuple(tokens[place] for place in clause) in self.talk

    def _set_apart(self, tokens: list[str], context: Context) -> list[str]:
        """Words with commas behind stock phrases at the beginning, and before those at the end: yes, bye."""
        phrases = [phrase for intent, phrase in self.stock if intent != "negate" or context.settling]
        before: list[str] = []
        behind: list[str] = []
        middle = tuple(tokens)
        while opening := next((phrase for phrase in phrases if middle[: len(phrase)] == phrase), ()):
            before, middle = [*before, *opening, ","], middle[len(opening) :]
        while closing := next((phrase for phrase in phrases if middle[-len(phrase) :] == phrase), ()):
            behind, middle = [",", *closing, *behind], middle[: -len(closing)]
        return [*before, *middle, *behind]

    def _names(
        self, text: str, tokens: list[str], mentions: list[Mention], intents: list[str], context: Context
    ) -> list[Mention]:
        """Names that the bot does not know, of the open task or of tasks that are started."""
        tasks = [self.bot.tasks[intent] for intent in intents if intent in self.bot.tasks]
        open_slots = {*context.active, *(slot for task in tasks for slot in (*task.slots, *task.uses))}
        corrects = bool(tokens) and tokens[0] in self.bot.words["corrections"]
        asked_slots = {context.expected, context.answered if corrects else ""}
        common = {intent for intent in intents if intent not in self.bot.tasks}
        capitals = set() if common - {"negate"} else capitalised(text)
        is_about_bot = common - set(self.bot.settings["stock_intents"])
        return self.names.find(tokens, mentions, open_slots, set() if is_about_bot else asked_slots, capitals)

    def _keyword_tasks(self, words: list[str], intents: list[str]) -> list[str]:
        has_task = any(intent in self.bot.tasks for intent in intents)
        keyed = self._keyed_tasks(words)
        return [
            task.name
            for task in self.bot.tasks.values()
            if task.name in keyed and task.name not in intents and not (task.slots and has_task)
        ]

    def _keyed_tasks(self, tokens: list[str], longest: bool = True) -> set[str]:
        """Tasks whose keywords are in a sentence; only the longest count: price range, not price."""
        sentence, keyed = f" {' '.join(tokens)} ", set()
        for keyword, task in self.keyed:
            if f" {keyword} " in sentence:
                sentence = sentence.replace(f" {keyword} ", " | ") if longest else sentence
                keyed.add(task)
        return keyed

    def _names_slot(self, intent: str, intents: list[str], mentions: list[Mention]) -> bool:
        """Tell whether a question only names the slot of a value beside it: the cheap price range."""
        act, _, slot = intent.partition(" ")
        if act == "dontcare" and slot:
            return any(mention.slot == slot for mention in mentions)
        slot = self.bot.tasks[intent].argument if intent in self.bot.tasks else ""
        indifferent = any(other.startswith("dontcare") for other in intents)
        return slot in self.bot.slots and (indifferent or any(mention.slot == slot for mention in mentions))

    def _command_of(self, mention: Mention) -> Command:
        value = mention.value
        if self.bot.slots[mention.slot].type == "list" and isinstance(value, float):
            value = Item("", value, mention.unit)
        is_unknown = isinstance(value, Item) and not value.value and value.wording and not mention.denied
        act = "unknown" if is_unknown else "deny" if mention.denied else "inform"
        return Command(act, mention.slot, value)

    def _intent_command(self, intent: str, tokens: list[str]) -> Command:
        if intent == "dontcare":
            slots_named = [slot.name for slot in self.bot.slots.values() if set(slot.nouns) & set(tokens)]
            return Command("inform", slots_named[0], DONTCARE) if slots_named else Command("dontcare")
        if intent in self.bot.tasks:
            return Command("start", "", intent)
        act, _, slot = intent.partition(" ")
        slot, _, value = slot.partition("=")
        if act == "dontcare":
            return Command("inform", slot, DONTCARE)
        return Command(act, slot, value or None)

    def _intents(self, tokens: list[str], mentions: list[Mention]) -> list[str]:
        """Intents of the clauses, or the intent of the sentence where it is clearer."""
        sentence = self._best_intent(tokens, mentions, range(len(tokens)))
        clauses = [self._best_intent(tokens, mentions, clause) for clause in self._clauses(tokens)]
        last = clauses[-1:]
        matched = [match for match in clauses if match[0] and (match[0] not in self.strict or match in last)]
        if sentence[0] and sentence[1] >= max((score for _, score in matched), default=0.0) - ROUNDING:
            return [sentence[0]]
        return list(dict.fromkeys(intent for intent, _ in matched))

    def _clauses(self, tokens: list[str]) -> list[range]:
        """Ranges of tokens between punctuation marks and conjunctions."""
        clauses, start = [], 0
        for position, token in enumerate([*tokens, "."]):
            if token in BREAKS or token in self.bot.words["conjunctions"]:
                clauses.append(range(start, position))
                start = position + 1
        return [clause for clause in clauses if clause][:MAX_CLAUSES]

    def _best_intent(self, tokens: list[str], mentions: list[Mention], clause: range) -> tuple[str, float]:
        words = [tokens[position] for position in clause if tokens[position] not in BREAKS]
        masked = mask(tokens, mentions, clause)
        has_values = any(word.startswith("<") for word in masked)
        content = [word for word in masked if word not in self.fillers and not word.startswith("<")]
        if not words or set(masked) <= {word for word in masked if word.startswith("<")}:
            return "", 0.0
        intent, score = self.matcher.rank(words, masked)[0]
        if has_values and not content and score < SAME:
            return "", 0.0
        threshold = self.matcher.threshold + (STRICT_MARGIN if intent in self.strict else 0.0)
        return (intent, score) if score >= threshold else ("", 0.0)

    def _mask_values(self, tokens: list[str]) -> list[str]:
        return mask(tokens, self.spotter.find(tokens, "", []), range(len(tokens)))


def mask(tokens: list[str], mentions: list[Mention], clause: range) -> list[str]:
    """Words of a clause with `<slot>` in place of values, without punctuation."""
    slots = {mention.start: f"<{mention.slot}>" for mention in mentions}
    covered = {position for mention in mentions for position in range(mention.start, mention.end)}
    masked = [slots.get(position, "" if position in covered else tokens[position]) for position in clause]
    return [word for word in masked if word and word not in BREAKS]
