"""Results come from a snapshot, in the background, and say as of when."""

import html
import re
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from fastapi import FastAPI
from rich.console import Console
from starlette.testclient import TestClient

from scenes.patience import eventually
from scenes.summaries import made_group, made_rate, made_summary
from vivavoce.analysis.declared import FrozenDeclaration
from vivavoce.analysis.summary import summarise
from vivavoce.core.clock import ManualClock
from vivavoce.core.statement import statement
from vivavoce.dashboard.app import create_desk
from vivavoce.dashboard.dialogue_query import DialogueQuery
from vivavoce.dashboard.results import groupings, make_view
from vivavoce.dashboard.snapshot import Results, Snapshots
from vivavoce.dataset.declaration import written_analysis
from vivavoce.log.events import TRIAL, TrialPaused, TrialResumed
from vivavoce.log.store import Log
from vivavoce.measures.compute import sums
from vivavoce.reports import rate_tables as content
from vivavoce.reports.language import percent, span, speaking
from vivavoce.reports.section import SECTIONS, FilledSection
from vivavoce.reports.table import results_table
from vivavoce.sections.dialogues.section import measures_table
from vivavoce.sections.variants.section import variants_table
from vivavoce.study.model import Analysis, Study

EARLY = "/results?early=1"  # the comparison of a trial that goes on is kept back otherwise


@pytest.fixture
def browser(study: Study, log: Log, tmp_path: Path):
    app = create_desk(study, log, work_dir=tmp_path / "work", account_optional=True)
    browser = TestClient(
        app, base_url="http://desk.test", headers={"sec-fetch-site": "same-origin", "accept": "text/html"}
    )
    browser.post(app.state.desk.access.invite("researcher", "http://desk.test"))
    yield browser
    app.state.desk.snapshots.close()


def wait(browser: TestClient) -> None:
    eventually(lambda: not browser.get("/results/state").json()["computing"])


def test_results_are_computed_aside_and_then_shown(
    browser: TestClient,
) -> None:
    first = browser.get(EARLY).text
    assert "Computing results" in first and "<table>" not in first
    assert browser.get("/").status_code == 200
    wait(browser)
    page = browser.get(EARLY).text
    assert "being computed" not in page and 'role="alert"' not in page
    desk = browser.app.state.desk  # type: ignore[attr-defined]
    summary = desk.snapshots.make(lambda snapshot: summarise(snapshot.dataset, "system"))
    for row in summary.by:
        for name in ("subjective_success", "objective_success_assigned", "objective_success_inferred"):
            assert row.rates[name].n > 0 and f">{percent(row.rates[name].ratio)}</a></td>" in page
    assert summary.data in page
    position = desk.board.see(lambda board: board.position)
    assert f"log event {position}" in page


def test_results_are_computed_anew_when_the_log_has_moved_on_and_they_are_old(
    app: FastAPI, log: Log, clock: ManualClock
) -> None:
    snapshots = app.state.desk.snapshots

    def begins(*, at_once: bool = False) -> bool:
        known, computing = snapshots.results("system", at_once=at_once)
        assert known is not None
        eventually(lambda: not snapshots.computing("system"))
        return computing

    assert snapshots.results("system") == (None, True)
    eventually(lambda: not snapshots.computing("system"))
    assert not begins()
    clock.advance(3600)
    assert not begins(at_once=True), "nothing has happened since"
    log.transact_now(lambda tx: tx.append(TRIAL, TrialPaused(reason="x", by="y")))
    assert begins()
    log.transact_now(lambda tx: tx.append(TRIAL, TrialResumed(by="y")))
    clock.advance(29)
    assert not begins()
    assert begins(at_once=True)


def test_a_failure_is_told_and_pages_go_on(
    app: FastAPI, enter: Callable[..., TestClient], token_of: Callable[..., str]
) -> None:
    viewer = enter("viewer")
    viewer.get("/results")
    wait(viewer)
    page = viewer.get("/results").text
    assert "not computed here" in page and 'role="alert"' in page and "they are the newest" not in page
    asked = viewer.post("/results", data={"form_token": token_of(viewer)})
    assert "up to date" in viewer.get(asked.headers["location"]).text, "it says what it did"


def test_a_report_can_be_downloaded(browser: TestClient) -> None:
    answer = browser.get("/export/report.html?early=1")
    assert answer.status_code == 200 and "attachment" in answer.headers["content-disposition"]
    assert "city-venues" in answer.text


def test_factors_are_offered_as_groupings(study: Study) -> None:
    assert groupings(study) == ["system"]
    crossed = study.model_copy(update={"factors": {"nbest": {"list": "n"}, "onebest": {"list": "1"}}})
    assert groupings(crossed) == ["condition", "system", "list"]


