"""Word vectors by skip-gram with negative samples, and the nearest neighbours in them.

Source  Mikolov et al. 2013; 100 dimensions, as the anonymous system of 2018 used them
"""

# PyTorch is an optional extra.
# pyright: reportMissingImports=false

from collections.abc import Sequence
from random import Random
from typing import Final

import torch
from torch import Tensor, nn

from vivavoce_commands.learning.training import device
from vivavoce_commands.learning.vocabulary import SPECIAL, Vocabulary

DIMENSIONS: Final = 100
WINDOW: Final = 3
NEGATIVES: Final = 5


def learn_vectors(
    sentences: Sequence[list[str]], vocabulary: Vocabulary, *, seed: int, epochs: int = 5
) -> Tensor:
    """Vectors of the vocabulary's words (words, 100), learnt from sentences."""
    torch.manual_seed(seed)
    chance = Random(seed)
    pairs = [
        (vocabulary.number(word), vocabulary.number(sentence[context_place]))
        for sentence in sentences
        for place, word in enumerate(sentence)
        for context_place in range(max(0, place - WINDOW), min(len(sentence), place + WINDOW + 1))
        if context_place != place
    ]
    near = nn.Embedding(len(vocabulary), DIMENSIONS).to(device())
    far = nn.Embedding(len(vocabulary), DIMENSIONS).to(device())
    optimiser = torch.optim.Adam([*near.parameters(), *far.parameters()], lr=5e-3)
    for _ in range(epochs):
        chance.shuffle(pairs)
        for start in range(0, len(pairs), 1024):
            batch = torch.tensor(pairs[start : start + 1024], device=device())
            centre, beside = near(batch[:, 0]), far(batch[:, 1])
            negatives = far(torch.randint(len(vocabulary), (len(batch), NEGATIVES), device=device()))
            right = nn.functional.logsigmoid((centre * beside).sum(1))
            wrong = nn.functional.logsigmoid(-torch.bmm(negatives, centre.unsqueeze(2)).squeeze(2)).sum(1)
            loss = -(right + wrong).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return near.weight.detach()


def neighbours(vectors: Tensor, vocabulary: Vocabulary, count: int = 3) -> dict[str, list[str]]:
    """The nearest words of every word, by the cosine of their vectors."""
    unit = nn.functional.normalize(vectors, dim=1)
    nearest = (unit @ unit.T).topk(min(count + 1 + len(SPECIAL), len(vocabulary)), dim=1).indices.tolist()
    near_words: dict[str, list[str]] = {}
    for number, row in enumerate(nearest):
        neighbour_words = [
            vocabulary.words[index] for index in row if index != number and index >= len(SPECIAL)
        ]
        near_words[vocabulary.words[number]] = neighbour_words[:count]
    return near_words
