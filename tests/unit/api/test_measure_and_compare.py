"""The functions `measure` and `compare`: the command line's numbers, as objects."""

import json
import sys
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd
import pytest
import vl_convert
from typer.testing import CliRunner

import vivavoce as vv
from scenes.shops import CURT, KIND, shops
from vivavoce.api import measuring
from vivavoce.cli.main import app
from vivavoce.core import extras
from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset
from vivavoce.measures import MEASURES
from vivavoce.reports.blocks import Block, Paragraph
from vivavoce.reports.section import SECTIONS, AnalysisContext
from vivavoce.testing.sample_dialogues import write_sample

CHOICES = Path(__file__).resolve().parents[2] / "fixtures" / "before_shelves" / "datasets" / "every"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shops(tmp_path_factory.mktemp("data") / "shops")


@pytest.fixture(scope="module")
def compared(folder: Path) -> vv.SystemComparison:
    return vv.compare(folder, "turns")


def command(*words: object) -> dict[str, Any]:
    done = CliRunner().invoke(app, [*map(str, words), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_values_are_those_of_the_command_line(folder: Path) -> None:
    found = vv.measure(folder, by="system", exclude="user_turns < 2")
    assert found.to_dict() == command("measure", folder, "--only", "all", "--exclude", "user_turns < 2")
    assert found.to_dict()["excluded"]["dialogues"] > 0


def test_values_of_real_calls_are_those_of_the_command_line(dstc2: Dataset) -> None:
    found = vv.measure(dstc2, by="condition", only=["recognition", "turns"])
    printed = command(
        "measure", dstc2.folder, "--by", "condition", "--only", "recognition", "--only", "turns"
    )
    assert found.to_dict() == printed
    (rate,) = [one for one in found if one.measure == "word_error_rate" and one.key == "S0A0"]
    told = next(one for one in printed["by"] if one["key"] == "S0A0")["measures"]["word_error_rate"]
    assert (rate.value, rate.low, rate.signature) == (told["value"], told["low"], told["signature"])
    assert (rate.denominator, rate.analysis_unit) == (told["denominator"], "word")


def test_differences_are_those_of_the_command_line(folder: Path) -> None:
    found = vv.compare(folder, ["subjective_success", "turns"], margin={"turns": 2})
    assert found.to_dict() == command(
        "analyse", folder, "--measure", "subjective_success", "--measure", "turns", "--margin", "turns=2"
    )
    for row, test in zip(found, found.to_dict()["tests"], strict=True):
        side = test["clustered"]
        assert (row.difference, row.low, row.high, row.p) == (
            side["difference"],
            side["low"],
            side["high"],
            side["p"],
        )
        assert (row.p_adjusted, row.family) == (side["p_adjusted"], test["why"])
        assert f"unit:{row.analysis_unit}|" in row.signature and f"|n:{row.n}|" in row.signature
    assert [one.equivalent is None for one in found] == [True, False]
    assert found.families == tuple(one.family for one in found)


def test_preferences_are_those_of_the_command_line() -> None:
    found = vv.preferences(CHOICES)
    assert found.to_dict() == command("analyse", CHOICES)
    cells = found.to_dict()["preferences"]["cells"]
    assert [one.share for one in found] == [one["ratio"] for one in cells]
    assert all(f"|n:{one.n}|" in one.signature and "Holm" in one.family for one in found)
    assert "judged by" in repr(found) and "<table" in found._repr_html_()
    assert "Holm" in vl_convert.vegalite_to_svg(found.plot(width=200).to_dict())


def test_where_nobody_chose_and_where_nobody_talked_the_other_function_is_named(
    folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(vv.InputError, match=r"no comparisons in the dataset. `compare` compares systems"):
        vv.preferences(folder)
    with vv.DatasetWriter(tmp_path / "none", study={"name": "none"}, source={"kind": "test"}):
        pass
    with pytest.raises(vv.InputError, match=r"the dataset has no dialogues to compare. Use `preferences`"):
        vv.compare(tmp_path / "none")


def test_choosing_a_pair_changes_no_p(folder: Path) -> None:
    (one,), (other,) = (
        vv.compare(folder, "turns", pair=pair).rows for pair in [(CURT, KIND), [(KIND, CURT)]]
    )
    assert one.p == other.p and one.difference == pytest.approx(-(other.difference or 0))


def test_a_result_cannot_be_changed(folder: Path) -> None:
    found = vv.measure(folder, only="turns")
    with pytest.raises(FrozenInstanceError):
        found.rows = ()  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        found.rows[0].value = 1.0  # type: ignore[misc]
    found.to_dict()["by"].clear()
    assert found.to_dict()["by"]


def test_data_frames_hold_every_row_with_its_unit_n_interval_and_signature(
    folder: Path, compared: vv.SystemComparison
) -> None:
    frame = vv.measure(folder, only=["turns", "subjective_success"]).to_pandas()
    assert len(frame) == 6 and list(frame["key"]) == [KIND, KIND, CURT, CURT, "all", "all"]
    turns = frame[(frame["measure"] == "turns") & (frame["key"] == KIND)].iloc[0]
    assert (turns["value"], turns["denominator"], turns["analysis_unit"]) == (4.0, 16.0, "dialogue")
    assert not frame[["interval", "signature", "participants"]].isna().any().any()
    assert frame["low"].isna().tolist() == [True, *[False] * 5]  # all of its dialogues have as many turns
    frame = compared.to_pandas()
    assert pd.api.types.is_float_dtype(frame["margin"]) and frame["margin"].isna().all()
    assert vv.compare(folder, "turns", by="participant").to_pandas().empty


def test_who_has_no_polars_is_told_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(vv.InputError, match=r"polars is not installed. pip install polars"):
        vv.measure(folder, only="turns").to_polars()


def test_polars_frames_hold_the_same(folder: Path) -> None:
    pytest.importorskip("polars", reason="polars is the user's own")
    found = vv.measure(folder, only="turns")
    assert found.to_polars()["value"].to_list() == [one.value for one in found]


def test_a_terminal_shows_the_command_lines_table(
    folder: Path, compared: vv.SystemComparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    measured = repr(vv.measure(folder, only="turns"))
    assert KIND in measured and "4.00" in measured and "95% CI" in measured
    assert KIND in " ".join(repr(compared).split()) and "p is adjusted (Holm)" in repr(compared)


def test_a_result_is_shown_once_in_a_notebook(
    compared: vv.SystemComparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)  # rich would show it by itself
    assert "p is adjusted (Holm)" in repr(compared)


def test_a_notebook_shows_the_same_with_every_name_escaped(
    folder: Path, compared: vv.SystemComparison
) -> None:
    for found in (vv.measure(folder, only="turns"), compared):
        page = found._repr_html_()
        assert "&lt;i&gt;kind &amp; [bold]slow[/]&lt;/i&gt;" in page and "<i>kind" not in page
        assert page.count("<table") == page.count("</table>") > 0


@pytest.mark.parametrize("width", [420, 190])
def test_pictures_show_each_group_and_the_family(
    folder: Path, compared: vv.SystemComparison, width: int
) -> None:
    values = vv.measure(folder, only="turns").plot(width=width).to_dict()
    svg = vl_convert.vegalite_to_svg(values)
    assert ">Turns<" in svg and "&lt;i&gt;kind" in svg and ">4.00<" in svg
    svg = vl_convert.vegalite_to_svg(compared.plot(width=width).to_dict())
    assert "Holm" in svg and "p = " in svg


def test_a_notebook_shows_a_picture_without_a_network(compared: vv.SystemComparison) -> None:
    shown = compared.plot().properties(spacing=30)._repr_mimebundle_()
    assert list(shown) == ["image/svg+xml"] and "Holm" in shown["image/svg+xml"]
    with alt.renderers.enable("json"):
        assert "application/json" in compared.plot()._repr_mimebundle_()[0]


def test_a_picture_of_too_much_says_what_to_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = vv.measure(folder)
    monkeypatch.setattr(measuring, "MOST_PLOTTED", 1)
    with pytest.raises(
        vv.InputError, match=r"measures are too many for one figure\. Choose measures: \.plot\('word"
    ):
        found.plot()
    assert ">Turns<" in vl_convert.vegalite_to_svg(found.plot("turns").to_dict())


def test_people_and_programs_are_never_pooled_unasked(tmp_path: Path) -> None:
    mixed = shops(tmp_path / "mixed", simulated=2)
    for function in (vv.measure, vv.compare, vv.report):
        with pytest.raises(vv.InputError, match="24 dialogues of people and 8 of simulated users") as refused:
            function(mixed)
        assert "use mixed=True" in str(refused.value) and "--mixed" not in str(refused.value)
    told = vv.measure(mixed, only="turns", mixed=True)
    assert told.warnings[0].startswith("SIMULATED: programs took part")
    assert "SIMULATED" in repr(told) and "SIMULATED" in told._repr_html_()
    assert "SIMULATED" in vl_convert.vegalite_to_svg(told.plot().to_dict())


def test_a_mistake_is_one_line_in_words_of_python(folder: Path) -> None:
    mistakes = {
        "exclude: 'user_turn < 2'": lambda: vv.measure(folder, exclude="user_turn < 2"),
        "unknown family or measure 'tuns'. Did you mean 'turns'": lambda: vv.measure(folder, only="tuns"),
        "pair: a group cannot be compared with itself": lambda: vv.compare(folder, pair=("curt", "curt")),
        "margin": lambda: vv.compare(folder, "turns", margin=0.1),
        "no dataset.json in this folder": lambda: vv.compare(folder.parent),
        "dataset: DataFrame is not a dataset. Use a Dataset": lambda: vv.measure(pd.DataFrame()),  # type: ignore[arg-type]
        "study: Dataset is not a study. Use a study file": lambda: vv.simulate(vv.Dataset(folder)),  # type: ignore[arg-type]
    }
    for said, make in mistakes.items():
        with pytest.raises(vv.InputError) as caught:
            make()
        assert said in str(caught.value) and "--" not in str(caught.value)
        assert "\n" not in str(caught.value)


def test_what_an_extra_holds_is_named_with_what_to_install(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacking(*_: object, **__: object) -> None:
        raise ModuleNotFoundError("No module named 'sklearn'", name="sklearn")

    monkeypatch.setattr("vivavoce.api.comparing.open_dataset", lacking)
    monkeypatch.setattr(extras, "_extras", lambda: {"scikit-learn": "predict"})
    with pytest.raises(vv.InputError, match=r"\[predict\]"):
        vv.compare(folder)


def test_a_notebook_shows_a_mistake_without_a_stack_trace() -> None:
    error = vv.InputError("no such file", place="calls", hint="name another")
    assert error._render_traceback_() == ["InputError: calls: no such file. Name another"]


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is forgotten after it."""
    for registry in (MEASURES, SECTIONS):
        monkeypatch.setattr(registry, "_entries", dict(registry._entries))
        monkeypatch.setattr(registry, "_own", set())


@pytest.mark.usefixtures("registered")
def test_objects_count_wherever_names_do(tmp_path: Path) -> None:
    data, turns = write_sample(tmp_path / "sample"), MEASURES.get("turns")
    mine = replace(turns, name="my_turns", title="My turns")
    measured = vv.measure(data, only=[mine, "turns"])
    assert {row.measure for row in measured.rows} == {"my_turns", "turns"}
    again = vv.measure(data, only=replace(mine, title="Mine")).rows
    assert {row.measure for row in again} == {"my_turns"} and MEASURES.get("my_turns").title == "Mine"
    compared = vv.compare(data, mine, by="condition", margin={mine.name: 1.0})
    assert {row.measure for row in compared.rows} == {"my_turns"}
    with pytest.raises(InputError, match="is not a measure"):
        vv.measure(data, only=[object()])  # type: ignore[list-item]
    with pytest.raises(InputError, match="already registered"):
        vv.measure(data, only=replace(turns, title="Other"))


@pytest.mark.usefixtures("registered")
def test_a_section_is_accepted_as_an_object(tmp_path: Path) -> None:
    class Size(vv.Section[int]):
        name, order, title, needs = "size", 1311, "Size", ("dialogues",)

        def results(self, context: AnalysisContext) -> int:
            return context.dataset.read("dialogues").num_rows

        def blocks(self, results: int) -> list[Block]:
            return [Paragraph(str(results))]

    made = vv.report(write_sample(tmp_path / "sample"), sections=[Size()])
    assert [section.title for section in made.document.sections] == ["Size"]