def test_what_is_drawn_is_the_interval_of_participants_as_everywhere_else(browser: TestClient) -> None:
    """Dialogues of one person are not independent: their interval is shown small, for comparison."""
    browser.get(EARLY)
    wait(browser)
    page = browser.get(EARLY).text
    desk = browser.app.state.desk  # type: ignore[attr-defined]
    summary = desk.snapshots.make(lambda snapshot: summarise(snapshot.dataset, "system"))
    terminal = StringIO()
    Console(file=terminal, width=200).print(results_table(summary))
    differ = 0
    for row in [*summary.by, summary.all]:
        rate = row.rates["subjective_success"]
        nested = rate.clustered
        counts, compared = span(nested.low, nested.high), span(rate.low, rate.high)
        differ += counts != compared
        assert f'x1="{round(2 + 96 * nested.low, 2)}%" x2="{round(2 + 96 * nested.high, 2)}%"' in page
        assert f'<td class="n">{counts}</td>' in page and counts in terminal.getvalue()
        assert f'<td class="n small soft">{compared}</td>' in page and compared not in terminal.getvalue()
    assert differ == 3


def test_tests_and_parameters_are_the_tables_of_the_report(browser: TestClient) -> None:
    browser.get(EARLY)
    wait(browser)
    page = html.unescape(browser.get(EARLY).text)
    desk = browser.app.state.desk  # type: ignore[attr-defined]
    summary = desk.snapshots.make(lambda snapshot: summarise(snapshot.dataset, "system"))
    for table in (
        content.tests_table(summary),
        measures_table(summary),
        variants_table(summary),
    ):
        assert table is not None and table.caption in page and table.note in page
        for row in table.rows:
            assert row.heading in page and all(cell.main in page for cell in row.cells)


def test_a_view_leaves_out_what_nobody_was_asked() -> None:
    rate, none = made_rate(0.5, 0.1, 0.9, n=2), made_rate(None, None, None, n=0, unit="goal")
    rates = {
        "subjective_success": rate,
        "objective_success_assigned": none,
        "objective_success_inferred": none,
    }
    group = made_group("a", rates, dialogues=2)
    view = make_view(made_summary([group], group, warnings=[statement("w")]))
    assert [table.title for table in view.rates] == ["Subjective success"]
    assert not view.rates[0].by_participant and view.model == "" and view.tests is None
    (row,) = view.rates[0].rows
    assert (row.low, row.high, row.compared) == (0.1, 0.9, "")


def test_sections_have_their_figures_in_words_too(browser: TestClient) -> None:
    browser.get(EARLY)
    wait(browser)
    page = html.unescape(browser.get(EARLY).text)
    assert '<h2 id="section-dialogues">Course of dialogues</h2>' in page
    assert '<h2 id="section-questionnaires">Questionnaires</h2>' in page
    figure = page[page.index('<figure class="chart">') :]
    assert (
        figure.count("<svg") >= 2 and 'aria-label="Duration of dialogues. ' in figure and "median" in figure
    )


def test_every_rate_and_count_opens_the_dialogues_that_it_counts(browser: TestClient) -> None:
    browser.get(EARLY)
    wait(browser)
    page = browser.get(EARLY).text
    desk = browser.app.state.desk  # type: ignore[attr-defined]
    summary = desk.snapshots.make(lambda snapshot: summarise(snapshot.dataset, "system"))
    wanted = [
        (rate.successes, rate.n)
        for name in content.headlines(summary)
        for rate in (row.rates[name] for row in [*summary.by, summary.all])
    ]
    page = page[page.index('id="rate-1"') : page.index('id="block-tests"')]
    left = r'(?: <a class="small" href="(/dialogues\?[^"]+)">of these abandoned: (\d+)</a>)?'
    number = rf'<td class="n"><a href="(/dialogues\?[^"]+)" title="[^"]+">([^<]+)</a>{left}</td>'
    cells = re.findall(number, page)
    assert len(cells) == 3 * len(wanted) and len(wanted) == 9
    for *_, address, k in [one for one in cells if one[-1]]:
        assert f"{k} dialogue" in browser.get(html.unescape(address)).text
    for (successes, n), (rate, hits, cases) in zip(wanted, zip(*[iter(cells)] * 3, strict=True), strict=True):
        assert rate[0] == (hits if successes else cases)[0]
        assert (float(hits[1]), float(cases[1])) == (successes, n)
        for address, shown in ((hits[0], (successes, None)), (cases[0], (successes, n))):
            found = html.unescape(browser.get(html.unescape(address)).text)
            told = re.search(r"(\d+) of (\d+) [^,]+ successful, in (\d+) matching dialogues", found)
            listed = re.search(r"<p>(\d+) dialogues? <a", found)
            assert told is not None and listed is not None and told[3] == listed[1]
            assert int(told[1]) == shown[0] and shown[1] in (None, int(told[2]))
            if "subjective" in address or "assigned" in address:  # whose cases are dialogues
                assert int(listed[1]) == (successes if shown[1] is None else n)


