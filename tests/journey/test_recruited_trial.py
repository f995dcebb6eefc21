"""A whole trial on a stand-in of Prolific, at the size of a real one: ledger, platform and log agree."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from scenes.patience import eventually
from scenes.recruiting import Prolific, arrive, pages, platform, recruit, take_part, write_study
from vivavoce.log.erasure import erase_participant
from vivavoce.log.persons import identifiers
from vivavoce.log.store import Log
from vivavoce.trial.codes import token_hash
from vivavoce_recruitment.ledger import Ledger

ARRIVALS, RETURNS, TIME_OUTS, TWICE = 60, 10, 5, 3
PASSED_ON = 1  # somebody who entered a code that they were told
COMPLETED = ARRIVALS - RETURNS - TIME_OUTS - PASSED_ON
TALKATIVE = 22  # who hold two dialogues, which earns the bonus
LOST, SENT_AGAIN = 2, 3  # notices


@pytest.fixture(autouse=True)
def secret_of_notices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PROLIFIC_WEBHOOK_SECRET", raising=False)


def subscribe(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = recruit("subscribe", study, "--confirm")
    assert told.exit_code == 1 and "run this again" in told.stderr
    name, _, value = told.stdout.removeprefix("export ").strip().partition("=")
    monkeypatch.setenv(name, value)
    for _ in range(2):
        done = recruit("subscribe", study, "--confirm")
        assert "tells https://lab.example/recruiters/prolific/notices" in done.stdout, done.stderr


def one_arrives(prolific: Prolific, number: int, place: dict[str, str], browser) -> None:
    """Somebody comes from there; what becomes of them hangs on their number."""
    mine = place["submission"]
    arrive(browser, place["address"])
    if number < RETURNS:
        if number % 2:
            take_part(browser, agree=False)
        prolific.tell("return", submission=mine)
    elif number < RETURNS + TIME_OUTS:
        prolific.tell("time-out", submission=mine)
        if number % 2:
            take_part(browser)
    elif number < RETURNS + TIME_OUTS + PASSED_ON:
        prolific.tell("submit", submission=mine, code=prolific.codes()["MANUALLY_REVIEW"][0])
    else:
        order = number - RETURNS - TIME_OUTS - PASSED_ON
        code = take_part(browser, dialogues=2 if order < TALKATIVE else 1)
        if order < LOST:
            prolific.tell("notices", lose=1)
        elif order < LOST + SENT_AGAIN:
            prolific.tell("notices", twice=1)
        prolific.tell("submit", submission=mine, code=code)
        if order < TWICE:
            assert prolific.tell("submit", submission=mine, code=code) == 409


@pytest.mark.long
@pytest.mark.reliability
def test_sixty_arrivals_are_paid_to_the_penny(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, note_figures: Callable[..., None]
) -> None:
    with platform(tmp_path) as prolific:
        study = write_study(tmp_path / "paid", prolific.url, places=50)
        assert recruit("publish", study, "--confirm").exit_code == 0
        subscribe(study, monkeypatch)
        more = recruit("places", study, str(ARRIVALS))
        assert "20.00 GBP more in rewards" in more.stdout and "dry run" in more.stdout
        assert f"{ARRIVALS} places" in recruit("places", study, str(ARRIVALS), "--confirm").stdout
        assert "PAUSED" in recruit("pause", study, "--confirm").stdout
        assert prolific.tell("take") == 404, "nobody new comes in"
        assert "ACTIVE" in recruit("resume", study, "--confirm").stdout

        with pages(study) as (_, _, open_browser):
            prolific.tell("notices", to=str(open_browser().client.base_url).rstrip("/"))
            submissions = []
            for number in range(ARRIVALS):
                place = prolific.tell("take")
                submissions.append(place["submission"])
                one_arrives(prolific, number, place, open_browser())
            told = eventually(lambda: delivered(prolific), "notices were not delivered")
            assert told == [204] * (ARRIVALS - LOST + SENT_AGAIN), "a notice that comes again is taken, too"

        status = json.loads(recruit("status", study, "--json").stdout)
        assert status["there submitted"] == COMPLETED + PASSED_ON - LOST, "two nobody heard of"
        assert (status["there returned"], status["there timed_out"]) == (RETURNS, TIME_OUTS)
        assert (status["completed"], status["no_consent"]) == (COMPLETED + 2, RETURNS // 2)

        pay_with_faults(prolific, study)
        passed_on = submissions[RETURNS + TIME_OUTS]
        message = (
            "Nobody talked with the chatbot under this submission; the code was made for another visit. " * 2
        )
        said = ("--category", "NO_DATA", "--message", message.strip(), "--confirm")
        assert recruit("reject", study, passed_on, *said).stdout == f"{passed_on}  rejected\n"

        last = recruit("reconcile", study, "--json")
        assert last.exit_code == 0, last.stdout + last.stderr
        found = json.loads(last.stdout)
        due = COMPLETED * 200 + TALKATIVE * 50
        assert due == 44 * 200 + 22 * 50 == 9900
        assert found["paid by the ledger"] == found["paid by the platform"] == "99.00 GBP"
        paid = prolific.ask("paid")
        assert sum(minor for _, _, minor in paid) == due
        assert len({(ticket, minor) for ticket, _, minor in paid}) == len(paid) == COMPLETED + TALKATIVE
        assert earned_by_the_log(study) == due
        receipts = tmp_path / "paid.csv"
        told = recruit("receipts", study, "--out", str(receipts))
        assert told.stdout == "prolific  bonus  22  11.00 GBP\nprolific  reward  44  88.00 GBP\n"
        assert len(receipts.read_text("utf-8").splitlines()) == 1 + 22 + 44
        assert "is there already" in str(recruit("receipts", study, "--out", str(receipts)).exception)
        note_figures(
            "a recruited trial",
            arrivals=ARRIVALS,
            returned=RETURNS,
            timed_out=TIME_OUTS,
            submitted_twice=TWICE,
            notices_lost=LOST,
            paid_by_ledger_platform_and_log=found["paid by the ledger"],
        )

        erase_somebody_who_was_paid(study)
        after = json.loads(recruit("reconcile", study, "--json").stdout)
        assert (after["agrees"], after["erased here"]) == (True, 1)
        assert after["paid by the ledger"] == after["paid by the platform"] == "99.00 GBP"


def erase_somebody_who_was_paid(study: Path) -> None:
    """Neither their identifier nor that of their work is anywhere, and what they were paid still is."""
    with Log.open(f"sqlite:///{study / 'log.sqlite'}") as log:
        ticket = next(one.ticket for one in Ledger(log, "paid").payments() if one.kind == "bonus")
        visit = log.transact_now(lambda tx: tx.visit_by_ticket("paid", "prolific", token_hash(ticket)))
        assert visit is not None
        person = identifiers(log, "paid")[visit.participant_id]
        tombstone = erase_participant(log, "paid", visit.participant_id, by="test")
    assert "2.50 GBP stays for the accounts" in tombstone.kept[0], "a reward and a bonus"
    remains = b"".join(one.read_bytes() for one in study.glob("log.sqlite*"))
    assert ticket.encode() not in remains and person.encode() not in remains


def delivered(prolific: Prolific) -> list[int] | None:
    answers = [answer for one in prolific.ask("notices") for answer in one["answers"]]
    return answers if len(answers) == ARRIVALS - LOST + SENT_AGAIN else None


def pay_with_faults(prolific: Prolific, study: Path) -> None:
    """What is due, where answers get lost, until nothing is left open."""
    prolific.tell("faults", path="/submissions/$", method="GET", times=2, kind="429")
    assert recruit("approve", study).stdout.count(" due\n") == COMPLETED
    prolific.tell("faults", path="/transition/$", method="POST", times=1, kind="after")
    prolific.tell("faults", path="/transition/$", method="POST", times=1, kind="before")
    assert recruit("approve", study, "--confirm").stderr.count("uncertain payment: ") == 2
    lost = recruit("reconcile", study).stderr.partition("uncertain payment: ")[2].split()[0]
    assert recruit("settle", study, lost, "--not-paid").exit_code == 0
    assert recruit("approve", study, "--confirm").exit_code == 0
    prolific.tell("faults", path="/pay/$", method="POST", times=1, kind="500-after")
    assert recruit("bonus", study, "--confirm").exit_code == 1
    assert recruit("bonus", study, "--confirm").exit_code == 1


def earned_by_the_log(study: Path) -> int:
    """What everybody whose work was approved there earned, by the log alone."""
    with Log.open(f"sqlite:///{study / 'log.sqlite'}") as log:
        standing = Ledger(log, "paid").submissions("prolific")
        approved = sum(one == "approved" for one in standing.values())
        held = [one.visit_id for one in log.dialogues("paid") if one.status == "completed"]
        twice = {visit for visit in held if held.count(visit) == 2}
        done = {one.visit_id for one in log.visits("paid") if one.outcome == "completed"}
        assert twice <= done and approved == COMPLETED
        return approved * 200 + len(twice) * 50
