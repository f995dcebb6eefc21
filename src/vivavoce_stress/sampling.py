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
        """What no other item repeats: the variant that is tried, and all that are shown beside it."""
        language, said = self.interaction.language, self.turn.text
        return {self.pair, *(pair_of(language, said, variant.text) for variant in self.variants)}


Pair = tuple[str, str, str]


@dataclass(slots=True)
class ItemsTried:
    """What items were drawn already, in a draw or before it.

    pairs  variants that no other item may repeat
    words  how often spelling tests changed a word, by language, and by language and test
    asked  utterances under a test, with their language
    """

    pairs: set[Pair] = field(default_factory=set)
    words: Counter[tuple[str, ...]] = field(default_factory=Counter)
    asked: set[Pair] = field(default_factory=set)

    def take(self, item: SampledItem) -> None:
        self.pairs |= item.pairs
        language, said = item.interaction.language, item.turn.text
        self.asked.add(pair_of(language, said, item.test))
        if STRESS_TESTS.get(item.test).family == "spelling":
            for word in changed_words(said, item.text):
                self.words.update([(language, word), (language, item.test, word)])

    def often(self, language: str, test: str, words: Iterable[str]) -> tuple[int, int]:
        """How often the most changed of some words was changed, by this test and by all."""
        counts = [(self.words[language, test, word], self.words[language, word]) for word in words]
        return max(counts, default=(0, 0))


Choosing = Callable[[Interaction, str, ItemsTried], SampledItem | str]


def pair_of(language: str, original: str, variant: str) -> Pair:
    """The same for the same variant of the same words, wherever they were said."""
    return language, plain(original), variant


@dataclass(slots=True)
class Sample:
    """What was chosen: an item for every interaction that a test fits, and why others have none."""

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
    found: dict[str, Interaction] = {}
    for row in dataset.read("dialogues").to_pylist():
        if system is None or row["system"] == system:
            found[row["dialogue_id"]] = Interaction(
                row["dialogue_id"], row["system"], row["language"], _channel(row["channel"]), row["task_id"]
            )
    acts = _acts(dataset)
    for row in dataset.read("turns").to_pylist():
        interaction, text = found.get(row["dialogue_id"]), row["reference"] or row["text"]
        if interaction is not None and text and text.strip():
            meant = tuple(acts.get((row["dialogue_id"], row["turn_index"]), ()))
            interaction.turns.append(SampledTurn(row["turn_index"], row["party"], text.strip(), meant))
    for interaction in found.values():
        interaction.turns.sort(key=lambda turn: turn.turn_index)
    return [one for one in found.values() if any(turn.party == "user" for turn in one.turns)]


def interactions_in(path: Path, language: str) -> list[Interaction]:
    """An interaction of one user turn for every utterance of a file, behind the system turn that it names."""
    found = []
    for name, said in read_utterances(path, language):
        before = [SampledTurn(0, "system", said.previous)] if said.previous else []
        turns = [*before, SampledTurn(len(before), "user", said.text)]
        key = f"{path.stem}/{name}" if path.stem != "-" else f"{digest(said.text)}/{name}"
        found.append(Interaction(key, "", said.language, "text", None, turns, listed=True))
    return found


def _acts(dataset: Dataset) -> dict[tuple[str, int], list[LoggedAct]]:
    """What users meant, by turn."""
    found: dict[tuple[str, int], list[LoggedAct]] = defaultdict(list)
    for row in dataset.read("acts").to_pylist():
        if row["layer"] == "reference" and row["rank"] == 0:
            act = LoggedAct(act=row["act"], slot=row["slot"], value=row["value"], op=row["op"])
            found[(row["dialogue_id"], row["turn_index"])].append(act)
    return found


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
    usable = [one for one in interactions if not languages or one.language.split("-")[0] in languages]
    chosen, used, tried = Sample(), Counter[str](), known or ItemsTried()

    def take(item: SampledItem) -> None:
        chosen.items.append(item)
        tried.take(item)

    for interaction in _drawn(usable, min(size or len(usable), len(usable)), chance):
        able: dict[str, SampledItem] = {}
        for test in tests:
            found = choose(interaction, test, tried)
            if not isinstance(found, SampledItem):
                chosen.leave_out(interaction, test, found)
            elif each_test:
                take(found)
            else:
                able[test] = found
        if able:
            test = min(able, key=lambda one: (used[one], chance.random()))
            used[test] += 1
            take(able[test])
    return chosen


