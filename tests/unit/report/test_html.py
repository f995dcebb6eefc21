"""The report as its reader meets it."""

import csv
import json
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from io import StringIO
from urllib.parse import unquote

import pytest

from vivavoce.analysis.summary import summarise
from vivavoce.api.reporting import Report
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.reports.html import page as page_of
from vivavoce.reports.html import render, write_report
from vivavoce.reports.language import p_value, percent, points, span
from vivavoce.reports.section import compose

HOSTILE = "<script>alert('x')</script>\"><img src=x onerror=alert(1)>{{ 7 * 7 }}"
VOID = {"meta", "img", "br", "link", "input", "hr"}


class Page(HTMLParser):
    """The page's elements and texts; checks that elements close in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(html)
        self.close()
        assert self.open == [], "every element is closed"

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.texts.append((self.open[-1], data))

    @property
    def text(self) -> str:
        return " ".join(" ".join(text for _, text in self.texts).split())

    def names(self) -> list[str]:
        return [name for name, _ in self.elements]


def test_the_numbers_are_those_of_the_summary(plain):
    text = Page(plain.html).text
    summary = summarise(plain.dataset, "system")
    for row in [*summary.by, summary.all]:
        rate = row.rates["subjective_success"]
        clustered = rate.clustered
        shown = (
            f"{percent(rate.ratio)} {span(clustered.low, clustered.high)} "
            f"{rate.successes} of {rate.n} Wilson {span(rate.low, rate.high)}"
        )
        assert shown in text
        assert clustered.signature in text
    (test,) = [test for test in summary.tests if test.measure == "subjective_success"]
    found = test.clustered
    interval = f"{points(found.low)} to {points(found.high)}"
    numbers = f"{points(test.difference)} {interval} {p_value(found.p)}"
    naive = f"{points(test.low)} to {points(test.high)} {p_value(test.p)}"
    assert f"alpha \u2013 beta {numbers} {p_value(found.p_adjusted)} {naive}" in text
    assert (
        "40 dialogues with 20 participants, 2 systems, text, 1 March 2026 to 3 March 2026."
        in text.replace("\xa0", " ")
    )


def test_a_report_of_simulated_dialogues_says_so_once_and_in_every_figure(simulated):
    page = Page(simulated.html)
    assert [text for name, text in page.texts if text == "SIMULATED" and name not in ("text", "tspan")] == [
        "SIMULATED"
    ]
    assert ("strong", "SIMULATED") in page.texts, "in the line that stays in sight"
    figures = page.names().count("figure")
    drawn = [text for name, text in page.texts if name in ("text", "tspan") and "SIMULATED" in text]
    assert figures and len(drawn) == 2 * figures, "in the wide and in the narrow form of each figure"
    assert any(name == "title" and "SIMULATED" in text for name, text in page.texts)


def test_every_screen_and_every_printed_page_of_a_simulated_report_carries_the_mark(simulated):
    page = simulated.html
    assert re.search(r"@page \{[^}]*@top-center \{ content: \"SIMULATED\"", page)
    assert 'body::before { content: "SIMULATED"; }' in page


def test_the_front_has_the_question_the_answer_its_figure_and_three_doubts(make):
    doubts = tuple(f"doubt {number}" for number in range(1, 6))
    html = page_of(replace(compose(make(simulated=True)), before=doubts, foremost=3))
    front = html[html.index('<div class="front">') : html.index('<section class="part">')]
    page = Page(front)
    text = page.text
    order = [
        "Research question",
        "do alpha and beta differ in subjective success?",
        "Summary in plain language",
        "Exploratory, not declared",
        "Warnings",
        *doubts,
    ]
    places = [text.index(words) for words in order]
    assert places == sorted(places)
    assert page.names().count("figure") == 1
    box = front[front.index('class="box"') :]
    shown, folded = box.split("<details>")
    assert shown.count("<li>") == 3
    assert "<summary>2 more</summary>" in folded


def test_what_limits_an_answer_most_stands_first(make):
    before = compose(make(simulated=True, people=2, text="odd")).before
    assert "simulated" in before[0].lower()
    assert "Wilson" in before[1], "each of the two had the same rate"
    assert before[2].startswith("Few participants dominate")
    assert before[-1] == "A note: odd", "what whoever made the dataset noted stands last"


def test_notes_of_the_dataset_are_folded_where_there_is_anything_to_doubt(make):
    html = render(make(simulated=True, text="odd"))
    box = html[html.index('class="box"') : html.index('<section class="part">')]
    assert box.lower().index("simulated") < box.index("<summary>1 more</summary>") < box.index("A note: odd")


def test_what_a_figure_shows_is_there_to_be_taken_along_and_to_be_read(simulated):
    figure = re.search(r'<figure id="figure-success">.*?</figure>', simulated.html, flags=re.S)[0]
    files = dict(re.findall(r'href="(data:[^"]*)" download="([^"]*)"', figure))
    found = {name: unquote(unescape(address).partition(",")[2]) for address, name in files.items()}
    assert found.keys() == {"success.svg", "success.csv", "success.vl.json"}
    assert found["success.svg"].startswith("<svg") and "SIMULATED" in found["success.svg"]
    assert "vega-lite" in json.loads(found["success.vl.json"])["$schema"]
    rows = list(csv.DictReader(StringIO(found["success.csv"])))
    assert {row["Group"]: (row["Rate"], row["mark"]) for row in rows} == {
        "alpha": ("0.75", "SIMULATED"),
        "beta": ("0.75", "SIMULATED"),
    }
    assert "<th" in figure[figure.index("View as table") :]
    assert re.search(r"<title>alpha: 75.0% \([^)]*\), 15 of 20</title>", figure), "hovers need no script"


def test_a_report_of_people_carries_no_mark_at_all(plain):
    assert "simulated" not in plain.html.lower()
    assert "body::before { content:" not in plain.html


def test_hostile_text_stays_text(make):
    systems = (f"alpha {HOSTILE}", f"beta {HOSTILE}")
    html = render(make(study=HOSTILE, text=HOSTILE, systems=systems, wording=HOSTILE))
    page = Page(html)
    assert "script" not in page.names()
    assert "img" not in page.names()
    assert "{{ 7 * 7 }}" in page.text
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert HOSTILE in page.text, "it is shown as it was written"


def test_the_file_needs_nothing_from_elsewhere(plain):
    page = re.sub(r'href="data:[^"]*"', "", plain.html)  # what a figure is taken along as
    assert not re.search(r"https?://", page)
    assert not re.search(r"@import|url\((?!#)", page)
    assert not {"link", "script", "iframe", "img"} & set(Page(page).names())


def test_comments_are_counted_and_not_printed(plain):
    text = Page(plain.html).text
    assert "the comment of somebody" not in text
    assert "40 written answers" in text


def test_one_system_has_no_table_of_tests(make):
    page = render(make(systems=("alpha",)))
    assert 'id="table-success"' in page
    assert 'id="table-tests"' not in page
    assert "1 system," in Page(page).text


def test_without_answers_and_goals_the_report_says_that_no_rate_can_be_given(make):
    page = render(make(rated=False))
    assert "No success rate: " in page
    assert 'id="table-success"' not in page
    assert 'id="questionnaires"' not in page


def test_an_empty_dataset_gives_a_report_that_says_so(make):
    page = Page(render(make(dialogues=0)))
    assert "The dataset has no dialogues" in page.text
    assert "table" not in page.names()
    assert "figure" not in page.names()


def test_few_busy_participants_are_warned_of_at_the_top(make, plain):
    page = Page(render(make(people=2)))
    assert "Few participants dominate" in page.text
    assert page.text.index("Few participants dominate") < page.text.index("Success rates")
    assert "Few participants dominate" not in plain.html


def test_the_report_says_whose_wording_was_asked(make, plain):
    assert "cambridge (wording by the project, en)" in plain.html
    assert "wording from the study file" in render(make(wording="file"))


def test_incidents_and_notes_are_told(plain):
    text = Page(plain.html).text
    assert "timeout 1 1 after 30 s plain" in text
    assert "A note: plain" in text


def test_the_page_is_sound_for_those_who_hear_it(simulated):
    page = Page(simulated.html)
    names = page.names()
    assert names.count("h1") == names.count("main") == 1
    assert names.count("caption") == names.count("table")
    assert all("scope" in attributes for name, attributes in page.elements if name == "th")
    assert dict(page.elements)["html"] == {"lang": "en"}
    images = [attributes for _, attributes in page.elements if attributes.get("role") == "img"]
    assert len(images) == names.count("figure")
    assert all(len(attributes["aria-label"]) > 40 for attributes in images)
    identifiers = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(identifiers) == len(set(identifiers))
    targets = [attributes["href"] for name, attributes in page.elements if name == "a"]
    assert {one[1:] for one in targets if not one.startswith("data:")} <= set(identifiers)


def test_every_measure_shown_is_defined(plain):
    text = Page(plain.html).text
    definitions = text[text.index("Definitions", text.index("Questionnaires")) :]
    for title in ("Subjective success", "Dialogue duration", "User words"):
        assert title in definitions


def test_every_definition_folds_those_beside_the_headlines_within_their_family(plain):
    start = plain.html.index('<h2 id="definitions"')
    page = plain.html[start : plain.html.index("</section>", start)]
    titles = re.findall(r'<details class="definition">\s*<summary><strong>([^<]*)</strong>', page)
    assert "User words" in titles and "Subjective success" in titles
    folds = page.split("<details><summary>")[1:]
    assert any(fold.startswith("Communication (") for fold in folds)
    for fold in folds:
        told = int(re.match(r"[^<]* \((\d+)\)</summary>", fold)[1])
        assert told == max(fold.count('class="definition"'), fold.count("<li>"))


def test_sources_are_publications_alone(plain):
    sources = Page(plain.html).text.rpartition("Sources")[2]
    assert "ITU-T Suppl. 24" in sources
    assert "this project" not in sources and "the project" not in sources


def test_the_same_dataset_gives_the_same_bytes(plain):
    assert render(plain.dataset) == plain.html


def test_the_report_is_written_where_asked(plain, tmp_path):
    path = write_report(plain.dataset, tmp_path / "new" / "report.html")
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [entry.name for entry in path.parent.iterdir()] == ["report.html"]


def test_a_folder_is_refused_as_a_report(plain, tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        write_report(plain.dataset, tmp_path)


def test_a_place_that_cannot_be_written_is_refused(plain, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match="cannot write the report"):
        write_report(plain.dataset, tmp_path / "file" / "report.html")


def test_an_unknown_grouping_is_refused(plain):
    with pytest.raises(UnknownName, match="moon"):
        render(plain.dataset, by="moon")


def test_numbers_open_their_dialogues_where_a_dashboard_is_named_and_nowhere_else(simulated):
    made = Report(simulated.document)
    assert "/dialogues" not in made.html
    page = Page(made.linked("http://127.0.0.1:8001/").html)
    targets = {attributes["href"] for name, attributes in page.elements if name == "a"}
    rate = "http://127.0.0.1:8001/simulated/dialogues?"
    successes, cases = (f"success.subjective_success={one}" for one in ("successes", "cases"))
    assert f"{rate}system=alpha&{successes}" in targets
    assert f"{rate}{successes}" in targets, "of all groups"
    assert f"{rate}system=alpha&system=beta&{cases}" in targets, "a comparison opens both sides"
    assert f"{rate}system=beta&counts.dialogue_duration=yes&sort=-length" in targets
    with pytest.raises(InputError, match="dashboard"):
        made.linked("127.0.0.1:8001")
