"""Tasks sampled from an ontology: satisfiable goals in words, reproducible by seed."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Final

from vivavoce.core.errors import InputError, UnknownName, nearest
from vivavoce.core.yaml_source import KeyPath
from vivavoce.languages.data import TaskSentences
from vivavoce.study.file import Tasks
from vivavoce.study.ontology import Ontology, Venue
from vivavoce.study.task import DONTCARE, Alternative, Task


def sentences_in(language: str) -> TaskSentences:
    """The sentences of tasks in a language. Raises UnknownName: it brings none."""
    found = TaskSentences.of(language)
    if found is None:
        raise UnknownName("language of generated tasks", language, TaskSentences.languages())
    return found


def task_text(
    ontology: Ontology, goal: "DrawnGoal", language: str, templates: TaskSentences, style: int
) -> str:
    """The task as a participant reads it; every constraint and every request is mentioned.

    The first constraint stands with the noun, the others in a separate sentence, indifference in another.
    """
    random, constraints = Random(style), goal.constraints
    kind = ontology.types[goal.type][language]
    venue = {"noun": kind.text, "one": kind.article, "the": capitalised(definite(kind.article, templates))}
    wanted = [(slot, value) for slot, value in constraints.items() if value != DONTCARE]
    random.shuffle(wanted)
    place = _place(ontology, goal.type, wanted[:1], language, templates)
    sentences = [random.choice(templates.openings).format(place=place)]
    if len(wanted) > 1:
        wishes = [wish(ontology, slot, value, language) for slot, value in wanted[1:]]
        sentence = random.choice(templates.wishes)
        wished = listed(_without_echo(wishes), templates)
        sentences.append(sentence.format(wish=wished, **venue))
    indifferent = [
        ontology.slots[slot].anything[language] for slot, value in constraints.items() if value == DONTCARE
    ]
    if indifferent:
        sentences.append(capitalised(listed(indifferent, templates)) + ".")
    if goal.alternative is not None:
        changed = [
            (slot, value) for slot, value in goal.alternative.items() if constraints.get(slot) != value
        ]
        phrases = " ".join(phrase(ontology, slot, value, language) for slot, value in changed)
        sentences.append(random.choice(templates.alternatives).format(wish=phrases, **venue))
    if goal.requests:
        asked = [ontology.slots[slot].asked_as[language] for slot in goal.requests]
        sentences.append(random.choice(templates.requests).format(requests=listed(asked, templates)))
    return " ".join(sentences)


def definite(words: str, sentences: TaskSentences) -> str:
    """Words with their definite article in the place of the indefinite one: `il libro` of `un libro`."""
    for pattern, article in sentences.definite:
        if found := re.match(pattern, words):
            return article + words[found.end() :]
    return words


def indefinite(words: str, sentences: TaskSentences) -> str:
    """Words with an indefinite article, by how they begin: `a pub`, `an Indian place`."""
    for pattern, article in sentences.indefinite:
        if re.match(pattern, words, re.IGNORECASE):
            return article + words
    return words


def _place(
    ontology: Ontology,
    venue_type: str,
    wanted: Sequence[tuple[str, str]],
    language: str,
    sentences: TaskSentences,
) -> str:
    """`an Italian restaurant`, `a pub in the city centre`, `un ristorante che serve cucina italiana`."""
    noun = ontology.types[venue_type][language]
    before = [words for slot, value in wanted if (words := premodifier(ontology, slot, value, language))]
    if before:
        return indefinite(f"{' '.join(before)} {noun.text}", sentences)
    return " ".join([noun.article, *(phrase(ontology, slot, value, language) for slot, value in wanted)])


def premodifier(ontology: Ontology, slot: str, value: str, language: str) -> str:
    """The value as an adjective before the noun, where language and slot have one; else ""."""
    rendering = ontology.rendering(slot, value, language)
    template = rendering.before or ontology.slots[slot].before.get(language, "")
    return filled(template, value=rendering.text)


def phrase(ontology: Ontology, slot: str, value: str, language: str) -> str:
    """The value as it stands after the noun: `in the north of the city`."""
    rendering = ontology.rendering(slot, value, language)
    return filled(rendering.phrase or ontology.slots[slot].phrase[language], value=rendering.text)


def wish(ontology: Ontology, slot: str, value: str, language: str) -> str:
    """The value as an infinitive after `it should`: `be in the north of the city`."""
    rendering = ontology.rendering(slot, value, language)
    template = rendering.wish or ontology.slots[slot].wish[language]
    return filled(template, value=rendering.text, phrase=phrase(ontology, slot, value, language))


def filled(template: str, **pieces: str) -> str:
    """An ontology's template with its pieces put in; braces in a piece stay as they are."""
    return re.sub(r"\{(\w+)\}", lambda found: pieces.get(found[1], found[0]), template)


