"""System (c): a recipe's commands in two recurrent layers, several heads, and a predicate autoencoder.

Words are vectors learnt by skip-gram; one bidirectional layer reads each command, another the recipe's
commands. What it gives is cut into as many parts as a command may have predicates; each part tells the
action, whether it is implicit, and a vector that the autoencoder's decoder turns into the predicate.

Source  the anonymous system in Di Maro et al. 2018, section 4.2; predicates are encoded one by one here
"""

# PyTorch is an optional extra.
# pyright: reportMissingImports=false

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Final

import torch
from torch import Tensor, nn

from vivavoce_commands.learning.autoencoder import SIZE as VECTOR
from vivavoce_commands.learning.autoencoder import Autoencoder, learn_autoencoder, reconstruction_loss
from vivavoce_commands.learning.checkpoints import Checkpoints
from vivavoce_commands.learning.examples import SIGNS, Recipe, to_tokens
from vivavoce_commands.learning.learner import Learner, told
from vivavoce_commands.learning.skipgram import DIMENSIONS, learn_vectors
from vivavoce_commands.learning.system import Answer
from vivavoce_commands.learning.training import Progress, Schedule, Training, device, padded
from vivavoce_commands.learning.vocabulary import PAD, Vocabulary

PARTS: Final = 3
NOTHING: Final = 0


