"""Links, accounts and sign-ins, without a browser."""

import re
import threading
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from types import ModuleType

import pytest

from scenes.log_counts import counts_by_system
from scenes.patience import PATIENCE_S, eventually
from vivavoce.core.clock import ManualClock
from vivavoce.core.errors import InputError
from vivavoce.dashboard.access import first_link
from vivavoce.dashboard.board import Board
from vivavoce.dashboard.progress import progress
from vivavoce.dashboard.study_editor.setup import create_setup
from vivavoce.log.store import Log
from vivavoce.participant.accounts import Access, SignedIn, SignInRefused
from vivavoce.study.model import Study

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from starlette.testclient import TestClient

BASE = "http://desk.test"
PASSWORD = "a long enough sentence"


@pytest.fixture
def access(empty_log: Log) -> Access:
    return Access(empty_log)


def token_in(link: str) -> str:
    return link.rsplit("/", 1)[1]


def arrive(access: Access, role: str) -> SignedIn:
    session = access.use_link(token_in(access.invite(role, BASE)))
    assert session is not None
    who = access.who(session)
    assert who is not None
    return who


def test_a_link_signs_in_once(access: Access) -> None:
    token = token_in(access.invite("viewer", BASE))
    assert access.use_link(token) is not None
    assert access.use_link(token) is None
    assert access.link_role(token) is None


def test_looking_at_a_link_does_not_use_it_up(access: Access) -> None:
    token = token_in(access.invite("researcher", BASE))
    assert [access.link_role(token) for _ in range(3)] == ["researcher"] * 3
    assert access.use_link(token) is not None


def test_a_link_expires_after_a_day(access: Access, clock: ManualClock) -> None:
    token, later = token_in(access.invite("viewer", BASE)), token_in(access.invite("viewer", BASE))
    clock.advance(timedelta(hours=24).total_seconds() - 1)
    assert access.use_link(token) is not None
    clock.advance(1)
    assert access.link_role(later) is None
    assert access.use_link(later) is None


def test_a_link_has_256_random_bits_and_the_log_keeps_none_of_them(
    access: Access, empty_log: Log, tmp_path: Path
) -> None:
    token = token_in(access.invite("owner", BASE))
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", token)
    session = access.use_link(token)
    assert session is not None
    empty_log.close_now()
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("empty.sqlite*"))
    assert kept and token.encode() not in kept and session.encode() not in kept


def test_the_first_link_is_replaced_by_the_sign_in_page_once_there_is_an_owner(
    access: Access, empty_log: Log
) -> None:
    assert "/link/" in first_link(empty_log, BASE + "/")
    access.make_account(arrive(access, "viewer"), "Vi", PASSWORD)
    assert "/link/" in first_link(empty_log, BASE)
    access.make_account(arrive(access, "owner"), "Ada", PASSWORD)
    assert first_link(empty_log, BASE) == BASE + "/sign-in"
    assert "/link/" in first_link(empty_log, BASE, always=True)


def test_an_account_signs_in_with_its_password_and_the_links_role(access: Access) -> None:
    access.make_account(arrive(access, "researcher"), "Grace", PASSWORD)
    who = access.who(access.sign_in("Grace", PASSWORD, "1.2.3.4"))
    assert who is not None and (who.name, who.role) == ("Grace", "researcher")


def test_a_wrong_name_and_a_wrong_password_are_answered_alike(access: Access) -> None:
    access.make_account(arrive(access, "owner"), "Ada", PASSWORD)
    answers = set()
    for name, password in (("Ada", "not the password"), ("Nobody", PASSWORD), ("Ada", "x" * 5000)):
        with pytest.raises(InputError) as caught:
            access.sign_in(name, password, "1.2.3.4")
        answers.add(str(caught.value))
    assert len(answers) == 1


def test_too_many_attempts_are_refused_even_with_the_right_password(access: Access) -> None:
    access.make_account(arrive(access, "owner"), "Ada", PASSWORD)
    for _ in range(10):
        with pytest.raises(InputError, match="wrong"):
            access.sign_in("Ada", "not the password", "6.6.6.6")
    with pytest.raises(InputError, match="too many"):
        access.sign_in("Ada", PASSWORD, "6.6.6.6")
    assert access.sign_in("Ada", PASSWORD, "1.2.3.4")


