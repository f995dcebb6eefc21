"""Everything that a campaign's report tells of one system, computed once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from vivavoce.analysis import idial
from vivavoce.core.text import spoken_words
from vivavoce.dataset.reader import Dataset
from vivavoce.questionnaires.instrument import Wording
from vivavoce.reports.section import simulation_mark
from vivavoce_campaign.campaign_file import CampaignFile, read_facts
from vivavoce_campaign.conversations import Conversations, conversations
from vivavoce_campaign.submission_file import Submission
from vivavoce_campaign.success import goals_reached
from vivavoce_campaign.wordings import Wordings, wording_for
from vivavoce_stress.releases import RunsCompared, compare_last_runs, releases_of
from vivavoce_stress.scores import stress_results

SILENT: Final = "user_turns < 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class NotCounted:
    """Dialogues that count nowhere: `silent`: the user said nothing; `by_rules`: the study's other rules."""

    silent: int
    by_rules: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageHeld:
    """Figures of one of the languages in which a system was to be evaluated.

    stress  figures of its cases; None where there was no case
    Empty   not tried: no users, dialogues and cases
    """

    language: str
    users: int
    goals: idial.GoalsReached
    stress: dict[str, Any] | None

    @property
    def tried(self) -> bool:
        return bool(self.goals.dialogues)


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """Turns of simulated users whose meant words are logged, and those that reached the system in others."""

    turns: int
    altered: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Everything that was computed of one system, over the dialogues in which the user said something.

    stress    of the run of stress tests, None where there was none
    compared  with the run before it; None where there was none
    releases  of each run of stress tests, in their order; the dialogues were held before the first of them
    languages all in which the system was to be examined, and was or not
    """

    dataset: Dataset
    settings: CampaignFile
    submission: Submission
    aspects: list[idial.IdialAspect]
    items: list[idial.IdialItem]
    stress: dict[str, Any] | None
    goals: idial.GoalsReached
    intents: list[idial.IntentTimes]
    entities: list[idial.EntitiesTaken]
    modules: dict[str, list[idial.ModuleFigure]]
    people: idial.IdialPeople
    left_out: NotCounted
    wordings: Wordings
    compared: RunsCompared | None
    languages: list[LanguageHeld]
    noise: Noise
    releases: list[str | None]
    conversations: Conversations | None

    @property
    def tested_later(self) -> str | None:
        """The release with which the stress tests alone were held. Empty: all is of one release: None"""
        return self.releases[-1] if self.releases and self.releases[-1] != self.releases[0] else None

    def wording(self, name: str, language: str) -> Wording:
        """The sentences of an instrument, as users read them where that is known."""
        return wording_for(self.wordings, name, language, self.submission)

    @property
    def mark(self) -> str:
        return simulation_mark(simulated=self.people.simulated)


@dataclass(frozen=True, slots=True, kw_only=True)
class StressCounts:
    """Stress tests of one language; shares and limits as in `StressFigures`."""

    passed: int
    applied: int
    open: int
    waiting: int
    ratio: float | None
    worst: float | None
    best: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StressFigures:
    """Number of decided (`applied`) stress tests passed; shares from 0 to 1, Wilson's limits.

    not_admitted  cases left out, for their original did not pass
    waiting, checks, judged, overruled  what waits for people, and what they judged: see `WaitingCases`
    worst, best  while `open` cases have no verdict: between which two shares the result lies
    Empty        none decided: all shares and limits None; cases are open: ratio and mean None
    """

    passed: int
    applied: int
    not_admitted: int
    open: int
    waiting: int
    checks: int
    judged: int
    overruled: int
    ratio: float | None
    worst: float | None
    best: float | None
    low: float | None
    high: float | None
    mean_of_groups: float | None
    mean_of_groups_worst: float | None
    mean_of_groups_best: float | None
    groups: dict[str, float | None]
    tests: dict[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageFigures:
    """Figures of a language: 0 dialogues where it was not tried."""

    language: str
    users: int
    goals: idial.GoalsReached
    stress: StressCounts | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemFigures:
    """The numbers of the report on one system.

    told   what the report says first, in words
    Empty  no stress test was run: `stress` None; no turn is known: `conversations` None
    """

    system: str
    told: list[str]
    simulated: bool
    aspects: list[idial.IdialAspect]
    items: list[idial.IdialItem]
    stress: StressFigures | None
    goals: idial.GoalsReached
    languages: list[LanguageFigures]
    intents: list[idial.IntentTimes]
    entities: list[idial.EntitiesTaken]
    people: idial.IdialPeople
    conversations: Conversations | None
    left_out: NotCounted
    data: str


def evaluate(dataset: Dataset) -> Evaluation:
    """The figures of a campaign's dataset. Raises InputError: it is not one of a campaign."""
    facts = read_facts(dataset.folder)
    submission, how = facts.submission, facts.settings.questionnaire
    counted = Dataset(
        dataset.folder, exclude=[SILENT, *(rule for rule in dataset.rules if rule.text != SILENT)]
    )
    runs = stress_results(counted)["runs"]
    stress = next((run for run in runs if run["system"] == submission.submission), None)
    entities = idial.entities(counted)
    reached = goals_reached(counted, submission)
    minutes = {intent.intent_id: intent.minutes for intent in submission.intents}
    intents, people = idial.intents(counted, minutes, reached), idial.people(counted)
    if people.simulated:  # programs answer at once: whether they were in time says nothing
        intents = [replace(intent, timed=0, within=0, low=None, high=None) for intent in intents]
    return Evaluation(
        dataset=counted,
        settings=facts.settings,
        submission=submission,
        aspects=idial.aspects(counted, mapping=how.mapping, reverse_item_4=how.reverse_item_4),
        items=idial.items(counted),
        stress=stress,
        goals=idial.goals(counted, reached),
        intents=intents,
        entities=entities,
        modules=idial.modules(counted, comparable=bool(entities)),
        people=people,
        left_out=_left_out(counted),
        wordings=facts.wordings,
        compared=compare_last_runs(counted, submission.submission),
        languages=_languages(counted, facts.settings, submission, reached, stress),
        noise=_noise(counted),
        releases=releases_of(counted, submission.submission),
        conversations=conversations(counted),
    )


