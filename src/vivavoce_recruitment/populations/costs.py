"""Cost of a population's people, by given amounts, the study file, or recruiters' terms."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from vivavoce.dataset.populations import SIMULATED, planned_populations, populations
from vivavoce.dataset.reader import Dataset
from vivavoce.log.projections import STATUS_AFTER
from vivavoce.study.populations import PopulationCost
from vivavoce.study.recruiter import RECRUITERS, read_recruitment
from vivavoce.study.renamed_keys import parse_study
from vivavoce_recruitment.platform import PricedRecruiter, Terms

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Cost of a population in all, in major units.

    once      of it, what does not grow with the number of people
    currency  empty: nobody said
    source    told (with the report), study_file, or terms (of its recruiters)
    without   what of the terms nobody said, and is not in it: `fee`, `calls`
    """

    total: float
    participants: int
    dialogues: int
    once: float = 0.0
    currency: str = ""
    source: Literal["told", "study_file", "terms"]
    without: tuple[str, ...] = ()

    def of_people(self, people: int, among: int) -> float:
        """Cost of a number of people, of whom `among` participants were in the analysis.

        Source  Cochran 1977: what comes once, and what grows with the number of people
        """
        return self.once + max(self.total - self.once, 0.0) * people / among


def spent(dataset: Dataset, told: Mapping[str, float]) -> dict[str, Spent | None]:
    """Cost of each population, by name; None if unknown.

    Input   told: what each cost in all, by name, in place of all that the study file says
    Note    all that took part and all their dialogues are paid, also what rules leave out of measures. A
            population of programs costs what the study file says of the people that they stand for
    """
    everything = dataset.everything
    of, planned = populations(everything), planned_populations(everything)
    terms = _terms(everything)
    people, dialogues = _members(everything, of)
    costs: dict[str, Spent | None] = {}
    for name in dict.fromkeys(of.values()):
        population_members, plan = (
            _Members(people[name], dialogues.get(name, [])),
            planned.get(name.removesuffix(SIMULATED)),
        )
        amount = told.get(name, told.get(name.removesuffix(SIMULATED)))
        if amount is not None:
            currency = plan.cost.currency if plan and plan.cost else ""
            costs[name] = population_members.spent(total=amount, currency=currency, source="told")
        elif plan is not None and plan.cost is not None:
            costs[name] = population_members.by_plan(plan.cost)
        else:
            costs[name] = population_members.by_terms(terms, plan.recruiters if plan else [])
    return costs


class _Members:
    """The participants of a population who held dialogues, and these dialogues."""

    def __init__(self, people: Sequence[Row], dialogues: Sequence[Row]) -> None:
        self.dialogues = dialogues
        self.held: defaultdict[str, list[Row]] = defaultdict(list)
        for dialogue in dialogues:
            self.held[dialogue["participant_id"]].append(dialogue)
        self.people = [person for person in people if person["participant_id"] in self.held]

    def spent(self, **facts: Any) -> Spent:
        return Spent(participants=len(self.people), dialogues=len(self.dialogues), **facts)

    def by_plan(self, cost: PopulationCost) -> Spent:
        minutes = sum(dialogue["duration_s"] or 0.0 for dialogue in self.dialogues) / 60
        growing = (
            cost.participant * len(self.people) + cost.dialogue * len(self.dialogues) + cost.minute * minutes
        )
        return self.spent(
            total=growing + cost.fixed, once=cost.fixed, currency=cost.currency, source="study_file"
        )

    def by_terms(self, terms: Mapping[str, Terms], recruiters: Sequence[str]) -> Spent | None:
        """By the terms of each one's recruiter; None: one of them is not known, or currencies differ.

        Note  programs go by the terms of the only recruiter of the people that they stand for
        """
        stands_for = recruiters[0] if len(recruiters) == 1 else ""
        sent_by = {
            person["participant_id"]: stands_for if person["simulated"] else person["pool"]
            for person in self.people
        }
        own_terms = {name: terms[name] for name in set(sent_by.values()) if name in terms}
        currencies = {recruiter_terms.reward.currency for recruiter_terms in own_terms.values()}
        if len(currencies) != 1 or len(own_terms) < len(set(sent_by.values())):
            return None
        total, without = 0.0, set[str]()
        for person in self.people:
            paid = own_terms[sent_by[person["participant_id"]]]
            due, lacking = self._due(person, paid)
            total += due
            without |= lacking
        return self.spent(
            total=total, currency=currencies.pop(), source="terms", without=tuple(sorted(without))
        )

    def _due(self, person: Row, terms: Terms) -> tuple[float, set[str]]:
        """Cost of one participant by these terms, and the unknown parts of it."""
        theirs = self.held[person["participant_id"]]
        pay = 0.0
        if person["outcome"] == "completed":
            earned = terms.earned(sum(map(_completed, theirs)))
            pay = float(sum(money.major for money in (terms.reward, *(extra for _, extra in earned))))
        called = sum(dialogue["duration_s"] or 0.0 for dialogue in theirs if dialogue["calls_out"]) / 60
        calls = called * float(terms.calls.per_minute) if terms.calls is not None else 0.0
        lacks = (("fee", pay and terms.fee_percent is None), ("calls", called and terms.calls is None))
        due = pay * (1 + float(terms.fee_percent or 0) / 100) + calls
        return due, {name for name, lacking in lacks if lacking}


def _completed(dialogue: Row) -> bool:
    return STATUS_AFTER.get(dialogue["end_reason"]) == "completed"


def _terms(dataset: Dataset) -> dict[str, Terms]:
    """The terms of the study's recruiters that pay, in money; what this version does not read is left out."""
    source = parse_study(dataset.manifest["study"].get("file") or "")
    section = source.data.get("recruitment") if isinstance(source.data, dict) else None
    if not isinstance(section, dict):
        return {}
    settings = read_recruitment(section, source)
    recruiters = {name: RECRUITERS.get(name) for name in settings}
    terms = {
        name: recruiter.terms(settings[name])
        for name, recruiter in recruiters.items()
        if isinstance(recruiter, PricedRecruiter)
    }
    return {name: recruiter_terms for name, recruiter_terms in terms.items() if not recruiter_terms.is_credit}


def _members(dataset: Dataset, of: Mapping[str, str]) -> tuple[dict[str, list[Row]], dict[str, list[Row]]]:
    """Participants, and dialogues, by population."""
    people: dict[str, list[Row]] = {}
    dialogues: dict[str, list[Row]] = {}
    for table, into in (("participants", people), ("dialogues", dialogues)):
        for row in dataset.read(table).to_pylist():
            if (name := of.get(row["participant_id"])) is not None:
                into.setdefault(name, []).append(row)
    return people, dialogues