class CountingHasher:
    """A hasher that waits until it may go on; how many were at it at once."""

    def __init__(self) -> None:
        self.at_once, self.most, self.calls, self.may_go_on = 0, 0, 0, threading.Event()
        self._lock = threading.Lock()

    def hash(self, password: str) -> str:
        self.verify(password, "")
        return password

    def verify(self, password: str, password_hash: str) -> bool:
        with self._lock:
            self.at_once, self.calls = self.at_once + 1, self.calls + 1
            self.most = max(self.most, self.at_once)
        self.may_go_on.wait(PATIENCE_S)
        with self._lock:
            self.at_once -= 1
        return password == PASSWORD


def test_of_many_who_sign_in_at_once_two_are_hashed_and_a_known_browser_keeps_its_turn(
    access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each hash takes 64 MiB: forty at once took 1.8 GB, and every thread that pages are made by."""
    access.make_account(arrive(access, "owner"), "Ada", PASSWORD)
    known = access.browser_of(access.sign_in("Ada", PASSWORD, "1.2.3.4"))
    hasher = CountingHasher()
    monkeypatch.setattr(access, "_passwords", hasher)
    refused: list[str] = []

    def guess(number: int) -> None:
        with pytest.raises(SignInRefused) as caught:
            access.sign_in("Ada", f"guess number {number}", f"6.6.6.{number}")
        refused.append(caught.value.kind)

    with ThreadPoolExecutor(41) as threads:
        guesses = [threads.submit(guess, number) for number in range(40)]
        eventually(lambda: refused.count("too_many") == 30)
        signed_in = threads.submit(access.sign_in, "Ada", PASSWORD, "1.2.3.4", known)
        assert hasher.calls == 2
        hasher.may_go_on.set()
        assert access.who(signed_in.result(PATIENCE_S))
        for outcome in guesses:
            outcome.result(PATIENCE_S)
    assert (hasher.most, hasher.calls, refused.count("wrong")) == (2, 11, 10)


NEW = "another quite long sentence"


def test_a_new_password_replaces_the_old_one_and_signs_out_every_other_browser(access: Access) -> None:
    here = access.who(access.make_account(arrive(access, "owner"), "Ada", PASSWORD))
    others = [access.sign_in("Ada", PASSWORD, "1.2.3.4") for _ in range(2)]
    stays = access.make_account(arrive(access, "viewer"), "Vi", PASSWORD)
    known = access.browser_of(others[0])
    assert here is not None
    token, ended = access.change_password(here, PASSWORD, NEW, "1.2.3.4")
    assert ended == 2 and [access.who(one) for one in (here.token, *others)] == [None] * 3
    now = access.who(token)
    assert now is not None and (now.name, now.role) == ("Ada", "owner")
    assert access.who(stays) is not None
    with pytest.raises(InputError, match="wrong"):
        access.sign_in("Ada", PASSWORD, "1.2.3.4", known)
    assert access.sign_in("Ada", NEW, "1.2.3.4")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("not the password", NEW, "the old password is wrong"),
        (PASSWORD, "too short", "the password has 9 characters"),
        (PASSWORD, "x" * 201, "the password has 201 characters"),
        (PASSWORD, "adaadaadaada", None),
        (PASSWORD, "1 Margherita", "too similar to the name"),
        (PASSWORD, PASSWORD, "the new password equals the old one"),
    ],
)
def test_a_new_password_keeps_the_rules_of_a_first_one(
    access: Access, old: str, new: str, problem: str | None
) -> None:
    here = access.who(access.make_account(arrive(access, "owner"), "Margherita", PASSWORD))
    assert here is not None
    if problem is None:
        access.change_password(here, old, new, "1.2.3.4")
        return
    with pytest.raises(InputError, match=problem):
        access.change_password(here, old, new, "1.2.3.4")
    assert access.who(here.token) == here
    assert access.sign_in("Margherita", PASSWORD, "1.2.3.4")


def test_whoever_guesses_the_old_password_waits_as_at_the_door(access: Access, clock: ManualClock) -> None:
    here = access.who(access.make_account(arrive(access, "owner"), "Ada", PASSWORD))
    assert here is not None
    for _ in range(10):
        with pytest.raises(InputError, match="the old password is wrong"):
            access.change_password(here, "not the password", NEW, "6.6.6.6")
    with pytest.raises(InputError, match="too many"):
        access.change_password(here, PASSWORD, NEW, "6.6.6.6")
    with pytest.raises(InputError, match="too many"):
        access.sign_in("Ada", PASSWORD, "6.6.6.6")
    clock.advance(60)
    assert access.change_password(here, PASSWORD, NEW, "6.6.6.6")[1] == 0


def test_of_two_who_change_a_password_at_once_one_is_told(access: Access) -> None:
    here = access.who(access.make_account(arrive(access, "owner"), "Ada", PASSWORD))
    there = access.who(access.sign_in("Ada", PASSWORD, "1.2.3.4"))
    assert here is not None and there is not None
    verify = access._passwords.verify

    def first(password: str, known: str) -> bool:
        access._passwords.verify = verify  # type: ignore[method-assign]
        access.change_password(there, PASSWORD, "the faster of two sentences", "1.2.3.4")
        return verify(password, known)

    access._passwords.verify = first  # type: ignore[method-assign]
    with pytest.raises(InputError, match=r"in another session. Sign in again"):
        access.change_password(here, PASSWORD, NEW, "1.2.3.4")
    assert access.sign_in("Ada", "the faster of two sentences", "1.2.3.4")


def hammer(
    access: Access,
    clock: ManualClock,
    address: str,
    browser: str = "",
    pauses: Sequence[float] = (30.0,) * 12,
) -> None:
    """A stranger who tries passwords, with pauses and without."""
    for seconds in [0.0] * 10 + list(pauses):
        clock.advance(seconds)
        with pytest.raises(InputError):
            access.sign_in("Ada", "not the password", address, browser)


def test_nobody_is_locked_out_by_strangers_however_many_and_long_they_try(
    access: Access, clock: ManualClock
) -> None:
    access.make_account(arrive(access, "owner"), "Ada", PASSWORD)
    at_home = access.browser_of(access.sign_in("Ada", PASSWORD, "10.0.0.1"))
    for number in range(12):
        hammer(access, clock, f"6.6.6.{number}", browser="made.up", pauses=())
    assert access.sign_in("Ada", PASSWORD, "1.2.3.4")  # from an address of her own
    hammer(access, clock, "10.0.0.1")
    assert access.sign_in("Ada", PASSWORD, "10.0.0.1", at_home)  # behind the stranger's, in her browser
    with pytest.raises(InputError, match="too many"):
        access.sign_in("Ada", PASSWORD, "10.0.0.1")
    clock.advance(60)
    assert access.sign_in("Ada", PASSWORD, "10.0.0.1")  # in a new browser, as soon as the stranger rests


def test_what_a_browser_keeps_is_worth_nothing_for_another_account(
    access: Access, clock: ManualClock
) -> None:
    access.make_account(arrive(access, "owner"), "Ada", PASSWORD)
    access.make_account(arrive(access, "viewer"), "Eve", PASSWORD)
    of_eve = access.browser_of(access.sign_in("Eve", PASSWORD, "6.6.6.6"))
    hammer(access, clock, "6.6.6.6", of_eve)
    with pytest.raises(InputError, match="too many"):
        access.sign_in("Ada", PASSWORD, "6.6.6.6", of_eve)


@pytest.mark.parametrize(
    ("name", "password", "problem"),
    [
        ("", PASSWORD, "name"),
        ("x" * 81, PASSWORD, "name"),
        ("Ada", "short", "5 characters"),
        ("Ada", "x" * 201, "201 characters"),
        ("professor1234", "professor1234!", "too similar to the name"),
        ("Taken", PASSWORD, "taken"),
    ],
)
def test_a_bad_name_or_password_makes_no_account(
    access: Access, name: str, password: str, problem: str
) -> None:
    access.make_account(arrive(access, "viewer"), "Taken", PASSWORD)
    with pytest.raises(InputError, match=problem):
        access.make_account(arrive(access, "owner"), name, password)
    assert [account.name for account in access.accounts()] == ["Taken"]


def test_one_link_makes_one_account(access: Access) -> None:
    who = arrive(access, "owner")
    access.make_account(who, "Ada", PASSWORD)
    with pytest.raises(InputError, match="already"):
        access.make_account(who, "Eve", PASSWORD)
    assert access.who(who.token) is None


def test_a_sign_in_ends_after_twelve_hours_and_at_sign_out(access: Access, clock: ManualClock) -> None:
    access.make_account(arrive(access, "owner"), "Ada", PASSWORD)
    first, second = access.sign_in("Ada", PASSWORD, "a"), access.sign_in("Ada", PASSWORD, "a")
    who = access.who(first)
    assert who is not None
    access.sign_out(who)
    assert access.who(first) is None and access.who(second) is not None
    clock.advance(12 * 3600)
    assert access.who(second) is None


def test_removing_an_account_signs_it_out_and_the_last_owner_stays(access: Access) -> None:
    owner = access.make_account(arrive(access, "owner"), "Ada", PASSWORD)
    viewer = access.make_account(arrive(access, "viewer"), "Vi", PASSWORD)
    by_name = {account.name: account.account_id for account in access.accounts()}
    access.remove(by_name["Vi"])
    assert access.who(viewer) is None
    with pytest.raises(InputError, match="only owner"):
        access.remove(by_name["Ada"])
    with pytest.raises(InputError, match="account"):
        access.remove("nobody")
    assert access.who(owner) is not None


def test_passwords_are_kept_as_argon2_hashes(access: Access) -> None:
    access.make_account(arrive(access, "owner"), "Ada", PASSWORD)
    assert all(account.password_hash.startswith("$argon2id$") for account in access.accounts())


def test_doors_and_numbers_are_the_same_on_every_database(
    log_url: str, trial: ModuleType, study: Study, clock: ManualClock
) -> None:
    with Log.open(log_url, clock) as log:
        trial.fill(log, study, clock, participants=1)
        access, board = Access(log), Board(study, log)
        session = access.use_link(token_in(first_link(log, BASE)))
        assert session is not None
        who = access.who(session)
        assert who is not None
        access.make_account(who, "Ada", PASSWORD)
        assert access.who(session) is None
        assert first_link(log, BASE) == BASE + "/sign-in"
        counts = counts_by_system(log, study.name)
        shown = {row.system: row.dialogues for row in board.see(progress).systems}
        assert shown == {system: count["dialogues"] for system, count in counts.items()}


def test_an_account_of_one_study_opens_no_other_of_the_log_and_an_owner_of_all_opens_each(
    empty_log: Log,
) -> None:
    here, there = Access(empty_log, "here"), Access(empty_log, "there")
    everywhere = Access(empty_log)
    made = everywhere.make_account(arrive(everywhere, "owner"), "Ada", PASSWORD)
    assert [one.who(made) is not None for one in (here, there)] == [True, True]
    link = token_in(here.invite("researcher", BASE))
    assert there.link_role(link) is None and there.use_link(link) is None and here.link_role(link)
    session = here.use_link(link)
    assert session is not None and there.who(session) is None
    grace = here.who(session)
    assert grace is not None and grace.study == "here"
    token = here.make_account(grace, "Grace", PASSWORD)
    assert there.who(token) is None and here.who(token) is not None
    with pytest.raises(InputError, match="wrong"):
        there.sign_in("Grace", PASSWORD, "1.2.3.4")
    assert here.who(here.sign_in("Grace", PASSWORD, "1.2.3.5")) is not None
    assert [one.name for one in here.accounts()] == ["Ada", "Grace"]
    assert [one.name for one in there.accounts()] == ["Ada"]


def test_an_owner_of_one_study_removes_no_account_of_all(empty_log: Log) -> None:
    here, everywhere = Access(empty_log, "here"), Access(empty_log)
    everywhere.make_account(arrive(everywhere, "owner"), "Ada", PASSWORD)
    everywhere.make_account(arrive(everywhere, "viewer"), "Vi", PASSWORD)
    token = here.make_account(arrive(here, "owner"), "Grace", PASSWORD)
    grace = here.who(token)
    numbers = {one.name: one.account_id for one in here.accounts()}
    with pytest.raises(InputError, match="all studies"):
        here.remove(numbers["Vi"], grace)
    with pytest.raises(InputError, match="account"):
        Access(empty_log, "there").remove(numbers["Grace"])
    with pytest.raises(InputError, match="only owner"):
        here.remove(numbers["Ada"])
    here.remove(numbers["Grace"], grace)
    assert here.who(token) is None


def test_nothing_is_reached_without_the_link(tmp_path: Path) -> None:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        stranger = TestClient(create_setup(tmp_path, log, lambda: None), base_url=BASE)
        for path in ("/", "/study", "/study/file", "/study/step?kind=consent", "/study/state"):
            assert stranger.get(path).status_code == 401


def test_who_only_researches_does_not_edit_what_this_machine_starts(tmp_path: Path) -> None:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        app = create_setup(tmp_path, log, lambda: None)
        headers = {"sec-fetch-site": "same-origin", "accept": "text/html"}
        browser = TestClient(app, base_url=BASE, headers=headers)
        browser.post(app.state.desk.access.invite("researcher", BASE).removeprefix(BASE))
        for path in ("/study", "/study/file", "/study/step?kind=consent"):
            assert browser.get(path).status_code == 403
        assert browser.post("/study/file", data={"text": "systems: {}"}).status_code == 403
