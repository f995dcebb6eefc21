"""Rules of retention: nothing goes before its time, of who takes part, or that is owed; what goes is gone."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select
from typer.testing import CliRunner

from scenes.visits import Parrot, make_study
from vivavoce.cli.main import app
from vivavoce.core.clock import ManualClock
from vivavoce.dashboard.board import Board
from vivavoce.log.event import LoggedRating
from vivavoce.log.events import (
    DialogueAssigned,
    DialogueOpened,
    PageRead,
    PartExpired,
    ParticipantErased,
    QuestionnaireAnswered,
    VisitEnded,
    VisitOpened,
)
from vivavoce.log.expiry import expire_due, find_due, losses
from vivavoce.log.follow_ups import Invited, link_invited, note_invited
from vivavoce.log.models import team_study
from vivavoce.log.store import Log, Transaction
from vivavoce.log.tables import metadata
from vivavoce.log.verification import verify
from vivavoce.participant.site import Site, information_sheet
from vivavoce.study.load import check_study
from vivavoce.study.model import QuestionnaireStep
from vivavoce.study.retention import RetentionRules
from vivavoce.trial.codes import token_hash
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.errors import Refused
from vivavoce_recruitment.ledger import Ledger
from vivavoce_recruitment.money import Money

DAY_S = 86_400.0
IDLE = timedelta(hours=4)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 1, 1, tzinfo=UTC))


@pytest.fixture
def log(tmp_path: Path, clock: ManualClock) -> Iterator[Log]:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}", clock) as opened:
        yield opened


@pytest.fixture
def either_log(log_url: str, tmp_path: Path, clock: ManualClock) -> Iterator[Log]:
    with Log.open(log_url, clock, recording_folder=tmp_path / "recordings") as opened:
        yield opened


def come(
    log: Log, visit: str, person: str, *, study: str = "s", simulated: bool = False, ends: bool = True
) -> None:
    """A visit with a dialogue and a questionnaire with words of their own."""

    def write(tx: Transaction) -> None:
        who = tx.participant_of(study, "link", f"secret-{person}", person)
        tx.bind_visit(visit, study, who, "link", token_hash(visit), token_hash(f"ticket-{visit}"))
        answered = [
            LoggedRating(item_id="comments", value=None, answer=f"I am {person} of Turin"),
            LoggedRating(item_id="ease", value=4.0, answer="easy"),
        ]
        for event in (
            VisitOpened(
                study=study, revision="r", participant_id=who, pool="link", language="en", simulated=simulated
            ),
            DialogueAssigned(
                dialogue_id=f"d-{visit}",
                step=0,
                round=0,
                system="desk",
                task_id=None,
                task=None,
                channel="text",
                spoken=False,
                calls_out=False,
                language="en",
                conversation=visit,
            ),
            DialogueOpened(dialogue_id=f"d-{visit}"),
            QuestionnaireAnswered(
                step=1,
                round=None,
                dialogue_id=None,
                instrument="i",
                wording="ours",
                language="en",
                ratings=answered,
            ),
            *([VisitEnded(outcome="completed")] if ends else []),
        ):
            tx.append(visit, event)

    log.transact_now(write)


def everything(log: Log) -> str:
    with log.reading() as connection:
        rows = [row for table in metadata.sorted_tables for row in connection.execute(select(table))]
    return "\n".join(map(str, rows))


def test_identifiers_go_when_they_are_due_and_not_before(either_log: Log, clock: ManualClock) -> None:
    log = either_log
    days = RetentionRules(identifiers_days=90).days()
    come(log, "v1", "ada")
    come(log, "v2", "bot", simulated=True)
    clock.advance(60 * DAY_S)
    come(log, "v3", "eve")
    come(log, "v4", "ada2")
    assert find_due(log, "s", days, IDLE) == []
    clock.advance(31 * DAY_S)
    [due] = find_due(log, "s", days, IDLE)
    assert (due.part, due.participant_id, due.pieces) == ("identifiers", "ada", 2)
    assert expire_due(log, "s", days, IDLE, by="Kim") == [due]
    assert "secret-ada'" not in everything(log) and token_hash("v1") not in everything(log)
    assert "secret-eve" in everything(log) and "I am ada of Turin" in everything(log)
    assert log.trial_events()[-1].event == PartExpired(
        study="s", participant_id="ada", part="identifiers", days=90, pieces=2, by="Kim"
    )
    assert find_due(log, "s", days, IDLE) == []
    known = log.transact_now(lambda tx: tx.participant_of("s", "link", "secret-ada", "somebody new"))
    assert known == "somebody new"


def test_who_was_to_come_again_and_did_not_is_forgotten_in_time(log: Log, clock: ManualClock) -> None:
    note_invited(log, "s", [Invited("ada", "link", "secret-ada", ("desk",), clock.now())])
    days = RetentionRules(identifiers_days=90).days()
    clock.advance(89 * DAY_S)
    assert find_due(log, "s", days, IDLE) == []
    clock.advance(DAY_S)
    [gone] = expire_due(log, "s", days, IDLE, by="Kim")
    assert (gone.participant_id, gone.pieces) == ("ada", 1)
    assert "secret-ada" not in everything(log) and find_due(log, "s", days, IDLE) == []


def test_only_people_are_forgotten_who_never_came_and_to_whom_something_leads(
    log: Log, clock: ManualClock
) -> None:
    keyed = Invited("keyed", "link", "secret-keyed", ("desk",), clock.now())
    names = ("nameless", "linked", "both", "program", "came")
    others = {name: replace(keyed, participant_id=name, person_key=None) for name in names}
    others["both"] = replace(others["both"], person_key="secret-both")
    others["program"] = replace(others["program"], person_key="secret-program", simulated=True)
    note_invited(log, "s", [keyed, *others.values()])
    link_invited(log, "s", {name: f"hash-{name}" for name in ("linked", "both", "came")})
    clock.advance(90 * DAY_S)
    come(log, "v1", "came")
    due = find_due(log, "s", RetentionRules(identifiers_days=90).days(), IDLE)
    assert {one.participant_id: one.pieces for one in due} == {"keyed": 1, "linked": 1, "both": 2}
    assert find_due(log, "s", RetentionRules(visits_days=90).days(), IDLE) == []


def test_what_is_due_goes_at_its_very_moment_unless_somebody_is_still_at_it(
    log: Log, clock: ManualClock
) -> None:
    days, idle = RetentionRules(identifiers_days=1).days(), timedelta(days=3)
    come(log, "v1", "ada")
    come(log, "v2", "eve", ends=False)
    for passed_s, due in ((DAY_S - 1, []), (1, ["ada"]), (2 * DAY_S - 1, ["ada"]), (1, ["ada", "eve"])):
        clock.advance(passed_s)
        assert [one.participant_id for one in find_due(log, "s", days, idle)] == due


def test_who_comes_or_goes_on_after_they_were_found_due_keeps_what_they_have(
    log: Log, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = RetentionRules(identifiers_days=1).days()
    for visit, person in (("v1", "ada"), ("v2", "eve"), ("v3", "zoe")):
        come(log, visit, person, ends=False)
    clock.advance(2 * DAY_S)
    found = find_due(log, "s", days, IDLE)
    assert [one.participant_id for one in found] == ["ada", "eve", "zoe"]
    come(log, "v4", "ada")
    log.transact_now(lambda tx: tx.append("v2", PageRead(step=2)))
    monkeypatch.setattr("vivavoce.log.expiry.find_due", lambda *_: found)
    assert [one.participant_id for one in expire_due(log, "s", days, IDLE, by="Kim")] == ["zoe"]
    assert "secret-ada" in everything(log) and "secret-eve" in everything(log)


def test_free_text_goes_and_what_was_chosen_stays(log: Log, clock: ManualClock, tmp_path: Path) -> None:
    days = RetentionRules(free_text_days=10).days()
    come(log, "v1", "ada")
    clock.advance(11 * DAY_S)
    come(log, "v2", "eve")
    come(log, "v3", "zoe")
    lost = losses(log, "s", find_due(log, "s", days, IDLE))
    assert (lost.participants, lost.left) == (3, 3)
    assert (lost.dialogues, lost.dialogues_left) == ({"desk": 3}, {"desk": 3})
    assert (lost.answers, lost.answers_left) == ({"comments": 3}, {"comments": 2})
    expire_due(log, "s", days, IDLE, by="Kim")
    assert not [file for file in tmp_path.glob("log.sqlite*") if b"ada of Turin" in file.read_bytes()]
    assert "ada of Turin" not in everything(log) and "eve of Turin" in everything(log)
    [form] = [one.event for one in log.events("v1") if isinstance(one.event, QuestionnaireAnswered)]
    assert [(one.item_id, one.value, one.answer) for one in form.ratings] == [
        ("comments", None, None),
        ("ease", 4.0, "easy"),
    ]
    assert verify(log).problems == []


def test_who_came_again_or_still_takes_part_keeps_what_they_have(log: Log, clock: ManualClock) -> None:
    days = RetentionRules(identifiers_days=1, visits_days=2).days()
    come(log, "v1", "ada")
    come(log, "v2", "eve", ends=False)
    clock.advance(3 * DAY_S - 3600)
    come(log, "v3", "ada")
    log.transact_now(lambda tx: tx.append("v2", VisitEnded(outcome="completed")))
    assert [one.participant_id for one in find_due(log, "s", days, IDLE)] == ["eve"]
    come(log, "v4", "zoe", ends=False)
    clock.advance(DAY_S)
    assert not [one for one in find_due(log, "s", days, IDLE) if one.participant_id == "ada"][1:]
    due = {one.participant_id: one.part for one in find_due(log, "s", days, IDLE)}
    assert due == {"ada": "identifiers", "eve": "visits", "zoe": "identifiers"}


def test_identifiers_wait_for_payments_that_are_not_settled(log: Log, clock: ManualClock) -> None:
    come(log, "v1", "ada")
    clock.advance(91 * DAY_S)
    ledger = Ledger(log, "s")
    planned = ledger.plan("link", "listing", "reward", [("ticket-v1", "reward", Money(200, "EUR"))])
    days = RetentionRules(identifiers_days=90).days()
    [due] = find_due(log, "s", days, IDLE)
    assert due.waits == ("1 payments to them are due or uncertain: pay or settle them first",)
    assert expire_due(log, "s", days, IDLE, by="Kim") == []
    ledger.move(ledger.move(planned, "sent"), "confirmed")
    assert [one.participant_id for one in expire_due(log, "s", days, IDLE, by="Kim")] == ["ada"]
    assert "ticket-v1" not in repr(ledger.payments())


def test_visits_go_beside_a_running_service_whose_board_forgets_them(
    tmp_path: Path, clock: ManualClock
) -> None:
    url, study = f"sqlite:///{tmp_path / 'log.sqlite'}", make_study(tmp_path)
    days = RetentionRules(visits_days=30).days()

    async def serve(log: Log) -> None:
        engine = SessionEngine(study, log, {name: Parrot() for name in study.systems}, clock=clock)
        await engine.start()
        board = Board(study, log)
        left = await engine.open_visit(language="en", person="ada")
        here = await engine.open_visit(language="en", person="eve")
        await engine.give_consent(here.visit_id, 0, agreed=True, document="d")
        assert board.see(lambda one: len(one.visits)) == 2
        clock.advance(31 * DAY_S)
        await engine.read_page(here.visit_id, 1)
        with Log.open(url, clock) as other:
            lost = losses(other, study.name, find_due(other, study.name, days, IDLE))
            assert (lost.participants, lost.left) == (2, 1)
            [gone] = expire_due(other, study.name, days, IDLE, by="Kim")
        tombstone = log.trial_events()[-1].event
        assert isinstance(tombstone, ParticipantErased)
        assert (tombstone.reason, tombstone.participant_id) == ("retention", gone.participant_id)
        with pytest.raises(Refused, match="unknown_visit"):
            await engine.give_consent(left.visit_id, 0, agreed=True, document="d")
        assert log.events(left.visit_id) == [], "whoever goes on writes nothing into the void"
        assert board.see(lambda one: list(one.visits)) == [here.visit_id]
        assert (await engine.state(here.visit_id)).step == 2
        await engine.stop()

    with Log.open(url, clock) as log:
        asyncio.run(serve(log))


STUDY = """\
study: library
languages: [en]
systems: {desk: {connect: scripted, otherwise: "Which shelf?"}}
retention: {identifiers_days: 30, free_text_days: 60, visits_days: 90}
visit:
  - dialogue: {gate: none}