def test_numbers_of_the_reports_tables_open_the_dialogues_that_they_count(browser: TestClient) -> None:
    browser.get(EARLY)
    wait(browser)
    page = browser.get(EARLY).text
    desk = browser.app.state.desk  # type: ignore[attr-defined]
    sums_of = desk.snapshots.make(lambda snapshot: sums(snapshot.dataset))
    systems = {one.dialogue_id: one.system for one in desk.board.see(lambda board: board.index.cards)}
    links = {html.unescape(one) for one in re.findall(r'href="(/dialogues\?[^"]*counts\.[^"]+)"', page)}
    links = {one for one in links if "counts.answer." not in one}  # answers are no measures: see the lab
    assert len(links) > 60
    for address in sorted(links)[::20]:
        query = DialogueQuery.parse(address.partition("?")[2])
        (measure,) = [name.removeprefix("counts.") for name in query.chosen if name.startswith("counts.")]
        cases = sums_of.denominators[sums_of.measures.index(measure)] > 0
        groups = query.chosen.get("system", ("nbest", "onebest"))
        wanted = [
            one
            for one, own in zip(sums_of.dialogue_ids, cases, strict=True)
            if own and systems[one] in groups
        ]
        listed = browser.get(address).text
        assert re.search(rf"<p>{len(wanted)} dialogues? <a", listed), address
    names = set(re.findall(r"success\.(\w+)=successes", page))
    rare = sorted(names - {"subjective_success", "objective_success_assigned", "objective_success_inferred"})
    variant = next(one for one in re.findall(r'href="(/dialogues\?[^"]+)"', page) if f".{rare[0]}=" in one)
    assert " successful, in" in browser.get(html.unescape(variant)).text
    both = next(
        one
        for one in re.findall(r'href="(/dialogues\?[^"]+)"', page)
        if one.count("system=") == 2 and "subjective" in one
    )
    assert "matching dialogues" in browser.get(html.unescape(both)).text, "a comparison opens both sides"


def test_a_margin_of_later_is_said_to_be_ignored(log: Log) -> None:
    declared = FrozenDeclaration(
        analysis=Analysis.model_validate({"primary": {"measure": "subjective_success"}}),
        revision="",
        sha256="",
        frozen_at=None,
        first_participant_at=None,
        revisions=2,
        changed=["margin"],
    )
    known = Results(1, log.clock.now(), None, declared=declared)
    assert "margin (non-inferiority or equivalence)" in known.changed() and "ignores" in known.changed()
    file = "systems: {a: {}, b: {}}\nanalysis: {primary: {measure: subjective_success, compare: [a, b]%s}}"
    analysis = written_analysis(file % "")
    assert analysis is not None
    unserved = replace(known, declared=replace(declared, analysis=analysis, changed=[]))
    said = unserved.changed(file % ", margin: 0.1")
    assert "margin (non-inferiority or equivalence)." in said, "saved, and not served yet"
    assert not unserved.changed(file % "") and not unserved.changed()
    assert known.lacks_margin
    with speaking("it"):
        assert "margine (non inferiorità o equivalenza)" in known.changed()


def finished(study: Study, log: Log, tmp_path: Path, planned: int) -> str:
    """The page of results of a trial that was to have so many people, with a known summary."""
    analysis = Analysis.model_validate({"stopping": {"participants": planned}})
    summary = made_summary(
        [made_group("nbest", {"subjective_success": made_rate(0.8)})],
        made_group("all", {"subjective_success": made_rate(0.8, 0.6, 0.9)}),
    )
    filled = FilledSection(SECTIONS.get("results"), summary)

    class Known(Snapshots):
        def results(self, by: str, *, at_once: bool = False) -> tuple[Results, bool]:
            return Results(1, log.clock.now(), summary, found=(filled,)), False

    app = create_desk(
        study.model_copy(update={"analysis": analysis}),
        log,
        work_dir=tmp_path / "work",
        account_optional=True,
    )
    desk = app.state.desk
    desk.snapshots.close()
    desk.snapshots = Known(desk.board, tmp_path / "snapshot")
    browser = TestClient(app, base_url="http://desk.test", headers={"sec-fetch-site": "same-origin"})
    browser.post(desk.access.invite("researcher", "http://desk.test"))
    page = browser.get(EARLY).text
    desk.snapshots.close()
    return page.partition('id="answer"')[2].partition("</section>")[0]


def test_the_answer_stands_first_and_is_folded_until_the_declared_size_is_reached(
    study: Study, log: Log, tmp_path: Path
) -> None:
    done = finished(study, log, tmp_path, 2)
    assert "Exploratory: how high is subjective success?" in done.partition('class="answer"')[0]
    assert "Subjective success: 80.0%" in done.partition("<details>")[0]
    early = finished(study, log, tmp_path, 500)
    assert "Sample size not reached:" in early and "of 500 participants" in early
    assert "80.0%" not in early.partition("<details>")[0] and "80.0%" in early
