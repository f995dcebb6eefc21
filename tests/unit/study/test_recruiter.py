"""Recruiters in a study: their words, how many dialogues they ask for, whom a link belongs to."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from vivavoce.core.yaml_source import Source
from vivavoce.study.populations import (
    PopulationName,
    PopulationPlan,
    check_populations,
    read_populations,
)
from vivavoce.study.recruiter import (
    RECRUITERS,
    Admission,
    HandBack,
    Recruiter,
    check_recruitment,
    check_words,
    framing_origins,
    read_recruitment,
    recruiter_for,
    repeat_of,
)
from vivavoce.study.session_link import FollowUp, check_follow_up
from vivavoce.study.settings import Settings
from vivavoce.study.steps import DialoguePlan, Nontrivial, Range


class Terms(Settings):
    dialogues: tuple[int, int] | None = None
    origins: list[str] = []
    key: str = ""


class Village(Recruiter):
    """A recruiter that knows its people by a key in the link; without one in its terms it takes all."""

    name = "village"
    settings = Terms
    summary = "people of a village"

    def dialogues(self, settings: Terms) -> Range | None:
        return (
            None
            if settings.dialogues is None
            else Range(min=settings.dialogues[0], max=settings.dialogues[1])
        )

    def framed_by(self, settings: Terms) -> list[str]:
        return settings.origins

    def claims(self, settings: Terms, query: Mapping[str, str]) -> bool:
        return settings.key in ("", query.get("key"))

    def admit(self, settings: Any, study: str, log: Any, query: Mapping[str, str]) -> Admission:
        return Admission()

    def hand_back(
        self, settings: Any, study: str, log: Any, outcome: str | None, code: str | None
    ) -> HandBack:
        return HandBack()


class Town(Village):
    name = "town"


@pytest.fixture(autouse=True)
def shelf(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (Village, Town):
        monkeypatch.setitem(RECRUITERS._entries, kind.name, kind())


def plan(least: int, most: int) -> DialoguePlan:
    return DialoguePlan(repeat=Range(min=least, max=most), gate="none", nontrivial=Nontrivial(user_turns=1))


def told(source: Source) -> list[tuple[str, str, str]]:
    return [(one.place.removeprefix("study.yaml "), one.problem, one.hint) for one in source.problems]


@pytest.mark.parametrize(
    ("words", "problems"),
    [
        ("Come at ten.", []),
        ({"en": "Come.", "it": "Vieni."}, []),
        ({"en": "Come."}, [("at", "no text in it", "add `it: ...`, or write one text for all languages")]),
        ({}, [("at", "no text in en and it", "add `en: ...`, or write one text for all languages")]),
        (
            {"en": "Come.", "it": "Vieni.", "fr": "Viens."},
            [("at.fr", "'fr' is not a language of this study", "Known: en, it")],
        ),
    ],
)
def test_words_are_there_in_each_language_of_the_study_and_no_other(words: Any, problems: list[Any]) -> None:
    source = Source("study.yaml")
    check_words(words, ("at",), ["en", "it"], source)
    assert [one[:2] for one in told(source)] == [tuple(one[:2]) for one in problems]


@pytest.mark.parametrize(
    ("wanted", "problem", "hint"),
    [
        (None, None, ""),
        ((3, 9), None, ""),
        ((4, 8), None, ""),
        ((3, 3), None, ""),
        ((9, 9), None, ""),
        ((2, 9), "dialogues 2..9 exceed the visit's repeat: 3..9", "repeat: 2..9 in"),
        ((3, 10), "dialogues 3..10 exceed the visit's repeat: 3..9", "repeat: 3..10 in"),
        ((0, 0), "no dialogue", "15..40"),
        ((0, 1), "dialogues 0..1 exceed the visit's repeat: 3..9", "repeat: 0..9 in"),
    ],
)
def test_a_recruiter_asks_for_no_more_and_no_fewer_dialogues_than_the_visit(
    wanted: tuple[int, int] | None, problem: str | None, hint: str
) -> None:
    source = Source("study.yaml")
    check_recruitment({"village": Terms(dialogues=wanted)}, [(("visit", 1), plan(3, 9))], ["en"], source)
    assert [one[:2] for one in told(source)] == (
        [] if problem is None else [("recruitment.village.dialogues", problem)]
    )
    assert all(hint in one[2] for one in told(source))


@pytest.mark.parametrize("steps", [0, 1, 2])
def test_a_recruiter_that_says_how_many_needs_one_step_that_holds_dialogues(steps: int) -> None:
    source = Source("study.yaml")
    held = [(("visit", place), plan(3, 9)) for place in range(steps)]
    terms = {"town": Terms(), "village": Terms(dialogues=(4, 5))}
    check_recruitment(terms, held, ["en"], source)
    said = f"dialogues 4..5 in a visit with {steps} steps that hold dialogues"
    assert [one[1] for one in told(source)] == ([] if steps == 1 else [said])


def test_people_hold_as_many_dialogues_as_their_recruiter_says_else_the_step() -> None:
    recruitment = {"village": Terms(dialogues=(4, 5)), "town": Terms()}
    found = [str(repeat_of(recruitment, pool, plan(3, 9))) for pool in ("village", "town", "link")]
    assert found == ["4..5", "3..9", "3..9"]


def test_pages_that_may_frame_a_study_are_named_once() -> None:
    recruitment = {
        "village": Terms(origins=["https://b.org", "https://a.org"]),
        "town": Terms(origins=["https://b.org"]),
    }
    assert framing_origins(recruitment) == ["https://a.org", "https://b.org"]


@pytest.mark.parametrize(
    ("query", "name"), [({"key": "7"}, "town"), ({"key": "8"}, "village"), ({}, "village")]
)
def test_who_knows_the_link_comes_before_who_takes_everybody(query: dict[str, str], name: str) -> None:
    found = recruiter_for({"village": Terms(), "town": Terms(key="7")}, query)
    assert found is not None and found[0].name == name
    assert recruiter_for({"town": Terms(key="7")}, {"key": "8"}) is None


def test_settings_that_are_left_out_are_the_usual_ones_and_wrong_ones_are_told() -> None:
    source = Source("study.yaml")
    found = read_recruitment({"village": None, "town": {"key": "7"}, "nowhere": {}}, source)
    assert found == {"village": Terms(), "town": Terms(key="7")}
    assert [one[0] for one in told(source)] == ["recruitment.nowhere"]
    assert read_recruitment({"town": {"kee": "7"}}, source) == {} and len(source.problems) == 2


@pytest.mark.parametrize(
    ("populations", "recruiters", "problems"),
    [
        ({"a": ["village"], "b": ["town"]}, ["town", "village"], []),
        (
            {"a": ["village"], "b": ["link"]},
            ["town", "village"],
            [("populations.b.recruiters[0]", "unknown recruiter 'link'")],
        ),
        ({"a": ["link"]}, [], []),
        ({"a": ["town"]}, [], [("populations.a.recruiters[0]", "unknown recruiter 'town'")]),
        (
            {"a": ["town"], "b": ["village", "town"]},
            ["town", "village"],
            [("populations.b.recruiters[1]", "'town' also belongs to population 'a'")],
        ),
    ],
)
def test_each_recruiter_is_known_and_of_one_population(
    populations: dict[str, list[str]], recruiters: list[str], problems: list[Any]
) -> None:
    source = Source("study.yaml")
    plans = {name: PopulationPlan(recruiters=listed) for name, listed in populations.items()}
    check_populations(plans, dict.fromkeys(recruiters), source)
    assert [one[:2] for one in told(source)] == problems


@pytest.mark.parametrize(
    ("of", "recruited", "problems"),
    [
        ("first", True, []),
        ("first/study.yaml", True, []),
        ("first/other.yaml", True, []),
        ("empty", True, ["no study 'empty'"]),
        ("none", True, ["no study 'none'"]),
        ("first", False, ["returning participants could not be recognised"]),
        ("none", False, ["no study 'none'", "returning participants could not be recognised"]),
    ],
)
def test_an_earlier_session_is_there_and_its_people_are_known(
    of: str, recruited: bool, problems: list[str], tmp_path: Any
) -> None:
    for name in ("first", "empty"):
        (tmp_path / name).mkdir()
    for name in ("study.yaml", "other.yaml"):
        (tmp_path / "first" / name).write_text("study: first\n", encoding="utf-8")
    source = Source("study.yaml")
    recruitment = {"village": Terms()} if recruited else {}
    check_follow_up(FollowUp(of=of, after_days=2), recruitment, tmp_path, source)
    assert [one[1] for one in told(source)] == problems


@pytest.mark.parametrize(
    ("within_days", "closes"),
    [
        (None, None),
        (3, datetime(2026, 3, 10, 9, 30, tzinfo=UTC)),
        (0.5, datetime(2026, 3, 7, 21, 30, tzinfo=UTC)),
    ],
)
def test_a_later_session_opens_some_days_after_and_closes_as_many_later(
    within_days: float | None, closes: datetime | None
) -> None:
    follow_up, done = (
        FollowUp(of="first", after_days=2, within_days=within_days),
        datetime(2026, 3, 5, 9, 30, tzinfo=UTC),
    )
    assert (follow_up.opens(done), follow_up.closes(done)) == (
        datetime(2026, 3, 7, 9, 30, tzinfo=UTC),
        closes,
    )


@pytest.mark.parametrize(
    ("currency", "known"), [("GBP", True), ("gbp", False), ("EU", False), ("EURO", False), ("", False)]
)
def test_a_currency_is_three_capital_letters(currency: str, known: bool) -> None:
    plans = read_populations(
        {"a": {"cost": {"currency": currency}}, "b": None, "c": {"recruiters": ["town"]}}
    )
    assert list(plans) == (["a", "b", "c"] if known else ["b", "c"]), (
        "what this version does not read is left out"
    )
    assert plans["b"] == PopulationPlan() and plans["c"].recruiters == ["town"]
    assert read_populations([]) == {}


@pytest.mark.parametrize("name", ["crowd", "7 b.c_d-e", "a" * 64])
def test_a_population_may_be_called_so(name: str) -> None:
    assert TypeAdapter(PopulationName).validate_python(name) == name


@pytest.mark.parametrize("name", ["", " crowd", "-a", "a/b", "è", "a" * 65])
def test_a_population_cannot_be_called_otherwise(name: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(PopulationName).validate_python(name)
