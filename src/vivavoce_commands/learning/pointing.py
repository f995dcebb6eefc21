"""System (d): a decoder that points into command and context, held to the form of predicates.

The words of the command, and the predicates of the commands before it, are read by one recurrent encoder
that also sees letters. Every output token is either an action, a sign or a common word, or is pointed at.
Things are renamed at random while it learns, so that it copies what it has never seen; while it writes,
only tokens that keep the form of a known action are open to it. It begins from the command's own words,
from which it also learns to tell the actions that are meant, and it learns from neighbouring commands said
as one, so that several actions in one command are nothing rare. It knows the notation and the training data,
no grammar and no lexicon.
"""

# PyTorch is an optional extra.
# pyright: reportMissingImports=false

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import Any, Final, NamedTuple

import torch
from torch import Tensor, nn

from vivavoce.core.errors import InputError
from vivavoce_commands.learning.encoders import Encoder, Vector, load_encoder
from vivavoce_commands.learning.examples import SIGNS, Recipe, to_tokens
from vivavoce_commands.learning.form import END as STOP
from vivavoce_commands.learning.form import MOST_PREDICATES, PredicateForm
from vivavoce_commands.learning.learner import Learner, Written, told
from vivavoce_commands.learning.system import Answer
from vivavoce_commands.learning.training import device, padded
from vivavoce_commands.learning.vocabulary import END, PAD, Vocabulary, letters
from vivavoce_commands.notation import Predicate

REMEMBERED: Final = 3
LONGEST: Final = 60
RENAMED: Final = 0.5
JOINED: Final = 0.4
MEANT: Final = 0.3
SIZES: Final = {"words": 64, "letters": 32, "hidden": 128}


class TokenSequence(NamedTuple):
    """A command as the network sees it: source words, whether each is context, and the tokens to write.

    heard    the source words before things are renamed: what an encoder of the user's is asked about
    actions  those that are meant
    """

    source: list[str]
    context: list[int]
    target: list[str]
    heard: list[str]
    actions: frozenset[str]


