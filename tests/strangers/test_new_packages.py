"""`vivavoce new`: what it writes is built, installed, and fails its contract until it is filled in."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scenes.strangers import install_packages
from vivavoce.api.new_package import kinds, write_package
from vivavoce.cli.main import app
from vivavoce.core.errors import InputError

MakeOnce = Callable[[str, Callable[[Path], object]], Path]
ROOT = Path(__file__).resolve().parents[2]
NAMES = {kind: f"my-{kind}" for kind in kinds()} | {"language": "eo"}
LOG = "who,said\nuser,Hello\nsystem,Sorry?\n"
READ_CSV = """\
            key = {"dialogue_id": path.name}
            writer.add("dialogues", [{**key, **FACTS, "system": "desk", "condition": "desk"}])
            for n, line in enumerate(path.read_text("utf-8").splitlines()[1:]):
                party, text = line.split(",", 1)
                writer.add("turns", [{**key, "turn_index": n, "party": party, "text": text}])
            calls += 1
"""
COUNT = """\
turns = [(one["dialogue_id"], bool(one["text"])) for one in tables.read("turns").to_pylist()]
    held = {key: float(sum(said for one, said in turns if one == key)) for key, _ in turns}
    return {key: (held[key], float(sum(one == key for one, _ in turns))) for key in held}
"""
TOLD = """\
does=(vv.Message("You answer questions in your own words."),),
            keeps=(vv.Message("What you write."),)"""
CARRIED = """\
vv.Information(
            vv.Message("You write letters to a program."), keeps=(vv.Message("What you write."),)
        )"""
WRITE_LINES = """    found = {
        dialogue: [(turn["party"], turn["text"]) for turn in turns if turn["text"] is not None]
        for dialogue, turns in rows_by_dialogue(dataset, "turns").items()
    }
    (into / "lines.json").write_text(json.dumps(found), "utf-8")
