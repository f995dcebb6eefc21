"""A try of a system before people come: a few simulated users, in a log of their own that counts nowhere."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from itertools import takewhile
from statistics import median
from typing import Any, Final

from vivavoce.dataset.reader import Dataset, replacing
from vivavoce.languages.data import CampaignWords
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.simulation.agenda_user import Judgement
from vivavoce.simulation.domain import SimulatedDomain
from vivavoce.simulation.trial import run_trial
from vivavoce.simulation.triggers import acts_by_cues
from vivavoce.simulation.user_factory import UserSimulator
from vivavoce.study.load import load_study
from vivavoce.study.model import Study
from vivavoce.trial.engine import SessionEngine
from vivavoce_campaign.campaign_file import Campaign
from vivavoce_campaign.places import SystemPlace, place_of
from vivavoce_campaign.runs import Report, callers_at, connectors, moved, noise_for
from vivavoce_campaign.submission_file import Submission
from vivavoce_campaign.unreachable import QUESTION, Unreached, unreached

SHOWN: Final = 5
TRIED: Final = "tried.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentTried:
    """Dialogues about one intent in one language, and how many came to their end as the user sees it."""

    intent: str
    language: str
    dialogues: int
    reached: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TryOut:
    """Result of a try.

    failed      dialogues that ended because the system failed
    turns       median of the users' turns; None without a dialogue
    unanswered  questions of the system to which no simulated user knows an answer, with how often
    lost        what users said where the system did not understand, with how often
    sample      one dialogue, turn by turn: who, what
    guessed     intents of which nobody said by which words the system tells that they are done
    missed      dialogues that did not come to their end, with what the system said then
    """

    system: str
    dialogues: int
    failed: int
    turns: float | None
    intents: list[IntentTried]
    unanswered: list[tuple[str, int]]
    lost: list[tuple[str, int]]
    sample: list[tuple[str, str]]
    guessed: list[str]
    missed: list[Unreached] = field(default_factory=list)


def try_out(campaign: Campaign, submission: Submission, progress: Report, *, users: int) -> TryOut:
    """Let so many simulated users of each language hold their dialogues with the system.

    Raises  InputError: the study is not sound, or no simulated user knows its tasks
    """
    place = place_of(campaign, submission.submission)
    study, domain = load_study(place.folder), callers_at(place)
    casting = UserSimulator.of(study, domain)
    _forget(place)
    with Log.open(_log_url(place)) as log:
        log.transact_now(
            lambda tx: tx.record_study(study.name, study.revision, study.file_text, study.entities())
        )
        judged: dict[str, Judgement] = {}
        noise = noise_for(submission)
        amount = users * campaign.settings.tasks
        asyncio.run(_hold(study, log, casting, judged, noise, amount, campaign.settings.seed, progress))
        with replacing():
            dataset = export_dataset(log, study.name, place.tried, simulated=True)
    try_out_facts = _found(submission, dataset, domain, judged)
    (place.tried / TRIED).write_text(json.dumps(asdict(try_out_facts), indent=1, ensure_ascii=False), "utf-8")
    return try_out_facts


def last_try(place: SystemPlace) -> TryOut | None:
    """Result of the last try; None without one."""
    try:
        facts: dict[str, Any] = json.loads((place.tried / TRIED).read_text(encoding="utf-8"))
        for name in ("unanswered", "lost", "sample"):
            facts[name] = [(text, two) for text, two in facts[name]]
        facts["intents"] = [IntentTried(**intent) for intent in facts["intents"]]
        facts["missed"] = [_missed(goal) for goal in facts.get("missed", [])]
        return TryOut(**facts)
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _missed(facts: dict[str, Any]) -> Unreached:
    pairs = {name: [(text, two) for text, two in facts[name]] for name in ("last", "again")}
    return Unreached(**{**facts, **pairs})


def _log_url(place: SystemPlace) -> str:
    return f"sqlite:///{(place.folder / 'try.sqlite').resolve()}"


def _forget(place: SystemPlace) -> None:
    for path in (*place.folder.glob("try.sqlite*"), place.folder / "try.roots"):
        path.unlink(missing_ok=True)


async def _hold(
    study: Study,
    log: Log,
    casting: UserSimulator,
    judged: dict[str, Judgement],
    noise: float,
    amount: int,
    seed: int,
    progress: Report,
) -> None:
    engine = SessionEngine(study, log, connectors(study))
    await engine.start()
    try:
        for number, language in enumerate(study.languages):
            part = moved(progress, number * amount, len(study.languages) * amount)
            await run_trial(
                engine,
                amount,
                seed=seed + number,
                error_rate=noise,
                progress=part,
                judged=judged,
                casting=casting,
                language=language,
            )
    finally:
        await engine.stop()
        await casting.shut_down()


def _found(
    submission: Submission, dataset: Dataset, domain: SimulatedDomain | None, judged: dict[str, Judgement]
) -> TryOut:
    dialogues = dataset.read("dialogues").to_pylist()
    turns: dict[str, list[dict[str, Any]]] = {dialogue["dialogue_id"]: [] for dialogue in dialogues}
    for row in dataset.read("turns").to_pylist():
        turns[row["dialogue_id"]].append(row)
    lengths = [sum(turn["party"] == "user" for turn in turn) for turn in turns.values()]
    unanswered, lost = _questions(dialogues, turns, domain)
    sample = max(turns.values(), key=len, default=[])
    return TryOut(
        system=submission.submission,
        dialogues=len(dialogues),
        failed=sum(dialogue["end_reason"] == "failure" for dialogue in dialogues),
        turns=float(median(lengths)) if lengths else None,
        intents=_intents(submission, dataset, dialogues, judged),
        unanswered=unanswered.most_common(SHOWN),
        lost=lost.most_common(SHOWN),
        sample=[(turn["party"], turn["text"] or "") for turn in sample],
        guessed=[
            intent.intent_id for intent in submission.intents if domain is not None and intent.done is None
        ],
        missed=unreached(dataset, {key: outcome.met for key, outcome in judged.items()}),
    )


@lru_cache
def _wishes(language: str) -> re.Pattern[str]:
    """Questions for a request in general, of no entity: a system puts it also where one was dropped."""
    words = CampaignWords.or_english(language).wishes or CampaignWords.in_english().wishes
    return re.compile("|".join(f"(?:{word})" for word in words), re.IGNORECASE)


def _opening(turns: Sequence[dict[str, Any]]) -> list[str]:
    """The questions with which a system begins, before the user says anything."""
    before = takewhile(lambda turn: turn["party"] != "user", turns)
    return [question.strip() for turn in before for question in QUESTION.findall(turn["text"] or "")]


def _intents(
    submission: Submission,
    dataset: Dataset,
    dialogues: Sequence[dict[str, Any]],
    judged: dict[str, Judgement],
) -> list[IntentTried]:
    kinds = {
        row["dialogue_id"]: row["value"]
        for row in dataset.read("goals").to_pylist()
        if row["kind"] == "type" and row["origin"] == "assigned" and row["goal_index"] == 0
    }
    counts = Counter((kinds.get(dialogue["dialogue_id"]), dialogue["language"]) for dialogue in dialogues)
    reached = Counter(
        (kinds.get(dialogue["dialogue_id"]), dialogue["language"])
        for dialogue in dialogues
        if dialogue["dialogue_id"] in judged and judged[dialogue["dialogue_id"]].met
    )
    return [
        IntentTried(intent=intent.intent_id, language=language, dialogues=n, reached=reached[key])
        for intent in submission.intents
        for key, n in sorted(counts.items(), key=str)
        if key[0] == intent.intent_id and (language := key[1])
    ]


def _questions(
    dialogues: Sequence[dict[str, Any]],
    turns: dict[str, list[dict[str, Any]]],
    domain: SimulatedDomain | None,
) -> tuple[Counter[str], Counter[str]]:
    """Questions that no cue knows, and what users said before the system was at a loss."""
    unanswered, lost = Counter[str](), Counter[str]()
    opening = {question for dialogue in dialogues for question in _opening(turns[dialogue["dialogue_id"]])}
    for row in dialogues if domain is not None else ():
        before = ""
        for turn in turns[row["dialogue_id"]]:
            text = turn["text"] or ""
            if turn["party"] == "user":
                before = text
                continue
            acts = {act.act for act in acts_by_cues(text, domain, row["language"][:2])} if domain else set()
            questions = [question.strip() for question in QUESTION.findall(text) if question.strip(" ?")]
            wishes = _wishes(row["language"][:2])
            questions = [
                question for question in questions if question not in opening and not wishes.search(question)
            ]
            if before and questions and not acts & {"request", "confirm", "reqmore", "inform", "repeat"}:
                unanswered[" ".join(questions[-2:])] += 1
            if before and "repeat" in acts:
                lost[before] += 1
    return unanswered, lost