class PointingNetwork(nn.Module):
    """Encoder, attention, the gate between writing and pointing, and which actions are meant."""

    def __init__(self, words: int, alphabet: int, outputs: int, actions: int, encoded: int = 0) -> None:
        super().__init__()
        size, hidden = SIZES["words"], SIZES["hidden"]
        self.words = nn.Embedding(words, size, padding_idx=PAD)
        self.letters = nn.Embedding(alphabet, 16, padding_idx=PAD)
        self.spelling = nn.Conv1d(16, SIZES["letters"], 3, padding=1)
        self.context = nn.Embedding(2, 8)
        inner = size + SIZES["letters"]
        self.drop = nn.Dropout(0.3)
        self.encoded = nn.Linear(encoded, size) if encoded else None
        read = inner + 8 + (size if encoded else 0)
        self.encoder = nn.LSTM(read, hidden, batch_first=True, bidirectional=True)
        self.decoder = nn.LSTM(inner, hidden, batch_first=True)
        self.begin = nn.Linear(2 * hidden, hidden)
        self.keys = nn.Linear(2 * hidden, hidden, bias=False)
        self.mix = nn.Linear(3 * hidden, hidden)
        self.write = nn.Linear(hidden, outputs)
        self.gate = nn.Linear(hidden + inner, 1)
        self.actions = nn.Linear(2 * hidden, actions)

    def embed(self, words: Tensor, spelled: Tensor) -> Tensor:
        """(batch, length) and (batch, length, letters) to (batch, length, size)."""
        rows, length, width = spelled.shape
        shapes = self.letters(spelled.view(rows * length, width)).transpose(1, 2)
        spelling = torch.relu(self.spelling(shapes)).amax(2).view(rows, length, -1)
        return torch.cat([self.words(words), spelling], 2)

    def encode(
        self, words: Tensor, spelled: Tensor, context: Tensor, vectors: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """States (batch, length, 2 hidden), and where there is no padding.

        known  what an encoder of the user's says of each word (batch, length, its dimension)
        """
        parts = [self.embed(words, spelled), self.context(context)]
        if self.encoded is not None and vectors is not None:
            parts.append(torch.tanh(self.encoded(vectors)))
        inputs = self.drop(torch.cat(parts, 2))
        states, _ = self.encoder(inputs)
        return self.drop(states), words != PAD

    def own(self, states: Tensor, context: Tensor, present: Tensor) -> Tensor:
        """State of the command's words without its context (batch, 2 hidden)."""
        return states.masked_fill(((context != 0) | ~present).unsqueeze(2), -1e9).amax(1)

    def start(self, command_state: Tensor) -> tuple[Tensor, Tensor]:
        first = torch.tanh(self.begin(command_state)).unsqueeze(0)
        return first, torch.zeros_like(first)

    def decode(
        self, inputs: Tensor, memory: tuple[Tensor, Tensor], states: Tensor, present: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, tuple[Tensor, Tensor]]:
        """Chances to write (batch, steps, outputs) and to point (batch, steps, length), the gate, memory."""
        hidden, memory = self.decoder(inputs, memory)
        scores = torch.bmm(hidden, self.keys(states).transpose(1, 2)).masked_fill(~present.unsqueeze(1), -1e9)
        attention = torch.softmax(scores, 2)
        seen = torch.tanh(self.mix(torch.cat([hidden, torch.bmm(attention, states)], 2)))
        gate = torch.sigmoid(self.gate(torch.cat([seen, inputs], 2)))
        return torch.softmax(self.write(self.drop(seen)), 2), attention, gate, memory


class Pointing(Learner[TokenSequence, PointingNetwork]):
    """The whole system: vocabularies, network, training and prediction."""

    name = "d"
    encoder: Encoder | None = None

    def read(self, recipes: Sequence[Recipe]) -> list[TokenSequence]:
        return _sequences(recipes)

    def learn_from(self, training: Sequence[Recipe], seed: int) -> list[TokenSequence]:
        items = _sequences(training)
        self.facts = _facts(items, training)
        items += _joined(training, Random(seed))
        if self.encoder is not None:
            self.facts["encoder"] = {"name": self.encoder.name, "dimension": self.encoder.dimension}
        return items

    def build(self) -> None:
        self.words = Vocabulary.of(self.facts["words"])
        self.alphabet = Vocabulary.of(self.facts["letters"])
        self.outputs = Vocabulary.of(self.facts["outputs"])
        self.actions = list(self.facts["actions"])
        encoder_facts = self.facts.get("encoder")
        if encoder_facts is not None and self.encoder is None:
            self.encoder = load_encoder(encoder_facts["name"])
        if (
            encoder_facts is not None
            and self.encoder is not None
            and self.encoder.dimension != encoder_facts["dimension"]
        ):
            problem = (
                f"the encoder's vectors have length {self.encoder.dimension}, expected "
                f"{encoder_facts['dimension']}"
            )
            hint = "use the encoder that the system was trained with"
            raise InputError(problem, place=f"encoder {encoder_facts['name']}", hint=hint)
        self._vectors: dict[tuple[str, ...], list[Vector]] = {}
        sizes = (len(self.words), len(self.alphabet), len(self.outputs), len(self.actions))
        self.network = PointingNetwork(*sizes, encoder_facts["dimension"] if encoder_facts else 0).to(
            device()
        )

    def _known(self, items: list[TokenSequence]) -> Tensor | None:
        """Encoder vectors of each item's words, padded with zeros; computed once per command."""
        if self.encoder is None:
            return None
        keys = [tuple(item.heard) for item in items]
        if missing := [key for key in dict.fromkeys(keys) if key not in self._vectors]:
            self._vectors |= zip(missing, self.encoder.encode(missing), strict=True)
        width, blank = max(map(len, keys)), [0.0] * self.encoder.dimension
        rows = [[*self._vectors[key], *[blank] * (width - len(key))] for key in keys]
        return torch.tensor(rows, device=device())

    def _states(self, items: list[TokenSequence]) -> tuple[Tensor, Tensor, Tensor]:
        """The states of all words, where there are any, and what the command's own say."""
        words, spelled = self._tensors([item.source for item in items])
        context = padded([item.context for item in items])
        states, present = self.net.encode(words, spelled, context, self._known(items))
        return states, present, self.net.own(states, context, present)

    def _tensors(self, rows: list[list[str]]) -> tuple[Tensor, Tensor]:
        blank = letters("", self.alphabet)
        width = max(map(len, rows))
        spelled = [
            [*(letters(word, self.alphabet) for word in row), *[blank] * (width - len(row))] for row in rows
        ]
        return padded([self.words.encode(row) for row in rows]), torch.tensor(spelled, device=device())

    def loss(self, items: list[TokenSequence], chance: Random | None) -> Tensor:
        if chance is not None:
            items = [_renamed(item, chance) for item in items]
        states, present, command_state = self._states(items)
        input_tokens = [["<begin>", *item.target] for item in items]
        inputs = self.net.embed(*self._tensors(input_tokens))
        vocabulary_odds, pointed, gate, _ = self.net.decode(
            self.net.drop(inputs), self.net.start(command_state), states, present
        )
        target_tokens = padded([[*self.outputs.encode(item.target), END] for item in items])
        generated = vocabulary_odds.gather(2, target_tokens.unsqueeze(2)).squeeze(2)
        generated = generated.masked_fill(target_tokens == 1, 0.0)  # an unknown word can only be pointed at
        same = _matches(items, pointed.shape[1], pointed.shape[2])
        pointed_odds = (pointed * same).sum(2)
        total = gate.squeeze(2) * generated + (1 - gate.squeeze(2)) * pointed_odds
        mask = target_tokens != PAD
        written_loss = -(total.clamp(min=1e-9).log() * mask).sum() / mask.sum()
        return written_loss if chance is None else written_loss + MEANT * self._unmeant(items, command_state)

    def _unmeant(self, items: list[TokenSequence], command_state: Tensor) -> Tensor:
        """Loss of predicting the actions from the command's own words."""
        actual = [[float(name in item.actions) for name in self.actions] for item in items]
        odds = self.net.actions(command_state)
        return (
            nn.functional.binary_cross_entropy_with_logits(
                odds, torch.tensor(actual, device=device()), reduction="none"
            )
            .sum(1)
            .mean()
        )

    @torch.no_grad()
    def predict(self, recipes: Sequence[Recipe], *, repeat_below: float = 0.0) -> list[list[Answer]]:
        """The answers to every command of every recipe; earlier answers are context, never the annotation."""
        answers: list[list[Answer]] = [[] for _ in recipes]
        for place in range(max((len(recipe.commands) for recipe in recipes), default=0)):
            rows = [row for row, recipe in enumerate(recipes) if place < len(recipe.commands)]
            items = []
            for row in rows:
                before = [answer.whole for answer in answers[row][-REMEMBERED:]]
                items.append(_sequence(recipes[row].commands[place].words, before, ()))
            for row, output in zip(rows, self._write(items), strict=True):
                answers[row].append(told(output, repeat_below))
        return answers

    def _write(self, items: list[TokenSequence]) -> list[Written]:
        """Greedy writing of many sequences at once, each held to the form."""
        states, present, command_state = self._states(items)
        memory = self.net.start(command_state)
        forms = [PredicateForm(self.facts["actions"]) for _ in items]
        outputs: list[Written] = [([], []) for _ in items]
        last = ["<begin>"] * len(items)
        for _ in range(LONGEST):
            inputs = self.net.embed(*self._tensors([[token] for token in last]))
            chances, pointed, gate, memory = self.net.decode(inputs, memory, states, present)
            for row, item in enumerate(items):
                if last[row] == STOP:
                    continue
                odds = self._odds(item, chances[row, 0], pointed[row, 0], float(gate[row, 0, 0]))
                token, chance = _best(odds, forms[row])
                last[row] = token
                if token != STOP:
                    forms[row].take(token)
                    outputs[row][0].append(token)
                    outputs[row][1].append(chance)
            if all(token == STOP for token in last):
                break
        return outputs

    def _odds(
        self, item: TokenSequence, vocabulary_odds: Tensor, pointed: Tensor, gate: float
    ) -> Counter[str]:
        odds: Counter[str] = Counter()
        values, places = vocabulary_odds.topk(min(len(self.outputs), 60))
        for value, place in zip(values.tolist(), places.tolist(), strict=True):
            odds[self.outputs.words[place]] += gate * value
        for word, value in zip(item.source, pointed.tolist(), strict=False):
            odds[word] += (1 - gate) * value
        return odds


def _best(odds: Counter[str], form: PredicateForm) -> tuple[str, float]:
    """The likeliest token that the form allows, and its share among the allowed ones."""
    allowed = {token: chance for token, chance in odds.items() if token[:1] != "<" and form.allows(token)}
    if form.allows(STOP):
        allowed[STOP] = odds["<end>"]
    if not allowed:
        return STOP, 0.0
    token = max(allowed, key=lambda token: allowed[token])
    return token, allowed[token] / max(sum(allowed.values()), 1e-9)


def _sequences(recipes: Sequence[Recipe]) -> list[TokenSequence]:
    items = []
    for recipe in recipes:
        for place, command in enumerate(recipe.commands):
            items.append(_sequence(command.words, _before(recipe, place), command.predicates))
    return items


def _joined(recipes: Sequence[Recipe], chance: Random) -> list[TokenSequence]:
    """Some neighbouring commands as one, where the form allows so many predicates."""
    items = []
    for recipe in recipes:
        for place, (first, second) in enumerate(pairwise(recipe.commands)):
            predicates = (*first.predicates, *second.predicates)
            if len(predicates) <= MOST_PREDICATES and chance.random() < JOINED:
                before = _before(recipe, place)
                items.append(_sequence([*first.words, *second.words], before, predicates))
    return items


def _before(recipe: Recipe, place: int) -> list[tuple[Predicate, ...]]:
    """The predicates of the commands before one, as many as are remembered."""
    return [command.predicates for command in recipe.commands[max(0, place - REMEMBERED) : place]]


def _sequence(
    words: list[str], before: Sequence[tuple[Predicate, ...]], predicates: tuple[Predicate, ...]
) -> TokenSequence:
    context = [token for command in before for token in [*to_tokens(command), "<gap>"]]
    source = [*context, *_cut(words)]
    return TokenSequence(
        source,
        [1] * len(context) + [0] * (len(source) - len(context)),
        to_tokens(predicates),
        source,
        frozenset(predicate.action for predicate in predicates),
    )


def _cut(words: list[str]) -> list[str]:
    """An elided article or preposition apart from its noun: l'aglio as l' and aglio."""
    return [part for word in words for part in _elided(word)]


def _elided(word: str) -> list[str]:
    before, mark, noun = word.partition("'")
    return [before + mark, noun] if mark and noun else [word]


def _facts(items: list[TokenSequence], recipes: Sequence[Recipe]) -> dict[str, Any]:
    sources = [word for item in items for word in item.source]
    most: dict[str, int] = {}
    for recipe in recipes:
        for command in recipe.commands:
            for predicate in command.predicates:
                most[predicate.action] = max(most.get(predicate.action, 1), len(predicate.arguments))
    targets = [token for item in items for token in item.target]
    return {
        "words": Vocabulary([*sources, *targets], least=2, always=SIGNS).words,
        "letters": Vocabulary(letter for word in sources for letter in word).words,
        "outputs": Vocabulary(targets, least=2, always=SIGNS).words,
        "actions": most,
    }


def _matches(items: list[TokenSequence], steps: int, length: int) -> Tensor:
    """1 where a source word is the token to write (batch, steps, length)."""
    same = torch.zeros(len(items), steps, length)
    for row, item in enumerate(items):
        places: dict[str, list[int]] = {}
        for place, word in enumerate(item.source):
            places.setdefault(word, []).append(place)
        for step, token in enumerate(item.target):
            for place in places.get(token, ()):
                same[row, step, place] = 1
    return same.to(device())


def _renamed(item: TokenSequence, chance: Random) -> TokenSequence:
    """Some words that stand in command or context and in the answer, renamed everywhere by made-up ones."""
    shared = sorted({word for word in item.target if word not in SIGNS and len(word) > 2} & set(item.source))
    names = {word: _made_up(word, chance) for word in shared if chance.random() < RENAMED}
    return item._replace(
        source=[names.get(word, word) for word in item.source],
        target=[names.get(word, word) for word in item.target],
    )


def _made_up(word: str, chance: Random) -> str:
    """The word's letters in another order, its ending kept: it looks like a word and is none."""
    stem, ending = list(word[:-1]), word[-1]
    chance.shuffle(stem)
    return "".join(stem) + ending
