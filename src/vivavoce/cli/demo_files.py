"""Files of the demonstration, written before it runs."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from vivavoce.api.studies import LOG_FILE, STUDY_FILE

MARGIN: Final = 0.1
WHY_MARGIN: Final = (
    "Non-inferiority within 10 points, declared before the first dialogue: one more failure in ten "
    "dialogues would matter to anyone choosing between these bots."
)


@dataclass(frozen=True)
class DemoPlace:
    """Files, bots and ports of a demonstration."""

    study: Path
    domain: Path
    dataset: Path
    report: Path
    bots: dict[str, int]


def prepare(out: Path, bots: dict[str, int]) -> DemoPlace:
    """Write the demonstration's study. An earlier log is moved aside and never deleted: it may contain
    people's data.
    """
    from vivavoce.study.scaffold import write_study

    study = out / "study"
    _put_aside(study / LOG_FILE)
    if not (study / STUDY_FILE).exists():
        write_study(study, "cambridge-2011", name="demo")
        _declare_margin(study / STUDY_FILE)
    file = study / STUDY_FILE
    file.write_text(_with_ports(file.read_text(encoding="utf-8"), bots), encoding="utf-8")
    return DemoPlace(study, study / "restaurants.yaml", out / "dataset", out / "report.html", bots)


def _declare_margin(file: Path) -> None:
    """Add a non-inferiority margin with its reason to the declared comparison."""
    from ruamel.yaml.comments import CommentedMap

    from vivavoce.dashboard.study_editor.study_text import changed

    def declare(data: CommentedMap) -> None:
        data["analysis"]["primary"]["margin"] = MARGIN
        data["analysis"]["notes"] = [WHY_MARGIN]

    file.write_text(changed(file.read_text(encoding="utf-8"), "analysis", declare), encoding="utf-8")


def _put_aside(log: Path) -> None:
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    for ending in (".sqlite", ".sqlite-wal", ".sqlite-shm", ".roots"):
        old = log.with_name(log.stem + ending)
        if old.exists():
            old.rename(log.with_name(f"{log.stem}-{stamp}{ending}"))


def _with_ports(text: str, bots: dict[str, int]) -> str:
    """The study's two addresses, in order, with the ports of the bots."""

    ports = iter(bots.values())
    return re.sub(
        r"(http://127\.0\.0\.1:)\d+", lambda found: f"{found[1]}{next(ports)}", text, count=len(bots)
    )
