"""Exclusions by the study's rules, and signs of the quality of each participant's work.

A sign is no verdict. No sign depends on how well a system did: times are compared with those of dialogues
with the same system, and dialogues in which a system failed are no evidence on whether a task was pursued.
People are compared with people, programs with programs.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from statistics import fmean, median
from typing import Any, Final, NamedTuple

from vivavoce.core.text import bare, normalise_value
from vivavoce.dataset.columns import FACTOR_PREFIX, Columns
from vivavoce.dataset.vocabulary import DONTCARE, NAME, REFERENCE_SOURCES, THIS
from vivavoce.study.exclusion import OF_OUTCOMES, OF_WORK, Exclusion, Known, holds
from vivavoce.study.quality import SIGNS, Quality

Row = dict[str, Any]
TASK_TABLES: Final = {
    "goals": ("dialogue_id", "goal_index", "origin", "kind", "slot", "op", "value"),
    "turns": ("dialogue_id", "turn_index", "party"),
    "acts": (
        "dialogue_id",
        "turn_index",
        "layer",
        "source",
        "rank",
        "position",
        "act",
        "slot",
        "op",
        "value",
    ),
}
"""What must be read of which table."""


class PursuedDialogue(NamedTuple):
    """Number of constraints and requests of the task that could be pursued in a dialogue, and that were."""

    dialogue_id: str
    pursued: int
    wanted: int


def pursued_dialogues(
    dialogues: Mapping[str, Row], tables: Mapping[str, Iterable[Row]]
) -> Iterator[PursuedDialogue]:
    """The dialogues of which something can be said.

    Input   dialogues: by key, with language and end_reason; tables: rows of `TASK_TABLES`
    Output  of the first goal of the task: its constraints, but for those to which all is alike, and its
            requests, these where the system had offered something or the user asked all the same. A
            constraint is pursued when the user stated or confirmed it, a request when they asked or the
            system told it. The type of venue is no constraint: where there is one only, nobody says it
    Empty   no task was assigned, what the user meant is not known of every turn, the system failed, or
            nothing was ever understood in the language of the dialogue
    """
    goals, turns, acts = defaultdict[str, list[Row]](list), defaultdict[str, set[int]](set), _Acts(tables)
    for row in tables["goals"]:
        if row["origin"] == "assigned" and row["goal_index"] == 0 and row["op"] != "!=":
            goals[row["dialogue_id"]].append(row)
    for row in tables["turns"]:
        if row["party"] == "user":
            turns[row["dialogue_id"]].add(row["turn_index"])
    spoken = {dialogues[key]["language"] for key in acts.understood if key in dialogues}
    for key, dialogue in dialogues.items():
        read = acts.of_user(key, turns[key])
        if goals[key] and read and dialogue["end_reason"] != "failure" and dialogue["language"] in spoken:
            pursued = _pursuit(key, goals[key], read, acts.system[key])
            if pursued.wanted:
                yield pursued


class _Acts:
    """Acts by dialogue and turn: of the system, and what the user meant, by who says so."""

    def __init__(self, tables: Mapping[str, Iterable[Row]]) -> None:
        self.system: dict[str, dict[int, list[Row]]] = defaultdict(lambda: defaultdict(list))
        self._meant: dict[str, dict[str, dict[int, list[Row]]]] = defaultdict(
            lambda: defaultdict(lambda: defaultdict(list))
        )
        self.understood: set[str] = set()
        for row in sorted(tables["acts"], key=lambda row: row["position"]):
            key, turn = row["dialogue_id"], row["turn_index"]
            if row["layer"] == "system" and row["rank"] == 0:
                self.system[key][turn].append(row)
            elif row["layer"] == "reference":
                self._meant[key][row["source"]][turn].append(row)
                if row["slot"]:
                    self.understood.add(key)

    def of_user(self, key: str, turns: set[int]) -> Mapping[int, Sequence[Row]]:
        """Acts of the most trusted source that read every turn; empty without one."""
        by_source = self._meant.get(key, {})
        for source in (*REFERENCE_SOURCES, *sorted(by_source)):
            if source in by_source and turns <= by_source[source].keys():
                return by_source[source]
        return {}


def _pursuit(
    key: str, goal: Sequence[Row], user: Mapping[int, Sequence[Row]], system: Mapping[int, Sequence[Row]]
) -> PursuedDialogue:
    stated, requested = set[tuple[str, str]](), set[str]()
    for turn, acts in user.items():
        before = system.get(max((index for index in system if index < turn), default=-1), ())
        stated.update(_stated(acts, before))
        requested.update(act["slot"] for act in acts if act["act"] in ("request", "confirm") and act["slot"])
    system_acts = [act for acts in system.values() for act in acts]
    offered = any(
        act["slot"] == NAME and act["value"] and act["act"] in ("offer", "inform") for act in system_acts
    )
    informed = {act["slot"] for act in system_acts if act["act"] in ("inform", "offer") and act["value"]}
    pursued = [
        (row["slot"], normalise_value(row["value"])) in stated
        for row in goal
        if row["kind"] == "constraint" and row["value"] != DONTCARE
    ]
    requests = {row["slot"] for row in goal if row["kind"] == "request"}
    pursued += [slot in requested or slot in informed for slot in requests if offered or slot in requested]
    return PursuedDialogue(key, sum(pursued), len(pursued))


def _stated(acts: Sequence[Row], before: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """Slots and values that a turn states, asks about, or accepts of what the system has just asked."""
    asked_slots = {
        act["slot"] for act in before if act["act"] in ("request", "select", "confirm") and act["slot"]
    }
    for act in acts:
        if act["act"] == "affirm":
            yield from (
                (act["slot"], normalise_value(act["value"]))
                for act in before
                if act["act"] == "confirm" and act["slot"] and act["value"]
            )
        elif act["act"] in ("inform", "confirm") and act["slot"] and act["value"] and act["op"] != "!=":
            slots = asked_slots if act["slot"] == THIS else {act["slot"]}
            yield from ((slot, normalise_value(act["value"])) for slot in slots)


FEWEST_PEOPLE: Final = 5
"""Below so many people nobody can say what is usual."""
LEAST_LETTERS: Final = 40
"""Letters and digits of a text that two people do not write alike by themselves."""


class Sign(NamedTuple):
    """One sign of one participant; `value` is None where nothing can be said, `n` is what it was made of."""

    value: float | None = None
    n: int = 0


UNKNOWN: Final = Sign()


@dataclass(frozen=True, slots=True)
class WorkSigns:
    """The signs of one participant.

    gold          share of checks answered right, of stimuli whose answer is known beforehand and of the items
                  that the study file names; a transcript of a known recording counts by its word accuracy;
                  n: checks; None: there was none
    pace          median, over their dialogues, forms and steps with stimuli, of the time that they took by
                  what is usual (the median over people): of a user turn with the same system, of the same
                  form, of a response in the same kind of step; n: of these; None: nothing was timed that
                  `FEWEST_PEOPLE` people did
    fast_answers  share of answers to forms and stimuli that took less than `min_answer_s`, the time of
                  what is answered at once being shared out evenly; n: answers; None: nothing was declared
    goal_pursued  share of constraints and requests of assigned tasks that they told, confirmed or asked for;
                  requests count where the system had offered something, and what it tells unasked is asked
                  for; n: of these; None: what they meant is not known, or the system failed in each dialogue
    copies        their free texts of at least `LEAST_LETTERS` letters that had been given before, by anybody,
                  whatever the case, spaces and punctuation; n: such texts; None: there was none
    disagreement  share of dialogues of which they say another success than the log; n: dialogues of which
                  both are known; None: there was none
    """

    participant_id: str
    gold: Sign = UNKNOWN
    pace: Sign = UNKNOWN
    fast_answers: Sign = UNKNOWN
    goal_pursued: Sign = UNKNOWN
    copies: Sign = UNKNOWN
    disagreement: Sign = UNKNOWN

    def sign(self, name: str) -> Sign:
        """One of `SIGNS`, by its name."""
        return getattr(self, name)


class Success(NamedTuple):
    """Success of a dialogue by its participant's answer, and by the log."""

    subjective: bool
    objective: bool


