"""The question of a judge, read from a dataset: an item in its own wording, and the dialogues, blind."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any, Final

from vivavoce.analysis.label_targets import is_label, labelled_cases
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.dataset.reader import Dataset
from vivavoce.judges.base import PREFERENCE, JudgeCase, JudgeQuestion, JudgeSettings
from vivavoce.questionnaires.instrument import INSTRUMENTS, load_wording
from vivavoce.study.schemes import bundled, said, scheme_names

WHICH: Final = "Which of the two answers to the user's last message is better?"


def question_of(dataset: Dataset, target: str, settings: JudgeSettings) -> JudgeQuestion:
    """The question of a target, in the sentence that participants or annotators read.

    Input   target: an item that was answered about dialogues, a scheme of annotation and its label such as
            `context.AP` (1: it stands, 0: it does not), or `preference`
    Raises  UnknownName: nobody was asked such an item; InputError: no wording, and the judge's file has none
    """
    if target == PREFERENCE:
        return JudgeQuestion(target, settings.question or WHICH, {})
    if is_label(dataset, target) and settings.question is None:
        return _label_question(dataset, target)
    rows = dataset.read("ratings").select(["instrument", "language", "item_id", "dialogue_id"]).to_pylist()
    items = {row["item_id"]: row for row in rows if row["dialogue_id"] is not None}
    if target not in items and settings.question is None:
        raise UnknownName("item", target, sorted({*items, PREFERENCE}), place="--target")
    if settings.question is not None:
        return JudgeQuestion(target, settings.question, dict(sorted((settings.labels or {}).items())))
    row = items[target]
    hint = "add the question as `question` and the codes as `labels` to the judge's file"
    if row["instrument"] not in INSTRUMENTS:
        raise InputError(
            f"no questionnaire {row['instrument']!r} in this dataset", place="--target", hint=hint
        )
    instrument = INSTRUMENTS.get(row["instrument"])
    wording = load_wording(instrument, row["language"] or "en")
    item = instrument.item(target)
    scale = instrument.scale_of(item)
    if scale is None or item.scale is None or scale.nominal:
        raise InputError(f"{target!r} has no ordered codes", place="--target", hint="choose another item")
    labels = {float(code): wording.label(item.scale, code) for code in scale.codes}
    return JudgeQuestion(target, wording.items[target], labels, wording.instruction)


def _label_question(dataset: Dataset, target: str) -> JudgeQuestion:
    """A scheme's question in the dataset's language, with the label against all that else may be said."""
    name, _, label = target.partition(".")
    if name not in scheme_names() or (scheme := bundled(name)).label(label) is None:
        hint = "add the question as `question` and the codes 1 and 0 as `labels` to the judge's file"
        raise InputError(f"no annotation scheme has {target!r}", place="--target", hint=hint)
    spoken = dataset.read("dialogues", ["language"])["language"].to_pylist()
    language = Counter(code for code in spoken if code).most_common(1)[0][0] if any(spoken) else "en"
    meanings = {
        entry.label: " ".join(
            part for part in (said(entry.text, language), said(entry.help, language)) if part
        )
        for entry in scheme.labels
    }
    alternatives = [words for code, words in meanings.items() if code != label] if scheme.exclusive else []
    steps = scheme.decision.get(language) or scheme.decision.get("en") or []
    instruction = " ".join([said(scheme.title, language) + ".", *steps])
    return JudgeQuestion(
        target,
        said(scheme.question, language),
        {0.0: " / ".join(alternatives) or "no", 1.0: meanings[label]},
        instruction,
    )


def cases_of(dataset: Dataset, target: str) -> list[JudgeCase]:
    """Every dialogue, turn, or vote of an arena as a pair, in the dataset's order; no system is named.

    Note    of a turn all that was said is shown, as annotators see it
    """
    turns: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
    for row in dataset.read("turns").select(["dialogue_id", "turn_index", "party", "text"]).to_pylist():
        turns[row["dialogue_id"]].append((row["turn_index"], row["party"], row["text"] or ""))
    spoken = {dialogue_id: sorted(spoken_turns) for dialogue_id, spoken_turns in turns.items()}
    dialogues: list[dict[str, Any]] = (
        dataset.read("dialogues").select(["dialogue_id", "language", "task_text"]).to_pylist()
    )
    if is_label(dataset, target):
        return _label_cases(dataset, target, {row["dialogue_id"]: row for row in dialogues}, spoken)
    if target != PREFERENCE:
        return [
            JudgeCase(
                row["dialogue_id"],
                row["language"],
                _until(spoken.get(row["dialogue_id"], [])),
                row["task_text"],
            )
            for row in dialogues
        ]
    tasks = {row["dialogue_id"]: row for row in dialogues}
    cases = []
    for vote in dataset.read("votes").to_pylist():
        left_id, right = vote["left_dialogue_id"], vote["right_dialogue_id"]
        facts = tasks.get(left_id, {})
        cases.append(
            JudgeCase(
                left_id,
                vote["language"] or facts.get("language") or "en",
                _until(spoken.get(left_id, []), vote["left_turn_index"]),
                facts.get("task_text"),
                right,
                _until(spoken.get(right, []), vote["right_turn_index"]),
                vote["exchange"],
            )
        )
    return cases


def _label_cases(
    dataset: Dataset,
    target: str,
    dialogues: Mapping[str, Mapping[str, Any]],
    spoken: Mapping[str, list[tuple[int, str, str]]],
) -> list[JudgeCase]:
    places = labelled_cases(dataset, target)
    return [
        JudgeCase(
            dialogue_id,
            dialogues[dialogue_id]["language"] or "en",
            _until(spoken.get(dialogue_id, [])),
            dialogues[dialogue_id]["task_text"],
            turn_index=turn,
            judged=None if turn is None else [index for index, _, _ in spoken[dialogue_id]].index(turn),
        )
        for dialogue_id, turn in zip(places.dialogues, places.turns, strict=True)
    ]


def _until(turns: list[tuple[int, str, str]], last: int | None = None) -> tuple[tuple[str, str], ...]:
    return tuple((party, text) for index, party, text in turns if last is None or index <= last)
