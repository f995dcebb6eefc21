"""The flow of a trial: who arrived, consented, completed or left and why, and factors that are confounded."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

from vivavoce.core.statement import LocalizedText, PluralCount, enumerated, statement
from vivavoce.dataset.declaration import later_rules, served_revisions
from vivavoce.dataset.reader import Dataset
from vivavoce.measures.compute import components

NOT_CONSENTED: Final = ("no_consent", "no_place")
LEFT: Final = (
    "no_place",
    "no_consent",
    "screened_out",
    "withdrew",
    "timed_out",
    "technical_failure",
    "not_accepted",
    "running",
)
COUNTED: Final = ("subjective_success", "objective_success_assigned", "objective_success_inferred")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialFlow:
    """Counts of participants and of dialogues along the way.

    left        outcome -> participants; unrecorded: participants without an outcome
    dialogues   all that were held; running: under way, not counted further; analysed: those that are left
    abandoned   how many of the analysed; None where nothing tells how dialogues ended
    coded       dialogues for which an earned code was issued; None where none is given out
    excluded    `Dataset.excluded`
    counted     measure -> dialogues with a value
    Empty       no outcome was recorded: consented and completed are None, never 0
    """

    arrived: int
    consented: int | None
    completed: int | None
    left: Mapping[str, int]
    unrecorded: int
    with_dialogue: int
    dialogues: int
    coded: int | None
    running: int
    excluded: Mapping[str, Any]
    analysed: int
    abandoned: int | None
    counted: Mapping[str, int]


def flow(dataset: Dataset) -> TrialFlow:
    """Participant flow: arrivals, consent, completion, drop-out and reasons; dialogues in each part."""
    content = dataset.everything
    people = content.read("participants")
    outcomes = Counter(people.column("outcome").to_pylist())
    arrived, unrecorded = len(people), outcomes.pop(None, 0)
    recorded = bool(outcomes)
    table = content.read("dialogues")
    coded = sum(filter(None, table.column("code_issued").to_pylist()))
    declaration = dataset.declaration
    gives_codes = declaration is not None and declaration.gives_codes
    parts = components(dataset)
    counted_parts = parts[(parts["denominator"] > 0) & parts["measure"].isin(COUNTED)]
    counted = Counter(counted_parts["measure"].tolist())
    return TrialFlow(
        arrived=arrived,
        consented=arrived - sum(outcomes[name] for name in NOT_CONSENTED) if recorded else None,
        completed=outcomes["completed"] if recorded else None,
        left={name: outcomes[name] for name in LEFT if outcomes[name]},
        unrecorded=unrecorded,
        with_dialogue=len(
            {
                participant_id
                for participant_id in table.column("participant_id").to_pylist()
                if participant_id is not None
            }
        ),
        dialogues=len(table),
        coded=coded if coded or gives_codes else None,
        running=len(dataset.running),
        excluded=dataset.excluded,
        analysed=len(dataset.read("dialogues")),
        abandoned=None if dataset.abandoned is None else len(dataset.abandoned),
        counted={name: counted[name] for name in COUNTED if counted[name]},
    )


def change_words(dataset: Dataset) -> LocalizedText | None:
    """Tables that have changed since they were written, in two sentences; None if all are unchanged."""
    if not dataset.changed:
        return None
    changed = statement("Changed after export: {tables}.", tables=", ".join(dataset.changed))
    return changed + statement("The numbers and their signatures refer to the current content.")


def running_words(dataset: Dataset) -> LocalizedText | None:
    """Number of dialogues still under way, in a sentence; None where none is."""
    n = len(dataset.running)
    if not n:
        return None
    return statement("In progress, not in the figures: {n}.", n=PluralCount(n, "dialogue"))


def abandoned_words(dataset: Dataset) -> LocalizedText | None:
    """Number of abandoned dialogues, which count, in a sentence; None where none is known."""
    if not dataset.abandoned:
        return None
    return statement(
        "{k} of {n} dialogues were abandoned: the participant left before the end. They are included; "
        "exclude them with the rule `end_reason = abandoned`.",
        k=len(dataset.abandoned),
        n=len(dataset.read("dialogues")),
    )


def later_rules_words(dataset: Dataset) -> LocalizedText | None:
    """Note that the study file has other rules of exclusion by now; None where it has not."""
    declared = dataset.declaration
    if declared is None or list(dataset.rules) != declared.analysis.exclude:
        return None
    if not later_rules(served_revisions(dataset.manifest.get("study", {})), dataset.first_participant):
        return None
    return statement("Exclusion rules changed after the first participant; the earlier rules apply.")


def exclusion_words(dataset: Dataset) -> LocalizedText | None:
    """Exclusions, in a sentence; None where nothing was excluded."""
    facts = dataset.excluded
    applied = [rule for rule in facts["rules"] if rule["dialogues"] or rule["people"]]
    if not applied:
        return None
    k, n, rules = facts["dialogues"], facts["of"], enumerated([_amounts(rule) for rule in applied])
    sentence = statement("Excluded from all figures: {k} of {n} dialogues ({rules}).", k=k, n=n, rules=rules)
    if k == n:
        sentence = statement("All {n} dialogues are excluded ({rules}).", n=n, rules=rules)
    return sentence + statement("Use `--exclude none` to include them.")


def _amounts(rule: Mapping[str, Any]) -> LocalizedText:
    amounts = {"rule": rule["rule"], "n": rule["dialogues"]}
    if not rule["people"]:
        return statement("{rule}: {n}", **amounts)
    return statement(
        "{rule}: {n}, all of {people}", **amounts, people=PluralCount(rule["people"], "participant")
    )


UNEVEN: Final = 0.1  # a level's share differs by more than this between two groups
MOST_LEVELS: Final = 12
Values = Sequence[str | None]
MODELLED: Final = statement("The model controls for one when it compares the other; raw shares do not.")


def balance_warnings(dataset: Dataset, by: str) -> list[LocalizedText]:
    """Warnings about other differences between a factor's levels, one sentence each; [] if `by` is no factor.

    Note    conditions are the cells of all factors, and systems may be made of them: nothing is asked of them
    """
    if by not in dataset.factors:
        return []
    table = dataset.read("dialogues")
    columns = {name: table.column(f"factor_{name}").to_pylist() for name in dataset.factors}
    columns["system"] = table.column("system").to_pylist()
    if _decides(columns["system"], columns[by]):
        columns.pop("system")
    grouping_levels = columns.pop(by)
    return [
        warning
        for name, other_levels in columns.items()
        if (warning := together(by, grouping_levels, name, other_levels))
    ]


def together(
    first: str, first_values: Values, second: str, second_values: Values, *, modelled: bool = False
) -> LocalizedText | None:
    """A sentence where two factors are confounded or unevenly combined; None where they are balanced."""
    pairs = Counter(
        (a, b) for a, b in zip(first_values, second_values, strict=True) if a is not None and b is not None
    )
    levels = sorted({a for a, _ in pairs}), sorted({b for _, b in pairs})
    if min(map(len, levels)) < 2 or max(map(len, levels)) > MOST_LEVELS:
        return None
    if confounded(first_values, second_values):
        which = ", ".join(f"{a} × {b}" for a, b in product(*levels) if pairs[a, b])
        warning = statement(
            "{first} and {second} are confounded: the only combinations are {which}.",
            first=first,
            second=second,
            which=which,
        )
        warning += statement("Their effects cannot be separated.")
        return warning + MODELLED if modelled else warning
    sizes = {a: sum(pairs[a, b] for b in levels[1]) for a in levels[0]}
    level, gap = max(
        ((b, _gap([pairs[a, b] / sizes[a] for a in levels[0]])) for b in levels[1]),
        key=lambda level_gap: level_gap[1],
    )
    if gap <= UNEVEN:
        return None
    shares = ", ".join(f"{100 * pairs[a, level] / sizes[a]:.0f} % ({a})" for a in levels[0])
    warning = statement(
        "{first} and {second} are unbalanced: {level} of {second} makes up {shares} of the dialogues.",
        first=first,
        second=second,
        level=level,
        shares=shares,
    )
    if modelled:
        return warning + MODELLED
    return warning + statement(
        'Differences by {first} may be due to {second}. To separate them, use `analyse --model "... ~ '
        '{first} * {second} + (1|participant)"`.',
        first=first,
        second=second,
    )


def confounded(first: Values, second: Values) -> bool:
    """True if a level of one settles that of the other."""
    met = {(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None}
    cells, columns = Counter(a for a, _ in met), Counter(b for _, b in met)
    return bool(met) and (max(cells.values()) == 1 or max(columns.values()) == 1)


def _gap(shares: list[float]) -> float:
    return max(shares) - min(shares)


def _decides(first: Values, second: Values) -> bool:
    """True if the first's value settles the second's."""
    return len(set(zip(first, second, strict=True))) == len(set(first))
