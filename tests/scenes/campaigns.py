"""Datasets of a campaign, written from raw answers of users and raw verdicts of stress tests."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce_campaign.campaign_file import CampaignFile, write_facts
from vivavoce_campaign.submission_file import Submission

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
FAMILIES = {
    1: "spelling",
    2: "spelling",
    3: "spelling",
    4: "spelling",
    5: "lexical",
    6: "lexical",
    7: "lexical",
    8: "syntactic",
    9: "syntactic",
    10: "syntactic",
    11: "syntactic",
}


def submission(**changes: Any) -> Submission:
    facts = {
        "submission": "ch",
        "team": "Team & <Co>",
        "title": {"it": "Contatore", "en": "Counter"},
        "domain": {"it": "cibi", "en": "foods"},
        "intents": [
            {"id": "meal", "text": {"it": "contare un pasto", "en": "count a meal"}, "minutes": 2},
            {"id": "day", "text": {"it": "contare un giorno", "en": "count a day"}, "minutes": 5},
        ],
        "channel": "written",
        "interface": "messenger",
        "access": "on-line",
        "languages": ["it"],
        "connector": {"connect": "http", "url": "https://bot.example/secret"},
    }
    return Submission.model_validate({**facts, **changes})


def transcript(user: str, system: str) -> str:
    return json.dumps(
        [
            {"party": "user", "text": user, "injected": True},
            {"party": "system", "text": system, "injected": False},
        ]
    )


def stress_row(case: int, test: int, verdict: str, **changes: Any) -> dict[str, Any]:
    return {
        "run_id": "r",
        "case_id": f"c{case}",
        "system": "ch",
        "test": f"ST-{test}",
        "family": FAMILIES[test],
        "language": "it",
        "channel": "text",
        "dialogue_id": f"d{case}",
        "turn_index": 0,
        "original": f"due mele {case or ''}".strip(),
        "text": f"due meel {case or ''}".strip(),
        "rule": "swap",
        "approval": "none",
        "ad_hoc": False,
        "status": "applied",
        "verdict": verdict,
        "verdict_automatic": verdict,
        "rung": "acts",
        "rung_automatic": "acts",
        "reason": "the system gave no answer",
        "repeats": 1,
        "continuation": "logged",
        "first_score": float(verdict == "pass"),
        "variant_count": 1,
        "variant_passed_count": int(verdict == "pass"),
        "clean_transcript": transcript("due mele", "Ok."),
        "transcript": transcript("due meel", "Come?"),
        **changes,
    }


def campaign_dataset(
    folder: Path,
    answers: Sequence[Mapping[str, int]],
    verdicts: Mapping[int, str],
    *,
    simulated: bool = False,
    settings: Mapping[str, Any] | None = None,
    stress: Sequence[Mapping[str, Any]] = (),
    wordings: Mapping[str, Any] | None = None,
    turns: Sequence[Mapping[str, Any]] = (),
    **changes: Any,
) -> Dataset:
    """Users with their answers (code by item), and verdicts by test as letters: p, f, c, u.

    stress    more rows of stress tests; wordings: what users read; turns: rows of that table

    Each user holds three dialogues about `meal`, of 60, 120 and 180 seconds.
    """
    words = {"p": "pass", "f": "fail", "c": "clarification", "u": "unsure"}
    cases = [(test, words[letter]) for test, letters in verdicts.items() for letter in letters]
    with DatasetWriter(folder, study={"name": "s"}, source={"kind": "test"}) as writer:
        for user, form in enumerate(answers):
            _user(writer, user, form, simulated)
        writer.add("stress", [stress_row(case, test, verdict) for case, (test, verdict) in enumerate(cases)])
        writer.add("stress", stress)
        writer.add("turns", turns)
        writer.close()
    campaign = CampaignFile.model_validate({"campaign": "trial", **(settings or {})})
    write_facts(folder, campaign, submission(**changes), wordings)
    return Dataset(folder)


def _user(writer: DatasetWriter, user: int, form: Mapping[str, int], simulated: bool) -> None:
    who = {"participant_id": f"p{user}", "visit_id": f"v{user}"}
    person = {"participant_id": f"p{user}", "outcome": "completed", "simulated": simulated}
    writer.add("participants", [{**person, "language": "it"}])
    for number, seconds in enumerate((60.0, 120.0, 180.0)):
        key = {"dialogue_id": f"u{user}-{number}"}
        writer.add(
            "dialogues",
            [
                {
                    **key,
                    **who,
                    "study": "s",
                    "system": "ch",
                    "condition": "ch",
                    "channel": "text",
                    "language": "it",
                    "simulated": simulated,
                    "duration_s": seconds,
                    "started_at": START,
                    "task_id": "t",
                }
            ],
        )
        goal = {"goal_index": 0, "origin": "assigned", "kind": "type", "value": "meal"}
        writer.add("goals", [{**key, **goal}])
    parts = [("page", 300.0), ("dialogue", 60.0), ("dialogue", 240.0), ("questionnaire", 300.0)]
    writer.add(
        "steps",
        [
            {
                **who,
                "number": number,
                "kind": kind,
                "duration_s": seconds,
                "began_at": START,
                "ended_at": START + timedelta(seconds=seconds),
            }
            for number, (kind, seconds) in enumerate(parts, 1)
        ],
    )
    writer.add(
        "ratings",
        [
            {
                **who,
                "instrument": "idial",
                "wording": "project",
                "language": "it",
                "item_id": item,
                "value": float(code),
                "answer": str(code),
            }
            for item, code in form.items()
        ],
    )