def _drawn(usable: Sequence[Interaction], size: int, chance: Random) -> list[Interaction]:
    """So many at random; of several languages as many each, as far as they have them."""
    if size == len(usable) or len({one.language for one in usable}) < 2:
        return chance.sample(usable, size)
    mixed, ranks = chance.sample(usable, len(usable)), Counter[str]()
    placed = list[tuple[int, Interaction]]()
    for one in mixed:
        placed.append((ranks[one.language], one))
        ranks[one.language] += 1
    return [one for _, one in sorted(placed, key=lambda each: each[0])][:size]


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
        known = STRESS_TESTS.get(test)
        least = known.certainty if certainty is None and needs_review(test) else certainty
        limit = None if known.family == "spelling" else CANDIDATES
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
        return f"it is not applied to {interaction.channel}"
    known, language = tried or ItemsTried(), interaction.language
    spelling = STRESS_TESTS.get(test).family == "spelling"
    places = [place for place, turn in enumerate(interaction.turns) if turn.party == "user"]
    Random(f"{seed}:{interaction.dialogue_id}:{test}").shuffle(places)
    reason, told = "the interaction has no user turn", set[int]()
    if places and not interaction.listed:
        reason = "there are but greetings, thanks, farewells, yes and no"
        turns = interaction.turns
        places = [one for one in places if not is_courtesy(turns[one].text, language, turns[one].acts)]
        told = {one for one in places if told_before(turns, one, language)}

    def weight(one: Variant) -> int:
        return _WEIGHTS.index(kind_changed(one.original, one.text, language)) if spelling else 0

    def rank(one: Variant) -> tuple[int, ...]:
        words = changed_words(one.original, one.text) if spelling else ()
        often = known.often(language, test, words)
        return only_courteous(one.edits, one.original, language), weight(one), *often

    best, without_any = None, reason
    for place in sorted(places, key=told.__contains__):
        turn = interaction.turns[place]
        if best is not None and place in told:
            break
        if once and pair_of(language, turn.text, test) in known.asked:
            reason = ASKED
            continue
        before = interaction.turns[place - 1] if place else None
        previous = before.text if before and before.party == "system" else None
        found = made(Utterance(text=turn.text, language=language, previous=previous), test)
        heaviest = min(map(weight, found.variants), default=0)
        fitting = [variant for variant in found.variants if heaviest or weight(variant) < len(_WEIGHTS) - 1]
        untried = (one for one in fitting if pair_of(language, turn.text, one.text) not in known.pairs)
        variants = sorted(untried, key=rank)
        if place in told:
            reason = TOLD_BEFORE if variants and reason not in (TRIED, ASKED) else reason
        elif found.variants and not variants:
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
        elif not variants and reason not in (TRIED, ASKED) and found.not_applicable:
            why = found.not_applicable[0].reason
            reason = why if why != NO_WORDS or reason == without_any else reason
        if best is not None and not spelling:
            return best
    return best or reason


def told_before(turns: Sequence[SampledTurn], place: int, language: str) -> bool:
    """Whether a user's turn only repeats what the system was told before, so that nothing in it can fail.

    A turn counts as told unless the system said at once that it did not understand it. What answers a
    question repeats nothing, be it in words that were said before, unless it is a whole request again.
    """
    mine = content_of(turns[place].text, language)
    known = [
        content_of(turns[at].text, language)
        for at in range(place)
        if turns[at].party == "user" and not asks_again(turns[at + 1].text, language)
    ]
    before = turns[place - 1].text if place and turns[place - 1].party == "system" else ""
    if not asks_again(before, language) and any(one.endswith("?") for one in sentences_of(before)):
        return len(mine) > 1 and mine in known
    return bool(mine) and mine <= frozenset().union(*known)


def case_of(item: SampledItem, tasks: dict[str, Task]) -> Case:
    """The case in which the item's variant is tried."""
    said = [
        (turn.turn_index, LoggedTurn(text=turn.text, acts=turn.acts))
        for turn in item.interaction.turns
        if turn.party == "user"
    ]
    here = item.turn.turn_index
    return Case(
        case_id=item.item_id,
        test=item.test,
        family=STRESS_TESTS.get(item.test).family,
        language=item.interaction.language,
        channel=item.interaction.channel,
        dialogue_id=item.interaction.dialogue_id,
        turn_index=here,
        before=tuple(one for place, one in said if place < here),
        original=item.turn.text,
        original_acts=item.turn.acts,
        variant=item.text,
        after=tuple(one for place, one in said if place > here),
        task=tasks.get(item.interaction.task_id or ""),
        rule=item.rule,
        confidence=item.confidence,
        approval=item.approval,
        approved_by=item.approved_by,
    )


def needs_review(test: str) -> bool:
    """Whether a person must look at a variant of this test before it may run."""
    return STRESS_TESTS.get(test).approval != "none"


def _channel(channel: str) -> str:
    return "voice" if channel in ("voice", "phone") else "text"
