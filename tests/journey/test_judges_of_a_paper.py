"""The tables of Guerini and others (2018) from raw answers: 143 judges in Chromium, files, `analyse`.

Nobody was asked. The judges are programs that choose as often as the paper says that people did; what is
tried is the way from a page to a table.
"""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from benchmarks.two_papers import CONDITIONS, MEN, PEOPLE, PREFERENCES, WOMEN, half_up
from playwright.sync_api import Browser, Page, expect

from scenes.browser import whole
from scenes.command_line import vivavoce
from scenes.comparing import comparing_study
from scenes.websites import Running, running
from vivavoce.api.choosing import preferences
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.participant.site import RateLimits
from vivavoce.trial.engine import SessionEngine

pytestmark = pytest.mark.browser
# in the paper judges liked the control, the formal version, better, and the table has its share
OURS = {"formal": "formality"}
ON_TELEPHONES, IN_ITALIAN = 20, 40
WORDS = {
    "en": {
        "start": "Start",
        "agree": "I agree",
        "go": "Continue",
        "side": "Conversation",
        "woman": "Woman",
        "man": "Man",
        "never": "I would rather not say",
        "rating": "Very good",
    },
    "it": {
        "start": "Inizia",
        "agree": "Acconsento",
        "go": "Continua",
        "side": "Conversazione",
        "woman": "Donna",
        "man": "Uomo",
        "never": "Preferisco non dirlo",
        "rating": "Molto positiva",
    },
}


class Judge(NamedTuple):
    """Who comes, and of which variable and question they prefer what the paper counts."""

    woman: bool
    language: str
    on_telephone: bool
    prefers: dict[tuple[str, str], bool]


def counts(variable: str) -> list[tuple[int, int]]:
    """Women and men that prefer, by question: any whole counts of which both printed tables follow."""
    cells, printed, _, women, men = PREFERENCES[variable]
    either = [
        [k for k in (least, least + 1) if half_up(k / PEOPLE, 2) == share]
        for least, share in zip(cells, printed, strict=True)
    ]
    for of_all, of_women in product(product(*either), range(4 * WOMEN + 1)):
        left = sum(of_all) - of_women
        if half_up(of_women / (4 * WOMEN), 2) == women and half_up(left / (4 * MEN), 2) == men:
            share, more = divmod(of_women, 4)
            own = [share + (place < more) for place in range(4)]
            return [(k, whole_ - k) for k, whole_ in zip(own, of_all, strict=True)]
    raise AssertionError(f"no counts give both tables for {variable}")


def judges() -> list[Judge]:
    """143 judges, in an order of their own; 20 have a telephone, 40 read Italian."""
    chance = Random(2018)
    prefers: dict[bool, list[dict[tuple[str, str], bool]]] = {
        True: [{} for _ in range(WOMEN)],
        False: [{} for _ in range(MEN)],
    }
    for variable in PREFERENCES:
        for question, (women, men) in zip(CONDITIONS, counts(variable), strict=True):
            for group, k in ((prefers[True], women), (prefers[False], men)):
                for place, one in enumerate(chance.sample(group, len(group))):
                    one[variable, question] = place < k
    everybody = [(woman, own) for woman, group in prefers.items() for own in group]
    chance.shuffle(everybody)
    telephones, italian = (
        chance.sample(range(PEOPLE), ON_TELEPHONES),
        chance.sample(range(PEOPLE), IN_ITALIAN),
    )
    return [
        Judge(woman, "it" if at in italian else "en", at in telephones, own)
        for at, (woman, own) in enumerate(everybody)
    ]


def answer(page: Page, server: Running, log: Log, judge: Judge, *, look: bool) -> None:
    """A whole visit of one judge, by clicks."""
    words = WORDS[judge.language]

    def looked() -> None:
        if look:
            whole(page)

    def go(name: str) -> None:
        looked()
        page.get_by_role("button", name=name).first.click()

    page.goto(server.url)
    expect(page.locator("html")).to_have_attribute("lang", judge.language)
    go(words["start"])
    go(words["agree"])
    go(words["go"])
    visit_id = log.visits("city")[-1].visit_id
    for number in range(1, 6):
        expect(page.locator(".progress")).to_contain_text(f" {number} ")
        shown = server.call(server.site.engine.state(visit_id)).shown.stimulus
        variable = next((name for name, own in OURS.items() if own == shown.variable), shown.variable)
        for question in CONDITIONS:
            experimental = judge.prefers[variable, question] != (variable in OURS)
            left = experimental == (shown.experimental_side == "left")
            field = page.locator(f"fieldset[id='item-{question}']")
            field.get_by_text(f"{words['side']} {'A' if left else 'B'}", exact=True).click()
        go(words["go"])
    page.get_by_text(words["woman" if judge.woman else "man"], exact=True).click()
    page.get_by_text(words["never"], exact=True).last.click()
    go(words["go"])
    page.get_by_text(words["never"], exact=True).click()
    go(words["go"])
    page.get_by_text(words["rating"]).click()
    go(words["go"])
    go(words["go"])
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    looked()


