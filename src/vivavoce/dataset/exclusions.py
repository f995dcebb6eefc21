"""Dialogues and people excluded by a study's rules, and the rule of each."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from vivavoce.dataset.columns import FACTOR_PREFIX, Columns
from vivavoce.dataset.work_signs import WorkQuality
from vivavoce.study.exclusion import OF_WORK, Exclusion, Known
from vivavoce.study.quality import Quality

Row = dict[str, Any]
OWN_FAULTS: Final = ("interrupted", "internal")
BY_SYSTEM: Final = ("system", "failure")
_NAMED: Final = {"task": "task_id", "participant": "participant_id"}


def exclusion_rows(
    columns: Columns,
    rules: Sequence[Exclusion],
    fewest_user_turns: int,
    factors: Iterable[str] = (),
    *,
    turns_known: bool | None = None,
    quality: Quality | None = None,
) -> list[Row]:
    """The dialogues and people that rules leave out; each counts under the first rule that it meets.

    Input   columns: the rows of a table, with these columns alone
            fewest_user_turns: from how many on a dialogue is not trivial
            a dialogue under way is not judged yet
            turns_known: whether turns are logged at all (a chat elsewhere has none); None: where there is one
            quality: what was declared of good work; signs are then made of all rows that are there
    Output  dialogue_id, participant_id, rule (in words); a row without dialogue_id leaves out all that a
            participant did
    """
    if not rules:
        return []
    running = running_dialogues(columns)
    facts = _Facts(columns, fewest_user_turns, tuple(factors), turns_known, quality)
    people = [rule for rule in rules if rule.of_people]
    rows = [
        {"dialogue_id": None, "participant_id": person, "rule": rule}
        for person in facts.people
        if person is not None and (rule := _first(people, facts.of_person(person)))
    ]
    for dialogue_id, dialogue in facts.dialogues.items():
        if dialogue_id not in running and (rule := _first(rules, facts.of_dialogue(dialogue))):
            rows.append(
                {
                    "dialogue_id": dialogue_id,
                    "participant_id": dialogue["participant_id"],
                    "rule": rule,
                }
            )
    return rows


def running_dialogues(columns: Columns) -> set[str]:
    """Dialogues under way: neither they nor their visits have ended, so that nothing can be said of them."""
    people = columns("participants", ("participant_id", "outcome"))
    visiting = {person for person, outcome in people if outcome == "running"}
    if not visiting:
        return set()
    names = ("dialogue_id", "participant_id", "ended_at", "end_reason")
    return {
        dialogue_id
        for dialogue_id, person, ended_at, reason in columns("dialogues", names)
        if person in visiting and ended_at is None and reason is None
    }


def _first(rules: Iterable[Exclusion], values: Known) -> str | None:
    return next((rule.text for rule in rules if rule.met_by(values)), None)


def exclusion_counts(rows: Iterable[Row], rules: Sequence[Exclusion], of: int) -> Row:
    """Number of exclusions by each rule, as in `Dataset.excluded`."""
    listed = list(rows)
    dialogues = Counter(row["rule"] for row in listed if row["dialogue_id"] is not None)
    people = Counter(row["rule"] for row in listed if row["dialogue_id"] is None)
    return {
        "dialogues": dialogues.total(),
        "of": of,
        "people": people.total(),
        "rules": [
            {"rule": rule.text, "dialogues": dialogues[rule.text], "people": people[rule.text]}
            for rule in rules
        ],
    }


class _Facts:
    """Facts about dialogues and people, each table read when it is needed first."""

    def __init__(
        self,
        columns: Columns,
        fewest_user_turns: int,
        factors: tuple[str, ...],
        turns_known: bool | None,
        quality: Quality | None,
    ) -> None:
        self._columns, self._fewest, self._factors = columns, fewest_user_turns, factors
        self._told = turns_known
        declared = quality or Quality.model_validate({})
        self._work = {
            simulated: WorkQuality(columns, declared, simulated=simulated) for simulated in (False, True)
        }

    @cached_property
    def _turns_known(self) -> bool:
        return bool(self._turns) if self._told is None else self._told

    def _rows(self, table: str, *names: str) -> list[Row]:
        return [dict(zip(names, row, strict=True)) for row in self._columns(table, names)]

    @cached_property
    def dialogues(self) -> Mapping[str, Row]:
        names = (
            "dialogue_id",
            "participant_id",
            "system",
            "condition",
            "task_id",
            "channel",
            "language",
            "dialogue_number",
            "duration_s",
            "end_reason",
            "code_issued",
            *(FACTOR_PREFIX + factor for factor in self._factors),
        )
        return {row["dialogue_id"]: row for row in self._rows("dialogues", *names)}

    @cached_property
    def people(self) -> Mapping[str | None, Row]:
        rows = self._rows("participants", "participant_id", "outcome", "pool", "simulated")
        return {row["participant_id"]: row for row in rows}

    @cached_property
    def _turns(self) -> Counter[tuple[str, str]]:
        return Counter(self._columns("turns", ("dialogue_id", "party")))  # pyright: ignore[reportReturnType]

    @cached_property
    def _incidents(self) -> Mapping[str, list[str]]:
        failures: dict[str, list[str]] = defaultdict(list)
        for dialogue_id, failure in self._columns("incidents", ("dialogue_id", "failure")):
            failures[dialogue_id].append(failure)
        return failures

    @cached_property
    def _answers(self) -> Mapping[tuple[str, str | None], Mapping[str, list[Any]]]:
        """Answers by item: those about a dialogue under its key, the others under their participant's."""
        answers: dict[tuple[str, str | None], dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
        names = ("dialogue_id", "participant_id", "item_id", "value", "answer")
        for dialogue_id, person, item, value, answer in self._columns("ratings", names):
            whose = ("dialogue", dialogue_id) if dialogue_id is not None else ("person", person)
            answers[whose][item].append(answer if value is None else value)
        return answers

    def _sign(self, person: str | None, name: str) -> float | None:
        """A sign of somebody's work, held against others of their kind alone."""
        facts = self.people.get(person)
        if facts is None or person is None:
            return None
        return self._work[bool(facts["simulated"])].sign(person, name).value

    def of_person(self, person: str) -> Known:
        facts = self.people.get(person, {})

        def known(name: str) -> Any:
            if name == "answer":
                return self._answers.get(("person", person))
            if name in OF_WORK:
                return self._sign(person, name)
            return facts.get(_NAMED.get(name, name))

        return known

    def of_dialogue(self, dialogue: Row) -> Known:
        key, person = dialogue["dialogue_id"], dialogue["participant_id"]

        def known(name: str) -> Any:
            match name:
                case "trivial":
                    return self._trivial(dialogue)
                case "user_turns" | "system_turns":
                    return self._turns[key, name.removesuffix("_turns")] if self._turns_known else None
                case "incident":
                    return self._incidents.get(key)
                case "factor":
                    return {factor: dialogue[FACTOR_PREFIX + factor] for factor in self._factors}
                case name if name in OF_WORK:
                    return self._sign(person, name)
                case "outcome" | "pool":
                    return self.people.get(person, {}).get(name)
                case "answer":
                    of_person = self._answers.get(("person", person), {}) if person is not None else {}
                    return {**of_person, **self._answers.get(("dialogue", key), {})}
                case _:
                    return dialogue[_NAMED.get(name, name)]

        return known

    def _trivial(self, dialogue: Row) -> bool:
        """The participant left before it counted; a system that broke it off, or failed, is not excused."""
        key = dialogue["dialogue_id"]
        return (
            self._turns_known
            and self._turns[key, "user"] < self._fewest
            and not dialogue["code_issued"]
            and dialogue["end_reason"] not in BY_SYSTEM
            and all(failure in OWN_FAULTS for failure in self._incidents.get(key, ()))
        )