class HierarchyNetwork(nn.Module):
    """Words to commands, commands to the recipe, and the heads of every part."""

    def __init__(self, words: int, actions: int, tokens: int) -> None:
        super().__init__()
        self.words = nn.Embedding(words, DIMENSIONS, padding_idx=PAD)
        self.commands = nn.LSTM(DIMENSIONS, VECTOR // 2, batch_first=True, bidirectional=True)
        self.recipe = nn.LSTM(VECTOR, VECTOR // 2, batch_first=True, bidirectional=True)
        self.parts = nn.Linear(2 * VECTOR, PARTS * VECTOR)
        self.action = nn.Linear(VECTOR, actions)
        self.implicit = nn.Linear(VECTOR, 1)
        self.vector = nn.Linear(VECTOR, VECTOR)
        self.drop = nn.Dropout(0.3)
        self.autoencoder = Autoencoder(tokens)

    def forward(self, words: Tensor, lengths: list[int]) -> Tensor:
        """Words of all commands (commands, length), how many a recipe has; parts (commands, parts, size)."""
        states, _ = self.commands(self.drop(self.words(words)))
        sentences = states.masked_fill((words == PAD).unsqueeze(2), -1e9).amax(1)
        recipes = nn.utils.rnn.pad_sequence(list(sentences.split(lengths)), batch_first=True)
        around, _ = self.recipe(self.drop(recipes))
        flat = torch.cat([row[:length] for row, length in zip(around, lengths, strict=True)])
        return torch.tanh(self.parts(self.drop(torch.cat([sentences, flat], 1)))).view(-1, PARTS, VECTOR)


class Hierarchy(Learner[Recipe, HierarchyNetwork]):
    """The whole system."""

    name = "c"

    def read(self, recipes: Sequence[Recipe]) -> Sequence[Recipe]:
        return recipes

    def learn_from(self, training: Sequence[Recipe], seed: int) -> Sequence[Recipe]:
        sentences, predicates = _sentences(training), _predicates(training)
        self.facts = {
            "words": Vocabulary(word for sentence in sentences for word in sentence).words,
            "tokens": Vocabulary(
                (token for predicate in predicates for token in predicate), always=SIGNS
            ).words,
            "actions": ["", *sorted({predicate.action for predicate in _all(training)})],
        }
        return training

    def prepare(
        self,
        training: Sequence[Recipe],
        held_out: Sequence[Recipe],
        seed: int,
        schedule: Schedule,
        progress: Progress | None,
        checkpoints: Checkpoints,
    ) -> Training:
        """The autoencoder, then the word vectors; the fact `reconstruction` is the first's."""
        autoencoder, first, share = learn_autoencoder(
            _predicates(training),
            _predicates(held_out),
            self.tokens,
            seed=seed,
            schedule=schedule,
            progress=progress,
            checkpoint=checkpoints.of("autoencoder"),
        )
        self.facts["reconstruction"] = share
        self.net.autoencoder.load_state_dict(autoencoder.state_dict())
        self.net.autoencoder.requires_grad_(False)
        self.net.words.weight.data.copy_(learn_vectors(_sentences(training), self.words, seed=seed))
        return first

    def pace(self, schedule: Schedule) -> Schedule:
        """A recipe is one item, so that commands keep their context; a few at a time."""
        return replace(schedule, batch=max(2, schedule.batch // 8))

    def build(self) -> None:
        self.words, self.tokens = Vocabulary.of(self.facts["words"]), Vocabulary.of(self.facts["tokens"])
        self.actions: list[str] = self.facts["actions"]
        self.network = HierarchyNetwork(len(self.words), len(self.actions), len(self.tokens)).to(device())

    def _parts(self, recipes: Sequence[Recipe], chance: Random | None) -> Tensor:
        rows = [self.words.encode(command.words) for recipe in recipes for command in recipe.commands]
        if chance is not None:
            rows = [[1 if chance.random() < 0.1 else number for number in row] for row in rows]
        return self.net(padded(rows), [len(recipe.commands) for recipe in recipes])

    def loss(self, items: list[Recipe], chance: Random | None) -> Tensor:
        parts = self._parts(items, chance)
        commands = [command for recipe in items for command in recipe.commands]
        actions, implicit, places, rows = [], [], [], []
        for number, command in enumerate(commands):
            for part, predicate in enumerate(command.predicates[:PARTS]):
                places.append((number, part))
                rows.append(self.tokens.encode(to_tokens((predicate,))))
                implicit.append(float(predicate.implicit))
            action_names = [predicate.action for predicate in command.predicates[:PARTS]]
            actions.append(
                [self._action(action) for action in [*action_names, *[""] * (PARTS - len(action_names))]]
            )
        target_actions = torch.tensor(actions, device=device())
        loss = nn.functional.cross_entropy(self.net.action(parts).flatten(0, 1), target_actions.flatten())
        chosen = parts[[number for number, _ in places], [part for _, part in places]]
        hidden = self.net.implicit(chosen).squeeze(1)
        loss = loss + nn.functional.binary_cross_entropy_with_logits(
            hidden, torch.tensor(implicit, device=device())
        )
        vectors = self.net.vector(chosen)
        near = nn.functional.mse_loss(vectors, self.net.autoencoder.encode(padded(rows)))
        return loss + near + reconstruction_loss(self.net.autoencoder, rows, vectors)

    def _action(self, name: str) -> int:
        return self.actions.index(name) if name in self.actions else NOTHING

    @torch.no_grad()
    def predict(self, recipes: Sequence[Recipe], *, repeat_below: float = 0.0) -> list[list[Answer]]:
        """The answers to every command; all commands of the recipe are context, later ones too."""
        return [self._answers(recipe, repeat_below) for recipe in recipes]

    def _answers(self, recipe: Recipe, repeat_below: float) -> list[Answer]:
        parts = self._parts([recipe], None)
        chances, actions = torch.softmax(self.net.action(parts), 2).max(2)
        hidden = torch.sigmoid(self.net.implicit(parts)).squeeze(2)
        answers = []
        for row in range(len(recipe.commands)):
            tokens: list[str] = []
            sure: list[float] = []
            for part in range(PARTS):
                action = self.actions[int(actions[row, part])]
                if not action:
                    continue
                prefix = ["*", *action.split(), "*"] if float(hidden[row, part]) > 0.5 else action.split()
                vector = self.net.vector(parts[row, part]).unsqueeze(0)
                ((numbers, odds),) = self.net.autoencoder.write_out(vector, [self.tokens.encode(prefix)])
                odds[: len(prefix)] = [float(chances[row, part])] * len(prefix)
                tokens += [*([";"] if tokens else []), *(self.tokens.words[number] for number in numbers)]
                sure += [*([1.0] if sure else []), *odds]
            answers.append(told((tokens, sure), repeat_below))
        return answers


def _sentences(recipes: Sequence[Recipe]) -> list[list[str]]:
    return [command.words for recipe in recipes for command in recipe.commands]


def _all(recipes: Sequence[Recipe]):
    return (
        predicate for recipe in recipes for command in recipe.commands for predicate in command.predicates
    )


def _predicates(recipes: Sequence[Recipe]) -> list[list[str]]:
    return [to_tokens((predicate,)) for predicate in _all(recipes)]
