"""Packages of strangers: built as wheels, installed, and known by their entry points alone.

Each folder beside this file is one distribution, which imports public modules only. They meet in the study
of the folder `study`, the desk of a library.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from scenes.strangers import HERE, PACKAGES, install

ROOT = HERE.parents[1]
PYPROJECT = re.compile(r'\[project\.entry-points\..*\n.*"\n')
MakeOnce = Callable[[str, Callable[[Path], object]], Path]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def site(make_once: MakeOnce) -> Path:
    """The folder in which the packages of all strangers are installed."""
    return make_once("strangers", install)


@pytest.fixture
def vivavoce(tmp_path: Path) -> Run:
    """The command line as a process of its own, which knows the packages in the folder `known`."""

    def run(*words: str | Path, known: Path | None = None) -> "subprocess.CompletedProcess[str]":
        path = [str(known)] if known is not None else []
        path += [one for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one]
        command = [sys.executable, "-m", "vivavoce", *map(str, words)]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path)}
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    return run


def told(done: "subprocess.CompletedProcess[str]") -> str:
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(done: "subprocess.CompletedProcess[str]") -> str:
    assert done.returncode in (1, 2) and "Traceback" not in done.stderr, done.stderr
    return " ".join((done.stdout + done.stderr).split())


def test_a_format_of_a_stranger_is_imported(vivavoce: Run, site: Path, tmp_path: Path) -> None:
    shutil.copy(HERE / "importer" / "chats.csv", tmp_path)
    words = ("import", "pharmacy", "chats.csv", "--into", "D")
    unknown = refused(vivavoce(*words))
    assert "unknown format 'pharmacy'. Known: " in unknown and "dstc2, huric, langfuse" in unknown
    assert "2 dialogues into D" in vivavoce(*words, known=site).stderr
    words = ("measure", "D", "--only", "apologies", "--exclude", "none", "--json")
    (row,) = json.loads(told(vivavoce(*words, known=site)))["by"]
    assert (row["measures"]["apologies"]["value"], row["key"]) == (0.5, "counter")
    assert "'apologies'" in refused(vivavoce(*words))


@pytest.mark.long
def test_a_stress_test_of_a_stranger_is_proposed_like_the_eleven(vivavoce: Run, site: Path) -> None:
    words = ("stress", "propose", "please renew the atlas", "--language", "en")
    proposed = told(vivavoce(*words, known=site))
    assert "HESITATION 0.9 please renew, uhm, the atlas [a filled pause]" in " ".join(proposed.split())
    assert {f"ST-{number}" for number in range(1, 12)} <= {line.split()[0] for line in proposed.splitlines()}
    unknown = refused(vivavoce(*words, "--test", "HESITATION"))
    assert "unknown stress test 'HESITATION'" in unknown and "ST-11" in unknown


@pytest.fixture
def study(tmp_path: Path, vivavoce: Run, site: Path) -> Path:
    """The study in which all strangers meet, with tasks for people and programs."""
    folder = Path(shutil.copytree(HERE / "study", tmp_path / "desk"))
    domain = ("simulate", "tasks", folder / "library.yaml", "--number", "4")
    told(vivavoce(*domain, "--out", folder / "tasks.yaml", known=site))
    return folder


@pytest.mark.long
def test_a_study_that_names_strangers_is_refused_where_they_are_not_installed(
    vivavoce: Run, site: Path, study: Path
) -> None:
    assert "unknown step 'triage'" in refused(vivavoce("check", study))
    text = (study / "study.yaml").read_text("utf-8")
    text = "".join(line for line in text.splitlines(keepends=True) if "triage" not in line)
    (study / "study.yaml").write_text(text, "utf-8")
    assert "unknown questionnaire 'desk_courtesy'" in refused(vivavoce("check", study))
    (study / "study.yaml").write_text(text.replace("desk_courtesy", "sus"), "utf-8")
    unknown = refused(vivavoce("check", study))
    assert "study.yaml:2 languages: language 'eo' is not installed. Installed: en, it" in unknown
    text = text.replace("desk_courtesy", "sus").replace("[en, eo]", "[en]")
    (study / "study.yaml").write_text(text, "utf-8")
    unknown = refused(vivavoce("check", study))
    assert "unknown connector 'desk'" in unknown and "openai-realtime" in unknown
    ready = vivavoce("check", study, known=site)
    assert "ready" in told(ready) and "in English" not in ready.stdout + ready.stderr


def test_a_protocol_of_a_stranger_is_written_and_laid_under_a_study(
    vivavoce: Run, site: Path, tmp_path: Path
) -> None:
    words = ("init", "new", "--protocol", "library-desk")
    assert "unknown protocol 'library-desk'" in refused(vivavoce(*words)) and not (tmp_path / "new").exists()
    told(vivavoce(*words, known=site))
    assert "ready" in told(vivavoce("check", "new", known=site))
    assert (tmp_path / "new" / "consent.it.md").is_file() and (tmp_path / "new" / "enquiries.txt").is_file()
    told_of_it = refused(vivavoce("check", "new"))
    assert told_of_it.startswith("study.yaml:3 protocol: unknown protocol 'library-desk'")


@pytest.mark.long
def test_strangers_serve_one_study_from_its_check_to_its_report(
    vivavoce: Run, site: Path, study: Path, tmp_path: Path
) -> None:
    def run(*words: str | Path) -> str:
        return told(vivavoce(*words, known=site))

    checked = vivavoce("check", study, known=site)
    assert "ready" in told(checked)
    lacking = re.search(
        r"study.yaml:2 languages: (\d+) of (\d+) sentences.*'eo'", checked.stdout + checked.stderr
    )
    assert lacking and 0 < int(lacking[1]) < int(lacking[2])
    declared = run("preregister", study)
    assert "do kiosk and counter differ in apologies?" in declared
    assert "3 enquiries, each sent to one of 2 desks" in run("preregister", study, "--shape", "osf")
    run("simulate", study, "--domain", study / "library.yaml", "--dialogues", "12", "--seed", "1")
    run("stress", "run", study, "--system", "counter", "--test", "HESITATION", "--sample", "3")
    run("export", study, "--into", "D")
    assert "HESITATION" in run("stress", "score", "D")
    assert measured(run("measure", "D", "--only", "apologies", "--json")) == apologies(tmp_path)
    sent = read_rows(tmp_path / "D" / "triage.parquet")
    visits = {row["visit_id"] for row in read_rows(tmp_path / "D" / "dialogues.parquet")}
    assert {row["visit_id"]: row["desk"] in ("loans", "reading room") for row in sent} == dict.fromkeys(
        visits, True
    )
    assert len(sent) == 3 * len(visits) and all(row["simulated"] for row in sent)
    quoted = run("quote", "D", "renew", "--party", "user").splitlines()
    assert quoted and all(" user: " in line and "renew" in line.lower() for line in quoted)
    run("report", "D", "--out", "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "courtesy: 2 items, 1 to 5" in page and "wording from an installed package" in page
    assert "Filled pauses" in page and "Apologies" in page
    assert (
        '<a href="#openings">Openings</a>' in page
        and f"openings|unit:dialogue|n:{openings(tmp_path)}|" in page
    )
    italian = run("report", "D", "--sections", "openings", "--language", "it", "--out", "-")
    assert "Come si aprono i dialoghi" in italian and "Prima parola" in italian
    assert "No such command 'quote'" in refused(vivavoce("quote", "D", "renew")).replace("no such", "No such")
    assert "quote Show every turn that contains a word." in " ".join(run("--help").split())
    esperanto = run("report", "D", "--language", "eo", "--out", "-")
    assert "Taksa raporto" in esperanto and "Unua vorto" in esperanto
    assert "How dialogues are opened" in esperanto  # what the language lacks
    assert "unknown language 'eo'. Known: en, it" in refused(vivavoce("report", "D", "--language", "eo"))
    unknown = refused(vivavoce("report", "D", "--sections", "openings"))
    assert "unknown section 'openings'" in unknown and "questionnaires" in unknown


def measured(table: str) -> dict[str, tuple[int, int]]:
    found = {row["key"]: row["measures"]["apologies"] for row in json.loads(table)["by"]}
    return {system: (one["numerator"], one["denominator"]) for system, one in found.items()}


def apologies(folder: Path) -> dict[str, tuple[int, int]]:
    """System turns that say sorry, and all of them, by system: counted here, from the dataset's files."""
    system = {row["dialogue_id"]: row["system"] for row in read_rows(folder / "D" / "dialogues.parquet")}
    found: dict[str, tuple[int, int]] = {}
    for turn in read_rows(folder / "D" / "turns.parquet"):
        if turn["party"] == "system":
            sorry, turns = found.get(system[turn["dialogue_id"]], (0, 0))
            found[system[turn["dialogue_id"]]] = (sorry + ("Sorry" in turn["text"]), turns + 1)
    return found


