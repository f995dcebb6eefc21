"""Layers of expert annotation: what `annotations` may say, and how several annotators make one label.

A row is one label by one annotator. An annotator who has read a dialogue and found nothing in a layer says so
by the label `none` without turn; a dialogue without any row in a layer was not annotated in it. Where several
annotated, a label stands when more than half of them gave it; rows of the annotator `adjudicated` settle a
dialogue's layer alone, but for the turns that they label `undecided`. Where no label has most of them and
nobody decided, the place is open. Layers that are not listed here are kept unchanged.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

NOTHING: Final = "none"
UNDECIDED: Final = "undecided"
ADJUDICATED: Final = "adjudicated"

About = Literal["user", "system", "turn", "dialogue"]


class Layer(NamedTuple):
    """One layer: on what it is said, with which labels.

    exclusive   one label a turn (and a value, where labels take one); else several may stand together
    value       what a label's value names; empty where labels take none
    """

    name: str
    about: About
    meaning: str
    labels: Mapping[str, str]
    exclusive: bool = True
    value: str = ""


_YES: Final = {"yes": "it is one"}

LAYERS: Final[dict[str, Layer]] = {
    layer.name: layer
    for layer in (
        Layer(
            "user_question",
            "user",
            "a question that the user asks",
            _YES,
            exclusive=False,
            value="number, where a turn has several",
        ),
        Layer(
            "answer",
            "user",
            "how the system answered the question in this turn",
            {
                "CO": "correctly",
                "IC": "incorrectly",
                "PA": "partially correctly",
                "FA": "not at all",
            },
            value="number, where a turn has several questions",
        ),
        Layer(
            "context",
            "system",
            "contextual appropriateness",
            {
                "AP": "appropriate: violates no maxim, neither conspicuous nor marked",
                "IA": "inappropriate: violates a maxim or several",
                "TF": "total failure: no linguistic response",
                "IC": "incomprehensible: the annotator cannot tell the content",
            },
        ),
        Layer(
            "maxim",
            "system",
            "maxims that an inappropriate turn violates",
            {
                "quality": "says what is false or unsupported",
                "quantity": "says too little or too much",
                "relevance": "is not to the point",
                "manner": "is obscure, ambiguous or out of order",
                "partner_asymmetry": "hides that the partners are unlike",
                "background_knowledge": "expects knowledge that the user lacks",
                "repair": "does not mend a trouble that shows",
            },
            exclusive=False,
        ),
        Layer(
            "grounding",
            "system",
            "whether documents that the system looked up say what an answer says",
            {
                "grounded": "they say all of its facts",
                "partly": "some of them",
                "ungrounded": "none of them",
            },
        ),
        Layer(
            "correction", "turn", "a turn mainly about mending a trouble, without new content", _YES, False
        ),
        Layer("help_request", "user", "the user asks for help", _YES, False),
        Layer("cancel", "user", "the user tries to cancel or start over", _YES, False),
        Layer(
            "barge_in", "user", "the user starts while the system speaks; a backchannel is none", _YES, False
        ),
        Layer(
            "system_flag",
            "system",
            "what kind of prompt a turn is",
            {
                "question": "asks for information",
                "help": "tells the options",
                "error_message": "says that a thing cannot be done",
                "rejection_prompt": "says that nothing was understood",
                "timeout_prompt": "follows silence",
            },
            exclusive=False,
        ),
        Layer(
            "parse",
            "user",
            "how many of the turn's concepts the system understood",
            {
                "CO": "all",
                "PA": "some, not all",
                "IC": "none",
            },
        ),
        Layer(
            "recovery",
            "user",
            "how the system went on after a turn understood in part",
            {
                "appropriate": "its answer was appropriate",
                "inappropriate": "it was not",
            },
        ),
        Layer(
            "avp",
            "user",
            "what became of a concept",
            {
                "c": "understood",
                "s": "substituted",
                "i": "inserted",
                "d": "deleted",
                "not": "rightly not set",
            },
            value="the concept, such as food=thai",
        ),
        Layer(
            "avm",
            "dialogue",
            "the values the system held at the end; the label is the slot",
            {},
            exclusive=False,
            value="the value",
        ),
        Layer(
            "subtask",
            "dialogue",
            "what became of a sub-task",
            {
                "S": "succeeded without relaxing a constraint",
                "SCs": "succeeded after a relaxation by the system",
                "SCu": "succeeded after a relaxation by the user",
                "SCsCu": "succeeded after a relaxation by both",
                "SN": "found out that there is no solution",
                "Fs": "failed because of the system",
                "Fu": "failed because of the user",
            },
            value="the sub-task, where there are several",
        ),
        Layer(
            "inspire",
            "turn",
            "classes of errors; `repetition` is the system's, all others the user's",
            {
                "no_input": "says nothing when a command is expected",
                "capability": "wants what the system cannot do",
                "state": "says what would be valid in another state of the dialogue",
                "unprogressive_state": "says what is valid, but known to the system already",
                "vocabulary_and_grammar": "would be understood with one synonym or another order of words",
                "word_error": "a verb, noun or adjective that is a synonym of a known one",
                "modelling": "would be understood if the system represented the concept otherwise",
                "space": "refers to space in a way that the system does not model",
                "repetition": "the system gives the same prompt again",
            },
            exclusive=False,
            value="of word_error: verb, noun or adjective",
        ),
    )
}


class Label(NamedTuple):
    """One label that stands."""

    turn_index: int | None
    label: str
    value: str | None


class Dispute(NamedTuple):
    """An open place: annotators differ, no label has most of them, and nobody decided.

    options  what may come to stand there, each a label or nothing
    said     the place in `options` of what each annotator says, in the order of their names
    """

    turn_index: int | None
    options: tuple[Label | None, ...]
    said: tuple[int, ...]


Decisions = Mapping[tuple[str, str], Sequence[int]]


class Labels:
    """The labels of a dataset that stand, by layer and dialogue; a dialogue not annotated is not there.

    seen  told of every layer that is looked at
    """

    def __init__(
        self, rows: Iterable[Mapping[str, Any]], seen: Callable[[str], None] = lambda layer: None
    ) -> None:
        by_dialogue: dict[tuple[str, str], dict[str, set[Label]]] = defaultdict(lambda: defaultdict(set))
        for row in rows:
            labels = by_dialogue[row["layer"], row["dialogue_id"]][row["annotator_id"]]
            labels.add(Label(row["turn_index"], row["label"], row["value"]))
        self._seen = seen
        self._standing: dict[str, dict[str, list[Label]]] = defaultdict(dict)
        self._open: dict[str, dict[str, list[Dispute]]] = defaultdict(dict)
        for (layer, dialogue_id), by_annotator in by_dialogue.items():
            standing, disputes = _settled(LAYERS.get(layer), by_annotator)
            self._standing[layer][dialogue_id] = standing
            if disputes:
                self._open[layer][dialogue_id] = disputes

    def of(self, layer: str) -> Mapping[str, list[Label]]:
        """Labels by dialogue, in the order of turns; no labels where annotators found nothing."""
        self._seen(layer)
        return self._standing.get(layer, {})

    def open(self, layer: str) -> Mapping[str, list[Dispute]]:
        """The places without a label that stands, by dialogue."""
        return self._open.get(layer, {})

    def layers(self) -> list[str]:
        """The layers in which anybody annotated anything."""
        return list(self._standing)

    def decided(self, decisions: Decisions, seen: Callable[[str], None] = lambda layer: None) -> "Labels":
        """The labels that would stand if open places were decided so: an option for each, in their order."""
        copied = Labels((), seen)
        copied._standing = defaultdict(
            dict, {layer: dict(dialogue_labels) for layer, dialogue_labels in self._standing.items()}
        )
        for (layer, dialogue_id), chosen in decisions.items():
            disputes = self._open[layer][dialogue_id]
            won = [dispute.options[option] for dispute, option in zip(disputes, chosen, strict=True)]
            merged = [*self._standing[layer][dialogue_id], *(label for label in won if label is not None)]
            copied._standing[layer][dialogue_id] = sorted(merged, key=_order)
        return copied


def _order(label: Label) -> tuple[int, str, str]:
    return label.turn_index or 0, label.label, label.value or ""


def _settled(
    layer: Layer | None, by_annotator: Mapping[str, set[Label]]
) -> tuple[list[Label], list[Dispute]]:
    """The labels that stand, and the places that are open."""
    decided = by_annotator.get(ADJUDICATED)
    everybody = {who: labels for who, labels in sorted(by_annotator.items()) if who != ADJUDICATED}
    stand: list[Label] = []
    if decided is not None:
        stand = [label for label in decided if label.label not in (NOTHING, UNDECIDED)]
        undecided = {label.turn_index for label in decided if label.label == UNDECIDED}
        everybody = {
            who: {label for label in labels if label.turn_index in undecided}
            for who, labels in everybody.items()
        }
    split = _exclusive if layer is not None and layer.exclusive else _together
    won, disputes = split(
        [{label for label in labels if label.label != NOTHING} for labels in everybody.values()]
    )
    return sorted([*stand, *won], key=_order), disputes


def _exclusive(label_sets: Sequence[set[Label]]) -> tuple[list[Label], list[Dispute]]:
    """One label a turn and value: more than half of those who judged it must have given it."""
    units = {(label.turn_index, label.value) for labels in label_sets for label in labels}
    won: list[Label] = []
    disputes: list[Dispute] = []
    for unit in sorted(units, key=lambda unit: (unit[0] or 0, unit[1] or "")):
        unit_labels = [
            [label for label in labels if (label.turn_index, label.value) == unit] for labels in label_sets
        ]
        votes = [min(labels, key=_order) for labels in unit_labels if labels]
        best, count = Counter(votes).most_common(1)[0]
        if 2 * count > len(votes):
            won.append(best)
            continue
        options = tuple(dict.fromkeys(votes))
        disputes.append(Dispute(unit[0], options, tuple(options.index(vote) for vote in votes)))
    return won, disputes


def _together(label_sets: Sequence[set[Label]]) -> tuple[list[Label], list[Dispute]]:
    """Labels that may stand together: more than half of those who annotated must have given each."""
    won: list[Label] = []
    disputes: list[Dispute] = []
    for label in sorted({label for labels in label_sets for label in labels}, key=_order):
        votes = [label in labels for labels in label_sets]
        if 2 * sum(votes) > len(label_sets):
            won.append(label)
        elif 2 * sum(votes) == len(label_sets):
            options = (label, None)
            disputes.append(Dispute(label.turn_index, options, tuple(0 if yes else 1 for yes in votes)))
    return won, disputes
