"""Two participants at once, and whoever else there is: nobody gets at another's visit."""

import json
import re
import uuid
from collections import Counter
from collections.abc import Callable
from typing import ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from scenes.addresses import routes_of
from scenes.browsing import Forms, Visitor, serve
from scenes.visits import Parrot
from vivavoce.log.store import Log
from vivavoce.participant.accounts import Access
from vivavoce.participant.site import RateLimits
from vivavoce.study.model import Study

PEOPLE = ("A", "B")
OTHERS = ("nobody", "annotator", "wizard")
BASE = "http://pages.test"


def addresses(visitor: Visitor) -> list[tuple[str, str]]:
    """Method and path of all that participants' pages answer to."""
    found: set[tuple[str, str]] = set()
    for route in routes_of(visitor.server.config.app):  # pyright: ignore[reportArgumentType]
        found |= {(method, route.path) for method in route.methods or ()}
    return sorted(found)


class Visits(RuleBasedStateMachine):
    """A and B go through their visits; each, and others, also ask for everything with what is the other's.

    addresses, open_browser, log  of the pages that are tried; `tried` counts requests by who sent them
    """

    log: ClassVar[Log]
    addresses: ClassVar[list[tuple[str, str]]]
    open_browser: ClassVar[Callable[[], Visitor]]
    tried: ClassVar[Counter[str]]

    @initialize(far=st.tuples(st.integers(2, 7), st.integers(2, 7)))
    def two_begin(self, far: tuple[int, int]) -> None:
        """Both stand somewhere in their visits, most of them after something was said."""
        self.visitors = {who: self.open_browser() for who in PEOPLE + OTHERS}
        self.visits, self.secrets, self.fields = {}, {who: [] for who in PEOPLE}, {who: {} for who in PEOPLE}
        for who in PEOPLE:
            before = {one.visit_id for one in self.log.visits("city")}
            self.visitors[who].look("/")
            self.visitors[who].press("/start")
            (self.visits[who],) = {one.visit_id for one in self.log.visits("city")} - before
        access = Access(self.log)
        for role, cookie in (("annotator", "vivavoce-expert-city"), ("wizard", "vivavoce-wizard-city")):
            token = access.use_link(access.invite(role, BASE).rpartition("/")[2])
            self.visitors[role].client.cookies.set(cookie, token or "")
        self.held: dict[str, list[str]] = {}
        for who, steps in zip(PEOPLE, far, strict=True):
            self.hold(who)
            for _ in range(steps):
                self.go_on(who, ends=False)

    def events_of(self, who: str) -> list[str]:
        return [f"{one.seq} {one.event!r}" for one in self.log.events(self.visits[who])]

    def hold(self, who: str) -> None:
        """What their visit is now, once the system owes nothing."""
        self.visitors[who].settled()
        self.held[who] = self.events_of(who)

    @rule(who=st.sampled_from(PEOPLE), ends=st.booleans())
    def goes_on(self, who: str, ends: bool) -> None:
        """The next thing that their page asks of them."""
        self.go_on(who, ends=ends)

    def go_on(self, who: str, *, ends: bool) -> None:
        visitor = self.visitors[who]
        visitor.settled()
        forms = Forms(visitor.html).forms
        for form in forms.values():
            self.fields[who] |= form
        if "/consent" in forms:
            visitor.press("/consent", answer="agree")
        elif "/read" in forms:
            visitor.press("/read")
        elif "/turns/form" in forms and not ends:
            said = f"the secret {uuid.uuid4().hex}"
            self.secrets[who].append(said)
            visitor.say(said)
        elif "/dialogue/end/form" in forms:
            visitor.press("/dialogue/end/form")
        elif "/code" in forms:
            visitor.press("/code")
        elif "/answers" in forms:
            visitor.give_feedback()
        self.hold(who)

    @rule(
        who=st.sampled_from(PEOPLE + OTHERS),
        of=st.sampled_from(PEOPLE),
        data=st.data(),
        as_json=st.booleans(),
    )
    def asks_with_what_is_anothers(self, who: str, of: str, data: st.DataObject, as_json: bool) -> None:
        own = dict(self.fields[who]) if who in PEOPLE and data.draw(st.booleans()) else {}
        for method, path in data.draw(st.lists(st.sampled_from(self.addresses), min_size=12, max_size=20)):
            self.ask(who, of, method, path, own, as_json=as_json)

    def ask(self, who: str, of: str, method: str, path: str, own: dict[str, str], *, as_json: bool) -> None:
        taken = {**own, **self.fields[of]}
        form = {
            **taken,
            "text": "written by another",
            "answer": "decline",
            "confirmed": "yes",
            "key": uuid.uuid4().hex,
            "visit_id": self.visits[of],
            "item-found_all": "0",
            "entered": taken.get("entered", "1234"),
        }
        path = re.sub(r"{(\w+)(:\w+)?}", lambda place: taken.get(place[1], "1"), path)
        sent = {"json" if as_json else "data": form}
        sent = {"params": {**form, "after": "0"}} if method == "GET" else sent
        answer = self.visitors[who].client.request(method, path, **sent)
        self.tried[who] += 1
        assert answer.status_code < 500, (method, path)
        for other in PEOPLE:
            if who == other:  # who sends what is their own may have changed their own visit
                self.hold(who)
                continue
            seen = answer.text.replace(json.dumps(form["text"]), "")
            for secret in (*self.secrets[other], self.visits[other]):
                assert secret not in seen, f"{who} reads what is {other}'s: {method} {path}"
            assert self.events_of(other) == self.held[other], (
                f"{who} writes what is {other}'s: {method} {path}"
            )

    @invariant()
    def each_visit_is_as_its_participant_left_it(self) -> None:
        if hasattr(self, "held"):
            assert {who: self.events_of(who) for who in PEOPLE} == self.held


@pytest.mark.reliability
@pytest.mark.hypothesis
@pytest.mark.parametrize("examples", [3, pytest.param(100, marks=pytest.mark.long)])
def test_nobody_reads_or_writes_the_visit_of_another_whatever_they_ask_for(
    study: Study, log: Log, parrot: Parrot, examples: int, note_figures: Callable[..., None]
) -> None:
    tried: Counter[str] = Counter()
    often = settings(max_examples=examples, stateful_step_count=20)
    rates = RateLimits(turns_per_minute=100_000, visits_per_hour=100_000)
    with serve(study, log, parrot, rates=rates) as open_browser:
        found = addresses(open_browser())
        of_these_pages = {
            "log": log,
            "open_browser": staticmethod(open_browser),
            "tried": tried,
            "addresses": found,
        }
        machine = type("VisitsOfThesePages", (Visits,), of_these_pages)
        run_state_machine_as_test(machine, settings=often)
    figures = {f"requests_by_{who}": tried[who] for who in PEOPLE + OTHERS}
    note_figures("two participants and others", addresses=len(found), **figures, crossed=0)
    assert len(found) > 30
    assert min(tried[who] for who in PEOPLE + OTHERS) >= 5
