"""Our own protocols, a folder each."""

from pathlib import Path
from typing import Final

from vivavoce.study.presets import StudyProtocol

_HERE: Final = Path(__file__).parent

CAMBRIDGE_2011: Final = StudyProtocol("cambridge-2011", _HERE / "cambridge-2011")
GUERINI_2018: Final = StudyProtocol("guerini-2018", _HERE / "guerini-2018")
IDIAL_2018: Final = StudyProtocol("idial-2018", _HERE / "idial-2018")
P851: Final = StudyProtocol("p851", _HERE / "p851")
