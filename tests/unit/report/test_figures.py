"""The figures: drawn offline, coloured by the page, said in words."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import altair as alt
import pytest

from scenes.summaries import made_group, made_rate, made_summary
from vivavoce.analysis.correlations import RankCorrelation
from vivavoce.analysis.description import DialogueDurations
from vivavoce.languages.base import LANGUAGES, Language
from vivavoce.reports import drawing
from vivavoce.reports.drawing import marked
from vivavoce.reports.language import speaking
from vivavoce.reports.links import linked_figure
from vivavoce.reports.tables import numbers_of
from vivavoce.sections.dialogues.figures import correlations_figure, durations_figure
from vivavoce.sections.participants.section import participants_figure
from vivavoce.sections.results.section import success_figure

RATES = {"rate": made_rate(0.75, 0.6, 0.86)}
ROW = made_group("alpha", RATES)


def test_the_alternative_says_what_the_figure_shows():
    figure = success_figure(made_summary([ROW], ROW), {"rate": "Success"})
    assert figure.alternative == "Success: alpha 75.0% (60.0 to 86.0)."
    assert "75.0%" in figure.wide
    assert "75.0%" in figure.narrow


def test_marks_and_the_table_behind_a_figure_open_what_they_count():
    rows = [made_group(name, RATES) for name in ("alpha", "<beta>")]
    plain = success_figure(made_summary(rows, ROW), {"rate": "Success"})
    assert "<a " not in plain.wide
    figure = linked_figure(plain, lambda counted: f"/dialogues?system={counted.keys[0]}&more")
    opened = re.findall(r'<a href="([^"]+)" tabindex="-1"><path[^>]*><title>([^<]+)</title>', figure.wide)
    assert opened == [
        ("/dialogues?system=alpha&amp;more", "alpha: 75.0% (60.0 to 86.0), 1 of 20"),
        ("/dialogues?system=&lt;beta&gt;&amp;more", "&lt;beta&gt;: 75.0% (60.0 to 86.0), 1 of 20"),
    ]
    cells = [row.cells[1] for row in numbers_of(figure).rows]
    assert [(one.main, one.address) for one in cells] == [
        ("75.0%", "/dialogues?system=alpha&more"),
        ("75.0%", "/dialogues?system=<beta>&more"),
    ]
    assert "<a " not in figure.alone


def test_two_readers_draw_one_figure_at_once():
    together = Barrier(2)

    def draw(width):
        together.wait(30)  # both are drawing now
        return alt.Chart(alt.Data(values=[{}])).mark_point()

    with speaking("it"):
        drawn = drawing.figure("one", "One", "One.", draw)
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(drawn.make, (drawing.WIDE, drawing.WIDE)))
    assert [signs["decimal"] for _, signs in made] == [",", ","]


def test_the_narrow_form_fits_a_small_phone():
    rows = [made_group(f"a rather long name of a system {number}", RATES) for number in range(3)]
    figures = [
        success_figure(made_summary(rows, ROW), {"rate": "Success, of something long indeed"}),
        participants_figure(dict.fromkeys(range(1, 130), 3)),
        durations_figure([DialogueDurations(row.key, 3, 1, 2, 3, 4, 5) for row in rows]),
    ]
    for figure in figures:
        assert float(re.search(r' width="([\d.]+)"', figure.narrow).group(1)) <= 320


def test_a_group_without_cases_is_left_out():
    empty = made_group("beta", {"rate": made_rate(None, None, None, n=0)})
    assert "beta" not in success_figure(made_summary([ROW, empty], ROW), {"rate": "Success"}).alternative


@pytest.mark.parametrize("mark", ["", "SIMULATED"])
def test_the_mark_is_drawn_into_the_figure(mark):
    with marked(mark):
        figure = participants_figure({1: 4, 3: 2})
    assert ("SIMULATED" in figure.wide) is ("SIMULATED" in figure.title) is bool(mark)


def test_many_sizes_share_bars_and_lose_nobody():
    figure = participants_figure({1: 5, 7: 2, 8: 1, 64: 1})
    shown = {name: int(n) for name, n in re.findall(r"([\d\u2013]+): (\d+) participant", figure.alternative)}
    assert shown == {
        "1": 5,
        "2": 0,
        "3": 0,
        "4": 0,
        "5": 0,
        "6\u201310": 3,
        "11\u201320": 0,
        "21\u201350": 0,
        "51\u201364": 1,
    }


def test_colours_are_only_those_that_the_page_replaces():
    figure = durations_figure([DialogueDurations("a", 3, 1, 2, 3, 4, 5)])
    colours = set(re.findall(r"#[0-9a-f]{6}", figure.wide))
    assert colours <= {"#1d2329", "#d9dee3", "#1f5a85", "#9dbdd6"}


def test_hostile_names_are_no_markup():
    hostile = made_group("<script>alert(1)</script>", RATES)
    figure = success_figure(made_summary([hostile], hostile), {"rate": "<b>x</b>"})
    assert "<script" not in figure.wide + figure.narrow
    assert "<b>" not in figure.wide + figure.narrow


@pytest.mark.parametrize(("tag", "shown"), [("en", "0.25"), ("it", "0,25"), ("eo", "0,25")])
def test_a_figure_writes_numbers_as_the_people_of_its_language_do(
    tag: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "report.po").touch()
    monkeypatch.setitem(LANGUAGES._entries, "eo", Language("eo", "Esperanto", tmp_path))
    values = alt.Data(values=[{"x": 0}, {"x": 0.25}])
    axis = alt.Axis(values=[0.25], format=".2f")
    with speaking(tag):
        made = drawing.figure(
            "f", "F", "f", lambda _: alt.Chart(values).mark_point().encode(alt.X("x:Q", axis=axis))
        )
    assert f">{shown}<" in made.printed


@pytest.mark.parametrize("form", ["wide", "narrow", "printed"])
def test_names_beside_rows_stand_whole_so_that_each_is_told_from_the_others(form):
    names = [f"without a match among those offered: {end}" for end in ("prize", "excluded", "failed")]
    titles = dict(zip("abc", names, strict=True))
    durations = [DialogueDurations(name, 20, 1, 2, 3, 4, 5) for name in names]
    pairs = [RankCorrelation(a, b, 0.5, 20) for a, b in ("ab", "ac", "bc")]
    for figure, shown in (
        (durations_figure(durations), names),
        (correlations_figure(pairs, titles), names[1:]),
    ):
        drawn = re.sub(r"<title>[^<]*</title>", "", getattr(figure, form))
        words = " ".join(re.findall(r">([^<>]+)</(?:text|tspan)>", drawn))
        assert "…" not in words
        assert all(name in words for name in shown), words
