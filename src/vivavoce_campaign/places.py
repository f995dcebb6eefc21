"""Paths of a campaign's files."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vivavoce_campaign.campaign_file import Campaign

EXAMPLE: Final = Path(__file__).parent / "example"


@dataclass(frozen=True)
class SystemPlace:
    """The folder of one system: an ordinary study, its log, its dataset."""

    folder: Path

    @property
    def study(self) -> Path:
        return self.folder / "study.yaml"

    @property
    def callers(self) -> Path:
        """The simulated users that were made from the submission, where no shipped domain fits."""
        return self.folder / "callers.yaml"

    @property
    def tried(self) -> Path:
        """Folder of the last try by simulated users; it counts nowhere."""
        return self.folder / "try"

    @property
    def ad_hoc(self) -> Path:
        return self.folder / "ad-hoc.yaml"

    @property
    def dataset(self) -> Path:
        return self.folder / "dataset"

    @property
    def log_url(self) -> str:
        return f"sqlite:///{(self.folder / 'log.sqlite').resolve()}"


def place_of(campaign: Campaign, name: str) -> SystemPlace:
    """Folder of a submission's study."""
    return SystemPlace(campaign.folder / "systems" / name)


def report_of(campaign: Campaign, name: str, language: str, kind: str = "html") -> Path:
    """Path of the report on a system in this language."""
    return campaign.folder / "reports" / f"{name}.{language}.{kind}"


def answers_folder(folder: Path) -> Path:
    """Folder of the teams' answers after the evaluation."""
    return folder / "answers"