"""


def test_the_verb_says_what_is_due_and_erases_it_only_when_told(tmp_path: Path, clock: ManualClock) -> None:
    (tmp_path / "study.yaml").write_text(STUDY, "utf-8")
    with Log.open(
        f"sqlite:///{tmp_path / 'log.sqlite'}", ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
    ) as log:
        come(log, "v1", "ada", study="library")
        come(log, "v2", "us", study=team_study("library"))  # what the team tried out is due like the rest
        come(log, "v3", "gone", study=team_study("library"))
        gone = log.visits(team_study("library"))[1].participant_id
    erased = CliRunner().invoke(app, ["erase", str(tmp_path), gone, "--yes"])
    assert erased.exit_code == 0, erased.output
    before = CliRunner().invoke(app, ["retention", str(tmp_path)])
    assert before.exit_code == 0, before.output
    assert "analyses lose participants: 1 now, 0 remain" in before.stdout
    assert "analyses lose dialogues of desk: 1 now, 0 remain" in before.stdout
    assert "Nothing was erased" in before.stderr
    facts = json.loads(CliRunner().invoke(app, ["retention", str(tmp_path), "--json", "--confirm"]).stdout)
    assert facts["erased"] == 2 and facts["due"][0]["part"] == "visits"
    after = CliRunner().invoke(app, ["retention", str(tmp_path)])
    assert after.stdout == "" and "nothing is due" in after.stderr


@pytest.mark.parametrize(
    "rules, problem",
    [
        (
            "{identifiers_days: 30, visits_days: 20}",
            "retention.identifiers_days: 30 days",
        ),
        ("{words_days: 3}", "unknown key 'words_days'"),
        ("{visits_days: 0}", "retention.visits_days: 0"),
    ],
)
def test_rules_that_make_no_sense_are_named(tmp_path: Path, rules: str, problem: str) -> None:
    written = STUDY.replace("{identifiers_days: 30, free_text_days: 60, visits_days: 90}", rules)
    (tmp_path / "study.yaml").write_text(written, "utf-8")
    found = "\n".join(map(str, check_study(tmp_path)))
    assert problem in found, found


@pytest.mark.parametrize(
    "language, said",
    [
        ("en", "All your data is erased 365 days after your last start."),
        ("it", "Tutti i tuoi dati vengono cancellati 365 giorni dopo l"),
    ],
)
def test_participants_are_told_before_they_begin(tmp_path: Path, language: str, said: str) -> None:
    study = make_study(
        tmp_path,
        retention=RetentionRules(visits_days=365),
        visit=(QuestionnaireStep(name="sus", about="visit"),),
    )
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        site = Site(SessionEngine(study, log, {name: Parrot() for name in study.systems}))
        sheet = information_sheet(study, language)
        page = site.page(
            "information",
            language,
            under_way=False,
            participant="",
            parameter="p",
            sent="",
            key="k",
            preview=False,
            tried=False,
            team="",
            **sheet,
        )
    read = bytes(page.body).decode()
    assert said in read and "identifi" not in read.partition('class="facts"')[2]
