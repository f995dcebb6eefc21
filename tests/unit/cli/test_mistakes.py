"""Likely mistakes of users: one line with value, place and next step, exit code 2, no stack trace."""

import re
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from vivavoce.cli import main
from vivavoce.core.errors import MOST_LISTED, InputError, nearest
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.log.events import VisitOpened
from vivavoce.log.store import Log
from vivavoce.reports.section import compose
from vivavoce.reports.tables import write_figures, write_tables
from vivavoce.study.scaffold import write_study

Refuse = Callable[..., str]


@pytest.fixture
def refuse(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Refuse:
    """Run the command line; what it refused with, after its name."""

    def run(*arguments: str | Path) -> str:
        monkeypatch.setattr("sys.argv", ["vivavoce", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main.run()
        told = capsys.readouterr()
        lines = (told.err or told.out).strip().splitlines()
        assert left.value.code == 2, told
        assert len(lines) == 1, lines
        return lines[0].removeprefix("vivavoce: ")

    return run


@pytest.fixture
def study(tmp_path: Path) -> Path:
    write_study(tmp_path / "s", "cambridge-2011")
    return tmp_path / "s"


def change(study: Path, old: str, new: str) -> int:
    """Write another thing once into the study file; the number of its line."""
    file = study / "study.yaml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    return text[: text.index(old)].count("\n") + 1


def test_an_unknown_connector_is_named_with_its_line(study: Path, refuse: Refuse) -> None:
    line = change(study, "connect: http", "connect: htpp")
    assert refuse("check", study).startswith(
        f"study.yaml:{line} systems.nbest.connect: unknown connector 'htpp'. Did you mean 'http'?"
    )


def test_a_wrong_address_is_named_with_its_line(study: Path, refuse: Refuse) -> None:
    line = change(study, 'url: "http://127.0.0.1:9101/chat"', "url: 127.0.0.1:9101/chat")
    assert refuse("serve", study).startswith(f"study.yaml:{line} systems.nbest.url: '127.0.0.1:9101/chat'")


def test_a_measure_that_nobody_knows_is_answered_with_few_near_ones(study: Path, refuse: Refuse) -> None:
    line = change(study, "measure: objective_success_inferred", "measure: happiness")
    said = refuse("check", study)
    assert said.startswith(
        f"study.yaml:{line} analysis.primary.measure: unknown measure 'happiness'. Nearest of"
    )
    assert len(said) < 300


def test_a_long_list_of_names_is_cut_to_the_nearest() -> None:
    many = [f"name_{number}" for number in range(MOST_LISTED + 1)]
    assert nearest("name_17x", many).startswith("Did you mean 'name_17'? Nearest of 41: name_17, ")
    assert len(nearest("name_17x", many).split(", ")) == 6
    assert len(nearest("name_17x", many[:-1]).split(", ")) == MOST_LISTED


def test_one_port_for_both_pages_is_refused(study: Path, refuse: Refuse) -> None:
    said = refuse("serve", study, "--port", "8123", "--desk-port", "8123")
    assert said == "serve: 8123 is given for pages and dashboard. Give --desk-port another port"


def test_a_port_where_another_program_listens_is_named(
    study: Path, refuse: Refuse, capsys: pytest.CaptureFixture[str]
) -> None:
    from vivavoce_bots.__main__ import main as start

    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert f"cannot listen on 127.0.0.1:{port} (Address already in use)" in refuse(
            "serve", study, "--port", port
        )
        assert start(["restaurant", "--port", str(port)]) == 2
        assert re.fullmatch(
            rf"restaurant: cannot listen on 127.0.0.1:{port} \(.*\). Choose another port with --port\n",
            capsys.readouterr().err,
        )


def test_a_place_where_nobody_may_write_is_named(study: Path, refuse: Refuse) -> None:
    file = study / "study.yaml"
    said = refuse("preregister", study, "--out", file / "below" / "a-file.md")
    assert said.startswith(f"{file}") and "can read and write" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("export s --into d --only persons", "--only: unknown value 'persons'. "),
        ("preregister s --shape nosuch", "--shape: unknown value 'nosuch'. Known: aspredicted, osf"),
        ("power --seed many", "--seed: 'many': input should be a valid integer"),
        ("report", "report: missing argument 'DATASET'. See `vivavoce report --help`"),
        ("report d --nosuch", "report: no such option: --nosuch"),
        ("nosuch", "no such command 'nosuch'. See `vivavoce --help`"),
        ("simulate nosuch --x", "simulate run: no such option: --x"),
        ("export s --into", "option '--into' requires an argument"),
        ("report d e f", "report: got unexpected extra argument(s) (e f). See `vivavoce report --help`"),
    ],
)
def test_what_the_command_line_cannot_read_is_one_line_like_all_mistakes(
    refuse: Refuse, words: str, said: str
) -> None:
    told = refuse(*words.split())
    assert said in told
    assert "Usage:" not in told


def test_a_disk_that_is_full_is_told_and_not_traced(refuse: Refuse, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(main, "app", full)
    assert refuse("demo") == "disk: No space left on device; free some space, then try again"


def test_a_language_that_there_is_not_is_refused_with_those_there_are(study: Path, refuse: Refuse) -> None:
    for words in (("talk", study, "nbest"), ("connect", "http://127.0.0.1:9/")):
        assert refuse(*words, "--language", "xx") == "--language: unknown language 'xx'. Known: en, it"


@pytest.mark.parametrize("name", ["report.odt", "report"])
def test_a_report_in_a_form_that_there_is_not_is_refused_before_anything_is_computed(
    tmp_path: Path, refuse: Refuse, name: str
) -> None:
    said = refuse("report", tmp_path, "--out", tmp_path / name)
    assert "ends in .html or .htm or .pdf" in said and name in said


def held(folder: Path) -> Path:
    """A dataset with a dialogue and a turn."""
    dialogue = {
        "dialogue_id": "d",
        "study": "s",
        "system": "a",
        "condition": "a",
        "channel": "text",
        "language": "en",
        "simulated": False,
    }
    with DatasetWriter(folder, study={"name": "s"}, source={"kind": "test"}) as writer:
        writer.add("dialogues", [dialogue])
        writer.add("turns", [{"dialogue_id": "d", "turn_index": 0, "party": "user", "text": "hello"}])
    return folder


def cut(folder: Path, table: str) -> Path:
    """The same, one of whose tables is only half there."""
    held(folder)
    path = folder / f"{table}.parquet"
    path.write_bytes(path.read_bytes()[:200])
    return folder


@pytest.mark.parametrize(
    ("words", "table"),
    [
        ("measure D", "dialogues"),
        ("measure D --only turns --csv T/x.csv", "turns"),
        ("analyse D", "dialogues"),
        ("report D --out T/r.html", "turns"),
        ("flags D", "dialogues"),
        ("confidence D", "turns"),
        ("parse D --into T/p", "dialogues"),
        ("predict correlate D", "turns"),
        ("annotate out D --into T/a", "dialogues"),
    ],
)
def test_a_cut_table_is_named_and_nothing_is_written(
    words: str, table: str, tmp_path: Path, refuse: Refuse
) -> None:
    dataset = cut(tmp_path / "d", table)
    places = {"D": str(dataset), "T": str(tmp_path)}
    told = refuse(*(re.sub("^[DT]", lambda found: places[found[0]], word) for word in words.split()))
    assert told.startswith(f"{dataset / table}.parquet: cannot read as Parquet (")
    assert told.endswith(". Export or import it again")
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.parent != dataset]


def test_a_mistyped_path_makes_no_tree_of_folders(tmp_path: Path, refuse: Refuse) -> None:
    far = tmp_path / "mistyped" / "deeper"
    assert str(far) in refuse("report", held(tmp_path / "d"), "--out", far / "r.html")
    document = compose(Dataset(tmp_path / "d"))
    for write in (write_tables, write_figures):
        with pytest.raises(InputError, match="mistyped"):
            write(document, far)
    assert not (tmp_path / "mistyped").exists()


def test_a_preregistration_makes_no_tree_of_folders(study: Path, tmp_path: Path, refuse: Refuse) -> None:
    assert "mistyped" in refuse("preregister", study, "--out", tmp_path / "mistyped" / "deeper" / "p.md")
    assert not (tmp_path / "mistyped").exists()


def test_a_dataset_is_not_mixed_into_a_studys_own_folder(study: Path, refuse: Refuse) -> None:
    came = VisitOpened(study="s", revision="r", participant_id="p", pool="open", language="en")
    with Log.open(f"sqlite:///{study / 'log.sqlite'}") as log:
        log.transact_now(lambda tx: tx.append("v", came))
    said = refuse("export", study, "--into", study)
    assert said == f"{study}: this is a study folder. Choose another folder, such as {study / 'dataset'}"
    assert not list(study.glob("*.parquet*")) and not (study / "dataset.json").exists()


def test_an_export_before_anybody_came_says_what_lets_people_in(
    study: Path, tmp_path: Path, refuse: Refuse
) -> None:
    said = refuse("export", study, "--into", tmp_path / "d")
    assert "with `vivavoce serve`" in said
