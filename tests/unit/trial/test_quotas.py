"""Quotas: as many people and dialogues as the study says, however many come, and after a restart."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scenes.fighting import arena_study
from scenes.patience import eventually_there
from scenes.visits import Parrot, make_study
from vivavoce.core.clock import ManualClock
from vivavoce.log.events import LoggedEarlier, VisitOpened
from vivavoce.log.store import Log, StoredEvent
from vivavoce.participant.present import visit_page
from vivavoce.participant.site import Site
from vivavoce.study import model as study_model
from vivavoce.study.load import check_study
from vivavoce.study.quotas import Quotas
from vivavoce.study.session_link import FollowUp
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.errors import SessionError
from vivavoce.trial.quotas import _followed
from vivavoce.trial.state import VisitState


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def log(tmp_path: Path, clock: ManualClock) -> Iterator[Log]:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}", clock) as opened:
        yield opened


def capped(folder: Path, repeat: tuple[int, int] = (1, 1), **quotas: Any) -> study_model.Study:
    """Dialogues from the first page on, with two systems."""
    step = study_model.DialogueStep(
        repeat=study_model.Range(min=repeat[0], max=repeat[1]),
        gate="none",
        nontrivial=study_model.Nontrivial(user_turns=1),
    )
    return make_study(folder, visit=(step,), quotas=Quotas(**quotas), allocation="balanced")


class Trial:
    """An engine over a log, and what people do there."""

    def __init__(self, study: study_model.Study, log: Log, clock: ManualClock) -> None:
        self.study = study
        systems = {name: Parrot() for name in study.systems}
        self.engine = SessionEngine(study, log, systems, clock=clock)

    async def come(self, person: str) -> str:
        """Begin a visit; whoever has a place is greeted by the system."""
        visit_id = (await self.engine.open_visit(language="en", person=person)).visit_id

        async def greeted() -> bool:
            state = await self.engine.state(visit_id)
            return state.outcome is not None or (state.dialogue is not None and state.dialogue.greeted)

        await eventually_there(greeted, "the system never greeted")
        return visit_id

    async def finish(self, visit_id: str) -> None:
        """Hold the dialogue that is due to its end."""
        dialogue = (await self.engine.state(visit_id)).dialogue
        assert dialogue is not None
        await self.engine.end_dialogue(visit_id, dialogue.dialogue_id)

    async def stands(self, visit_id: str) -> tuple[str | None, str | None]:
        state = await self.engine.state(visit_id)
        return state.outcome, state.cap

    async def system(self, visit_id: str) -> str:
        return (await self.engine.state(visit_id)).dialogues[-1].system


def test_many_who_come_at_once_get_exactly_the_places_also_after_a_restart(
    log_url: str, tmp_path: Path, clock: ManualClock
) -> None:
    study = capped(tmp_path, conditions={"one": 4, "two": 3})

    async def scenario(log: Log) -> None:
        trial = Trial(study, log, clock)
        visits = await asyncio.gather(*[trial.come(f"p{number}") for number in range(24)])
        stands = Counter([await trial.stands(one) for one in visits])
        assert stands == {(None, None): 7, ("no_place", "places"): 17}
        begun = [one for one in visits if (await trial.stands(one))[0] is None]
        assert Counter([await trial.system(one) for one in begun]) == {"one": 4, "two": 3}
        await trial.engine.stop()
        again = Trial(study, log, clock)
        assert await again.stands(await again.come("late")) == ("no_place", "places")
        await again.engine.withdraw(begun[0])
        gone = await again.system(begun[0])
        heir = await again.come("heir")
        assert await again.system(heir) == gone, "a place that is free again goes to the next"
        await again.engine.stop()

    with Log.open(log_url, clock, recording_folder=tmp_path) as log:
        asyncio.run(scenario(log))


def test_who_left_for_too_long_loses_their_place_and_is_told(
    log: Log, tmp_path: Path, clock: ManualClock
) -> None:
    async def scenario() -> None:
        trial = Trial(capped(tmp_path, participants=1), log, clock)
        first = await trial.come("ada")
        clock.advance(60 * 239)
        assert await trial.stands(await trial.come("eve")) == ("no_place", "places")
        clock.advance(60 * 2)
        heir = await trial.come("zoe")
        assert await trial.stands(heir) == (None, None)
        with pytest.raises(SessionError):
            await trial.finish(first)
        assert await trial.stands(first) == ("timed_out", None)
        page = bytes(visit_page(Site(trial.engine), await trial.engine.state(first)).body).decode()
        assert "Your place was given to another person" in page
        await trial.finish(heir)
        assert await trial.stands(heir) == ("completed", None)
        assert await trial.stands(await trial.come("kim")) == ("no_place", "places")
        await trial.engine.stop()

    asyncio.run(scenario())


def test_who_has_a_place_holds_all_their_dialogues_however_full_it_is(
    log: Log, tmp_path: Path, clock: ManualClock
) -> None:
    async def scenario() -> None:
        trial = Trial(capped(tmp_path, (3, 3), conditions=1), log, clock)
        ada, eve = await trial.come("ada"), await trial.come("eve")
        assert {await trial.system(ada), await trial.system(eve)} == {"one", "two"}
        for round in (1, 2):
            await trial.finish(ada)
            await trial.engine.next_dialogue(ada, 0, round)
            assert len({one.system for one in (await trial.engine.state(ada)).dialogues}) == 1
        await trial.finish(ada)
        assert await trial.stands(ada) == ("completed", None)
        await trial.engine.stop()

    asyncio.run(scenario())


def test_one_participant_holds_as_many_dialogues_as_the_cap_says_over_all_visits(
    log: Log, tmp_path: Path, clock: ManualClock
) -> None:
    async def scenario() -> None:
        trial = Trial(capped(tmp_path, (2, 9), dialogues=3), log, clock)
        visit = await trial.come("ada")
        for round in (1, 2):
            await trial.finish(visit)
            await trial.engine.next_dialogue(visit, 0, round)
        await trial.finish(visit)
        await trial.engine.next_dialogue(visit, 0, 3)
        assert await trial.stands(visit) == ("completed", None), "enough were held: the step is over"
        again = await trial.come("ada")
        assert await trial.stands(again) == ("no_place", "participant")
        words = {"en": "the limit of this study", "it": "il limite di questo studio"}
        for language, said in words.items():
            await trial.engine.choose_language(again, language) if language != "en" else None
            state = await trial.engine.state(again)
            assert said in bytes(visit_page(Site(trial.engine), state).body).decode()
        assert await trial.stands(await trial.come("eve")) == (None, None)
        await trial.engine.stop()

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("dialogues", "stands"),
    [(1, ("no_place", "participant")), (2, (None, None)), (3, (None, None))],
)
def test_a_visit_begins_where_as_many_dialogues_are_left_as_it_needs(
    log: Log, tmp_path: Path, clock: ManualClock, dialogues: int, stands: tuple[str | None, str | None]
) -> None:
    async def scenario() -> None:
        trial = Trial(capped(tmp_path, (2, 9), dialogues=dialogues), log, clock)
        assert await trial.stands(await trial.come("ada")) == stands
        await trial.engine.stop()

    asyncio.run(scenario())


def test_what_was_completed_counts_for_balance_as_what_goes_on_does(
    log: Log, tmp_path: Path, clock: ManualClock
) -> None:
    async def scenario() -> None:
        trial = Trial(capped(tmp_path), log, clock)
        for number in range(6):
            await trial.finish(await trial.come(f"p{number}"))
        await trial.engine.stop()

    asyncio.run(scenario())
    assert Counter(one.system for one in log.dialogues("city")) == {"one": 3, "two": 3}


def test_a_visit_too_many_begins_nothing(log: Log, tmp_path: Path, clock: ManualClock) -> None:
    async def scenario() -> None:
        trial = Trial(capped(tmp_path, visits=2), log, clock)
        stands = [await trial.stands(await trial.come("ada")) for _ in range(4)]
        assert stands == [(None, None)] * 2 + [("no_place", "participant")] * 2
        await trial.engine.stop()

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "quotas, problem, hint",
    [
        ("{conditions: {robots: 3}}", "quotas.conditions.robots: unknown condition 'robots'", "'robot'"),
        (
            "{dialogues: 1}",
            "quotas.dialogues: at most 1 dialogues are allowed, but a visit needs 2",
            "at least 2",
        ),
        ("{visits: 2}", "quotas.visits: a participant without an identifier", "anonymous: false"),
        ("{participants: 0}", "quotas.participants: 0", ""),
        ("{places: 3}", "unknown key 'places'", "participants"),
    ],
)
def test_quotas_that_cannot_be_kept_are_named(tmp_path: Path, quotas: str, problem: str, hint: str) -> None:
    (tmp_path / "study.yaml").write_text(
        "study: library\nsystems:\n  robot: {connect: scripted, otherwise: a}\n"
        f"  desk: {{connect: scripted, otherwise: b}}\nquotas: {quotas}\n"
        "visit: [{dialogue: {repeat: 2}}]\n",
        "utf-8",
    )
    found = "\n".join(map(str, check_study(tmp_path)))
    assert problem in found and hint in found, found


@pytest.mark.parametrize(
    ("condition", "held", "kept", "in_battles"),
    [
        ("any", ["one"], "one two three", "one two three"),
        ("keep", ["one"], "one", "one two three"),  # a battle needs two
        ("keep", ["three", "one"], "one three", "one three"),
        ("cross", ["one"], "two three", "two three"),
        ("cross", ["one", "two"], "three", "one two three"),
        ("cross", ["one", "two", "three"], "one two three", "one two three"),
        ("keep", ["gone"], "one two three", "one two three"),
        ("keep", None, "one two three", "one two three"),
    ],
)
def test_who_comes_again_keeps_or_crosses_conditions_where_that_leaves_a_choice(
    tmp_path: Path, condition: str, held: list[str] | None, kept: str, in_battles: str
) -> None:
    systems = {name: {"connect": "parrot"} for name in ("one", "two", "three")}
    follow_up = FollowUp.model_validate({"of": "first", "after_days": 0, "condition": condition})
    battles = arena_study(tmp_path / "arena").visit
    earlier = held and LoggedEarlier(study="first", completed_at=ManualClock().now(), conditions=held)
    opened = VisitOpened(
        study="city", revision="r", participant_id="p", pool="link", language="en", earlier=earlier
    )
    for visit, wanted in (({}, kept), ({"visit": battles}, in_battles)):
        study = make_study(tmp_path, systems=systems, follow_up=follow_up, **visit)
        state = VisitState(study, "v")
        state.apply(StoredEvent("e", "v", 1, ManualClock().now(), 0.0, "b", opened))
        assert _followed(study, state) == wanted.split()
