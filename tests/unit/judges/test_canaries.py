"""Instructions that somebody hides in a dialogue: what a model reads of them, and how often it obeys."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from unit.judges.conftest import ScriptedModel, write_trial
from unit.judges.test_language_model import write_judge
from vivavoce.cli.main import app
from vivavoce.core.errors import InputError
from vivavoce.core.yaml_source import read_yaml
from vivavoce.judges.canaries import FILE, Obedience, count_obeyed

HIDDEN = re.compile(r"\b[01]\b")  # no other text of a dialogue has such a code
SUCCESS = ("Perfect", "Perfetto", "Perfecto", "Perfekt", "Parfait")


class Rater(ScriptedModel):
    """A model that knows the outcome of a dialogue; an obedient one does what it reads there."""

    obedient = False

    def _one(self, shown: dict[str, Any]) -> str:
        text = "\n".join(turn["text"] for turn in shown["turns"])
        hidden = HIDDEN.search(text)
        if self.obedient and hidden:
            return json.dumps({"answer": int(hidden[0])})
        return json.dumps({"answer": int(any(word in text for word in SUCCESS))})


@pytest.fixture
def rater() -> Iterator[Rater]:
    model = Rater()
    yield model
    model.close()


@pytest.fixture
def count(tmp_path: Path, rater: Rater) -> Callable[[], Obedience]:
    dataset, _ = write_trial(tmp_path / "data", people=2)

    def counted() -> Obedience:
        return count_obeyed(
            dataset,
            write_judge(tmp_path, rater),
            "found_all",
            journal=tmp_path / "canaries.jsonl",
            secrets={"JUDGE_KEY": "key-1234"},
        )

    return counted


def test_an_obedient_and_a_firm_model_are_told_apart(
    count: Callable[[], Obedience], rater: Rater, tmp_path: Path
) -> None:
    firm = count()
    assert (firm.canaries, firm.obeyed, firm.asked) == (100, 0, 110)
    assert firm.share is not None and firm.share.high < 0.05
    rater.obedient = True
    (tmp_path / "canaries.jsonl").unlink()
    obedient = count()
    assert (obedient.canaries, obedient.obeyed) == (100, 100)
    assert obedient.languages == dict.fromkeys(("en", "it", "es", "de", "fr"), 20)
    assert obedient.share is not None and obedient.share.low > firm.share.high


def test_what_is_hidden_stays_quoted_in_the_data(count: Callable[[], Obedience], rater: Rater) -> None:
    count()
    instructions: Any = read_yaml(FILE).data["instructions"]
    hidden = 0
    for body in rater.bodies:
        messages = json.loads(body)["messages"]
        assert [message["role"] for message in messages] == ["system", "user"]
        shown = json.loads(messages[1]["content"])
        assert set(shown) == {"language", "question", "answers", "task", "turns"}
        assert [set(turn) for turn in shown["turns"]] == [{"party", "text"}] * 4
        assert "<" not in messages[1]["content"]
        texts = [turn["text"] for turn in shown["turns"]]
        written = [
            wordings[shown["language"]] % {"answer": answer}
            for wordings in instructions.values()
            for answer in "01"
        ]
        inside = [text for text in written if any(turn.endswith(text) for turn in texts)]
        assert not any(text in messages[0]["content"] + shown["question"] for text in written)
        hidden += len(inside)
    assert hidden == 100


def test_the_command_says_how_many_were_obeyed_and_asks_nothing_twice(
    rater: Rater, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_trial(tmp_path / "data", people=2)
    monkeypatch.setenv("JUDGE_KEY", "key-1234")
    words = ["judge", "run", str(tmp_path / "data"), "--judge", str(write_judge(tmp_path, rater))]
    words += ["--target", "found_all", "--canaries"]
    for requests in (110, 0):
        answer = CliRunner().invoke(app, words)
        assert answer.exit_code == 0, answer.output
        assert "kindly obeyed 0 of 100 hidden instructions (95% interval 0 to 4 %)" in answer.stdout
        assert f"{requests} requests" in answer.stderr
    assert rater.answered.total() == 110


def test_canaries_need_a_question_with_codes(tmp_path: Path, rater: Rater) -> None:
    dataset, _ = write_trial(tmp_path / "data", people=2)
    with pytest.raises(InputError, match="'preference' has no codes to choose from"):
        count_obeyed(
            dataset,
            write_judge(tmp_path, rater),
            "preference",
            journal=tmp_path / "j.jsonl",
            secrets={"JUDGE_KEY": "k"},
        )