"""
READ_LINES = """found = json.loads((folder / "lines.json").read_text("utf-8"))
        return {one: [(who, words) for who, words in said] for one, said in found.items()}"""
WRITTEN: dict[str, list[tuple[str, str]]] = {
    "channel": [
        (r"vv\.Information\(\).*", CARRIED),
        (r'return "".*', 'return "by letter"'),
    ],
    "connector": [
        ('summary = ""', 'summary = "a parrot"'),
        ('memory="system"', 'memory="caller"'),
        (
            r"raise vv.SystemUnderTestError\(.*\)\n        yield",
            'yield vv.SystemOutput(kind="message", text=f"You said {turn.message}")',
        ),
    ],
    "dashboard-page": [('dashboard-page", ""', 'dashboard-page", "Visits"')],
    "exporter": [
        ('title=""', 'title="Lines"'),
        ('layout=""', 'layout="one file, lines.json"'),
        (r"from pathlib import Path", "import json\nfrom pathlib import Path"),
        (r"    for dialogue, turns in (.*\n)+?        pass .*\n", WRITE_LINES),
        (r"return {}  # TODO.*", READ_LINES),
    ],
    "importer": [
        ('title=""', 'title="Chats of a desk"'),
        ('layout=""', 'layout="CSV files: who,said"'),
        (r"            # TODO: one row(.*\n)+?            raise .*\n", READ_CSV),
        (r'/ "sample"', '/ "sample" / "one.csv"'),
    ],
    "judge": [
        ('summary = ""', 'summary = "whoever counts"'),
        (r'return JudgeVerdict\(trouble="unknown"\)', "return JudgeVerdict(value=len(case.turns), asked=1)"),
    ],
    "judgement": [
        ('invitation = ""', 'invitation = "Judge help"'),
        ('title = ""', 'title = "Help"'),
    ],
    "language": [
        (r'title="",.*', 'title="Esperanto",'),
        (r'msgid "Skip to the content"\nmsgstr ""', 'msgid "Skip to the content"\nmsgstr "Al la enhavo"'),
    ],
    "measure": [
        ('meaning=""', 'meaning="Share of the turns that hold a word."'),
        ('source=""', 'source="this package, written for a test"'),
        ('empty=""', 'empty="no turn: missing"'),
        (r"return {}", COUNT),
    ],
    "questionnaire": [
        (r"items: {}.*", "items: {first: It was patient with me., second: It wanted to be rid of me.}"),
    ],
    "recruiter": [
        ('summary = ""', 'summary = "readers, by their card"'),
    ],
    "section": [
        ('title = ""', 'title = "How many there are"'),
        (r"= {}", '= {"all": len(material.dataset.read("dialogues"))}'),
    ],
    "step": [
        (r"return 0\.0", "return 0.5 * len(step.settings.questions)"),
        (r"does=\(\), keeps=\(\)", TOLD),
        (r'return ""', 'return f"{len(step.settings.questions)} open questions"'),
        (r"return \[\]", "return [MyStepQuestion(text=one) for one in step.settings.questions]"),
        (r'raise vv\.InputError\("simulated.*\)', 'return MyStepAnswer(answer="No idea.")'),
    ],
    "verb": [
        (r"# TODO: a docstring.*", '"""Say how many dialogues a dataset has."""'),
        ('part=""', 'part="Data"'),
        (r"examples=\(\)", 'examples=("calls",)'),
    ],
    "stress-test": [
        ('meaning=""', 'meaning="A sound of hesitation in the utterance: that, uhm, book."'),
        (r"yield from \(\)", 'yield vv.Substitution((vv.Edit(4, 4, "", " uhm"),), "a filled pause", 0.9)'),
        ('return ""', 'return "it is empty"'),
    ],
}


def kept(sources: Path, site: Path) -> dict[str, bool]:
    """Whether each package keeps its contract, in a process that knows it by its entry point alone."""
    path = [str(site), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    tests = [f"{kind}/tests/test_contract.py" for kind in NAMES]
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-rA",
        "--rootdir",
        ".",
        "-c",
        os.devnull,
        "--import-mode=importlib",
        *tests,
    ]
    run = subprocess.run(
        command,
        cwd=sources,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path)},
        capture_output=True,
        text=True,
        check=False,
    )
    told = re.findall(r"^(PASSED|FAILED|ERROR) ([\w-]+)/tests/test_contract\.py::", run.stdout, flags=re.M)
    assert {kind for _, kind in told} == set(NAMES), run.stdout + run.stderr
    return {kind: all(how == "PASSED" for how, one in told if one == kind) for kind in NAMES}


def write(sources: Path) -> None:
    """What is marked in the templates, written."""
    for kind, changes in WRITTEN.items():
        files = [one for one in (sources / kind).rglob("*.*") if one.suffix in (".py", ".yaml", ".po")]
        for pattern, words in changes:
            holders = [one for one in files if re.search(pattern, one.read_text("utf-8"))]
            assert holders, f"{kind}: nothing to write for {pattern}"
            for file in holders:
                file.write_text(
                    re.sub(pattern, lambda _, to=words: to, file.read_text("utf-8"), count=1), "utf-8"
                )
    (sources / "importer" / "tests" / "sample" / "one.csv").write_text(LOG, "utf-8")


@pytest.mark.long
def test_a_new_package_fails_its_contract_until_it_is_written(tmp_path: Path) -> None:
    sources = tmp_path / "sources"
    for kind, name in NAMES.items():
        write_package(kind, name, sources / kind)
        (guide,) = re.findall(r"docs/how-to/\S+\.md", (sources / kind / "README.md").read_text("utf-8"))
        assert (ROOT / guide).is_file()
    install_packages([sources / kind for kind in NAMES], tmp_path / "site")
    assert kept(sources, tmp_path / "site") == dict.fromkeys(NAMES, False)
    write(sources)
    for module in sources.glob("*/vivavoce_*"):  # as a package that is installed to be worked on
        into = tmp_path / "site" / module.name
        shutil.copytree(module, into, dirs_exist_ok=True) if module.is_dir() else shutil.copy(module, into)
    assert kept(sources, tmp_path / "site") == dict.fromkeys(NAMES, True)


def test_its_help_names_every_kind() -> None:
    shown = CliRunner().invoke(app, ["new", "--help"]).stdout
    assert set(kinds()) <= set(re.findall(r"[\w-]+", shown))


def test_nothing_is_overwritten_and_a_name_that_will_not_do_is_one_line(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["new", "measure", "apologies", "--folder", str(tmp_path / "mine")])
    assert done.exit_code == 0 and "pip install -e" in done.stderr
    before = {path: path.read_text("utf-8") for path in (tmp_path / "mine").rglob("*.*")}
    with pytest.raises(InputError, match=r"already contains files"):
        write_package("measure", "apologies", tmp_path / "mine")
    assert {path: path.read_text("utf-8") for path in (tmp_path / "mine").rglob("*.*")} == before
    for wrong in ("Apologies", "", "../x", "a b", "1st"):
        with pytest.raises(InputError, match="invalid name of a measure"):
            write_package("measure", wrong, tmp_path / "other")
    with pytest.raises(InputError, match=r"unknown kind of package 'mesure'. Did you mean 'measure'"):
        write_package("mesure", "x", tmp_path / "other")
    assert not (tmp_path / "other").exists()
