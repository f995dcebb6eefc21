"""Packages of strangers: built as wheels, and installed into a folder of their own."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vivavoce.connectors.factory import CONNECTORS
from vivavoce.dashboard.page import DASHBOARD_PAGES
from vivavoce.dashboard.work_items import works
from vivavoce.dataset.schema import TABLES
from vivavoce.languages.base import LANGUAGES
from vivavoce.measures import MEASURES
from vivavoce.questionnaires.instrument import INSTRUMENTS
from vivavoce.reports.section import SECTIONS
from vivavoce.study.channel import CHANNELS
from vivavoce.study.judgement_kind import JUDGEMENTS
from vivavoce.study.presets import PROTOCOLS
from vivavoce.study.step_kind import STEPS

HERE = Path(__file__).resolve().parents[1] / "strangers"
PACKAGES = sorted(path.parent.name for path in HERE.glob("*/pyproject.toml"))


def install(into: Path) -> None:
    """The packages of all strangers, built and installed."""
    install_packages([HERE / name for name in PACKAGES], into)


def install_packages(folders: list[Path], into: Path) -> None:
    """Builds packages and installs them into a folder, as pip does for anybody; no network is used."""
    wheels = into.with_name(into.name + "-wheels")
    sources = wheels / "sources"
    pip = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]
    quiet = ["--no-deps", "--no-index"]
    for folder in folders:
        shutil.copytree(folder, sources / folder.name)
    built = ["wheel", *quiet, "--no-build-isolation", "-w", str(wheels)]
    subprocess.run([*pip, *built, *(str(sources / folder.name) for folder in folders)], check=True)
    made = sorted(str(path) for path in wheels.glob("*.whl"))
    subprocess.run([*pip, "install", *quiet, "--target", str(into), *made], check=True)


@contextmanager
def known(site: Path) -> Iterator[None]:
    """The packages in a folder are installed in this process, until the end of the block."""
    shelves = (
        CHANNELS,
        STEPS,
        PROTOCOLS,
        LANGUAGES,
        CONNECTORS,
        INSTRUMENTS,
        MEASURES,
        SECTIONS,
        DASHBOARD_PAGES,
        JUDGEMENTS,
    )
    before = [(held, dict(held)) for shelf in shelves for held in vars(shelf).values() if type(held) is dict]
    sys.path.insert(0, str(site))
    forget()
    try:
        yield
    finally:
        for held, was in before:
            held.clear()
            held.update(was)
        sys.path.remove(str(site))
        forget()


def forget() -> None:
    """What is made once from all steps is made again."""
    works.cache_clear()
    vars(TABLES).pop("_all", None)