def openings(folder: Path) -> int:
    """How many dialogues have a turn of the user: counted here, from the dataset's files."""
    turns = read_rows(folder / "D" / "turns.parquet")
    return len({turn["dialogue_id"] for turn in turns if turn["party"] == "user" and turn["text"]})


@pytest.mark.long
def test_a_section_of_a_stranger_passes_the_suite_that_ours_pass(site: Path) -> None:
    path = [str(site), *(one for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one)]
    suite = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "openings"]
    done = subprocess.run(
        [*suite, str(ROOT / "tests" / "plugins" / "test_every_section.py")],
        cwd=ROOT,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and re.search(r"\d+ passed", done.stdout), done.stdout + done.stderr


def read_rows(file: Path) -> list[dict[str, Any]]:
    return pq.read_table(file).to_pylist()


@pytest.mark.long
def test_every_package_keeps_the_contract_of_its_shelf(site: Path) -> None:
    path = [str(site), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--noconftest",
        "-c",
        os.devnull,
        "--rootdir",
        str(HERE),
        "--import-mode=importlib",
        str(HERE / "contracts.py"),
    ]
    run = subprocess.run(
        command,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout
    contracts = set(
        re.findall(r"class \w+\((?:Stimulus)?(\w+)Contract\)", (HERE / "contracts.py").read_text("utf-8"))
    )
    assert contracts == {"".join(map(str.capitalize, name.split("_"))) for name in PACKAGES}


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_imports_public_modules_alone(name: str) -> None:
    files = [one for one in (HERE / name).rglob("*.py") if "build" not in one.parts]
    codes = "".join(one.read_text("utf-8") for one in files)
    assert not re.findall(r"from vivavoce\S* import .*\b_\w+|vivavoce\.[\w.]*\._", codes)


def test_the_guide_names_the_group_of_every_package_and_shows_the_measure() -> None:
    guide = (ROOT / "docs" / "how-to" / "extend.md").read_text("utf-8")
    groups = {one: PYPROJECT.search((HERE / one / "pyproject.toml").read_text("utf-8")) for one in PACKAGES}
    named = {one: re.search(r'"(.+)"', found.group())[1] for one, found in groups.items()}
    assert {one: group for one, group in named.items() if f"`{group}`" not in guide} == {}
    assert groups["measure"].group() in guide
    assert (HERE / "measure" / "vivavoce_stranger_measure.py").read_text("utf-8") in guide
