"""From a dataset to cases: interactions are sampled, and one substitution is chosen for each.

As in IDIAL, one test is applied to an interaction, spread so that every test gets about as many. With
`each_test` an interaction is replayed once for every test that fits, still with one substitution a replay;
results are then clustered by dialogue.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from vivavoce.dataset.reader import Dataset
from vivavoce.log.events import LoggedAct
from vivavoce.study.task import Task
from vivavoce_stress.base import ASKED, STRESS_TESTS, TOLD_BEFORE, TRIED, Operator, Utterance, Variant
from vivavoce_stress.case import Approval, Case, LoggedTurn, digest, item_key
from vivavoce_stress.content_words import changed_words, content_of, kind_changed
from vivavoce_stress.courtesies import is_courtesy, only_courteous
from vivavoce_stress.evidence import asks_again, sentences_of
from vivavoce_stress.heuristics import plain
from vivavoce_stress.packs import pack_of
from vivavoce_stress.propose import NO_WORDS, Proposals, propose
from vivavoce_stress.utterances import read_utterances

PROPOSALS: Final = 5
CANDIDATES: Final = 12  # of an utterance and test, of whatever family but spelling, which changes any word
_WEIGHTS: Final = ("content", "small", "frame")  # of the words that spelling tests change, in this order
Proposing = Callable[[Utterance, str], Proposals]


@dataclass(frozen=True, slots=True)
class SampledTurn:
    """A turn of a logged interaction."""

    turn_index: int
    party: str
    text: str
    acts: tuple[LoggedAct, ...] = ()


@dataclass(slots=True)
class Interaction:
    """A logged dialogue, with all that a replay needs of it.

    listed  its utterance was put on a list to be tested, whatever it is
    """

    dialogue_id: str
    system: str
    language: str
    channel: str
    task_id: str | None
    turns: list[SampledTurn] = field(default_factory=list)
    listed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledItem:
    """An utterance of an interaction, the proposals for one test, best first, and the one that is tried."""

    item_id: str
    interaction: Interaction
    turn: SampledTurn
    previous: str | None
    test: str
    variants: tuple[Variant, ...]
    text: str
    rule: str
    confidence: float | None
    approval: Approval = "none"
    approved_by: str | None = None

    @property
    def pair(self) -> "Pair":
        return pair_of(self.interaction.language, self.turn.text, self.text)

    @property
    def pairs(self) -> set["Pair"]:
        """Keys that no other item repeats: the chosen variant, and all shown beside it."""
        language, original = self.interaction.language, self.turn.text
        return {self.pair, *(pair_of(language, original, variant.text) for variant in self.variants)}


Pair = tuple[str, str, str]


@dataclass(slots=True)
class ItemsTried:
    """Items that were sampled already, in this draw or before it.

    pairs  variants that no other item may repeat
    words  how often spelling tests changed a word, by language, and by language and test
    asked  utterances under a test, with their language
    """

    pairs: set[Pair] = field(default_factory=set)
    words: Counter[tuple[str, ...]] = field(default_factory=Counter)
    asked: set[Pair] = field(default_factory=set)

    def take(self, item: SampledItem) -> None:
        self.pairs |= item.pairs
        language, original = item.interaction.language, item.turn.text
        self.asked.add(pair_of(language, original, item.test))
        if STRESS_TESTS.get(item.test).family == "spelling":
            for word in changed_words(original, item.text):
                self.words.update([(language, word), (language, item.test, word)])

    def often(self, language: str, test: str, words: Iterable[str]) -> tuple[int, int]:
        """Number of changes of the most changed of these words, by this test and by all."""
        counts = [(self.words[language, test, word], self.words[language, word]) for word in words]
        return max(counts, default=(0, 0))


Choosing = Callable[[Interaction, str, ItemsTried], SampledItem | str]


def pair_of(language: str, original: str, variant: str) -> Pair:
    """Key of a variant and its original words, whatever the interaction."""
    return language, plain(original), variant


@dataclass(slots=True)
class Sample:
    """A sample: an item for each interaction that fits a test, and reasons for the others."""

    items: list[SampledItem] = field(default_factory=list)
    not_applicable: list[dict[str, Any]] = field(default_factory=list)

    def leave_out(self, interaction: Interaction, test: str, reason: str) -> None:
        """Note why a test has no case in an interaction."""
        self.not_applicable.append(
            {
                "test": test,
                "family": STRESS_TESTS.get(test).family,
                "language": interaction.language,
                "dialogue_id": interaction.dialogue_id,
                "reason": reason,
            }
        )


def interactions_of(dataset: Dataset, system: str | None = None) -> list[Interaction]:
    """The dialogues that people or callers held, in the order of the dataset; voice turns as recognised."""
    interactions: dict[str, Interaction] = {}
    for row in dataset.read("dialogues").to_pylist():
        if system is None or row["system"] == system:
            interactions[row["dialogue_id"]] = Interaction(
                row["dialogue_id"],
                row["system"],
                row["language"],
                "voice" if row["spoken"] else "text",
                row["task_id"],
            )
    acts = _acts(dataset)
    for row in dataset.read("turns").to_pylist():
        interaction, text = interactions.get(row["dialogue_id"]), row["reference"] or row["text"]
        if interaction is not None and text and text.strip():
            turn_acts = tuple(acts.get((row["dialogue_id"], row["turn_index"]), ()))
            interaction.turns.append(SampledTurn(row["turn_index"], row["party"], text.strip(), turn_acts))
    for interaction in interactions.values():
        interaction.turns.sort(key=lambda turn: turn.turn_index)
    return [
        interaction
        for interaction in interactions.values()
        if any(turn.party == "user" for turn in interaction.turns)
    ]


def interactions_in(path: Path, language: str) -> list[Interaction]:
    """An interaction of one user turn for every utterance of a file, behind the system turn that it names."""
    interactions = []
    for name, utterance in read_utterances(path, language):
        before = [SampledTurn(0, "system", utterance.previous)] if utterance.previous else []
        turns = [*before, SampledTurn(len(before), "user", utterance.text)]
        key = f"{path.stem}/{name}" if path.stem != "-" else f"{digest(utterance.text)}/{name}"
        interactions.append(Interaction(key, "", utterance.language, "text", None, turns, listed=True))
    return interactions


def _acts(dataset: Dataset) -> dict[tuple[str, int], list[LoggedAct]]:
    """User acts by turn."""
    acts: dict[tuple[str, int], list[LoggedAct]] = defaultdict(list)
    for row in dataset.read("acts").to_pylist():
        if row["layer"] == "reference" and row["rank"] == 0:
            act = LoggedAct(act=row["act"], slot=row["slot"], value=row["value"], op=row["op"])
            acts[(row["dialogue_id"], row["turn_index"])].append(act)
    return acts


def sample(
    interactions: Sequence[Interaction],
    tests: Sequence[str],
    choose: Choosing,
    *,
    size: int | None = None,
    each_test: bool = False,
    seed: int = 1,
    languages: Sequence[str] = (),
    known: ItemsTried | None = None,
) -> Sample:
    """Items for replay, drawn with a seed.

    choose  gives the item of an interaction for a test, none of what is tried already, or why there is none
    size    interactions to look at, drawn at random, as many of each language; all when left out
    known   what counts as tried from the beginning
    """
    chance = Random(f"sample:{seed}")
    usable = [
        interaction
        for interaction in interactions
        if not languages or interaction.language.split("-")[0] in languages
    ]
    chosen, used, tried = Sample(), Counter[str](), known or ItemsTried()

    def take(item: SampledItem) -> None:
        chosen.items.append(item)
        tried.take(item)

    for interaction in _drawn(usable, min(size or len(usable), len(usable)), chance):
        able: dict[str, SampledItem] = {}
        for test in tests:
            choice = choose(interaction, test, tried)
            if not isinstance(choice, SampledItem):
                chosen.leave_out(interaction, test, choice)
            elif each_test:
                take(choice)
            else:
                able[test] = choice
        if able:
            test = min(able, key=lambda one: (used[one], chance.random()))
            used[test] += 1
            take(able[test])
    return chosen


def _drawn(usable: Sequence[Interaction], size: int, chance: Random) -> list[Interaction]:
    """Random sample of this size, balanced over languages as far as they allow."""
    if size == len(usable) or len({interaction.language for interaction in usable}) < 2:
        return chance.sample(usable, size)
    mixed, ranks = chance.sample(usable, len(usable)), Counter[str]()
    placed = list[tuple[int, Interaction]]()
    for candidate in mixed:
        placed.append((ranks[candidate.language], candidate))
        ranks[candidate.language] += 1
    return [interaction for _, interaction in sorted(placed, key=lambda each: each[0])][:size]


def proposing(
    seed: int,
    operators: Iterable[Operator] = (),
    backends: Sequence[str] = (),
    certainty: float | None = None,
) -> Proposing:
    """Our operators, and these beside them; with the backends that serve an utterance's language.

    certainty  least confidence of a variant, 0 for all; None: what each test declares, so that people, who
               look at all of lexical and syntactic tests, choose among more than is proposed unasked
    """
    from vivavoce_stress.backends import backends_for

    more = tuple(operators)

    def made(said: Utterance, test: str) -> Proposals:
        pack = pack_of(said.language, backends_for(backends, said.language))
        stress_test = STRESS_TESTS.get(test)
        least = stress_test.certainty if certainty is None and needs_review(test) else certainty
        limit = None if stress_test.family == "spelling" else CANDIDATES
        return propose(said, [test], seed=seed, limit=limit, operators=more, pack=pack, certainty=least)

    return made


def item_of(
    interaction: Interaction,
    test: str,
    made: Proposing,
    seed: int,
    tried: ItemsTried | None = None,
    *,
    shown: int = 1,
    once: bool = False,
) -> SampledItem | str:
    """A request of the interaction to which the test applies, drawn among all; else why there is none.

    Spelling tests change a word that carries what is asked for, among those of all its requests the one that
    was changed least so far; a word of the request's frame only where it finds no other.

    tried  variants that are not to be chosen again, wherever the same words were said
    shown  the item has so many variants at most
    once   an utterance that was drawn for the test is not drawn again, be it with other variants
    """
    if interaction.channel not in STRESS_TESTS.get(test).channels:
        return f"it does not apply to {interaction.channel}"
    tried_items, language = tried or ItemsTried(), interaction.language
    spelling = STRESS_TESTS.get(test).family == "spelling"
    places = [place for place, turn in enumerate(interaction.turns) if turn.party == "user"]
    Random(f"{seed}:{interaction.dialogue_id}:{test}").shuffle(places)
    reason, repeating = "the interaction has no user turn", set[int]()
    if places and not interaction.listed:
        reason = "the utterance contains only greetings, thanks, farewells, yes or no"
        turns = interaction.turns
        places = [
            place for place in places if not is_courtesy(turns[place].text, language, turns[place].acts)
        ]
        repeating = {place for place in places if told_before(turns, place, language)}

    def weight(one: Variant) -> int:
        return _WEIGHTS.index(kind_changed(one.original, one.text, language)) if spelling else 0

    def rank(one: Variant) -> tuple[int, ...]:
        words = changed_words(one.original, one.text) if spelling else ()
        often = tried_items.often(language, test, words)
        return only_courteous(one.edits, one.original, language), weight(one), *often

    best, without_any = None, reason
    for place in sorted(places, key=repeating.__contains__):
        turn = interaction.turns[place]
        if best is not None and place in repeating:
            break
        if once and pair_of(language, turn.text, test) in tried_items.asked:
            reason = ASKED
            continue
        before = interaction.turns[place - 1] if place else None
        previous = before.text if before and before.party == "system" else None
        proposals = made(Utterance(text=turn.text, language=language, previous=previous), test)
        heaviest = min(map(weight, proposals.variants), default=0)
        fitting = [
            variant for variant in proposals.variants if heaviest or weight(variant) < len(_WEIGHTS) - 1
        ]
        untried = (
            variant
            for variant in fitting
            if pair_of(language, turn.text, variant.text) not in tried_items.pairs
        )
        variants = sorted(untried, key=rank)
        if place in repeating:
            reason = TOLD_BEFORE if variants and reason not in (TRIED, ASKED) else reason
        elif proposals.variants and not variants:
            reason = TRIED
        elif variants and (best is None or rank(variants[0]) < rank(best.variants[0])):
            best = SampledItem(
                item_id=item_key(interaction.dialogue_id, turn.turn_index, test, turn.text),
                interaction=interaction,
                turn=turn,
                previous=previous,
                test=test,
                variants=tuple(variants[:shown]),
                text=variants[0].text,
                rule=variants[0].rule,
                confidence=variants[0].confidence,
            )
        elif not variants and reason not in (TRIED, ASKED) and proposals.not_applicable:
            why = proposals.not_applicable[0].reason
            reason = why if why != NO_WORDS or reason == without_any else reason
        if best is not None and not spelling:
            return best
    return best or reason


def told_before(turns: Sequence[SampledTurn], place: int, language: str) -> bool:
    """True if a user's turn only repeats known information, so that nothing in it can fail.

    A turn counts as told unless the system said at once that it did not understand it. What answers a
    question repeats nothing, be it in words that were said before, unless it is a whole request again.
    """
    mine = content_of(turns[place].text, language)
    earlier = [
        content_of(turns[at].text, language)
        for at in range(place)
        if turns[at].party == "user" and not asks_again(turns[at + 1].text, language)
    ]
    before = turns[place - 1].text if place and turns[place - 1].party == "system" else ""
    if not asks_again(before, language) and any(sentence.endswith("?") for sentence in sentences_of(before)):
        return len(mine) > 1 and mine in earlier
    return bool(mine) and mine <= frozenset().union(*earlier)


def case_of(item: SampledItem, tasks: dict[str, Task]) -> Case:
    """The case in which the item's variant is tried."""
    user_turns = [
        (turn.turn_index, LoggedTurn(text=turn.text, acts=turn.acts))
        for turn in item.interaction.turns
        if turn.party == "user"
    ]
    index = item.turn.turn_index
    return Case(
        case_id=item.item_id,
        test=item.test,
        family=STRESS_TESTS.get(item.test).family,
        language=item.interaction.language,
        channel=item.interaction.channel,
        dialogue_id=item.interaction.dialogue_id,
        turn_index=index,
        before=tuple(turn for place, turn in user_turns if place < index),
        original=item.turn.text,
        original_acts=item.turn.acts,
        variant=item.text,
        after=tuple(turn for place, turn in user_turns if place > index),
        task=tasks.get(item.interaction.task_id or ""),
        rule=item.rule,
        confidence=item.confidence,
        approval=item.approval,
        approved_by=item.approved_by,
    )


def needs_review(test: str) -> bool:
    """True if a person must review a variant of this test before it may run."""
    return STRESS_TESTS.get(test).approval != "none"
