"""A predicate as a vector and back: the preliminary step of system (c)."""

# PyTorch is an optional extra.
# pyright: reportMissingImports=false

from collections.abc import Sequence
from random import Random
from typing import Final

import torch
from torch import Tensor, nn

from vivavoce_commands.learning.checkpoints import Checkpoint
from vivavoce_commands.learning.training import Progress, Schedule, Training, device, fit, padded
from vivavoce_commands.learning.vocabulary import BEGIN, END, PAD, Vocabulary

SIZE: Final = 128
LONGEST: Final = 30


class Autoencoder(nn.Module):
    """Bidirectional recurrent encoder to a vector; recurrent decoder that sees the vector at every step."""

    def __init__(self, tokens: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(tokens, 64, padding_idx=PAD)
        self.reader = nn.LSTM(64, SIZE // 2, batch_first=True, bidirectional=True)
        self.vector = nn.Linear(SIZE, SIZE)
        self.writer = nn.LSTM(64 + SIZE, SIZE, batch_first=True)
        self.write = nn.Linear(SIZE, tokens)

    def encode(self, tokens: Tensor) -> Tensor:
        """(predicates, length) to (predicates, size)."""
        states, _ = self.reader(self.tokens(tokens))
        return torch.tanh(self.vector(states.masked_fill((tokens == PAD).unsqueeze(2), -1e9).amax(1)))

    def decode(self, vectors: Tensor, inputs: Tensor, memory=None):
        """Scores (predicates, steps, tokens) of what follows each token, and the memory behind the last."""
        wide = vectors.unsqueeze(1).expand(-1, inputs.shape[1], -1)
        states, memory = self.writer(torch.cat([self.tokens(inputs), wide], 2), memory)
        return self.write(states), memory

    @torch.no_grad()
    def write_out(
        self, vectors: Tensor, prefixes: Sequence[list[int]]
    ) -> list[tuple[list[int], list[float]]]:
        """Token numbers behind given beginnings, with their chances."""
        outputs: list[tuple[list[int], list[float]]] = []
        for vector, start in zip(vectors, prefixes, strict=True):
            tokens = torch.tensor([[BEGIN, *start]], device=vector.device)
            numbers, chances, memory = list(start), [1.0] * len(start), None
            while len(numbers) < LONGEST:
                scores, memory = self.decode(vector.unsqueeze(0), tokens, memory)
                chance, best = torch.softmax(scores[0, -1], 0).max(0)
                if int(best) == END:
                    break
                numbers.append(int(best))
                chances.append(float(chance))
                tokens = best.view(1, 1)
            outputs.append((numbers, chances))
        return outputs


def reconstruction_loss(network: Autoencoder, rows: Sequence[list[int]], vectors: Tensor) -> Tensor:
    """Cross-entropy of the rows when they are decoded from the vectors."""
    target_tokens = padded([[*row, END] for row in rows])
    inputs = torch.cat([torch.full_like(target_tokens[:, :1], BEGIN), target_tokens[:, :-1]], 1)
    scores, _ = network.decode(vectors, inputs)
    return nn.functional.cross_entropy(scores.transpose(1, 2), target_tokens, ignore_index=PAD)


def learn_autoencoder(
    training: Sequence[list[str]],
    held_out: Sequence[list[str]],
    vocabulary: Vocabulary,
    *,
    seed: int,
    schedule: Schedule,
    progress: Progress | None = None,
    checkpoint: Checkpoint | None = None,
) -> tuple[Autoencoder, Training, float | None]:
    """Learn from predicates as token sequences.

    Output  the network, its training, and the share of the predicates held out that it gives back exactly
    Empty   nothing held out: share None
    """
    network = Autoencoder(len(vocabulary)).to(device())
    rows, held_out_rows = [
        [vocabulary.encode(sequence) for sequence in part] for part in (training, held_out)
    ]

    def loss(items: list[list[int]], _: Random | None) -> Tensor:
        return reconstruction_loss(network, items, network.encode(padded(items)))

    done = fit(
        network, rows, held_out_rows, loss, schedule, seed=seed, progress=progress, checkpoint=checkpoint
    )
    if not held_out_rows:
        return network, done, None
    with torch.no_grad():
        out = network.write_out(network.encode(padded(held_out_rows)), [[] for _ in held_out_rows])
    # A word outside the vocabulary cannot come back: it counts against the share.
    exact = [
        [vocabulary.words[number] for number in numbers] == sequence
        for (numbers, _), sequence in zip(out, held_out, strict=True)
    ]
    return network, done, sum(exact) / len(exact)
