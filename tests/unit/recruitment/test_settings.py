"""The section `recruitment` of a study file: what is wrong in it has its place and its next step."""

from decimal import Decimal
from pathlib import Path

import pytest

from scenes.laboratories import write_laboratory
from scenes.recruiting import write_study
from vivavoce.study.load import check_study, load_study
from vivavoce.study.recruiter import RECRUITERS
from vivavoce_recruitment.estimate import estimate
from vivavoce_recruitment.money import Money, read_money
from vivavoce_recruitment.platform import Terms
from vivavoce_recruitment.settings import Bonus, CallCost, DialoguePay


def problems(folder: Path, old: str, new: str) -> list[str]:
    study = write_study(folder, "https://api.prolific.com")
    text = (study / "study.yaml").read_text("utf-8")
    assert old in text
    (study / "study.yaml").write_text(text.replace(old, new), "utf-8")
    return [str(one) for one in check_study(study)]


def test_a_sound_section_has_no_problems(tmp_path: Path) -> None:
    study = load_study(write_study(tmp_path / "paid", "https://api.prolific.com"))
    assert study.recruitment["prolific"].reward == Money(200, "GBP")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "  prolific:\n",
            "  nonsense: yes\n  prolific:\n",
            ("nonsense", f"Known: {', '.join(RECRUITERS.names())}"),
        ),
        ("places: 30", "places: 30\n    plaices: 3", ("unknown key 'plaices'", "Did you mean 'places'?")),
        ("name: two-dialogues", "name: dialogues", ("reserved name dialogues", "its own name")),
        ("2.00 GBP", "2.00", ("2.0 is not an amount of money", "2.00 GBP")),
        ("2.00 GBP", "2.005 GBP", ("the smallest unit", "2.00 GBP")),
        ("0.50 GBP", "0.50 EUR", ("the payments use EUR, the reward uses GBP", "one currency")),
        ("places: 30", "places: 30\n    token: s3cr3t", ("the file contains a secret", "${NAME}")),
        ("site: https://", "site: http://", ("address", "https://HOST")),
    ],
)
def test_what_is_wrong_has_its_value_place_and_next_step(
    tmp_path: Path, old: str, new: str, told: tuple[str, ...]
) -> None:
    found = problems(tmp_path / "paid", old, new)
    assert len(found) == 1 and found[0].startswith("study.yaml:") and "recruitment" in found[0]
    assert all(one in found[0] for one in told) and "s3cr3t" not in found[0], found


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("Europe/Rome", "Europe/Roma", ("unknown time zone 'Europe/Roma'", "such as Europe/Rome")),
        ("[2026-12-01, 2026-12-02]", "[1.12.2026]", ("'1.12.2026'", "2026-12-01")),
        ("'11:30'", "'10:30'", ("2026-12-01 10:30 begins before", "60 minutes between them")),
        ("times: ['10:00', '11:30']", "minutes: 60", ("`times`", "each session under `slots`")),
        ("seats: 2", "slots: [2026-10-25 02:30]\n    seats: 2", ("clocks change", "another time")),
        ("seats: 2", "slots: [2026-03-29 02:30]\n    seats: 2", ("clocks change", "another time")),
        ("dialogues: 2..3", "dialogues: 15..40", ("repeat: 1..4", "repeat: 1..40")),
        ("dialogues: 2..3", "dialogues: 0..3", ("repeat: 1..4", "repeat: 0..4")),
        ("room: Engineering Department, room 12", "room: {en: Room 12}", ("no text in it", "`it: ...`")),
        (
            "seats: 2",
            "seats: 2\n    bring: {en: A card, it: Una tessera, fr: Une carte}",
            ("'fr' is not a language of this study", "Known: en, it"),
        ),
        ("seats: 2", "seats: 2\n    bring: ''", ("1 to 300 characters, not ''", "{en: ..., it: ...}")),
        (
            "seats: 2",
            "seats: 2\n    slots: [{start: 2026-12-03 10:00, minutes: 2}]",
            ("slots[0].minutes", "5"),
        ),
        (
            "seats: 2",
            "seats: 2\n    slots: [{start: 2026-12-01 08:00, minutes: 150}]",
            ("2026-12-01 10:00 begins before", "150 minutes between them"),
        ),
        (
            "seats: 2",
            "seats: 2\n    slots: [{start: 2026-12-03 10:00, room: 3}]",
            ("unknown key 'room'", "slots[0]"),
        ),
        ("reward: 12.00 EUR", "reward: 12", ("12 is not an amount of money", "2.00 GBP")),
    ],
)
def test_what_is_wrong_with_a_laboratory_has_its_value_place_and_next_step(
    tmp_path: Path, old: str, new: str, told: tuple[str, ...]
) -> None:
    folder = write_laboratory(tmp_path / "lab")
    text = (folder / "study.yaml").read_text("utf-8")
    assert old in text
    (folder / "study.yaml").write_text(text.replace(old, new), "utf-8")
    [found] = [str(one) for one in check_study(folder)]
    assert found.startswith("study.yaml:") and "recruitment.laboratory" in found
    assert all(one.lower() in found.lower() for one in told), found


