"""A trial on a stand-in of Prolific, from its plan to the last penny."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from scenes.recruiting import (
    TOKEN,
    Prolific,
    arrive,
    code_shown,
    pages,
    platform,
    recruit,
    take_part,
    visit_completed,
    write_study,
)
from vivavoce.log.store import Log
from vivavoce_recruitment import prolific_api


@pytest.fixture
def prolific(tmp_path: Path) -> Iterator[Prolific]:
    with platform(tmp_path) as prolific:
        yield prolific


def test_ledger_platform_and_log_agree_to_the_penny_after_everything_that_goes_wrong(
    prolific: Prolific, tmp_path: Path
) -> None:
    study = write_study(tmp_path / "paid", prolific.url)
    planned = json.loads(recruit("plan", study, "--json").stdout)
    assert planned["total"] == "99.98 GBP", "30 x (2.00 + 0.50), and 33.3 percent of it"
    assert planned["hourly rate (advertised)"] == "12.00 GBP"

    assert "dry run" in recruit("publish", study).stdout and prolific.ask("journal") == []
    prolific.tell("faults", path="/studies/$", method="POST", times=1, kind="after")
    assert recruit("publish", study, "--confirm").exception is not None
    assert recruit("publish", study, "--confirm").exit_code == 0
    assert [one["status"] for one in prolific.ask("studies")] == ["ACTIVE"], "the lost one was found again"

    with pages(study) as (_, _, open_browser):
        for number in range(10):
            place, browser = prolific.tell("take"), open_browser()
            arrive(browser, place["address"])
            mine = place["submission"]
            if number == 0:  # returned half-way
                browser.press("/consent", answer="agree")
                prolific.tell("return", submission=mine)
            elif number == 1:  # too slow, and finished all the same
                prolific.tell("time-out", submission=mine)
                take_part(browser)
            elif number == 2:  # somebody told them the code
                told = next(iter(prolific.codes()["MANUALLY_REVIEW"]))
                prolific.tell("submit", submission=mine, code=told)
            elif number == 3:
                code = take_part(browser, agree=False)
                assert code in prolific.codes()["REQUEST_RETURN"]
                prolific.tell("return", submission=mine)
            else:
                code = take_part(browser, dialogues=2 if number > 6 else 1)
                assert code in prolific.codes()["MANUALLY_REVIEW"]
                assert f"complete?cc={code}" in browser.html
                prolific.tell("submit", submission=mine, code=code)
                assert prolific.tell("submit", submission=mine, code=code) == 409, "pressed twice"

    prolific.tell("faults", path="/submissions/$", method="GET", times=2, kind="429")
    before = recruit("approve", study)
    assert before.stdout.count(" due\n") == 6 and "our record says running" in before.stderr
    assert prolific.ask("paid") == []
    prolific.tell("faults", path="/transition/$", method="POST", times=1, kind="after")
    prolific.tell("faults", path="/transition/$", method="POST", times=1, kind="before")
    approved = recruit("approve", study, "--confirm")
    assert approved.exit_code == 1 and approved.stderr.count("uncertain payment: ") == 2
    again = recruit("approve", study, "--confirm")
    assert again.exit_code == 1 and again.stderr.count("uncertain payment: ") == 2, "nothing is sent again"

    found = recruit("reconcile", study)
    assert found.exit_code == 1 and found.stderr.count("uncertain payment: ") == 1, "one was found approved"
    lost = found.stderr.partition("uncertain payment: ")[2].split()[0]
    assert recruit("settle", study, lost, "--not-paid").stdout == f"{lost}  planned\n"
    assert recruit("approve", study, "--confirm").exit_code == 0

    prolific.tell("faults", path="/pay/$", method="POST", times=1, kind="500-after")
    assert recruit("bonus", study, "--confirm").exit_code == 1
    assert recruit("bonus", study, "--confirm").exit_code == 1
    last = recruit("reconcile", study, "--json")
    assert last.exit_code == 0, last.stdout + last.stderr
    agreed = json.loads(last.stdout)
    assert agreed["paid by the ledger"] == agreed["paid by the platform"] == "13.50 GBP"
    paid = prolific.ask("paid")
    assert sum(minor for _, _, minor in paid) == 1350, "six rewards and three bonuses"
    assert len({(ticket, minor) for ticket, _, minor in paid}) == len(paid) == 9
    status = json.loads(recruit("status", study, "--json").stdout)
    assert (status["completed"], status["no_consent"], status["running"]) == (7, 1, 2)
    assert (status["reward confirmed"], status["bonus confirmed"]) == (6, 3)
    log = b"".join(one.read_bytes() for one in study.glob("log.sqlite*"))
    assert TOKEN.encode() not in log and TOKEN not in last.stdout + found.stderr


def test_only_a_proven_arrival_begins_a_visit_and_leads_back_into_it(
    prolific: Prolific, tmp_path: Path
) -> None:
    study = write_study(tmp_path / "paid", prolific.url)
    assert recruit("publish", study, "--confirm").exit_code == 0
    with pages(study) as (_, log, open_browser):
        place = prolific.tell("take")
        address = place["address"]

        def refused(link: str, heading: str) -> None:
            browser = open_browser()
            browser.look("/?" + link.partition("?")[2])
            assert heading in browser.press("/start", 403)

        refused(address.partition("&prolific_token")[0], "We could not see where you came from")
        other = prolific.tell("take")["address"]
        token = other.partition("&prolific_token=")[2]
        refused(address.partition("&prolific_token")[0] + f"&prolific_token={token}", "could not see")
        refused(prolific.tell("take", seconds=-3600)["address"], "could not see")
        preview = open_browser().look("/?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID=a&SESSION_ID=b")
        assert "This is a preview." in preview and 'action="/start"' not in preview
        plain = open_browser().client.get("/")
        assert plain.status_code == 403 and "Please use your own link" in plain.text
        assert log.visits("paid") == []

        phone, desk = open_browser(), open_browser()
        arrive(phone, address)
        phone.press("/consent", answer="agree")
        arrive(desk, address)
        assert len(log.visits("paid")) == 1 and "/turns/form" in desk.html, "it goes on where it was"
        assert log.visits("paid")[0].pool == "prolific"
        later = prolific.tell("take", participant=place["participant"])["address"]
        italian = open_browser()
        italian.look(f"/?{later.partition('?')[2]}&lang=en")
        assert "You have already taken part" in italian.press("/start", 403)
        logged = [one.event.model_dump_json() for one in log.events(log.visits("paid")[0].visit_id)]
        assert place["participant"] not in "".join(logged)


def test_the_api_may_prove_an_arrival_instead(prolific: Prolific, tmp_path: Path) -> None:
    study = write_study(tmp_path / "paid", prolific.url, "proof: api")
    assert recruit("publish", study, "--confirm").exit_code == 0
    with pages(study) as (_, log, open_browser):
        address = prolific.tell("take")["address"].partition("&prolific_token")[0]
        pid = address.partition("PROLIFIC_PID=")[2][:24]
        stranger = open_browser()
        stranger.look("/?" + address.partition("?")[2].replace(pid, "0" * 24))
        assert "could not see where" in stranger.press("/start", 403)
        prolific.tell("faults", path="/submissions/.", method="GET", times=prolific_api.TRIES, kind="500")
        browser = open_browser()
        first = browser.look("/?" + address.partition("?")[2])
        assert "could not check where you came from" in browser.press("/start", 403)
        browser.html = first
        browser.press("/start")
        assert [one.pool for one in log.visits("paid")] == ["prolific"]


def test_an_invitation_brings_one_visit_and_leads_back_into_it(tmp_path: Path) -> None:
    study = write_study(tmp_path / "invited", "https://api.example")
    text = (study / "study.yaml").read_text("utf-8")
    (study / "study.yaml").write_text(
        text.partition("recruitment:")[0] + "recruitment: {links: {}}\n", "utf-8"
    )
    made = recruit("invite", study, "--number", "2", "--address", "https://lab.example/").stdout.split()
    assert len(set(made)) == 2
    with pages(study) as (_, log, open_browser):
        first, elsewhere, other = open_browser(), open_browser(), open_browser()
        arrive(first, made[0])
        arrive(elsewhere, made[0])
        arrive(other, made[1])
        assert len(log.visits("paid")) == 2
        stranger = open_browser()
        stranger.look("/?t=guess")
        assert "Please use your own link" in stranger.press("/start", 403)
        arrive(first, made[0])
        take_part(first)
        assert code_shown(first)
        token = made[0].partition("=")[2].encode()
        assert all(token not in one.read_bytes() for one in study.glob("log.sqlite*"))


def test_who_did_not_fit_is_paid_for_coming_and_nobody_is_rejected_without_a_word(
    prolific: Prolific, tmp_path: Path
) -> None:
    study = write_study(tmp_path / "paid", prolific.url, "screen_out_pay: 0.20 GBP")
    assert recruit("publish", study, "--confirm").exit_code == 0
    assert prolific.ask("studies")[0]["is_custom_screening"]
    tickets = [prolific.tell("take")["submission"] for _ in range(3)]
    with Log.open(f"sqlite:///{study / 'log.sqlite'}") as log:
        for number, ticket in enumerate(tickets):
            visit_completed(log, ticket, number, "completed" if number == 2 else "screened_out")
            prolific.tell("submit", submission=ticket, code="told")
    assert recruit("screen-out", study).stdout.count("0.20 GBP  due") == 2
    prolific.tell("faults", path="/screen-out-submissions/$", method="POST", times=1, kind="after")
    lost = recruit("screen-out", study, "--confirm")
    assert lost.exit_code == 1 and lost.stderr.count("uncertain payment: ") == 2
    assert recruit("screen-out", study, "--confirm").exit_code == 1, "nothing is sent again"
    assert json.loads(recruit("reconcile", study, "--json").stdout)["paid by the ledger"] == "0.40 GBP"
    assert sorted(prolific.ask("paid")) == sorted([one, "screen-out", 20] for one in tickets[:2])
    last = tickets[2]
    short = recruit("reject", study, last, "--category", "NO_DATA", "--message", "no", "--confirm")
    assert "2 characters; Prolific requires 100" in str(short.exception)
    named = recruit("reject", study, last, "--category", "LAZY", "--message", "x" * 100, "--confirm")
    assert "unknown reason for a rejection 'LAZY'" in str(named.exception)
    assert "dry run" in recruit("ask-back", study, last, "--reason", "You left.").stdout
    assert "return requested" in recruit("ask-back", study, last, "--reason", "You left.", "--confirm").stdout
    assert "AWAITING REVIEW" in recruit("stop", study, "--confirm").stdout
    assert [one["status"] for one in prolific.ask("studies")] == ["AWAITING REVIEW"]
