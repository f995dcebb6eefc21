"""A payer that is killed between every two steps: everybody is paid at most once, and nobody is forgotten."""

import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from random import Random

import pytest

from scenes import killed_payments
from scenes.recruiting import Prolific, platform, recruit, visit_completed, write_study
from vivavoce.api.studies import open_log, read_study
from vivavoce.study.recruiter import RECRUITERS
from vivavoce_recruitment.ledger import OPEN, Ledger
from vivavoce_recruitment.platform import PaidRecruiter

pytestmark = pytest.mark.long  # `make faults` and `make test-long` run it

PEOPLE = 2


@pytest.fixture
def prolific(tmp_path: Path) -> Iterator[Prolific]:
    with platform(tmp_path) as prolific:
        yield prolific


class Stopped(BaseException):
    """Ends a payer between two steps."""


def stop() -> None:
    raise Stopped


@contextmanager
def stopped_payer(folder: Path) -> Iterator[Callable[[int], str]]:
    """Pays in this process, and leaves it all where it is at a step."""
    study, recruiter = read_study(folder), RECRUITERS.get("prolific")
    assert isinstance(recruiter, PaidRecruiter)

    def run(step: int) -> str:
        try:
            killed_payments.pay(study, recruiter, step, stop)
        except Stopped:
            return "killed"
        return "done"

    yield run


@contextmanager
def killed_payer(folder: Path, *log_url: str) -> Iterator[Callable[[int], str]]:
    """Pays in processes of their own, of which each gets SIGKILL at a step."""
    command = [sys.executable, killed_payments.__file__, str(folder), *log_url]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as payer:
        asked, told = payer.stdin, payer.stdout
        assert asked is not None and told is not None

        def run(step: int) -> str:
            print(step, file=asked, flush=True)
            return told.readline().strip()

        yield run
        asked.close()


@pytest.mark.reliability
@pytest.mark.parametrize("payer", [stopped_payer, pytest.param(killed_payer, marks=pytest.mark.long)])
def test_nobody_is_paid_twice_or_forgotten_wherever_the_payer_is_killed(
    prolific: Prolific,
    tmp_path: Path,
    payer: Callable[[Path], AbstractContextManager[Callable[[int], str]]],
    note_figures: Callable[..., None],
) -> None:
    folder = write_study(tmp_path / "paid", prolific.url)
    assert recruit("publish", folder, "--confirm").exit_code == 0
    tickets = [prolific.tell("take")["submission"] for _ in range(PEOPLE)]
    study = read_study(folder)
    with open_log(study, None) as log:
        for number, ticket in enumerate(tickets):
            visit_completed(log, ticket, number)
            prolific.tell("submit", submission=ticket, code="told")
    prolific.tell("keep")
    kept = tmp_path / "kept.sqlite"
    shutil.copy(folder / "log.sqlite", kept)
    found: Counter[str] = Counter()
    with payer(folder) as run:
        for step in range(1, 200):
            prolific.tell("restore")
            for old in folder.glob("log.sqlite*"):
                old.unlink()
            shutil.copy(kept, folder / "log.sqlite")
            ended = run(step)
            if ended == "done":
                break
            assert ended == "killed"
            assert run(0) == "done", "the same command again"
            paid = Counter((ticket, minor) for ticket, _, minor in prolific.ask("paid"))
            assert max(paid.values(), default=0) <= 1, f"paid twice after a kill at step {step}"
            with open_log(study, None) as log:
                payments = Ledger(log, "paid").payments()
            perhaps = {(one.ticket, one.minor) for one in payments if one.state in OPEN}
            for ticket in tickets:
                rewarded = (ticket, 200) in paid
                assert rewarded or (ticket, 200) in perhaps, f"forgotten after a kill at step {step}"
                earned = rewarded and (ticket, 50) not in paid
                assert not earned or (ticket, 50) in perhaps, f"forgotten after a kill at step {step}"
            listed = recruit("reconcile", folder)
            unpaid = len(perhaps - set(paid))
            assert listed.stderr.count("uncertain payment: ") == unpaid, "only what is not paid"
            found["kills"] += 1
            found["open"] += len(perhaps)
    note_figures(
        "payments, ended once before every step",
        people=PEOPLE,
        way=payer.__name__.replace("_", " "),
        kills=found["kills"],
        paid_twice_or_forgotten=0,
        unknown_and_listed=found["open"],
    )
    assert found["kills"] >= 30 and found["open"] > 0, found


def step_of_a_kill(random: Random, listed: int) -> int:
    """While rewards are paid or, then bonuses; before each everybody is listed, in so many steps."""
    rewards, bonuses = listed + random.randint(0, 40), 2 * listed + random.randint(0, 60)
    return bonuses if random.random() < 0.25 else rewards


@pytest.mark.reliability
@pytest.mark.long
@pytest.mark.parametrize("people", [40, 500])
def test_many_are_paid_once_by_payers_that_are_killed_again_and_again(
    prolific: Prolific, tmp_path: Path, log_url: str, people: int, note_figures: Callable[..., None]
) -> None:
    folder = write_study(tmp_path / "paid", prolific.url, places=people)
    assert recruit("publish", folder, "--confirm", "--log", log_url).exit_code == 0
    study, random = read_study(folder), Random(20)
    tickets = [prolific.tell("take")["submission"] for _ in range(people)]
    with open_log(study, log_url) as log:
        for number, ticket in enumerate(tickets):
            visit_completed(log, ticket, number)
            prolific.tell("submit", submission=ticket, code="told")
    listed = 2 * -(-people // 20)  # steps of a list, whose pages have 20
    kills = 0
    with killed_payer(folder, log_url) as run:
        while run(step_of_a_kill(random, listed)) == "killed":
            kills += 1
    paid = Counter((ticket, minor) for ticket, _, minor in prolific.ask("paid"))
    assert max(paid.values()) == 1 and kills > people / 20
    with open_log(study, log_url) as log:
        ledger = Ledger(log, "paid")
        perhaps = {(one.ticket, one.minor) for one in ledger.payments() if one.state in OPEN}
        told = recruit("status", folder, "--log", log_url).stderr
        assert told.count("uncertain payment: ") == len(perhaps) > 0
        for ticket in tickets:
            assert (ticket, 200) in paid or (ticket, 200) in perhaps, "a reward was forgotten"
            due = (ticket, 200) in paid and (ticket, 50) not in paid
            assert not due or (ticket, 50) in perhaps, "a bonus was forgotten"
        found = recruit("reconcile", folder, "--log", log_url)
        left = [one for one in ledger.payments() if one.state in OPEN]
        assert {(one.ticket, one.minor) for one in left} == perhaps - set(paid), found.stdout
        for one in left:
            ledger.settle(one.payment_id, paid=False)
    with killed_payer(folder, log_url) as run:
        assert run(0) == "done"
    last = recruit("reconcile", folder, "--log", log_url)
    assert last.exit_code == 0, last.stdout + last.stderr
    paid = Counter((ticket, minor) for ticket, _, minor in prolific.ask("paid"))
    assert paid == Counter({(ticket, minor): 1 for ticket in tickets for minor in (200, 50)})
    note_figures(
        "payments",
        entries=2 * people,
        kills=kills,
        paid_twice_or_forgotten=0,
        unknown_and_listed=len(perhaps),
        of_these_not_paid=len(left),
        database=log_url.partition(":")[0],
    )
