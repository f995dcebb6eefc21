"""System (a): earlier commands of the recipe in a memory network, a decoder that writes or copies from it.

Source  Madotto, Wu and Fung 2018 (Mem2Seq), as FBK's first system of 2018 used it; built anew and smaller
"""

# PyTorch is an optional extra.
# pyright: reportMissingImports=false

from collections.abc import Sequence
from random import Random
from typing import Final, NamedTuple

import torch
from torch import Tensor, nn

from vivavoce_commands.learning.examples import SIGNS, Recipe
from vivavoce_commands.learning.learner import Learner, Written, told
from vivavoce_commands.learning.system import Answer
from vivavoce_commands.learning.training import device, padded
from vivavoce_commands.learning.vocabulary import END, PAD, Vocabulary

REMEMBERED: Final = 3
HOPS: Final = 3
SIZE: Final = 128
LONGEST: Final = 60
UNSEEN: Final = 0.1


class Memory(NamedTuple):
    """Words in memory, the command each comes from (0 this one, 1 the one before, ...), tokens to write."""

    words: list[str]
    ages: list[int]
    target: list[str]


class MemoryNetwork(nn.Module):
    """Hops over the memory; the first tells what to write, the last what to copy."""

    def __init__(self, words: int, outputs: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Embedding(words, SIZE, padding_idx=PAD) for _ in range(HOPS + 1))
        self.ages = nn.Embedding(REMEMBERED + 1, SIZE)
        self.reader = nn.GRU(SIZE, SIZE // 2, batch_first=True, bidirectional=True)
        self.decoder = nn.GRU(SIZE, SIZE, batch_first=True)
        self.tokens = nn.Embedding(outputs + 1, SIZE)
        self.write = nn.Linear(2 * SIZE, outputs)
        self.gate = nn.Linear(2 * SIZE, 1)
        self.drop = nn.Dropout(0.3)

    def remember(self, words: Tensor, ages: Tensor) -> tuple[list[Tensor], Tensor, Tensor]:
        """The memory of every hop (batch, length, size), the first query (batch, size), and where it is."""
        present = words != PAD
        read, _ = self.reader(self.drop(self.layers[0](words)))
        layers = [self.drop(layer(words) + self.ages(ages) + read) for layer in self.layers]
        now = (present & (ages == 0)).unsqueeze(2)
        query = (read * now).sum(1) / now.sum(1).clamp(min=1)
        return layers, self.hop(query.unsqueeze(1), layers, present)[0].squeeze(1), present

    def hop(self, query: Tensor, layers: list[Tensor], present: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries (batch, steps, size) through all hops: last query, first reading, last attention."""
        first = attention = query
        for number in range(HOPS):
            scores = torch.bmm(query, layers[number].transpose(1, 2)).masked_fill(~present.unsqueeze(1), -1e9)
            attention = torch.softmax(scores, 2)
            reading = torch.bmm(attention, layers[number + 1])
            first = reading if number == 0 else first
            query = query + reading
        return query, first, attention

    def decode(
        self, tokens: Tensor, hidden: Tensor, layers: list[Tensor], present: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Chances to write and to copy, the gate between them, and the state behind the last token."""
        states, hidden = self.decoder(self.drop(self.tokens(tokens)), hidden)
        _, first, attention = self.hop(states, layers, present)
        seen = self.drop(torch.cat([states, first], 2))
        return torch.softmax(self.write(seen), 2), attention, torch.sigmoid(self.gate(seen)), hidden


class MemoryCopy(Learner[Memory, MemoryNetwork]):
    """The whole system."""

    name = "a"

    def read(self, recipes: Sequence[Recipe]) -> list[Memory]:
        return _memories(recipes)

    def learn_from(self, training: Sequence[Recipe], seed: int) -> list[Memory]:
        items = _memories(training)
        targets = [token for item in items for token in item.target]
        sources = [word for item in items for word in item.words]
        self.facts = {
            "words": Vocabulary([*sources, *targets]).words,
            "outputs": Vocabulary(targets, always=SIGNS).words,
        }
        return items

    def build(self) -> None:
        self.words, self.outputs = Vocabulary.of(self.facts["words"]), Vocabulary.of(self.facts["outputs"])
        self.network = MemoryNetwork(len(self.words), len(self.outputs)).to(device())

    def loss(self, items: list[Memory], chance: Random | None) -> Tensor:
        rows = [self.words.encode(item.words) for item in items]
        if chance is not None:  # some words are unknown while it learns, as they will be later
            rows = [[1 if chance.random() < UNSEEN else number for number in row] for row in rows]
        layers, query, present = self.net.remember(padded(rows), padded([item.ages for item in items]))
        target_tokens = padded([[*self.outputs.encode(item.target), END] for item in items])
        inputs = torch.cat([torch.full_like(target_tokens[:, :1], 2), target_tokens[:, :-1]], 1)
        vocabulary_odds, copied, gate, _ = self.net.decode(
            inputs, query.unsqueeze(0).contiguous(), layers, present
        )
        generated = (
            vocabulary_odds.gather(2, target_tokens.unsqueeze(2))
            .squeeze(2)
            .masked_fill(target_tokens == 1, 0.0)
        )
        same = torch.zeros_like(copied)
        for row, item in enumerate(items):
            for step, token in enumerate(item.target):
                for place, word in enumerate(item.words):
                    if word == token:
                        same[row, step, place] = 1
        copied_odds = (copied * same).sum(2)
        total = gate.squeeze(2) * generated + (1 - gate.squeeze(2)) * copied_odds
        mask = target_tokens != PAD
        return -(total.clamp(min=1e-9).log() * mask).sum() / mask.sum()

    @torch.no_grad()
    def predict(self, recipes: Sequence[Recipe], *, repeat_below: float = 0.0) -> list[list[Answer]]:
        """The answers to every command; the words of earlier commands are in memory."""
        answers: list[list[Answer]] = []
        for recipe in recipes:
            answers.append([told(output, repeat_below) for output in self._write(_memories([recipe]))])
        return answers

    def _write(self, items: list[Memory]) -> list[Written]:
        words = padded([self.words.encode(item.words) for item in items])
        layers, query, present = self.net.remember(words, padded([item.ages for item in items]))
        hidden, last = query.unsqueeze(0).contiguous(), torch.full((len(items), 1), 2, device=device())
        outputs: list[Written] = [([], []) for _ in items]
        finished = [False] * len(items)
        for _ in range(LONGEST):
            chances, copied, gate, hidden = self.net.decode(last, hidden, layers, present)
            for row, item in enumerate(items):
                odds = {self.outputs.words[0]: 0.0}
                values, places = (gate[row, 0] * chances[row, 0]).topk(min(8, len(self.outputs)))
                for value, place in zip(values.tolist(), places.tolist(), strict=True):
                    odds[self.outputs.words[place]] = value
                for word, value in zip(item.words, copied[row, 0].tolist(), strict=False):
                    odds[word] = odds.get(word, 0.0) + (1 - float(gate[row, 0, 0])) * value
                token = max(odds, key=lambda token: odds[token])
                finished[row] = finished[row] or token == "<end>"
                last[row, 0] = self.outputs.number(token)
                if not finished[row]:
                    outputs[row][0].append(token)
                    outputs[row][1].append(min(1.0, odds[token]))
            if all(finished):
                break
        return outputs


def _memories(recipes: Sequence[Recipe]) -> list[Memory]:
    items: list[Memory] = []
    for recipe in recipes:
        for place, command in enumerate(recipe.commands):
            words, ages = list(command.words), [0] * len(command.words)
            for age in range(1, min(REMEMBERED, place) + 1):
                earlier = recipe.commands[place - age].words
                words, ages = [*words, *earlier], [*ages, *[age] * len(earlier)]
            items.append(Memory(words, ages, command.tokens))
    return items