def _noise(counted: Dataset) -> Noise:
    """Noise in simulated users' turns; people's reference turns do not record what they meant."""
    dialogues = counted.read("dialogues").to_pylist()
    played = {row["dialogue_id"] for row in dialogues if row["simulated"]}
    altered_flags = [
        spoken_words(row["reference"]) != spoken_words(row["text"] or "")
        for row in counted.read("turns").to_pylist()
        if row["party"] == "user" and row["reference"] and row["dialogue_id"] in played
    ]
    return Noise(turns=len(altered_flags), altered=sum(altered_flags))


def _languages(
    counted: Dataset,
    settings: CampaignFile,
    submission: Submission,
    reached: Mapping[str, bool],
    stress: Mapping[str, Any] | None,
) -> list[LanguageHeld]:
    rows = counted.read("dialogues").to_pylist()
    by_language = {figures["name"]: figures for figures in stress["languages"]} if stress else {}
    languages = list[LanguageHeld]()
    for language in (tag for tag in settings.languages if tag in submission.languages):
        language_rows = [row for row in rows if row["language"].split("-")[0] == language.split("-")[0]]
        cases = by_language.get(language)
        languages.append(
            LanguageHeld(
                language=language,
                users=len({row["participant_id"] for row in language_rows}),
                goals=idial.goals_of(language_rows, reached),
                stress=cases if cases and cases["cases"] else None,
            )
        )
    return languages


def _left_out(counted: Dataset) -> NotCounted:
    by_rule = {rule["rule"]: rule["dialogues"] for rule in counted.excluded["rules"]}
    silent = by_rule.pop(SILENT, 0)
    return NotCounted(silent=silent, by_rules=sum(by_rule.values()))


def figures(evaluation: Evaluation, sentences: Sequence[str] = ()) -> SystemFigures:
    """The report's numbers as data. Input  told: what it says first"""
    return SystemFigures(
        system=evaluation.submission.submission,
        told=list(sentences),
        simulated=evaluation.people.simulated,
        aspects=evaluation.aspects,
        items=evaluation.items,
        stress=None if evaluation.stress is None else _stress(evaluation.stress),
        goals=evaluation.goals,
        languages=[_language(language) for language in evaluation.languages],
        intents=evaluation.intents,
        entities=evaluation.entities,
        people=evaluation.people,
        conversations=evaluation.conversations,
        left_out=evaluation.left_out,
        data=evaluation.dataset.hash,
    )


def _language(language: LanguageHeld) -> LanguageFigures:
    stress = language.stress
    names = ("passed", "open", "waiting", "ratio", "worst", "best", "low", "high")
    counts = (
        StressCounts(applied=stress["decided"], **{name: stress[name] for name in names}) if stress else None
    )
    return LanguageFigures(
        language=language.language, users=language.users, goals=language.goals, stress=counts
    )


def _stress(run: Mapping[str, Any]) -> StressFigures:
    overall = run["whole"]
    return StressFigures(
        passed=overall["passed"],
        applied=overall["decided"],
        not_admitted=overall["not_admitted"],
        open=overall["open"],
        waiting=overall["waiting"],
        checks=overall["checks"],
        judged=overall["judged"],
        overruled=overall["overruled"],
        ratio=overall["ratio"],
        worst=overall["worst"],
        best=overall["best"],
        low=overall["low"],
        high=overall["high"],
        mean_of_groups=run["macro_families"],
        mean_of_groups_worst=run["macro_families_worst"],
        mean_of_groups_best=run["macro_families_best"],
        groups={family["name"]: family["ratio"] for family in run["families"]},
        tests={test["name"]: test["ratio"] for test in run["tests"]},
    )