class WorkQuality:
    """The signs of people, or of programs, each computed when it is asked for first.

    columns  the rows of a table, with these columns alone
    success  by dialogue, where both are known; the log cannot tell it by itself
    """

    def __init__(
        self,
        columns: Columns,
        declared: Quality,
        *,
        simulated: bool = False,
        success: Mapping[str, Success] | None = None,
    ) -> None:
        self._columns, self._declared, self._success = columns, declared, success or {}
        self._simulated = simulated
        self._made: dict[str, Mapping[str, Sign]] = {}

    @cached_property
    def people(self) -> list[str]:
        """Everybody of the kind, in the order of the table."""
        rows = self._columns("participants", ("participant_id", "simulated"))
        return [person for person, simulated in rows if bool(simulated) == self._simulated and person]

    def all(self) -> list[WorkSigns]:
        """Everybody's signs."""
        return [WorkSigns(who, **{name: self.sign(who, name) for name in SIGNS}) for who in self.people]

    def sign(self, participant_id: str, name: str) -> Sign:
        """One sign of one participant; of somebody unknown, or of the other kind, nothing can be said."""
        if name not in self._made:
            self._made[name] = _MADE[name](self)
        return self._made[name].get(participant_id, UNKNOWN)

    def _rows(self, table: str, *names: str) -> Iterator[Row]:
        """Rows of a table of the people of this kind, where it says whose they are."""
        ours, whose = set(self.people), "participant_id"
        for row in self._columns(table, names):
            cells = dict(zip(names, row, strict=True))
            if whose not in cells or cells[whose] in ours:
                yield cells

    @cached_property
    def _dialogues(self) -> Mapping[str, Row]:
        names = ("dialogue_id", "participant_id", "system", "language", "end_reason")
        return {row["dialogue_id"]: row for row in self._rows("dialogues", *names)}

    def gold(self) -> Mapping[str, Sign]:
        credits: dict[str, list[float]] = defaultdict(list)
        for row in self._rows("checks", "participant_id", "credit"):
            credits[row["participant_id"]].append(row["credit"])
        checks = self._declared.checks or {}
        for row in self._rows("ratings", "participant_id", "item_id", "value", "answer") if checks else ():
            answer = row["answer"] if row["value"] is None else row["value"]
            if row["item_id"] in checks and answer is not None:
                credits[row["participant_id"]].append(float(holds(checks[row["item_id"]], answer)))
        return {person: Sign(fmean(credits_of), len(credits_of)) for person, credits_of in credits.items()}

    def pace(self) -> Mapping[str, Sign]:
        times = [
            *self._turn_times(),
            *((answer.what, answer.person, answer.seconds) for answer in self._answers),
        ]
        usual: dict[Any, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for what, person, seconds in times:
            usual[what][person].append(seconds)
        medians = {
            what: median(map(median, people.values()))
            for what, people in usual.items()
            if len(people) >= FEWEST_PEOPLE
        }
        ratios: dict[str, list[float]] = defaultdict(list)
        for what, person, seconds in times:
            if medians.get(what):
                ratios[person].append(seconds / medians[what])
        return {
            person: Sign(median(person_ratios), len(person_ratios))
            for person, person_ratios in ratios.items()
        }

    def _turn_times(self) -> Iterator[tuple[Any, str, float]]:
        """The median time of a typed turn in each dialogue, from the system's whole answer to sending."""
        names = ("dialogue_id", "turn_index", "party", "sent_s", "complete_s", "restarted")
        by_dialogue: dict[str, list[Row]] = defaultdict(list)
        for row in self._rows("turns", *names):
            by_dialogue[row["dialogue_id"]].append(row)
        for key, dialogue in self._dialogues.items():
            rows = sorted(by_dialogue[key], key=lambda row: row["turn_index"])
            delays = [
                after["sent_s"] - before["complete_s"]
                for before, after in pairwise(rows)
                if (before["party"], after["party"]) == ("system", "user")
                and None not in (before["complete_s"], after["sent_s"])
                and not after["restarted"]
            ]
            if delays := [delay for delay in delays if delay > 0]:
                yield ("turn", dialogue["system"]), dialogue["participant_id"], median(delays)

    def fast_answers(self) -> Mapping[str, Sign]:
        floor_s = self._declared.min_answer_s
        counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        for batch in self._answers if floor_s is not None else ():
            counts[batch.person][0] += batch.answers * (batch.seconds / batch.answers < (floor_s or 0.0))
            counts[batch.person][1] += batch.answers
        return {person: Sign(fast / total, total) for person, (fast, total) in counts.items()}

    @cached_property
    def _answers(self) -> list["_Answers"]:
        return [*self._forms(), *self._responses()]

    def _forms(self) -> Iterator["_Answers"]:
        items: dict[tuple[Any, ...], int] = defaultdict(int)
        key = ("visit_id", "participant_id", "dialogue_id", "instrument")
        for row in self._rows("ratings", *key, "value", "answer"):
            if row["value"] is not None or row["answer"]:
                items[tuple(row[name] for name in key)] += 1
        names = ("visit_id", "participant_id", "dialogue_id", "name", "kind", "duration_s")
        for row in self._rows("steps", *names):
            answers = items[tuple(row[name] for name in names[:4])]
            if row["kind"] == "questionnaire" and row["duration_s"] is not None and answers:
                yield _Answers(("form", row["name"]), row["participant_id"], row["duration_s"], answers)

    def _responses(self) -> Iterator["_Answers"]:
        from vivavoce.dataset.schema import TABLES  # it asks all steps for theirs

        for table in TABLES.values():
            columns = {column.name for column in table.columns}
            if not {"participant_id", "response_s", "answered_at"} <= columns:
                continue
            at_once: dict[tuple[str, float, datetime | None], int] = defaultdict(int)
            for row in self._rows(table.name, "participant_id", "response_s", "answered_at"):
                if row["response_s"] is not None:
                    at_once[row["participant_id"], row["response_s"], row["answered_at"]] += 1
            for (person, seconds, _), answers in at_once.items():
                yield _Answers(("response", table.name), person, seconds, answers)

    def goal_pursued(self) -> Mapping[str, Sign]:
        tables = {name: list(self._rows(name, *columns)) for name, columns in TASK_TABLES.items()}
        counts: dict[str, list[PursuedDialogue]] = defaultdict(list)
        for pursued_dialogue in pursued_dialogues(self._dialogues, tables):
            counts[self._dialogues[pursued_dialogue.dialogue_id]["participant_id"]].append(pursued_dialogue)
        return {
            person: Sign(sum(dialogue.pursued for dialogue in dialogues) / total, total)
            for person, dialogues in counts.items()
            if (total := sum(dialogue.wanted for dialogue in dialogues))
        }

    def copies(self) -> Mapping[str, Sign]:
        """Share of copied texts; the first author of a text has copied nothing."""
        texts: list[tuple[Any, str, str]] = []
        for row in self._rows("ratings", "participant_id", "value", "answer", "answered_at"):
            if row["value"] is None and row["answer"]:
                texts.append((row["answered_at"], row["participant_id"], bare(row["answer"])))
        seen: set[str] = set()
        counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        for _, person, text in sorted(texts, key=lambda dated_text: (dated_text[0] is None, *dated_text[:2])):
            if len(text) >= LEAST_LETTERS:
                counts[person][0] += text in seen
                counts[person][1] += 1
                seen.add(text)
        return {person: Sign(float(again), total) for person, (again, total) in counts.items()}

    def disagreement(self) -> Mapping[str, Sign]:
        unlike: dict[str, list[bool]] = defaultdict(list)
        for key, success in self._success.items():
            if key in self._dialogues:
                unlike[self._dialogues[key]["participant_id"]].append(success.subjective != success.objective)
        return {person: Sign(fmean(differences), len(differences)) for person, differences in unlike.items()}


class _Answers(NamedTuple):
    """Answers given at once; `what` is common to everybody."""

    what: tuple[str, str]
    person: str
    seconds: float
    answers: int


_MADE: Final[Mapping[str, Callable[[WorkQuality], Mapping[str, Sign]]]] = {
    "gold": WorkQuality.gold,
    "pace": WorkQuality.pace,
    "fast_answers": WorkQuality.fast_answers,
    "goal_pursued": WorkQuality.goal_pursued,
    "copies": WorkQuality.copies,
    OF_OUTCOMES: WorkQuality.disagreement,
}


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
