"""The corpus of commands: 36 speakers, training and test apart by speaker and by recipe."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from vivavoce.core.extras import later
from vivavoce.dataset.writer import DatasetWriter
from vivavoce_commands.kitchen.lexicon import read_lexicon
from vivavoce_commands.kitchen.recipes import Step, make_recipe
from vivavoce_commands.kitchen.speaking import Speaker, SpokenCommand, make_habits
from vivavoce_commands.notation import write_predicates

if TYPE_CHECKING:
    import rapidfuzz
else:
    rapidfuzz = later("rapidfuzz", "analysis")

TRAINING_SPEAKERS: Final = 27
TEST_SPEAKERS: Final = 9
TRAINING_RECIPES: Final = 24
TEST_RECIPES: Final = 8
RECIPES_A_SPEAKER: Final = 5
PARTS: Final = ("training", "test")


class KitchenCommand(NamedTuple):
    """One command of the corpus; `heard` is what the recogniser made of `said`."""

    part: str
    speaker: str
    recipe: str
    utterance: int
    said: SpokenCommand
    heard: str


def generate(language: str, *, seed: int = 1, word_error_rate: float = 0.0) -> list[KitchenCommand]:
    """The whole corpus, in order of speakers.

    Output  about 1,700 training and 570 test commands; speakers and recipes of the parts are disjoint, and
            about half of what the test's recipes need (food, tools, pans) never occurs in training
    Raises  UnknownName: no such language
    """
    lexicon, chance = read_lexicon(language), Random(f"{language} {seed}")
    pools = {
        "training": [make_recipe(lexicon, chance, unseen=False) for _ in range(TRAINING_RECIPES)],
        "test": [make_recipe(lexicon, chance, unseen=True) for _ in range(TEST_RECIPES)],
    }
    spoken: list[KitchenCommand] = []
    for number in range(TRAINING_SPEAKERS + TEST_SPEAKERS):
        part = PARTS[number >= TRAINING_SPEAKERS]
        speaker = Speaker(lexicon, make_habits(lexicon, chance), chance)
        spoken += _visit(speaker, f"{language}{number + 1:02}", part, pools[part], chance)
    if not word_error_rate:
        return spoken
    vocabulary = [word for command in spoken for word in command.said.text.split()]
    recogniser = NoisyRecogniser(vocabulary, word_error_rate)
    return [command._replace(heard=recogniser.hear(command.said.text, chance)) for command in spoken]


def _visit(
    speaker: Speaker, name: str, part: str, pool: list[list[Step]], chance: Random
) -> Iterator[KitchenCommand]:
    for number in chance.sample(range(len(pool)), RECIPES_A_SPEAKER):
        for utterance, spoken in enumerate(speaker.recipe(pool[number]), start=1):
            yield KitchenCommand(part, name, f"{part}-{number + 1}", utterance, spoken, spoken.text)


def write_corpus(commands: list[KitchenCommand], language: str, into: Path) -> dict[str, int]:
    """Write the datasets `training` and `test`, and the test's answers as files of speakers, `reference`.

    Output  commands a part
    """
    counts: dict[str, int] = {}
    for part in PARTS:
        mine = [command for command in commands if command.part == part]
        counts[part] = len(mine)
        source = {"kind": "generated", "part": part}
        with DatasetWriter(into / part, study={"name": f"kitchen-{language}"}, source=source) as writer:
            writer.add("commands", (_row(command, language) for command in mine))
            writer.add(
                "participants",
                [_participant(speaker, language) for speaker in dict.fromkeys(e.speaker for e in mine)],
            )
            writer.notes.append("Nobody said these commands: a grammar generated them.")
            writer.close()
    write_reference([command for command in commands if command.part == "test"], into / "reference")
    return counts


def write_reference(commands: list[KitchenCommand], folder: Path) -> None:
    """One file a speaker, in the layout that `understand score` reads."""
    folder.mkdir(parents=True, exist_ok=True)
    lines: dict[str, list[str]] = {}
    recipe: dict[str, str] = {}
    for command in commands:
        file = lines.setdefault(command.speaker, [])
        if recipe.get(command.speaker, command.recipe) != command.recipe:
            file.append("---")
        recipe[command.speaker] = command.recipe
        file.append(f"{command.utterance}; {write_predicates(command.said.predicates)}")
    for speaker, content in lines.items():
        (folder / f"{speaker}.csv").write_text("\n".join(content) + "\n", encoding="utf-8")


def _row(command: KitchenCommand, language: str) -> dict[str, Any]:
    return {
        "command_id": f"{command.speaker}/{command.recipe}/{command.utterance}",
        "participant_id": command.speaker,
        "recipe": command.recipe,
        "utterance": command.utterance,
        "language": language,
        "text": command.heard,
        "annotation": write_predicates(command.said.predicates),
        "simulated": True,
    }


def _participant(speaker: str, language: str) -> dict[str, Any]:
    return {"participant_id": speaker, "pool": "simulation", "language": language, "simulated": True}


# Of a hundred errors: how many replace, leave out, put in.
SHARES: Final = (60, 25, 15)
NEAR: Final = 4


class NoisyRecogniser:
    """Hears every word wrongly with a given chance; the nearest words of its vocabulary are confused."""

    def __init__(self, vocabulary: list[str], word_error_rate: float) -> None:
        self.vocabulary, self.rate = sorted(set(vocabulary)), word_error_rate
        self._near: dict[str, list[str]] = {}

    def hear(self, text: str, chance: Random) -> str:
        """The text as recognised; at least one word."""
        words: list[str] = []
        for word in text.split():
            if chance.random() >= self.rate:
                words.append(word)
                continue
            error = chance.choices(("replace", "leave", "put"), SHARES)[0]
            if error != "leave":
                words.append(chance.choice(self.near(word)))
            if error == "put":
                words.append(word)
        return " ".join(words) or text

    def near(self, word: str) -> list[str]:
        if word not in self._near:
            neighbours = rapidfuzz.process.extract(
                word, self.vocabulary, scorer=rapidfuzz.distance.Levenshtein.distance, limit=NEAR + 1
            )
            self._near[word] = [neighbour for neighbour, _, _ in neighbours if neighbour != word][:NEAR] or [
                word
            ]
        return self._near[word]
