"""A DSTC2 call small enough to read."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def a_call(session: str = "voip-aa-20130301_100000", caller: str = "aa") -> dict[str, Any]:
    """Two turns: a greeting answered with a wish, an offer answered with a request."""

    def turn(
        number: int, acts: list[Any], heard: str, understood: list[Any], *, aborted: bool = False
    ) -> Any:
        start = 10.0 * number
        return {
            "turn-index": number,
            "output": {
                "transcript": f"prompt {number}",
                "start-time": start,
                "end-time": start + 4.0,
                "dialog-acts": acts,
                "aborted": aborted,
            },
            "input": {
                "start-time": start + 4.0,
                "end-time": start + 6.0,
                "live": {
                    "asr-hyps": [{"asr-hyp": heard, "score": -0.5}, {"asr-hyp": "", "score": -2.0}],
                    "slu-hyps": [{"slu-hyp": understood, "score": 0.9}, {"slu-hyp": [], "score": 0.1}],
                },
                "batch": {"asr-hyps": [{"asr-hyp": heard, "score": -0.6}]},
            },
        }

    def truth(number: int, said: str, acts: list[Any]) -> Any:
        return {"turn-index": number, "transcription": said, "semantics": {"json": acts, "cam": ""}}

    cheap = {"act": "inform", "slots": [["pricerange", "cheap"]]}
    offer = [
        {"act": "offer", "slots": [["name", "Yu Garden"]]},
        {"act": "inform", "slots": [["area", "east"]]},
    ]
    return {
        "log.json": {
            "session-id": session,
            "caller-id": caller,
            "session-date": "2013-03-01",
            "session-time": "10:00:00",
            "system-specific": {"dialog-manager": 1, "acoustic-condition": 0},
            "turns": [
                turn(0, [{"act": "welcomemsg", "slots": []}], "cheap food", [cheap]),
                turn(1, offer, "the fond", [{"act": "request", "slots": [["slot", "phone"]]}], aborted=True),
            ],
        },
        "label.json": {
            "session-id": session,
            "caller-id": caller,
            "turns": [
                truth(0, "something cheap", [cheap, {"act": "inform", "slots": [["this", "dontcare"]]}]),
                truth(1, "the phone", [{"act": "request", "slots": [["slot", "phone"]]}]),
            ],
            "task-information": {
                "goal": {
                    "text": "Task 00042: Find something cheap.",
                    "constraints": [["pricerange", "cheap"]],
                    "request-slots": ["phone"],
                },
                "feedback": {
                    "success": True,
                    "comments": "fine",
                    "questionnaire": [["It understood me.", "slightly agree"]],
                },
            },
        },
    }


def write_files(folder: Path, call: dict[str, Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in call.items():
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


@pytest.fixture
def call() -> dict[str, Any]:
    return a_call()


@pytest.fixture
def make_call() -> Callable[..., dict[str, Any]]:
    return a_call


@pytest.fixture
def write_call() -> Callable[[Path, dict[str, Any]], Path]:
    return write_files


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A folder of three calls in two conditions, by two callers."""
    root = tmp_path / "corpus"
    write_files(root / "Mar13_S1A0" / "one", a_call())
    write_files(root / "Mar13_S1A0" / "two", a_call("voip-bb-20130301_100000", "bb"))
    write_files(root / "Mar13_S0A1" / "three", a_call("voip-aa-20130301_110000"))
    return root
