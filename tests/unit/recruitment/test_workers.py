"""Signs of the quality of work, told before money is decided: marked as declared, rejected by nobody."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from scenes.desks import desk_of, press
from scenes.recruiting import Prolific, platform, recruit, visit_completed, write_study
from vivavoce.log import events
from vivavoce.log.event import LoggedRating
from vivavoce.log.exclusion_monitor import LeftOut
from vivavoce.log.store import Log, Transaction
from vivavoce.study.load import load_study

QUALITY = """
quality:
  checks: {understood: "> 2"}
  thresholds: {gold: "< 0.8"}
"""


@pytest.fixture
def prolific(tmp_path: Path) -> Iterator[Prolific]:
    with platform(tmp_path) as prolific:
        yield prolific


def offered(folder: Path, prolific: Prolific, quality: str = QUALITY) -> Path:
    """A published study that asks about each dialogue."""
    study = write_study(folder, prolific.url)
    file = study / "study.yaml"
    asks = file.read_text("utf-8").replace("  - debrief:", "  - questionnaire: cambridge\n  - debrief:")
    file.write_text(asks + quality, "utf-8")
    assert recruit("publish", study, "--confirm").exit_code == 0
    return study


def came(log: Log, prolific: Prolific, *codes: float) -> list[str]:
    """One person for each code, who answers the check with it in both dialogues; their tickets."""
    tickets = []
    for number, code in enumerate(codes):
        ticket = prolific.tell("take")["submission"]
        visit_completed(log, ticket, number)
        answer(log, number, code)
        prolific.tell("submit", submission=ticket, code="told")
        tickets.append(ticket)
    return tickets


def serve(study: Path, log: Log) -> None:
    """The study is served as it stands now."""
    loaded = load_study(study)
    log.transact_now(lambda tx: tx.record_study(loaded.name, loaded.revision, loaded.file_text))


def answer(log: Log, number: int, code: float) -> None:
    def write(tx: Transaction) -> None:
        for round in range(2):
            tx.append(
                f"visit-{number}",
                events.QuestionnaireAnswered(
                    step=1,
                    round=round,
                    position=0,
                    dialogue_id=f"dialogue-{number}-{round}",
                    instrument="cambridge",
                    wording="package",
                    language="en",
                    ratings=[LoggedRating(item_id="understood", value=code, answer=str(code))],
                ),
            )

    log.transact_now(write)


def test_approval_tells_the_signs_of_each_and_proposes_everybody(prolific: Prolific, tmp_path: Path) -> None:
    study = offered(tmp_path / "paid", prolific)
    with Log.open(f"sqlite:///{study / 'log.sqlite'}") as log:
        good, bad = came(log, prolific, 6.0, 1.0)
    told = recruit("approve", study)
    assert told.exit_code == 0 and told.stdout.count(" due\n") == 2, "nobody is left out by a sign"
    lines = dict(re.findall(r"^(\S+)  reward  .* due\n    (correct checks.*)$", told.stdout, re.MULTILINE))
    assert lines == {
        good: "correct checks: 100% of 2",
        bad: "correct checks: 0% of 2  flagged: < 0.8",
    }
    listed = json.loads(recruit("workers", study, "--json").stdout)
    assert [(one["gold"]["value"], one["gold"]["n"], one["gold"]["marked"]) for one in listed] == [
        (1.0, 2, False),
        (0.0, 2, True),
    ]
    assert listed[0]["goal_pursued"] == {"value": None, "n": 0, "marked": False}
    assert "participant-1" in recruit("workers", study).stdout and bad not in recruit("workers", study).stdout
    assert recruit("approve", study, "--confirm").exit_code == 0
    assert len(prolific.ask("paid")) == 2


def test_without_limits_nothing_is_marked(prolific: Prolific, tmp_path: Path) -> None:
    study = offered(tmp_path / "paid", prolific, 'quality: {checks: {understood: "> 2"}}\n')
    with Log.open(f"sqlite:///{study / 'log.sqlite'}") as log:
        came(log, prolific, 1.0)
    told = recruit("approve", study).stdout
    assert "correct checks: 0% of 2" in told and "marked" not in told


def test_before_anybody_came_there_is_nothing_to_tell(prolific: Prolific, tmp_path: Path) -> None:
    study = offered(tmp_path / "paid", prolific)
    assert recruit("workers", study, "--json").stdout == "[]\n"
    assert "no participants yet" in recruit("workers", study).stderr


def test_the_page_of_recruitment_tells_the_same_in_the_readers_language(
    prolific: Prolific, tmp_path: Path
) -> None:
    study = offered(tmp_path / "paid", prolific)
    with Log.open(f"sqlite:///{study / 'log.sqlite'}") as log:
        came(log, prolific, 6.0, 1.0)
        with desk_of(study, log) as browser:
            page = press(browser, "/recruitment/prolific/ask")
            assert page.count('name="visit"') == page.count(" checked ") == 2, "both are proposed to be paid"
            assert "correct checks: 100% of 2" in page
            assert "0% of 2 <strong>flagged: &lt; 0.8</strong>" in page
        with desk_of(study, log, language="it") as browser:
            page = browser.get("/recruitment").text
            assert "controlli corretti: 0% di 2" in page and "segnalato:" in page
            assert "Quality signals" not in page and "Quality signals are not verdicts" not in page


def test_marks_go_by_what_stood_when_the_first_participant_came(prolific: Prolific, tmp_path: Path) -> None:
    study = offered(tmp_path / "paid", prolific)
    with Log.open(f"sqlite:///{study / 'log.sqlite'}") as log:
        serve(study, log)
        came(log, prolific, 6.0, 1.0)
    file = study / "study.yaml"
    file.write_text(file.read_text("utf-8").replace('gold: "< 0.8"', 'gold: "> 0.8"'), "utf-8")
    told = recruit("approve", study)
    assert told.stdout.count("0% of 2  flagged: < 0.8") == 1
    assert "changed after the first participant" in told.stderr


def test_a_rule_about_work_holds_while_the_trial_goes_on(prolific: Prolific, tmp_path: Path) -> None:
    study = offered(tmp_path / "paid", prolific, QUALITY + 'analysis: {exclude: [{gold: "< 0.5"}]}\n')
    with Log.open(f"sqlite:///{study / 'log.sqlite'}") as log:
        left_out = LeftOut(log, "paid", load_study(study).file_text)
        came(log, prolific, 6.0, 1.0)
        assert left_out.dialogues() == {"dialogue-1-0", "dialogue-1-1"}
        visit_completed(log, "another", 2)
        answer(log, 2, 1.0)
        assert left_out.dialogues() == {f"dialogue-{person}-{round}" for person in (1, 2) for round in (0, 1)}