def test_a_laboratory_commits_nobody_to_dialogues_that_the_visit_does_not_hold(tmp_path: Path) -> None:
    folder = write_laboratory(tmp_path / "lab")
    text = (folder / "study.yaml").read_text("utf-8")
    without = text.replace("  - dialogue: {repeat: 1..4, gate: none}\n", "")
    (folder / "study.yaml").write_text(without, "utf-8")
    told = [str(one) for one in check_study(folder)]
    assert any("0 steps that hold dialogues" in one and "leave this key out" in one for one in told), told


@pytest.mark.parametrize(
    ("written", "minor", "shown"),
    [("2.00 GBP", 200, "2.00 GBP"), ("0.1 EUR", 10, "0.10 EUR"), ("300 JPY", 300, "300 JPY")],
)
def test_money_is_counted_in_the_smallest_unit(written: str, minor: int, shown: str) -> None:
    assert (read_money(written).minor, str(read_money(written))) == (minor, shown)


def test_the_estimate_is_exact_in_decimal_numbers() -> None:
    """By hand: 30 x 2.00 + 30 x 0.50 = 75.00; 33.3 % of it 24.975, so 24.98; 2.00 in 12.5 min is 9.60/h."""
    bonus = Bonus.model_validate({"name": "two", "dialogues": 2, "pay": "0.50 GBP"})
    terms = Terms(Money(200, "GBP"), 30, 10, (bonus,), Decimal("33.3"))
    found = estimate(terms, [10.0, 12.5, 40.0], [])
    assert str(found.rewards) == "60.00 GBP" and str(found.bonuses) == "15.00 GBP"
    assert str(found.fee) == "24.98 GBP" and str(found.total) == "99.98 GBP"
    assert str(found.hourly_declared) == "12.00 GBP" and str(found.hourly_so_far) == "9.60 GBP"
    assert estimate(terms, [], []).hourly_so_far is None


def test_each_dialogue_may_be_paid_and_telephone_minutes_are_in_the_cost() -> None:
    """By hand: 20 x (2.00 + 0.50 + 4 x 0.25) = 70.00; 20 x 6 min x 0.013 = 1.56; 10.5 min cost 0.1365."""
    bonus = Bonus.model_validate({"name": "two", "dialogues": 2, "pay": "0.50 GBP"})
    each = DialoguePay.model_validate({"pay": "0.25 GBP", "max_dialogues": 4})
    calls = CallCost.model_validate({"per_minute": 0.013, "minutes": 6})
    terms = Terms(Money(200, "GBP"), 20, 10, (bonus,), None, each, calls)
    found = estimate(terms, [], [], 10.5)
    assert (str(found.bonuses), str(found.calls)) == ("30.00 GBP", "1.56 GBP")
    assert (str(found.total), str(found.calls_so_far)) == ("71.56 GBP", "0.14 GBP")
    assert terms.earned(0) == [] and terms.earned(1) == [("dialogues", Money(25, "GBP"))]
    assert terms.earned(9) == [("two", Money(50, "GBP")), ("dialogues", Money(100, "GBP"))]