def _without_echo(wishes: list[str]) -> list[str]:
    """`be cheap, be by the river` as `be cheap, by the river`: the verb once where all wishes share it."""
    verb = wishes[0].split()[0] + " "
    if all(wish.startswith(verb) for wish in wishes):
        return [wishes[0], *(wish.removeprefix(verb) for wish in wishes[1:])]
    return wishes


def listed(parts: Sequence[str], sentences: TaskSentences) -> str:
    """`a`, `a and b`, `a, b and c`; Italian `e` is `ed` before an e."""
    if len(parts) == 1:
        return parts[0]
    link = sentences.conjunction_before.get(parts[-1][:1].lower(), sentences.conjunction)
    return f"{', '.join(parts[:-1])} {link} {parts[-1]}"


def capitalised(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


_TRIES: Final = 200
_TRIES_FOR_NEW: Final = 40


@dataclass(frozen=True, slots=True)
class DrawnGoal:
    """A goal before it has words; `alternative` is set where no venue meets the constraints."""

    type: str
    constraints: dict[str, str]
    requests: tuple[str, ...]
    alternative: dict[str, str] | None = None

    @property
    def key(self) -> tuple[object, ...]:
        return self.type, tuple(sorted(self.constraints.items())), frozenset(self.requests)


def check_settings(
    ontology: Ontology, settings: Tasks, languages: tuple[str, ...] = ()
) -> list[tuple[KeyPath, str, str]]:
    """Settings that the ontology cannot satisfy: key, problem, hint."""
    problems: list[tuple[KeyPath, str, str]] = []
    known = list(ontology.types)
    for index, name in enumerate(settings.types or ()):
        if name not in known:
            problems.append((("types", index), f"unknown type {name!r}", nearest(name, known)))
    if settings.generate is None:
        problems.append(
            ((), "neither a number of tasks nor a file", "write generate: 200, or file: tasks.yaml")
        )
    for language in languages:
        if TaskSentences.of(language) is None:
            hint = f"templates exist for {', '.join(TaskSentences.languages())}; for others write tasks: FILE"
            problems.append((("generate",), f"tasks have no templates in {language!r}", hint))
    if problems:
        return problems
    sampler = _Sampler(ontology, settings)
    for key, wanted, slots in (
        ("constraints", settings.constraints, sampler.searchable),
        ("requests", settings.requests, sampler.requestable),
    ):
        most = max(map(len, slots.values()), default=0)
        if wanted.min > most:
            hint = f"write at most {most}"
            problems.append(((key,), f"no venue type has {wanted.min} {key}", hint))
    if settings.constraints.min < 1:
        problems.append((("constraints",), "a task needs at least one constraint", "begin the range at 1"))
    if not problems and not sampler.venues:
        problems.append(
            ((), "venues of these types have no slots to ask for", "add venues, or change `types`")
        )
    return problems


def generate_tasks(ontology: Ontology, settings: Tasks, languages: tuple[str, ...]) -> tuple[Task, ...]:
    """Generate the configured number of tasks.

    Input   settings.generate tasks; of these round(share * number), half up, are unsatisfiable
    Output  every satisfiable task lists all matching venues (at least one); every other lists none and has an
    alternative that differs in one constraint and is satisfiable
    Note    goals repeat only if the ontology has no new one
    Raises  InputError: the ontology cannot satisfy the settings
    """
    for path, problem, hint in check_settings(ontology, settings, languages):
        raise InputError(problem, place=".".join(["tasks", *map(str, path)]), hint=hint)
    random, number = Random(settings.seed), settings.generate or 0
    unmet = set(random.sample(range(number), int(number * settings.unsatisfiable + 0.5)))
    templates = {language: sentences_in(language) for language in languages}
    sampler, seen = _Sampler(ontology, settings), set[tuple[object, ...]]()
    tasks: list[Task] = []
    for index in range(number):
        goal = sampler.new(sampler.unsatisfiable if index in unmet else sampler.satisfiable, random, seen)
        style = random.randrange(1 << 30)
        alternative = None
        if goal.alternative is not None:
            venues = sampler.matching(goal.type, goal.alternative)
            alternative = Alternative(constraints=goal.alternative, venues=venues)
        task = Task(
            task_id=f"t{index + 1:04d}",
            type=goal.type,
            constraints=goal.constraints,
            requests=goal.requests,
            venues=sampler.matching(goal.type, goal.constraints),
            alternative=alternative,
            text={
                language: task_text(ontology, goal, language, sentences, style)
                for language, sentences in templates.items()
            },
        )
        tasks.append(task)
    return tuple(tasks)


class _Sampler:
    """Draws goals from an ontology by the settings of a study.

    searchable   slots to search by, by kind of venue; `requestable`: slots to ask for
    venues       those with enough of both for the smallest task
    """

    def __init__(self, ontology: Ontology, settings: Tasks) -> None:
        self.ontology, self.settings = ontology, settings
        types = [name for name in ontology.types if settings.types is None or name in settings.types]
        self.searchable = {name: ontology.constraint_slots(name) for name in types}
        self.requestable = {name: ontology.request_slots(name) for name in types}
        self.venues = [
            venue
            for venue in ontology.venues
            if venue.type in types
            and len(self._asked_of(venue)) >= settings.constraints.min
            and len(self.requestable[venue.type]) >= settings.requests.min
        ]

    def _asked_of(self, venue: Venue) -> list[str]:
        """Slots by which one would search for this venue, in the ontology's order."""
        slots = self.ontology.slots
        return [name for name in self.searchable[venue.type] if venue.slots[name] not in slots[name].unasked]

    def matching(self, venue_type: str, constraints: Mapping[str, str]) -> tuple[str, ...]:
        """Identifiers of the venues that meet all constraints."""
        return tuple(venue.venue_id for venue in self.ontology.matching(venue_type, constraints))

    def new(
        self, draw: Callable[[Random], DrawnGoal], random: Random, seen: set[tuple[object, ...]]
    ) -> DrawnGoal:
        """A goal that was not drawn before, unless the ontology seems to have no other."""
        goal, tries = draw(random), _TRIES_FOR_NEW
        while goal.key in seen and tries:
            goal, tries = draw(random), tries - 1
        seen.add(goal.key)
        return goal

    def satisfiable(self, random: Random) -> DrawnGoal:
        """A venue's own values for some slots, some replaced by `dontcare`; one real value is kept."""
        venue, constraints = self._from_venue(random)
        indifferent = [slot for slot in constraints if random.random() < self.settings.dontcare]
        if len(indifferent) == len(constraints):
            indifferent.remove(random.choice(indifferent))
        wanted = {slot: DONTCARE if slot in indifferent else value for slot, value in constraints.items()}
        return DrawnGoal(venue.type, wanted, self._requests(venue, wanted, random))

    def unsatisfiable(self, random: Random) -> DrawnGoal:
        """A satisfiable goal with one value changed so that nothing matches; unchanged it is the alternative.

        Raises  InputError: every combination has a venue
        """
        for _ in range(_TRIES):
            venue, constraints = self._from_venue(random)
            if changes := list(self._changes_to_nothing(venue.type, constraints)):
                return self._changed(venue, constraints, random.choice(changes), random)
        for venue in self.venues:
            for constraints in self._all_constraints(venue):
                for change in self._changes_to_nothing(venue.type, constraints):
                    return self._changed(venue, constraints, change, random)
        raise InputError(
            "every combination of constraints has a venue",
            place="tasks.unsatisfiable",
            hint="allow more constraints, or write unsatisfiable: 0",
        )

    def _changed(
        self, venue: Venue, constraints: dict[str, str], change: tuple[str, str], random: Random
    ) -> DrawnGoal:
        wanted = {**constraints, change[0]: change[1]}
        return DrawnGoal(venue.type, wanted, self._requests(venue, wanted, random), alternative=constraints)

    def _changes_to_nothing(self, venue_type: str, constraints: dict[str, str]) -> Iterator[tuple[str, str]]:
        for name in constraints:
            slot = self.ontology.slots[name]
            for value in slot.values:
                if value not in slot.unasked and not self.matching(venue_type, {**constraints, name: value}):
                    yield name, value

    def _all_constraints(self, venue: Venue) -> Iterator[dict[str, str]]:
        slots, wanted = self._asked_of(venue), self.settings.constraints
        for size in range(wanted.min, min(wanted.max, len(slots)) + 1):
            for chosen in combinations(slots, size):
                yield {slot: venue.slots[slot] for slot in chosen}

    def _from_venue(self, random: Random) -> tuple[Venue, dict[str, str]]:
        """A venue, and its values for a sample of the slots to search by, in the ontology's order."""
        venue, wanted = random.choice(self.venues), self.settings.constraints
        slots = self._asked_of(venue)
        chosen = set(random.sample(slots, random.randint(wanted.min, min(wanted.max, len(slots)))))
        return venue, {slot: venue.slots[slot] for slot in slots if slot in chosen}

    def _requests(self, venue: Venue, constraints: dict[str, str], random: Random) -> tuple[str, ...]:
        """Slots to ask about, those first that the constraints do not settle already."""
        slots, wanted = self.requestable[venue.type], self.settings.requests
        size = random.randint(wanted.min, min(wanted.max, len(slots)))
        open_slots = [slot for slot in slots if slot not in constraints]
        settled = [slot for slot in slots if slot in constraints]
        picked = random.sample(open_slots, min(size, len(open_slots)))
        picked += random.sample(settled, size - len(picked))
        return tuple(slot for slot in slots if slot in picked)
