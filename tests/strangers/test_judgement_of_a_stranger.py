"""A kind of judgement of a stranger's package is asked for, given, counted and exported as ours are."""

import re
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scenes.annotating import Annotator, annotated_study, bench, hold_dialogue
from scenes.browsing import Forms
from scenes.strangers import HERE, install_packages, known
from vivavoce.cli.main import app
from vivavoce.core.errors import InputError
from vivavoce.dashboard.app import create_desk
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.study.model import Study

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # starlette would rather have httpx2, which nothing else here needs
    from starlette.testclient import TestClient

MakeOnce = Callable[[str, Callable[[Path], object]], Path]
SECTION = "schemes: [context]\n  politeness: {points: 7}\n  double: 1"
BASE = "http://desk.test"


@pytest.fixture(scope="module")
def site(make_once: MakeOnce) -> Path:
    return make_once("strange-judgement", lambda into: install_packages([HERE / "judgement"], into))


def test_politeness_is_judged_beside_our_labels_and_comes_to_the_dashboard_and_the_dataset(
    site: Path, tmp_path: Path
) -> None:
    address = f"sqlite:///{tmp_path / 'log.sqlite'}"
    with known(site):
        study = annotated_study(tmp_path / "study", SECTION)
        with Log.open(address) as log:
            keys = [hold_dialogue(log, study, number) for number in range(2)]
            with bench(study, log) as annotator:
                anna = annotator("anna").come_in()
                judge(anna, {keys[0]: ["7", "3", "5"], keys[1]: ["6", "2", "4"]})
                judge(annotator("bruno").come_in(), {keys[0]: ["7", "2", "6"], keys[1]: ["6", "2", "4"]})
                anna.client.post("/annotate/language", data={"language": "it"})
                assert "Giudica la cortesia" in anna.look("/annotate/politeness")
                assert "Tutti i dialoghi sono giudicati" in anna.look("/annotate/politeness?nothing=1")
            page = dashboard(study, log, tmp_path, "/annotation?kind=politeness")
            assert "<h1>Politeness</h1>" in page and ">ordinal<" in page
            assert re.search(r'data-alpha="politeness" data-value="0\.\d', page)
            assert 'href="/annotation/decide?kind=politeness"' in page
            decide = dashboard(study, log, tmp_path, "/annotation/decide?kind=politeness")
            assert "1 of 2, 2 open" in decide and 'action="/annotation/decide?kind=politeness"' in decide
            assert 'href="/annotation?kind=politeness"' in dashboard(study, log, tmp_path, "/annotation")
            rows = export_dataset(log, study.name, tmp_path / "data").read("annotations").to_pylist()
        said = [(row["dialogue_id"], row["turn_index"], row["label"]) for row in rows]
        assert {row["layer"] for row in rows} == {"politeness"} and {one for one, _, _ in said} == set(keys)
        assert sorted(label for _, turn, label in said if turn == 2) == ["2", "2", "2", "3"]
        files = carried(tmp_path, study, address)
    assert files == len(rows)


def judge(person: Annotator, given: dict[str, list[str]]) -> None:
    ways = '<a href="/annotate">Annotate dialogues</a> <a href="/annotate/politeness" aria-current="page">'
    assert ways in person.look("/annotate/politeness")
    person.press("/annotate/politeness/next")
    for _ in given:
        points = given[Forms(person.html).forms["/annotate/politeness/work"]["dialogue"]]
        chosen = {f"turn_{turn}": point for turn, point in zip((0, 2, 4), points, strict=True)}
        person.press("/annotate/politeness/work", turn_0=chosen["turn_0"])
        assert "Please judge every turn" in person.html and 'name="turn_0" value="' in person.html
        assert f'value="{chosen["turn_0"]}" checked' in person.html
        person.press("/annotate/politeness/work", **chosen)


def dashboard(study: Study, log: Log, folder: Path, address: str) -> str:
    desk = create_desk(study, log, work_dir=folder / "work", account_optional=True)
    headers = {"sec-fetch-site": "same-origin", "accept": "text/html", "accept-language": "en"}
    browser = TestClient(desk, base_url=BASE, headers=headers)
    browser.post(desk.state.desk.access.invite("researcher", BASE).removeprefix(BASE))
    answer = browser.get(address)
    desk.state.desk.snapshots.close()
    assert answer.status_code == 200, answer.text
    return answer.text


def carried(folder: Path, study: Study, address: str) -> int:
    """How many labels `annotate out` writes and `annotate in` finds to be there already."""
    run, place = CliRunner().invoke, str(study.folder)
    assert run(app, ["annotate", "out", place, "--into", str(folder / "f"), "--log", address]).exit_code == 0
    told = run(app, ["annotate", "in", place, str(folder / "f"), "--log", address]).stderr
    found = re.search(r"(\d+) labels read; 0 layers of dialogues are new or changed", told)
    assert found is not None, told
    return int(found[1])


def test_a_kind_that_nobody_offers_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"annotation\.politeness: unknown key 'politeness'.*schemes"):
        annotated_study(tmp_path / "study", SECTION)


def test_no_layer_is_judged_by_two_kinds(site: Path, tmp_path: Path) -> None:
    (tmp_path / "study").mkdir()
    own = "scheme: politeness\nabout: system\ntitle: P\nlabels: [{label: kind, key: k, text: Kind}]\n"
    (tmp_path / "study" / "mine.yaml").write_text(own, encoding="utf-8")
    with (
        known(site),
        pytest.raises(InputError, match=r"annotation\.politeness: .* is also judged under `schemes`"),
    ):
        annotated_study(tmp_path / "study", "schemes: [mine.yaml]\n  politeness: {}")
