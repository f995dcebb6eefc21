"""The report in a real browser: nothing runs, nothing is fetched, nothing overflows."""

import pytest

from scenes.browser import chromium

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser():
    with chromium() as launched:
        yield launched


@pytest.mark.long
@pytest.mark.parametrize("width", [320, 768, 1280])
def test_the_page_never_scrolls_sideways_even_with_long_names(browser, make, tmp_path, width):
    from vivavoce.reports.html import write_report

    systems = ("a-template-with-a-name-that-nobody-would-choose-but-somebody-did", "b" * 70)
    path = write_report(make(systems=systems, simulated=True, study="x" * 90), tmp_path / "report.html")
    page = browser.new_page(viewport={"width": width, "height": 800})
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("figure svg:visible").count() == page.locator("figure").count()
    assert requests == [path.as_uri()]
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_figures_take_the_colours_of_the_page(browser, plain, scheme):
    page = browser.new_page(color_scheme=scheme)
    page.set_content(plain.html)
    ink = page.evaluate("getComputedStyle(document.body).color")
    label = page.evaluate(
        "getComputedStyle(document.querySelector('figure .wide text[fill=\"#1d2329\"]')).fill"
    )
    assert label == ink
    page.close()


@pytest.mark.parametrize(("width", "language"), [(375, "it"), (1280, "en")])
def test_axe_finds_nothing_and_nothing_is_fetched(browser, make, tmp_path, language, width):
    from axe_playwright_python.sync_playwright import Axe

    from vivavoce.reports.html import write_report
    from vivavoce.reports.section import ReportOptions

    options = ReportOptions(language=language, transcripts=2)
    path = write_report(make(simulated=True, people=2), tmp_path / "report.html", options=options)
    page = browser.new_page(viewport={"width": width, "height": 900})
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    found = Axe().run(page).response["violations"]
    assert [(one["id"], [node["target"] for node in one["nodes"]]) for one in found] == []
    assert requests == [path.as_uri()]
    page.close()
