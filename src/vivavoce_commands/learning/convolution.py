"""System (b): convolutional sequence to sequence, with more training data by nearest neighbours and synonyms.

It copies nothing: a word that training has not seen cannot come out of it, which is what it fails on.

Source  Gehring et al. 2017, as FBK's second system of 2018 used it; built anew and smaller
"""

# PyTorch is an optional extra.
# pyright: reportMissingImports=false

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

import torch
from torch import Tensor, nn

from vivavoce_commands.learning.examples import SIGNS, Example, Recipe
from vivavoce_commands.learning.learner import Learner, Written, told
from vivavoce_commands.learning.skipgram import learn_vectors, neighbours
from vivavoce_commands.learning.system import Answer
from vivavoce_commands.learning.training import device, padded
from vivavoce_commands.learning.vocabulary import BEGIN, END, PAD, Vocabulary

SIZE: Final = 128
LAYERS: Final = 3
WIDTH: Final = 3
LONGEST: Final = 60
COPIES: Final = 2
CHANGED: Final = 0.2
Pair = tuple[list[str], list[str]]


class ConvolutionalNetwork(nn.Module):
    """Gated convolutions on both sides; every layer of the decoder attends to the encoder."""

    def __init__(self, words: int, outputs: int) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(words, SIZE, padding_idx=PAD), nn.Embedding(200, SIZE)
        self.tokens = nn.Embedding(outputs, SIZE, padding_idx=PAD)
        self.reading = nn.ModuleList(nn.Conv1d(SIZE, 2 * SIZE, WIDTH, padding=1) for _ in range(LAYERS))
        self.writing = nn.ModuleList(nn.Conv1d(SIZE, 2 * SIZE, WIDTH) for _ in range(LAYERS))
        self.queries = nn.ModuleList(nn.Linear(SIZE, SIZE) for _ in range(LAYERS))
        self.write = nn.Linear(SIZE, outputs)
        self.drop = nn.Dropout(0.2)

    def forward(self, words: Tensor, tokens: Tensor) -> Tensor:
        """Scores of every next token (batch, steps, outputs)."""
        present = words != PAD
        embedded = self.words(words) + self._place(words)
        read = self.drop(embedded)
        for layer in self.reading:
            read = read + nn.functional.glu(layer(self.drop(read).transpose(1, 2)), 1).transpose(1, 2)
        target = self.drop(self.tokens(tokens) + self._place(tokens))
        hidden = target
        for layer, query in zip(self.writing, self.queries, strict=True):
            before = nn.functional.pad(self.drop(hidden).transpose(1, 2), (WIDTH - 1, 0))
            state = nn.functional.glu(layer(before), 1).transpose(1, 2)
            scores = torch.bmm(query(state) + target, read.transpose(1, 2))
            attention = torch.softmax(scores.masked_fill(~present.unsqueeze(1), -1e9), 2)
            hidden = hidden + state + torch.bmm(attention, read + embedded)
        return self.write(self.drop(hidden))

    def _place(self, numbers: Tensor) -> Tensor:
        return self.places(torch.arange(numbers.shape[1], device=numbers.device).clamp(max=199))


class Convolution(Learner[Pair, ConvolutionalNetwork]):
    """The whole system. `synonyms`: words by word, from a dictionary of the user's."""

    name = "b"

    def __init__(
        self, facts: dict[str, Any] | None = None, synonyms: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        super().__init__(facts)
        self.synonyms = dict(synonyms or {})

    def read(self, recipes: Sequence[Recipe]) -> list[Pair]:
        return _examples(recipes)

    def learn_from(self, training: Sequence[Recipe], seed: int) -> list[Pair]:
        """The examples, and what is made of them."""
        items = _examples(training)
        words = Vocabulary(word for item in items for word in item[0])
        near = neighbours(learn_vectors([item[0] for item in items], words, seed=seed), words)
        chance = Random(seed)
        more = [variant for item in items for variant in self._more(item, near, chance)]
        targets = [token for item in more for token in item[1]]
        self.facts = {
            "words": Vocabulary(word for item in more for word in item[0]).words,
            "outputs": Vocabulary(targets, always=SIGNS).words,
        }
        return more

    def _more(self, item: Pair, near: Mapping[str, list[str]], chance: Random) -> list[Pair]:
        """The example itself, and versions with words replaced.

        A word of the answer gives way to a neighbour, on both sides; another only to a synonym, for its
        neighbours may well call for another action.
        """
        variants = [item]
        words, tokens = item
        for _ in range(COPIES):
            names: dict[str, str] = {}
            for word in dict.fromkeys(words):
                replacements = [*self.synonyms.get(word, ()), *(near.get(word, ()) if word in tokens else ())]
                if replacements and chance.random() < CHANGED:
                    names[word] = chance.choice(replacements)
            variants.append(
                ([names.get(word, word) for word in words], [names.get(token, token) for token in tokens])
            )
        return variants

    def build(self) -> None:
        self.words, self.outputs = Vocabulary.of(self.facts["words"]), Vocabulary.of(self.facts["outputs"])
        self.network = ConvolutionalNetwork(len(self.words), len(self.outputs)).to(device())

    def loss(self, items: list[Pair], chance: Random | None) -> Tensor:
        words = padded([self.words.encode(item[0]) for item in items])
        target_tokens = padded([[*self.outputs.encode(item[1]), END] for item in items])
        inputs = torch.cat([torch.full_like(target_tokens[:, :1], BEGIN), target_tokens[:, :-1]], 1)
        scores = self.net(words, inputs)
        return nn.functional.cross_entropy(scores.transpose(1, 2), target_tokens, ignore_index=PAD)

    @torch.no_grad()
    def predict(self, recipes: Sequence[Recipe], *, repeat_below: float = 0.0) -> list[list[Answer]]:
        """The answers to every command, each on its own: this system knows no context."""
        return [self._answers(recipe.commands, repeat_below) for recipe in recipes]

    def _answers(self, commands: Sequence[Example], repeat_below: float) -> list[Answer]:
        words = padded([self.words.encode(command.words) for command in commands])
        inputs = torch.full((len(commands), 1), BEGIN, device=device())
        outputs: list[Written] = [([], []) for _ in commands]
        finished = [False] * len(commands)
        for _ in range(LONGEST):
            chances, best = torch.softmax(self.net(words, inputs)[:, -1], 1).max(1)
            inputs = torch.cat([inputs, best.unsqueeze(1)], 1)
            for row, (number, chance) in enumerate(zip(best.tolist(), chances.tolist(), strict=True)):
                finished[row] = finished[row] or number == END
                if not finished[row]:
                    outputs[row][0].append(self.outputs.words[number])
                    outputs[row][1].append(chance)
            if all(finished):
                break
        return [told(output, repeat_below) for output in outputs]


def _examples(recipes: Sequence[Recipe]) -> list[Pair]:
    return [(command.words, command.tokens) for recipe in recipes for command in recipe.commands]
