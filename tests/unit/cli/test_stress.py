"""The verbs of stress tests, from a trial's log to a suite that a team runs in its own checks."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

from unit.stress.test_endpoint import Model, model  # noqa: F401 - a fixture
from vivavoce.cli.main import app
from vivavoce.core.errors import InputError
from vivavoce.study.scaffold import write_study

BOT = 'connect: python, call: "vivavoce_bots.calling:{name}", greeting: true'


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study whose bots run here, with a log of simulated dialogues."""
    folder = tmp_path_factory.mktemp("study")
    write_study(folder, "cambridge-2011", name="city")
    path = folder / "study.yaml"
    text = path.read_text(encoding="utf-8")
    head, rest = text.split("systems:\n", 1)
    tail = rest[rest.index("# The domain") :]
    domain = f"environment: {{VIVAVOCE_BOT_DOMAIN: {json.dumps(str(folder / 'restaurants.yaml'))}}}"
    bots = {"sound": "restaurant_nbest", "other": "restaurant_onebest"}
    systems = "".join(f"  {key}: {{{BOT.format(name=name)}, {domain}}}\n" for key, name in bots.items())
    tail = tail.replace("[nbest, onebest]", "[sound, other]")
    path.write_text(f"{head}systems:\n{systems}\n{tail}", encoding="utf-8")
    assert cli("simulate", folder, "--dialogues", 8, "--word-error-rate", 0).exit_code == 0
    return folder


def cli(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(one) for one in arguments])


def facts(result: Result) -> Any:
    assert result.exception is None, result.output
    return json.loads(result.stdout)


@pytest.mark.long
def test_a_trial_becomes_stress_tests_becomes_a_suite(study: Path, tmp_path: Path) -> None:
    queue, suite, xml = tmp_path / "queue.csv", study / "suite.yaml", tmp_path / "junit.xml"
    stress: Sequence[object] = ("stress", "review", study, "--system", "sound")
    asked = cli(*stress, "--propose", "--each-test", "--reviewer", "anna", "--csv", queue, "--json")
    items = facts(asked)["items"]
    assert items > 0
    with queue.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == items
    for number, row in enumerate(rows):
        row["decision"] = "accept" if number % 2 == 0 else "reject"
    with queue.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    state = facts(cli(*stress, "--read", queue, "--reviewer", "anna", "--freeze", suite, "--json"))
    assert state["approved"] == (items + 1) // 2 and state["rejected"] == items // 2

    run = facts(cli("stress", "run", study, "--system", "sound", "--each-test", "--json"))["runs"][0]
    tests = {one["name"]: one for one in run["tests"]}
    assert tests["ST-2"]["applied"] and tests["ST-4"]["applied"]  # run as proposed
    reviewed = [one for name, one in tests.items() if name not in ("ST-2", "ST-3", "ST-4")]
    approved = sum(one["applied"] + one["not_admitted"] + one["outage"] for one in reviewed)
    assert approved == state["approved"]  # no other variant of a test that needs review
    assert run["whole"]["idial_n"] >= run["whole"]["decided"]

    dataset = tmp_path / "dataset"
    assert cli("export", study, "--into", dataset).exit_code == 0
    again = facts(cli("stress", "score", dataset, "--json"))["runs"][0]
    assert again["whole"]["passed"] == run["whole"]["passed"]
    assert again["tests"][1]["low"] == run["tests"][1]["low"]

    strict = cli("stress", "run", suite, "--fail-under", 1, "--junit", xml, "--json")
    whole = json.loads(strict.stdout)["runs"][0]["whole"]
    assert whole["cases"] == state["approved"]
    assert strict.exit_code == (0 if whole["ratio"] == 1 else 1)
    assert cli("stress", "run", suite, "--fail-under", 0).exit_code == 0
    read = ElementTree.parse(xml).getroot()
    assert int(read.get("tests") or 0) == whole["cases"]
    assert int(read.get("failures") or 0) == whole["decided"] - whole["passed"]


def test_utterances_of_a_file_are_reviewed_and_frozen_where_nothing_was_logged(tmp_path: Path) -> None:
    write_study(tmp_path / "study", "cambridge-2011", name="city")
    said, queue, suite = tmp_path / "said.csv", tmp_path / "queue.csv", tmp_path / "suite.yaml"
    said.write_text("utterance\nPuoi aprire la porta?\nCancella la lezione\n", encoding="utf-8")
    words = ("stress", "review", tmp_path / "study", "--utterances", said, "--language", "it")
    short = cli(*words)
    assert isinstance(short.exception, InputError) and "--propose" in str(short.exception.hint)
    asked = facts(cli(*words, "--propose", "--test", "ST-6", "--reviewer", "anna", "--csv", queue, "--json"))
    assert (asked["items"], asked["reviewed"]) == (2, 0)
    with queue.open(encoding="utf-8-sig", newline="") as file:
        first, *_ = rows = list(csv.DictReader(file))
    assert {row["original"] for row in rows} == {"Puoi aprire la porta?", "Cancella la lezione"}
    first["decision"] = "accept"
    with queue.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(first))
        writer.writeheader()
        writer.writerows(rows)
    frozen = ("--freeze", suite, "--system", "nbest", "--json")
    state = facts(cli(*words, "--read", queue, "--reviewer", "anna", *frozen))
    assert (state["items"], state["reviewed"], state["approved"]) == (2, 1, 1)
    assert first["original"] in suite.read_text("utf-8")