def come(browser: Browser, server: Running, log: Log, several: Iterator[Judge] | list[Judge]) -> None:
    looked_at: set[tuple[str, bool]] = set()
    for judge in several:
        size = {"width": 320, "height": 568} if judge.on_telephone else {"width": 1280, "height": 900}
        context = browser.new_context(
            locale="it-IT" if judge.language == "it" else "en-GB", viewport=size, has_touch=judge.on_telephone
        )
        page, errors = context.new_page(), []
        page.on("pageerror", lambda error, errors=errors: errors.append(str(error)))
        kind = judge.language, judge.on_telephone
        answer(page, server, log, judge, look=kind not in looked_at)
        looked_at.add(kind)
        assert errors == []
        context.close()


@pytest.mark.long
@pytest.mark.timeout(5400)
def test_143_judges_in_a_browser_give_the_tables_of_the_paper(browser: Browser, tmp_path: Path) -> None:
    study = comparing_study(tmp_path / "study", attention=False)
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        engine = SessionEngine(study, log, {})
        with running(create_app(engine, rates=RateLimits(visits_per_hour=10_000))) as server:
            come(browser, server, log, judges())
        export_dataset(log, "city", tmp_path / "data")
    check_tables(tmp_path / "data")


def check_tables(folder: Path) -> None:
    """Every cell and every marginal as printed, of the answers and by gender, whatever language was read."""
    found = preferences(folder, by="gender").facts.preferences
    assert found is not None and found.responses.judgements == 2860
    for variable, (_, printed, marginal, women, men) in PREFERENCES.items():
        own = OURS.get(variable, variable)

        def share(of: float | None, variable: str = variable) -> float:
            assert of is not None
            return half_up(1 - of if variable in OURS else of, 2)

        cells = {one.question: share(one.ratio) for one in found.cells if one.variable == own}
        assert [cells[question] for question in CONDITIONS] == list(printed)
        whole_ = next(one for one in found.variables if one.variable == own)
        assert share(whole_.marginal) == marginal
        groups = next(one for one in found.by_group or () if one.variable == own).groups
        by_group = {name: share(one.ratio) for name, one in groups.items()}
        assert by_group == {"Woman": women, "Man": men}, "whatever language they read"
    told = vivavoce("analyse", str(folder), "--by", "gender").stdout
    print(told)  # the tables, as a reader of the paper would look for them
    assert "143 participants, 2860 judgements" in told


def test_both_tables_of_the_paper_can_be_true_of_the_same_answers() -> None:
    """Whole counts of 50 women and 93 men give all 20 cells and all 10 marginals that were printed."""
    everybody = judges()
    assert len(everybody) == PEOPLE and sum(one.woman for one in everybody) == WOMEN
    assert sum(one.on_telephone for one in everybody) == ON_TELEPHONES
    for variable, (_, printed, _, women, men) in PREFERENCES.items():
        told = [half_up(sum(one.prefers[variable, q] for one in everybody) / PEOPLE, 2) for q in CONDITIONS]
        assert told == list(printed)
        for woman, share in ((True, women), (False, men)):
            own = [one.prefers[variable, q] for one in everybody if one.woman == woman for q in CONDITIONS]
            assert half_up(sum(own) / len(own), 2) == share


@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize("on_telephone", [False, True])
@pytest.mark.long
def test_one_judge_of_every_kind(browser: Browser, tmp_path: Path, language: str, on_telephone: bool) -> None:
    study = comparing_study(tmp_path / "study", attention=False)
    judge = judges()[0]._replace(language=language, on_telephone=on_telephone)
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        with running(create_app(SessionEngine(study, log, {}))) as server:
            come(browser, server, log, [judge])
        rows = export_dataset(log, "city", tmp_path / "data").read("preferences").to_pylist()
    assert len(rows) == 20 and {row["language"] for row in rows} == {language}