def test_a_language_model_proposes_for_review_beside_our_operators(
    study: Path,
    tmp_path: Path,
    model: Model,  # noqa: F811
) -> None:
    model.says = '[{"text": "pretty please, anything at all", "rule": "begging"}]'
    queue, dataset = tmp_path / "queue.csv", tmp_path / "dataset"
    assert cli("export", study, "--into", dataset).exit_code == 0
    apart = ("--from", dataset, "--log", f"sqlite:///{tmp_path / 'apart.sqlite'}")
    asked = (*apart, "--propose", "--test", "ST-6", "--sample", 2, "--endpoint", model.settings["url"])
    named = ("--model", "m", "--system", "sound", "--reviewer", "anna", "--csv", queue, "--json")
    assert facts(cli("stress", "review", study, *asked, *named))["items"] > 0
    told = queue.read_text(encoding="utf-8-sig")
    assert "pretty please, anything at all" in told and "language model: begging" in told
    assert model.asked and all("ST-6" not in one["messages"][0]["content"] for one in model.asked)


def test_ad_hoc_cases_run_beside_logged_ones_and_their_clean_utterance_first(
    study: Path, tmp_path: Path
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(
        "suite: mine\nversion: 1\nsystem: {connect: http}\ncases:\n"
        + "".join(
            f"  - {{case_id: {key}, original: {said}, variant: the second, ad_hoc: true, "
            "test: ST-10, family: syntactic, language: en}\n"
            for key, said in (("good", "a cheap pub"), ("bad", "gibberish indeed"))
        ),
        encoding="utf-8",
    )
    run = facts(
        cli("stress", "run", study, "--system", "sound", "--test", "ST-10", "--ad-hoc", path, "--json")
    )["runs"][0]
    assert (run["whole"]["applied"], run["whole"]["not_admitted"]) == (1, 1)
    assert run["whole"]["idial_n"] == 1
    assert run["failures"][0]["original"] == "a cheap pub"


def test_a_suite_that_falls_short_ends_with_1(tmp_path: Path) -> None:
    path = tmp_path / "suite.yaml"
    one = "test: ST-2, family: spelling, language: en, original: a cheap pub, after: [{text: any}]"
    path.write_text(
        f"suite: toy\nversion: 1\nsystem: {{{BOT.format(name='restaurant_nbest')}}}\ncases:\n"
        f"  - {{case_id: good, variant: a cheap pub indeed, {one}}}\n"
        f"  - {{case_id: bad, variant: a chaep pbu, {one}}}\n",
        encoding="utf-8",
    )
    short = cli("stress", "run", path, "--fail-under", 0.9)
    assert short.exit_code == 1
    assert "a chaep pbu" in short.stdout and "1/2" in short.stdout
    assert cli("stress", "run", path, "--fail-under", 0.5, "--junit", tmp_path / "x.xml").exit_code == 0


def test_a_suite_with_an_open_case_is_held_to_its_worst_case_and_says_where_it_is_judged(
    tmp_path: Path,
) -> None:
    path, xml = tmp_path / "suite.yaml", tmp_path / "junit.xml"
    bot = 'connect: python, call: "unit.stress.test_evidence:town_hall", in_process: true'
    one = "test: ST-2, family: spelling, language: it, ad_hoc: true"
    path.write_text(
        f"suite: hall\nversion: 1\nsystem: {{{bot}}}\ncases:\n"
        f"  - {{case_id: good, original: mi serve la carta, variant: mi srve la carta, {one}}}\n"
        f"  - {{case_id: odd, original: cambio residenza, variant: cambio carta di residenza, {one}}}\n",
        encoding="utf-8",
    )
    short = cli("stress", "run", path, "--fail-under", 0.9, "--junit", xml)
    assert short.exit_code == 1
    told = " ".join(short.output.split())
    assert "between 0.50 and 1.00" in told and "0.500 (minimum), 1.000 (maximum), 1 cases open" in told
    assert "1 wait for a human verdict" in told and "--ad-hoc" in told
    whole = facts(cli("stress", "run", path, "--fail-under", 0.5, "--json"))["runs"][0]["whole"]
    assert (whole["ratio"], whole["worst"], whole["best"], whole["waiting"]) == (None, 0.5, 1.0, 1)
    read = ElementTree.parse(xml).getroot()
    assert all("waits for a person's verdict" in str(one.get("message")) for one in read.iter("skipped"))
    assert float(read.get("time") or 0) > 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("run", "--system", "nobody"), "unknown system 'nobody'"),
        (("run",), "the system is missing"),
        (("run", "--system", "sound", "--continuation", "mine"), "unknown continuation 'mine'"),
        (("run", "--system", "sound", "--test", "ST-12"), "unknown stress test 'ST-12'"),
        (("review", "--csv", "x.csv"), "the reviewer is missing"),
    ],
)
def test_a_mistake_is_named_before_anything_is_sent(
    study: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    verb, *rest = arguments
    found = cli("stress", verb, study, *rest)
    assert isinstance(found.exception, InputError)
    assert complaint in str(found.exception)


@pytest.mark.long
def test_a_study_is_stress_tested_by_voice_with_tests_that_can_be_heard(study: Path, tmp_path: Path) -> None:
    (tmp_path / "sentences.txt").write_text("i want a cheap restaurant\nin the north\n", encoding="utf-8")
    speech = tmp_path / "speech.yaml"
    speech.write_text("recogniser: {use: pocketsphinx, sentences: sentences.txt}\n", encoding="utf-8")
    asked = ("--system", "sound", "--test", "ST-3", "--test", "ST-4", "--language", "en", "--sample", 1)
    result = cli("stress", "run", study, *asked, "--speech", speech, "--json")
    (run,) = facts(result)["runs"]
    assert [one["name"] for one in run["tests"] if one["cases"]] == ["ST-4"]
    assert run["whole"]["why_not_applicable"] == {"it does not apply to voice": 1}
    assert run["spoken"]["clean"]["words"] > 0 and run["spoken"]["speech"]["synthesiser"] == "flite"
